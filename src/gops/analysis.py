"""Exact analysis of one position: values, equilibrium bids, and the proof of both."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gops import _lattice
from gops.errors import GopsError, PositionError, TooLargeError
from gops.induction import Effort, Induction, Problem, rough_effort
from gops.masks import MaskInduction, mask_effort, mask_seconds
from gops.matrix import solve_matrix
from gops.plots import heat_map, save
from gops.position import Position

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["OBJECTIVES", "Analysis", "Reveal", "analyse"]

#: What a player may play for, and what its value means.
OBJECTIVES = {
    "points": "expected final margin, player 1 minus player 2, points so far included",
    "win": "chance that player 1 wins minus chance that player 2 wins",
}

PATIENCE = 60.0  # seconds of expected work that are started without being told to
_SECONDS_PER_GAME = 1.2e-7  # of one thread; the mean over games of 8 to 12 cards
_SECONDS_PER_STATE = 3e-9


@dataclass(frozen=True)
class Reveal:
    """What may be turned next, and the analysis of the position it leads to.

    Attributes
    ----------
    prize : int or tuple of int
        A tuple, ascending, where the rules turn several at a time.
    probability : float
    analysis : Analysis
    """

    prize: int | tuple[int, ...]
    probability: float
    analysis: "Analysis"


@dataclass(frozen=True)
class Analysis:
    """The exact value of a position and an equilibrium of its bids.

    Attributes
    ----------
    position : Position
    objective : {"points", "win"}
    value : float
        ``points``: expected final margin, player 1 minus player 2, points so far included
        (player 2 minus player 1 under ``misere``, where fewer points are better).
        ``win``: P(player 1 wins) - P(player 2 wins).
    gap : float
        Upper minus lower bound of the value of the bids below, recomputed from `matrix` and `bids`
        alone; at a chance node the mean over the prizes.
    matrix : float64[rows, columns] or None
        Values after the bids of player 1 (rows, ascending) and player 2 (columns, ascending).
        None at a chance node and when the game is over.
    bids : dict
        Per player, card (or tuple of cards, for bids of several) -> probability. Equilibria need
        not be unique: compare losses. While prizes are picked: prize -> probability for the player
        whose pick it is, nothing for the other.
    loss : dict
        Per player, card -> what bidding it gives up against the other player's `bids`; >= 0.
    upcards : tuple of int
        The prizes on offer.
    reveals : tuple of Reveal
        At a chance node, one per prize that may be turned; else empty.
    method : str
        ``exact``: backward induction, every matrix game proven by its own bounds.
    stats : dict
        ``states`` values computed, ``games`` matrix games solved, ``seconds``.
    """

    position: Position
    objective: str
    value: float
    gap: float
    matrix: NDArray[np.float64] | None = None
    bids: Mapping[int, Mapping[Any, float]] = field(default_factory=dict)
    loss: Mapping[int, Mapping[Any, float]] = field(default_factory=dict)
    upcards: tuple[int, ...] = ()
    reveals: tuple[Reveal, ...] = ()
    method: str = "exact"
    stats: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as the JSON document ``gops.analyse/1``, made of plain data."""
        document: dict[str, Any] = {
            "schema": "gops.analyse/1",
            "position": str(self.position),
            "objective": self.objective,
            "method": self.method,
            "value": self.value,
            "gap": self.gap,
        }
        if self.reveals:
            document["reveals"] = [
                {
                    "prize": _plain(reveal.prize),
                    "probability": reveal.probability,
                    "value": reveal.analysis.value,
                    "gap": reveal.analysis.gap,
                    "players": reveal.analysis._players(),
                }
                for reveal in self.reveals
            ]
        else:
            document["players"] = self._players()
        document["upcards"] = [] if self.reveals else list(self.upcards)
        document["stats"] = dict(self.stats)
        return document

    def plot(self, path: str | os.PathLike[str] | None = None, *, player: int = 1) -> "Figure":
        """Draw the bids as a heat map: upcard by bid at a chance node, else player by bid.

        Parameters
        ----------
        path : path, optional
            A .png, .svg or .pdf file to write.
        player : int
            Whose bids to draw at a chance node.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        if player not in (1, 2):
            raise GopsError(f"player={player}: expected 1 or 2")
        if self.reveals:
            who, row_name = f"bids of player {player}", "upcard"
            mixes = {str(reveal.prize): reveal.analysis.bids[player] for reveal in self.reveals}
        else:
            who, row_name = "bids", "player"
            mixes = {str(number): bids for number, bids in self.bids.items()}
        cards = sorted({card for mix in mixes.values() for card in mix})
        if not cards:
            raise GopsError(f"{self.position}: the game is over, there is no bid to draw")
        shares = [[mix.get(card, np.nan) for card in cards] for mix in mixes.values()]
        figure = heat_map(
            np.array(shares),
            list(mixes),
            list(map(str, cards)),
            title=f"Equilibrium {who}\n{self.position}, {self.objective}",
            row_name=row_name,
            column_name="bid",
        )
        if path is not None:
            save(figure, path)
        return figure

    def _players(self) -> list[dict[str, Any]]:
        return [
            {
                "player": player,
                "bids": [
                    {
                        "cards": list(card) if isinstance(card, tuple) else [card],
                        "probability": probability,
                        "loss": self.loss[player][card],
                    }
                    for card, probability in bids.items()
                ],
            }
            for player, bids in self.bids.items()
        ]


def analyse(
    position: Position | str,
    objective: str = "points",
    *,
    threads: int | None = None,
    force: bool = False,
) -> Analysis:
    """Solve a position of two players exactly.

    Parameters
    ----------
    position : Position or str
        Two players, no hidden bids; else any rules. With one card a bid and one prize a round
        up to 12 cards or so are solved in seconds, by the order of the cards alone; other rules
        take whole states, and 6 to 9 cards are the limit.
    objective : {"points", "win"}
        Play for the margin, or to win.
    threads : int, optional
        Default: as many as the machine offers. The answer does not depend on it.
    force : bool
        Start even if memory or patience will not do.

    Returns
    -------
    Analysis

    Raises
    ------
    PositionError
        If there is no exact method for such a position.
    TooLargeError
        If the work does not fit; the message gives states, games, memory and time.

    Examples
    --------
    >>> analysis = analyse("2,3/1,3 - 2,3 0:0")
    >>> round(analysis.value, 6), analysis.gap < 1e-9
    (1.785714, True)
    """
    if isinstance(position, str):
        position = Position(position)
    if objective not in OBJECTIVES:
        raise GopsError(f"objective {objective!r}: expected {' or '.join(OBJECTIVES)}")
    check_analysable(position)
    threads = available_threads() if threads is None else threads
    if threads < 1:
        raise GopsError(f"threads={threads}: expected 1 or more")
    if position.is_over:
        return finished(position, objective)
    if not only_order_counts(position):
        return _analyse_by_masks(position, objective, force)
    return Root(position, objective).analyse(threads, force)


def available_threads() -> int:
    """Return how many threads this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_analysable(position: Position) -> None:
    """Refuse, with a `PositionError`, a position that there is no exact method for."""
    if position.players != 2:
        reason = f"is for 2 players, not {position.players}"
    elif position.rules.hidden:
        reason = "needs bids that are shown, not hidden=yes"
    else:
        return
    raise PositionError(
        f"{position}: exact analysis {reason}; play it out instead (gops.playouts), or let "
        "gops.strategies play"
    )


