// Conversions against one reference: the source as a long double (which holds every source type exactly), rounded to
// a multiple of the destination's last place by nearbyintl in the mode asked for, then encoded.
#include "tests/unit/exec_formats.h"

static bool is_signed(enum ptx_type t)
{
	return t == PTX_T_S8 || t == PTX_T_S16 || t == PTX_T_S32 || t == PTX_T_S64;
}

static uint64_t to_int(const struct xh_case *c, enum ptx_type d, enum ptx_type s, long double x)
{
	unsigned bits = xh_bits(d);
	long double r = round_in(c, x);
	long double hi = ldexpl(1, (int)bits - is_signed(d)), lo = is_signed(d) ? -ldexpl(1, (int)bits - 1) : 0;
	if (isnan(x))
		return s == PTX_T_F64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
	if (r >= hi)
		return UINT64_MAX >> (64 - bits + is_signed(d));
	if (r < lo)
		return is_signed(d) ? ~(uint64_t)0 << (bits - 1) : 0;
	return r < 0 ? (uint64_t)(int64_t)r : (uint64_t)r;
}

static uint64_t convert(const struct xh_case *c, enum ptx_type d, enum ptx_type s, uint64_t v)
{
	const struct format *fd = format_of(d), *fs = format_of(s);
	unsigned bits = fs ? fs->bits : xh_bits(s);
	v = bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
	// Moves: a NaN stays what it is.
	if (!c->mods.ftz && !c->mods.sat && (!c->mods.rnd || (c->mods.rnd == ROUND_RN && d == s)) &&
	    ((d == s && (d == PTX_T_F32 || d == PTX_T_F64)) || (d == PTX_T_F32 && s == PTX_T_BF16)))
		return d == s ? v : v << 16;
	if (!fs && !fd) {
		__int128 x = is_signed(s) && v >> (bits - 1) ? (__int128)v - ((__int128)1 << bits) : (__int128)v;
		if (c->mods.sat) {
			__int128 hi = ((__int128)1 << (xh_bits(d) - is_signed(d))) - 1, lo = is_signed(d) ? -hi - 1 : 0;
			x = x < lo ? lo : x > hi ? hi : x;
		}
		return (uint64_t)x;
	}
	long double x;
	if (fs)
		x = decode(fs, v);
	else
		x = is_signed(s) ? (long double)((int64_t)(v << (64 - bits)) >> (64 - bits)) : (long double)v;
	if (c->mods.ftz && s == PTX_T_F32 && fabsl(x) < 0x1p-126L)
		x = copysignl(0, x);
	return fd ? to_float(c, fd, x) : to_int(c, d, s, x);
}

static void ref_cvt(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	enum ptx_type dt = c->dst[0], st = c->src[0];
	const struct format *fd = format_of(dt);
	if (!fd || fd->bits == xh_bits(dt)) { // one value
		// Of a NaN ptxas cuts the low bits off.
		if (!strcmp(c->key, "cvt.rna.tf32.f32") && (s[0] & 0x7fffffff) > 0x7f800000) {
			d[0] = s[0] & 0xffffe000;
			return;
		}
		if (!strcmp(c->key, "cvt.rna.satfinite.tf32.f32")) { // whatever then has the largest exponent is one place less
			const uint64_t nan = (s[0] & 0x7fffffff) > 0x7f800000, r = (s[0] + (nan ? 0 : 0x1000)) & 0xffffe000;
			d[0] = (s[0] & 0x7fffffff) == 0x7f800000 || (r & 0x7f800000) == 0x7f800000 ? r - 0x2000 : r;
			return;
		}
		// The destination's type may be a container of the converted one.
		d[0] = convert(c, (enum ptx_type)c->mods.type[0], (enum ptx_type)c->mods.type[1], s[0]);
		return;
	}
	uint64_t hi, lo;
	if (c->n_src == 2) {
		hi = convert(c, dt, st, s[0]);
		lo = convert(c, dt, st, s[1]);
	} else {
		hi = convert(c, dt, st, s[0] >> format_of(st)->bits);
		lo = convert(c, dt, st, s[0]);
	}
	d[0] = hi << fd->bits | lo;
}

static void ref_pack(struct xh_case *c, const uint64_t *s, uint64_t *d)
{
	enum ptx_type t = (enum ptx_type)c->mods.type[0];
	unsigned bits = xh_bits(t);
	uint64_t mask = ((uint64_t)1 << bits) - 1;
	uint64_t a = convert(c, t, PTX_T_S32, s[0]) & mask, b = convert(c, t, PTX_T_S32, s[1]) & mask;
	d[0] = a << bits | b | (bits == 8 ? s[2] << 16 : 0);
}

static struct {
	char key[48], signature[32];
	xh_ref *ref;
} cases[1024];
static int n_cases;

static void add(xh_ref *ref, const char *signature, const char *key)
{
	if (n_cases == sizeof(cases) / sizeof(cases[0])) {
		fprintf(stderr, "too many cases\n");
		exit(1);
	}
	snprintf(cases[n_cases].key, sizeof(cases[0].key), "%s", key);
	snprintf(cases[n_cases].signature, sizeof(cases[0].signature), "%s", signature);
	cases[n_cases++].ref = ref;
}

