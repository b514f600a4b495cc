"""Games of the lot-style engine, for Python; `gops.Game` documents the interface."""

cimport cython
from cpython.list cimport PyList_GET_SIZE
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, Py_XINCREF, _Py_REFCNT
from cpython.tuple cimport PyTuple_GET_ITEM
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item
    void Py_SET_SIZE(PyListObject*, Py_ssize_t)

from gops cimport _core
from gops._core cimport State
from gops._game cimport Game

from collections import Counter
from fractions import Fraction
from itertools import combinations, islice

from numpy.random import Generator, default_rng

from gops import _game
from gops.cards import clip
from gops.errors import GopsError, IllegalBidError, RulesError
from gops.position import Position, stated_rules, told_by
from gops.view import Round, View

cdef dict _TIES = {
    "carry": _core.CARRY,
    "discard": _core.DISCARD,
    "split": _core.SPLIT,
    "unique": _core.UNIQUE,
}

cdef tuple _NUMBERS = tuple(range(_core.MAX_PRIZES + 1))

cdef enum Kind:
    REVEALED
    BADE
    PICKED

ctypedef struct Step:
    State before
    uint32_t bids[_core.MAX_PLAYERS]
    uint8_t kind


# -- from and to Python --------------------------------------------------------------------------


cdef uint32_t mask_of(object cards):
    cdef uint32_t mask = 0
    cdef int card
    for card in cards:
        mask |= <uint32_t>1 << (card - 1)
    return mask


cdef list cards_of(uint32_t mask):
    cdef list cards = []
    while mask:
        cards.append(_core.lowest_bit(mask) + 1)
        mask &= mask - 1
    return cards


cdef void rewrite(PyListObject* cards, uint32_t mask, Py_ssize_t count):
    """Let ``cards``, a list of at least ``count`` items, list the ``count`` cards of ``mask``."""
    cdef Py_ssize_t i, size = PyList_GET_SIZE(<list>cards)
    cdef PyObject* old
    cdef PyObject* card
    for i in range(count):
        card = PyTuple_GET_ITEM(_NUMBERS, _core.lowest_bit(mask) + 1)
        mask &= mask - 1
        old = cards.ob_item[i]
        if old != card:
            Py_XINCREF(card)
            cards.ob_item[i] = card
            Py_XDECREF(old)
    if size > count:
        Py_SET_SIZE(cards, count)
        for i in range(count, size):
            Py_XDECREF(cards.ob_item[i])


cdef tuple prizes_of(const State* s, int start, int stop):
    return tuple([s.deck[i] for i in range(start, stop)])


cdef tuple upcards_of(const State* s):
    return prizes_of(s, s.turned - s.offer, s.turned)


cdef tuple pile_of(const State* s):
    cdef tuple pile = prizes_of(s, s.turned, s.prizes)
    return pile if s.known else tuple(sorted(pile))


cdef object points_of(int32_t units, int32_t unit):
    return units // unit if units % unit == 0 else Fraction(units, unit)


cdef tuple scores_of(const State* s):
    return tuple([points_of(s.scores[p], s.unit) for p in range(s.players)])


cdef tuple players_of(uint32_t group):
    return tuple(cards_of(group))


cdef int set_rules(State* s, object rules) except -1:
    memset(s, 0, sizeof(State))
    s.players = rules.players
    s.tie = _TIES[rules.tie]
    s.fallback = _TIES[rules.fallback]
    s.bids = rules.bids
    s.lot = rules.lot
    s.open = rules.open
    s.picks = rules.picks or rules.open
    s.auto_pick = rules.auto_pick == "highest"
    s.discard_leftover = rules.leftover == "discard"
    s.unit = _core.share_unit(rules.players) if rules.splits else 1
    stop = rules.early_stop
    s.target = _core.CLINCH if stop == "clinch" else 0 if stop == "none" else stop
    return 0


cdef int set_deck(State* s, object prizes) except -1:
    cdef int i = 0
    for prize in prizes:
        s.deck[i] = prize
        i += 1
    s.prizes = i
    return 0


