// Operands as the tracer and the text name them are the first registers; the rest follows from the opcode: 64-bit
// operands are pairs, vectors and matrices several registers.
#include "cuda-sim/sass/inst.h"

#include <stdio.h>
#include <string.h>

// --- opcodes

void sass_name_split(struct sass_name *k, const char *op, size_t len)
{
	k->n = 0;
	for (size_t from = 0; from < len && k->n < SASS_NAME_TOKENS;) {
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

bool sass_name_is(const struct sass_name *k, unsigned i, const char *text)
{
	return k->t[i].len == strlen(text) && !memcmp(k->t[i].at, text, k->t[i].len);
}

bool sass_name_has(const struct sass_name *k, const char *text)
{
	for (unsigned i = 1; i < k->n; i++)
		if (sass_name_is(k, i, text))
			return true;
	return false;
}

unsigned sass_name_number(const struct sass_name *k, unsigned i, const char *letters)
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

unsigned sass_access_bytes(const struct sass_name *k, bool accelsim)
{
	for (unsigned i = 1; i < k->n; i++) {
		unsigned v = sass_name_number(k, i, accelsim ? "U" : "USF");
		if (v)
			return v / 8;
	}
	return 4;
}

// --- registers

static void all_sources(struct sass_widths *w, unsigned count)
{
	for (unsigned i = 0; i < SASS_OPERANDS; i++)
		w->src[i] = count;
}

// Registers of D, A, B and C by shape, for warp-wide products; PTX ISA, "Matrix fragments", gives the fragments.
// `half`: halves accumulate in half as many.
struct product {
	const char *op;
	unsigned shape;
	uint8_t d, a, b, c;
};
static const struct product products[] = {
	{"HMMA", 884, 2, 2, 2, 2},   {"HMMA", 1684, 4, 2, 1, 4},  {"HMMA", 1688, 4, 2, 1, 4},   {"HMMA", 16816, 4, 4, 2, 4},
	{"IMMA", 8816, 2, 1, 1, 2},  {"IMMA", 8832, 2, 1, 1, 2},  {"IMMA", 16816, 4, 2, 1, 4},  {"IMMA", 16832, 4, 4, 2, 4},
	{"IMMA", 16864, 4, 4, 2, 4}, {"BMMA", 88128, 2, 1, 1, 2}, {"BMMA", 168128, 4, 2, 1, 4},
	{"BMMA", 168256, 4, 4, 2, 4}, {"DMMA", 884, 4, 2, 2, 4},  {"QMMA", 16832, 4, 4, 2, 4},  {"QMMA", 16816, 4, 2, 1, 4},
};
// Of those whose A is sparse. Of 4-bit integers twice as deep ones have the same.
static const struct product sparse_products[] = {
	{"HMMA", 16816, 4, 2, 2, 4}, {"HMMA", 16832, 4, 4, 4, 4}, {"HMMA", 1688, 4, 2, 2, 4},
	{"IMMA", 16832, 4, 2, 2, 4}, {"IMMA", 16864, 4, 4, 4, 4}, {"IMMA", 168128, 4, 4, 4, 4}, {"QMMA", 16864, 4, 4, 4, 4},
};

static void product_widths(const struct sass_name *k, struct sass_widths *w)
{
	const bool sparse = sass_name_has(k, "SP"), tf32 = sass_name_has(k, "TF32"), four = sass_name_has(k, "U4") || sass_name_has(k, "S4");
	const struct product *p = sparse ? sparse_products : products;
	const unsigned n = sparse ? sizeof sparse_products / sizeof *p : sizeof products / sizeof *p, at = 1 + sparse;
	for (unsigned i = 0; i < n; i++, p++) {
		if (!sass_name_is(k, 0, p->op) || k->n < at + 1 || sass_name_number(k, at, "") != p->shape)
			continue;
		const bool half = sass_name_is(k, 0, "HMMA") && p->shape != 884 && k->n > at + 1 && sass_name_is(k, at + 1, "F16");
		const bool wide = tf32 && (sparse ? p->shape == 16816 : p->shape == 1688), narrow = sparse && four && p->shape == 16864;
		w->dst = half ? 2 : p->d;
		w->src[0] = wide ? 4 : narrow ? 2 : p->a;
		w->src[1] = wide ? (sparse ? 4 : 2) : narrow ? 2 : p->b;
		w->src[2] = half ? 2 : p->c;
		return;
	}
}

static bool type64(const struct sass_name *k, unsigned i)
{
	return sass_name_is(k, i, "F64") || sass_name_is(k, i, "S64") || sass_name_is(k, i, "U64");
}

static void conversion_widths(const struct sass_name *k, struct sass_widths *w)
{
	bool f64 = sass_name_has(k, "F64"), i64 = sass_name_has(k, "S64") || sass_name_has(k, "U64");
	if ((sass_name_is(k, 0, "F2I") || sass_name_is(k, 0, "UF2I"))) {
		w->dst = i64 ? 2 : 1;
		w->src[0] = f64 ? 2 : 1;
	} else if (sass_name_is(k, 0, "I2F") || sass_name_is(k, 0, "UI2F")) {
		w->dst = f64 ? 2 : 1;
		w->src[0] = i64 ? 2 : 1;
	} else if (sass_name_is(k, 0, "FRND")) {
		w->dst = w->src[0] = f64 ? 2 : 1;
	} else {
		w->dst = k->n > 1 && type64(k, 1) ? 2 : 1;
		w->src[0] = k->n > 2 && type64(k, 2) ? 2 : 1;
	}
}

static bool long_address(const struct sass_name *k, const struct sass_op *op)
{
	return sass_name_has(k, "E") && op->space != SPACE_SHARED && op->space != SPACE_LOCAL;
}

static void memory_widths(const struct sass_name *k, const struct sass_op *op, unsigned n_src, unsigned bytes,
                          struct sass_widths *w)
{
	unsigned data = (bytes + 3) / 4;
	w->dst = data;
	if (op->cls != ISA_LOAD)
		for (unsigned i = 1; i < n_src; i++)
			w->src[i] = data;
	if (long_address(k, op) && n_src)
		w->src[0] = 2;
}

static unsigned matrices(const struct sass_name *k)
{
	unsigned n = k->n ? sass_name_number(k, k->n - 1, "x") : 0;
	return (n == 2 || n == 4 ? n : 1) * (sass_name_has(k, "MT1616") ? 2 : 1);
}

void sass_operand_widths(const struct sass_name *k, const struct sass_op *op, unsigned n_src, unsigned bytes,
                         struct sass_widths *w)
{
	w->dst = 1;
	all_sources(w, 1);
	switch ((enum sass_behaviour)op->behaviour) {
	case SASS_WIDE:
		w->dst = 2;
		all_sources(w, 2);
		break;
	case SASS_WIDE_SOURCES:
		all_sources(w, 2);
		break;
	case SASS_BY_NAME:
		if (sass_name_has(k, "64") || sass_name_has(k, "S64") || sass_name_has(k, "U64")) {
			w->dst = 2;
			all_sources(w, 2);
		}
		break;
	case SASS_MULTIPLY:
		w->dst = sass_name_has(k, "WIDE") ? 2 : 1;
		if (n_src == 3 && (sass_name_has(k, "WIDE") || sass_name_has(k, "HI")))
			w->src[2] = 2; // added to the product of 64 bits
		break;
	case SASS_CONVERT:
		conversion_widths(k, w);
		break;
	case SASS_CLOCK:
		w->dst = sass_name_has(k, "32") ? 1 : 2;
		break;
	case SASS_CONSTANT:
		w->dst = (bytes + 3) / 4;
		break;
	case SASS_MEMORY:
	case SASS_ASYNC_COPY:
	case SASS_SURFACE:
		memory_widths(k, op, n_src, bytes, w);
		break;
	case SASS_MATRIX:
		product_widths(k, w);
		break;
	case SASS_GROUP_MATRIX:
		w->dst = ISA_MAX_DST;
		break;
	case SASS_MATRIX_LOAD:
		w->dst = matrices(k);
		if (op->cls == ISA_STORE && n_src > 1)
			w->src[1] = w->dst;
		break;
	default:
		break;
	}
}

// --- class and core

void sass_inst_class(struct isa_inst *i, const struct sass_name *k, const struct sass_op *op, uint64_t imm,
                     bool accelsim)
{
	i->cls = op->cls;
	i->space = op->space;
	unsigned bytes = sass_access_bytes(k, accelsim);
	if (op->behaviour == SASS_MATRIX_LOAD && !accelsim)
		bytes = 16, i->address_lanes = (uint8_t)(8 * matrices(k)); // a lane gives the address of a row
	i->bytes = (uint8_t)(bytes ? bytes < 128 ? bytes : 128 : 4);
	if (op->cls == ISA_ATOMIC)
		i->cache_op = ISA_CACHE_CG; // atomics are done in L2
	if (accelsim && op->cls == ISA_ATOMIC && op->space == SPACE_GENERIC)
		i->space = SPACE_GLOBAL;
	bool strong = sass_name_has(k, "STRONG") && (sass_name_has(k, "GPU") || (!accelsim && sass_name_has(k, "SYS")));
	if (op->cls == ISA_LOAD && strong)
		i->cache_op = ISA_CACHE_CG;
	if (op->behaviour == SASS_BARRIER)
		i->barrier = sass_name_has(k, "ARV") ? ISA_BARRIER_ARRIVE : ISA_BARRIER_SYNC;
	if (op->behaviour == SASS_ASYNC_COPY)
		i->async = ISA_ASYNC_COPY;
	if (op->behaviour == SASS_ASYNC_COMMIT)
		i->async = ISA_ASYNC_COMMIT;
	if (op->behaviour == SASS_ASYNC_WAIT) {
		i->async = ISA_ASYNC_WAIT;
		i->async_keep = (uint8_t)(imm < 255 ? imm : 255);
	}
}

// The first number of a product is its shape: M is 16 if it starts with 16, else 8; N is 8; K is the rest. The second
// gives the bits of an element.
static void product_shape(struct isa_sass *s, const struct sass_name *k)
{
	bool shape = false;
	s->matrix_sparse = sass_name_has(k, "SP");
	for (unsigned i = 1; i < k->n; i++) {
		unsigned v = sass_name_number(k, i, shape ? "FSU" : "");
		if (!v)
			continue;
		if (shape) {
			s->matrix_bits = (uint16_t)v;
			return;
		}
		char digits[12];
		snprintf(digits, sizeof digits, "%u", v);
		bool m16 = !strncmp(digits, "16", 2) && digits[2];
		const char *rest = digits + (m16 ? 2 : 1);
		if (!*rest)
			return;
		unsigned depth = 0;
		for (const char *p = rest + 1; *p; p++)
			depth = depth * 10 + (unsigned)(*p - '0');
		s->matrix_m = m16 ? 16 : 8;
		s->matrix_n = 8;
		s->matrix_k = (uint16_t)depth;
		s->matrix_bits = 1;
		shape = true;
	}
}

// A warp's part of a warp group's product.
static void group_product_shape(struct isa_sass *s, const struct sass_name *k)
{
	unsigned n, depth;
	for (unsigned i = 1; i < k->n; i++)
		if (sscanf(k->t[i].at, "64x%ux%u", &n, &depth) == 2) {
			s->matrix_m = 16;
			s->matrix_n = (uint16_t)n;
			s->matrix_k = (uint16_t)depth;
		}
	s->matrix_sparse = sass_name_has(k, "SP");
	s->matrix_bits = sass_name_is(k, 0, "BGMMA") ? 1 : !sass_name_is(k, 0, "HGMMA") ? 8 : sass_name_has(k, "TF32") ? 32 : 16;
}

static const struct { const char *op; enum isa_moves moves; } moving[] = {
	{"FMNMX", ISA_MOVES_COMPARE}, {"FMNMX3", ISA_MOVES_COMPARE}, {"FSEL", ISA_MOVES_COMPARE}, {"FSET", ISA_MOVES_COMPARE}, {"FSETP", ISA_MOVES_COMPARE},
	{"IMNMX", ISA_MOVES_SELECT}, {"ISETP", ISA_MOVES_SELECT}, {"MOV", ISA_MOVES_SELECT}, {"SEL", ISA_MOVES_SELECT}, {"VIMNMX", ISA_MOVES_SELECT},
	{"IDP", ISA_MOVES_ADD}, {"VIADD", ISA_MOVES_ADD}, {"FCHK", ISA_MOVES_CHECK},
};

void sass_inst_core(struct isa_sass *s, const struct sass_name *k, const struct sass_op *op)
{
	s->unit = op->core;
	s->depbar_sb = ISA_NO_SB;
	s->control = (struct isa_control){.write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB};
	s->imad = !strcmp(op->name, "IMAD");
	s->half_mma = !strcmp(op->name, "HFMA2") && sass_name_has(k, "MMA");
	s->uniform_move = !strcmp(op->name, "UMOV") || !strcmp(op->name, "ULDC") || !strcmp(op->name, "VOTEU");
	s->constant_load = !strcmp(op->name, "LDC");
	for (unsigned i = 0; i < sizeof moving / sizeof *moving; i++)
		if (!strcmp(op->name, moving[i].op))
			s->moves = (uint8_t)moving[i].moves;
	s->pair = op->behaviour == SASS_BY_NAME && op->core == ISA_UNIT_INT && (sass_name_has(k, "64") || sass_name_has(k, "S64") || sass_name_has(k, "U64"));
	s->generic = op->space == SPACE_GENERIC;
	if (op->behaviour == SASS_MATRIX)
		product_shape(s, k);
	if (op->behaviour == SASS_GROUP_MATRIX)
		group_product_shape(s, k);
	if (op->behaviour == SASS_MATRIX_LOAD)
		s->matrices = (uint8_t)matrices(k);
	if (op->cls == ISA_FENCE)
		s->fence = sass_name_has(k, "CTA") ? 1 : sass_name_has(k, "SYS") ? 3 : 2;
}

// --- operands

static bool is_register(const struct sass_operand *o) { return o->file >= ISA_FILE_R && o->file <= ISA_FILE_B; }
static bool is_predicate(const struct sass_operand *o) { return o->file == ISA_FILE_P || o->file == ISA_FILE_UP; }

static bool is_data_register(const struct sass_operand *o)
{
	return (o->file == ISA_FILE_R || o->file == ISA_FILE_UR || o->file == ISA_FILE_B) && !o->address;
}

static bool is_memory(const struct sass_op *op)
{
	return op->behaviour == SASS_MEMORY || op->behaviour == SASS_ASYNC_COPY || op->behaviour == SASS_MATRIX_LOAD ||
	       op->behaviour == SASS_SURFACE;
}

static unsigned count_results(const struct sass_source *f, enum sass_result rule)
{
	const struct sass_operand *o = f->operand;
	unsigned n = 0, p = 0;
	if (rule == SASS_TO_NOTHING)
		return 0;
	while (n < f->n && n < 2 && is_predicate(&o[n]))
		n++;
	if (rule == SASS_TO_PREDICATES)
		return n;
	if (rule == SASS_TO_VOTE) {
		n = f->n && is_data_register(&o[0]) ? 1 : 0;
		return n + (n < f->n && is_predicate(&o[n]));
	}
	if (n == f->n || !is_data_register(&o[n]))
		return 0;
	n++;
	// Carries in stand at the end: IADD3.X R0, R1, R2, R3, P0, P1.
	for (; rule == SASS_TO_CARRY && p < 2 && n < f->n && n < ISA_SASS_DST && is_predicate(&o[n]); p++)
		n++;
	return n;
}

static bool is_zero(const struct sass_operand *o)
{
	switch (o->file) {
	case ISA_FILE_R: return o->reg == SASS_RZ;
	case ISA_FILE_UR: return o->reg == SASS_URZ;
	case ISA_FILE_P:
	case ISA_FILE_UP: return o->reg == SASS_PT;
	default: return false;
	}
}

static unsigned clip(const struct sass_operand *o, unsigned count)
{
	if (!is_register(o) || is_zero(o))
		return 0;
	if (o->all)
		return SASS_N_P;
	if (o->file != ISA_FILE_R && o->file != ISA_FILE_UR)
		return 1;
	return o->reg + count > SASS_RZ && o->reg < SASS_RZ ? (unsigned)SASS_RZ - o->reg : count; // RZ and URZ have one number
}

// A register of an address. The first of two references of a copy is the one in shared memory.
static unsigned address_count(const struct sass_source *f, const struct sass_operand *o, const struct sass_name *k,
                              const struct sass_op *op)
{
	bool with_uniform = false, first = true;
	if (o->wide || o->descriptor)
		return 2;
	for (unsigned i = 0; i < f->n; i++) {
		const struct sass_operand *q = &f->operand[i];
		with_uniform |= q->operand == o->operand && q->file == ISA_FILE_UR && !q->descriptor;
		first &= !(q->address && q->operand < o->operand);
	}
	if (o->narrow || !long_address(k, op) || (op->behaviour == SASS_ASYNC_COPY && first))
		return 1;
	return o->file == ISA_FILE_R && with_uniform ? 1 : 2;
}

static struct isa_operand operand_of(const struct sass_operand *o, unsigned count)
{
	struct isa_operand r = {.file = o->file, .address = o->address, .reg = o->reg, .offset = o->offset};
	r.reuse = o->reuse && o->file == ISA_FILE_R;
	r.count = (uint8_t)clip(o, count);
	return r;
}

static bool takes_place(const struct sass_operand *o)
{
	return !is_predicate(o) && o->file != ISA_FILE_SPECIAL && o->file != ISA_FILE_NONE;
}

// Places of sources, as sass_operand_widths counts them.
static unsigned place_of(const struct sass_source *f, unsigned from, unsigned at, bool memory)
{
	unsigned place = memory ? 1 : 0, last = UINT8_MAX;
	for (unsigned i = from; i < at; i++) {
		const struct sass_operand *o = &f->operand[i];
		if (!takes_place(o) || (memory && o->address) || o->operand == last)
			continue;
		last = o->operand;
		place++;
	}
	return place < SASS_OPERANDS ? place : SASS_OPERANDS - 1;
}

// Where the register file's slots A, B and C, 0 to 2, are not those of the first, second and third source: the slots of the first
// three. Machine code says so by the bit that keeps an operand for reuse.
static const struct { const char *op, *with; uint8_t slot[SASS_OPERANDS]; } odd_slots[] = {
	{"MOV", NULL, {1}}, {"IABS", NULL, {1}}, {"I2FP", NULL, {1}}, {"I2I", NULL, {1}}, // what has one source has B
	{"F2FP", "MERGE_C", {1, 2}}, {"F2FP", "UNPACK_B_MERGE_C", {1, 2}}, {"F2FP", "UNPACK_B", {1}}, {"F2FP", "PACK_B", {1}},
	{"FADD", NULL, {0, 2}}, {"FSWZADD", NULL, {0, 2}}, {"DADD", NULL, {0, 2}}, {"DSETP", NULL, {0, 2}}, // sums have A and C
	{"HADD2", NULL, {0, 2}}, {"HSETP2", NULL, {0, 2}}, {"HSET2", NULL, {0, 2}},
	{"HFMA2", NULL, {0, 1, 2, 2}}, // an immediate there is written as two
};

static unsigned slot_of(const struct sass_name *k, unsigned place)
{
	for (unsigned i = 0; i < sizeof odd_slots / sizeof *odd_slots; i++)
		if (sass_name_is(k, 0, odd_slots[i].op) && (!odd_slots[i].with || sass_name_has(k, odd_slots[i].with)))
			return odd_slots[i].slot[place];
	return place;
}

static const char *add_sources(struct isa_sass *s, const struct sass_source *f, unsigned from,
                               const struct sass_name *k, const struct sass_op *op, const struct sass_widths *w)
{
	for (unsigned i = from; i < f->n; i++) {
		const struct sass_operand *o = &f->operand[i];
		bool address = o->address && o->file != ISA_FILE_CONST;
		unsigned count = o->wide ? 2 : 1;
		if (!address)
			count = w->src[place_of(f, from, i, is_memory(op))];
		else if (is_memory(op))
			count = address_count(f, o, k, op);
		if (s->n_src == ISA_SASS_SRC)
			return "too many operands";
		s->src[s->n_src] = operand_of(o, count);
		s->src[s->n_src++].slot = (uint8_t)slot_of(k, place_of(f, from, i, false));
	}
	return NULL;
}

static enum isa_address address_kind(const struct sass_source *f, const struct sass_op *op, bool constant)
{
	enum isa_address kind = is_memory(op) || constant ? ISA_ADDRESS_IMMEDIATE : ISA_ADDRESS_NONE;
	for (unsigned i = 0; i < f->n && kind; i++) {
		const struct sass_operand *o = &f->operand[i];
		if (!o->address || o->descriptor || is_zero(o))
			continue;
		if (o->file == ISA_FILE_R)
			return ISA_ADDRESS_REGULAR;
		if (o->file == ISA_FILE_UR)
			kind = ISA_ADDRESS_UNIFORM;
	}
	return kind;
}

// DEPBAR.LE SB0, 0x1, {4,3}; DEPBAR {2,1} has the list alone.
static const char *depbar(struct isa_sass *s, const struct sass_source *f, uint64_t *keep)
{
	unsigned list = 0;
	s->depbar_max = 0;
	for (unsigned i = 0; i < f->n; i++) {
		const struct sass_operand *o = &f->operand[i];
		if (o->counter)
			s->depbar_sb = (uint8_t)o->reg;
		else if (o->list)
			list = (unsigned)o->imm;
		else if (o->file == ISA_FILE_IMM)
			s->depbar_max = (uint8_t)(o->imm < 63 ? o->imm : 63);
	}
	if (s->depbar_sb == ISA_NO_SB && list)
		s->depbar_sb = (uint8_t)__builtin_ctz(list);
	s->depbar_zero = (uint8_t)list;
	*keep = s->depbar_max;
	return s->depbar_sb == ISA_NO_SB ? "expected a counter, SB0 to SB5, or a list of them, {4,3}" : NULL;
}

// All predicates, PR, are those from the first to the last that the mask at the end names: P2R R0, PR, RZ, 0x4.
static void narrow(struct isa_operand *o, unsigned n, const struct sass_source *f)
{
	const struct sass_operand *last = f->n ? &f->operand[f->n - 1] : NULL;
	unsigned mask = last && last->file == ISA_FILE_IMM ? last->imm & ((1u << SASS_N_P) - 1) : 0;
	for (unsigned k = 0; mask && k < n; k++)
		if ((o[k].file == ISA_FILE_P || o[k].file == ISA_FILE_UP) && o[k].count == SASS_N_P) {
			o[k].reg = (uint16_t)__builtin_ctz(mask);
			o[k].count = (uint8_t)(32 - __builtin_clz(mask) - __builtin_ctz(mask));
		}
}

// A product of a warp group reads its descriptors, A if that is in registers, and metadata. C and D are of the product that is then
// under way, not of the instruction: WARPGROUP.DEPBAR waits for them.
static void group_product_operands(struct isa_sass *s)
{
	enum { A_REGISTERS = 4, DESCRIPTOR = 2 };
	unsigned at = 0, kept;
	s->n_dst = 0;
	while (at < s->n_src && !(s->src[at].file == ISA_FILE_UR && s->src[at].address))
		at++;
	if (at == s->n_src)
		return;
	s->src[at].address = false;
	if (at) {
		s->src[0].count = A_REGISTERS;
		s->src[at].reg += DESCRIPTOR; // B's alone, in the second of two pairs
	}
	s->src[at].count = at ? DESCRIPTOR : 2 * DESCRIPTOR;
	kept = at + 1;
	for (unsigned k = at + 2; k < s->n_src; k++) // without C
		s->src[kept++] = s->src[k];
	s->n_src = (uint8_t)kept;
}

struct isa_matrix sass_inst_matrix(const struct isa_sass *s, const struct sass_name *k, const struct sass_op *op)
{
	enum { WARPS = 4 };
	const bool group = op->behaviour == SASS_GROUP_MATRIX;
	if (!s->matrix_m)
		return (struct isa_matrix){0};
	unsigned bits = s->matrix_bits;
	if (!group)
		bits = !strcmp(op->name, "HMMA") ? sass_name_has(k, "TF32") ? 32 : 16 : !strcmp(op->name, "DMMA") ? 64 : !strcmp(op->name, "QMMA") ? 8 : bits;
	return (struct isa_matrix){.m = (uint8_t)(group ? WARPS * s->matrix_m : s->matrix_m), .n = s->matrix_n, .k = s->matrix_k, .bits = (uint8_t)bits,
	                           .sparse = s->matrix_sparse, .shared_a = group && s->n_src && s->src[0].file == ISA_FILE_UR};
}

// gsb0 at the end of a product closes a group; WARPGROUP.DEPBAR.LE waits.
static void group_product_async(struct isa_inst *i, const struct sass_source *from, const struct sass_name *k, const struct sass_op *op)
{
	const struct sass_operand *last = from->n ? &from->operand[from->n - 1] : NULL;
	if (op->behaviour == SASS_GROUP_MATRIX)
		i->async = last && last->file == ISA_FILE_SPECIAL ? ISA_ASYNC_MMA_LAST : ISA_ASYNC_MMA;
	if (!strcmp(op->name, "WARPGROUP") && sass_name_has(k, "DEPBAR")) {
		i->async = ISA_ASYNC_MMA_WAIT;
		i->async_keep = last && last->file == ISA_FILE_IMM ? (uint8_t)last->imm : 0;
	}
}

enum { BEYOND_UR = 63 }; // uniform registers before Blackwell

const char *sass_inst_fill(struct isa_inst *i, struct isa_sass *s, const struct sass_source *from,
                           const struct sass_op *op, enum sass_generation g, uint32_t units)
{
	struct sass_name k;
	struct sass_widths w;
	uint64_t keep = 0;
	const char *wrong = NULL;
	memset(i, 0, sizeof *i);
	memset(s, 0, sizeof *s);
	sass_name_split(&k, from->op, from->op_len);
	sass_inst_core(s, &k, op);
	s->control = from->control;
	if (op->behaviour == SASS_ASYNC_WAIT && (wrong = depbar(s, from, &keep)))
		return wrong;
	for (unsigned n = 0; n < from->n; n++)
		if (g < SASS_BLACKWELL && from->operand[n].file == ISA_FILE_UR && from->operand[n].reg >= BEYOND_UR && from->operand[n].reg != SASS_URZ)
			return "uniform registers go up to UR62 before sm_100";
	i->pc = from->pc;
	i->sass = s;
	sass_inst_class(i, &k, op, keep, false);
	if (s->constant_load) {
		i->cls = ISA_LOAD;
		i->space = SPACE_CONST;
	}
	unsigned unit = sass_unit(op, g);
	if (unit && units >> (unit - 1) & 1)
		i->unit = (uint8_t)unit;
	s->address = (uint8_t)address_kind(from, op, s->constant_load);
	unsigned n_dst = count_results(from, (enum sass_result)op->result);
	sass_operand_widths(&k, op, place_of(from, n_dst, from->n, is_memory(op)), i->bytes, &w);
	for (unsigned d = 0; d < n_dst; d++)
		s->dst[s->n_dst++] = operand_of(&from->operand[d], is_predicate(&from->operand[d]) ? 1 : w.dst);
	if ((wrong = add_sources(s, from, n_dst, &k, op, &w)))
		return wrong;
	if (op->behaviour == SASS_GROUP_MATRIX)
		group_product_operands(s);
	i->matrix = sass_inst_matrix(s, &k, op);
	group_product_async(i, from, &k, op);
	narrow(s->dst, s->n_dst, from);
	narrow(s->src, s->n_src, from);
	bool guarded = from->guard.file != ISA_FILE_NONE && !is_zero(&from->guard);
	if (guarded && s->n_src == ISA_SASS_SRC)
		return "too many operands";
	if (guarded)
		s->src[s->n_src++] = operand_of(&from->guard, 1);
	sass_inst_registers(i, s, guarded);
	return NULL;
}

// --- the instruction form's list of registers

static unsigned number_in_file(const struct isa_operand *o)
{
	switch (o->file) {
	case ISA_FILE_R: return SASS_R + o->reg;
	case ISA_FILE_UR: return SASS_UR + o->reg;
	case ISA_FILE_P: return SASS_P + o->reg;
	case ISA_FILE_UP: return SASS_UP + o->reg;
	default: return SASS_B + (o->reg & 15u);
	}
}

static void add_source(struct isa_inst *i, const struct isa_operand *o, unsigned at, bool banked)
{
	unsigned n = number_in_file(o) + at;
	if (i->n_src == ISA_MAX_SRC)
		return;
	bool again = false; // an operand named twice is read once
	for (unsigned k = 0; k < i->n_src; k++)
		again |= i->src[k] == n;
	i->src[i->n_src] = (uint16_t)n;
	i->src_bank[i->n_src++] = banked && o->file == ISA_FILE_R && !again ? (uint16_t)n : ISA_NO_BANK;
}

void sass_inst_registers(struct isa_inst *i, const struct isa_sass *s, bool guard)
{
	unsigned n = s->n_src - guard;
	for (unsigned d = 0; d < s->n_dst; d++) {
		const struct isa_operand *o = &s->dst[d];
		for (unsigned k = 0; k < o->count && i->n_dst < ISA_MAX_DST; k++) {
			i->dst[i->n_dst] = (uint16_t)(number_in_file(o) + k);
			i->dst_bank[i->n_dst] = o->file == ISA_FILE_R && !k ? i->dst[i->n_dst] : ISA_NO_BANK;
			i->n_dst++;
		}
	}
	for (unsigned k = 0; k < n; k++)
		if (s->src[k].count)
			add_source(i, &s->src[k], 0, true);
	i->n_read = i->n_src;
	if (guard && s->src[n].count)
		add_source(i, &s->src[n], 0, false);
	for (unsigned k = 0; k < n; k++)
		for (unsigned r = 1; r < s->src[k].count; r++)
			add_source(i, &s->src[k], r, false);
}
