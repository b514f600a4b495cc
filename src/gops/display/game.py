"""A game in progress, as a player at the table sees it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gops.cards import format_set
from gops.display.parlett import deal_rows
from gops.display.text import card_name, suit_of, table
from gops.view import Round, View

if TYPE_CHECKING:
    from gops.game import Game


def round_text(game: "Game", player: int, names: Sequence[str], *, unicode: bool = True) -> str:
    """Show what a player may know before a round's bids.

    Parameters
    ----------
    game
        A game whose prize has been turned.
    player
        Whose view is shown, counted from 1.
    names
        What to call the players, in player order.
    unicode
        Show suits.
    """
    head = f"Round {game.round + 1} of {game.round + game.rounds_left}; {scores_text(game, names)}"
    if game.rules.game != "gops":
        labels = ["prize", *names]
        if game.rules.game == "jazzy":
            labels = [_label(name, owner, unicode) for owner, name in enumerate(labels)]
        return _framed(head, deal_rows(game, player, labels))
    view = game.view(player)
    highest = game.rules.suit[-1]
    upcards = [card_name(prize, highest) for prize in view.upcards]
    if game.rules.open:
        offer = " or ".join(upcards)
    else:
        offer = " + ".join(upcards)
        if len(upcards) > 1:
            offer += f" = {sum(view.upcards)} points"
    rows = [(_label("prize", 0, unicode), offer)]
    if view.order_known:
        rows.append(("then come", ", ".join(map(str, view.pile)) or "-"))
    else:
        rows.append(("face down", format_set(view.pile)))
    if isinstance(view, View):  # the other hands are hidden
        hands = {player: view.hand}
    elif game.rules.spent_visible:
        hands = dict(enumerate(view.hands, 1))
    else:  # who remembers the bids knows the other hands
        hands = {player: view.hands[player - 1]}
    rows += [
        (f"{_label(names[owner - 1], owner, unicode)}: hand", format_set(hand))
        for owner, hand in hands.items()
    ]
    return _framed(head, rows)


def _framed(head: str, rows: Sequence[tuple[str, str]]) -> str:
    width = max(len(label) for label, _ in rows)
    return "\n".join([head, *(f"  {label:<{width}}  {text}" for label, text in rows)])


def _label(name: str, owner: int, unicode: bool) -> str:
    return f"{name} {suit_of(owner)}" if unicode else name


def scores_text(game: "Game", names: Sequence[str]) -> str:
    """Write each player's points so far."""
    return ", ".join(f"{name} {score}" for name, score in zip(names, game.scores, strict=True))


def outcome_text(record: Round, names: Sequence[str], highest: int = 13) -> str:
    """Tell how a round went, in a line.

    Parameters
    ----------
    record
        The round, from `Game.history` or from a view's.
    names
        What to call the players, in player order.
    highest
        The highest card in play.
    """
    said = ", ".join(
        f"{name} bid{'' if name == 'you' else 's'} {card_name(bid, highest)}"
        for name, bid in zip(names, record.bids, strict=True)
        if bid is not None
    )
    gains = zip(names, record.gains, strict=True)
    won = ", ".join(f"{name} {'+' if gain > 0 else ''}{gain}" for name, gain in gains if gain)
    if record.winner and not won:  # a queen, say
        won = f"{names[record.winner - 1]} +0"
    return f"{said}: {won or 'nobody wins it'}."


def bids_text(history: Sequence[Round], names: Sequence[str]) -> str:
    """List all bids of a game that is over, round by round."""
    rows = [("prize", *names)]
    rows += [
        ("+".join(map(str, record.upcards)), *(card_name(bid, 31) for bid in record.bids if bid))
        for record in history
    ]
    return table(rows, align="r" * len(rows[0]))
