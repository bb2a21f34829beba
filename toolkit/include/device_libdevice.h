/*
 * The __nv_... functions that are one or two PTX instructions. clang's headers declare all of them and build CUDA's
 * device functions upon them; those not defined here (sine, exponential and the like) stay calls.
 */
#ifndef HEDDLE_DEVICE_LIBDEVICE_H
#define HEDDLE_DEVICE_LIBDEVICE_H

#define HEDDLE_DEV static __inline__ __attribute__((device, always_inline))

/* HEDDLE_N(name, instruction, result, its register class, arguments...): one instruction with N operands. */
#define HEDDLE_1(NAME, INSN, R, RC, A, AC) \
	HEDDLE_DEV R __nv_##NAME(A a) \
	{ \
		R r; \
		__asm__(INSN " %0, %1;" : RC(r) : AC(a)); \
		return r; \
	}
#define HEDDLE_2(NAME, INSN, R, RC, A, AC) \
	HEDDLE_DEV R __nv_##NAME(A a, A b) \
	{ \
		R r; \
		__asm__(INSN " %0, %1, %2;" : RC(r) : AC(a), AC(b)); \
		return r; \
	}
#define HEDDLE_3(NAME, INSN, R, RC, A, AC) \
	HEDDLE_DEV R __nv_##NAME(A a, A b, A c) \
	{ \
		R r; \
		__asm__(INSN " %0, %1, %2, %3;" : RC(r) : AC(a), AC(b), AC(c)); \
		return r; \
	}
/* The four rounding modes of a floating-point operation. */
#define HEDDLE_ROUND(N, NAME, OP, TYPE, R, C) \
	HEDDLE_##N(NAME##_rn, OP ".rn." TYPE, R, "=" C, R, C) \
	HEDDLE_##N(NAME##_rz, OP ".rz." TYPE, R, "=" C, R, C) \
	HEDDLE_##N(NAME##_rd, OP ".rm." TYPE, R, "=" C, R, C) \
	HEDDLE_##N(NAME##_ru, OP ".rp." TYPE, R, "=" C, R, C)
