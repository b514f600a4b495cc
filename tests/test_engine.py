"""The engine against its slow twin, and what must hold for every game."""

import contextlib
import copy
import json
import pickle
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
import twin as slow
from hypothesis import given
from hypothesis import strategies as st
from twin import Twin

from gops import Game, GopsError, IllegalBidError, Position, Rules, RulesError, perft

TIES = ("carry", "discard", "split", "unique")
SEEDS = st.integers(0, 2**32)


@st.composite
def all_rules(draw, most_cards=7):
    """Draw rules of every lot-style kind, with custom hands and prizes."""
    players = draw(st.integers(2, 7))
    cards = draw(st.integers(1, most_cards))
    rules = {
        "players": players,
        "cards": cards,
        "tie": draw(st.sampled_from(TIES)),
        "fallback": draw(st.sampled_from(TIES[:3])),
        "order": draw(st.sampled_from(("random", "ascending", "descending"))),
        "bids": draw(st.integers(1, min(3, cards))),
        "last": draw(st.sampled_from(("short", "none"))),
        "early_stop": draw(st.sampled_from(("none", "none", "clinch", 5, 12))),
    }
    size = cards
    if draw(st.booleans()):
        one = st.lists(st.integers(1, 31), min_size=cards, max_size=cards, unique=True)
        rules["hands"] = draw(st.lists(one, min_size=players, max_size=players))
    if draw(st.booleans()):
        size = draw(st.integers(1, 9))
        prize = st.sampled_from((1, 2, 3, 3, 7, 10, 1000))
        rules["prizes"] = draw(st.lists(prize, min_size=size, max_size=size))
    kind = draw(st.sampled_from(("plain", "lot", "open")))
    if kind == "lot":
        rules["lot"] = draw(st.integers(1, min(3, size)))
    elif kind == "open" and size > 1:
        rules["open"] = draw(st.integers(2, min(4, size)))
        rules["picks"] = draw(st.sampled_from((None, *range(1, rules["open"] + 1))))
        rules["auto_pick"] = draw(st.sampled_from(("none", "highest")))
        rules["leftover"] = draw(st.sampled_from(("stay", "discard")))
    most = Rules(**rules).max_rounds
    if most and draw(st.booleans()):
        rules["rounds"] = draw(st.integers(1, most))
    return Rules(**rules)


def twin_of(rules, deck):
    names = ("tie", "fallback", "rounds", "bids", "last", "lot", "open", "picks", "auto_pick",
             "leftover", "early_stop")  # fmt: skip
    return Twin(rules.first_hands, deck, **{name: getattr(rules, name) for name in names})


def deck_of(rules, rng):
    deck = list(rules.first_pile)
    if rules.order == "random":
        rng.shuffle(deck)
    return deck


def as_bid(rules, cards):
    return cards if rules.bids > 1 else cards[0]


def check(game, twin, rules):
    assert game.hands == tuple(tuple(sorted(hand)) for hand in twin.hands)
    assert game.upcards == tuple(twin.table)
    assert game.scores == tuple(twin.scores)
    assert sorted(game.void) == sorted(twin.void)
    assert game.is_over == twin.over
    assert game.rounds_left == twin.rounds_left
    assert game.to_pick == (twin.queue[0][0] + 1 if twin.queue else None)
    total = sum(rules.prize_values)
    known = sum(game.scores) + sum(game.void) + game.pot
    assert known + sum(game.position.pile) == total
    assert len({len(hand) for hand in game.hands}) == 1


def steps(game, rng):
    """Make random legal moves to the end, yielding after each what was done."""
    rules = game.rules
    while not game.is_over:
        if game.to_pick:
            prize = rng.choice(game.legal_picks())
            game.pick(prize)
            yield "pick", prize
        else:
            bids = [rng.choice(game.legal_bids(p)) for p in range(1, rules.players + 1)]
            game.play(bids)
            yield "play", bids


