/* Many matrix games at once: try one guessed basis on a list of games, keep what it proves.
 *
 * The games of a list share their shape and their layout. Entry (i, j) of game g is
 *
 *     add[kind] + pack[kind][column[kind][g] * stride[kind] + e]
 *
 * where kind tells whether bid i beats, ties or loses to bid j, e numbers the entries of a kind,
 * and column[kind][g] is the prize state that such bids lead to. Four games fill the lanes of a
 * vector, so one factorisation of the basis serves them all without divergence.
 */
#ifndef GOPS_LANES_H
#define GOPS_LANES_H

#include <stdint.h>

enum {
    LANES_MAX_CARDS = 31,      /* most cards in a hand, so most rows or columns of a game */
    LANES_MAX_ENTRIES = 964,   /* most entries of a kind: 31 * 31, in whole groups */
    LANES_GROUP = 4,           /* entries are packed and loaded in groups */
    LANES_SPARE = 2 * LANES_MAX_CARDS * LANES_MAX_CARDS,  /* where unneeded entries go */
};

typedef enum { BID_HIGHER, BID_EQUAL, BID_LOWER, BID_KINDS } bid_kind;

typedef struct {
    int32_t rows, cols;
    int32_t count[BID_KINDS];   /* entries of each kind */
    int32_t stride[BID_KINDS];  /* the same, rounded up to whole groups */
    uint8_t row[BID_KINDS][LANES_MAX_ENTRIES];
    uint8_t col[BID_KINDS][LANES_MAX_ENTRIES];
    double *pack[BID_KINDS];
} lanes_layout;

typedef struct {
    int16_t at;               /* first entry of the group */
    int16_t to[LANES_GROUP];  /* where each goes in a block of games */
} lanes_group;

typedef struct {
    int32_t size;
    int32_t hits;
    uint8_t rows[LANES_MAX_CARDS];
    uint8_t cols[LANES_MAX_CARDS];
    /* The groups of entries that the basis needs. In a block of games they stand thus: first the
     * columns of the basis, row by row of the game, then the rows of the basis, column by column
     * of the others. */
    int32_t groups[BID_KINDS];
    lanes_group group[BID_KINDS][LANES_MAX_ENTRIES / LANES_GROUP];
} lanes_basis;

typedef struct {
    const int32_t *column[BID_KINDS];
    double add[BID_KINDS];
    double *result;
} lanes_games;

/* What the mixes of the solved games concede to best replies: packs like those of the layout, of
 * the most that player 1 can get below and of the least that player 2 can hold him to; and, by
 * game, the same for the game. */
typedef struct {
    double *high_pack[BID_KINDS], *low_pack[BID_KINDS];
    double *high, *low;
} lanes_replies;

/* Fill in the groups of a basis whose size, rows and columns are set. */
void lanes_plan(const lanes_layout *layout, lanes_basis *basis);

typedef struct {
    /* Pack the values of one group of entries, read from `source` rows: source[e][place] times
     * sign[e], or source[e][opposite[place]] times sign[e] where sign[e] is negative. */
    void (*pack)(double *pack, int32_t stride, int32_t places, const double *const source[],
                 const double sign[], const int32_t *opposite);

    /* Try `basis` on the `count` games listed in `pending`. A game is proven when the bounds that
     * its two mixes guarantee differ by at most `tolerance`; a negative probability counts
     * against it with `span` (the largest spread of payoffs) per basis card. The value of a
     * proven game goes to its result, the others are moved to the front of `pending`. Returns
     * how many those are. `worst` is raised to the largest gap accepted. If `replies` is not
     * NULL, the best replies to the mixes of the proven games are worked out too. */
    int32_t (*prove)(const lanes_layout *layout, const lanes_basis *basis,
                     const lanes_games *games, const lanes_replies *replies, double tolerance,
                     double span, int32_t *pending, int32_t count, double *worst);
} lanes_kernel;

/* The kernel for an instruction set, NULL if this processor lacks it, and the best one's name. */
const lanes_kernel *lanes_select(const char *name);
const char *lanes_best(void);

#endif
