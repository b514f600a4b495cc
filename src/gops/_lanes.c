/* The versions of the lane kernel, one per instruction set, and the choice among them. */
#include "_lanes.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LANES_X86 1
#include <immintrin.h>
#endif

#define LANES_NAME(function) function##_baseline
#include "_lanes_body.h"
#undef LANES_NAME

#ifdef LANES_X86
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LANES_NAME(function) function##_avx2
#include "_lanes_body.h"
#undef LANES_NAME
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw")
#define LANES_NAME(function) function##_avx512
#include "_lanes_body.h"
#undef LANES_NAME
#pragma GCC pop_options
#endif

const char *lanes_best(void)
{
#ifdef LANES_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return "avx512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "avx2";
#endif
    return "baseline";
}

const lanes_kernel *lanes_select(const char *name)
{
    const char *best = lanes_best();
    if (strcmp(name, "baseline") == 0)
        return &kernel_baseline;
#ifdef LANES_X86
    if (strcmp(name, "avx2") == 0 && strcmp(best, "baseline") != 0)
        return &kernel_avx2;
    if (strcmp(name, "avx512") == 0 && strcmp(best, "avx512") == 0)
        return &kernel_avx512;
#endif
    return 0;
}

void lanes_plan(const lanes_layout *layout, lanes_basis *basis)
{
    enum { NONE = -1 };
    const int size = basis->size;
    int row_place[LANES_MAX_CARDS], col_place[LANES_MAX_CARDS], other_place[LANES_MAX_CARDS];
    int others = layout->rows;

    for (int i = 0; i < layout->rows; i++)
        row_place[i] = NONE;
    for (int j = 0; j < layout->cols; j++)
        col_place[j] = NONE;
    for (int k = 0; k < size; k++) {
        row_place[basis->rows[k]] = k;
        col_place[basis->cols[k]] = k;
    }
    for (int j = 0; j < layout->cols; j++)
        if (col_place[j] == NONE)
            other_place[j] = others++;
    for (int kind = 0; kind < BID_KINDS; kind++) {
        const int count = layout->count[kind];
        int groups = 0;
        for (int at = 0; at < count; at += LANES_GROUP) {
            lanes_group *group = &basis->group[kind][groups];
            int used = 0;
            group->at = at;
            for (int e = 0; e < LANES_GROUP; e++) {
                int to = LANES_SPARE;
                if (at + e < count) {
                    const int row = layout->row[kind][at + e], col = layout->col[kind][at + e];
                    if (col_place[col] != NONE)
                        to = row * size + col_place[col];
                    else if (row_place[row] != NONE)
                        to = other_place[col] * size + row_place[row];
                }
                used |= to != LANES_SPARE;
                group->to[e] = (int16_t)to;
            }
            groups += used;
        }
        basis->groups[kind] = groups;
    }
}
