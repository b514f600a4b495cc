/* Many matrix games at once: try one guessed basis on a list of games, keep what it proves.
 *
 * The games of a list share their shape and their layout: entry (i, j) of game g is
 *
 *     add[kind] + value[column[kind][g]]     for kind 0, 1, 2
 *     add[kind] - value[column[kind][g]]     for kind 3, 4, 5
 *
 * where value is the row of the child position's values. Neighbouring games fill the lanes of a
 * vector, so one factorisation of the basis serves them all without divergence.
 */
#ifndef GOPS_LANES_H
#define GOPS_LANES_H

#include <stdint.h>

enum {
    LANES_MAX_CARDS = 31,  /* most cards in a hand, so most rows or columns of a game */
    LANES_KINDS = 6,       /* bid higher, equal, lower; the same for a child stored swapped */
};

typedef struct {
    const double *value;
    uint8_t row, col;
} lanes_entry;

typedef struct {
    int32_t rows, cols;
    int32_t end[LANES_KINDS];  /* entries come by kind; where those of each kind end */
    lanes_entry entry[LANES_MAX_CARDS * LANES_MAX_CARDS];
} lanes_layout;

typedef struct {
    int32_t size;
    int32_t hits;
    uint8_t rows[LANES_MAX_CARDS];
    uint8_t cols[LANES_MAX_CARDS];
} lanes_basis;

/* Try `basis` on the `count` games listed in `pending`. A game is proven when the bounds that
 * its two mixes guarantee differ by at most `tolerance`; a negative probability counts against
 * it with `span` (the largest spread of payoffs) per basis card. The value of a proven game goes
 * to `result`, the others are moved to the front of `pending`; returns how many those are.
 * `worst` is raised to the largest gap accepted. */
typedef int32_t lanes_prove_function(const lanes_layout *layout, const lanes_basis *basis,
                                     const int32_t *const column[LANES_KINDS],
                                     const double add[LANES_KINDS], double tolerance, double span,
                                     int32_t *pending, int32_t count, double *result,
                                     double *worst);

/* The widest version that this processor runs, or the one named; NULL if it cannot run here. */
lanes_prove_function *lanes_select(const char *name);
const char *lanes_best(void);

#endif
