"""Games of Jazzy GOPS and Throps, for Python; `gops.Game` documents the interface."""

cimport cython
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from gops cimport _core, _jazzy, _throps
from gops._game cimport Game

from functools import lru_cache
from itertools import islice

from numpy.random import default_rng

from gops import _game, parlett
from gops.cards import clip
from gops.errors import GopsError, IllegalBidError, PositionError, RulesError
from gops.parlett import JazzyPosition, ThropsPosition, options_of, throps_number
from gops.position import Position
from gops.view import Round, View

cdef enum:
    PLAYERS = 3

cdef tuple _CARDS = parlett.THROPS_CARDS
cdef tuple _SUIT = tuple(range(1, 14))
cdef tuple _PRIZES = tuple(range(14))

ctypedef union Deal:
    _jazzy.State jazzy
    _throps.State throps

ctypedef struct Step:
    Deal before
    uint8_t bids[PLAYERS]
    bint turned  # a reveal; else bids


# -- from and to Python --------------------------------------------------------------------------


cdef tuple taken(object items):
    """Return what a caller gave, but not much more than a pack of it."""
    return tuple(islice(items, 64))


cdef tuple shuffled(tuple cards, object rng):
    return tuple([cards[i] for i in rng.permutation(len(cards))])


cdef uint64_t mask_of(object numbers) except? 0:
    cdef uint64_t mask = 0
    cdef int number
    for number in numbers:
        mask |= <uint64_t>1 << number
    return mask


cdef tuple numbers_of(uint64_t mask):
    cdef list numbers = []
    while mask:
        numbers.append(_throps.lowest_card(mask))
        mask &= mask - 1
    return tuple(numbers)


cdef tuple cards_of(uint64_t mask):
    return tuple([_CARDS[number] for number in numbers_of(mask)])


# -- what both games share -----------------------------------------------------------------------


