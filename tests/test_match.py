"""Matches: the worked examples (B) by name, and what every match must keep."""

import pickle
import random
from fractions import Fraction

import pytest

from gops import Game, GopsError, Match, Rules, RulesError

THREE = Rules.preset("three")
B2 = [(50, 41), (45, 45), (31, 60)]
B8 = [(40, 31, 20), (35, 35, 21), (20, 30, 41)]


def played(games, rules=None, **options):
    """Add games; all must be due but none after the last."""
    match = Match(rules, **options)
    for scores in games:
        assert not match.is_over
        match.add(scores)
    return match


@pytest.mark.parametrize(
    ("games", "options", "winners"),
    [
        pytest.param([(50, 41), (52, 39)], {"best_of": 3}, (1,), id="B1"),
        pytest.param(B2, {"best_of": 3}, (), id="B2-extra_game"),
        pytest.param(B2, {"best_of": 3, "decider": "totals"}, (2,), id="B2-totals"),
        pytest.param(B2, {"best_of": 3, "decider": "none"}, (1, 2), id="B2-none"),
        pytest.param([*B2, (50, 41)], {"best_of": 3}, (1,), id="B2-won-extra-game"),
        pytest.param([(46, 45), (45, 45), (45, 45), (46, 45)], {"best_of": 5}, (1,), id="B3"),
        pytest.param([(50, 41), (30, 61), (46, 45)], {"best_of": 3}, (1,), id="B4-best-of"),
        pytest.param([(50, 41), (30, 61), (46, 45)], {"cumulative": 3}, (2,), id="B4-cumulative"),
        pytest.param(
            [(50, 41), (45, 46), (45, 46), (50, 41), (50, 41)], {"target": 200}, (1,), id="B5"
        ),
        pytest.param([*B2, (45, 45)], {"best_of": 3}, (2,), id="B6"),
        pytest.param([(60, 31), (31, 60)], {"cumulative": 2}, (1, 2), id="B7"),
        pytest.param(
            [(60, 31), (31, 60)], {"cumulative": 2, "decider": "extra_game"}, (), id="B7-extra_game"
        ),
        pytest.param(
            [(60, 31), (31, 60), (46, 45)],
            {"cumulative": 2, "decider": "extra_game"},
            (1,),
            id="B7-extra_game-won",
        ),
        pytest.param(B8, {"rules": THREE, "best_of": 3, "decider": "totals"}, (1,), id="B8-totals"),
        pytest.param(B8, {"rules": THREE, "best_of": 3}, (), id="B8-extra_game"),
        pytest.param(
            [*B8, (10, 50, 31)], {"rules": THREE, "best_of": 3}, (3,), id="B8-others-extra-win"
        ),
        pytest.param(
            [*B8, (31, 20, 40)], {"rules": THREE, "best_of": 3}, (3,), id="B8-leaders-extra-win"
        ),
    ],
)
def test_winners(games, options, winners):
    match = played(games, **options)
    assert match.winners == winners
    assert match.is_over == bool(winners)


def test_figures_of_the_examples():
    assert played(B2, best_of=3).totals == (126, 146)
    assert played([*B2, (45, 45)], best_of=3).totals == (171, 191)
    match = played(B8, THREE, best_of=3)
    assert match.wins == (1, 0, 1)
    assert match.totals == (95, 96, 82)
    match = played([(46, 45), (45, 45), (45, 45), (46, 45)], best_of=5)
    assert match.wins == (2, 0)
    match = Match(target=200)
    running = [(50, 41), (95, 87), (140, 133), (190, 174), (240, 215)]
    before = (0, 0)
    for total in running:
        assert not match.is_over
        match.add((total[0] - before[0], total[1] - before[1]))
        assert match.totals == total
        before = total
    assert match.winners == (1,)


def test_replayed_draws_do_not_count():
    match = Match(best_of=3, replay_draws=True)
    for scores in B2:
        match.add(scores)
    assert not match.is_over
    assert match.wins == (1, 1)
    assert match.totals == (81, 101)
    assert len(match.games) == 3
    match.add((46, 45))
    assert match.winners == (1,)


