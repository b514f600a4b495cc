"""The engine of every lot-style game; its functions are for Cython (see ``_core.pxd``)."""


cdef int64_t bid_count(const State* s) noexcept nogil:
    """The number of legal bids, the same for every player."""
    cdef int64_t count = 1
    cdef int i
    for i in range(bid_size(s)):
        count = count * (s.held - i) // (i + 1)
    return count


cdef int64_t bid_all(const State* s, int player, uint32_t* bids, int depth) noexcept nogil:
    """Count the sequences after each choice of bids by ``player`` and all players behind."""
    cdef State after
    cdef int64_t total = 0
    if player == s.players:
        after = s[0]
        play(&after, bids)
        return perft(&after, depth - 1)
    bids[player] = first_bid(s, player)
    while bids[player]:
        total += bid_all(s, player + 1, bids, depth)
        bids[player] = next_bid(s, player, bids[player])
    return total


cdef int64_t turn_all(const State* s, int first, int depth) noexcept nogil:
    """Count the sequences after each way to turn `due` prizes, none before number ``first``."""
    cdef State after
    cdef int64_t total = 0
    cdef int which
    if s.phase != REVEAL:
        return perft(s, depth - 1)
    for which in range(first, s.prizes - s.turned - s.due + 1):
        if which > first and s.deck[s.turned + which] == s.deck[s.turned + which - 1]:
            continue
        after = s[0]
        turn(&after, which)
        total += turn_all(&after, which, depth)
        if s.known:
            break
    return total


cdef int64_t perft(const State* s, int depth) noexcept nogil:
    """Count the sequences of ``depth`` reveals, joint bids and picks."""
    cdef State after
    cdef uint32_t bids[MAX_PLAYERS]
    cdef int64_t total = 0
    cdef int which, other, first = s.turned - s.offer
    if depth == 0:
        return 1
    if s.phase == REVEAL:
        after = s[0]
        if not s.known:
            sort_face_down(&after)
        return turn_all(&after, 0, depth)
    if s.phase == BID:
        if depth == 1:
            return bid_count(s) ** s.players
        return bid_all(s, 0, bids, depth)
    if s.phase == PICK:
        for which in range(s.offer):
            for other in range(which):
                if s.deck[first + other] == s.deck[first + which]:
                    break
            else:
                after = s[0]
                pick(&after, which)
                total += perft(&after, depth - 1)
    return total


cdef void playouts(const State* start, Random* r, int64_t games, int32_t* scores) noexcept nogil:
    """Play ``games`` random games and write ``scores[game][player]`` in units."""
    cdef State s
    cdef int64_t game
    cdef int p
    for game in range(games):
        s = start[0]
        while s.phase != OVER:
            random_step(&s, r)
        for p in range(s.players):
            scores[game * s.players + p] = s.scores[p]
