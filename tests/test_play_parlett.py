"""``gops play`` for Jazzy GOPS and Throps, and for matches: from the screen alone."""

import re

import numpy as np
import pytest
from test_cli import gops
from test_play import Screen, cards_of


@pytest.mark.parametrize("rival", ["random", "above", "proportional"])
def test_jazzy_from_the_screen_alone(rival: str) -> None:
    rng = np.random.default_rng(2)
    screen = Screen("--rules", "jazzy", "--seed", "2", "--rival", rival)
    for said in screen.prompts():
        match = re.search(r"you ♠: hand +(\S+)", said)
        assert match is not None
        screen.answer(str(rng.choice(cards_of(match[1]))))
    assert screen.running.returncode == 0
    assert "will not do" not in screen.text
    assert "joker + " in screen.text
    final = re.search(r"Final score: (.*?)\.( That counts .*?\.)? (.*)", screen.text)
    assert final is not None
    totals = [int(part.rsplit(" ", 1)[1]) for part in final[1].split(", ")]
    gained = re.findall(r" (\+|-)(\d+)[,.]", screen.text)
    assert sum(int(sign + points) for sign, points in gained) == sum(totals)


@pytest.mark.parametrize("rival", ["random", "match", "proportional"])
def test_throps_from_the_screen_alone(rival: str) -> None:
    screen = Screen("--rules", "throps", "--seed", "4", "--rival", rival)
    rng = np.random.default_rng(2)
    hands = []
    for said in screen.prompts():
        match = re.search(r"you: hand +(.*)", said)
        assert match is not None
        hands.append(match[1].split())
        screen.answer(str(rng.choice(hands[-1])).lower())
    assert screen.running.returncode == 0
    assert "will not do" not in screen.text
    assert [len(hand) for hand in hands] == list(range(13, 1, -1))
    assert screen.text.count("hand") == 13
    assert "Final score: you " in screen.text


def test_throps_shows_no_card_before_its_time() -> None:
    """What is on the screen at the first bid is the stock card and the own hand."""
    out, _ = gops("play", "--rules", "throps", "--seed", "5", stdin="q\n")
    assert len(set(re.findall(r"\b(?:[2-9JQKA]|10)[SCHD]\b", out))) == 14


def test_answers_that_will_not_do() -> None:
    out, _ = gops("play", "--rules", "jazzy", "--seed", "1", stdin="0\n15\nQS\n?\nA\nq\n")
    assert out.count("will not do: 1-14, or ?") == 3
    assert "the ace as 1, low" in out
    assert "you bid 14 A" in out
    out, _ = gops("play", "--rules", "throps", "--seed", "1", stdin="7\n1S\n?\nq\n")
    assert out.count("will not do: ") == 2
    assert "10H, KC" in out


@pytest.mark.parametrize(
    ("words", "least"),
    [
        ("--cards 4 --best-of 3", 2),
        ("--cards 4 --cumulative 3", 3),
        ("--cards 5 --target 30", 4),
        ("--rules jazzy --target 40", 1),
        ("--rules throps --best-of 3", 2),
    ],
)
def test_matches(words: str, least: int) -> None:
    screen = Screen(*words.split(), "--seed", "3", "--rival", "random")
    for said in screen.prompts():
        if "throps" in words:
            hand = re.findall(r"you: hand +(.*)", said)[-1].split()
        else:
            hand = cards_of(re.findall(r"you ♠: hand +(\S+)", said)[-1])
        screen.answer(str(hand[-1]))
    assert screen.running.returncode == 0
    games = screen.text.count("Final score")
    assert games >= least
    standings = re.findall(r"^Match: .*", screen.text, re.MULTILINE)
    assert len(standings) == games
    assert re.search(r"(You win|Won by .*|A draw)\.$", standings[-1])
    assert not any(standing.endswith(("win.", "draw.")) for standing in standings[:-1])


def test_options_of_the_games() -> None:
    out, _ = gops("rules", "jazzy", "--lone-court", "face", "--spent-triple", "last",
                  "--queen-excluded", "--aces-tie-by-card", "--three-level", "all")  # fmt: skip
    for words in ("with changes", "worth 11 and 13", "last cards tied", "queen not counted",
                  "low ace count as a tie", "all score"):  # fmt: skip
        assert words in " ".join(out.split())
    assert "ace low, then 2" in " ".join(gops("rules", "throps", "--ace-low")[0].split())
    _, err = gops("rules", "throps", "--cards", "5", status=1)
    assert "cards: not an option of throps" in err


def test_one_format_only() -> None:
    _, err = gops("play", "--best-of", "3", "--target", "9", status=1)
    assert "expected one of best_of, cumulative and target" in err
    _, err = gops("play", "--best-of", "2", status=1)
    assert "best_of=2: expected an odd number" in err