def test_half_wins():
    match = Match(THREE, best_of=3, half_wins=True)
    match.add((35, 35, 21))
    match.add((30, 30, 30))
    assert match.wins == (Fraction(5, 6), Fraction(5, 6), Fraction(1, 3))
    assert type(Match(best_of=1).wins[0]) is int


def test_every_game_is_played_without_early_stop():
    match = played([(50, 41), (52, 39)], best_of=3, early_stop=False)
    assert not match.is_over
    match.add((0, 91))
    assert match.winners == (1,)


def test_misere_turns_matches_round():
    rules = Rules(misere=True)
    assert played([(50, 41), (52, 39)], rules, best_of=3).winners == (2,)
    assert played([(50, 41), (30, 61)], rules, cumulative=2).winners == (1,)


@pytest.mark.parametrize("name", ["classic", "split", "five", "jazzy", "throps"])
def test_dealt_games(name):
    rules = Rules.preset(name)
    first, second = (Match(rules, best_of=3, rng=5) for _ in range(2))
    choice = random.Random(1).choice
    while not first.is_over:
        game, same = first.deal(), second.deal()
        assert game == same
        with pytest.raises(GopsError, match="not over yet"):
            first.add(game)
        while not game.is_over:
            bids = [choice(game.legal_bids(p)) for p in range(1, rules.players + 1)]
            game.play(bids)
            same.play(bids)
        first.add(game)
        second.add(same)
        assert first.games[-1] == game.awards
    assert first == second
    assert pickle.loads(pickle.dumps(first)) == first
    with pytest.raises(GopsError, match="no game is left"):
        first.deal()
    with pytest.raises(GopsError, match="no game can be added"):
        first.add(first.games[0])
    first.undo()
    assert not first.is_over


def test_best_of_ends_exactly_when_decided():
    """Against a count of what the games left could still do."""
    rng = random.Random(3)
    for _ in range(300):
        players, best_of = rng.choice((2, 3)), rng.choice((1, 3, 5, 7))
        match = Match(Rules(players=players), best_of=best_of, decider="none")
        for number in range(1, best_of + 1):
            match.add([rng.randrange(3) for _ in range(players)])
            wins = sorted(match.wins)
            decided = wins[-1] > wins[-2] + best_of - number
            assert match.is_over == (decided or number == best_of)
            if match.is_over:
                leaders = tuple(p for p, w in enumerate(match.wins, 1) if w == wins[-1])
                assert match.winners == leaders
                break


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "expected one of best_of, cumulative and target, got none"),
        ({"best_of": 3, "target": 9}, "got best_of, target"),
        ({"best_of": 4}, "best_of=4: expected an odd number"),
        ({"best_of": 0}, "best_of='0': expected 1 or more"),
        ({"cumulative": "two"}, "cumulative='two': expected a whole number"),
        (
            {"best_of": 3, "decider": "coin"},
            "decider='coin': expected extra_game or totals or none",
        ),
        ({"cumulative": 3, "decider": "totals"}, "decider='totals': expected extra_game or none"),
        ({"target": 3, "half_wins": True}, "only with best_of"),
        ({"best_of": 3, "half_wins": True, "replay_draws": True}, "not together"),
        ({"target": 100, "rules": Rules(misere=True)}, "not together with misere"),
    ],
)
def test_errors_of_options(options, message):
    with pytest.raises(RulesError) as caught:
        Match(**options)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ((1,), "expected 2, one per player"),
        ((1, 2, 3), "expected 2, one per player"),
        ((1, "x"), "score 'x'"),
        ((1, float("nan")), "score 'nan'"),
        (Game(THREE), "other rules"),
    ],
)
def test_errors_of_results(result, message):
    match = Match(best_of=3)
    with pytest.raises(GopsError) as caught:
        match.add(result)
    assert message in str(caught.value)
    assert match.games == ()
    with pytest.raises(GopsError, match="no game to take back"):
        match.undo()
