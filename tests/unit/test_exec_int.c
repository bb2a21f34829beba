// Integer bodies against arithmetic done another way: in 128 bits, bit by bit, or as the PTX ISA spells it.
#include "tests/unit/exec_harness.h"

typedef __int128 wide;

static wide value(enum ptx_type t, uint64_t v)
{
	unsigned bits = xh_bits(t);
	bool is_signed = t == PTX_T_S16 || t == PTX_T_S32 || t == PTX_T_S64;
	wide x = (wide)v;
	return is_signed && v >> (bits - 1) & 1 ? x - ((wide)1 << bits) : x;
}

static wide limit(enum ptx_type t, bool high)
{
	unsigned bits = xh_bits(t);
	bool is_signed = t == PTX_T_S16 || t == PTX_T_S32 || t == PTX_T_S64;
	if (high)
		return ((wide)1 << (bits - is_signed)) - 1;
	return is_signed ? -((wide)1 << (bits - 1)) : 0;
}

static wide clamp(enum ptx_type t, wide v)
{
	return v < limit(t, false) ? limit(t, false) : v > limit(t, true) ? limit(t, true) : v;
}

#define A value(c->src[0], s[0])
#define B value(c->src[1], s[1])
#define C value(c->src[2], s[2])
#define REF(name, expr)                                                   \
	static void name(struct xh_case *c, const uint64_t *s, uint64_t *d) \
	{                                                                 \
		d[0] = (uint64_t)(expr);                                  \
	}
#define BITS(k) xh_bits(c->src[k])

REF(ref_add, c->mods.sat ? clamp(c->dst[0], A + B) : A + B)
REF(ref_sub, c->mods.sat ? clamp(c->dst[0], A - B) : A - B)
REF(ref_mul_lo, A * B)
REF(ref_mul_hi, A * B >> BITS(0))
REF(ref_mad_lo, A * B + C)
REF(ref_mad_hi, c->mods.sat ? clamp(PTX_T_S32, (A * B >> 32) + C) : (A * B >> BITS(0)) + C)
REF(ref_neg, -A)
REF(ref_abs, A < 0 ? -A : A)
REF(ref_min, c->mods.relu && (A < B ? A : B) < 0 ? 0 : A < B ? A : B)
REF(ref_max, c->mods.relu && (A > B ? A : B) < 0 ? 0 : A > B ? A : B)
REF(ref_sad, (A < B ? B - A : A - B) + C)
REF(ref_div, B == 0 ? -1 : A / B)
REF(ref_rem, B == 0 ? -1 : A % B)

static void ref_mul_high64(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	// Schoolbook product of 32-bit halves, then the correction for signed operands.
	uint64_t al = (uint32_t)s[0], ah = s[0] >> 32, bl = (uint32_t)s[1], bh = s[1] >> 32;
	uint64_t mid = ah * bl + (al * bl >> 32), mid2 = al * bh + (uint32_t)mid;
	uint64_t hi = ah * bh + (mid >> 32) + (mid2 >> 32);
	if (c->src[0] == PTX_T_S64)
		hi -= ((int64_t)s[0] < 0 ? s[1] : 0) + ((int64_t)s[1] < 0 ? s[0] : 0);
	d[0] = hi + (c->n_src == 3 ? s[2] : 0);
}

static wide signed24(uint64_t v, bool is_signed)
{
	v &= 0xffffff;
	return is_signed && v >= 0x800000 ? (wide)v - 0x1000000 : (wide)v;
}

static void ref_24(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	bool is_signed = c->src[0] == PTX_T_S32;
	wide p = signed24(s[0], is_signed) * signed24(s[1], is_signed);
	wide r = c->mods.hi ? (wide)(int32_t)(uint32_t)((unsigned __int128)p >> 16) : p;
	r += c->n_src == 3 ? C : 0;
	d[0] = (uint64_t)(c->mods.sat ? clamp(PTX_T_S32, r) : r);
}

