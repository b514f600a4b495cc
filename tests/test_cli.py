"""The command: what it prints where, and how it ends."""

import io
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gops import Rules
from gops.cli import main

FIVE = "1-5/1-5 5 1-4 0:0 tie=discard"


def gops(
    *words: str, stdin: bytes | str = b"", encoding: str = "utf-8", status: int = 0
) -> tuple[str, str]:
    """Run the command in this process and return its standard output and error."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
        patch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), errors="backslashreplace"))
        ended = main(words)
        sys.stderr.flush()
        out, err = (stream.buffer.getvalue().decode() for stream in (sys.stdout, sys.stderr))
    assert ended == status, (ended, out, err)
    return out, err


def process(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def started(*words: str) -> subprocess.Popen[bytes]:
    """Start the command as a process of its own, with pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "gops.cli", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def complaint(*words: str, stdin: bytes | str = b"") -> str:
    """The one line that ``gops`` says about an error of status 1."""
    out, err = gops(*words, stdin=stdin, status=1)
    assert out == ""
    assert err.startswith("gops: ")
    assert err.count("\n") == 1
    assert len(err) < 1100
    return err


class TestProgram:
    def test_version(self) -> None:
        out, _ = gops("--version")
        assert re.fullmatch(r"gops \d+\.\d+\.\d+\n", out)
        assert gops("--version", "rules")[0] == out

    @pytest.mark.parametrize("flag", ["-h", "--help"])
    @pytest.mark.parametrize(
        "command", ["", "analyse", "solve", "verify", "play", "rules", "bench"]
    )
    def test_help(self, command: str, flag: str) -> None:
        out, _ = gops(*filter(None, [command, flag]))
        assert out.startswith("Usage: gops")
        assert "\x1b" not in out

    def test_start_imports_nothing_heavy(self) -> None:
        code = "import sys; from gops.cli import main; main(['--help']); print(*sys.modules)"
        out = process(code).stdout
        loaded = {name.split(".")[0] for name in out.split()}
        assert "typer" in loaded
        assert not loaded & {"numpy", "rich", "hypothesis"}
        assert not {"gops.game", "gops.analysis", "gops.strategies"} & set(out.split())

    def test_version_is_answered_without_typer(self) -> None:
        code = "import sys; from gops.cli import main; main(['--version']); print(*sys.modules)"
        out = process(code).stdout
        assert "typer" not in out.split()

    @pytest.mark.parametrize(
        "words",
        [
            ["nope"],
            ["analyse"],
            ["analyse", "--nope"],
            ["analyse", FIVE, "--objective", "fame"],
            ["analyse", FIVE, "--threads", "0"],
            ["analyse", FIVE, "--hand", "1,2"],
            ["analyse", "--hand", "1,2"],
            ["analyse", "--cards", "5", "--hand", "1,2", "--rival", "3,4"],
            ["analyse", "--cards", "5", "--up", "4+5"],
            ["play", "--cards", "32"],
            ["play", "--seed", "-1"],
            ["rules", "classic", "split"],
        ],
        ids=" ".join,
    )
    def test_usage_errors(self, words: list[str]) -> None:
        out, err = gops(*words, status=2)
        assert out == ""
        assert "Usage: gops" in err

    def test_completion_script(self) -> None:
        code = (
            "import os; os.environ['_GOPS_COMPLETE'] = 'source_bash'\n"
            "import gops.cli; gops.cli.main()"
        )
        assert "complete" in process(code).stdout

    def test_a_reader_that_goes_away_is_no_error(self) -> None:
        command = (
            f"{sys.executable} -c 'for i in range(3000): print(\"1-3/1-3 3 1,2\")'"
            f" | {sys.executable} -m gops.cli analyse - --json | head -n 1"
        )
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
        assert done.stderr == ""
        assert json.loads(done.stdout)["value"] == 0


