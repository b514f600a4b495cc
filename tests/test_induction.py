"""Layers of values: kernels, verification pass, forecasts, resumption."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from exact_twin import exact_value

from gops import Position, _lattice, induction, solve_matrix
from gops.induction import Induction, Problem, rough_effort

FULL = {
    "cards": 4,
    "prizes": (1, 2, 3, 4),
    "order_known": False,
    "rounds": 4,
    "carry": True,
    "win": False,
}


def full_suits(cards, **changes):
    """The problem of a first round with `cards` cards."""
    suit = tuple(range(1, cards + 1))
    word = _lattice.word_of(suit, suit)
    parts = FULL | {"cards": cards, "prizes": suit, "rounds": cards} | changes
    return Problem(word=word, **parts)


def whole(problem):
    """The solver that ends at the problem's own first position."""
    return Induction(problem, [((1 << len(problem.prizes)) - 1, 0, 0, 0)])


def last_values(solver):
    *_, (_, layer) = solver.layers(1)
    return layer.values


PROBLEMS = [
    full_suits(7),
    full_suits(7, carry=False),
    full_suits(6, win=True),
    full_suits(6, win=True, carry=False),
    full_suits(8, rounds=5, carry=False),
    full_suits(6, prizes=(2, 2, 3, 5, 5, 5), win=True),
    full_suits(6, prizes=(6, 1, 5, 2, 4, 3), order_known=True),
    Problem(_lattice.word_of((1, 4, 5, 8, 9), (2, 3, 4, 7, 9)), **FULL | {"cards": 5}),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_resumed_layers_are_the_same_bits(problem):
    solver = whole(problem)
    layers = dict(solver.layers(1))
    half = problem.rounds // 2
    kept = solver.make_layer(half, layers[half].values.copy())
    seen = []
    for rounds, layer in solver.layers(2, resume=(half, kept)):
        assert layer.values.tobytes() == layers[rounds].values.tobytes()
        seen.append(rounds)
    assert seen == list(range(half + 1, problem.rounds + 1))


def test_layers_are_allocated_and_reported_as_asked():
    solver = whole(full_suits(7))
    room, told = {}, []

    def allocate(rounds, size):
        room[rounds] = np.full(size, np.nan)
        return room[rounds]

    def progress(rounds, share):
        told.append((rounds, share))

    for rounds, layer in solver.layers(2, allocate=allocate, progress=progress):
        if rounds:
            assert layer.values is room[rounds]
            assert len(layer.values) == solver.layer_size(rounds)
            assert np.isfinite(layer.values).all()
    assert all(0.0 <= share <= 1.0 for _, share in told)
    assert solver.effort.worst < 1e-10


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_the_forecast_is_what_comes(problem):
    solver = whole(problem)
    sizes = [len(layer.values) for rounds, layer in solver.layers(1) if rounds]
    assert solver.effort.states == sum(sizes)
    assert solver.effort.memory >= 8 * max(sizes)


@pytest.mark.parametrize(("carry", "win"), [*product((False, True), repeat=2)])
@pytest.mark.parametrize("cards", [6, 8, 10])
def test_the_rough_estimate_is_right_within_a_factor(cards, carry, win):
    if cards == 10 and win:
        pytest.skip("takes long to count")
    problem = full_suits(cards, carry=carry, win=win)
    exact, rough = whole(problem).effort, rough_effort(problem)
    for name in ("states", "games", "memory"):
        assert 1 / 3 < getattr(rough, name) / getattr(exact, name) < 3, name


@pytest.mark.parametrize(
    ("cards", "discarded", "carried"),
    [(8, 203e3, 327e3), (9, 1.18e6, 1.99e6), (10, 6.89e6, 12.1e6)],
)
def test_numbers_of_games(cards, discarded, carried):
    """Counts known from elsewhere, to their printed digits."""
    for carry, games in ((False, discarded), (True, carried)):
        effort = whole(full_suits(cards, carry=carry)).effort
        assert effort.games == pytest.approx(games, rel=0.01)


# -- words ---------------------------------------------------------------------------------------


def test_words_are_counted_by_delannoy_numbers():
    """Pairs of hands of k cards, up to rank: a swap leaves only one of them, X repeated, as is."""
    for cards, count in ((1, 3), (2, 13), (3, 63), (4, 321)):
        suit = tuple(range(1, 2 * cards + 1))
        words = _lattice.subwords(_lattice.word_of(suit, suit), cards)
        assert len(set(words.tolist())) == len(words)
        assert all(_lattice.canonical(int(word)) == (word, False) for word in words)
        assert 2 * len(words) - 1 == count


def test_children_are_the_words_of_the_hands_left():
    one, two = (1, 3, 4, 7), (2, 3, 4, 6)
    children = _lattice.children(_lattice.word_of(one, two))
    for (i, a), (j, b) in product(enumerate(one), enumerate(two)):
        left = [c for c in one if c != a], [c for c in two if c != b]
        assert children[i][j] == _lattice.word_of(*left)


# -- kernels -------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_kernels_agree(problem, monkeypatch):
    names = _lattice.kernels()
    assert names[0] == "baseline"
    last = []
    for name in names:
        monkeypatch.setattr(induction, "LayerTask", partial(_lattice.LayerTask, kernel=name))
        last.append(last_values(whole(problem)))
    for other in last[1:]:
        assert other == pytest.approx(last[0], abs=1e-12)


def test_an_unknown_kernel_is_refused(monkeypatch):
    monkeypatch.setattr(induction, "LayerTask", partial(_lattice.LayerTask, kernel="mmx"))
    with pytest.raises(ValueError, match="'mmx'"):
        last_values(whole(full_suits(3)))


# -- verification --------------------------------------------------------------------------------


def replies(problem, stored):
    """Best replies to the mixes that follow from stored values, by plain recursion.

    `stored(rounds, word, mask, pot, margin)` is the value of a state for player 1. Returns a
    function from (rounds, hands, mask, pot, margin) to what best replies of player 1 and of
    player 2 get in that state against the other's mixes.
    """
    memo = {}

    def end(margin):
        return float(np.sign(margin)) if problem.win else 0.0

    def chance(rounds, one, two, mask, pot, margin):
        if rounds == 0:
            return end(margin), end(margin)
        word, swapped = _lattice.canonical(_lattice.word_of(one, two))
        if swapped:
            high, low = chance(rounds, two, one, mask, pot, -margin)
            return -low, -high
        key = (rounds, word, mask, pot, margin)
        if key not in memo:
            places = [p for p in range(len(problem.prizes)) if mask >> p & 1]
            if problem.order_known:
                turned = [(mask, problem.prizes[problem.rounds - rounds])]
            else:
                turned = [(mask ^ 1 << place, problem.prizes[place]) for place in places]
            bounds = [
                decision(rounds, one, two, left, pot + prize, margin) for left, prize in turned
            ]
            memo[key] = tuple(np.mean(bounds, axis=0))
        return memo[key]

    def decision(rounds, one, two, mask, stake, margin):
        shape = len(one), len(two)
        matrix, high, low = np.empty(shape), np.empty(shape), np.empty(shape)
        for (i, a), (j, b) in product(enumerate(one), enumerate(two)):
            left = [c for c in one if c != a], [c for c in two if c != b]
            pot = stake if problem.carry and a == b else 0
            won = stake * ((a > b) - (a < b))
            after = rounds - 1, *left, mask, pot, margin + won * problem.win
            add = 0 if problem.win else won
            matrix[i, j] = add + value(*after)
            bounds = chance(*after)
            high[i, j], low[i, j] = add + bounds[0], add + bounds[1]
        game = solve_matrix(matrix)
        return (high @ game.column).max(), (game.row @ low).min()

    def value(rounds, one, two, mask, pot, margin):
        if rounds == 0:
            return end(margin)
        return stored(rounds, _lattice.word_of(one, two), mask, pot, margin)

    return chance


def bounds_at_the_root(solver, stored=None):
    """Bounds of the first position after a verification pass over these layers."""
    problem = solver.problem
    check = (lambda rounds: None) if stored is None else stored.get
    *_, (_, layer) = solver.layers(2, check=check)
    assert layer.high.shape == layer.low.shape == layer.values.shape
    key = solver.prizes.key((1 << len(problem.prizes)) - 1, 0, 0, problem.rounds)
    place = solver.levels[-1].places(np.array([key]))[0]
    word, swapped = _lattice.canonical(problem.word)
    at = layer.offsets[np.searchsorted(layer.words, word)] + place
    high, low = float(layer.high[at]), float(layer.low[at])
    return (-low, -high) if swapped else (high, low)


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_exact_values_cannot_be_exploited(problem):
    solver = whole(problem)
    *_, (_, layer) = solver.layers(1)
    mask = (1 << len(problem.prizes)) - 1
    value = solver.value(layer, problem.rounds, problem.word, mask, 0, 0)
    high, low = bounds_at_the_root(solver)
    assert high == pytest.approx(value, abs=1e-12)
    assert low == pytest.approx(value, abs=1e-12)


SMALL = [
    full_suits(3),
    full_suits(4),
    full_suits(4, carry=False),
    full_suits(4, win=True),
    full_suits(3, win=True, carry=False),
    full_suits(4, order_known=True, prizes=(2, 4, 1, 3)),
    full_suits(4, rounds=3),
    Problem(_lattice.word_of((1, 4, 5), (2, 3, 4)), **FULL | {"cards": 3, "rounds": 3}),
    Problem(_lattice.word_of((2, 3, 6), (1, 4, 5)), **FULL | {"cards": 3, "rounds": 3}),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1e-3, 0.3])
