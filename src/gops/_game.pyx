"""The one interface behind which every game stands, and the choice of the engine."""

from cpython.object cimport PyObject

cdef extern from "Python.h":
    ctypedef object (*vectorcallfunc)(object, PyObject* const*, size_t, PyObject*)
    ctypedef struct PyTypeObject:
        vectorcallfunc tp_vectorcall
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyObject_Vectorcall(object, PyObject* const*, size_t, PyObject*)

from gops.errors import RulesError
from gops.position import Position
from gops.rules import Rules

#: The class of games by ``Rules.game``; engines enter themselves.
engines = {}


cdef class Game:
    """A game being played: mutable, compared by rules, deal and moves, and not hashable.

    Players count from 1; sequences are in player order. The whole game is here, hidden order of
    the prizes included: hand a player `view`, not the game.

    Parameters
    ----------
    rules : Rules, optional
        The rules of a game from the start. Either this or ``position``.
    position : Position or str, optional
        Where to start instead.
    hands : sequence of sequences, optional
        The hands to start with, in Jazzy GOPS and Throps; `Rules` has those of the other games.
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

    __hash__ = None

    def __init__(self, *arguments, **named):
        raise TypeError("a Game is made by calling Game itself")

    @property
    def rules(self):
        """The rules of the game."""
        raise NotImplementedError

    @property
    def position(self):
        """All that can be seen with all hands open, and nothing of the hidden order."""
        raise NotImplementedError

    def view(self, player, /):
        """Return what ``player`` may know: the position, or with hidden bids a `View`."""
        raise NotImplementedError

    @property
    def hands(self):
        """The cards in each hand, ascending."""
        raise NotImplementedError

    @property
    def upcards(self):
        """The prizes on offer, oldest first."""
        raise NotImplementedError

    @property
    def pot(self):
        """The value of the prizes on offer."""
        raise NotImplementedError

    @property
    def scores(self):
        """The points so far; fractions only after a tie was split."""
        raise NotImplementedError

    @property
    def awards(self):
        """What the game is worth to each player, as if it ended now."""
        raise NotImplementedError

    @property
    def winners(self):
        """The players who share first place; nobody while the game goes on."""
        raise NotImplementedError

    @property
    def is_over(self):
        """Whether the game is over."""
        raise NotImplementedError

    @property
    def round(self):
        """The rounds bid for so far."""
        raise NotImplementedError

    @property
    def rounds_left(self):
        """The rounds to come, the present one included (but not while prizes are picked)."""
        raise NotImplementedError

    @property
    def void(self):
        """The prizes turned up that nobody can get any more, in the order turned."""
        raise NotImplementedError

    @property
    def unplayed(self):
        """The prizes never turned up, ascending, once the game is over."""
        raise NotImplementedError

    @property
    def history(self):
        """The rounds bid for so far."""
        raise NotImplementedError

    def reveal(self, *prizes):
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

    def legal_bids(self, player, /):
        """Return the bids ``player`` may make now: cards, or tuples where bids are of several.

        Empty when nobody bids now.

        Raises
        ------
        IllegalBidError
            If there is no such player.
        """

    def play(self, bids, /):
        """Resolve a round with one bid of each player.

        Raises
        ------
        IllegalBidError
            If a bid is not legal, or it is not the time for bids. The game is then as before.
        """

    @property
    def to_pick(self):
        """The player who is to pick one of the open prizes; None if nobody is."""
        raise NotImplementedError

    def legal_picks(self):
        """Return the prizes that `to_pick` may pick; empty if nobody is to pick."""
        raise NotImplementedError

    def pick(self, prize, /):
        """Let `to_pick` take ``prize`` from the open prizes.

        Raises
        ------
        IllegalBidError
            If it is not on offer, or nobody is to pick.
        """

    def undo(self):
        """Take back the last bids or pick and what followed by itself.

        With ``reveal="manual"`` a reveal is a step of its own. The hidden order stays as it was.

        Raises
        ------
        IllegalBidError
            If there is nothing to take back.
        """

    def copy(self):
        """Return an independent copy, with the same hidden order and history."""
        raise NotImplementedError

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()


cdef object make_game(
    object cls, PyObject* const* arguments, size_t flags, PyObject* names
):
    """Make a game of the right engine; ``Game(...)`` arrives here, not in ``type.__call__``."""
    cdef Py_ssize_t given = PyVectorcall_NARGS(flags), i
    cdef object rules = <object>arguments[0] if given else None
    cdef object position = None
    if names != NULL:
        for i in range(len(<tuple>names)):
            name = (<tuple>names)[i]
            if name == "position":
                position = <object>arguments[given + i]
            elif name == "rules":
                rules = <object>arguments[given + i]
    if rules is None and position is not None:
        rules = position.rules if isinstance(position, Position) else Position(position).rules
    if type(rules) is not Rules:
        raise RulesError("Game: expected rules or a position")
    return PyObject_Vectorcall(engines[rules.game], arguments, flags, names)


# Every new game passes here: this is four times as fast as a ``__new__`` written in Python.
(<PyTypeObject*>Game).tp_vectorcall = make_game