class TestAnalyse:
    def test_json(self) -> None:
        out, err = gops("analyse", FIVE, "--json")
        assert err == ""
        document = json.loads(out)
        assert next(iter(document)) == "schema"
        assert document["schema"] == "gops.analyse/1"
        assert document["position"] == FIVE
        assert document["objective"] == "points"
        assert document["method"] == "exact"
        assert document["value"] == pytest.approx(0, abs=1e-9)
        assert 0 <= document["gap"] < 1e-9
        assert document["upcards"] == [5]
        first = {bid["cards"][0]: bid for bid in document["players"][0]["bids"]}
        # The equilibrium of this position is unique, from exact rational arithmetic.
        expected = {1: 0.112303, 2: 0.024103, 3: 0, 4: 0, 5: 0.863594}
        assert {card: round(bid["probability"], 6) for card, bid in first.items()} == expected

    def test_chance_node_json(self) -> None:
        document = json.loads(gops("analyse", "2,3/1,3 - 2,3 0:0", "--json")[0])
        assert document["value"] == pytest.approx(25 / 14, abs=1e-9)
        assert document["upcards"] == []
        assert "players" not in document
        assert [reveal["prize"] for reveal in document["reveals"]] == [2, 3]
        mean = sum(r["probability"] * r["value"] for r in document["reveals"])
        assert mean == pytest.approx(document["value"], abs=1e-12)

    def test_win(self) -> None:
        out, _ = gops("analyse", "2-4/1-3 - 1-3 0:4 tie=discard", "--objective", "win", "--json")
        assert json.loads(out)["value"] == pytest.approx(-118 / 1159, abs=1e-9)

    def test_text_has_every_bid(self) -> None:
        out, err = gops("analyse", FIVE)
        assert err == ""
        assert FIVE in out
        assert "86.4%" in out
        assert "11.2%" in out
        assert "value" in out
        assert "\x1b" not in out

    def test_text_of_a_chance_node(self) -> None:
        out, _ = gops("analyse", "2,3/1,3 - 2,3 0:0")
        assert "+1.785714" in out
        assert "not turned yet" in out

    def test_text_without_block_characters(self) -> None:
        out, _ = gops("analyse", FIVE, encoding="ascii")
        assert "####" in out
        assert out.isascii()

    def test_alias(self) -> None:
        assert json.loads(gops("analyze", FIVE, "--json")[0])["position"] == FIVE

    @pytest.mark.parametrize(
        ("words", "position"),
        [
            (
                "--hand A,3,K --rival 2,4,Q --up 10 --pile 3,7 --score 12:20",
                "1,3,13/2,4,12 10 3,7 12:20",
            ),
            ("--cards 5 --up 4", "1-5/1-5 4 1-3,5 0:0"),
            ("--cards 4", "1-4/1-4 - 1-4 0:0"),
            ("--cards 4 --up A --tie split", "1-4/1-4 1 2-4 0:0 tie=split"),
            ("--hand 2,1 --rival 3,4 --up 9+7 --pile 8", "1,2/3,4 9+7 8 0:0"),
            ("--hand 1-3 --rival 1-3 --up 3 --pile >2,1 --rounds 2", None),
            ("1-3/1-3 3 1,2 0:0", "1-3/1-3 3 1,2 0:0"),
        ],
    )
    def test_parts(self, words: str, position: str | None) -> None:
        document = json.loads(gops("analyse", *words.split(), "--json")[0])
        if position is not None:
            assert document["position"] == position

    def test_many_from_standard_input(self) -> None:
        text = "# three cards\n1-3/1-3 3 1,2 0:0\n\nrubbish\n1-2/1-2 2 1 0:0\n"
        out, err = gops("analyse", "-", "--json", stdin=text, status=1)
        positions = [json.loads(line)["position"] for line in out.splitlines()]
        assert positions == ["1-3/1-3 3 1,2 0:0", "1,2/1,2 2 1 0:0"]
        assert err.startswith("gops: line 4: ")
        assert err.count("\n") == 1

    def test_several_arguments(self) -> None:
        out, err = gops("analyse", FIVE, "1-2/3,4 2 1", "x y z", "--json", status=1)
        assert len(out.splitlines()) == 2
        assert err.startswith("gops: position 3: ")

    @pytest.mark.parametrize(
        "text",
        [
            "",
            " ",
            "x",
            "1-3/1-2 3 1,2 0:0",
            "1-99/1-3 3 1,2 0:0",
            "1-3/1-3 - - 0:0",
            "1-3/1-3/1-3 3 1,2 0:0:0",
            "1-31/1-31 31 1-30 0:0",
            "1-3/1-3 3 1,2 0:0 tie=\x1b[31mred",
            "1-3/1-3 3 1,2\n0:0 x",
            "\udcff\udcfe \udcff",
        ],
    )
    def test_hopeless_positions(self, text: str) -> None:
        begun = time.monotonic()
        assert "\x1b" not in complaint("analyse", text)
        assert time.monotonic() - begun < 5

    def test_what_is_too_large_names_the_way_on(self) -> None:
        assert "--force" in complaint("analyse", "1-31/1-31 31 1-30 0:0")

    @pytest.mark.parametrize(
        "junk",
        [
            b"a" * 500_000,
            b"1," * 250_000,
            b"1-3/" * 125_000,
            bytes(range(128, 256)) * 4000 + b"",
            b"\0" * 500_000,
            b"\xff\xfe",
        ],
        ids=["letters", "cards", "hands", "high", "zeros", "mark"],
    )
    def test_garbage_on_standard_input(self, junk: bytes) -> None:
        message = complaint("analyse", "-", stdin=junk.replace(b"\n", b""))
        assert message.startswith("gops: line 1: ")

    def test_garbage_does_not_stop_the_rest(self) -> None:
        stdin = b"z" * 500_000 + b"\n" + FIVE.encode() + b"\n"
        out, err = gops("analyse", "-", "--json", stdin=stdin, status=1)
        assert json.loads(out)["position"] == FIVE
        assert err.count("\n") == 1

    def test_output_file_is_whole_or_absent(self, tmp_path: Path) -> None:
        target = tmp_path / "answer.json"
        out, _ = gops("analyse", FIVE, "--json", "--output", str(target))
        assert out == ""
        assert json.loads(target.read_text())["position"] == FIVE
        assert list(tmp_path.iterdir()) == [target]
        for hopeless in (tmp_path / "nowhere" / "x", tmp_path):
            assert str(hopeless) + ": " in complaint("analyse", FIVE, "--output", str(hopeless))
        complaint("analyse", "x", "--output", str(tmp_path / "bad"))
        assert list(tmp_path.iterdir()) == [target]

    def test_interrupt(self) -> None:
        running = started("analyse", "-")
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(FIVE.encode() + b"\n")
        running.stdin.flush()
        assert running.stdout.readline()  # it is up, and waits for the next line
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=20)
        assert running.returncode == 130
        assert b"Traceback" not in err


