"""A strong player for games too large to solve."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from gops.errors import PositionError
from gops.matrix import solve_matrix
from gops.position import Position
from gops.strategies.base import Knowledge, TakesHighest, stake
from gops.strategies.exact import Exact, draw

EXACT_FROM = 9
"""Cards in hand from which on positions are solved exactly, each in a fraction of a second."""


class Lookahead(TakesHighest):
    """Solve one round ahead, guess the rest, and play exactly from nine cards on.

    While the hands are larger, the bid is drawn from the equilibrium of this round alone. Each
    pair of bids counts the points it wins now, plus the estimate of `outlook` for the hands that
    remain. Two players, one card a bid.

    Parameters
    ----------
    threads
        For exact analysis; all cores if `None`.
    """

    name = "lookahead"

    def __init__(self, threads: int | None = None) -> None:
        self._exact = Exact(threads=threads)

    def bid(self, view: Knowledge, player: int, rng: Generator) -> int:
        """Choose a card; see `gops.strategies.Strategy.bid`.

        Raises
        ------
        gops.errors.PositionError
            Bids are hidden or of several cards, prizes are picked, or there are not two players.
        """
        if not isinstance(view, Position) or view.players != 2:
            raise PositionError("lookahead plays two-player games with open bids only")
        if view.rules.bids != 1 or view.rules.open:
            raise PositionError("lookahead bids one card, for all the prizes on offer")
        mine, theirs = view.hands[player - 1], view.hands[2 - player]
        if len(mine) <= EXACT_FROM:
            return self._exact.bid(view, player, rng)
        here = stake(view)
        ahead = float(np.mean(view.pile)) * (view.rounds_left - 1) if view.pile else 0.0
        kept = here if view.rules.tie == "carry" else 0
        matrix = [
            [
                here * ((a > b) - (a < b))
                + outlook(_without(mine, a), _without(theirs, b), ahead + kept * (a == b))
                for b in theirs
            ]
            for a in mine
        ]
        mix = solve_matrix(matrix).row.tolist()
        return draw(dict(zip(mine, mix, strict=True)), rng)


def outlook(mine: Sequence[int], theirs: Sequence[int], points: float) -> float:
    """Estimate the margin of ``points`` as if both bid the rest of their cards at random."""
    if not mine:
        return 0.0
    higher = np.searchsorted(theirs, mine, "left").sum()
    lower = len(theirs) * len(mine) - np.searchsorted(theirs, mine, "right").sum()
    return points * float(higher - lower) / (len(mine) * len(theirs))


def _without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    return tuple(held for held in hand if held != card)
