// Conversions: the source as a long double, which holds every value, rounded once to the destination.
#ifndef TESTS_OPS_CVT_H
#define TESTS_OPS_CVT_H

#include "tests/unit/ops_value.h"

static uint64_t cvt_value(const struct op_in *x, enum ptx_type d, enum ptx_type s, uint64_t v)
{
	const struct format *fd = format_of(d), *fs = format_of(s);
	unsigned bits = ptx_type_bits[d];
	// Moves: a NaN stays what it is.
	if (!x->m->ftz && !x->m->sat && !x->m->rnd && (d == s || (d == PTX_T_F32 && s == PTX_T_BF16)))
		return d == s ? v : v << 16;
	if (!fs && !fd) {
		big n = ops_number(v, ptx_type_bits[s], ops_signed(s));
		return (uint64_t)(x->m->sat ? ops_clamp(n, bits, ops_signed(d)) : n);
	}
	long double n = fs ? ops_decode(s, v, x->m->ftz && fs == &f32)
	                   : (long double)ops_number(v, ptx_type_bits[s], ops_signed(s));
	struct xh_case c = {.mods = *x->m};
	if (isnan(n) && d == PTX_T_TF32 && x->m->rnd == ROUND_RNA)
		return v & 0xffffe000; // ptxas cuts the low bits off
	if (fd)
		return to_float(&c, fd, n);
	// PTX ISA, cvt: NaN becomes zero if the source is not f64 and the destination not 64 bits wide.
	if (isnan(n))
		return s == PTX_T_F64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
	long double r = round_in(&c, n), top = ldexpl(1, (int)bits - ops_signed(d)), low = ops_signed(d) ? -top : 0;
	return (uint64_t)(r >= top ? ((big)1 << (bits - ops_signed(d))) - 1 : r < low ? (big)low : (big)r);
}

static void ref_cvt(struct op_in *x)
{
	const struct format *fd = format_of(x->t), *fs = format_of(x->u);
	unsigned pair = fd && fd->bits * 2 == ptx_type_bits[x->t] ? fd->bits : 0;
	if (!pair)
		x->d[0] = cvt_value(x, x->t, x->u, x->v[0]);
	else if (x->n_src == 2) // two values: the first becomes the high half
		x->d[0] = cvt_value(x, x->t, x->u, x->v[0]) << pair | cvt_value(x, x->t, x->u, x->v[1]);
	else
		x->d[0] = cvt_value(x, x->t, x->u, x->v[0] >> fs->bits) << pair | cvt_value(x, x->t, x->u, x->v[0]);
}

#define CVT_INTS "{u8,s8,u16,s16,u32,s32,u64,s64}"
#define CVT_RND "{.rn,.rz,.rm,.rp}"
#define CVT_RNDI "{.rni,.rzi,.rmi,.rpi}"
static const struct op_case ops_cvt[] = {
	{"cvt{,.sat}." CVT_INTS "." CVT_INTS, ref_cvt},
	{"cvt" CVT_RNDI "{,.sat}." CVT_INTS ".{f16,f32,f64}", ref_cvt},
	{"cvt" CVT_RNDI ".ftz." CVT_INTS ".f32", ref_cvt},
	{"cvt" CVT_RNDI "{,.sat}." CVT_INTS ".bf16", ref_cvt},
	{"cvt" CVT_RND "{,.sat}.{f16,f32,f64}." CVT_INTS, ref_cvt},
	{"cvt" CVT_RND ".bf16." CVT_INTS, ref_cvt},
	{"cvt" CVT_RNDI "{,.sat}.{f16.f16,f32.f32,f64.f64}", ref_cvt},
	{"cvt" CVT_RNDI ".bf16.bf16", ref_cvt},
	{"cvt" CVT_RNDI ".ftz.f32.f32", ref_cvt},
	{"cvt{,.ftz}{,.sat}.f32.f32", ref_cvt},
	{"cvt{,.sat}.{f64.f64,f64.f32,f64.f16,f32.f16}", ref_cvt},
	{"cvt{,.ftz}.{f32.bf16,f64.f32,f32.f16}", ref_cvt},
	{"cvt.f64.bf16", ref_cvt},
	{"cvt" CVT_RND "{,.ftz}{,.sat}.f32.f64", ref_cvt},
	{"cvt" CVT_RND "{,.sat}.f16.{f32,f64}", ref_cvt},
	{"cvt{.rn,.rz}{,.satfinite}{,.relu}.{f16,bf16}.f32", ref_cvt},
	{"cvt" CVT_RND ".{bf16.f64,bf16.f16,f16.bf16}", ref_cvt},
	{"cvt{.rn,.rz}{,.relu}.{f16x2,bf16x2}.f32", ref_cvt},
	{"cvt{.rn,.rz}{,.relu}.tf32.f32", ref_cvt},
	{"cvt.rna.tf32.f32", ref_cvt},
	{"cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.{f32,f16x2}", ref_cvt},
	{"cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2}", ref_cvt},
};

#endif
