// Instructions of PTX as the log of cuda-sim/exec/inst_log.h shows them.
#include "cuda-sim/simt/log.h"

#include "cuda-sim/ptx/ops.h"
#include "cuda-sim/simt/inspect.h"

#include <stdio.h>

static const char *op_name(uint32_t op) { return op < ptx_op_count ? ptx_op_table[op].name : NULL; }

static struct simt_warp *warp_of(const struct inst_log_at *i) { return (struct simt_warp *)i->warp; }

static void show(const struct inst_log_at *i, char *buf, size_t len)
{
	const struct ptx_func *f = ((const struct code *)i->code)->func;
	char text[400];
	ptx_inst_print(f, &f->inst[i->inst], text, sizeof text);
	snprintf(buf, len, "%.400s:%u - %s", f->module->text.name, f->inst[i->inst].line, text);
}

static void registers(const struct inst_log_at *i, bool writes, unsigned lane, inst_log_put *put, void *ctx)
{
	const struct simt_warp *w = warp_of(i);
	const struct code *c = i->code;
	const struct ptx_inst *inst = &c->func->inst[i->inst];
	char name[64], value[48];
	reg_uses uses = {0};
	inst_reg_operands(inst, &uses);
	if (inst->guard >= 0)
		VEC_PUSH(&uses, ((struct reg_use){(uint32_t)inst->guard, false}));
	for (size_t k = 0; k < uses.n; k++) {
		uint32_t reg = uses.at[k].reg;
		if (uses.at[k].def != writes)
			continue;
		ptx_reg_print(c->func, reg, name, sizeof name);
		inspect_value((enum ptx_type)c->func->reg[reg].type, w->rows + w->frame.at[i->frame].fp + c->row_of_reg[reg], lane, value,
		              sizeof value);
		put(ctx, name, value);
	}
	VEC_FREE(&uses);
}

// A call has left the activation whose registers it writes: those show where they are used.
static bool lasts(const struct inst_log_at *i)
{
	const struct simt_warp *w = warp_of(i);
	return (size_t)i->frame < w->frame.n && w->frame.at[i->frame].refs && w->frame.at[i->frame].code == i->code;
}

const struct inst_log_ops simt_log_ops = {"ptx", op_name, show, registers, lasts};

void simt_log_step(struct inst_log_sm *l, struct simt_warp *w, int32_t frame, uint32_t pc, uint32_t active, uint32_t mask)
{
	const struct code *c = w->frame.at[frame].code;
	struct inst_log_at i = {&w->w, c, c->inst_of[pc], frame};
	if (i.inst >= c->func->n_inst) // the end of the function, which no PTX line stands for
		return;
	inst_log_step(l, &i, c->uop[pc].cls, c->isa[i.inst].space, (uint32_t)(c->func->inst[i.inst].op - ptx_op_table), active, mask);
}
