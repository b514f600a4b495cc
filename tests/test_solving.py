"""Solving whole games: the right answers, and nothing lost or broken whatever happens."""

import errno
import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gops
from gops import Rules, TableError, TooLargeError, solving
from gops.solving import Progress, forecast, solve

DATA = Path(__file__).parent / "data"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class Told(list[Progress]):
    """Collects the progress of a solve."""

    def __call__(self, progress: Progress) -> None:
        self.append(progress)


def kill_at(rounds: int, out: Path, rules: Rules, **options: object) -> None:
    """Solve in a process of its own that kills itself when a layer is finished."""

    def child() -> None:
        def tell(progress: Progress) -> None:
            if progress.rounds == rounds and progress.share > 0:
                os.kill(os.getpid(), signal.SIGKILL)

        solve(rules, out=out, progress=tell, **options)  # type: ignore[arg-type]

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


class TestAnswers:
    @pytest.mark.parametrize("cards", [6, 7, 8, 9])
    def test_first_bids_agree_with_an_independent_solver(self, cards: int, tmp_path: Path) -> None:
        published = json.loads((DATA / "first_bids_6_to_9.json").read_text())
        table = solve(Rules(cards=cards, tie="discard"), out=tmp_path / "t", threads=2)
        ours = {reveal.prize: reveal.analysis for reveal in table.analyse(table.start).reveals}
        assert len(ours) == cards
        for upcard, theirs in published["points/discard"][str(cards)].items():
            mine = ours[int(upcard)]
            for player in (1, 2):
                for card, probability in theirs["bids"].items():
                    if probability > 1e-6:
                        assert mine.loss[player][int(card)] < 1e-6
                for card, probability in mine.bids[player].items():
                    if probability > 1e-6:
                        assert theirs["loss"][str(card)] < 1e-6

    @pytest.mark.parametrize(
        "rules",
        [
            Rules(cards=6),
            Rules(cards=6, tie="discard"),
            Rules(cards=6, tie="split"),
            Rules(cards=5, ace="high"),
            Rules(cards=6, order="descending"),
            Rules(cards=6, order=(3, 1, 6, 2, 5, 4), tie="discard"),
            Rules(cards=5, prizes=(2, 4, 4, 4, 10)),
            Rules(cards=5, prizes=(1, 1, 2, 3, 5, 8, 8)),
            Rules(cards=6, rounds=4),
            Rules(hands=((1, 3, 5, 7), (2, 3, 4, 8)), prizes=(1, 2, 3, 4)),
            Rules(cards=1),
            Rules(cards=2),
        ],
        ids=str,
    )
    def test_every_kind_of_game(self, rules: Rules, tmp_path: Path) -> None:
        table = solve(rules, out=tmp_path / "t", layers="all")
        start = table.analyse(table.start)
        assert start.value == pytest.approx(gops.analyse(table.start).value, abs=1e-9)
        assert start.value == pytest.approx(table.value, abs=1e-9)
        assert 0 <= table.worst_gap < 1e-9
        for position in walk(rules, 8):
            found = table.analyse(position)
            expected = gops.analyse(position, threads=1)
            assert found.value == pytest.approx(expected.value, abs=1e-9)
            assert found.method == "table" if position.rounds_left > 1 else "exact"

    def test_what_is_not_stored_is_solved(self, tmp_path: Path) -> None:
        table = solve(Rules(cards=6), out=tmp_path / "t")
        assert table.rounds == (5, 6)
        for position in walk(table.rules, 2):
            found = table.analyse(position)
            assert found.value == pytest.approx(gops.analyse(position).value, abs=1e-9)
            assert found.method == "table" if position.rounds_left == 6 else "exact"

    def test_counts(self, tmp_path: Path) -> None:
        """Matrix games of 8 cards, as counted by an independent program."""
        assert forecast(Rules(cards=8)).games == pytest.approx(327e3, rel=0.01)
        assert forecast(Rules(cards=8, tie="discard")).games == pytest.approx(203e3, rel=0.01)
        assert solve(Rules(cards=8), out=tmp_path / "t").manifest["games"] == 328_464


def walk(rules: Rules, games: int) -> list[gops.Position]:
    """Positions met in random games, decision and chance nodes alike, without the engine."""
    rng = np.random.default_rng(5)
    carry = rules.tie == "carry"
    found = []
    for _ in range(games):
        hands = [list(hand) for hand in rules.first_hands]
        pile, pot, scores = list(rules.first_pile), [], [0, 0]
        rounds = rules.rounds or rules.max_rounds
        while rounds:
            known = {"order_known": rules.order_known, "tie": rules.tie}
            found.append(
                gops.Position.from_parts(
                    hands, pot, pile, scores, turned=False, rounds=rounds, **known
                )
            )
            at = 0 if rules.order_known else int(rng.integers(len(pile)))
            pot.append(pile.pop(at))
            found.append(
                gops.Position.from_parts(
                    hands, pot, pile, scores, turned=True, rounds=rounds, **known
                )
            )
            bids = [hand[int(rng.integers(len(hand)))] for hand in hands]
            shared = sorted(set(hands[0]) & set(hands[1]))
            if shared and rng.random() < 0.5:
                bids = [shared[0]] * 2  # ties are what carries prizes
            for hand, bid in zip(hands, bids, strict=True):
                hand.remove(bid)
            if bids[0] != bids[1]:
                scores[bids[1] > bids[0]] += sum(pot)
            if bids[0] != bids[1] or not carry:
                pot = []
            rounds -= 1
    return found


