// setp, set, selp and slct against comparisons of exact values.
#include "tests/unit/exec_formats.h"

#define is_signed_type(t) ((t) == PTX_T_S16 || (t) == PTX_T_S32 || (t) == PTX_T_S64)

static bool holds(enum uop_cmp op, long double a, long double b)
{
	bool unordered = isnan(a) || isnan(b);
	switch (op) {
	case UOP_EQ: return !unordered && a == b;
	case UOP_NE: return !unordered && !(a == b);
	case UOP_LT: case UOP_LO: return !unordered && a < b;
	case UOP_LE: case UOP_LS: return !unordered && !(a > b);
	case UOP_GT: case UOP_HI: return !unordered && a > b;
	case UOP_GE: case UOP_HS: return !unordered && !(a < b);
	case UOP_EQU: return unordered || a == b;
	case UOP_NEU: return unordered || !(a == b);
	case UOP_LTU: return unordered || a < b;
	case UOP_LEU: return unordered || !(a > b);
	case UOP_GTU: return unordered || a > b;
	case UOP_GEU: return unordered || !(a < b);
	case UOP_NUM: return !unordered;
	case UOP_NAN: return unordered;
	default: return false;
	}
}

static long double number(const struct xh_case *c, enum ptx_type t, uint64_t v)
{
	const struct format *f = format_of(t);
	unsigned bits = f ? f->bits : xh_bits(t);
	if (f) {
		long double x = decode(f, v & (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1));
		return c->mods.ftz && fabsl(x) < ldexpl(1, f->emin) ? 0 : x;
	}
	return is_signed_type(t) ? (long double)((int64_t)(v << (64 - bits)) >> (64 - bits)) : (long double)v;
}

static bool combined(const struct xh_case *c, bool t, bool p)
{
	return c->mods.boolop == UOP_AND ? t && p : c->mods.boolop == UOP_OR ? t || p : c->mods.boolop == UOP_XOR ? t != p : t;
}

static void ref_setp(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	enum ptx_type t = c->src[0];
	enum uop_cmp op = (enum uop_cmp)c->mods.cmp;
	bool packed = t == PTX_T_F16X2 || t == PTX_T_BF16X2;
	bool lo = holds(op, number(c, t, s[0]), number(c, t, s[1]));
	d[0] = combined(c, lo, s[2]);
	d[1] = combined(c, packed ? holds(op, number(c, t, s[0] >> 16), number(c, t, s[1] >> 16)) : !lo, s[2]);
}

static void ref_setp_not(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	uint64_t n[4] = {s[0], s[1], !s[2], 0};
	ref_setp(c, n, d);
}

static void ref_set(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	enum ptx_type t = c->src[0];
	enum uop_cmp op = (enum uop_cmp)c->mods.cmp;
	const struct format *f = format_of(c->dst[0]);
	unsigned bits = f ? f->bits : xh_bits(c->dst[0]);
	uint64_t yes = f ? encode(f, 1) : UINT64_MAX >> (64 - bits);
	d[0] = combined(c, holds(op, number(c, t, s[0]), number(c, t, s[1])), s[2]) ? yes : 0;
	if (t == PTX_T_F16X2 || t == PTX_T_BF16X2) {
		yes = f ? yes : 0xffff;
		d[0] = d[0] ? yes : 0;
		d[0] |= combined(c, holds(op, number(c, t, s[0] >> 16), number(c, t, s[1] >> 16)), s[2]) ? yes << 16 : 0;
	}
}

static void ref_selp(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = s[2] ? s[0] : s[1];
}

static void ref_slct(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = number(c, c->src[2], s[2]) >= 0 ? s[0] : s[1];
}

