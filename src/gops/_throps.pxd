# The engine of Throps, for Cython programs: `from gops cimport _throps`.
#
# A `State` is a plain value, rules included; to undo, keep a copy. Nothing here allocates, raises,
# needs the GIL or checks its arguments. Players count from 0. A card is a number from 0 to 51: 13
# times its suit (spades, clubs, hearts, diamonds) plus its place among 2, 3, ... king, ace.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from gops._core cimport BID, OVER, REVEAL, Random, below

cdef extern from *:
    int lowest_card "__builtin_ctzll"(unsigned long long) noexcept nogil

cdef enum:
    PLAYERS = 3
    CARDS = 52
    SUIT = 13
    ACE = 12
    MAX_STEPS = 32  # 13 reveals, 13 bids and some room

ctypedef struct State:
    uint64_t hands[PLAYERS]  # card c is bit c
    uint64_t won[PLAYERS]
    uint8_t deck[SUIT]       # gone, then on offer, then face down (next first)
    uint8_t prizes           # size of the deck
    uint8_t turned           # cards turned so far: deck[:turned]
    uint8_t offer            # 1 while deck[turned - 1] is on offer
    uint8_t held             # cards in each hand
    uint8_t rounds_left
    uint8_t phase
    uint8_t winner           # of the last bids, counted from 1
    # rules
    uint8_t ace_low


cdef inline bint is_legal(const State* s, int player, int card) noexcept nogil:
    """Whether ``player`` may bid this card now."""
    return s.phase == BID and s.hands[player] >> card & 1


cdef inline void begin_trick(State* s) noexcept nogil:
    """Enter the next trick, or end the deal."""
    cdef int cards = s.prizes - s.turned
    s.offer = 0
    s.rounds_left = s.held if s.held < cards else cards
    s.phase = REVEAL if s.rounds_left else OVER


cdef inline void turn(State* s, int which) noexcept nogil:
    """Turn up the face-down card number ``which`` (0: the next)."""
    cdef int at = s.turned + which
    cdef uint8_t card = s.deck[at]
    while at > s.turned:
        s.deck[at] = s.deck[at - 1]
        at -= 1
    s.deck[at] = card
    s.turned += 1
    s.offer = 1
    s.phase = BID


cdef inline int strength(int card, int stock, bint ace_low) noexcept nogil:
    """What a bid counts against the stock card: rank, then suit."""
    cdef int rank = card % SUIT
    if ace_low:
        rank = (rank + 1) % SUIT
    # Own suit, own colour, own parity, the other: in this numbering 0 to 3 by exclusive or.
    return 4 * rank + 3 - (card // SUIT ^ stock // SUIT)


cdef inline void play(State* s, const uint8_t* bids) noexcept nogil:
    """Resolve one bid of each player."""
    cdef uint8_t stock = s.deck[s.turned - 1]
    cdef int p, counts, best = -1
    for p in range(PLAYERS):
        s.hands[p] &= ~(<uint64_t>1 << bids[p])
        counts = strength(bids[p], stock, s.ace_low)
        if counts > best:
            best = counts
            s.winner = p + 1
    s.won[s.winner - 1] |= <uint64_t>1 << stock
    s.held -= 1
    begin_trick(s)


cdef inline int points(int card) noexcept nogil:
    """The card points: the pips, 10 for a court card, 11 for an ace."""
    cdef int rank = card % SUIT
    return 11 if rank == ACE else rank + 2 if rank < 9 else 10


cdef inline int total(uint64_t won) noexcept nogil:
    """The score of a set of cards: the best suit less all others."""
    cdef int suits[4]
    cdef int card, suit, best = 0, sum = 0
    for suit in range(4):
        suits[suit] = 0
    while won:
        card = lowest_card(won)
        won &= won - 1
        suits[card // SUIT] += points(card)
    for suit in range(4):
        sum += suits[suit]
        best = suits[suit] if suits[suit] > best else best
    return 2 * best - sum


cdef inline void score(const State* s, int32_t* totals) noexcept nogil:
    cdef int p
    for p in range(PLAYERS):
        totals[p] = total(s.won[p])


cdef inline int random_bid(const State* s, int player, Random* r) noexcept nogil:
    """A card of the hand, all equally likely."""
    cdef uint64_t rest = s.hands[player]
    cdef int skip
    for skip in range(below(r, s.held)):
        rest &= rest - 1
    return lowest_card(rest)


cdef inline void random_step(State* s, Random* r) noexcept nogil:
    """Turn or bid at random."""
    cdef uint8_t bids[PLAYERS]
    cdef int p
    if s.phase == REVEAL:
        turn(s, below(r, s.prizes - s.turned))
    elif s.phase == BID:
        for p in range(PLAYERS):
            bids[p] = random_bid(s, p, r)
        play(s, bids)


cdef inline void deal(State* s, Random* r) noexcept nogil:
    """Deal the pack: three hands and the stock."""
    cdef uint8_t pack[CARDS]
    cdef int i, j
    for i in range(CARDS):
        pack[i] = i
    for i in range(PLAYERS):
        s.hands[i] = s.won[i] = 0
    for i in range(CARDS):
        j = i + <int>below(r, CARDS - i)
        pack[i], pack[j] = pack[j], pack[i]
        if i < PLAYERS * SUIT:
            s.hands[i // SUIT] |= <uint64_t>1 << pack[i]
        else:
            s.deck[i - PLAYERS * SUIT] = pack[i]
    s.prizes = s.held = SUIT
    s.turned = 0
    begin_trick(s)


cdef int64_t perft(const State* s, int depth) noexcept nogil
cdef void playouts(const State* start, Random* r, int64_t games, int32_t* scores) noexcept nogil
