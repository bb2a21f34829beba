// The PTX front end behind isa/frontend.h: storage of resident CTAs, and the operations a core calls.
#include "cuda-sim/simt/frontend.h"

#include "base/mem.h"
#include "cuda-sim/decode/cfg.h"
#include "cuda-sim/decode/kernel.h"
#include "cuda-sim/simt/inspect.h"
#include "cuda-sim/simt/log.h"

#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALL_STACK = 4096, // bytes of local memory beyond the known frames, at least, for kernels that call functions
};

struct simt_slots {
	struct kernel_launch *launch;
	struct kernel_code *kernel;
	struct simt_cta **cta;
	uint32_t n;
	uint32_t local_size;
	uint64_t param_addr;
};

static void *slots_new(struct kernel_launch *launch, uint32_t n)
{
	struct simt_slots *s = MEM_NEW(struct simt_slots);
	struct kernel_code *k = launch->code;
	s->launch = launch;
	s->kernel = k;
	s->n = n;
	inst_log_begin(launch->services->log, launch, &simt_log_ops);
	s->cta = mem_alloc(n * sizeof *s->cta);
	s->local_size = k->entry->local_bytes;
	if (k->calls) {
		uint32_t stack = launch->services->stack_limit;
		s->local_size += k->info.local + (stack > CALL_STACK ? stack : CALL_STACK);
	}
	if (k->param_memory && k->info.param_bytes) {
		s->param_addr = devmem_alloc(launch->mem, k->info.param_bytes, 16, DEVMEM_CONST, 0);
		if (s->param_addr)
			memcpy((void *)(uintptr_t)s->param_addr, launch->params, k->info.param_bytes);
	}
	return s;
}

static void slots_free(void *slots)
{
	struct simt_slots *s = slots;
	for (uint32_t n = 0; n < s->n; n++) {
		struct simt_cta *c = s->cta[n];
		if (!c)
			continue;
		for (unsigned k = 0; k < c->x.n_warp; k++) {
			simt_free(&c->warp[k]);
			free(c->warp[k].w.local);
		}
		free(c->x.shared);
		mem_free(c->x.last_error);
		mem_free(c->x.warp);
		mem_free(c->warp);
		mem_free(c);
	}
	if (s->param_addr)
		devmem_free(s->launch->mem, s->param_addr);
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

static bool kernel_at(const struct exec_cta *c, uint64_t address, struct kernel_found *k, struct diag *d)
{
	const struct kernel_services *s = c->launch->services;
	if (s->kernel_at)
		return s->kernel_at(s->ctx, c->launch, address, k, d);
	struct ptx_func *f = ptx_program_func_at(((const struct simt_cta *)c)->kernel->program, address);
	if (!f || !f->entry || !f->body)
		return false;
	struct kernel_code *code = ptx_kernel_code(f, d);
	*k = (struct kernel_found){f->name, f, code, code ? &code->info : NULL};
	return true;
}

static struct simt_cta *slot_fill(struct simt_slots *s, uint32_t slot)
{
	const struct kernel_launch *l = s->launch;
	const struct code *entry = s->kernel->entry;
	struct simt_cta *c = MEM_NEW(struct simt_cta);
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	c->kernel = s->kernel;
	c->slots = s;
	c->slot = slot;
	c->x.param_addr = s->param_addr;
	c->x.launch = s->launch;
	c->x.place = simt_place;
	c->x.kernel_at = kernel_at;
	c->x.shared_size = s->kernel->shared_static + l->dynamic_shared;
	// An access that runs over the end of what the kernel asked for, but not of what the CTA gets, passes on a GPU.
	uint32_t unit = l->services->shared_unit;
	if (unit)
		c->x.shared_size = (c->x.shared_size + unit - 1) / unit * unit;
	c->x.shared = rows_alloc((size_t)c->x.shared_size + 64); // so that vector copies may read past the end
	c->x.local_size = s->local_size;
	memcpy(c->x.block, l->block, sizeof c->x.block);
	c->x.n_warp = (threads + WARP - 1) / WARP;
	c->warp = mem_alloc_lines(c->x.n_warp * sizeof *c->warp);
	c->x.warp = mem_alloc(c->x.n_warp * sizeof *c->x.warp);
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		struct simt_warp *w = &c->warp[k];
		uint32_t left = threads - k * WARP;
		w->cta = c;
		w->w.cta = &c->x;
		c->x.warp[k] = &w->w;
		w->w.id = k;
		w->thread_mask = left >= WARP ? FULL_MASK : (1u << left) - 1;
		w->rows_size = entry->frame_bytes;
		w->rows = rows_alloc(w->rows_size);
		// calloc: pages of local memory that are never touched cost nothing.
		w->w.local = calloc((size_t)s->local_size + 16, WARP);
		if (!w->w.local)
			mem_fail((size_t)s->local_size * WARP);
		rows_fill(w, entry, ROWS_LAUNCH, w->rows, 0);
		rows_fill(w, entry, ROWS_WARP, w->rows, 0);
	}
	return c;
}

