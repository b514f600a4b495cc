"""Speed of what is used most; run ``pytest bench``. Peers are timed in the same run."""

import random
from typing import Any

import numpy as np
import pytest

from gops import Batch, Position, Rules, analyse, benchmarks, perft, playouts, solve_matrix

CLASSIC = Rules()


@pytest.mark.parametrize("cards", [4, 8, 13])
def test_random_game_from_python(benchmark: Any, cards: int) -> None:
    rules, rng, choice = Rules(cards=cards), np.random.default_rng(1), random.Random(1).choice
    assert benchmark(benchmarks.random_game, rules, rng, choice).is_over


@pytest.mark.parametrize("cards", [4, 8, 13])
def test_random_game_in_openspiel(benchmark: Any, cards: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("goofspiel", {"num_cards": cards, "points_order": "random"})
    choice = random.Random(1).choice

    def play() -> Any:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(choice(state.legal_actions()))
            else:
                state.apply_actions(
                    [choice(state.legal_actions(0)), choice(state.legal_actions(1))]
                )
        return state

    assert benchmark(play).is_terminal()


def test_playouts(benchmark: Any) -> None:
    assert benchmark(playouts, CLASSIC, 10_000, rng=1, threads=1).shape == (10_000, 2)


@pytest.mark.parametrize("size", [64, 4096])
def test_random_rounds_in_a_batch(benchmark: Any, size: int) -> None:
    batch = Batch(CLASSIC, size, rng=1, auto_reset=True)
    assert benchmark(lambda: batch.step(masks=batch.random_bids()))[1].shape == (size,)


def test_perft(benchmark: Any) -> None:
    assert benchmark(perft, Position("1-5/1-5 - 1-5 0:0"), 5) > 0


@pytest.mark.parametrize("size", [3, 7, 13])
def test_matrix_game(benchmark: Any, size: int) -> None:
    matrix = np.random.default_rng(1).normal(size=(size, size))
    assert benchmark(solve_matrix, matrix).gap < 1e-9


@pytest.mark.parametrize("tie", ["carry", "discard"])
@pytest.mark.parametrize("cards", [6, 8])
def test_exact_first_round(benchmark: Any, cards: int, tie: str) -> None:
    position = Position(f"1-{cards}/1-{cards} {cards} 1-{cards - 1} 0:0 tie={tie}")
    assert benchmark(analyse, position).gap < 1e-9


def test_notation(benchmark: Any) -> None:
    assert str(benchmark(Position, "1-13/1-13 7 1-6,8-13 0:0")) == "1-13/1-13 7 1-6,8-13 0:0"
