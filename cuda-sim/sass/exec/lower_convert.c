// Conversions between types of numbers.
#include "cuda-sim/sass/exec/lower.h"

#include <stdio.h>
#include <string.h>

// A type as keys write it, and its size in bytes.
struct type {
	const char *name;
	enum uop_type code;
	unsigned bytes;
};

static struct type float_type(unsigned log2, bool bf16)
{
	static const struct type of[] = {{"f16", UOP_T_F16, 2}, {"f16", UOP_T_F16, 2}, {"f32", UOP_T_F32, 4}, {"f64", UOP_T_F64, 8}};
	return bf16 ? (struct type){"bf16", UOP_T_BF16, 2} : of[log2 & 3];
}

// The type that three bits name: the size, and a fourth value for bf16.
static struct type float_at(const struct lower *x, unsigned bit)
{
	enum { BF16 = 4 };
	unsigned v = (unsigned)sass_run(x->i.word, bit, 3);
	return float_type(v & 3, v == BF16);
}

static struct type int_type(unsigned log2, bool is_signed)
{
	static const struct type u[] = {{"u8", UOP_T_U8, 1}, {"u16", UOP_T_U16, 2}, {"u32", UOP_T_U32, 4}, {"u64", UOP_T_U64, 8}};
	static const struct type s[] = {{"s8", UOP_T_S8, 1}, {"s16", UOP_T_S16, 2}, {"s32", UOP_T_S32, 4}, {"s64", UOP_T_S64, 8}};
	return is_signed ? s[log2 & 3] : u[log2 & 3];
}

// The part of a register that is named: byte or half `part` of it.
static int32_t part_of(struct lower *x, int32_t row, unsigned part, unsigned bytes)
{
	if (!part)
		return row;
	int32_t to = lower_temp(x, 4);
	lower_emit3(x, "shr.u32", to, row, lower_bits(x, 8 * bytes * part, false), 0);
	return to;
}

// From a row to the destination by PTX's conversion.
static void convert(struct lower *x, const char *rounding, struct type d, struct type s, int32_t row, struct uop_mode m)
{
	char key[48];
	int32_t to = d.bytes == 8 ? lower_temp(x, 8) : lower_dst(x);
	m.type[0] = (uint8_t)d.code;
	m.type[1] = (uint8_t)s.code;
	snprintf(key, sizeof key, "cvt.%s%s%s%s.%s", rounding, *rounding ? "." : "", m.ftz ? "ftz." : "", d.name, s.name);
	lower_emit3(x, key, to, row, 0, 0)->mode = m;
	if (d.bytes == 8)
		lower_put_pair(x, to);
}

static const char *direction(const struct uop_mode *m)
{
	return m->rnd == ROUND_RM ? "rm" : m->rnd == ROUND_RP ? "rp" : m->rnd == ROUND_RZ ? "rz" : "rn";
}

// To an integral value: .FLOOR, .CEIL, .TRUNC or to nearest.
static const char *integral(struct lower *x, struct uop_mode *m)
{
	m->rnd = lower_has(x, "FLOOR") ? ROUND_RMI : lower_has(x, "CEIL") ? ROUND_RPI : lower_has(x, "TRUNC") ? ROUND_RZI : ROUND_RNI;
	return m->rnd == ROUND_RMI ? "rmi" : m->rnd == ROUND_RPI ? "rpi" : m->rnd == ROUND_RZI ? "rzi" : "rni";
}

static void i2f(struct lower *x)
{
	struct sass_word w = x->i.word;
	struct type d = float_at(x, 75), s = int_type((unsigned)sass_run(w, 84, 2), sass_bit(w, 74));
	struct uop_mode m = lower_mode(x);
	if (x->src[0].abs)
		lower_fail(x, "an absolute value of an integer is not executed by this version");
	int32_t row = s.bytes == 8 ? lower_pair(x, 0) : lower_int(x, 0);
	if (s.bytes < 4 && x->src[0].kind != SX_O_IMM)
		row = part_of(x, row, (unsigned)sass_run(w, 60, 2), s.bytes);
	convert(x, direction(&m), d, s, row, m);
}

static void i2fp(struct lower *x)
{
	struct uop_mode m = lower_mode(x);
	if (x->src[0].abs)
		lower_fail(x, "an absolute value of an integer is not executed by this version");
	convert(x, direction(&m), float_type(2, false), int_type(2, !lower_has(x, "U32")), lower_int(x, 0), m);
}

