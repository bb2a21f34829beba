#include "cuda-sim/exec/front.h"

#include "cuda-sim/exec/async.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/matrix.h"
#include "cuda-sim/exec/texture.h"
#include "cuda-sim/exec/tries.h"

#include "base/assert.h"

#include <immintrin.h>
#include <string.h>

static struct warp *warp_of(const struct fe_cta *cta, unsigned warp) { return ((const struct exec_cta *)cta)->warp[warp]; }

unsigned exec_front_cta_warps(const struct fe_cta *cta) { return ((const struct exec_cta *)cta)->n_warp; }

// --- what an instruction is about to touch

static void stand_in(const struct devmem *mem, struct fe_access *a)
{
	for (uint32_t m = mem->n_stand_in ? a->mask : 0; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		a->addr[i] = devmem_stand_in(mem, a->addr[i]);
	}
}

// Lanes of a generic access go where their address lies: each space that has any makes an access.
static void split_generic(struct fe_result *out)
{
	static const struct {
		enum isa_space space;
		uint64_t window;
	} part[] = {{SPACE_GLOBAL, 0}, {SPACE_SHARED, SHARED_WINDOW}, {SPACE_LOCAL, LOCAL_WINDOW}};
	enum { PARTS = sizeof part / sizeof *part };
	struct fe_access *const all = &out->access[0];
	uint32_t mask[PARTS] = {0};
	uint64_t any = 0;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		any |= all->addr[i];
	all->space = SPACE_GLOBAL;
	if (!(any >> 48)) // nearly always, even for lanes that are switched off
		return;
	for (uint32_t m = all->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t high = all->addr[i] >> 48;
		mask[high == SHARED_WINDOW >> 48 ? 1 : high == LOCAL_WINDOW >> 48 ? 2 : 0] |= 1u << i;
	}
	out->n_access = 0;
	for (unsigned k = PARTS; k-- > 0;) // the first access is filled last: its addresses are the source of all
		out->n_access += mask[k] != 0;
	for (unsigned k = PARTS, at = out->n_access; k-- > 0;) {
		if (!mask[k])
			continue;
		struct fe_access *a = &out->access[--at];
		a->space = (uint8_t)part[k].space;
		a->bytes = all->bytes;
		a->write = all->write;
		a->atomic = all->atomic;
		a->mask = mask[k];
		for (unsigned i = 0; i < WARP; i++)
			a->addr[i] = all->addr[i] - part[k].window;
	}
}

// Lanes that go to the shared memory of other CTAs make an access of their own. The address of others is an offset.
static void split_cluster(const struct exec_cta *c, struct fe_result *out)
{
	for (uint32_t k = 0, n = out->n_access; k < n; k++) {
		struct fe_access *a = &out->access[k];
		uint32_t remote = 0;
		if (a->space != SPACE_SHARED)
			continue;
		for (uint32_t m = a->mask; m; m &= m - 1) {
			const unsigned i = (unsigned)__builtin_ctz(m);
			const int rank = exec_cluster_rank(c, (uint32_t)a->addr[i]);
			a->addr[i] = (a->addr[i] & EXEC_RANK_OFFSET) | (uint64_t)(rank < 0 ? 0 : rank) << EXEC_RANK_SHIFT;
			remote |= rank < 0 ? 0 : m & (0 - m);
		}
		if (!remote)
			continue;
		out->ordered = true;
		struct fe_access *to = a->mask == remote ? a : &out->access[out->n_access++];
		HEDDLE_ASSERT(out->n_access <= FE_MAX_ACCESS);
		if (to != a)
			*to = *a;
		a->mask &= ~remote;
		to->mask = remote;
		to->space = SPACE_CLUSTER;
	}
}

// Lanes outside the surface touch nothing.
static void list_surface(const struct warp *w, struct fe_result *out)
{
	struct fe_access *a = &out->access[0];
	unsigned bytes;
	texture_surface_addresses(w, w->cta->engine->surface(w), out->mask, a->addr, &bytes);
	for (unsigned i = 0; i < WARP; i++)
		a->mask &= ~((uint32_t)!a->addr[i] << i);
	a->bytes = (uint8_t)bytes;
	out->n_access = a->mask != 0;
	stand_in(w->cta->launch->mem, a);
}

