"""Exact solution of the games of two players in which more counts than the order of the cards.

Bids of several cards, lots of several prizes, open prizes, early stops, misere: whole states are
solved one by one, by the engine's own steps.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gops import _masks
from gops.induction import Effort
from gops.position import Position

__all__ = ["Decision", "MaskInduction", "mask_effort", "mask_seconds"]

_BYTES_PER_STATE = 130  # of a table that doubles when half full, while it doubles


@dataclass(frozen=True)
class Decision:
    """What the players can choose next, and what it is worth to player 1.

    Attributes
    ----------
    prizes : tuple of int
        Turned before the choice; empty if it is due at once.
    probability : float
    upcards : tuple of int
        The prizes on offer then.
    choices : (list, list)
        Bids of each player, ascending, cards or tuples of cards; or prizes to pick, and nothing
        for the player who waits.
    payoffs : float64[m, n]
    """

    prizes: tuple[int, ...]
    probability: float
    upcards: tuple[int, ...]
    choices: tuple[list[Any], list[Any]]
    payoffs: NDArray[np.float64]


class MaskInduction:
    """The solution of a position, each state that can follow it solved once.

    Parameters
    ----------
    position : Position
        Two players, no hidden bids.
    win : bool
    limit : int
        Bytes to use at most; beyond, the methods raise `MemoryError`.
    """

    def __init__(self, position: Position, *, win: bool, limit: int) -> None:
        self.position = position
        self._solver = _masks.Solver(position, win=win, limit=limit)

    @property
    def value(self) -> float | None:
        """What the game is worth to player 1 if it is over, else None."""
        return self._solver.score if self._solver.is_over else None

    @property
    def effort(self) -> Effort:
        """The work done so far."""
        solver = self._solver
        return Effort(states=solver.states, games=solver.games, worst=solver.worst)

    def decisions(self) -> Iterator[Decision]:
        """Solve the position: a decision per way to turn the prizes that are due."""
        due, pile = self._solver.due, self._solver.pile
        if due == 0:
            yield self._decision((), 1.0)
        elif self.position.order_known:
            yield self._decision(pile[:due], 1.0)
        else:
            for prizes, count in sorted(Counter(combinations(sorted(pile), due)).items()):
                yield self._decision(prizes, count / comb(len(pile), due))

    def _decision(self, prizes: tuple[int, ...], probability: float) -> Decision:
        choices, payoffs = self._solver.payoffs(prizes)
        if self.position.rules.bids == 1 and payoffs.size and all(choices):
            choices = [bid[0] for bid in choices[0]], [bid[0] for bid in choices[1]]
        rows, columns = (sorted(range(len(bids)), key=bids.__getitem__) for bids in choices)
        ordered = payoffs[np.ix_(rows or [0], columns or [0])]
        first, second = choices
        return Decision(
            prizes,
            probability,
            (*self._solver.upcards, *prizes),
            ([first[i] for i in rows], [second[j] for j in columns]),
            np.ascontiguousarray(ordered),
        )


def mask_effort(position: Position, *, win: bool) -> Effort:
    """Estimate, at once, the work that a position takes: right within a factor of four or so."""
    effort = Effort()
    for states, games, _ in _rounds(position, win):
        effort.states += int(states)
        effort.games += int(games)
    effort.memory = _BYTES_PER_STATE * effort.states
    return effort


def mask_seconds(position: Position, *, win: bool) -> float:
    """Estimate the time that the work of `mask_effort` takes."""
    return sum(
        5e-7 * states + games * (1e-7 + 2e-7 * bids**2 + 2e-9 * bids**3)
        for states, games, bids in _rounds(position, win)
    )


def _rounds(position: Position, win: bool) -> Iterator[tuple[float, float, int]]:
    """Per round: about how many states and matrix games, and how many bids in each of these."""
    rules, held, total = position.rules, len(position.hands[0]), position.rounds_left
    points = sum(position.upcards) + sum(position.pile)
    for played in range(total):
        left = held - played * rules.bids
        hands = comb(held, left) ** 2 / 2 + 0.5
        margins = 1.0
        if win or rules.early_stop != "none":
            margins += points * played / total / 3
        if rules.early_stop not in ("none", "clinch"):
            margins *= 1 + points * played / total / 12
        before, after = _open_piles(position, played) if rules.open else _piles(position, played)
        games = hands * margins * after
        yield games + hands * margins * before, games, comb(left, min(rules.bids, left))


def _carries(position: Position) -> bool:
    rules = position.rules
    return (rules.fallback if rules.tie == "unique" else rules.tie) == "carry"


def _piles(position: Position, played: int) -> tuple[float, float]:
    """Count sets of prizes and pots before and after the prizes of a round are turned."""
    down = max(0, len(position.pile) - played * position.rules.lot)
    pots = 1 + played / 2 if _carries(position) and played else 1.0
    if position.order_known:
        return pots, pots
    sets = comb(len(position.pile), down) * pots
    return sets, sets * max(1, down)


def _open_piles(position: Position, played: int) -> tuple[float, float]:
    """Count the same for open prizes; picks are among the states before the turning."""
    rules = position.rules
    prizes = len(position.upcards) + len(position.pile)
    taken = min(rules.picks or rules.open, 2)
    most = min(prizes - 1, played * taken)
    ways = 0.0
    for gone in range(0, most + 1, taken) if _carries(position) else [most]:
        shown = min(rules.open, prizes - gone)
        down = 0 if position.order_known else prizes - gone - shown
        ways += comb(prizes, down) * comb(gone + shown, shown)
    return 4 * ways, ways
