"""Tables: what the files mean, what is looked up, and that nothing damaged is believed."""

import json
import shutil
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from test_cli import complaint, gops

import gops as api
from gops import Position, PositionError, Rules, Table, TableError, tables
from gops.cards import format_set
from gops.solving import solve


@pytest.fixture(scope="session")
def seven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All layers of the game of seven cards, ties carried."""
    folder = tmp_path_factory.mktemp("tables") / "seven"
    solve(Rules(cards=7), out=folder, layers="all")
    return folder


@pytest.fixture
def copy(seven: Path, tmp_path: Path) -> Path:
    """A copy of that table, to be spoilt."""
    return shutil.copytree(seven, tmp_path / "seven")


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)


def letters(word: int) -> list[int]:
    """Per rank, lowest first, who holds it: 1, 2, or 3 for both."""
    return [word >> at & 3 for at in range(0, word.bit_length(), 2)]


class TestFormat:
    def test_the_files_mean_what_is_documented(self, seven: Path) -> None:
        """Read a layer with numpy alone, and compare every value with the solver's."""
        parts = {
            part: np.load(seven / f"layer-03-{part}.npy", mmap_mode="r")
            for part in ("values", "words", "offsets", "states")
        }
        assert parts["values"].dtype == np.float64
        assert parts["states"].shape[1] == 2
        rng = np.random.default_rng(1)
        for row in rng.choice(len(parts["words"]), 6, replace=False):
            word = int(parts["words"][row])
            hands = [
                [at + 1 for at, letter in enumerate(letters(word)) if letter & player]
                for player in (1, 2)
            ]
            values = parts["values"][parts["offsets"][row] : parts["offsets"][row + 1]]
            for at in rng.choice(len(values), 3, replace=False):
                mask, pot = parts["states"][at].tolist()
                pile = [bit + 1 for bit in range(7) if mask >> bit & 1]
                up = [pot] if pot else []
                position = Position.from_parts(hands, up, pile, turned=False)
                expected = api.analyse(position, threads=1).value - 0.0
                assert values[at] == pytest.approx(expected, abs=1e-9)

    def test_manifest(self, seven: Path) -> None:
        manifest = json.loads((seven / "manifest.json").read_text())
        assert next(iter(manifest)) == "schema"
        assert manifest["schema"] == "gops.table/1"
        assert manifest["rules"] == {"cards": 7, "tie": "carry"}
        assert [layer["rounds"] for layer in manifest["layers"]] == list(range(1, 8))
        names = {f"layer-{n:02}-{part}.npy" for n in range(1, 8) for part in tables._PARTS}
        assert {path.name for path in seven.iterdir()} == names | {"manifest.json"}
        sizes = {path.name: path.stat().st_size for path in seven.iterdir()}
        for layer in manifest["layers"]:
            for part, seal in layer["files"].items():
                assert seal["bytes"] == sizes[f"layer-{layer['rounds']:02}-{part}.npy"]

    def test_layers_open_mapped(self, seven: Path) -> None:
        table = Table.open(seven)
        layer = table.layer(4)
        assert layer.offsets[-1] == len(layer.values)
        assert len(layer.words) == len(layer.offsets) - 1
        assert (np.diff(layer.words.astype(np.int64)) > 0).all()
        with pytest.raises(TableError, match=r"no layer of 9 rounds to go, only of 1, 2, 3"):
            table.layer(9)

    def test_single_precision(self, tmp_path: Path) -> None:
        table = solve(Rules(cards=6), out=tmp_path / "t", dtype="float32", layers="all")
        assert table.layer(4).values.dtype == np.float32
        assert table.tolerance == 1e-4
        text = "1,3-6/1-5 6 1-5 0:0"
        text = "1,2,4-6/1-5 3 1,2,4,5 6:0"
        assert table.analyse(text).value == pytest.approx(api.analyse(text).value, abs=1e-4)


