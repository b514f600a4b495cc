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

from gops._matrix cimport Workspace, solve_game, workspace_free, workspace_new

cdef extern from "_lanes.h" nogil:
    enum:
        LANES_MAX_CARDS
        LANES_KINDS
    ctypedef struct lanes_entry:
        const double *value
        uint8_t row
        uint8_t col
    ctypedef struct lanes_layout:
        int32_t rows
        int32_t cols
        int32_t end[6]
        lanes_entry entry[961]
    ctypedef struct lanes_basis:
        int32_t size
        int32_t hits
        uint8_t rows[31]
        uint8_t cols[31]
    ctypedef int32_t lanes_prove_function(
        const lanes_layout *, const lanes_basis *, const int32_t **, const double *, double,
        double, int32_t *, int32_t, double *, double *) noexcept
    lanes_prove_function *lanes_select(const char *name)
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
    MAX_BASES = 24      # guesses kept from one stake to the next


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
    lanes_basis bases[MAX_BASES + 1]
    int count
    double matrix[961]
    double *results
    int32_t *pending
    Workspace *work


cdef void _scratch_free(Scratch *scratch) noexcept nogil:
    if scratch != NULL:
        free(scratch.results)
        free(scratch.pending)
        workspace_free(scratch.work)
        free(scratch)


cdef Scratch *_scratch_new(int cards, int64_t games, int64_t most) noexcept nogil:
    cdef Scratch *scratch = <Scratch *>calloc(1, sizeof(Scratch))
    if scratch == NULL:
        return NULL
    scratch.results = <double *>calloc(games + 1, sizeof(double))
    scratch.pending = <int32_t *>calloc(most + 1, sizeof(int32_t))
    scratch.work = workspace_new(cards, cards)
    if scratch.results == NULL or scratch.pending == NULL or scratch.work == NULL:
        _scratch_free(scratch)
        return NULL
    return scratch


cdef inline void _keep_basis(Scratch *scratch, const Workspace *work, int size) noexcept nogil:
    """Add the basis just found to the guesses, in place of the poorest one if all are taken."""
    cdef lanes_basis *basis
    cdef int i
    if scratch.count == MAX_BASES:
        scratch.count -= 1
    basis = &scratch.bases[scratch.count]
    scratch.count += 1
    basis.size = size
    basis.hits = 0
    for i in range(size):
        basis.rows[i] = <uint8_t>work.basis_rows[i]
        basis.cols[i] = <uint8_t>work.basis_cols[i]


