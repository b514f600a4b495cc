"""What a strategy is, the registry, and the little that strategies share."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from numpy.random import Generator

from gops.cards import clip
from gops.errors import GopsError
from gops.parlett import throps_points, throps_rank
from gops.position import Position
from gops.view import Bid, View

Knowledge = Position | View
"""What a player may know, as `gops.Game.view` gives it."""


class Strategy(Protocol):
    """Anything with a name that can bid, and pick, from what a player may know."""

    name: str

    def bid(self, view: Knowledge, player: int, rng: Generator) -> Bid:
        """Choose a bid.

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
        int or tuple of int
            A card of that player's hand, or cards where the rules ask for several.
        """
        ...

    def pick(self, view: Knowledge, player: int, rng: Generator) -> int:
        """Choose one of the prizes on display, where the rules let winners pick."""
        ...


class TakesHighest:
    """Base of strategies that pick the highest prize on display, or the lowest under misere."""

    def pick(self, view: Knowledge, player: int, rng: Generator) -> int:
        """Choose a prize; see `Strategy.pick`."""
        return min(view.upcards) if view.rules.misere else max(view.upcards)


_registry: dict[str, Callable[..., Strategy]] = {}


class UnknownStrategyError(GopsError, KeyError):
    """No strategy has this name; the message lists those there are."""

    def __str__(self) -> str:
        return str(self.args[0])


def register(factory: Callable[..., Strategy]) -> Callable[..., Strategy]:
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


def get(name: str, **settings: Any) -> Strategy:
    """Make a fresh strategy of that name.

    Parameters
    ----------
    name
        One of `names`.
    settings
        Passed on to the strategy, for example ``threads=2`` to ``exact``.

    Raises
    ------
    UnknownStrategyError
        There is none; also a `KeyError`.

    Examples
    --------
    >>> get("match").name
    'match'
    """
    if name not in _registry:
        raise UnknownStrategyError(
            f"no strategy is called {clip(name)}: choose one of {', '.join(names())}"
        )
    return _registry[name](**settings)


def ladder(view: Knowledge, player: int) -> list[Bid]:
    """Bids of a player from weak to strong: the cards in hand, or runs of neighbouring ones."""
    hand: Sequence[Any] = view.hand if isinstance(view, View) else view.hands[player - 1]
    size = min(view.rules.bids, len(hand))
    if view.rules.game == "jazzy":
        return [*hand, 14] if 1 in hand else list(hand)  # the ace is bid low or high
    if view.rules.game == "throps":
        return sorted(hand, key=lambda card: throps_rank(card, view.rules.ace_low))
    if view.rules.bids == 1:
        return list(hand)
    return [tuple(hand[start : start + size]) for start in range(len(hand) - size + 1)]


def stake(view: Knowledge) -> int:
    """Worth of the prizes on offer to the highest bidder."""
    if view.rules.game == "jazzy" and len(view.upcards) > 1:
        return 2 * _worth(view, view.upcards[-1])  # the joker is worth as much as its diamond
    worths = [_worth(view, prize) for prize in view.upcards]
    return max(worths) if view.rules.open else sum(worths)


def _worth(view: Knowledge, prize: int | str) -> int:
    if isinstance(prize, str):
        return throps_points(prize)
    if view.rules.game == "jazzy":
        # About the lowest, nothing, and about the highest diamond that its owner will have.
        return {0: 5, 11: 2, 12: 0, 13: 9}.get(prize, prize)
    return prize


def standing(view: Knowledge, size: int) -> int:
    """Place of the stake among the prizes to come, on a scale of ``size`` steps.

    When as many prizes are to come as there are steps, the prize that is wanted least (the
    lowest; under misere the highest) stands at 0 and the one wanted most at ``size - 1``.
    """
    worth, misere = stake(view), view.rules.misere
    face_down = [_worth(view, prize) for prize in view.pile]
    lower = sum(prize > worth if misere else prize < worth for prize in face_down)
    prizes = len(view.pile) + 1
    if prizes == size:
        return lower
    if prizes == 1:
        return 0 if misere else size - 1
    return round(lower * (size - 1) / (prizes - 1))


def strengths(bids: Sequence[Bid]) -> list[int]:
    """Give what bids count in a comparison: the card, its rank, or the sum of several."""
    return [
        sum(bid) if isinstance(bid, tuple) else throps_rank(bid) if isinstance(bid, str) else bid
        for bid in bids
    ]