// One case per modifier text: "cvt" mods "." d "." s.
static void pair(const char *d, const char *s, const char *const *mods)
{
	char key[48], signature[32];
	snprintf(signature, sizeof(signature), "%s=%s", d, s);
	for (; *mods; mods++) {
		snprintf(key, sizeof(key), "cvt%s.%s.%s", *mods, d, s);
		add(ref_cvt, signature, key);
	}
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void make_cases(void)
{
	static const char *const ints[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
	static const char *const floats[] = {"f16", "bf16", "f32", "f64"};
	for (unsigned i = 0; i < 8; i++) {
		for (unsigned k = 0; k < 8; k++)
			pair(ints[i], ints[k], LIST("", ".sat"));
		for (unsigned k = 0; k < 4; k++) {
			pair(ints[i], floats[k], LIST(".rni", ".rzi", ".rmi", ".rpi", ".rni.sat", ".rzi.sat"));
			pair(floats[k], ints[i], LIST(".rn", ".rz", ".rm", ".rp", ".rn.sat"));
		}
		pair(ints[i], "f32", LIST(".rni.ftz", ".rzi.ftz", ".rmi.ftz", ".rpi.ftz", ".rmi.ftz.sat"));
	}
	for (unsigned k = 0; k < 4; k++)
		pair(floats[k], floats[k], LIST(".rni", ".rzi", ".rmi", ".rpi", ".rni.sat", ".rmi.sat"));
	pair("f32", "f32", LIST("", ".sat", ".ftz", ".ftz.sat", ".rni.ftz", ".rmi.ftz", ".rpi.ftz.sat"));
	pair("f64", "f64", LIST("", ".sat"));
	pair("f16", "f16", LIST("", ".sat"));
	pair("f64", "f32", LIST("", ".ftz", ".sat", ".ftz.sat"));
	pair("f64", "f16", LIST("", ".sat"));
	pair("f64", "bf16", LIST(""));
	pair("f32", "f16", LIST("", ".ftz", ".sat"));
	pair("f32", "bf16", LIST(""));
	pair("f32", "f64", LIST(".rn", ".rz", ".rm", ".rp", ".rn.ftz", ".rn.sat", ".rz.ftz.sat"));
	pair("f16", "f64", LIST(".rn", ".rz", ".rm", ".rp"));
	pair("f16", "f32", LIST(".rn", ".rz", ".rm", ".rp", ".rn.ftz", ".rn.sat", ".rn.relu", ".rz.relu", ".rn.satfinite"));
	pair("bf16", "f64", LIST(".rn", ".rz", ".rm", ".rp"));
	pair("bf16", "f32", LIST(".rn", ".rz", ".rm", ".rp", ".rn.relu", ".rz.relu", ".rn.satfinite"));
	pair("bf16", "f16", LIST(".rn", ".rz"));
	pair("f16", "bf16", LIST(".rn", ".rz"));
	static const char *const x2[] = {"f16x2", "bf16x2"};
	for (unsigned k = 0; k < 2; k++) {
		static const char *const mods[] = {".rn", ".rz", ".rn.relu", ".rz.relu", ".rn.satfinite", ".rn.relu.satfinite"};
		for (unsigned i = 0; i < 6; i++) {
			char key[48], signature[32];
			snprintf(key, sizeof(key), "cvt%s.%s.f32", mods[i], x2[k]);
			snprintf(signature, sizeof(signature), "%s=f32,f32", x2[k]);
			add(ref_cvt, signature, key);
		}
	}
	add(ref_cvt, "b32=f32", "cvt.rna.tf32.f32");
	add(ref_cvt, "b32=f32", "cvt.rn.tf32.f32");
	add(ref_cvt, "b32=f32", "cvt.rz.tf32.f32");
	add(ref_cvt, "b32=f32", "cvt.rna.satfinite.tf32.f32");
	add(ref_cvt, "b32=f32", "cvt.rn.relu.tf32.f32");
	add(ref_cvt, "e4m3x2=f32,f32", "cvt.rn.satfinite.e4m3x2.f32");
	add(ref_cvt, "e5m2x2=f32,f32", "cvt.rn.satfinite.e5m2x2.f32");
	add(ref_cvt, "e4m3x2=f32,f32", "cvt.rn.satfinite.relu.e4m3x2.f32");
	add(ref_cvt, "e4m3x2=f16x2", "cvt.rn.satfinite.e4m3x2.f16x2");
	add(ref_cvt, "e5m2x2=f16x2", "cvt.rn.satfinite.e5m2x2.f16x2");
	add(ref_cvt, "f16x2=e4m3x2", "cvt.rn.f16x2.e4m3x2");
	add(ref_cvt, "f16x2=e5m2x2", "cvt.rn.f16x2.e5m2x2");
	add(ref_cvt, "f16x2=e5m2x2", "cvt.rn.relu.f16x2.e5m2x2");
	add(ref_pack, "b32=s32,s32", "cvt.pack.sat.u16.s32");
	add(ref_pack, "b32=s32,s32", "cvt.pack.sat.s16.s32");
	add(ref_pack, "b32=s32,s32,b32", "cvt.pack.sat.u8.s32.b32");
	add(ref_pack, "b32=s32,s32,b32", "cvt.pack.sat.s8.s32.b32");
}

// Each process of the test program's loop takes every 16th case.
START_TEST(conversion)
{
	for (int i = _i; i < n_cases; i += 16)
		xh_check_rounds(cases[i].key, cases[i].signature, cases[i].ref, 0, 60);
}
END_TEST

int main(void)
{
	make_cases();
	Suite *s = suite_create("exec cvt");
	TCase *t = tcase_create("keys");
	tcase_add_loop_test(t, conversion, 0, 16);
	suite_add_tcase(s, t);
	return check_main(s);
}
