#include "cuda-sim/ptx/tensor_ops.h"

#include <stdio.h>
#include <string.h>

#define T(name) (1u << TENSOR_##name)

enum { F16_OR_F32 = T(F16) | T(F32), EIGHT = T(S8) | T(U8), FOUR = T(S4) | T(U4), FP8 = T(E4M3) | T(E5M2) };

// Shapes by the types of A and B, and what C and D may be; PTX ISA, "Multiply-and-Accumulate Instruction: mma".
static const struct shape {
	uint16_t m, n, k;
	uint16_t types, sums;
} shapes[] = {
	{16, 8, 8, T(F16), F16_OR_F32}, {16, 8, 16, T(F16), F16_OR_F32},
	{16, 8, 8, T(BF16), T(F32)},    {16, 8, 16, T(BF16), T(F32)},
	{16, 8, 4, T(TF32), T(F32)},    {16, 8, 8, T(TF32), T(F32)},
	{16, 8, 16, FP8, F16_OR_F32},   {16, 8, 32, FP8, F16_OR_F32},
	{8, 8, 4, T(F64), T(F64)},      {16, 8, 4, T(F64), T(F64)},     {16, 8, 8, T(F64), T(F64)},   {16, 8, 16, T(F64), T(F64)},
	{8, 8, 16, EIGHT, T(S32)},      {16, 8, 16, EIGHT, T(S32)},     {16, 8, 32, EIGHT, T(S32)},
	{8, 8, 32, FOUR, T(S32)},       {16, 8, 32, FOUR, T(S32)},      {16, 8, 64, FOUR, T(S32)},
	{8, 8, 128, T(B1), T(S32)},     {16, 8, 128, T(B1), T(S32)},    {16, 8, 256, T(B1), T(S32)},
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

static bool read_type(const char *s, size_t len, uint8_t *out)
{
	for (unsigned t = 0; t < TENSOR_N_TYPES; t++)
		if (same(tensor_type_text[t], s, len)) {
			*out = (uint8_t)t;
			return true;
		}
	return false;
}

static const char *read_word(const char *s, size_t len, struct tensor_form *out)
{
	static const struct { const char *text; uint8_t rnd; } roundings[] = {{"rn", ROUND_RN}, {"rz", ROUND_RZ}, {"rm", ROUND_RM}, {"rp", ROUND_RP}};
	static const char *const nothing[] = {"sync", "aligned", "row", "col", "popc"};
	for (size_t k = 0; k < sizeof nothing / sizeof *nothing; k++)
		if (same(nothing[k], s, len))
			return NULL;
	for (size_t k = 0; k < sizeof roundings / sizeof *roundings; k++)
		if (same(roundings[k].text, s, len)) {
			out->rnd = roundings[k].rnd;
			return NULL;
		}
	if (same("satfinite", s, len))
		out->satfinite = true;
	else if (same("xor", s, len))
		out->bits = TENSOR_XOR;
	else if (same("and", s, len))
		out->bits = TENSOR_AND;
	else if (same("sp", s, len) || (len > 2 && !memcmp(s, "sp::", 4)))
		return "sparse matrices are not executed";
	else if (same("block_scale", s, len) || (len > 6 && !memcmp(s, "kind::", 6)))
		return "block scaling and its kinds of numbers are not executed";
	else
		return "a suffix that mma does not have";
	return NULL;
}

const char *tensor_read(const char *opcode, struct tensor_form *out)
{
	const char *at = opcode + strcspn(opcode, "."), *s, *why;
	uint8_t type[4];
	unsigned n_types = 0, m = 0, n = 0, k = 0, columns = 0;
	size_t len;
	*out = (struct tensor_form){.rnd = ROUND_RN};
	while (next(&at, &s, &len)) {
		if (n_types < 4 && read_type(s, len, &type[n_types])) {
			n_types++;
		} else if (*s == 'm' && sscanf(s, "m%un%uk%u", &m, &n, &k) == 3) {
			continue;
		} else if ((why = read_word(s, len, out))) {
			return why;
		} else if (same("col", s, len)) {
			columns++;
		}
	}
	if (n_types != 4)
		return "mma has the types of D, A, B and C";
	out->m = (uint16_t)m, out->n = (uint16_t)n, out->k = (uint16_t)k;
	out->d = type[0], out->a = type[1], out->b = type[2], out->c = type[3];
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *r = &shapes[i];
		if (r->m == m && r->n == n && r->k == k && r->types >> out->a & 1 && r->types >> out->b & 1 && r->sums >> out->c & 1 &&
		    out->c == out->d)
			return columns == 1 ? NULL : "A is by rows and B by columns here: .row.col";
	}
	return "these types have no such shape, or C and D not these types";
}

static struct ptx_opnd_spec list(enum tensor_type type, unsigned elements, bool dest)
{
	static const uint8_t register_of[TENSOR_N_TYPES] = {[TENSOR_F32] = PTX_T_F32, [TENSOR_F64] = PTX_T_F64};
	uint8_t t = register_of[type] ? register_of[type] : (uint8_t)PTX_T_B32;
	unsigned n = tensor_registers(type, elements);
	return (struct ptx_opnd_spec){.type = t, .is_dest = dest, .is_src = !dest, .is_vec = true, .n_elem = (uint8_t)n};
}

unsigned tensor_opnd_spec(const char *opcode, unsigned n, struct ptx_opnd_spec *out)
{
	struct tensor_form f;
	if (tensor_read(opcode, &f) || n < TENSOR_OPNDS)
		return 0;
	out[0] = list((enum tensor_type)f.d, f.m * f.n, true);
	out[1] = list((enum tensor_type)f.a, f.m * f.k, false);
	out[2] = list((enum tensor_type)f.b, f.k * f.n, false);
	out[3] = list((enum tensor_type)f.c, f.m * f.n, false);
	return TENSOR_OPNDS;
}
