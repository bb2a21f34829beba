// Video instructions: sources are cut out and extended, the operation is made in 64 bits, then come saturation, the second
// operation or the merge with c. Ptxas makes these of ordinary instructions, and saturates, compares and merges otherwise than
// the PTX manual says; the bodies do what its code does (tests/bodies/run compares them).
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

// Sources have 33 bits with their sign; only a left shift can overflow 64.
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
		return v->op == VIDEO_SHR ? a >> b : (int64_t)((uint64_t)a << b);
	default:            return compare(v->cmp, a, b);
	}
}

// A shift is clamped to 32 bits, also where it goes to a byte or a half. Others that go there are clamped to its largest number
// when anything is above it without regard to the sign, so that a negative result becomes that number. An unsigned result
// of 32 bits has no upper limit: the bits above the lower 32 are left to the second operation, and lost without one.
static int64_t saturate(const struct video *v, int64_t r)
{
	if (v->op == VIDEO_SHL || v->op == VIDEO_SHR)
		return clamp(number((uint64_t)r, 34, true), 32, v->d_signed);
	if (v->d.bits < 32) {
		const uint64_t top = ((uint64_t)1 << (v->d.bits - v->d_signed)) - 1;
		return (int64_t)((uint64_t)r > top ? top : (uint64_t)r);
	}
	return v->d_signed ? clamp(r, 32, true) : r < 0 ? 0 : r;
}

// Minimum and maximum compare 64 bits by the destination's sign: those of the exact result, but of sums, differences and
// saturated shifts the lower 32 with their sign extended.
static int64_t second(const struct video *v, int64_t r, int64_t c)
{
	const bool cut = v->op == VIDEO_ADD || v->op == VIDEO_SUB || (v->sat && (v->op == VIDEO_SHL || v->op == VIDEO_SHR));
	if (v->second == VIDEO_SECOND_ADD)
		return (int64_t)((uint64_t)r + (uint64_t)c);
	r = cut ? (int32_t)r : r;
	const bool above = v->d_signed ? r > c : (uint64_t)r > (uint64_t)c;
	return above == (v->second == VIDEO_SECOND_MAX) ? r : c;
}

BODY(video_scalar)
{
	const struct video *v = (const struct video *)(uintptr_t)u->imm;
	const uint32_t field = (uint32_t)(((uint64_t)1 << v->d.bits) - 1) << v->d.at;
	// Of a result for the upper half its upper half is taken.
	const unsigned up = v->d.bits == 16 ? 0 : v->d.at;
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);

	EACH(i) {
		int64_t r = operate(v, part(ra[i], v->a[0], v->a_signed), part(rb[i], v->b[0], v->b_signed));

		if (v->sat)
			r = saturate(v, r);
		if (v->second)
			r = second(v, r, number(rc[i], 32, v->d_signed));
		rd[i] = v->d.bits == 32 ? (uint32_t)r : (rc[i] & ~field) | ((uint32_t)r << up & field);
	}
}

// The product is one of signed numbers of 32 bits, and c has its sign extended, also where all sources are unsigned; only the
// shift and the limits are then unsigned.
BODY(video_mad)
{
	const struct video *v = (const struct video *)(uintptr_t)u->imm;
	const bool is_signed = v->a_signed || v->b_signed || v->neg_product || v->neg_c;
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b), *rc = ROW(uint32_t, u->c);

	EACH(i) {
		const int64_t a = (int32_t)part(ra[i], v->a[0], v->a_signed), b = (int32_t)part(rb[i], v->b[0], v->b_signed);
		int64_t r = v->neg_product ? -(a * b) : a * b;

		// A negated c is inverted, and one added.
		r += (int32_t)(v->neg_c ? ~rc[i] : rc[i]) + (int64_t)(v->po || v->neg_c);
		r = is_signed ? r >> v->scale : (int64_t)((uint64_t)r >> v->scale);
		if (v->sat)
			r = clamp(r, 32, is_signed);
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
