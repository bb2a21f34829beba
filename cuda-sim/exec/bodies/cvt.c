// Conversions. The combinations that compiled code uses have bodies that vectorise where the CPU can; all others go
// through cvt_any, which reads the micro-op's mode.
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/numbers/softfp.h"

// Integer types. X(text, row, value, signed type of conversions, bits)
#define UNSIGNED(X) \
	X(u8, uint32_t, uint8_t, int32_t, 8) X(u16, uint32_t, uint16_t, int32_t, 16) \
	X(u32, uint32_t, uint32_t, int32_t, 32) X(u64, uint64_t, uint64_t, int64_t, 64)
#define SIGNED(X) \
	X(s8, uint32_t, int8_t, int32_t, 8) X(s16, uint32_t, int16_t, int32_t, 16) \
	X(s32, uint32_t, int32_t, int32_t, 32) X(s64, uint64_t, int64_t, int64_t, 64)

// The same list in two levels, for products of types: S is the outer type.
#define INNER(X, s, RS, VS) \
	X(u8, uint32_t, uint8_t, s, RS, VS) X(s8, uint32_t, int8_t, s, RS, VS) \
	X(u16, uint32_t, uint16_t, s, RS, VS) X(s16, uint32_t, int16_t, s, RS, VS) \
	X(u32, uint32_t, uint32_t, s, RS, VS) X(s32, uint32_t, int32_t, s, RS, VS) \
	X(u64, uint64_t, uint64_t, s, RS, VS) X(s64, uint64_t, int64_t, s, RS, VS)
#define PAIRS(X) \
	INNER(X, u8, uint32_t, uint8_t) INNER(X, s8, uint32_t, int8_t) \
	INNER(X, u16, uint32_t, uint16_t) INNER(X, s16, uint32_t, int16_t) \
	INNER(X, u32, uint32_t, uint32_t) INNER(X, s32, uint32_t, int32_t) \
	INNER(X, u64, uint64_t, uint64_t) INNER(X, s64, uint64_t, int64_t)

#define LIMITS_u8  0, UINT8_MAX
#define LIMITS_s8  INT8_MIN, INT8_MAX
#define LIMITS_u16 0, UINT16_MAX
#define LIMITS_s16 INT16_MIN, INT16_MAX
#define LIMITS_u32 0, UINT32_MAX
#define LIMITS_s32 INT32_MIN, INT32_MAX
#define LIMITS_u64 0, UINT64_MAX
#define LIMITS_s64 INT64_MIN, INT64_MAX

static inline uint64_t clamp_signed(int64_t v, int64_t lo, uint64_t hi)
{
	return v < lo ? (uint64_t)lo : v > 0 && (uint64_t)v > hi ? hi : (uint64_t)v;
}

static inline uint64_t clamp_unsigned(uint64_t v, int64_t lo, uint64_t hi)
{
	return v > hi ? hi : v;
}

// Clamping of a value of 32 bits or fewer to a type of 32 bits or fewer.
static inline uint32_t clamp_narrow(int64_t v, int64_t lo, int64_t hi)
{
	return (uint32_t)(v < lo ? lo : v > hi ? hi : v);
}

