"""Exact analysis against reference values, a slow twin in fractions, and identities."""

import json
import signal
import subprocess
import sys
import time
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from exact_twin import exact_value
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gops import GopsError, Position, PositionError, TooLargeError, analyse, analysis

DATA = Path(__file__).parent / "data"
OBJECTIVES = ("points", "win")
few = settings(max_examples=settings().max_examples // 3)


def reference(name):
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def check(answer, tolerance=1e-9):
    """What an analysis says of itself must follow from its matrix and its bids."""
    assert answer.gap <= tolerance
    if answer.reveals:
        assert answer.matrix is None
        assert not answer.bids
        assert not answer.loss
        chances = [reveal.probability for reveal in answer.reveals]
        assert sum(chances) == pytest.approx(1.0)
        for name in ("value", "gap"):
            parts = [getattr(reveal.analysis, name) for reveal in answer.reveals]
            assert getattr(answer, name) == pytest.approx(np.dot(chances, parts), abs=1e-12)
        for reveal in answer.reveals:
            assert not reveal.analysis.reveals
            turned = reveal.prize if isinstance(reveal.prize, tuple) else (reveal.prize,)
            assert reveal.analysis.upcards == answer.position.upcards + turned
            check(reveal.analysis, tolerance)
        return answer
    if answer.position.is_over:
        return answer
    matrix, position = answer.matrix, answer.position
    assert matrix.dtype == np.float64
    assert matrix.shape == tuple(len(answer.bids[player]) for player in (1, 2))
    for player in (1, 2):
        assert list(answer.bids[player]) == list(answer.loss[player])
        if position.rules.bids == 1:
            assert tuple(answer.bids[player]) == position.hands[player - 1]
        else:
            assert list(answer.bids[player]) == sorted(answer.bids[player])
    row, column = (np.array([*answer.bids[player].values()]) for player in (1, 2))
    for mix in (row, column):
        assert mix.min() >= 0
        assert mix.sum() == pytest.approx(1.0)
    lower, upper = (row @ matrix).min(), (matrix @ column).max()
    assert answer.gap == pytest.approx(upper - lower, abs=1e-12)
    assert lower - 1e-12 <= answer.value <= upper + 1e-12
    assert [*answer.loss[1].values()] == pytest.approx(upper - matrix @ column)
    assert [*answer.loss[2].values()] == pytest.approx(row @ matrix - lower)
    for player, mix in ((1, row), (2, column)):
        loss = np.array([*answer.loss[player].values()])
        assert loss.min() >= 0
        assert mix @ loss <= tolerance
    return answer


# -- against other programs ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["values.jsonl", "values_fixed_order.jsonl"])
def test_reference_values(name):
    cases = reference(name)
    assert len(cases) in (1500, 600)
    for case in cases:
        answer = check(analyse(case["position"], case["objective"], threads=1))
        assert answer.value == pytest.approx(case["float"], abs=1e-9), case
        assert answer.position == Position(case["position"])


def first_bids():
    for name, tolerance in (("first_bids_small.json", 1e-9), ("first_bids_6_to_9.json", 2e-7)):
        for kind, sizes in json.loads((DATA / name).read_text()).items():
            for cards, prizes in sizes.items():
                yield pytest.param(kind, int(cards), prizes, tolerance, id=f"{kind}/{cards}")


@pytest.mark.parametrize(("kind", "cards", "prizes", "tolerance"), [*first_bids()])
def test_first_bids(kind, cards, prizes, tolerance):
    """Neither side's mix gives up anything by the other side's account."""
    objective, tie = kind.split("/")
    position = f"1-{cards}/1-{cards} - 1-{cards} 0:0 tie={tie}"
    answer = check(analyse(position, objective))
    assert answer.value == pytest.approx(0.0, abs=1e-9)
    assert {str(reveal.prize) for reveal in answer.reveals} >= prizes.keys()
    for reveal in answer.reveals:
        if (theirs := prizes.get(str(reveal.prize))) is None:
            continue
        mine = reveal.analysis
        for player in (1, 2):
            for mix, loss in ((mine.bids, theirs["loss"]), (theirs["bids"], mine.loss)):
                given_up = sum(
                    (mix[str(card)] if "1" in mix else mix[player][card])
                    * (loss[str(card)] if "1" in loss else loss[player][card])
                    for card in range(1, cards + 1)
                )
                assert given_up < tolerance * cards


# -- against the twin ----------------------------------------------------------------------------


@st.composite
def positions(draw, most=4, ties=("carry", "discard", "split", "unique")):
    """Any position of two players with one card a bid and up to `most` cards each."""
    rule = draw(st.sampled_from(ties))
    rules = {"tie": rule}
    if rule == "unique":
        rules["fallback"] = draw(st.sampled_from(["carry", "discard", "split"]))
    size = draw(st.integers(1, most))
    cards = st.sets(st.integers(1, 8), min_size=size, max_size=size)
    prize = st.integers(1, 7) | st.sampled_from([1, 1, 50, 1000])
    turned = draw(st.booleans())
    carried = 2 if rules.get("fallback", rule) == "carry" else 0
    upcards = draw(st.lists(prize, min_size=turned, max_size=turned + carried))
    pile = draw(st.lists(prize, min_size=1 - turned, max_size=5 - turned))
    unit = 2 if "split" in rules.values() else 1
    score = st.integers(0, 8) | st.integers(0, 1000)
    scores = [Fraction(draw(score), unit) for _ in range(2)]
    rounds = draw(st.none() | st.integers(1, min(size, turned + len(pile))))
    return Position.from_parts(
        [draw(cards), draw(cards)],
        upcards,
        pile,
        scores,
        order_known=draw(st.booleans()),
        turned=turned,
        rounds=rounds,
        **rules,
    )


@given(positions(), st.sampled_from(OBJECTIVES))
def test_any_small_position_is_worth_what_the_twin_says(position, objective):
    answer = check(analyse(position, objective, threads=1))
    exact = exact_value(position, objective)
    assert answer.value == pytest.approx(float(exact), rel=1e-12, abs=1e-10)


@pytest.mark.parametrize(
    ("position", "objective", "value"),
    [
        ("2,3/1,3 - 2,3 0:0 tie=discard", "points", Fraction(7, 5)),
        ("2,3/1,3 - 2,3 0:0", "points", Fraction(25, 14)),
        ("2,3/1,3 2+ 2,3 0:0", "points", Fraction(104, 33)),
        ("2-4/1-3 - 1-3 0:4 tie=discard", "win", Fraction(-118, 1159)),
    ],
)
def test_values_known_as_fractions(position, objective, value):
    assert exact_value(Position(position), objective) == value
    assert analyse(position, objective).value == pytest.approx(float(value), abs=1e-12)


@pytest.mark.parametrize("position", [
    "1,2/2,3 - 1-31 0:0",
    "1,2/2,31 - 970-1000 0:0",
    "1,2/2,31 999 970-998,1000 1000000:999990 tie=split",
    "1,2/2,3 - 1000,1000,999,1000,999,1000 1/2:0 tie=split,rounds=1",
    "1,31/2,30 1000+1000+1000+1000+7 1000,1000 0:5000",
])  # fmt: skip
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_many_and_large_prizes(position, objective):
    position = Position(position)
    exact = float(exact_value(position, objective))
    assert check(analyse(position, objective)).value == pytest.approx(exact, rel=1e-12)


# -- identities ----------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("rules", ["", "tie=discard", "tie=split", "tie=unique"])
@pytest.mark.parametrize("deal", ["1-7/1-7 - 1-7", "2,5,9,11/2,5,9,11 7 3,3,4", "1-6/1-6 6 >1-5"])
def test_equal_hands_are_worth_nothing(deal, rules, objective):
    answer = check(analyse(f"{deal} 0:0 {rules}", objective))
    assert answer.value == pytest.approx(0.0, abs=1e-12)


def changed(position, **changes):
    """The position with some of its parts replaced."""
    rules = {name: getattr(position.rules, name) for name in ("tie", "fallback")}
    parts = {
        "hands": position.hands,
        "upcards": position.upcards,
        "pile": position.pile,
        "scores": position.scores,
        "order_known": position.order_known,
        "turned": position.turned,
        "rounds": position.rounds_left,
    }
    return Position.from_parts(**(parts | rules | changes))


@few
@given(positions(most=5), st.sampled_from(OBJECTIVES))
def test_exchanging_the_players_negates_the_value(position, objective):
    other = changed(position, hands=position.hands[::-1], scores=position.scores[::-1])
    value, opposite = (analyse(p, objective, threads=1).value for p in (position, other))
    assert opposite == pytest.approx(-value, rel=1e-12, abs=1e-11)


@few
@given(positions(most=5), st.sampled_from(OBJECTIVES), st.permutations(range(1, 32)))
def test_only_the_order_of_the_cards_matters(position, objective, ranks):
    held = sorted({card for hand in position.hands for card in hand})
    moved = dict(zip(held, sorted(ranks[: len(held)]), strict=True))
    other = changed(position, hands=[[moved[card] for card in hand] for hand in position.hands])
    assert analyse(other, objective, threads=1).value == analyse(position, objective).value


@few
@given(positions(most=5, ties=["discard"]), st.sampled_from(OBJECTIVES))
def test_split_and_discard_have_the_same_margin(position, objective):
    values = [
        analyse(changed(position, tie=tie), objective, threads=1).value
        for tie in ("discard", "split")
    ]
    assert values[0] == values[1]


@few
@given(
    positions(most=5, ties=["carry", "discard", "split"]),
    st.sampled_from(OBJECTIVES),
)
def test_for_two_players_unique_is_its_fallback(position, objective):
    tie = position.rules.tie
    unique = changed(position, tie="unique", fallback=tie)
    assert analyse(unique, objective, threads=1).value == analyse(position, objective).value


@few
@given(positions(most=5), st.integers(0, 500))
def test_points_so_far_only_add(position, lead):
    ahead = changed(position, scores=(position.scores[0] + lead, position.scores[1]))
    value, more = (analyse(p, threads=1).value for p in (position, ahead))
    assert more == pytest.approx(value + lead, rel=1e-12, abs=1e-11)


def test_nobody_plays_for_points_that_cannot_matter():
    """A lead beyond all that is left is a win, one short of it is not."""
    assert analyse("1-3/1-3 - 1-3 7:0", "win").value == 1.0
    assert analyse("1-3/1-3 - 1-3 0:7 tie=split", "win").value == -1.0
    assert 0.0 < analyse("1-4/1-4 - 1-4 1:0 tie=discard", "win").value < 1.0


@pytest.mark.parametrize("order", [*permutations((1, 2, 3)), (4, 2, 1, 3)])
def test_ross(order):
    """The best reply to random bids wins (n * n - 1) / 6 points, whatever the prizes' order.

    The gain of each bid against a uniformly random rival is read off the analysis: its matrix
    less the values that follow, plus what the best reply does there.
    """
    size = len(order)
    full = tuple(range(1, size + 1))

    def best(hand, rival, pile):
        if not pile:
            return 0.0
        position = Position.from_parts(
            [hand, rival], [pile[0]], pile[1:], order_known=True, tie="discard"
        )
        matrix = analyse(position, threads=1).matrix
        means = []
        for i, card in enumerate(hand):
            total = 0.0
            for j, other in enumerate(rival):
                rest = [c for c in hand if c != card], [c for c in rival if c != other]
                after = Position.from_parts(rest, (), pile[1:], order_known=True, tie="discard")
                gain = matrix[i, j] - analyse(after, threads=1).value
                assert gain == pytest.approx(pile[0] * ((card > other) - (card < other)))
                total += gain + best(*rest, pile[1:])
            means.append(total / len(rival))
        if hand == full:
            assert means[pile[0] - 1] == pytest.approx(max(means))  # the prize's own rank
        return max(means)

    assert best(full, full, order) == pytest.approx((size * size - 1) / 6)


# -- the answer ----------------------------------------------------------------------------------


def test_rows_are_player_1():
    answer = analyse("2,5,6/1,3,4 4 1,2 3:1 tie=discard")
    after = analyse("2,6/3,4 - 1,2 7:1 tie=discard")
    assert answer.matrix[1, 0] == pytest.approx(after.value)
    after = analyse("5,6/1,3 - 1,2 3:5 tie=discard")
    assert answer.matrix[0, 2] == pytest.approx(after.value)


@few
@given(positions(), st.sampled_from(OBJECTIVES))
def test_every_entry_of_the_matrix_is_an_analysis(position, objective):
    answer = analyse(position, objective, threads=1)
    assume(answer.matrix is not None)
    rules, stake = position.rules, sum(position.upcards)
    carry = (rules.fallback if rules.tie == "unique" else rules.tie) == "carry"
    for i, one in enumerate(position.hands[0]):
        for j, two in enumerate(position.hands[1]):
            scores = [*position.scores]
            if one != two:
                scores[0 if one > two else 1] += stake
            hands = [
                [c for c in hand if c != card]
                for hand, card in zip(position.hands, (one, two), strict=True)
            ]
            last = position.rounds_left == 1
            after = changed(
                position,
                hands=hands,
                upcards=position.upcards if one == two and carry and not last else (),
                scores=scores,
                rounds=position.rounds_left - 1,
                turned=False,
            )
            value = analyse(after, objective, threads=1).value
            assert answer.matrix[i, j] == pytest.approx(value, rel=1e-12, abs=1e-10)


def test_a_chance_node_is_the_mean_of_its_prizes():
    answer = check(analyse("2,4,5/1,3,5 3+ 2,2,2,7 1:0"))
    assert [reveal.prize for reveal in answer.reveals] == [2, 7]
    assert [reveal.probability for reveal in answer.reveals] == [0.75, 0.25]
    assert answer.upcards == ()
    for reveal, rest in zip(answer.reveals, ("2,2,7", "2,2,2"), strict=True):
        alone = analyse(f"2,4,5/1,3,5 3+{reveal.prize} {rest} 1:0")
        assert reveal.analysis.value == pytest.approx(alone.value, abs=1e-12)
        assert reveal.analysis.matrix == pytest.approx(alone.matrix, abs=1e-12)
    known = check(analyse("2,4,5/1,3,5 3+ >7,2,2,2 1:0"))
    assert [(r.prize, r.probability) for r in known.reveals] == [(7, 1.0)]


@pytest.mark.parametrize(
    ("scores", "margin", "sign"), [("5:3", 2.0, 1.0), ("0:0", 0.0, 0.0), ("1:3/2", -0.5, -1.0)]
)
def test_a_finished_game_is_worth_its_result(scores, margin, sign):
    for objective, value in (("points", margin), ("win", sign)):
        answer = analyse(f"-/- - 1,3 {scores} tie=split", objective)
        assert (answer.value, answer.gap, answer.matrix) == (value, 0.0, None)
        assert answer.to_dict()["players"] == [{"player": p, "bids": []} for p in (1, 2)]


def test_document_of_a_decision():
    document = analyse("1,3/2,3 5 1 2:0", "win").to_dict()
    assert list(document) == [
        "schema", "position", "objective", "method", "value", "gap", "players", "upcards", "stats",
    ]  # fmt: skip
    assert document["schema"] == "gops.analyse/1"
    assert document["position"] == "1,3/2,3 5 1 2:0"
    assert (document["objective"], document["method"]) == ("win", "exact")
    assert document["upcards"] == [5]
    assert [entry["player"] for entry in document["players"]] == [1, 2]
    bids = document["players"][1]["bids"]
    assert [bid["cards"] for bid in bids] == [[2], [3]]
    assert all(list(bid) == ["cards", "probability", "loss"] for bid in bids)
    assert set(document["stats"]) >= {"states", "games", "seconds"}


def test_document_of_a_chance_node():
    document = analyse("1,3/2,3 - 1,5 2:0").to_dict()
    assert document["upcards"] == []
    assert "players" not in document
    assert [(entry["prize"], entry["probability"]) for entry in document["reveals"]] == [
        (1, 0.5),
        (5, 0.5),
    ]
    assert all(entry.keys() >= {"value", "gap", "players"} for entry in document["reveals"])


@few
@given(positions(), st.sampled_from(OBJECTIVES))
def test_documents_are_plain_json(position, objective):
    document = analyse(position, objective, threads=1).to_dict()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    assert next(iter(document)) == "schema"


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("tie", ["carry", "discard"])
def test_threads_change_no_bit(tie, objective):
    answers = [
        analyse(f"1-7/1-7 - 1-7 0:1 tie={tie}", objective, threads=threads) for threads in (1, 2, 3)
    ]
    for answer in answers[1:]:
        for mine, theirs in zip(answer.reveals, answers[0].reveals, strict=True):
            assert mine.analysis.matrix.tobytes() == theirs.analysis.matrix.tobytes()
            assert mine.analysis.bids == theirs.analysis.bids


# -- refusals and interrupts ---------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("rules", ["", "tie=discard", "rounds=16", "tie=discard,rounds=8"])
@pytest.mark.parametrize("cards", [14, 20, 31])
def test_what_is_too_large_is_refused_at_once(cards, rules, objective):
    started = time.perf_counter()
    with pytest.raises(TooLargeError) as caught:
        analyse(f"1-{cards}/1-{cards} - 1-{cards} 0:0 {rules.replace('16', '14')}", objective)
    assert time.perf_counter() - started < 1.0
    text = str(caught.value)
    assert f"1-{cards}/1-{cards}" in text
    for word in ("states", "matrix games", "of memory", "threads", "--force", "force=True"):
        assert word in text


def test_disjoint_hands_of_31_ranks_are_refused_at_once():
    odd, even = (",".join(map(str, range(start, 31, 2))) for start in (1, 2))
    started = time.perf_counter()
    with pytest.raises(TooLargeError):
        analyse(f"{odd}/{even} - 1-15 0:0")
    assert time.perf_counter() - started < 1.0


def test_force_goes_on(monkeypatch):
    position = "1-5/1-5 - 1-5 0:0"
    for name, limit in (("PATIENCE", 0.0), ("available_memory", lambda: 1)):
        with monkeypatch.context() as patch:
            patch.setattr(analysis, name, limit)
            with pytest.raises(TooLargeError):
                analyse(position)
            assert analyse(position, force=True).value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("1-3/1-3/1-3 - 1-3 0:0:0", "2 players, not 3"),
        ("1-3/1-3 - 1-3 0:0 hidden=yes", "hidden=yes"),
    ],
)
def test_what_has_no_exact_method_is_refused_with_a_reason(position, words):
    with pytest.raises(PositionError, match=words):
        analyse(position)