static void ref_x2(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	enum ptx_type t = c->src[0] == PTX_T_S16X2 ? PTX_T_S16 : PTX_T_U16;
	d[0] = 0;
	for (unsigned k = 0; k < 2; k++) {
		wide a = value(t, s[0] >> 16 * k & 0xffff), b = value(t, s[1] >> 16 * k & 0xffff), r;
		if (!strncmp(c->key, "add", 3))
			r = a + b;
		else if (!strncmp(c->key, "sub", 3))
			r = a - b;
		else if (!strncmp(c->key, "min", 3))
			r = a < b ? a : b;
		else if (!strncmp(c->key, "neg", 3))
			r = -a;
		else
			r = a > b ? a : b;
		r = c->mods.sat ? clamp(t, r) : c->mods.relu && r < 0 ? 0 : r;
		d[0] |= (uint64_t)(r & 0xffff) << 16 * k;
	}
}

static unsigned top(uint64_t v, unsigned bits)
{
	for (unsigned i = bits; i-- > 0; )
		if (v >> i & 1)
			return i;
	return UINT32_MAX;
}

static void ref_popc(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	for (unsigned i = 0; i < 64; i++)
		d[0] += s[0] >> i & 1;
}

static void ref_clz(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	unsigned t = top(s[0], BITS(0));
	d[0] = t == UINT32_MAX ? BITS(0) : BITS(0) - 1 - t;
}

static void ref_brev(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	for (unsigned i = 0; i < BITS(0); i++)
		d[0] |= (s[0] >> i & 1) << (BITS(0) - 1 - i);
}

static void ref_bfind(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	uint64_t v = A < 0 ? (uint64_t)~A : s[0];
	unsigned t = top(v, BITS(0));
	d[0] = t != UINT32_MAX && strstr(c->key, "shiftamt") ? BITS(0) - 1 - t : t;
}

// The loops that follow are those of the PTX ISA's descriptions.
// Of place and length: the low byte, but of fields in 64 bits all bits, since ptxas makes shifts of these.
#define FIELD_BITS (BITS(0) == 64 ? UINT32_MAX : 0xff)
static void ref_bfe(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	uint64_t msb = BITS(0) - 1, all = FIELD_BITS, pos = s[1] & all, len = s[2] & all;
	bool is_signed = c->src[0] == PTX_T_S32 || c->src[0] == PTX_T_S64;
	uint64_t last = pos + len - 1 < msb ? pos + len - 1 : msb;
	uint64_t sbit = is_signed && len ? s[0] >> last & 1 : 0;
	for (unsigned i = 0; i <= msb; i++)
		d[0] |= (i < len && pos + i <= msb ? s[0] >> (pos + i) & 1 : sbit) << i;
}

static void ref_bfi(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	uint64_t msb = BITS(0) - 1, all = FIELD_BITS, pos = s[2] & all, len = s[3] & all;
	d[0] = s[1];
	for (unsigned i = 0; i < len && pos + i <= msb; i++)
		d[0] = (d[0] & ~((uint64_t)1 << (pos + i))) | (s[0] >> i & 1) << (pos + i);
}

static void ref_fns(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	int n = (int)(int32_t)s[2], base = (int)s[1];
	d[0] = UINT32_MAX;
	if (s[1] > 31)
		return;
	if (n == 0) {
		if (s[0] >> base & 1)
			d[0] = (uint64_t)base;
		return;
	}
	wide count = n < 0 ? -(wide)n : n;
	for (int pos = base; pos >= 0 && pos < 32; pos += n > 0 ? 1 : -1)
		if (s[0] >> pos & 1 && --count == 0) {
			d[0] = (uint64_t)pos;
			return;
		}
}

static void ref_bmsk(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	uint64_t a = c->mods.wrap ? s[0] % 32 : s[0], b = c->mods.wrap ? s[1] % 32 : s[1];
	for (unsigned i = 0; i < 32; i++)
		d[0] |= (uint64_t)(i >= a && i < a + b) << i;
}

