"""Games: the one stepping interface behind which every engine stands; perft and playouts."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from gops import _lot
from gops.errors import GopsError
from gops.position import Position
from gops.rules import Rules
from gops.view import Bid, Round, Score, View

__all__ = ["Game", "Seed", "perft", "playouts"]

#: What `numpy.random.default_rng` takes; an int or a Generator is usual.
Seed = np.random.Generator | np.random.SeedSequence | np.random.BitGenerator | int | None

_ENGINES: dict[str, Any] = {"gops": _lot}
_CLASSES: dict[str, Any] = {"gops": _lot.LotGame}

#: Random games per stream of random numbers; changing it changes what `playouts` returns.
_CHUNK = 4096


class Game(ABC):
    """A game being played: mutable, compared by rules, deal and moves, and not hashable.

    Players count from 1; sequences are in player order. The whole game is here, hidden order of
    the prizes included: hand a player `view`, not the game.

    Parameters
    ----------
    rules : Rules, optional
        The rules of a game from the start. Either this or ``position``.
    position : Position or str, optional
        Where to start instead.
    pile : sequence of int, optional
        The face-down prizes in the order in which they will be turned, for replays and tests; it
        may stop after the last that can be turned. The players still do not know the order,
        unless the rules say so.
    rng : Generator, SeedSequence, int or None
        Shuffles the prizes, once, here; None for fresh entropy.
    reveal : {"auto", "manual"}
        With ``auto``, prizes are turned as soon as they are due.

    Raises
    ------
    RulesError
        If rules and position or pile do not fit together.

    Examples
    --------
    >>> game = Game(Rules(cards=3), pile=[2, 3, 1])
    >>> game.play([3, 3])
    >>> game.upcards, game.legal_bids(1)
    ((2, 3), [1, 2])
    >>> game.play([1, 2])
    >>> game.play([2, 1])
    >>> game.is_over, game.scores, game.winners
    (True, (1, 5), (2,))
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __new__(  # noqa: D102
        cls,
        rules: Rules | None = None,
        *,
        position: Position | str | None = None,
        pile: Iterable[Any] | None = None,
        rng: Seed = None,
        reveal: Literal["auto", "manual"] = "auto",
    ) -> "Game":
        if position is None:
            if type(rules) is not Rules:
                raise GopsError("Game: expected rules or a position")
            game = _CLASSES[rules.game](rules, pile=pile, rng=rng, reveal=reveal)
            return cast(Game, game)
        if isinstance(position, str):
            position = Position(position)
        engine = _CLASSES[position.rules.game]
        return cast(Game, engine(rules, position=position, pile=pile, rng=rng, reveal=reveal))

    @property
    @abstractmethod
    def rules(self) -> Rules:
        """The rules of the game."""

    @property
    @abstractmethod
    def position(self) -> Position:
        """All that can be seen with all hands open, and nothing of the hidden order."""

    @abstractmethod
    def view(self, player: int) -> Position | View:
        """Return what ``player`` may know: the position, or with hidden bids a `View`."""

    @property
    @abstractmethod
    def hands(self) -> tuple[tuple[int, ...], ...]:
        """The cards in each hand, ascending."""

    @property
    @abstractmethod
    def upcards(self) -> tuple[int, ...]:
        """The prizes on offer, oldest first."""

    @property
    @abstractmethod
    def pot(self) -> int:
        """The value of the prizes on offer."""

    @property
    @abstractmethod
    def scores(self) -> tuple[Score, ...]:
        """The points so far; fractions only after a tie was split."""

    @property
    @abstractmethod
    def awards(self) -> tuple[Score, ...]:
        """What the game is worth to each player, as if it ended now."""

    @property
    @abstractmethod
    def winners(self) -> tuple[int, ...]:
        """The players who share first place; nobody while the game goes on."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the game is over."""

    @property
    @abstractmethod
    def round(self) -> int:
        """The rounds bid for so far."""

    @property
    @abstractmethod
    def rounds_left(self) -> int:
        """The rounds to come, the present one included (but not while prizes are picked)."""

    @property
    @abstractmethod
    def void(self) -> tuple[int, ...]:
        """The prizes turned up that nobody can get any more, in the order turned."""

    @property
    @abstractmethod
    def unplayed(self) -> tuple[int, ...]:
        """The prizes never turned up, ascending, once the game is over."""

    @property
    @abstractmethod
    def history(self) -> list[Round]:
        """The rounds bid for so far."""

    @abstractmethod
    def reveal(self, *prizes: int) -> None:
        """Turn the prizes of the round: the next ones, or with names those.

        Needed with ``reveal="manual"`` only. All prizes due are turned at once.

        Raises
        ------
        IllegalBidError
            If none is due, or the prizes named cannot come next.

        Examples
        --------
        >>> game = Game(position="1-3/1-3 - 1-3", reveal="manual")
        >>> game.reveal(3)
        >>> str(game.position)
        '1-3/1-3 3 1,2 0:0'
        """

    @abstractmethod
    def legal_bids(self, player: int) -> list[Any]:
        """Return the bids ``player`` may make now: cards, or tuples where bids are of several.

        Empty when nobody bids now.

        Raises
        ------
        IllegalBidError
            If there is no such player.
        """

    @abstractmethod
    def play(self, bids: Sequence[Bid], /) -> None:
        """Resolve a round with one bid of each player.

        Raises
        ------
        IllegalBidError
            If a bid is not legal, or it is not the time for bids. The game is then as before.
        """

    @property
    @abstractmethod
    def to_pick(self) -> int | None:
        """The player who is to pick one of the open prizes; None if nobody is."""

    @abstractmethod
    def legal_picks(self) -> list[int]:
        """Return the prizes that `to_pick` may pick; empty if nobody is to pick."""

    @abstractmethod
    def pick(self, prize: int, /) -> None:
        """Let `to_pick` take ``prize`` from the open prizes.

        Raises
        ------
        IllegalBidError
            If it is not on offer, or nobody is to pick.
        """

    @abstractmethod
    def undo(self) -> None:
        """Take back the last bids or pick and what followed by itself.

        With ``reveal="manual"`` a reveal is a step of its own. The hidden order stays as it was.

        Raises
        ------
        IllegalBidError
            If there is nothing to take back.
        """

    @abstractmethod
    def copy(self) -> "Game":
        """Return an independent copy, with the same hidden order and history."""


