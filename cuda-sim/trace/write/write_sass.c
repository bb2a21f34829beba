// Kernels of machine code as traces of Accel-Sim's tracer, version 5, from sm_90 on version 6. The header's lines "-heddle" hold the code, for
// replays with the cycles of the execution; other readers pass them over.
#include "cuda-sim/trace/write/form.h"

#include "base/mem.h"
#include "cuda-sim/exec/warp.h"
#include "cuda-sim/trace/sync.h"
#include "cuda-sim/trace/write/machine_line.h"
#include "isa/devmem.h"

#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

enum { TRACER_VERSION = 5, TRACER_HOPPER = 6, HOPPER = 90 };

// How an instruction's lines look: pc, and what stands between the mask and the addresses; the immediate.
struct line_text {
	char *head, *middle;
	int32_t imm, imm2;
	bool memory; // addresses follow
	uint8_t how; // enum trace_machine_how
	// Of version 6:
	bool six, sync, copy, product, barrier; // what it is: an operation on an mbarrier, a bulk copy
	unsigned n_dst, n_src;
	int32_t row[3], add; // of sync: rows of the address, 0: none, and what is added; then the row of the value
	int32_t bar[2];      // of barrier: rows of its number and its threads, 0: they are the immediates
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

static int32_t row_of(const struct sass_kernel *k, const struct operand_text *o)
{
	if (o->kind == OPERAND_REG && o->reg >= 0)
		return o->reg >= SX_RZ ? SX_AT_ZERO : SX_AT_R + o->reg * SX_ROW;
	if (o->kind == OPERAND_UREG && o->reg >= 0)
		return sx_ur_row(k, (unsigned)o->reg);
	return 0;
}

// The registers in "[R2+UR4+0x8]" and what is added to them.
static void take_address(struct line_text *l, const struct sass_kernel *k, const char *text)
{
	char part[64];
	unsigned rows = 0;
	for (const char *p = strrchr(text, '[') ? strrchr(text, '[') + 1 : ""; *p && *p != ']' && rows < 2;) {
		const size_t n = strcspn(p, "+]");
		snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : sizeof part - 1), p);
		struct inst_text one;
		char line[80];
		snprintf(line, sizeof line, "X %s", part);
		inst_text_split(&one, line);
		const int32_t row = one.n ? row_of(k, &one.operand[0]) : 0;
		if (row)
			l->row[rows++] = row;
		else if (one.n)
			l->add = (int32_t)one.operand[0].imm;
		p += n + (p[n] == '+');
	}
}

// Version 6 lists what an mbarrier's operation reads: the register of the address, then the value's, regular or uniform.
static void put_sync_registers(struct put *t, struct line_text *l, const struct sass_kernel *k, const struct inst_text *x)
{
	unsigned at = 0;
	while (at < x->n && !machine_line_refers(&x->operand[at]))
		at++;
	const bool result = x->n && x->operand[0].kind == OPERAND_REG;
	const struct operand_text *v = at + 1 < x->n ? &x->operand[at + 1] : NULL;
	const bool value = v && row_of(k, v);
	l->n_dst = result;
	l->n_src = 1 + value;
	if (at < x->n)
		take_address(l, k, x->operand[at].text);
	if (value)
		l->row[2] = row_of(k, v);
	if (result)
		put_format(t, "1 R%d", x->operand[0].reg);
	else
		put_string(t, "0");
	put_format(t, " %s %u R%d", x->op, l->n_src, at < x->n && x->operand[at].reg >= 0 ? x->operand[at].reg : SX_RZ);
	if (value)
		put_format(t, " %s%d", v->kind == OPERAND_UREG ? "UR" : "R", v->reg);
}

static char *text_of(struct put *t)
{
	put_char(t, 0);
	char *s = t->t.at;
	*t = (struct put){0};
	return s;
}

enum { MBARRIER_BYTES = 8, COPY_BYTES = 16 };

