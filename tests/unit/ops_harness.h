// Runs PTX instructions through parser, check, decoder and executor and compares each lane's result with a host
// function.
//
// A case is an opcode with alternatives in braces, "{add,sub}{,.sat}.{u32,s32}"; each choice becomes an instruction.
// Its operands follow from the opcode table: every source gets its own row of corner and random values of its type.
// After the opcode may stand
//   +n        give n of the operands that may be left out
//   #k=text   write source k as `text`: a number, or
//             `lanes` for the lanes of the warp (member masks)
//             `cN` for constant N, at OPS_SLOT + 8 * N of a kernel's parameter par, `iN` for N moved into the register before
//   ~k=op     `neg`, `abs`, `nabs` or `not` of source k
//   @k=part   name a part of operand k (0: the destination), as in @1=b2; @k=-part negates it too
//   @g        execute it where bit 0 of the integer behind the last source is set
// A case "opcode = PTX" is a piece of PTX that exercises the opcode: it finds four values in %rd0 to %rd3, their low
// parts in %r0 to %r3 and %rh0 to %rh3, the low bits in %p0 to %p3, and leaves results in %rd40 and %rd41; the values are of the
// opcode's type where that is one of floats. Memory
// operands are a slot of 64 bytes of the thread, in the instruction's space, filled before the instruction with values
// of its type; stores and atomics are judged by what the slot holds afterwards.
#ifndef TESTS_OPS_HARNESS_H
#define TESTS_OPS_HARNESS_H

#include "cuda-sim/decode/decoded.h"
#include "tests/unit/ptx_harness.h"

#include <stdarg.h>

enum { OPS_BLOCK = 80, OPS_GRID = 5, OPS_LANES = OPS_BLOCK * OPS_GRID, OPS_SRC = 8, OPS_SLOT = 64, OPS_RESULTS = 16 };

// What a reference sees of one lane. It writes the destinations' bits to d (a second destination d|p to d[1], the
// elements of a vector to d[0], d[1], ...) and changes mem as the instruction does.
struct op_in {
	const struct ptx_opcode *op;
	const struct ptx_mods *m;
	enum ptx_type t, u;      // the first two types
	uint64_t v[OPS_SRC]; // sources as written, narrowed to their types and zero-extended; elements of a vector in turn
	unsigned n_src, lane;    // lane of the warp
	unsigned block_lane;     // and of the block
	uint32_t lanes;          // lanes the warp has
	const struct op_in *warp; // the whole warp
	uint8_t *mem;            // the slot
	const char *text;        // the opcode as written
	const char *part[4];     // parts named of the operands, "" none; with a '-' before it if negated
	bool carry;              // carry flag before; with .cc, d[1] is the flag after
	uint64_t d[8];
	bool (*close)(const struct op_in *x, uint64_t want, uint64_t got); // set where more than one result is right
	double err[2];           // for close: what it needs to know
};
typedef void op_ref(struct op_in *x);

struct op_case {
	const char *text;
	op_ref *ref; // NULL: nothing to compare but memory
};

static uint64_t ops_seed = 0x9e3779b97f4a7c15u;

static inline uint64_t ops_random(void)
{
	ops_seed ^= ops_seed << 13;
	ops_seed ^= ops_seed >> 7;
	ops_seed ^= ops_seed << 17;
	return ops_seed * 0x2545f4914f6cdd1du;
}

// Kinds of input values.
enum ops_pool { POOL_SMALL, POOL_INT16, POOL_INT32, POOL_INT64, POOL_F16, POOL_BF16, POOL_F32, POOL_F64, POOL_N };

static inline enum ops_pool ops_pool_of(enum ptx_type t)
{
	switch (t) {
	case PTX_T_F16: case PTX_T_F16X2: return POOL_F16;
	case PTX_T_BF16: case PTX_T_BF16X2: return POOL_BF16;
	case PTX_T_F32: case PTX_T_F32X2: return POOL_F32;
	case PTX_T_F64: return POOL_F64;
	case PTX_T_PRED: return POOL_SMALL;
	default: return ptx_type_bits[t] == 64 || t == PTX_T_B128 ? POOL_INT64
	                : ptx_type_bits[t] == 32 && t != PTX_T_U16X2 && t != PTX_T_S16X2 ? POOL_INT32 : POOL_INT16;
	}
}

