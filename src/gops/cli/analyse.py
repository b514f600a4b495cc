"""``gops analyse``: the exact answer to a position."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gops.cli.options import Json, Output, Quiet, Threads, Tie, read_lines
from gops.cli.sink import Sink

if TYPE_CHECKING:
    from gops.analysis import Analysis
    from gops.position import Position


class Objective(StrEnum):
    """What the players play for."""

    POINTS = "points"
    WIN = "win"


def _part(flag: str, metavar: str, text: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        flag, metavar=metavar, help=text, show_default=False
    )
    return option


def analyse(
    positions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="POSITION",
            help="HANDS UPCARDS PILE SCORES [RULES]; - reads positions from standard input, "
            "one a line.",
            show_default=False,
        ),
    ] = None,
    hand: Annotated[str | None, _part("--hand", "CARDS", "Player 1's hand: A,3,K.")] = None,
    rival: Annotated[str | None, _part("--rival", "CARDS", "Player 2's hand.")] = None,
    cards: Annotated[
        int | None,
        typer.Option(
            "--cards",
            min=1,
            max=31,
            metavar="N",
            show_default=False,
            help="A first round of N cards, in place of hands.",
        ),
    ] = None,
    up: Annotated[
        str | None, _part("--up", "PRIZES", "Prizes on offer, 7 or 9+7; else not turned yet.")
    ] = None,
    pile: Annotated[
        str | None, _part("--pile", "PRIZES", "Prizes face down; '>3,1,2' if in known order.")
    ] = None,
    score: Annotated[str | None, _part("--score", "M:N", "Points so far.")] = None,
    tie: Annotated[Tie | None, _part("--tie", "RULE", "carry, discard, split or unique.")] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            min=1,
            max=31,
            metavar="N",
            show_default=False,
            help="Rounds left, if fewer than the cards allow.",
        ),
    ] = None,
    objective: Annotated[
        Objective,
        typer.Option("--objective", help="Play for the margin in points, or for the win."),
    ] = Objective.POINTS,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            metavar="DIR",
            help="Look the position up in a table made by `gops solve`.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Solve even what is estimated to be too large.")
    ] = False,
    json: Json = False,
    threads: Threads = None,
    quiet: Quiet = False,
    output: Output = None,
) -> None:
    """Print the equilibrium of a position: value, bids, and what each bid gives up.

    A position is a text of four fields and, if the rules are not the default, a fifth:

    \b
      gops analyse "1-5/1-5 5 1-4 0:0 tie=discard"

    or it is told in parts, as at the card table:

    \b
      gops analyse --hand A,3,K --rival 2,4,Q --up 10 --pile 3,7 --score 12:20
      gops analyse --cards 8 --up 8

    When no prize is turned yet, the answer covers each prize that may come.
    """  # noqa: D301
    told = _told(hand, rival, cards, up, pile, score, tie, rounds)
    if not positions and told is None:
        raise typer.BadParameter("give a position, its parts, or - to read standard input")
    if positions and told is not None:
        raise typer.BadParameter("give a position or its parts, not both")
    texts = _texts(positions) if positions else [("", told)]

    from gops.display import analysis_text
    from gops.errors import GopsError, NotationError, PositionError
    from gops.position import Position

    answer = _answerer(table, objective, threads, force)
    with Sink(output, json=json, quiet=quiet) as sink:
        for label, text in texts:
            try:
                if text is None:
                    raise NotationError("a line this long is no position")
                position = Position(text)
                if position.is_over:
                    raise PositionError(f"{position}: the game is over, with nothing to bid for")
                analysis = answer(position)
            except GopsError as error:
                sink.error(f"{label}{error}")
            else:
                sink.document(analysis.to_dict())
                sink.text(analysis_text(analysis, unicode=sink.unicode))
    if sink.failed:
        raise typer.Exit(1)


def _answerer(
    table: Path | None, objective: Objective, threads: int | None, force: bool
) -> "Callable[[Position], Analysis]":
    """Return what answers a position: a table, or the solver."""
    if table is None:
        from gops.analysis import analyse as solver

        return partial(solver, objective=objective.value, threads=threads, force=force)
    from gops.tables import Table

    if objective is not Objective.POINTS:
        raise typer.BadParameter(f"a table knows points, not {objective.value}")
    return partial(Table.open(table).analyse, threads=threads)


def _texts(words: list[str]) -> Iterator[tuple[str, str | None]]:
    """Go through the positions asked for, each with the words that place it in a complaint."""
    if len(words) > 1 and not any(" " in word for word in words):
        words = [" ".join(words)]  # one position whose quotes were left out
    for index, word in enumerate(words, 1):
        if word == "-":
            import sys

            for number, line in read_lines(sys.stdin.buffer):
                if line is None or (line and not line.startswith("#")):
                    yield f"line {number}: ", line
        else:
            yield f"position {index}: " if len(words) > 1 else "", word


def _told(
    hand: str | None,
    rival: str | None,
    cards: int | None,
    up: str | None,
    pile: str | None,
    score: str | None,
    tie: Tie | None,
    rounds: int | None,
) -> str | None:
    """Compose the text of a position from the parts that were told; `None` if none was."""
    if all(part is None for part in (hand, rival, cards, up, pile, score, tie, rounds)):
        return None
    if cards is not None:
        if hand is not None or rival is not None:
            raise typer.BadParameter("give --cards or the hands, not both")
        hand = rival = f"1-{cards}"
        if pile is None:
            pile = _first_pile(cards, up)
    elif hand is None or rival is None:
        raise typer.BadParameter("give --hand and --rival, or --cards for a first round")
    fields = [f"{_joined(hand)}/{_joined(rival)}", _joined(up or "-", "+"), _joined(pile or "-")]
    fields += [score or "0:0"]
    changes = [("tie", tie and tie.value), ("rounds", rounds)]
    rules = ",".join(f"{key}={value}" for key, value in changes if value is not None)
    return " ".join([*fields, rules]).rstrip()


def _joined(text: str, mark: str = ",") -> str:
    """Join the items of a part, however they were parted."""
    return mark.join(text.replace(",", " ").replace("+", " ").split())


def _first_pile(cards: int, up: str | None) -> str:
    """Write the prizes that are left of 1 to ``cards`` when ``up`` has been turned."""
    from gops.cards import format_set, parse_list, resolve_aces

    turned: tuple[int, ...] = ()
    if up is not None:
        turned = resolve_aces(
            parse_list(_joined(up), field="--up", offset=0, highest=cards), high=False
        )
        if len(turned) != 1:
            raise typer.BadParameter("one prize is on offer in a first round", param_hint="--up")
    return format_set(prize for prize in range(1, cards + 1) if prize not in turned)
