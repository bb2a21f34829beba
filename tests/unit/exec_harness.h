// Runs one instruction body on rows of random and corner values, with full, partial and single-lane masks, at every
// level that this CPU has, and checks
//  - that all active lanes hold what an independent host function computes,
//  - that nothing but the active lanes of the destination has changed,
//  - that all levels leave the same bytes.
//
// A case is a key and a signature "destinations=sources" in types: "s32=s32,s32", "pred,pred=f32,f32,pred",
// "u64=u32,u32,u64". Sources go to a, b, c, x[0] ..., destinations to d, x[0] ... (so a fourth source shifts behind the
// second destination). The reference gets the sources' bits, narrowed to their types and zero-extended.
#ifndef TESTS_EXEC_HARNESS_H
#define TESTS_EXEC_HARNESS_H

#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/exec/warp.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum { XH_MAX = 8, XH_ROWS = 20 };

struct xh_case {
	const char *key;
	struct ptx_mods mods;
	enum ptx_type dst[XH_MAX], src[XH_MAX];
	unsigned n_dst, n_src;
	unsigned lane; // while the reference runs
	bool carry;    // cc of the lane before, and what the reference wants after
	bool carry_out;
	bool alias;    // the destination is the first source's row
};

// Writes the expected destinations' bits. Bits beyond the types are not compared.
typedef void xh_ref(struct xh_case *c, const uint64_t *s, uint64_t *d);

static uint64_t xh_seed = 0x9e3779b97f4a7c15u;

static inline uint64_t xh_random(void)
{
	xh_seed ^= xh_seed << 13;
	xh_seed ^= xh_seed >> 7;
	xh_seed ^= xh_seed << 17;
	return xh_seed * 0x2545f4914f6cdd1du;
}

static inline enum ptx_type xh_type(const char *text, size_t len)
{
	static const char *const names[PTX_N_TYPES] = {
#define X(name, t, bits, kind) [PTX_T_##name] = t,
		PTX_TYPES(X)
#undef X
	};
	for (unsigned i = 1; i < PTX_N_TYPES; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], text, len))
			return (enum ptx_type)i;
	return PTX_T_NONE;
}

static inline unsigned xh_bits(enum ptx_type t)
{
	static const uint8_t bits[PTX_N_TYPES] = {
#define X(name, t, b, kind) [PTX_T_##name] = b,
		PTX_TYPES(X)
#undef X
	};
	return bits[t];
}

// Sorts the suffixes of a key into modifiers.
static inline void xh_mods(struct ptx_mods *m, const char *key)
{
	static const struct {
		const char *text;
		size_t field;
		uint8_t value;
	} known[] = {
#define F(text, field, value) {text, offsetof(struct ptx_mods, field), value}
		F("rn", rnd, ROUND_RN), F("rz", rnd, ROUND_RZ), F("rm", rnd, ROUND_RM), F("rp", rnd, ROUND_RP),
		F("rna", rnd, ROUND_RNA), F("rni", rnd, ROUND_RNI), F("rzi", rnd, ROUND_RZI), F("rmi", rnd, ROUND_RMI),
		F("rpi", rnd, ROUND_RPI), F("ftz", ftz, 1), F("sat", sat, 1), F("approx", approx, 1), F("full", full, 1),
		F("wide", wide, 1), F("hi", hi, 1), F("lo", lo, 1), F("cc", cc, 1), F("relu", relu, 1), F("NaN", nan, 1),
		F("xorsign", xorsign, 1), F("abs", abs, 1), F("satfinite", satfinite, 1), F("wrap", wrap, 1),
		F("clamp", clamp, 1), F("and", boolop, UOP_AND), F("or", boolop, UOP_OR), F("xor", boolop, UOP_XOR),
		F("eq", cmp, UOP_EQ), F("ne", cmp, UOP_NE), F("lt", cmp, UOP_LT), F("le", cmp, UOP_LE),
		F("gt", cmp, UOP_GT), F("ge", cmp, UOP_GE), F("ls", cmp, UOP_LS), F("hs", cmp, UOP_HS),
		F("lo", cmp, UOP_LO), F("hi", cmp, UOP_HI), F("equ", cmp, UOP_EQU), F("neu", cmp, UOP_NEU),
		F("ltu", cmp, UOP_LTU), F("leu", cmp, UOP_LEU), F("gtu", cmp, UOP_GTU), F("geu", cmp, UOP_GEU),
		F("num", cmp, UOP_NUM), F("nan", cmp, UOP_NAN),
#undef F
	};
	unsigned n_types = 0;
	m->vec = 1;
	for (const char *s = strchr(key, '.'); s; ) {
		const char *end = strchr(++s, '.');
		size_t len = end ? (size_t)(end - s) : strlen(s);
		enum ptx_type t = xh_type(s, len);
		if (t && n_types < 3)
			m->type[n_types++] = (uint8_t)t;
		for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (strlen(known[i].text) == len && !memcmp(known[i].text, s, len))
				((uint8_t *)m)[known[i].field] = known[i].value;
		s = end;
	}
}

