/* The words CUDA adds to C++, spelled with clang's attributes. */
#ifndef HEDDLE_HOST_DEFINES_H
#define HEDDLE_HOST_DEFINES_H

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDART_CB
#define __cudart_builtin__
#define __device_builtin__
/* From clang 15 on it is a keyword of CUDA, and headers of the C++ library write it within attributes. */
#ifdef __has_feature
#if __has_feature(cuda_noinline_keyword)
#define HEDDLE_NOINLINE_IS_A_WORD
#endif
#endif
#if !defined(__noinline__) && !defined(HEDDLE_NOINLINE_IS_A_WORD)
#define __noinline__ __attribute__((noinline))
#endif

#endif