static void describe_six(struct line_text *l, const struct sass_kernel *k, const struct inst_text *x)
{
	struct sass_name name;
	bool drop;
	sass_name_split(&name, x->op, strlen(x->op));
	l->six = k->image->arch >= HOPPER;
	l->sync = l->six && trace_sync_of(&name, &drop) != TRACE_SYNC_NONE;
	l->copy = l->six && trace_copy_kind(&name) >= 0;
	l->product = l->six && strstr(x->op, "GMMA");
	l->barrier = l->six && sass_name_is(&name, 0, "BAR");
	for (unsigned o = 0; o < x->n && o < 2 && l->barrier; o++)
		l->bar[o] = row_of(k, &x->operand[o]);
	if (l->sync || l->copy)
		l->memory = false;
}

static void make_line(struct line_text *l, const struct sass_kernel *k, uint32_t i)
{
	struct machine_line m;
	struct put t = {0};
	machine_line_of(&m, k, i);
	l->how = m.how;
	l->memory = m.memory;
	unsigned n_imm = 0;
	for (unsigned o = 0; o < m.text.n; o++)
		if (m.text.operand[o].kind == OPERAND_IMM)
			*(k->image->arch >= HOPPER && n_imm++ ? &l->imm2 : &l->imm) = (int32_t)m.text.operand[o].imm;
	describe_six(l, k, &m.text);
	put_hex(&t, k->isa[i].pc, 4);
	put_char(&t, ' ');
	l->head = text_of(&t);
	put_char(&t, ' ');
	if (l->sync)
		put_sync_registers(&t, l, k, &m.text);
	else
		put_registers(&t, &m.text);
	if (l->product)
		put_format(&t, " %d", k->isa[i].async == ISA_ASYNC_MMA_LAST);
	put_format(&t, " %u", l->sync ? MBARRIER_BYTES : l->copy ? COPY_BYTES : m.memory ? m.width : 0);
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
	put_format(t, "-nvbit version = none\n-accelsim tracer version = %d\n-enable lineinfo = 0\n",
	           s->kernel->image->arch >= HOPPER ? TRACER_HOPPER : TRACER_VERSION);
	if (l->cluster[0])
		put_format(t, "-cluster dim = (%u,%u,%u)\n", l->cluster[0], l->cluster[1], l->cluster[2]);
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

// Behind the access width of a bulk copy: mbarrier, whether it goes to several CTAs and to which, bytes, those outside of a tensor, and
// addresses.
static void put_copy(struct put *t, const struct fe_copy *c)
{
	uint64_t inside = 0;
	for (uint32_t k = 0; k < c->n_piece; k++)
		inside += c->piece[k].bytes;
	const bool several = c->ctas > 1;
	put_format(t, " %x %d", c->mbarrier == UINT32_MAX ? 0 : c->mbarrier, several);
	if (several)
		put_format(t, " %x", c->ranks);
	put_format(t, " %u %llu 3 %u", c->bytes, (ull)(c->n_piece && inside < c->bytes ? c->bytes - inside : 0), c->n_piece);
	for (uint32_t k = 0; k < c->n_piece; k++) {
		put_string(t, " 0x");
		put_hex(t, c->piece[k].address, 1);
	}
}

// Heddle's addition: the tensor map, and the bytes of each piece.
static void put_copy_addition(struct put *t, const struct fe_copy *c)
{
	put_string(t, " | ");
	put_hex(t, c->map, 1);
	for (uint32_t k = 0; k < c->n_piece; k++)
		put_format(t, " %u", c->piece[k].bytes);
}

// Values of a register: one if all lanes have the same.
static void put_value(struct put *t, const uint32_t value[32])
{
	bool same = true;
	for (unsigned i = 1; i < 32; i++)
		same &= value[i] == value[0];
	put_string(t, same ? " 1" : " 32");
	for (unsigned i = 0; i < (same ? 1 : 32); i++) {
		put_char(t, ' ');
		put_hex(t, value[i], 1);
	}
}

static void put_values(struct put *t, const struct line_text *l, const struct trace_look *look)
{
	static const uint32_t none[32];
	uint32_t at[32];
	if (!l->sync || !look) {
		put_string(t, " NoVal");
		return;
	}
	for (unsigned i = 0; i < 32; i++)
		at[i] = (uint32_t)look->at[i];
	put_string(t, " Val");
	for (unsigned k = 0; k < l->n_dst; k++)
		put_value(t, none);
	put_value(t, at);
	if (l->n_src > 1)
		put_value(t, look->value);
}

static void look(const void *form, const struct fe_cta *cta, unsigned warp, const struct isa_inst *next, struct trace_look *to)
{
	const struct sass_form *s = form;
	const struct line_text *l = &s->line[next->pc / SX_INST_BYTES];
	if (!l->sync && !l->bar[0] && !l->bar[1])
		return;
	const uint8_t *fp = ((const struct exec_cta *)cta)->warp[warp]->fp;
	const int32_t *row = l->sync ? l->row : (const int32_t[]){0, 0, l->bar[0]};
	for (unsigned i = 0; i < 32; i++) {
		to->at[i] = (uint32_t)l->add;
		for (unsigned k = 0; k < 2; k++)
			to->at[i] += row[k] ? ((const uint32_t *)(const void *)(fp + row[k]))[i] : 0;
		to->at[i] = (uint32_t)to->at[i];
		to->value[i] = row[2] ? ((const uint32_t *)(const void *)(fp + row[2]))[i] : 0;
		if (!l->sync)
			to->at[i] = l->bar[1] ? ((const uint32_t *)(const void *)(fp + l->bar[1]))[i] : 0;
	}
}

// The number of a barrier and its threads.
static void put_barrier(struct put *t, const struct line_text *l, const struct fe_result *r, const struct trace_look *look)
{
	const unsigned i = r->mask && look ? (unsigned)__builtin_ctz(r->mask) : 0;
	const bool asked = look && r->mask;
	put_decimal(t, l->bar[0] && asked ? (int64_t)look->value[i] : l->imm);
	put_char(t, ' ');
	put_decimal(t, l->bar[1] && asked ? (int64_t)look->at[i] : l->bar[0] ? l->imm : l->imm2);
}

static void inst(const void *form, const struct fe_result *r, const struct trace_look *look, enum trace_meets meets, const struct isa_inst *next,
                 struct put *t)
{
	static const struct fe_copy no_copy = {.mbarrier = UINT32_MAX};
	const struct fe_copy *copy = r->n_copy ? &r->copy[0] : &no_copy;
	const struct sass_form *s = form;
	const struct isa_inst *i = r->inst;
	const struct line_text *l = &s->line[i->pc / SX_INST_BYTES];
	put_string(t, l->head);
	put_hex(t, r->mask, 8);
	put_string(t, l->middle);
	if (l->memory)
		put_line_addresses(t, r);
	if (l->copy)
		put_copy(t, copy);
	if (l->sync && r->mask && look)
		put_addresses(t, r->mask, look->at, false);
	else if (l->sync)
		put_string(t, " 1 0x0 0");
	put_char(t, ' ');
	if (l->barrier)
		put_barrier(t, l, r, look);
	else
		put_decimal(t, l->imm);
	if (l->six && !l->barrier) {
		put_char(t, ' ');
		put_decimal(t, l->imm2);
	}
	if (l->six)
		put_values(t, l, look);
	if (l->copy && r->mask)
		put_copy_addition(t, copy);
	if (l->how == TRACE_MACHINE_LIST && r->mask)
		put_listed(t, r);
	if (meets == MEETS_APART)
		put_string(t, TRACE_MACHINE_APART);
	put_char(t, '\n');
}

const struct trace_form trace_form_sass = {begin, end, header, inst, look};
