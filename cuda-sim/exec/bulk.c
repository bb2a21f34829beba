#include "cuda-sim/exec/bulk.h"

#include "cuda-sim/exec/check.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/numbers/softfp.h"

#include <string.h>

enum { UNIT = 16, HALF = 16 };

// --- reductions

#define ELEMENTS(T, expr)                                                              \
	for (uint32_t k = 0; k < bytes; k += sizeof(T)) {                              \
		T o, b, r;                                                             \
		memcpy(&o, to + k, sizeof o);                                          \
		memcpy(&b, from + k, sizeof b);                                        \
		r = (T)(expr);                                                         \
		memcpy(to + k, &r, sizeof r);                                          \
	}
#define INTEGERS(T)                                                                    \
	switch (op) {                                                                  \
	case EXEC_BULK_ADD: ELEMENTS(T, o + b) break;                                  \
	case EXEC_BULK_MIN: ELEMENTS(T, b < o ? b : o) break;                          \
	case EXEC_BULK_MAX: ELEMENTS(T, b > o ? b : o) break;                          \
	case EXEC_BULK_INC: ELEMENTS(T, o >= b ? 0 : o + 1) break;                     \
	case EXEC_BULK_DEC: ELEMENTS(T, o == 0 || o > b ? b : o - 1) break;            \
	case EXEC_BULK_AND: ELEMENTS(T, o & b) break;                                  \
	case EXEC_BULK_OR: ELEMENTS(T, o | b) break;                                   \
	default: ELEMENTS(T, o ^ b) break;                                             \
	}

// A NaN gives way to a number; -0 is below +0.
static uint16_t pick(uint16_t x, uint16_t y, float p, float q, bool max)
{
	if (p != p || q != q)
		return p == p ? x : q == q ? y : 0x7fff;
	if (p == q)
		return (x >> 15 != 0) == max ? y : x;
	return (p < q) == max ? y : x;
}