static inline unsigned xh_signature(const char *s, size_t len, enum ptx_type *out)
{
	unsigned n = 0;
	for (size_t at = 0; at < len; n++) {
		size_t end = at;
		while (end < len && s[end] != ',')
			end++;
		ck_assert_uint_lt(n, XH_MAX);
		out[n] = xh_type(s + at, end - at);
		ck_assert_msg(out[n] != PTX_T_NONE, "unknown type in signature %s", s);
		at = end + 1;
	}
	return n;
}

// Corner values, then random bits, random floats near each other, small integers.
static inline uint64_t xh_value(enum ptx_type t)
{
	static const uint32_t f32[] = {
		0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f000000,
		0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
		0xffc00001, 0x7f800001, 0x7fffffff, 0x4b000000, 0x4b7fffff, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000,
		0x5f000000, 0xdf000000, 0x5f800000, 0x34000000, 0x477ff000, 0x33000000, 0x42ff0000, 0x43000000, 0x4f7fffff,
	};
	static const uint64_t f64[] = {
		0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
		0xbff0000000000000, 0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0x4004000000000000,
		0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0xfff8000000000001, 0x7ff0000000000001, 0x4330000000000000, 0x41e0000000000000, 0xc1e0000000000000,
		0x41dfffffffc00000, 0x41efffffffe00000, 0x41f0000000000000, 0x43e0000000000000, 0xc3e0000000000000,
		0x43f0000000000000, 0x36a0000000000000, 0x369fffffffffffff, 0x380fffffffffffff, 0x3810000000000000,
		0x47efffffe0000000, 0x47effffff0000000, 0x40efffffffffffff,
	};
	static const uint16_t f16[] = {0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3800, 0x7bff, 0xfbff,
	                               0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0x3e00, 0x4100, 0x7fff, 0x0200, 0x7ff7, 0xfff7};
	static const uint16_t bf16[] = {0, 0x8000, 1, 0x8001, 0x007f, 0x0080, 0x3f80, 0xbf80, 0x3f00, 0x7f7f, 0xff7f,
	                                0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x3fc0, 0x4020, 0x7fff, 0x0040, 0x7ff7, 0xfff7};
#define PICK(a) (a)[xh_random() % (sizeof(a) / sizeof((a)[0]))]
	uint64_t r = xh_random();
	unsigned how = (unsigned)(xh_random() % 4);
	switch (t) {
	case PTX_T_F32:
	case PTX_T_TF32: return how == 0 ? PICK(f32) : how == 1 ? 0x3f000000 + (r & 0x81ffffff) : (uint32_t)r;
	case PTX_T_F32X2: return xh_value(PTX_T_F32) << 32 | xh_value(PTX_T_F32);
	case PTX_T_F64:
		return how == 0 ? PICK(f64) : how == 1 ? 0x3fe0000000000000 + (r & 0x803fffffffffffff)
		                            : how == 2 ? 0x3800000000000000 + (r & 0x8fffffffffffffff) : r;
	case PTX_T_F16: return how == 0 ? PICK(f16) : (uint16_t)r;
	case PTX_T_BF16: return how == 0 ? PICK(bf16) : how == 1 ? 0x3f00 + (r & 0x81ff) : (uint16_t)r;
	case PTX_T_F16X2: return xh_value(PTX_T_F16) << 16 | xh_value(PTX_T_F16);
	case PTX_T_BF16X2: return xh_value(PTX_T_BF16) << 16 | xh_value(PTX_T_BF16);
	case PTX_T_S16X2:
	case PTX_T_U16X2: return (xh_value(PTX_T_S16) & 0xffff) << 16 | (xh_value(PTX_T_S16) & 0xffff);
	default: break;
	}
#undef PICK
	unsigned bits = xh_bits(t);
	uint64_t ones = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	if (how == 0) {
		const uint64_t corner[] = {0, 1, 2, ones, ones - 1, ones >> 1, (ones >> 1) + 1, (ones >> 1) - 1, 31, 32, 33, 63, 64};
		r = corner[r % 13];
	} else if (how == 1) {
		r %= 70;
	} else if (how == 2) {
		r >>= r & 63;
	}
	return r & ones;
}

