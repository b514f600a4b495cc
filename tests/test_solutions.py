"""The published first bids: whole, proper, and what is solved today."""

import json
from pathlib import Path
from typing import Any

import pytest

import gops

FOLDER = Path(__file__).parent.parent / "docs" / "solutions"
if not FOLDER.exists():
    pytest.skip("needs the source tree", allow_module_level=True)
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


def published(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return document


def test_all_are_there() -> None:
    last = max(int(name[:2]) for name in NAMES)
    assert last >= 10
    expected = {f"{n:02}-{tie}" for n in range(2, last + 1) for tie in ("carry", "discard")}
    assert set(NAMES) == expected


@pytest.mark.parametrize("name", NAMES)
def test_mixes_are_proper(name: str) -> None:
    document = published(name)
    cards = [str(card) for card in range(1, document["cards"] + 1)]
    assert list(document["upcards"]) == cards
    for mix in document["upcards"].values():
        assert list(mix["bids"]) == list(mix["loss"]) == cards
        assert sum(mix["bids"].values()) == pytest.approx(1, abs=1e-7)
        assert min(mix["bids"].values()) >= 0
        assert min(mix["loss"].values()) >= 0
        assert all(mix["loss"][card] < 1e-6 for card, share in mix["bids"].items() if share > 1e-6)


@pytest.mark.parametrize("name", [name for name in NAMES if int(name[:2]) <= 8])
def test_they_are_solved_today(name: str) -> None:
    document = published(name)
    cards, tie = document["cards"], document["tie"]
    for reveal in gops.analyse(f"1-{cards}/1-{cards} - 1-{cards} 0:0 tie={tie}").reveals:
        loss = reveal.analysis.loss[1]
        for card, share in document["upcards"][str(reveal.prize)]["bids"].items():
            assert share < 1e-6 or loss[int(card)] < 1e-6
