// Machine code behind isa/frontend.h: storage of resident CTAs, and the operations that a core calls.
#include "cuda-sim/sass/exec/warp.h"

#include "base/mem.h"
#include "cuda-sim/sass/front.h"
#include "isa/place.h"

#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sx_slots {
	struct kernel_launch *launch;
	const struct sass_kernel *kernel;
	struct sx_cta **cta;
	uint32_t n, local_size;
	uint8_t *bank0;
	uint16_t *op; // see sx_cta
	struct exec_bank bank[KERNEL_BANKS];
};

enum { STACK_ALIGN = 16 };

static void *slots_new(struct kernel_launch *launch, uint32_t n)
{
	struct sx_slots *s = MEM_NEW(struct sx_slots);
	const struct sass_kernel *k = launch->code;
	const struct sass_image *m = k->image;
	s->launch = launch;
	s->kernel = k;
	s->n = n;
	s->cta = mem_alloc(n * sizeof *s->cta);
	inst_log_begin(launch->services->log, launch, &sx_log_ops);
	if (launch->services->log)
		s->op = sx_log_ops_of(k);
	s->local_size = m->local + (m->local_known && !k->stack_unknown ? 0 : launch->services->stack_limit);
	s->local_size = (s->local_size + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
	uint32_t with_params = m->param_base + launch->info->param_bytes, size = m->bank[BANK_PARAMS].size;
	s->bank0 = mem_alloc((size > with_params ? size : with_params) + 8);
	sx_fill_bank0(s->bank0, launch, m, s->local_size);
	for (unsigned b = 0; b < KERNEL_BANKS; b++)
		s->bank[b] = (struct exec_bank){m->bank[b].data, m->bank[b].data ? m->bank[b].size : 0};
	s->bank[BANK_PARAMS] = (struct exec_bank){s->bank0, m->bank[BANK_PARAMS].size};
	return s;
}

static void slots_free(void *slots)
{
	struct sx_slots *s = slots;
	for (uint32_t n = 0; n < s->n; n++) {
		struct sx_cta *c = s->cta[n];
		if (!c)
			continue;
		for (unsigned k = 0; k < c->x.n_warp; k++) {
			free(c->warp[k].w.fp);
			free(c->warp[k].w.local);
		}
		free(c->x.shared);
		mem_free(c->x.last_error);
		mem_free(c->x.warp);
		mem_free(c->warp);
		mem_free(c);
	}
	mem_free(s->bank0);
	mem_free(s->op);
	mem_free(s->cta);
	mem_free(s);
}

static void *rows_alloc(size_t size)
{
	size = (size + 63) & ~(size_t)63;
	void *p = aligned_alloc(64, size ? size : 64);
	if (!p)
		mem_fail(size);
	memset(p, 0, size);
	return p;
}

static void place(const struct warp *w, const struct uop *u, char *buf, size_t len);

static bool kernel_at(const struct exec_cta *c, uint64_t address, struct kernel_found *k, struct diag *d)
{
	const struct kernel_services *s = c->launch->services;
	return s->kernel_at && s->kernel_at(s->ctx, c->launch, address, k, d);
}

static struct sx_cta *slot_fill(struct sx_slots *s)
{
	const struct kernel_launch *l = s->launch;
	const struct sass_image *m = s->kernel->image;
	struct sx_cta *c = MEM_NEW(struct sx_cta);
	uint32_t threads = l->block[0] * l->block[1] * l->block[2], unit = l->services->shared_unit;
	c->kernel = s->kernel;
	c->slots = s;
	c->x.launch = s->launch;
	c->x.place = place;
	c->x.kernel_at = kernel_at;
	c->x.bank = s->bank;
	c->x.shared_size = m->shared_reserved + m->shared + l->dynamic_shared;
	if (unit) // an access past what the kernel asked for, but not past what the CTA gets, passes on a GPU
		c->x.shared_size = (c->x.shared_size + unit - 1) / unit * unit;
	c->x.shared = rows_alloc((size_t)c->x.shared_size + 64); // so that vector copies may read past the end
	c->x.local_size = s->local_size;
	memcpy(c->x.block, l->block, sizeof c->x.block);
	c->x.n_warp = (threads + WARP - 1) / WARP;
	c->warp = mem_alloc_lines(c->x.n_warp * sizeof *c->warp);
	c->x.warp = mem_alloc(c->x.n_warp * sizeof *c->x.warp);
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct sx_warp *w = &c->warp[k];
		uint32_t left = threads - k * WARP;
		w->cta = c;
		w->w.cta = &c->x;
		c->x.warp[k] = &w->w;
		w->w.id = k;
		w->thread_mask = left >= WARP ? FULL_MASK : (1u << left) - 1;
		w->w.fp = rows_alloc(s->kernel->frame_bytes);
		// calloc: pages of local memory that are never touched cost nothing.
		w->w.local = calloc((size_t)s->local_size + 16, WARP);
		if (!w->w.local)
			mem_fail((size_t)s->local_size * WARP);
		*(uint32_t *)(w->w.fp + SX_AT_P + 4 * SX_PT) = FULL_MASK;
		*(uint32_t *)(w->w.fp + SX_AT_UP + 4 * SX_PT) = FULL_MASK;
		sx_fill_rows(w, SX_INIT_LAUNCH);
	}
	return c;
}

