// The executor's vocabulary: micro-ops, register rows, and the macros in which instruction bodies are written.
//
// A register of a warp is a row: 32 lanes side by side, 4 bytes a lane for types up to 32 bits, 8 bytes for 64 bits.
// A predicate is one uint32_t mask. Rows live in the frame of the running function at byte offsets fixed by the
// decoder; immediates, kernel parameters and special registers are rows too, so a body never asks where an operand is.
//
// Rules for bodies
//  - Lanes outside `mask` keep their destination. Use LANES(), which has a fast path for the full mask.
//  - A lane of a 32-bit row that holds a type narrower than 32 bits is valid in its low bits only: bodies narrow what
//    they read by casting; what they write above is not looked at.
//  - Destination and source rows may be the same row; they never overlap partly.
//  - No host libm. Results must not depend on the CPU level the file is compiled for.
#ifndef CUDA_SIM_EXEC_EXEC_H
#define CUDA_SIM_EXEC_EXEC_H

#include "cuda-sim/ptx/ptx.h"
#include "isa/frontend.h"

#include <string.h>

enum { WARP = 32 };
#define FULL_MASK 0xffffffffu

struct warp;
struct uop;

typedef void exec_fn(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w);

// Control micro-ops are executed by simt.c; everything else by fn.
enum uop_ctl {
	CTL_NONE,
	CTL_BRA,    // imm: target; uniform if the guard is
	CTL_BRX,    // indirect branch through a table
	CTL_CALL,
	CTL_RET,
	CTL_EXIT,
	CTL_BAR,      // a: barrier, b: count or 0, c: predicate, x[0]: enum uop_bar
	CTL_WARPSYNC, // bar.warp.sync, and what must first gather the lanes of its member mask
	CTL_CLOCK,    // x[1]: 64-bit lanes, x[2]: upper half
	CTL_TRAP,
};

enum uop_bar { UOP_BAR_SYNC, UOP_BAR_ARRIVE, UOP_BAR_POPC, UOP_BAR_AND, UOP_BAR_OR };

enum uop_flag {
	UOP_NEG_GUARD = 1,
	UOP_NEG_A = 2,     // predicate operand written !p
	UOP_NEG_B = 4,
	UOP_NEG_C = 8,
	UOP_ADDR64 = 16,   // the address row `a` has 64-bit lanes
	UOP_EXTRA = 32,    // continues the instruction before it: not counted
	UOP_GATHER = 64,   // .sync: the lanes of the member mask, row x[3], must be here together
	UOP_OBJECT = 256,  // tex, tld4, txq: imm is the row of the texture objects' handles, else it is a struct texture *
	UOP_POLL = 128,    // may be part of a spin loop: atomics with a result, volatile and acquire loads, nanosleep
};

// Decoded once, 64 bytes. Operand conventions (offsets of rows from fp, in bytes; predicates: of their mask):
//  d = first destination (a scratch row if it is `_`), a b c = sources in the order they are written.
//  d|p            x[0] = p (scratch if absent)
//  ld             d or, for vectors, x[0..vec-1]; a = base address row, imm = constant offset
//  st             a, imm as ld; b = value or, for vectors, x[0..vec-1]
//  atom           d; a, imm; b, c = operands      red: a, imm; b
//  {v} sources    x[0..n-1] (mov pack); {v} destinations x[0..n-1] (mov unpack)
//  a fourth source goes to x[0] (x[1] if x[0] is taken by p)
struct uop {
	exec_fn *fn;
	const struct ptx_inst *inst; // for rare modifiers and messages
	int32_t d, a, b, c;
	int32_t x[4];
	int64_t imm;
	int32_t guard;    // offset of the guard's mask, 0 none
	uint8_t ctl;      // enum uop_ctl
	uint8_t cls;      // enum isa_class
	uint16_t flags;   // enum uop_flag
};

enum {
	EXEC_HITS = 16,
	// Micro-ops of a function start here: one per cache line, and exec_hit tells their number from their address.
	EXEC_UOP_ALIGN = EXEC_HITS * 64,
};
_Static_assert(EXEC_UOP_ALIGN == EXEC_HITS * sizeof(struct uop), "see exec_hit");

// What bodies may use of the warp and its CTA. The rest is simt.h's.
struct exec_cta {
	struct kernel_launch *launch;
	uint8_t *shared;          // the CTA's shared memory
	uint32_t shared_size;     // static + dynamic
	uint32_t local_size;      // bytes of local memory a thread has
	uint64_t param_addr;      // device address of the kernel's parameters, 0 unless it asks for that
	uint32_t id[3];
	uint32_t sm;              // it runs on
	uint32_t block[3];        // threads of the CTA
	struct devmem_hit hit[EXEC_HITS]; // last allocation touched, by instruction: see exec_hit
};

struct warp {
	uint8_t *fp;              // rows of the running function
	struct exec_cta *cta;
	uint8_t *local;           // local memory of the warp: word i of lane l is ((uint32_t *)local)[i * WARP + l]
	uint32_t id;              // warp number in the CTA
	uint32_t fault;           // enum fault_kind once something went wrong; ends the run
	uint32_t live;            // lanes that have not exited
	uint32_t active;          // lanes of the running split
	uint32_t cc;              // carry flags of add.cc and friends, one bit a lane
	struct fe_result *texels; // where a texture fetch lists the texels it reads; NULL: nobody asks
};

// The range cache of one instruction: kernels go from array to array, but an instruction mostly stays with one.
// Chosen by the number of the micro-op in its function (EXEC_UOP_ALIGN), so no host address matters.
static inline struct devmem_hit *exec_hit(struct warp *w, const struct uop *u)
{
	return &w->cta->hit[(uintptr_t)u / sizeof *u % EXEC_HITS];
}

// Records the first fault of the launch. Further detail is added by the caller of the body (kernel, CTA, pc).
void exec_fault(struct warp *w, const struct uop *u, enum fault_kind kind, unsigned lane, uint64_t addr,
                const char *fmt, ...) __attribute__((format(printf, 6, 7)));

// One row of a family's table: the instruction's key (ptx_inst.key) and its body. A key may contain '*' for any run of
// characters; exact keys are looked up first, then patterns in table order.
struct exec_body {
	const char *key;
	exec_fn *fn;
};

// The family tables, each ended by a row with key NULL. A new file in exec/ is added to this list.
#define EXEC_FAMILIES(X) X(int) X(logic) X(float) X(half) X(cmp) X(cvt) X(mov) X(warp) X(mem) X(atom) X(tex) X(video)

// The body for `key` at the best level of this CPU, or NULL. The level can be forced by exec_set_level (tests).
exec_fn *exec_find(const char *key);
enum exec_level { EXEC_PLAIN, EXEC_AVX2, EXEC_AVX512 };
enum exec_level exec_best_level(void);
exec_fn *exec_find_at(enum exec_level level, const char *key);

// The loop that follows has no dependence between iterations: rows never overlap partly.
#ifdef __clang__
#define EXEC_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define EXEC_VECTOR _Pragma("GCC ivdep")
#endif

#ifdef EXEC_LEVEL // inside exec/*.c

#define EXEC_CAT_(a, b) a##_##b
#define EXEC_CAT(a, b)  EXEC_CAT_(a, b)
// The table of a family: const struct exec_body EXEC_TABLE(int)[] = { {"add.s32", add_b32}, ..., {0} };
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

#endif // EXEC_LEVEL
#endif