cdef inline void _order_bases(Scratch *scratch, int most) noexcept nogil:
    """Order the guesses by their hits, forget the useless ones, and let the counts fade."""
    cdef lanes_basis basis
    cdef int i, j, kept = 0
    for i in range(scratch.count):
        if scratch.bases[i].hits == 0:
            continue
        basis = scratch.bases[i]
        j = kept
        while j > 0 and scratch.bases[j - 1].hits < basis.hits:
            scratch.bases[j] = scratch.bases[j - 1]
            j -= 1
        scratch.bases[j] = basis
        kept += 1
    scratch.count = min(kept, most)
    for i in range(scratch.count):
        scratch.bases[i].hits >>= 3


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
    """

    cdef readonly object words, slack, offsets, values
    cdef const uint64_t[::1] _words
    cdef const uint8_t[::1] _slack
    cdef const int64_t[::1] _offsets
    cdef double[::1] _values
    cdef WordIndex index

    def __init__(self, words, slack, states, values=None):
        self.words = words
        self.slack = slack
        sizes = np.asarray(states, dtype=np.int64)[slack]
        self.offsets = np.concatenate(([0], np.cumsum(sizes)))
        self.values = np.zeros(int(sizes.sum())) if values is None else values
        self._words = self.words
        self._slack = self.slack
        self._offsets = self.offsets
        self._values = self.values
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
    column : int32[6, g]
        Prize state in `below` if player 1 bids higher, equal, lower; then the same for a pair of
        hands stored with the players swapped.
    average : int32[states, reveals]
        Games whose mean is the value of each prize state, one per card that may be turned.
    fixed : int32[f], fixed_values : float64[f]
        Prize states decided before the play, and their values.
    tolerance, span : float
        Largest gap to accept unsolved, and the largest spread of payoffs in a game.
    """

    cdef Layer layer, below
    cdef bint last, antisymmetric
    cdef const double[::1] stakes
    cdef const int64_t[::1] start
    cdef const int32_t[:, ::1] games
    cdef const int32_t[:, ::1] column
    cdef const int32_t[:, ::1] average
    cdef const int64_t[::1] states
    cdef const int32_t[::1] fixed
    cdef const double[::1] fixed_values
    cdef double tolerance, span
    cdef lanes_prove_function *prove
    cdef int64_t next
    cdef int stopped
    cdef int cards
    cdef int64_t most
    cdef readonly int64_t solved, cold, tried
    cdef readonly double worst

    def __init__(self, Layer layer, Layer below, *, int cards, bint last, bint antisymmetric,
                 stakes, start, games, column, average, states, fixed, fixed_values,
                 double tolerance, double span, kernel=None):
        self.layer = layer
        self.below = below
        self.cards = cards
        self.last = last
        self.antisymmetric = antisymmetric
        self.stakes = stakes
        self.start = start
        self.games = games
        self.column = column
        self.average = average
        self.states = states
        self.fixed = fixed
        self.fixed_values = fixed_values
        self.tolerance = tolerance
        self.span = span
        self.most = int(games.max()) if games.size else 0
        name = lanes_best() if kernel is None else kernel.encode()
        self.prove = lanes_select(name)
        if self.prove == NULL:
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
        cdef Scratch *scratch = _scratch_new(self.cards, self.column.shape[1], self.most)
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
        """Describe the matrix of a pair of hands; of interchangeable bids keep one."""
        cdef lanes_layout *layout = &scratch.layout
        cdef int first[MAX_LETTERS]
        cdef int second[MAX_LETTERS]
        cdef int length = _length(word)
        cdef int i, j, at, letter, previous = 0, kind
        cdef int32_t child
        cdef uint64_t left, swapped
        cdef lanes_entry *entry
        cdef int count[6]
        cdef uint8_t kinds[961]
        cdef const double *values[961]
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
        memset(count, 0, sizeof(count))
        for i in range(layout.rows):
            for j in range(layout.cols):
                at = i * layout.cols + j
                kind = 0 if first[i] > second[j] else 1 if first[i] == second[j] else 2
                child = 0
                if not self.last:
                    left = _child(word, first[i], second[j])
                    swapped = _swapped(left)
                    if swapped < left:
                        left = swapped
                        kind += 3
                    child = self.below.index.find(left)
                kinds[at] = <uint8_t>kind
                values[at] = &self.below._values[self.below._offsets[child]]
                count[kind] += 1
        layout.end[0] = 0
        for kind in range(5):
            layout.end[kind + 1] = layout.end[kind] + count[kind]
        for i in range(layout.rows):
            for j in range(layout.cols):
                at = i * layout.cols + j
                entry = &layout.entry[layout.end[kinds[at]]]
                layout.end[kinds[at]] += 1
                entry.value = values[at]
                entry.row = <uint8_t>i
                entry.col = <uint8_t>j

    cdef double solve_cold(self, Scratch *scratch, const int32_t **column, const double *add,
                           int32_t game, int *size) noexcept nogil:
        """Solve one game from nothing; leaves its basis in the workspace, returns the gap."""
        cdef lanes_layout *layout = &scratch.layout
        cdef int at = 0, kind
        cdef double lower = 0.0, upper = 0.0, value
        cdef lanes_entry *entry
        for kind in range(6):
            while at < layout.end[kind]:
                entry = &layout.entry[at]
                value = entry.value[column[kind][game]]
                scratch.matrix[entry.row * layout.cols + entry.col] = (
                    add[kind] + value if kind < 3 else add[kind] - value)
                at += 1
        size[0] = solve_game(scratch.matrix, layout.rows, layout.cols, scratch.work, &lower,
                             &upper)
        scratch.matrix[0] = (lower + upper) * 0.5
        return upper - lower

    cdef void solve_word(self, Scratch *scratch, int64_t at, int64_t *solved, int64_t *cold,
                         int64_t *tried, double *worst) noexcept nogil:
        cdef uint64_t word = self.layer._words[at]
        cdef int slack = self.layer._slack[at]
        cdef double *out = &self.layer._values[self.layer._offsets[at]]
        cdef double *results
        cdef const int32_t *column[6]
        cdef double add[6]
        cdef double gap, total
        cdef int32_t pending, before
        cdef int stake, kind, b, size, game
        cdef int64_t state, i
        cdef int64_t states = self.states[slack]
        cdef int reveals = <int>self.average.shape[1]
        cdef lanes_basis *basis

        if self.antisymmetric and word == _swapped(word):
            for state in range(states):
                out[state] = 0.0
            return
        self.fill_layout(scratch, word)
        scratch.count = 0
        for stake in range(self.stakes.shape[0]):
            pending = self.games[stake, slack]
            if pending == 0:
                continue
            solved[0] += pending
            results = scratch.results + self.start[stake]
            for kind in range(6):
                column[kind] = &self.column[kind, self.start[stake]]
            add[0] = add[3] = self.stakes[stake]
            add[1] = add[4] = 0.0
            add[2] = add[5] = -self.stakes[stake]
            for i in range(pending):
                scratch.pending[i] = <int32_t>i
            b = 0
            while pending:
                if b == scratch.count:
                    # No guess is left: solve one game, and guess its basis for the others.
                    pending -= 1
                    game = scratch.pending[pending]
                    cold[0] += 1
                    gap = self.solve_cold(scratch, column, add, game, &size)
                    results[game] = scratch.matrix[0]
                    worst[0] = max(worst[0], gap)
                    if size:
                        _keep_basis(scratch, scratch.work, size)
                        b = scratch.count - 1
                        scratch.bases[b].hits = 1
                    if size == 0 or pending == 0:
                        b = scratch.count
                        continue
                basis = &scratch.bases[b]
                before = pending
                tried[0] += pending
                pending = self.prove(&scratch.layout, basis, column, add, self.tolerance,
                                     self.span, scratch.pending, pending, results, worst)
                basis.hits += before - pending
                b += 1
            _order_bases(scratch, MAX_BASES - 1)
        for state in range(states):
            total = 0.0
            for i in range(reveals):
                total += scratch.results[self.average[state, i]]
            out[state] = total / reveals
        for i in range(self.fixed.shape[0]):
            out[self.fixed[i]] = self.fixed_values[i]


def kernels():
    """Names of the lane kernels that this processor runs, the one in use last."""
    return [name for name in ("baseline", "avx2", "avx512")
            if lanes_select(name.encode()) != NULL]
