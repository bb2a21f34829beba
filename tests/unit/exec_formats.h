// Floating-point formats by their definitions: values are long doubles, which hold every value of every format;
// rounding is nearbyintl to a multiple of the last place.
// The reference for conversions and for f16 and bf16 arithmetic.
#ifndef TESTS_EXEC_FORMATS_H
#define TESTS_EXEC_FORMATS_H

#include "tests/unit/exec_harness.h"

#include <fenv.h>
#include <math.h>

struct format {
	int precision, emin, emax; // bits of the significand, exponents of the normal numbers
	unsigned bits;
	uint64_t nan;
	bool no_inf;
};

static const struct format f16 = {11, -14, 15, 16, 0x7fff, false};
static const struct format bf16 = {8, -126, 127, 16, 0x7fff, false};
static const struct format f32 = {24, -126, 127, 32, 0x7fffffff, false};
static const struct format f64 = {53, -1022, 1023, 64, 0xfff8000000000000u, false};
static const struct format tf32 = {11, -126, 127, 32, 0x7fffffff, false};
static const struct format e4m3 = {4, -6, 8, 8, 0x7f, true};
static const struct format e5m2 = {3, -14, 15, 8, 0x7f, false};

static inline const struct format *format_of(enum ptx_type t)
{
	switch (t) {
	case PTX_T_F16: case PTX_T_F16X2: return &f16;
	case PTX_T_BF16: case PTX_T_BF16X2: return &bf16;
	case PTX_T_F32: return &f32;
	case PTX_T_F64: return &f64;
	case PTX_T_TF32: return &tf32;
	case PTX_T_E4M3X2: return &e4m3;
	case PTX_T_E5M2X2: return &e5m2;
	default: return NULL;
	}
}

// Bits of fraction that the encoding has; tf32 has those of f32.
static inline int fraction(const struct format *f)
{
	return f == &tf32 ? 23 : f->precision - 1;
}

static inline long double decode(const struct format *f, uint64_t v)
{
	int m = fraction(f);
	uint64_t sign = v >> (f->bits - 1) & 1, mag = v & (((uint64_t)1 << (f->bits - 1)) - 1);
	int e = (int)(mag >> m);
	uint64_t frac = mag & (((uint64_t)1 << m) - 1);
	bool top = e == (1 << ((int)f->bits - 1 - m)) - 1;
	long double x;
	if (f->no_inf ? mag == 0x7f : top && frac)
		return NAN;
	if (top && !f->no_inf)
		x = INFINITY;
	else if (e == 0)
		x = ldexpl((long double)frac, f->emin - m);
	else
		x = ldexpl((long double)(frac | (uint64_t)1 << m), e - 1 + f->emin - m);
	return sign ? -x : x;
}

static inline uint64_t encode(const struct format *f, long double x)
{
	int m = fraction(f);
	uint64_t sign = signbit(x) ? (uint64_t)1 << (f->bits - 1) : 0;
	long double a = fabsl(x);
	if (isnan(x))
		return f->nan;
	if (isinf(x))
		return sign | (f->no_inf ? 0x7f : (uint64_t)(2 * f->emax + 1) << m);
	if (a == 0)
		return sign;
	int e;
	frexpl(a, &e);
	e = e - 1 < f->emin ? f->emin : e - 1;
	uint64_t frac = (uint64_t)ldexpl(a, m - e); // with the hidden bit if normal
	return sign | (((uint64_t)(e - f->emin) << m) + frac);
}

static inline long double round_in(const struct xh_case *c, long double x)
{
	switch (c->mods.rnd) {
	case ROUND_RZ: case ROUND_RZI: fesetround(FE_TOWARDZERO); break;
	case ROUND_RM: case ROUND_RMI: fesetround(FE_DOWNWARD); break;
	case ROUND_RP: case ROUND_RPI: fesetround(FE_UPWARD); break;
	default: break;
	}
	long double r = c->mods.rnd == ROUND_RNA ? roundl(x) : nearbyintl(x);
	fesetround(FE_TONEAREST);
	return r;
}

// x in format f under the modifiers of the case.
static inline uint64_t to_float(const struct xh_case *c, const struct format *f, long double x)
{
	if (c->mods.rnd >= ROUND_RNI)
		x = round_in(c, x);
	long double max = ldexpl(2 - ldexpl(1, 1 - f->precision), f->emax);
	if (f == &e4m3)
		max = 448; // the encoding of 480 is NaN
	if (isfinite(x) && x != 0 && c->mods.rnd < ROUND_RNI) {
		int e = ilogbl(x) < f->emin ? f->emin : ilogbl(x), place = e - f->precision + 1;
		long double r = ldexpl(round_in(c, ldexpl(x, -place)), place);
		if (fabsl(r) > max) {
			bool down = c->mods.rnd == ROUND_RZ || (c->mods.rnd == ROUND_RM && r > 0) || (c->mods.rnd == ROUND_RP && r < 0);
			r = copysignl(down ? max : INFINITY, r);
		}
		x = r == 0 ? copysignl(0, x) : r;
	}
	if (c->mods.satfinite && isinf(x))
		x = copysignl(max, x);
	if (c->mods.ftz && f == &f32 && fabsl(x) < 0x1p-126L)
		x = copysignl(0, x);
	if (c->mods.sat)
		x = x > 0 ? fminl(x, 1) : 0;
	if (c->mods.relu && x <= 0)
		x = 0;
	return encode(f, x);
}

#endif
