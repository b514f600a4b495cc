"""Text for people: bars, tables, analyses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gops
from gops.display import analysis_text, bar, card_name, mix_text, table


@given(st.floats(0, 1), st.integers(1, 40), st.booleans())
def test_a_bar_is_as_long_as_its_share(share: float, width: int, unicode: bool) -> None:
    drawn = bar(share, width, unicode=unicode)
    assert len(drawn) <= width
    assert abs(len(drawn) - share * width) <= 1
    assert drawn.isascii() or unicode


def test_card_names() -> None:
    assert [card_name(card) for card in (1, 2, 10, 11, 12, 13)] == [
        "1 A",
        "2",
        "10",
        "11 J",
        "12 Q",
        "13 K",
    ]
    assert card_name(14, highest=14) == "14 A"
    assert card_name(1, highest=14) == "1"
    assert card_name(13, highest=20) == "13"
    assert card_name((4, 1)) == "4+1"


def test_a_table_lines_up() -> None:
    text = table([("a", "bb"), ("ccc", "d")], align="lr")
    assert text == "a    bb\nccc   d"


def test_a_mix_leaves_out_what_is_never_bid() -> None:
    assert mix_text({1: 0.25, 2: 0.0, 3: 0.75}) == "1: 25.0%  3: 75.0%"


@pytest.mark.parametrize(
    ("text", "objective", "words"),
    [
        ("1-3/1-3 3 1,2", "points", "level"),
        ("2,3/1,3 - 2,3", "points", "player 1 ends 1.786 points ahead"),
        ("1,3/2,3 - 2,3", "points", "player 2 ends 1.786 points ahead"),
        ("2-4/1-3 - 1-3 0:4 tie=discard", "win", "player 2 wins more often than player 1"),
    ],
)
def test_the_verdict_in_words(text: str, objective: str, words: str) -> None:
    assert words in analysis_text(gops.analyse(text, objective))


def test_lines_fit_a_terminal() -> None:
    for text in ("1-8/1-8 8 1-7 0:0", "1-7/1-7 - 1-7 0:0", "1-4/1-4 4 >3,2,1 tie=split"):
        lines = analysis_text(gops.analyse(text)).splitlines()
        assert max(map(len, lines)) <= 100