class TestBelonging:
    @pytest.mark.parametrize(
        ("position", "reason"),
        [
            ("1-7/1-7 - 1-7 0:0 tie=discard", "its ties are discarded"),
            ("1-7/1-7 - 1-7 0:0 tie=split", "its ties are discarded"),
            ("1-6,8/1-7 - 1-7 0:0", "player 1 never holds card 8"),
            ("1-8/1-8 - 1-8 0:0", "player 1 never holds card 8"),
            ("1-7/1-7 8 1-6 0:0", r"prize 8 is not \(or not so often\)"),
            ("1-7/1-7 7 1-6,6 0:0", "6 prizes are face down there, not 7"),
            ("1-7/1-7 6 1-5,6 0:0", r"prize 6 is not"),
            ("1-7/1-7 7 1-6 0:0 rounds=3", "7 rounds are left there, not 3"),
            ("1-7/1-7 7 >1,2,3,4,5,6 0:0", "the order of its prizes is not known"),
            ("1-6/1-6 7 1-4,6 0:0 rounds=5", "6 rounds are left there, not 5"),
            ("1-6/2-7 7+6 1-5 0:0", "1 carried prizes need as many ties, but 0"),
            ("1-3/1-3 4 1-3 0:0 bids=2", "bids=2"),
            ("1-3/1-3/1-3 - 1-3 0:0:0", "2 players"),
        ],
    )
    def test_strangers(self, seven: Path, position: str, reason: str) -> None:
        with pytest.raises(PositionError, match=reason):
            Table.open(seven).analyse(position)

    def test_nothing_is_carried_where_ties_are_discarded(self, tmp_path: Path) -> None:
        table = solve(Rules(cards=5, tie="discard"), out=tmp_path / "t")
        with pytest.raises(PositionError, match="no prize is carried there"):
            table.analyse("1-4/1-4 5+4 1-3 0:0 tie=discard")
        assert table.analyse("1-4/1-4 4 1-3 0:0 tie=split").value == pytest.approx(0)

    def test_a_known_order(self, tmp_path: Path) -> None:
        table = solve(Rules(cards=5, order=(3, 1, 5, 2, 4)), out=tmp_path / "t", layers="all")
        for text in ("1-4/2-5 1 >5,2,4 0:3", "1-4/1-4 3+1 >5,2,4 0:0", "2/1 4 - 3:0"):
            assert table.analyse(text).value == pytest.approx(api.analyse(text).value)
        for text, reason in [
            ("1-4/2-5 1 2,4,5 0:3", "the order of its prizes is known there"),
            ("1-4/2-5 1 >2,5,4 0:3", "another order"),
            ("1-4/2-5 3 >5,2,4 0:1", "another order"),
        ]:
            with pytest.raises(PositionError, match=reason):
                table.analyse(text)

    def test_a_finished_game(self, seven: Path) -> None:
        assert Table.open(seven).analyse("-/- - - 20:8").value == 12


