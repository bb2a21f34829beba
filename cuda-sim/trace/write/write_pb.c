#include "cuda-sim/trace/write/write_pb.h"

#include "base/mem.h"
#include "cuda-sim/trace/write/machine_line.h"
#include "trace_pb.pb-c.h"

#include <string.h>

enum { FORMAT_STRIDE = 1, FORMAT_DELTAS = 2 };
enum { NO_DESCRIPTOR = 133 }; // what the tracer writes in place of a descriptor's lower half; Heddle's descriptors are 0

// What the messages of an instruction have in common.
struct pb_line {
	bool memory, indexed;      // the addresses of a memory operand follow; the register of a load of constants
	bool jumps;                // the address of what it calls or returns to
	uint32_t width, descriptor;
	uint64_t constants;        // indexed: address that the register is added to
};

void put_message(struct put *to, const ProtobufCMessage *m)
{
	size_t n = protobuf_c_message_get_packed_size(m);
	VEC_RESERVE(&to->t, to->t.n + n);
	to->t.n += protobuf_c_message_pack(m, (uint8_t *)to->t.at + to->t.n);
}

static void make_line(struct pb_line *l, uint8_t *how, const struct sass_kernel *k, uint32_t i)
{
	struct machine_line m;
	machine_line_of(&m, k, i);
	*how = m.how;
	l->memory = m.memory;
	l->jumps = k->isa[i].cls == ISA_CALL || k->isa[i].cls == ISA_RET;
	l->width = l->jumps ? 1 : m.width;
	l->descriptor = NO_DESCRIPTOR;
	for (unsigned o = 0; o < m.text.n; o++)
		if (m.text.operand[o].kind == OPERAND_DESC)
			l->descriptor = 0;
	const struct isa_sass *s = k->isa[i].sass;
	for (unsigned o = 0; o < s->n_src && k->access[i].how == EXEC_LIST_CONST && m.how == TRACE_MACHINE_LIST; o++)
		if (s->src[o].file == ISA_FILE_CONST) {
			l->indexed = true;
			l->constants = isa_const_address(s->src[o].reg, s->src[o].offset);
		}
}

static void *begin(const struct kernel_launch *l, const struct frontend_ops *fe)
{
	struct pb_form *f = MEM_NEW(struct pb_form);
	f->kernel = l->code;
	f->code_base = l->info->code_base;
	f->line = mem_alloc(f->kernel->n * sizeof *f->line + 1);
	f->how = mem_alloc(f->kernel->n + 1);
	for (uint32_t i = 0; i < f->kernel->n; i++)
		make_line(&f->line[i], &f->how[i], f->kernel, i);
	return f;
}

static void end(void *form)
{
	struct pb_form *f = form;
	mem_free(f->line);
	mem_free(f->how);
	mem_free(f);
}

// Room for the addresses of one instruction.
struct addresses {
	Pb__Address message, *list[1];
	int64_t delta[32];
};

// As base and stride where lanes without a gap have even distances, else as base and differences.
static void fill_addresses(struct addresses *to, uint32_t mask, const uint64_t addr[32])
{
	Pb__Address *a = &to->message;
	uint64_t stride = 0;
	a->compression_format = FORMAT_STRIDE;
	if (!mask)
		return;
	uint64_t before = a->base_address = addr[__builtin_ctz(mask)];
	if (mask & (mask - 1) && put_is_even(mask, addr, &stride) && (int64_t)stride == (int32_t)stride) {
		a->stride = (int32_t)stride;
		return;
	}
	a->compression_format = FORMAT_DELTAS;
	a->addrs = to->delta;
	for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
		uint64_t at = addr[__builtin_ctz(m)];
		to->delta[a->n_addrs++] = (int64_t)(at - before);
		before = at;
	}
}

// All accesses, where addresses do not tell them.
struct accesses {
	Pb__Access message[FE_MAX_ACCESS], *list[FE_MAX_ACCESS];
	uint64_t addr[FE_MAX_ACCESS][32];
};

static void list_accesses(struct accesses *to, Pb__Instruction *i, const struct fe_result *r)
{
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *from = &r->access[k];
		Pb__Access *a = to->list[k] = &to->message[k];
		pb__access__init(a);
		a->space = from->space;
		a->bytes = from->bytes;
		a->mask = from->mask;
		a->addrs = to->addr[k];
		for (uint32_t m = from->mask; m; m &= m - 1)
			a->addrs[a->n_addrs++] = from->addr[__builtin_ctz(m)];
	}
	i->n_accesses = r->n_access;
	i->accesses = to->list;
}

static void inst(const void *form, const struct fe_result *r, const struct trace_look *look, enum trace_meets meets, const struct isa_inst *next, struct put *t)
{
	const struct pb_form *f = form;
	uint32_t n = (uint32_t)(r->inst->pc / SX_INST_BYTES), mask = 0;
	const struct pb_line *l = &f->line[n];
	struct addresses a;
	struct accesses listed;
	uint64_t addr[32] = {0};
	Pb__Instruction i;
	pb__instruction__init(&i);
	i.pc = (uint32_t)r->inst->pc;
	i.active_mask = r->active;
	i.predicate_mask = r->mask;
	i.function_unique_id = f->function;
	i.apart = meets == MEETS_APART;
	if (l->memory || l->indexed || l->jumps) {
		pb__address__init(&a.message);
		a.message.data_width = (int32_t)l->width;
		a.message.udesc_value = l->descriptor;
		mask = l->jumps ? r->mask : machine_line_addresses(r, addr);
		for (uint32_t m = l->jumps ? mask : 0; m; m &= m - 1)
			addr[__builtin_ctz(m)] = f->code_base + (next ? next->pc : r->inst->pc + SX_INST_BYTES);
		for (uint32_t m = l->indexed ? mask : 0; m; m &= m - 1)
			addr[__builtin_ctz(m)] = (uint32_t)(addr[__builtin_ctz(m)] - l->constants);
		fill_addresses(&a, mask, addr);
		a.list[0] = &a.message;
		i.n_addresses = 1;
		i.addresses = a.list;
	}
	if (f->how[n] == TRACE_MACHINE_LIST && r->mask)
		list_accesses(&listed, &i, r);
	uint8_t bytes[16384]; // more than the largest, 8 accesses of 32 lanes
	Pb__Warp w;
	pb__warp__init(&w);
	ProtobufCBinaryData field = {pb__instruction__pack(&i, bytes), bytes};
	w.n_instructions = 1;
	w.instructions = &field;
	put_message(t, &w.base);
}

const struct trace_form trace_form_pb = {begin, end, NULL, inst, NULL};
