// Atomics and reductions. Lanes act one after the other in lane order; one thread simulates, so plain memory operations
// suffice.
#include "cuda-sim/exec/mem_access.h"

// The movers: at_NAME reads old values into the row `d` and updates memory. `o` is the old value, b and c the operands,
// and expr the new value. Lanes that share one address keep the value in a register.
#define AT(name, T, expr)                                                                              \
	static void at_##name(uint8_t *restrict fp, const struct uop *restrict u, uint8_t *restrict d, \
	                      const struct access *restrict acc)                                       \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		const T *rb = ROW(const T, u->b), *rc = ROW(const T, u->c);                            \
		T *rd = (T *)d;                                                                        \
		(void)rc;                                                                              \
		if (acc->shape == ACCESS_UNIFORM) {                                                    \
			T o = *(T *)acc->base;                                                         \
			EACH(i) {                                                                      \
				const T b = rb[i], c = rc[i];                                          \
				(void)b, (void)c;                                                      \
				const T next = (T)(expr);                                              \
				rd[i] = o;                                                             \
				o = next;                                                              \
			}                                                                              \
			*(T *)acc->base = o;                                                           \
		} else {                                                                               \
			EACH(i) {                                                                      \
				T *p = (T *)access_lane(acc, i);                                       \
				const T o = *p, b = rb[i], c = rc[i];                                  \
				(void)b, (void)c;                                                      \
				*p = (T)(expr);                                                        \
				rd[i] = o;                                                             \
			}                                                                              \
		}                                                                                      \
	}

// X(name, suffix, type, log2 of bytes, new value): what atom offers; red is the same without cas and exch.
#define INT_OPS(X)                                                           \
	X(add_u32, "add.u32", uint32_t, 2, o + b)                            \
	X(add_u64, "add.u64", uint64_t, 3, o + b)                            \
	X(min_u32, "min.u32", uint32_t, 2, b < o ? b : o)                    \
	X(min_s32, "min.s32", int32_t, 2, b < o ? b : o)                     \
	X(min_u64, "min.u64", uint64_t, 3, b < o ? b : o)                    \
	X(min_s64, "min.s64", int64_t, 3, b < o ? b : o)                     \
	X(max_u32, "max.u32", uint32_t, 2, b > o ? b : o)                    \
	X(max_s32, "max.s32", int32_t, 2, b > o ? b : o)                     \
	X(max_u64, "max.u64", uint64_t, 3, b > o ? b : o)                    \
	X(max_s64, "max.s64", int64_t, 3, b > o ? b : o)                     \
	X(inc_u32, "inc.u32", uint32_t, 2, o >= b ? 0 : o + 1)               \
	X(dec_u32, "dec.u32", uint32_t, 2, o == 0 || o > b ? b : o - 1)      \
	X(and_b32, "and.b32", uint32_t, 2, o & b)                            \
	X(and_b64, "and.b64", uint64_t, 3, o & b)                            \
	X(or_b32, "or.b32", uint32_t, 2, o | b)                              \
	X(or_b64, "or.b64", uint64_t, 3, o | b)                              \
	X(xor_b32, "xor.b32", uint32_t, 2, o ^ b)                            \
	X(xor_b64, "xor.b64", uint64_t, 3, o ^ b)
// Wrap-around addition is the same for signed numbers.
#define INT_ALIASES(X)               \
	X(add_u32, "add.s32")        \
	X(add_u64, "add.s64")
#define SWAP_OPS(X)                                                          \
	X(exch_b32, "exch.b32", uint32_t, 2, b)                              \
	X(exch_b64, "exch.b64", uint64_t, 3, b)                              \
	X(cas_b32, "cas.b32", uint32_t, 2, o == b ? c : o)                   \
	X(cas_b64, "cas.b64", uint64_t, 3, o == b ? c : o)
#define FLOAT_OPS(X) X(add_f64, "add.f64", double, 3, o + b)

#define X(name, text, T, log2, expr) AT(name, T, expr)
INT_OPS(X)
SWAP_OPS(X)
FLOAT_OPS(X)
AT(add_f32, float, o + b)
#undef X