class TestDamage:
    @pytest.mark.parametrize("at_once", [0, 1 << 30], ids=["by block", "whole"])
    def test_a_flipped_byte_is_found_wherever_it_is(
        self, seven: Path, at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tables, "_CHECKED_AT_ONCE", at_once)
        rng = np.random.default_rng(3)
        names = [path.name for path in seven.iterdir()]
        assert len(names) == 29
        for name in names:
            copy = shutil.copytree(seven, tmp_path / name)
            size = (copy / name).stat().st_size
            flip(copy / name, int(rng.integers(size)))
            with pytest.raises(TableError, match=name.replace(".", r"\.")):
                Table.open(copy).verify(quick=True)
            shutil.rmtree(copy)

    def test_blocks_are_checked_when_looked_at(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tables, "_CHECKED_AT_ONCE", 0)
        monkeypatch.setattr(tables, "BLOCK", 4096)
        solve(Rules(cards=7), out=tmp_path, layers="all")
        flip(tmp_path / "layer-04-values.npy", 5000)
        table = Table.open(tmp_path)
        table.analyse(table.start)
        texts = [
            f"{format_set({*range(1, 8)} - {4, one})}/{format_set({*range(1, 8)} - {4, two})} 1 2-5"
            for one, two in product((1, 2, 6), (7, 3, 5))
        ]
        with pytest.raises(TableError, match=r"-04-values.npy: damaged between bytes 4096 and "):
            [table.analyse(text) for text in texts]

    @pytest.mark.parametrize("name", ["layer-04-values.npy", "layer-07-words.npy"])
    @pytest.mark.parametrize(
        "spoil",
        [
            lambda path: path.unlink(),
            lambda path: path.write_bytes(path.read_bytes()[:-1]),
            lambda path: path.write_bytes(path.read_bytes() + b"\0"),
            lambda path: path.write_bytes(b""),
            lambda path: (path.unlink(), path.mkdir()),
        ],
        ids=["missing", "cut", "longer", "empty", "directory"],
    )
    def test_files_of_another_size(
        self, copy: Path, name: str, spoil: Callable[[Path], None]
    ) -> None:
        spoil(copy / name)
        with pytest.raises(TableError, match=name):
            Table.open(copy)

    def test_a_layer_of_another_table(self, copy: Path, tmp_path: Path) -> None:
        solve(Rules(cards=7, prizes=(1, 2, 3, 4, 5, 6, 8)), out=tmp_path / "o", layers="all")
        shutil.copy(tmp_path / "o" / "layer-06-values.npy", copy)
        with pytest.raises(TableError, match=r"layer-06-values\.npy"):
            Table.open(copy).verify(quick=True)

    def test_a_file_that_does_not_belong(self, copy: Path) -> None:
        (copy / ".notes").write_text("hidden files are nobody's business")
        Table.open(copy).verify(quick=True)
        (copy / "layer-08-values.npy").write_bytes(b"")
        with pytest.raises(TableError, match=r"layer-08-values\.npy: does not belong"):
            Table.open(copy).verify(quick=True)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{}",
            "[]",
            "null",
            "[" * 100_000,
            '{"checksum": 1}',
            '{"schema": "gops.table/1", "checksum": 0}',
            "\xff",
        ],
        ids=range(8),
    )
    def test_no_manifest(self, copy: Path, text: str) -> None:
        (copy / "manifest.json").write_text(text, encoding="latin-1")
        with pytest.raises(TableError, match=r"manifest\.json"):
            Table.open(copy)

    @pytest.mark.parametrize(
        "change",
        [
            {"schema": "gops.table/2"},
            {"rules": {"cards": 99}},
            {"rules": None},
            {"layers": [{}]},
            {"layers": None},
            {"layers": [{"rounds": 1, "files": {"values": {"bytes": -1, "crc32": ""}}}]},
            {"layers": 5},
            {"value": None},
            {"dtype": "float16"},
        ],
        ids=str,
    )
    def test_a_sealed_manifest_of_nonsense(self, copy: Path, change: dict[str, object]) -> None:
        manifest = tables.read_sealed(copy / "manifest.json")
        tables.write_sealed(copy / "manifest.json", {**manifest, **change})
        with pytest.raises(TableError, match=r"manifest\.json"):
            Table.open(copy)

    def test_no_table(self, tmp_path: Path) -> None:
        with pytest.raises(TableError, match="no table here"):
            Table.open(tmp_path)
        with pytest.raises(TableError, match="No such file"):
            Table.open(tmp_path / "nowhere")


