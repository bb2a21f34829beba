#include "cuda-sim/ptx/tensor_ops.h"

#include <stdio.h>
#include <string.h>

#define T(name) (1u << TENSOR_##name)

enum { F16_OR_F32 = T(F16) | T(F32), EIGHT = T(S8) | T(U8), FOUR = T(S4) | T(U4), FP8 = T(E4M3) | T(E5M2) };
enum { DENSE = 1 << TENSOR_MMA, SPARSE = 1 << TENSOR_SPARSE, WMMA = 1 << TENSOR_WMMA | 1 << TENSOR_LOAD | 1 << TENSOR_STORE };

// Shapes by the types of A and B, and what C and D may be; PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions".
static const struct shape {
	uint8_t kinds; // set of enum tensor_kind
	uint16_t m, n, k;
	uint16_t types, sums;
} shapes[] = {
	{DENSE, 8, 8, 4, T(F16), F16_OR_F32},
	{DENSE, 16, 8, 8, T(F16), F16_OR_F32}, {DENSE, 16, 8, 16, T(F16), F16_OR_F32},
	{DENSE, 16, 8, 8, T(BF16), T(F32)},    {DENSE, 16, 8, 16, T(BF16), T(F32)},
	{DENSE, 16, 8, 4, T(TF32), T(F32)},    {DENSE, 16, 8, 8, T(TF32), T(F32)},
	{DENSE, 16, 8, 16, FP8, F16_OR_F32},   {DENSE, 16, 8, 32, FP8, F16_OR_F32},
	{DENSE, 8, 8, 4, T(F64), T(F64)},      {DENSE, 16, 8, 4, T(F64), T(F64)},
	{DENSE, 16, 8, 8, T(F64), T(F64)},     {DENSE, 16, 8, 16, T(F64), T(F64)},
	{DENSE, 8, 8, 16, EIGHT, T(S32)},      {DENSE, 16, 8, 16, EIGHT, T(S32)},  {DENSE, 16, 8, 32, EIGHT, T(S32)},
	{DENSE, 8, 8, 32, FOUR, T(S32)},       {DENSE, 16, 8, 32, FOUR, T(S32)},   {DENSE, 16, 8, 64, FOUR, T(S32)},
	{DENSE, 8, 8, 128, T(B1), T(S32)},     {DENSE, 16, 8, 128, T(B1), T(S32)}, {DENSE, 16, 8, 256, T(B1), T(S32)},

	{SPARSE, 16, 8, 16, T(F16), F16_OR_F32}, {SPARSE, 16, 8, 32, T(F16), F16_OR_F32},
	{SPARSE, 16, 8, 16, T(BF16), T(F32)},    {SPARSE, 16, 8, 32, T(BF16), T(F32)},
	{SPARSE, 16, 8, 8, T(TF32), T(F32)},     {SPARSE, 16, 8, 16, T(TF32), T(F32)},
	{SPARSE, 16, 8, 64, FP8, F16_OR_F32},
	{SPARSE, 16, 8, 32, EIGHT, T(S32)},      {SPARSE, 16, 8, 64, EIGHT, T(S32)},
	{SPARSE, 16, 8, 64, FOUR, T(S32)},       {SPARSE, 16, 8, 128, FOUR, T(S32)},

#define SIXTEEN(types, sums) {WMMA, 16, 16, 16, types, sums}, {WMMA, 32, 8, 16, types, sums}, {WMMA, 8, 32, 16, types, sums}
	SIXTEEN(T(F16), F16_OR_F32), SIXTEEN(T(BF16), T(F32)), SIXTEEN(EIGHT, T(S32)),
#undef SIXTEEN
	{WMMA, 16, 16, 8, T(TF32), T(F32)}, {WMMA, 8, 8, 4, T(F64), T(F64)}, {WMMA, 8, 8, 32, FOUR, T(S32)}, {WMMA, 8, 8, 128, T(B1), T(S32)},
};

// The next suffix of *at, without its dot; false at the end.
static bool next(const char **at, const char **s, size_t *len)
{
	if (**at != '.')
		return false;
	*s = *at + 1;
	*len = strcspn(*s, ".");
	*at = *s + *len;
	return true;
}

static bool same(const char *word, const char *s, size_t len) { return strlen(word) == len && !memcmp(word, s, len); }
static bool begins(const char *word, const char *s, size_t len) { return len >= strlen(word) && !memcmp(word, s, strlen(word)); }

static bool read_type(const char *s, size_t len, uint8_t *out)
{
	for (unsigned t = 0; t < TENSOR_N_TYPES; t++)
		if (same(tensor_type_text[t], s, len)) {
			*out = (uint8_t)t;
			return true;
		}
	return false;
}

// What the suffixes say, before it is looked at as a whole.
struct suffixes {
	uint8_t type[4], n_types;
	bool column[2];
	uint8_t n_layouts;
};

static bool moves(const struct tensor_form *f) { return f->kind == TENSOR_LOAD || f->kind == TENSOR_STORE; }

