"""Play the equilibrium itself."""

from collections.abc import Mapping

from numpy.random import Generator

from gops.analysis import analyse
from gops.errors import PositionError
from gops.position import Position
from gops.strategies.base import Knowledge


def draw(mix: Mapping[int, float], rng: Generator) -> int:
    """Draw a card from a mix of cards and probabilities."""
    point = rng.random() * sum(mix.values())
    for card, probability in mix.items():
        point -= probability
        if point < 0:
            return card
    return max(mix, key=lambda card: mix[card])


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
        self._last: tuple[Position, Mapping[int, Mapping[int, float]]] | None = None

    def bid(self, view: Knowledge, player: int, rng: Generator) -> int:
        """Choose a card; see `gops.strategies.Strategy.bid`.

        Raises
        ------
        gops.errors.PositionError
            The position has no exact analysis.
        gops.errors.TooLargeError
            It has one, but not with the memory or patience of this machine.
        """
        return draw(self._mixes(view)[player], rng)

    def pick(self, view: Knowledge, player: int, rng: Generator) -> int:
        """Choose a prize; see `gops.strategies.Strategy.pick`; raises as `bid` does."""
        return draw(self._mixes(view)[player], rng)

    def _mixes(self, view: Knowledge) -> Mapping[int, Mapping[int, float]]:
        if not isinstance(view, Position):
            raise PositionError("no exact analysis with hidden bids: use another strategy")
        if self._last is None or self._last[0] != view:
            bids = analyse(view, self.objective, threads=self.threads).bids
            self._last = view, bids
        return self._last[1]