class TestVerification:
    @pytest.mark.parametrize(
        "rules",
        [
            Rules(cards=7),
            Rules(cards=7, tie="discard"),
            Rules(cards=6, order="ascending"),
            Rules(cards=5, prizes=(1, 4, 4, 9, 9, 9)),
            Rules(hands=((1, 3, 5, 7), (2, 3, 4, 8)), prizes=(1, 2, 3, 4)),
            Rules(cards=1),
        ],
        ids=str,
    )
    def test_a_solution_cannot_be_exploited(self, rules: Rules, tmp_path: Path) -> None:
        for layers in ("top", "all"):
            table = solve(rules, out=tmp_path / layers, layers=layers)
            found = table.verify(threads=2).exploitability
            assert found is not None
            assert 0 <= found < 1e-11

    def test_single_precision(self, tmp_path: Path) -> None:
        table = solve(Rules(cards=7), out=tmp_path / "t", dtype="float32", layers="all")
        found = table.verify().exploitability
        assert found is not None
        assert 1e-12 < found < 1e-5

    @pytest.mark.parametrize(
        "rules",
        [
            Rules(cards=4),
            Rules(cards=4, tie="discard"),
            Rules(cards=4, order=(2, 4, 1, 3)),
            Rules(hands=((1, 3, 6), (2, 3, 4)), prizes=(1, 2, 3)),
        ],
        ids=str,
    )
    def test_wrong_values_are_exploited_as_much_as_by_a_slow_twin(
        self, rules: Rules, tmp_path: Path
    ) -> None:
        solve(rules, out=tmp_path, layers="all")
        disturb(tmp_path)
        table = Table.open(tmp_path)
        high, low = best_replies(table)
        value = float(table.layer(table.rounds[-1]).values[0])
        expected = max(high - value, value - low)
        assert expected > 0.01
        found = table.verify().exploitability
        assert found == pytest.approx(expected, abs=1e-9)
        for words in ([], ["--tolerance", "0.001"]):
            out, _ = gops("verify", str(tmp_path), "--json", *words, status=3)
            assert json.loads(out)["exploitability"] == pytest.approx(expected, abs=1e-9)
            assert json.loads(out)["passed"] is False
        gops("verify", str(tmp_path), "--tolerance", "1000")


def disturb(folder: Path) -> None:
    """Add noise to the values of a table, and seal it again as if nothing had happened."""
    rng = np.random.default_rng(2)
    manifest = tables.read_sealed(folder / "manifest.json")
    for entry in manifest["layers"][:-1]:
        path = folder / f"layer-{entry['rounds']:02}-values.npy"
        values = tables.map_array(path, writable=True)
        layer = Table.open(folder).layer(entry["rounds"])
        for row, word in enumerate(layer.words.tolist()):
            if set(letters(word)) != {3}:  # equal hands are worth 0 without a look
                part = values[layer.offsets[row] : layer.offsets[row + 1]]
                part += rng.normal(0, 0.3, len(part))
        del values, part
        entry["files"]["values"] = tables.seal(path, 1)
        tables.write_sealed(folder / "manifest.json", manifest)


def best_replies(table: Table) -> tuple[float, float]:
    """Most that player 1 and least that player 2 can make of the whole game, against its mixes."""
    rules = table.rules
    carry = rules.tie == "carry"

    @cache
    def chance(
        hands: tuple[tuple[int, ...], ...], pile: tuple[int, ...], pot: tuple[int, ...]
    ) -> tuple[float, float]:
        if not hands[0]:
            return 0.0, 0.0
        turned = pile[:1] if rules.order_known else pile
        found = [
            decision(hands, tuple(prize for prize in pile if prize != up), (*pot, up))
            for up in turned
        ]
        return float(np.mean([high for high, _ in found])), float(
            np.mean([low for _, low in found])
        )

    @cache
    def decision(
        hands: tuple[tuple[int, ...], ...], pile: tuple[int, ...], pot: tuple[int, ...]
    ) -> tuple[float, float]:
        position = Position.from_parts(
            hands, pot, pile, order_known=rules.order_known, tie=rules.tie
        )
        bids = table.analyse(position, threads=1).bids
        high = {card: 0.0 for card in hands[0]}
        low = {card: 0.0 for card in hands[1]}
        for one, two in product(*hands):
            left = tuple(
                tuple(card for card in hand if card != bid)
                for hand, bid in zip(hands, (one, two), strict=True)
            )
            kept = pot if carry and one == two else ()
            most, least = chance(left, pile, kept)
            gain = sum(pot) * ((one > two) - (one < two))
            high[one] += bids[2][two] * (gain + most)
            low[two] += bids[1][one] * (gain + least)
        return max(high.values()), min(low.values())

    return chance(rules.first_hands, rules.first_pile, ())