@cython.internal
cdef class DealGame(Game):
    """A deal with a log of its steps; a subclass knows what the states mean."""

    __hash__ = None

    cdef Deal s
    cdef Step* log
    cdef int steps
    cdef bint manual
    cdef object stated
    cdef object origin  # the position at the start
    cdef tuple order    # the prizes that were face down then, next first

    def __init__(
        self,
        rules=None,
        position=None,
        hands=None,
        pile=None,
        rng=None,
        str reveal not None="auto",
    ):
        if self.log != NULL:
            raise GopsError("a game cannot be initialised twice")
        if reveal not in ("auto", "manual"):
            raise RulesError(f"reveal={clip(reveal)}: expected auto or manual")
        if position is not None and (rules is not None or hands is not None):
            raise RulesError("game: a position has rules and hands; give only one of them")
        if rules is None and position is None:
            raise RulesError("game: expected rules or a position")
        if position is None:
            try:
                position, order = self.deal(rules, hands, pile, default_rng(rng))
            except PositionError as error:
                raise RulesError(str(error)) from None
        else:
            position = position if isinstance(position, Position) else Position(position)
            order = position.pile
            if pile is None:
                order = shuffled(order, default_rng(rng))
            else:
                pile = self.named(taken(pile))
                if len(pile) != len(order) or any([prize not in pile for prize in order]):
                    raise RulesError(
                        f"pile: {clip(str(pile))}: expected an order of "
                        f"{', '.join(map(str, order))}"
                    )
                order = tuple([order[order.index(prize)] for prize in pile])
        self.stated = position.rules
        self.origin = position
        self.order = order
        self.manual = reveal == "manual"
        self.load(position, order)
        self.make_room()
        if not self.manual:
            self.turn_due()

    def __dealloc__(self):
        PyMem_Free(self.log)

    cdef int make_room(self) except -1:
        self.log = <Step*>PyMem_Malloc(self.most_steps() * sizeof(Step))
        if self.log == NULL:
            raise MemoryError()
        return 0

    cdef Step* new_step(self, bint turned) noexcept:
        cdef Step* step = &self.log[self.steps]
        self.steps += 1
        step.before = self.s
        step.turned = turned
        return step

    cdef const Deal* after(self, int step) noexcept:
        return &self.log[step + 1].before if step + 1 < self.steps else &self.s

    cdef void turn_due(self) noexcept:
        while self.phase() == _core.REVEAL:
            self.turn(0)

    cdef str expectation(self):
        if self.phase() == _core.REVEAL:
            return "the next prize is to be turned first"
        return "all players are to bid" if self.phase() == _core.BID else "the game is over"

    # -- what a subclass says --

    cdef int most_steps(self) noexcept:
        return 0

    cdef tuple deal(self, object rules, object hands, object pile, object rng):
        """Return the position at the start and the order of its pile."""

    cdef int load(self, object position, tuple order) except -1:
        return 0

    cdef int phase(self) noexcept:
        return 0

    cdef void turn(self, int which) noexcept:
        pass

    cdef void resolve(self, const uint8_t* bids) noexcept:
        pass

    cdef bint legal(self, int player, int number) noexcept:
        return False

    cdef int number(self, object bid) except? -1:
        """Return the number of a bid; -1 if it is none."""
        return -1

    cdef object bid(self, int number):
        return number

    cdef list offers(self, int player):
        """Return the legal bids."""

    cdef tuple named(self, tuple prizes):
        """Return prizes that a caller names as they are written here."""
        return prizes

    cdef tuple totals(self, const Deal* s):
        """Return the scores."""

    cdef int winner(self, const Deal* s) noexcept:
        return 0

    cdef tuple up(self, const Deal* s):
        """Return the prizes on offer."""

    cdef tuple down(self, const Deal* s):
        """Return the prizes face down, in their order."""

    cdef str where(self):
        """Name the position, as far as everybody may see it."""

    # -- acting --

    def reveal(self, *prizes):
        if self.phase() != _core.REVEAL:
            raise IllegalBidError(f"no prize is to be turned now in {self.where()}")
        self.new_step(True)
        for prize in self.named(prizes):
            pile = self.down(&self.s)
            if self.phase() != _core.REVEAL or prize not in pile:
                more = self.phase() == _core.REVEAL
                self.undo()
                raise IllegalBidError(
                    f"prize {clip(str(prize))} cannot be turned in {self.where()}: expected "
                    + (f"one of {', '.join(map(str, self.sorted(pile)))}" if more else "no more")
                )
            self.turn(pile.index(prize))
        self.turn_due()

    def legal_bids(self, int player, /):
        if player < 1 or player > PLAYERS:
            raise IllegalBidError(f"player {player}: expected 1 to {PLAYERS}")
        return self.offers(player - 1) if self.phase() == _core.BID else []

    def play(self, bids, /):
        cdef uint8_t numbers[PLAYERS]
        cdef int number, player = 0
        if self.phase() != _core.BID:
            raise IllegalBidError(f"no bids now in {self.where()}: {self.expectation()}")
        for bid in bids:
            if player < PLAYERS:
                number = self.number(bid)
                if number < 0 or not self.legal(player, number):
                    raise IllegalBidError(
                        f"player {player + 1} may not bid {clip(str(bid))} in {self.where()}: "
                        f"expected one of {', '.join(map(str, self.offers(player)))}"
                    )
                numbers[player] = number
            player += 1
        if player != PLAYERS:
            raise IllegalBidError(f"{player} bids given, expected {PLAYERS} in {self.where()}")
        memcpy(self.new_step(False).bids, numbers, sizeof(numbers))
        self.resolve(numbers)
        if not self.manual:
            self.turn_due()

    def legal_picks(self):
        return []

    def pick(self, prize, /):
        raise IllegalBidError(f"no pick now in {self.where()}: {self.expectation()}")

    def undo(self):
        if self.steps == 0:
            raise IllegalBidError(f"nothing to undo in {self.where()}")
        self.steps -= 1
        self.s = self.log[self.steps].before

    # -- looking --

    @property
    def rules(self):
        return self.stated

    @property
    def is_over(self):
        return self.phase() == _core.OVER

    @property
    def round(self):
        return self.origin.rounds_left - self.rounds_left

    @property
    def upcards(self):
        return self.up(&self.s)

    @property
    def pot(self):
        return self.position.pot

    @property
    def scores(self):
        return self.totals(&self.s)

    @property
    def awards(self):
        return self.totals(&self.s)

    @property
    def winners(self):
        if self.phase() != _core.OVER:
            return ()
        awards = self.awards
        best = max(awards)
        return tuple([p for p, award in enumerate(awards, 1) if award == best])

    @property
    def unplayed(self):
        return self.sorted(self.down(&self.s)) if self.is_over else ()

    @property
    def to_pick(self):
        return None

    @property
    def history(self):
        return [self.record(i) for i in range(self.steps) if not self.log[i].turned]

    cdef tuple sorted(self, tuple prizes):
        return tuple(sorted(prizes))

    cdef tuple bids_of(self, int step):
        return tuple([self.bid(self.log[step].bids[p]) for p in range(PLAYERS)])

    cdef object record(self, int step):
        cdef const Deal* before = &self.log[step].before
        cdef const Deal* after = self.after(step)
        gains = [now - old for now, old in zip(self.totals(after), self.totals(before))]
        return Round(
            self.up(before), self.bids_of(step), self.winner(after) or None, tuple(gains)
        )

    # -- being an object --

    def copy(self):
        cdef DealGame other = type(self).__new__(type(self))
        other.s = self.s
        other.steps = self.steps
        other.manual = self.manual
        other.stated = self.stated
        other.origin = self.origin
        other.order = self.order
        other.make_room()
        memcpy(other.log, self.log, self.steps * sizeof(Step))
        return other

    def __reduce__(self):
        cdef int i
        moves = tuple(
            [
                ("reveal", self.up(self.after(i)))
                if self.log[i].turned
                else ("play", self.bids_of(i))
                for i in range(self.steps)
            ]
        )
        return _restore, (self.origin, self.order, self.manual, moves)

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return self.__reduce__()[1] == other.__reduce__()[1]

    def __repr__(self):
        return f"<Game {self.where()}>"