for _class in _CLASSES.values():
    Game.register(_class)


def perft(position: Position | str, depth: int) -> int:
    """Count the sequences of play of exactly ``depth`` steps from ``position``.

    A step is the reveal of a round's prizes, one bid of every player together, or one pick. An
    unknown prize counts once per different value (several prizes turned together: per different
    set), a known one once.

    Parameters
    ----------
    position : Position or str
        Where to start.
    depth : int
        Number of steps, from 0.

    Returns
    -------
    int

    Examples
    --------
    >>> perft("1-3/1-3 - 1-3", 2)
    27
    """
    if isinstance(position, str):
        position = Position(position)
    if depth < 0:
        raise GopsError(f"depth={depth}: expected 0 or more")
    return int(_ENGINES[position.rules.game].perft(position, depth))


def playouts(
    rules: Rules, n: int, *, rng: Seed = None, threads: int | None = None
) -> NDArray[np.int32] | NDArray[np.float64]:
    """Play random games and return their final scores.

    Parameters
    ----------
    rules : Rules
        The game.
    n : int
        Number of games.
    rng : Generator, SeedSequence, int or None
        Where the randomness comes from. A `Generator` is advanced by the same amount whatever
        ``n``.
    threads : int, optional
        Threads to use, one by default; the result does not depend on it.

    Returns
    -------
    ndarray of int32 or float64, shape (n, players)
        Points; float64 where ties may be split.

    Examples
    --------
    >>> scores = playouts(Rules.preset("discard"), 1000, rng=1)
    >>> scores.shape, bool((scores.sum(axis=1) <= 91).all())
    ((1000, 2), True)
    """
    if n < 0:
        raise GopsError(f"n={n}: expected 0 or more")
    if threads is not None and threads < 1:
        raise GopsError(f"threads={threads}: expected 1 or more")
    engine = _ENGINES[rules.game]
    scores = np.zeros((n, rules.players), np.int32)
    starts = range(0, n, _CHUNK)
    seeds = _seed_sequence(rng).generate_state(4 * len(starts), np.uint64).reshape(-1, 4)

    def play(chunk: int) -> int:
        first = starts[chunk]
        return cast(int, engine.playouts(rules, seeds[chunk], scores[first : first + _CHUNK]))

    if threads is None or threads == 1:
        units = [play(chunk) for chunk in range(len(starts))]
    else:
        with ThreadPoolExecutor(threads) as executor:
            units = list(executor.map(play, range(len(starts))))
    if rules.splits:
        return scores / (units[0] if units else 1)
    return scores


def _seed_sequence(rng: Seed) -> np.random.SeedSequence:
    """Return a source of seeds; a Generator gives 256 bits for it."""
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.BitGenerator):
        rng = np.random.default_rng(rng)
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(rng.integers(2**32, size=8, dtype=np.uint32).tolist())
    return np.random.SeedSequence(rng)