static int32_t float_source(struct lower *x, struct type s)
{
	if (s.bytes == 8)
		return lower_f64(x, 0);
	if (s.bytes == 4)
		return lower_f32(x, 0);
	const struct sx_source *o = &x->src[0];
	int32_t row = lower_raw(x, o, 0);
	if (o->kind != SX_O_IMM)
		row = part_of(x, row, (unsigned)sass_run(x->i.word, 60, 2), 2);
	if (o->abs) {
		int32_t to = lower_temp(x, 4);
		lower_emit3(x, "and.b32", to, row, lower_bits(x, 0x7fff, false), 0);
		row = to;
	}
	if (o->neg) {
		int32_t to = lower_temp(x, 4);
		lower_emit3(x, "xor.b32", to, row, lower_bits(x, 0x8000, false), 0);
		row = to;
	}
	return row;
}

static void f2i(struct lower *x)
{
	struct sass_word w = x->i.word;
	struct type d = int_type((unsigned)sass_run(w, 75, 2), sass_bit(w, 72)), s = float_at(x, 84);
	struct uop_mode m = {.ftz = lower_has(x, "FTZ")};
	// A NaN becomes zero with .NTZ, else the smallest number; PTX's rule for the types gives the same in what ptxas makes.
	bool zero = s.bytes < 8 && d.bytes < 8;
	if (lower_has(x, "NTZ") != zero)
		lower_fail(x, "what it makes of a NaN is not executed by this version");
	const char *rounding = integral(x, &m);
	convert(x, rounding, d, s, float_source(x, s), m);
}

static void f2f(struct lower *x)
{
	struct uop_mode m = lower_mode(x);
	struct type d = float_at(x, 75), s = float_at(x, 84);
	bool widens = d.bytes > s.bytes || (d.bytes == s.bytes && d.code == s.code);
	convert(x, widens ? "" : direction(&m), d, s, float_source(x, s), m);
}

static void frnd(struct lower *x)
{
	struct type t = float_at(x, 75);
	struct uop_mode m = {.ftz = lower_has(x, "FTZ")};
	if (float_at(x, 84).code != t.code)
		lower_fail(x, "rounding to another type is not executed by this version");
	const char *rounding = integral(x, &m);
	convert(x, rounding, t, t, float_source(x, t), m);
}

// A row of two bytes as numbers of 8 bits beside the half of a register that is named, which goes above.
static void merge(struct lower *x, int32_t bytes, unsigned k, bool upper)
{
	if (x->src[k].kind == SX_O_R && x->src[k].reg == SX_RZ) {
		lower_emit3(x, "and.b32", lower_dst(x), bytes, lower_bits(x, 0xffff, false), 0);
		return;
	}
	int32_t c = lower_raw(x, &x->src[k], 0);
	lower_emit3(x, "prmt.b32", lower_dst(x), bytes, c, lower_bits(x, upper ? 0x7610 : 0x5410, false));
}

// Numbers of 8 bits, two in half a register.
static void f2fp_bytes(struct lower *x, struct uop_mode m)
{
	bool unpacks = !lower_has(x, "SATFINITE");
	const char *bytes = lower_has(x, "E4M3") ? "e4m3x2" : "e5m2x2", *relu = m.relu ? "relu." : "";
	uint8_t code = lower_has(x, "E4M3") ? UOP_T_E4M3X2 : UOP_T_E5M2X2;
	char key[48];
	m.rnd = ROUND_RN;
	m.satfinite = !unpacks;
	m.type[0] = unpacks ? UOP_T_F16X2 : code;
	m.type[1] = unpacks ? code : lower_has(x, "F16") ? UOP_T_F16X2 : UOP_T_F32;
	if (unpacks) {
		int32_t row = part_of(x, lower_raw(x, &x->src[0], 0), sass_bit(x->i.word, 88), 2);
		snprintf(key, sizeof key, "cvt.rn.%sf16x2.%s", relu, bytes);
		lower_emit3(x, key, lower_dst(x), row, 0, 0)->mode = m;
		return;
	}
	bool pair = m.type[1] == UOP_T_F32;
	int32_t a = pair ? lower_f32(x, 0) : lower_raw(x, &x->src[0], 0), b = pair ? lower_f32(x, 1) : 0, to = lower_temp(x, 4);
	snprintf(key, sizeof key, "cvt.rn.satfinite.%s%s.%s", relu, bytes, pair ? "f32" : "f16x2");
	lower_emit3(x, key, to, a, b, 0)->mode = m;
	merge(x, to, pair ? 2 : 1, pair && sass_bit(x->i.word, 72));
}

