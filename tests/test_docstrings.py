"""The examples in the docstrings are true."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["cards", "rules", "position", "view", "game", "_game"])
def test_examples(name):
    module = importlib.import_module(f"gops.{name}")
    results = doctest.testmod(module, extraglobs={"Game": importlib.import_module("gops").Game})
    assert results.failed == 0
    assert results.attempted or name == "view"
