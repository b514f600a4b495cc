"""The benchmark suite: its signature is fixed, its document is sound."""

import json

import pytest

from gops import benchmarks

#: Changes only when behaviour does; see CONTRIBUTING.md before changing it.
SIGNATURE = 227607619896690


@pytest.mark.parametrize("threads", [1, 2])
def test_signature(threads: int) -> None:
    assert benchmarks.signature(threads) == SIGNATURE


def test_document() -> None:
    measurement = benchmarks.Measurement("step", "games", 2.5, "rounds", 1.0)
    document = benchmarks.to_dict([measurement])
    assert next(iter(document)) == "schema"
    assert json.loads(json.dumps(document))["rates"] == [
        {"name": "step", "what": "games", "rate": 2.5, "unit": "rounds/s", "seconds": 1.0}
    ]


def test_random_game_is_played_out() -> None:
    import random

    import numpy as np

    from gops import Rules

    game = benchmarks.random_game(Rules(cards=5), np.random.default_rng(1), random.Random(1).choice)
    assert game.is_over
