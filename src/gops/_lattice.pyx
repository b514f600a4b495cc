"""Backward induction over pairs of hands, one round at a time.

Only the order of the bid cards matters, so a pair of hands is a *word*: one letter per rank that
either hand holds, lowest rank first, A (only player 1 holds it), B (only player 2) or X (both).
A word is packed two bits a letter into a uint64, first letter lowest. Swapping the players swaps A
and B and negates the value, so of each pair only the smaller number is kept.
"""

import numpy as np

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from gops._matrix cimport Workspace, guarantees, solve_game, workspace_free, workspace_new

cdef extern from "_lanes.h" nogil:
    enum:
        LANES_GROUP
        LANES_MAX_ENTRIES
        BID_HIGHER
        BID_EQUAL
        BID_LOWER
    ctypedef struct lanes_layout:
        int32_t rows
        int32_t cols
        int32_t count[3]
        int32_t stride[3]
        uint8_t row[3][964]
        uint8_t col[3][964]
        double *pack[3]
    ctypedef struct lanes_basis:
        int32_t size
        int32_t hits
        uint8_t rows[31]
        uint8_t cols[31]
    void lanes_plan(const lanes_layout *, lanes_basis *)
    ctypedef struct lanes_games:
        const int32_t *column[3]
        double add[3]
        double *result
    ctypedef struct lanes_replies:
        double *high_pack[3]
        double *low_pack[3]
        double *high
        double *low
    ctypedef struct lanes_kernel:
        void (*pack)(double *, int32_t, int32_t, const double **, const double *,
                     const int32_t *) noexcept nogil
        int32_t (*prove)(const lanes_layout *, const lanes_basis *, const lanes_games *,
                         const lanes_replies *, double, double, int32_t *, int32_t, double *) noexcept nogil
    const lanes_kernel *lanes_select(const char *name)
    const char *lanes_best()

cdef extern from *:
    """
    #define next_item(counter) __atomic_fetch_add((counter), 1, __ATOMIC_RELAXED)
    #define read_flag(flag) __atomic_load_n((flag), __ATOMIC_RELAXED)
    """
    int64_t next_item(int64_t *counter) nogil
    int read_flag(int *flag) nogil

cdef enum:
    A = 1
    B = 2
    X = 3
    MAX_LETTERS = 31
    MAX_CARDS = 31
    MAX_BASES = 32      # guesses kept from one stake to the next
    SAMPLE = 16         # games of a stake on which the guesses are ranked
    SPARE_GUESSES = 4   # guesses tried on the rest although they solved none of the sample


# ------------------------------------------------------------------------------------------ words

cdef inline uint64_t _swapped(uint64_t word) noexcept nogil:
    """The word with the players exchanged."""
    return ((word & 0x5555555555555555ULL) << 1) | ((word >> 1) & 0x5555555555555555ULL)


cdef inline int _letter(uint64_t word, int at) noexcept nogil:
    return (word >> (2 * at)) & 3


cdef inline int _length(uint64_t word) noexcept nogil:
    cdef int length = 0
    while word:
        length += 1
        word >>= 2
    return length


cdef inline uint64_t _without(uint64_t word, int at, int player) noexcept nogil:
    """Take `player`'s card (A or B) from the letter at `at`; an emptied letter vanishes."""
    cdef uint64_t low
    if _letter(word, at) == X:
        return word ^ (<uint64_t>player << (2 * at))
    low = word & ((1ULL << (2 * at)) - 1)
    return low | ((word >> (2 * at + 2)) << (2 * at))


cdef inline uint64_t _child(uint64_t word, int first, int second) noexcept nogil:
    """The word left when player 1 bids the card at `first` and player 2 the one at `second`."""
    if first >= second:  # the higher place first, so that the lower one keeps its number
        return _without(_without(word, first, A), second, B)
    return _without(_without(word, second, B), first, A)


def word_of(hand_one, hand_two):
    """Pack a pair of hands (iterables of different ranks) into its word, not swapped."""
    one, two = set(hand_one), set(hand_two)
    word = 0
    for at, rank in enumerate(sorted(one | two)):
        word |= ((rank in one) * A | (rank in two) * B) << (2 * at)
    return word


