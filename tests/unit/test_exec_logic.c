// Logic bodies bit by bit.
#include "tests/unit/exec_harness.h"

#define BITS xh_bits(c->src[0])
#define REF(name, expr)                                                   \
	static void name(struct xh_case *c, const uint64_t *s, uint64_t *d) \
	{                                                                 \
		d[0] = (uint64_t)(expr);                                  \
	}
#define PER_BIT(name, expr)                                               \
	static void name(struct xh_case *c, const uint64_t *s, uint64_t *d) \
	{                                                                 \
		for (unsigned i = 0; i < BITS; i++) {                     \
			bool a = s[0] >> i & 1, b = s[1] >> i & 1;        \
			(void)b;                                          \
			d[0] |= (uint64_t)(expr) << i;                    \
		}                                                         \
	}

PER_BIT(ref_and, a && b)
PER_BIT(ref_or, a || b)
PER_BIT(ref_xor, a != b)
PER_BIT(ref_not, !a)
REF(ref_cnot, s[0] == 0)

// Shifts one bit at a time.
static void ref_shl(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	for (unsigned i = 0; i < BITS; i++)
		d[0] |= (uint64_t)(i >= s[1] && s[0] >> (i - s[1]) & 1) << i;
}

static void ref_shr(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	bool is_signed = c->src[0] == PTX_T_S16 || c->src[0] == PTX_T_S32 || c->src[0] == PTX_T_S64;
	for (unsigned i = 0; i < BITS; i++) {
		uint64_t from = i + s[1];
		bool sign = is_signed && s[0] >> (BITS - 1) & 1;
		d[0] |= (uint64_t)(from < BITS ? s[0] >> from & 1 : sign) << i;
	}
}

static void ref_shf(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	uint32_t a = (uint32_t)s[0], b = (uint32_t)s[1];
	uint64_t n = c->mods.wrap ? s[2] % 32 : s[2] < 32 ? s[2] : 32;
	bool left = c->key[4] == 'l';
	for (; n; n--) {
		if (left) {
			b = b << 1 | a >> 31;
			a <<= 1;
		} else {
			a = a >> 1 | b << 31;
			b >>= 1;
		}
	}
	d[0] = left ? b : a;
}

