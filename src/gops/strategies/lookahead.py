"""A strong player for games too large to solve."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from gops.matrix import solve_matrix
from gops.position import Position
from gops.strategies.exact import Exact, draw

EXACT_FROM = 9
"""Cards in hand from which on positions are solved exactly, each in a fraction of a second."""


class Lookahead:
    """Solve one round ahead, guess the rest, and play exactly from nine cards on.

    While the hands are larger, the bid is drawn from the equilibrium of this round alone. Each
    pair of bids counts the points it wins now, plus the estimate of `outlook` for the hands that
    remain. Two players, one card a bid.
    """

    name = "lookahead"

    def __init__(self, threads: int | None = None) -> None:
        self._exact = Exact(threads=threads)

    def bid(self, view: Position, player: int, rng: Generator) -> int:
        """Choose a card; see `gops.strategies.Strategy.bid`."""
        mine, theirs = view.hands[player - 1], view.hands[2 - player]
        if len(mine) <= EXACT_FROM:
            return self._exact.bid(view, player, rng)
        stake = sum(view.upcards)
        ahead = float(np.mean(view.pile)) * (view.rounds_left - 1) if view.pile else 0.0
        kept = stake if view.rules.tie == "carry" else 0
        matrix = np.array(
            [
                [
                    stake * np.sign(a - b)
                    + outlook(
                        [card for card in mine if card != a],
                        [card for card in theirs if card != b],
                        ahead + (kept if a == b else 0),
                    )
                    for b in theirs
                ]
                for a in mine
            ],
            dtype=np.float64,
        )
        mix = solve_matrix(matrix).row
        return draw(dict(zip(mine, map(float, mix), strict=True)), rng)


def outlook(mine: Sequence[int], theirs: Sequence[int], points: float) -> float:
    """Estimate the margin of ``points`` as if both bid the rest of their cards at random."""
    wins = np.sign(np.subtract.outer(mine, theirs)).sum()
    return points * float(wins) / (len(mine) * len(theirs)) if len(mine) else 0.0
