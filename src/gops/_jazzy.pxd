# The engine of Jazzy GOPS, for Cython programs: `from gops cimport _jazzy`.
#
# A `State` is a plain value, rules included; to undo, keep a copy. Nothing here allocates, raises,
# needs the GIL or checks its arguments. Players count from 0. A bid is a card 1 to 13, or 14 for the
# ace bid high; a prize is a diamond 1 to 13, or 0 for the joker.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from gops._core cimport BID, OVER, REVEAL, Random, below, lowest_bit, popcount

cdef enum:
    PLAYERS = 3
    PRIZES = 14
    SUIT = 13
    JOKER = 0
    HIGH_ACE = 14
    MAX_STEPS = 192  # 13 reveals and 13 bids for each when all bids tie and no card is ever spent

cdef enum Triple:
    FIRST
    LAST
    NONE

ctypedef struct State:
    uint16_t hands[PLAYERS]  # card c is bit c - 1; what lies in the chain is not in hand
    uint16_t won[PLAYERS]    # prize c is bit c
    uint16_t lost            # prizes that nobody can get any more
    uint8_t deck[PRIZES]     # gone, then on offer, then face down (next first)
    uint8_t chain[SUIT]      # ranks of the triples on the table, oldest first
    uint8_t chained
    uint8_t prizes           # size of the deck
    uint8_t turned           # prizes turned so far: deck[:turned]
    uint8_t offer            # prizes on offer: deck[turned - offer : turned]
    uint8_t joker_down       # whether the joker is face down
    uint8_t partner          # the diamond that came with the joker; 0 before
    uint8_t held             # cards in each hand
    uint8_t rounds_left
    uint8_t phase
    uint8_t winner           # of the last bids, counted from 1; 0 nobody
    # rules
    uint8_t aces_tie_by_card
    uint8_t queen_excluded
    uint8_t face_lone_court
    uint8_t spent_triple
    uint8_t all_level


cdef inline int card_of(int bid) noexcept nogil:
    return 1 if bid == HIGH_ACE else bid


cdef inline bint is_legal(const State* s, int player, int bid) noexcept nogil:
    """Whether ``player`` may make this bid, of 1 to 14, now."""
    return s.phase == BID and s.hands[player] >> (card_of(bid) - 1) & 1


cdef inline int bid_count(const State* s, int player) noexcept nogil:
    """The number of legal bids: the ace is two."""
    return s.held + (s.hands[player] & 1)


cdef inline void begin_trick(State* s) noexcept nogil:
    """Enter the next trick, or end the deal."""
    cdef int cards = s.held + s.chained, diamonds = s.prizes - s.turned - s.joker_down
    s.offer = 0
    s.rounds_left = cards if cards < diamonds else diamonds
    if s.rounds_left:
        s.phase = REVEAL
        return
    s.phase = OVER
    if s.joker_down and s.turned == s.prizes - 1:
        s.turned += 1  # the joker comes last: nobody bids for it
        s.joker_down = 0
        s.lost |= 1


cdef inline void turn(State* s, int which) noexcept nogil:
    """Turn up the face-down prize number ``which`` (0: the next); the joker brings another."""
    cdef int at = s.turned + which
    cdef uint8_t prize = s.deck[at]
    while at > s.turned:
        s.deck[at] = s.deck[at - 1]
        at -= 1
    s.deck[at] = prize
    s.turned += 1
    s.offer += 1
    if prize == JOKER:
        s.joker_down = 0
        return
    if s.offer == 2:
        s.partner = prize
    s.phase = BID


cdef inline void take_back(State* s, int first, int stop) noexcept nogil:
    """Return the triples ``first`` to ``stop`` of the chain to their owners."""
    cdef int i, p
    for i in range(first, stop):
        for p in range(PLAYERS):
            s.hands[p] |= 1 << (s.chain[i] - 1)
    s.held += stop - first


cdef inline uint16_t offered(const State* s) noexcept nogil:
    """The prizes on offer, as a set."""
    cdef uint16_t prizes = 0
    cdef int i
    for i in range(s.turned - s.offer, s.turned):
        prizes |= 1 << s.deck[i]
    return prizes


