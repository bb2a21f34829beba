/* make_int2(x, y) and the like. */
#ifndef HEDDLE_VECTOR_FUNCTIONS_H
#define HEDDLE_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define HEDDLE_MAKE(TYPE, BASE) \
	static __forceinline__ __host__ __device__ TYPE##1 make_##TYPE##1(BASE x) { return TYPE##1{x}; } \
	static __forceinline__ __host__ __device__ TYPE##2 make_##TYPE##2(BASE x, BASE y) { return TYPE##2{x, y}; } \
	static __forceinline__ __host__ __device__ TYPE##3 make_##TYPE##3(BASE x, BASE y, BASE z) \
	{ \
		return TYPE##3{x, y, z}; \
	} \
	static __forceinline__ __host__ __device__ TYPE##4 make_##TYPE##4(BASE x, BASE y, BASE z, BASE w) \
	{ \
		return TYPE##4{x, y, z, w}; \
	}

HEDDLE_MAKE(char, signed char)
HEDDLE_MAKE(uchar, unsigned char)
HEDDLE_MAKE(short, short)
HEDDLE_MAKE(ushort, unsigned short)
HEDDLE_MAKE(int, int)
HEDDLE_MAKE(uint, unsigned int)
HEDDLE_MAKE(long, long)
HEDDLE_MAKE(ulong, unsigned long)
HEDDLE_MAKE(longlong, long long)
HEDDLE_MAKE(ulonglong, unsigned long long)
HEDDLE_MAKE(float, float)
HEDDLE_MAKE(double, double)
#undef HEDDLE_MAKE

#endif
