"""A game in progress, as a player at the table sees it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gops.cards import format_set
from gops.display.text import card_name

if TYPE_CHECKING:
    from gops.game import Game
    from gops.view import Round


def round_text(game: "Game", names: Sequence[str]) -> str:
    """Show what everybody may know before a round's bids.

    Parameters
    ----------
    game
        A game whose prize has been turned.
    names
        What to call the players, in player order.
    """
    upcards = [card_name(prize) for prize in game.upcards]
    offer = " + ".join(upcards)
    if len(upcards) > 1:
        offer += f" = {sum(game.upcards)} points"
    pile = game.position.pile
    coming = ", then ".join(map(str, pile)) if game.rules.order_known else format_set(pile)
    rows = [
        ("prize", offer),
        ("to come", coming),
        *(
            (f"{name}'s hand", format_set(hand))
            for name, hand in zip(names, game.hands, strict=True)
        ),
    ]
    width = max(len(label) for label, _ in rows)
    scores = ", ".join(f"{name} {score}" for name, score in zip(names, game.scores, strict=True))
    head = f"Round {game.round + 1} of {game.round + game.rounds_left}: {scores}"
    return "\n".join([head, *(f"  {label:<{width}}  {text}" for label, text in rows)])


def outcome_text(record: "Round", names: Sequence[str]) -> str:
    """Tell how a round went, in a line.

    Parameters
    ----------
    record
        The round, from `Game.history`.
    names
        What to call the players, in player order.
    """
    said = ", ".join(
        f"{name} bid{'' if name == 'you' else 's'} {card_name(bid)}"
        for name, bid in zip(names, record.bids, strict=True)
        if bid is not None
    )
    won = [f"{name} +{gain}" for name, gain in zip(names, record.gains, strict=True) if gain] or [
        "nobody wins it"
    ]
    return f"{said or 'All have bid'}: {', '.join(won)}."
