"""Zero-sum matrix games: a dense simplex that finds an optimal basis, and its certificate."""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free

cdef enum:
    STRIDE_STEP = 4

# The simplex runs in doubles; where games with nearly equal rows defeat it, in more digits.
ctypedef long double longdouble
ctypedef fused real:
    double
    longdouble


cdef inline Py_ssize_t _stride(int cols) noexcept nogil:
    """Doubles in a tableau row of `cols` + 1 entries, padded to whole vectors."""
    return (cols + STRIDE_STEP) // STRIDE_STEP * STRIDE_STEP


cdef Workspace *workspace_new(int rows, int cols) noexcept nogil:
    """Allocate scratch memory for games of up to rows x cols; NULL when memory is short."""
    cdef Workspace *work = <Workspace *>calloc(1, sizeof(Workspace))
    cdef Py_ssize_t small = min(rows, cols)
    cdef Py_ssize_t doubles = (rows + 1) * _stride(cols) + small * small + rows + cols
    if work == NULL:
        return NULL
    work.tableau = <double *>calloc(doubles, sizeof(double))
    work.long_tableau = <longdouble *>calloc((rows + 1) * _stride(cols), sizeof(longdouble))
    work.labels = <int32_t *>calloc(rows + cols + 2 * small, sizeof(int32_t))
    if work.tableau == NULL or work.long_tableau == NULL or work.labels == NULL:
        workspace_free(work)
        return NULL
    work.square = work.tableau + (rows + 1) * _stride(cols)
    work.row_mix = work.square + small * small
    work.col_mix = work.row_mix + rows
    work.basis_rows = work.labels + rows + cols
    work.basis_cols = work.basis_rows + small
    return work


cdef void workspace_free(Workspace *work) noexcept nogil:
    """Free what `workspace_new` gave; NULL is fine."""
    if work != NULL:
        free(work.tableau)
        free(work.long_tableau)
        free(work.labels)
        free(work)


cdef int _pivot_column(const real *cost, int cols, bint bland, const int32_t *labels,
                       real floor) noexcept nogil:
    """Choose the entering column: the steepest (Dantzig) or the lowest label (Bland)."""
    cdef int j, best = -1
    for j in range(cols):
        if cost[j] >= -floor:
            continue
        if best < 0 or (labels[j] < labels[best] if bland else cost[j] < cost[best]):
            best = j
    return best


cdef int _pivot_row(const real *tableau, int rows, int cols, Py_ssize_t stride, int col,
                    bint bland, const int32_t *labels, real floor, real slack) noexcept nogil:
    """Choose the leaving row: of those that keep all others above -slack, the largest pivot.

    Harris's ratio test; to take the smallest ratio itself would divide by noise where rows are
    nearly equal. With `bland`, the lowest label.
    """
    cdef int i, best = -1
    cdef real entry, ratio, bound = 0.0, best_entry = 0.0
    for i in range(rows):
        entry = tableau[i * stride + col]
        if entry <= floor:
            continue
        ratio = (max(tableau[i * stride + cols], 0) + slack) / entry
        if best < 0 or ratio < bound:
            best = i
            bound = ratio
    best = -1
    for i in range(rows):
        entry = tableau[i * stride + col]
        if entry <= floor or max(tableau[i * stride + cols], 0) > bound * entry:
            continue
        if best < 0 or (labels[i] < labels[best] if bland else entry > best_entry):
            best = i
            best_entry = entry
    return best


cdef void _pivot(real *tableau, int rows, int cols, Py_ssize_t stride, int row,
                 int col) noexcept nogil:
    """Exchange the basic variable of `row` with the nonbasic one of `col`, in place."""
    cdef real *pivot_row = tableau + row * stride
    cdef real *line
    cdef real inverse = 1 / pivot_row[col]
    cdef real factor
    cdef int i
    cdef Py_ssize_t j
    pivot_row[col] = 1.0
    for j in range(cols + 1):
        pivot_row[j] *= inverse
    for i in range(rows + 1):
        if i == row:
            continue
        line = tableau + i * stride
        factor = line[col]
        if factor == 0.0:
            continue
        line[col] = 0.0
        for j in range(cols + 1):
            line[j] -= factor * pivot_row[j]


