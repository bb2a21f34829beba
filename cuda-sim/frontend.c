// The PTX front end behind isa/frontend.h: storage of resident CTAs, and the operations a core calls.
#include "cuda-sim/ptx_kernel.h"
#include "cuda-sim/simt.h"

#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>

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
		for (unsigned k = 0; k < c->n_warp; k++) {
			simt_free(&c->warp[k]);
			free(c->warp[k].w.local);
		}
		free(c->x.shared);
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
	c->x.shared_size = s->kernel->shared_static + l->dynamic_shared;
	c->x.shared = rows_alloc((size_t)c->x.shared_size + 64); // so that vector copies may read past the end
	c->x.local_size = s->local_size;
	memcpy(c->x.block, l->block, sizeof c->x.block);
	c->n_warp = (threads + WARP - 1) / WARP;
	c->warp = mem_alloc(c->n_warp * sizeof *c->warp);
	for (unsigned k = 0; k < c->n_warp; k++) {
		struct simt_warp *w = &c->warp[k];
		uint32_t left = threads - k * WARP;
		w->cta = c;
		w->w.cta = &c->x;
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

static struct fe_cta *cta_start(void *slots, uint32_t slot, const uint32_t cta[3])
{
	struct simt_slots *s = slots;
	if (!s->cta[slot])
		s->cta[slot] = slot_fill(s, slot);
	struct simt_cta *c = s->cta[slot];
	memcpy(c->x.id, cta, sizeof c->x.id);
	memset(c->barrier, 0, sizeof c->barrier);
	c->idle = 0;
	c->live_threads = s->launch->block[0] * s->launch->block[1] * s->launch->block[2];
	for (unsigned k = 0; k < c->n_warp; k++) {
		rows_fill(&c->warp[k], s->kernel->entry, ROWS_CTA, c->warp[k].rows, 0);
		simt_reset(&c->warp[k]);
	}
	return (struct fe_cta *)c;
}

static void cta_end(struct fe_cta *cta) { (void)cta; }

static unsigned cta_warps(const struct fe_cta *cta) { return ((const struct simt_cta *)cta)->n_warp; }

static struct simt_warp *warp_of(const struct fe_cta *cta, unsigned warp)
{
	return &((const struct simt_cta *)cta)->warp[warp];
}

static const struct isa_inst *inst_of(const struct simt_cta *c, const struct uop *u)
{
	if (!u || !u->inst)
		return NULL;
	for (size_t n = 0; n < c->kernel->funcs.n; n++) {
		const struct code *k = c->kernel->funcs.at[n];
		if (u >= k->uop && u < k->uop + k->n_uop)
			return &k->isa[u->inst - k->func->inst];
	}
	return NULL;
}

static const struct isa_inst *peek(struct fe_cta *cta, unsigned warp)
{
	return inst_of((struct simt_cta *)cta, simt_peek(warp_of(cta, warp)));
}

// What a memory instruction is about to touch.
static void list_accesses(const struct simt_warp *w, const struct uop *u, const struct isa_inst *inst, struct fe_result *out)
{
	if (!inst || inst->space == SPACE_NONE || inst->cls == ISA_TEXTURE || !u->fn || !out->mask)
		return;
	struct fe_access *a = &out->access[out->n_access++];
	*a = (struct fe_access){.space = inst->space, .bytes = inst->bytes, .mask = out->mask,
	                        .write = inst->cls == ISA_STORE || inst->cls == ISA_ATOMIC, .atomic = inst->cls == ISA_ATOMIC};
	const uint8_t *row = w->w.fp + u->a;
	for (unsigned i = 0; i < WARP; i++)
		a->addr[i] = (uint64_t)u->imm + (u->flags & UOP_ADDR64 ? ((const uint64_t *)row)[i] : ((const uint32_t *)row)[i]);
}

// Bodies count on round to nearest without flushing; a thread inherits other settings from a program built with
// -ffast-math. The six lowest bits are sticky flags.
static void default_float_mode(void)
{
	enum { MXCSR_DEFAULT = 0x1f80, MXCSR_FLAGS = 0x3f };
	if ((_mm_getcsr() & ~MXCSR_FLAGS) != MXCSR_DEFAULT)
		_mm_setcsr(MXCSR_DEFAULT);
}

static void execute(struct fe_cta *cta, unsigned warp, struct fe_result *out)
{
	struct simt_warp *w = warp_of(cta, warp);
	const struct uop *u = simt_peek(w);
	struct simt_cta *c = (struct simt_cta *)cta;
	uint64_t used;
	default_float_mode();
	out->n_access = 0;
	out->mask = 0;
	out->inst = inst_of(c, u);
	if (u && u->inst) {
		simt_prepare(w);
		out->mask = simt_guard_mask(w, u);
		list_accesses(w, u, out->inst, out);
	}
	out->status = simt_run(w, 1, &c->x.launch->counts, &used);
}

static enum fe_status run(struct fe_cta *cta, unsigned warp, uint64_t budget, uint64_t *used)
{
	default_float_mode();
	struct simt_cta *c = (struct simt_cta *)cta;
	return simt_run(&c->warp[warp], budget, &c->x.launch->counts, used);
}

static bool ready(const struct fe_cta *cta, unsigned warp) { return simt_ready(warp_of(cta, warp)); }

static void describe(const struct fe_cta *cta, unsigned warp, char *buf, size_t len)
{
	simt_describe(warp_of(cta, warp), buf, len);
}

const struct frontend_ops ptx_frontend = {
	.name = "ptx",
	.cta_start = cta_start,
	.cta_end = cta_end,
	.cta_warps = cta_warps,
	.slots_new = slots_new,
	.slots_free = slots_free,
	.peek = peek,
	.execute = execute,
	.run = run,
	.ready = ready,
	.describe = describe,
};
