# Zero-sum matrix games: a dense simplex that finds an optimal basis, and its certificate.

from libc.stdint cimport int32_t

ctypedef struct Workspace:
    # Scratch memory for games of up to a fixed shape; one block, freed with it.
    double *tableau
    long double *long_tableau
    double *square
    double *row_mix
    double *col_mix
    int32_t *labels
    int32_t *basis_rows
    int32_t *basis_cols

cdef Workspace *workspace_new(int rows, int cols) noexcept nogil
cdef void workspace_free(Workspace *work) noexcept nogil

# Solve a row-major game. The mixes are left in `work.row_mix` and `work.col_mix`, an optimal basis
# (rows and columns whose square submatrix fixes both mixes, Shapley and Snow 1950) in
# `work.basis_rows` and `work.basis_cols`, ordered for elimination without further pivoting.
# Returns the size of the basis, or 0 where the mixes stand without one.
cdef int solve_game(const double *matrix, int rows, int cols, Workspace *work,
                    double *lower, double *upper) noexcept nogil

# What the mixes in the workspace guarantee in a game of the same shape: at least `lower` to the
# row player, at most `upper` to him.
cdef void guarantees(const double *matrix, int rows, int cols, const Workspace *work,
                     double *lower, double *upper) noexcept nogil