@given(all_rules(), SEEDS)
def test_engine_agrees_with_the_twin(rules, seed):
    rng = random.Random(seed)
    deck = deck_of(rules, rng)
    game = Game(rules, pile=deck if rules.order == "random" else None)
    twin = twin_of(rules, deck)
    auto_turn(twin)
    check(game, twin, rules)
    while not twin.over:
        if twin.queue:
            assert game.legal_picks() == sorted(set(twin.table))
            prize = rng.choice(twin.table)
            twin.pick(prize)
            game.pick(prize)
        else:
            legal = [twin.legal(p) for p in range(rules.players)]
            for player, bids in enumerate(legal, 1):
                expected = bids if rules.bids > 1 else [card for (card,) in bids]
                assert game.legal_bids(player) == expected
            bids = [rng.choice(some) for some in legal]
            twin.play(bids)
            game.play([as_bid(rules, bid) for bid in bids])
        auto_turn(twin)
        check(game, twin, rules)
    assert game.unplayed == tuple(sorted(twin.pile))
    assert len(game.history) == game.round


def auto_turn(twin):
    if not twin.over and not twin.turned and not twin.queue:
        twin.turn()


@given(all_rules(), SEEDS)
def test_undo_restores_everything(rules, seed):
    rng = random.Random(seed)
    game = Game(rules, rng=seed)
    before = [game.copy()]
    for _ in steps(game, rng):
        before.append(game.copy())
    end = game.copy()
    while len(before) > 1:
        assert game == before.pop()
        assert repr(game) == repr(game.copy())
        game.undo()
    assert game == before[0] == Game(rules, rng=seed)
    assert end.is_over
    with pytest.raises(IllegalBidError, match="nothing to undo"):
        game.undo()


@given(all_rules(), SEEDS)
def test_every_position_reads_back_and_plays_on(rules, seed):
    rng = random.Random(seed)
    game = Game(rules, rng=seed)
    done = True
    for _ in steps(game, rng):
        position = game.position
        again = Position(str(position))
        assert again == position
        assert str(again) == str(position)
        for name in ("hands", "upcards", "pile", "scores", "rounds_left", "turned", "is_over",
                     "order_known", "picking", "picks_left", "is_chance", "to_pick"):  # fmt: skip
            assert getattr(again, name) == getattr(position, name), name
        if done and not game.is_over:
            # The same moves from the position as from the whole game give the same end.
            done = rng.random() < 0.5
            hidden = game.copy().__reduce__()[1][2]
            rest = None if hidden is None else hidden[-len(position.pile) :]
            other = Game(position=position, pile=rest if position.pile and rest else None)
            one = game.copy()
            moves = list(steps(one, random.Random(1)))
            assert list(steps(other, random.Random(1))) == moves
            assert one.scores == other.scores


@given(all_rules(), SEEDS)
def test_manual_games_reach_the_same_end(rules, seed):
    rng = random.Random(seed)
    auto = Game(rules, rng=seed)
    game = Game(rules, rng=seed, reveal="manual")
    assert game.position.is_chance
    for kind, what in steps(auto, rng):
        if game.position.is_chance:
            assert game.legal_bids(1) == []
            with pytest.raises(IllegalBidError, match="turned first"):
                game.play([1] * rules.players)
            chance = game.copy()
            assert Position(str(game.position)) == game.position
            game.reveal()
            assert game != chance
            game.undo()
            assert game == chance
            named = auto.history[-1].upcards[len(game.upcards) :]
            game.reveal(*named)
        getattr(game, kind)(what)
    assert game.scores == auto.scores
    assert game.is_over
    assert game.history == auto.history
    assert pickle.loads(pickle.dumps(game)) == game


@given(all_rules(), SEEDS)
def test_pickles_and_copies(rules, seed):
    rng = random.Random(seed)
    game = Game(rules, rng=seed)
    for _ in steps(game, rng):
        for other in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)):
            assert other == game
            assert other.history == game.history
            assert other.position == game.position
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


