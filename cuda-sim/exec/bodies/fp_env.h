// The floating-point environment of a body: rounding direction and flushing of subnormals through MXCSR, exact
// results for NaN, and rounding to integral values without libm.
//
// Between calls MXCSR holds its default (nearest, no flushing, exceptions masked): bodies without modifiers rely on it.
#ifndef CUDA_SIM_EXEC_BODIES_FP_ENV_H
#define CUDA_SIM_EXEC_BODIES_FP_ENV_H

#include "cuda-sim/exec/lanes.h"

#include <xmmintrin.h>

enum {
	FP_DEFAULT = 0x1f80, // all exceptions masked
	FP_FTZ = 0x8040,     // results and operands that are subnormal become zeroes of the same sign
	FP_RM = 0x2000,
	FP_RP = 0x4000,
	FP_RZ = 0x6000,
};

// Sets MXCSR. Loads and stores of rows stay on their side of it, and with them the arithmetic between.
static inline void fp_set(uint32_t mxcsr)
{
	__asm__ volatile("" ::: "memory");
	_mm_setcsr(mxcsr);
	__asm__ volatile("" ::: "memory");
}

// MXCSR for the mode of a micro-op.
static inline uint32_t fp_mode(const struct uop_mode *m)
{
	uint32_t v = FP_DEFAULT | (m->ftz ? FP_FTZ : 0);
	switch (m->rnd) {
	case ROUND_RZ: return v | FP_RZ;
	case ROUND_RM: return v | FP_RM;
	case ROUND_RP: return v | FP_RP;
	default: return v;
	}
}

static inline uint32_t f32_bits(float f)
{
	uint32_t v;
	memcpy(&v, &f, sizeof(v));
	return v;
}

static inline float f32_of(uint32_t v)
{
	float f;
	memcpy(&f, &v, sizeof(f));
	return f;
}

static inline uint64_t f64_bits(double f)
{
	uint64_t v;
	memcpy(&v, &f, sizeof(v));
	return v;
}

static inline double f64_of(uint64_t v)
{
	double f;
	memcpy(&f, &v, sizeof(f));
	return f;
}

// The NaN that arithmetic gives, whatever the operands were: CUDART_NAN_F and CUDART_NAN of CUDA's math_constants.h.
#define F32_NAN 0x7fffffffu
#define F64_NAN 0xfff8000000000000u

static inline float f32_canon(float r)
{
	return r == r ? r : f32_of(F32_NAN);
}

static inline double f64_canon(double r)
{
	return r == r ? r : f64_of(F64_NAN);
}

// [0, 1]; NaN and -0 become +0.
static inline float f32_sat(float r)
{
	return r > 0 ? (r < 1 ? r : 1) : 0;
}

static inline double f64_sat(double r)
{
	return r > 0 ? (r < 1 ? r : 1) : 0;
}

static inline float f32_flush(float r)
{
	uint32_t v = f32_bits(r);
	return f32_of((v & 0x7f800000u) ? v : v & 0x80000000u);
}

// Rounding to an integral value. Adding and taking away 2^23 (2^52) rounds to nearest even in the default
// environment; the other directions correct that by one. The sign survives, zeroes included.
#define FP_INTEGRAL(F, U, f, magic, sign)                                                             \
	static inline F f##_rni(F x)                                                                  \
	{                                                                                             \
		F ax = f##_of(f##_bits(x) & ~(U)sign);                                                \
		F r = ax < magic ? (ax + magic) - magic : ax;                                         \
		return f##_of(f##_bits(r) | (f##_bits(x) & sign));                                    \
	}                                                                                             \
	static inline F f##_rzi(F x)                                                                  \
	{                                                                                             \
		F ax = f##_of(f##_bits(x) & ~(U)sign);                                                \
		F r = ax < magic ? (ax + magic) - magic : ax;                                         \
		r = r > ax ? r - 1 : r;                                                               \
		return f##_of(f##_bits(r) | (f##_bits(x) & sign));                                    \
	}                                                                                             \
	static inline F f##_rmi(F x)                                                                  \
	{                                                                                             \
		F r = f##_rni(x);                                                                     \
		F q = r > x ? r - 1 : r;                                                              \
		return f##_of(f##_bits(q) | (f##_bits(x) & sign));                                    \
	}                                                                                             \
	static inline F f##_rpi(F x)                                                                  \
	{                                                                                             \
		F r = f##_rni(x);                                                                     \
		F q = r < x ? r + 1 : r;                                                              \
		return f##_of(f##_bits(q) | (f##_bits(x) & sign));                                    \
	}
FP_INTEGRAL(float, uint32_t, f32, 8388608.0f, 0x80000000u)
FP_INTEGRAL(double, uint64_t, f64, 4503599627370496.0, 0x8000000000000000u)
#undef FP_INTEGRAL

#endif
