/* The lane kernel; included once per instruction set by _lanes.c, which defines LANES_NAME. */

#define LANES 4
#define vec LANES_NAME(lanes_vec)
#define ids LANES_NAME(lanes_ids)

typedef double vec __attribute__((vector_size(LANES * sizeof(double))));
typedef struct {
    int32_t at[LANES_KINDS][LANES];
    int contiguous[LANES_KINDS];
} ids;

static inline __attribute__((always_inline)) vec LANES_NAME(larger)(vec a, vec b)
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

static inline __attribute__((always_inline)) vec LANES_NAME(smaller)(vec a, vec b)
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

static inline __attribute__((always_inline)) vec LANES_NAME(splat)(double x)
{
    return (vec){x, x, x, x};
}

static inline __attribute__((always_inline)) vec LANES_NAME(entry)(const lanes_layout *layout,
                                                                   int at, const ids *lane_ids,
                                                                   const double *add)
{
    const int kind = layout->kind[at];
    const double *value = layout->value[at];
    const int32_t *id = lane_ids->at[kind];
    vec loaded;
    if (lane_ids->contiguous[kind])
        __builtin_memcpy(&loaded, value + id[0], sizeof loaded);
    else
        loaded = (vec){value[id[0]], value[id[1]], value[id[2]], value[id[3]]};
    return loaded * LANES_NAME(splat)(layout->sign[at]) + LANES_NAME(splat)(add[kind]);
}

/* Solve for the mixes of the basis and bound the value by them, for one block of games whose
 * entries lie in `game`; `size` is a constant wherever it is small. Returns the gaps. */
static inline __attribute__((always_inline)) vec LANES_NAME(bounds)(
    const int size, int rows, int cols, const vec *game, const lanes_basis *basis, double span,
    vec *value)
{
    enum { MOST = LANES_MAX_CARDS };
    const int n = size - 1;
    vec x[MOST], y[MOST], lu[(MOST - 1) * (MOST - 1)];
    const vec *first = game + basis->rows[0] * cols;
    const int first_col = basis->cols[0];
    const vec corner = first[first_col];
    vec low = LANES_NAME(splat)(0.0);
    vec upper = LANES_NAME(splat)(-INFINITY), lower = LANES_NAME(splat)(INFINITY);

    x[0] = y[0] = LANES_NAME(splat)(1.0);
    if (n > 0) {
        vec top[MOST], inverse[MOST];
        for (int j = 0; j < n; j++) {
            top[j] = first[basis->cols[j + 1]] - corner;
            x[j + 1] = -top[j];
        }
        for (int i = 0; i < n; i++) {
            const vec *line = game + basis->rows[i + 1] * cols;
            const vec left = line[first_col];
            y[i + 1] = corner - left;
            for (int j = 0; j < n; j++)
                lu[i * n + j] = (line[basis->cols[j + 1]] - left) - top[j];
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
        low = LANES_NAME(smaller)(low, LANES_NAME(smaller)(x[0], y[0]));
    }

    for (int i = 0; i < rows; i++) {
        vec total = game[i * cols + first_col] * y[0];
        for (int j = 1; j < size; j++)
            total += game[i * cols + basis->cols[j]] * y[j];
        upper = LANES_NAME(larger)(upper, total);
    }
    for (int j = 0; j < cols; j++) {
        vec total = first[j] * x[0];
        for (int i = 1; i < size; i++)
            total += game[basis->rows[i] * cols + j] * x[i];
        lower = LANES_NAME(smaller)(lower, total);
    }
    *value = (upper + lower) * 0.5;
    return (upper - lower) - low * (span * size);
}

static int32_t LANES_NAME(prove)(const lanes_layout *layout, const lanes_basis *basis,
                                 const int32_t *const column[LANES_KINDS],
                                 const double add[LANES_KINDS], double tolerance, double span,
                                 int32_t *pending, int32_t count, double *result, double *worst)
{
    enum { MOST = LANES_MAX_CARDS };
    vec game[MOST * MOST];
    const int rows = layout->rows, cols = layout->cols;
    uint32_t in_basis = 0, used = 0;
    int32_t left = 0;

    for (int i = 0; i < basis->size; i++)
        in_basis |= 1u << basis->rows[i];
    for (int i = 0; i < rows * cols; i++)
        used |= 1u << layout->kind[i];

    for (int32_t start = 0; start < count; start += LANES) {
        const int lanes = count - start < LANES ? count - start : LANES;
        ids lane_ids;
        vec value, gap;

        for (int kind = 0; kind < LANES_KINDS; kind++) {
            if (!(used >> kind & 1))
                continue;
            for (int l = 0; l < LANES; l++)
                lane_ids.at[kind][l] = column[kind][pending[start + (l < lanes ? l : 0)]];
            lane_ids.contiguous[kind] = 1;
            for (int l = 1; l < LANES; l++)
                lane_ids.contiguous[kind] &= lane_ids.at[kind][l] == lane_ids.at[kind][0] + l;
        }
        for (int i = 0; i < rows; i++) {
            if (in_basis >> i & 1) {
                for (int j = 0; j < cols; j++)
                    game[i * cols + j] = LANES_NAME(entry)(layout, i * cols + j, &lane_ids, add);
            } else {
                for (int j = 0; j < basis->size; j++)
                    game[i * cols + basis->cols[j]] = LANES_NAME(entry)(
                        layout, i * cols + basis->cols[j], &lane_ids, add);
            }
        }
        switch (basis->size) {
        case 1: gap = LANES_NAME(bounds)(1, rows, cols, game, basis, span, &value); break;
        case 2: gap = LANES_NAME(bounds)(2, rows, cols, game, basis, span, &value); break;
        case 3: gap = LANES_NAME(bounds)(3, rows, cols, game, basis, span, &value); break;
        case 4: gap = LANES_NAME(bounds)(4, rows, cols, game, basis, span, &value); break;
        case 5: gap = LANES_NAME(bounds)(5, rows, cols, game, basis, span, &value); break;
        case 6: gap = LANES_NAME(bounds)(6, rows, cols, game, basis, span, &value); break;
        case 7: gap = LANES_NAME(bounds)(7, rows, cols, game, basis, span, &value); break;
        default:
            gap = LANES_NAME(bounds)(basis->size, rows, cols, game, basis, span, &value);
        }
        for (int l = 0; l < lanes; l++) {
            const int32_t id = pending[start + l];
            if (gap[l] <= tolerance) {
                result[id] = value[l];
                *worst = gap[l] > *worst ? gap[l] : *worst;
            } else {
                pending[left++] = id;
            }
        }
    }
    return left;
}

#undef vec
#undef ids
#undef LANES
