// Instructions of PTX as who checks kernels sees them. See exec/checker.h.
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/matrix.h"
#include "cuda-sim/simt/simt.h"

#include <string.h>

// The rows that a store reads: those of its last micro-op.
static void rows_of(const struct code *c, uint32_t pc, const struct ptx_inst *i, const uint8_t *fp, struct exec_touch *t)
{
	const unsigned n = i->mods.vec > 1 ? i->mods.vec : 1, bytes = t->bytes / n;
	while (pc + 1 < c->n_uop && c->uop[pc + 1].flags & UOP_EXTRA)
		pc++;
	const struct uop *u = &c->uop[pc];
	t->n_row = (uint8_t)(n <= 4 ? n : 0);
	t->row_bytes = (uint8_t)(bytes < 4 ? 4 : bytes);
	for (unsigned k = 0; k < t->n_row; k++)
		t->row[k] = fp + (n == 1 ? u->b : u->x[k]);
}

static void check_matrix(struct simt_warp *w, const struct uop *u, const struct exec_matrix *m, const struct isa_inst *inst, uint32_t mask)
{
	for (unsigned k = 0; k < m->n; k++) {
		struct exec_touch t;
		if (!exec_check_begin(&t, inst, mask, (enum exec_list)m->how))
			return;
		t.swaps = t.strong = false;
		exec_matrix_addresses(w->w.fp, m, k, t.addr);
		exec_check_touch(&w->w, u, &t, (enum exec_list)m->how);
	}
}

static void check_access(struct simt_warp *w, const struct code *c, uint32_t pc, uint32_t n, uint32_t mask)
{
	const struct code_access *from = &c->access[n];
	const struct isa_inst *inst = &c->isa[n];
	struct exec_touch t;
	if (from->how == EXEC_LIST_MATRIX)
		check_matrix(w, &c->uop[pc], (const struct exec_matrix *)(uintptr_t)from->imm, inst, mask);
	if (!exec_check_begin(&t, inst, mask, (enum exec_list)from->how))
		return;
	t.swaps = t.atomic && strstr(c->func->inst[n].key, ".cas.");
	t.strong = c->func->inst[n].mods.sem > PTX_WEAK;
	simt_list_addresses(&w->w, w->w.fp, from, t.addr);
	if (inst->cls == ISA_STORE && !inst->address_lanes)
		rows_of(c, pc, &c->func->inst[n], w->w.fp, &t);
	exec_check_touch(&w->w, &c->uop[pc], &t, (enum exec_list)from->how);
}

void simt_check(struct simt_warp *w, int32_t frame, uint32_t pc, uint32_t mask)
{
	const struct code *c = w->frame.at[frame].code;
	const struct uop *u = &c->uop[pc];
	const uint32_t n = c->inst_of[pc];
	if (n >= c->func->n_inst) // the end of the function, which no PTX line stands for
		return;
	const struct isa_inst *inst = &c->isa[n];
	const struct exec_checker *by = w->cta->x.check->by;
	exec_check_trail(&w->w, inst, mask);
	if (c->products && c->products[n].n)
		by->registers(&w->w, mask, &c->products[n]);
	if (u->ctl == CTL_GROUP)
		by->group(&w->w, (enum exec_group_op)u->x[0], (uint32_t)u->imm);
	if (!exec_check_wants(inst))
		return;
	if (inst->cls == ISA_BARRIER && u->ctl == CTL_WARPSYNC)
		by->warpsync(&w->w, mask, u->x[3] ? (const uint32_t *)(w->w.fp + u->x[3]) : NULL);
	else if (inst->cls == ISA_FENCE)
		by->fence(&w->w, mask, strstr(c->func->inst[n].key, ".proxy.async") != NULL);
	else if (inst->cls != ISA_BARRIER && inst->cls != ISA_NOP)
		check_access(w, c, pc, n, mask);
}
