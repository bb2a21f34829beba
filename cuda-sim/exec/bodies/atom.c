// Atomics and reductions. Lanes act one after the other in lane order. Those on global memory are carried out between cycles,
// one instruction after the other (isa/effects.h), so plain memory operations suffice. Not for those of system scope
// (UOP_SYSTEM): host threads may change the same words meanwhile, so these are atomics of the host.
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/exec/bodies/access.h"
#include "cuda-sim/numbers/softfp.h"

__extension__ typedef unsigned __int128 b128;

// Puts `next` at p if *p is what was *seen; otherwise *seen becomes what is there.
#define SWAP(M)                                                                                              \
	static inline bool swap_##M(M *p, M *seen, M next)                                                   \
	{                                                                                                    \
		return __atomic_compare_exchange_n(p, seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
	}
SWAP(uint16_t)
SWAP(uint32_t)
SWAP(int32_t)
SWAP(uint64_t)
SWAP(int64_t)

// Written out, since compilers may make of it a call that takes a lock, of which the host's threads know nothing. Every x86-64
// with AVX, and nearly every one without, has it.
static inline bool swap_b128(b128 *p, b128 *seen, b128 next)
{
	uint64_t lo = (uint64_t)*seen, hi = (uint64_t)(*seen >> 64);
	bool same;

	__asm__ volatile("lock cmpxchg16b %1" : "=@ccz"(same), "+m"(*p), "+a"(lo), "+d"(hi)
	                 : "b"((uint64_t)next), "c"((uint64_t)(next >> 64)) : "memory");
	*seen = (b128)hi << 64 | lo;
	return same;
}

// The movers: at_NAME reads old values into the row `d` and updates memory. M is the type in memory, R in rows; `o` is
// the old value, b and c the operands, and expr the new value. Lanes that share one address keep it in a register.
#define AT_LANES(...)                                                      \
	if (mask == FULL_MASK) {                                           \
		for (unsigned i = 0; i < WARP; i++)                        \
			__VA_ARGS__                                           \
	} else {                                                           \
		EACH(i)                                                    \
			__VA_ARGS__                                           \
	}
#define AT_PLAIN(name, M, R, expr)                                                                     \
	static void at_##name(uint8_t *fp, const struct uop *restrict u, uint8_t *d,                   \
	                      const struct access *restrict acc)                                       \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		const R *rb = ROW(const R, u->b), *rc = ROW(const R, u->c);                            \
		R *rd = (R *)d;                                                                        \
		(void)rc;                                                                              \
		if (acc->shape == ACCESS_UNIFORM) {                                                    \
			M o = *(M *)acc->base;                                                         \
			AT_LANES({                                                                     \
				const M b = (M)rb[i], c = (M)rc[i], next = (M)(expr);                  \
				(void)b, (void)c;                                                      \
				rd[i] = o;                                                             \
				o = next;                                                              \
			})                                                                             \
			*(M *)acc->base = o;                                                           \
		} else {                                                                               \
			AT_LANES({                                                                     \
				M *p = (M *)acc->adr[i];                                               \
				const M o = *p, b = (M)rb[i], c = (M)rc[i];                            \
				(void)b, (void)c;                                                      \
				*p = (M)(expr);                                                        \
				rd[i] = o;                                                             \
			})                                                                             \
		}                                                                                      \
	}
// host_NAME does the same with atomics of the host. The value that it begins with is a guess.
#define AT_HOST(name, M, R, expr)                                                                      \
	static void host_##name(uint8_t *fp, const struct uop *restrict u, uint8_t *d,                 \
	                        const struct access *restrict acc)                                     \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		const R *rb = ROW(const R, u->b), *rc = ROW(const R, u->c);                            \
		R *rd = (R *)d;                                                                        \
		(void)rc;                                                                              \
		EACH(i) {                                                                              \
			M *p = (M *)access_lane(acc, i);                                               \
			const M b = (M)rb[i], c = (M)rc[i];                                            \
			M o = *(volatile M *)p;                                                        \
			(void)b, (void)c;                                                              \
			while (!swap_##M(p, &o, (M)(expr)))                                            \
				;                                                                      \
			rd[i] = o;                                                                     \
		}                                                                                      \
	}
