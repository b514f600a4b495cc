"""Examples in docstrings run, those of compiled modules included."""

import doctest
import importlib
import pkgutil

import pytest

import gops

NAMES = sorted(
    info.name
    for info in pkgutil.walk_packages(gops.__path__, "gops.")
    if not info.name.endswith("__main__")
)


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, extraglobs={"Game": gops.Game}).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    found = [test for name in NAMES for test in finder.find(importlib.import_module(name))]
    assert sum(len(test.examples) for test in found) > 20
