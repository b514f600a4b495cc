"""The engine of Throps; its functions are for Cython (see ``_throps.pxd``)."""


cdef int64_t bid_all(const State* s, int player, uint8_t* bids, int depth) noexcept nogil:
    """Count the sequences after each choice of bids by ``player`` and all players behind."""
    cdef State after
    cdef int64_t count = 0
    cdef uint64_t rest
    if player == PLAYERS:
        after = s[0]
        play(&after, bids)
        return perft(&after, depth - 1)
    rest = s.hands[player]
    while rest:
        bids[player] = lowest_card(rest)
        rest &= rest - 1
        count += bid_all(s, player + 1, bids, depth)
    return count


cdef int64_t perft(const State* s, int depth) noexcept nogil:
    """Count the sequences of ``depth`` reveals and joint bids."""
    cdef State after
    cdef uint8_t bids[PLAYERS]
    cdef int64_t count = 0
    cdef int which
    if depth == 0:
        return 1
    if s.phase == OVER:
        return 0
    if s.phase == BID:
        return s.held * s.held * s.held if depth == 1 else bid_all(s, 0, bids, depth)
    for which in range(s.prizes - s.turned):
        after = s[0]
        turn(&after, which)
        count += perft(&after, depth - 1)
    return count


cdef void playouts(const State* start, Random* r, int64_t games, int32_t* scores) noexcept nogil:
    """Deal and play ``games`` random games and write ``scores[game][player]``.

    Of ``start`` only the rules matter.
    """
    cdef State s = start[0]
    cdef int64_t game
    for game in range(games):
        deal(&s, r)
        while s.phase != OVER:
            random_step(&s, r)
        score(&s, &scores[game * PLAYERS])


def totals(won, /):
    """Score sets of cards, given as numbers."""
    return tuple([total(mask_of(cards)) for cards in won])


cdef uint64_t mask_of(object cards) except? 0:
    cdef uint64_t mask = 0
    cdef int card
    for card in cards:
        mask |= <uint64_t>1 << card
    return mask
