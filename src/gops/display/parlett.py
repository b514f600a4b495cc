"""Jazzy GOPS and Throps for people: the table before a round, and the rules."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gops.cards import format_set
from gops.parlett import JazzyPosition, ThropsPosition
from gops.rules import Rules
from gops.view import View

if TYPE_CHECKING:
    from gops.game import Game


def deal_rows(game: "Game", player: int, labels: Sequence[str]) -> list[tuple[str, str]]:
    """Show what a player may know before a round's bids, as labels and texts.

    Parameters
    ----------
    game
        A game whose prize has been turned.
    player
        Whose view is shown, counted from 1.
    labels
        What to call the prize and then the players, in player order.
    """
    prize, *names = labels
    rows = [(prize, offer_text(game.upcards))]
    position, view = game.position, game.view(player)
    assert isinstance(position, JazzyPosition | ThropsPosition)
    if isinstance(view, View):  # Throps
        rows += [
            (f"{name}: won", " ".join(cards) or "-")
            for name, cards in zip(names, position.won, strict=True)
        ]
        rows.append((f"{names[player - 1]}: hand", " ".join(view.hand)))
        return rows
    rows.append(("face down", _prizes(position.pile)))
    if position.chain:
        rows.append(("tied", " and ".join(map(str, position.chain)) + ", to be taken back"))
    rows += [
        (f"{name}: won", _prizes(prizes)) for name, prizes in zip(names, position.won, strict=True)
    ]
    rows += [
        (f"{name}: hand", format_set(hand))
        for name, hand in zip(names, position.hands, strict=True)
    ]
    return rows


def offer_text(prizes: Sequence[Any]) -> str:
    """Name what is on offer in one line."""
    return " + ".join("joker" if prize == 0 else str(prize) for prize in prizes)


def _prizes(prizes: Sequence[int]) -> str:
    diamonds = [prize for prize in prizes if prize]
    if len(diamonds) == len(prizes):
        return format_set(diamonds)
    return f"joker,{format_set(diamonds)}" if diamonds else "joker"


def rules_parts(rules: Rules) -> list[tuple[str, str]]:
    """Explain the rules of these games, as headings and texts."""
    return _jazzy(rules) if rules.game == "jazzy" else _throps(rules)


def _jazzy(rules: Rules) -> list[tuple[str, str]]:
    aces = " A high and a low ace count as a tie." if rules.aces_tie_by_card else ""
    spent = {
        "first": "the first cards tied are spent and the others taken back",
        "last": "the last cards tied are spent and the others taken back",
        "none": "all are taken back",
    }[rules.spent_triple]
    queen = ", the queen not counted" if rules.queen_excluded else ""
    alone = "they are worth 11 and 13" if rules.lone_court == "face" else "they are worth nothing"
    level = "all score them" if rules.three_level == "all" else "nobody scores"
    return [
        (
            "Set-up",
            "Each of 3 players holds the cards ace (1) to king (13). The prizes, 13 diamonds and "
            "a joker (0), are shuffled and lie face down.",
        ),
        (
            "Round",
            "The next prize is turned up; with the joker comes another, and both are won "
            "together. Everybody bids one card in secret, an ace as high (14) or low (1). The "
            "highest of three different bids wins; when two are equal, the third player wins, "
            f"however low.{aces} The three cards are then out of the game.",
        ),
        (
            "Ties",
            "When all three are equal, the cards stay on the table and everybody bids again for "
            "the same prize. Whoever wins it, tied cards are taken back. When nobody has a card "
            f"left, nobody wins, and {spent}.",
        ),
        (
            "Value",
            "Ace 1, numbers as they are, queen 0. A jack is worth the lowest and a king the "
            f"highest other diamond of its owner{queen}; without one {alone}. The joker is worth "
            "as much as the diamond it came with.",
        ),
        (
            "End",
            "After 13 prizes the highest and the lowest total are scored by their owners, the "
            "middle one is not. When two are level only the third player scores, and when all "
            f"three are, {level}. A joker that comes last is lost. A match is to 100 points.",
        ),
    ]


def _throps(rules: Rules) -> list[tuple[str, str]]:
    ace = "ace low, then 2 to king" if rules.ace_low else "2 to king, then ace high"
    return [
        (
            "Set-up",
            "A pack of 52 cards is dealt: a hand of 13 for each of 3 players, seen by its owner "
            "only, and a stock of 13, face down.",
        ),
        (
            "Round",
            "The next card of the stock is turned up. Everybody bids any card in secret, and the "
            f"highest rank ({ace}) wins the stock card. All bids are then out of the game.",
        ),
        (
            "Ties",
            "Of equal cards, that of the stock card's suit wins; else that of its colour; else "
            "that of its pair, spades and hearts or clubs and diamonds.",
        ),
        (
            "Value",
            "Numbers as they are, court cards 10, aces 11. A player scores the points of the "
            "best suit won, less the points in all other suits; that may be less than nothing.",
        ),
        ("End", "The game lasts 13 rounds. The highest score wins; equal scores share the place."),
    ]
