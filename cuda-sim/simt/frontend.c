// The PTX front end behind isa/frontend.h.
#include "cuda-sim/simt/frontend.h"

#include "base/mem.h"
#include "cuda-sim/decode/cfg.h"
#include "cuda-sim/decode/kernel.h"
#include "cuda-sim/exec/apart.h"
#include "cuda-sim/exec/front.h"
#include "cuda-sim/simt/inspect.h"
#include "cuda-sim/simt/log.h"

#include <string.h>

enum {
	CALL_STACK = 4096, // bytes of local memory beyond the known frames, at least, for kernels that call functions or alloca
};

// --- storage

static const struct kernel_code *code_of(const struct exec_cta *c) { return c->launch->code; }

static struct simt_warp *warp_of(const struct exec_cta *c, unsigned warp) { return (struct simt_warp *)c->warp[warp]; }

static void cta_new(struct exec_cta *cta, void *slots)
{
	struct simt_cta *c = (struct simt_cta *)cta;
	const struct code *entry = code_of(cta)->entry;
	c->kernel = code_of(cta);
	for (unsigned k = 0; k < cta->n_warp; k++) {
		struct simt_warp *w = warp_of(cta, k);
		w->cta = c;
		w->rows_size = entry->frame_bytes;
		w->rows = exec_rows_alloc(w->rows_size);
		rows_fill(w, entry, ROWS_LAUNCH, w->rows, 0);
		rows_fill(w, entry, ROWS_WARP, w->rows, 0);
		simt_reset_stack(w);
	}
}

static void cta_free(struct exec_cta *cta)
{
	for (unsigned k = 0; k < cta->n_warp; k++)
		simt_free(warp_of(cta, k));
}

static void cta_start(struct exec_cta *cta)
{
	rows_fill_block(cta, code_of(cta)->entry);
	for (unsigned k = 0; k < cta->n_warp; k++) {
		struct simt_warp *w = warp_of(cta, k);
		for (uint32_t n = 0; cta->clean && n < code_of(cta)->n_unset; n++)
			memset(w->rows + code_of(cta)->unset[n].row, 0, code_of(cta)->unset[n].bytes);
		simt_reset(w);
	}
}

static const struct exec_engine engine = {
	.cta_bytes = sizeof(struct simt_cta),
	.warp_bytes = sizeof(struct simt_warp),
	.log = &simt_log_ops,
	.cta_new = cta_new,
	.cta_free = cta_free,
	.cta_start = cta_start,
	.settle = simt_settle,
	.next = simt_next,
	.addresses = simt_addresses,
	.surface = simt_surface,
	.matrix = simt_matrix,
	.step = simt_step,
	.run = simt_run,
	.release = simt_release,
	.let_go = simt_let_go,
	.retry = simt_retry,
	.expire = simt_expire,
	.can_run = simt_can_run,
	.describe = simt_describe,
};

static bool kernel_at(const struct exec_cta *c, uint64_t address, struct kernel_found *k, struct diag *d)
{
	const struct kernel_services *s = c->launch->services;
	if (s->kernel_at)
		return s->kernel_at(s->ctx, c->launch, address, k, d);
	struct ptx_func *f = ptx_program_func_at(code_of(c)->program, address);
	if (!f || !f->entry || !f->body)
		return false;
	struct kernel_code *code = ptx_kernel_code(f, d);
	*k = (struct kernel_found){f->name, f, code, code ? &code->info : NULL};
	return true;
}

static uint32_t local_size(const struct kernel_code *k, uint32_t stack)
{
	if (!k->calls && !k->allocates)
		return k->entry->local_bytes;
	return k->entry->local_bytes + k->info.local + (stack > CALL_STACK ? stack : CALL_STACK);
}

// Where only functions are called that the simulator answers itself, nothing lies behind the kernel's own variables.
static uint32_t clean_local(const struct kernel_code *k, uint32_t stack)
{
	return k->funcs.n == 1 && !k->allocates ? k->entry->local_bytes : local_size(k, stack);
}

static void *slots_new(struct kernel_launch *launch, uint32_t n)
{
	struct exec_slots *s = MEM_NEW(struct exec_slots);
	const struct kernel_code *k = launch->code;
	struct exec_cta *c = &s->like;
	c->place = simt_place;
	c->kernel_at = kernel_at;
	c->shared_size = k->shared_static + launch->dynamic_shared;
	c->registers = k->pool_registers;
	c->local_size = local_size(k, launch->services->stack_limit);
	c->clean_local = clean_local(k, launch->services->stack_limit);
	if (k->param_memory && k->info.param_bytes) {
		c->param_addr = devmem_alloc(launch->mem, k->info.param_bytes, 128, DEVMEM_CONST, 0);
		if (c->param_addr)
			memcpy((void *)(uintptr_t)c->param_addr, launch->params, k->info.param_bytes);
	}
	exec_slots_init(s, &engine, launch, n);
	return s;
}

static void slots_free(void *slots)
{
	struct exec_slots *s = slots;
	exec_slots_free(s);
	if (s->like.param_addr)
		devmem_free(s->like.launch->mem, s->like.param_addr);
	mem_free(s);
}

// --- the operations

static void expect(const struct fe_cta *cta, unsigned warp)
{
	const struct simt_warp *w = warp_of((const struct exec_cta *)cta, warp);
	exec_front_expect(cta, warp);
	// Most warps have one leaf and one frame.
	__builtin_prefetch(w->leaf.at);
	__builtin_prefetch(w->split.at);
	__builtin_prefetch(w->frame.at);
}

static uint32_t register_count(const void *code) { return ((const struct kernel_code *)code)->register_count; }

static const struct isa_inst *inst_at(const void *code, uint64_t pc)
{
	const struct kernel_code *k = code;
	return pc / INST_BYTES < k->n_isa ? &k->isa[pc / INST_BYTES] : NULL;
}

static bool apart(const struct kernel_launch *l)
{
	const struct kernel_code *k = l->code;
	return k->apart && clean_local(k, l->services->stack_limit) <= EXEC_CLEAN_LOCAL;
}

static bool launches(const void *code) { return ((const struct kernel_code *)code)->launches; }

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

static void dump(const struct fe_cta *cta, unsigned warp, void (*put)(void *ctx, const char *text), void *ctx)
{
	inspect_warp(warp_of((const struct exec_cta *)cta, warp), put, ctx);
}

const struct frontend_ops ptx_frontend = {
	.name = "ptx",
	.inst_bytes = INST_BYTES,
	.cta_start = exec_front_cta_start,
	.starts_apart = true,
	.cta_move = exec_front_cta_move,
	.cta_end = exec_front_cta_end,
	.cluster_join = exec_front_cluster_join,
	.cta_warps = exec_front_cta_warps,
	.slots_new = slots_new,
	.slots_free = slots_free,
	.peek = exec_front_peek,
	.active = exec_front_active,
	.expect = expect,
	.execute = exec_front_execute,
	.finish = exec_front_finish,
	.copy_done = exec_front_copy_done,
	.unstick = exec_front_unstick,
	.hopeless = exec_front_hopeless,
	.expire = exec_front_expire,
	.run = exec_front_run,
	.register_count = register_count,
	.inst_at = inst_at,
	.block_starts = block_starts,
	.apart = apart,
	.launches = launches,
	.ready = exec_front_ready,
	.describe = exec_front_describe,
	.place = inspect_place,
	.register_name = inspect_register_name,
	.dump = dump,
	.cta_position = exec_front_cta_position,
	.write_flow = inspect_flow,
};
