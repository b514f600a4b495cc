"""Play the equilibrium itself."""

from collections.abc import Mapping
from typing import Any, TypeVar

from numpy.random import Generator

from gops.analysis import analyse
from gops.errors import PositionError
from gops.position import Position
from gops.strategies.base import Knowledge
from gops.view import Bid

Choice = TypeVar("Choice")


def draw(mix: Mapping[Choice, float], rng: Generator) -> Choice:
    """Draw from a mix of choices and their probabilities."""
    point = rng.random() * sum(mix.values())
    for choice, probability in mix.items():
        point -= probability
        if point < 0:
            return choice
    return max(mix, key=lambda choice: mix[choice])


class Exact:
    """Solve the position and draw from the equilibrium mix: no rival does better on average.

    The last analysis is kept, for the other player's bid.

    Parameters
    ----------
    objective
        ``points`` or ``win``, as in `gops.analyse`.
    threads
        For the analysis; all cores if `None`.
    """

    name = "exact"

    def __init__(self, objective: str = "points", threads: int | None = None) -> None:
        self.objective = objective
        self.threads = threads
        self._last: tuple[Position, Mapping[int, Mapping[Any, float]]] | None = None

    def bid(self, view: Knowledge, player: int, rng: Generator) -> Bid:
        """Choose a bid; see `gops.strategies.Strategy.bid`.

        Raises
        ------
        gops.errors.PositionError
            The position has no exact analysis.
        gops.errors.TooLargeError
            It has one, but not with the memory or patience of this machine.
        """
        bid: Bid = draw(self._mix(view, player), rng)
        return bid

    def pick(self, view: Knowledge, player: int, rng: Generator) -> int:
        """Choose a prize; see `gops.strategies.Strategy.pick`, and `bid` for errors."""
        prize: int = draw(self._mix(view, player), rng)
        return prize

    def _mix(self, view: Knowledge, player: int) -> Mapping[Any, float]:
        if not isinstance(view, Position):
            raise PositionError("no exact analysis with hidden bids: use another strategy")
        if self._last is None or self._last[0] != view:
            self._last = view, analyse(view, self.objective, threads=self.threads).bids
        return self._last[1][player]
