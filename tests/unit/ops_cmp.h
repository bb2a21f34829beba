// Comparison and selection: comparisons are of 128-bit integers and long doubles, which hold every value.
#ifndef TESTS_OPS_CMP_H
#define TESTS_OPS_CMP_H

#include "tests/unit/ops_value.h"

static bool cmp_holds(uint8_t op, bool less, bool equal, bool nan)
{
	switch (op) {
	case UOP_EQ:  return !nan && equal;
	case UOP_NE:  return !nan && !equal;
	case UOP_LT: case UOP_LO: return !nan && less;
	case UOP_LE: case UOP_LS: return !nan && (less || equal);
	case UOP_GT: case UOP_HI: return !nan && !less && !equal;
	case UOP_GE: case UOP_HS: return !nan && !less;
	case UOP_EQU: return nan || equal;
	case UOP_NEU: return nan || !equal;
	case UOP_LTU: return nan || less;
	case UOP_LEU: return nan || less || equal;
	case UOP_GTU: return nan || !(less || equal);
	case UOP_GEU: return nan || !less;
	case UOP_NUM: return !nan;
	default:      return nan;
	}
}

static bool cmp_values(const struct op_in *x, enum ptx_type t, uint64_t a, uint64_t b)
{
	if (ops_is_float(t)) {
		long double p = ops_decode(t, a, x->m->ftz), q = ops_decode(t, b, x->m->ftz);
		return cmp_holds(x->m->cmp, p < q, p == q, isnan(p) || isnan(q));
	}
	bool sg = ops_signed(t) && !(x->m->cmp >= UOP_LO && x->m->cmp <= UOP_HS);
	big p = ops_number(a, ptx_type_bits[t], sg), q = ops_number(b, ptx_type_bits[t], sg);
	return cmp_holds(x->m->cmp, p < q, p == q, false);
}

static bool cmp_bool(const struct op_in *x, bool t)
{
	bool c = x->v[2] & 1;
	return x->m->boolop == UOP_AND ? t && c : x->m->boolop == UOP_OR ? t || c : x->m->boolop == UOP_XOR ? t != c : t;
}

static void ref_setp(struct op_in *x)
{
	bool t = cmp_values(x, x->t, x->v[0], x->v[1]);
	x->d[0] = cmp_bool(x, t);
	x->d[1] = cmp_bool(x, ops_packed(x->t) ? cmp_values(x, x->t, x->v[0] >> 16, x->v[1] >> 16) : !t);
}

static uint64_t set_value(const struct op_in *x, unsigned shift)
{
	bool t = cmp_bool(x, cmp_values(x, x->u, x->v[0] >> shift, x->v[1] >> shift));
	return t ? ops_is_float(x->t) ? encode(format_of(x->t), 1) : ~(uint64_t)0 : 0;
}

static void ref_set(struct op_in *x)
{
	x->d[0] = ops_packed(x->u) ? (set_value(x, 0) & 0xffff) | set_value(x, 16) << 16 : set_value(x, 0);
}

static void ref_select(struct op_in *x)
{
	bool first = x->v[2] & 1;
	if (ops_is(x, "slct"))
		first = ops_is_float(x->u) ? ops_decode(x->u, x->v[2], x->m->ftz) >= 0 : (int32_t)x->v[2] >= 0;
	x->d[0] = first ? x->v[0] : x->v[1];
}

#define INT_CMP "{eq,ne,lt,le,gt,ge}"
#define FLT_CMP "{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}"
#define NUMBERS "{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64}"
static const struct op_case ops_cmp[] = {
	{"setp." INT_CMP ".{u16,u32,u64,s16,s32,s64}", ref_setp},
	{"setp.{lo,ls,hi,hs}.{u16,u32,u64}", ref_setp},
	{"setp.{eq,ne}.{b16,b32,b64}", ref_setp},
	{"setp." FLT_CMP ".{f16,f16x2,bf16,bf16x2,f32,f64}", ref_setp},
	{"setp." FLT_CMP ".ftz.{f32,f16,f16x2}", ref_setp},
	{"setp.{lt,ne}.{and,or,xor}.{u16,u32,u64,s16,s32,s64} +1", ref_setp},
	{"setp.{eq,ne}.{and,or,xor}.{b16,b32,b64} +1", ref_setp},
	{"setp.{gt,neu}.{and,or,xor}.{f16,f16x2,bf16,bf16x2,f32,f64} +1", ref_setp},
	{"setp.ltu.{and,or,xor}.ftz.{f32,f16} +1", ref_setp},
	{"set.{eq,ne}.{u32,s32,f32,f16,bf16}." NUMBERS, ref_set},
	{"set." INT_CMP ".{u32,s32,f32}.{u16,u32,u64,s16,s32,s64}", ref_set},
	{"set." FLT_CMP ".{u32,s32,f32}.{f32,f64}", ref_set},
	{"set." FLT_CMP ".{u16,s16,u32,s32}.{f16,bf16}", ref_set},
	{"set." FLT_CMP ".{f16.f16,bf16.bf16,bf16.f16,f16x2.f16x2,bf16x2.bf16x2}", ref_set},
	{"set." FLT_CMP ".{u32,s32}.{f16x2,bf16x2}", ref_set},
	{"set.{ge,num}.ftz.{u32.f32,f32.f32,u32.f16,f16.f16,f16x2.f16x2}", ref_set},
	{"set.{lt,ne}.{and,or,xor}.{u32.s32,f32.u64,s32.f32,u32.f64,u16.f16,f16.f16,bf16x2.bf16x2} +1", ref_set},
	{"selp.{b16,b32,b64,u16,u32,u64,s16,s32,s64,f32,f64,f16,bf16,f16x2,bf16x2}", ref_select},
	{"slct." NUMBERS ".{s32,f32}", ref_select},
	{"slct.ftz." NUMBERS ".f32", ref_select},
};

#endif