static struct fe_cta *cta_start(void *slots, uint32_t slot, const uint32_t cta[3], const struct fe_sm *sm)
{
	struct sx_slots *s = slots;
	if (!s->cta[slot])
		s->cta[slot] = slot_fill(s);
	struct sx_cta *c = s->cta[slot];
	memcpy(c->x.id, cta, sizeof c->x.id);
	c->x.sm = sm->id;
	c->x.effects = sm->effects;
	c->counts = sm->counts;
	c->log = inst_log_of_sm(s->launch->services->log, s->launch, sm->id);
	c->op = s->op;
	memset(c->x.barrier, 0, sizeof c->x.barrier);
	c->idle = 0;
	c->at_children = c->opened = false;
	c->x.launches = NULL;
	mem_free(c->x.last_error);
	c->x.last_error = NULL;
	c->x.live_threads = s->launch->block[0] * s->launch->block[1] * s->launch->block[2];
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		sx_fill_rows(&c->warp[k], SX_INIT_CTA);
		sx_reset(&c->warp[k]);
	}
	return (struct fe_cta *)c;
}

static void cta_move(struct fe_cta *cta, const struct fe_sm *sm)
{
	struct sx_cta *c = (struct sx_cta *)cta;
	c->x.effects = sm->effects;
	c->counts = sm->counts;
}

static void cta_end(struct fe_cta *cta) { (void)cta; }

static unsigned cta_warps(const struct fe_cta *cta) { return ((const struct sx_cta *)cta)->x.n_warp; }

static struct sx_warp *warp_of(const struct fe_cta *cta, unsigned warp) { return &((const struct sx_cta *)cta)->warp[warp]; }

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
	const struct fe_access all = out->access[0];
	out->n_access = 0;
	for (unsigned k = 0; k < PARTS; k++) {
		struct fe_access *a = &out->access[out->n_access];
		uint32_t mask = 0;
		for (uint32_t m = all.mask; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);
			uint64_t high = all.addr[i] >> 48;
			unsigned in = high == SHARED_WINDOW >> 48 ? 1 : high == LOCAL_WINDOW >> 48 ? 2 : 0;
			mask |= in == k ? 1u << i : 0;
		}
		if (!mask)
			continue;
		*a = all;
		a->space = (uint8_t)part[k].space;
		a->mask = mask;
		for (unsigned i = 0; i < WARP; i++)
			a->addr[i] = all.addr[i] - part[k].window;
		out->n_access++;
	}
}

static void list_accesses(const struct sx_warp *w, const struct sx_access *from, const struct isa_inst *inst, struct fe_result *out)
{
	const struct devmem *mem = w->cta->x.launch->mem;
	struct fe_access *a = &out->access[0];
	out->n_access = 1;
	a->space = inst->space;
	a->bytes = inst->bytes;
	a->write = inst->cls == ISA_STORE || inst->cls == ISA_ATOMIC;
	a->atomic = inst->cls == ISA_ATOMIC;
	a->mask = out->mask;
	sx_addresses(w, from, a->addr);
	switch ((enum sx_list)from->how) {
	case SX_LIST_DEVICE:
		a->space = SPACE_GLOBAL;
		stand_in(mem, a);
		break;
	case SX_LIST_GENERIC:
		split_generic(out);
		for (uint32_t k = 0; k < out->n_access; k++)
			if (out->access[k].space == SPACE_GLOBAL)
				stand_in(mem, &out->access[k]);
		break;
	case SX_LIST_OFFSET:
		for (unsigned i = 0; i < WARP; i++)
			a->addr[i] = (uint32_t)a->addr[i];
		break;
	case SX_LIST_CONST:
		for (unsigned i = 0; i < WARP; i++)
			a->addr[i] = isa_const_address(from->bank, (uint32_t)a->addr[i]);
		break;
	default:
		out->n_access = 0;
		break;
	}
}

