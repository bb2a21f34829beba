// Where machine code may give other results than the PTX that it was made of: approximations, bits of a NaN that no instruction's
// manual gives, and what ptxas makes of PTX otherwise than the manual says. Each was read in ptxas's code.
#ifndef TESTS_BODIES_DIFFERENCES_H
#define TESTS_BODIES_DIFFERENCES_H

#include "tests/unit/bodies.h"

#include <math.h>

enum difference_kind {
	DIFFERS_NAN,     // both are NaNs
	DIFFERS_ULP,     // by so many units in the last place
	DIFFERS_ANGLE,   // by what rounding of the angle in turns makes
	DIFFERS_LEAST,   // where a source that is negated is the least number
	DIFFERS_WIDE,    // where the place or length of a field is above 255
	DIFFERS_SOURCE,  // where a source is a NaN
	DIFFERS_ALL,
};

static struct difference {
	const char *op, *with; // what the form begins with, and has; "" anything
	enum difference_kind kind;
	double limit, most;    // units in the last place: permitted, met
	const char *why;
	size_t forms;
} differences[] = {
	{"", "~", DIFFERS_LEAST, 0, 0, "ptxas takes it that the negative of a signed number is no overflow", 0},
	{"neg", "", DIFFERS_NAN, 0, 0, "an addition", 0},
	{"abs", "", DIFFERS_NAN, 0, 0, "an addition", 0},
	{"", ".f64", DIFFERS_NAN, 0, 0, "signs of sources are DADDs, min and max select, division and roots go on with the NaN that they are given", 0},
	{"copysign", "~", DIFFERS_NAN, 0, 0, "the sign of a source is an addition", 0},
	{"copysign", "~", DIFFERS_SOURCE, 0, 0, "the sign of a source is an addition, whose NaN has no sign of its own", 0},
	{"rcp.approx.ftz.f64", "~", DIFFERS_SOURCE, 0, 0, "the sign of the source is an addition, which moves a NaN's bits to the upper word", 0},
	{"rsqrt.approx.ftz.f64", "~", DIFFERS_SOURCE, 0, 0, "the sign of the source is an addition, which moves a NaN's bits to the upper word", 0},
	{"min", ".xorsign", DIFFERS_SOURCE, 0, 0, "the sign of a source is an addition, whose NaN has no sign of its own", 0},
	{"max", ".xorsign", DIFFERS_SOURCE, 0, 0, "the sign of a source is an addition, whose NaN has no sign of its own", 0},
	{"cvt.f32.f32", "~", DIFFERS_NAN, 0, 0, "the sign of the source is an addition", 0},
	{"selp", "~", DIFFERS_NAN, 0, 0, "the sign of a source is an addition", 0},
	{"slct", "~", DIFFERS_NAN, 0, 0, "the sign of a source is an addition", 0},
	{"cvt.f32.bf16", "~", DIFFERS_NAN, 0, 0, "the sign of the source is an addition", 0},
	{"cvt.rna.tf32", "", DIFFERS_SOURCE, 0, 0, "the lower bits are cut off", 0},
	{"slct", "~2=abs", DIFFERS_SOURCE, 0, 0, "an absolute value is taken for not negative, also of a NaN", 0},
	{"bfe", "64", DIFFERS_WIDE, 0, 0, "shifts by all bits of the place and the length", 0},
	{"bfi", "64", DIFFERS_WIDE, 0, 0, "shifts by all bits of the place and the length", 0},
	{"rcp.approx", ".f32", DIFFERS_ULP, 1, 0, "MUFU between scalings", 0},
	{"ex2.approx", ".f32", DIFFERS_ULP, 1, 0, "MUFU between scalings", 0},
	{"div.full", ".f32", DIFFERS_ULP, 2, 0, "a product with MUFU's reciprocal", 0},
	{"div.approx", ".f32", DIFFERS_ULP, 2, 0, "a product with MUFU's reciprocal", 0},
	{"rsqrt.approx", ".f64", DIFFERS_ULP, 1, 0, "Newton's method on MUFU's result", 0},
	{"sin.approx", ".f32", DIFFERS_ANGLE, 0, 0, "MUFU takes turns", 0},
	{"cos.approx", ".f32", DIFFERS_ANGLE, 0, 0, "MUFU takes turns", 0},
	{"isspacep.param", "", DIFFERS_ALL, 0, 0, "ptxas asks c[0x0][0x114] how large the window of constants is", 0},
};

static inline bool difference_about(const struct difference *d, const struct body_form *f)
{
	return !strncmp(f->text, d->op, strlen(d->op)) && strstr(f->text, d->with);
}

static inline bool difference_nans(enum ptx_type t, uint64_t a, uint64_t b)
{
	const struct format *f = format_of(t);
	unsigned all = ptx_type_bits[t];
	for (unsigned k = 0; f && k < all; k += f->bits) {
		uint64_t x = ops_cut(a >> k, f->bits), y = ops_cut(b >> k, f->bits);
		if (x != y && !(isnan(decode(f, x)) && isnan(decode(f, y))))
			return false;
	}
	return f;
}

