# The engine of every lot-style game, for Cython programs: `from gops cimport _core`.
#
# A `State` is a plain value of a few hundred bytes, rules included. To undo, keep a copy. Nothing
# here allocates, raises or needs the GIL; nothing checks its arguments either: a bid must be legal
# (`is_legal`), a prize must be there to be turned or picked, the phase must be the right one.
#
# Cards are bits (card c is bit c - 1), a bid is a set of cards, players count from 0 here only.

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

cdef extern from *:
    int popcount "__builtin_popcount"(unsigned int) noexcept nogil
    int lowest_bit "__builtin_ctz"(unsigned int) noexcept nogil

cdef enum:
    MAX_PLAYERS = 7
    MAX_PRIZES = 31

cdef enum Tie:
    CARRY
    DISCARD
    SPLIT
    UNIQUE

cdef enum Phase:
    OVER
    REVEAL  # `due` prizes are to be turned
    BID     # all players bid
    PICK    # the player `picker` takes a prize from the display

cdef enum:
    CLINCH = -1  # value of `target`

ctypedef struct State:
    uint32_t hands[MAX_PLAYERS]
    int32_t scores[MAX_PLAYERS]  # in units: a point is `unit` of them, so that shares are exact
    int32_t unit
    int32_t pot                  # value of the prizes on offer
    int32_t lost                 # value of the prizes that nobody can get any more
    int32_t target               # stop at this many points; 0 never, CLINCH when decided
    int16_t deck[MAX_PRIZES]     # gone, then on offer (oldest first), then face down (next first)
    uint8_t takers[MAX_PRIZES]   # per prize of the deck: who got it (a set); 0 nobody (yet)
    uint8_t prizes               # size of the deck
    uint8_t turned               # prizes turned so far: deck[:turned]
    uint8_t offer                # prizes on offer: deck[turned - offer : turned]
    uint8_t due                  # prizes still to be turned before the bids
    uint8_t rounds_left          # while picking: after this round
    uint8_t held                 # cards in each hand
    uint8_t phase
    uint8_t winner               # of the last bids, counted from 1; 0 nobody
    uint8_t known                # whether the order of the face-down prizes is public
    # rules
    uint8_t players
    uint8_t tie
    uint8_t fallback
    uint8_t bids
    uint8_t lot
    uint8_t open
    uint8_t picks
    uint8_t auto_pick
    uint8_t discard_leftover
    # picking
    uint8_t queue[MAX_PLAYERS]   # who picks next, as sets of players: more than one have tied
    uint8_t queued
    uint8_t picks_left


cdef inline int bid_size(const State* s) noexcept nogil:
    """Cards in a bid of this round."""
    return s.bids if s.bids < s.held else s.held


cdef inline bint is_legal(const State* s, int player, uint32_t bid) noexcept nogil:
    """Whether ``player`` may bid the set ``bid`` now."""
    if s.phase != BID or bid & ~s.hands[player]:
        return False
    if s.bids == 1:
        return bid != 0 and bid & (bid - 1) == 0
    return popcount(bid) == bid_size(s)


cdef inline uint32_t first_bid(const State* s, int player) noexcept nogil:
    """The first legal bid in the order of `next_bid`."""
    cdef uint32_t rest = s.hands[player], bid = 0
    cdef int i
    for i in range(bid_size(s)):
        bid |= rest & -rest
        rest &= rest - 1
    return bid


cdef inline uint32_t next_bid(const State* s, int player, uint32_t bid) noexcept nogil:
    """The legal bid after ``bid``, numerically; 0 after the last."""
    cdef uint32_t hand = s.hands[player], rest, card, low = hand
    cdef int moved = 0
    if s.bids == 1:
        rest = hand & ~((bid << 1) - 1)
        return rest & -rest
    # Move the lowest card that can move up by one place, and those below it back to the bottom.
    rest = bid
    while rest:
        card = rest & -rest
        rest ^= card
        low = hand & ~((card << 1) - 1)
        low &= -low
        if low and not bid & low:
            bid = rest | low
            low = hand
            while moved:
                card = low & -low
                low ^= card
                bid |= card
                moved -= 1
            return bid
        moved += 1
    return 0


