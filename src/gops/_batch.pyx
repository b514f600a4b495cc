"""Many games of the same rules at once, as arrays."""

cimport cython
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from gops cimport _core
from gops._core cimport Random, State
from gops._lot cimport start_state

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gops.cards import clip
from gops.errors import GopsError, IllegalBidError, RulesError
from gops.game import seed_sequence
from gops.rules import Rules

cdef enum:
    CHUNK = 4096  # games per stream of random numbers; changing it changes what is dealt
    MOST_GAMES = 100_000_000


@cython.final
cdef class Batch:
    """Games of the same rules, played in step: an array per fact, a row per game.

    The arrays are read-only and the same objects all along: `step` and `reset` rewrite them. They
    hold all hands; what players may know under ``hidden`` is for the caller to heed. Bits of cards:
    bit ``c - 1`` for card ``c``. Bits of prizes: bit ``i`` for the prize ``rules.prize_values[i]``,
    so that with the usual prizes bit ``c - 1`` is prize ``c``.

    Parameters
    ----------
    rules : Rules
        Any but Jazzy GOPS and Throps; open prizes with ``auto_pick="highest"`` only.
    size : int
        Number of games.
    rng : Generator, SeedSequence, int or None
        Deals the prizes, and draws `random_bids`.
    auto_reset : bool
        Whether a game that ends is dealt anew at once; `done`, `rewards` and `results` still tell
        of its end.
    threads : int
        Threads to use; nothing else depends on it.

    Attributes
    ----------
    rules : Rules
    size : int
    hands : ndarray of uint32, shape (size, players)
        The cards in each hand.
    upcards, pile : ndarray of uint32, shape (size,)
        The prizes on offer and those face down.
    pot : ndarray of int32, shape (size,)
        The value of the prizes on offer.
    rounds_left : ndarray of uint8, shape (size,)
        The rounds to come, the present one included.
    scores : ndarray of int32 (float64 where ties may be split), shape (size, players)
        The points so far.
    rewards : ndarray, like ``scores``
        The points that the last step gave.
    done : ndarray of bool, shape (size,)
        The games that are over; with ``auto_reset`` those that ended in the last step.
    results : ndarray, like ``scores``
        The final scores of the game last finished in each row; zeros before.

    Raises
    ------
    RulesError
        If a batch cannot play by these rules.

    Examples
    --------
    >>> import numpy as np
    >>> batch = Batch(Rules(cards=3), 2, rng=1)
    >>> batch.hands.tolist()
    [[7, 7], [7, 7]]
    >>> rewards, done = batch.step([[3, 1], [2, 1]])
    >>> batch.hands.tolist(), bool((rewards[:, 0] > 0).all()), done.any()
    ([[3, 6], [5, 6]], True, np.False_)
    """

    cdef readonly object rules
    cdef readonly int64_t size
    cdef readonly bint auto_reset
    cdef readonly object hands, upcards, pile, pot, rounds_left, scores, rewards, done, results
    cdef readonly int threads
    cdef object executor, all_points
    cdef State start
    cdef uint8_t bit_of[1001]  # the first bit of the prizes of each value
    cdef uint32_t all_prizes
    cdef bint distinct
    # What the arrays above are read-only views of; scores and the like in units where int32.
    cdef uint8_t[::1] memory
    cdef uint64_t[:, ::1] streams
    cdef uint32_t[:, ::1] hands_
    cdef uint32_t[:, ::1] bid_room
    cdef const uint32_t[:, ::1] bids_
    cdef uint32_t[::1] upcards_, pile_
    cdef int32_t[::1] pot_
    cdef uint8_t[::1] rounds_left_, done_
    cdef int32_t[:, ::1] points  # scores, rewards, results, where nothing is split
    cdef double[:, ::1] shares  # the same where ties are split

    def __init__(self, rules, size, *, rng=None, auto_reset=False, threads=1):
        cdef int value, bit
        if type(rules) is not Rules:
            raise RulesError("Batch: expected rules")
        if rules.game != "gops":
            raise RulesError(f"game={rules.game}: no batches, use gops.Game or gops.playouts")
        if rules.open and rules.auto_pick != "highest":
            raise RulesError(f"open={rules.open}: in batches only with auto_pick=highest")
        self.rules = rules
        self.size = _whole("size", size, MOST_GAMES)
        self.threads = _whole("threads", threads, 1024)
        self.auto_reset = auto_reset
        self.executor = ThreadPoolExecutor(threads) if threads > 1 else None
        start_state(rules, &self.start)
        for bit, prize in reversed(list(enumerate(rules.prize_values))):
            value = prize
            self.bit_of[value] = bit
        self.all_prizes = (<uint64_t>1 << self.start.prizes) - 1
        self.distinct = len(set(rules.prize_values)) == self.start.prizes
        self._make_arrays()
        chunks = (self.size + CHUNK - 1) // CHUNK
        seeds = seed_sequence(rng).generate_state(8 * chunks, np.uint64)
        self.streams = seeds.reshape(chunks, 8)
        self.reset()

    cdef int _make_arrays(self) except -1:
        size, players = self.size, self.rules.players
        self.memory = np.zeros(size * sizeof(State), np.uint8)
        hands = np.zeros((size, players), np.uint32)
        facts = np.zeros((2, size), np.uint32)
        pot = np.zeros(size, np.int32)
        rounds, done = np.zeros((2, size), np.uint8)
        points = np.zeros((3, size, players), np.float64 if self.rules.splits else np.int32)
        self.bid_room = np.zeros((size, players), np.uint32)
        self.hands_, self.upcards_, self.pile_ = hands, facts[0], facts[1]
        self.pot_, self.rounds_left_, self.done_ = pot, rounds, done
        if self.rules.splits:
            self.shares = points.reshape(3 * size, players)
        else:
            self.points = points.reshape(3 * size, players)
        self.all_points = points
        self.hands, self.upcards, self.pile = _shown(hands), _shown(facts[0]), _shown(facts[1])
        self.pot, self.rounds_left = _shown(pot), _shown(rounds)
        self.done = _shown(done.view(np.bool_))
        self.scores, self.rewards, self.results = map(_shown, points)
        return 0

    @property
    def legal(self):
        """The cards that may be bid, uint32[size, players]; none in games that are over."""
        return np.where((self.rounds_left == 0)[:, None], np.uint32(0), self.hands)

    def reset(self):
        """Deal all games anew."""
        self._each(self._reset_chunk)
        self.all_points[:] = 0
        np.asarray(self.done_)[:] = 0

    def step(self, cards=None, *, masks=None):
        """Play a round of every game that is not over.

        Parameters
        ----------
        cards : array of int, shape (size, players), optional
            The card that each player bids. What is given for games that are over is ignored.
        masks : array of uint32, shape (size, players), optional
            The same as bits, and for bids of several cards.

        Returns
        -------
        rewards, done : ndarray
            The arrays of that name.

        Raises
        ------
        IllegalBidError
            If a bid is not legal. All games are then as before.

        Examples
        --------
        >>> batch = Batch(Rules.preset("two-card", cards=4), 1, rng=1)
        >>> rewards, done = batch.step(masks=[[0b1001, 0b0110]])  # 4+1 and 3+2 tie
        >>> rewards.tolist(), bin(batch.hands[0, 0])
        ([[0, 0]], '0b110')
        """
        cdef int64_t stray
        if (cards is None) == (masks is None):
            raise IllegalBidError("step: expected cards or masks")
        if masks is None:
            self._take_cards(self._checked("cards", cards, np.int32))
        else:
            self.bids_ = self._checked("masks", masks, np.uint32)
        with nogil:
            stray = self._first_illegal()
        if stray >= 0:
            raise IllegalBidError(self._refusal(stray // self.start.players, stray % self.start.players))
        self._each(self._step_chunk)
        return self.rewards, self.done

    def random_bids(self):
        """Draw a legal bid of each player, all equally likely.

        Returns
        -------
        ndarray of uint32, shape (size, players)
            Masks for `step`; zeros in games that are over.

        Examples
        --------
        >>> batch = Batch(Rules(), 1000, rng=1)
        >>> while not batch.done.all():
        ...     rewards, done = batch.step(masks=batch.random_bids())
        >>> batch.scores.sum(axis=1).max() <= 91
        np.True_
        """
        drawn = np.zeros((self.size, self.rules.players), np.uint32)
        self._each(lambda chunk: self._draw_chunk(chunk, drawn))
        return drawn

    def __repr__(self):
        return f"<Batch of {self.size} games, {np.count_nonzero(self.rounds_left)} going on>"

    # -- chunks --

    cdef object _each(self, work):
        chunks = range(self.streams.shape[0])
        if self.executor is None:
            for chunk in chunks:
                work(chunk)
        else:
            list(self.executor.map(work, chunks))

    def _reset_chunk(self, int64_t chunk):
        cdef State* games = <State*>&self.memory[0]
        cdef Random* deals = <Random*>&self.streams[chunk, 0]
        cdef int64_t game
        with nogil:
            for game in range(chunk * CHUNK, min(self.size, (chunk + 1) * CHUNK)):
                deal(&games[game], &self.start, deals)
                self.pile_[game] = self.all_prizes
                self._show(game, &games[game])

    def _step_chunk(self, int64_t chunk):
        cdef State* games = <State*>&self.memory[0]
        cdef Random* deals = <Random*>&self.streams[chunk, 0]
        cdef int64_t game
        with nogil:
            for game in range(chunk * CHUNK, min(self.size, (chunk + 1) * CHUNK)):
                self._step(game, &games[game], deals)

    def _draw_chunk(self, int64_t chunk, uint32_t[:, ::1] drawn):
        cdef const State* s
        cdef Random* random = <Random*>&self.streams[chunk, 4]
        cdef int64_t game
        cdef int p
        with nogil:
            for game in range(chunk * CHUNK, min(self.size, (chunk + 1) * CHUNK)):
                s = <State*>&self.memory[0] + game
                if s.phase == _core.BID:
                    for p in range(s.players):
                        drawn[game, p] = _core.random_bid(s, p, random)

    # -- one game --

    cdef void _step(self, int64_t game, State* s, Random* deals) noexcept nogil:
        cdef int32_t before[_core.MAX_PLAYERS]
        cdef int p
        if s.phase == _core.OVER:
            for p in range(s.players):
                self._put(game + self.size, p, 0)
            return
        for p in range(s.players):
            before[p] = s.scores[p]
        _core.play(s, &self.bids_[game, 0])
        turn_due(s, deals)
        self.done_[game] = s.phase == _core.OVER
        for p in range(s.players):
            self._put(game + self.size, p, s.scores[p] - before[p])
            if s.phase == _core.OVER:
                self._put(game + 2 * self.size, p, s.scores[p])
        if s.phase == _core.OVER and self.auto_reset:
            deal(s, &self.start, deals)
            self.pile_[game] = self.all_prizes
        self._show(game, s)

    cdef inline void _put(self, int64_t row, int player, int32_t units) noexcept nogil:
        if self.start.unit == 1:
            self.points[row, player] = units
        else:
            self.shares[row, player] = <double>units / self.start.unit

    cdef void _show(self, int64_t game, const State* s) noexcept nogil:
        cdef int p
        for p in range(s.players):
            self.hands_[game, p] = s.hands[p]
            self._put(game, p, s.scores[p])
        self.pot_[game] = s.pot
        self.rounds_left_[game] = s.rounds_left
        self.upcards_[game] = self._bits(s, s.turned - s.offer, s.turned, 0)
        if self.distinct:
            self.pile_[game] &= ~self.upcards_[game]
        else:
            self.pile_[game] = self._bits(s, s.turned, s.prizes, self.upcards_[game])

    cdef uint32_t _bits(self, const State* s, int first, int stop, uint32_t taken) noexcept nogil:
        """Return the bits of some prizes of the deck; of equal ones, not those in ``taken``."""
        cdef uint32_t bits = 0
        cdef int i, bit
        for i in range(first, stop):
            bit = self.bit_of[s.deck[i]]
            while (bits | taken) >> bit & 1:
                bit += 1
            bits |= <uint32_t>1 << bit
        return bits

    # -- bids --

    cdef object _checked(self, str name, bids, type_):
        array = np.asarray(bids)
        shape = (self.size, self.rules.players)
        if array.dtype.kind not in "iu" or array.shape != shape:
            raise IllegalBidError(
                f"{name}: expected whole numbers of shape {shape}, "
                f"got {array.dtype} of shape {array.shape}"
            )
        if array.dtype.itemsize > 4 or array.dtype.kind != np.dtype(type_).kind:
            # What does not fit is no card either.
            array = np.where((array < 0) | (array > 2**31 - 1), 0, array)
        return np.ascontiguousarray(array, type_)

    cdef int _take_cards(self, const int32_t[:, ::1] cards) except -1:
        cdef int64_t game
        cdef int p
        self.bids_ = self.bid_room
        for game in range(self.size):
            for p in range(self.start.players):
                self.bid_room[game, p] = (
                    <uint32_t>1 << (cards[game, p] - 1)
                    if 1 <= cards[game, p] <= _core.MAX_PRIZES else 0
                )
        return 0

    cdef int64_t _first_illegal(self) noexcept nogil:
        """Find the first illegal bid: players times game plus player, from 0; -1 if there is none."""
        cdef const State* games = <State*>&self.memory[0]
        cdef int64_t game
        cdef int p
        for game in range(self.size):
            if games[game].phase == _core.OVER:
                continue
            for p in range(self.start.players):
                if not _core.is_legal(&games[game], p, self.bids_[game, p]):
                    return game * self.start.players + p
        return -1

    cdef str _refusal(self, int64_t game, int player):
        cdef const State* s = <State*>&self.memory[0] + game
        hand = [card for card in range(1, 32) if s.hands[player] >> (card - 1) & 1]
        bid = [card for card in range(1, 33) if self.bids_[game, player] >> (card - 1) & 1]
        several = f"{_core.bid_size(s)} of " if s.bids > 1 else "one of "
        return (
            f"row {game}: player {player + 1} may not bid {'+'.join(map(str, bid)) or 'nothing'}: "
            f"expected {several}{', '.join(map(str, hand))}"
        )


cdef void turn_due(State* s, Random* deals) noexcept nogil:
    """Turn the prizes due, each a random one unless the order is known."""
    while s.phase == _core.REVEAL:
        _core.turn(s, 0 if s.known else _core.below(deals, s.prizes - s.turned))


cdef void deal(State* s, const State* start, Random* deals) noexcept nogil:
    s[0] = start[0]
    turn_due(s, deals)


cdef object _shown(array):
    view = array.view()
    view.flags.writeable = False
    return view


cdef int64_t _whole(str name, value, int64_t most) except -1:
    try:
        number = value.__index__()
    except (AttributeError, TypeError):
        raise GopsError(f"{name}={clip(str(value))}: expected a whole number") from None
    if not 1 <= number <= most:
        raise GopsError(f"{name}={clip(str(number))}: expected 1 to {most}")
    return number