// --- the operations

static const struct isa_inst *peek(struct fe_cta *cta, unsigned warp)
{
	struct sx_warp *w = warp_of(cta, warp);
	if (!w->settled || w->cta->at_children)
		sx_settle(w);
	return w->next;
}

static uint32_t active(struct fe_cta *cta, unsigned warp)
{
	uint32_t lanes = 0, mask;
	if (peek(cta, warp))
		sx_next(warp_of(cta, warp), &lanes, &mask);
	return lanes;
}

static void settle_others(struct sx_cta *c)
{
	while (c->opened) {
		c->opened = false;
		for (unsigned k = 0; k < c->x.n_warp; k++)
			if (!c->warp[k].settled)
				sx_settle(&c->warp[k]);
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

// An atomic on shared memory alone concerns its SM only.
static bool reaches_other_sms(const struct fe_result *r)
{
	for (uint32_t k = 0; k < r->n_access; k++)
		if (r->access[k].space != SPACE_SHARED)
			return true;
	return !r->n_access;
}

static void expect(const struct fe_cta *cta, unsigned warp)
{
	const struct sx_warp *w = warp_of(cta, warp);
	if (!w->settled || !w->next)
		return;
	const struct uop *u = w->ahead;
	const int32_t row[] = {u->a, u->b, u->c, u->d};
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		__builtin_prefetch(w->w.fp + row[i]);
		__builtin_prefetch(w->w.fp + row[i] + 64);
	}
}

static void step(struct sx_cta *c, struct sx_warp *w, struct fe_result *out)
{
	out->status = sx_step(w, c->counts);
	settle_others(c);
	if (w->w.fault || c->x.launch->fault.kind)
		out->status = FE_FAULT;
}

static void execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct sx_cta *c = (struct sx_cta *)cta;
	struct sx_warp *w = &c->warp[warp];
	default_float_mode();
	out->inst = peek(cta, warp);
	out->n_access = 0;
	out->active = out->mask = 0;
	if (out->inst) {
		const struct sx_access *from = &c->kernel->access[out->inst - c->kernel->isa];
		sx_next(w, &out->active, &out->mask);
		if (from->how == SX_LIST_TEXELS)
			w->w.texels = out;
		else if (from->how != SX_LIST_NONE && out->mask)
			list_accesses(w, from, out->inst, out);
	}
	if (out->inst && out->inst->ordered && out->mask && exec_effects(&w->w) && reaches_other_sms(out)) {
		out->status = FE_PENDING;
		return;
	}
	step(c, w, out);
	if (w->w.texels) {
		w->w.texels = NULL;
		for (uint32_t k = 0; k < out->n_access; k++)
			stand_in(c->x.launch->mem, &out->access[k]);
	}
	// A stray address may be one of the program's own pages, which lie elsewhere in every run: nothing is counted.
	if (out->status == FE_FAULT)
		out->n_access = 0;
}

static void finish(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct sx_cta *c = (struct sx_cta *)cta;
	default_float_mode();
	step(c, &c->warp[warp], out);
}

static bool unstick(struct fe_cta *cta)
{
	struct sx_cta *c = (struct sx_cta *)cta;
	default_float_mode();
	do {
		bool moves = false;
		c->opened = true; // settles all
		settle_others(c);
		for (unsigned k = 0; k < c->x.n_warp; k++)
			moves |= c->warp[k].next != NULL;
		if (moves)
			return true;
	} while (sx_unstick(c));
	return false;
}

static const struct isa_inst *inst_at(const void *code, uint64_t pc)
{
	const struct sass_kernel *k = code;
	return pc / SX_INST_BYTES < k->n ? &k->isa[pc / SX_INST_BYTES] : NULL;
}

static enum fe_status run(struct fe_cta *cta, unsigned warp, uint64_t budget, uint64_t *used)
{
	struct sx_cta *c = (struct sx_cta *)cta;
	default_float_mode();
	return sx_run(&c->warp[warp], budget, c->counts, used);
}

static bool ready(const struct fe_cta *cta, unsigned warp) { return peek((struct fe_cta *)cta, warp) != NULL; }

