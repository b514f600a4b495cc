"""Positions and their notation."""

import contextlib
import copy
import pickle
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gops import GopsError, NotationError, Position, PositionError, Rules

CANONICAL = [
    "1-13/1-13 - 1-13 0:0",
    "1-13/1-13 7 1-6,8-13 0:0",
    "1-3/1-3 2 1,3 0:0",
    "1-5,7,8/2-7,13 9+7 1-3,10 20:18",
    "1-5/1-5 5 1-4 0:0 tie=discard",
    "1-3/1-3 2 >3,1 0:0",
    "1-3/1-3 2 >3,1 0:0 rounds=1",
    "1,2/1,2 9+ 1,3 0:0",
    "1,2/1,2 9+8+ >3,1 0:0",
    "2-14/2-14 - 2-14 0:0",
    "1,2/1,2 5 1,1-3,3 91/2:91/2 tie=split,rounds=1",
    "1/1/1 5 - 10/3:10/3:10/3 fallback=split",
    "1,2/1,2/1,2 1000 7 0:0:0 tie=carry",
    "1,2/1,2/1,2/1,2/1,2/1,2/1,2 1 2 0:0:0:0:0:0:0 fallback=discard",
    "-/- - - 40:51",
    "3,4/1,2 - 1,2 4:3 rounds=0",
    "1-5/1-5 4 1-3,5 0:0 bids=2",
    "1-5/1-5 4 1-3,5 0:0 bids=2,last=none",
    "1-5/1-5 4+2 1,3,5 0:0 bids=2,lot=2",
    "1-3/1-3 2+3 1 0:0 open=2",
    "1-3/1-3 2+ 1 0:0 open=2",
    "1-3/1-3 2 - 0:0 open=2,picks=1",
    "1-3/1-3 2+3 1 0:0 open=2,pick=2:1>2",
    "1-3/1-3/1-3 2+3+5 1 0:0:0 tie=split,open=3,pick=3:2>1&3",
    "1-3/1-3 - 1-3 0:0 hidden=yes",
    "1-3/1-3 - 1-3 0:0 hidden=yes,early_stop=clinch,misere=no".replace(",misere=no", ""),
    "1-3/1-3 - 1-3 0:0 misere=yes",
    "1-3/1-3 - 1-3 0:0 early_stop=4",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_texts_are_fixed_points(text):
    position = Position(text)
    assert str(position) == text
    assert repr(position) == f"Position({text!r})"
    for other in (Position(text), pickle.loads(pickle.dumps(position)), copy.copy(position),
                  copy.deepcopy(position)):  # fmt: skip
        assert other == position
        assert hash(other) == hash(position)
    assert len(position.hands) == position.players == len(position.scores)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("3,2,A/1-3 2 1,3", "1-3/1-3 2 1,3 0:0"),
        ("a-k/A-K q A-J,k", "1-13/1-13 12 1-11,13 0:0"),
        ("2-A/2-k,a - 2-A", "2-14/2-14 - 2-14 0:0"),
        ("T,J,Q/8-10 K+A 2", "10-12/8-10 13+1 2 0:0"),
        ("  1-3/1-3\t2   3,1 \n", "1-3/1-3 2 1,3 0:0"),
        ("1-2,3/1,2-3 2 3-3,1 00:0", "1-3/1-3 2 1,3 0:0"),
        ("1-3/1-3 2 1,3 0:0 RULES", None),
        ("1-3/1-3 2 1,3 rounds=2,TIE=Discard", "1-3/1-3 2 1,3 0:0 tie=discard,rounds=2"),
        ("1-3/1-3 2 1,3 0:0 tie=carry,rounds=3", "1-3/1-3 2 1,3 0:0"),
        ("1-3/1-3 2 1,3 0:0 tie=discard,fallback=split", "1-3/1-3 2 1,3 0:0 tie=discard"),
        ("1-3/1-3 2 1,3 4/2:6/4 tie=split", "1-3/1-3 2 1,3 2:3/2 tie=split"),
        ("1-3/1-3 2 >1-3 0:0", "1-3/1-3 2 >1,2,3 0:0"),
        ("1/1 2 >- 0:0", "1/1 2 - 0:0"),
        ("1/1/1 2 - 0:0:0 tie=unique", "1/1/1 2 - 0:0:0"),
        ("1/1 2 - 0:0 tie=unique", "1/1 2 - 0:0 tie=unique"),
        ("1-3/1-3 2+3+ 1 0:0 open=2", "1-3/1-3 2+3 1 0:0 open=2"),
        ("1-3/1-3 2 1 0:0 open=2", "1-3/1-3 2+ 1 0:0 open=2"),
        ("1-3/1-3 2 1,3 0:0 hidden=no", "1-3/1-3 2 1,3 0:0"),
        ("1-3/1-3 2+3 1 0:0 open=2,pick=9:1>2", "1-3/1-3 2+3 1 0:0 open=2,pick=2:1>2"),
        ("1-3/1-3 2+3 1 0:0 open=2,pick=1:1>2", "1-3/1-3 2+3 1 0:0 open=2,pick=1:1"),
    ],
)
def test_liberal_reading(text, canonical):
    if canonical is None:
        with pytest.raises(NotationError):
            Position(text)
    else:
        assert str(Position(text)) == canonical
        assert Position(text) == Position(canonical)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", NotationError, "HANDS missing at offset 0"),
        ("0", NotationError, "UPCARDS missing at offset 1"),
        ("1-3/1-3 2", NotationError, "PILE missing at offset 9"),
        pytest.param("x" * 500_000, NotationError, "500000 characters, expected", id="garbage"),
        ("1-3 2 1,3", NotationError, "HANDS, offset 3: expected 2 to 7 hands joined by '/'"),
        ("1/1/1/1/1/1/1/1 2 1", NotationError, "HANDS, offset 16: more than 7 hands"),
        ("1-3/1-2 2 1,3", PositionError, "HANDS, offset 0: all hands have the same size"),
        ("1-99/1-99 2 1", NotationError, "HANDS, offset 2: 99 is not one of 1..31"),
        ("1-3/1,0,3 2 1", NotationError, "HANDS, offset 6: 0 is not one of 1..31"),
        ("1-3/1,3,1 2 1", PositionError, "HANDS, offset 0: player 2 has card 1 twice"),
        ("3-1/1-3 2 1", NotationError, "HANDS, offset 0: a range runs upward, not '3-1'"),
        ("1,,2/1-3 2 1", NotationError, "HANDS, offset 2: expected a card"),
        ("1-/1-3 2 1", NotationError, "HANDS, offset 2: expected a card"),
        ("١-٣/1-3 2 1", NotationError, "HANDS, offset 0: expected a card"),
        ("1-3/1-3 0 1", NotationError, "UPCARDS, offset 8: 0 is not one of 1..1000"),
        ("1-3/1-3 2,3 1", NotationError, "UPCARDS, offset 8: expected prizes joined by '+'"),
        ("1-3/1-3 2++3 1", NotationError, "UPCARDS, offset 10: expected a card"),
        ("1-3/1-3 2 1001", NotationError, "PILE, offset 10: 1001 is not one of 1..1000"),
        ("1-3/1-3 2 1-1000", NotationError, "PILE, offset 10: more than 31 cards"),
        ("1-3/1-3 2 <1,3", NotationError, "PILE, offset 10: expected a card"),
        ("1-3/1-3 2+2+2 1-30", PositionError, "PILE, offset 14: 33 prizes, expected at most 31"),
        ("-/- 5 - 0:0", PositionError, "UPCARDS, offset 4: a prize is turned, but no card"),
        ("1/1 5+ - 0:0", PositionError, "UPCARDS, offset 4: prizes wait"),
        ("1/1 5 - 0", NotationError, "SCORES, offset 8: expected 2 scores"),
        ("1/1 5 - 0:0:0", NotationError, "SCORES, offset 8: expected 2 scores"),
        ("1/1 5 - 0:-1", NotationError, "SCORES, offset 10: expected a score such as 20"),
        ("1/1 5 - 0:1/0", NotationError, "SCORES, offset 10: expected a score"),
        ("1/1 5 - 0:1/2", PositionError, "SCORES, offset 8: 1/2, expected whole numbers"),
        ("1/1 5 - 0:1/3 tie=split", PositionError, "SCORES, offset 8: 1/3, expected parts of 2"),
        ("1/1 5 - 0:9999999", PositionError, "SCORES, offset 8: expected 0 to 1000000"),
        ("1/1 5 - 0:0 0:0", NotationError, "RULES, offset 12: expected key=value"),
        ("1/1 5 - 0:0 a=b c=d", NotationError, "RULES, offset 12: expected key=value"),
        ("1/1 5 - 0:0 ties=carry", NotationError, "RULES, offset 12: expected key=value, each"),
        ("1/1 5 - 0:0 tie=carry,tie=carry", NotationError, "RULES, offset 22: expected key=va"),
        ("1/1 5 - 0:0 tie=draw", PositionError, "RULES, offset 12: tie='draw': expected carry"),
        ("1/1 5 - 0:0 bids=x", NotationError, "RULES, offset 12: expected bids=NUMBER"),
        ("1/1 5 - 0:0 rounds=2", PositionError, "RULES, offset 12: rounds=2, but cards and"),
        ("1/1 5 - 0:0 rounds=0", PositionError, "RULES, offset 12: rounds=0, but cards and"),
        ("1-3/1-3 2 1,3 0:0 rounds=4", PositionError, "allow 1 to 3 rounds here"),
        ("1-3/1-3 2+1 1,3 0:0 lot=3", PositionError, "UPCARDS, offset 8: 2 prizes, expected at"),
        ("1-3/1-3 2+1+3 4 0:0 open=2", PositionError, "UPCARDS, offset 8: 3 prizes, expected"),
        ("1-3/1-3 2 1,3 0:0 pick=1:1", PositionError, "RULES, offset 18: pick without open"),
        ("1-3/1-3 2+1 3 0:0 open=2,pick=2:1>1", PositionError, "each player at most once"),
        ("1-3/1-3 2+1 3 0:0 open=2,pick=2:1>3", PositionError, "RULES, offset 18: 3 is not one"),
        ("1-3/1-3 2+1 3 0:0 open=2,pick=2:1&2", PositionError, "one player to be the next"),
        ("1-3/1-3 2+1 3 0:0 open=2,pick=1", NotationError, "expected pick=COUNT:PLAYER"),
        ("1-3/1-3 2 1,3 0:0 open=2,lot=2", PositionError, "RULES, offset 18: lot=2: not toget"),
        ("1-3/1-3 2 1,3 0:0 early_stop=x", PositionError, "early_stop='x': expected none"),
    ],
)
def test_errors_name_field_offset_and_expectation(text, error, message):
    with pytest.raises(error) as caught:
        Position(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 250
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [b"1/1 2 -", None, 3, ["1/1 2 -"]])
def test_only_texts_are_read(value):
    with pytest.raises(NotationError, match="expected a text"):
        Position(value)


