#include "cuda-sim/trace/write/machine_line.h"

#include "isa/devmem.h"

#include <string.h>

enum { NO_WIDTH_BYTES = 4 }; // a tracer takes an access whose opcode names no width for one of 4 bytes

// The first number among the parts of the opcode, alone or behind U, in bytes.
static unsigned width_of(const char *op)
{
	struct sass_name k;
	sass_name_split(&k, op, strlen(op));
	unsigned bytes = sass_access_bytes(&k, true);
	return bytes ? bytes : NO_WIDTH_BYTES;
}

static enum trace_machine_how how_of(const struct sx_access *a)
{
	switch ((enum exec_list)a->how) {
	case EXEC_LIST_BODY: return TRACE_MACHINE_LIST;
	case EXEC_LIST_CONST: return TRACE_MACHINE_CONSTANT;
	default: return TRACE_MACHINE_LINE;
	}
}

// Does an address of constants have a register in it?
static bool is_indexed(const struct isa_sass *s)
{
	for (unsigned k = 0; k < s->n_src; k++)
		if (s->src[k].address && s->src[k].count && (s->src[k].file == ISA_FILE_R || s->src[k].file == ISA_FILE_UR))
			return true;
	return false;
}

void machine_line_of(struct machine_line *l, const struct sass_kernel *k, uint32_t inst)
{
	char text[256];
	sx_text(k, inst, text, sizeof text);
	inst_text_split(&l->text, text);
	l->how = (uint8_t)how_of(&k->access[inst]);
	if (l->how == TRACE_MACHINE_CONSTANT && is_indexed(k->isa[inst].sass))
		l->how = TRACE_MACHINE_LIST;
	if (k->isa[inst].cls == ISA_CALL && k->isa[inst].ordered)
		l->how = TRACE_MACHINE_CALL;
	l->memory = false;
	for (unsigned o = 0; o < l->text.n; o++)
		l->memory |= machine_line_refers(&l->text.operand[o]) && k->access[inst].how != EXEC_LIST_NONE && l->how == TRACE_MACHINE_LINE;
	l->width = width_of(l->text.op);
}

uint32_t machine_line_addresses(const struct fe_result *r, uint64_t addr[32])
{
	uint32_t mask = 0;
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		uint64_t window = 0;
		if (r->inst->space == SPACE_GENERIC)
			window = a->space == SPACE_SHARED || a->space == SPACE_CLUSTER ? SHARED_WINDOW : a->space == SPACE_LOCAL ? LOCAL_WINDOW : 0;
		mask |= a->mask;
		for (uint32_t m = a->mask; m; m &= m - 1)
			addr[__builtin_ctz(m)] = a->addr[__builtin_ctz(m)] + window;
	}
	// Lanes that give no address (of a matrix) have one in a tracer's line too; it is not used.
	for (uint32_t m = mask ? r->mask & ~mask : 0; m; m &= m - 1)
		addr[__builtin_ctz(m)] = addr[__builtin_ctz(mask)];
	return mask ? mask | r->mask : 0;
}
