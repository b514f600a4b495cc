"""An analysis as a table with bars."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gops.cards import format_set
from gops.display.text import bar, card_name, signed, table

if TYPE_CHECKING:
    from gops.analysis import Analysis, Reveal

SHOWN = 0.0005
"""Bids less likely than this are left out of a list of bids."""


_TIES = {
    "carry": "tied prizes carry over",
    "discard": "tied prizes are discarded",
    "split": "tied prizes are split",
    "unique": "tied bids drop out",
}


def analysis_text(analysis: "Analysis", *, unicode: bool = True) -> str:
    """Show an analysis: the position, both players' bids, and the value in plain words.

    Parameters
    ----------
    analysis
        What `gops.analyse` returned.
    unicode
        Draw bars with block characters, otherwise with ``#``.
    """
    parts = [_position(analysis)]
    if analysis.reveals:
        parts.append(_reveals(analysis))
    elif analysis.matrix is not None:
        parts.append(_bids(analysis, unicode))
    return "\n\n".join([*parts, _verdict(analysis)])


def _position(analysis: "Analysis") -> str:
    position = analysis.position
    upcards = " + ".join(map(str, position.upcards))
    if not position.turned:
        upcards = f"{upcards} carried, the next not turned yet" if upcards else "not turned yet"
    pile = ", then ".join(map(str, position.pile)) if position.order_known else None
    count = position.rounds_left
    facts = [
        f"on offer: {upcards}",
        f"face down: {pile or format_set(position.pile)}",
        f"score {':'.join(map(str, position.scores))}",
        f"{count} round{'s' * (count != 1)} left",
        _TIES[position.rules.tie],
    ]
    return f"{position}\n{'; '.join(facts)}"


def _highest(analysis: "Analysis") -> int:
    return max(card for hand in analysis.position.hands for card in hand)


def _bids(analysis: "Analysis", unicode: bool) -> str:
    highest = _highest(analysis)
    bids = {bid for mix in analysis.bids.values() for bid in mix}
    rows: list[Sequence[str]] = [("bid", "player 1", "", "loss", "player 2", "", "loss")]
    for bid in sorted(bids):
        row = [card_name(bid, highest)]
        for player, mix in analysis.bids.items():
            if bid in mix:
                share = mix[bid]
                lost = analysis.loss[player][bid]
                row += [f"{share:.1%}", bar(share, unicode=unicode), f"{lost:.3f}"]
            else:
                row += ["", "", ""]
        rows.append(row)
    return table(rows, align="lrlrrlr")


def _reveals(analysis: "Analysis") -> str:
    highest = _highest(analysis)
    rows = [("prize", "chance", "value", "player", "bids")]
    for reveal in analysis.reveals:
        rows += _reveal(reveal, highest)
    return table(rows, align="lrrll")


def _reveal(reveal: "Reveal", highest: int) -> list[tuple[str, str, str, str, str]]:
    prize = card_name(reveal.prize, highest)
    first, second = (mix_text(reveal.analysis.bids[player]) for player in (1, 2))
    head = (prize, f"{reveal.probability:.1%}", signed(reveal.analysis.value, 3))
    if first == second:
        return [(*head, "both", first)]
    return [(*head, "1", first), ("", "", "", "2", second)]


def mix_text(mix: Mapping[Any, float]) -> str:
    """List the bids of a mix with their probabilities, leaving out the all but impossible."""
    return "  ".join(
        f"{'+'.join(map(str, bid)) if isinstance(bid, tuple) else bid}: {share:.1%}"
        for bid, share in mix.items()
        if share >= SHOWN
    )


def _verdict(analysis: "Analysis") -> str:
    value = analysis.value
    ahead, behind = (1, 2) if value > 0 else (2, 1)
    if abs(value) < 1e-9:
        words = "level: neither player has the better of it"
    elif analysis.objective == "points":
        where = "below" if analysis.position.rules.misere else "ahead"
        words = f"player {ahead} ends {abs(value):.3f} points {where} on average"
    elif abs(value) > 1 - 1e-9:
        words = f"player {ahead} wins for certain"
    else:
        words = f"player {ahead} wins more often than player {behind}, by {abs(value):.1%} of games"
    stats = analysis.stats
    return (
        f"value {signed(value, 6)}: {words}\n"
        f"proved to within {analysis.gap:.1g} ({analysis.method}; {stats['states']:,} states, "
        f"{stats['games']:,} matrix games, {stats['seconds']:.2f} s)"
    )