@given(all_rules(most_cards=5), SEEDS)
def test_hidden_order_never_shows(rules, seed):
    """Two games that differ only in the order of the face-down prizes look the same."""
    if rules.order != "random":
        return
    rng = random.Random(seed)
    deck = deck_of(rules, rng)
    game = Game(rules, pile=deck)
    up = len(game.upcards)
    other = Game(rules, pile=deck[:up] + deck[up:][::-1])
    assert (game == other) == (deck[up:] == deck[up:][::-1])
    assert game.position == other.position
    assert hash(game.position) == hash(other.position)
    assert repr(game) == repr(other)
    assert repr(game.position) == repr(other.position)
    assert game.unplayed == other.unplayed or game.is_over
    for player in range(1, rules.players + 1):
        assert game.view(player) == other.view(player)
        assert pickle.dumps(game.view(player)) == pickle.dumps(other.view(player))
    bad = [0] * rules.players
    messages = []
    for one in (game, other):
        with pytest.raises(IllegalBidError) as error:
            one.play(bad)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


@given(all_rules(), SEEDS)
def test_permuting_the_players_permutes_the_result(rules, seed):
    rng = random.Random(seed)
    game = Game(rules, rng=seed)
    order = rng.sample(range(rules.players), rules.players)
    hands = [rules.first_hands[p] for p in order]
    other = pickle.loads(pickle.dumps(game)).__reduce__()[1][2]
    twin = Game(rules.replace(hands=hands), pile=other)
    for kind, what in steps(game, rng):
        if kind == "pick":
            twin.pick(what)
        else:
            twin.play([what[p] for p in order])
    assert twin.scores == tuple(game.scores[p] for p in order)


@given(st.sampled_from(TIES[:3]), SEEDS)
def test_unique_for_two_is_the_fallback(tie, seed):
    one = Game(Rules(cards=6, tie=tie), rng=seed)
    other = Game(Rules(cards=6, tie="unique", fallback=tie), rng=seed)
    for kind, what in steps(one, random.Random(seed)):
        getattr(other, kind)(what)
        assert one.scores == other.scores
        assert one.upcards == other.upcards


@given(SEEDS)
def test_discard_and_split_have_the_same_margin(seed):
    one = Game(Rules(cards=6, tie="discard"), rng=seed)
    other = Game(Rules(cards=6, tie="split"), rng=seed)
    for kind, what in steps(one, random.Random(seed)):
        getattr(other, kind)(what)
        assert one.scores[0] - one.scores[1] == other.scores[0] - other.scores[1]


@pytest.mark.parametrize("tie", [("discard", "carry"), ("split", "carry"), ("unique", "discard")])
@given(seed=SEEDS)
def test_order_is_no_matter_when_bids_depend_on_the_prize(tie, seed):
    rng = random.Random(seed)
    bids = [rng.sample(range(1, 7), 6) for _ in range(3)]
    results = set()
    for _ in range(2):
        game = Game(Rules(players=3, cards=6, tie=tie[0], fallback=tie[1]), rng=rng.getrandbits(32))
        while not game.is_over:
            game.play([bid[game.upcards[-1] - 1] for bid in bids])
        results.add(game.scores)
    assert len(results) == 1


REFERENCE = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "games.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("part", range(6))
def test_replays_reference_games(part):
    games = REFERENCE[part::6]
    assert len(games) == 100
    for record in games:
        rules = Rules(
            players=record["players"],
            cards=record["cards"],
            tie=record["tie"],
            order=record["order"],
            rounds=record["turns"],
            hidden=record["hidden_bids"],
        )
        game = Game(rules, pile=[step["prize"] for step in record["rounds"]])
        for step in record["rounds"]:
            assert game.upcards == (step["prize"],)
            game.play(step["bids"])
            assert game.history[-1].winner == step["winner"]
            assert game.history[-1].bids == tuple(step["bids"])
        assert game.is_over
        assert list(game.scores) == record["scores"]
        returns = record["openspiel"]["returns"]
        kind = record["openspiel"]["returns_type"]
        if kind == "total_points":
            assert list(game.awards) == returns
        elif kind == "point_difference":
            mean = Fraction(sum(game.scores), len(game.scores))
            assert [float(score - mean) for score in game.scores] == pytest.approx(returns)
        else:
            share = Fraction(1, len(game.winners))
            assert [p in game.winners for p in range(1, len(returns) + 1)] == [
                value > min(returns) or len(set(returns)) == 1 for value in returns
            ], (share, returns)


