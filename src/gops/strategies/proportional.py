"""A cheap mixed strategy for any number of players."""

from numpy.random import Generator

from gops.position import Position
from gops.strategies.base import standing


class Proportional:
    """Bid near the card that is to the hand what the stake is to the prizes to come.

    The distance from that card is random, up to a quarter of the hand either way, near cards
    more likely than far ones, so that a rival cannot simply bid one card higher.
    """

    name = "proportional"

    def bid(self, view: Position, player: int, rng: Generator) -> int:
        """Choose a card; see `gops.strategies.Strategy.bid`."""
        hand = view.hands[player - 1]
        reach = (len(hand) + 3) // 4
        step = int(rng.integers(reach + 1)) - int(rng.integers(reach + 1))
        return hand[min(max(standing(view, len(hand)) + step, 0), len(hand) - 1)]