// All lanes of a matrix have one space (PTX wants the same address in all of them): that of the first which takes part.
static void list_matrix(const struct warp *w, struct fe_result *out)
{
	const struct exec_matrix *m = w->cta->engine->matrix(w);
	const struct isa_inst *inst = out->inst;
	for (out->n_access = 0; out->n_access < m->n; out->n_access++) {
		struct fe_access *a = &out->access[out->n_access];
		*a = (struct fe_access){.space = inst->space, .bytes = m->bytes, .write = inst->cls == ISA_STORE, .mask = out->mask};
		exec_matrix_addresses(w->fp, m, out->n_access, a->addr);
		if (m->how == EXEC_LIST_GENERIC) {
			const uint64_t high = a->addr[__builtin_ctz(out->mask)] >> 48 << 48;
			a->space = high == SHARED_WINDOW ? SPACE_SHARED : high == LOCAL_WINDOW ? SPACE_LOCAL : SPACE_GLOBAL;
			for (unsigned i = 0; a->space != SPACE_GLOBAL && i < WARP; i++)
				a->addr[i] -= high;
		}
		if (a->space == SPACE_GLOBAL)
			stand_in(w->cta->launch->mem, a);
	}
}

static void list_accesses(const struct warp *w, enum exec_list how, struct fe_result *out)
{
	const struct devmem *mem = w->cta->launch->mem;
	const struct isa_inst *inst = out->inst;
	struct fe_access *a = &out->access[0];
	out->n_access = 1;
	a->space = inst->space;
	a->bytes = inst->bytes;
	a->write = inst->cls == ISA_STORE || inst->cls == ISA_ATOMIC;
	a->atomic = inst->cls == ISA_ATOMIC;
	a->mask = isa_address_lanes(inst, out->mask);
	if (how == EXEC_LIST_SURFACE) {
		list_surface(w, out);
		return;
	}
	if (how == EXEC_LIST_MATRIX) {
		list_matrix(w, out);
		if (w->cta->cluster)
			split_cluster(w->cta, out);
		return;
	}
	w->cta->engine->addresses(w, a->addr);
	if (how == EXEC_LIST_GENERIC)
		split_generic(out);
	if (how == EXEC_LIST_DEVICE || (how == EXEC_LIST_GENERIC && a->space == SPACE_GLOBAL))
		stand_in(mem, a);
	if (w->cta->cluster && inst->space != SPACE_GLOBAL)
		split_cluster(w->cta, out);
}

// --- the operations

static inline const struct isa_inst *peek(struct warp *w)
{
	if (!w->settled || w->cta->at_children)
		w->cta->engine->settle(w);
	return w->next;
}

const struct isa_inst *exec_front_peek(struct fe_cta *cta, unsigned warp) { return peek(warp_of(cta, warp)); }

// Settling changes nothing that can be told from outside.
bool exec_front_ready(const struct fe_cta *cta, unsigned warp) { return peek(warp_of(cta, warp)) != NULL; }

uint32_t exec_front_active(struct fe_cta *cta, unsigned warp)
{
	struct warp *w = warp_of(cta, warp);
	uint32_t lanes = 0, mask;
	if (peek(w))
		w->cta->engine->next(w, &lanes, &mask);
	return lanes;
}

void exec_front_expect(const struct fe_cta *cta, unsigned warp)
{
	const struct warp *w = warp_of(cta, warp);
	if (!w->settled || !w->next)
		return;
	const struct uop *u = w->ahead;
	const int32_t row[] = {u->a, u->b, u->c, u->d};
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		__builtin_prefetch(w->fp + row[i]);
		__builtin_prefetch(w->fp + row[i] + 64);
	}
}

// Barriers that opened let other warps go on.
static void settle_others(struct exec_cta *c)
{
	while (c->opened) {
		c->opened = false;
		for (unsigned k = 0; k < c->n_warp; k++)
			if (!c->warp[k]->settled)
				c->engine->settle(c->warp[k]);
	}
}

// Bodies count on round to nearest without flushing; a thread inherits other settings from a program built with
// -ffast-math. The six lowest bits are sticky flags.
static void default_float_mode(void)
{
	enum { MXCSR_DEFAULT = 0x1f80, MXCSR_FLAGS = 0x3f };
	if ((_mm_getcsr() & ~MXCSR_FLAGS) != MXCSR_DEFAULT)
		_mm_setcsr(MXCSR_DEFAULT);
}

