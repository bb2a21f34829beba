// Video instructions, after the definitions of the PTX manual: sources are cut out and extended, the operation is
// exact, then come saturation, the second operation or the merge with c.
#include "cuda-sim/exec/lanes.h"
#include "cuda-sim/exec/video.h"

static int64_t number(uint64_t v, unsigned bits, bool is_signed)
{
	v <<= 64 - bits;
	return is_signed ? (int64_t)v >> (64 - bits) : (int64_t)(v >> (64 - bits));
}

static int64_t part(uint64_t v, struct video_part p, bool is_signed)
{
	return number(v >> p.at, p.bits, is_signed);
}

static int64_t clamp(int64_t v, unsigned bits, bool is_signed)
{
	int64_t top = (int64_t)1 << (bits - is_signed), low = is_signed ? -top : 0;
	return v < low ? low : v >= top ? top - 1 : v;
}

static bool compare(enum uop_cmp cmp, int64_t a, int64_t b)
{
	switch (cmp) {
	case UOP_EQ: return a == b;
	case UOP_NE: return a != b;
	case UOP_LT: return a < b;
	case UOP_LE: return a <= b;
	case UOP_GT: return a > b;
	default:     return a >= b;
	}
}

// Sources have 33 bits with their sign; a result has 34, which only a left shift can overflow.
static int64_t operate(const struct video *v, int64_t a, int64_t b)
{
	switch (v->op) {
	case VIDEO_ADD:     return a + b;
	case VIDEO_SUB:     return a - b;
	case VIDEO_AVRG:    return (a + b + (a + b >= 0)) >> 1;
	case VIDEO_ABSDIFF: return a < b ? b - a : a - b;
	case VIDEO_MIN:     return a < b ? a : b;
	case VIDEO_MAX:     return a > b ? a : b;
	case VIDEO_SHL:
	case VIDEO_SHR:
		b = v->wrap ? b & 31 : b > 32 ? 32 : b;
		return v->op == VIDEO_SHR ? a >> b : number((uint64_t)a << b, 34, true);
	default:            return compare(v->cmp, a, b);
	}
}

BODY(video_scalar)
{
	const struct video *v = (const struct video *)(uintptr_t)u->imm;
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);

	EACH(i) {
		int64_t r = operate(v, part(ra[i], v->a[0], v->a_signed), part(rb[i], v->b[0], v->b_signed));
		const int64_t c = v->second ? number(rc[i], 32, v->d_signed) : 0;

		if (v->sat)
			r = clamp(r, v->d.bits, v->d_signed);
		switch (v->second) {
		case VIDEO_SECOND_ADD: r += c; break;
		case VIDEO_SECOND_MIN: r = r < c ? r : c; break;
		case VIDEO_SECOND_MAX: r = r > c ? r : c; break;
		default:               break;
		}
		if (v->d.bits < 32) {
			const uint32_t field = ((1u << v->d.bits) - 1) << v->d.at;

			r = (rc[i] & ~field) | ((uint32_t)r << v->d.at & field);
		}
		rd[i] = (uint32_t)r;
	}
}

BODY(video_mad)
{
	const struct video *v = (const struct video *)(uintptr_t)u->imm;
	const bool is_signed = v->a_signed || v->b_signed || v->neg_product || v->neg_c;
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);

	EACH(i) {
		__int128 r = (__int128)part(ra[i], v->a[0], v->a_signed) * part(rb[i], v->b[0], v->b_signed);

		r = v->neg_product ? -r : r;
		// A negated c is inverted before it is extended (PTX manual), and one added.
		r += number(v->neg_c ? ~rc[i] : rc[i], 32, is_signed) + (v->po || v->neg_c);
		r >>= v->scale;
		if (v->sat) {
			const __int128 top = (__int128)1 << (32 - is_signed), low = is_signed ? -top : 0;

			r = r < low ? low : r >= top ? top - 1 : r;
		}
		rd[i] = (uint32_t)r;
	}
}

BODY(video_simd)
{
	const struct video *v = (const struct video *)(uintptr_t)u->imm;
	const unsigned bits = 32 / v->elems;
	const uint32_t ones = (uint32_t)(((uint64_t)1 << bits) - 1);
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);

	EACH(i) {
		const uint64_t both = (uint64_t)rb[i] << 32 | ra[i];
		uint32_t d = rc[i];

		for (unsigned k = 0; k < v->elems; k++) {
			if (!(v->mask >> k & 1))
				continue;
			int64_t r = operate(v, part(both, v->a[k], v->a_signed), part(both, v->b[k], v->b_signed));

			if (v->sat)
				r = clamp(r, bits, v->d_signed);
			if (v->second == VIDEO_SECOND_ADD)
				d += (uint32_t)r;
			else
				d = (d & ~(ones << k * bits)) | ((uint32_t)r & ones) << k * bits;
		}
		rd[i] = d;
	}
}

#define SCALAR(op) {#op ".*", video_scalar}
#define SIMD(op)   {#op "2.*", video_simd}, {#op "4.*", video_simd}
const struct exec_body EXEC_TABLE(video)[] = {
	SCALAR(vadd), SCALAR(vsub), SCALAR(vabsdiff), SCALAR(vmin), SCALAR(vmax), SCALAR(vshl), SCALAR(vshr), SCALAR(vset),
	{"vmad.*", video_mad},
	SIMD(vadd), SIMD(vsub), SIMD(vavrg), SIMD(vabsdiff), SIMD(vmin), SIMD(vmax), SIMD(vset),
	{0},
};
