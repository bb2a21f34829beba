// The control-flow graph of a kernel's machine code, for people: basic blocks, and where each goes on.
#include "cuda-sim/sass/exec/flow.h"

#include "base/mem.h"
#include "cuda-sim/sass/exec/warp.h"

#include <inttypes.h>
#include <stdio.h>

struct sx_exits sx_exits_of(const struct sass_kernel *k, uint32_t i)
{
	struct sx_exits e = {true, UINT32_MAX, NULL};
	for (uint32_t u = k->first[i]; u < k->first[i + 1]; u++) {
		const struct uop *op = &k->uop[u];
		bool always = !op->guard && !op->x[1];
		switch ((enum sx_ctl)op->ctl) {
		case SX_BRA:
		case SX_BRA_ANY:
		case SX_BRA_BY_LANES:
			e.target = k->inst_of[op->imm];
			e.next = !always || op->ctl == SX_BRA_BY_LANES;
			break;
		case SX_JUMP:
			e.to = "by register";
			e.next = !always;
			break;
		case SX_EXIT:
		case SX_TRAP:
			e.to = "end";
			e.next = !always;
			break;
		default:
			break;
		}
	}
	return e;
}

static void print_block(const struct sass_kernel *k, uint32_t from, uint32_t to, bool dot, FILE *f)
{
	char text[256];
	if (dot)
		fprintf(f, "\tb%u [label=\"", from);
	else
		fprintf(f, "block 0x%x\n", from * SX_INST_BYTES);
	for (uint32_t i = from; i < to; i++) {
		sx_text(k, i, text, sizeof text);
		fprintf(f, dot ? "%04x %s\\l" : "\t%04x  %s\n", i * SX_INST_BYTES, text);
	}
	if (dot)
		fputs("\"];\n", f);
}

static void print_edge(uint32_t block, uint32_t to, bool dot, FILE *f)
{
	if (dot)
		fprintf(f, "\tb%u -> b%u;\n", block, to);
	else
		fprintf(f, "\t-> 0x%x\n", to * SX_INST_BYTES);
}

static void print_exits(const struct sass_kernel *k, uint32_t block, uint32_t last, bool dot, FILE *f)
{
	struct sx_exits e = sx_exits_of(k, last);
	if (e.target != UINT32_MAX)
		print_edge(block, e.target, dot, f);
	if (e.next && last + 1 < k->n)
		print_edge(block, last + 1, dot, f);
	if (e.to && !dot)
		fprintf(f, "\t-> %s\n", e.to);
}

void sx_write_flow(const struct sass_kernel *k, bool dot, FILE *f)
{
	uint8_t *begins = mem_alloc(k->n + 1);
	begins[0] = 1;
	for (size_t p = 0; p < k->image->n_part; p++)
		if (k->image->part[p].pc / SX_INST_BYTES < k->n)
			begins[k->image->part[p].pc / SX_INST_BYTES] = 1;
	for (uint32_t i = 0; i < k->n; i++) {
		struct sx_exits e = sx_exits_of(k, i);
		if (e.target != UINT32_MAX)
			begins[e.target] = 1;
		if (e.target != UINT32_MAX || e.to)
			begins[i + 1] = 1;
	}
	if (dot)
		fprintf(f, "digraph \"%s\" {\n\tnode [shape=box, fontname=monospace];\n", k->image->name);
	else
		fprintf(f, "control flow of %s (%s)\n", k->image->name, k->image->file);
	for (uint32_t from = 0; from < k->n;) {
		uint32_t to = from + 1;
		while (to < k->n && !begins[to])
			to++;
		print_block(k, from, to, dot, f);
		print_exits(k, from, to - 1, dot, f);
		from = to;
	}
	if (dot)
		fputs("}\n", f);
	mem_free(begins);
}
