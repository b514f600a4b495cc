"""The rules as a value: defaults, validation, presets."""

import copy
import pickle

import pytest

from gops import Game, Rules, RulesError


def test_defaults():
    rules = Rules()
    assert (rules.players, rules.cards, rules.tie, rules.order) == (2, 13, "carry", "random")
    assert rules.suit == rules.prize_values == tuple(range(1, 14))
    assert rules.first_hands == (rules.suit,) * 2
    assert Rules(players=3).tie == "unique"
    assert Rules(ace="high").suit == tuple(range(2, 15))
    assert rules == pickle.loads(pickle.dumps(rules)) == copy.deepcopy(rules)
    assert hash(rules) == hash(Rules(cards=13))
    with pytest.raises(AttributeError):
        rules.cards = 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"rounds": 13}, {}),
        ({"rounds": "all"}, {}),
        ({"tie": "discard", "fallback": "split"}, {"tie": "discard"}),
        ({"last": "none"}, {}),
        ({"open": 2, "picks": 2}, {"open": 2}),
        ({"picks": 1, "auto_pick": "highest", "leftover": "discard"}, {}),
        ({"hidden": "yes"}, {"hidden": True}),
        ({"hidden": "no", "announce": "all"}, {}),
        ({"prizes": range(13, 0, -1)}, {}),
        ({"order": [3, 1, 2], "cards": 3}, {"order": (3, 1, 2), "cards": 3}),
        ({"hands": [[2, 1], [2, 3]]}, {"hands": ((1, 2), (3, 2)), "cards": 2}),
    ],
)
def test_equal_games_have_equal_rules(one, other):
    assert Rules(**one) == Rules(**other)
    assert hash(Rules(**one)) == hash(Rules(**other))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"players": 1}, "players=1: expected 2 to 7"),
        ({"players": 8}, "players=8: expected 2 to 7"),
        ({"players": "two"}, "players='two': expected a whole number"),
        ({"cards": 0}, "cards=0: expected 1 to 31"),
        ({"cards": 32}, "cards=32: expected 1 to 31"),
        ({"cards": 10**9999}, "cards=a huge number: expected 1 to 31"),
        ({"cards": 31, "ace": "high"}, "cards=31: at most 30 with the ace high"),
        ({"ace": "middle"}, "ace='middle': expected low or high"),
        ({"tie": "draw"}, "tie='draw': expected carry, discard, split or unique"),
        ({"tie": None}, "tie='None': expected carry"),
        ({"fallback": "unique"}, "fallback='unique': expected carry, discard or split"),
        ({"order": "up"}, "order='up': expected random, ascending"),
        ({"order": (1, 2)}, "order: 2 prizes given, 13 can be turned"),
        ({"order": (1, 1), "cards": 2}, "order: prize 1 is not"),
        ({"order": 5}, "order='5': expected a sequence"),
        ({"rounds": 14}, "rounds=14: expected 1 to 13"),
        ({"rounds": 0}, "rounds=0: expected 1 to 13"),
        ({"rounds": "many"}, "rounds='many': expected a whole number"),
        ({"bids": 14}, "bids=14: expected 1 to 13"),
        ({"bids": 2, "rounds": 8}, "rounds=8: expected 1 to 7"),
        ({"bids": 2, "last": "none", "rounds": 7}, "rounds=7: expected 1 to 6"),
        ({"last": "long"}, "last='long': expected short or none"),
        ({"lot": 14}, "lot=14: expected 1 to 13"),
        ({"open": 1}, "open=1: expected 2 to 13"),
        ({"open": 2, "lot": 2}, "lot=2: not together with open=2"),
        ({"open": 2, "picks": 3}, "picks=3: expected 1 to 2"),
        ({"hidden": "maybe"}, "hidden='maybe': expected no or yes"),
        ({"hidden": 1}, "hidden='1': expected no or yes"),
        ({"hands": [[1, 2]]}, "hands: 1 given for 2 players"),
        ({"hands": [[1], [1, 2]]}, "hands: sizes [1, 2] differ"),
        ({"hands": [[1, 1], [1, 2]]}, "hands: card 1 twice in one hand"),
        ({"hands": [[1], [32]]}, "hands=32: expected 1 to 31"),
        ({"hands": [[], []]}, "cards=0: expected 1 to 31"),
        ({"hands": 7}, "hands='7': expected a sequence"),
        ({"hands": [[1], [2]], "cards": 5}, "cards=5: the hands given have 1"),
        ({"prizes": []}, "prizes: expected 1 to 31, got 0"),
        ({"prizes": range(10**9)}, "prizes: more than 31 given"),
        ({"prizes": [0]}, "prizes=0: expected 1 to 1000"),
        ({"prizes": "KQ"}, "prizes='KQ': expected a sequence"),
        ({"game": "chess"}, "game='chess': expected gops, jazzy or throps"),
        ({"early_stop": "soon"}, "early_stop='soon': expected none, clinch or a score"),
        ({"early_stop": 0}, "early_stop=0: expected 1"),
        ({"early_stop": 46, "misere": True}, "early_stop: not together with misere"),
    ],
)
def test_errors_name_the_rule_and_what_is_allowed(values, message):
    with pytest.raises(RulesError) as caught:
        Rules(**values)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", Rules.presets())
def test_presets_can_be_played(name):
    game = Game(Rules.preset(name), rng=1)
    while not game.is_over:
        if game.to_pick:
            game.pick(game.legal_picks()[0])
        else:
            players = range(1, game.rules.players + 1)
            game.play([game.legal_bids(player)[player % 2 - 1] for player in players])
    assert game.winners


def test_presets():
    assert {"classic", "discard", "split", "high-ace", "fixed-order", "hidden", "two-card",
            "open-prizes", "market", "three", "four", "five", "jazzy",
            "throps"} <= Rules.presets().keys()  # fmt: skip
    assert all(text and "\n" not in text for text in Rules.presets().values())
    assert Rules.preset("classic") == Rules()
    assert Rules.preset("market", cards=5).picks == 1
    with pytest.raises(RulesError, match=r"preset 'chess': expected classic, .* or throps"):
        Rules.preset("chess")
    with pytest.raises(RulesError, match="'colour': no such rule"):
        Rules.preset("classic", colour="red")


@pytest.mark.parametrize(
    ("values", "count"),
    [
        pytest.param({"bids": 2}, 7, id="K5-two"),
        pytest.param({"bids": 2, "last": "none"}, 6, id="K5-two-none"),
        pytest.param({"bids": 3}, 5, id="K5-three"),
        pytest.param({"bids": 3, "last": "none"}, 4, id="K5-three-none"),
        pytest.param({"cards": 4, "bids": 2}, 2, id="K5-four"),
        pytest.param({"bids": 2, "lot": 2}, 7, id="K5-paired"),
        pytest.param({"prizes": [1, 2]}, 2, id="few-prizes"),
    ],
)
def test_number_of_rounds(values, count):
    assert Rules(**values).max_rounds == count


def test_spent_bids_cannot_be_seen_when_they_are_secret():
    assert not Rules(spent_visible="no").spent_visible
    assert Rules(spent_visible=False, hidden=True).spent_visible
