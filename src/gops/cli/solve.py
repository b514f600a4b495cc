"""``gops solve``: a whole game into a table on the disk."""

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gops.cli.options import Json, Output, Quiet, Threads
from gops.cli.progress import Bar
from gops.cli.sink import Sink

if TYPE_CHECKING:
    from gops.rules import Rules


class SolvedTie(StrEnum):
    """What happens to the prize when the bids are level."""

    CARRY = "carry"
    DISCARD = "discard"
    SPLIT = "split"


class Ace(StrEnum):
    """Whether the ace is the lowest or the highest card."""

    LOW = "low"
    HIGH = "high"


class Objective(StrEnum):
    """What the players play for."""

    POINTS = "points"


class Kept(StrEnum):
    """Which layers a table keeps."""

    TOP = "top"
    ALL = "all"


class Precision(StrEnum):
    """How values are stored."""

    DOUBLE = "float64"
    SINGLE = "float32"


def _size(text: str) -> int:
    """Read a number of bytes such as 4GB."""
    units = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
    number = text.strip().upper().removesuffix("B")
    unit = number[-1:] if number[-1:] in units and not number[-1:].isdigit() else ""
    try:
        count = float(number.removesuffix(unit)) * units[unit]
        if not 1 <= count <= 10**18:
            raise ValueError
    except ValueError:
        raise typer.BadParameter(f"{text!r}: expected bytes, such as 4GB or 800MB") from None
    return int(count)


def solve(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Directory for the table: new or empty.")
    ],
    cards: Annotated[
        int, typer.Option("--cards", min=1, max=31, metavar="N", help="Cards in each hand.")
    ] = 13,
    tie: Annotated[
        SolvedTie, typer.Option("--tie", help="What happens to tied prizes.")
    ] = SolvedTie.CARRY,
    ace: Annotated[Ace, typer.Option("--ace", help="Lowest or highest card.")] = Ace.LOW,
    order: Annotated[
        str,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="random, or known: ascending, descending or the prizes in order: 3,1,2.",
        ),
    ] = "random",
    prizes: Annotated[
        str | None,
        typer.Option(
            "--prizes", metavar="PRIZES", help="Other prizes: 2,4,4,10.", show_default=False
        ),
    ] = None,
    objective: Annotated[
        Objective, typer.Option("--objective", help="What the players play for.")
    ] = Objective.POINTS,
    layers: Annotated[
        Kept, typer.Option("--layers", help="Keep the layers near the full hand, or all.")
    ] = Kept.TOP,
    dtype: Annotated[
        Precision, typer.Option("--dtype", help="Precision of the stored values.")
    ] = Precision.DOUBLE,
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="Memory to get by with, such as 4GB; all that is free if left out.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished solve in DIR.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the first bids as a heat map: .png, .svg or .pdf.",
            show_default=False,
        ),
    ] = None,
    json: Json = False,
    threads: Threads = None,
    quiet: Quiet = False,
    output: Output = None,
) -> None:
    """Solve a whole game of two players, and keep the solution as a table.

    `gops analyse --table DIR` then answers any position of that game at once, and
    `gops verify DIR` proves the table right. A solve that was interrupted, in whatever way, goes
    on with --resume.
    """
    bound = None if memory is None else _size(memory)
    rules = _rules(cards, tie.value, ace.value, order, prizes)

    from gops.analysis import size_text
    from gops.display import analysis_text
    from gops.solving import Progress, peak_memory
    from gops.solving import solve as solve_game
    from gops.tables import game_text

    if plot is not None:
        from gops.plots import check_plot

        check_plot(plot)
    with Sink(output, json=json, quiet=quiet) as sink:
        started = time.perf_counter()
        before = None
        with Bar(quiet=quiet) as bar:

            def tell(progress: Progress) -> None:
                nonlocal before
                if before is None:
                    before = progress.games
                    sink.say(f"{game_text(rules)}: {progress.forecast}")
                bar.update(progress.share, progress.games, "games", f"layer {progress.rounds}")

            try:
                table = solve_game(
                    rules,
                    objective.value,
                    out=out,
                    threads=threads,
                    layers=layers.value,
                    dtype=dtype.value,
                    memory=bound,
                    resume=resume,
                    progress=tell,
                )
            except KeyboardInterrupt:
                sink.say(f"interrupted; --resume goes on with {out}")
                raise
        seconds = time.perf_counter() - started
        first = table.analyse(table.start)
        if plot is not None:
            first.plot(plot)
        games, peak = table.manifest["games"], peak_memory()
        rate = 0.0 if before is None else (games - before) / seconds
        sink.document(
            {
                "schema": "gops.solve/1",
                "table": str(out),
                "cards": cards,
                "rules": table.manifest["rules"],
                "objective": objective.value,
                "value": table.value,
                "states": table.manifest["states"],
                "games": games,
                "worst_gap": table.worst_gap,
                "layers": list(table.rounds),
                "seconds": seconds,
                "games_per_second": rate,
                "peak_memory": peak,
            }
        )
        sink.text(analysis_text(first, unicode=sink.unicode))
        sink.say(
            f"{game_text(rules)}: {games:,} games in {seconds:.2f} s, {rate:,.0f} games/s, "
            f"worst gap {table.worst_gap:.1g}, peak memory {size_text(peak)}"
        )


def _rules(cards: int, tie: str, ace: str, order: str, prizes: str | None) -> "Rules":
    from gops.cards import MAX_PRIZE, parse_list, resolve_aces
    from gops.rules import Rules

    def listed(text: str, field: str) -> tuple[int, ...]:
        found = parse_list(text, field=field, offset=0, highest=MAX_PRIZE)
        return resolve_aces(found, high=ace == "high")

    words = ("random", "ascending", "descending")
    return Rules(
        cards=cards,
        tie=tie,
        ace=ace,
        order=order if order in words else listed(order.removeprefix(">"), "--order"),
        prizes=None if prizes is None else listed(prizes, "--prizes"),
    )