@cython.internal
cdef class Start:
    """The state in which games of some rules begin."""

    cdef State s
    cdef object rules
    cdef object stated

    def __cinit__(self, rules, position=None):
        cdef int i
        self.rules = rules
        set_rules(&self.s, rules)
        cdef State* s = &self.s
        if position is None:
            self.stated = stated_rules(rules.players, told_by(rules))
            for i, hand in enumerate(rules.first_hands):
                s.hands[i] = mask_of(hand)
            s.held = rules.cards
            set_deck(s, rules.first_pile)
            s.known = rules.order_known
            s.rounds_left = rules.rounds or rules.max_rounds
            _core.begin_round(s)
            return
        self.stated = rules
        for i, hand in enumerate(position.hands):
            s.hands[i] = mask_of(hand)
            s.held = len(hand)
            s.scores[i] = int(position.scores[i] * s.unit)
        set_deck(s, position.upcards + position.pile)
        s.known = position.order_known
        s.turned = s.offer = len(position.upcards)
        s.pot = position.pot
        s.rounds_left = position.rounds_left
        if position.picking:
            for i, group in enumerate(position.picking):
                s.queue[i] = mask_of(group)
            s.queued = len(position.picking)
            s.picks_left = position.picks_left
            s.phase = _core.BID  # until it is clear whether there is anything to choose
            _core.serve_pickers(s)
        elif position.turned:
            s.phase = _core.BID
        else:
            _core.begin_round(s)


cdef int state_of(object position, State* s) except -1:
    """Write the state that a position describes."""
    s[0] = Start(position.rules, position).s
    return 0


cdef Start _recent = None


cdef Start start_of(object rules):
    """Return where games of ``rules`` start; cheap when asked again for the same object."""
    global _recent
    if _recent is None or _recent.rules is not rules:
        _recent = Start(rules)
    return _recent


cdef int shuffle(State* s, object rng) except -1:
    """Shuffle the face-down prizes."""
    cdef bitgen_t* source
    cdef uint64_t product
    cdef uint32_t n
    cdef int i, j
    generator = rng.bit_generator
    source = <bitgen_t*>PyCapsule_GetPointer(generator.capsule, "BitGenerator")
    lock = generator.lock
    lock.acquire()
    for i in range(s.turned, s.prizes - 1):
        n = s.prizes - i
        product = <uint64_t>source.next_uint32(source.state) * n
        while <uint32_t>product < n and <uint32_t>product < (<uint32_t>0 - n) % n:
            product = <uint64_t>source.next_uint32(source.state) * n
        j = i + <int>(product >> 32)
        s.deck[i], s.deck[j] = s.deck[j], s.deck[i]
    lock.release()
    return 0


cdef int arrange(State* s, object pile) except -1:
    """Put the face-down prizes into the order ``pile``, which may stop after those needed."""
    cdef int i
    order = [int(prize) for prize in islice(pile, _core.MAX_PRIZES + 1)]
    held = Counter(prizes_of(s, s.turned, s.prizes))
    stray = Counter(order) - held
    if stray:
        raise RulesError(
            f"pile: prize {clip(str(min(stray)))} is not (or not so often) face down; expected "
            f"an order of {', '.join(map(str, sorted(held.elements())))}"
        )
    needed = s.prizes - s.turned
    if not s.open:
        needed = min(needed, s.rounds_left * s.lot)
    if len(order) < needed:
        raise RulesError(f"pile: {len(order)} prizes given, {needed} can be turned")
    if s.known and order != list(prizes_of(s, s.turned, s.turned + len(order))):
        raise RulesError(f"pile: the order is known and starts with {s.deck[s.turned]}")
    if not s.known:
        for i, prize in enumerate(order + sorted((held - Counter(order)).elements())):
            s.deck[s.turned + i] = prize
    return 0


cdef uint32_t bid_mask(object bid) except? 0:
    """Return the set of cards that a caller names; 0 if it is no set of cards."""
    cdef uint32_t mask = 0
    cdef int overflow = 0
    cdef long card
    if PyLong_CheckExact(bid):
        card = PyLong_AsLongAndOverflow(bid, &overflow)
        return <uint32_t>1 << (card - 1) if 1 <= card <= _core.MAX_PRIZES else 0
    try:
        cards = [bid] if hasattr(bid, "__index__") else list(islice(bid, _core.MAX_PRIZES + 1))
        for item in cards:
            number = item.__index__()
            if not 1 <= number <= _core.MAX_PRIZES or mask >> <int>(number - 1) & 1:
                return 0
            mask |= <uint32_t>1 << <int>(number - 1)
    except (TypeError, AttributeError):
        return 0
    return mask


# -- the game ------------------------------------------------------------------------------------


