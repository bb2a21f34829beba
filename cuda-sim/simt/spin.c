// Polling instructions of PTX: where they poll and what they read. See exec/spin.h.
#include "cuda-sim/simt/simt.h"

static void lanes_of(const uint8_t *row, bool wide, uint64_t *restrict out)
{
	const uint32_t *low = (const uint32_t *)row;
	if (wide) {
		memcpy(out, row, WARP * sizeof *out);
		return;
	}
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		out[i] = low[i];
}

bool spin_poll(struct simt_warp *w, const struct code *code, const struct uop *u, uint32_t mask)
{
	uint32_t n = code->inst_of[u - code->uop];
	const struct code_access *from = &code->access[n];
	const struct isa_inst *inst = &code->isa[n];
	uint8_t *fp = w->w.fp;
	bool scalar = n < code->func->n_inst && code->func->inst[n].mods.vec <= 1 && inst->bytes <= 8;
	uint64_t addr[WARP], value[WARP];
	if ((from->how != EXEC_LIST_DEVICE && from->how != EXEC_LIST_GENERIC && from->how != EXEC_LIST_OFFSET) || !scalar) {
		u->fn(fp, u, mask, &w->w);
		return false;
	}
	lanes_of(fp + from->row, from->wide, addr);
	u->fn(fp, u, mask, &w->w);
	lanes_of(fp + u->d, inst->bytes > 4, value);
	return exec_spin_poll(&w->turn.spin, u, mask, addr, value);
}