def canonical(uint64_t word):
    """Return the smaller of the word and its swap, and whether that is the swap."""
    return min(word, _swapped(word)), _swapped(word) < word


def children(uint64_t word):
    """List, per bid of player 1, the words left by each bid of player 2 (not swapped)."""
    cdef int length = _length(word), i, j
    return [[_child(word, i, j) for j in range(length) if _letter(word, j) & B]
            for i in range(length) if _letter(word, i) & A]


cdef struct Walk:
    # A depth-first walk over the words of a given hand size that a longer word contains.
    int length
    int next_with[4][MAX_LETTERS + 2]  # first place >= p whose letter contains the given one
    int ones_from[3][MAX_LETTERS + 2]  # cards of A, of B from place p on
    uint64_t *found
    int64_t count


cdef void _walk(Walk *walk, int place, int left_a, int left_b, int at,
                uint64_t word) noexcept nogil:
    cdef int letter, place_next
    cdef uint64_t other
    if left_a == 0 and left_b == 0:
        other = _swapped(word)
        if walk.found != NULL:
            walk.found[walk.count] = min(word, other)
        walk.count += 1
        return
    if walk.ones_from[A][place] < left_a or walk.ones_from[B][place] < left_b:
        return
    for letter in range(A, X + 1):
        if (letter & A and left_a == 0) or (letter & B and left_b == 0):
            continue
        place_next = walk.next_with[letter][place]
        if place_next < walk.length:
            _walk(walk, place_next + 1, left_a - (letter & A), left_b - (letter >> 1), at + 1,
                  word | (<uint64_t>letter << (2 * at)))


def subwords(uint64_t root, int cards):
    """All words with `cards` cards in each hand that can be left of `root`.

    The greedy leftmost embedding meets each word once.

    Returns
    -------
    uint64[m]
        Canonical words, ascending, without repetition.
    """
    cdef Walk walk
    cdef int place, letter
    cdef uint64_t[::1] found
    memset(&walk, 0, sizeof(walk))
    walk.length = _length(root)
    for letter in range(A, X + 1):
        walk.next_with[letter][walk.length] = walk.length
        for place in range(walk.length - 1, -1, -1):
            walk.next_with[letter][place] = (
                place if (_letter(root, place) & letter) == letter
                else walk.next_with[letter][place + 1])
    for letter in (A, B):
        for place in range(walk.length - 1, -1, -1):
            walk.ones_from[letter][place] = (
                walk.ones_from[letter][place + 1] + ((_letter(root, place) & letter) != 0))
    with nogil:
        _walk(&walk, 0, cards, cards, 0, 0)
    found = np.empty(walk.count, dtype=np.uint64)
    if walk.count:
        walk.found = &found[0]
        walk.count = 0
        with nogil:
            _walk(&walk, 0, cards, cards, 0, 0)
    return np.unique(np.asarray(found))


def lengths(const uint64_t[::1] words):
    """Letters of each word, uint8[m]."""
    cdef uint8_t[::1] result = np.empty(words.shape[0], dtype=np.uint8)
    cdef Py_ssize_t i
    for i in range(words.shape[0]):
        result[i] = _length(words[i])
    return np.asarray(result)


# ----------------------------------------------------------------------------------------- layers

