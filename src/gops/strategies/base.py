"""What a strategy is, the registry, and the little that strategies share."""

from collections.abc import Callable
from typing import Protocol

from numpy.random import Generator

from gops.errors import GopsError
from gops.position import Position


class Strategy(Protocol):
    """Anything with a name that can choose a bid from what a player may know."""

    name: str

    def bid(self, view: Position, player: int, rng: Generator) -> int:
        """Choose a card.

        Parameters
        ----------
        view
            What the player knows, as `gops.Game.view` gives it; a prize has been turned.
        player
            Whose bid it is, counted from 1.
        rng
            The only source of chance: the same view and state of ``rng`` give the same bid.

        Returns
        -------
        int
            A card of that player's hand.
        """
        ...


_registry: dict[str, Callable[[], Strategy]] = {}


class UnknownStrategyError(GopsError, KeyError):
    """No strategy has this name; the message lists those there are."""

    def __str__(self) -> str:
        return str(self.args[0])


def register(factory: Callable[[], Strategy]) -> Callable[[], Strategy]:
    """Add a strategy under the ``name`` of what ``factory`` makes; usable as a class decorator.

    Raises
    ------
    ValueError
        The name is taken.
    """
    name = factory().name
    if name in _registry:
        raise ValueError(f"there already is a strategy called {name!r}")
    _registry[name] = factory
    return factory


def names() -> tuple[str, ...]:
    """Names of the registered strategies, in the order of their registration."""
    return tuple(_registry)


def get(name: str) -> Strategy:
    """Make a fresh strategy of that name.

    Raises
    ------
    UnknownStrategyError
        There is none; also a `KeyError`.

    Examples
    --------
    >>> get("match").name
    'match'
    """
    try:
        return _registry[name]()
    except KeyError:
        message = f"no strategy is called {name!r}: choose one of {', '.join(names())}"
        raise UnknownStrategyError(message) from None


def standing(view: Position, size: int) -> int:
    """Where the prize on offer stands among the prizes to come, on a scale of ``size`` cards.

    The worth on offer is the sum of all upcards. When as many prizes are to come as there are
    cards, the lowest prize gives 0 and the highest ``size - 1``.
    """
    stake = sum(view.upcards)
    lower = sum(prize < stake for prize in view.pile)
    prizes = len(view.pile) + 1
    if prizes == size:
        return lower
    return round(lower * (size - 1) / (prizes - 1)) if prizes > 1 else size - 1