// Narrow results are extended to their row, so that the register reads right as a wider type too.
#define X(dt, RD, VD, st, RS, VS)                                                                               \
	BODY(cvt_##dt##_##st)                                                                                   \
	{                                                                                                     \
		RD *rd = ROW(RD, u->d);                                                                       \
		const RS *ra = ROW(RS, u->a);                                                                 \
		LANES(RD, rd, (VD)(VS)ra[i]);                                                                 \
	}                                                                                                     \
	BODY(cvt_sat_##dt##_##st)                                                                               \
	{                                                                                                     \
		RD *rd = ROW(RD, u->d);                                                                       \
		const RS *ra = ROW(RS, u->a);                                                                 \
		if (sizeof(RD) == 4 && sizeof(RS) == 4)                                                       \
			LANES(RD, rd, clamp_narrow((VS)ra[i], LIMITS_##dt));                                   \
		else if ((VS)-1 < (VS)1)                                                                      \
			LANES(RD, rd, clamp_signed((int64_t)(VS)ra[i], LIMITS_##dt));                          \
		else                                                                                          \
			LANES(RD, rd, clamp_unsigned((VS)ra[i], LIMITS_##dt));                                 \
	}
PAIRS(X)
#undef X

// Float to integer. `r` is integral already; what does not fit is clamped, a NaN gives `nan`. W is the signed type that
// the CPU converts to.
#define TO_SIGNED(F, f, D, W, bits, nan)                                                                      \
	({                                                                                                    \
		const F r_ = (f), top_ = (F)((uint64_t)1 << (bits - 1));                                      \
		const W fit_ = (W)(r_ >= -top_ && r_ < top_ ? r_ : 0);                                          \
		const W max_ = (W)(((uint64_t)1 << (bits - 1)) - 1);                                          \
		r_ >= top_ ? max_ : r_ < -top_ ? -max_ - 1 : r_ != r_ ? (W)(D)(nan) : fit_;                    \
	})
#define TO_UNSIGNED(F, f, D, W, bits, nan)                                                                    \
	({                                                                                                    \
		const F r_ = (f), half_ = (F)((uint64_t)1 << (bits - 1));                                     \
		const W low_ = (W)(r_ > 0 && r_ < half_ ? r_ : 0);                                            \
		const W high_ = (W)(r_ >= half_ && r_ < 2 * half_ ? r_ - half_ : 0);                          \
		r_ >= 2 * half_ ? (D)-1 : r_ >= half_ ? (D)((D)high_ + ((D)1 << (bits - 1)))                  \
		                : r_ != r_ ? (D)(nan) : (D)low_;                                              \
	})

// PTX ISA, cvt: NaN becomes zero if the source is not f64 and the destination not 64 bits wide, else 1 << (bits - 1).
#define NAN_f32(bits) ((bits) == 64 ? (uint64_t)1 << 63 : 0)
#define NAN_f64(bits) ((uint64_t)1 << ((bits) - 1))

#define ROUNDED(D, RD, W, bits, f, F, KIND, rnd)                                                              \
	BODY(cvt_##rnd##_##D##_##f)                                                                           \
	{                                                                                                     \
		RD *rd = ROW(RD, u->d);                                                                       \
		const F *ra = ROW(F, u->a);                                                                   \
		LANES(RD, rd, KIND(F, f##_##rnd(ra[i]), V_##D, W, bits, NAN_##f(bits)));                      \
	}
#define ROUNDINGS(D, RD, W, bits, f, F, KIND)                                                                 \
	ROUNDED(D, RD, W, bits, f, F, KIND, rni) ROUNDED(D, RD, W, bits, f, F, KIND, rzi)                     \
	ROUNDED(D, RD, W, bits, f, F, KIND, rmi) ROUNDED(D, RD, W, bits, f, F, KIND, rpi)
#define X(t, R, V, W, bits) typedef V V_##t;
UNSIGNED(X) SIGNED(X)
#undef X
#define X(t, R, V, W, bits) \
	ROUNDINGS(t, R, W, bits, f32, float, TO_UNSIGNED) ROUNDINGS(t, R, W, bits, f64, double, TO_UNSIGNED)
UNSIGNED(X)
#undef X
#define X(t, R, V, W, bits) \
	ROUNDINGS(t, R, W, bits, f32, float, TO_SIGNED) ROUNDINGS(t, R, W, bits, f64, double, TO_SIGNED)
SIGNED(X)
#undef X

// Integer to float, to nearest. Through double where that is exact: it vectorises for unsigned values too.
static inline double u32_to_f64(uint32_t v)
{
	return (double)(int32_t)(v ^ 0x80000000u) + 2147483648.0;
}

// Values with the top bit set are halved, the lost bit kept sticky, so that the only rounding is the conversion's.
static inline float u64_to_f32(uint64_t v)
{
	return v >> 63 ? (float)(int64_t)(v >> 1 | (v & 1)) * 2 : (float)(int64_t)v;
}

static inline double u64_to_f64(uint64_t v)
{
	return v >> 63 ? (double)(int64_t)(v >> 1 | (v & 1)) * 2 : (double)(int64_t)v;
}

// X(text, row, conversion to f32 of v, conversion to f64 of v)
#define FROM_INT(X)                                                                                           \
	X(u8, uint32_t, (float)(int32_t)(uint8_t)v, (double)(int32_t)(uint8_t)v)                              \
	X(s8, uint32_t, (float)(int8_t)v, (double)(int8_t)v)                                                  \
	X(u16, uint32_t, (float)(int32_t)(uint16_t)v, (double)(int32_t)(uint16_t)v)                           \
	X(s16, uint32_t, (float)(int16_t)v, (double)(int16_t)v)                                               \
	X(u32, uint32_t, (float)u32_to_f64(v), u32_to_f64(v))                                                 \
	X(s32, uint32_t, (float)(int32_t)v, (double)(int32_t)v)                                               \
	X(u64, uint64_t, u64_to_f32(v), u64_to_f64(v))                                                        \
	X(s64, uint64_t, (float)(int64_t)v, (double)(int64_t)v)
#define X(s, R, to32, to64)                                                                                   \
	BODY(cvt_f32_##s)                                                                                     \
	{                                                                                                     \
		float *rd = ROW(float, u->d);                                                                 \
		const R *ra = ROW(R, u->a);                                                                   \
		LANES(float, rd, ({ const R v = ra[i]; to32; }));                                             \
	}                                                                                                     \
	BODY(cvt_f64_##s)                                                                                     \
	{                                                                                                     \
		double *rd = ROW(double, u->d);                                                               \
		const R *ra = ROW(R, u->a);                                                                   \
		LANES(double, rd, ({ const R v = ra[i]; to64; }));                                            \
	}
FROM_INT(X)
#undef X

// Float to float.
BODY(cvt_f64_f32)
{
	double *rd = ROW(double, u->d);
	const float *ra = ROW(float, u->a);
	LANES(double, rd, f64_canon((double)ra[i]));
}

BODY(cvt_f32_f64)
{
	float *rd = ROW(float, u->d);
	const double *ra = ROW(double, u->a);
	LANES(float, rd, f32_canon((float)ra[i]));
}

#define X(rnd)                                                   \
	BODY1(cvt_##rnd##_f32_f32, float, float, f32_canon(f32_##rnd(a))) \
	BODY1(cvt_##rnd##_f64_f64, double, double, f64_canon(f64_##rnd(a)))
X(rni) X(rzi) X(rmi) X(rpi)
#undef X
// ptxas makes moves of these two and of the widening of bf16, so a NaN stays what it is.
BODY1(cvt_f32_f32, uint32_t, uint32_t, a)
BODY1(cvt_f64_f64, uint64_t, uint64_t, a)
BODY1(cvt_ftz_f32_f32, float, float, f32_canon(f32_flush(a)))
BODY1(cvt_sat_f32_f32, float, float, f32_sat(a))
BODY1(cvt_ftz_sat_f32_f32, float, float, f32_sat(f32_flush(a)))

BODY1(cvt_f32_f16, uint32_t, uint32_t, f32_bits(softfp_f16_to_f32((uint16_t)a)))
BODY1(cvt_f32_bf16, uint32_t, uint32_t, a << 16)
BODY1(cvt_rn_f16_f32, uint32_t, uint32_t, softfp_f32_to_f16(f32_of(a)))
BODY1(cvt_rn_bf16_f32, uint32_t, uint32_t, softfp_f32_to_bf16(f32_of(a)))
BODY2(cvt_rn_f16x2_f32, uint32_t, uint32_t,
      (uint32_t)softfp_f32_to_f16(f32_of(a)) << 16 | softfp_f32_to_f16(f32_of(b)))
BODY2(cvt_rn_bf16x2_f32, uint32_t, uint32_t,
      (uint32_t)softfp_f32_to_bf16(f32_of(a)) << 16 | softfp_f32_to_bf16(f32_of(b)))
BODY1(cvt_rna_tf32_f32, uint32_t, uint32_t, softfp_f32_to_tf32_rna(f32_of(a)))
BODY1(cvt_rna_satfinite_tf32_f32, uint32_t, uint32_t, softfp_f32_to_tf32_rna_finite(f32_of(a)))

// The rest, one lane at a time.

// Of a type: its format if it is a float, its bits (of one element, if packed), whether it is signed, wide or packed.
struct kind {
	bool is_float, is_signed, packed;
	enum softfp_fmt fmt;
	unsigned bits;
};

static struct kind kind_of(enum uop_type t)
{
	switch (t) {
	case UOP_T_U8: return (struct kind){.bits = 8};
	case UOP_T_U16: return (struct kind){.bits = 16};
	case UOP_T_U32: return (struct kind){.bits = 32};
	case UOP_T_U64: return (struct kind){.bits = 64};
	case UOP_T_S8: return (struct kind){.bits = 8, .is_signed = true};
	case UOP_T_S16: return (struct kind){.bits = 16, .is_signed = true};
	case UOP_T_S32: return (struct kind){.bits = 32, .is_signed = true};
	case UOP_T_S64: return (struct kind){.bits = 64, .is_signed = true};
	case UOP_T_F16: return (struct kind){true, true, false, SOFTFP_F16, 16};
	case UOP_T_F16X2: return (struct kind){true, true, true, SOFTFP_F16, 16};
	case UOP_T_BF16: return (struct kind){true, true, false, SOFTFP_BF16, 16};
	case UOP_T_BF16X2: return (struct kind){true, true, true, SOFTFP_BF16, 16};
	case UOP_T_TF32: return (struct kind){true, true, false, SOFTFP_TF32, 32};
	case UOP_T_F64: return (struct kind){true, true, false, SOFTFP_F64, 64};
	case UOP_T_E4M3X2: return (struct kind){true, true, true, SOFTFP_E4M3, 8};
	case UOP_T_E5M2X2: return (struct kind){true, true, true, SOFTFP_E5M2, 8};
	default: return (struct kind){true, true, false, SOFTFP_F32, 32};
	}
}

static double to_double(struct kind k, uint64_t v)
{
	return f64_of(softfp_convert(SOFTFP_F64, k.fmt, v, ROUND_RN, false));
}

static bool integral(enum rounding rnd)
{
	return rnd == ROUND_RNI || rnd == ROUND_RZI || rnd == ROUND_RMI || rnd == ROUND_RPI;
}

// A float of kind k clamped: by .sat to [0, 1] (NaN to 0), by .relu to what is not negative (NaN stays NaN).
static uint64_t clamp_float(const struct uop_mode *m, struct kind k, uint64_t v)
{
	if (m->sat || m->relu) {
		double x = to_double(k, v);
		if (m->sat)
			return softfp_convert(k.fmt, SOFTFP_F64, f64_bits(f64_sat(x)), ROUND_RN, false);
		if (v >> (k.bits - 1) & 1 && x == x)
			return 0;
	}
	return v;
}

static uint64_t convert(const struct uop_mode *m, struct kind d, struct kind s, uint64_t v)
{
	enum rounding rnd = (enum rounding)m->rnd;
	if (s.bits < 64)
		v &= ((uint64_t)1 << s.bits) - 1;
	if (!s.is_float) {
		int64_t sv = s.is_signed ? (int64_t)(v << (64 - s.bits)) >> (64 - s.bits) : 0;
		return clamp_float(m, d, s.is_signed ? softfp_from_sint(d.fmt, sv, rnd) : softfp_from_uint(d.fmt, v, rnd));
	}
	if (m->ftz && s.fmt == SOFTFP_F32)
		v = f32_bits(f32_flush(f32_of((uint32_t)v)));
	if (!d.is_float) {
		uint64_t nan = softfp_cvt_nan(s.bits, d.bits);
		double x = to_double(s, v);
		uint64_t r = d.is_signed ? softfp_f64_to_sint(x, rnd, d.bits, nan) : softfp_f64_to_uint(x, rnd, d.bits, nan);
		return d.is_signed ? (uint64_t)((int64_t)(r << (64 - d.bits)) >> (64 - d.bits)) : r;
	}
	if (integral(rnd)) // both types are the same
		v = softfp_convert(s.fmt, SOFTFP_F64, f64_bits(softfp_integral_f64(to_double(s, v), rnd)), ROUND_RN, false);
	uint64_t r = softfp_convert(d.fmt, s.fmt, v, rnd, m->satfinite);
	if (d.fmt == SOFTFP_F64)
		r = f64_bits(f64_canon(f64_of(r)));
	if (m->ftz && d.fmt == SOFTFP_F32)
		r = f32_bits(f32_flush(f32_of((uint32_t)r)));
	return clamp_float(m, d, r);
}

static inline uint64_t read_lane(const uint8_t *fp, int32_t off, unsigned bits, unsigned i)
{
	return bits == 64 ? ROW(uint64_t, off)[i] : ROW(uint32_t, off)[i];
}

static inline void write_lane(uint8_t *fp, int32_t off, unsigned bits, unsigned i, uint64_t v)
{
	if (bits == 64)
		ROW(uint64_t, off)[i] = v;
	else
		ROW(uint32_t, off)[i] = (uint32_t)v;
}

BODY(cvt_any)
{
	const struct uop_mode *m = &u->mode;
	const struct kind d = kind_of((enum uop_type)m->type[0]), s = kind_of((enum uop_type)m->type[1]);
	EACH(i) {
		uint64_t a = read_lane(fp, u->a, s.bits, i), r;
		if (!d.packed) {
			r = convert(m, d, s, a);
		} else if (s.packed) { // two values in one register
			r = convert(m, d, s, a >> s.bits) << d.bits | convert(m, d, s, a);
		} else { // two operands: the first becomes the upper half
			r = convert(m, d, s, a) << d.bits | convert(m, d, s, read_lane(fp, u->b, s.bits, i));
		}
		write_lane(fp, u->d, d.bits, i, r);
	}
}

// cvt.pack: a and b, clamped to the first type, side by side; the 8-bit forms shift c up and put them below.
#define PACK(name, V, bits, lo, hi)                                                                           \
	BODY(name)                                                                                            \
	{                                                                                                     \
		uint32_t *rd = ROW(uint32_t, u->d);                                                           \
		const uint32_t *ra = ROW(uint32_t, u->a), *rb = ROW(uint32_t, u->b);                          \
		const uint32_t *rc = bits == 8 ? ROW(uint32_t, u->c) : rb;                                    \
		const uint32_t m = (1u << bits) - 1;                                                          \
		LANES(uint32_t, rd, ({                                                                        \
			const V a = (V)ra[i], b = (V)rb[i];                                                   \
			const uint32_t x = clamp_narrow(a, lo, hi) & m, y = clamp_narrow(b, lo, hi) & m;      \
			(bits == 8 ? rc[i] << 16 : 0) | x << bits | y;                                        \
		}));                                                                                          \
	}
PACK(pack_u16_s32, int32_t, 16, 0, UINT16_MAX)
PACK(pack_s16_s32, int32_t, 16, INT16_MIN, INT16_MAX)
PACK(pack_u8_s32, int32_t, 8, 0, UINT8_MAX)
PACK(pack_s8_s32, int32_t, 8, INT8_MIN, INT8_MAX)

const struct exec_body EXEC_TABLE(cvt)[] = {
#define X(dt, RD, VD, st, RS, VS) \
	{"cvt." #dt "." #st, cvt_##dt##_##st}, {"cvt.sat." #dt "." #st, cvt_sat_##dt##_##st},
	PAIRS(X)
#undef X
// Flushing a subnormal changes no result of rounding to nearest or towards zero; .sat clamps, as is done anyway.
#define BOTH(rnd, t, f) \
	{"cvt." #rnd "." #t "." #f, cvt_##rnd##_##t##_##f}, {"cvt." #rnd ".sat." #t "." #f, cvt_##rnd##_##t##_##f}
#define X(t, R, V, W, bits)                                                                                   \
	BOTH(rni, t, f32), BOTH(rzi, t, f32), BOTH(rmi, t, f32), BOTH(rpi, t, f32),                           \
	BOTH(rni, t, f64), BOTH(rzi, t, f64), BOTH(rmi, t, f64), BOTH(rpi, t, f64),                           \
	{"cvt.rni.ftz." #t ".f32", cvt_rni_##t##_f32}, {"cvt.rzi.ftz." #t ".f32", cvt_rzi_##t##_f32},
	UNSIGNED(X) SIGNED(X)
#undef X
#define X(s, R, to32, to64) {"cvt.rn.f32." #s, cvt_f32_##s}, {"cvt.rn.f64." #s, cvt_f64_##s},
	FROM_INT(X)
#undef X
	{"cvt.f64.f32", cvt_f64_f32}, {"cvt.rn.f32.f64", cvt_f32_f64},
#define X(rnd) {"cvt." #rnd ".f32.f32", cvt_##rnd##_f32_f32}, {"cvt." #rnd ".f64.f64", cvt_##rnd##_f64_f64},
	X(rni) X(rzi) X(rmi) X(rpi)
#undef X
	{"cvt.f32.f32", cvt_f32_f32}, {"cvt.rn.f32.f32", cvt_f32_f32}, {"cvt.f64.f64", cvt_f64_f64},
	{"cvt.ftz.f32.f32", cvt_ftz_f32_f32},
	{"cvt.sat.f32.f32", cvt_sat_f32_f32}, {"cvt.ftz.sat.f32.f32", cvt_ftz_sat_f32_f32},
	{"cvt.f32.f16", cvt_f32_f16}, {"cvt.f32.bf16", cvt_f32_bf16},
	{"cvt.rn.f16.f32", cvt_rn_f16_f32}, {"cvt.rn.bf16.f32", cvt_rn_bf16_f32},
	{"cvt.rn.f16x2.f32", cvt_rn_f16x2_f32}, {"cvt.rn.bf16x2.f32", cvt_rn_bf16x2_f32},
	{"cvt.rna.tf32.f32", cvt_rna_tf32_f32}, {"cvt.rna.satfinite.tf32.f32", cvt_rna_satfinite_tf32_f32},
	{"cvt.pack.sat.u16.s32", pack_u16_s32}, {"cvt.pack.sat.s16.s32", pack_s16_s32},
	{"cvt.pack.sat.u8.s32.b32", pack_u8_s32}, {"cvt.pack.sat.s8.s32.b32", pack_s8_s32},
	// Not executed: stochastic rounding, and types that cvt_any does not know.
	{"cvt.rs*", NULL}, {"cvt.*e2m*", NULL}, {"cvt.*e3m*", NULL}, {"cvt.*ue8m0*", NULL}, {"cvt.*x4*", NULL},
	{"cvt.*s2f6*", NULL}, {"cvt.*scale*", NULL},
	{"cvt.r*", cvt_any}, {"cvt.ftz.*", cvt_any}, {"cvt.sat.*", cvt_any}, {"cvt.f*", cvt_any}, {"cvt.bf16*", cvt_any},
	{0},
};