cdef class WordIndex:
    """Where each word of a sorted array stands: an open-addressing hash table."""

    cdef uint64_t *keys
    cdef int32_t *places
    cdef uint64_t mask
    cdef int shift

    def __cinit__(self, const uint64_t[::1] words):
        cdef uint64_t slot
        cdef Py_ssize_t i
        cdef int bits = 4
        while (1 << bits) < 2 * words.shape[0]:
            bits += 1
        self.mask = (<uint64_t>1 << bits) - 1
        self.shift = 64 - bits
        self.keys = <uint64_t *>PyMem_Calloc(self.mask + 1, sizeof(uint64_t))
        self.places = <int32_t *>PyMem_Calloc(self.mask + 1, sizeof(int32_t))
        if self.keys == NULL or self.places == NULL:
            raise MemoryError(f"no memory to index {words.shape[0]} pairs of hands")
        for i in range(words.shape[0]):
            slot = (words[i] * 0x9E3779B97F4A7C15ULL) >> self.shift
            while self.keys[slot]:
                slot = (slot + 1) & self.mask
            self.keys[slot] = words[i]
            self.places[slot] = <int32_t>i

    def __dealloc__(self):
        PyMem_Free(self.keys)
        PyMem_Free(self.places)

    cdef inline int32_t find(self, uint64_t word) noexcept nogil:
        cdef uint64_t slot = (word * 0x9E3779B97F4A7C15ULL) >> self.shift
        while self.keys[slot] != word:
            if self.keys[slot] == 0:
                return -1
            slot = (slot + 1) & self.mask
        return self.places[slot]


cdef struct Scratch:
    # What one thread needs to solve the games of one pair of hands.
    lanes_layout layout
    lanes_replies replies
    lanes_basis bases[MAX_BASES]
    int order[MAX_BASES]          # the bases in use, those with most hits first
    int count
    double matrix[MAX_CARDS * MAX_CARDS]
    double *packs                 # one block for all packs
    double *results
    double *high
    double *low
    int32_t *pending
    Workspace *work


cdef void _scratch_free(Scratch *scratch) noexcept nogil:
    if scratch != NULL:
        free(scratch.packs)
        free(scratch.results)
        free(scratch.pending)
        workspace_free(scratch.work)
        free(scratch)


cdef inline int32_t _whole_groups(int32_t count) noexcept nogil:
    return (count + LANES_GROUP - 1) // LANES_GROUP * LANES_GROUP


cdef Scratch *_scratch_new(int cards, int64_t games, int64_t most, int64_t places,
                           int64_t tied_places, bint replies) noexcept nogil:
    cdef Scratch *scratch = <Scratch *>calloc(1, sizeof(Scratch))
    cdef int64_t size[3]
    cdef int64_t total = 0
    cdef int kind, copies = 3 if replies else 1
    cdef double *pack
    if scratch == NULL:
        return NULL
    size[BID_HIGHER] = size[BID_LOWER] = places * _whole_groups(cards * cards)
    size[BID_EQUAL] = tied_places * _whole_groups(cards)
    for kind in range(3):
        total += size[kind]
    scratch.packs = <double *>calloc(copies * total, sizeof(double))
    scratch.results = <double *>calloc(copies * (games + 1), sizeof(double))
    scratch.pending = <int32_t *>calloc(most + 1, sizeof(int32_t))
    scratch.work = workspace_new(cards, cards)
    if (scratch.packs == NULL or scratch.results == NULL or scratch.pending == NULL
            or scratch.work == NULL):
        _scratch_free(scratch)
        return NULL
    pack = scratch.packs
    for kind in range(3):
        scratch.layout.pack[kind] = pack
        if replies:
            scratch.replies.high_pack[kind] = pack + total
            scratch.replies.low_pack[kind] = pack + 2 * total
        pack += size[kind]
    if replies:
        scratch.high = scratch.results + games + 1
        scratch.low = scratch.high + games + 1
    return scratch


cdef int _keep_basis(Scratch *scratch, int size) noexcept nogil:
    """Add the basis in the workspace to the guesses, in place of the poorest if all are taken."""
    cdef lanes_basis *basis
    cdef int i, name
    if scratch.count == MAX_BASES:
        name = scratch.order[MAX_BASES - 1]
    else:
        name = scratch.count
        scratch.order[name] = name
        scratch.count += 1
    basis = &scratch.bases[name]
    basis.size = size
    basis.hits = 1
    for i in range(size):
        basis.rows[i] = <uint8_t>scratch.work.basis_rows[i]
        basis.cols[i] = <uint8_t>scratch.work.basis_cols[i]
    lanes_plan(&scratch.layout, basis)
    return name


