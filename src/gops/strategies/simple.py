"""Strategies that fit in a sentence."""

from numpy.random import Generator

from gops.position import Position
from gops.strategies.base import standing


class Uniform:
    """Bid any card of the hand, each equally likely."""

    name = "random"

    def bid(self, view: Position, player: int, rng: Generator) -> int:
        """Choose a card; see `gops.strategies.Strategy.bid`."""
        hand = view.hands[player - 1]
        return hand[rng.integers(len(hand))]


class Match:
    """Bid the card of the prize's own rank.

    Without that card, bid the one that stands in the hand where the stake stands among the
    prizes to come.
    """

    name = "match"

    def bid(self, view: Position, player: int, rng: Generator) -> int:
        """Choose a card; see `gops.strategies.Strategy.bid`."""
        hand = view.hands[player - 1]
        prize = view.upcards[-1]
        return prize if prize in hand else hand[standing(view, len(hand))]


class Above:
    """Bid the lowest card above the prize, and the lowest of all when none is above.

    In the classic game that is one rank more than the prize, and the ace on the king: it beats
    `Match` by 78 to 13.
    """

    name = "above"

    def bid(self, view: Position, player: int, rng: Generator) -> int:
        """Choose a card; see `gops.strategies.Strategy.bid`."""
        hand = view.hands[player - 1]
        return min((card for card in hand if card > view.upcards[-1]), default=hand[0])