static const char *read_word(const char *s, size_t len, struct tensor_form *out, struct suffixes *x)
{
	static const struct { const char *text; uint8_t rnd; } roundings[] = {
		{"rn", ROUND_RN}, {"rz", ROUND_RZ}, {"rm", ROUND_RM}, {"rp", ROUND_RP}};
	static const char *const nothing[] = {"sync", "aligned", "popc", "sp", "sp::ordered_metadata"};
	static const char *const memory[] = {"load", "store", "global", "shared", "shared::cta"};
	unsigned m, n, k;
	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
		if (same(nothing[i], s, len))
			return NULL;
	for (size_t i = 0; moves(out) && i < sizeof memory / sizeof *memory; i++)
		if (same(memory[i], s, len))
			return NULL;
	for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
		if (same(roundings[i].text, s, len)) {
			out->rnd = roundings[i].rnd;
			return NULL;
		}
	if (x->n_types < 4 && read_type(s, len, &x->type[x->n_types]))
		x->n_types++;
	else if (x->n_layouts < 2 && (same("row", s, len) || same("col", s, len)))
		x->column[x->n_layouts++] = *s == 'c';
	else if (moves(out) && len == 1 && *s >= 'a' && *s <= 'd')
		out->part = (uint8_t)(*s - 'a');
	else if (*s == 'm' && sscanf(s, "m%un%uk%u", &m, &n, &k) == 3)
		out->m = (uint16_t)m, out->n = (uint16_t)n, out->k = (uint16_t)k;
	else if (same("satfinite", s, len))
		out->satfinite = true;
	else if (same("xor", s, len))
		out->bits = TENSOR_XOR;
	else if (same("and", s, len))
		out->bits = TENSOR_AND;
	else if (same("block_scale", s, len) || begins("scale_vec::", s, len) || begins("kind::", s, len))
		return "block scaling and its kinds of numbers are not executed";
	else if (out->kind != TENSOR_WMMA || !same("mma", s, len))
		return "a suffix that it does not have";
	return NULL;
}

static enum tensor_kind kind_of(const char *opcode)
{
	if (begins("wmma.load.", opcode, strlen(opcode)))
		return TENSOR_LOAD;
	if (begins("wmma.store.", opcode, strlen(opcode)))
		return TENSOR_STORE;
	if (begins("wmma.", opcode, strlen(opcode)))
		return TENSOR_WMMA;
	return strstr(opcode, ".sp.") || strstr(opcode, ".sp::") ? TENSOR_SPARSE : TENSOR_MMA;
}

static bool fits(const struct tensor_form *f, const struct shape *r)
{
	if (!(r->kinds >> f->kind & 1) || r->m != f->m || r->n != f->n || r->k != f->k)
		return false;
	if (moves(f))
		return f->part < TENSOR_PART_C ? r->types >> f->a & 1 : r->sums >> f->a & 1;
	return r->types >> f->a & 1 && r->types >> f->b & 1 && r->sums >> f->c & 1 && r->sums >> f->d & 1;
}

// C and D may differ where an f16 product has both; mma of 8 x 8 x 4 has no f16 sum of f32 ones. wmma has one type for A and B.
static bool types_agree(const struct tensor_form *f)
{
	if (moves(f))
		return true;
	if (f->kind == TENSOR_WMMA)
		return f->a == f->b;
	return f->c == f->d || (f->kind == TENSOR_MMA && f->m == 8 && f->d == TENSOR_F32);
}

static bool by_quarters(const struct tensor_form *f) { return f->kind == TENSOR_MMA && f->m == 8 && f->a == TENSOR_F16; }

// Where A and B may lie by rows and by columns. NULL, or what is wrong.
static const char *layouts(const struct tensor_form *f, const struct suffixes *x)
{
	const bool fixed = tensor_type_bits[f->a] < 8 && !(moves(f) && f->part >= TENSOR_PART_C);
	if (x->n_layouts != (moves(f) ? 1 : 2))
		return moves(f) ? "it says .row or .col, how memory is laid out" : "it says of A and of B whether they are by .row or .col";
	if (moves(f))
		return fixed && f->column != (f->part == TENSOR_PART_B) ? "A is by rows and B by columns here" : NULL;
	if (f->kind == TENSOR_WMMA ? !fixed : by_quarters(f))
		return NULL;
	return f->a_column || f->b_row ? "A is by rows and B by columns here: .row.col" : NULL;
}

