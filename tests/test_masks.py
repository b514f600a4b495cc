"""Exact analysis of multi-card bids, lots, open prizes, early stops and misere, against a twin."""

import json
import sys
import time
from collections import Counter
from copy import copy
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from exact_twin import game_value
from hypothesis import assume, given
from hypothesis import strategies as st
from test_analysis import check, interrupted
from twin import Twin

from gops import Game, Position, PositionError, TooLargeError, analyse, strategies
from gops.masks import MaskInduction, mask_effort


def branch(twin):
    """A twin that can go its own way."""
    other = copy(twin)
    for name in ("hands", "pile", "table", "scores", "void", "queue", "log"):
        setattr(other, name, [copy(item) for item in getattr(twin, name)])
    return other


def after(twin, step, *arguments):
    other = branch(twin)
    getattr(other, step)(*arguments)
    return other


class Values:
    """What states of the twin are worth to player 1, in fractions."""

    def __init__(self, objective, known, misere):
        self.objective, self.known, self.misere = objective, known, misere
        self.memo = {}

    def of(self, twin):
        table = tuple(sorted(twin.table)) if twin.open else sum(twin.table)
        pile = tuple(twin.pile if self.known else sorted(twin.pile))
        key = (
            tuple(map(frozenset, twin.hands)), table, pile, tuple(twin.scores), twin.rounds_left,
            twin.turned, twin.over, tuple(map(tuple, twin.queue)), twin.picks_left,
        )  # fmt: skip
        if key not in self.memo:
            self.memo[key] = self.work_out(twin)
        return self.memo[key]

    def work_out(self, twin):
        if twin.over:
            margin = twin.scores[0] - twin.scores[1]
            margin = -margin if self.misere else Fraction(margin)
            return margin if self.objective == "points" else Fraction((margin > 0) - (margin < 0))
        if twin.queue:
            best = max if twin.queue[0] == [0] else min
            return best(self.of(after(twin, "pick", prize)) for prize in set(twin.table))
        if not twin.turned:
            ways = self.reveals(twin)
            return sum(self.of(after(twin, "turn", way)) for way in ways) / len(ways)
        return game_value(self.matrix(twin))

    def reveals(self, twin):
        if self.known:
            return [tuple(twin.pile[: twin.due()])]
        return list(combinations(sorted(twin.pile), twin.due()))

    def matrix(self, twin):
        return [
            [self.of(after(twin, "play", (one, two))) for two in twin.legal(1)]
            for one in twin.legal(0)
        ]


ties = st.sampled_from(["carry", "discard", "split", "unique"])


@st.composite
def rules(draw):
    """Rules under which cards are more than their order."""
    chosen = {"tie": draw(ties)}
    if chosen["tie"] == "unique":
        chosen["fallback"] = draw(st.sampled_from(["carry", "discard", "split"]))
    kind = draw(st.sampled_from(["bids", "lot", "open", "one"]))
    if kind != "one":
        chosen[kind] = draw(st.integers(2, 3))
    if kind == "lot" or (kind == "open" and draw(st.booleans())):
        chosen["bids"] = draw(st.integers(1, 2))
    if chosen.get("bids", 1) > 1:
        chosen["last"] = draw(st.sampled_from(["short", "none"]))
    if kind == "open":
        chosen["picks"] = draw(st.integers(1, chosen["open"]))
        chosen["auto_pick"] = draw(st.sampled_from(["none", "none", "highest"]))
        chosen["leftover"] = draw(st.sampled_from(["stay", "stay", "discard"]))
    stop = st.sampled_from(["none", "none", "clinch"]) | st.integers(1, 9)
    chosen["early_stop"] = draw(stop)
    return chosen


