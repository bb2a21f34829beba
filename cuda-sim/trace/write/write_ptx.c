// Kernels of PTX as traces: docs/traces.md has the format.
#include "cuda-sim/trace/write/form.h"

#include "base/mem.h"
#include "cuda-sim/trace/written.h"

#include <string.h>

typedef unsigned long long ull;

// How an instruction's lines look, made before the kernel starts: operands and opcode up to the suffixes, sources.
struct line_text {
	char *head, *tail;
	bool arrives;
};

struct ptx_form {
	uint32_t inst_bytes;
	const struct frontend_ops *fe;
	struct line_text *line; // by pc
	uint64_t n_line;
};

// --- the header

static void put_code(struct put *t, const struct frontend_ops *fe, const struct kernel_launch *l)
{
	const struct isa_inst *i;
	for (uint64_t pc = 0; (i = fe->inst_at(l->code, pc)); pc += fe->inst_bytes) {
		struct fe_place p;
		unsigned flags = (i->is_volatile ? 1u : 0u) | (i->is_uniform_branch ? 2u : 0u) | (i->has_access ? 4u : 0u);
		put_format(t, "#inst %u %u %u %u %u %u %u %u  %u", i->cls, i->unit, i->space, i->bytes, i->cache_op, flags,
		           i->line, i->n_read, i->n_src);
		for (unsigned k = 0; k < i->n_src; k++)
			put_format(t, i->src_bank[k] == ISA_NO_BANK ? " %u" : " %u:%u", i->src[k], i->src_bank[k]);
		put_format(t, "  %u", i->n_dst);
		for (unsigned k = 0; k < i->n_dst; k++)
			put_format(t, i->dst_bank[k] == ISA_NO_BANK ? " %u" : " %u:%u", i->dst[k], i->dst_bank[k]);
		if (i->async)
			put_format(t, "  ! %u %u", i->async, i->async_keep);
		fe->place(l->code, i, &p);
		for (char *c = p.text; *c; c++)
			if ((unsigned char)*c < ' ')
				*c = ' ';
		put_format(t, " ; %s\n", p.text);
	}
}

static void header(const void *form, const struct kernel_launch *l, struct put *t)
{
	const struct ptx_form *s = form;
	const struct frontend_ops *fe = s->fe;
	const struct kernel_info *i = l->info;
	put_format(t, "-kernel name = %.4000s\n-kernel id = %u\n", i->name, l->uid);
	put_format(t, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", l->grid[0], l->grid[1], l->grid[2], l->block[0],
	           l->block[1], l->block[2]);
	put_format(t, "-shmem = %u\n-nregs = %u\n", i->static_shared + l->dynamic_shared, i->regs);
	put_format(t, "-binary version = 80\n-cuda stream id = %llu\n", (ull)l->stream);
	put_format(t, "-shmem base_addr = 0x0\n-local mem base_addr = 0x0\n-nvbit version = none\n-accelsim tracer "
	               "version = 4\n-enable lineinfo = 0\n");
	put_format(t, "-heddle = %d %u %llu %u %u %llu\n", TRACE_WRITTEN_VERSION, fe->register_count(l->code),
	           (ull)i->code_base, i->local, l->prefers, (ull)s->n_line);
	put_string(t, "#class unit space bytes cache flags line read  sources register:bank ...  destinations "
	               "register:bank ... ; text\n");
	put_code(t, fe, l);
	put_string(t, "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
	               "[adrrescompress?] [mem_addresses]\n\n");
}

// --- one instruction of a warp

// Opcodes that other readers of traces know, by class. Where there is no such opcode, one of the same unit.
static const char *opcode(const struct isa_inst *i, unsigned space)
{
	static const char *const by_class[ISA_N_CLASSES] = {
		[ISA_NOP] = "NOP",      [ISA_ALU] = "LOP3",     [ISA_INT] = "IADD3",    [ISA_INT_MAX] = "IMNMX",
		[ISA_INT_MUL] = "IMUL", [ISA_INT_MAD] = "IMAD", [ISA_INT_DIV] = "IMAD", [ISA_SP_ADD] = "FADD",
		[ISA_SP_MAX] = "FMNMX", [ISA_SP_MUL] = "FMUL",  [ISA_SP_MAD] = "FFMA",  [ISA_SP_DIV] = "MUFU",
		[ISA_HP] = "HFMA2",     [ISA_DP_ADD] = "DADD",  [ISA_DP_MAX] = "DSETP", [ISA_DP_MUL] = "DMUL",
		[ISA_DP_MAD] = "DFMA",  [ISA_DP_DIV] = "DFMA",  [ISA_SFU] = "MUFU",     [ISA_CVT] = "F2F",
		[ISA_MOV] = "MOV",      [ISA_SHFL] = "SHFL",    [ISA_VOTE] = "VOTE",    [ISA_TENSOR] = "HMMA",
		[ISA_TEXTURE] = "TEX",  [ISA_BRANCH] = "BRA",   [ISA_CALL] = "CALL",    [ISA_RET] = "RET",
		[ISA_EXIT] = "EXIT",    [ISA_BARRIER] = "BAR",  [ISA_FENCE] = "MEMBAR",
	};
	bool shared = space == SPACE_SHARED || space == SPACE_CLUSTER, local = space == SPACE_LOCAL, global = space == SPACE_GLOBAL;
	bool constant = space == SPACE_CONST || space == SPACE_PARAM;
	switch (i->cls) {
	case ISA_LOAD: return shared ? "LDS" : local ? "LDL" : constant ? "LDC" : global ? "LDG.E" : "LD.E";
	case ISA_STORE: return shared ? "STS" : local ? "STL" : global ? "STG.E" : "ST.E";
	case ISA_ATOMIC: return shared ? "ATOMS" : "ATOMG.E";
	default: return by_class[i->cls] ? by_class[i->cls] : "NOP";
	}
}

