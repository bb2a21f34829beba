// From an instruction line to the instruction form: class, unit, space and registers.
//
// Tracers name the first register of each operand. The rest follows from the opcode: 64-bit operands are pairs, vectors and
// matrices several registers. They are dependences only; the operand collector reads what the line names, as it does for
// PTX operands of any width. -trace_dependences accelsim takes what the line names and nothing else, RZ included.
#include "cuda-sim/trace_code.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TOKENS = 16, RZ = 255, URZ = 63, PT = 7 };

// The parts of an opcode between dots.
struct tokens {
	struct { const char *at; size_t len; } t[MAX_TOKENS];
	unsigned n;
};

static void split(struct tokens *k, const char *op, size_t len)
{
	k->n = 0;
	for (size_t from = 0; from < len && k->n < MAX_TOKENS;) {
		size_t n = 0;
		while (from + n < len && op[from + n] != '.')
			n++;
		if (n) {
			k->t[k->n].at = op + from;
			k->t[k->n++].len = n;
		}
		from += n + 1;
	}
}

static bool is(const struct tokens *k, unsigned i, const char *text)
{
	return k->t[i].len == strlen(text) && !memcmp(k->t[i].at, text, k->t[i].len);
}

static bool has(const struct tokens *k, const char *text)
{
	for (unsigned i = 1; i < k->n; i++)
		if (is(k, i, text))
			return true;
	return false;
}

// The number that a token is, behind the letters it may start with; 0 if it is none.
static unsigned number_of(const struct tokens *k, unsigned i, const char *letters)
{
	const char *p = k->t[i].at;
	size_t n = k->t[i].len, at = n > 1 && strchr(letters, *p) ? 1 : 0;
	unsigned v = 0;
	for (; at < n; at++) {
		if (p[at] < '0' || p[at] > '9' || v > 1 << 20)
			return 0;
		v = v * 10 + (unsigned)(p[at] - '0');
	}
	return v;
}

// Bytes of an access. Accel-Sim's rule is the first number, alone or behind U; ours knows signed and floating types too.
static unsigned access_bytes(const struct tokens *k, bool accelsim)
{
	for (unsigned i = 1; i < k->n; i++) {
		unsigned v = number_of(k, i, accelsim ? "U" : "USF");
		if (v)
			return v / 8;
	}
	return 4;
}

static unsigned number_in_file(const struct trace_reg *r)
{
	switch (r->file) {
	case 'U': return TRACE_UR + (r->n & 255u);
	case 'P': return TRACE_P + (r->n & 7u);
	case 'Q': return TRACE_UP + (r->n & 7u);
	default: return TRACE_R + (r->n & 255u);
	}
}