def test_bad_arguments_name_what_is_allowed():
    with pytest.raises(GopsError, match=r"'profit'.*points or win"):
        analyse("1/1 1 - 0:0", "profit")
    with pytest.raises(GopsError, match=r"threads=0.*1 or more"):
        analyse("1/1 1 - 0:0", threads=0)


COUNT_DOWN = "1-12/1-12 - 1-12 0:0"


def interrupted(command):
    """Interrupt a command in its work; return its exit status and how long it took to end."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        time.sleep(2.5)
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        started = time.perf_counter()
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    return process.returncode, time.perf_counter() - started, errors.decode()


def test_an_interrupt_stops_the_threads():
    code = (
        f"import gops\ntry:\n gops.analyse({COUNT_DOWN!r}, force=True)\n"
        "except KeyboardInterrupt:\n raise SystemExit(7)"
    )
    status, seconds, errors = interrupted([sys.executable, "-c", code])
    assert status == 7, errors
    assert seconds < 10.0  # the work would go on longer


def test_an_interrupt_of_the_command_has_its_own_exit_status():
    command = [sys.executable, "-m", "gops.cli", "analyse", COUNT_DOWN, "--force"]
    status, seconds, errors = interrupted(command)
    assert status == 130, errors
    assert seconds < 10.0  # the work would go on longer
    assert "Traceback" not in errors
