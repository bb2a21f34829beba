// Where machine code may give other results than the PTX that it was made of, since ptxas knows more of a kernel than of one
// instruction. Each was read in ptxas's code, and says exactly what either gives.
#ifndef TESTS_BODIES_DIFFERENCES_H
#define TESTS_BODIES_DIFFERENCES_H

#include "tests/unit/bodies.h"

#include <math.h>

enum difference_kind {
	DIFFERS_LEAST, // where a source that is negated is the least number: that has a negative
	DIFFERS_SIGN,  // of a NaN whose sign is changed PTX makes the canonical NaN, machine code changes the sign's bit
	DIFFERS_LAST,  // of two NaNs PTX makes the canonical one, machine code gives the last, made quiet, without the sign asked for
	DIFFERS_WINDOW,    // PTX knows the parameters' window, machine code is not told where it is
	DIFFERS_MAGNITUDE, // a NaN's magnitude is negative in PTX and not in machine code, which then gives the first source
};

static struct difference {
	const char *op, *with, *also; // what the form begins with, and has; "" anything
	enum difference_kind kind;
	const char *why;
	size_t forms;
} differences[] = {
	{"", "~", "", DIFFERS_LEAST, "ptxas takes it that the negative of a signed number is no overflow", 0},
	{"neg.", "~0=neg", "", DIFFERS_SIGN, "the negative of a negative is the number itself", 0},
	{"neg.f32", "@g", "", DIFFERS_SIGN, "FSEL changes the sign and selects", 0},
	{"abs.f32", "@g", "", DIFFERS_SIGN, "FSEL changes the sign and selects", 0},
	{"selp.f32", "~", "", DIFFERS_SIGN, "FSEL changes the sign and selects", 0},
	{"slct.", ".f32.", "~", DIFFERS_SIGN, "FSEL changes the sign and selects", 0},
	{"min.f64", "~1", "", DIFFERS_LAST, "the upper word is taken as it was", 0},
	{"max.f64", "~1", "", DIFFERS_LAST, "the upper word is taken as it was", 0},
	{"isspacep.param", "", "", DIFFERS_WINDOW, "the address and size of constant bank 0 as words of it are 0", 0},
	{"slct", "~2=abs", "", DIFFERS_MAGNITUDE, "an absolute value is taken for not negative, also of a NaN", 0},
};

static inline bool difference_about(const struct difference *d, const struct body_form *f)
{
	return !strncmp(f->text, d->op, strlen(d->op)) && strstr(f->text, d->with) && strstr(f->text, d->also);
}

static inline bool difference_nan(const struct format *f, uint64_t v) { return isnan(decode(f, ops_cut(v, f->bits))); }

// What "neg", "abs" or "nabs" makes of a sign.
static inline uint64_t difference_signed(const char *how, uint64_t v, uint64_t top)
{
	return !strncmp(how, "neg", 3) ? v ^ top : !strncmp(how, "abs", 3) ? v & ~top : !strncmp(how, "nabs", 4) ? v | top : v;
}

// The sign asked of a source, as text; "" if none is.
static inline const char *difference_sign(const struct body_form *f, unsigned k)
{
	char find[16];
	sprintf(find, "~%u=", k);
	const char *s = strstr(f->text, find);
	return s ? s + 3 : "";
}

// By elements: either they are the same, or PTX has the canonical NaN, and machine code source k as the kind says.
static inline bool difference_of_nan(const struct difference *d, const struct body_form *f, unsigned k, uint64_t want, uint64_t got,
                                     const uint64_t *v)
{
	enum ptx_type t = f->inst.src[k].type;
	const struct format *e = format_of(t);
	if (!e)
		return false;
	uint64_t top = (uint64_t)1 << (e->bits - 1), quiet = (uint64_t)1 << 51;
	for (unsigned at = 0; at < ptx_type_bits[t]; at += e->bits) {
		uint64_t w = ops_cut(want >> at, e->bits), g = ops_cut(got >> at, e->bits), x = ops_cut(v[k] >> at, e->bits);
		uint64_t y = difference_signed(f->text, difference_signed(difference_sign(f, k), x, top), top);
		if (w != g && !(difference_nan(e, x) && w == encode(e, NAN) && g == (d->kind == DIFFERS_LAST ? x | quiet : y)))
			return false;
	}
	return true;
}

static inline bool difference_is(const struct difference *d, const struct body_form *f, uint64_t want, uint64_t got, const uint64_t *v)
{
	const struct op_inst *i = &f->inst;
	switch (d->kind) {
	case DIFFERS_LEAST:
		for (unsigned k = 0; k < i->n_src; k++)
			if (!strncmp(difference_sign(f, k), "neg", 3) && ptx_type_kind[i->src[k].type] == 's' &&
			    v[k] == (uint64_t)1 << (i->src[k].bits - 1))
				return true;
		return false;
	case DIFFERS_SIGN:
		for (unsigned k = 0; k < i->n_src; k++)
			if (difference_of_nan(d, f, k, want, got, v))
				return true;
		return false;
	case DIFFERS_LAST:
		return difference_nan(format_of(i->src[0].type), v[0]) && difference_of_nan(d, f, 1, want, got, v);
	case DIFFERS_WINDOW: return want == 1 && got == 0;
	case DIFFERS_MAGNITUDE:
		return difference_nan(format_of(i->src[2].type), v[2]) && want == v[1] && got == v[0];
	}
	return false;
}

static inline bool difference_permitted(struct body_form *f, size_t column, uint64_t want, uint64_t got, const uint64_t *v)
{
	unsigned bits = column < f->inst.n_dst ? f->inst.dst_bits[column] : 64;
	want = ops_cut(want, bits);
	got = ops_cut(got, bits);
	for (size_t k = 0; k < sizeof differences / sizeof *differences; k++) {
		struct difference *d = &differences[k];
		if (!difference_about(d, f) || !difference_is(d, f, want, got, v))
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
		printf("%zu forms of %s...%s...%s differ: %s\n", d->forms, d->op, d->with, d->also, d->why);
	}
	fflush(stdout);
}

#endif
