#include "cuda-sim/ptx/video_ops.h"

#include <string.h>

static const struct name {
	const char *text;
	enum video_op op;
} names[] = {
	{"vadd", VIDEO_ADD}, {"vsub", VIDEO_SUB}, {"vavrg", VIDEO_AVRG}, {"vabsdiff", VIDEO_ABSDIFF}, {"vmin", VIDEO_MIN},
	{"vmax", VIDEO_MAX}, {"vshl", VIDEO_SHL}, {"vshr", VIDEO_SHR}, {"vmad", VIDEO_MAD}, {"vset", VIDEO_SET},
};

// The mnemonic without the number of elements; NULL if it is no video instruction.
static const struct name *find(const struct ptx_op *op, uint8_t *elems)
{
	size_t len = strlen(op->name);
	char last = op->name[len - 1];
	*elems = last == '2' ? 2 : last == '4' ? 4 : 1;
	len -= *elems > 1;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (strlen(names[k].text) == len && !memcmp(names[k].text, op->name, len))
			return &names[k];
	return NULL;
}

bool video_is(const struct ptx_op *op)
{
	uint8_t elems;
	return op->name[0] == 'v' && find(op, &elems);
}

static bool has_suffix(const char *opcode, const char *suffix)
{
	size_t n = strlen(suffix);
	for (const char *s = strchr(opcode, '.'); s; s = strchr(s + 1, '.'))
		if (!strncmp(s + 1, suffix, n) && (s[n + 1] == '.' || !s[n + 1]))
			return true;
	return false;
}

// .b0 to .b3, .h0, .h1: a part of one register.
static bool scalar_part(const struct ptx_opnd *o, const char *text, struct video_part *out)
{
	*out = (struct video_part){0, 32};
	if (!o->sel)
		return true;
	const char *s = text + o->bits;
	unsigned bits = *s == 'b' ? 8 : 16;
	if (o->sel != 2 || s[1] < '0' || s[1] >= '0' + (int)(32 / bits))
		return false;
	*out = (struct video_part){(uint8_t)((unsigned)(s[1] - '0') * bits), (uint8_t)bits};
	return true;
}

// .h10, .b7654: which of the parts of b:a each element is, the highest element first. Without it they are those from
// number `first`.
static bool simd_parts(const struct ptx_opnd *o, const char *text, unsigned elems, unsigned first,
                       struct video_part *out)
{
	const char *s = o->sel ? text + o->bits : NULL;
	unsigned bits = 32 / elems;
	if (o->sel && (o->sel != elems + 1 || *s != (elems == 2 ? 'h' : 'b')))
		return false;
	for (unsigned k = 0; k < elems; k++) {
		unsigned n = o->sel ? (unsigned)(s[elems - k] - '0') : first + k;
		if (n >= 2 * elems)
			return false;
		out[k] = (struct video_part){(uint8_t)(n * bits), (uint8_t)bits};
	}
	return true;
}

// .h1, .b310: the elements of the destination, falling.
static bool simd_mask(const struct ptx_opnd *o, const char *text, unsigned elems, uint8_t *mask)
{
	*mask = (uint8_t)((1u << elems) - 1);
	if (!o->sel)
		return true;
	const char *s = text + o->bits;
	if (*s != (elems == 2 ? 'h' : 'b'))
		return false;
	*mask = 0;
	for (unsigned k = 1; k < o->sel; k++) {
		unsigned n = (unsigned)(s[k] - '0');
		if (n >= elems || *mask & ((2u << n) - 1))
			return false;
		*mask |= (uint8_t)(1u << n);
	}
	return true;
}

static const char *read_scalar(const struct ptx_inst *i, const char *text, struct video *v, unsigned *at)
{
	for (*at = 0; *at < 3; ++*at)
		if (!scalar_part(&i->opnd[*at], text, *at == 0 ? &v->d : *at == 1 ? &v->a[0] : &v->b[0]))
			return "only .b0 to .b3, .h0 and .h1 can be named here";
	bool merge = v->d.bits < 32, second = v->second != VIDEO_NO_SECOND;
	*at = 0;
	if (v->op == VIDEO_MAD) {
		v->neg_product = i->opnd[1].neg != i->opnd[2].neg;
		v->neg_c = i->opnd[3].neg;
		if (merge)
			return "no part of the destination can be named here";
		if (v->po && (i->opnd[1].neg || i->opnd[2].neg || v->neg_c))
			return "nothing can be negated with .po";
		if (v->neg_product && v->neg_c)
			return "either the product or the third source can be negated";
	} else if (i->n_opnd == 4 ? merge == second : merge || second) {
		return "a third source goes with either .add, .min or .max or a part of the destination";
	}
	return NULL;
}

static const char *read_simd(const struct ptx_inst *i, const char *text, struct video *v, unsigned *at)
{
	*at = 0;
	if (!simd_mask(&i->opnd[0], text, v->elems, &v->mask))
		return v->elems == 2 ? "only .h0, .h1 and .h10 can be named here"
		                     : "only bytes from .b0 to .b3210, falling, can be named here";
	for (*at = 1; *at < 3; ++*at)
		if (!simd_parts(&i->opnd[*at], text, v->elems, *at == 1 ? 0 : v->elems, *at == 1 ? v->a : v->b))
			return v->elems == 2 ? "two halves from 0 to 3 can be named here, as in .h32"
			                     : "four bytes from 0 to 7 can be named here, as in .b7654";
	return NULL;
}

const char *video_read(const struct ptx_inst *i, const char *text, struct video *v, unsigned *at)
{
	*v = (struct video){.cmp = (enum uop_cmp)i->mods.cmp, .sat = i->mods.sat, .wrap = i->mods.wrap};
	v->op = find(i->op, &v->elems)->op;
	bool set = v->op == VIDEO_SET;
	v->d_signed = i->mods.type[0] == PTX_T_S32; // c's too; vset has no type of its own there, and ptxas takes a's
	v->a_signed = i->mods.type[!set] == PTX_T_S32;
	v->b_signed = i->mods.type[set ? 1 : 2] == PTX_T_S32;
	v->second = has_suffix(i->text, "add")   ? VIDEO_SECOND_ADD
	            : has_suffix(i->text, "min") ? VIDEO_SECOND_MIN
	            : has_suffix(i->text, "max") ? VIDEO_SECOND_MAX
	                                         : VIDEO_NO_SECOND;
	v->po = has_suffix(i->text, "po");
	v->scale = has_suffix(i->text, "shr7") ? 7 : has_suffix(i->text, "shr15") ? 15 : 0;
	for (*at = 0; *at < i->n_opnd; ++*at) {
		const struct ptx_opnd *o = &i->opnd[*at];
		if (o->neg && (v->op != VIDEO_MAD || *at == 0))
			return "only the sources of vmad can be negated";
		if (o->sel && (o->kind != PTX_O_REG || *at == 3))
			return "no part can be named here";
	}
	return v->elems == 1 ? read_scalar(i, text, v, at) : read_simd(i, text, v, at);
}
