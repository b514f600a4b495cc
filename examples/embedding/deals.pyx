# cython: language_level=3
"""Use the engine of gops from Cython: play one game a million times without the GIL."""

from libc.stdint cimport int64_t, uint32_t

from gops cimport _core


def count_wins(int64_t games, int seed):
    """Play the five-card game at random; return how often player 1 won, drew and lost."""
    cdef _core.State start, s
    cdef _core.Random random
    cdef int64_t wins[3]
    cdef int64_t game
    wins[:] = [0, 0, 0]
    random.s[:] = [seed, 1, 2, 3]
    _core.init(&start, 2, 5, _core.CARRY)
    with nogil:
        for game in range(games):
            s = start
            while not _core.is_terminal(&s):
                _core.random_step(&s, &random)
            if s.scores[0] > s.scores[1]:
                wins[0] += 1
            elif s.scores[0] == s.scores[1]:
                wins[1] += 1
            else:
                wins[2] += 1
    return wins[0], wins[1], wins[2]


def margin(bids_1, bids_2, prizes):
    """Return player 1's margin when the prizes are turned and the bids made in these orders."""
    cdef _core.State s
    cdef uint32_t bids[_core.MAX_PLAYERS]
    _core.init(&s, 2, len(prizes), _core.DISCARD)
    for i, prize in enumerate(prizes):
        s.deck[i] = prize
    for one, two in zip(bids_1, bids_2):
        _core.turn(&s, 0)
        bids[0] = 1 << (one - 1)
        bids[1] = 1 << (two - 1)
        if not (_core.is_legal(&s, 0, bids[0]) and _core.is_legal(&s, 1, bids[1])):
            raise ValueError("illegal bids")
        _core.play(&s, bids)
    return s.scores[0] - s.scores[1]
