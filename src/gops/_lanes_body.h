/* The lane kernel; included once per instruction set by _lanes.c, which defines LANES_NAME. */

#define LANES LANES_GROUP
#define vec LANES_NAME(lanes_vec)
#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

INLINE vec LANES_NAME(larger)(vec a, vec b)
{
#ifdef __AVX__
    return (vec)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    vec c;
    for (int l = 0; l < LANES; l++)
        c[l] = a[l] > b[l] ? a[l] : b[l];
    return c;
#endif
}

INLINE vec LANES_NAME(smaller)(vec a, vec b)
{
#ifdef __AVX__
    return (vec)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
    vec c;
    for (int l = 0; l < LANES; l++)
        c[l] = a[l] < b[l] ? a[l] : b[l];
    return c;
#endif
}

INLINE vec LANES_NAME(splat)(double x)
{
    vec c;
    for (int l = 0; l < LANES; l++)
        c[l] = x;
    return c;
}

/* Turn four vectors of four entries into four vectors of one entry each. */
INLINE void LANES_NAME(transpose)(vec line[LANES])
{
    typedef int64_t order __attribute__((vector_size(32)));
    const vec a = __builtin_shuffle(line[0], line[1], (order){0, 4, 2, 6});
    const vec b = __builtin_shuffle(line[0], line[1], (order){1, 5, 3, 7});
    const vec c = __builtin_shuffle(line[2], line[3], (order){0, 4, 2, 6});
    const vec d = __builtin_shuffle(line[2], line[3], (order){1, 5, 3, 7});
    line[0] = __builtin_shuffle(a, c, (order){0, 1, 4, 5});
    line[1] = __builtin_shuffle(b, d, (order){0, 1, 4, 5});
    line[2] = __builtin_shuffle(a, c, (order){2, 3, 6, 7});
    line[3] = __builtin_shuffle(b, d, (order){2, 3, 6, 7});
}

static void LANES_NAME(pack)(double *pack, int32_t stride, int32_t places,
                             const double *const source[], const double sign[],
                             const int32_t *opposite)
{
    int32_t place = 0;
    int straight = 1;

    for (int e = 0; e < LANES; e++)
        straight &= !opposite || sign[e] > 0;
    if (straight) {
        for (; place + LANES <= places; place += LANES) {
            vec line[LANES];
            for (int e = 0; e < LANES; e++)
                line[e] = *(const vec *)(source[e] + place) * LANES_NAME(splat)(sign[e]);
            LANES_NAME(transpose)(line);
            for (int l = 0; l < LANES; l++)
                *(vec *)(pack + (int64_t)(place + l) * stride) = line[l];
        }
    }
    for (; place < places; place++) {
        const int32_t turned = opposite ? opposite[place] : place;
        for (int e = 0; e < LANES; e++)
            pack[(int64_t)place * stride + e] =
                sign[e] * source[e][sign[e] > 0 ? place : turned];
    }
}

/* A block of games is HALVES vectors wide: two chains of dependent operations run side by side. */
#define HALVES 2
#define EACH for (int h = 0; h < HALVES; h++)
typedef struct {
    vec half[HALVES];
} LANES_NAME(lanes_wide);
#define wide LANES_NAME(lanes_wide)

/* Load the entries of a block of games that the basis needs. */
INLINE void LANES_NAME(load)(const lanes_layout *layout, double *const pack[BID_KINDS],
                             const lanes_basis *basis, const lanes_games *games,
                             const int32_t id[HALVES * LANES], wide *game)
{
    for (int kind = 0; kind < BID_KINDS; kind++) {
        const vec add = LANES_NAME(splat)(games->add[kind]);
        const double *from[HALVES * LANES];
        for (int l = 0; l < HALVES * LANES; l++)
            from[l] = pack[kind] + (int64_t)games->column[kind][id[l]] * layout->stride[kind];
        for (int g = 0; g < basis->groups[kind]; g++) {
            const lanes_group *group = &basis->group[kind][g];
            EACH {
                vec line[LANES];
                for (int l = 0; l < LANES; l++)
                    line[l] = *(const vec *)(from[h * LANES + l] + group->at);
                LANES_NAME(transpose)(line);
                for (int e = 0; e < LANES; e++)
                    game[group->to[e]].half[h] = line[e] + add;
            }
        }
    }
}

