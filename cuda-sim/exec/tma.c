#include "cuda-sim/exec/tma.h"

#include "base/mem.h"
#include "cuda-sim/exec/check.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/tensor/tile.h"

#include <string.h>

// An aligned span of shared memory that swizzles keep within themselves, and most bytes that a copy can bring: all of an SM's memory.
// SPAN: bytes that no swizzle parts. ROW: most bytes of a row of a box, 256 pixels of 32 bytes. PIECES: kept without allocating.
enum { SHARED_ALIGN = 128, SPAN = 8, ROW = 8192, PIECES = 1024 };
#define MOST_BYTES (256u << 10)

// One copy under way.
struct move {
	struct warp *w;
	const struct uop *u;
	unsigned lane;
	const struct exec_tensor *t;
	struct tensor_map map;
	struct exec_place to;                       // or from
	uint8_t *cta[EXEC_CLUSTER_MAX];             // LOAD: where the shared memory of each CTA begins that gets it
	unsigned n_cta;
	uint8_t *image;                             // LOAD: where its bytes wait; NULL: they go to their place
	uint32_t all;                               // bytes
	uint8_t row[ROW];
	struct fe_piece piece[PIECES], *pieces;
	uint32_t n_piece, room;
};

static bool bad_map(struct move *m, uint64_t at, const char *why)
{
	exec_fault(m->w, m->u, FAULT_LAUNCH, m->lane, at, "the tensor map at 0x%llx does not fit the copy: %s", (unsigned long long)at, why);
	return false;
}

// The map of a copy. It may lie in any memory that the GPU reads.
static bool take_map(struct move *m, uint64_t at)
{
	const struct exec_tensor *t = m->t;
	uint8_t bytes[TENSOR_MAP_BYTES];
	if (!exec_aligned(m->w, m->u, m->lane, at, TENSOR_MAP_ALIGN, "address of a tensor map") ||
	    !exec_check_span(m->w, m->u, m->lane, at, TENSOR_MAP_BYTES, false))
		return false;
	memcpy(bytes, (const void *)(uintptr_t)at, sizeof bytes);
	tensor_map_decode(bytes, &m->map);
	const char *why = tensor_map_wrong(&m->map, m->w->cta->launch->info->machine.arch);
	if (why)
		return bad_map(m, at, why);
	if (m->map.rank != t->rank)
		return bad_map(m, at, "it has another number of dimensions");
	if ((m->map.mode != TENSOR_MAP_TILE) != t->im2col)
		return bad_map(m, at, t->im2col ? "it is no map for im2col" : "it is a map for im2col");
	if (m->map.mode > TENSOR_MAP_IM2COL || m->map.type >= TENSOR_MAP_B4 || (t->im2col && m->map.interleave))
		return bad_map(m, at, "such maps are not executed by this version");
	if (tensor_tile_bytes(&m->map) > MOST_BYTES)
		return bad_map(m, at, "its box is larger than shared memory");
	m->all = (uint32_t)tensor_tile_bytes(&m->map);
	return true;
}

static void take_place(const uint8_t *fp, const struct exec_tensor *t, unsigned lane, struct tensor_place *p)
{
	const unsigned n = t->rank - 2u, bits = n == 1 ? 16 : n == 2 ? 8 : 5;
	*p = (struct tensor_place){0};
	for (unsigned k = 0; k < t->rank; k++)
		p->at[k] = (int32_t)exec_bulk_value(fp, &t->at[k], lane);
	for (unsigned k = 0; t->im2col && k < n; k++)
		p->offset[k] = t->machine ? (uint32_t)exec_bulk_value(fp, &t->offset[0], lane) >> k * bits & ((1u << bits) - 1)
		                          : (uint32_t)exec_bulk_value(fp, &t->offset[k], lane) & 0xffff;
}

static void note(struct move *m, const struct tensor_row *r)
{
	struct fe_piece *last = m->n_piece ? &m->pieces[m->n_piece - 1] : NULL;
	if (last && last->address + last->bytes == r->global) {
		last->bytes += r->inside;
		return;
	}
	if (m->n_piece == m->room) {
		struct fe_piece *more = mem_alloc(2 * m->room * sizeof *more);
		memcpy(more, m->pieces, m->room * sizeof *more);
		if (m->pieces != m->piece)
			mem_free(m->pieces);
		m->pieces = more;
		m->room *= 2;
	}
	m->pieces[m->n_piece++] = (struct fe_piece){r->global, r->inside};
}