cdef inline uint32_t strength(const State* s, uint32_t bid) noexcept nogil:
    """What a bid counts, comparable within a round only."""
    cdef uint32_t total = 0
    if s.bids == 1:
        return bid
    while bid:
        total += lowest_bit(bid) + 1
        bid &= bid - 1
    return total


cdef inline int32_t winnable(const State* s) noexcept nogil:
    """The most points that the rest of the game can still give to one player."""
    # A lot goes to one player with all that was carried; from open prizes a player gets one a round.
    cdef int first = s.turned - s.offer if s.open else s.turned
    cdef int i, best, room = s.rounds_left * (1 if s.open else s.lot)
    cdef int32_t total = 0 if s.open else s.pot
    cdef uint32_t rest = (<uint32_t>1 << s.prizes) - (<uint32_t>1 << first)
    while room > 0 and rest:
        best = lowest_bit(rest)
        for i in range(best + 1, s.prizes):
            if rest >> i & 1 and s.deck[i] > s.deck[best]:
                best = i
        total += s.deck[best]
        rest ^= <uint32_t>1 << best
        room -= 1
    return total


cdef inline bint is_decided(const State* s) noexcept nogil:
    """Whether the early stop of the rules has been reached."""
    cdef int32_t best = 0, second = 0
    cdef int p
    for p in range(s.players):
        if s.scores[p] >= best:
            second, best = best, s.scores[p]
        elif s.scores[p] > second:
            second = s.scores[p]
    if s.target == CLINCH:
        return best - second > winnable(s) * s.unit
    return best >= s.target * s.unit


cdef inline void begin_round(State* s) noexcept nogil:
    """Enter the next round, or end the game and void what is still on offer."""
    cdef int face_down = s.prizes - s.turned, due
    if (
        s.rounds_left == 0
        or (s.offer == 0 and face_down == 0)
        or (s.target != 0 and is_decided(s))
    ):
        s.lost += s.pot
        s.pot = 0
        s.offer = 0
        s.due = 0
        s.rounds_left = 0
        s.phase = OVER
        return
    due = s.open - s.offer if s.open else s.lot
    s.due = due if due < face_down else face_down
    s.phase = REVEAL if s.due else BID


cdef inline int32_t share_unit(int players) noexcept nogil:
    """The units of a point with which every share among up to ``players`` is whole."""
    if players > 4:
        return 420 if players == 7 else 60
    return 12 if players == 4 else 6 if players == 3 else 2


cdef inline void init(State* s, int players, int cards, int tie) noexcept nogil:
    """Set up the usual game: full hands, prizes 1 to ``cards``, one card a bid, one prize a round.

    For other rules change fields now, or make the state zeros and fill it in, then `begin_round`.
    """
    cdef int i
    memset(s, 0, sizeof(State))
    s.players = players
    s.tie = tie
    s.unit = share_unit(players) if tie == SPLIT else 1
    s.bids = 1
    s.lot = 1
    s.prizes = cards
    s.held = cards
    s.rounds_left = cards
    for i in range(players):
        s.hands[i] = (<uint32_t>1 << cards) - 1
    for i in range(cards):
        s.deck[i] = i + 1
    begin_round(s)


cdef inline void turn(State* s, int which) noexcept nogil:
    """Turn up the face-down prize number ``which`` (0: the next)."""
    cdef int at = s.turned + which
    cdef int16_t prize = s.deck[at]
    while at > s.turned:
        s.deck[at] = s.deck[at - 1]
        at -= 1
    s.deck[at] = prize
    s.turned += 1
    s.offer += 1
    s.pot += prize
    s.due -= 1
    if s.due == 0:
        s.phase = BID


cdef inline void give(State* s, int which, uint32_t players) noexcept nogil:
    """Share the prize number ``which`` on offer among ``players`` (a set)."""
    cdef int at = s.turned - s.offer + which, first = s.turned - s.offer, p
    cdef int16_t prize = s.deck[at]
    cdef int32_t share = prize * s.unit
    if players & (players - 1):
        share //= popcount(players)
    while at > first:
        s.deck[at] = s.deck[at - 1]
        at -= 1
    s.deck[at] = prize
    s.takers[at] = players
    s.offer -= 1
    s.pot -= prize
    for p in range(s.players):
        if players >> p & 1:
            s.scores[p] += share


