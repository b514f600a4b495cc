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

/* Load a group of entries of four games, one vector for each entry. */
INLINE void LANES_NAME(gather)(const double *const from[LANES], int at, vec line[LANES])
{
#ifdef __AVX__
    /* Joining halves as they are loaded leaves half of the shuffles. */
    for (int e = 0; e < LANES; e += 2) {
        const __m256d even =
            _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(from[0] + at + e)),
                                 _mm_loadu_pd(from[2] + at + e), 1);
        const __m256d odd =
            _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(from[1] + at + e)),
                                 _mm_loadu_pd(from[3] + at + e), 1);
        line[e] = (vec)_mm256_unpacklo_pd(even, odd);
        line[e + 1] = (vec)_mm256_unpackhi_pd(even, odd);
    }
#else
    for (int l = 0; l < LANES; l++)
        line[l] = *(const vec *)(from[l] + at);
    LANES_NAME(transpose)(line);
#endif
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

/* Load the entries of a block of games that the basis needs. */
INLINE void LANES_NAME(load)(const lanes_layout *layout, double *const pack[BID_KINDS],
                             const lanes_basis *basis, const lanes_games *games,
                             const int32_t id[LANES], vec *game)
{
    for (int kind = 0; kind < BID_KINDS; kind++) {
        const vec add = LANES_NAME(splat)(games->add[kind]);
        const double *from[LANES];
        for (int l = 0; l < LANES; l++)
            from[l] = pack[kind] + (int64_t)games->column[kind][id[l]] * layout->stride[kind];
        for (int g = 0; g < basis->groups[kind]; g++) {
            const lanes_group *group = &basis->group[kind][g];
            vec line[LANES];
            LANES_NAME(gather)(from, group->at, line);
            for (int e = 0; e < LANES; e++)
                game[group->to[e]] = line[e] + add;
        }
    }
}

/* The most that a row gets against the column mix `y` of the basis. */
INLINE vec LANES_NAME(best_row)(const int size, int rows, const vec *game, const vec *y)
{
    vec best = LANES_NAME(splat)(-INFINITY);
    for (int i = 0; i < rows; i++) {
        vec total = game[i * size] * y[0];
        for (int j = 1; j < size; j++)
            total += game[i * size + j] * y[j];
        best = LANES_NAME(larger)(best, total);
    }
    return best;
}

/* The least that a column holds the row mix `x` of the basis to. */
INLINE vec LANES_NAME(best_col)(const int size, int rows, int cols, const vec *game,
                                const lanes_basis *basis, const vec *x)
{
    vec best = LANES_NAME(splat)(INFINITY);
    for (int j = 0; j < size; j++) {
        vec total = game[basis->rows[0] * size + j] * x[0];
        for (int i = 1; i < size; i++)
            total += game[basis->rows[i] * size + j] * x[i];
        best = LANES_NAME(smaller)(best, total);
    }
    for (int j = rows; j < rows + cols - size; j++) {
        vec total = game[j * size] * x[0];
        for (int i = 1; i < size; i++)
            total += game[j * size + i] * x[i];
        best = LANES_NAME(smaller)(best, total);
    }
    return best;
}

/* Solve for the mixes of the basis; `size` is a constant wherever it is small. Returns how far the
 * least probability lies below zero. */
