"""Where randomness comes from, and that it is fair and repeatable."""

import math
import random
from collections import Counter

import numpy as np
import pytest

from gops import Game, GopsError, Rules, playouts

KINDS = [
    Rules(),
    Rules.preset("split", cards=5),
    Rules.preset("four"),
    Rules.preset("high-ace", rounds=4),
    Rules(order="descending", cards=6),
    Rules.preset("two-card"),
    Rules.preset("open-prizes"),
    Rules.preset("market"),
    Rules(bids=2, lot=2),
]


@pytest.mark.parametrize("rules", KINDS)
def test_same_seed_same_playouts_for_any_threads(rules):
    first = playouts(rules, 9000, rng=5)
    assert first.shape == (9000, rules.players)
    assert first.dtype == (np.float64 if rules.splits else np.int32)
    assert (first == playouts(rules, 9000, rng=5, threads=1)).all()
    assert (first == playouts(rules, 9000, rng=5, threads=2)).all()
    assert (first[:5000] == playouts(rules, 5000, rng=5, threads=3)).all()
    assert (first != playouts(rules, 9000, rng=6)).any()


def test_sources_of_randomness():
    rules = Rules(cards=6)
    for make in (np.random.default_rng, np.random.SeedSequence, np.random.PCG64, int):
        assert (playouts(rules, 50, rng=make(3)) == playouts(rules, 50, rng=make(3))).all()
        assert Game(rules, rng=make(3)) == Game(rules, rng=make(3))
    generator = np.random.default_rng(3)
    assert (playouts(rules, 50, rng=generator) != playouts(rules, 50, rng=generator)).any()
    assert playouts(rules, 0, rng=1).shape == (0, 2)


def test_the_global_state_is_left_alone():
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    other = random.getstate()
    Game(Rules())
    playouts(Rules(), 10)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert random.getstate() == other


def test_bad_arguments():
    with pytest.raises(GopsError, match="n=-1"):
        playouts(Rules(), -1)
    with pytest.raises(GopsError, match="threads=0"):
        playouts(Rules(), 1, threads=0)


def test_every_order_is_equally_likely():
    rng = np.random.default_rng(1)
    rules = Rules(cards=4)
    games = 4800
    orders = Counter()
    for _ in range(games):
        game = Game(rules, rng=rng)
        while not game.is_over:
            game.play([game.legal_bids(1)[0], game.legal_bids(2)[-1]])
        orders[tuple(record.upcards[-1] for record in game.history)] += 1
    assert len(orders) == 24
    # Chi-squared with 23 degrees of freedom: 60 is passed once in 40,000 times; the seed is fixed.
    assert sum((n - games / 24) ** 2 / (games / 24) for n in orders.values()) < 60


def test_playouts_have_the_mean_of_exhaustive_play():
    """With two cards each: (2! orders) x (2!)^2 bids, all equally likely."""
    exact = Counter()
    for pile in ([1, 2], [2, 1]):
        for one in ([1, 2], [2, 1]):
            for two in ([1, 2], [2, 1]):
                game = Game(Rules(cards=2), pile=pile)
                for bids in zip(one, two, strict=True):
                    game.play(bids)
                exact[game.scores] += 1 / 8
    n = 40_000
    found = Counter(map(tuple, playouts(Rules(cards=2), n, rng=2).tolist()))
    assert found.keys() == exact.keys()
    for scores, share in exact.items():
        assert abs(found[scores] / n - share) < 5 * math.sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("rules", KINDS)
def test_playouts_stay_within_the_prizes(rules):
    scores = playouts(rules, 2000, rng=1)
    assert (scores.sum(axis=1) <= sum(rules.prize_values)).all()
    assert (scores.min(axis=0) < scores.max(axis=0)).all()