// A float of `exp` exponent and `frac` fraction bits: any bits, a corner, or a number near one.
static inline uint64_t ops_floating(unsigned exp, unsigned frac)
{
	uint64_t top = ((uint64_t)1 << exp) - 1, bias = top >> 1, r = ops_random(), f = r & (((uint64_t)1 << frac) - 1);
	uint64_t sign = (r >> 63) << (exp + frac), one = bias << frac, inf = top << frac;
	uint64_t step = (uint64_t)1 << frac, half = step >> 1;
	const uint64_t corner[] = {0, 1, step - 1, step, inf - 1, inf, inf | half, one, one + 1, one - 1, one + step,
	                           one - step, one | half, inf | 1};
	switch (ops_random() % 4) {
	case 0:  return sign | corner[ops_random() % (sizeof corner / sizeof *corner)];
	case 1:  return sign | f | (ops_random() & top) << frac;
	case 2:  return sign | f | (bias + ops_random() % 9 - 4) << frac;
	default: return sign | (f & ~(((uint64_t)1 << frac / 2) - 1)) | (bias + ops_random() % 9) << frac; // sums meet ties
	}
}

static inline uint64_t ops_integer(unsigned bits)
{
	uint64_t r = ops_random(), top = (uint64_t)1 << (bits - 1);
	switch (ops_random() % 4) {
	case 0: {
		const uint64_t corner[] = {0,       1,        2,   (uint64_t)-1, (uint64_t)-2, top, top - 1,
		                           top + 1, top >> 1, 255, 256,          127,          128};
		return corner[r % (sizeof corner / sizeof *corner)];
	}
	case 1:  return r >> ops_random() % bits;
	case 2:  return (uint64_t)0 - (r >> (63 - ops_random() % 8));
	default: return r;
	}
}

static inline uint16_t ops_halfword(enum ops_pool p)
{
	return (uint16_t)(p == POOL_F16 ? ops_floating(5, 10) : p == POOL_BF16 ? ops_floating(8, 7) : ops_integer(16));
}

static inline uint64_t ops_value(enum ops_pool p)
{
	uint64_t v = 0;
	switch (p) {
	case POOL_SMALL: return ops_random() % 8 ? ops_random() % 72 : (uint32_t)ops_random();
	case POOL_INT64: return ops_integer(64);
	case POOL_INT32: return ops_integer(32);
	case POOL_F64:   return ops_floating(11, 52);
	case POOL_F32:   return ops_floating(8, 23) | ops_floating(8, 23) << 32;
	default:
		for (unsigned k = 0; k < 64; k += 16)
			v |= (uint64_t)ops_halfword(p) << k;
		return v;
	}
}

static inline uint64_t ops_cut(uint64_t v, unsigned bits) { return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1); }

// One instruction to run.
struct op_source {
	enum ops_pool pool;
	unsigned bits;
	bool is_lanes, is_fixed;
	uint64_t fixed;
	enum ptx_type type;
};
struct op_inst {
	const struct op_case *c;
	struct ptx_opcode op;
	char text[PTX_OPCODE_MAX];
	char key[PTX_OPCODE_MAX];
	struct op_source src[OPS_SRC];
	unsigned n_src, n_dst, dst_bits[8];
	bool has_mem;
	unsigned n_words; // of the slot that are set and looked at: what the instruction touches and what follows
	enum ops_pool mem_pool;
	char part[4][8]; // named by @k=
	size_t at; // its results, in 8-byte columns of OPS_LANES
};

struct ops {
	VEC(struct op_inst) inst;
	VEC(char) ptx;
	size_t columns;
};