static struct fe_cta *cta_start(void *slots, uint32_t slot, const uint32_t cta[3], const struct fe_sm *sm)
{
	struct simt_slots *s = slots;
	if (!s->cta[slot])
		s->cta[slot] = slot_fill(s, slot);
	struct simt_cta *c = s->cta[slot];
	memcpy(c->x.id, cta, sizeof c->x.id);
	c->x.sm = sm->id;
	c->x.effects = sm->effects;
	c->counts = sm->counts;
	c->log = inst_log_of_sm(s->launch->services->log, s->launch, sm->id);
	memset(c->x.barrier, 0, sizeof c->x.barrier);
	c->idle = 0;
	c->at_children = false;
	c->x.launches = NULL;
	mem_free(c->x.last_error);
	c->x.last_error = NULL;
	c->x.live_threads = s->launch->block[0] * s->launch->block[1] * s->launch->block[2];
	for (unsigned k = 0; k < c->x.n_warp; k++) {
		rows_fill(&c->warp[k], s->kernel->entry, ROWS_CTA, c->warp[k].rows, 0);
		simt_reset(&c->warp[k]);
	}
	return (struct fe_cta *)c;
}

static void cta_move(struct fe_cta *cta, const struct fe_sm *sm)
{
	struct simt_cta *c = (struct simt_cta *)cta;
	c->x.effects = sm->effects;
	c->counts = sm->counts;
}

static void cta_end(struct fe_cta *cta) { (void)cta; }

static unsigned cta_warps(const struct fe_cta *cta) { return ((const struct simt_cta *)cta)->x.n_warp; }

static struct simt_warp *warp_of(const struct fe_cta *cta, unsigned warp)
{
	return &((const struct simt_cta *)cta)->warp[warp];
}

// --- what an instruction is about to touch

static void fetch(const struct simt_warp *w, const struct code_access *from, uint64_t base, uint64_t *restrict addr)
{
	const uint64_t imm = (uint64_t)from->imm - base;
	const uint8_t *row = w->w.fp + from->row;
	if (from->wide) {
		const uint64_t *a = (const uint64_t *)row;
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			addr[i] = a[i] + imm;
	} else {
		const uint32_t *a = (const uint32_t *)row;
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			addr[i] = a[i] + imm;
	}
}

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

static void list_accesses(const struct simt_warp *w, const struct code_access *from, const struct isa_inst *inst,
                          struct fe_result *out)
{
	const struct devmem *mem = w->cta->x.launch->mem;
	struct fe_access *a = &out->access[0];
	out->n_access = 1;
	a->space = inst->space;
	a->bytes = inst->bytes;
	a->write = inst->cls == ISA_STORE || inst->cls == ISA_ATOMIC;
	a->atomic = inst->cls == ISA_ATOMIC;
	a->mask = out->mask;
	switch ((enum list_how)from->how) {
	case LIST_DEVICE:
		fetch(w, from, 0, a->addr);
		stand_in(mem, a);
		break;
	case LIST_GENERIC:
		fetch(w, from, 0, a->addr);
		split_generic(out);
		if (a->space == SPACE_GLOBAL)
			stand_in(mem, a);
		break;
	case LIST_OFFSET:
		fetch(w, from, 0, a->addr);
		for (unsigned i = 0; !from->wide && i < WARP; i++)
			a->addr[i] = (uint32_t)a->addr[i];
		break;
	case LIST_PARAM:
		fetch(w, from, w->cta->x.param_addr, a->addr);
		break;
	case LIST_FIXED:
		for (unsigned i = 0; i < WARP; i++)
			a->addr[i] = (uint64_t)from->imm;
		break;
	default:
		out->n_access = 0;
		break;
	}
}

// --- the operations

static const struct isa_inst *peek(struct fe_cta *cta, unsigned warp)
{
	struct simt_warp *w = warp_of(cta, warp);
	if (!w->settled || w->cta->at_children)
		simt_settle(w);
	return w->next;
}

static uint32_t active(struct fe_cta *cta, unsigned warp)
{
	uint32_t lanes = 0, mask;
	if (peek(cta, warp))
		simt_next(warp_of(cta, warp), &lanes, &mask);
	return lanes;
}