cdef int _find_basis(const double *matrix, int rows, int cols, real *tableau, int32_t *labels,
                     int32_t *basis_rows, int32_t *basis_cols, double *span) noexcept nogil:
    """Find an optimal basis by the condensed-tableau simplex; return its size.

    The game is mapped affinely onto entries in [1/2, 3/2] and solved as: maximise the sum of y
    subject to A y <= 1, y >= 0. `labels` has room for rows + cols integers.
    """
    cdef Py_ssize_t stride = _stride(cols)
    cdef Py_ssize_t j
    cdef int i, row, col, size, step, limit
    cdef int32_t *row_labels = labels
    cdef int32_t *col_labels = labels + rows
    cdef int32_t label
    cdef double low = matrix[0], high = matrix[0], best, worst, value
    cdef real scale, pivot_floor, cost_floor, slack
    cdef bint bland

    # A pivot below the floor is noise, and so is a cost.
    pivot_floor, cost_floor, slack = (1e-9, 1e-14, 1e-13) if real is double else (1e-12, 1e-17, 1e-16)

    # A saddle point is the commonest basis of small games and costs one look at the matrix.
    cdef double maximin = 0.0, minimax = 0.0
    cdef int saddle_row = 0, saddle_col = 0
    for i in range(rows):
        worst = matrix[i * <Py_ssize_t>cols]
        for j in range(cols):
            value = matrix[i * <Py_ssize_t>cols + j]
            worst = min(worst, value)
            low = min(low, value)
            high = max(high, value)
        if i == 0 or worst > maximin:
            maximin = worst
            saddle_row = i
    for j in range(cols):
        best = matrix[j]
        for i in range(1, rows):
            best = max(best, matrix[i * <Py_ssize_t>cols + j])
        if j == 0 or best < minimax:
            minimax = best
            saddle_col = <int>j
    span[0] = high - low
    if maximin == minimax:
        basis_rows[0] = saddle_row
        basis_cols[0] = saddle_col
        return 1

    scale = 1 / (<real>high - low)
    for i in range(rows):
        for j in range(cols):
            tableau[i * stride + j] = (<real>matrix[i * <Py_ssize_t>cols + j] - low) * scale + 0.5
        tableau[i * stride + cols] = 1.0
        row_labels[i] = cols + i  # slack of row i
    for j in range(cols):
        tableau[rows * stride + j] = -1.0
        col_labels[j] = <int32_t>j
    tableau[rows * stride + cols] = 0.0

    # Dantzig's rule is fast but can cycle on degenerate games; Bland's cannot.
    limit = 3 * (rows + cols) + 20
    for step in range(20 * limit):
        bland = step > limit
        col = _pivot_column(tableau + rows * stride, cols, bland, col_labels, cost_floor)
        if col < 0:
            break
        row = _pivot_row(tableau, rows, cols, stride, col, bland, row_labels,
                         pivot_floor, slack)
        if row < 0:
            break
        _pivot(tableau, rows, cols, stride, row, col)
        label = row_labels[row]
        row_labels[row] = col_labels[col]
        col_labels[col] = label

    size = 0
    for i in range(rows):
        if row_labels[i] < cols:
            basis_cols[size] = row_labels[i]
            size += 1
    size = 0
    for j in range(cols):
        if col_labels[j] >= cols:
            basis_rows[size] = col_labels[j] - cols
            size += 1
    return size


cdef inline void _swap(int32_t *items, int i, int j) noexcept nogil:
    cdef int32_t item = items[i]
    items[i] = items[j]
    items[j] = item


