// f16 and bf16 bodies against exact arithmetic in long double, rounded once.
#include "cuda-sim/numbers/dmath.h"
#include "tests/unit/exec_formats.h"

// a * b + c, or a + c: where the sum is inexact it is moved off the value it was rounded to, so that a tie that only
// seems one is rounded to the right side.
static long double sum(long double p, long double c)
{
	volatile long double s = p + c, t = s - p;
	volatile long double e = (p - (s - t)) + (c - t);
	if (e > 0 || e < 0)
		return nextafterl(s, e > 0 ? INFINITY : -INFINITY);
	return s;
}

static uint64_t flush(const struct xh_case *c, const struct format *f, uint64_t v)
{
	uint64_t sign = v & 0x8000;
	return c->mods.ftz && fabsl(decode(f, v)) < ldexpl(1, f->emin) ? sign : v;
}

static uint64_t minmax(const struct xh_case *c, const struct format *f, uint64_t a, uint64_t b, bool max)
{
	long double x = decode(f, flush(c, f, a)), y = decode(f, flush(c, f, b));
	bool sign = (a ^ b) >> 15 & 1;
	if (c->mods.xorsign) {
		x = fabsl(x);
		y = fabsl(y);
	}
	long double r;
	if (c->mods.nan && (isnan(x) || isnan(y)))
		r = NAN;
	else if (isnan(x))
		r = y;
	else if (isnan(y))
		r = x;
	else if (x == y)
		r = (signbit(x) != 0) == max ? y : x;
	else
		r = (x < y) == max ? y : x;
	if (c->mods.xorsign && !isnan(r))
		r = copysignl(r, sign ? -1 : 1);
	return encode(f, r);
}

static uint64_t one(struct xh_case *c, const struct format *f, uint64_t a, uint64_t b, uint64_t z)
{
	const char *k = c->key;
	long double x = decode(f, flush(c, f, a)), y = decode(f, flush(c, f, b)), w = decode(f, flush(c, f, z)), r;
	if (isnan(x) && (!strncmp(k, "abs", 3) || !strncmp(k, "neg", 3)))
		return encode(f, NAN);
	if (!strncmp(k, "abs", 3))
		return flush(c, f, a) & 0x7fff;
	if (!strncmp(k, "neg", 3))
		return flush(c, f, a) ^ 0x8000;
	if (!strncmp(k, "min", 3) || !strncmp(k, "max", 3)) {
		uint64_t v = minmax(c, f, a, b, k[1] == 'a');
		return c->n_src == 3 ? minmax(c, f, v, z, k[1] == 'a') : v;
	}
	if (!strncmp(k, "add", 3))
		r = sum(x, y);
	else if (!strncmp(k, "sub", 3))
		r = sum(x, -y);
	else if (!strncmp(k, "mul", 3))
		r = x * y;
	else if (c->mods.oob && ((a & 0x7fff) == 0x7ff7 || (b & 0x7fff) == 0x7ff7))
		r = 0;
	else if (!strncmp(k, "fma", 3))
		r = sum(x * y, w);
	else if (!strncmp(k, "ex2", 3))
		r = dm_mufu_ex2((float)x); // its accuracy is dmath's test
	else
		r = dm_tanh_approx_f32((float)x);
	struct xh_case plain = *c;
	plain.mods.sat = plain.mods.relu = false;
	uint64_t v = flush(c, f, to_float(&plain, f, r));
	long double t = decode(f, v);
	if (c->mods.sat)
		return encode(f, t > 0 ? fminl(t, 1) : 0);
	return c->mods.relu && (t < 0 || (t == 0 && signbit(t))) ? 0 : v;
}

static void ref_half(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	const struct format *f = format_of(c->src[0]);
	d[0] = one(c, f, s[0] & 0xffff, s[1] & 0xffff, s[2] & 0xffff);
	if (xh_bits(c->src[0]) == 32)
		d[0] |= one(c, f, s[0] >> 16, s[1] >> 16, s[2] >> 16) << 16;
}

static const struct {
	const char *op;
	unsigned n_src;
	bool bf16; // exists for bf16 too
} cases[] = {
	{"add", 2, true}, {"add.ftz", 2, false}, {"add.sat", 2, false}, {"add.ftz.sat", 2, false}, {"add.rn", 2, true},
	{"sub", 2, true}, {"sub.ftz", 2, false}, {"sub.sat", 2, false}, {"sub.ftz.sat", 2, false},
	{"mul", 2, true}, {"mul.ftz", 2, false}, {"mul.sat", 2, false}, {"mul.ftz.sat", 2, false},
	{"fma.rn", 3, true}, {"fma.rn.ftz", 3, false}, {"fma.rn.sat", 3, false}, {"fma.rn.ftz.sat", 3, false},
	{"fma.rn.oob", 3, true}, {"fma.rn.oob.relu", 3, true}, {"fma.rn.relu", 3, true}, {"fma.rn.ftz.relu", 3, false},
	{"neg", 1, true}, {"neg.ftz", 1, false}, {"abs", 1, true}, {"abs.ftz", 1, false},
	{"min", 2, true}, {"min.ftz", 2, false}, {"min.NaN", 2, true}, {"min.xorsign.abs", 2, true},
	{"min.NaN.xorsign.abs", 2, true}, {"min", 3, true}, {"min.NaN", 3, true},
	{"max", 2, true}, {"max.ftz", 2, false}, {"max.NaN", 2, true}, {"max.xorsign.abs", 2, true},
	{"max.NaN.xorsign.abs", 2, true}, {"max", 3, true}, {"max.NaN", 3, true},
	{"ex2.approx", 1, false}, {"ex2.approx.ftz", 1, true}, {"tanh.approx", 1, true},
};

START_TEST(half_keys)
{
	static const char *const types[] = {"f16", "f16x2", "bf16", "bf16x2"};
	for (unsigned t = 0; t < (cases[_i].bf16 ? 4 : 2); t++) {
		char key[48], signature[48];
		snprintf(key, sizeof(key), "%s.%s", cases[_i].op, types[t]);
		int n = snprintf(signature, sizeof(signature), "%s=%s", types[t], types[t]);
		for (unsigned k = 1; k < cases[_i].n_src; k++)
			n += snprintf(signature + n, sizeof(signature) - (size_t)n, ",%s", types[t]);
		xh_check(key, signature, ref_half);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec half");
	TCase *t = tcase_create("keys");
	tcase_add_loop_test(t, half_keys, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	suite_add_tcase(s, t);
	return check_main(s);
}
