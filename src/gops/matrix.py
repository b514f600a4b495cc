"""Zero-sum matrix games of any shape, solved with a certificate."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gops import _matrix

__all__ = ["MatrixSolution", "solve_matrix"]


class MatrixSolution(NamedTuple):
    """An equilibrium of a matrix game and what it proves.

    Attributes
    ----------
    value : float
        Expected payoff to the row player, the middle of the proven bounds.
    row, column : float64[m], float64[n]
        Probabilities of the rows and of the columns.
    gap : float
        Upper minus lower bound of the value, from the matrix and the two mixes alone: the best
        answer to `column` minus the worst answer to `row`.
    """

    value: float
    row: NDArray[np.float64]
    column: NDArray[np.float64]
    gap: float


def solve_matrix(matrix: ArrayLike) -> MatrixSolution:
    """Solve the zero-sum game whose payoffs to the row player are `matrix`.

    Parameters
    ----------
    matrix : float64[m, n]
        Finite payoffs; m, n >= 1.

    Returns
    -------
    MatrixSolution
        Value, mix of the row player (who maximises), mix of the column player, and gap.

    Raises
    ------
    ValueError
        If `matrix` is not a two-dimensional array of finite numbers with at least one entry.

    Examples
    --------
    >>> game = solve_matrix([[1, -1], [-1, 1]])
    >>> game.value, game.row.tolist()
    (0.0, [0.5, 0.5])
    """
    payoffs = np.ascontiguousarray(matrix, dtype=np.float64)
    if payoffs.ndim != 2 or payoffs.size == 0:
        raise ValueError(
            f"a matrix game needs at least one row and one column, not shape {payoffs.shape}"
        )
    if not np.isfinite(payoffs).all():
        row, column = np.argwhere(~np.isfinite(payoffs))[0]
        raise ValueError(
            f"payoffs must be finite, but entry [{row}, {column}] is {payoffs[row, column]}"
        )
    lower, upper, row_mix, column_mix = _matrix.solve(payoffs)
    return MatrixSolution((lower + upper) / 2, row_mix, column_mix, max(upper - lower, 0.0))