static void describe(const struct fe_cta *cta, unsigned warp, char *buf, size_t len) { sx_describe(warp_of(cta, warp), buf, len); }

static void cta_position(const struct fe_cta *cta, uint32_t out[3])
{
	memcpy(out, ((const struct sx_cta *)cta)->x.id, 3 * sizeof *out);
}

// --- places

// See exec_cta.place.
static void place(const struct warp *w, const struct uop *u, char *buf, size_t len)
{
	const struct sass_kernel *k = ((const struct sx_cta *)w->cta)->kernel;
	struct fe_place p;
	char where[600];
	if (u < k->uop || u >= k->uop + k->n_uop || k->inst_of[u - k->uop] == k->n) {
		snprintf(buf, len, "in %s", k->image->name);
		return;
	}
	const struct isa_inst *i = &k->isa[k->inst_of[u - k->uop]];
	sx_place(k, i, &p);
	place_print(&p, i->pc, where, sizeof where);
	snprintf(buf, len, "at %s", where);
}

void sx_describe(const struct sx_warp *w, char *buf, size_t len)
{
	static const char *const state[] = {"runs", "waits to meet other lanes", "waits for lanes that are named", "",
	                                    "waits for the grids that its block launched"};
	size_t at = 0;
	if (len)
		*buf = 0;
	for (uint32_t k = w->n_group; k-- > 0 && at < len;) {
		const struct sx_group *g = &w->group[k];
		char where[600], barrier[300], lanes[20] = "";
		uint32_t pc = g->state == SX_AT_BARRIER && g->pc ? g->pc - 1 : g->pc;
		place(&w->w, &w->cta->kernel->uop[pc], where, sizeof where);
		if (g->state == SX_AT_BARRIER)
			exec_barrier_describe(&w->cta->x, g->barrier, barrier, sizeof barrier);
		if (w->n_group > 1) // else it is the whole warp
			snprintf(lanes, sizeof lanes, "lanes %08x: ", g->mask);
		int n = snprintf(buf + at, len - at, "%s%s%s %s", at ? "; " : "", lanes, g->state == SX_AT_BARRIER ? barrier : state[g->state], where);
		at += n > 0 ? (size_t)n : 0;
	}
}

static void dump(const struct fe_cta *cta, unsigned warp, void (*put)(void *ctx, const char *text), void *ctx)
{
	const struct sx_warp *w = warp_of(cta, warp);
	const uint32_t *id = w->cta->x.id;
	char line[1024];
	snprintf(line, sizeof line, "block (%u,%u,%u), warp %u\n", id[0], id[1], id[2], w->w.id);
	put(ctx, line);
	sx_describe(w, line, sizeof line - 1);
	strcat(line, "\n");
	put(ctx, line);
	for (uint32_t r = 0; r < w->cta->kernel->n_r; r++) {
		const uint32_t *row = (const uint32_t *)(w->w.fp + SX_AT_R + r * SX_ROW);
		size_t at = (size_t)snprintf(line, sizeof line, "R%u:", r);
		uint32_t any = 0;
		for (unsigned i = 0; i < WARP; i++) {
			any |= row[i];
			at += (size_t)snprintf(line + at, sizeof line - at, " %x", row[i]);
		}
		snprintf(line + at, sizeof line - at, "\n");
		if (any)
			put(ctx, line);
	}
	for (unsigned p = 0; p < SX_PT; p++) {
		snprintf(line, sizeof line, "P%u: %08x\n", p, *(const uint32_t *)(w->w.fp + SX_AT_P + 4 * p));
		put(ctx, line);
	}
}

static void write_flow(const void *code, bool dot, FILE *to) { sx_write_flow(code, dot, to); }

const struct frontend_ops sass_frontend = {
	.name = "sass",
	.inst_bytes = SX_INST_BYTES,
	.cta_start = cta_start,
	.cta_move = cta_move,
	.cta_end = cta_end,
	.cta_warps = cta_warps,
	.slots_new = slots_new,
	.slots_free = slots_free,
	.peek = peek,
	.active = active,
	.expect = expect,
	.execute = execute,
	.finish = finish,
	.unstick = unstick,
	.run = run,
	.register_count = sass_front_register_count,
	.inst_at = inst_at,
	.ready = ready,
	.describe = describe,
	.place = sx_place,
	.register_name = sass_front_register_name,
	.dump = dump,
	.cta_position = cta_position,
	.write_flow = write_flow,
};