// Two numbers side by side, the first one above; with .MERGE_C one.
static void f2fp(struct lower *x)
{
	struct uop_mode m = lower_mode(x);
	bool bf16 = lower_has(x, "BF16"), one = lower_has(x, "MERGE_C");
	char key[48];
	if (lower_has(x, "E4M3") || lower_has(x, "E5M2")) {
		f2fp_bytes(x, m);
		return;
	}
	int32_t a = lower_f32(x, 0), b = one || lower_has(x, "TF32") ? 0 : lower_f32(x, 1);
	m.type[1] = UOP_T_F32;
	m.satfinite = lower_has(x, "SATFINITE");
	if (lower_has(x, "TF32")) {
		m.type[0] = UOP_T_TF32;
		snprintf(key, sizeof key, "cvt.%s.%stf32.f32", direction(&m), m.relu ? "relu." : "");
	} else {
		m.type[0] = one ? bf16 ? UOP_T_BF16 : UOP_T_F16 : bf16 ? UOP_T_BF16X2 : UOP_T_F16X2;
		snprintf(key, sizeof key, "cvt.%s.%s%s%sf16%s.f32", direction(&m), m.satfinite ? "satfinite." : "", m.relu ? "relu." : "", bf16 ? "b" : "",
		         one ? "" : "x2");
	}
	if (one && x->src[1].reg != SX_RZ)
		lower_fail(x, "what it leaves of the last source is not known to this version");
	int32_t to = one ? lower_temp(x, 4) : lower_dst(x);
	lower_emit3(x, key, to, a, b, 0)->mode = m;
	if (one)
		merge(x, to, 1, false);
}

static void i2ip(struct lower *x)
{
	int32_t a = lower_raw(x, &x->src[0], 0), b = lower_raw(x, &x->src[1], 0), c = lower_raw(x, &x->src[2], 0);
	lower_emit3(x, lower_has(x, "U8") ? "cvt.pack.sat.u8.s32.b32" : "cvt.pack.sat.s8.s32.b32", lower_dst(x), a, b, c);
}

// Two floats to bytes side by side, below the lower half of the third source.
static void f2ip(struct lower *x)
{
	bool is_unsigned = lower_has(x, "U8");
	struct uop_mode m = {.rnd = ROUND_RN};
	char key[32];
	int32_t a = lower_f32(x, 0), b = lower_f32(x, 1), c = lower_raw(x, &x->src[2], 0), pa = lower_temp(x, 4), pb = lower_temp(x, 4);
	if (!lower_has(x, "NTZ") || lower_has(x, "RELU"))
		lower_fail(x, "this form is not executed by this version");
	snprintf(key, sizeof key, "cvt.%s.%s.f32", integral(x, &m), is_unsigned ? "u8" : "s8");
	lower_emit3(x, key, pa, a, 0, 0);
	lower_emit3(x, key, pb, b, 0, 0);
	lower_emit3(x, is_unsigned ? "cvt.pack.sat.u8.s32.b32" : "cvt.pack.sat.s8.s32.b32", lower_dst(x), pa, pb, c);
}

const struct lower_op lower_convert_ops[] = {
	{"I2F", i2f, ROUNDS " S8 U8 S16 U16 U32 S64 U64 F16 F64 BF16"}, {"I2FP", i2fp, ROUNDS " F32 S32 U32"},
	{"UI2F", i2f, ROUNDS " S8 U8 S16 U16 U32 F16"}, {"UI2FP", i2fp, ROUNDS " F32 S32 U32"}, {"UF2I", f2i, "S8 U8 S16 U16 U32 FTZ NTZ FLOOR CEIL TRUNC"},
	{"UFRND", frnd, "FTZ FLOOR CEIL TRUNC"},
	{"F2I", f2i, "S8 U8 S16 U16 U32 S64 U64 F16 F64 BF16 FTZ NTZ FLOOR CEIL TRUNC"},
	{"F2F", f2f, ROUNDS " F16 F32 F64 BF16 FTZ"}, {"FRND", frnd, "F16 F64 BF16 FTZ FLOOR CEIL TRUNC"},
	{"F2FP", f2fp, ROUNDS " BF16 F16 F32 TF32 E4M3 E5M2 RELU SATFINITE MERGE_C PACK_AB PACK_AB_MERGE_C PACK_B UNPACK_B UNPACK_B_MERGE_C"},
	{"I2IP", i2ip, "S8 U8 S32 SAT"}, {"F2IP", f2ip, "S8 U8 F32 NTZ FLOOR CEIL TRUNC RELU"}, {0},
};
