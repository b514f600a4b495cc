"""A cheap mixed strategy for every game."""

from numpy.random import Generator

from gops.strategies.base import Knowledge, TakesHighest, ladder, standing
from gops.view import Bid


class Proportional(TakesHighest):
    """Bid near the card that is to the hand what the stake is to the prizes to come.

    The distance from that card is random, up to a quarter of the hand either way, near cards
    more likely than far ones, so that a rival cannot simply bid one card higher.
    """

    name = "proportional"

    def bid(self, view: Knowledge, player: int, rng: Generator) -> Bid:
        """Choose a bid; see `gops.strategies.Strategy.bid`."""
        steps = ladder(view, player)
        reach = (len(steps) + 3) // 4
        away = int(rng.integers(reach + 1)) - int(rng.integers(reach + 1))
        return steps[min(max(standing(view, len(steps)) + away, 0), len(steps) - 1)]