#define HALVES(t)                                                                                                                       \
	if (op == EXEC_BULK_ADD)                                                                                                         \
		ELEMENTS(uint16_t, softfp_f32_to_##t(softfp_##t##_to_f32(o) + softfp_##t##_to_f32(b)))                                   \
	else                                                                                                                             \
		ELEMENTS(uint16_t, pick(o, b, softfp_##t##_to_f32(o), softfp_##t##_to_f32(b), op == EXEC_BULK_MAX))

// Sums of f32 take subnormal numbers as zeroes (PTX ISA, cp.reduce.async.bulk).
static float sum_f32(float a, float b) { return softfp_ftz_f32(softfp_canon_f32(softfp_ftz_f32(a) + softfp_ftz_f32(b))); }

static double sum_f64(double a, double b)
{
	const double s = a + b;
	return s == s ? s : softfp_f64(0x7fffffffffffffff);
}

void exec_bulk_reduce(enum exec_bulk_op op, enum uop_type type, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	switch (type) {
	case UOP_T_U32: INTEGERS(uint32_t) break;
	case UOP_T_S32:
		if (op == EXEC_BULK_ADD) // wraps around
			ELEMENTS(uint32_t, o + b)
		else
			INTEGERS(int32_t)
		break;
	case UOP_T_U64: INTEGERS(uint64_t) break;
	case UOP_T_S64:
		if (op == EXEC_BULK_ADD)
			ELEMENTS(uint64_t, o + b)
		else
			INTEGERS(int64_t)
		break;
	case UOP_T_F16: HALVES(f16) break;
	case UOP_T_BF16: HALVES(bf16) break;
	case UOP_T_F32: ELEMENTS(float, sum_f32(o, b)) break;
	case UOP_T_F64: ELEMENTS(double, sum_f64(o, b)) break;
	default: break;
	}
}

// --- copies

uint64_t exec_bulk_value(const uint8_t *fp, const struct exec_bulk_operand *o, unsigned lane)
{
	const uint32_t *word = (const uint32_t *)(fp + o->row);
	switch ((enum exec_bulk_row)o->how) {
	case EXEC_BULK_WORD: return word[lane] + (uint32_t)o->imm;
	case EXEC_BULK_LONG: return ((const uint64_t *)(fp + o->row))[lane] + (uint64_t)o->imm;
	case EXEC_BULK_PAIR: return (word[lane] | (uint64_t)word[WARP + lane] << 32) + (uint64_t)o->imm;
	default: return 0;
	}
}

static bool shared_side(struct warp *w, const struct uop *u, unsigned lane, uint64_t address, uint32_t bytes, bool write, uint8_t space,
                        struct exec_place *p)
{
	return exec_shared_place(w, u, lane, address, bytes, UNIT, write, space == EXEC_BULK_CLUSTER ? EXEC_CLUSTER : EXEC_OWN, p);
}

static bool global_side(struct warp *w, const struct uop *u, unsigned lane, uint64_t address, uint32_t bytes, bool write)
{
	return exec_aligned(w, u, lane, address, UNIT, "global address") && (!bytes || exec_check_span(w, u, lane, address, bytes, write));
}

static void put(const struct exec_bulk *b, uint8_t *to, const uint8_t *from, uint32_t bytes, uint32_t mask)
{
	if (b->op != EXEC_BULK_COPY) {
		exec_bulk_reduce((enum exec_bulk_op)b->op, (enum uop_type)b->type, to, from, bytes);
	} else if (b->mask.how) { // bit i: byte i of each 16
		for (uint32_t k = 0; k < bytes; k++)
			if (mask >> k % UNIT & 1)
				to[k] = from[k];
	} else {
		memmove(to, from, bytes);
	}
}

// The CTAs that get a copy; 0 after a fault.
static uint32_t targets(struct warp *w, const struct uop *u, unsigned lane, const struct exec_bulk *b, const struct exec_place *to, uint32_t asked)
{
	if (!b->multicast)
		return 1u << to->cta->rank;
	const uint32_t there = exec_cluster_ranks(w->cta);
	if (asked && !(asked & ~there))
		return asked;
	exec_fault(w, u, FAULT_LAUNCH, lane, asked, "a bulk copy goes to the CTAs 0x%x of its cluster, which has 0x%x", asked, there);
	return 0;
}

static void told(struct warp *w, unsigned lane, const struct exec_place *p, uint32_t bytes, bool write)
{
	if (w->cta->check && p->cta == w->cta)
		w->cta->check->by->proxied(w, lane, p->offset, bytes, write);
}

// To shared memory, of one CTA or several. The mbarrier lies in each of them at the same place.
static void to_shared(struct warp *w, const uint8_t *fp, const struct uop *u, unsigned lane, const struct exec_bulk *b, uint32_t bytes, uint32_t ctas)
{
	const uint64_t dst = exec_bulk_value(fp, &b->dst, lane), src = exec_bulk_value(fp, &b->src, lane);
	const bool global = b->from == EXEC_BULK_GLOBAL;
	const struct fe_piece piece = {src, bytes};
	struct exec_copy c = {.kind = global ? EXEC_COPY_LOAD : EXEC_COPY_REMOTE, .bytes = bytes, .piece = global ? &piece : NULL, .n_piece = global};
	struct exec_place to, from = {0}, bar;
	if (!shared_side(w, u, lane, dst, bytes, true, b->to, &to) ||
	    !exec_shared_place(w, u, lane, exec_bulk_value(fp, &b->mbarrier, lane), 8, 8, true, b->to == EXEC_BULK_CLUSTER ? EXEC_CLUSTER : EXEC_OWN, &bar))
		return;
	if (global ? !global_side(w, u, lane, src, bytes, false) : !shared_side(w, u, lane, src, bytes, false, EXEC_BULK_SHARED, &from))
		return;
	if (bar.cta != to.cta && !b->multicast) {
		exec_fault(w, u, FAULT_LAUNCH, lane, dst, "a bulk copy goes to the shared memory of CTA %u of the cluster, its mbarrier is in that of CTA %u",
		           to.cta->rank, bar.cta->rank);
		return;
	}
	const uint32_t there = targets(w, u, lane, b, &to, ctas);
	uint8_t *image = there && global ? exec_copy_image(w, bytes) : NULL;
	if (image)
		memcpy(image, (const uint8_t *)src, bytes);
	for (uint32_t m = there; m; m &= m - 1) {
		struct exec_place p = to;
		if (b->multicast && w->cta->cluster)
			p.cta = w->cta->cluster->cta[__builtin_ctz(m)];
		p.at = p.cta->shared + p.offset;
		told(w, lane, &p, bytes, true);
		if (!image)
			put(b, p.at, global ? (const uint8_t *)src : from.at, bytes, 0);
	}
	if (!global && from.cta)
		told(w, lane, &from, bytes, false);
	c.shared = to.offset;
	c.mbarrier = bar.offset;
	c.ctas = (uint16_t)there;
	c.image = image;
	if (there)
		exec_copy_start(w, u, lane, &c);
}

static void to_global(struct warp *w, const uint8_t *fp, const struct uop *u, unsigned lane, const struct exec_bulk *b, uint32_t bytes)
{
	const struct fe_piece piece = {exec_bulk_value(fp, &b->dst, lane), bytes};
	struct exec_place from;
	if (!shared_side(w, u, lane, exec_bulk_value(fp, &b->src, lane), bytes, false, EXEC_BULK_SHARED, &from) ||
	    !global_side(w, u, lane, piece.address, bytes, true))
		return;
	told(w, lane, &from, bytes, false);
	put(b, (uint8_t *)piece.address, from.at, bytes, (uint32_t)exec_bulk_value(fp, &b->mask, lane));
	exec_copy_start(w, u, lane, &(struct exec_copy){.kind = b->op == EXEC_BULK_COPY ? EXEC_COPY_STORE : EXEC_COPY_REDUCE, .bytes = bytes,
	                                                .shared = from.offset, .mbarrier = EXEC_NO_MBARRIER, .piece = &piece, .n_piece = 1});
}

static void prefetch(struct warp *w, const uint8_t *fp, const struct uop *u, unsigned lane, const struct exec_bulk *b, uint32_t bytes)
{
	const struct fe_piece piece = {exec_bulk_value(fp, &b->src, lane), bytes};
	if (global_side(w, u, lane, piece.address, bytes, false))
		exec_copy_start(w, u, lane, &(struct exec_copy){.kind = EXEC_COPY_PREFETCH, .bytes = bytes, .mbarrier = EXEC_NO_MBARRIER, .piece = &piece,
		                                                .n_piece = 1});
}

void exec_bulk_start(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_bulk *b)
{
	for (uint32_t m = b->machine ? mask & (0 - mask) : mask; m && !w->fault; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);
		const uint32_t size = (uint32_t)exec_bulk_value(fp, &b->size, lane);
		const uint32_t bytes = b->machine ? (size & 0xffff) * UNIT : size, ctas = b->machine ? size >> HALF : (uint32_t)exec_bulk_value(fp, &b->ctas, lane) & 0xffff;
		if (!exec_aligned(w, u, lane, bytes, UNIT, "size"))
			return;
		if (b->op == EXEC_BULK_PREFETCH)
			prefetch(w, fp, u, lane, b, bytes);
		else if (b->to == EXEC_BULK_GLOBAL)
			to_global(w, fp, u, lane, b, bytes);
		else
			to_shared(w, fp, u, lane, b, bytes, ctas);
	}
}