@st.composite
def positions(draw):
    """A twin some steps into a game, and whether the order is known; not over."""
    chosen = draw(rules())
    size = draw(st.integers(1, 5 if chosen.get("bids", 1) > 1 else 3))
    cards = st.sets(st.integers(1, 6), min_size=size, max_size=size)
    deck = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    known = draw(st.booleans())
    twin = Twin([draw(cards), draw(cards)], deck, **chosen)
    for _ in range(draw(st.integers(0, 5))):
        if twin.over:
            break
        if twin.queue:
            step = "pick", draw(st.sampled_from(twin.table))
        elif not twin.turned:
            step = ("turn",) if known else ("turn", draw(st.permutations(twin.pile))[: twin.due()])
        else:
            step = "play", tuple(draw(st.sampled_from(twin.legal(p))) for p in range(2))
        following = after(twin, *step)
        if following.over:
            break
        twin = following
    assume(not twin.over)
    return twin, chosen, known, chosen["early_stop"] == "none" and draw(st.booleans())


def position_of(twin, chosen, known, misere):
    return Position.from_parts(
        twin.hands,
        twin.table,
        twin.pile,
        twin.scores,
        order_known=known,
        turned=twin.turned,
        rounds=twin.rounds_left,
        picking=[[player + 1 for player in group] for group in twin.queue],
        picks_left=twin.picks_left,
        misere=misere,
        **chosen,
    )


@given(positions(), st.sampled_from(["points", "win"]))
def test_any_small_position_is_worth_what_the_twin_says(situation, objective):
    position = position_of(*situation)
    twin, _, known, misere = situation
    values = Values(objective, known and bool(position.pile), misere)
    answer = analyse(position, objective)
    assert answer.value == pytest.approx(float(values.of(twin)), abs=1e-10), str(position)
    assert answer.gap < 1e-10
    if twin.queue:
        return
    if not answer.reveals:
        expected = [[float(entry) for entry in row] for row in values.matrix(twin)]
        assert answer.matrix == pytest.approx(np.array(expected), abs=1e-10)
        legal = [twin.legal(player) for player in range(2)]
        if position.rules.bids == 1:
            legal = [[bid[0] for bid in bids] for bids in legal]
        assert [list(answer.bids[player]) for player in (1, 2)] == legal
    else:
        ways = Counter(values.reveals(twin))
        found = {
            reveal.prize if isinstance(reveal.prize, tuple) else (reveal.prize,): reveal
            for reveal in answer.reveals
        }
        assert found.keys() == ways.keys()
        for way, count in ways.items():
            assert found[way].probability == pytest.approx(count / ways.total())
            assert found[way].analysis.value == pytest.approx(
                float(values.of(after(twin, "turn", way))), abs=1e-10
            )


@given(positions())
def test_documents_are_plain_json(situation):
    document = analyse(position_of(*situation)).to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


PLAIN = ["1-5/1-5 - 1-5 0:0", "1,3,4/2-4 7 1,1,3 2:0 tie=discard", "1-4/1-4 2+ >3,1,1,4 0:1"]


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("text", PLAIN)
def test_both_methods_agree_where_both_will_do(text, objective):
    position = Position(text)
    by_order = analyse(position, objective)
    parts = [r.analysis for r in by_order.reveals] or [by_order]
    solver = MaskInduction(position, win=objective == "win", limit=10**9)
    for decision, part in zip(solver.decisions(), parts, strict=True):
        assert decision.payoffs == pytest.approx(part.matrix, abs=1e-12)
        assert decision.upcards == part.upcards
        assert decision.choices == tuple(map(list, position.hands))


# -- answers known by hand -----------------------------------------------------------------------


def test_a_bid_of_several_cards_is_a_tuple():
    answer = analyse("1-4/1-4 3 4 0:0 bids=2")
    assert list(answer.bids[1]) == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    assert answer.matrix.shape == (6, 6)
    # 1+4 ties 2+3 by sum, and what is left of them ties again: the prizes go to nobody.
    assert answer.matrix[2, 3] == 0.0
    # 3+4 wins the 3 from 1+2 and loses the 4 of the last round.
    assert answer.matrix[5, 0] == -1.0
    bids = answer.to_dict()["players"][0]["bids"]
    assert [bid["cards"] for bid in bids[:2]] == [[1, 2], [1, 3]]