static void ref_szext(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	uint64_t n = c->mods.wrap ? s[1] % 32 : s[1];
	bool is_signed = c->src[0] == PTX_T_S32;
	for (unsigned i = 0; i < 32; i++)
		d[0] |= (uint64_t)(i < n ? s[0] >> i & 1 : is_signed && n ? s[0] >> (n - 1) & 1 : 0) << i;
}

static void ref_dp(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	bool sa = c->mods.type[0] == PTX_T_S32, sb = c->mods.type[1] == PTX_T_S32;
	bool two = !strncmp(c->key, "dp2a", 4);
	wide sum = (wide)s[2];
	for (unsigned k = 0; k < (two ? 2 : 4); k++) {
		unsigned bits = two ? 16 : 8, kb = two && c->mods.hi ? k + 2 : k;
		wide a = s[0] >> bits * k & ((1u << bits) - 1), b = s[1] >> 8 * kb & 0xff;
		if (sa && a >> (bits - 1))
			a -= (wide)1 << bits;
		if (sb && b >> 7)
			b -= 256;
		sum += a * b;
	}
	d[0] = (uint64_t)sum;
}

static void ref_carry(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	unsigned bits = BITS(0);
	bool in = !strncmp(c->key + 3, "c", 1), mad = !strncmp(c->key, "mad", 3), sub = !strncmp(c->key, "sub", 3);
	unsigned __int128 one = 1, x = s[0], y = s[1];
	if (mad) {
		uint64_t hi[1] = {0}, two[2] = {s[0], s[1]};
		struct xh_case m = *c;
		m.n_src = 2;
		if (bits == 64)
			ref_mul_high64(&m, two, hi);
		else
			hi[0] = (uint64_t)(A * B >> 32);
		x = c->mods.hi ? hi[0] : s[0] * s[1];
		y = s[2];
		x &= (one << bits) - 1;
	}
	unsigned borrow = in && !c->carry; // the flag of a subtraction: there was no borrow
	unsigned __int128 r = sub ? x - y - borrow : x + y + (in ? c->carry : 0);
	d[0] = (uint64_t)r;
	if (c->mods.cc)
		c->carry_out = sub ? x >= y + borrow : r >> bits != 0;
}