cdef inline void give_all(State* s, uint32_t players) noexcept nogil:
    """Share all prizes on offer among ``players`` (a set)."""
    cdef int p, at
    cdef int32_t share = s.pot * s.unit
    if players & (players - 1):
        share //= popcount(players)
    for at in range(s.turned - s.offer, s.turned):
        s.takers[at] = players
    for p in range(s.players):
        if players >> p & 1:
            s.scores[p] += share
    s.pot = 0
    s.offer = 0


cdef inline void discard_all(State* s) noexcept nogil:
    s.lost += s.pot
    s.pot = 0
    s.offer = 0


cdef inline int best_prize(const State* s) noexcept nogil:
    """The number of the most valuable prize on offer, the oldest of equals."""
    cdef int i, best = 0, first = s.turned - s.offer
    for i in range(1, s.offer):
        if s.deck[first + i] > s.deck[first + best]:
            best = i
    return best


cdef inline void settle_lot(State* s, const uint32_t* bids) noexcept nogil:
    """Give the whole lot to the winner, or treat the tie."""
    cdef uint32_t value, best = 0, repeated = 0, seen = 0, top = 0
    cdef int p, q, count
    cdef uint8_t tie = s.tie
    for p in range(s.players):
        value = strength(s, bids[p])
        if value > best:
            best = value
            top = 1 << p
        elif value == best:
            top |= 1 << p
    if tie == UNIQUE and top & (top - 1):
        # Look below the tie at the top for the highest bid made by one player only.
        best = 0
        for p in range(s.players):
            value = strength(s, bids[p])
            count = 0
            for q in range(s.players):
                count += strength(s, bids[q]) == value
            if count == 1 and value > best:
                best = value
                top = 1 << p
        tie = s.fallback
    if top & (top - 1) == 0:
        s.winner = lowest_bit(top) + 1
        give_all(s, top)
        return
    s.winner = 0
    if tie == DISCARD:
        discard_all(s)
    elif tie == SPLIT:
        give_all(s, top)


cdef inline void queue_pickers(State* s, const uint32_t* bids) noexcept nogil:
    """Queue the players from the strongest bid down, tied ones together.

    Under `UNIQUE` tied players do not pick; the strongest of the tied groups comes last, to say
    that the fallback applies to what the others leave.
    """
    cdef uint32_t strengths[MAX_PLAYERS]
    cdef uint32_t best, group, left = (1 << s.players) - 1, tied = 0
    cdef int p
    for p in range(s.players):
        strengths[p] = strength(s, bids[p])
    s.queued = 0
    s.winner = 0
    while left:
        best = 0
        group = 0
        for p in range(s.players):
            if left >> p & 1:
                if strengths[p] > best:
                    best = strengths[p]
                    group = 1 << p
                elif strengths[p] == best:
                    group |= 1 << p
        left &= ~group
        if s.tie == UNIQUE and group & (group - 1):
            tied = tied or group
        else:
            s.queue[s.queued] = group
            s.queued += 1
    if tied:
        s.queue[s.queued] = tied
        s.queued += 1
    if s.queue[0] & (s.queue[0] - 1) == 0:
        s.winner = lowest_bit(s.queue[0]) + 1
    s.picks_left = s.picks


cdef inline void unqueue(State* s) noexcept nogil:
    cdef int i
    s.queued -= 1
    for i in range(s.queued):
        s.queue[i] = s.queue[i + 1]
    s.queue[s.queued] = 0


cdef inline void serve_pickers(State* s) noexcept nogil:
    """Go down the queue as far as no player has a choice; end the round after the last."""
    cdef uint32_t group
    cdef int shared
    cdef uint8_t tie
    cdef bint stopped = False
    while s.queued and s.picks_left and s.offer and not stopped:
        group = s.queue[0]
        if group & (group - 1) == 0:
            if s.offer > 1 and not s.auto_pick:
                s.phase = PICK
                return
            give(s, best_prize(s), group)
            s.picks_left -= 1
        else:
            tie = s.fallback if s.tie == UNIQUE else s.tie
            if tie == SPLIT:
                shared = popcount(group)
                while shared and s.picks_left and s.offer:
                    give(s, best_prize(s), group)
                    s.picks_left -= 1
                    shared -= 1
            elif tie == DISCARD:
                discard_all(s)
            else:
                stopped = True
        unqueue(s)
    if s.discard_leftover and not stopped:
        discard_all(s)
    while s.queued:
        unqueue(s)
    s.picks_left = 0
    begin_round(s)


