"""Games of every kind, perft and playouts."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from gops import _lot, _parlett
from gops._game import Game
from gops.errors import GopsError
from gops.position import Position
from gops.rules import Rules

__all__ = ["Game", "Seed", "perft", "playouts"]

#: What numpy.random.default_rng takes; an int or a Generator is usual.
Seed = np.random.Generator | np.random.SeedSequence | np.random.BitGenerator | int | None

_ENGINES: dict[str, Any] = {"gops": _lot, "jazzy": _parlett, "throps": _parlett}

#: Random games per stream of random numbers; changing it changes what `playouts` returns.
_CHUNK = 4096


def perft(position: Position | str, depth: int) -> int:
    """Count the sequences of play of exactly ``depth`` steps from ``position``.

    A step is the reveal of a round's prizes, one bid of every player together, or one pick. An
    unknown prize counts once per different value (several prizes turned together: per different
    set), a known one once.

    Parameters
    ----------
    position : Position or str
        Where to start.
    depth : int
        Number of steps, from 0.

    Returns
    -------
    int

    Examples
    --------
    >>> perft("1-3/1-3 - 1-3", 2)
    27
    """
    if isinstance(position, str):
        position = Position(position)
    if depth < 0:
        raise GopsError(f"depth={depth}: expected 0 or more")
    return int(_ENGINES[position.rules.game].perft(position, depth))


def playouts(
    rules: Rules, n: int, *, rng: Seed = None, threads: int | None = None
) -> NDArray[np.int32] | NDArray[np.float64]:
    """Play random games and return their final scores.

    Parameters
    ----------
    rules : Rules
        The game.
    n : int
        Number of games.
    rng : Generator, SeedSequence, int or None
        Where the randomness comes from. A `Generator` is advanced by the same amount whatever
        ``n``.
    threads : int, optional
        Threads to use, one by default; the result does not depend on it.

    Returns
    -------
    ndarray of int32 or float64, shape (n, players)
        Points; float64 where ties may be split. For Jazzy GOPS the captured totals.

    Examples
    --------
    >>> scores = playouts(Rules.preset("discard"), 1000, rng=1)
    >>> scores.shape, bool((scores.sum(axis=1) <= 91).all())
    ((1000, 2), True)
    """
    if n < 0:
        raise GopsError(f"n={n}: expected 0 or more")
    if threads is not None and threads < 1:
        raise GopsError(f"threads={threads}: expected 1 or more")
    engine = _ENGINES[rules.game]
    scores = np.zeros((n, rules.players), np.int32)
    starts = range(0, n, _CHUNK)
    seeds = _seed_sequence(rng).generate_state(4 * len(starts), np.uint64).reshape(-1, 4)

    def play(chunk: int) -> int:
        first = starts[chunk]
        return cast(int, engine.playouts(rules, seeds[chunk], scores[first : first + _CHUNK]))

    if threads is None or threads == 1:
        units = [play(chunk) for chunk in range(len(starts))]
    else:
        with ThreadPoolExecutor(threads) as executor:
            units = list(executor.map(play, range(len(starts))))
    if rules.splits:
        return scores / (units[0] if units else 1)
    return scores


def _seed_sequence(rng: Seed) -> np.random.SeedSequence:
    """Return a source of seeds; a Generator gives 256 bits for it."""
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.BitGenerator):
        rng = np.random.default_rng(rng)
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(rng.integers(2**32, size=8, dtype=np.uint32).tolist())
    return np.random.SeedSequence(rng)
