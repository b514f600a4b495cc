"""``gops play``: every kind of game to its end, from the screen alone, and no secret on it."""

import itertools
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from test_cli import gops

from gops import Game, Rules, strategies
from gops.strategies import base

VARIANTS = [
    "--players 7 --cards 4",
    "--players 3 --tie carry",
    "--players 4 --tie split --cards 5",
    "--players 4 --fallback split",
    "--bids 2 --lot 2 --cards 7",
    "--bids 3 --last none --cards 8",
    "--cards 31 --bids 15",
    "--cards 20 --ace high --rounds 3",
    "--rules three --open 3",
    "--rules market --tie split",
    "--rules open-prizes --auto-pick highest --leftover discard",
    "--rules open-prizes --bids 2 --hidden",
    "--rules five --hidden --announce winner_and_bid",
    "--rules hidden --announce all --rounds 4",
    "--order 3,1,2,4 --cards 4",
    "--order descending --rounds 2",
    "--hands 1,3,5/2,4,6/9,K,A --prizes 10,10,500,7 --players 3",
    "--early-stop clinch",
    "--early-stop 20 --players 3",
    "--misere --cards 5",
    "--misere --rules open-prizes",
    "--spent-face-down --cards 5",
]


class Screen:
    """The command with pipes, and a player who knows only what it prints."""

    def __init__(self, *words: str) -> None:
        self.text = ""
        self.running = subprocess.Popen(
            [sys.executable, "-m", "gops.cli", "play", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PYTHONIOENCODING": "utf-8"},
            bufsize=0,
        )

    def prompts(self) -> Iterator[str]:
        """Give what was printed since the last prompt, at each prompt."""
        stdout = self.running.stdout
        assert stdout is not None
        said = b""
        while byte := stdout.read(1):
            said += byte
            if said.endswith((b"bid: ", b": ")) and re.search(rb"Your (bid|pick of \S+): $", said):
                self.text += said.decode()
                yield said.decode()
                said = b""
        self.text += said.decode()
        self.running.communicate(timeout=20)

    def answer(self, word: str) -> None:
        assert self.running.stdin is not None
        self.running.stdin.write(f"{word}\n".encode())


def cards_of(text: str) -> list[int]:
    """Read a set such as 1-5,7."""
    cards: list[int] = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        cards += range(int(low), int(high or low) + 1)
    return cards


def check_points(text: str) -> None:
    """What the rounds gave adds up to the final scores, and they to the verdict."""
    final = re.search(r"Final score: (.*?)\. (.*)", text)
    assert final is not None, text
    given = Counter[str]()
    for line in text.splitlines():
        outcome = re.fullmatch(r".*\bbids? [^:]*: (.* \+.*)\.", line)
        for gain in outcome[1].split(", ") if outcome else ():
            name, points = gain.rsplit(" +", 1)
            given[name] += _number(points)
    scores = dict(entry.rsplit(" ", 1) for entry in final[1].split(", "))
    assert {name: _number(score) for name, score in scores.items()} == pytest.approx(
        {name: given[name] for name in scores}
    )


def _number(text: str) -> float:
    above, _, below = text.partition("/")
    return int(above) / int(below or 1)


LOTS = [name for name in Rules.presets() if Rules.preset(name).game == "gops"]


@pytest.mark.parametrize("name", LOTS)
def test_presets_from_the_screen_alone(name: str) -> None:
    rules = Rules.preset(name)
    rng = np.random.default_rng(1)
    screen = Screen("--rules", name, "--seed", "1", "--rival", "proportional")
    for said in screen.prompts():
        if said.endswith("bid: "):
            match = re.search(r"you ♠: hand +(\S+)", said)
            assert match is not None
            bid = rng.choice(cards_of(match[1]), rules.bids, replace=False)
            screen.answer("+".join(map(str, bid)))
        else:
            screen.answer(str(rng.choice(cards_of(said.rsplit(" ", 2)[-2].rstrip(":")))))
    assert screen.running.returncode == 0
    assert "will not do" not in screen.text
    check_points(screen.text)


def whole_game(words: str, seed: int) -> str:
    """Play with whatever will do, through a pipe, and return what was printed."""
    parts = words.split()
    size = int(parts[parts.index("--bids") + 1]) if "--bids" in parts else 1
    answers = ["+".join(map(str, range(low, low + size))) for low in range(1, 32)]
    answers += [str(prize) for prize in range(1, 32)] if size > 1 else []
    stdin = "\n".join(["500", "rules", *answers * 12])
    return gops("play", *parts, "--seed", str(seed), "--rival", "random", stdin=stdin)[0]


@pytest.mark.parametrize("words", VARIANTS)
def test_variants_are_played_to_the_end(words: str) -> None:
    first, second, again = (whole_game(words, seed) for seed in (0, 1, 0))
    check_points(first)
    check_points(second)
    assert first == again


@pytest.mark.parametrize("words", VARIANTS)
def test_rules_fit_a_screen(words: str) -> None:
    lines = gops("rules", *words.replace("--rules ", "").split())[0].splitlines()
    assert len(lines) < 25
    assert max(map(len, lines)) < 80


class Scripted(base.TakesHighest):
    """Bids what it is told."""

    name = "scripted"

    def __init__(self) -> None:
        self.script: list[object] = []

    def bid(self, view: object, player: int, rng: object) -> object:
        return self.script.pop(0)


def shown(monkeypatch, rules: Rules, pile, mine, theirs) -> tuple[str, object]:
    """Play through the shell, return the screen up to the end and the last view of player 1."""
    games: list[Game] = []
    scripts = iter(theirs)

    def made(match: object) -> Game:
        games.append(Game(rules, pile=pile))
        return games[-1]

    def rival() -> Scripted:
        scripted = Scripted()
        scripted.script = list(next(scripts, ()))
        return scripted

    monkeypatch.setattr("gops.match.Match.deal", made)
    monkeypatch.setattr("gops.cli.play.make_rules", lambda name, parts: rules)
    monkeypatch.setitem(base._registry, "scripted", rival)
    words = [word for _ in theirs for word in ("--rival", "scripted")]
    typed = "\n".join("+".join(map(str, np.atleast_1d(bid))) for bid in mine)
    out, err = gops("play", *words, stdin=typed)
    assert err.count("\n") == 1
    return out.partition("What was bid")[0], games[0].view(1)


@pytest.mark.parametrize(("tie", "announce"), [("carry", "winner_and_bid"), ("split", "winner")])
def test_the_screen_is_a_function_of_what_the_player_may_know(monkeypatch, tie, announce) -> None:
    """All ways in which the rival may bid: equal views, equal screens."""
    rules = Rules(cards=4, rounds=3, tie=tie, hidden=True, announce=announce)
    screens = defaultdict(set)
    count = 0
    for theirs in itertools.permutations(range(1, 5), 3):
        text, view = shown(monkeypatch, rules, [3, 1, 4, 2], [2, 1, 3], [theirs])
        assert "nal score" in text or "Round 3" in text
        screens[view].add(text)
        count += 1
    assert max(map(len, screens.values())) == 1
    assert len(screens) < count  # some games differ in secrets only


@pytest.mark.parametrize("more", [{"tie": "unique"}, {"tie": "discard"}, {"open": 2}])
def test_screens_with_two_rivals(monkeypatch, more) -> None:
    rules = Rules(players=3, cards=4, rounds=2, hidden=True, auto_pick="highest", **more)
    screens = defaultdict(set)
    pairs = list(itertools.permutations(range(1, 5), 2))
    for theirs in itertools.product(pairs, pairs[::3]):
        text, view = shown(monkeypatch, rules, [3, 1, 4, 2], [2, 3], theirs)
        screens[view].add(text)
    assert max(map(len, screens.values())) == 1
    assert len(screens) < len(pairs) * len(pairs[::3])


def test_the_order_of_the_pile_is_not_on_the_screen(monkeypatch) -> None:
    rules = Rules(cards=6)
    texts = {
        shown(monkeypatch, rules, [5, 2, *rest], [2, 1, "q"], [[3, 4, 5]])[0]
        for rest in itertools.permutations([1, 3, 4, 6])
        if rest[0] == 4
    }
    assert len(texts) == 1


def test_secret_bids_are_told_at_the_end() -> None:
    out, _ = gops("play", "--rules", "hidden", "--cards", "3", stdin="1\n2\n")
    told = out.partition("What was bid:\n")[2]
    assert [line.split()[1] for line in told.splitlines()[1:4]] == ["1", "2", "3"]


def test_spent_bids_face_down(monkeypatch) -> None:
    """The rival's hand is not shown; its bids are, as they are made."""
    rules = Rules(cards=4, spent_visible=False)
    out, _ = shown(monkeypatch, rules, [3, 1, 4, 2], [2, 1, 4], [[1, 2, 3, 4]])
    assert "you ♠: hand" in out
    assert "scripted ♣: hand" not in out
    assert "scripted bids 3" in out
    open_hands, _ = shown(
        monkeypatch, rules.replace(spent_visible=True), [3, 1, 4, 2], [2, 1, 4], [[1, 2, 3, 4]]
    )
    assert "scripted ♣: hand" in open_hands


def test_suits_of_seven_players_or_none() -> None:
    out, _ = gops("play", "--players", "7", "--cards", "3")
    suits = re.findall(r"(\S+): hand", out)
    assert suits == ["♠", "♣", "♥", "♠′", "♣′", "♥′", "♦′"]
    out, _ = gops("play", "--cards", "3", encoding="ascii")
    assert "you: hand" in out
    assert "?" not in out.replace("? for help", "")


def test_a_strategy_for_each_rival() -> None:
    words = ["play", "--players", "3", "--cards", "3", "--rival", "match", "--rival", "above"]
    assert "match (2) 0, above (3) 0" in gops(*words)[0]
    assert "3 strategies for 2 rivals" in gops(*words, "--rival", "random", status=2)[1]


@pytest.mark.parametrize("words", ["--rules three", "--hidden", "--open 2 --misere", ""])
def test_the_strongest_strategy_plays(words: str) -> None:
    stdin = "\n".join(map(str, [*range(1, 6), *range(1, 6)] * 5))
    out, err = gops("play", "--cards", "5", *words.split(), stdin=stdin)
    assert "Final score" in out
    assert strategies.strongest(Rules(cards=5)) == "exact"
    assert ("exact" in err) == (words == "")


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        ("--bids 2 --cards 1", 1, "bids=2: expected 1"),
        ("--open 3 --lot 2", 1, "lot=2: not together with open=3"),
        ("--order 1,2,x", 1, "expected a card"),
        ("--order upward", 1, "random, ascending"),
        ("--hands 1,2/3", 1, "sizes [2, 1] differ"),
        ("--hands 1/2/3 --players 2", 1, "3 given for 2 players"),
        ("--hands " + "1/" * 1000, 1, "hands"),
        ("--prizes 0", 1, "0 is not one of 1..1000"),
        ("--early-stop soon", 1, "clinch"),
        ("--early-stop " + "9" * 50, 1, "early_stop"),
        ("--players 8", 2, "--players"),
        ("--announce all --tie most", 2, "--tie"),
    ],
)
def test_rules_that_cannot_be(words: str, status: int, reason: str) -> None:
    for command in ("play", "rules"):
        out, err = gops(command, *words.split(), status=status)
        assert out == ""
        assert reason in err
        assert "Traceback" not in err