static void put_registers(struct put *t, unsigned n, const uint16_t *reg)
{
	put_format(t, " %u", n);
	for (unsigned k = 0; k < n; k++)
		put_format(t, " R%u", (reg[k] - 1u) % 255); // for other readers; #inst has them all
}

static void make_line(struct line_text *l, const struct frontend_ops *fe, const void *code, const struct isa_inst *i)
{
	struct put t = {0};
	struct fe_place p;
	put_hex(&t, i->pc, 4);
	put_string(&t, " ");
	put_bytes(&t, "", 1);
	l->head = t.t.at;
	t = (struct put){0};
	put_registers(&t, i->n_src, i->src);
	put_string(&t, " ");
	put_bytes(&t, "", 1);
	l->tail = t.t.at;
	fe->place(code, i, &p);
	l->arrives = i->cls == ISA_BARRIER && strstr(p.text, "arrive") && !strstr(p.text, "cluster");
}

// An access that the reader can tell from the opcode and the mask.
static bool is_plain(const struct fe_result *r)
{
	const struct fe_access *a = &r->access[0];
	return r->n_access == 1 && a->mask == r->mask && a->bytes;
}

static void inst(const void *form, const struct fe_result *r, const struct trace_look *look, enum trace_meets meets, const struct isa_inst *next, struct put *t)
{
	const struct ptx_form *s = form;
	const struct isa_inst *i = r->inst;
	const struct line_text *l = &s->line[i->pc / s->inst_bytes];
	bool plain = is_plain(r);
	unsigned space = plain ? r->access[0].space : i->space;
	put_string(t, l->head);
	put_hex(t, r->mask, 8);
	put_registers(t, i->n_dst, i->dst);
	put_string(t, " ");
	put_string(t, opcode(i, space));
	if (plain) {
		put_string(t, ".");
		put_decimal(t, r->access[0].bytes * 8);
		put_string(t, ".");
		put_string(t, trace_written_space(space));
	}
	put_string(t, meets == MEETS ? ".SYNC" : l->arrives && r->status != FE_PENDING ? ".ARV" : "");
	if (r->active != r->mask)
		put_string(t, ".ACT");
	if (r->n_access && !plain) {
		put_string(t, ".X");
		put_decimal(t, r->n_access);
	}
	put_string(t, l->tail);
	put_decimal(t, r->n_access ? r->access[0].bytes : 0);
	if (r->active != r->mask) {
		put_string(t, " ");
		put_hex(t, r->active, 8);
	}
	for (unsigned k = 0; k < r->n_access && !plain; k++) {
		const struct fe_access *a = &r->access[k];
		put_string(t, " ");
		put_decimal(t, a->space);
		put_string(t, " ");
		put_decimal(t, a->bytes);
		put_string(t, " ");
		put_hex(t, a->mask, 8);
		put_address_list(t, a->mask, a->addr);
	}
	if (plain)
		put_addresses(t, r->access[0].mask, r->access[0].addr, true);
	put_string(t, "\n");
}

// --- the whole

static void *begin(const struct kernel_launch *l, const struct frontend_ops *fe)
{
	struct ptx_form *s = MEM_NEW(struct ptx_form);
	s->inst_bytes = fe->inst_bytes;
	s->fe = fe;
	while (fe->inst_at(l->code, s->n_line * fe->inst_bytes))
		s->n_line++;
	s->line = mem_alloc(s->n_line * sizeof *s->line + 1);
	for (uint64_t k = 0; k < s->n_line; k++)
		make_line(&s->line[k], fe, l->code, fe->inst_at(l->code, k * fe->inst_bytes));
	return s;
}

static void end(void *form)
{
	struct ptx_form *s = form;
	for (uint64_t i = 0; i < s->n_line; i++) {
		mem_free(s->line[i].head);
		mem_free(s->line[i].tail);
	}
	mem_free(s->line);
	mem_free(s);
}

const struct trace_form trace_form_ptx = {begin, end, header, inst, NULL};
