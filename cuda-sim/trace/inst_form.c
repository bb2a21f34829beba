// From an instruction line to the instruction form: class, unit, space and registers.
//
// Tracers name the first register of each operand. The rest follows from the opcode: 64-bit operands are pairs, vectors
// and matrices several registers. They are dependences only; the operand collector reads what the line names, as it
// does for PTX operands of any width. -trace_dependences accelsim takes what the line names and nothing else, RZ
// included.
#include "cuda-sim/trace/sync.h"

#include <stdio.h>
#include <string.h>

enum { A_REGISTERS = 4 }; // of a product of a warp group
enum { TRACE_URZ = 63 }; // as tracers write it before Blackwell, which has a register of that number

static unsigned number_in_file(const struct trace_reg *r)
{
	switch (r->file) {
	case 'U': return TRACE_UR + (r->n & 255u);
	case 'P': return TRACE_P + (r->n & 7u);
	case 'Q': return TRACE_UP + (r->n & 7u);
	default: return TRACE_R + (r->n & 255u);
	}
}

static bool is_constant(const struct trace_reg *r, enum sass_generation g)
{
	switch (r->file) {
	case 'R': return r->n == SASS_RZ;
	case 'U': return (r->n == TRACE_URZ && g < SASS_BLACKWELL) || r->n == SASS_URZ;
	default: return r->n == SASS_PT;
	}
}

// Registers of an operand, from its first.
static void add_source(struct isa_inst *i, const struct trace_reg *r)
{
	unsigned n = number_in_file(r);
	if (i->n_src == ISA_MAX_SRC)
		return;
	i->src[i->n_src] = (uint16_t)n;
	i->src_bank[i->n_src] = r->file == 'R' ? (uint16_t)n : ISA_NO_BANK;
	for (unsigned k = 0; k < i->n_src; k++) // an operand named twice is read once
		if (i->src[k] == n)
			i->src_bank[i->n_src] = ISA_NO_BANK;
	i->n_src++;
}

static void add_more_sources(struct isa_inst *i, const struct trace_reg *r, unsigned count)
{
	for (unsigned k = 1; k < count && r->file == 'R' && r->n + k < SASS_RZ && i->n_src < ISA_MAX_SRC; k++) {
		i->src[i->n_src] = (uint16_t)(number_in_file(r) + k);
		i->src_bank[i->n_src++] = ISA_NO_BANK;
	}
}

static void add_destination(struct isa_inst *i, const struct trace_reg *r, unsigned count)
{
	for (unsigned k = 0; k < count && i->n_dst < ISA_MAX_DST; k++) {
		if (k && (r->file != 'R' || r->n + k >= SASS_RZ))
			return;
		i->dst[i->n_dst] = (uint16_t)(number_in_file(r) + k);
		i->dst_bank[i->n_dst] = r->file == 'R' && !k ? i->dst[i->n_dst] : ISA_NO_BANK;
		i->n_dst++;
	}
}

// A product of a warp group reads A, if it is in registers, when it issues, and descriptors in uniform ones; C comes last. What it writes
// is written behind the warp's back.
static void group_product_line(struct trace_line *l)
{
	uint32_t regular = 0, n = 0, seen = 0;
	for (uint32_t k = 0; k < l->n_src; k++)
		regular += l->src[k].file == 'R';
	for (uint32_t k = 0; k < l->n_src; k++)
		if (l->src[k].file != 'R' || ++seen < regular)
			l->src[n++] = l->src[k];
	l->n_src = n;
	l->n_dst = 0;
}

static void registers(struct trace_code *c, const struct trace_line *l, const struct sass_widths *w, struct isa_inst *i)
{
	bool peer = c->rules.accelsim;
	for (unsigned k = 0; k < l->n_dst; k++)
		if (peer || !is_constant(&l->dst[k], c->generation))
			add_destination(i, &l->dst[k], peer ? 1 : w->dst);
	for (unsigned k = 0; k < l->n_src; k++)
		if (peer || !is_constant(&l->src[k], c->generation))
			add_source(i, &l->src[k]);
	i->n_read = i->n_src;
	for (unsigned k = 0; k < l->n_src && !peer; k++)
		if (!is_constant(&l->src[k], c->generation))
			add_more_sources(i, &l->src[k], w->src[k]);
}