// The bytes of a row into shared memory, from its offset `at` in the box on.
static void put_row(struct move *m, uint32_t at, uint32_t bytes)
{
	for (uint32_t k = 0; k < bytes;) {
		const uint32_t from = m->to.offset + at + k, n = bytes - k < SPAN - from % SPAN ? bytes - k : SPAN - from % SPAN;
		const uint32_t to = tensor_tile_swizzle(&m->map, from);
		for (unsigned c = 0; c < m->n_cta; c++)
			memcpy(m->cta[c] + to, m->row + k, n);
		k += n;
	}
}

static bool load_row(void *ctx, const struct tensor_row *r)
{
	struct move *m = ctx;
	if (r->inside && !exec_check_span(m->w, m->u, m->lane, r->global, r->inside, false))
		return false;
	if (r->inside)
		note(m, r);
	tensor_tile_fill(&m->map, m->row, r->before);
	memcpy(m->row + r->before, (const void *)(uintptr_t)r->global, r->inside);
	tensor_tile_convert(&m->map, m->row + r->before, r->inside);
	tensor_tile_fill(&m->map, m->row + r->before + r->inside, r->after);
	if (m->image)
		memcpy(m->image + r->at, m->row, r->before + r->inside + r->after);
	else
		put_row(m, r->at, r->before + r->inside + r->after);
	return true;
}

static bool prefetch_row(void *ctx, const struct tensor_row *r)
{
	struct move *m = ctx;
	if (r->inside && !exec_check_span(m->w, m->u, m->lane, r->global, r->inside, false))
		return false;
	if (r->inside)
		note(m, r);
	return true;
}

static enum uop_type number_of(uint8_t type)
{
	static const uint8_t types[] = {[TENSOR_MAP_U32] = UOP_T_U32, [TENSOR_MAP_S32] = UOP_T_S32, [TENSOR_MAP_U64] = UOP_T_U64,
	                                [TENSOR_MAP_S64] = UOP_T_S64, [TENSOR_MAP_F16] = UOP_T_F16, [TENSOR_MAP_F32] = UOP_T_F32,
	                                [TENSOR_MAP_F32_FTZ] = UOP_T_F32, [TENSOR_MAP_F64] = UOP_T_F64, [TENSOR_MAP_BF16] = UOP_T_BF16};
	return type < sizeof types ? types[type] : UOP_T_NONE;
}

// Whether elements of the map's type have the reduction; the types are those of cp.reduce.async.bulk.
static bool reduces(uint8_t op, enum uop_type t)
{
	switch (op) {
	case EXEC_BULK_ADD: return t == UOP_T_U32 || t == UOP_T_S32 || t == UOP_T_U64 || t == UOP_T_S64 || t == UOP_T_F16 || t == UOP_T_BF16 ||
	                           t == UOP_T_F32 || t == UOP_T_F64;
	case EXEC_BULK_MIN: case EXEC_BULK_MAX:
		return t == UOP_T_U32 || t == UOP_T_S32 || t == UOP_T_U64 || t == UOP_T_S64 || t == UOP_T_F16 || t == UOP_T_BF16;
	case EXEC_BULK_INC: case EXEC_BULK_DEC: return t == UOP_T_U32;
	default: return t == UOP_T_U32 || t == UOP_T_S32 || t == UOP_T_U64 || t == UOP_T_S64;
	}
}

static bool store_row(void *ctx, const struct tensor_row *r)
{
	struct move *m = ctx;
	uint8_t *to = (uint8_t *)(uintptr_t)r->global;
	if (!r->inside)
		return true;
	if (!exec_check_span(m->w, m->u, m->lane, r->global, r->inside, true))
		return false;
	note(m, r);
	const uint32_t first = m->to.offset + r->at + r->before;
	for (uint32_t k = 0; k < r->inside;) {
		const uint32_t from = first + k, n = r->inside - k < SPAN - from % SPAN ? r->inside - k : SPAN - from % SPAN;
		memcpy(m->row + k, m->to.cta->shared + tensor_tile_swizzle(&m->map, from), n);
		k += n;
	}
	tensor_tile_convert(&m->map, m->row, r->inside);
	if (m->t->kind == EXEC_TENSOR_REDUCE)
		exec_bulk_reduce((enum exec_bulk_op)m->t->op, number_of(m->map.type), to, m->row, r->inside);
	else
		memcpy(to, m->row, r->inside);
	return true;
}

