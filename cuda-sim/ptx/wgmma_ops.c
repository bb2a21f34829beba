#include "cuda-sim/ptx/wgmma_ops.h"

#include <stdio.h>
#include <string.h>

#define T(name) (1u << TENSOR_##name)

enum { FP8 = T(E4M3) | T(E5M2), EIGHT = T(S8) | T(U8) };

// PTX ISA, "Asynchronous Warpgroup Level Matrix Shape". k is that of dense products.
static const struct shape {
	uint16_t k, a, b, d; // a, b, d: sets of types
	bool signs, majors;
} shapes[] = {
	{16, T(F16), T(F16), T(F16) | T(F32), true, true},
	{16, T(BF16), T(BF16), T(F32), true, true},
	{8, T(TF32), T(TF32), T(F32), true, false},
	{32, FP8, FP8, T(F16) | T(F32), true, false},
	{32, EIGHT, EIGHT, T(S32), false, false},
	{256, T(B1), T(B1), T(S32), false, false},
};

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

// Sums of integers have few sizes above 32.
static bool size_exists(unsigned n, enum tensor_type d)
{
	return n >= 8 && n <= WGMMA_MAX_N && n % (d == TENSOR_S32 && n > 32 ? 16 : 8) == 0;
}

const char *wgmma_read(const char *opcode, struct wgmma_form *out)
{
	static const char *const nothing[] = {"mma_async", "sync", "aligned", "and", "popc"};
	const char *at = opcode + strcspn(opcode, ".");
	uint8_t type[3];
	unsigned n_types = 0, m = 0, n = 0, k = 0, words = 0;
	*out = (struct wgmma_form){0};
	while (*at == '.') {
		const char *s = at + 1;
		const size_t len = strcspn(s, ".");
		bool known = false;
		at = s + len;
		for (size_t w = 0; w < sizeof nothing / sizeof *nothing; w++)
			if (same(nothing[w], s, len))
				known = true, words |= 1u << w;
		if (known)
			continue;
		if (n_types < 3 && read_type(s, len, &type[n_types]))
			n_types++;
		else if (same("sp", s, len))
			out->sparse = true;
		else if (same("satfinite", s, len))
			out->satfinite = true;
		else if (*s != 'm' || sscanf(s, "m%un%uk%u", &m, &n, &k) != 3)
			return "a suffix that wgmma.mma_async does not have";
	}
	if (n_types != 3 || (words & 7) != 7)
		return "wgmma.mma_async has .sync.aligned, a shape and the types of D, A and B";
	out->d = type[0], out->a = type[1], out->b = type[2];
	out->n = (uint16_t)n, out->k = (uint16_t)k;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *r = &shapes[i];
		if (!(r->d >> out->d & 1) || !(r->a >> out->a & 1) || !(r->b >> out->b & 1))
			continue;
		if (m != 64 || k != r->k * (out->sparse ? 2u : 1u) || !size_exists(n, (enum tensor_type)out->d))
			return "these types have no such shape";
		if (out->satfinite && !(r->a & EIGHT))
			return ".satfinite is of integers of 8 bits";
		if ((out->a == TENSOR_B1) != (words >> 3 == 3) || (out->sparse && out->a == TENSOR_B1))
			return ".and.popc is what dense products of single bits have";
		out->signs = r->signs;
		out->majors = r->majors;
		return NULL;
	}
	return "there is no product of such types";
}

static struct ptx_opnd_spec value(enum ptx_type type) { return (struct ptx_opnd_spec){.type = type, .is_src = true}; }
static struct ptx_opnd_spec constant(void) { return (struct ptx_opnd_spec){.type = PTX_T_B32, .form = PTX_F_IMM, .is_src = true}; }

static struct ptx_opnd_spec list(enum ptx_type type, unsigned n)
{
	return (struct ptx_opnd_spec){.type = type, .is_src = true, .is_vec = true, .n_elem = (uint8_t)n};
}

unsigned wgmma_opnd_spec(const struct ptx_inst *i, unsigned n, struct ptx_opnd_spec *out)
{
	struct wgmma_form f;
	unsigned at = 0;
	if (wgmma_read(i->text, &f) || n < WGMMA_MAX_OPNDS || i->n_opnd <= WGMMA_A)
		return 0;
	const bool a_registers = i->opnd[WGMMA_A].kind == PTX_O_VEC;
	out[at] = list(f.d == TENSOR_F32 ? PTX_T_F32 : PTX_T_B32, wgmma_registers(f.n, (enum tensor_type)f.d));
	out[at++].is_dest = true; // and a source
	out[at++] = a_registers ? list(PTX_T_B32, WGMMA_A_REGS) : value(PTX_T_B64);
	out[at++] = value(PTX_T_B64);
	if (f.sparse) {
		out[at++] = value(PTX_T_B32);
		out[at++] = constant();
	}
	out[at++] = (struct ptx_opnd_spec){.type = PTX_T_PRED, .form = PTX_F_PRED, .is_src = true, .is_pred = true, .or_const = true};
	for (unsigned k = 0; f.signs && k < 2; k++)
		out[at++] = constant();
	for (unsigned k = 0; f.majors && k < (a_registers ? 1u : 2u); k++)
		out[at++] = constant();
	return at;
}

const char *wgmma_wrong(const struct ptx_func *f, const struct ptx_inst *i, unsigned *at)
{
	struct wgmma_form form;
	*at = 0;
	const char *why = wgmma_read(i->text, &form);
	if (why)
		return why;
	if (f->module->target != 90 || !f->module->arch_specific)
		return "wgmma is compiled for sm_90a and no other target (-arch=sm_90a)";
	unsigned k = wgmma_scale_operand(&form);
	*at = k - 1;
	if (form.sparse && i->opnd[*at].bits > (tensor_type_bits[form.a] == 8 ? 0 : 1))
		return tensor_type_bits[form.a] == 8 ? "the selector of elements of 8 bits is 0" : "the selector is 0 or 1";
	for (*at = ++k; form.signs && *at < k + 2; ++*at)
		if (i->opnd[*at].bits != 1 && i->opnd[*at].bits != UINT64_MAX)
			return "the sign of a matrix is 1 or -1";
	for (; *at < i->n_opnd; ++*at)
		if (i->opnd[*at].bits > 1)
			return "the order of a matrix is 0 or 1";
	return NULL;
}

const char *setmaxnreg_wrong(const struct ptx_func *f, const struct ptx_inst *i)
{
	enum { LEAST = 24, MOST = 256, UNIT = 8 };
	if (f->module->target < 90 || !f->module->arch_specific)
		return "setmaxnreg is compiled for one architecture alone, sm_90a for instance (-arch=sm_90a)";
	if (i->opnd[0].bits < LEAST || i->opnd[0].bits > MOST || i->opnd[0].bits % UNIT)
		return "the number of registers is a multiple of 8 from 24 to 256";
	return NULL;
}
