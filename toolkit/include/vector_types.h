/* dim3 and the short vector types, with their alignment in device memory. */
#ifndef HEDDLE_VECTOR_TYPES_H
#define HEDDLE_VECTOR_TYPES_H

#include "host_defines.h"

/* One family: TYPE1 ... TYPE4, elements of type BASE; A2 and A4 are the alignments of the pairs and quads. */
#define HEDDLE_VECTOR(TYPE, BASE, A2, A4) \
	struct TYPE##1 { BASE x; }; \
	struct __align__(A2) TYPE##2 { BASE x, y; }; \
	struct TYPE##3 { BASE x, y, z; }; \
	struct __align__(A4) TYPE##4 { BASE x, y, z, w; }; \
	typedef struct TYPE##1 TYPE##1; \
	typedef struct TYPE##2 TYPE##2; \
	typedef struct TYPE##3 TYPE##3; \
	typedef struct TYPE##4 TYPE##4;

HEDDLE_VECTOR(char, signed char, 2, 4)
HEDDLE_VECTOR(uchar, unsigned char, 2, 4)
HEDDLE_VECTOR(short, short, 4, 8)
HEDDLE_VECTOR(ushort, unsigned short, 4, 8)
HEDDLE_VECTOR(int, int, 8, 16)
HEDDLE_VECTOR(uint, unsigned int, 8, 16)
HEDDLE_VECTOR(long, long, 16, 16)
HEDDLE_VECTOR(ulong, unsigned long, 16, 16)
HEDDLE_VECTOR(longlong, long long, 16, 16)
HEDDLE_VECTOR(ulonglong, unsigned long long, 16, 16)
HEDDLE_VECTOR(float, float, 8, 16)
HEDDLE_VECTOR(double, double, 16, 16)
#undef HEDDLE_VECTOR

struct dim3 {
	unsigned int x, y, z;
#ifdef __cplusplus
	__host__ __device__ constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
	__host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};
typedef struct dim3 dim3;

#endif
