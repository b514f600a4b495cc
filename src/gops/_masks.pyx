"""Backward induction over whole states of the engine, for rules where ranks alone do not tell.

Bids of several cards add ranks and open prizes are picked one by one, so hands and prizes are kept
as sets, and every state is reached by the engine's own steps. Depth first, each state once.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from gops cimport _core
from gops._core cimport State
from gops._lot cimport state_of
from gops._matrix cimport Workspace, solve_game, workspace_free, workspace_new

from math import comb

import numpy as np

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

cdef enum:
    PATIENCE = 1024  # games between two looks for an interrupt

cdef enum Failure:
    NONE
    NO_ROOM
    INTERRUPTED

cdef enum Matters:
    # Of the scores so far, what the rest of the game depends on.
    NOTHING
    MARGIN
    BOTH

ctypedef struct Key:
    uint32_t hands[2]
    uint32_t face_down  # which of the prizes, or how many if their order is known
    uint32_t offer      # which of the prizes, or their sum if they are one lot
    int32_t scores[2]
    uint8_t rounds_left
    uint8_t phase
    uint8_t due
    uint8_t queue
    uint8_t picks_left
    uint8_t taken       # the slot holds a key
    uint8_t unused[2]


cdef inline uint64_t _hash(const Key *key) noexcept nogil:
    cdef const uint64_t *words = <const uint64_t *>key
    cdef uint64_t code = 0
    cdef int i
    for i in range(sizeof(Key) // 8):
        code = (code ^ words[i]) * 0x9E3779B97F4A7C15ULL
        code ^= code >> 29
    return code


cdef inline void _turn_round(Key *key) noexcept nogil:
    """Let the players change places."""
    key.hands[0], key.hands[1] = key.hands[1], key.hands[0]
    key.scores[0], key.scores[1] = key.scores[1], key.scores[0]
    key.queue = (key.queue & 5) << 1 | (key.queue >> 1 & 5)


cdef inline bint _is_turned(const Key *key) noexcept nogil:
    """Whether of the two ways to see a state this is the one that is not kept."""
    if key.hands[0] != key.hands[1]:
        return key.hands[0] < key.hands[1]
    if key.scores[0] != key.scores[1]:
        return key.scores[0] < key.scores[1]
    return (key.queue & 3) == 2


cdef class Solver:
    """The values of all states that can follow a start.

    Parameters
    ----------
    position : Position
        Two players. Under ``misere`` fewer points are better, and margins count the other way
        round.
    win : bool
        The value is the sign of the final margin rather than the margin.
    limit : int
        Bytes of memory to use at most.

    Attributes
    ----------
    states, games : int
        Values kept, matrix games solved.
    worst : float
        Largest gap of any game solved.
    """

    cdef State root
    cdef bint win
    cdef int sign
    cdef Matters matters
    cdef Key *keys
    cdef double *values
    cdef uint64_t mask
    cdef int64_t limit
    cdef double *matrices[_core.MAX_PRIZES + 2]  # one per number of rounds left
    cdef Workspace *work
    cdef int16_t[::1] prizes
    cdef int failed
    cdef object error
    cdef readonly int64_t states, games
    cdef readonly double worst

    def __cinit__(self, object position, *, bint win, int64_t limit):
        state_of(position, &self.root)
        self.win = win
        self.sign = -1 if position.rules.misere else 1
        self.limit = limit
        if self.root.target > 0:
            self.matters = BOTH
        elif win or self.root.target:
            self.matters = MARGIN
        self.prizes = np.sort(np.array(
            [self.root.deck[i] for i in range(self.root.prizes)] or [0], dtype=np.int16))
        most = comb(self.root.held, _core.bid_size(&self.root))
        self.work = workspace_new(most, most)
        self.mask = (1 << 12) - 1
        self.keys = <Key *>calloc(self.mask + 1, sizeof(Key))
        self.values = <double *>calloc(self.mask + 1, sizeof(double))
        if self.keys == NULL or self.values == NULL or self.work == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef int i
        free(self.keys)
        free(self.values)
        workspace_free(self.work)
        for i in range(_core.MAX_PRIZES + 2):
            free(self.matrices[i])

    # -- the table --

    cdef void fill_key(self, const State *s, Key *key) noexcept nogil:
        """Describe a state by what its value depends on."""
        cdef int first = s.turned - s.offer
        memset(key, 0, sizeof(Key))
        key.hands[0] = s.hands[0]
        key.hands[1] = s.hands[1]
        key.face_down = (s.prizes - s.turned if s.known
                         else self.prize_set(&s.deck[s.turned], s.prizes - s.turned))
        key.offer = self.prize_set(&s.deck[first], s.offer) if s.open else s.pot
        key.scores[0] = s.scores[0]
        key.scores[1] = s.scores[1]
        key.rounds_left = s.rounds_left
        key.phase = s.phase
        key.due = s.due
        if s.phase == _core.PICK:
            key.queue = s.queue[0] | s.queue[1] << 2
            key.picks_left = s.picks_left
        key.taken = 1

    cdef uint32_t prize_set(self, const int16_t *cards, int count) noexcept nogil:
        """Which of the prizes these are; of equal prizes the first ones."""
        cdef uint32_t found = 0
        cdef int i, place
        for i in range(count):
            place = 0
            while self.prizes[place] != cards[i]:
                place += 1
            while found >> place & 1:
                place += 1
            found |= <uint32_t>1 << place
        return found

    cdef uint64_t find(self, const Key *key) noexcept nogil:
        """The slot that holds a key, or the free one where it belongs."""
        cdef uint64_t slot = _hash(key) & self.mask
        while self.keys[slot].taken and memcmp(&self.keys[slot], key, sizeof(Key)):
            slot = (slot + 1) & self.mask
        return slot

    cdef void keep(self, const Key *key, double value) noexcept nogil:
        cdef uint64_t slot
        if 2 * <uint64_t>self.states > self.mask and not self.grow():
            return
        slot = self.find(key)
        self.keys[slot] = key[0]
        self.values[slot] = value
        self.states += 1

    cdef bint grow(self) noexcept nogil:
        """Double the table."""
        cdef Key *keys = self.keys
        cdef double *values = self.values
        cdef uint64_t old, slot, size = 2 * (self.mask + 1)
        cdef int64_t need = (size + size // 2) * (sizeof(Key) + sizeof(double))
        self.keys = self.values = NULL
        if need <= self.limit:
            self.keys = <Key *>calloc(size, sizeof(Key))
            self.values = <double *>calloc(size, sizeof(double))
        if self.keys == NULL or self.values == NULL:
            free(self.keys)
            free(self.values)
            self.keys = keys
            self.values = values
            self.failed = NO_ROOM
            return False
        self.mask = size - 1
        for old in range(size // 2):
            if keys[old].taken:
                slot = self.find(&keys[old])
                self.keys[slot] = keys[old]
                self.values[slot] = values[old]
        free(keys)
        free(values)
        return True

    # -- the recursion --

    cdef double result(self, const State *s) noexcept nogil:
        """What the scores alone are worth to player 1."""
        cdef int32_t margin = self.sign * (s.scores[0] - s.scores[1])
        return (margin > 0) - (margin < 0) if self.win else <double>margin / s.unit

    cdef double value(self, const State *state) noexcept nogil:
        """What a state is worth to player 1, points so far included."""
        cdef State s
        cdef Key key
        cdef double lead = 0.0, value
        cdef int32_t less
        cdef uint64_t slot
        cdef bint turned
        if state.phase == _core.OVER or self.failed:
            return self.result(state)
        s = state[0]
        if self.matters == NOTHING:
            lead = self.result(state)
            s.scores[0] = s.scores[1] = 0
        elif self.matters == MARGIN:
            less = min(s.scores[0], s.scores[1])
            s.scores[0] -= less
            s.scores[1] -= less
            if (self.win and s.phase != _core.PICK
                    and max(s.scores[0], s.scores[1]) > s.unit * _core.winnable(&s)):
                return self.result(&s)
        self.fill_key(&s, &key)
        turned = _is_turned(&key)
        if turned:
            _turn_round(&key)
        slot = self.find(&key)
        if self.keys[slot].taken:
            value = self.values[slot]
            return lead - value if turned else lead + value
        if s.phase == _core.REVEAL:
            value = self.mean(&s)
        elif s.phase == _core.PICK:
            value = self.best_pick(&s)
        else:
            value = self.solve_round(&s)
        if not self.failed:
            self.keep(&key, -value if turned else value)
        return lead + value

    cdef double mean(self, const State *s) noexcept nogil:
        """The mean over the next prize; several due are turned one by one."""
        cdef State after
        cdef double total = 0.0
        cdef int which, i, alike, count = 1 if s.known else s.prizes - s.turned
        cdef const int16_t *pile = &s.deck[s.turned]
        for which in range(count):
            alike = 0
            for i in range(count):
                if pile[i] == pile[which]:
                    if i < which:
                        break
                    alike += 1
            else:
                after = s[0]
                _core.turn(&after, which)
                total += alike * self.value(&after)
        return total / count

    cdef double best_pick(self, const State *s) noexcept nogil:
        cdef State after
        cdef double value, best = 0.0
        cdef int which, picker = _core.picker(s)
        for which in range(s.offer):
            after = s[0]
            _core.pick(&after, which)
            value = self.value(&after)
            if which == 0 or (value > best if picker == 0 else value < best):
                best = value
        return best

    cdef int fill_matrix(self, const State *s, double *matrix) noexcept nogil:
        """Write the values after each pair of bids; return how many bids each player has."""
        cdef State after
        cdef uint32_t bids[_core.MAX_PLAYERS]
        cdef int64_t at = 0
        cdef int count = 0
        bids[0] = _core.first_bid(s, 0)
        while bids[0] and not self.failed:
            bids[1] = _core.first_bid(s, 1)
            while bids[1]:
                after = s[0]
                _core.play(&after, bids)
                matrix[at] = self.value(&after)
                at += 1
                bids[1] = _core.next_bid(s, 1, bids[1])
            bids[0] = _core.next_bid(s, 0, bids[0])
            count += 1
        return count

    cdef double solve_round(self, const State *s) noexcept nogil:
        """The value of the matrix game of one round."""
        cdef double lower = 0.0, upper = 0.0
        cdef double *matrix = self.matrices[s.rounds_left]
        cdef int count
        cdef int64_t bids = 1
        if matrix == NULL:
            for count in range(_core.bid_size(s)):
                bids = bids * (s.held - count) // (count + 1)
            matrix = <double *>calloc(bids * bids, sizeof(double))
            if matrix == NULL:
                self.failed = NO_ROOM
                return 0.0
            self.matrices[s.rounds_left] = matrix
        count = self.fill_matrix(s, matrix)
        if self.failed:
            return 0.0
        self.games += 1
        if self.games % PATIENCE == 0:
            self.look_up()
        if count == 1:
            return matrix[0]
        solve_game(matrix, count, count, self.work, &lower, &upper)
        self.worst = max(self.worst, upper - lower)
        return (lower + upper) * 0.5

    cdef void look_up(self) noexcept nogil:
        """Stop if the user wants it."""
        with gil:
            try:
                PyErr_CheckSignals()
            except BaseException as error:
                self.error = error
                self.failed = INTERRUPTED

    # -- for Python --

    @property
    def is_over(self):
        """Whether nothing is left to do."""
        return self.root.phase == _core.OVER

    @property
    def score(self):
        """What the scores so far are worth to player 1."""
        return self.result(&self.root)

    @property
    def due(self):
        """How many prizes are to be turned before anybody chooses."""
        return self.root.due if self.root.phase == _core.REVEAL else 0

    @property
    def upcards(self):
        """The prizes on offer, oldest first."""
        return prizes_of(&self.root, self.root.turned - self.root.offer, self.root.turned)

    @property
    def pile(self):
        """The prizes face down, next first."""
        return prizes_of(&self.root, self.root.turned, self.root.prizes)

    def payoffs(self, prizes):
        """Return what the players can choose, and what their choices are worth.

        Parameters
        ----------
        prizes : sequence of int
            The prizes to turn first, as many as are `due`.

        Returns
        -------
        choices : (list, list)
            Per player: bids, as tuples of cards in the engine's order; or prizes to pick; empty
            for the player who waits for the other's pick.
        payoffs : float64[m, n]
            For player 1, by both choices.
        """
        cdef State s = self.root
        for prize in prizes:
            _core.turn(&s, place_of(&s, s.turned, prize))
        if s.phase == _core.PICK:
            choices, payoffs = self.picks(&s)
        else:
            choices, payoffs = self.bids(&s)
        if self.failed == INTERRUPTED:
            raise self.error
        if self.failed:
            raise MemoryError
        return choices, payoffs

    cdef tuple bids(self, const State *s):
        cdef double[:, ::1] payoffs
        choices = bids_of(s, 0), bids_of(s, 1)
        payoffs = np.empty((len(choices[0]), len(choices[1])))
        with nogil:
            self.fill_matrix(s, &payoffs[0, 0])
        return choices, np.asarray(payoffs)

    cdef tuple picks(self, const State *s):
        cdef State after
        cdef double value
        picks = sorted(set(prizes_of(s, s.turned - s.offer, s.turned)))
        values = []
        for prize in picks:
            after = s[0]
            _core.pick(&after, place_of(s, s.turned - s.offer, prize))
            with nogil:
                value = self.value(&after)
            values.append(value)
        if _core.picker(s) == 0:
            return (picks, []), np.array(values).reshape(-1, 1)
        return ([], picks), np.array(values).reshape(1, -1)


cdef tuple prizes_of(const State *s, int start, int stop):
    return tuple([s.deck[i] for i in range(start, stop)])


cdef int place_of(const State *s, int start, int prize):
    """Where a prize stands in the deck, counted from `start`."""
    cdef int place = 0
    while s.deck[start + place] != prize:
        place += 1
    return place


cdef list bids_of(const State *s, int player):
    """List a player's bids in the engine's order, each a tuple of cards."""
    cdef uint32_t bid = _core.first_bid(s, player)
    bids = []
    while bid:
        bids.append(tuple([card + 1 for card in range(31) if bid >> card & 1]))
        bid = _core.next_bid(s, player, bid)
    return bids