/* A conversion in its four modes; I is "i" where the result is an integer. */
#define HEDDLE_CONVERT(NAME, I, TYPES, R, RC, A, AC) \
	HEDDLE_1(NAME##_rn, "cvt.rn" I "." TYPES, R, RC, A, AC) \
	HEDDLE_1(NAME##_rz, "cvt.rz" I "." TYPES, R, RC, A, AC) \
	HEDDLE_1(NAME##_rd, "cvt.rm" I "." TYPES, R, RC, A, AC) \
	HEDDLE_1(NAME##_ru, "cvt.rp" I "." TYPES, R, RC, A, AC)

typedef unsigned int heddle_u32;
typedef unsigned long long heddle_u64;

extern "C" {

/* Integers. */
HEDDLE_DEV int __nv_abs(int a) { return a < 0 ? (int)(0u - (heddle_u32)a) : a; }
HEDDLE_DEV long long __nv_llabs(long long a) { return a < 0 ? (long long)(0ull - (heddle_u64)a) : a; }
HEDDLE_DEV int __nv_min(int a, int b) { return a < b ? a : b; }
HEDDLE_DEV int __nv_max(int a, int b) { return a > b ? a : b; }
HEDDLE_DEV heddle_u32 __nv_umin(heddle_u32 a, heddle_u32 b) { return a < b ? a : b; }
HEDDLE_DEV heddle_u32 __nv_umax(heddle_u32 a, heddle_u32 b) { return a > b ? a : b; }
HEDDLE_DEV long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
HEDDLE_DEV long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
HEDDLE_DEV heddle_u64 __nv_ullmin(heddle_u64 a, heddle_u64 b) { return a < b ? a : b; }
HEDDLE_DEV heddle_u64 __nv_ullmax(heddle_u64 a, heddle_u64 b) { return a > b ? a : b; }
HEDDLE_1(brev, "brev.b32", int, "=r", int, "r")
HEDDLE_1(brevll, "brev.b64", long long, "=l", long long, "l")
HEDDLE_1(clz, "clz.b32", int, "=r", int, "r")
HEDDLE_1(clzll, "clz.b64", int, "=r", long long, "l")
HEDDLE_1(popc, "popc.b32", int, "=r", int, "r")
HEDDLE_1(popcll, "popc.b64", int, "=r", long long, "l")
HEDDLE_DEV int __nv_ffs(int a) { return 32 - __nv_clz(a & (int)(0u - (heddle_u32)a)); }
HEDDLE_DEV int __nv_ffsll(long long a) { return 64 - __nv_clzll(a & (long long)(0ull - (heddle_u64)a)); }
HEDDLE_3(byte_perm, "prmt.b32", int, "=r", int, "r")
HEDDLE_2(mul24, "mul24.lo.s32", int, "=r", int, "r")
HEDDLE_2(umul24, "mul24.lo.u32", heddle_u32, "=r", heddle_u32, "r")
HEDDLE_2(mulhi, "mul.hi.s32", int, "=r", int, "r")
HEDDLE_2(umulhi, "mul.hi.u32", heddle_u32, "=r", heddle_u32, "r")
HEDDLE_2(mul64hi, "mul.hi.s64", long long, "=l", long long, "l")
HEDDLE_2(umul64hi, "mul.hi.u64", heddle_u64, "=l", heddle_u64, "l")
HEDDLE_3(sad, "sad.s32", int, "=r", int, "r")
HEDDLE_3(usad, "sad.u32", heddle_u32, "=r", heddle_u32, "r")
HEDDLE_DEV int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
HEDDLE_DEV int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
HEDDLE_DEV int __nv_uhadd(heddle_u32 a, heddle_u32 b) { return (a & b) + ((a ^ b) >> 1); }
HEDDLE_DEV heddle_u32 __nv_urhadd(heddle_u32 a, heddle_u32 b) { return (a | b) - ((a ^ b) >> 1); }

/* The same bits as another type. */
HEDDLE_1(float_as_int, "mov.b32", int, "=r", float, "f")
HEDDLE_1(float_as_uint, "mov.b32", heddle_u32, "=r", float, "f")
HEDDLE_1(int_as_float, "mov.b32", float, "=f", int, "r")
HEDDLE_1(uint_as_float, "mov.b32", float, "=f", heddle_u32, "r")
HEDDLE_1(double_as_longlong, "mov.b64", heddle_u64, "=l", double, "d")
HEDDLE_1(longlong_as_double, "mov.b64", double, "=d", long long, "l")
HEDDLE_DEV int __nv_double2hiint(double a) { return (int)(__nv_double_as_longlong(a) >> 32); }
HEDDLE_DEV int __nv_double2loint(double a) { return (int)__nv_double_as_longlong(a); }
HEDDLE_DEV double __nv_hiloint2double(int hi, int lo)
{
	return __nv_longlong_as_double((long long)((heddle_u64)(heddle_u32)hi << 32 | (heddle_u32)lo));
}

/* Arithmetic in a stated rounding mode. */
HEDDLE_ROUND(2, fadd, "add", "f32", float, "f")
HEDDLE_ROUND(2, fsub, "sub", "f32", float, "f")
HEDDLE_ROUND(2, fmul, "mul", "f32", float, "f")
HEDDLE_ROUND(2, fdiv, "div", "f32", float, "f")
HEDDLE_ROUND(3, fmaf, "fma", "f32", float, "f")
HEDDLE_ROUND(3, fmaf_ieee, "fma", "f32", float, "f")
HEDDLE_ROUND(1, frcp, "rcp", "f32", float, "f")
HEDDLE_ROUND(1, fsqrt, "sqrt", "f32", float, "f")
HEDDLE_ROUND(2, dadd, "add", "f64", double, "d")
HEDDLE_ROUND(2, dsub, "sub", "f64", double, "d")
HEDDLE_ROUND(2, dmul, "mul", "f64", double, "d")
HEDDLE_ROUND(2, ddiv, "div", "f64", double, "d")
HEDDLE_ROUND(3, fma, "fma", "f64", double, "d")
HEDDLE_ROUND(1, drcp, "rcp", "f64", double, "d")
HEDDLE_ROUND(1, dsqrt, "sqrt", "f64", double, "d")
HEDDLE_3(fmaf, "fma.rn.f32", float, "=f", float, "f")
HEDDLE_3(fma, "fma.rn.f64", double, "=d", double, "d")
HEDDLE_1(sqrtf, "sqrt.rn.f32", float, "=f", float, "f")
HEDDLE_1(sqrt, "sqrt.rn.f64", double, "=d", double, "d")
HEDDLE_1(rsqrtf, "rsqrt.approx.f32", float, "=f", float, "f")
HEDDLE_1(fabsf, "abs.f32", float, "=f", float, "f")
HEDDLE_1(fabs, "abs.f64", double, "=d", double, "d")
HEDDLE_2(fminf, "min.f32", float, "=f", float, "f")
HEDDLE_2(fmaxf, "max.f32", float, "=f", float, "f")
HEDDLE_2(fmin, "min.f64", double, "=d", double, "d")
HEDDLE_2(fmax, "max.f64", double, "=d", double, "d")
HEDDLE_1(floorf, "cvt.rmi.f32.f32", float, "=f", float, "f")
HEDDLE_1(ceilf, "cvt.rpi.f32.f32", float, "=f", float, "f")
HEDDLE_1(truncf, "cvt.rzi.f32.f32", float, "=f", float, "f")
HEDDLE_1(rintf, "cvt.rni.f32.f32", float, "=f", float, "f")
HEDDLE_1(nearbyintf, "cvt.rni.f32.f32", float, "=f", float, "f")
HEDDLE_1(floor, "cvt.rmi.f64.f64", double, "=d", double, "d")
HEDDLE_1(ceil, "cvt.rpi.f64.f64", double, "=d", double, "d")
HEDDLE_1(trunc, "cvt.rzi.f64.f64", double, "=d", double, "d")
HEDDLE_1(rint, "cvt.rni.f64.f64", double, "=d", double, "d")
HEDDLE_1(nearbyint, "cvt.rni.f64.f64", double, "=d", double, "d")
HEDDLE_1(saturatef, "cvt.sat.f32.f32", float, "=f", float, "f")
/* PTX takes the sign from the first operand, C from the second. */
HEDDLE_DEV float __nv_copysignf(float a, float b)
{
	return __nv_uint_as_float((__nv_float_as_uint(a) & 0x7fffffffu) | (__nv_float_as_uint(b) & 0x80000000u));
}
HEDDLE_DEV double __nv_copysign(double a, double b)
{
	heddle_u64 sign = 1ull << 63;
	return __nv_longlong_as_double((long long)((__nv_double_as_longlong(a) & ~sign) | (__nv_double_as_longlong(b) & sign)));
}
HEDDLE_DEV int __nv_signbitf(float a) { return __nv_float_as_int(a) < 0; }
HEDDLE_DEV int __nv_signbitd(double a) { return (long long)__nv_double_as_longlong(a) < 0; }
HEDDLE_DEV int __nv_isnanf(float a) { return a != a; }
HEDDLE_DEV int __nv_isnand(double a) { return a != a; }
HEDDLE_DEV int __nv_isinff(float a) { return (__nv_float_as_uint(a) & 0x7fffffffu) == 0x7f800000u; }
HEDDLE_DEV int __nv_isinfd(double a)
{
	return (__nv_double_as_longlong(a) & LLONG_MAX) == 0x7ff0000000000000ll;
}
HEDDLE_DEV int __nv_finitef(float a) { return (__nv_float_as_uint(a) & 0x7f800000u) != 0x7f800000u; }
HEDDLE_DEV int __nv_isfinited(double a)
{
	return (__nv_double_as_longlong(a) & 0x7ff0000000000000ll) != 0x7ff0000000000000ll;
}

/* The fast forms, as CUDA's manual describes them. */
HEDDLE_1(fast_sinf, "sin.approx.f32", float, "=f", float, "f")
HEDDLE_1(fast_cosf, "cos.approx.f32", float, "=f", float, "f")
HEDDLE_1(fast_log2f, "lg2.approx.f32", float, "=f", float, "f")
HEDDLE_2(fast_fdividef, "div.approx.f32", float, "=f", float, "f")
HEDDLE_1(heddle_ex2f, "ex2.approx.f32", float, "=f", float, "f")
HEDDLE_1(frsqrt_rn, "rsqrt.approx.f32", float, "=f", float, "f")
HEDDLE_DEV float __nv_fast_logf(float a) { return __nv_fast_log2f(a) * 0.693147181f; }
HEDDLE_DEV float __nv_fast_log10f(float a) { return __nv_fast_log2f(a) * 0.301029996f; }
HEDDLE_DEV float __nv_fast_expf(float a) { return __nv_heddle_ex2f(a * 1.44269504f); }
HEDDLE_DEV float __nv_fast_exp10f(float a) { return __nv_heddle_ex2f(a * 3.32192809f); }
HEDDLE_DEV float __nv_fast_powf(float a, float b) { return __nv_heddle_ex2f(b * __nv_fast_log2f(a)); }
HEDDLE_DEV float __nv_fast_tanf(float a) { return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a)); }
HEDDLE_DEV void __nv_fast_sincosf(float a, float *s, float *c)
{
	*s = __nv_fast_sinf(a);
	*c = __nv_fast_cosf(a);
}

/* Conversions. */
HEDDLE_CONVERT(float2int, "i", "s32.f32", int, "=r", float, "f")
HEDDLE_CONVERT(float2uint, "i", "u32.f32", heddle_u32, "=r", float, "f")
HEDDLE_CONVERT(float2ll, "i", "s64.f32", long long, "=l", float, "f")
HEDDLE_CONVERT(float2ull, "i", "u64.f32", heddle_u64, "=l", float, "f")
HEDDLE_CONVERT(double2int, "i", "s32.f64", int, "=r", double, "d")
HEDDLE_CONVERT(double2uint, "i", "u32.f64", heddle_u32, "=r", double, "d")
HEDDLE_CONVERT(double2ll, "i", "s64.f64", long long, "=l", double, "d")
HEDDLE_CONVERT(double2ull, "i", "u64.f64", heddle_u64, "=l", double, "d")
HEDDLE_CONVERT(double2float, "", "f32.f64", float, "=f", double, "d")
HEDDLE_CONVERT(int2float, "", "f32.s32", float, "=f", int, "r")
HEDDLE_CONVERT(uint2float, "", "f32.u32", float, "=f", heddle_u32, "r")
HEDDLE_CONVERT(ll2float, "", "f32.s64", float, "=f", long long, "l")
HEDDLE_CONVERT(ull2float, "", "f32.u64", float, "=f", heddle_u64, "l")
HEDDLE_CONVERT(ll2double, "", "f64.s64", double, "=d", long long, "l")
HEDDLE_CONVERT(ull2double, "", "f64.u64", double, "=d", heddle_u64, "l")
HEDDLE_1(int2double_rn, "cvt.rn.f64.s32", double, "=d", int, "r")
HEDDLE_1(uint2double_rn, "cvt.rn.f64.u32", double, "=d", heddle_u32, "r")
HEDDLE_1(float2half_rn, "cvt.rn.f16.f32", unsigned short, "=h", float, "f")
HEDDLE_1(half2float, "cvt.f32.f16", float, "=f", unsigned short, "h")

}

#undef HEDDLE_1
#undef HEDDLE_2
#undef HEDDLE_3
#undef HEDDLE_ROUND
#undef HEDDLE_CONVERT

#endif