const struct sass_op *trace_find_op(struct trace_code *c, const char *name, size_t len, char *why, size_t n)
{
	const struct sass_op *op = sass_op_find(name, len);
	if (op)
		return op;
	op = sass_op_nearest(name, len);
	if (c->rules.strict) {
		snprintf(why, n, "unknown opcode '%.*s' (-trace_strict); the nearest is %s", (int)(len < 64 ? len : 64), name,
		         op->name);
		return NULL;
	}
	if (!map_get(&c->unknown, name, len)) {
		map_put(&c->unknown, arena_strndup(&c->strings, name, len), len, c);
		trace_note(c, "unknown opcode '%.*s' runs as %s", (int)(len < 64 ? len : 64), name, op->name);
	}
	return op;
}

unsigned trace_unit(struct trace_code *c, const struct sass_op *op)
{
	unsigned unit = sass_unit(op, c->generation);
	if (!unit || c->rules.units >> (unit - 1) & 1)
		return unit;
	if (c->missed_units >> (unit - 1) & 1)
		return 0;
	c->missed_units |= 1u << (unit - 1);
	trace_note(c, "the GPU has no specialized unit %u; %s and what else belongs there run on the unit of their class",
	           unit, op->name);
	return 0;
}

static bool needs_address(const struct sass_op *op)
{
	return op->behaviour == SASS_MEMORY || op->behaviour == SASS_ASYNC_COPY || op->behaviour == SASS_MATRIX_LOAD;
}

static bool uses_address(const struct sass_op *op) { return needs_address(op) || op->behaviour == SASS_SURFACE; }

static struct isa_operand core_operand(const struct trace_reg *r, unsigned count, enum sass_generation g)
{
	struct isa_operand o = {.count = 1, .reg = r->n};
	o.file = r->file == 'R' ? ISA_FILE_R : r->file == 'U' ? ISA_FILE_UR : r->file == 'P' ? ISA_FILE_P : ISA_FILE_UP;
	if (r->file == 'R')
		o.count = (uint8_t)(r->n + count > SASS_RZ && r->n < SASS_RZ ? (unsigned)SASS_RZ - r->n : count);
	if (is_constant(r, g))
		o.count = 0;
	return o;
}

// What the line tells the modern core: operands, but no control bits. The first source of a memory instruction is its
// address, with the uniform registers behind it.
static void core_form(const struct trace_line *l, const struct sass_widths *w, const struct sass_name *k,
                      const struct sass_op *op, enum sass_generation g, struct isa_sass *s)
{
	sass_inst_core(s, k, op);
	bool memory = uses_address(op) || s->constant_load;
	s->address = memory ? ISA_ADDRESS_IMMEDIATE : ISA_ADDRESS_NONE;
	for (unsigned d = 0; d < l->n_dst && s->n_dst < ISA_SASS_DST; d++)
		s->dst[s->n_dst++] = core_operand(&l->dst[d], w->dst, g);
	for (unsigned i = 0; i < l->n_src && s->n_src < ISA_SASS_SRC; i++) {
		struct isa_operand o = core_operand(&l->src[i], w->src[i], g);
		o.address = memory && (!i || o.file == ISA_FILE_UR);
		if (o.address && o.count && s->address != ISA_ADDRESS_REGULAR)
			s->address = o.file == ISA_FILE_R ? ISA_ADDRESS_REGULAR : ISA_ADDRESS_UNIFORM;
		s->src[s->n_src++] = o;
	}
}

// Replays of Accel-Sim's spin loops: the lines between two of these were run until an mbarrier was free, which a replay waits for.
static bool is_marker(const struct sass_name *k)
{
	return k->n == 1 && (sass_name_is(k, 0, "REPLAY_START") || sass_name_is(k, 0, "REPLAY_END"));
}

void trace_async_line(const struct trace_code *c, const struct trace_line *l, struct trace_inst *out)
{
	enum { VALUE = 2 }; // the second source: the first is the address
	struct sass_name k;
	const bool six = c->header.version >= 6;
	sass_name_split(&k, l->op, l->op_len);
	out->n_dst = (uint8_t)l->n_dst;
	out->width = (uint16_t)l->width;
	out->copy_kind = (int8_t)trace_copy_kind(&k);
	out->sync = (uint8_t)trace_sync_of(&k, &out->drop);
	if (out->copy_kind >= 0) {
		out->how = six ? TRACE_BULK : TRACE_PLAIN;
		out->any_tail = !six;
		out->has_address = false;
		out->n_access = 0;
	}
	if (out->sync && l->width) {
		out->how = TRACE_SYNC;
		out->has_address = true;
		out->value_at = trace_sync_has_value((enum trace_sync)out->sync) && l->n_src >= VALUE && six ? (uint8_t)(l->n_dst + VALUE) : 0;
	}
	out->numbered = six && (out->how == TRACE_BARRIER || out->how == TRACE_ARRIVE) && !c->rules.accelsim;
}