@cython.final
@cython.no_gc
@cython.nonecheck(True)  # a game that was never initialised has no start
@cython.binding(False)  # plain method descriptors: the interpreter calls these fastest
cdef class LotGame(Game):
    """A game of the lot-style engine; see `gops.Game`."""

    __hash__ = None

    cdef State s
    cdef Start start
    cdef Step* log
    cdef int steps
    cdef int room
    cdef bint manual
    cdef object origin
    cdef PyObject* offers[_core.MAX_PLAYERS]

    def __init__(self, rules=None, position=None, pile=None, rng=None, str reveal not None="auto"):
        if self.log != NULL:
            raise GopsError("a game cannot be initialised twice")
        if position is None:
            if rules is None:
                raise RulesError("game: expected rules or a position")
            self.start = start_of(rules)
        else:
            if not isinstance(position, Position):
                position = Position(position)
            if rules is not None and rules is not position.rules:
                raise RulesError("game: a position has its own rules; give only one of them")
            self.start = Start(position.rules, position)
            self.origin = position
        self.s = self.start.s
        if reveal != "auto":
            if reveal != "manual":
                raise RulesError(f"reveal={clip(str(reveal))}: expected auto or manual")
            self.manual = True
        if pile is not None:
            arrange(&self.s, pile)
        elif not self.s.known and self.s.turned < self.s.prizes:
            shuffle(&self.s, rng if type(rng) is Generator else default_rng(rng))
        self.make_room()
        if not self.manual:
            self.turn_due()

    def __dealloc__(self):
        cdef int player
        PyMem_Free(self.log)
        for player in range(_core.MAX_PLAYERS):
            Py_XDECREF(self.offers[player])

    cdef int make_room(self) except -1:
        # Every round takes at most a reveal, a bid and, per prize, a pick.
        self.room = 2 * self.s.rounds_left + (self.s.prizes if self.s.open else 0) + 1
        self.log = <Step*>PyMem_Malloc(self.room * sizeof(Step))
        if self.log == NULL:
            raise MemoryError()
        return 0

    cdef void turn_due(self) noexcept:
        while self.s.phase == _core.REVEAL:
            _core.turn(&self.s, 0)

    cdef Step* new_step(self, Kind kind) noexcept:
        cdef Step* step = &self.log[self.steps]
        self.steps += 1
        step.before = self.s
        step.kind = kind
        return step

    # -- acting --

    def reveal(self, *prizes):
        cdef int which, count = self.s.due
        cdef State after = self.s
        if self.s.phase != _core.REVEAL:
            raise IllegalBidError(f"no prize is to be turned now in {self._where()}")
        if prizes and len(prizes) != count:
            raise IllegalBidError(
                f"{len(prizes)} prizes named, expected {count} in {self._where()}"
            )
        for prize in prizes:
            for which in range(after.prizes - after.turned):
                if after.deck[after.turned + which] == prize:
                    break
            else:
                which = -1
            if which < 0 or (after.known and which > 0):
                pile = pile_of(&after)
                raise IllegalBidError(
                    f"prize {clip(str(prize))} cannot be turned in {self._where()}: expected "
                    + (str(pile[0]) if after.known else f"one of {', '.join(map(str, pile))}")
                )
            _core.turn(&after, which)
        while after.phase == _core.REVEAL:
            _core.turn(&after, 0)
        self.new_step(REVEALED)
        self.s = after

    def legal_bids(self, int player, /):
        cdef uint32_t hand
        cdef list offer
        cdef PyObject* old
        if player < 1 or player > self.s.players:
            raise IllegalBidError(f"player {player}: expected 1 to {self.s.players}")
        if self.s.phase != _core.BID:
            return []
        hand = self.s.hands[player - 1]
        if self.s.bids > 1:
            return list(combinations(cards_of(hand), _core.bid_size(&self.s)))
        # A list handed out before is used again once its receiver has let go of it.
        old = self.offers[player - 1]
        if old != NULL and _Py_REFCNT(old) == 1 and len(<list>old) >= self.s.held:
            offer = <list>old
        else:
            offer = [None] * self.s.held
            Py_XDECREF(old)
            Py_INCREF(offer)
            self.offers[player - 1] = <PyObject*>offer
        rewrite(<PyListObject*>offer, hand, self.s.held)
        return offer

    def play(self, bids, /):
        cdef uint32_t masks[_core.MAX_PLAYERS]
        cdef int player = 0
        cdef long card
        if self.s.phase != _core.BID:
            raise IllegalBidError(f"no bids now in {self._where()}: {self._expectation()}")
        for bid in bids:
            if player < self.s.players:
                masks[player] = bid_mask(bid)
                if not _core.is_legal(&self.s, player, masks[player]):
                    raise IllegalBidError(self._refusal(player + 1, bid))
            player += 1
        if player != self.s.players:
            raise IllegalBidError(
                f"{player} bids given, expected {self.s.players} in {self._where()}"
            )
        memcpy(self.new_step(BADE).bids, masks, sizeof(masks))
        _core.play(&self.s, masks)
        if not self.manual:
            self.turn_due()

    def legal_picks(self):
        return sorted(set(upcards_of(&self.s))) if self.s.phase == _core.PICK else []

    def pick(self, prize, /):
        if self.s.phase != _core.PICK:
            raise IllegalBidError(f"no pick now in {self._where()}: {self._expectation()}")
        on_offer = upcards_of(&self.s)
        if prize not in on_offer:
            raise IllegalBidError(
                f"player {self.to_pick} may not pick {clip(str(prize))} in {self._where()}: "
                f"expected one of {', '.join(map(str, sorted(set(on_offer))))}"
            )
        self.new_step(PICKED).bids[0] = on_offer.index(prize)
        _core.pick(&self.s, on_offer.index(prize))
        if not self.manual:
            self.turn_due()

    def undo(self):
        if self.steps == 0:
            raise IllegalBidError(f"nothing to undo in {self._where()}")
        self.steps -= 1
        self.s = self.log[self.steps].before

    # -- looking --

    @property
    def rules(self):
        return self.start.rules

    @property
    def is_over(self):
        return self.s.phase == _core.OVER

    @property
    def round(self):
        cdef int i, count = 0
        for i in range(self.steps):
            count += self.log[i].kind == BADE
        return count

    @property
    def rounds_left(self):
        return self.s.rounds_left

    @property
    def hands(self):
        return tuple([tuple(cards_of(self.s.hands[p])) for p in range(self.s.players)])

    @property
    def upcards(self):
        return upcards_of(&self.s)

    @property
    def pot(self):
        return self.s.pot

    @property
    def scores(self):
        return scores_of(&self.s)

    @property
    def awards(self):
        return scores_of(&self.s)

    @property
    def winners(self):
        if self.s.phase != _core.OVER:
            return ()
        scores = self.scores
        best = min(scores) if self.start.rules.misere else max(scores)
        return tuple([p for p, score in enumerate(scores, 1) if score == best])

    @property
    def void(self):
        cdef int i
        return tuple(
            [self.s.deck[i] for i in range(self.s.turned - self.s.offer) if not self.s.takers[i]]
        )

    @property
    def unplayed(self):
        return tuple(sorted(prizes_of(&self.s, self.s.turned, self.s.prizes))) if self.is_over else ()

    @property
    def to_pick(self):
        return _core.picker(&self.s) + 1 if self.s.phase == _core.PICK else None

    @property
    def position(self):
        cdef int i
        picking = self.s.phase == _core.PICK
        return Position._trusted(
            hands=self.hands,
            upcards=upcards_of(&self.s),
            pile=pile_of(&self.s),
            order_known=bool(self.s.known and self.s.turned < self.s.prizes),
            scores=scores_of(&self.s),
            rules=self.start.stated,
            rounds_left=self.s.rounds_left,
            turned=picking or self.s.phase == _core.BID,
            **self._queue(),
        )

    @property
    def history(self):
        cdef int i, j
        cdef const State* after
        records = []
        for i in range(self.steps):
            if self.log[i].kind == BADE:
                j = i + 1
                while j < self.steps and self.log[j].kind == PICKED:
                    j += 1
                after = &self.log[j].before if j < self.steps else &self.s
                records.append(record_of(&self.log[i], after))
        return records

    def view(self, int player, /):
        if player < 1 or player > self.s.players:
            raise IllegalBidError(f"player {player}: expected 1 to {self.s.players}")
        if not self.start.rules.hidden:
            return self.position
        return View(
            player=player,
            rules=self.start.rules,
            hand=tuple(cards_of(self.s.hands[player - 1])),
            upcards=upcards_of(&self.s),
            pile=pile_of(&self.s),
            order_known=bool(self.s.known),
            scores=scores_of(&self.s),
            rounds_left=self.s.rounds_left,
            to_pick=self.to_pick,
            history=tuple([censor(r, player, self.start.rules.announce) for r in self.history]),
        )

    # -- being an object --

    def copy(self):
        cdef LotGame other = LotGame.__new__(LotGame)
        other.s = self.s
        other.start = self.start
        other.origin = self.origin
        other.manual = self.manual
        other.room = self.room
        other.steps = self.steps
        other.log = <Step*>PyMem_Malloc(self.room * sizeof(Step))
        if other.log == NULL:
            raise MemoryError()
        memcpy(other.log, self.log, self.steps * sizeof(Step))
        return other

    def __reduce__(self):
        cdef int i
        cdef const State* first = &self.log[0].before if self.steps else &self.s
        cdef int turned = 0 if self.origin is None else len(self.origin.upcards)
        pile = None if first.known else prizes_of(first, turned, first.prizes)
        moves = []
        for i in range(self.steps):
            before = &self.log[i].before
            after = &self.log[i + 1].before if i + 1 < self.steps else &self.s
            if self.log[i].kind == REVEALED:
                moves.append(("reveal", prizes_of(after, before.turned, after.turned)))
            elif self.log[i].kind == PICKED:
                picked = before.deck[before.turned - before.offer + self.log[i].bids[0]]
                moves.append(("pick", (picked,)))
            else:
                moves.append(("play", (bids_of(&self.log[i]),)))
        rules = self.start.rules if self.origin is None else None
        return _restore, (rules, self.origin, pile, self.manual, moves)

    def __eq__(self, other):
        if not isinstance(other, LotGame):
            return NotImplemented
        return self.__reduce__()[1] == other.__reduce__()[1]

    def __repr__(self):
        return f"<Game {self._where()}>"

    cdef dict _queue(self):
        cdef int i, taken = 0, left
        cdef list groups = []
        if self.s.phase != _core.PICK:
            return {"picking": (), "picks_left": 0}
        left = min(self.s.picks_left, self.s.offer)
        for i in range(self.s.queued):
            if taken >= left:
                break
            groups.append(players_of(self.s.queue[i]))
            taken += _core.popcount(self.s.queue[i]) == 1
        return {"picking": tuple(groups), "picks_left": left}

    cdef str _where(self):
        """Name the position, as far as everybody may see it."""
        position = self.position
        return str(position).partition(" ")[2] if self.start.rules.hidden else str(position)

    cdef str _expectation(self):
        if self.s.phase == _core.REVEAL:
            return "the next prize is to be turned first"
        if self.s.phase == _core.PICK:
            return f"player {self.to_pick} is to pick a prize"
        if self.s.phase == _core.BID:
            return "all players are to bid"
        return "the game is over"

    cdef str _refusal(self, int player, object bid):
        cards = cards_of(self.s.hands[player - 1])
        legal = cards
        if self.s.bids > 1:  # there may be more than memory holds
            legal = list(islice(combinations(cards, _core.bid_size(&self.s)), 32))
        shown = ", ".join(map(str, legal[:31])) + (", ..." if len(legal) > 31 else "")
        return (
            f"player {player} may not bid {clip(str(bid))} in {self._where()}: "
            f"expected one of {shown}"
        )