class TestCommands:
    def test_solve(self, tmp_path: Path) -> None:
        out, err = gops("solve", "--cards", "6", "--tie", "discard", "--out", f"{tmp_path}/t")
        assert "6 rounds left" in out
        last = err.splitlines()[-1]
        for words in ("6 cards", "ties discarded", "games in", " s", "games/s", "peak memory"):
            assert words in last
        assert "\r" not in err

    def test_solve_json(self, tmp_path: Path) -> None:
        words = ["--prizes", "2,4,4,A,9", "--cards", "5", "--ace", "low", "--order", "9,4,1,2,4"]
        out, err = gops("solve", "--out", f"{tmp_path}/t", *words, "--json", "--quiet")
        assert err == ""
        document = json.loads(out)
        assert next(iter(document)) == "schema"
        assert document["schema"] == "gops.solve/1"
        assert document["rules"]["prizes"] == [1, 2, 4, 4, 9]
        assert document["rules"]["order"] == [9, 4, 1, 2, 4]
        assert document["value"] == 0
        assert document["games"] > 0
        assert document["layers"] == [4, 5]

    def test_ace_high(self, tmp_path: Path) -> None:
        gops("solve", "--cards", "4", "--ace", "high", "--out", f"{tmp_path}/t")
        assert str(Table.open(tmp_path / "t").start) == "2-5/2-5 - 2-5 0:0"

    @pytest.mark.parametrize("size", ["4", "1e3GB", "lots", "-1GB", "", "0", "nan", "4XB"])
    def test_sizes(self, size: str, tmp_path: Path) -> None:
        good = size in ("4", "1e3GB")
        status = (1 if size == "4" else 0) if good else 2
        gops(*["solve", "--cards", "3", "--out", f"{tmp_path}/t", "--memory", size], status=status)

    def test_analyse_from_a_table(self, seven: Path) -> None:
        text = "1,3-7/1-5,7 3 1,2,4-6 7:0"
        out, _ = gops("analyse", text, "--table", str(seven), "--json")
        looked_up = json.loads(out)
        solved = json.loads(gops("analyse", text, "--json")[0])
        assert looked_up["method"] == "table"
        assert looked_up["value"] == pytest.approx(solved["value"], abs=1e-9)
        assert set(looked_up) == set(solved)
        assert "does not occur" in complaint("analyse", "1-3/1-3 - 1,2,8", "--table", str(seven))
        gops("analyse", text, "--table", str(seven), "--objective", "win", status=2)

    def test_damage_is_one_line(self, copy: Path) -> None:
        flip(copy / "layer-06-values.npy", 150)
        for words in (["analyse", "1-7/1-7 - 1-7", "--table"], ["verify", "--quick"]):
            assert "layer-06-values.npy" in complaint(*words, str(copy))

    def test_verify_quick(self, seven: Path) -> None:
        out, err = gops("verify", "--quick", "--json", str(seven))
        document = json.loads(out)
        assert document["schema"] == "gops.verify/1"
        assert document["files"] == 29
        assert document["exploitability"] is None
        assert document["passed"] is True
        assert err == ""

    def test_plots(self, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        picture = tmp_path / "bids.png"
        gops("solve", "--cards", "4", "--out", f"{tmp_path}/t", "--plot", str(picture))
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
        picture = tmp_path / "bids.txt"
        words = ["solve", "--cards", "4", "--out", f"{tmp_path}/u", "--plot", str(picture)]
        assert "ending in .png" in complaint(*words)
        assert not (tmp_path / "u").exists()