cdef inline void play(State* s, const uint8_t* bids) noexcept nogil:
    """Resolve one bid of each player."""
    cdef int rank[PLAYERS]
    cdef int p, winner
    for p in range(PLAYERS):
        rank[p] = card_of(bids[p]) if s.aces_tie_by_card else bids[p]
        s.hands[p] &= ~(1 << (card_of(bids[p]) - 1))
    s.held -= 1
    s.winner = 0
    if rank[0] == rank[1] == rank[2]:
        s.chain[s.chained] = card_of(bids[0])
        s.chained += 1
        if s.held:
            return
        s.lost |= offered(s)
        if s.spent_triple == FIRST:
            take_back(s, 1, s.chained)
        elif s.spent_triple == LAST:
            take_back(s, 0, s.chained - 1)
        else:
            take_back(s, 0, s.chained)
    else:
        if rank[0] == rank[1]:
            winner = 2
        elif rank[0] == rank[2]:
            winner = 1
        elif rank[1] == rank[2]:
            winner = 0
        else:
            winner = 0 if bids[0] > bids[1] else 1
            winner = 2 if bids[2] > bids[winner] else winner
        s.won[winner] |= offered(s)
        s.winner = winner + 1
        take_back(s, 0, s.chained)
    s.chained = 0
    begin_trick(s)


cdef inline int total(const State* s, uint16_t won, int partner) noexcept nogil:
    """What a set of prizes is worth to its owner; ``partner`` came with the joker."""
    cdef int low = 99, high = 0, sum = 0, rank, jack, king
    for rank in range(1, 11):
        if won >> rank & 1:
            low = rank if rank < low else low
            high = rank
            sum += rank
    if won >> 12 & 1 and not s.queen_excluded:
        low = 0
    jack, king = low, high
    if low == 99:
        jack, king = (11, 13) if s.face_lone_court else (0, 0)
    if won >> 11 & 1:
        sum += jack
    if won >> 13 & 1:
        sum += king
    if won & 1:
        sum += jack if partner == 11 else king if partner == 13 else 0 if partner == 12 else partner
    return sum


cdef inline void score(const State* s, int32_t* totals) noexcept nogil:
    cdef int p
    for p in range(PLAYERS):
        totals[p] = total(s, s.won[p], s.partner)


cdef inline void award(const State* s, const int32_t* totals, int32_t* awards) noexcept nogil:
    """Let the highest and the lowest total count, or with two level only the third."""
    cdef int p, above, below, level
    for p in range(PLAYERS):
        above = (totals[(p + 1) % 3] > totals[p]) + (totals[(p + 2) % 3] > totals[p])
        below = (totals[(p + 1) % 3] < totals[p]) + (totals[(p + 2) % 3] < totals[p])
        level = 2 - above - below
        awards[p] = totals[p] if above == 2 or below == 2 or (level == 2 and s.all_level) else 0


cdef inline int random_bid(const State* s, int player, Random* r) noexcept nogil:
    """A legal bid, all equally likely."""
    cdef uint16_t rest = s.hands[player]
    cdef int skip = below(r, bid_count(s, player))
    if skip == s.held:
        return HIGH_ACE
    while skip:
        rest &= rest - 1
        skip -= 1
    return lowest_bit(rest) + 1


cdef inline void random_step(State* s, Random* r) noexcept nogil:
    """Turn or bid at random."""
    cdef uint8_t bids[PLAYERS]
    cdef int p
    if s.phase == REVEAL:
        turn(s, random_prize(s, r))
    elif s.phase == BID:
        for p in range(PLAYERS):
            bids[p] = random_bid(s, p, r)
        play(s, bids)


cdef inline int random_prize(const State* s, Random* r) noexcept nogil:
    """The number of a face-down prize, all equally likely."""
    return below(r, s.prizes - s.turned)


cdef int64_t perft(const State* s, int depth) noexcept nogil
cdef void playouts(const State* start, Random* r, int64_t games, int32_t* scores) noexcept nogil
cdef int set_rules(State* s, object rules) except -1
