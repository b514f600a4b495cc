"""Time random games from Python here and in OpenSpiel, in one run, and print the ratio.

Run as ``python bench/vs_openspiel.py`` with the ``openspiel`` extra installed. Both sides do the
same work from the same kind of loop: make a game; until it is over, ask the legal bids of both
players, draw one of each, play them. OpenSpiel's prizes come either at random, where its interface
has the caller sample every chance node, or descending, where there are no chance nodes. Its setting
num_turns is left alone: one less than num_cards never ends there.
"""

import argparse
import random
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter

from gops import Game, MissingExtraError, Rules

try:
    import pyspiel
except ImportError:
    raise MissingExtraError("this needs OpenSpiel: pip install 'goofspiel[openspiel]'") from None


def ours(cards: int, order: str, seed: int) -> Callable[[int], None]:
    """Return a function that plays so many random games with this package."""
    import numpy as np

    rules = Rules(cards=cards, order=order, tie="discard")
    rng = np.random.default_rng(seed)
    choice = random.Random(seed).choice

    def play(games: int) -> None:
        for _ in range(games):
            game = Game(rules, rng=rng)
            while not game.is_over:
                game.play([choice(game.legal_bids(1)), choice(game.legal_bids(2))])

    return play


def theirs(cards: int, order: str, seed: int) -> Callable[[int], None]:
    """Return a function that plays so many random games with OpenSpiel."""
    spiel = pyspiel.load_game(
        "goofspiel", {"num_cards": cards, "points_order": order, "returns_type": "win_loss"}
    )
    choice = random.Random(seed).choice

    def play(games: int) -> None:
        for _ in range(games):
            state = spiel.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    # The prizes that are left are equally likely.
                    state.apply_action(choice(state.legal_actions()))
                else:
                    state.apply_actions(
                        [choice(state.legal_actions(0)), choice(state.legal_actions(1))]
                    )

    return play


def rate(play: Callable[[int], None], games: int) -> float:
    """Games a second."""
    start = perf_counter()
    play(games)
    return games / (perf_counter() - start)


def main() -> None:
    """Compare for 4, 8 and 13 cards, repeats interleaved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--games", type=int, default=500, help="games a repeat")
    options = parser.parse_args()
    print(f"{'cards':>5}  {'prizes':<10}  {'gops games/s':>12}  {'OpenSpiel':>12}  {'ratio':>6}")
    for order in ("random", "descending"):
        for cards in (4, 8, 13):
            sides = ours(cards, order, 1), theirs(cards, order, 1)
            for side in sides:
                side(options.games // 10 + 1)
            pairs = [
                tuple(rate(side, options.games) for side in sides) for _ in range(options.repeats)
            ]
            a, b = (median(column) for column in zip(*pairs, strict=True))
            ratio = median(first / second for first, second in pairs)
            print(f"{cards:>5}  {order:<10}  {a:>12,.0f}  {b:>12,.0f}  {ratio:>6.2f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
