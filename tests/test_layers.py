"""Modules import downward only."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gops

SOURCE = Path(gops.__file__).parent

#: From the bottom up. A package is one layer; its modules may import each other.
LAYERS = (
    "errors",
    "cards",
    "plots",
    "_core",
    "rules",
    "view",
    "position",
    "_jazzy",
    "_throps",
    "parlett",
    "_game",
    "_lot",
    "_parlett",
    "game",
    "match",
    "_matrix",
    "matrix",
    "_lattice",
    "induction",
    "_masks",
    "masks",
    "analysis",
    "tables",
    "solving",
    "strategies",
    "benchmarks",
    "display",
    "cli",
)


def modules() -> list[Path]:
    paths = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyx"), *SOURCE.rglob("*.pxd")]
    return sorted(path for path in paths if path.stem != "__init__" or path.parent != SOURCE)


def layer(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.split(".")[0]


def imported(path: Path) -> Iterator[str]:
    """Names of the modules of this package that a file imports, anywhere in it."""
    text = path.read_text()
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: relative import"
                if node.module == "gops":
                    yield from (alias.name for alias in node.names)
                elif (node.module or "").startswith("gops."):
                    yield node.module.split(".")[1]
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.startswith("gops."):
                        yield alias.name.split(".")[1]
    else:
        yield from re.findall(r"^\s*(?:from|cimport|import) gops\.(\w+)", text, re.MULTILINE)
        for names in re.findall(r"^\s*from gops c?import (.*)$", text, re.MULTILINE):
            yield from re.findall(r"\w+", names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_run_downward(path: Path) -> None:
    own = layer(path)
    assert own in LAYERS, f"{own} has no place in the layers yet"
    for name in imported(path):
        if name == "__version__":
            continue
        assert name in LAYERS, f"{path.name} imports {name}, which has no layer"
        assert name == own or LAYERS.index(name) < LAYERS.index(own), (
            f"{path.name} ({own}) imports {name} from a layer above"
        )


def test_the_reader_sees_imports() -> None:
    assert "errors" in set(imported(SOURCE / "cards.py"))
    assert "benchmarks" in set(imported(SOURCE / "cli" / "bench.py"))
