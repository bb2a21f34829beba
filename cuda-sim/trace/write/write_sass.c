// Kernels of machine code as traces of Accel-Sim's tracer, version 5. The header's lines "-heddle" hold the code, for
// replays with the cycles of the execution; other readers pass them over.
#include "cuda-sim/trace/write/form.h"

#include "base/mem.h"
#include "cuda-sim/trace/write/machine_line.h"
#include "isa/devmem.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

enum { TRACER_VERSION = 5 };

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

static bool is_source(const struct operand_text *o, unsigned k)
{
	return machine_line_refers(o) ? o->reg >= 0 : k && o->kind == OPERAND_REG;
}

// Registers as the tracer lists them: the first operand is the destination if it is a register, all others are sources, as are the
// registers of addresses; constants, predicates and uniform registers are left out, RZ is R255.
static void put_registers(struct put *t, const struct inst_text *x)
{
	unsigned n = 0;
	for (unsigned k = 0; k < x->n; k++)
		n += is_source(&x->operand[k], k);
	bool result = x->n && x->operand[0].kind == OPERAND_REG;
	if (result)
		put_format(t, "1 R%d", x->operand[0].reg);
	else
		put_string(t, "0");
	put_format(t, " %s %u", x->op, n);
	for (unsigned k = 0; k < x->n; k++)
		if (is_source(&x->operand[k], k))
			put_format(t, " R%d", x->operand[k].reg);
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
	struct machine_line m;
	struct put t = {0};
	machine_line_of(&m, k, i);
	l->how = m.how;
	l->memory = m.memory;
	for (unsigned o = 0; o < m.text.n; o++)
		if (m.text.operand[o].kind == OPERAND_IMM)
			l->imm = (int32_t)m.text.operand[o].imm;
	put_hex(&t, k->isa[i].pc, 4);
	put_char(&t, ' ');
	l->head = text_of(&t);
	put_char(&t, ' ');
	put_registers(&t, &m.text);
	put_format(&t, " %u", m.memory ? m.width : 0);
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

static void put_line_addresses(struct put *t, const struct fe_result *r)
{
	uint64_t addr[32] = {0};
	uint32_t mask = machine_line_addresses(r, addr);
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

static void inst(const void *form, const struct fe_result *r, enum trace_meets meets, const struct isa_inst *next, struct put *t)
{
	const struct sass_form *s = form;
	const struct isa_inst *i = r->inst;
	const struct line_text *l = &s->line[i->pc / SX_INST_BYTES];
	put_string(t, l->head);
	put_hex(t, r->mask, 8);
	put_string(t, l->middle);
	if (l->memory)
		put_line_addresses(t, r);
	put_char(t, ' ');
	put_decimal(t, l->imm);
	if (l->how == TRACE_MACHINE_LIST && r->mask)
		put_listed(t, r);
	if (meets == MEETS_APART)
		put_string(t, TRACE_MACHINE_APART);
	put_char(t, '\n');
}

const struct trace_form trace_form_sass = {begin, end, header, inst};