// A row's contents for a type: what lies above a narrow type is rubbish on purpose.
static inline void xh_fill(uint8_t *row, enum ptx_type t)
{
	for (unsigned i = 0; i < WARP; i++) {
		uint64_t v = xh_value(t), junk = xh_random();
		unsigned bits = xh_bits(t);
		if (bits == 64)
			((uint64_t *)row)[i] = v;
		else
			((uint32_t *)row)[i] = (uint32_t)(bits == 32 ? v : v | junk << bits);
	}
}

static inline uint64_t xh_get(const uint8_t *row, enum ptx_type t, unsigned lane)
{
	unsigned bits = xh_bits(t);
	if (t == PTX_T_PRED)
		return *(const uint32_t *)row >> lane & 1;
	if (bits == 64)
		return ((const uint64_t *)row)[lane];
	uint32_t v = ((const uint32_t *)row)[lane];
	return bits == 32 ? v : v & (((uint32_t)1 << bits) - 1);
}

enum { XH_ROW = WARP * 8 }; // every row gets room for 64-bit lanes

struct xh {
	uint8_t *frame, *before, *plain;
	struct uop u;
	struct warp w;
	struct exec_cta cta;
	struct kernel_launch launch;
};

// A fresh environment with a frame of XH_ROWS rows; row k is at (k + 1) * XH_ROW.
static inline void xh_init(struct xh *h)
{
	size_t size = (XH_ROWS + 1) * XH_ROW;
	memset(h, 0, sizeof(*h));
	h->frame = aligned_alloc(64, size);
	h->before = aligned_alloc(64, size);
	h->plain = aligned_alloc(64, size);
	for (size_t i = 0; i < size; i++)
		h->frame[i] = (uint8_t)xh_random();
	h->w.fp = h->frame;
	h->w.cta = &h->cta;
	h->cta.launch = &h->launch;
	h->w.live = h->w.active = FULL_MASK;
}

static inline void xh_free(struct xh *h)
{
	free(h->frame);
	free(h->before);
	free(h->plain);
}

static inline uint8_t *xh_at(uint8_t *frame, int32_t off)
{
	return frame + off;
}

// The k-th destination's and source's places in a uop.
static inline int32_t *xh_dst(struct uop *u, unsigned k)
{
	return k == 0 ? &u->d : &u->x[k - 1];
}

static inline int32_t *xh_src(struct uop *u, unsigned k, unsigned n_dst)
{
	return k == 0 ? &u->a : k == 1 ? &u->b : k == 2 ? &u->c : &u->x[k - 3 + (n_dst > 1 ? n_dst - 1 : 0)];
}

static const char *const xh_level_name[] = {"plain", "avx2", "avx512"};