cdef bint _solve_basis(const double *matrix, int cols, int size, int32_t *basis_rows,
                       int32_t *basis_cols, double *square, double *row_mix,
                       double *col_mix) noexcept nogil:
    """Solve for the mixes of a basis; order it so that elimination needs no further pivoting.

    Differences against the first basis row and column leave a system of one dimension less
    that needs no shift of the payoffs. Its LU factors take complete pivoting, and the order of
    `basis_rows` and `basis_cols` becomes that of the pivots. `square` has room for size * size
    doubles; the mixes are in the order of the basis. Returns False if the system is singular.
    """
    cdef int n = size - 1
    cdef int i, j, k, best_i, best_j
    cdef double corner, best, total
    cdef const double *first = matrix + basis_rows[0] * <Py_ssize_t>cols
    cdef const double *line
    cdef int32_t first_col = basis_cols[0]
    corner = first[first_col]
    for i in range(n):
        line = matrix + basis_rows[i + 1] * <Py_ssize_t>cols
        for j in range(n):
            square[i * <Py_ssize_t>n + j] = (line[basis_cols[j + 1]] - first[basis_cols[j + 1]]) - (
                line[first_col] - corner)
    for k in range(n):
        best = 0.0
        best_i = best_j = k
        for i in range(k, n):
            for j in range(k, n):
                if fabs(square[i * <Py_ssize_t>n + j]) > best:
                    best = fabs(square[i * <Py_ssize_t>n + j])
                    best_i = i
                    best_j = j
        if best < 1e-13 * (1.0 + fabs(corner)):
            return False
        if best_i != k:
            _swap(basis_rows, best_i + 1, k + 1)
            for j in range(n):
                total = square[best_i * <Py_ssize_t>n + j]
                square[best_i * <Py_ssize_t>n + j] = square[k * <Py_ssize_t>n + j]
                square[k * <Py_ssize_t>n + j] = total
        if best_j != k:
            _swap(basis_cols, best_j + 1, k + 1)
            for i in range(n):
                total = square[i * <Py_ssize_t>n + best_j]
                square[i * <Py_ssize_t>n + best_j] = square[i * <Py_ssize_t>n + k]
                square[i * <Py_ssize_t>n + k] = total
        for i in range(k + 1, n):
            square[i * <Py_ssize_t>n + k] /= square[k * <Py_ssize_t>n + k]
            for j in range(k + 1, n):
                square[i * <Py_ssize_t>n + j] -= (
                    square[i * <Py_ssize_t>n + k] * square[k * <Py_ssize_t>n + j])

    # Column mix: L U y = -(first column differences).
    for i in range(n):
        total = corner - matrix[basis_rows[i + 1] * <Py_ssize_t>cols + first_col]
        for j in range(i):
            total -= square[i * <Py_ssize_t>n + j] * col_mix[j + 1]
        col_mix[i + 1] = total
    for i in range(n - 1, -1, -1):
        total = col_mix[i + 1]
        for j in range(i + 1, n):
            total -= square[i * <Py_ssize_t>n + j] * col_mix[j + 1]
        col_mix[i + 1] = total / square[i * <Py_ssize_t>n + i]
    # Row mix: the transposed system, U' then L'.
    for i in range(n):
        total = corner - first[basis_cols[i + 1]]
        for j in range(i):
            total -= square[j * <Py_ssize_t>n + i] * row_mix[j + 1]
        row_mix[i + 1] = total / square[i * <Py_ssize_t>n + i]
    for i in range(n - 1, -1, -1):
        total = row_mix[i + 1]
        for j in range(i + 1, n):
            total -= square[j * <Py_ssize_t>n + i] * row_mix[j + 1]
        row_mix[i + 1] = total
    row_mix[0] = col_mix[0] = 1.0
    for i in range(n):
        row_mix[0] -= row_mix[i + 1]
        col_mix[0] -= col_mix[i + 1]
    return True


cdef void _normalise(double *mix, int length) noexcept nogil:
    """Make a mix proper: no negative probability, and a sum of one."""
    cdef int i
    cdef double total = 0.0
    for i in range(length):
        mix[i] = max(mix[i], 0.0)
        total += mix[i]
    for i in range(length):
        mix[i] /= total


cdef void guarantees(const double *matrix, int rows, int cols, const Workspace *work,
                     double *lower, double *upper) noexcept nogil:
    """Bound the value of a game by the mixes in the workspace; see the declaration."""
    cdef int i, j
    cdef double payoff
    for i in range(rows):
        payoff = 0.0
        for j in range(cols):
            payoff += matrix[i * <Py_ssize_t>cols + j] * work.col_mix[j]
        if i == 0 or payoff > upper[0]:
            upper[0] = payoff
    for j in range(cols):
        payoff = 0.0
        for i in range(rows):
            payoff += work.row_mix[i] * matrix[i * <Py_ssize_t>cols + j]
        if j == 0 or payoff < lower[0]:
            lower[0] = payoff


cdef double ACCEPTED = 1e-12  # gap, of the spread of the payoffs, not worth more work


cdef double _certify(const double *matrix, int rows, int cols, Workspace *work, double *lower,
                     double *upper) noexcept nogil:
    """Make both mixes proper and return upper minus lower bound of the value."""
    _normalise(work.row_mix, rows)
    _normalise(work.col_mix, cols)
    guarantees(matrix, rows, cols, work, lower, upper)
    return upper[0] - lower[0]