/* The most that a row gets against the column mix `y` of the basis. */
INLINE wide LANES_NAME(best_row)(const int size, int rows, const wide *game, const wide *y)
{
    wide best, total;
    EACH best.half[h] = LANES_NAME(splat)(-INFINITY);
    for (int i = 0; i < rows; i++) {
        EACH total.half[h] = game[i * size].half[h] * y[0].half[h];
        for (int j = 1; j < size; j++)
            EACH total.half[h] += game[i * size + j].half[h] * y[j].half[h];
        EACH best.half[h] = LANES_NAME(larger)(best.half[h], total.half[h]);
    }
    return best;
}

/* The least that a column holds the row mix `x` of the basis to. */
INLINE wide LANES_NAME(best_col)(const int size, int rows, int cols, const wide *game,
                                 const lanes_basis *basis, const wide *x)
{
    wide best, total;
    EACH best.half[h] = LANES_NAME(splat)(INFINITY);
    for (int j = 0; j < size; j++) {
        EACH total.half[h] = game[basis->rows[0] * size + j].half[h] * x[0].half[h];
        for (int i = 1; i < size; i++)
            EACH total.half[h] += game[basis->rows[i] * size + j].half[h] * x[i].half[h];
        EACH best.half[h] = LANES_NAME(smaller)(best.half[h], total.half[h]);
    }
    for (int j = rows; j < rows + cols - size; j++) {
        EACH total.half[h] = game[j * size].half[h] * x[0].half[h];
        for (int i = 1; i < size; i++)
            EACH total.half[h] += game[j * size + i].half[h] * x[i].half[h];
        EACH best.half[h] = LANES_NAME(smaller)(best.half[h], total.half[h]);
    }
    return best;
}

/* Solve for the mixes of the basis; `size` is a constant wherever it is small. Returns how far the
 * least probability lies below zero. */