cdef void _order_bases(Scratch *scratch) noexcept nogil:
    """Order the guesses by their hits; the order stands among equals."""
    cdef int i, j, name
    for i in range(1, scratch.count):
        name = scratch.order[i]
        j = i
        while j > 0 and scratch.bases[scratch.order[j - 1]].hits < scratch.bases[name].hits:
            scratch.order[j] = scratch.order[j - 1]
            j -= 1
        scratch.order[j] = name


cdef class Layer:
    """The values of all positions with the same number of rounds to go.

    Parameters
    ----------
    words : uint64[m]
        Canonical pairs of hands, ascending.
    slack : uint8[m]
        Ranks gone from both hands of each: the most ties that can stand behind a pot there.
    states : int64[t]
        How many prize states can occur at slack 0, 1, ...; they come in that order.

    Attributes
    ----------
    values : float64[...]
        One run of ``states[slack]`` values per word, from ``offsets``.
    high, low : float64[...] or None
        Where mixes are being checked: the most that a best reply of player 1 gets against
        those of player 2, and the least that player 2's holds player 1's to.
    """

    cdef readonly object words, slack, offsets, values, high, low
    cdef const uint64_t[::1] _words
    cdef const uint8_t[::1] _slack
    cdef const int64_t[::1] _offsets
    cdef double[::1] _values, _high, _low
    cdef WordIndex index

    def __init__(self, words, slack, states, values=None, bint replies=False):
        self.words = words
        self.slack = slack
        sizes = np.asarray(states, dtype=np.int64)[slack]
        self.offsets = np.concatenate(([0], np.cumsum(sizes)))
        self.values = np.zeros(int(sizes.sum())) if values is None else values
        self._words = self.words
        self._slack = self.slack
        self._offsets = self.offsets
        self._values = self.values
        self.high = self.values.copy() if replies else None
        self.low = self.values.copy() if replies else None
        self._high = self.high
        self._low = self.low
        self.index = WordIndex(words)

    def row(self, uint64_t word):
        """Values of a pair of hands, and whether they are stored with the players swapped."""
        cdef bint swap = _swapped(word) < word
        cdef int32_t at = self.index.find(_swapped(word) if swap else word)
        if at < 0:
            raise KeyError(word)
        return self.values[self.offsets[at]:self.offsets[at + 1]], bool(swap)