def test_a_short_last_bid_is_a_tuple_too():
    answer = analyse("4/3 5 1,3 0:0 bids=2")
    assert (answer.bids, answer.value) == ({1: {(4,): 1.0}, 2: {(3,): 1.0}}, 5.0)


def test_a_pick_is_the_choice_of_one():
    answer = analyse("2-4/2-4 10+3 5 0:0 open=2,pick=2:2>1")
    assert answer.matrix.shape == (1, 2)
    assert answer.bids == {1: {}, 2: {3: 0.0, 10: 1.0}}
    assert answer.loss[2][10] == 0.0
    assert answer.loss[2][3] == pytest.approx(14.0)
    first = analyse("2-4/2-4 10+3 5 0:0 open=2,pick=2:1>2")
    assert first.value == -answer.value == pytest.approx(7.0)
    assert first.matrix.shape == (2, 1)


def test_the_last_open_prize_goes_to_the_higher_card():
    answer = analyse("2,5/3,4 7 - 1:0 open=2")
    # 5 wins whatever player 2 bids.
    assert (answer.value, answer.bids[1]) == (8.0, {2: 0.0, 5: 1.0})


def test_several_prizes_turned_at_once():
    answer = analyse("1,2/1,2 - 1,1,2 0:0 lot=2")
    assert [(r.prize, r.probability) for r in answer.reveals] == [
        ((1, 1), pytest.approx(1 / 3)),
        ((1, 2), pytest.approx(2 / 3)),
    ]
    assert answer.to_dict()["reveals"][1]["prize"] == [1, 2]
    assert answer.reveals[0].analysis.upcards == (1, 1)


def test_misere_counts_the_other_way_round():
    """The last card decides: who bids higher takes the prize, and is the worse for it."""
    answer = analyse("2/1 5 - 1:0 misere=yes")
    assert answer.value == -6.0
    assert analyse("2/1 5 - 1:0 misere=yes", "win").value == -1.0
    assert analyse("-/- - - 3:1 misere=yes").value == -2.0
    assert analyse("1,2/1,2 1 2 0:0 misere=yes").value == pytest.approx(0.0)


def test_a_threshold_stops_the_game():
    """Who wins the 3 has 3 points, and the game is over before the 9 is turned."""
    assert analyse("2,3/1,4 3 >9 0:0 early_stop=3,tie=discard").matrix.tolist() == [
        [3.0, -3.0],
        [3.0, -3.0],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1-6/1-6 - 1-6 0:0 bids=2",
        "1-6/1-6 - 1-6 0:0 bids=2,lot=2,tie=discard",
        "1-5/1-5 - 1-5 0:0 open=2",
        "1-5/1-5 - 1-5 0:0 open=3,tie=split",
        "1-5/1-5 - 1-5 0:0 tie=unique,fallback=discard,open=2,picks=1",
        "1-5/1-5 - 1-5 0:0 misere=yes",
        "1-5/1-5 - 1-5 0:0 early_stop=clinch",
        "1-4/1-4 - 1-4 0:0 early_stop=6",
    ],
)
@pytest.mark.parametrize("objective", ["points", "win"])
def test_first_positions_are_fair_and_proven(text, objective):
    answer = check(analyse(text, objective))
    assert answer.value == pytest.approx(0.0, abs=1e-12)


def test_clinch_changes_no_win():
    """A game that stops when it is decided is won by the same player."""
    for text in ("1-4/1-4 - 1-4 0:2", "1-4/2-5 3 1,2,4 1:0 tie=discard"):
        plain = analyse(text, "win").value
        rules = f"{text},early_stop=clinch" if "=" in text else f"{text} early_stop=clinch"
        assert analyse(rules, "win").value == pytest.approx(plain, abs=1e-12)


