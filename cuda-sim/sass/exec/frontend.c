// Machine code behind isa/frontend.h.
#include "cuda-sim/sass/exec/warp.h"

#include "base/mem.h"
#include "cuda-sim/exec/apart.h"
#include "cuda-sim/exec/builtin.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/front.h"
#include "cuda-sim/exec/group.h"
#include "cuda-sim/exec/tries.h"
#include "cuda-sim/sass/front.h"
#include "isa/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_ALIGN = 16 };

struct sx_slots {
	struct exec_slots x; // first
	uint8_t *bank0;
	uint64_t params; // device memory with the parameters as they lie in bank 0; 0: nobody asks
	uint16_t *op; // see sx_cta
	struct exec_bank bank[KERNEL_BANKS];
};

// --- storage

static struct sx_warp *warp_of(const struct fe_cta *cta, unsigned warp)
{
	return (struct sx_warp *)((const struct exec_cta *)cta)->warp[warp];
}

static void cta_new(struct exec_cta *cta, void *slots)
{
	struct sx_cta *c = (struct sx_cta *)cta;
	c->kernel = cta->launch->code;
	c->op = ((const struct sx_slots *)slots)->op;
	for (unsigned k = 0; k < cta->n_warp; k++) {
		struct sx_warp *w = (struct sx_warp *)cta->warp[k];
		w->cta = c;
		w->w.fp = exec_rows_alloc(c->kernel->frame_bytes);
		*(uint32_t *)(w->w.fp + SX_AT_P + 4 * SX_PT) = FULL_MASK;
		*(uint32_t *)(w->w.fp + SX_AT_UP + 4 * SX_PT) = FULL_MASK;
		sx_fill_rows(w);
	}
}

static void cta_free(struct exec_cta *c)
{
	for (unsigned k = 0; k < c->n_warp; k++) {
		struct sx_warp *w = (struct sx_warp *)c->warp[k];
		exec_spin_free(&w->turn.spin);
		free(w->w.fp);
	}
}

// Registers of all kinds that some instruction names. The compiler's own code may well take up one that it has written
// on some ways only.
static void clean(struct sx_warp *w)
{
	const struct sass_kernel *k = w->cta->kernel;
	w->w.cc = 0;
	memset(w->w.fp + SX_AT_P, 0, 4 * SX_PT);
	memset(w->w.fp + SX_AT_UP, 0, 4 * SX_PT);
	memset(w->w.fp + SX_AT_P_RESULT, 0, 4);
	if (k->extra[SX_RPC])
		memset(w->w.fp + k->extra[SX_RPC], 0, 2 * SX_ROW);
	if (k->extra[SX_RESULT])
		memset(w->w.fp + k->extra[SX_RESULT], 0, SX_ROW);
	memset(w->w.fp + SX_AT_R, 0, (size_t)(k->n_r + k->n_ur + k->n_b) * SX_ROW);
}

static void cta_start(struct exec_cta *c)
{
	sx_fill_block_rows((struct sx_cta *)c);
	for (unsigned k = 0; k < c->n_warp; k++) {
		struct sx_warp *w = (struct sx_warp *)c->warp[k];
		if (c->clean)
			clean(w);
		sx_reset(w);
	}
}

static void addresses(const struct warp *w, uint64_t *restrict addr)
{
	const struct sass_kernel *k = ((const struct sx_cta *)w->cta)->kernel;
	const struct sx_access *from = &k->access[w->next - k->isa];
	sx_addresses((const struct sx_warp *)w, from, addr);
	if (from->how == EXEC_LIST_OFFSET)
		for (unsigned i = 0; i < WARP; i++)
			addr[i] = (uint32_t)addr[i];
	if (from->how == EXEC_LIST_CONST)
		for (unsigned i = 0; i < WARP; i++)
			addr[i] = isa_const_address(from->bank, (uint32_t)addr[i]);
}

static const struct texture_operands *surface(const struct warp *w)
{
	const struct sass_kernel *k = ((const struct sx_cta *)w->cta)->kernel;
	return (const struct texture_operands *)(uintptr_t)k->access[w->next - k->isa].imm;
}

static void describe(const struct warp *w, char *buf, size_t len);
static void place(const struct warp *w, const struct uop *u, char *buf, size_t len);

static const struct exec_engine engine = {
	.cta_bytes = sizeof(struct sx_cta),
	.warp_bytes = sizeof(struct sx_warp),
	.log = &sx_log_ops,
	.cta_new = cta_new,
	.cta_free = cta_free,
	.cta_start = cta_start,
	.settle = sx_settle,
	.next = sx_next,
	.addresses = addresses,
	.surface = surface,
	.step = sx_step,
	.run = sx_run,
	.release = sx_release,
	.let_go = sx_let_go,
	.retry = sx_retry,
	.expire = sx_expire,
	.can_run = sx_can_run,
	.describe = describe,
};

static bool kernel_at(const struct exec_cta *c, uint64_t address, struct kernel_found *k, struct diag *d)
{
	const struct kernel_services *s = c->launch->services;
	return s->kernel_at && s->kernel_at(s->ctx, c->launch, address, k, d);
}

// Parameters are aligned within the bank: their copy in device memory begins where the bank has them, but for whole lines.
enum { PARAM_ALIGN = 128 };
static uint32_t param_shift(const struct sass_image *m) { return m->param_base % PARAM_ALIGN; }