// Barriers that opened let other warps go on.
static void settle_others(struct simt_cta *c)
{
	while (c->opened) {
		c->opened = false;
		for (unsigned k = 0; k < c->x.n_warp; k++)
			if (!c->warp[k].settled)
				simt_settle(&c->warp[k]);
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

static void expect(const struct fe_cta *cta, unsigned warp) { simt_expect(warp_of(cta, warp)); }

static void step(struct simt_cta *c, struct simt_warp *w, struct fe_result *out)
{
	out->status = simt_step(w, c->counts);
	settle_others(c);
	if (w->w.fault || c->x.launch->fault.kind)
		out->status = FE_FAULT;
}

static void execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct simt_cta *c = (struct simt_cta *)cta;
	struct simt_warp *w = &c->warp[warp];
	default_float_mode();
	out->inst = peek(cta, warp);
	out->n_access = 0;
	out->active = out->mask = 0;
	if (out->inst) {
		const struct code_access *from = simt_next(w, &out->active, &out->mask);
		if (from->how == LIST_TEXELS)
			w->w.texels = out;
		else if (from->how != LIST_NONE && out->mask)
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
	struct simt_cta *c = (struct simt_cta *)cta;
	default_float_mode();
	step(c, &c->warp[warp], out);
}

static bool unstick(struct fe_cta *cta)
{
	struct simt_cta *c = (struct simt_cta *)cta;
	default_float_mode();
	do {
		bool moves = false;
		c->opened = true; // settles all
		settle_others(c);
		for (unsigned k = 0; k < c->x.n_warp; k++)
			moves |= c->warp[k].next != NULL;
		if (moves)
			return true;
	} while (simt_force_join(c));
	return false;
}

static uint32_t register_count(const void *code) { return ((const struct kernel_code *)code)->register_count; }

static const struct isa_inst *inst_at(const void *code, uint64_t pc)
{
	const struct kernel_code *k = code;
	return pc / INST_BYTES < k->n_isa ? &k->isa[pc / INST_BYTES] : NULL;
}

// Blocks that a warp may run more than once: between the ends of a branch back, and those of functions that are called.
// All blocks of a cycle lie between the ends of one of its branches back.
static bool runs_again(const struct cfg *g, uint32_t block, bool called)
{
	for (uint32_t b = block; b < g->n_block && !called; b++)
		for (uint32_t s = 0; s < g->block[b].n_succ; s++)
			called |= g->block[b].succ[s] <= block;
	return called;
}

static uint8_t *block_starts(const void *code, uint32_t *n)
{
	const struct kernel_code *k = code;
	uint8_t *start = mem_alloc(k->n_isa + 1);
	*n = k->n_isa;
	for (size_t i = 0; i < k->funcs.n; i++) {
		const struct code *c = k->funcs.at[i];
		struct arena a = {0};
		const struct cfg *g = code_flow(c->func, &a);
		for (uint32_t b = 0; b < g->n_block; b++)
			if (g->block[b].first < c->func->n_inst)
				start[c->first_inst + g->block[b].first] = runs_again(g, b, i > 0) ? FE_BLOCK | FE_AGAIN : FE_BLOCK;
		arena_free(&a);
	}
	return start;
}

static enum fe_status run(struct fe_cta *cta, unsigned warp, uint64_t budget, uint64_t *used)
{
	default_float_mode();
	struct simt_cta *c = (struct simt_cta *)cta;
	return simt_run(&c->warp[warp], budget, c->counts, used);
}

// Settling changes nothing that can be told from outside.
static bool ready(const struct fe_cta *cta, unsigned warp) { return peek((struct fe_cta *)cta, warp) != NULL; }

static void describe(const struct fe_cta *cta, unsigned warp, char *buf, size_t len)
{
	simt_describe(warp_of(cta, warp), buf, len);
}

static void dump(const struct fe_cta *cta, unsigned warp, void (*put)(void *ctx, const char *text), void *ctx)
{
	inspect_warp(warp_of(cta, warp), put, ctx);
}

static void cta_position(const struct fe_cta *cta, uint32_t out[3])
{
	memcpy(out, ((const struct simt_cta *)cta)->x.id, 3 * sizeof *out);
}

const struct frontend_ops ptx_frontend = {
	.name = "ptx",
	.inst_bytes = INST_BYTES,
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
	.register_count = register_count,
	.inst_at = inst_at,
	.block_starts = block_starts,
	.ready = ready,
	.describe = describe,
	.place = inspect_place,
	.register_name = inspect_register_name,
	.dump = dump,
	.cta_position = cta_position,
	.write_flow = inspect_flow,
};