const char *tensor_read(const char *opcode, struct tensor_form *out)
{
	const char *at = opcode + strcspn(opcode, "."), *s, *why;
	struct suffixes x = {0};
	size_t len;
	*out = (struct tensor_form){.kind = (uint8_t)kind_of(opcode), .rnd = ROUND_RN};
	while (next(&at, &s, &len))
		if ((why = read_word(s, len, out, &x)))
			return why;
	if (moves(out)) {
		if (x.n_types != 1)
			return "it has one type, that of the elements";
		out->a = out->b = out->c = out->d = x.type[0];
		out->column = x.column[0];
	} else if (out->kind == TENSOR_WMMA && x.n_types == 2) { // of f16 only D and C are told
		out->a = out->b = TENSOR_F16;
		out->d = x.type[0], out->c = x.type[1];
	} else if (x.n_types == 4) {
		out->d = x.type[0], out->a = x.type[1], out->b = x.type[2], out->c = x.type[3];
	} else {
		return "it has the types of D, A, B and C";
	}
	if (out->satfinite && out->d != TENSOR_S32 && (out->kind != TENSOR_WMMA || out->a != TENSOR_F16))
		return ".satfinite is of integers, and of f16 in wmma";
	out->a_column = x.column[0], out->b_row = !x.column[1];
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (fits(out, &shapes[i]) && types_agree(out))
			return layouts(out, &x);
	return "these types have no such shape, or C and D not these types";
}

struct tensor_fragment tensor_moved(const struct tensor_form *f)
{
	return (struct tensor_fragment){.m = f->m, .n = f->n, .k = f->k, .part = f->part, .type = f->a, .column = f->column};
}

static struct ptx_opnd_spec list(enum tensor_type type, unsigned n, bool dest)
{
	static const uint8_t register_of[TENSOR_N_TYPES] = {[TENSOR_F32] = PTX_T_F32, [TENSOR_F64] = PTX_T_F64};
	uint8_t t = register_of[type] ? register_of[type] : (uint8_t)PTX_T_B32;
	return (struct ptx_opnd_spec){.type = t, .is_dest = dest, .is_src = !dest, .is_vec = true, .n_elem = (uint8_t)n};
}

static struct ptx_opnd_spec part(const struct tensor_form *f, enum tensor_part p, enum tensor_type type)
{
	const unsigned elements = p == TENSOR_PART_A ? f->m * f->k : p == TENSOR_PART_B ? f->k * f->n : f->m * f->n;
	const struct tensor_fragment g = {.m = f->m, .n = f->n, .k = f->k, .part = (uint8_t)p, .type = (uint8_t)type};
	unsigned n;
	if (f->kind == TENSOR_WMMA || moves(f))
		n = tensor_fragment_registers(&g);
	else if (by_quarters(f)) // a quarter of the warp has each matrix for itself
		n = tensor_registers(type, 4 * elements);
	else
		n = tensor_registers(type, f->kind == TENSOR_SPARSE && p == TENSOR_PART_A ? elements / 2 : elements);
	return list(type, n, p == TENSOR_PART_D);
}

// [address], registers and a stride that may be missing, in the order of the instruction.
static unsigned moved_spec(const struct tensor_form *f, unsigned given, struct ptx_opnd_spec *out)
{
	const unsigned registers = f->kind == TENSOR_STORE;
	if (given < 2 || given > 3)
		return 0;
	out[registers] = part(f, (enum tensor_part)f->part, (enum tensor_type)f->a);
	out[registers].is_dest = f->kind == TENSOR_LOAD;
	out[registers].is_src = !out[registers].is_dest;
	out[!registers] = (struct ptx_opnd_spec){.form = PTX_F_MEM, .is_addr = true, .is_src = true};
	out[2] = (struct ptx_opnd_spec){.type = PTX_T_B32, .is_src = true};
	return given;
}

unsigned tensor_opnd_spec(const struct ptx_inst *i, unsigned n, struct ptx_opnd_spec *out)
{
	struct tensor_form f;
	if (tensor_read(i->text, &f) || n < TENSOR_OPNDS)
		return 0;
	if (moves(&f))
		return moved_spec(&f, i->n_opnd, out);
	out[0] = part(&f, TENSOR_PART_D, (enum tensor_type)f.d);
	out[1] = part(&f, TENSOR_PART_A, (enum tensor_type)f.a);
	out[2] = part(&f, TENSOR_PART_B, (enum tensor_type)f.b);
	out[3] = part(&f, TENSOR_PART_C, (enum tensor_type)f.c);
	if (f.kind != TENSOR_SPARSE)
		return 4;
	out[4] = (struct ptx_opnd_spec){.type = PTX_T_B32, .is_src = true};
	out[5] = (struct ptx_opnd_spec){.type = PTX_T_B32, .form = PTX_F_IMM, .is_src = true};
	return 6;
}

const char *tensor_check(const struct ptx_inst *i, unsigned *at)
{
	static const char *const upto[] = {"the selector is 0 here", "the selector is 0 or 1 here", NULL, "the selector is 0 to 3"};
	struct tensor_form f;
	if (tensor_read(i->text, &f) || f.kind != TENSOR_SPARSE || i->n_opnd < 6)
		return NULL;
	const unsigned most = tensor_selectors((enum tensor_type)f.a, f.k) - 1;
	*at = 5;
	return i->opnd[5].bits > most ? upto[most] : NULL;
}
