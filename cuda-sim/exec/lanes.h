// The vocabulary in which bodies are written: rows, lanes, masks.
//
// Rules for bodies
//  - Lanes outside `mask` keep their destination. Use LANES(), which has a fast path for the full mask.
//  - A lane of a 32-bit row that holds a type narrower than 32 bits is valid in its low bits only: bodies narrow what
//    they read by casting; what they write above is not looked at.
//  - Destination and source rows may be the same row; they never overlap partly.
//  - No host libm. Results must not depend on the CPU level the file is compiled for.
#ifndef CUDA_SIM_EXEC_LANES_H
#define CUDA_SIM_EXEC_LANES_H

#include "cuda-sim/exec/warp.h"

#include <string.h>

// One row of a family's table. The key is the instruction as PTX writes it, without what concerns only order and
// timing: "add.f32". It may contain '*' for any run of characters; exact keys are looked up first, then patterns in
// table order.
struct exec_body {
	const char *key;
	exec_fn *fn;
};

#define EXEC_CAT_(a, b) a##_##b
#define EXEC_CAT(a, b)  EXEC_CAT_(a, b)
// The table of a family, ended by a row with key NULL:
// const struct exec_body EXEC_TABLE(int)[] = { {"add.s32", add_b32}, ..., {0} };
#define EXEC_TABLE(family) EXEC_CAT(exec_table_##family, EXEC_LEVEL)

#define ROW(type, off) ((type *)__builtin_assume_aligned(fp + (off), 64))
#define PRED(off)      (*(uint32_t *)(fp + (off)))

#define BODY(name) \
	static void name(uint8_t *restrict fp, const struct uop *restrict u, uint32_t mask, struct warp *restrict w)

// The mask as 32 lanes of 0 or all ones, so that masked loops become vector blends.
static inline void exec_expand(uint32_t *restrict m, uint32_t mask)
{
	for (unsigned i = 0; i < WARP; i++)
		m[i] = (uint32_t)-(int32_t)(mask >> i & 1);
}

// LANES(T, d, expr): d[i] = expr for the lanes in mask; i is the lane. d must be a T*.
#define LANES(T, d, expr)                                                    \
	do {                                                                 \
		if (mask == FULL_MASK) {                                     \
			EXEC_VECTOR for (unsigned i = 0; i < WARP; i++) \
				(d)[i] = (T)(expr);                          \
		} else {                                                     \
			_Alignas(64) uint32_t lane_[WARP];                   \
			exec_expand(lane_, mask);                            \
			EXEC_VECTOR for (unsigned i = 0; i < WARP; i++) { \
				T v_ = (T)(expr);                            \
				(d)[i] = lane_[i] ? v_ : (d)[i];             \
			}                                                    \
		}                                                            \
	} while (0)

// EACH(i): the lanes of the mask one by one, for what does not vectorise.
#define EACH(i) for (uint32_t m_ = mask, i; m_ && (i = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

// MASK_OF(cond): the lanes for which cond holds, as a mask; i is the lane. Not yet restricted to `mask`.
#define MASK_OF(cond)                                                        \
	({                                                                   \
		uint32_t r_ = 0;                                             \
		for (unsigned i = 0; i < WARP; i++)                          \
			r_ |= (uint32_t)!!(cond) << i;                       \
		r_;                                                          \
	})

// A body of one destination and one to three sources. RD is the row type of the destination, RS of the sources; a, b, c
// are the operand values as RS.
#define BODY1(name, RD, RS, expr)                                                              \
	BODY(name)                                                                             \
	{                                                                                      \
		RD *rd = ROW(RD, u->d);                                                        \
		const RS *ra = ROW(RS, u->a);                                                  \
		LANES(RD, rd, ({ const RS a = ra[i]; (expr); }));                              \
	}
#define BODY2(name, RD, RS, expr)                                                              \
	BODY(name)                                                                             \
	{                                                                                      \
		RD *rd = ROW(RD, u->d);                                                        \
		const RS *ra = ROW(RS, u->a), *rb = ROW(RS, u->b);                             \
		LANES(RD, rd, ({ const RS a = ra[i], b = rb[i]; (expr); }));                   \
	}
#define BODY3(name, RD, RS, expr)                                                              \
	BODY(name)                                                                             \
	{                                                                                      \
		RD *rd = ROW(RD, u->d);                                                        \
		const RS *ra = ROW(RS, u->a), *rb = ROW(RS, u->b), *rc = ROW(RS, u->c);        \
		LANES(RD, rd, ({ const RS a = ra[i], b = rb[i], c = rc[i]; (expr); }));        \
	}

#endif