#define AT(name, M, R, expr) AT_PLAIN(name, M, R, expr) AT_HOST(name, M, R, expr)

// Sums. A NaN is the canonical one, so that it doesn't depend on the order in which the compiler adds.
static inline uint32_t sum_f32(uint32_t x, uint32_t y)
{
	return softfp_bits_f32(softfp_canon_f32(softfp_f32(x) + softfp_f32(y)));
}

// f32 addition flushes subnormal operands and results in global memory, but not in shared memory (PTX ISA, atom).
static inline uint32_t sum_f32_ftz(uint32_t x, uint32_t y)
{
	const float r = softfp_ftz_f32(softfp_f32(x)) + softfp_ftz_f32(softfp_f32(y));

	return softfp_bits_f32(softfp_ftz_f32(softfp_canon_f32(r)));
}

static inline uint64_t sum_f64(uint64_t x, uint64_t y)
{
	return softfp_bits_f64(f64_canon(softfp_f64(x) + softfp_f64(y)));
}

// By way of f32, which has more than twice the digits and two: rounding twice gives what rounding once would.
static inline uint16_t sum_f16(uint16_t x, uint16_t y)
{
	return softfp_f32_to_f16(softfp_f16_to_f32(x) + softfp_f16_to_f32(y));
}

static inline uint16_t sum_bf16(uint16_t x, uint16_t y)
{
	return softfp_f32_to_bf16(softfp_bf16_to_f32(x) + softfp_bf16_to_f32(y));
}

static inline uint32_t sum_f16x2(uint32_t x, uint32_t y)
{
	return sum_f16((uint16_t)x, (uint16_t)y) | (uint32_t)sum_f16((uint16_t)(x >> 16), (uint16_t)(y >> 16)) << 16;
}

static inline uint32_t sum_bf16x2(uint32_t x, uint32_t y)
{
	return sum_bf16((uint16_t)x, (uint16_t)y) | (uint32_t)sum_bf16((uint16_t)(x >> 16), (uint16_t)(y >> 16)) << 16;
}

// The smaller or larger of two f16 or bf16 whose values are p and q; a NaN gives way to a number, -0 is below +0.
static inline uint16_t pick_half(uint16_t x, uint16_t y, float p, float q, bool max)
{
	if (p != p || q != q)
		return p == p ? x : q == q ? y : 0x7fff;
	if (p == q)
		return (x >> 15 != 0) == max ? y : x;
	return (p < q) == max ? y : x;
}