def _restore(origin, order, manual, moves):
    """Rebuild a game from a pickle."""
    game = _game.engines[origin.rules.game](
        position=origin, pile=order, reveal="manual" if manual else "auto"
    )
    for name, values in moves:
        if name == "play":
            game.play(values)
        else:
            game.reveal(*values)
    return game


# -- Jazzy GOPS ----------------------------------------------------------------------------------


cdef int load_jazzy(_jazzy.State* s, object position, tuple order) except -1:
    cdef int i
    cdef tuple deck = position.upcards + order
    _jazzy.set_rules(s, position.rules)
    for i in range(PLAYERS):
        s.hands[i] = mask_of(position.hands[i]) >> 1
        s.won[i] = mask_of(position.won[i])
    for i, card in enumerate(position.chain):
        s.chain[i] = card
    for i, prize in enumerate(deck):
        s.deck[i] = prize
    s.held = len(position.hands[0])
    s.chained = len(position.chain)
    s.prizes = len(deck)
    s.joker_down = 0 in order
    s.partner = position.partner or 0
    if not position.upcards:
        _jazzy.begin_trick(s)
        return 0
    s.turned = s.offer = len(position.upcards)
    if s.offer == 2:
        s.partner = position.upcards[1]
    s.rounds_left = position.rounds_left
    s.phase = _core.BID
    return 0


@lru_cache(maxsize=8)
def _full_jazzy(rules):
    """Return the position in which every deal starts."""
    return JazzyPosition.from_parts((_SUIT,) * PLAYERS, pile=_PRIZES, **options_of(rules))