@given(st.text(max_size=60))
@example("\x00")
@example("1/1 2 -" + "9" * 3900)
@example("1/1 2 - 0:0 rounds=" + "9" * 3900)
@example("/" * 4000)
@example("1-3/1-3 2 " + "1," * 1900)
@example("1-3/1-3 2" + "+2" * 1900 + " -")
@example("1/1 1 - 0:0 " + "tie=carry," * 390)
def test_any_text_is_refused_or_has_a_fixed_point(text):
    refused_or_fixed(text)


def refused_or_fixed(text):
    with contextlib.suppress(GopsError):
        position = Position(text)
        assert Position(str(position)) == position
        assert str(Position(str(position))) == str(position)


PIECES = st.sampled_from([*"0123456789ATJQKatjqk-,/+:>=&", " ", " ", "tie=", "split", "open=2",
                          "1-3", "1-3/1-3 ", "2 ", "1,3 ", "0:0 ", "rounds=1", "bids=2", "pick=1:1",
                          "lot=2", "fallback=", "discard", "1000", "31", "32"])  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_near_misses_are_refused_or_have_a_fixed_point(text):
    refused_or_fixed(text)


@given(st.binary(max_size=60))
def test_bytes_are_refused_or_have_a_fixed_point(data):
    refused_or_fixed(data.decode("latin-1"))