static const struct {
	const char *key, *signature;
	xh_ref *ref;
} cases[] = {
#define SIX(op, ref, tail)                                                                                    \
	{op ".u16", "u16=u16" tail(u16), ref}, {op ".s16", "s16=s16" tail(s16), ref}, {op ".u32", "u32=u32" tail(u32), ref}, \
	{op ".s32", "s32=s32" tail(s32), ref}, {op ".u64", "u64=u64" tail(u64), ref}, {op ".s64", "s64=s64" tail(s64), ref}
#define TWO(t)   "," #t
#define THREE(t) "," #t "," #t
	SIX("add", ref_add, TWO), SIX("sub", ref_sub, TWO), SIX("mul.lo", ref_mul_lo, TWO),
	SIX("mad.lo", ref_mad_lo, THREE),
	SIX("min", ref_min, TWO), SIX("max", ref_max, TWO), SIX("div", ref_div, TWO), SIX("rem", ref_rem, TWO),
	SIX("sad", ref_sad, THREE),
	{"add.sat.s32", "s32=s32,s32", ref_add}, {"sub.sat.s32", "s32=s32,s32", ref_sub},
	{"add.sat.u32", "u32=u32,u32", ref_add}, {"sub.sat.u32", "u32=u32,u32", ref_sub},
	{"add.sat.s16", "s16=s16,s16", ref_add}, {"sub.sat.s16", "s16=s16,s16", ref_sub},
	{"add.sat.u16", "u16=u16,u16", ref_add}, {"sub.sat.u16", "u16=u16,u16", ref_sub},
	{"mul.hi.u16", "u16=u16,u16", ref_mul_hi}, {"mul.hi.s16", "s16=s16,s16", ref_mul_hi},
	{"mul.hi.u32", "u32=u32,u32", ref_mul_hi}, {"mul.hi.s32", "s32=s32,s32", ref_mul_hi},
	{"mul.hi.u64", "u64=u64,u64", ref_mul_high64}, {"mul.hi.s64", "s64=s64,s64", ref_mul_high64},
	{"mad.hi.u16", "u16=u16,u16,u16", ref_mad_hi}, {"mad.hi.s16", "s16=s16,s16,s16", ref_mad_hi},
	{"mad.hi.u32", "u32=u32,u32,u32", ref_mad_hi}, {"mad.hi.s32", "s32=s32,s32,s32", ref_mad_hi},
	{"mad.hi.u64", "u64=u64,u64,u64", ref_mul_high64}, {"mad.hi.s64", "s64=s64,s64,s64", ref_mul_high64},
	{"mad.hi.sat.s32", "s32=s32,s32,s32", ref_mad_hi},
	{"mul.wide.u16", "u32=u16,u16", ref_mul_lo}, {"mul.wide.s16", "s32=s16,s16", ref_mul_lo},
	{"mul.wide.u32", "u64=u32,u32", ref_mul_lo}, {"mul.wide.s32", "s64=s32,s32", ref_mul_lo},
	{"mad.wide.u16", "u32=u16,u16,u32", ref_mad_lo}, {"mad.wide.s16", "s32=s16,s16,s32", ref_mad_lo},
	{"mad.wide.u32", "u64=u32,u32,u64", ref_mad_lo}, {"mad.wide.s32", "s64=s32,s32,s64", ref_mad_lo},
	{"mul24.lo.u32", "u32=u32,u32", ref_24}, {"mul24.hi.u32", "u32=u32,u32", ref_24},
	{"mul24.lo.s32", "s32=s32,s32", ref_24}, {"mul24.hi.s32", "s32=s32,s32", ref_24},
	{"mad24.lo.u32", "u32=u32,u32,u32", ref_24}, {"mad24.hi.u32", "u32=u32,u32,u32", ref_24},
	{"mad24.lo.s32", "s32=s32,s32,s32", ref_24}, {"mad24.hi.s32", "s32=s32,s32,s32", ref_24},
	{"mad24.hi.sat.s32", "s32=s32,s32,s32", ref_24},
	{"neg.s16", "s16=s16", ref_neg}, {"neg.s32", "s32=s32", ref_neg}, {"neg.s64", "s64=s64", ref_neg},
	{"abs.s16", "s16=s16", ref_abs}, {"abs.s32", "s32=s32", ref_abs}, {"abs.s64", "s64=s64", ref_abs},
	{"min.relu.s32", "s32=s32,s32", ref_min}, {"max.relu.s32", "s32=s32,s32", ref_max},
	{"add.u16x2", "u16x2=u16x2,u16x2", ref_x2}, {"add.s16x2", "s16x2=s16x2,s16x2", ref_x2},
	{"sub.u16x2", "u16x2=u16x2,u16x2", ref_x2}, {"sub.s16x2", "s16x2=s16x2,s16x2", ref_x2},
	{"add.sat.u16x2", "u16x2=u16x2,u16x2", ref_x2}, {"add.sat.s16x2", "s16x2=s16x2,s16x2", ref_x2},
	{"sub.sat.u16x2", "u16x2=u16x2,u16x2", ref_x2}, {"sub.sat.s16x2", "s16x2=s16x2,s16x2", ref_x2},
	{"min.u16x2", "u16x2=u16x2,u16x2", ref_x2}, {"min.s16x2", "s16x2=s16x2,s16x2", ref_x2},
	{"max.u16x2", "u16x2=u16x2,u16x2", ref_x2}, {"max.s16x2", "s16x2=s16x2,s16x2", ref_x2},
	{"min.relu.s16x2", "s16x2=s16x2,s16x2", ref_x2}, {"max.relu.s16x2", "s16x2=s16x2,s16x2", ref_x2},
	{"neg.s16x2", "s16x2=s16x2", ref_x2},
	{"popc.b32", "u32=b32", ref_popc}, {"popc.b64", "u32=b64", ref_popc},
	{"clz.b32", "u32=b32", ref_clz}, {"clz.b64", "u32=b64", ref_clz},
	{"brev.b32", "b32=b32", ref_brev}, {"brev.b64", "b64=b64", ref_brev},
	{"bfind.u32", "u32=u32", ref_bfind}, {"bfind.s32", "u32=s32", ref_bfind},
	{"bfind.u64", "u32=u64", ref_bfind}, {"bfind.s64", "u32=s64", ref_bfind},
	{"bfind.shiftamt.u32", "u32=u32", ref_bfind}, {"bfind.shiftamt.s32", "u32=s32", ref_bfind},
	{"bfind.shiftamt.u64", "u32=u64", ref_bfind}, {"bfind.shiftamt.s64", "u32=s64", ref_bfind},
	{"fns.b32", "b32=b32,b32,s32", ref_fns},
	{"bfe.u32", "u32=u32,u32,u32", ref_bfe}, {"bfe.s32", "s32=s32,u32,u32", ref_bfe},
	{"bfe.u64", "u64=u64,u32,u32", ref_bfe}, {"bfe.s64", "s64=s64,u32,u32", ref_bfe},
	{"bfi.b32", "b32=b32,b32,u32,u32", ref_bfi}, {"bfi.b64", "b64=b64,b64,u32,u32", ref_bfi},
	{"bmsk.clamp.b32", "b32=u32,u32", ref_bmsk}, {"bmsk.wrap.b32", "b32=u32,u32", ref_bmsk},
	{"szext.clamp.u32", "u32=u32,u32", ref_szext}, {"szext.wrap.u32", "u32=u32,u32", ref_szext},
	{"szext.clamp.s32", "s32=s32,u32", ref_szext}, {"szext.wrap.s32", "s32=s32,u32", ref_szext},
	{"dp4a.u32.u32", "u32=u32,u32,u32", ref_dp}, {"dp4a.u32.s32", "s32=u32,s32,s32", ref_dp},
	{"dp4a.s32.u32", "s32=s32,u32,s32", ref_dp}, {"dp4a.s32.s32", "s32=s32,s32,s32", ref_dp},
	{"dp2a.lo.u32.u32", "u32=u32,u32,u32", ref_dp}, {"dp2a.lo.u32.s32", "s32=u32,s32,s32", ref_dp},
	{"dp2a.lo.s32.u32", "s32=s32,u32,s32", ref_dp}, {"dp2a.lo.s32.s32", "s32=s32,s32,s32", ref_dp},
	{"dp2a.hi.u32.u32", "u32=u32,u32,u32", ref_dp}, {"dp2a.hi.u32.s32", "s32=u32,s32,s32", ref_dp},
	{"dp2a.hi.s32.u32", "s32=s32,u32,s32", ref_dp}, {"dp2a.hi.s32.s32", "s32=s32,s32,s32", ref_dp},
#define CARRY4(op, tail)                                                                                      \
	{op ".u32", "u32=u32" tail(u32), ref_carry}, {op ".s32", "s32=s32" tail(s32), ref_carry},             \
	{op ".u64", "u64=u64" tail(u64), ref_carry}, {op ".s64", "s64=s64" tail(s64), ref_carry}
	CARRY4("add.cc", TWO), CARRY4("addc", TWO), CARRY4("addc.cc", TWO),
	CARRY4("sub.cc", TWO), CARRY4("subc", TWO), CARRY4("subc.cc", TWO),
	CARRY4("mad.lo.cc", THREE), CARRY4("madc.lo", THREE), CARRY4("madc.lo.cc", THREE),
	CARRY4("mad.hi.cc", THREE), CARRY4("madc.hi", THREE), CARRY4("madc.hi.cc", THREE),
};

START_TEST(integer)
{
	xh_check(cases[_i].key, cases[_i].signature, cases[_i].ref);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec int");
	TCase *t = tcase_create("keys");
	tcase_add_loop_test(t, integer, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	suite_add_tcase(s, t);
	return check_main(s);
}
