"""The options that change rules part by part, the same for every command that takes rules."""

import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gops.cards import MAX_CARDS, MAX_PRIZE, clip, parse_list, resolve_aces
from gops.cli.options import Tie

if TYPE_CHECKING:
    from gops.rules import Rules

Parts = Mapping[str, Any]
"""What was said about the rules, by the name of the rule."""

Ace = StrEnum("Ace", ["low", "high"])
Fallback = StrEnum("Fallback", ["carry", "discard", "split"])
Last = StrEnum("Last", ["short", "none"])
Announce = StrEnum("Announce", ["winner", "winner_and_bid", "all"])
AutoPick = StrEnum("AutoPick", ["none", "highest"])
Leftover = StrEnum("Leftover", ["stay", "discard"])
LoneCourt = StrEnum("LoneCourt", ["zero", "face"])
SpentTriple = StrEnum("SpentTriple", ["first", "last", "none"])
ThreeLevel = StrEnum("ThreeLevel", ["zero", "all"])


def _option(name: str, help: str, **settings: Any) -> Any:
    return typer.Option(f"--{name}", help=help, show_default=False, **settings)


def _parts(
    players: Annotated[
        int | None, _option("players", "Players, you among them.", min=2, max=7, metavar="N")
    ] = None,
    cards: Annotated[
        int | None, _option("cards", "Cards in each hand.", min=1, max=31, metavar="N")
    ] = None,
    ace: Annotated[Ace | None, _option("ace", "Lowest or highest card.")] = None,
    tie: Annotated[Tie | None, _option("tie", "What happens to tied prizes.")] = None,
    fallback: Annotated[
        Fallback | None, _option("fallback", "The same, when no bid is unique.")
    ] = None,
    order: Annotated[
        str | None,
        _option(
            "order",
            "random, or known: ascending, descending or the prizes in order: 3,1,2.",
            metavar="ORDER",
        ),
    ] = None,
    rounds: Annotated[
        int | None, _option("rounds", "Rounds to play; all if left out.", min=1, metavar="N")
    ] = None,
    bids: Annotated[int | None, _option("bids", "Cards per bid.", min=1, metavar="N")] = None,
    last: Annotated[
        Last | None, _option("last", "Whether there is a last bid of fewer cards.")
    ] = None,
    lot: Annotated[int | None, _option("lot", "Prizes turned a round.", min=1, metavar="N")] = None,
    open: Annotated[
        int | None,
        _option("open", "Prizes on display, for winners to pick from.", min=0, metavar="N"),
    ] = None,
    picks: Annotated[
        int | None, _option("picks", "Prizes picked a round.", min=1, metavar="N")
    ] = None,
    auto_pick: Annotated[
        AutoPick | None, _option("auto-pick", "Whether the highest prize is picked by itself.")
    ] = None,
    leftover: Annotated[
        Leftover | None, _option("leftover", "What happens to prizes that nobody picked.")
    ] = None,
    hidden: Annotated[
        bool | None, _option("hidden/--shown", "Whether bids stay secret.", metavar="")
    ] = None,
    announce: Annotated[
        Announce | None, _option("announce", "What is told of secret bids.")
    ] = None,
    spent_visible: Annotated[
        bool | None,
        _option("spent-visible/--spent-face-down", "How cards lie that were bid."),
    ] = None,
    early_stop: Annotated[
        str | None,
        _option("early-stop", "none, clinch (when decided) or a score.", metavar="WHEN"),
    ] = None,
    misere: Annotated[bool | None, _option("misere", "The lowest score wins.")] = None,
    hands: Annotated[
        str | None, _option("hands", "Other hands: 1-5/2-6, one per player.", metavar="HANDS")
    ] = None,
    prizes: Annotated[
        str | None, _option("prizes", "Other prizes: 2,4,4,10.", metavar="PRIZES")
    ] = None,
    aces_tie_by_card: Annotated[
        bool | None, _option("aces-tie-by-card", "Jazzy: high and low aces tie.")
    ] = None,
    queen_excluded: Annotated[
        bool | None, _option("queen-excluded", "Jazzy: no queen is the lowest diamond.")
    ] = None,
    lone_court: Annotated[
        LoneCourt | None, _option("lone-court", "Jazzy: jack or king without other diamonds.")
    ] = None,
    spent_triple: Annotated[
        SpentTriple | None, _option("spent-triple", "Jazzy: what is spent if nobody can bid on.")
    ] = None,
    three_level: Annotated[
        ThreeLevel | None, _option("three-level", "Jazzy: who scores with three totals level.")
    ] = None,
    ace_low: Annotated[
        bool | None, _option("ace-low", "Throps: the ace is the lowest bid.")
    ] = None,
) -> None:
    """Have the parameters that `by_part` adds to a command."""


_PARTS = inspect.signature(_parts).parameters


def by_part(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take rules by part: add the options, and hand them on as ``parts``."""

    def wrapped(**given: Any) -> None:
        parts = {name: given.pop(name) for name in _PARTS}
        command(**given, parts={name: part for name, part in parts.items() if part is not None})

    own = inspect.signature(command)
    kept = [parameter for name, parameter in own.parameters.items() if name != "parts"]
    every = [*kept[:1], *_PARTS.values(), *kept[1:]]
    wrapped.__signature__ = own.replace(parameters=every)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
    wrapped.__doc__ = command.__doc__
    return wrapped


def make_rules(preset: str, parts: Parts) -> "Rules":
    """Make the rules of a preset with the parts that were given.

    Raises
    ------
    gops.errors.RulesError, gops.errors.NotationError
        They make no rules.
    """
    from gops.rules import Rules

    changes: dict[str, Any] = {
        name: part.value if isinstance(part, StrEnum) else part for name, part in parts.items()
    }
    high = (changes.get("ace") or Rules.preset(preset).ace) == "high"
    for name in ("order", "prizes"):
        text = changes.get(name)
        if text is not None and not (name == "order" and text.isalpha() and len(text) > 1):
            changes[name] = _cards(text, name, MAX_PRIZE, high)
    if "hands" in changes:
        texts = changes["hands"].split("/", 8)
        changes["hands"] = tuple(_cards(text, "hands", MAX_CARDS, high) for text in texts)
        changes.setdefault("players", len(texts))
    stop = changes.get("early_stop", "")
    if stop.isdecimal() and len(stop) < 10:
        changes["early_stop"] = int(stop)
    return Rules.preset(preset, **changes)


def _cards(text: str, field: str, highest: int, ace_high: bool) -> tuple[int, ...]:
    cards = parse_list(text, field=f"--{field} {clip(text)}", offset=0, highest=highest)
    return resolve_aces(cards, high=ace_high)