def test_playing_the_mixes_is_worth_the_value():
    """Against random replies, a mix of the analysis gets at least the value on average."""
    game = Game(position=Position("1-4/1-4 3 1,2,4 0:0 open=2".replace("3 1,2,4", "4+3 1,2")))
    answer = analyse(game.position)
    values = answer.matrix @ np.array([*answer.bids[2].values()])
    assert values.max() <= answer.value + 1e-12
    for one, two in product(game.legal_bids(1), game.legal_bids(2)):
        twin = game.copy()
        twin.play([one, two])
        entry = answer.matrix[one - 1, two - 1]
        assert analyse(twin.position).value == pytest.approx(entry, abs=1e-12)


# -- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1-13/1-13 - 1-13 0:0 bids=2",
        "1-31/1-31 - 1-31 0:0 bids=15,lot=15",
        "1-13/1-13 - 1-13 0:0 open=2",
        "1-31/1-31 - 1-31 0:0 open=31",
        "1-13/1-13 - 1-13 0:0 misere=yes",
        "1-20/1-20 - 1-20 0:0 early_stop=clinch",
    ],
)
@pytest.mark.parametrize("objective", ["points", "win"])
def test_what_is_too_large_is_refused_at_once(text, objective):
    started = time.perf_counter()
    with pytest.raises(TooLargeError, match=r"states.*matrix games.*--force \(force=True\)"):
        analyse(text, objective)
    assert time.perf_counter() - started < 1.0


def test_memory_has_a_limit():
    solver = MaskInduction(Position("1-7/1-7 - 1-7 0:0 misere=yes"), win=False, limit=10**6)
    with pytest.raises(MemoryError):
        list(solver.decisions())


@cache
def solved(text, win):
    solver = MaskInduction(Position(text), win=win, limit=10**9)
    list(solver.decisions())
    return solver.effort


@pytest.mark.parametrize("win", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "1-6/1-6 - 1-6 0:0 bids=2",
        "1-7/1-7 - 1-7 0:0 bids=2,tie=discard",
        "1-7/1-7 - 1-7 0:0 bids=3,lot=2",
        "1-5/1-5 - 1-5 0:0 open=2",
        "1-6/1-6 - 1-6 0:0 open=2,picks=1",
        "1-5/1-5 - 1-5 0:0 open=3,tie=discard",
        "1-5/1-5 - 1-5 0:0 misere=yes",
        "1-6/1-6 - >1-6 0:0 misere=yes",
    ],
)
def test_the_estimate_is_right_within_a_factor(text, win):
    estimate, effort = mask_effort(Position(text), win=win), solved(text, win)
    for name in ("states", "games"):
        assert 1 / 5 < getattr(estimate, name) / getattr(effort, name) < 5, name


def test_an_interrupt_stops_the_work():
    text = "1-8/1-8 - 1-8 0:0 bids=2"
    code = (
        f"import gops\ntry:\n gops.analyse({text!r}, 'win', force=True)\n"
        "except KeyboardInterrupt:\n raise SystemExit(7)"
    )
    status, seconds, errors = interrupted([sys.executable, "-c", code])
    assert status == 7, errors
    assert seconds < 10.0  # the work would go on longer


def test_the_exact_player_bids_and_picks():
    """Two of them play a whole game; a pick that gives points away is never made."""
    rng = np.random.default_rng(3)
    player = strategies.get("exact")
    picked = player.pick(Position("2-4/2-4 10+3 5 0:0 open=2,pick=2:2>1"), 2, rng)
    assert picked == 10
    for text in ("1-5/1-5 - 1-5 0:0 open=2", "1-6/1-6 - 1-6 0:0 bids=2"):
        game = Game(position=Position(text), rng=rng)
        while not game.is_over:
            if game.to_pick:
                game.pick(player.pick(game.position, game.to_pick, rng))
            else:
                game.play([player.bid(game.position, number, rng) for number in (1, 2)])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1-3/1-3/1-3 - 1-3 0:0:0", "2 players, not 3"),
        ("1-3/1-3 - 1-3 0:0 hidden=yes", "hidden=yes"),
    ],
)
def test_what_has_no_exact_method_is_told_what_to_use(text, reason):
    with pytest.raises(PositionError, match=f"{reason}.*gops.playouts.*gops.strategies"):
        analyse(text)