@cython.final
cdef class LayerTask:
    """The games of one layer, for any number of threads that each call `run`.

    Parameters
    ----------
    layer, below : Layer
        The layer to fill and the one with a round less to go.
    last : bool
        There is no further round: `below` has one row, whatever the hands.
    antisymmetric : bool
        Equal hands are worth exactly 0 in every prize state (the value is a margin).
    stakes : float64[s]
        Points that the winner of the round gains on the loser's value, per distinct stake.
    start : int64[s + 1]
        Where the games of each stake begin in `column`.
    games : int32[s, t]
        Of these, how many can occur at slack 0, 1, ...; they come in that order.
    column : int32[3, g]
        Prize state in `below` if player 1 bids higher, equal or lower.
    opposite : int32[...] or None
        Prize state in `below` seen by the other player; None if each is its own.
    places : int
        How many prize states of `below`, the first ones, have no pot.
    average : int32[states, reveals]
        Games whose mean is the value of each prize state, one per card that may be turned.
    fixed : int32[f], fixed_values : float64[f]
        Prize states decided before the play, and their values.
    tolerance, span : float
        Largest gap to accept unsolved, and the largest spread of payoffs in a game.
    """

    cdef Layer layer, below
    cdef bint last, antisymmetric, replies
    cdef const double[::1] stakes
    cdef const int64_t[::1] start
    cdef const int32_t[:, ::1] games
    cdef const int32_t[:, ::1] column
    cdef const int32_t[::1] opposite
    cdef int32_t places, tied_places
    cdef const int32_t[:, ::1] average
    cdef const int64_t[::1] states
    cdef const int32_t[::1] fixed
    cdef const double[::1] fixed_values
    cdef double tolerance, span
    cdef const lanes_kernel *kernel
    cdef int64_t next
    cdef int stopped
    cdef int cards
    cdef int64_t most
    cdef readonly int64_t solved, cold, tried
    cdef readonly double worst

    def __init__(self, Layer layer, Layer below, *, int cards, bint last, bint antisymmetric,
                 stakes, start, games, column, opposite, int places, average, states,
                 fixed, fixed_values, double tolerance, double span, kernel=None):
        self.layer = layer
        self.below = below
        self.cards = cards
        self.last = last
        self.replies = layer.high is not None
        self.antisymmetric = antisymmetric
        self.stakes = stakes
        self.start = start
        self.games = games
        self.column = column
        self.opposite = opposite
        self.places = places
        self.tied_places = int(np.diff(below.offsets).max())
        self.average = average
        self.states = states
        self.fixed = fixed
        self.fixed_values = fixed_values
        self.tolerance = tolerance
        self.span = span
        self.most = int(games.max()) if games.size else 0
        name = lanes_best() if kernel is None else kernel.encode()
        self.kernel = lanes_select(name)
        if self.kernel == NULL:
            raise ValueError(f"no kernel {kernel!r} for this processor")

    @property
    def share(self):
        """Share of the pairs of hands taken up so far, 0 to 1."""
        return min(1.0, self.next / max(1, self.layer._words.shape[0]))

    def stop(self):
        """Ask every thread in `run` to return after the pair of hands at work."""
        self.stopped = 1

    def run(self):
        """Solve pairs of hands until none is left, with the interpreter's lock released."""
        cdef Scratch *scratch = _scratch_new(self.cards, self.column.shape[1], self.most,
                                             self.places, self.tied_places, self.replies)
        cdef int64_t at, total = self.layer._words.shape[0]
        cdef int64_t solved = 0, cold = 0, tried = 0
        cdef double worst = 0.0
        if scratch == NULL:
            raise MemoryError("no memory for the scratch space of a solver thread")
        with nogil:
            while not read_flag(&self.stopped):
                at = next_item(&self.next)
                if at >= total:
                    break
                self.solve_word(scratch, at, &solved, &cold, &tried, &worst)
            _scratch_free(scratch)
        self.solved += solved
        self.cold += cold
        self.tried += tried
        self.worst = max(self.worst, worst)

    cdef void fill_layout(self, Scratch *scratch, uint64_t word) noexcept nogil:
        """Lay out the matrix of a pair of hands; of interchangeable bids keep one."""
        cdef lanes_layout *layout = &scratch.layout
        cdef int first[MAX_LETTERS]
        cdef int second[MAX_LETTERS]
        cdef int32_t child[3][LANES_MAX_ENTRIES]
        cdef double sign[3][LANES_MAX_ENTRIES]
        cdef int length = _length(word)
        cdef int i, j, at, letter, previous = 0, kind
        cdef uint64_t left, swapped
        layout.rows = layout.cols = 0
        for i in range(length):
            letter = _letter(word, i)
            if letter & A and not (letter == A and previous == A):
                first[layout.rows] = i
                layout.rows += 1
            if letter & B and not (letter == B and previous == B):
                second[layout.cols] = i
                layout.cols += 1
            previous = letter
        layout.count[0] = layout.count[1] = layout.count[2] = 0
        for i in range(layout.rows):
            for j in range(layout.cols):
                kind = (BID_HIGHER if first[i] > second[j]
                        else BID_EQUAL if first[i] == second[j] else BID_LOWER)
                at = layout.count[kind]
                layout.count[kind] += 1
                layout.row[kind][at] = <uint8_t>i
                layout.col[kind][at] = <uint8_t>j
                sign[kind][at] = 1.0
                child[kind][at] = 0
                if not self.last:
                    left = _child(word, first[i], second[j])
                    swapped = _swapped(left)
                    if swapped < left:
                        left = swapped
                        sign[kind][at] = -1.0
                    child[kind][at] = self.below.index.find(left)
        for kind in range(3):
            layout.stride[kind] = _whole_groups(layout.count[kind])
            for at in range(layout.count[kind], layout.stride[kind]):
                child[kind][at] = child[kind][0]
                sign[kind][at] = 1.0
            self.pack(layout, kind, child[kind], sign[kind], &self.below._values[0],
                      &self.below._values[0], layout.pack[kind])
            if self.replies:
                self.pack(layout, kind, child[kind], sign[kind], &self.below._high[0],
                          &self.below._low[0], scratch.replies.high_pack[kind])
                self.pack(layout, kind, child[kind], sign[kind], &self.below._low[0],
                          &self.below._high[0], scratch.replies.low_pack[kind])

    cdef void pack(self, const lanes_layout *layout, int kind, const int32_t *child,
                   const double *sign, const double *values, const double *swapped_values,
                   double *pack) noexcept nogil:
        """Pack the values of the children of one kind, negated where the players are swapped."""
        cdef const double *source[4]
        cdef const int32_t *opposite = NULL
        cdef int32_t places = self.places
        cdef int at, e
        if self.opposite is not None:
            opposite = &self.opposite[0]
        if kind == BID_EQUAL and layout.count[kind]:
            places = <int32_t>(self.below._offsets[child[0] + 1] - self.below._offsets[child[0]])
        for at in range(layout.stride[kind] // LANES_GROUP):
            for e in range(LANES_GROUP):
                source[e] = ((values if sign[e] > 0 else swapped_values)
                             + self.below._offsets[child[e]])
            self.kernel.pack(pack, layout.stride[kind], places, source, sign, opposite)
            pack += LANES_GROUP
            child += LANES_GROUP
            sign += LANES_GROUP

    cdef void load_game(self, Scratch *scratch, double **pack, const lanes_games *games,
                        int32_t game) noexcept nogil:
        """Write one game, from the given packs, into the matrix of the scratch space."""
        cdef lanes_layout *layout = &scratch.layout
        cdef int at, kind
        cdef const double *values
        for kind in range(3):
            values = pack[kind] + games.column[kind][game] * <int64_t>layout.stride[kind]
            for at in range(layout.count[kind]):
                scratch.matrix[layout.row[kind][at] * layout.cols + layout.col[kind][at]] = (
                    values[at] + games.add[kind])

    cdef int solve_cold(self, Scratch *scratch, const lanes_games *games, int32_t game,
                        double *worst) noexcept nogil:
        """Solve one game from nothing; return the size of its basis, which is in the workspace."""
        cdef int rows = scratch.layout.rows, cols = scratch.layout.cols
        cdef int size
        cdef double lower = 0.0, upper = 0.0
        self.load_game(scratch, scratch.layout.pack, games, game)
        size = solve_game(scratch.matrix, rows, cols, scratch.work, &lower, &upper)
        games.result[game] = (lower + upper) * 0.5
        worst[0] = max(worst[0], upper - lower)
        if self.replies:
            self.load_game(scratch, scratch.replies.high_pack, games, game)
            guarantees(scratch.matrix, rows, cols, scratch.work, &lower, &scratch.replies.high[game])
            self.load_game(scratch, scratch.replies.low_pack, games, game)
            guarantees(scratch.matrix, rows, cols, scratch.work, &scratch.replies.low[game], &upper)
        return size

    cdef int32_t try_basis(self, Scratch *scratch, int name, const lanes_games *games,
                           int32_t *pending, int32_t count, int64_t *tried,
                           double *worst) noexcept nogil:
        """Try one guess on a list of games; return how many are left at its front."""
        cdef int32_t left = self.kernel.prove(&scratch.layout, &scratch.bases[name], games,
                                              &scratch.replies if self.replies else NULL,
                                              self.tolerance, self.span, pending, count, worst)
        tried[0] += count
        scratch.bases[name].hits += count - left
        return left

    cdef void solve_list(self, Scratch *scratch, const lanes_games *games, int32_t *pending,
                         int32_t count, int guesses, int64_t *cold, int64_t *tried,
                         double *worst) noexcept nogil:
        """Solve a list of games: by the first so many guesses, then from nothing."""
        cdef int b, name, size
        cdef int32_t game
        for b in range(guesses):
            if count == 0:
                return
            count = self.try_basis(scratch, scratch.order[b], games, pending, count, tried, worst)
        while count:
            count -= 1
            game = pending[count]
            cold[0] += 1
            size = self.solve_cold(scratch, games, game, worst)
            if size:
                name = _keep_basis(scratch, size)
                if count:
                    count = self.try_basis(scratch, name, games, pending, count, tried, worst)

    cdef void solve_games(self, Scratch *scratch, const lanes_games *games, int32_t count,
                          int64_t *cold, int64_t *tried, double *worst) noexcept nogil:
        """Solve the games of one stake.

        A few bases solve most of them, the same ones as at the last stake but in other shares. So
        a sample spread over the games ranks the guesses, and the rest tries them in that order.
        """
        cdef int32_t *pending = scratch.pending
        cdef int32_t i, k, left = 0, sample = min(count, <int32_t>SAMPLE)
        cdef int b, guesses = 0
        for b in range(scratch.count):
            scratch.bases[b].hits = 0
        for k in range(sample):
            pending[k] = k * count // sample
        self.solve_list(scratch, games, pending, sample, scratch.count, cold, tried, worst)
        _order_bases(scratch)
        if sample == count:
            return
        while guesses < scratch.count and scratch.bases[scratch.order[guesses]].hits:
            guesses += 1
        guesses = min(guesses + SPARE_GUESSES, scratch.count)
        for k in range(sample):
            for i in range(k * count // sample + 1, (k + 1) * count // sample):
                pending[left] = i
                left += 1
        self.solve_list(scratch, games, pending, left, guesses, cold, tried, worst)
        _order_bases(scratch)

    cdef void solve_word(self, Scratch *scratch, int64_t at, int64_t *solved, int64_t *cold,
                         int64_t *tried, double *worst) noexcept nogil:
        """Fill the values of one pair of hands."""
        cdef uint64_t word = self.layer._words[at]
        cdef int slack = self.layer._slack[at]
        cdef int64_t offset = self.layer._offsets[at]
        cdef lanes_games games
        cdef int stake, kind
        cdef int64_t start

        if self.antisymmetric and word == _swapped(word) and not self.replies:
            memset(&self.layer._values[offset], 0, self.states[slack] * sizeof(double))
            return
        self.fill_layout(scratch, word)
        scratch.count = 0
        for stake in range(self.stakes.shape[0]):
            if self.games[stake, slack] == 0:
                continue
            start = self.start[stake]
            for kind in range(3):
                games.column[kind] = &self.column[kind, start]
            games.add[BID_HIGHER] = self.stakes[stake]
            games.add[BID_EQUAL] = 0.0
            games.add[BID_LOWER] = -self.stakes[stake]
            games.result = scratch.results + start
            if self.replies:
                scratch.replies.high = scratch.high + start
                scratch.replies.low = scratch.low + start
            solved[0] += self.games[stake, slack]
            self.solve_games(scratch, &games, self.games[stake, slack], cold, tried, worst)
        self.take_means(scratch.results, &self.layer._values[offset], self.states[slack])
        if self.replies:
            self.take_means(scratch.high, &self.layer._high[offset], self.states[slack])
            self.take_means(scratch.low, &self.layer._low[offset], self.states[slack])

    cdef void take_means(self, const double *results, double *out, int64_t states) noexcept nogil:
        """Value each prize state by the mean over the games that may follow."""
        cdef int64_t state, i
        cdef int reveals = <int>self.average.shape[1]
        cdef double total
        for state in range(states):
            total = 0.0
            for i in range(reveals):
                total += results[self.average[state, i]]
            out[state] = total / reveals
        for i in range(self.fixed.shape[0]):
            out[self.fixed[i]] = self.fixed_values[i]


def kernels():
    """Names of the lane kernels that this processor runs, the one in use last."""
    return [name for name in ("baseline", "avx2", "avx512")
            if lanes_select(name.encode()) != NULL]