cdef inline int picker(const State* s) noexcept nogil:
    """The player who picks now."""
    return lowest_bit(s.queue[0])


cdef inline void pick(State* s, int which) noexcept nogil:
    """Let the player in turn take the prize number ``which`` on offer."""
    give(s, which, s.queue[0])
    s.picks_left -= 1
    unqueue(s)
    serve_pickers(s)


cdef inline void play(State* s, const uint32_t* bids) noexcept nogil:
    """Resolve one bid of each player."""
    cdef int p
    for p in range(s.players):
        s.hands[p] &= ~bids[p]
    s.rounds_left -= 1
    if s.open:
        queue_pickers(s, bids)
        s.held -= bid_size(s)
        serve_pickers(s)
    else:
        settle_lot(s, bids)
        s.held -= bid_size(s)
        begin_round(s)


cdef inline bint is_terminal(const State* s) noexcept nogil:
    """Whether the game is over."""
    return s.phase == OVER


cdef inline void sort_face_down(State* s) noexcept nogil:
    """Put the face-down prizes in ascending order."""
    cdef int i, j
    cdef int16_t prize
    for i in range(s.turned + 1, s.prizes):
        prize = s.deck[i]
        j = i
        while j > s.turned and s.deck[j - 1] > prize:
            s.deck[j] = s.deck[j - 1]
            j -= 1
        s.deck[j] = prize


cdef inline void strip(State* s) noexcept nogil:
    """Forget how the position came about, and the hidden order: equal positions, equal bytes."""
    cdef int i, gone = s.turned - s.offer
    if not s.known:
        sort_face_down(s)
    for i in range(s.prizes - gone):
        s.deck[i] = s.deck[i + gone]
    memset(&s.deck[s.prizes - gone], 0, (MAX_PRIZES - s.prizes + gone) * sizeof(s.deck[0]))
    memset(s.takers, 0, sizeof(s.takers))
    s.prizes -= gone
    s.turned -= gone
    s.lost = 0
    s.winner = 0


# A small fast generator (xoshiro256++), for playouts without the GIL.
ctypedef struct Random:
    uint64_t s[4]


cdef inline uint64_t next_random(Random* r) noexcept nogil:
    cdef uint64_t x = r.s[0] + r.s[3]
    cdef uint64_t result = ((x << 23) | (x >> 41)) + r.s[0]
    cdef uint64_t t = r.s[1] << 17
    r.s[2] ^= r.s[0]
    r.s[3] ^= r.s[1]
    r.s[1] ^= r.s[2]
    r.s[0] ^= r.s[3]
    r.s[2] ^= t
    r.s[3] = (r.s[3] << 45) | (r.s[3] >> 19)
    return result


cdef inline uint32_t below(Random* r, uint32_t n) noexcept nogil:
    """A number from 0 to n - 1, all equally likely."""
    cdef uint64_t product = (next_random(r) >> 32) * n
    cdef uint32_t threshold
    if <uint32_t>product < n:
        threshold = (<uint32_t>0 - n) % n
        while <uint32_t>product < threshold:
            product = (next_random(r) >> 32) * n
    return product >> 32


cdef inline uint32_t random_bid(const State* s, int player, Random* r) noexcept nogil:
    """A legal bid, all equally likely."""
    cdef uint32_t hand = s.hands[player], rest, bid = 0
    cdef int i, j, size = bid_size(s)
    for i in range(size):
        rest = hand
        for j in range(below(r, s.held - i)):
            rest &= rest - 1
        rest &= -rest
        bid |= rest
        hand ^= rest
    return bid


cdef inline void random_step(State* s, Random* r) noexcept nogil:
    """Turn, bid or pick at random."""
    cdef uint32_t bids[MAX_PLAYERS]
    cdef int p
    if s.phase == REVEAL:
        turn(s, 0 if s.known else below(r, s.prizes - s.turned))
    elif s.phase == BID:
        for p in range(s.players):
            bids[p] = random_bid(s, p, r)
        play(s, bids)
    elif s.phase == PICK:
        pick(s, below(r, s.offer))


cdef int64_t perft(const State* s, int depth) noexcept nogil
cdef void playouts(const State* start, Random* r, int64_t games, int32_t* scores) noexcept nogil
