"""Play the equilibrium itself."""

from numpy.random import Generator

from gops.analysis import analyse
from gops.position import Position


def draw(mix: dict[int, float], rng: Generator) -> int:
    """Draw a card from a mix of cards and probabilities."""
    point = rng.random() * sum(mix.values())
    for card, probability in mix.items():
        point -= probability
        if point < 0:
            return card
    return max(mix, key=lambda card: mix[card])


class Exact:
    """Solve the position and draw from the equilibrium mix: no rival does better on average.

    Two players, one card a bid. The last analysis is kept, for the other player's bid.
    """

    name = "exact"

    def __init__(self, objective: str = "points", threads: int | None = None) -> None:
        self.objective = objective
        self.threads = threads
        self._last: tuple[Position, dict[int, dict[int, float]]] | None = None

    def bid(self, view: Position, player: int, rng: Generator) -> int:
        """Choose a card; see `gops.strategies.Strategy.bid`.

        Raises
        ------
        gops.errors.PositionError
            The position has no exact analysis.
        gops.errors.TooLargeError
            It has one, but not with the memory or patience of this machine.
        """
        if self._last is None or self._last[0] != view:
            bids = analyse(view, self.objective, threads=self.threads).bids
            self._last = view, bids
        return draw(self._last[1][player], rng)