_game.engines["gops"] = LotGame


cdef tuple bids_of(const Step* step):
    cdef list bids = []
    for p in range(step.before.players):
        cards = cards_of(step.bids[p])
        bids.append(cards[0] if step.before.bids == 1 else tuple(cards))
    return tuple(bids)


cdef object record_of(const Step* step, const State* after):
    cdef const State* before = &step.before
    cdef int i, first = before.turned - before.offer
    picks = []
    if before.open:
        for i in range(first, before.turned):
            if after.takers[i] and after.takers[i] & (after.takers[i] - 1) == 0:
                picks.append((_core.lowest_bit(after.takers[i]) + 1, after.deck[i]))
    gains = tuple(
        [
            points_of(after.scores[p] - before.scores[p], after.unit)
            for p in range(before.players)
        ]
    )
    return Round(
        upcards_of(before), bids_of(step), after.winner or None, gains, tuple(picks)
    )


cdef object censor(object record, int player, str announce):
    """Return a round as ``player`` knows it."""
    if announce == "all":
        return record
    bids = [
        bid
        if p == player or (announce == "winner_and_bid" and p == record.winner)
        else None
        for p, bid in enumerate(record.bids, 1)
    ]
    return Round(record.upcards, tuple(bids), record.winner, record.gains, record.picks)


def _restore(rules, origin, pile, manual, moves):
    """Rebuild a game from a pickle."""
    game = LotGame(rules, position=origin, pile=pile, reveal="manual" if manual else "auto")
    for name, arguments in moves:
        getattr(game, name)(*arguments)
    return game


# -- counting and random play --------------------------------------------------------------------


def perft(position, int depth, /):
    """Count the sequences of ``depth`` reveals, joint bids and picks from ``position``."""
    cdef Start start = Start(position.rules, position)
    cdef int64_t count
    with nogil:
        count = _core.perft(&start.s, depth)
    return count


def playouts(rules, const uint64_t[::1] seed, int32_t[:, ::1] scores, /):
    """Fill ``scores`` with the final scores, in units, of random games; return the unit."""
    cdef Start start = start_of(rules)
    cdef _core.Random random
    cdef int i
    cdef int64_t games = scores.shape[0]
    for i in range(4):
        random.s[i] = seed[i]
    if games:
        with nogil:
            _core.playouts(&start.s, &random, games, &scores[0, 0])
    return start.s.unit