@pytest.mark.parametrize("problem", SMALL, ids=str)
def test_wrong_values_are_exploited_as_much_as_they_can_be(problem, size, seed):
    """Perturbed values change the mixes; the pass finds the best replies to those, no others."""
    rng = np.random.default_rng(seed)
    solver = whole(problem)
    stored, layers = {}, {}
    for rounds, layer in solver.layers(1):
        if rounds:
            stored[rounds] = layer.values + size * rng.normal(size=len(layer.values))
            layers[rounds] = solver.make_layer(rounds, stored[rounds].copy())

    def lookup(rounds, word, mask, pot, margin):
        return solver.value(layers[rounds], rounds, word, mask, pot, margin)

    found = bounds_at_the_root(solver, stored)
    hands = [[at for at in range(31) if problem.word >> 2 * at + player & 1] for player in (0, 1)]
    best = replies(problem, lookup)(problem.rounds, *hands, (1 << len(problem.prizes)) - 1, 0, 0)
    assert found == pytest.approx(best, abs=1e-9)
    assert found[0] > found[1] - 1e-12


def test_the_slow_replies_are_right_themselves():
    """Against exact values they are the values, here known as fractions."""
    problem = Problem(_lattice.word_of((2, 3), (1, 3)), **FULL | {
        "cards": 2, "rounds": 2, "prizes": (2, 3)
    })  # fmt: skip
    solver = whole(problem)
    layers = dict(solver.layers(1))

    def lookup(rounds, word, mask, pot, margin):
        return solver.value(layers[rounds], rounds, word, mask, pot, margin)

    exact = float(exact_value(Position("2,3/1,3 - 2,3 0:0"), "points"))
    assert replies(problem, lookup)(2, [2, 3], [1, 3], 3, 0, 0) == pytest.approx((exact, exact))
