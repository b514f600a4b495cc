"""Matrix games against a simplex in rational arithmetic, and against their own certificates."""

import numpy as np
import pytest
from exact_twin import solve_exactly
from hypothesis import given
from hypothesis import strategies as st

from gops import solve_matrix

SHAPES = [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (13, 13), (31, 31), (40, 60), (60, 40), (1, 465)]


def check(matrix, tolerance=1e-12):
    """The mixes are proper, and prove the value that they claim."""
    matrix = np.asarray(matrix, dtype=np.float64)
    span = np.ptp(matrix) or 1.0
    game = solve_matrix(matrix)
    assert game.row.shape == (matrix.shape[0],)
    assert game.column.shape == (matrix.shape[1],)
    for mix in (game.row, game.column):
        assert mix.dtype == np.float64
        assert mix.min() >= 0.0
        assert mix.sum() == pytest.approx(1.0, abs=1e-14)
    lower, upper = (game.row @ matrix).min(), (matrix @ game.column).max()
    size = np.abs(matrix).max()
    assert game.gap == pytest.approx(max(upper - lower, 0.0), abs=1e-14 * size)
    assert game.gap <= tolerance * span + 1e-14 * size
    assert lower - 1e-14 * size <= game.value <= upper + 1e-14 * size
    return game


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
@pytest.mark.parametrize("seed", range(5))
def test_random_games_are_proven(shape, seed):
    rng = np.random.default_rng(seed)
    check(rng.normal(size=shape))
    check(rng.integers(-3, 4, size=shape))
    check(rng.integers(0, 2, size=shape))


@pytest.mark.parametrize("seed", range(20))
def test_low_rank_and_repeated_rows_are_proven(seed):
    rng = np.random.default_rng(seed)
    thin = rng.normal(size=(9, 2)) @ rng.normal(size=(2, 11))
    check(thin)
    check(thin[rng.integers(0, 9, 20)][:, rng.integers(0, 11, 25)])
    check(np.outer(rng.normal(size=6), np.ones(8)))
    check(np.full((5, 4), rng.normal()))


@pytest.mark.parametrize("noise", [1e-6, 1e-8, 1e-10, 1e-12, 1e-14])
def test_nearly_equal_rows_are_proven(noise):
    """The noise makes pivots that a careless ratio test divides by."""
    rng = np.random.default_rng(7)
    for _ in range(2000):
        shape = rng.integers(2, 12, 2)
        matrix = rng.integers(-2, 3, shape).astype(np.float64)
        matrix = np.repeat(matrix, 2, axis=rng.integers(0, 2))
        matrix += noise * rng.normal(size=matrix.shape)
        check(matrix, tolerance=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e-3, 1e3, 1e12, 1e300])
@pytest.mark.parametrize("seed", range(5))
def test_scale_changes_nothing(scale, seed):
    matrix = np.random.default_rng(seed).normal(size=(6, 7))
    plain, scaled = check(matrix), check(matrix * scale)
    assert scaled.value / scale == pytest.approx(plain.value, rel=1e-11, abs=1e-13)
    assert scaled.row == pytest.approx(plain.row, abs=1e-9)


def test_a_large_common_amount_costs_only_its_own_digits():
    matrix = np.random.default_rng(1).normal(size=(6, 7))
    assert solve_matrix(matrix + 1e6).value - 1e6 == pytest.approx(
        solve_matrix(matrix).value, abs=1e-9
    )


entries = st.integers(-6, 6)
matrices = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(entries, min_size=width, max_size=width), min_size=1, max_size=6
    )
)


@given(matrices)
def test_value_is_that_of_rational_arithmetic(matrix):
    game = check(matrix)
    assert game.value == pytest.approx(float(solve_exactly(matrix)[0]), abs=1e-12)


@given(matrices)
def test_exchanging_the_players_negates_the_value(matrix):
    other = check(-np.array(matrix).T)
    assert other.value == pytest.approx(-check(matrix).value, abs=1e-12)


def test_known_games():
    assert check([[3.5]]).value == 3.5
    stone_paper_scissors = check([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    assert stone_paper_scissors.row == pytest.approx([1 / 3] * 3)
    assert check([[4, 1], [2, 3]]).column == pytest.approx([0.5, 0.5])
    saddle = check([[3, 2, 4], [1, 0, 9]])
    assert (saddle.value, saddle.row.tolist(), saddle.gap) == (2.0, [1.0, 0.0], 0.0)
    # Beale's example of a linear program on which Dantzig's rule cycles, as a game.
    a = np.array([[0.25, -60, -0.04, 9], [0.5, -90, -0.02, 3], [0, 0, 1, 0]])
    game = np.block(
        [
            [np.zeros((3, 3)), a, -np.array([[0.0], [0], [1]])],
            [-a.T, np.zeros((4, 4)), np.array([[0.75], [-150], [0.02], [-6]])],
            [np.array([[0, 0, 1.0]]), -np.array([[0.75, -150, 0.02, -6]]), np.zeros((1, 1))],
        ]
    )
    assert check(game).value == pytest.approx(0.0, abs=1e-10)


def test_anything_that_makes_an_array_will_do():
    whole = np.array([[1, 3], [4, 2]], dtype=np.int8)
    assert solve_matrix(whole).value == solve_matrix(whole.tolist()).value == 2.5
    wide = np.arange(12.0).reshape(3, 4)
    assert solve_matrix(wide[::-1].T).value == solve_matrix(wide[::-1].T.copy()).value
    before = wide.copy()
    solve_matrix(wide)
    assert np.array_equal(wide, before)


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([], "shape"),
        ([[]], "shape"),
        (np.zeros((0, 3)), r"\(0, 3\)"),
        ([1.0, 2.0], r"\(2,\)"),
        (np.zeros((2, 2, 2)), r"\(2, 2, 2\)"),
        (3.0, r"shape"),
        ([[0, np.nan]], r"\[0, 1\] is nan"),
        ([[0, 1], [-np.inf, 1]], r"\[1, 0\] is -inf"),
        ([[0, 1], [1]], None),
        ([["x"]], None),
    ],
)
def test_what_is_no_game_is_refused(matrix, words):
    with pytest.raises(ValueError, match=words):
        solve_matrix(matrix)