@cython.final
cdef class JazzyGame(DealGame):
    """A deal of Jazzy GOPS; see `gops.Game`."""

    __hash__ = None

    cdef int most_steps(self) noexcept:
        return _jazzy.MAX_STEPS

    cdef tuple deal(self, object rules, object hands, object pile, object rng):
        if hands is None and pile is None:
            return _full_jazzy(rules), shuffled(_PRIZES, rng)
        prizes = shuffled(_PRIZES, rng) if pile is None else taken(pile)
        if hands is None:
            missing = [prize for prize in _SUIT if prize not in prizes]
            if missing:
                raise RulesError(f"pile: prize {missing[0]} is missing")
            if 0 not in prizes:
                prizes += (0,)
        held = (_SUIT,) * PLAYERS if hands is None else hands
        position = JazzyPosition.from_parts(held, pile=prizes, **options_of(rules))
        return position, tuple([int(prize) for prize in prizes])

    cdef int load(self, object position, tuple order) except -1:
        return load_jazzy(&self.s.jazzy, position, order)

    cdef int phase(self) noexcept:
        return self.s.jazzy.phase

    cdef void turn(self, int which) noexcept:
        _jazzy.turn(&self.s.jazzy, which)

    cdef void resolve(self, const uint8_t* bids) noexcept:
        _jazzy.play(&self.s.jazzy, bids)

    cdef bint legal(self, int player, int number) noexcept:
        return _jazzy.is_legal(&self.s.jazzy, player, number)

    cdef int number(self, object bid) except? -1:
        try:
            number = bid.__index__()
        except (AttributeError, TypeError):
            return -1
        return number if 1 <= number <= _jazzy.HIGH_ACE else -1

    cdef list offers(self, int player):
        cdef int bid
        return [
            bid
            for bid in range(1, _jazzy.HIGH_ACE + 1)
            if _jazzy.is_legal(&self.s.jazzy, player, bid)
        ]

    cdef tuple totals(self, const Deal* s):
        cdef int32_t totals[PLAYERS]
        _jazzy.score(&s.jazzy, totals)
        return (totals[0], totals[1], totals[2])

    cdef int winner(self, const Deal* s) noexcept:
        return s.jazzy.winner

    cdef tuple up(self, const Deal* s):
        cdef int i
        return tuple(
            [s.jazzy.deck[i] for i in range(s.jazzy.turned - s.jazzy.offer, s.jazzy.turned)]
        )

    cdef tuple down(self, const Deal* s):
        cdef int i
        return tuple([s.jazzy.deck[i] for i in range(s.jazzy.turned, s.jazzy.prizes)])

    cdef str where(self):
        return str(self.position)

    @property
    def rounds_left(self):
        return self.s.jazzy.rounds_left

    @property
    def hands(self):
        return tuple([numbers_of(self.s.jazzy.hands[p] << 1) for p in range(PLAYERS)])

    @property
    def void(self):
        cdef _jazzy.State* s = &self.s.jazzy
        cdef int i
        return tuple([s.deck[i] for i in range(s.turned) if s.lost >> s.deck[i] & 1])

    @property
    def awards(self):
        cdef int32_t totals[PLAYERS]
        cdef int32_t awards[PLAYERS]
        _jazzy.score(&self.s.jazzy, totals)
        _jazzy.award(&self.s.jazzy, totals, awards)
        return (awards[0], awards[1], awards[2])

    @property
    def position(self):
        cdef _jazzy.State* s = &self.s.jazzy
        cdef int i, won = s.won[0] | s.won[1] | s.won[2]
        return JazzyPosition._trusted(
            hands=self.hands,
            upcards=self.up(&self.s),
            pile=tuple(sorted(self.down(&self.s))),
            order_known=False,
            scores=self.totals(&self.s),
            rules=self.stated,
            rounds_left=s.rounds_left,
            turned=s.phase == _core.BID,
            picking=(),
            picks_left=0,
            won=tuple([numbers_of(s.won[p]) for p in range(PLAYERS)]),
            partner=s.partner if won & 1 else None,
            chain=tuple([s.chain[i] for i in range(s.chained)]),
        )

    def view(self, int player, /):
        if player < 1 or player > PLAYERS:
            raise IllegalBidError(f"player {player}: expected 1 to {PLAYERS}")
        return self.position