#define PICK(t)                                                                                         \
	static inline uint16_t pick_##t(uint16_t x, uint16_t y, bool max)                               \
	{                                                                                               \
		return pick_half(x, y, softfp_##t##_to_f32(x), softfp_##t##_to_f32(y), max);            \
	}                                                                                               \
	static inline uint32_t pick_##t##x2(uint32_t x, uint32_t y, bool max)                           \
	{                                                                                               \
		return pick_##t((uint16_t)x, (uint16_t)y, max) |                                        \
		       (uint32_t)pick_##t((uint16_t)(x >> 16), (uint16_t)(y >> 16), max) << 16;         \
	}
PICK(f16)
PICK(bf16)

// What atom and red both offer. min and max of halves are elements of vectors (see decode.c). X(name, suffix, memory
// type, row type, log2 of bytes, new value)
#define RED_OPS(X)                                                                     \
	X(add_u32, "add.u32", uint32_t, uint32_t, 2, o + b)                            \
	X(add_s32, "add.s32", uint32_t, uint32_t, 2, o + b)                            \
	X(add_u64, "add.u64", uint64_t, uint64_t, 3, o + b)                            \
	X(add_s64, "add.s64", uint64_t, uint64_t, 3, o + b)                            \
	X(min_u32, "min.u32", uint32_t, uint32_t, 2, b < o ? b : o)                    \
	X(min_s32, "min.s32", int32_t, int32_t, 2, b < o ? b : o)                      \
	X(min_u64, "min.u64", uint64_t, uint64_t, 3, b < o ? b : o)                    \
	X(min_s64, "min.s64", int64_t, int64_t, 3, b < o ? b : o)                      \
	X(max_u32, "max.u32", uint32_t, uint32_t, 2, b > o ? b : o)                    \
	X(max_s32, "max.s32", int32_t, int32_t, 2, b > o ? b : o)                      \
	X(max_u64, "max.u64", uint64_t, uint64_t, 3, b > o ? b : o)                    \
	X(max_s64, "max.s64", int64_t, int64_t, 3, b > o ? b : o)                      \
	X(inc_u32, "inc.u32", uint32_t, uint32_t, 2, o >= b ? 0 : o + 1)               \
	X(dec_u32, "dec.u32", uint32_t, uint32_t, 2, o == 0 || o > b ? b : o - 1)      \
	X(and_b32, "and.b32", uint32_t, uint32_t, 2, o & b)                            \
	X(and_b64, "and.b64", uint64_t, uint64_t, 3, o & b)                            \
	X(or_b32, "or.b32", uint32_t, uint32_t, 2, o | b)                              \
	X(or_b64, "or.b64", uint64_t, uint64_t, 3, o | b)                              \
	X(xor_b32, "xor.b32", uint32_t, uint32_t, 2, o ^ b)                            \
	X(xor_b64, "xor.b64", uint64_t, uint64_t, 3, o ^ b)                            \
	X(add_f64, "add.f64", uint64_t, uint64_t, 3, sum_f64(o, b))                    \
	X(add_f16, "add.noftz.f16", uint16_t, uint32_t, 1, sum_f16(o, b))              \
	X(add_f16x2, "add.noftz.f16x2", uint32_t, uint32_t, 2, sum_f16x2(o, b))        \
	X(add_bf16, "add.noftz.bf16", uint16_t, uint32_t, 1, sum_bf16(o, b))           \
	X(add_bf16x2, "add.noftz.bf16x2", uint32_t, uint32_t, 2, sum_bf16x2(o, b))   \
	X(min_f16, "min.noftz.f16", uint16_t, uint32_t, 1, pick_f16(o, b, false))          \
	X(min_f16x2, "min.noftz.f16x2", uint32_t, uint32_t, 2, pick_f16x2(o, b, false))    \
	X(min_bf16, "min.noftz.bf16", uint16_t, uint32_t, 1, pick_bf16(o, b, false))       \
	X(min_bf16x2, "min.noftz.bf16x2", uint32_t, uint32_t, 2, pick_bf16x2(o, b, false)) \
	X(max_f16, "max.noftz.f16", uint16_t, uint32_t, 1, pick_f16(o, b, true))           \
	X(max_f16x2, "max.noftz.f16x2", uint32_t, uint32_t, 2, pick_f16x2(o, b, true))     \
	X(max_bf16, "max.noftz.bf16", uint16_t, uint32_t, 1, pick_bf16(o, b, true))        \
	X(max_bf16x2, "max.noftz.bf16x2", uint32_t, uint32_t, 2, pick_bf16x2(o, b, true))
// What only atom offers.
#define SWAP_OPS(X)                                                                    \
	X(exch_b32, "exch.b32", uint32_t, uint32_t, 2, b)                              \
	X(exch_b64, "exch.b64", uint64_t, uint64_t, 3, b)                              \
	X(exch_b128, "exch.b128", b128, b128, 4, b)                                    \
	X(cas_b16, "cas.b16", uint16_t, uint32_t, 1, o == b ? c : o)                   \
	X(cas_b32, "cas.b32", uint32_t, uint32_t, 2, o == b ? c : o)                   \
	X(cas_b64, "cas.b64", uint64_t, uint64_t, 3, o == b ? c : o)                   \
	X(cas_b128, "cas.b128", b128, b128, 4, o == b ? c : o)

#define X(name, text, M, R, log2, expr) AT(name, M, R, expr)
RED_OPS(X)
SWAP_OPS(X)
#undef X
AT_PLAIN(add_f32, uint32_t, uint32_t, sum_f32(o, b))
AT(add_f32_ftz, uint32_t, uint32_t, sum_f32_ftz(o, b))

// Local memory is the lane's own, and its words are interleaved: the mover works on a copy of them. ptxas has an atomic on a generic
// address end in a load and a store where the address is neither global nor shared.
static void at_local(void (*at)(uint8_t *, const struct uop *, uint8_t *, const struct access *), uint8_t *fp, const struct uop *u, uint8_t *dest,
                     const struct access *acc, unsigned log2)
{
	enum { WORD = 4, MOST = 16 };
	const uint32_t mask = acc->mask;
	const size_t bytes = (size_t)1 << log2, piece = bytes < WORD ? bytes : WORD;
	_Alignas(MOST) uint8_t copy[WARP][MOST];
	struct access a = {.shape = ACCESS_SCATTER, .mask = mask};
	for (unsigned i = 0; i < WARP; i++)
		a.adr[i] = (uint64_t)(uintptr_t)copy[i];
	EACH(i)
		for (size_t k = 0; k < bytes; k += WORD)
			memcpy(copy[i] + k, access_lane(acc, i) + k * WARP, piece);
	at(fp, u, dest, &a);
	EACH(i)
		for (size_t k = 0; k < bytes; k += WORD)
			memcpy(access_lane(acc, i) + k * WARP, copy[i] + k, piece);
}

// A reduction has no destination: old values go to a row nobody reads.
#define DEST_ROW  uint8_t *dest = fp + u->d;
#define DEST_NONE _Alignas(64) uint8_t dest[WARP * sizeof(uint64_t)];

// Atomics in global, shared and generic memory. The mover of global memory is that of `g`, of shared memory that of `s`.
#define SPACES(op, name, DEST, log2, g, s)                                                             \
	BODY(op##_global_##name)                                                                       \
	{                                                                                              \
		struct access acc;                                                                     \
		DEST                                                                                   \
		if (access_global(fp, u, mask, w, log2, true, &acc))                                   \
			(u->flags & UOP_SYSTEM ? host_##g : at_##g)(fp, u, dest, &acc);                \
	}                                                                                              \
	BODY(op##_shared_##name)                                                                       \
	{                                                                                              \
		struct access acc;                                                                     \
		DEST                                                                                   \
		if (access_shared(fp, u, mask, w, log2, true, &acc))                                   \
			at_##s(fp, u, dest, &acc);                                                     \
	}                                                                                              \
	BODY(op##_generic_##name)                                                                      \
	{                                                                                              \
		struct access acc[ACCESS_PARTS];                                                       \
		DEST                                                                                   \
		unsigned parts = access_generic(fp, u, mask, w, log2, true, acc);                      \
		for (unsigned k = 0; k < parts; k++)                                                   \
			if (acc[k].local)                                                              \
				at_local(at_##s, fp, u, dest, &acc[k], log2);                          \
			else                                                                           \
				(acc[k].shared ? at_##s : u->flags & UOP_SYSTEM ? host_##g : at_##g)(fp, u, dest, &acc[k]); \
	}

#define X(name, text, M, R, log2, expr) SPACES(atom, name, DEST_ROW, log2, name, name)
RED_OPS(X)
SWAP_OPS(X)
#undef X
SPACES(atom, add_f32, DEST_ROW, 2, add_f32_ftz, add_f32)

#define X(name, text, M, R, log2, expr) SPACES(red, name, DEST_NONE, log2, name, name)
RED_OPS(X)
#undef X
SPACES(red, add_f32, DEST_NONE, 2, add_f32_ftz, add_f32)

#define ROWS(op, name, text)                         \
	{#op ".global." text, op##_global_##name},   \
	{#op ".shared." text, op##_shared_##name},   \
	{#op "." text, op##_generic_##name},
#define ATOM_ROW(name, text, ...) ROWS(atom, name, text)
#define RED_ROW(name, text, ...)  ROWS(red, name, text)

const struct exec_body EXEC_TABLE(atom)[] = {
	RED_OPS(ATOM_ROW) SWAP_OPS(ATOM_ROW) ATOM_ROW(add_f32, "add.f32")
	RED_OPS(RED_ROW) RED_ROW(add_f32, "add.f32")
	{0},
};
