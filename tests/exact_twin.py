"""Exact values of two-player games, slow and obvious: the oracle of the solver.

Shares no code with the package. Hands are sets, nothing is compressed or mirrored, every matrix
game goes through a simplex in rational arithmetic with Bland's rule.
"""

from fractions import Fraction
from functools import cache


def solve_exactly(matrix):
    """Solve a matrix game in fractions: value, mix of the rows, mix of the columns."""
    rows = [[Fraction(entry) for entry in row] for row in matrix]
    m, n = len(rows), len(rows[0])
    shift = 1 - min(map(min, rows))
    # Maximise the sum of y where (A + shift) y <= 1, y >= 0; variables n..n+m-1 are the slacks.
    table = [
        [entry + shift for entry in row] + [Fraction(i == k) for k in range(m)] + [Fraction(1)]
        for i, row in enumerate(rows)
    ]
    cost = [Fraction(-1)] * n + [Fraction(0)] * (m + 1)
    basis = [n + i for i in range(m)]
    while (enter := next((j for j in range(n + m) if cost[j] < 0), None)) is not None:
        ratios = [
            (row[-1] / row[enter], basis[i], i) for i, row in enumerate(table) if row[enter] > 0
        ]
        leave = min(ratios)[2]
        pivot = table[leave][enter]
        table[leave] = [entry / pivot for entry in table[leave]]
        for row in [*table[:leave], *table[leave + 1 :], cost]:
            if factor := row[enter]:
                row[:] = [a - factor * b for a, b in zip(row, table[leave], strict=True)]
        basis[leave] = enter
    total = cost[-1]
    column = [Fraction(0)] * n
    for row, variable in zip(table, basis, strict=True):
        if variable < n:
            column[variable] = row[-1] / total
    row_mix = [cost[n + i] / total for i in range(m)]
    value = 1 / total - shift
    assert all(sum(a * y for a, y in zip(row, column, strict=True)) <= value for row in rows)
    assert all(
        sum(x * row[j] for x, row in zip(row_mix, rows, strict=True)) >= value for j in range(n)
    )
    return value, row_mix, column


def game_value(matrix):
    """The value alone; a saddle point needs no pivots."""
    low = max(map(min, matrix))
    return low if low == min(map(max, zip(*matrix, strict=True))) else solve_exactly(matrix)[0]


class ExactTwin:
    """All values below a position of two players with one card a bid.

    Parameters
    ----------
    tie : {"carry", "discard", "split"}
    order_known : bool
        The first prize of the pile comes next; otherwise all are equally likely.
    objective : {"points", "win"}
    """

    def __init__(self, tie, order_known, objective):
        self.tie, self.known, self.objective = tie, order_known, objective
        self.turn = cache(self._turn)

    def end(self, one, two):
        if self.objective == "points":
            return Fraction(one - two)
        return Fraction((one > two) - (one < two))

    def _turn(self, first, second, pot, pile, one, two, rounds):
        """Value before the next prize is turned; `one` and `two` are the points so far."""
        if self.objective == "points" and (one or two):
            return one - two + self.turn(first, second, pot, pile, 0, 0, rounds)
        if rounds == 0:
            return self.end(one, two)
        if self.known:
            return self.bid(first, second, pot + pile[0], pile[1:], one, two, rounds)
        total = Fraction(0)
        for i, prize in enumerate(pile):
            left = pile[:i] + pile[i + 1 :]
            total += self.bid(first, second, pot + prize, left, one, two, rounds)
        return total / len(pile)

    def matrix(self, first, second, stake, pile, one, two, rounds):
        """Values after the bids, by the cards of each hand in ascending order."""
        return [
            [self.after(first, second, a, b, stake, pile, one, two, rounds) for b in sorted(second)]
            for a in sorted(first)
        ]

    def after(self, first, second, a, b, stake, pile, one, two, rounds):
        pot = 0
        if a > b:
            one += stake
        elif a < b:
            two += stake
        elif self.tie == "carry":
            pot = stake
        elif self.tie == "split":
            one += Fraction(stake, 2)
            two += Fraction(stake, 2)
        return self.turn(first - {a}, second - {b}, pot, pile, one, two, rounds - 1)

    def bid(self, first, second, stake, pile, one, two, rounds):
        return game_value(self.matrix(first, second, stake, pile, one, two, rounds))


def exact_value(position, objective):
    """Value of a `gops.Position`, as a fraction; only its plain attributes are read."""
    rules = position.rules
    tie = rules.fallback if rules.tie == "unique" else rules.tie
    twin = ExactTwin(tie, position.order_known, objective)
    first, second = map(frozenset, position.hands)
    parts = sum(position.upcards), position.pile, *position.scores, position.rounds_left
    if position.rounds_left == 0:
        return twin.end(*position.scores)
    return (twin.bid if position.turned else twin.turn)(first, second, *parts)