static bool is_constant(const struct trace_reg *r)
{
	switch (r->file) {
	case 'R': return r->n == RZ;
	case 'U': return r->n == URZ || r->n == RZ;
	default: return r->n == PT;
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
	for (unsigned k = 1; k < count && r->file == 'R' && r->n + k < RZ && i->n_src < ISA_MAX_SRC; k++) {
		i->src[i->n_src] = (uint16_t)(number_in_file(r) + k);
		i->src_bank[i->n_src++] = ISA_NO_BANK;
	}
}

static void add_destination(struct isa_inst *i, const struct trace_reg *r, unsigned count)
{
	for (unsigned k = 0; k < count && i->n_dst < ISA_MAX_DST; k++) {
		if (k && (r->file != 'R' || r->n + k >= RZ))
			return;
		i->dst[i->n_dst] = (uint16_t)(number_in_file(r) + k);
		i->dst_bank[i->n_dst] = r->file == 'R' && !k ? i->dst[i->n_dst] : ISA_NO_BANK;
		i->n_dst++;
	}
}

// How many registers an operand has.
struct widths {
	unsigned dst, src[TRACE_LINE_SRC];
};

static void all_sources(struct widths *w, unsigned n, unsigned count)
{
	for (unsigned i = 0; i < n; i++)
		w->src[i] = count;
}

// Registers of D, A, B and C by shape, for warp-wide products; PTX ISA, "Matrix fragments", gives the fragments. `half`:
// halves accumulate in half as many.
static const struct { const char *op; unsigned shape; uint8_t d, a, b, c; } products[] = {
	{"HMMA", 884, 2, 2, 2, 2},   {"HMMA", 1684, 4, 2, 1, 4},  {"HMMA", 1688, 4, 2, 1, 4},   {"HMMA", 16816, 4, 4, 2, 4},
	{"IMMA", 8816, 2, 1, 1, 2},  {"IMMA", 8832, 2, 1, 1, 2},  {"IMMA", 16816, 4, 2, 1, 4},  {"IMMA", 16832, 4, 4, 2, 4},
	{"IMMA", 16864, 4, 4, 2, 4}, {"BMMA", 88128, 2, 1, 1, 2}, {"BMMA", 168128, 4, 2, 1, 4}, {"BMMA", 168256, 4, 4, 2, 4},
	{"DMMA", 884, 4, 2, 2, 4},   {"QMMA", 16832, 4, 4, 2, 4},
};

static void product_widths(const struct tokens *k, struct widths *w)
{
	for (unsigned i = 0; i < sizeof products / sizeof *products; i++) {
		if (!is(k, 0, products[i].op) || k->n < 2 || number_of(k, 1, "") != products[i].shape)
			continue;
		bool half = is(k, 0, "HMMA") && products[i].shape != 884 && k->n > 2 && is(k, 2, "F16");
		bool tf32 = has(k, "TF32") && products[i].shape == 1688;
		w->dst = half ? 2 : products[i].d;
		w->src[0] = tf32 ? 4 : products[i].a;
		w->src[1] = tf32 ? 2 : products[i].b;
		w->src[2] = half ? 2 : products[i].c;
		return;
	}
}

static bool type64(const struct tokens *k, unsigned i) { return is(k, i, "F64") || is(k, i, "S64") || is(k, i, "U64"); }

static void conversion_widths(const struct tokens *k, struct widths *w)
{
	bool f64 = has(k, "F64"), i64 = has(k, "S64") || has(k, "U64");
	if (is(k, 0, "F2I")) {
		w->dst = i64 ? 2 : 1;
		w->src[0] = f64 ? 2 : 1;
	} else if (is(k, 0, "I2F")) {
		w->dst = f64 ? 2 : 1;
		w->src[0] = i64 ? 2 : 1;
	} else if (is(k, 0, "FRND")) {
		w->dst = w->src[0] = f64 ? 2 : 1;
	} else {
		w->dst = k->n > 1 && type64(k, 1) ? 2 : 1;
		w->src[0] = k->n > 2 && type64(k, 2) ? 2 : 1;
	}
}

static void memory_widths(const struct tokens *k, const struct trace_line *l, const struct sass_op *op, unsigned bytes, struct widths *w)
{
	unsigned data = (bytes + 3) / 4;
	bool long_address = has(k, "E") && op->space != SPACE_SHARED && op->space != SPACE_LOCAL;
	w->dst = data;
	if (op->cls != ISA_LOAD)
		for (unsigned i = 1; i < l->n_src; i++)
			w->src[i] = data;
	if (long_address && l->n_src)
		w->src[0] = 2;
}

static void operand_widths(const struct tokens *k, const struct trace_line *l, const struct sass_op *op, unsigned bytes, struct widths *w)
{
	w->dst = 1;
	all_sources(w, TRACE_LINE_SRC, 1);
	switch ((enum sass_behaviour)op->behaviour) {
	case SASS_WIDE:
		w->dst = 2;
		all_sources(w, TRACE_LINE_SRC, 2);
		break;
	case SASS_WIDE_SOURCES:
		all_sources(w, TRACE_LINE_SRC, 2);
		break;
	case SASS_MULTIPLY:
		if (has(k, "WIDE")) {
			w->dst = 2;
			if (l->n_src == 3)
				w->src[2] = 2;
		}
		break;
	case SASS_CONVERT:
		conversion_widths(k, w);
		break;
	case SASS_CLOCK:
		w->dst = has(k, "32") ? 1 : 2;
		break;
	case SASS_CONSTANT:
		w->dst = (bytes + 3) / 4;
		break;
	case SASS_MEMORY:
	case SASS_ASYNC_COPY:
	case SASS_SURFACE:
		memory_widths(k, l, op, bytes, w);
		break;
	case SASS_MATRIX:
		product_widths(k, w);
		break;
	case SASS_GROUP_MATRIX:
		w->dst = ISA_MAX_DST;
		break;
	case SASS_MATRIX_LOAD: {
		unsigned n = k->n ? number_of(k, k->n - 1, "x") : 0;
		n = n == 2 || n == 4 ? n : 1;
		w->dst = n;
		if (op->cls == ISA_STORE && l->n_src > 1)
			w->src[1] = n;
		break;
	}
	default:
		break;
	}
}

static void registers(struct trace_code *c, const struct trace_line *l, const struct widths *w, struct isa_inst *i)
{
	bool peer = c->rules.accelsim;
	for (unsigned k = 0; k < l->n_dst; k++)
		if (peer || !is_constant(&l->dst[k]))
			add_destination(i, &l->dst[k], peer ? 1 : w->dst);
	for (unsigned k = 0; k < l->n_src; k++)
		if (peer || !is_constant(&l->src[k]))
			add_source(i, &l->src[k]);
	i->n_read = i->n_src;
	for (unsigned k = 0; k < l->n_src && !peer; k++)
		if (!is_constant(&l->src[k]))
			add_more_sources(i, &l->src[k], w->src[k]);
}

static const struct sass_op *find_op(struct trace_code *c, const struct trace_line *l, const struct tokens *k, char *why, size_t n)
{
	const char *name = k->n ? k->t[0].at : l->op;
	size_t len = k->n ? k->t[0].len : l->op_len;
	const struct sass_op *op = sass_op_find(name, len);
	if (op)
		return op;
	op = sass_op_nearest(name, len);
	if (c->rules.strict) {
		snprintf(why, n, "unknown opcode '%.*s' (-trace_strict); the nearest is %s", (int)(len < 64 ? len : 64), name, op->name);
		return NULL;
	}
	if (!map_get(&c->unknown, name, len)) {
		map_put(&c->unknown, arena_strndup(&c->strings, name, len), len, c);
		trace_note(c, "unknown opcode '%.*s' runs as %s", (int)(len < 64 ? len : 64), name, op->name);
	}
	return op;
}

static void miss_unit(struct trace_code *c, unsigned unit, const struct sass_op *op)
{
	if (c->missed_units >> (unit - 1) & 1)
		return;
	c->missed_units |= 1u << (unit - 1);
	trace_note(c, "the GPU has no specialized unit %u; %s and what else belongs there run on the unit of their class", unit, op->name);
}

static bool needs_address(const struct sass_op *op)
{
	return op->behaviour == SASS_MEMORY || op->behaviour == SASS_ASYNC_COPY || op->behaviour == SASS_MATRIX_LOAD;
}

static bool uses_address(const struct sass_op *op) { return needs_address(op) || op->behaviour == SASS_SURFACE; }

bool trace_decode(struct trace_code *c, const struct trace_line *l, struct trace_inst *out, char *why, size_t n)
{
	struct tokens k;
	split(&k, l->op, l->op_len);
	const struct sass_op *op = find_op(c, l, &k, why, n);
	if (!op)
		return false;
	bool known = k.n && strlen(op->name) == k.t[0].len && !memcmp(op->name, k.t[0].at, k.t[0].len);
	if (needs_address(op) && !l->width && l->mask && known) {
		snprintf(why, n, "%.*s has no addresses; expected an access width above 0 and the addresses of %d lanes", (int)l->op_len, l->op,
		         __builtin_popcount(l->mask));
		return false;
	}
	struct isa_inst *i = &out->isa;
	i->pc = l->pc;
	i->cls = op->cls;
	i->line = l->line;
	i->space = op->space;
	unsigned unit = sass_unit(op, c->generation);
	if (unit && c->rules.units >> (unit - 1) & 1)
		i->unit = (uint8_t)unit;
	else if (unit)
		miss_unit(c, unit, op);
	unsigned bytes = access_bytes(&k, c->rules.accelsim);
	if (op->behaviour == SASS_MATRIX_LOAD && !c->rules.accelsim)
		bytes = 16; // a lane gives the address of a row of eight halves
	i->bytes = (uint8_t)(bytes ? bytes < 128 ? bytes : 128 : 4);
	out->has_address = l->width > 0 && op->behaviour != SASS_BULK;
	i->has_access = l->width > 0 && uses_address(op);
	if (!i->has_access && uses_address(op) && !l->width && !known)
		i->cls = ISA_ALU, i->space = SPACE_NONE; // a guess at an opcode does not make it touch memory
	out->how = i->has_access ? TRACE_ACCESS : op->behaviour != SASS_BARRIER ? TRACE_PLAIN :
	           has(&k, "ARV") && !c->rules.accelsim ? TRACE_ARRIVE : TRACE_BARRIER;
	if (op->cls == ISA_ATOMIC)
		i->cache_op = ISA_CACHE_CG; // atomics are done in L2
	if (c->rules.accelsim && op->cls == ISA_ATOMIC && op->space == SPACE_GENERIC)
		i->space = SPACE_GLOBAL;
	bool strong = has(&k, "STRONG") && (has(&k, "GPU") || (!c->rules.accelsim && has(&k, "SYS")));
	if (op->cls == ISA_LOAD && strong)
		i->cache_op = ISA_CACHE_CG;
	out->any_tail = op->behaviour == SASS_BULK;
	out->by_imm = op->behaviour == SASS_ASYNC_WAIT;
	out->imm = l->imm;
	switch ((enum sass_behaviour)op->behaviour) {
	case SASS_ASYNC_COPY:
		i->async = ISA_ASYNC_COPY;
		break;
	case SASS_ASYNC_COMMIT:
		i->async = ISA_ASYNC_COMMIT;
		break;
	case SASS_ASYNC_WAIT:
		i->async = ISA_ASYNC_WAIT;
		i->async_keep = (uint8_t)(l->imm < 255 ? l->imm : 255);
		break;
	default:
		break;
	}
	struct widths w = {0};
	operand_widths(&k, l, op, bytes, &w);
	registers(c, l, &w, i);
	return true;
}
