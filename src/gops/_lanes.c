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

lanes_prove_function *lanes_select(const char *name)
{
    const char *best = lanes_best();
    if (strcmp(name, "baseline") == 0)
        return prove_baseline;
#ifdef LANES_X86
    if (strcmp(name, "avx2") == 0 && strcmp(best, "baseline") != 0)
        return prove_avx2;
    if (strcmp(name, "avx512") == 0 && strcmp(best, "avx512") == 0)
        return prove_avx512;
#endif
    return 0;
}