// f32 addition flushes subnormal operands and results in global memory, but not in shared memory (PTX ISA, atom).
static inline float flush(float x)
{
	uint32_t v;

	memcpy(&v, &x, 4);
	if (!(v & 0x7f800000u))
		v &= 0x80000000u;
	memcpy(&x, &v, 4);
	return x;
}

AT(add_f32_ftz, float, flush(flush(o) + flush(b)))

// Atomics reach local memory through generic addresses only by mistake.
static bool refuse_local(const uint8_t *fp, const struct uop *u, struct warp *w, const struct access *acc, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		if (acc[k].local) {
			unsigned lane = (unsigned)__builtin_ctz(acc[k].mask);

			exec_fault(w, u, FAULT_INVALID_SPACE, lane, exec_lane_addr(fp, u, lane),
			           "atomic on local memory: atomics work on global and shared memory only");
			return true;
		}
	}
	return false;
}

// A reduction has no destination: old values go to a row nobody reads.
#define DEST_ROW  uint8_t *dest = fp + u->d;
#define DEST_NONE _Alignas(64) uint8_t dest[WARP * sizeof(uint64_t)];

// Atomics in global, shared and generic memory. `at_g` moves global memory, `at_s` shared memory.
#define SPACES(op, name, DEST, log2, at_g, at_s)                                                       \
	BODY(op##_global_##name)                                                                       \
	{                                                                                              \
		struct access acc;                                                                     \
		DEST                                                                                   \
		if (access_global(fp, u, mask, w, log2, true, &acc))                                   \
			at_g(fp, u, dest, &acc);                                                       \
	}                                                                                              \
	BODY(op##_shared_##name)                                                                       \
	{                                                                                              \
		struct access acc;                                                                     \
		DEST                                                                                   \
		if (access_shared(fp, u, mask, w, log2, true, &acc))                                   \
			at_s(fp, u, dest, &acc);                                                       \
	}                                                                                              \
	BODY(op##_generic_##name)                                                                      \
	{                                                                                              \
		struct access acc[ACCESS_PARTS];                                                       \
		DEST                                                                                   \
		unsigned parts = access_generic(fp, u, mask, w, log2, true, acc);                      \
		if (refuse_local(fp, u, w, acc, parts))                                                \
			return;                                                                        \
		for (unsigned k = 0; k < parts; k++)                                                   \
			(acc[k].shared ? at_s : at_g)(fp, u, dest, &acc[k]);                           \
	}

#define X(name, text, T, log2, expr) SPACES(atom, name, DEST_ROW, log2, at_##name, at_##name)
INT_OPS(X)
SWAP_OPS(X)
FLOAT_OPS(X)
#undef X
SPACES(atom, add_f32, DEST_ROW, 2, at_add_f32_ftz, at_add_f32)

#define X(name, text, T, log2, expr) SPACES(red, name, DEST_NONE, log2, at_##name, at_##name)
INT_OPS(X)
FLOAT_OPS(X)
#undef X
SPACES(red, add_f32, DEST_NONE, 2, at_add_f32_ftz, at_add_f32)

#define ROWS(op, name, text)                         \
	{#op ".global." text, op##_global_##name},   \
	{#op ".shared." text, op##_shared_##name},   \
	{#op "." text, op##_generic_##name},

#define ATOM_ROW(name, text, ...) ROWS(atom, name, text)
#define RED_ROW(name, text, ...)  ROWS(red, name, text)

const struct exec_body EXEC_TABLE(atom)[] = {
	INT_OPS(ATOM_ROW) INT_ALIASES(ATOM_ROW) SWAP_OPS(ATOM_ROW) FLOAT_OPS(ATOM_ROW)
	ATOM_ROW(add_f32, "add.f32")
	INT_OPS(RED_ROW) INT_ALIASES(RED_ROW) FLOAT_OPS(RED_ROW)
	RED_ROW(add_f32, "add.f32")
	{0},
};
