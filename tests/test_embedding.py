"""The Cython interface, through the example that shows it, built against the installed package."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "embedding"


@pytest.fixture(scope="module")
def deals(tmp_path_factory):
    pytest.importorskip("Cython")
    pytest.importorskip("setuptools")
    if not shutil.which("gcc") and not shutil.which("cc"):
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("embedding")
    for name in ("deals.pyx", "setup.py"):
        shutil.copy(EXAMPLE / name, folder / name)
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)
    (library,) = folder.glob("deals.*.so")
    spec = importlib.util.spec_from_file_location("deals", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_games_from_cython(deals):
    games = 100_000
    won, drawn, lost = deals.count_wins(games, 7)
    assert won + drawn + lost == games
    assert abs(won - lost) < 2000
    assert drawn > 0
    assert deals.count_wins(games, 7) == (won, drawn, lost)


def test_bids_from_cython(deals):
    assert deals.margin([3, 1, 2], [3, 2, 1], [2, 3, 1]) == -2
    with pytest.raises(ValueError, match="illegal bids"):
        deals.margin([3, 3, 2], [3, 2, 1], [2, 3, 1])