# -- perft ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("1-3/1-3 - 1-3 0:0", 5),
        ("1-3/1-3 - 1-3 0:0 tie=discard", 6),
        ("1-3/1-3 - >1,3,2 0:0", 6),
        ("1-3/1-3 2 1,3 0:0", 5),
        ("1-4/1-4 - 1,1,2,2 0:0", 3),
        ("1-3/2-4 2+ 1,1 0:0", 4),
        ("1,2/1,2/2,3 - 1-3 0:0:0", 4),
        ("1-4/1-4 - 1-4 0:0 rounds=1", 3),
        ("1-4/1-4 - 1-4 0:0 bids=2", 4),
        ("1-4/1-4 - 1-4 0:0 bids=3", 4),
        ("1-3/1-3 - 1,2,2,5 0:0 lot=2", 4),
        ("1-3/1-3 - >1,2,2,5 0:0 lot=2", 4),
        ("1-3/1-3 - 1-4 0:0 open=2", 5),
        ("1,2/1,2 - 1,1,2 0:0 open=2,picks=1", 5),
        ("1-2/1-2/1-2 - 1,1,2 0:0:0 tie=split,open=3", 5),
    ],
)
def test_perft_counts_what_the_twin_counts(text, depth):
    position = Position(text)
    rules = position.rules

    def start():
        twin = Twin(
            position.hands,
            position.upcards + position.pile,
            **{
                name: getattr(rules, name)
                for name in ("tie", "fallback", "bids", "last", "lot", "open", "picks")
            },
            rounds=position.rounds_left,
        )
        twin.rounds_left = position.rounds_left
        twin.pile = list(position.pile)
        twin.table = list(position.upcards)
        twin.turned = position.turned
        return twin

    for d in range(depth + 1):
        assert perft(position, d) == slow.perft(start, [], d, position.order_known)


def test_perft_counts_whole_games():
    # 3! orders times (3!)^2 sequences of bids; nothing is longer.
    assert perft("1-3/1-3 - 1-3", 6) == 216
    assert perft("1-3/1-3 - 1-3", 7) == 0
    assert perft("1-13/1-13 7 1-6,8-13", 3) == 169 * 12 * 144


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bids", "message"),
    [
        ([9, 1], r"player 1 may not bid '9' in 1-3/1-3 2 1,3 0:0: expected one of 1, 2, 3"),
        ([1, 0], "player 2 may not bid '0'"),
        ([1, -1], "player 2 may not bid"),
        ([1, 2**80], "player 2 may not bid"),
        ([1, "K"], "player 2 may not bid 'K'"),
        ([1, None], "player 2 may not bid"),
        ([1, 2.0], "player 2 may not bid"),
        ([1, (1, 2)], "player 2 may not bid"),
        ([1, ()], "player 2 may not bid"),
        ([1, "x" * 10**6], "player 2 may not bid"),
        ([1], "1 bids given, expected 2"),
        ([1, 1, 1], "3 bids given, expected 2"),
    ],
)
def test_illegal_bids(bids, message):
    game = Game(Rules(cards=3), pile=[2, 1, 3])
    with pytest.raises(IllegalBidError, match=message) as error:
        game.play(bids)
    assert len(str(error.value)) < 300
    assert game == Game(Rules(cards=3), pile=[2, 1, 3])


def test_bids_may_be_numpy_numbers_and_sequences_of_one():
    np = pytest.importorskip("numpy")
    game = Game(Rules(cards=3), rng=1)
    game.play(np.array([3, 2]))
    game.play(((1,), [1]))
    assert [record.bids for record in game.history] == [(3, 2), (1, 1)]


