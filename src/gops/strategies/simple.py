"""Strategies that fit in a sentence."""

from numpy.random import Generator

from gops.strategies.base import Knowledge, TakesHighest, ladder, stake, standing, strengths
from gops.view import Bid, View


class Uniform(TakesHighest):
    """Bid any card of the hand, or any cards, each equally likely."""

    name = "random"

    def bid(self, view: Knowledge, player: int, rng: Generator) -> Bid:
        """Choose a bid; see `gops.strategies.Strategy.bid`."""
        hand = view.hand if isinstance(view, View) else view.hands[player - 1]
        if view.rules.bids == 1:
            steps = ladder(view, player)
            return steps[rng.integers(len(steps))]
        size = min(view.rules.bids, len(hand))
        return tuple(sorted(rng.choice(hand, size, replace=False).tolist()))


class Match(TakesHighest):
    """Bid the card of the prize's own rank.

    Without that card, for bids of several, and under misere, bid what stands among the bids of
    the hand where the stake stands among the prizes to come.
    """

    name = "match"

    def bid(self, view: Knowledge, player: int, rng: Generator) -> Bid:
        """Choose a bid; see `gops.strategies.Strategy.bid`."""
        steps = ladder(view, player)
        prize = stake(view) if view.rules.open else view.upcards[-1]
        if prize in steps and not view.rules.misere:
            return prize
        return steps[standing(view, len(steps))]


class Above(TakesHighest):
    """Bid the lowest card above the prize, and the lowest of all when none is above.

    In the classic game that is one rank more than the prize, and the ace on the king: it beats
    `Match` by 78 to 13. Of several cards the sum is to be above. Under misere, bid the next
    weaker bid to that of `Match`, and the strongest of all instead of one weaker than the weakest.
    """

    name = "above"

    def bid(self, view: Knowledge, player: int, rng: Generator) -> Bid:
        """Choose a bid; see `gops.strategies.Strategy.bid`."""
        steps = ladder(view, player)
        if view.rules.misere:
            return steps[standing(view, len(steps)) - 1]
        usual = view.rules.game == "gops" and not view.rules.open
        prize = view.upcards[-1] if usual else stake(view)
        for bid, strength in zip(steps, strengths(steps), strict=True):
            if strength > prize:
                return bid
        return steps[0]