class TestSameTable:
    RULES = Rules(cards=8)

    def test_any_number_of_threads(self, tmp_path: Path) -> None:
        for threads in (1, 2, 3):
            solve(self.RULES, out=tmp_path / str(threads), threads=threads, layers="all")
        first, *others = (contents(tmp_path / str(threads)) for threads in (1, 2, 3))
        assert len(first) == 8 * 4 + 1
        assert all(first == other for other in others)

    @pytest.mark.parametrize("options", [{}, {"layers": "all"}, {"dtype": "float32"}], ids=str)
    @pytest.mark.parametrize("killed", [1, 4, 7, 8])
    def test_killed_and_resumed(self, killed: int, options: dict[str, str], tmp_path: Path) -> None:
        undisturbed, broken = tmp_path / "undisturbed", tmp_path / "broken"
        solve(self.RULES, out=undisturbed, threads=1, **options)  # type: ignore[arg-type]
        kill_at(killed, broken, self.RULES, threads=2, **options)
        with pytest.raises(TableError, match="not finished"):
            gops.Table.open(broken)
        with pytest.raises(TableError, match="resume"):
            solve(self.RULES, out=broken)
        told = Told()
        solve(self.RULES, out=broken, resume=True, progress=told, **options)  # type: ignore[arg-type]
        assert told[0].rounds == killed
        assert contents(broken) == contents(undisturbed)

    def test_killed_while_the_files_move_into_place(self, tmp_path: Path) -> None:
        rules = Rules(cards=5)
        undisturbed, broken = tmp_path / "undisturbed", tmp_path / "broken"
        solve(rules, out=undisturbed)
        moves = 0

        def stop(path: Path, target: Path) -> Path:
            nonlocal moves
            moves += path.parent.name == ".unfinished" and not path.name.startswith(".")
            if moves == 3:
                raise KeyboardInterrupt
            os.rename(path, target)
            return target

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "replace", stop)
            with pytest.raises(KeyboardInterrupt):
                solve(rules, out=broken)
        assert not (broken / "manifest.json").exists()
        solve(rules, out=broken, resume=True)
        assert contents(broken) == contents(undisturbed)

    def test_resuming_what_is_finished_changes_nothing(self, tmp_path: Path) -> None:
        solve(self.RULES, out=tmp_path)
        before = contents(tmp_path)
        solve(self.RULES, out=tmp_path, resume=True)
        assert contents(tmp_path) == before

    def test_resuming_with_nothing_there_starts(self, tmp_path: Path) -> None:
        assert solve(Rules(cards=3), out=tmp_path / "new", resume=True).value == 0

    def test_only_the_same_solve_is_resumed(self, tmp_path: Path) -> None:
        kill_at(3, tmp_path, self.RULES)
        with pytest.raises(TableError, match=r"rules \{'cards': 8, 'tie': 'carry'\}, not"):
            solve(Rules(cards=9), out=tmp_path, resume=True)
        with pytest.raises(TableError, match="dtype float64, not float32"):
            solve(self.RULES, out=tmp_path, resume=True, dtype="float32")

    def test_a_damaged_layer_is_not_resumed_from(self, tmp_path: Path) -> None:
        kill_at(5, tmp_path, self.RULES)
        working = tmp_path / ".unfinished" / "working-05.npy"
        data = bytearray(working.read_bytes())
        data[len(data) // 2] ^= 1
        working.write_bytes(data)
        with pytest.raises(TableError, match=r"working-05\.npy"):
            solve(self.RULES, out=tmp_path, resume=True)

    def test_with_little_memory(self, tmp_path: Path) -> None:
        enough = forecast(self.RULES).least_memory
        solve(self.RULES, out=tmp_path / "little", memory=enough, layers="all")
        solve(self.RULES, out=tmp_path / "much", layers="all")
        assert contents(tmp_path / "little") == contents(tmp_path / "much")


class TestRefusals:
    def test_far_too_large(self, tmp_path: Path) -> None:
        with pytest.raises(TooLargeError, match=r"30 cards.*states.*games.*memory"):
            solve(Rules(cards=30), out=tmp_path / "t")
        assert not (tmp_path / "t").exists()

    def test_more_than_the_memory_allowed(self, tmp_path: Path) -> None:
        with pytest.raises(TooLargeError, match=r"at least .* of memory is needed, 50 MB"):
            solve(Rules(cards=10), out=tmp_path / "t", memory=50_000_000)

    def test_more_than_the_disk_holds(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        usage = solving.shutil.disk_usage(tmp_path)
        monkeypatch.setattr(solving.shutil, "disk_usage", lambda path: usage._replace(free=100_000))
        with pytest.raises(TooLargeError, match=r"100 kB are free on the disk"):
            solve(Rules(cards=8), out=tmp_path / "t")

    @pytest.mark.parametrize(
        ("rules", "name"),
        [
            (Rules(players=3), "players"),
            (Rules(bids=2), "bids"),
            (Rules(open=2), "open"),
            (Rules(hidden=True), "hidden"),
            (Rules(lot=2), "lot"),
            (Rules(misere=True), "misere"),
            (Rules(early_stop="clinch"), "early_stop"),
        ],
    )
    def test_games_without_an_exact_method(self, rules: Rules, name: str, tmp_path: Path) -> None:
        with pytest.raises(gops.RulesError, match=name):
            solve(rules, out=tmp_path / "t")

    @pytest.mark.parametrize(
        "options",
        [
            {"objective": "win"},
            {"layers": "some"},
            {"dtype": "int8"},
            {"threads": 0},
            {"memory": 0},
        ],
        ids=str,
    )
    def test_unknown_options(self, options: dict[str, object], tmp_path: Path) -> None:
        with pytest.raises(gops.GopsError, match=next(iter(options))):
            solve(Rules(cards=3), out=tmp_path / "t", **options)  # type: ignore[arg-type]

    def test_a_directory_that_is_taken(self, tmp_path: Path) -> None:
        (tmp_path / "letter.txt").write_text("mine")
        with pytest.raises(TableError, match=r"letter\.txt"):
            solve(Rules(cards=3), out=tmp_path)
        assert (tmp_path / "letter.txt").read_text() == "mine"
        with pytest.raises(TableError, match=r"letter\.txt"):
            solve(Rules(cards=3), out=tmp_path / "letter.txt")

    def test_a_table_is_not_overwritten(self, tmp_path: Path) -> None:
        solve(Rules(cards=3), out=tmp_path)
        with pytest.raises(TableError, match="a table already"):
            solve(Rules(cards=4), out=tmp_path)


class TestTrouble:
    def test_two_solves_exclude_each_other(self, tmp_path: Path) -> None:
        refused = []

        def tell(progress: Progress) -> None:
            code = f"import gops; gops.solve(gops.Rules(cards=6), out={str(tmp_path)!r})"
            if not refused:
                done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
                refused.append(done.stderr)

        table = solve(Rules(cards=6), out=tmp_path, progress=tell)
        assert "another solve is at work there" in refused[0]
        assert table.verify(quick=True).files == 9

    def test_a_full_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patch:
            patch.setattr(os, "posix_fallocate", full)
            with pytest.raises(TableError, match="No space left"):
                solve(Rules(cards=7), out=tmp_path)
        with pytest.raises(TableError, match="not finished"):
            gops.Table.open(tmp_path)
        solve(Rules(cards=7), out=tmp_path, resume=True).verify(quick=True)

    def test_a_limit_on_the_size_of_files(self, tmp_path: Path) -> None:
        """The kernel itself says no, in the middle of the work."""

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        words = ["solve", "--cards", "8", "--out", str(tmp_path), "--quiet"]
        done = subprocess.run(
            [sys.executable, "-m", "gops.cli", *words],
            capture_output=True,
            text=True,
            preexec_fn=limit,
        )
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1
        assert "File too large" in done.stderr
        solve(Rules(cards=8), out=tmp_path, resume=True).verify(quick=True)

    def test_a_directory_that_vanishes(self, tmp_path: Path) -> None:
        out = tmp_path / "t"

        def tell(progress: Progress) -> None:
            if progress.rounds == 4:
                solving.shutil.rmtree(out)

        with pytest.raises(TableError, match="vanished"):
            solve(Rules(cards=6), out=out, progress=tell)

    def test_a_directory_that_cannot_be_made(self) -> None:
        with pytest.raises(TableError, match="/proc/nowhere"):
            solve(Rules(cards=3), out="/proc/nowhere")

    @pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
    def test_a_directory_that_is_read_only(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        with pytest.raises(TableError, match="Permission denied"):
            solve(Rules(cards=3), out=tmp_path)

    def test_an_interrupt_can_be_resumed(self, tmp_path: Path) -> None:
        def tell(progress: Progress) -> None:
            if progress.rounds == 5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            solve(Rules(cards=7), out=tmp_path, progress=tell)
        told = Told()
        solve(Rules(cards=7), out=tmp_path, resume=True, progress=told)
        assert told[0].rounds == 5


def test_progress(tmp_path: Path) -> None:
    told = Told()
    table = solve(Rules(cards=8), out=tmp_path, progress=told)
    shares = [progress.share for progress in told]
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert told[-1].games == table.manifest["games"]
    assert told[0].forecast.games == table.manifest["games"]