cdef void _spread(double *mix, int length, const int32_t *where, int size,
                  double *scratch) noexcept nogil:
    """Turn the first `size` entries, in the order of `where`, into a mix over `length` actions."""
    cdef int i
    for i in range(size):
        scratch[i] = mix[i]
    for i in range(length):
        mix[i] = 0.0
    for i in range(size):
        mix[where[i]] = scratch[i]


cdef double _basis_mixes(const double *matrix, int rows, int cols, int size, Workspace *work,
                         double *lower, double *upper) noexcept nogil:
    """Put the mixes of the basis into the workspace; return their gap, or -1 if it is singular."""
    if not _solve_basis(matrix, cols, size, work.basis_rows, work.basis_cols, work.square,
                        work.row_mix, work.col_mix):
        return -1.0
    _spread(work.row_mix, rows, work.basis_rows, size, work.square)
    _spread(work.col_mix, cols, work.basis_cols, size, work.square)
    return _certify(matrix, rows, cols, work, lower, upper)


cdef double _tableau_mixes(const double *matrix, int rows, int cols, const real *tableau,
                           Workspace *work, double *lower, double *upper) noexcept nogil:
    """Put the mixes that the final tableau holds into the workspace; return their gap."""
    cdef Py_ssize_t stride = _stride(cols)
    cdef int i, j
    for i in range(rows):
        work.row_mix[i] = 0.0
    for j in range(cols):
        work.col_mix[j] = 0.0
    for i in range(rows):
        if work.labels[i] < cols:
            work.col_mix[work.labels[i]] = tableau[i * stride + cols]
    for j in range(cols):
        if work.labels[rows + j] >= cols:
            work.row_mix[work.labels[rows + j] - cols] = tableau[rows * stride + j]
    return _certify(matrix, rows, cols, work, lower, upper)


cdef int _solve_with(const double *matrix, int rows, int cols, real *tableau, Workspace *work,
                     double *span, double *lower, double *upper) noexcept nogil:
    """Solve a game in the arithmetic of the tableau; see `solve_game`."""
    cdef double gap, other
    cdef int size = _find_basis(matrix, rows, cols, tableau, work.labels, work.basis_rows,
                                work.basis_cols, span)
    gap = _basis_mixes(matrix, rows, cols, size, work, lower, upper)
    if size == 1 or 0.0 <= gap <= ACCEPTED * span[0]:
        return size
    other = _tableau_mixes(matrix, rows, cols, tableau, work, lower, upper)
    if gap < 0.0 or other < gap:
        return 0
    _basis_mixes(matrix, rows, cols, size, work, lower, upper)
    return size


cdef int solve_game(const double *matrix, int rows, int cols, Workspace *work,
                    double *lower, double *upper) noexcept nogil:
    """Solve a matrix game; see the declaration."""
    cdef double span, gap
    cdef int size = _solve_with(matrix, rows, cols, work.tableau, work, &span, lower, upper)
    gap = upper[0] - lower[0]
    if gap <= ACCEPTED * span:
        return size
    size = _solve_with(matrix, rows, cols, work.long_tableau, work, &span, lower, upper)
    if upper[0] - lower[0] <= gap:
        return size
    return _solve_with(matrix, rows, cols, work.tableau, work, &span, lower, upper)


def solve(const double[:, ::1] matrix not None):
    """Solve a zero-sum game given as a C-contiguous matrix; see `gops.solve_matrix`.

    Returns
    -------
    lower, upper : float
        Proven bounds of the value for the row player.
    row_mix, col_mix : float64[rows], float64[cols]
    """
    cdef int rows = <int>matrix.shape[0], cols = <int>matrix.shape[1]
    cdef double lower = 0.0, upper = 0.0
    cdef double[::1] row_mix = np.empty(rows)
    cdef double[::1] col_mix = np.empty(cols)
    cdef Workspace *work = workspace_new(rows, cols)
    cdef int i
    if work == NULL:
        raise MemoryError(f"no memory to solve a {rows} x {cols} matrix game")
    try:
        with nogil:
            solve_game(&matrix[0, 0], rows, cols, work, &lower, &upper)
        for i in range(rows):
            row_mix[i] = work.row_mix[i]
        for i in range(cols):
            col_mix[i] = work.col_mix[i]
    finally:
        workspace_free(work)
    return lower, upper, np.asarray(row_mix), np.asarray(col_mix)
