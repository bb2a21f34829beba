// Machine code for the log of instructions (cuda-sim/exec/inst_log.h), and what people see of registers.
#include "cuda-sim/sass/exec/warp.h"

#include "base/mem.h"
#include "cuda-sim/sass/machine/form.h"
#include "cuda-sim/sass/ops.h"

#include <inttypes.h>
#include <stdio.h>

static const struct sass_kernel *kernel_of(const struct inst_log_at *i) { return i->code; }

static const char *op_name(uint32_t op)
{
	size_t n;
	const struct sass_op *table = sass_op_table(&n);
	return op < n ? table[op].name : NULL;
}

uint16_t *sx_log_ops_of(const struct sass_kernel *k)
{
	size_t n;
	const struct sass_op *table = sass_op_table(&n);
	uint16_t *op = mem_alloc(k->n * sizeof *op + 1);
	for (uint32_t i = 0; i < k->n; i++) {
		struct sass_decoded d;
		char why[160];
		if (sass_decode(k->isa_table, sx_word(k, i), (uint64_t)i * SX_INST_BYTES, &d, why, sizeof why))
			op[i] = (uint16_t)(sass_form_op(&d) - table);
	}
	return op;
}

static void show(const struct inst_log_at *i, char *buf, size_t len)
{
	const struct sass_kernel *k = kernel_of(i);
	struct fe_place p;
	int n = 0;
	sx_place(k, &k->isa[i->inst], &p);
	if (p.source)
		n = snprintf(buf, len, "%.400s:%u, ", p.source, p.source_line);
	snprintf(buf + n, len - (size_t)n, "pc 0x%" PRIx64 " in %.200s - %s", k->isa[i->inst].pc, p.function, p.text);
}

static int32_t row_at(const struct sass_kernel *k, unsigned file, unsigned reg)
{
	switch (file) {
	case ISA_FILE_UR: return sx_ur_row(k, reg);
	case ISA_FILE_B: return sx_b_row(k, reg);
	case ISA_FILE_P: return SX_AT_P + (int32_t)reg * 4;
	case ISA_FILE_UP: return SX_AT_UP + (int32_t)reg * 4;
	default: return SX_AT_R + (int32_t)reg * SX_ROW;
	}
}

static void put_register(const struct inst_log_at *i, const struct isa_operand *o, unsigned lane, inst_log_put *put, void *ctx)
{
	static const struct {
		const char *name;
		bool mask; // a bit a lane
	} files[] = {
		[ISA_FILE_R] = {"R", false},  [ISA_FILE_UR] = {"UR", false}, [ISA_FILE_P] = {"P", true},
		[ISA_FILE_UP] = {"UP", true}, [ISA_FILE_B] = {"B", false},
	};
	if (o->file == ISA_FILE_NONE || o->file > ISA_FILE_B)
		return;
	for (unsigned r = o->reg; r < (unsigned)o->reg + o->count; r++) {
		char name[16], value[16];
		const uint32_t *at = (const uint32_t *)(i->warp->fp + row_at(kernel_of(i), o->file, r));
		snprintf(name, sizeof name, "%s%u", files[o->file].name, r);
		if (files[o->file].mask)
			snprintf(value, sizeof value, "%u", *at >> lane & 1);
		else
			snprintf(value, sizeof value, "0x%x", at[lane]);
		put(ctx, name, value);
	}
}

static void registers(const struct inst_log_at *i, bool writes, unsigned lane, inst_log_put *put, void *ctx)
{
	const struct isa_sass *s = kernel_of(i)->isa[i->inst].sass;
	const struct isa_operand *o = writes ? s->dst : s->src;
	for (unsigned k = 0; k < (writes ? s->n_dst : s->n_src); k++)
		put_register(i, &o[k], lane, put, ctx);
}

const struct inst_log_ops sx_log_ops = {"sass", op_name, show, registers, NULL};

void sx_log_step(const struct sx_warp *w, uint32_t pc, uint32_t active, uint32_t mask)
{
	const struct sass_kernel *k = w->cta->kernel;
	struct inst_log_at i = {w->cta->x.warp[w->w.id], k, k->inst_of[pc], 0};
	if (i.inst < k->n) // not the end of the code
		inst_log_step(w->cta->x.log, &i, k->uop[pc].cls, k->isa[i.inst].space, w->cta->op[i.inst], active, mask);
}
