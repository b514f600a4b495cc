"""Heat maps: what is drawn where, and what is said when it cannot be."""

import sys
from pathlib import Path

import numpy as np
import pytest

import gops

pytest.importorskip("matplotlib")


def test_upcard_by_bid() -> None:
    analysis = gops.analyse("1-4/1-4 - 1-4 0:0")
    axes, colours = analysis.plot().axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("bid", "upcard")
    assert colours.get_ylabel() == "probability"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "3", "4"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["1", "2", "3", "4"]
    drawn = np.asarray(axes.images[0].get_array())
    for row, reveal in zip(drawn, analysis.reveals, strict=True):
        assert row.tolist() == pytest.approx(list(reveal.analysis.bids[1].values()))
    assert axes.images[0].get_cmap().name == "cividis"


def test_player_by_bid() -> None:
    figure = gops.analyse("1,3/2,3 4 1 0:0").plot()
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("bid", "player")
    drawn = np.ma.filled(axes.images[0].get_array(), np.nan)
    assert np.isnan(drawn).tolist() == [[False, True, False], [True, False, False]]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_picture_is_the_same_file(kind: str, tmp_path: Path) -> None:
    analysis = gops.analyse("1-3/1-3 - 1-3 0:0")
    paths = [tmp_path / f"{name}.{kind}" for name in ("one", "two")]
    for path in paths:
        analysis.plot(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(tmp_path.iterdir()) == paths


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = gops.analyse("1-3/1-3 - 1-3 0:0")
    with pytest.raises(gops.GopsError, match=r"expected a file name ending in \.png"):
        analysis.plot(tmp_path / "picture.tex.aux")
    with pytest.raises(gops.GopsError, match="player=3: expected 1 or 2"):
        analysis.plot(player=3)
    with pytest.raises(gops.GopsError, match="the game is over"):
        gops.analyse("-/- - - 3:0").plot()
    with pytest.raises(FileNotFoundError):
        analysis.plot(tmp_path / "nowhere" / "picture.png")
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(gops.MissingExtraError, match=r"pip install 'goofspiel\[plot\]'"):
        analysis.plot()
