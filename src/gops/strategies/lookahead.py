"""A strong player for games too large to solve."""

from functools import lru_cache
from math import comb

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from gops.errors import PositionError
from gops.matrix import solve_matrix
from gops.position import Position
from gops.strategies.base import Knowledge, TakesHighest, stake
from gops.strategies.exact import Exact, draw
from gops.view import Bid

EXACT_FROM = 9
"""Cards in hand from which on positions are solved exactly, each in a fraction of a second."""

EXACT_SETS = 1024
"""As long as more sets of prizes than that can be left, positions are not solved exactly."""

SPREAD = 0.25
"""Standard deviation of the place of the card bid on a prize, as a share of the hand."""


class Lookahead(TakesHighest):
    """Solve one round ahead, guess the rest, and play exactly from nine cards on.

    While the hands are larger, the bid is drawn from the equilibrium of this round alone, where
    a pair of bids counts the points it wins now and what the cards that are left are expected to
    win: each against each, on the prizes that `pairing` has them bid for. In the games of ten and
    eleven cards, where the truth is known, the best reply to its first bid gains half a point on
    average. Two players, one card a bid.

    Parameters
    ----------
    threads
        For exact analysis; all cores if `None`.
    """

    name = "lookahead"

    def __init__(self, threads: int | None = None) -> None:
        self._exact = Exact(threads=threads)

    def bid(self, view: Knowledge, player: int, rng: Generator) -> Bid:
        """Choose a card; see `gops.strategies.Strategy.bid`.

        Raises
        ------
        gops.errors.PositionError
            Bids are hidden or of several cards, prizes are picked or come in lots, fewer points
            are better, the game may stop early, or there are not two players.
        """
        if not isinstance(view, Position) or view.players != 2:
            raise PositionError("lookahead plays two-player games with open bids only")
        if view.rules.bids != 1 or view.rules.open:
            raise PositionError("lookahead bids one card, for all the prizes on offer")
        if view.rules.lot > 1 or view.rules.misere or view.rules.early_stop != "none":
            raise PositionError(
                "lookahead plays one prize a round, for the most points, to the end of the game"
            )
        mine = view.hands[player - 1]
        if len(mine) <= EXACT_FROM and (view.order_known or _prize_sets(view) <= EXACT_SETS):
            return self._exact.bid(view, player, rng)
        return draw(dict(zip(mine, round_mix(view, player).tolist(), strict=True)), rng)


def _prize_sets(view: Position) -> int:
    """Count the sets of face-down prizes that may be left in later rounds."""
    return sum(comb(len(view.pile), turned) for turned in range(view.rounds_left))


def round_mix(view: Position, player: int) -> NDArray[np.float64]:
    """Solve this round with an estimate of the rest, and give the player's mix over the hand."""
    mine, theirs = np.array(view.hands[player - 1]), np.array(view.hands[2 - player])
    left, here = len(mine) - 1, stake(view)
    matrix = here * np.sign(np.subtract.outer(mine, theirs)).astype(np.float64)
    if view.pile and left:
        prizes = np.sort(np.array(view.pile, np.float64))
        prizes *= min(1.0, (view.rounds_left - 1) / len(prizes))
        kept = here if view.rules.tie == "carry" else 0
        plain, tied = (_meetings(left, worths) for worths in (prizes, prizes + kept / len(prizes)))
        for i, a in enumerate(mine):
            for j, b in enumerate(theirs):
                wins = np.sign(np.subtract.outer(np.delete(mine, i), np.delete(theirs, j)))
                matrix[i, j] += float((wins * (tied if a == b else plain)).sum())
    return solve_matrix(matrix).row


def _meetings(cards: int, prizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Worth of the prizes for which the i-th card of one hand meets the j-th of the other."""
    chances = pairing(cards, len(prizes))
    worth: NDArray[np.float64] = (chances * prizes) @ chances.T
    return worth


@lru_cache
def pairing(cards: int, prizes: int) -> NDArray[np.float64]:
    """Guess how likely each card of a hand is bid on each prize.

    Parameters
    ----------
    cards, prizes
        How many; both are in ascending order.

    Returns
    -------
    float64[cards, prizes]
        Columns add up to 1, rows are level. The chance falls with the distance between the
        places of card and prize in their orders, as a normal density whose deviation is `SPREAD`.
    """
    places = np.linspace(0, 1, cards)[:, None] - np.linspace(0, 1, prizes)
    chances = np.exp(-((places / SPREAD) ** 2) / 2)
    for _ in range(20):
        chances /= chances.sum(1, keepdims=True)
        chances /= chances.sum(0, keepdims=True)
    chances.flags.writeable = False
    return chances