static inline void ops_put(struct ops *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void ops_put(struct ops *o, const char *fmt, ...)
{
	char line[1200];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	ck_assert_int_lt(n, (int)sizeof line);
	for (int k = 0; k < n; k++)
		VEC_PUSH(&o->ptx, line[k]);
}

// The register of a value: %q %rd %r %rh %p by width.
static inline const char *ops_reg(unsigned bits)
{
	return bits == 128 ? "%q" : bits == 64 ? "%rd" : bits == 1 ? "%p" : bits == 32 ? "%r" : "%rh";
}

static inline const char *ops_slot(const struct ptx_mods *m)
{
	switch (m->space) {
	case PTX_S_SHARED: return "%shp";
	case PTX_S_LOCAL:  return "%lop";
	case PTX_S_CONST:  return "fixed";
	case PTX_S_PARAM:  return "par";
	default:           return "%slot";
	}
}

static inline bool ops_writable(const struct ptx_mods *m) { return m->space != PTX_S_CONST && m->space != PTX_S_PARAM; }

static inline const char *ops_space(const struct ptx_mods *m)
{
	return m->space == PTX_S_SHARED ? "shared" : m->space == PTX_S_LOCAL ? "local" : "global";
}

enum { OPS_REG_DST = 40 };

// Loads source number n_src into its register and writes it as an operand.
static inline void ops_source(struct ops *o, struct op_inst *i, unsigned bits, enum ops_pool pool, const char *fixed,
                              char *out)
{
	unsigned k = i->n_src++;
	ck_assert_uint_lt(k, OPS_SRC);
	struct op_source *s = &i->src[k];
	*s = (struct op_source){.pool = pool, .bits = bits};
	if (fixed && strncmp(fixed, "lanes", 5) == 0) {
		s->is_lanes = true;
		strcpy(out, "%lanes");
		return;
	}
	if (fixed && (fixed[0] == 'c' || fixed[0] == 'i')) {
		s->is_fixed = true;
		sprintf(out, "%s%u", ops_reg(bits), k);
		if (fixed[0] == 'i')
			ops_put(o, "mov.b%u %s, %.*s;\n", bits, out, (int)strcspn(fixed + 1, " "), fixed + 1);
		else if (bits == 1)
			ops_put(o, "ld.param.b32 %%r%u, [par+%u]; and.b32 %%r%u, %%r%u, 1; setp.ne.b32 %%p%u, %%r%u, 0;\n", k,
			        OPS_SLOT + 8 * (unsigned)atoi(fixed + 1), k, k, k, k);
		else
			ops_put(o, "ld.param.b%u %s, [par+%u];\n", bits < 16 ? 16 : bits, out, OPS_SLOT + 8 * (unsigned)atoi(fixed + 1));
		return;
	}
	if (fixed) {
		s->is_fixed = true;
		s->fixed = ops_cut((uint64_t)strtoll(fixed, NULL, 0), bits);
		sprintf(out, "%.*s", (int)strcspn(fixed, " "), fixed);
		return;
	}
	size_t at = ((size_t)pool * OPS_SRC + k) * OPS_LANES * 8;
	if (bits == 1) {
		ops_put(o, "ld.global.b32 %%r%u, [%%in+%zu]; and.b32 %%r%u, %%r%u, 1; setp.ne.b32 %%p%u, %%r%u, 0;\n", k, at, k,
		        k, k, k);
	} else if (bits == 128) {
		ops_put(o, "ld.global.b64 %%rd%u, [%%in+%zu]; mov.b64 %%rd%u, 0; mov.b128 %%q%u, {%%rd%u, %%rd%u};\n", k, at,
		        k + 8, k, k, k + 8);
	} else {
		ops_put(o, "ld.global.b%u %s%u, [%%in+%zu];\n", bits < 16 ? 16 : bits, ops_reg(bits), k, at);
	}
	sprintf(out, "%s%u", ops_reg(bits), k);
}

static inline void ops_dest(struct op_inst *i, unsigned bits, char *out)
{
	ck_assert_uint_lt(i->n_dst, 8);
	i->dst_bits[i->n_dst] = bits;
	sprintf(out, "%s%u", ops_reg(bits), OPS_REG_DST + i->n_dst++);
}

// Saves one register in the next column.
static inline void ops_save(struct ops *o, unsigned bits, unsigned reg)
{
	size_t at = o->columns++ * OPS_LANES * 8;
	if (bits == 1)
		ops_put(o, "selp.b32 %%r39, 1, 0, %%p%u; st.global.b32 [%%out+%zu], %%r39;\n", reg, at);
	else if (bits == 128)
		ops_put(o, "mov.b128 {%%rd38, %%rd39}, %%q%u; st.global.b64 [%%out+%zu], %%rd38;\n", reg, at);
	else
		ops_put(o, "st.global.b%u [%%out+%zu], %s%u;\n", bits < 16 ? 16 : bits, at, ops_reg(bits), reg);
}

static inline bool ops_reads_carry(const struct ptx_opcode *op)
{
	return strcmp(op->op->name, "addc") == 0 || strcmp(op->op->name, "subc") == 0 || strcmp(op->op->name, "madc") == 0;
}

// Adds the part that the options name of operand k.
static inline void ops_part(struct op_inst *i, const char *opt, unsigned k, char *operand)
{
	char find[16];
	snprintf(find, sizeof find, "@%u=", k);
	const char *at = opt ? strstr(opt, find) : NULL;
	if (!at || k >= 4)
		return;
	snprintf(i->part[k], sizeof i->part[k], "%.*s", (int)strcspn(at + 3, " "), at + 3);
	bool neg = i->part[k][0] == '-';
	size_t n = strlen(operand);
	ck_assert_uint_lt(n + sizeof i->part[k], 300);
	memmove(operand + neg, operand, n + 1);
	if (neg)
		operand[0] = '-';
	sprintf(operand + n + neg, "%s%s", i->part[k][neg] ? "." : "", i->part[k] + neg);
}

// Adds the sign that the options name of source k, which is in `reg`.
static inline void ops_sign(struct ops *o, const char *opt, unsigned k, enum ptx_type t, const char *reg)
{
	char find[16];
	snprintf(find, sizeof find, "~%u=", k);
	const char *at = opt ? strstr(opt, find) : NULL;
	if (!at)
		return;
	at += 3;
	bool logic = !strncmp(at, "not", 3), both = !strncmp(at, "nabs", 4), is_int = ptx_type_kind[t] == 'u' || ptx_type_kind[t] == 'b';
	char type[16];
	if (logic || is_int)
		snprintf(type, sizeof type, t == PTX_T_PRED ? "pred" : "%c%u", logic ? 'b' : 's', ptx_type_bits[t]);
	else
		snprintf(type, sizeof type, "%s", ptx_type_text[t]);
	if (both)
		ops_put(o, "abs.%s %s, %s;\n", type, reg, reg);
	ops_put(o, "%.3s.%s %s, %s;\n", both ? "neg" : at, type, reg, reg);
}

// Adds one instruction: `line` is an opcode with options.
static inline void ops_add(struct ops *o, const struct op_case *c, const char *line)
{
	struct op_inst inst = {.c = c}, *i = &inst;
	char why[300], ins[600], one[64];
	const char *opt = strchr(line, ' '), *plus = opt ? strchr(opt, '+') : NULL;
	size_t len = opt ? (size_t)(opt - line) : strlen(line);
	ck_assert_uint_lt(len, sizeof i->text);
	memcpy(i->text, line, len);
	ck_assert_msg(!ptx_opcode_read(i->text, &i->op, i->key, why, sizeof why), "%s: %s", i->text, why);
	const struct ptx_mods *m = &i->op.mods;
	unsigned n = 0, given = plus ? (unsigned)atoi(plus + 1) : 0;
	for (const char *s = i->op.op->operands; *s; s += strcspn(s, ","), s += *s == ',')
		n += *s != '[';
	struct ptx_inst pi = {.op = i->op.op, .mods = *m, .n_opnd = (uint8_t)(n + given)};
	struct ptx_opnd_spec spec[PTX_MAX_OPNDS] = {0};
	unsigned n_spec = ptx_opnd_spec(&pi, PTX_MAX_OPNDS, spec);
	const char *item = i->op.op->operands;
	enum ptx_type t = (enum ptx_type)m->type[0];
	i->mem_pool = ops_pool_of(t);
	strcpy(ins, i->text);
	for (unsigned k = 0, left = given; k < n_spec; item += strcspn(item, ","), item += *item == ',') {
		if (*item == '[' && !left)
			continue;
		left -= *item == '[';
		const char *letter = item + (*item == '[' || *item == '=');
		const struct ptx_opnd_spec *s = &spec[k];
		unsigned bits = s->form == PTX_F_ADDRESS ? 64 : ptx_type_bits[s->type];
		char find[8], operand[300] = "";
		sprintf(find, "#%u=", i->n_src);
		const char *fixed = opt ? strstr(opt, find) : NULL;
		if (fixed)
			fixed += 3;
		if (s->is_addr) {
			sprintf(operand, "[%s]", ops_slot(m));
			i->has_mem = true;
		} else {
			enum ops_pool pool = *letter == 'i' ? POOL_SMALL : ops_pool_of((enum ptx_type)s->type);
			unsigned elems = s->is_vec ? m->vec : 1;
			for (unsigned e = 0; e < elems; e++) {
				if (s->is_dest)
					ops_dest(i, bits, one);
				else {
					ops_source(o, i, bits, pool, fixed, one);
					i->src[i->n_src - 1].type = (enum ptx_type)s->type;
					ops_sign(o, opt, i->n_src - 1, (enum ptx_type)s->type, one);
				}
				strcat(strcat(operand, e ? ", " : s->is_vec ? "{" : ""), one);
			}
			if (s->is_vec)
				strcat(operand, "}");
			if (s->has_second) {
				ops_dest(i, 1, one);
				strcat(strcat(operand, "|"), one);
			}
		}
		ops_part(i, opt, k, operand);
		strcat(strcat(ins, k++ ? ", " : " "), operand);
	}
	bool rw = i->has_mem && ops_writable(m);
	unsigned words = ptx_type_bits[t] * m->vec / 64 + 1;
	i->n_words = words > 8 ? 8 : words;
	// Destinations start as zero: what the instruction leaves alone must not hang on the case before.
	for (unsigned k = 0; k < i->n_dst; k++)
		if (i->dst_bits[k] == 1)
			ops_put(o, "setp.ne.b32 %%p%u, 0, 0;\n", OPS_REG_DST + k);
		else if (i->dst_bits[k] != 128)
			ops_put(o, "mov.b%u %s%u, 0;\n", i->dst_bits[k] < 16 ? 16 : i->dst_bits[k], ops_reg(i->dst_bits[k]),
			        OPS_REG_DST + k);
	for (unsigned k = 0; rw && k < i->n_words; k++)
		ops_put(o, "ld.global.b64 %%rd39, [%%in+%zu]; st.%s.b64 [%s+%u], %%rd39;\n",
		        ((size_t)i->mem_pool * OPS_SRC + 7 - k) * OPS_LANES * 8, ops_space(m), ops_slot(m), k * 8);
	if (ops_reads_carry(&i->op)) // the flag becomes the low bit of the first source
		ops_put(o, "%s and.b32 %%r39, %%r39, 1; add.cc.u32 %%r38, %%r39, -1;\n",
		        i->src[0].bits == 64 ? "cvt.u32.u64 %r39, %rd0;" : "mov.b32 %r39, %r0;");
	if (opt && strstr(opt, "@g"))
		ops_put(o, "ld.global.b32 %%r37, [%%in+%zu]; and.b32 %%r37, %%r37, 1; setp.ne.b32 %%p39, %%r37, 0; @%%p39 ",
		        ((size_t)POOL_INT32 * OPS_SRC + i->n_src) * OPS_LANES * 8);
	ops_put(o, "%s;\n", ins);
	if (m->cc) {
		ops_put(o, "addc.u32 %%r%u, 0, 0;\n", OPS_REG_DST + i->n_dst);
		i->dst_bits[i->n_dst++] = 32;
	}
	i->at = o->columns;
	for (unsigned k = 0; k < i->n_dst; k++)
		ops_save(o, i->dst_bits[k], OPS_REG_DST + k);
	if (i->op.op->cls == ISA_LOAD)
		i->n_words = 0;
	for (unsigned k = 0; rw && k < i->n_words; k++) {
		ops_put(o, "ld.%s.b64 %%rd37, [%s+%u];\n", ops_space(m), ops_slot(m), k * 8);
		ops_save(o, 64, 37);
	}
	VEC_PUSH(&o->inst, inst);
}

// Adds a piece of PTX.
static inline void ops_add_piece(struct ops *o, const struct op_case *c, const char *line)
{
	struct op_inst i = {.c = c};
	const char *eq = strstr(line, " = ");
	char why[300], reg[64];
	snprintf(i.text, sizeof i.text, "%.*s", (int)(eq - line), line);
	ck_assert_msg(!ptx_opcode_read(i.text, &i.op, i.key, why, sizeof why), "%s: %s", i.text, why);
	bool is_float = ptx_type_kind[i.op.mods.type[0]] == 'f';
	for (unsigned k = 0; k < 4; k++) {
		ops_source(o, &i, 64, is_float ? ops_pool_of((enum ptx_type)i.op.mods.type[0]) : POOL_INT64, NULL, reg);
		ops_put(o, "cvt.u32.u64 %%r%u, %%rd%u; cvt.u16.u64 %%rh%u, %%rd%u; and.b32 %%r39, %%r%u, 1; "
		           "setp.ne.b32 %%p%u, %%r39, 0;\n",
		        k, k, k, k, k, k);
	}
	ops_dest(&i, 64, reg);
	ops_dest(&i, 64, reg);
	ops_put(o, "mov.b64 %%rd40, 0; mov.b64 %%rd41, 0;\n{\n%s\n}\n", eq + 3);
	i.at = o->columns;
	ops_save(o, 64, OPS_REG_DST);
	ops_save(o, 64, OPS_REG_DST + 1);
	VEC_PUSH(&o->inst, i);
}

// Chooses one alternative of each group in braces, in all ways.
typedef void ops_each_fn(void *ctx, const struct op_case *c, const char *line);
static inline void ops_expand(const struct op_case *c, const char *text, ops_each_fn *fn, void *ctx)
{
	const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
	if (!open || strstr(text, " = ")) {
		fn(ctx, c, text);
		return;
	}
	for (const char *a = open + 1; a <= close;) {
		size_t n = strcspn(a, ",}");
		char out[600];
		snprintf(out, sizeof out, "%.*s%.*s%s", (int)(open - text), text, (int)n, a, close + 1);
		ops_expand(c, out, fn, ctx);
		a += n + 1;
	}
}

static inline void ops_add_line(void *ctx, const struct op_case *c, const char *line)
{
	if (strstr(line, " = "))
		ops_add_piece(ctx, c, line);
	else
		ops_add(ctx, c, line);
}

static inline uint64_t ops_fixed_byte(unsigned k) { return (k * 37 + 129) & 255; }

static inline void ops_judge(const struct op_inst *i, const uint64_t *in, const uint64_t *out, unsigned block)
{
	struct op_in x[OPS_BLOCK];
	uint8_t mem[OPS_BLOCK][OPS_SLOT];
	bool rw = i->has_mem && ops_writable(&i->op.mods);
	for (unsigned t = 0; t < OPS_BLOCK; t++) {
		unsigned g = block * OPS_BLOCK + t, first = t / 32 * 32;
		x[t] = (struct op_in){
			.op = &i->op, .text = i->text, .m = &i->op.mods, .t = (enum ptx_type)i->op.mods.type[0],
			.u = (enum ptx_type)i->op.mods.type[1], .n_src = i->n_src, .lane = t % 32, .block_lane = t,
			.warp = &x[first], .mem = mem[t],
			.lanes = OPS_BLOCK - first >= 32 ? 0xffffffffu : (1u << (OPS_BLOCK - first)) - 1};
		for (unsigned k = 0; k < i->n_src; k++) {
			const struct op_source *s = &i->src[k];
			size_t at = ((size_t)s->pool * OPS_SRC + k) * OPS_LANES + g;
			uint64_t v = s->is_lanes ? x[t].lanes : s->is_fixed ? s->fixed : in[at];
			x[t].v[k] = ops_cut(v, s->bits);
		}
		for (unsigned k = 0; k < 4; k++)
			x[t].part[k] = i->part[k];
		x[t].carry = ops_reads_carry(&i->op) && x[t].v[0] & 1;
		for (unsigned k = 0; k < OPS_SLOT; k++)
			mem[t][k] = (uint8_t)(rw ? in[((size_t)i->mem_pool * OPS_SRC + 7 - k / 8) * OPS_LANES + g] >> k % 8 * 8
			                         : ops_fixed_byte(k));
	}
	for (unsigned t = 0; t < OPS_BLOCK; t++) {
		unsigned g = block * OPS_BLOCK + t;
		if (i->c->ref)
			i->c->ref(&x[t]);
		for (unsigned k = 0; k < i->n_dst; k++) {
			unsigned bits = i->dst_bits[k] > 64 ? 64 : i->dst_bits[k];
			uint64_t want = ops_cut(x[t].d[k], bits), got = ops_cut(out[(i->at + k) * OPS_LANES + g], bits);
			ck_assert_msg(want == got || (x[t].close && x[t].close(&x[t], want, got)),
			              "%s: result %u of lane %u is %llx, not %llx, of %llx %llx %llx %llx", i->text, k, t,
			              (unsigned long long)got, (unsigned long long)want, (unsigned long long)x[t].v[0],
			              (unsigned long long)x[t].v[1], (unsigned long long)x[t].v[2], (unsigned long long)x[t].v[3]);
		}
		for (unsigned k = 0; rw && k < i->n_words; k++) {
			uint64_t want;
			memcpy(&want, mem[t] + k * 8, 8);
			uint64_t got = out[(i->at + i->n_dst + k) * OPS_LANES + g];
			ck_assert_msg(want == got, "%s: word %u of lane %u's memory is %llx, not %llx, after %llx %llx", i->text, k,
			              t, (unsigned long long)got, (unsigned long long)want, (unsigned long long)x[t].v[0],
			              (unsigned long long)x[t].v[1]);
		}
	}
}

// Runs one row of a table of cases.
static inline void ops_check(const struct op_case *c)
{
	struct ops o = {0};
	ops_put(&o, ".version 9.0\n.target sm_100a\n.address_size 64\n.const .align 16 .b8 fixed[%d] = {", OPS_SLOT);
	for (unsigned k = 0; k < OPS_SLOT; k++)
		ops_put(&o, "%s%u", k ? "," : "", (unsigned)ops_fixed_byte(k));
	ops_put(&o, "};\n"
		".func (.param .b32 r) fact(.param .b32 n) { .reg .b32 %%r<6>; .reg .pred %%p; "
		"ld.param.b32 %%r1, [n]; mov.b32 %%r4, 1;\n"
		"setp.lt.u32 %%p, %%r1, 2; @%%p bra DONE; sub.u32 %%r2, %%r1, 1; { .param .b32 a; "
		"st.param.b32 [a], %%r2; .param .b32 v;\n"
		"call (v), fact, (a); ld.param.b32 %%r3, [v]; } mul.lo.u32 %%r4, %%r1, %%r3; "
		"DONE: st.param.b32 [r], %%r4; ret; }\n"
		".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 slots, "
		".param .align 16 .b8 par[%d]) {\n", OPS_SLOT);
	ops_put(&o, ".reg .pred %%p<50>; .reg .b16 %%rh<50>; .reg .b32 %%r<50>, %%lanes, %%shp, %%lop; "
		".reg .b64 %%rd<50>, %%in, %%out, %%slot;\n"
		".reg .b128 %%q<50>; .shared .align 16 .b8 sh[%d]; .local .align 16 .b8 lo[%d];\n",
		OPS_SLOT * OPS_BLOCK, OPS_SLOT);
	ops_put(&o, "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r2, %%r1, %d, %%r0; "
		"mul.wide.u32 %%rd0, %%r2, 8;\n", OPS_BLOCK);
	ops_put(&o, "ld.param.u64 %%in, [in]; add.u64 %%in, %%in, %%rd0; ld.param.u64 %%out, [out]; "
		"add.u64 %%out, %%out, %%rd0;\n"
		"ld.param.u64 %%slot, [slots]; mul.wide.u32 %%rd0, %%r2, %d; add.u64 %%slot, %%slot, %%rd0; "
		"activemask.b32 %%lanes;\n"
		"mov.u32 %%shp, sh; mad.lo.u32 %%shp, %%r0, %d, %%shp; mov.u32 %%lop, lo;\n", OPS_SLOT, OPS_SLOT);
	ops_expand(c, c->text, ops_add_line, &o);
	ops_put(&o, "ret; }\n");
	VEC_PUSH(&o.ptx, 0);
	const char *dump = getenv("OPS_DUMP"); // a folder: the PTX goes there, for ptxas to judge
	if (dump) {
		char path[512];
		snprintf(path, sizeof path, "%s/%s.ptx", dump, o.inst.at[0].text);
		FILE *f = fopen(path, "w");
		if (f) {
			fputs(o.ptx.at, f);
			fclose(f);
		}
	}
	struct ptx_bench *b = bench_new(o.ptx.at);
	struct {
		uint64_t in, out, slots, pad;
		uint8_t par[OPS_SLOT];
	} param = {bench_alloc(b, POOL_N * OPS_SRC * OPS_LANES * 8), bench_alloc(b, (o.columns + 1) * OPS_LANES * 8),
	           bench_alloc(b, OPS_LANES * OPS_SLOT), 0, {0}};
	for (unsigned k = 0; k < OPS_SLOT; k++)
		param.par[k] = (uint8_t)ops_fixed_byte(k);
	uint64_t *in = (uint64_t *)(uintptr_t)param.in, *out = (uint64_t *)(uintptr_t)param.out;
	for (size_t k = 0; k < (size_t)POOL_N * OPS_SRC * OPS_LANES; k++)
		in[k] = ops_value((enum ops_pool)(k / (OPS_SRC * OPS_LANES)));
	const struct fault *f = bench_run(b, "k", OPS_GRID, OPS_BLOCK, 0, &param);
	ck_assert_msg(!f, "%s", f ? f->text : "");
	for (size_t n = 0; n < o.inst.n; n++)
		for (unsigned block = 0; block < OPS_GRID; block++)
			ops_judge(&o.inst.at[n], in, out, block);
	bench_free(b);
	VEC_FREE(&o.inst);
	VEC_FREE(&o.ptx);
}

// A test program over one table.
#define OPS_MAIN(name, table)                                                                   \
	START_TEST(every_case)                                                                  \
	{                                                                                       \
		ops_check(&table[_i]);                                                          \
	}                                                                                       \
	END_TEST                                                                                \
	int main(void)                                                                          \
	{                                                                                       \
		Suite *s = suite_create(name);                                                  \
		TCase *t = tcase_create(name);                                                  \
		tcase_set_timeout(t, 20);                                                       \
		tcase_add_loop_test(t, every_case, 0, (int)(sizeof table / sizeof *table));     \
		suite_add_tcase(s, t);                                                          \
		return check_main(s);                                                           \
	}

#endif