// Runs `rounds` fillings of one case; see the head of the file.
static inline void xh_check_rounds(const char *key, const char *signature, xh_ref *ref, uint32_t flags, unsigned rounds)
{
	struct xh h;
	struct xh_case c = {.key = key};
	const char *eq = strchr(signature, '=');
	ck_assert(eq);
	c.n_dst = xh_signature(signature, (size_t)(eq - signature), c.dst);
	c.n_src = xh_signature(eq + 1, strlen(eq + 1), c.src);
	xh_mods(&c.mods, key);
	xh_init(&h);
	size_t size = (XH_ROWS + 1) * XH_ROW;
	h.u.mode = decode_mode(&c.mods);
	h.u.flags = (uint16_t)flags;
	for (unsigned round = 0; round < rounds; round++) {
		int32_t row = XH_ROW;
		for (unsigned k = 0; k < 4; k++)
			h.u.x[k] = 19 * XH_ROW;
		for (unsigned k = 0; k < c.n_dst; k++, row += XH_ROW)
			*xh_dst(&h.u, k) = row;
		for (unsigned k = 0; k < c.n_src; k++, row += XH_ROW) {
			*xh_src(&h.u, k, c.n_dst) = row;
			if (c.src[k] == PTX_T_PRED)
				*(uint32_t *)(h.frame + row) = (uint32_t)xh_random();
			else
				xh_fill(h.frame + row, c.src[k]);
		}
		c.alias = round % 3 == 2 && c.n_dst == 1 && (xh_bits(c.dst[0]) == 64) == (xh_bits(c.src[0]) == 64) &&
		          (c.dst[0] == PTX_T_PRED) == (c.src[0] == PTX_T_PRED);
		if (c.alias)
			h.u.d = h.u.a;
		uint32_t cc = (uint32_t)xh_random();
		uint32_t mask = round % 4 == 0 ? FULL_MASK : round % 4 == 1 ? 1u << xh_random() % 32 : (uint32_t)xh_random();
		memcpy(h.before, h.frame, size);
		uint32_t plain_cc = 0;
		for (unsigned level = 0; level <= exec_best_level(); level++) {
			exec_fn *fn = exec_find_at((enum exec_level)level, key);
			ck_assert_msg(fn != NULL, "no body for %s", key);
			memcpy(h.frame, h.before, size);
			h.w.cc = cc;
			fn(h.frame, &h.u, mask, &h.w);
			if (level == 0) {
				memcpy(h.plain, h.frame, size);
				plain_cc = h.w.cc;
			}
			ck_assert_msg(!memcmp(h.plain, h.frame, size) && plain_cc == h.w.cc, "%s: %s differs from plain", key,
			              xh_level_name[level]);
		}
		// What the reference wants, into `before`, which must then equal the frame.
		uint64_t want[WARP][XH_MAX] = {{0}};
		uint32_t want_cc = cc;
		for (unsigned i = 0; i < WARP; i++) {
			uint64_t s[XH_MAX] = {0};
			for (unsigned k = 0; k < c.n_src; k++)
				s[k] = xh_get(h.before + *xh_src(&h.u, k, c.n_dst), c.src[k], i);
			if (!(mask >> i & 1))
				continue;
			c.lane = i;
			c.carry = c.carry_out = cc >> i & 1;
			ref(&c, s, want[i]);
			want_cc = (want_cc & ~(1u << i)) | (uint32_t)c.carry_out << i;
			for (unsigned k = 0; k < c.n_dst; k++) {
				enum ptx_type t = c.dst[k];
				int32_t off = *xh_dst(&h.u, k);
				uint64_t got = xh_get(h.frame + off, t, i);
				uint64_t w = xh_bits(t) == 64 ? want[i][k] : want[i][k] & (((uint64_t)1 << xh_bits(t)) - 1);
				ck_assert_msg(got == w, "%s (%llx, %llx, %llx, %llx) lane %u, result %u: got %llx, want %llx", key,
				              (unsigned long long)s[0], (unsigned long long)s[1], (unsigned long long)s[2],
				              (unsigned long long)s[3], i, k, (unsigned long long)got, (unsigned long long)w);
			}
		}
		ck_assert_msg(want_cc == h.w.cc, "%s: carry flags %08x, want %08x", key, h.w.cc, want_cc);
		for (unsigned k = 0; k < c.n_dst; k++) {
			int32_t off = *xh_dst(&h.u, k);
			if (c.dst[k] == PTX_T_PRED) {
				uint32_t *b = (uint32_t *)(h.before + off), *f = (uint32_t *)(h.frame + off);
				*b = (*b & ~mask) | (*f & mask);
				continue;
			}
			for (unsigned i = 0; i < WARP; i++) {
				unsigned bytes = xh_bits(c.dst[k]) == 64 ? 8 : 4;
				if (mask >> i & 1)
					memcpy(h.before + off + i * bytes, h.frame + off + i * bytes, bytes);
			}
		}
		// x[k] that the signature does not name is the scratch row, which a body may write.
		memcpy(h.before + 19 * XH_ROW, h.frame + 19 * XH_ROW, XH_ROW);
		ck_assert_msg(!memcmp(h.before, h.frame, size), "%s (mask %08x) wrote outside its active lanes", key, mask);
	}
	xh_free(&h);
}

static inline void xh_check(const char *key, const char *signature, xh_ref *ref)
{
	xh_check_rounds(key, signature, ref, 0, 60);
}

#endif