def test_errors_of_games():
    with pytest.raises(GopsError, match="expected rules or a position"):
        Game()
    with pytest.raises(GopsError, match="expected rules or a position"):
        Game(3)
    with pytest.raises(RulesError, match="expected auto or manual"):
        Game(Rules(), reveal="never")
    with pytest.raises(RulesError, match="prize '14' is not"):
        Game(Rules(cards=3), pile=[14, 1, 2])
    with pytest.raises(RulesError, match="2 prizes given, 3 can be turned"):
        Game(Rules(cards=3), pile=[1, 2])
    with pytest.raises(RulesError, match="the order is known"):
        Game(Rules(cards=3, order="ascending"), pile=[3, 1, 2])
    with pytest.raises(RulesError, match="has its own rules"):
        Game(Rules(cards=3), position="1-3/1-3 - 1-3")
    game = Game(Rules(cards=3), pile=[2, 1, 3], reveal="manual")
    with pytest.raises(IllegalBidError, match="player 3: expected 1 to 2"):
        game.legal_bids(3)
    with pytest.raises(IllegalBidError, match="prize '4' cannot be turned"):
        game.reveal(4)
    with pytest.raises(IllegalBidError, match="2 prizes named, expected 1"):
        game.reveal(1, 2)
    game.reveal(3)
    with pytest.raises(IllegalBidError, match="no prize is to be turned"):
        game.reveal()
    with pytest.raises(IllegalBidError, match="no pick now"):
        game.pick(3)
    known = Game(Rules(cards=3, order="ascending"), reveal="manual")
    with pytest.raises(IllegalBidError, match="expected 1"):
        known.reveal(2)


def test_a_game_never_initialised_does_no_harm():
    kind = type(Game(Rules()))
    empty = kind.__new__(kind)
    for name in ("rules", "position", "hands", "history", "winners", "void", "is_over", "round"):
        with contextlib.suppress(AttributeError):
            getattr(empty, name)
    for name in ("copy", "undo", "reveal", "legal_picks", "__reduce__", "__repr__"):
        with contextlib.suppress(AttributeError, IllegalBidError):
            getattr(empty, name)()
    with pytest.raises((AttributeError, IllegalBidError)):
        empty.play([1, 1])
    with pytest.raises(TypeError, match="calling Game itself"):
        Game.__new__(Game).__init__()
    with pytest.raises(GopsError, match="twice"):
        Game(Rules()).__init__(Rules())


def test_legal_bids_are_the_callers_own():
    game = Game(Rules(cards=5), pile=[1, 2, 3, 4, 5])
    first = game.legal_bids(1)
    second = game.legal_bids(1)
    assert first is not second
    first.append(99)
    second.reverse()
    del second
    assert game.legal_bids(1) == [1, 2, 3, 4, 5]
    game.legal_bids(1).clear()
    assert game.legal_bids(1) == [1, 2, 3, 4, 5]
    assert first == [1, 2, 3, 4, 5, 99]
    game.play([2, 3])
    assert game.legal_bids(1) == [1, 3, 4, 5]
    game.undo()
    assert game.legal_bids(1) == [1, 2, 3, 4, 5]


def test_history_is_a_list_of_frozen_records():
    game = Game(Rules(cards=3, tie="split"), pile=[3, 2, 1])
    game.play([1, 1])
    game.play([2, 3])
    first, second = game.history
    assert (first.upcards, first.bids, first.winner) == ((3,), (1, 1), None)
    assert first.gains == (Fraction(3, 2), Fraction(3, 2))
    assert (second.winner, second.gains) == (2, (0, 2))
    assert Counter(game.history) == Counter([first, second])
    with pytest.raises(AttributeError):
        first.winner = 1


def test_a_refusal_does_not_list_millions_of_bids():
    game = Game(Rules(cards=31, bids=15), rng=1)
    with pytest.raises(IllegalBidError, match=r"expected one of \(1, 2, .*, \.\.\.$"):
        game.play([(1,), (1,)])