static void ref_prmt(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	// The table of modes in the PTX ISA, bytes from the most significant one.
	static const struct {
		const char *mode;
		uint8_t byte[4][4];
	} modes[] = {
		{"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
		{"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
		{"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
		{"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
		{"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
		{"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}},
	};
	uint8_t bytes[8];
	memcpy(bytes, &s[0], 4);
	memcpy(bytes + 4, &s[1], 4);
	const char *mode = c->key + 8;
	for (unsigned k = 0; k < 4; k++) {
		unsigned sel = s[2] >> 4 * k & 15;
		uint8_t byte = bytes[sel & 7];
		if (sel & 8)
			byte = byte >> 7 ? 0xff : 0;
		for (unsigned m = 0; *mode && m < 6; m++)
			if (!strcmp(modes[m].mode, mode + 1))
				byte = bytes[modes[m].byte[s[2] & 3][3 - k]];
		d[0] |= (uint64_t)byte << 8 * k;
	}
}

static const struct {
	const char *key, *signature;
	xh_ref *ref;
} cases[] = {
#define THREE(op, ref) \
	{op ".b16", "b16=b16,b16", ref}, {op ".b32", "b32=b32,b32", ref}, {op ".b64", "b64=b64,b64", ref}
	THREE("and", ref_and), THREE("or", ref_or), THREE("xor", ref_xor),
	{"and.pred", "pred=pred,pred", ref_and}, {"or.pred", "pred=pred,pred", ref_or},
	{"xor.pred", "pred=pred,pred", ref_xor},
	{"not.pred", "pred=pred", ref_not},
	{"not.b16", "b16=b16", ref_not}, {"not.b32", "b32=b32", ref_not}, {"not.b64", "b64=b64", ref_not},
	{"cnot.b16", "b16=b16", ref_cnot}, {"cnot.b32", "b32=b32", ref_cnot}, {"cnot.b64", "b64=b64", ref_cnot},
#define SHIFT(op, t, ref) {op "." #t, #t "=" #t ",u32", ref}
	SHIFT("shl", b16, ref_shl), SHIFT("shl", b32, ref_shl), SHIFT("shl", b64, ref_shl),
	SHIFT("shr", b16, ref_shr), SHIFT("shr", b32, ref_shr), SHIFT("shr", b64, ref_shr),
	SHIFT("shr", u16, ref_shr), SHIFT("shr", u32, ref_shr), SHIFT("shr", u64, ref_shr),
	SHIFT("shr", s16, ref_shr), SHIFT("shr", s32, ref_shr), SHIFT("shr", s64, ref_shr),
#define W3 "b32=b32,b32,u32"
	{"shf.l.clamp.b32", W3, ref_shf}, {"shf.r.clamp.b32", W3, ref_shf},
	{"shf.l.wrap.b32", W3, ref_shf}, {"shf.r.wrap.b32", W3, ref_shf},
	{"prmt.b32", W3, ref_prmt}, {"prmt.b32.f4e", W3, ref_prmt}, {"prmt.b32.b4e", W3, ref_prmt},
	{"prmt.b32.rc8", W3, ref_prmt}, {"prmt.b32.ecl", W3, ref_prmt}, {"prmt.b32.ecr", W3, ref_prmt},
	{"prmt.b32.rc16", W3, ref_prmt},
};

START_TEST(logic)
{
	xh_check_rounds(cases[_i].key, cases[_i].signature, cases[_i].ref, 0, 100);
}
END_TEST

// A predicate operand written !p.
static void ref_and_not(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = !s[0] && s[1];
}

static void ref_or_not(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	d[0] = s[0] || !s[1];
}

START_TEST(negated_predicates)
{
	xh_check_rounds("and.pred", "pred=pred,pred", ref_and_not, UOP_NEG_A, 20);
	xh_check_rounds("or.pred", "pred=pred,pred", ref_or_not, UOP_NEG_B, 20);
}
END_TEST

// lop3: all 256 tables. The table is an immediate, so its row is uniform, which the harness's rows are not.
START_TEST(every_table_of_lop3)
{
	struct xh h;
	xh_init(&h);
	int32_t d = XH_ROW, a = 2 * XH_ROW, b = 3 * XH_ROW, c = 4 * XH_ROW, lut = 5 * XH_ROW, p = 6 * XH_ROW,
			q = 7 * XH_ROW;
	for (unsigned table = 0; table < 256; table++) {
		const char *key = table % 3 == 0 ? "lop3.b32" : table % 3 == 1 ? "lop3.or.b32" : "lop3.and.b32";
		uint32_t mask = table % 2 ? (uint32_t)xh_random() : FULL_MASK;
		h.u.d = d;
		h.u.a = a;
		h.u.b = b;
		h.u.c = c;
		h.u.x[0] = table % 3 ? p : lut;
		h.u.x[1] = table % 3 ? lut : p;
		h.u.x[2] = q;
		for (unsigned i = 0; i < WARP; i++)
			((uint32_t *)(h.frame + lut))[i] = table;
		size_t size = (XH_ROWS + 1) * XH_ROW;
		memcpy(h.before, h.frame, size);
		for (unsigned level = 0; level <= exec_best_level(); level++) {
			memcpy(h.frame, h.before, size);
			exec_find_at((enum exec_level)level, key)(h.frame, &h.u, mask, &h.w);
			for (unsigned i = 0; i < WARP; i++) {
				uint32_t x = (uint32_t)xh_get(h.frame + a, PTX_T_B32, i),
						 y = (uint32_t)xh_get(h.frame + b, PTX_T_B32, i);
				uint32_t z = (uint32_t)xh_get(h.frame + c, PTX_T_B32, i), want = 0;
				for (unsigned k = 0; k < 32; k++)
					want |= (table >> ((x >> k & 1) << 2 | (y >> k & 1) << 1 | (z >> k & 1)) & 1) << k;
				bool on = mask >> i & 1, old = xh_get(h.before + p, PTX_T_PRED, i),
					 other = xh_get(h.before + q, PTX_T_PRED, i);
				if (!on)
					want = (uint32_t)xh_get(h.before + d, PTX_T_B32, i);
				ck_assert_uint_eq(xh_get(h.frame + d, PTX_T_B32, i), want);
				bool t = table % 3 == 1 ? want || other : want && other;
				if (table % 3)
					ck_assert_uint_eq(xh_get(h.frame + p, PTX_T_PRED, i), on ? t : old);
			}
		}
	}
	xh_free(&h);
}
END_TEST

// prmt with the same selector in all lanes, as an immediate is: all selectors of two bytes, and so each of a byte in each place. The
// destination may be one of the sources.
START_TEST(every_selector_of_prmt)
{
	struct xh h;
	xh_init(&h);
	int32_t a = 2 * XH_ROW, b = 3 * XH_ROW, c = 4 * XH_ROW;
	h.u.a = a;
	h.u.b = b;
	h.u.c = c;
	for (unsigned low = 0; low < 256; low++) {
		uint32_t sel = low | (low * 37 & 0xff) << 8 | (uint32_t)xh_random() << 16, mask = low % 2 ? (uint32_t)xh_random() : FULL_MASK;
		h.u.d = (1 + (int)(low / 2) % 3) * XH_ROW;
		for (unsigned i = 0; i < WARP; i++)
			((uint32_t *)(h.frame + c))[i] = sel;
		size_t size = (XH_ROWS + 1) * XH_ROW;
		memcpy(h.before, h.frame, size);
		for (unsigned level = 0; level <= exec_best_level(); level++) {
			memcpy(h.frame, h.before, size);
			exec_find_at((enum exec_level)level, "prmt.b32")(h.frame, &h.u, mask, &h.w);
			for (unsigned i = 0; i < WARP; i++) {
				struct xh_case key = {.key = "prmt.b32"};
				uint64_t s[3] = {xh_get(h.before + a, PTX_T_B32, i), xh_get(h.before + b, PTX_T_B32, i), sel}, want = 0;
				ref_prmt(&key, s, &want);
				if (!(mask >> i & 1))
					want = xh_get(h.before + h.u.d, PTX_T_B32, i);
				ck_assert_uint_eq(xh_get(h.frame + h.u.d, PTX_T_B32, i), want);
			}
		}
	}
	xh_free(&h);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec logic");
	TCase *t = tcase_create("keys");
	tcase_add_loop_test(t, logic, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(t, negated_predicates);
	tcase_add_test(t, every_table_of_lop3);
	tcase_add_test(t, every_selector_of_prmt);
	suite_add_tcase(s, t);
	return check_main(s);
}