def test_parts():
    text = "1-5,7,8/2-7,13 9+7 1-3,10 20:18"
    position = Position(text)
    assert position.hands == ((1, 2, 3, 4, 5, 7, 8), (2, 3, 4, 5, 6, 7, 13))
    assert position.upcards == (9, 7)
    assert position.pile == (1, 2, 3, 10)
    assert (position.scores, position.pot, position.rounds_left) == ((20, 18), 16, 5)
    assert (position.is_chance, position.is_over, position.order_known) == (False, False, False)
    again = Position.from_parts(position.hands, [9, 7], [10, 3, 2, 1], (20, 18))
    assert again == position
    known = Position.from_parts([[1], [2]], [3], [2, 1], order_known=True, rounds=1, tie="split")
    assert str(known) == "1/2 3 >2,1 0:0 tie=split"
    half = Position.from_parts([[1], [2]], [3], scores=[Fraction(1, 2), 0], tie="split")
    assert str(half) == "1/2 3 - 1/2:0 tie=split"
    waiting = Position.from_parts([[1], [2]], [3], [2], turned=False)
    assert (str(waiting), waiting.is_chance) == ("1/2 3+ 2 0:0", True)
    assert position != text


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        (([[1], [2, 3]],), {}, "HANDS: all hands have the same size, not 1 and 2 cards"),
        (([[1]],), {}, "HANDS: expected 2 to 7 hands, got 1"),
        (([[1]] * 9,), {}, "HANDS: expected 2 to 7 hands, got 8 or more"),
        (([[1], ["K"]],), {}, "HANDS: expected whole numbers, got 'K'"),
        (([[1], [2.5]],), {}, "HANDS: expected whole numbers, got '2.5'"),
        (([[1], range(10**9)],), {}, "HANDS: 0 is not one of 1..31"),
        (([[1], [2]], [10**30]), {}, "UPCARDS: a huge number is not one of 1..1000"),
        (([[1], [2]], [1], [], [0.5, 0]), {}, "SCORES: expected whole numbers or fractions"),
        (([[1], [2]], [1], [], [0, 0, 0]), {}, "SCORES: expected 2, one per player"),
        (([[1], [2]], [1]), {"tie": "draw"}, "RULES: tie='draw': expected carry"),
        (([[1], [2]], [1]), {"cards": 3}, "RULES: 'cards', expected tie, fallback"),
        (([[1], [2]], [1]), {"rounds": "x"}, "RULES: rounds, expected a whole number"),
        (([[1], [2]], []), {"turned": True}, "UPCARDS: no prize, but turned"),
    ],
)
def test_errors_of_parts(arguments, named, message):
    with pytest.raises(PositionError) as caught:
        Position.from_parts(*arguments, **named)
    assert message in str(caught.value)


def test_positions_do_not_change():
    position = Position("1-3/1-3 2 1,3")
    with pytest.raises(AttributeError, match="immutable"):
        position.scores = (1, 2)
    with pytest.raises(AttributeError, match="immutable"):
        del position.scores
    assert position.rules.tie == "carry"
    assert isinstance(position.rules, Rules)
    assert len({position, Position("1-3/3,2,1 2 3,1 0:0")}) == 1


def test_kinds_of_nodes():
    over = Position("3,4/1,2 - 1,2 4:3 rounds=0")
    assert (over.is_over, over.is_chance, over.rounds_left) == (True, False, 0)
    picking = Position("-/- 2+3 1 0:0 open=2,pick=2:2>1")
    assert (picking.to_pick, picking.is_over, picking.is_chance) == (2, False, False)
    assert Position("1/1 2 - 0:0").to_pick is None