static const struct {
	const char *type, *ftz; // ftz: the other spelling to test, or NULL
	unsigned kind;          // 0 only eq and ne, 1 unsigned, 2 signed, 3 float
} types[] = {
	{"b16", NULL, 0}, {"b32", NULL, 0}, {"b64", NULL, 0}, {"u16", NULL, 1}, {"u32", NULL, 1}, {"u64", NULL, 1},
	{"s16", NULL, 2}, {"s32", NULL, 2}, {"s64", NULL, 2}, {"f32", ".ftz", 3}, {"f64", NULL, 3}, {"f16", ".ftz", 3},
	{"f16x2", ".ftz", 3}, {"bf16", NULL, 3}, {"bf16x2", NULL, 3},
};

static const char *const ops[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                  "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

static bool exists(unsigned kind, unsigned op)
{
	return kind == 0 ? op < 2 : kind == 1 ? op < 10 : kind == 2 ? op < 6 : op < 6 || op >= 10;
}

START_TEST(comparisons)
{
	const char *t = types[_i].type;
	char key[64], signature[64];
	for (unsigned op = 0; op < sizeof(ops) / sizeof(ops[0]); op++) {
		if (!exists(types[_i].kind, op))
			continue;
		for (unsigned f = 0; f < (types[_i].ftz ? 2 : 1); f++) {
			const char *ftz = f ? types[_i].ftz : "";
			snprintf(key, sizeof(key), "setp.%s%s.%s", ops[op], ftz, t);
			snprintf(signature, sizeof(signature), "pred,pred=%s,%s", t, t);
			xh_check_rounds(key, signature, ref_setp, 0, 24);
			static const char *const bools[] = {"and", "or", "xor"};
			for (unsigned b = 0; b < 3; b++) {
				snprintf(key, sizeof(key), "setp.%s.%s%s.%s", ops[op], bools[b], ftz, t);
				snprintf(signature, sizeof(signature), "pred,pred=%s,%s,pred", t, t);
				xh_check_rounds(key, signature, ref_setp, 0, 24);
				xh_check_rounds(key, signature, ref_setp_not, UOP_NEG_C, 24);
				snprintf(key, sizeof(key), "set.%s.%s%s.u32.%s", ops[op], bools[b], ftz, t);
				snprintf(signature, sizeof(signature), "u32=%s,%s,pred", t, t);
				xh_check_rounds(key, signature, ref_set, 0, 8);
			}
			bool half = types[_i].kind == 3 && strcmp(t, "f64") && strcmp(t, "f32");
			const char *dst[] = {"u32", "s32", half ? t : "f32"};
			for (unsigned k = 0; k < 3; k++) {
				snprintf(key, sizeof(key), "set.%s%s.%s.%s", ops[op], ftz, dst[k], t);
				snprintf(signature, sizeof(signature), "%s=%s,%s", dst[k], t, t);
				xh_check_rounds(key, signature, ref_set, 0, 24);
			}
		}
	}
}
END_TEST

START_TEST(selections)
{
	static const char *const dst[] = {"b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"};
	char key[64], signature[64];
	for (unsigned k = 0; k < sizeof(dst) / sizeof(dst[0]); k++) {
		snprintf(key, sizeof(key), "selp.%s", dst[k]);
		snprintf(signature, sizeof(signature), "%s=%s,%s,pred", dst[k], dst[k], dst[k]);
		xh_check(key, signature, ref_selp);
		static const char *const by[] = {"slct.%s.s32", "slct.%s.f32", "slct.ftz.%s.f32"};
		for (unsigned b = 0; b < 3; b++) {
			snprintf(key, sizeof(key), by[b], dst[k]);
			snprintf(signature, sizeof(signature), "%s=%s,%s,%s", dst[k], dst[k], dst[k], b ? "f32" : "s32");
			xh_check(key, signature, ref_slct);
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec cmp");
	TCase *t = tcase_create("keys");
	tcase_add_loop_test(t, comparisons, 0, (int)(sizeof(types) / sizeof(types[0])));
	tcase_add_test(t, selections);
	suite_add_tcase(s, t);
	return check_main(s);
}
