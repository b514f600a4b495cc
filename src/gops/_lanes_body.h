/* The lane kernel; included once per instruction set by _lanes.c, which defines LANES_NAME. */

#ifndef LANES
#define LANES 4
#endif
#define vec LANES_NAME(lanes_vec)
#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

INLINE vec LANES_NAME(larger)(vec a, vec b)
{
#if defined(__AVX__) && LANES == 4
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
#if defined(__AVX__) && LANES == 4
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

/* The entries of a block of games that a basis needs: first the columns of the basis, row by row
 * of the game, then the rows of the basis, column by column of the others. */
typedef struct {
    int end[LANES_KINDS];
    struct {
        const double *value;
        int to;
    } entry[LANES_MAX_CARDS * LANES_MAX_CARDS];
} LANES_NAME(needed);

INLINE void LANES_NAME(list_needed)(const lanes_layout *layout, const lanes_basis *basis,
                                    LANES_NAME(needed) *needed)
{
    const int size = basis->size;
    int8_t row_place[LANES_MAX_CARDS], col_place[LANES_MAX_CARDS];
    int count = 0, others = layout->rows, at = 0;

    for (int i = 0; i < layout->rows; i++)
        row_place[i] = -1;
    for (int j = 0; j < layout->cols; j++)
        col_place[j] = -1;
    for (int k = 0; k < size; k++) {
        row_place[basis->rows[k]] = (int8_t)k;
        col_place[basis->cols[k]] = (int8_t)k;
    }
    for (int j = 0; j < layout->cols; j++)
        if (col_place[j] < 0)
            col_place[j] = (int8_t)(others++ - 128);
    for (int kind = 0; kind < LANES_KINDS; kind++) {
        for (; at < layout->end[kind]; at++) {
            const lanes_entry *entry = &layout->entry[at];
            const int row = row_place[entry->row], col = col_place[entry->col];
            needed->entry[count].value = entry->value;
            if (col >= 0)
                needed->entry[count++].to = entry->row * size + col;
            else if (row >= 0)
                needed->entry[count++].to = (col + 128) * size + row;
        }
        needed->end[kind] = count;
    }
}

/* Solve for the mixes of the basis and bound the value by them, for one block of games; `size` is
 * a constant wherever it is small. Returns the gaps. */
INLINE vec LANES_NAME(bounds)(const int size, int rows, int cols, const vec *game,
                              const lanes_basis *basis, double span, vec *value)
{
    enum { MOST = LANES_MAX_CARDS };
    const int n = size - 1;
    vec x[MOST], y[MOST];
    const vec *first = game + basis->rows[0] * size;
    vec low = LANES_NAME(splat)(0.0);
    vec upper = LANES_NAME(splat)(-INFINITY), lower = LANES_NAME(splat)(INFINITY);

    x[0] = y[0] = LANES_NAME(splat)(1.0);
    if (n > 0) {
        vec lu[(MOST - 1) * (MOST - 1)], top[MOST], inverse[MOST];
        const vec corner = first[0];
        for (int j = 0; j < n; j++) {
            top[j] = first[j + 1] - corner;
            x[j + 1] = -top[j];
        }
        for (int i = 0; i < n; i++) {
            const vec *line = game + basis->rows[i + 1] * size;
            const vec left = line[0];
            y[i + 1] = corner - left;
            for (int j = 0; j < n; j++)
                lu[i * n + j] = (line[j + 1] - left) - top[j];
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
        vec total = game[i * size] * y[0];
        for (int j = 1; j < size; j++)
            total += game[i * size + j] * y[j];
        upper = LANES_NAME(larger)(upper, total);
    }
    for (int j = 0; j < size; j++) {
        vec total = first[j] * x[0];
        for (int i = 1; i < size; i++)
            total += game[basis->rows[i] * size + j] * x[i];
        lower = LANES_NAME(smaller)(lower, total);
    }
    for (int j = rows; j < rows + cols - size; j++) {
        vec total = game[j * size] * x[0];
        for (int i = 1; i < size; i++)
            total += game[j * size + i] * x[i];
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
    vec game[2 * LANES_MAX_CARDS * LANES_MAX_CARDS];
    LANES_NAME(needed) needed;
    const int rows = layout->rows, cols = layout->cols;
    int32_t left = 0;

    LANES_NAME(list_needed)(layout, basis, &needed);
    for (int32_t start = 0; start < count; start += LANES) {
        const int lanes = count - start < LANES ? count - start : LANES;
        int32_t id[LANES];
        vec value, gap;
        int at = 0;

        for (int l = 0; l < LANES; l++)
            id[l] = pending[start + (l < lanes ? l : 0)];
        for (int kind = 0; kind < LANES_KINDS; kind++) {
            const int end = needed.end[kind];
            if (at == end)
                continue;
            const vec offset = LANES_NAME(splat)(add[kind]);
            const vec sign = LANES_NAME(splat)(kind < 3 ? 1.0 : -1.0);
            int64_t place[LANES];
            int contiguous = 1;
            for (int l = 0; l < LANES; l++) {
                place[l] = column[kind][id[l]];
                contiguous &= place[l] == place[0] + l;
            }
            if (contiguous) {
                for (; at < end; at++) {
                    const vec loaded = *(const vec *)(needed.entry[at].value + place[0]);
                    game[needed.entry[at].to] = offset + sign * loaded;
                }
            } else {
                for (; at < end; at++) {
                    const double *value_row = needed.entry[at].value;
                    vec loaded;
                    for (int l = 0; l < LANES; l++)
                        loaded[l] = value_row[place[l]];
                    game[needed.entry[at].to] = offset + sign * loaded;
                }
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
            if (gap[l] <= tolerance) {
                result[id[l]] = value[l];
                *worst = gap[l] > *worst ? gap[l] : *worst;
            } else {
                pending[left++] = id[l];
            }
        }
    }
    return left;
}

#undef vec
#undef INLINE
#undef LANES
