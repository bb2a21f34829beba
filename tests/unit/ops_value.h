// Values of PTX types as exact numbers: shared by the references of the families that compute with floats.
#ifndef TESTS_OPS_VALUE_H
#define TESTS_OPS_VALUE_H

#include "tests/unit/exec_formats.h"
#include "tests/unit/ops_int.h"

static inline bool ops_is_float(enum ptx_type t) { return format_of(t) != NULL; }
static inline bool ops_packed(enum ptx_type t) { return t == PTX_T_F16X2 || t == PTX_T_BF16X2; }

// A float's bits as a number; .ftz flushes where the format has it (f32 and f16).
static inline long double ops_decode(enum ptx_type t, uint64_t v, bool ftz)
{
	const struct format *f = format_of(t);
	long double x = decode(f, ops_cut(v, f->bits));
	return ftz && (f == &f32 || f == &f16) && fabsl(x) < ldexpl(1, f->emin) ? copysignl(0, x) : x;
}

static inline int ops_host_round(uint8_t rnd)
{
	return rnd == ROUND_RZ || rnd == ROUND_RZI   ? FE_TOWARDZERO
	       : rnd == ROUND_RM || rnd == ROUND_RMI ? FE_DOWNWARD
	       : rnd == ROUND_RP || rnd == ROUND_RPI ? FE_UPWARD
	                                         : FE_TONEAREST;
}

#endif