static uint32_t local_size(const struct sass_kernel *k, uint32_t stack)
{
	const uint32_t local = k->image->local + (k->image->local_known && !k->stack_unknown ? 0 : stack);
	return (local + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
}

static void *slots_new(struct kernel_launch *launch, uint32_t n)
{
	struct sx_slots *s = MEM_NEW(struct sx_slots);
	const struct sass_kernel *k = launch->code;
	const struct sass_image *m = k->image;
	uint32_t with_params = m->param_base + launch->info->param_bytes, size = m->bank[BANK_PARAMS].size;
	struct exec_cta *c = &s->x.like;
	c->place = place;
	c->kernel_at = kernel_at;
	c->bank = s->bank;
	c->shared_size = m->shared_reserved + m->shared + launch->dynamic_shared;
	c->registers = (m->registers + EXEC_POOL_UNIT - 1) / EXEC_POOL_UNIT * EXEC_POOL_UNIT;
	c->local_size = c->clean_local = local_size(k, launch->services->stack_limit);
	s->bank0 = mem_alloc((size > with_params ? size : with_params) + 8);
	if (launch->info->param_bytes && sx_wants_params(k))
		s->params = devmem_alloc(launch->mem, param_shift(m) + launch->info->param_bytes, PARAM_ALIGN, DEVMEM_CONST, 0);
	if (s->params)
		memcpy((void *)(uintptr_t)(s->params + param_shift(m)), launch->params, launch->info->param_bytes);
	sx_fill_bank0(s->bank0, launch, m, c->local_size, s->params ? s->params + param_shift(m) : 0);
	for (unsigned b = 0; b < KERNEL_BANKS; b++)
		s->bank[b] = (struct exec_bank){m->bank[b].data, m->bank[b].data ? m->bank[b].size : 0};
	s->bank[BANK_PARAMS] = (struct exec_bank){s->bank0, size};
	if (launch->services->log)
		s->op = sx_log_ops_of(k);
	exec_slots_init(&s->x, &engine, launch, n);
	return s;
}

static void slots_free(void *slots)
{
	struct sx_slots *s = slots;
	if (s->params)
		devmem_free(s->x.like.launch->mem, s->params);
	exec_slots_free(&s->x);
	mem_free(s->bank0);
	mem_free(s->op);
	mem_free(s);
}

static const struct isa_inst *inst_at(const void *code, uint64_t pc)
{
	const struct sass_kernel *k = code;
	return pc / SX_INST_BYTES < k->n ? &k->isa[pc / SX_INST_BYTES] : NULL;
}

static bool apart(const struct kernel_launch *l)
{
	const struct sass_kernel *k = l->code;
	return k->apart && local_size(k, l->services->stack_limit) <= EXEC_CLEAN_LOCAL;
}

// Any of the functions that its program calls may be called by address.
static bool launches(const void *code)
{
	const struct sass_image *i = ((const struct sass_kernel *)code)->image;
	for (size_t n = 0; i->external && n < i->n_external; n++)
		if (i->external[n] && i->external[n]->service == ISA_SERVICE_LAUNCH)
			return true;
	return false;
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

static void describe(const struct warp *warp, char *buf, size_t len)
{
	static const char *const state[] = {"runs", "waits to meet other lanes", "waits for lanes that are named", "", "waits at an mbarrier"};
	const struct sx_warp *w = (const struct sx_warp *)warp;
	size_t at = 0;
	if (len)
		*buf = 0;
	for (uint32_t k = w->n_group; k-- > 0 && at < len;) {
		const struct sx_group *g = &w->group[k];
		char where[600], barrier[400], lanes[20] = "";
		bool at_barrier = g->state == SX_AT_BARRIER && g->barrier != EXEC_CHILDREN, at_phase = g->state == SX_AT_MBARRIER;
		place(warp, &w->cta->kernel->uop[at_barrier || at_phase ? g->pc - 1 : g->pc], where, sizeof where);
		at_phase |= g->state == SX_RUNS && exec_try_for_nothing(warp);
		at_phase &= exec_try_describe(warp, g->mask, barrier, sizeof barrier);
		if (at_barrier && g->barrier == EXEC_GROUP)
			exec_group_describe(&w->w, barrier, sizeof barrier);
		else if (at_barrier && g->barrier == EXEC_AT_CLUSTER)
			exec_cluster_describe(&w->cta->x, barrier, sizeof barrier);
		else if (at_barrier)
			exec_barrier_describe(&w->cta->x, g->barrier, barrier, sizeof barrier);
		const char *what = at_barrier || at_phase        ? barrier
		                   : g->state != SX_AT_BARRIER         ? state[g->state]
		                   : w->cta->x.launch->behind ? "waits for the kernel in front of its own"
		                                              : "waits for the grids that its block launched";
		if (w->n_group > 1) // else it is the whole warp
			snprintf(lanes, sizeof lanes, "lanes %08x: ", g->mask);
		int n = snprintf(buf + at, len - at, "%s%s%s %s", at ? "; " : "", lanes, what, where);
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
	describe(&w->w, line, sizeof line - 1);
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
	.expect = exec_front_expect,
	.execute = exec_front_execute,
	.finish = exec_front_finish,
	.copy_done = exec_front_copy_done,
	.unstick = exec_front_unstick,
	.hopeless = exec_front_hopeless,
	.expire = exec_front_expire,
	.run = exec_front_run,
	.register_count = sass_front_register_count,
	.inst_at = inst_at,
	.apart = apart,
	.launches = launches,
	.ready = exec_front_ready,
	.describe = exec_front_describe,
	.place = sx_place,
	.register_name = sass_front_register_name,
	.dump = dump,
	.cta_position = exec_front_cta_position,
	.write_flow = write_flow,
};