// Asynchronous copies, products and barriers in memory.
static void asynchronous(const struct trace_code *c, const struct trace_line *l, const struct sass_name *k, const struct sass_op *op,
                         struct trace_inst *out)
{
	struct isa_inst *i = &out->isa;
	trace_async_line(c, l, out);
	if (out->copy_kind >= 0)
		i->async = ISA_ASYNC_BULK_COPY;
	if (!strcmp(op->name, "UTMACMDFLUSH"))
		i->async = ISA_ASYNC_BULK_COMMIT;
	if (!strcmp(op->name, "WARPGROUP") && sass_name_has(k, "DEPBAR")) {
		i->async = ISA_ASYNC_MMA_WAIT;
		i->async_keep = (uint8_t)(l->imm < 255 ? l->imm : 255);
		out->by_imm = true;
	}
	if (op->behaviour == SASS_GROUP_MATRIX) {
		i->async = l->commit ? ISA_ASYNC_MMA_LAST : ISA_ASYNC_MMA;
		i->matrix = sass_inst_matrix(&out->sass, k, op);
	}
}

bool trace_decode(struct trace_code *c, const struct trace_line *line, struct trace_inst *out, char *why, size_t n)
{
	struct trace_line changed = *line, *l = &changed;
	struct sass_name k;
	sass_name_split(&k, l->op, l->op_len);
	out->marker = is_marker(&k);
	if (out->marker)
		return true;
	const struct sass_op *op = trace_find_op(c, k.n ? k.t[0].at : l->op, k.n ? k.t[0].len : l->op_len, why, n);
	if (!op)
		return false;
	bool known = k.n && strlen(op->name) == k.t[0].len && !memcmp(op->name, k.t[0].at, k.t[0].len);
	if (needs_address(op) && !l->width && l->mask && known) {
		snprintf(why, n, "%.*s has no addresses; expected an access width above 0 and the addresses of %d lanes",
		         (int)l->op_len, l->op, __builtin_popcount(l->mask));
		return false;
	}
	struct isa_inst *i = &out->isa;
	i->pc = l->pc;
	i->line = l->line;
	sass_inst_class(i, &k, op, l->imm, c->rules.accelsim);
	i->unit = (uint8_t)trace_unit(c, op);
	out->has_address = l->width > 0 && op->behaviour != SASS_BULK;
	i->has_access = l->width > 0 && uses_address(op);
	if (!i->has_access && uses_address(op) && !l->width && !known)
		i->cls = ISA_ALU, i->space = SPACE_NONE; // a guess at an opcode does not make it touch memory
	out->how = i->has_access ? TRACE_ACCESS : op->behaviour != SASS_BARRIER ? TRACE_PLAIN :
	           sass_name_has(&k, "ARV") && !c->rules.accelsim ? TRACE_ARRIVE : TRACE_BARRIER;
	i->barrier = trace_barrier((enum trace_how)out->how);
	out->any_tail = op->behaviour == SASS_BULK;
	out->by_imm = op->behaviour == SASS_ASYNC_WAIT;
	out->imm = l->imm;
	const bool group = op->behaviour == SASS_GROUP_MATRIX && !c->rules.accelsim;
	if (group)
		group_product_line(l);
	struct sass_widths w;
	sass_operand_widths(&k, op, l->n_src, sass_access_bytes(&k, c->rules.accelsim), &w);
	if (group && l->n_src && l->src[0].file == 'R')
		w.src[0] = A_REGISTERS;
	registers(c, l, &w, i);
	core_form(l, &w, &k, op, c->generation, &out->sass);
	i->sass = &out->sass;
	asynchronous(c, line, &k, op, out);
	if (i->cls != op->cls)
		out->sass.unit = ISA_UNIT_BY_CLASS;
	return true;
}