// The CTAs that get a load; 0 after a fault.
static uint32_t targets(struct move *m, uint32_t asked)
{
	if (!m->t->multicast) {
		m->cta[m->n_cta++] = m->to.cta->shared;
		return 1u << m->to.cta->rank;
	}
	const uint32_t there = exec_cluster_ranks(m->w->cta);
	if (!asked || asked & ~there) {
		exec_fault(m->w, m->u, FAULT_LAUNCH, m->lane, asked, "a tensor copy goes to the CTAs 0x%x of its cluster, which has 0x%x", asked, there);
		return 0;
	}
	for (uint32_t k = asked; k; k &= k - 1)
		m->cta[m->n_cta++] = exec_cluster_at(m->w->cta, (uint32_t)__builtin_ctz(k))->shared;
	return asked;
}

// Swizzles move bytes within lines of 128 bytes: the last one is touched whole.
static uint32_t touched(const struct move *m)
{
	return m->map.swizzle ? (m->all + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN : m->all;
}

static void told(const struct move *m, bool write)
{
	if (m->w->cta->check && m->to.cta == m->w->cta)
		m->w->cta->check->by->proxied(m->w, m->lane, m->to.offset, touched(m), write);
}

static void run(struct move *m, const uint8_t *fp, struct exec_copy *c)
{
	static bool (*const rows[])(void *, const struct tensor_row *) = {load_row, store_row, store_row, prefetch_row};
	struct tensor_place p;
	take_place(fp, m->t, m->lane, &p);
	m->pieces = m->piece;
	m->room = PIECES;
	if (tensor_tile_rows(&m->map, &p, rows[m->t->kind], m)) {
		c->piece = m->pieces;
		c->n_piece = m->n_piece;
		exec_copy_start(m->w, m->u, m->lane, c);
	}
	if (m->pieces != m->piece)
		mem_free(m->pieces);
}

static void copy(struct warp *w, const uint8_t *fp, const struct uop *u, unsigned lane, const struct exec_tensor *t)
{
	static const uint8_t kinds[] = {EXEC_COPY_LOAD, EXEC_COPY_STORE, EXEC_COPY_REDUCE, EXEC_COPY_PREFETCH};
	struct move m;
	const uint64_t at = exec_bulk_value(fp, &t->map, lane), shared = exec_bulk_value(fp, &t->shared, lane);
	const enum exec_reach reach = t->kind == EXEC_TENSOR_LOAD && !t->own ? EXEC_CLUSTER : EXEC_OWN;
	struct exec_copy c = {.kind = kinds[t->kind], .tensor = true, .map = at, .mbarrier = EXEC_NO_MBARRIER};
	struct exec_place bar;
	m.w = w, m.u = u, m.lane = lane, m.t = t;
	m.n_cta = m.n_piece = 0;
	m.image = NULL;
	m.to = (struct exec_place){0};
	if (!take_map(&m, at))
		return;
	c.bytes = m.all;
	if (t->kind == EXEC_TENSOR_REDUCE && !reduces(t->op, number_of(m.map.type))) {
		bad_map(&m, at, "elements of its type have no such reduction");
		return;
	}
	if (t->kind != EXEC_TENSOR_PREFETCH &&
	    !exec_shared_place(w, u, lane, shared, touched(&m), SHARED_ALIGN, t->kind == EXEC_TENSOR_LOAD, reach, &m.to))
		return;
	c.shared = m.to.offset;
	if (t->kind == EXEC_TENSOR_LOAD) {
		const uint32_t asked = (uint32_t)exec_bulk_value(fp, t->machine ? &t->offset[0] : &t->ctas, lane);
		if (!exec_shared_place(w, u, lane, exec_bulk_value(fp, &t->mbarrier, lane), 8, 8, true, reach, &bar))
			return;
		if (bar.cta != m.to.cta && !t->multicast) {
			exec_fault(w, u, FAULT_LAUNCH, lane, shared, "a tensor copy goes to the shared memory of CTA %u of the cluster, its mbarrier is in that of CTA %u",
			           m.to.cta->rank, bar.cta->rank);
			return;
		}
		c.mbarrier = bar.offset;
		c.ctas = (uint16_t)targets(&m, t->machine ? asked >> 16 : asked & 0xffff);
		if (!c.ctas)
			return;
		m.image = exec_copy_image(w, m.all);
		c.image = m.image;
		c.swizzle = m.map.swizzle, c.atom = m.map.atom;
		told(&m, true);
	} else if (t->kind != EXEC_TENSOR_PREFETCH) {
		told(&m, false);
	}
	run(&m, fp, &c);
}

void exec_tensor_start(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_tensor *t)
{
	for (uint32_t m = t->machine ? mask & (0 - mask) : mask; m && !w->fault; m &= m - 1)
		copy(w, fp, u, (unsigned)__builtin_ctz(m), t);
}

// --- maps that change

// `bits` bits of the word at byte `at` become those of `v`.
static void set(uint8_t *map, unsigned at, unsigned low, unsigned bits, uint32_t v)
{
	const uint32_t ones = (bits < 32 ? 1u << bits : 0) - 1;
	uint32_t word;
	memcpy(&word, map + at, sizeof word);
	word = (word & ~(ones << low)) | (v & ones) << low;
	memcpy(map + at, &word, sizeof word);
}

// As ptxas's code for sm_90a does, see cuda-sim/tensor/map.h.
static void change(uint8_t *map, enum exec_map_field field, unsigned k, uint64_t value)
{
	const uint32_t v = (uint32_t)value;
	switch (field) {
	case EXEC_MAP_ADDRESS: memcpy(map, &value, sizeof value); break;
	case EXEC_MAP_RANK: set(map, 0x08, 4, 3, v); break;
	case EXEC_MAP_BOX:
		if (k)
			set(map, 0x38, 8 * (k - 1), 8, v - 1);
		else
			set(map, 0x34, 24, 8, v - 1);
		break;
	case EXEC_MAP_SIZE: set(map, 0x20 + 4 * k, 0, 32, v - 1); break;
	case EXEC_MAP_STRIDE:
		set(map, 0x0c + 4 * k, 0, 32, (uint32_t)(value >> 4));
		set(map, 0x1c, 4 * k, 4, (uint32_t)(value >> 36));
		break;
	case EXEC_MAP_STEP: set(map, 0x34, 3 * k, 3, v - 1); break;
	case EXEC_MAP_TYPE:
		if (v == TENSOR_MAP_TF32 || v == TENSOR_MAP_TF32_FTZ)
			set(map, 0x08, 16, 1, 1);
		set(map, 0x08, 7, 4, v == TENSOR_MAP_TF32 ? TENSOR_MAP_F32 : v == TENSOR_MAP_TF32_FTZ ? TENSOR_MAP_F32_FTZ : v > TENSOR_MAP_TF32_FTZ ? v - 2 : v);
		break;
	case EXEC_MAP_INTERLEAVE: set(map, 0x08, 11, 2, v); break;
	case EXEC_MAP_SWIZZLE:
		set(map, 0x08, 13, 2, v);
		set(map, 0x08, 22, 1, 0);
		break;
	case EXEC_MAP_ATOM: set(map, 0x08, 19, 3, v); break;
	default: set(map, 0x08, 15, 1, v); break;
	}
}

void exec_map_replace(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_map_change *c)
{
	for (uint32_t m = mask; m && !w->fault; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);
		const uint64_t at = exec_bulk_value(fp, &c->where, lane);
		const bool shared = c->shared || at >> 48 == SHARED_WINDOW >> 48;
		struct exec_place p = {.at = (uint8_t *)(uintptr_t)at};
		if (shared ? !exec_shared_place(w, u, lane, at, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, true, EXEC_OWN, &p)
		              : !exec_aligned(w, u, lane, at, TENSOR_MAP_ALIGN, "address of a tensor map") ||
		                        !exec_check_span(w, u, lane, at, TENSOR_MAP_BYTES, true))
			return;
		change(p.at, (enum exec_map_field)c->field, c->index, exec_bulk_value(fp, &c->value, lane));
	}
}

void exec_map_publish(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_map_copy *c)
{
	const unsigned lane = (unsigned)__builtin_ctz(mask);
	const uint64_t to = exec_bulk_value(fp, &c->to, lane);
	struct exec_place from;
	if (exec_shared_place(w, u, lane, exec_bulk_value(fp, &c->from, lane), TENSOR_MAP_BYTES, TENSOR_MAP_BYTES, false, EXEC_OWN, &from) &&
	    exec_aligned(w, u, lane, to, TENSOR_MAP_BYTES, "address of a tensor map") && exec_check_span(w, u, lane, to, TENSOR_MAP_BYTES, true))
		memcpy((void *)(uintptr_t)to, from.at, TENSOR_MAP_BYTES);
}