class TestPlay:
    def test_a_whole_game(self) -> None:
        words = ("play", "--cards", "4", "--seed", "5")
        out, err = gops(*words, stdin="4\n3\n2\n1\n")
        assert "exact" in err
        assert out.count("Round ") == 4
        assert "Final score: you " in out
        assert gops(*words, "--threads", "1", "--quiet", stdin="4\n3\n2\n1\n") == (out, "")

    def test_letters_mistakes_and_help(self) -> None:
        out, err = gops("play", "--seed", "1", stdin="99\nfoo\n?\n\nK\nk\nq\n")
        assert "lookahead" in err
        assert "'99' will not do: 1-13" in out
        assert "by rank (11) or letter (J)" in out
        assert "you bid 13 K, lookahead bids" in out
        assert "'k' will not do: 1-12" in out
        assert "You left the game." in out

    def test_hint(self) -> None:
        assert "Exact play: " in gops("play", "--cards", "5", "--seed", "1", stdin="hint\n")[0]
        assert "at most 9 cards" in gops("play", "--seed", "1", stdin="hint\n")[0]

    def test_end_of_input_leaves(self) -> None:
        assert "You left the game." in gops("play", "--seed", "1")[0]

    def test_bytes_of_any_kind(self) -> None:
        out, _ = gops("play", "--seed", "1", stdin=b"\xff\xfe\x00\n" + b"1" * 200_000 + b"\nq\n")
        assert "will not do" in out

    @pytest.mark.parametrize("name", list(Rules.presets()))
    def test_presets_are_played_to_the_end(self, name: str) -> None:
        """Whatever may be asked, one of these answers will do."""
        words = [str(card) for card in range(1, 15)]
        words += [f"{a}+{b}" for a in range(1, 6) for b in range(1, a)]
        words += [f"{rank}{suit}" for rank in (*range(2, 11), *"JQKA") for suit in "SCHD"]
        cards = ("--cards", "5") if Rules.preset(name).game == "gops" else ()
        out, _ = gops("play", "--rules", name, *cards, "--seed", "3", stdin="\n".join(words * 13))
        assert "Final score" in out

    def test_hidden_bids_stay_hidden(self) -> None:
        out, _ = gops("play", "--rules", "hidden", "--seed", "3", stdin="5\nq\n")
        assert "you bid 5: " in out
        assert "proportional bids" not in out
        assert "proportional: hand" not in out

    @pytest.mark.parametrize(
        ("words", "status"),
        [
            ("--rival nobody", 1),
            ("--rules nothing", 1),
            ("--tie nothing", 2),
            ("--rules three --rival exact", 1),
            ("--rules market --rival lookahead", 1),
        ],
    )
    def test_what_cannot_be(self, words: str, status: int) -> None:
        _, err = gops("play", "--quiet", *words.split(), stdin="1\n", status=status)
        assert err.startswith("gops: " if status == 1 else "Usage: ")

    def test_the_rival_does_not_see_my_bid(self) -> None:
        """Whatever I bid first, the rival's first bid is the same for the same seed."""
        said = set()
        for card in range(1, 6):
            out, _ = gops("play", "--cards", "5", "--seed", "8", stdin=f"{card}\nq\n")
            said.update(re.findall(r"exact bids (\d+)", out))
        assert len(said) == 1

    def test_interrupt(self) -> None:
        running = started("play")
        assert running.stdout is not None
        while b"hand" not in running.stdout.readline():
            pass
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
        assert running.returncode == 130
        assert b"You left the game." in out
        assert err.count(b"\n") == 1


class TestRules:
    def test_list(self) -> None:
        out, _ = gops("rules")
        assert "classic" in out
        assert "discard" in out
        assert json.loads(gops("rules", "--json")[0])["schema"] == "gops.presets/1"

    def test_each_preset_in_a_screenful(self) -> None:
        for name in json.loads(gops("rules", "--json")[0])["presets"]:
            out, _ = gops("rules", name)
            lines = out.splitlines()
            assert len(lines) <= 24
            assert max(map(len, lines)) <= 80
            assert json.loads(gops("rules", name, "--json")[0])["rules"]["cards"] >= 1

    def test_unknown_preset(self) -> None:
        assert "classic" in complaint("rules", "clasic")
