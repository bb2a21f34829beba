// Kernels of machine code as traces of Accel-Sim's tracer, version 5. The header's lines "-heddle" hold the code, for
// replays with the cycles of the execution; other readers pass them over.
#include "cuda-sim/trace/form.h"

#include "base/mem.h"
#include "cuda-sim/sass/exec/code.h"
#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/operand_text.h"
#include "isa/devmem.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

enum { TRACER_VERSION = 5, NO_WIDTH_BYTES = 4 }; // a tracer takes an access whose opcode names no width for one of 4 bytes

// How an instruction's lines look: pc, and what stands between the mask and the addresses; the immediate.
struct line_text {
	char *head, *middle;
	int32_t imm;
	bool memory; // addresses follow
	uint8_t how; // enum trace_machine_how
};

struct sass_form {
	const struct sass_kernel *kernel;
	struct line_text *line; // by pc
};

// --- the lines of an instruction, but for what differs from time to time

// The first number among the parts of the opcode, alone or behind U, in bytes.
static unsigned width_of(const char *op)
{
	struct sass_name k;
	sass_name_split(&k, op, strlen(op));
	unsigned bytes = sass_access_bytes(&k, true);
	return bytes ? bytes : NO_WIDTH_BYTES;
}

static bool is_reference(const struct operand_text *o) { return o->kind == OPERAND_MREF || o->kind == OPERAND_DESC; }

// Registers as the tracer lists them: the first operand is the destination if it is a register, all others are sources, as are the
// registers of addresses; constants, predicates and uniform registers are left out, RZ is R255.
static void put_registers(struct put *t, const struct inst_text *x)
{
	unsigned n = 0;
	for (unsigned k = 0; k < x->n; k++)
		n += is_reference(&x->operand[k]) ? x->operand[k].reg >= 0 : k && x->operand[k].kind == OPERAND_REG;
	bool result = x->n && x->operand[0].kind == OPERAND_REG;
	if (result)
		put_format(t, "1 R%d", x->operand[0].reg);
	else
		put_string(t, "0");
	put_format(t, " %s %u", x->op, n);
	for (unsigned k = 0; k < x->n; k++)
		if (is_reference(&x->operand[k]) ? x->operand[k].reg >= 0 : k && x->operand[k].kind == OPERAND_REG)
			put_format(t, " R%d", x->operand[k].reg);
}