# -- Throps --------------------------------------------------------------------------------------


cdef int load_throps(_throps.State* s, object position, tuple order) except -1:
    cdef int i
    cdef tuple deck = position.upcards + order
    memset(s, 0, sizeof(_throps.State))
    s.ace_low = position.rules.ace_low
    for i in range(PLAYERS):
        s.hands[i] = mask_of(map(throps_number, position.hands[i]))
        s.won[i] = mask_of(map(throps_number, position.won[i]))
    for i, card in enumerate(deck):
        s.deck[i] = throps_number(card)
    s.held = len(position.hands[0])
    s.prizes = len(deck)
    if not position.upcards:
        _throps.begin_trick(s)
        return 0
    s.turned = s.offer = 1
    s.rounds_left = position.rounds_left
    s.phase = _core.BID
    return 0


cdef object full_throps(object rules, list pack):
    """Return the position after a deal of the pack: three hands, then the stock."""
    hands = [tuple([_CARDS[i] for i in sorted(pack[p : p + 13])]) for p in range(0, 39, 13)]
    return ThropsPosition._trusted(
        hands=tuple(hands),
        upcards=(),
        pile=tuple([_CARDS[i] for i in sorted(pack[39:])]),
        order_known=False,
        scores=(0, 0, 0),
        rules=rules,
        rounds_left=13,
        turned=False,
        picking=(),
        picks_left=0,
        won=((), (), ()),
        partner=None,
        chain=(),
    )


