"""Strategies bid what they say, for any hand and any prizes."""

import itertools

import numpy as np
import pytest

from gops import Game, GopsError, Position, Rules, strategies
from gops.strategies.exact import draw

RNG = np.random.default_rng(0)
TWO_PLAYERS = [
    "1-5/1-5 5 1-4 0:0 tie=discard",
    "2,9,31/1,30,31 500 1,1000 0:0",
    "1,2/3,4 9+7 8 0:0",
    "4/4 1 - 0:0",
    "1-3/4-6 2 >7,2,1 5:0 tie=split",
    "1-10/1-10 3 1,2,4-10 0:0",
    "1-4/1-4 7 - 0:0",
]


def bid(name: str, text: str, player: int = 1, seed: int = 0) -> int:
    return strategies.get(name).bid(Position(text), player, np.random.default_rng(seed))


@pytest.mark.parametrize("text", TWO_PLAYERS)
@pytest.mark.parametrize("name", strategies.names())
def test_bids_are_in_the_hand(name: str, text: str) -> None:
    position = Position(text)
    for player, seed in itertools.product((1, 2), range(5)):
        assert bid(name, text, player, seed) in position.hands[player - 1]


@pytest.mark.parametrize("name", ["random", "match", "above", "proportional"])
def test_more_than_two_players(name: str) -> None:
    game = Game(Rules.preset("four", cards=6), rng=3)
    player = strategies.get(name)
    while not game.is_over:
        game.play([player.bid(game.view(p), p, RNG) for p in range(1, 5)])
    assert len(game.scores) == 4


@pytest.mark.parametrize("name", strategies.names())
def test_same_seed_same_bid(name: str) -> None:
    text = "1-6/1-6 3 1,2,4-6 0:0"
    assert [bid(name, text, seed=s) for s in range(20)] == [
        bid(name, text, seed=s) for s in range(20)
    ]


@pytest.mark.parametrize("tie", ["carry", "discard", "split"])
@pytest.mark.parametrize("seed", range(3))
def test_above_beats_match_by_78_to_13(tie: str, seed: int) -> None:
    game = Game(Rules(tie=tie), rng=seed)
    match, above = strategies.get("match"), strategies.get("above")
    while not game.is_over:
        game.play([match.bid(game.view(1), 1, RNG), above.bid(game.view(2), 2, RNG)])
    assert game.scores == (13, 78)


def test_match_takes_the_standing_of_the_prize_where_the_card_is_missing() -> None:
    assert bid("match", "2,9,31/1,30,31 500 1,1000") == 9
    assert bid("match", "2,9,31/1,30,31 1000 1,500") == 31
    assert bid("match", "2,9,31/1,30,31 1 500,1000") == 2


def test_random_bids_every_card_about_as_often() -> None:
    bids = [bid("random", "1-4/1-4 4 1-3", seed=s) for s in range(2000)]
    counts = np.bincount(bids, minlength=5)[1:]
    assert abs(counts - 500).max() < 100  # five standard deviations


def test_exact_bids_as_often_as_the_equilibrium_says() -> None:
    position = Position("1-5/1-5 5 1-4 0:0 tie=discard")
    exact = strategies.get("exact")
    rng = np.random.default_rng(1)
    counts = np.bincount([exact.bid(position, 1, rng) for _ in range(5000)], minlength=6)
    assert counts[[3, 4]].sum() == 0
    assert counts[5] / 5000 == pytest.approx(0.863594, abs=0.025)


def test_lookahead_is_exact_from_nine_cards_on() -> None:
    text = "1-8/1-8 8 1-7 0:0"
    assert [bid("lookahead", text, seed=s) for s in range(10)] == [
        bid("exact", text, seed=s) for s in range(10)
    ]


@pytest.mark.parametrize("rival", ["random", "match", "proportional"])
def test_lookahead_beats_the_simple_ones(rival: str) -> None:
    pairs = strategies.get("lookahead"), strategies.get(rival)
    rng = np.random.default_rng(5)
    margin = 0.0
    for seed in range(12):
        game = Game(Rules(cards=10), rng=seed)
        while not game.is_over:
            game.play([s.bid(game.view(p), p, rng) for p, s in enumerate(pairs, 1)])
        margin += float(game.scores[0] - game.scores[1])
    assert margin > 0


def test_draw_from_a_mix_that_does_not_quite_add_up() -> None:
    assert draw({3: 1.0 - 1e-12, 5: 0.0}, np.random.default_rng(0)) == 3


class TestRegistry:
    def test_unknown_name(self) -> None:
        with pytest.raises(GopsError, match=r"nobody.*random"):
            strategies.get("nobody")
        with pytest.raises(KeyError):
            strategies.get("nobody")

    def test_a_name_is_taken_once(self) -> None:
        with pytest.raises(ValueError, match="match"):
            strategies.register(lambda: strategies.get("match"))

    def test_names_are_what_play_promises(self) -> None:
        assert strategies.names() == (
            "random",
            "match",
            "above",
            "proportional",
            "lookahead",
            "exact",
        )