static enum trace_machine_how how_of(const struct sx_access *a)
{
	switch ((enum sx_list)a->how) {
	case SX_LIST_TEXELS: return TRACE_MACHINE_LIST;
	case SX_LIST_CONST: return TRACE_MACHINE_CONSTANT;
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

static char *text_of(struct put *t)
{
	put_char(t, 0);
	char *s = t->t.at;
	*t = (struct put){0};
	return s;
}

static void make_line(struct line_text *l, const struct sass_kernel *k, uint32_t i)
{
	char text[256];
	struct inst_text x;
	struct put t = {0};
	sx_text(k, i, text, sizeof text);
	inst_text_split(&x, text);
	l->how = (uint8_t)how_of(&k->access[i]);
	if (l->how == TRACE_MACHINE_CONSTANT && is_indexed(k->isa[i].sass))
		l->how = TRACE_MACHINE_LIST;
	for (unsigned o = 0; o < x.n; o++) {
		l->memory |= is_reference(&x.operand[o]) && k->access[i].how != SX_LIST_NONE && l->how == TRACE_MACHINE_LINE;
		if (x.operand[o].kind == OPERAND_IMM)
			l->imm = (int32_t)x.operand[o].imm;
	}
	put_hex(&t, k->isa[i].pc, 4);
	put_char(&t, ' ');
	l->head = text_of(&t);
	put_char(&t, ' ');
	put_registers(&t, &x);
	put_format(&t, " %u", l->memory ? width_of(x.op) : 0);
	l->middle = text_of(&t);
}

static void *begin(const struct kernel_launch *l, const struct frontend_ops *fe)
{
	struct sass_form *s = MEM_NEW(struct sass_form);
	s->kernel = l->code;
	s->line = mem_alloc(s->kernel->n * sizeof *s->line);
	for (uint32_t i = 0; i < s->kernel->n; i++)
		make_line(&s->line[i], s->kernel, i);
	return s;
}

static void end(void *form)
{
	struct sass_form *s = form;
	for (uint32_t i = 0; i < s->kernel->n; i++) {
		mem_free(s->line[i].head);
		mem_free(s->line[i].middle);
	}
	mem_free(s->line);
	mem_free(s);
}

// --- the header

static void header(const void *form, const struct kernel_launch *l, struct put *t)
{
	const struct sass_form *s = form;
	const struct kernel_info *i = l->info;
	put_format(t, "-kernel name = %.4000s\n-kernel id = %u\n", i->name, l->uid);
	put_format(t, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", l->grid[0], l->grid[1], l->grid[2], l->block[0],
	           l->block[1], l->block[2]);
	put_format(t, "-shmem = %u\n-nregs = %u\n", i->static_shared + l->dynamic_shared, i->regs);
	put_format(t, "-binary version = %u\n-cuda stream id = %llu\n", s->kernel->image->arch, (ull)l->stream);
	put_format(t, "-shmem base_addr = 0x%016llx\n-local mem base_addr = 0x%016llx\n", (ull)SHARED_WINDOW, (ull)LOCAL_WINDOW);
	put_format(t, "-nvbit version = none\n-accelsim tracer version = %d\n-enable lineinfo = 0\n", TRACER_VERSION);
	put_format(t, "-heddle sass = %d %llu %u %u %u\n", TRACE_MACHINE_VERSION, (ull)i->code_base, i->local, l->prefers, s->kernel->n);
	for (uint32_t k = 0; k < s->kernel->n; k++) {
		struct sass_word w = sx_word(s->kernel, k);
		char text[256];
		sx_text(s->kernel, k, text, sizeof text);
		put_format(t, "-heddle code = %u %016llx%016llx ; %s\n", s->line[k].how, (ull)w.hi, (ull)w.lo, text);
	}
	put_string(t, "\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
	              "[adrrescompress?] [mem_addresses] immediate\n\n");
}

// --- an instruction

// Addresses as the instruction had them: generic ones in their windows.
static void put_line_addresses(struct put *t, const struct isa_inst *i, const struct fe_result *r)
{
	uint64_t addr[32] = {0};
	uint32_t mask = 0;
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		uint64_t window = i->space != SPACE_GENERIC ? 0 : a->space == SPACE_SHARED ? SHARED_WINDOW : a->space == SPACE_LOCAL ? LOCAL_WINDOW : 0;
		mask |= a->mask;
		for (uint32_t m = a->mask; m; m &= m - 1)
			addr[__builtin_ctz(m)] = a->addr[__builtin_ctz(m)] + window;
	}
	if (mask)
		put_addresses(t, mask, addr, false);
	else
		put_string(t, " 1 0x0 0"); // as the tracer writes those of no lane
}

static void put_listed(struct put *t, const struct fe_result *r)
{
	put_format(t, " | %u", r->n_access);
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		put_format(t, " %u %u %08x", a->space, a->bytes, a->mask);
		put_address_list(t, a->mask, a->addr);
	}
}

static void inst(const void *form, const struct fe_result *r, bool waits, struct put *t)
{
	const struct sass_form *s = form;
	const struct isa_inst *i = r->inst;
	const struct line_text *l = &s->line[i->pc / SX_INST_BYTES];
	put_string(t, l->head);
	put_hex(t, r->mask, 8);
	put_string(t, l->middle);
	if (l->memory)
		put_line_addresses(t, i, r);
	put_char(t, ' ');
	put_decimal(t, l->imm);
	if (l->how == TRACE_MACHINE_LIST && r->mask)
		put_listed(t, r);
	put_char(t, '\n');
}

const struct trace_form trace_form_sass = {begin, end, header, inst};
