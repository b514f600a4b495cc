"""The fixed suite behind ``gops bench``: rates on this machine, and a signature of behaviour."""

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np

from gops._batch import Batch
from gops.analysis import analyse
from gops.game import Game, perft, playouts
from gops.matrix import solve_matrix
from gops.position import Position
from gops.rules import Rules

__all__ = ["Measurement", "signature", "suite", "to_dict"]


@dataclass(frozen=True)
class Measurement:
    """One rate.

    Attributes
    ----------
    name
        Short and stable, for machines.
    what
        What was done, for people.
    rate, unit
        How many of ``unit`` a second: the median over the repeats.
    seconds
        Time taken by all repeats together.
    """

    name: str
    what: str
    rate: float
    unit: str
    seconds: float


def to_dict(measurements: Iterable[Measurement]) -> dict[str, Any]:
    """Give measurements as the document that ``gops bench --json`` prints."""
    return {
        "schema": "gops.bench/1",
        "rates": [
            {**asdict(measurement), "unit": f"{measurement.unit}/s"} for measurement in measurements
        ],
    }


def _measure(
    name: str, what: str, unit: str, run: Callable[[], int], repeats: int = 5
) -> Measurement:
    run()
    rates = []
    started = perf_counter()
    for _ in range(repeats):
        start = perf_counter()
        amount = run()
        rates.append(amount / (perf_counter() - start))
    rate = sorted(rates)[len(rates) // 2]
    return Measurement(name, what, rate, unit, perf_counter() - started)


def random_game(rules: Rules, rng: np.random.Generator, choice: Callable[[Any], int]) -> Game:
    """Play one random two-player game, bid by bid from Python; the lean loop that is timed."""
    game = Game(rules, rng=rng)
    while not game.is_over:
        game.play([choice(game.legal_bids(1)), choice(game.legal_bids(2))])
    return game


def suite(threads: int | None = None) -> Iterator[Measurement]:
    """Measure every rate of the suite in turn; about ten seconds in all.

    Parameters
    ----------
    threads
        For playouts and exact solves; all cores if `None`.
    """
    classic = Rules()
    rng = np.random.default_rng(1)
    choice = random.Random(1).choice

    def step() -> int:
        for _ in range(1000):
            random_game(classic, rng, choice)
        return 13_000

    yield _measure("step", "random 13-card games, bid by bid from Python", "rounds", step)

    def play_out() -> int:
        playouts(classic, 100_000, rng=1, threads=threads)
        return 100_000

    yield _measure("playouts", "random 13-card games inside the core", "games", play_out)

    batch = Batch(classic, 4096, rng=1, auto_reset=True)

    def step_batch() -> int:
        for _ in range(100):
            batch.step(masks=batch.random_bids())
        return 100 * batch.size

    yield _measure("batch", "the same rounds, 4096 games at a time", "rounds", step_batch)

    start = Position("1-6/1-6 - 1-6 0:0")
    yield _measure("perft", f"sequences of {start}, depth 5", "sequences", lambda: perft(start, 5))

    matrices = np.random.default_rng(1).normal(size=(2000, 7, 7))

    def solve_matrices() -> int:
        for matrix in matrices:
            solve_matrix(matrix)
        return len(matrices)

    yield _measure("matrix", "random 7 x 7 matrix games from Python", "games", solve_matrices)

    for tie in ("carry", "discard"):
        position = Position(f"1-9/1-9 9 1-8 0:0 tie={tie}")

        def solve(position: Position = position) -> int:
            return int(analyse(position, threads=threads).stats["games"])

        what = f"matrix games of the exact solution of {position}"
        yield _measure(f"solve-{tie}", what, "games", solve, repeats=3)


PERFT = (
    ("1-4/1-4 - 1-4 0:0", 8),
    ("1-4/1-4 4 1-3 0:0 tie=discard", 5),
    ("1-3/1-3/1-3 - 1-3 0:0:0", 6),
    ("1,3,4/2-4 2+5 >3,1 7:0", 4),
)
SOLVED = (
    ("1-6/1-6 3 1,2,4-6 4:0", "points"),
    ("1-6/2-5,8,9 3 1,2,4-6 0:0 tie=discard", "points"),
    ("1,3,5,6/2-4,6 - 2,4,6,9 0:0", "points"),
    ("1-4/2,4-6 3 >1,4,2 0:0 tie=split", "points"),
    ("1-5/2-6 4 1-3,5 3:0", "win"),
)
PLAYED = ("classic", "discard", "split", "three", "high-ace")


def signature(threads: int | None = None) -> int:
    """Sum up the behaviour of this build in one integer.

    It digests perft counts, seeded playouts, and exact values rounded to 1e-6, so it is the same
    on every machine and for any number of threads, until the rules, the random streams or the
    answers change.
    """
    facts = [f"perft {text} {depth} {perft(Position(text), depth)}" for text, depth in PERFT]
    for name in PLAYED:
        scores = playouts(Rules.preset(name), 1000, rng=1, threads=threads)
        digest = hashlib.sha256(scores.astype("<f8").tobytes()).hexdigest()
        facts.append(f"playouts {name} {digest}")
    for text, objective in SOLVED:
        value = analyse(Position(text), objective, threads=threads).value
        facts.append(f"value {text} {objective} {round(value * 1e6)}")
    return int.from_bytes(hashlib.sha256("\n".join(facts).encode()).digest()[:6], "big")