INLINE vec LANES_NAME(mixes)(const int size, const vec *game, const lanes_basis *basis, vec *x,
                             vec *y)
{
    enum { MOST = LANES_MAX_CARDS };
    const int n = size - 1;
    const vec *first = game + basis->rows[0] * size;
    const vec corner = first[0];
    vec lu[(MOST - 1) * (MOST - 1)], top[MOST], inverse[MOST];
    vec low = LANES_NAME(splat)(0.0);

    x[0] = y[0] = LANES_NAME(splat)(1.0);
    for (int j = 0; j < n; j++) {
        top[j] = first[j + 1] - corner;
        x[j + 1] = -top[j];
    }
    for (int i = 0; i < n; i++) {
        const vec *line = game + basis->rows[i + 1] * size;
        y[i + 1] = corner - line[0];
        for (int j = 0; j < n; j++)
            lu[i * n + j] = (line[j + 1] - line[0]) - top[j];
    }
    /* Elimination without pivoting: the basis is stored in a good order. */
    for (int k = 0; k < n; k++) {
        inverse[k] = 1.0 / lu[k * n + k];
        for (int i = k + 1; i < n; i++) {
            const vec factor = lu[i * n + k] * inverse[k];
            lu[i * n + k] = factor;
            for (int j = k + 1; j < n; j++)
                lu[i * n + j] -= factor * lu[k * n + j];
            y[i + 1] -= factor * y[k + 1];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            y[i + 1] -= lu[i * n + j] * y[j + 1];
        y[i + 1] *= inverse[i];
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            x[i + 1] -= lu[j * n + i] * x[j + 1];
        x[i + 1] *= inverse[i];
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++)
            x[i + 1] -= lu[j * n + i] * x[j + 1];
    for (int i = 1; i <= n; i++) {
        x[0] -= x[i];
        y[0] -= y[i];
        low = LANES_NAME(smaller)(low, LANES_NAME(smaller)(x[i], y[i]));
    }
    return -LANES_NAME(smaller)(low, LANES_NAME(smaller)(x[0], y[0]));
}

/* Try the basis on one block of games: the value, and the gap between the bounds on it. */
INLINE void LANES_NAME(try)(const int size, int rows, int cols, const vec *game,
                            const lanes_basis *basis, double span, vec *x, vec *y, vec *value,
                            vec *gap)
{
    const vec below = LANES_NAME(mixes)(size, game, basis, x, y);
    const vec upper = LANES_NAME(best_row)(size, rows, game, y);
    const vec lower = LANES_NAME(best_col)(size, rows, cols, game, basis, x);
    *value = (upper + lower) * 0.5;
    *gap = (upper - lower) + below * (span * size);
}

/* Make a mix proper: no negative probability, and a sum of one. */
INLINE void LANES_NAME(normalise)(vec *mix, int size)
{
    vec total = LANES_NAME(splat)(0.0);
    for (int i = 0; i < size; i++) {
        mix[i] = LANES_NAME(larger)(mix[i], LANES_NAME(splat)(0.0));
        total += mix[i];
    }
    for (int i = 0; i < size; i++)
        mix[i] /= total;
}

static int32_t LANES_NAME(prove)(const lanes_layout *layout, const lanes_basis *basis,
                                 const lanes_games *games, const lanes_replies *replies,
                                 double tolerance, double span, int32_t *pending, int32_t count,
                                 double *worst)
{
    vec game[LANES_SPARE + 1], x[LANES_MAX_CARDS], y[LANES_MAX_CARDS];
    const int rows = layout->rows, cols = layout->cols, size = basis->size;
    int32_t left = 0;

    for (int32_t start = 0; start < count; start += LANES) {
        const int lanes = count - start < LANES ? count - start : LANES;
        int32_t id[LANES];
        vec value, gap, high, low;

        for (int l = 0; l < LANES; l++)
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
        /* Without branches: a value that is not proven is overwritten later. */
        for (int l = 0; l < lanes; l++) {
            const int proven = gap[l] <= tolerance;
            games->result[id[l]] = value[l];
            if (replies) {
                replies->high[id[l]] = high[l];
                replies->low[id[l]] = low[l];
            }
            pending[left] = id[l];
            left += !proven;
            *worst = proven && gap[l] > *worst ? gap[l] : *worst;
        }
    }
    return left;
}

static const lanes_kernel LANES_NAME(kernel) = {LANES_NAME(pack), LANES_NAME(prove)};

#undef vec
#undef INLINE
#undef LANES
