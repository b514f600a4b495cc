"""Strategies bid what they say, for any hand and any prizes."""

import itertools

import numpy as np
import pytest

from gops import Game, GopsError, Position, PositionError, Rules, analyse, strategies
from gops.strategies.exact import draw
from gops.strategies.lookahead import pairing, round_mix

RNG = np.random.default_rng(0)
TWO_PLAYERS = [
    "1-5/1-5 5 1-4 0:0 tie=discard",
    "2,9,31/1,30,31 500 1,1000 0:0",
    "1,2/3,4 9+7 8 0:0",
    "4/4 1 - 0:0",
    "1-3/4-6 2 >7,2,1 5:0 tie=split",
    "1-10/1-10 3 1,2,4-10 0:0 rounds=4",
    "1-4/1-4 7 - 0:0",
]


def bid(name: str, text: str, player: int = 1, seed: int = 0) -> int:
    return strategies.get(name).bid(Position(text), player, np.random.default_rng(seed))


@pytest.mark.parametrize("text", TWO_PLAYERS)
@pytest.mark.parametrize("name", strategies.names())
def test_bids_are_in_the_hand(name: str, text: str) -> None:
    position = Position(text)
    strategy = strategies.get(name)
    for player, seed in itertools.product((1, 2), range(5)):
        rng = np.random.default_rng(seed)
        assert strategy.bid(position, player, rng) in position.hands[player - 1]


@pytest.mark.parametrize("name", ["random", "match", "above", "proportional"])
def test_more_than_two_players(name: str) -> None:
    game = Game(Rules.preset("four", cards=6), rng=3)
    player = strategies.get(name)
    while not game.is_over:
        game.play([player.bid(game.view(p), p, RNG) for p in range(1, 5)])
    assert len(game.scores) == 4


@pytest.mark.parametrize("name", ["random", "match", "above", "proportional"])
@pytest.mark.parametrize("rules", ["jazzy", "throps"])
def test_games_for_three(name: str, rules: str) -> None:
    player = strategies.get(name)
    for seed in range(20):
        game = Game(Rules.preset(rules), rng=seed)
        while not game.is_over:
            bids = [player.bid(game.view(p), p, RNG) for p in (1, 2, 3)]
            assert all(bids[p - 1] in game.legal_bids(p) for p in (1, 2, 3))
            game.play(bids)


@pytest.mark.parametrize("name", ["exact", "lookahead"])
@pytest.mark.parametrize("rules", ["jazzy", "throps"])
def test_games_for_three_are_refused(name: str, rules: str) -> None:
    game = Game(Rules.preset(rules), rng=1)
    with pytest.raises(PositionError):
        strategies.get(name).bid(game.view(1), 1, RNG)


def test_bids_of_jazzy_and_throps() -> None:
    """The joker doubles, a queen is worth nothing; in Throps ranks count, not suits."""
    assert bid("above", "1-13/1-13/1-13 0+4 1-3 game=jazzy") == 9
    assert bid("above", "1-13/1-13/1-13 12 1-3 game=jazzy") == 1
    assert bid("above", "1-13/1-13/1-13 0+10 1-3 game=jazzy") == 1
    game = Game(position="QS,2C,JH/3S,4S,5S/6S,7S,8S KD 2S,3D game=throps")
    above = strategies.get("above")
    assert above.bid(game.view(1), 1, RNG) == "JH"


@pytest.mark.parametrize("name", ["random", "match", "above", "proportional"])
@pytest.mark.parametrize(
    "rules",
    [
        Rules(cards=7, bids=2, lot=2),
        Rules(cards=9, bids=4, players=3),
        Rules(cards=6, open=3, players=3),
        Rules(cards=6, open=2, picks=1, misere=True),
        Rules(cards=6, hidden=True, players=4),
        Rules(hands=[[2, 9, 31], [1, 30, 31]], prizes=[1, 500, 1000, 3], rounds=2),
        Rules(cards=6, order="descending", tie="split", early_stop="clinch"),
    ],
    ids=repr,
)
def test_simple_strategies_play_every_kind_of_game(name: str, rules: Rules) -> None:
    game = Game(rules, rng=3)
    player = strategies.get(name)
    while not game.is_over:
        if game.to_pick:
            game.pick(player.pick(game.view(game.to_pick), game.to_pick, RNG))
        else:
            game.play([player.bid(game.view(p), p, RNG) for p in range(1, rules.players + 1)])


@pytest.mark.parametrize("name", ["lookahead", "exact"])
@pytest.mark.parametrize(
    "rules",
    [Rules(hidden=True), Rules(players=3)],
    ids=["hidden", "three"],
)
def test_solvers_say_what_they_do_not_play(name: str, rules: Rules) -> None:
    with pytest.raises(GopsError, match=r"2 players|two-player|hidden"):
        strategies.get(name).bid(Game(rules, rng=1).view(1), 1, RNG)


def test_under_misere_the_least_prize_is_wanted_most() -> None:
    text = "1-5/1-5 5 1-4 0:0 misere=yes"
    assert [bid(name, text) for name in ("match", "above")] == [1, 5]
    text = "1-5/1-5 2 1,3-5 0:0 misere=yes"
    assert [bid(name, text) for name in ("match", "above")] == [4, 3]
    display = Position("1-5/1-5 2+4 1,3,5 0:0 open=2,misere=yes,pick=2:1>2")
    assert strategies.get("match").pick(display, 1, RNG) == 2


def test_many_more_prizes_than_cards_are_not_solved_exactly() -> None:
    text = "1-9/1-9 31 1-30 0:0"
    assert bid("lookahead", text) in range(1, 10)
    assert strategies.strongest(Rules(cards=9, prizes=range(1, 32))) == "lookahead"


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
    text = "1-9/1-9 9 1-8 0:0 rounds=5"
    assert [bid("lookahead", text, seed=s) for s in range(10)] == [
        bid("exact", text, seed=s) for s in range(10)
    ]


def test_one_round_ahead_is_close_to_the_truth() -> None:
    """The best reply to its first bids gains little, by the exact values of all pairs of bids."""
    gains = []
    for prize in range(1, 9):
        analysis = analyse(f"1-8/1-8 {prize} {','.join(str(p) for p in range(1, 9) if p != prize)}")
        assert analysis.matrix is not None
        mix = round_mix(analysis.position, 1)
        assert mix.sum() == pytest.approx(1)
        assert (mix == round_mix(analysis.position, 2)).all()
        gains.append(analysis.value - (mix @ analysis.matrix).min())
    assert np.mean(gains) < 0.6


@pytest.mark.parametrize("cards", [1, 2, 7, 12])
@pytest.mark.parametrize("prizes", [1, 3, 7, 14])
def test_every_prize_is_bid_for_with_one_card(cards: int, prizes: int) -> None:
    chances = pairing(cards, prizes)
    assert chances.sum(0) == pytest.approx(1)
    assert chances.sum(1) == pytest.approx(prizes / cards, rel=0.02)


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
