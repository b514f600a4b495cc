"""The engine of Jazzy GOPS; its functions are for Cython (see ``_jazzy.pxd``)."""

from libc.string cimport memset


cdef int64_t bid_all(const State* s, int player, uint8_t* bids, int depth) noexcept nogil:
    """Count the sequences after each choice of bids by ``player`` and all players behind."""
    cdef State after
    cdef int64_t count = 0
    cdef int bid
    if player == PLAYERS:
        after = s[0]
        play(&after, bids)
        return perft(&after, depth - 1)
    for bid in range(1, HIGH_ACE + 1):
        if is_legal(s, player, bid):
            bids[player] = bid
            count += bid_all(s, player + 1, bids, depth)
    return count


cdef int64_t turn_all(const State* s, int depth) noexcept nogil:
    """Count the sequences after each way to turn the prizes of this trick."""
    cdef State after
    cdef int64_t count = 0
    cdef int which
    if s.phase != REVEAL:
        return perft(s, depth - 1)
    for which in range(s.prizes - s.turned):
        after = s[0]
        turn(&after, which)
        count += turn_all(&after, depth)
    return count


cdef int64_t perft(const State* s, int depth) noexcept nogil:
    """Count the sequences of ``depth`` reveals and joint bids."""
    cdef uint8_t bids[PLAYERS]
    cdef int64_t count = 1
    cdef int p
    if depth == 0:
        return 1
    if s.phase == REVEAL:
        return turn_all(s, depth)
    if s.phase == OVER:
        return 0
    if depth == 1:
        for p in range(PLAYERS):
            count *= bid_count(s, p)
        return count
    return bid_all(s, 0, bids, depth)


cdef void playouts(const State* start, Random* r, int64_t games, int32_t* scores) noexcept nogil:
    """Play ``games`` random deals and write the captured totals, ``scores[game][player]``."""
    cdef State s
    cdef int64_t game
    for game in range(games):
        s = start[0]
        while s.phase != OVER:
            random_step(&s, r)
        score(&s, &scores[game * PLAYERS])


def totals(won, int partner, rules, /):
    """Return what sets of prizes are worth to their owners; ``partner`` came with the joker."""
    cdef State s
    cdef int prize, mask
    cdef list worth = []
    set_rules(&s, rules)
    for prizes in won:
        mask = 0
        for prize in prizes:
            mask |= 1 << prize
        worth.append(total(&s, mask, partner))
    return tuple(worth)


cdef int set_rules(State* s, object rules) except -1:
    """Make ``s`` zeros but for the rules."""
    memset(s, 0, sizeof(State))
    s.aces_tie_by_card = rules.aces_tie_by_card
    s.queen_excluded = rules.queen_excluded
    s.face_lone_court = rules.lone_court == "face"
    s.spent_triple = {"first": FIRST, "last": LAST, "none": NONE}[rules.spent_triple]
    s.all_level = rules.three_level == "all"
    return 0