static inline bool difference_has_nan(enum ptx_type t, uint64_t v)
{
	const struct format *f = format_of(t);
	for (unsigned k = 0; f && k < ptx_type_bits[t]; k += f->bits)
		if (isnan(decode(f, ops_cut(v >> k, f->bits))))
			return true;
	return false;
}

static inline double difference_ulps(enum ptx_type t, uint64_t a, uint64_t b)
{
	if (t == PTX_T_F64)
		return fabs((double)(int64_t)(a - b));
	return fabs((double)(int32_t)((uint32_t)a - (uint32_t)b));
}

static inline double difference_float(uint64_t v)
{
	float x;
	uint32_t bits = (uint32_t)v;
	memcpy(&x, &bits, sizeof x);
	return x;
}

static inline bool difference_is(struct difference *d, const struct body_form *f, enum ptx_type t, uint64_t want, uint64_t got, const uint64_t *v)
{
	const struct op_inst *i = &f->inst;
	switch (d->kind) {
	case DIFFERS_NAN: return difference_nans(t, want, got);
	case DIFFERS_ULP: {
		double n = difference_ulps(t, want, got);
		d->most = n > d->most && n <= d->limit ? n : d->most;
		return n <= d->limit;
	}
	case DIFFERS_ANGLE: {
		double by = fabs(difference_float(want) - difference_float(got)), x = fabs(difference_float(v[0]));
		bool ok = x > 0x1p24 ? by <= 2 : by <= x * 0x1p-22 + 0x1p-21;
		if (ok && x <= 6.2831854 && by > d->most)
			d->most = by;
		return ok;
	}
	case DIFFERS_LEAST:
		for (unsigned k = 0; k < i->n_src; k++) {
			char neg[16], nabs[16];
			sprintf(neg, "~%u=neg", k);
			sprintf(nabs, "~%u=abs", k);
			if ((strstr(f->text, neg) || strstr(f->text, nabs)) && ptx_type_kind[i->src[k].type] != 'f' && v[k] == (uint64_t)1 << (i->src[k].bits - 1))
				return true;
		}
		return false;
	case DIFFERS_WIDE:
		for (unsigned k = 1; k < i->n_src; k++)
			if (i->src[k].bits == 32 && v[k] > 255)
				return true;
		return false;
	case DIFFERS_SOURCE:
		for (unsigned k = 0; k < i->n_src; k++)
			if (difference_has_nan(i->src[k].type, v[k]))
				return true;
		return false;
	case DIFFERS_ALL: return true;
	}
	return false;
}

static inline bool difference_permitted(struct body_form *f, size_t column, uint64_t want, uint64_t got, const uint64_t *v)
{
	enum ptx_type t = (enum ptx_type)f->inst.op.mods.type[0];
	unsigned bits = column < f->inst.n_dst ? f->inst.dst_bits[column] : 64;
	want = ops_cut(want, bits);
	got = ops_cut(got, bits);
	for (size_t k = 0; k < sizeof differences / sizeof *differences; k++) {
		struct difference *d = &differences[k];
		if (!difference_about(d, f) || !difference_is(d, f, t, want, got, v))
			continue;
		if (f->difference != k + 1)
			d->forms++;
		f->difference = k + 1;
		return true;
	}
	return false;
}

// Forms that are refused, since nobody knows what their machine code means.
static const struct {
	unsigned arch; // 0: all
	const char *op, *with, *why;
} refusals[] = {
	{0, "szext", "#1=c1", "ptxas takes the second constant from c[0x12][0x0], which no program has"},
	{90, "barrier.cluster", "", "executed with clusters"},
	{75, "cvt.rn.satfinite.f16", "", "NVIDIA's disassembler does not know ptxas's word"},
	{75, "cvt.rz.satfinite.f16", "", "NVIDIA's disassembler does not know ptxas's word"},
};

static inline bool refusal_known(const struct body_form *f, unsigned arch)
{
	for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
		if ((!refusals[k].arch || refusals[k].arch == arch) && !strncmp(f->text, refusals[k].op, strlen(refusals[k].op)) &&
		    strstr(f->text, refusals[k].with))
			return true;
	return false;
}

static inline void differences_tell(void)
{
	for (size_t k = 0; k < sizeof differences / sizeof *differences; k++) {
		const struct difference *d = &differences[k];
		if (!d->forms)
			continue;
		printf("%zu forms of %s...%s differ: %s", d->forms, d->op, d->with, d->why);
		if (d->kind == DIFFERS_ULP)
			printf("; by %g units in the last place", d->most);
		else if (d->kind == DIFFERS_ANGLE)
			printf("; by 2^%.1f in one turn", log2(d->most));
		printf("\n");
	}
	fflush(stdout);
}

#endif