static void settle_cluster(struct exec_cta *c)
{
	struct exec_cluster *l = c->cluster;
	l->opened = false;
	for (uint32_t k = 0; k < l->n; k++)
		if (l->cta[k])
			settle_others(l->cta[k]);
}

static inline void step(struct warp *w, struct fe_result *out)
{
	struct exec_cta *c = w->cta;
	w->copies = c->effects || c->lists_copies ? out : NULL;
	out->status = c->engine->step(w);
	w->copies = NULL;
	out->wakes = c->opened;
	settle_others(c);
	if (c->cluster && c->cluster->opened) {
		out->wakes_cluster = true;
		settle_cluster(c);
	}
	// Where SMs are stepped they may be ahead of a fault elsewhere: a core says when they learn of it.
	if (w->fault || (c->effects ? c->faulted : c->launch->fault.kind != FAULT_NONE))
		out->status = FE_FAULT;
}

void exec_front_execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct warp *w = warp_of(cta, warp);
	default_float_mode();
	out->inst = peek(w);
	out->n_access = out->n_copy = 0;
	out->active = out->mask = 0;
	out->ordered = w->cta->cluster && out->inst && out->inst->cls == ISA_EXIT; // others wait for it no longer
	if (out->inst) {
		enum exec_list how = w->cta->engine->next(w, &out->active, &out->mask);
		if (how == EXEC_LIST_BODY)
			w->touched = out;
		else if (how != EXEC_LIST_NONE && out->mask)
			list_accesses(w, how, out);
	}
	if (fe_is_ordered(out) && exec_effects(w)) {
		out->status = FE_PENDING;
		return;
	}
	step(w, out);
	if (w->touched) {
		w->touched = NULL;
		for (uint32_t k = 0; k < out->n_access; k++)
			if (out->access[k].space != SPACE_SHARED)
				stand_in(w->cta->launch->mem, &out->access[k]);
	}
	// A stray address may be one of the program's own pages, which lie elsewhere in every run: nothing is counted.
	if (out->status == FE_FAULT)
		out->n_access = 0;
}

void exec_front_finish(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	default_float_mode();
	step(warp_of(cta, warp), out);
}

enum fe_status exec_front_copy_done(struct fe_cta *cta, uint32_t token)
{
	struct exec_cta *c = (struct exec_cta *)cta;
	bool fine = exec_copy_done(c, token);
	settle_others(c);
	if (c->cluster && c->cluster->opened)
		settle_cluster(c);
	return fine ? FE_OK : FE_FAULT;
}

bool exec_front_unstick(struct fe_cta *cta)
{
	struct exec_cta *c = (struct exec_cta *)cta;
	enum { PATIENCE = 16 }; // calls while other CTAs of the cluster run
	if (c->copying) // what they bring is waited for
		return false;
	default_float_mode();
	if (c->cluster && !exec_cluster_waits(c) && ++c->idle < PATIENCE)
		return true;
	do {
		bool moves = false;
		c->opened = true; // settles all
		settle_others(c);
		for (unsigned k = 0; k < c->n_warp; k++)
			moves |= c->warp[k]->next != NULL;
		if (moves && !exec_cluster_dead(c))
			return true;
	} while (c->engine->let_go(c));
	return false;
}

bool exec_front_hopeless(const struct fe_cta *cta) { return exec_cluster_dead((const struct exec_cta *)cta); }

void exec_front_expire(struct fe_cta *cta)
{
	struct exec_cta *c = (struct exec_cta *)cta;
	for (unsigned k = 0; k < c->n_warp; k++)
		c->engine->expire(c->warp[k]);
}

enum fe_status exec_front_run(struct fe_cta *cta, unsigned warp, uint64_t budget, uint64_t *used)
{
	struct warp *w = warp_of(cta, warp);
	default_float_mode();
	return w->cta->engine->run(w, budget, used);
}

void exec_front_describe(const struct fe_cta *cta, unsigned warp, char *buf, size_t len)
{
	const struct warp *w = warp_of(cta, warp);
	w->cta->engine->describe(w, buf, len);
}

void exec_front_cta_position(const struct fe_cta *cta, uint32_t out[3])
{
	memcpy(out, ((const struct exec_cta *)cta)->id, 3 * sizeof *out);
}