INLINE wide LANES_NAME(mixes)(const int size, const wide *game, const lanes_basis *basis, wide *x,
                              wide *y)
{
    enum { MOST = LANES_MAX_CARDS };
    const int n = size - 1;
    const wide *first = game + basis->rows[0] * size;
    const wide corner = first[0];
    wide lu[(MOST - 1) * (MOST - 1)], top[MOST], inverse[MOST], low;

    EACH x[0].half[h] = y[0].half[h] = LANES_NAME(splat)(1.0);
    for (int j = 0; j < n; j++)
        EACH {
            top[j].half[h] = first[j + 1].half[h] - corner.half[h];
            x[j + 1].half[h] = -top[j].half[h];
        }
    for (int i = 0; i < n; i++) {
        const wide *line = game + basis->rows[i + 1] * size;
        EACH y[i + 1].half[h] = corner.half[h] - line[0].half[h];
        for (int j = 0; j < n; j++)
            EACH lu[i * n + j].half[h] =
                (line[j + 1].half[h] - line[0].half[h]) - top[j].half[h];
    }
    /* Elimination without pivoting: the basis is stored in a good order. */
    for (int k = 0; k < n; k++) {
        EACH inverse[k].half[h] = 1.0 / lu[k * n + k].half[h];
        for (int i = k + 1; i < n; i++) {
            wide factor;
            EACH factor.half[h] = lu[i * n + k].half[h] * inverse[k].half[h];
            lu[i * n + k] = factor;
            for (int j = k + 1; j < n; j++)
                EACH lu[i * n + j].half[h] -= factor.half[h] * lu[k * n + j].half[h];
            EACH y[i + 1].half[h] -= factor.half[h] * y[k + 1].half[h];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            EACH y[i + 1].half[h] -= lu[i * n + j].half[h] * y[j + 1].half[h];
        EACH y[i + 1].half[h] *= inverse[i].half[h];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            EACH x[i + 1].half[h] -= lu[j * n + i].half[h] * x[j + 1].half[h];
        EACH x[i + 1].half[h] *= inverse[i].half[h];
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++)
            EACH x[i + 1].half[h] -= lu[j * n + i].half[h] * x[j + 1].half[h];
    EACH low.half[h] = LANES_NAME(splat)(0.0);
    for (int i = 1; i <= n; i++)
        EACH {
            x[0].half[h] -= x[i].half[h];
            y[0].half[h] -= y[i].half[h];
            low.half[h] = LANES_NAME(smaller)(
                low.half[h], LANES_NAME(smaller)(x[i].half[h], y[i].half[h]));
        }
    EACH low.half[h] =
        -LANES_NAME(smaller)(low.half[h], LANES_NAME(smaller)(x[0].half[h], y[0].half[h]));
    return low;
}

/* Try the basis on one block of games: the value, and the gap between the bounds on it. */
INLINE void LANES_NAME(try)(const int size, int rows, int cols, const wide *game,
                            const lanes_basis *basis, double span, wide *x, wide *y, wide *value,
                            wide *gap)
{
    const wide below = LANES_NAME(mixes)(size, game, basis, x, y);
    const wide upper = LANES_NAME(best_row)(size, rows, game, y);
    const wide lower = LANES_NAME(best_col)(size, rows, cols, game, basis, x);
    EACH {
        value->half[h] = (upper.half[h] + lower.half[h]) * 0.5;
        gap->half[h] = (upper.half[h] - lower.half[h]) + below.half[h] * (span * size);
    }
}

/* Make a mix proper: no negative probability, and a sum of one. */
INLINE void LANES_NAME(normalise)(wide *mix, int size)
{
    wide total;
    EACH total.half[h] = LANES_NAME(splat)(0.0);
    for (int i = 0; i < size; i++)
        EACH {
            mix[i].half[h] = LANES_NAME(larger)(mix[i].half[h], LANES_NAME(splat)(0.0));
            total.half[h] += mix[i].half[h];
        }
    for (int i = 0; i < size; i++)
        EACH mix[i].half[h] /= total.half[h];
}

static int32_t LANES_NAME(prove)(const lanes_layout *layout, const lanes_basis *basis,
                                 const lanes_games *games, const lanes_replies *replies,
                                 double tolerance, double span, int32_t *pending, int32_t count,
                                 double *worst)
{
    enum { BLOCK = HALVES * LANES };
    wide game[LANES_SPARE + 1], x[LANES_MAX_CARDS], y[LANES_MAX_CARDS];
    const int rows = layout->rows, cols = layout->cols, size = basis->size;
    int32_t left = 0;

    for (int32_t start = 0; start < count; start += BLOCK) {
        const int lanes = count - start < BLOCK ? count - start : BLOCK;
        int32_t id[BLOCK];
        wide value, gap, high, low;

        for (int l = 0; l < BLOCK; l++)
            id[l] = pending[start + (l < lanes ? l : 0)];
        LANES_NAME(load)(layout, layout->pack, basis, games, id, game);
#define TRY(constant) \
    LANES_NAME(try)(constant, rows, cols, game, basis, span, x, y, &value, &gap)
        switch (size) {
        case 1: TRY(1); break;
        case 2: TRY(2); break;
        case 3: TRY(3); break;
        case 4: TRY(4); break;
        case 5: TRY(5); break;
        case 6: TRY(6); break;
        case 7: TRY(7); break;
        default: TRY(size);
        }
#undef TRY
        if (replies) {
            LANES_NAME(normalise)(x, size);
            LANES_NAME(normalise)(y, size);
            LANES_NAME(load)(layout, replies->high_pack, basis, games, id, game);
            high = LANES_NAME(best_row)(size, rows, game, y);
            LANES_NAME(load)(layout, replies->low_pack, basis, games, id, game);
            low = LANES_NAME(best_col)(size, rows, cols, game, basis, x);
        }
        for (int l = 0; l < lanes; l++) {
            const double lane_gap = gap.half[l / LANES][l % LANES];
            if (lane_gap <= tolerance) {
                games->result[id[l]] = value.half[l / LANES][l % LANES];
                *worst = lane_gap > *worst ? lane_gap : *worst;
                if (replies) {
                    replies->high[id[l]] = high.half[l / LANES][l % LANES];
                    replies->low[id[l]] = low.half[l / LANES][l % LANES];
                }
            } else {
                pending[left++] = id[l];
            }
        }
    }
    return left;
}

static const lanes_kernel LANES_NAME(kernel) = {LANES_NAME(pack), LANES_NAME(prove)};

#undef vec
#undef wide
#undef HALVES
#undef EACH
#undef INLINE
#undef LANES
