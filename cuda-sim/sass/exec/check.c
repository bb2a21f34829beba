// Machine code as who checks kernels sees it. See exec/checker.h.
//
// Where lanes are together anyway, compilers leave a NOP of a __syncwarp, so every NOP that is executed counts as one. What was
// volatile in shared memory cannot be told from what was not.
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/sass/exec/warp.h"

// The rows that a store reads: those of its last micro-op.
static void rows_of(const struct sass_kernel *k, uint32_t n, const uint8_t *fp, struct exec_touch *t)
{
	const struct uop *u = &k->uop[k->first[n + 1] - 1];
	t->n_row = t->bytes <= 4 ? 1 : t->bytes <= 16 ? t->bytes / 4 : 0;
	t->row_bytes = 4;
	for (unsigned i = 0; i < t->n_row; i++)
		t->row[i] = fp + (t->n_row == 1 ? u->b : u->x[i]);
}

static void check_access(struct sx_warp *w, uint32_t pc, uint32_t n, uint32_t mask)
{
	const struct sass_kernel *k = w->cta->kernel;
	const struct sx_access *from = &k->access[n];
	const struct isa_inst *inst = &k->isa[n];
	struct exec_touch t;
	if (!exec_check_begin(&t, inst, mask, (enum exec_list)from->how))
		return;
	t.swaps = k->uop[pc].flags & UOP_CAS;
	t.strong = inst->is_volatile;
	sx_addresses(w, from, t.addr);
	if (from->how == EXEC_LIST_OFFSET)
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			t.addr[i] = (uint32_t)t.addr[i];
	if (inst->cls == ISA_STORE && !inst->address_lanes)
		rows_of(k, n, w->w.fp, &t);
	exec_check_touch(&w->w, &k->uop[pc], &t, (enum exec_list)from->how);
}

static void check_warpsync(struct sx_warp *w, const struct uop *u, uint32_t mask)
{
	if (!u->x[3]) // else those that do not name themselves go on, and what follows is no __syncwarp
		w->cta->x.check->by->warpsync(&w->w, mask, (const uint32_t *)(w->w.fp + u->a));
}

void sx_check(struct sx_warp *w, uint32_t pc, uint32_t mask)
{
	const struct sass_kernel *k = w->cta->kernel;
	const uint32_t n = k->inst_of[pc];
	const struct exec_checker *by = w->cta->x.check->by;
	if (n >= k->n) // the end of the code
		return;
	const struct isa_inst *inst = &k->isa[n];
	exec_check_trail(&w->w, inst, mask);
	if (k->uop[pc].ctl == SX_WARPSYNC)
		check_warpsync(w, &k->uop[pc], mask);
	if (k->uop[pc].ctl == SX_GROUP)
		by->group(&w->w, (enum exec_group_op)k->uop[pc].x[0], (uint32_t)k->uop[pc].imm);
	if (k->uop[pc].flags & UOP_PROXY)
		by->fence(&w->w, mask, true);
	if (!exec_check_wants(inst))
		return;
	if (inst->cls == ISA_NOP)
		by->warpsync(&w->w, mask, NULL);
	else if (inst->cls == ISA_FENCE)
		by->fence(&w->w, mask, false);
	else if (inst->cls != ISA_BARRIER)
		check_access(w, pc, n, mask);
}