@cython.final
cdef class ThropsGame(DealGame):
    """A deal of Throps; see `gops.Game`."""

    __hash__ = None

    cdef int most_steps(self) noexcept:
        return _throps.MAX_STEPS

    cdef tuple deal(self, object rules, object hands, object pile, object rng):
        if hands is None and pile is None:
            pack = rng.permutation(len(_CARDS)).tolist()
            return full_throps(rules, pack), tuple([_CARDS[i] for i in pack[39:]])
        held = None if hands is None else tuple([taken(hand) for hand in taken(hands)])
        stock = None if pile is None else taken(pile)
        used = {throps_number(card) for group in (held or ()) for card in group}
        used.update(map(throps_number, stock or ()))
        rest = shuffled(tuple([card for i, card in enumerate(_CARDS) if i not in used]), rng)
        size = len(held[0]) if held else 13 if stock is None else len(stock)
        if held is None:
            held = tuple([rest[p * size : (p + 1) * size] for p in range(PLAYERS)])
            rest = rest[PLAYERS * size :]
        if stock is None:
            stock = rest[:size]
        position = ThropsPosition.from_parts(held, pile=stock, **options_of(rules))
        if len(stock) < size:
            raise RulesError(f"pile: {len(stock)} cards given, {size} can be turned")
        return position, self.named(stock)

    cdef int load(self, object position, tuple order) except -1:
        return load_throps(&self.s.throps, position, order)

    cdef int phase(self) noexcept:
        return self.s.throps.phase

    cdef void turn(self, int which) noexcept:
        _throps.turn(&self.s.throps, which)

    cdef void resolve(self, const uint8_t* bids) noexcept:
        _throps.play(&self.s.throps, bids)

    cdef bint legal(self, int player, int number) noexcept:
        return _throps.is_legal(&self.s.throps, player, number)

    cdef int number(self, object bid) except? -1:
        return throps_number(bid)

    cdef object bid(self, int number):
        return _CARDS[number]

    cdef list offers(self, int player):
        return list(cards_of(self.s.throps.hands[player]))

    cdef tuple named(self, tuple prizes):
        numbers = [throps_number(prize) for prize in prizes]
        return tuple([p if n < 0 else _CARDS[n] for p, n in zip(prizes, numbers)])

    cdef tuple sorted(self, tuple prizes):
        return tuple(sorted(prizes, key=throps_number))

    cdef tuple totals(self, const Deal* s):
        cdef int32_t totals[PLAYERS]
        _throps.score(&s.throps, totals)
        return (totals[0], totals[1], totals[2])

    cdef int winner(self, const Deal* s) noexcept:
        return s.throps.winner

    cdef tuple up(self, const Deal* s):
        return (_CARDS[s.throps.deck[s.throps.turned - 1]],) if s.throps.offer else ()

    cdef tuple down(self, const Deal* s):
        cdef int i
        return tuple([_CARDS[s.throps.deck[i]] for i in range(s.throps.turned, s.throps.prizes)])

    cdef str where(self):
        _, up, _, won, rules = str(self.position).split(" ")
        return f"{up} {won} {rules}"

    @property
    def rounds_left(self):
        return self.s.throps.rounds_left

    @property
    def hands(self):
        return tuple([cards_of(self.s.throps.hands[p]) for p in range(PLAYERS)])

    @property
    def void(self):
        return ()

    cdef tuple won(self):
        return tuple([cards_of(self.s.throps.won[p]) for p in range(PLAYERS)])

    @property
    def position(self):
        return ThropsPosition._trusted(
            hands=self.hands,
            upcards=self.up(&self.s),
            pile=self.sorted(self.down(&self.s)),
            order_known=False,
            scores=self.totals(&self.s),
            rules=self.stated,
            rounds_left=self.s.throps.rounds_left,
            turned=self.s.throps.phase == _core.BID,
            picking=(),
            picks_left=0,
            won=self.won(),
            partner=None,
            chain=(),
        )

    def view(self, int player, /):
        cdef _throps.State* s = &self.s.throps
        cdef uint64_t unseen = 0
        cdef int i
        if player < 1 or player > PLAYERS:
            raise IllegalBidError(f"player {player}: expected 1 to {PLAYERS}")
        for i in range(PLAYERS):
            if i != player - 1:
                unseen |= s.hands[i]
        for i in range(s.turned, s.prizes):
            unseen |= <uint64_t>1 << s.deck[i]
        return View(
            player=player,
            rules=self.stated,
            hand=cards_of(s.hands[player - 1]),
            upcards=self.up(&self.s),
            pile=cards_of(unseen),
            order_known=False,
            scores=self.totals(&self.s),
            rounds_left=s.rounds_left,
            to_pick=None,
            history=tuple(self.history),
            won=self.won(),
        )


_game.engines["jazzy"] = JazzyGame
_game.engines["throps"] = ThropsGame


# -- counting and random play --------------------------------------------------------------------


def perft(position, int depth, /):
    """Count the sequences of ``depth`` reveals and joint bids from ``position``."""
    cdef Deal s
    cdef int64_t count
    if position.rules.game == "jazzy":
        load_jazzy(&s.jazzy, position, position.pile)
        with nogil:
            count = _jazzy.perft(&s.jazzy, depth)
    else:
        load_throps(&s.throps, position, position.pile)
        with nogil:
            count = _throps.perft(&s.throps, depth)
    return count


def playouts(rules, const uint64_t[::1] seed, int32_t[:, ::1] scores, /):
    """Fill ``scores`` with the final scores of random deals; return the unit, 1."""
    cdef Deal s
    cdef _core.Random random
    cdef int i
    cdef int64_t games = scores.shape[0]
    for i in range(4):
        random.s[i] = seed[i]
    if rules.game == "jazzy":
        load_jazzy(&s.jazzy, _full_jazzy(rules), _PRIZES)
        if games:
            with nogil:
                _jazzy.playouts(&s.jazzy, &random, games, &scores[0, 0])
        return 1
    memset(&s.throps, 0, sizeof(_throps.State))
    s.throps.ace_low = rules.ace_low
    if games:
        with nogil:
            _throps.playouts(&s.throps, &random, games, &scores[0, 0])
    return 1