def only_order_counts(position: Position) -> bool:
    """Whether cards are only compared, one by one, so that pairs of hands are words."""
    rules = position.rules
    return (rules.bids, rules.lot, rules.open) == (1, 1, 0) and not (
        rules.misere or rules.early_stop != "none"
    )


@dataclass(frozen=True)
class _Node:
    """A round to be solved at the root: the prize just turned (if by chance) and what it leaves."""

    prize: int | None
    probability: float
    stake: int
    mask: int


class Root:
    """A position taken apart: the rounds asked for, and the induction over all rounds after."""

    def __init__(self, position: Position, objective: str) -> None:
        self.position = position
        self.objective = objective
        rules = position.rules
        tie = rules.fallback if rules.tie == "unique" else rules.tie
        self.carry = tie == "carry"
        self.win = objective == "win"
        self.margin = Fraction(position.scores[0]) - Fraction(position.scores[1])
        # Inside, points are whole numbers: halves are counted one by one.
        self.unit = self.margin.denominator if self.win else 1
        pile = tuple(self.unit * prize for prize in position.pile)
        self.nodes = list(self._nodes(pile))
        if position.is_chance and position.order_known:
            pile = pile[1:]
        self.problem = Problem(
            word=_lattice.word_of(*position.hands),
            cards=len(position.hands[0]) - 1,
            prizes=pile,
            order_known=position.order_known,
            rounds=position.rounds_left - 1,
            carry=self.carry,
            win=self.win,
        )

    def _nodes(self, pile: tuple[int, ...]) -> Iterator[_Node]:
        position = self.position
        pot = self.unit * sum(position.upcards)
        full = 0 if position.order_known else (1 << len(pile)) - 1
        if not position.is_chance:
            yield _Node(None, 1.0, pot, full)
        elif position.order_known:
            yield _Node(position.pile[0], 1.0, pot + pile[0], full)
        else:
            for prize in sorted(set(pile)):
                count, first = pile.count(prize), pile.index(prize)
                left = full ^ (1 << (first + count - 1))
                yield _Node(prize // self.unit, count / len(pile), pot + prize, left)

    def analyse(self, threads: int, force: bool) -> Analysis:
        started = time.perf_counter()
        induction = self._plan(threads, force)
        [(_, layer)] = deque(induction.layers(threads), maxlen=1)
        analysis = self.assemble(partial(induction.value, layer, self.problem.rounds))
        stats = {
            "states": induction.effort.states,
            "games": induction.effort.games + len(self.nodes),
            "seconds": time.perf_counter() - started,
        }
        return replace(analysis, stats=stats)

    def assemble(self, value: Callable[[int, int, int, int], float]) -> Analysis:
        """Solve the rounds asked for, given the values of the positions after them.

        Parameters
        ----------
        value : callable
            ``value(word, mask, pot, margin)`` for a pair of hands, the prizes face down as a mask
            over ``problem.prizes`` and, for the objective ``win``, the margin so far.
        """
        parts = [self._decision(node, value) for node in self.nodes]
        if not self.position.is_chance:
            return parts[0]
        reveals = [
            Reveal(node.prize or 0, node.probability, part)
            for node, part in zip(self.nodes, parts, strict=True)
        ]
        return _means(self.position, self.objective, reveals)

    def _plan(self, threads: int, force: bool) -> Induction:
        """Lay out the work, or refuse it before it takes time or memory."""
        if not force:
            self._refuse_if_large(rough_effort(self.problem), threads, slack=3.0)
        pot_ties = 1 if self.carry else 0
        starts = [
            (node.mask, pot, margin, ties)
            for node in self.nodes
            for pot, margin, ties in zip(*self._outcomes(node.stake), (0, pot_ties, 0), strict=True)
        ]
        induction = Induction(self.problem, starts)
        if not force:
            self._refuse_if_large(induction.effort, threads)
        return induction

    def _refuse_if_large(self, effort: Effort, threads: int, slack: float = 1.0) -> None:
        seconds = effort.games * _SECONDS_PER_GAME / threads + effort.states * _SECONDS_PER_STATE
        refuse_if_large(self.position, effort, seconds, threads=threads, slack=slack)

    def _outcomes(self, stake: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """Pots and margins when player 1 bids higher, equal, lower."""
        margin = int(self.margin * self.unit) if self.win else 0
        return (0, stake if self.carry else 0, 0), (margin + stake, margin, margin - stake)

    def _decision(self, node: _Node, value: Callable[[int, int, int, int], float]) -> Analysis:
        """Solve the matrix of one round from the values of the positions after it."""
        hands = self.position.hands
        pots, margins = self._outcomes(node.stake)
        words = _lattice.children(self.problem.word)
        matrix = np.empty((len(hands[0]), len(hands[1])))
        for i, own in enumerate(hands[0]):
            for j, other in enumerate(hands[1]):
                outcome = 0 if own > other else 1 if own == other else 2
                matrix[i, j] = value(words[i][j], node.mask, pots[outcome], margins[outcome])
                if not self.win:
                    matrix[i, j] += float(self.margin) + (1 - outcome) * node.stake
        upcards = self.position.upcards + (() if node.prize is None else (node.prize,))
        return _solved(self.position, self.objective, upcards, hands, matrix)


def _solved(
    position: Position,
    objective: str,
    upcards: tuple[int, ...],
    choices: Sequence[Sequence[Any]],
    matrix: NDArray[np.float64],
) -> Analysis:
    """Solve one round: rows are the choices of player 1, columns those of player 2.

    A player who has to wait has no choices, and one row or column.
    """
    solution = solve_matrix(matrix)
    row_values, column_values = matrix @ solution.column, solution.row @ matrix
    mixes = solution.row, solution.column
    losses = row_values.max() - row_values, column_values - column_values.min()
    return Analysis(
        position=position,
        objective=objective,
        value=solution.value,
        gap=solution.gap,
        matrix=matrix,
        bids={n + 1: dict(zip(choices[n], mixes[n].tolist(), strict=False)) for n in (0, 1)},
        loss={n + 1: dict(zip(choices[n], losses[n].tolist(), strict=False)) for n in (0, 1)},
        upcards=upcards,
    )


def _means(position: Position, objective: str, reveals: Sequence[Reveal]) -> Analysis:
    """Value a chance node by the mean over what may be turned."""
    return Analysis(
        position=position,
        objective=objective,
        value=sum(reveal.probability * reveal.analysis.value for reveal in reveals),
        gap=sum(reveal.probability * reveal.analysis.gap for reveal in reveals),
        reveals=tuple(reveals),
    )


def _analyse_by_masks(position: Position, objective: str, force: bool) -> Analysis:
    started, win = time.perf_counter(), objective == "win"
    effort, seconds = mask_effort(position, win=win), mask_seconds(position, win=win)
    if not force:
        refuse_if_large(position, effort, seconds, threads=1)
    induction = MaskInduction(position, win=win, limit=available_memory())
    if induction.value is not None:  # nobody has a choice any more
        return replace(finished(position, objective), value=induction.value)
    try:
        decisions = list(induction.decisions())
    except MemoryError:
        raise TooLargeError(_too_large(position, effort, seconds, threads=1)) from None
    parts = [
        _solved(position, objective, decision.upcards, decision.choices, decision.payoffs)
        for decision in decisions
    ]
    if decisions[0].prizes:
        analysis = _means(
            position,
            objective,
            [
                Reveal(_one_or_all(decision.prizes), decision.probability, part)
                for decision, part in zip(decisions, parts, strict=True)
            ],
        )
    else:
        [analysis] = parts
    stats = {
        "states": induction.effort.states,
        "games": induction.effort.games + len(parts),
        "seconds": time.perf_counter() - started,
    }
    return replace(analysis, stats=stats)


def _one_or_all(items: tuple[int, ...]) -> int | tuple[int, ...]:
    return items[0] if len(items) == 1 else items


def _plain(item: int | tuple[int, ...]) -> int | list[int]:
    return list(item) if isinstance(item, tuple) else item


def refuse_if_large(
    position: Position, effort: Effort, seconds: float, *, threads: int, slack: float = 1.0
) -> None:
    """Raise `TooLargeError` if patience or the free memory will not do."""
    if seconds > slack * PATIENCE or effort.memory > slack * available_memory():
        raise TooLargeError(_too_large(position, effort, seconds, threads=threads))


def _too_large(position: Position, effort: Effort, seconds: float, *, threads: int) -> str:
    return (
        f"{position}: about {effort.states:.1e} states, {effort.games:.1e} matrix games, "
        f"{size_text(effort.memory)} of memory ({size_text(available_memory())} free) and "
        f"{span_text(seconds)} on {threads} threads; more than {span_text(PATIENCE)} or the "
        "free memory needs --force (force=True)"
    )


def finished(position: Position, objective: str) -> Analysis:
    """Return the analysis of a game that is over: it is worth its result."""
    margin = float(Fraction(position.scores[0]) - Fraction(position.scores[1]))
    if position.rules.misere:
        margin = -margin
    return Analysis(
        position=position,
        objective=objective,
        value=margin if objective == "points" else float(np.sign(margin)),
        gap=0.0,
        bids={1: {}, 2: {}},
        loss={1: {}, 2: {}},
        stats={"states": 0, "games": 0, "seconds": 0.0},
    )


def available_memory() -> int:
    """Return how many bytes can be had without swapping."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def size_text(count: float) -> str:
    """Say a number of bytes in a few characters."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} PB"


def span_text(seconds: float) -> str:
    """Say a time span in a few characters."""
    for size, unit in ((86400 * 365, "years"), (86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} seconds"
