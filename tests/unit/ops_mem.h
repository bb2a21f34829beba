// Loads, stores and atomics on a slot of the thread, in every space and vector length.
#ifndef TESTS_OPS_MEM_H
#define TESTS_OPS_MEM_H

#include "tests/unit/ops_float.h"

static uint64_t mem_get(const struct op_in *x, unsigned at, unsigned bytes)
{
	uint64_t v = 0;
	memcpy(&v, x->mem + at, bytes > 8 ? 8 : bytes);
	return v;
}

static void mem_put(struct op_in *x, unsigned at, unsigned bytes, uint64_t v)
{
	memcpy(x->mem + at, &v, bytes > 8 ? 8 : bytes);
}

static void ref_ld(struct op_in *x)
{
	unsigned bytes = ptx_type_bits[x->t] / 8;
	for (unsigned k = 0; k < x->m->vec; k++)
		x->d[k] = mem_get(x, k * bytes, bytes);
}

static void ref_st(struct op_in *x)
{
	unsigned bytes = ptx_type_bits[x->t] / 8;
	if (bytes == 16)
		memset(x->mem + 8, 0, 8); // the harness's 128-bit values have zero above
	for (unsigned k = 0; k < x->m->vec; k++)
		mem_put(x, k * bytes, bytes, x->v[k]);
}

// One operator. o: what memory holds; b, c: operands.
enum atom_op { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS };

static uint64_t atom_new(const struct op_in *x, enum atom_op op, uint64_t o, uint64_t b, uint64_t c)
{
	unsigned bits = ptx_type_bits[x->t];
	if (ops_is_float(x->t)) {
		const struct format *f = format_of(x->t);
		uint64_t r = 0;
		// f32 flushes in global memory only.
		bool ftz = x->t == PTX_T_F32 && x->m->space != PTX_S_SHARED;
		struct ptx_mods m = {.ftz = ftz, .rnd = ROUND_RN};
		struct op_in y = {.m = &m, .op = x->op};
		for (unsigned k = 0; k < bits; k += f->bits) {
			long double p = ops_decode(x->t, o >> k, ftz), q = ops_decode(x->t, b >> k, ftz);
			if (op == ATOM_ADD) {
				r |= (x->t == PTX_T_F64 ? encode(f, (double)(p + q)) : flt_round(&y, f, flt_sum(p, q))) << k;
			} else {
				long double v = isnan(p) ? q : isnan(q) ? p : p == q ? (signbit(p) != 0) == (op == ATOM_MAX) ? q : p
				                : (p < q) == (op == ATOM_MAX) ? q : p;
				r |= encode(f, v) << k;
			}
		}
		return r;
	}
	big p = ops_number(o, bits, ops_signed(x->t)), q = ops_number(b, bits, ops_signed(x->t));
	switch (op) {
	case ATOM_ADD: return o + b;
	case ATOM_MIN: return p < q ? o : b;
	case ATOM_MAX: return p > q ? o : b;
	case ATOM_INC: return p >= q ? 0 : o + 1;
	case ATOM_DEC: return p == 0 || p > q ? b : o - 1;
	case ATOM_AND: return o & b;
	case ATOM_OR:  return o | b;
	case ATOM_XOR: return o ^ b;
	case ATOM_CAS: return o == b ? c : o;
	default:       return b;
	}
}

static void atom_ref(struct op_in *x, enum atom_op op)
{
	unsigned bytes = ptx_type_bits[x->t] / 8;
	for (unsigned k = 0; k < x->m->vec; k++) {
		uint64_t old = mem_get(x, k * bytes, bytes);
		x->d[k] = old;
		if (bytes == 16) { // the operands' upper halves are zero
			uint64_t high = mem_get(x, 8, 8);
			if (op == ATOM_CAS ? old == x->v[0] && high == 0 : op == ATOM_EXCH) {
				mem_put(x, 0, 8, op == ATOM_CAS ? x->v[1] : x->v[0]);
				mem_put(x, 8, 8, 0);
			}
			continue;
		}
		mem_put(x, k * bytes, bytes, atom_new(x, op, old, x->v[k], op == ATOM_CAS ? x->v[k + 1] : 0));
	}
}

#define X(name, op) static void ref_atom_##name(struct op_in *x) { atom_ref(x, op); }
X(add, ATOM_ADD) X(min, ATOM_MIN) X(max, ATOM_MAX) X(inc, ATOM_INC) X(dec, ATOM_DEC)
X(and, ATOM_AND) X(or, ATOM_OR) X(xor, ATOM_XOR) X(exch, ATOM_EXCH) X(cas, ATOM_CAS)
#undef X

#define MEM_TYPES "{u8,s8,b8,u16,s16,b16,f16,bf16,u32,s32,b32,f32,f16x2,bf16x2,u64,s64,b64,f64}"
#define MEM_NARROW "{u8,s8,b8,u16,s16,b16,f16,bf16,u32,s32,b32,f32,f16x2,bf16x2}"
#define MEM_LOADS "{,.global,.const,.shared,.shared::cta,.shared::cluster,.local,.param}"
#define MEM_STORES "{,.global,.shared,.shared::cta,.shared::cluster,.local}"
#define ATOMS "{,.global,.sys,.sys.global,.shared,.shared::cta,.shared::cluster}"
static const struct op_case ops_mem[] = {
	{"ld" MEM_LOADS "{,.v2}." MEM_TYPES, ref_ld},
	{"ld" MEM_LOADS ".v4." MEM_NARROW, ref_ld},
	{"ld" MEM_LOADS ".b128", ref_ld},
	{"ld{,.global}.{v4.b64,v4.u64,v4.s64,v4.f64,v8.b32,v8.u32,v8.s32,v8.f32}", ref_ld},
	{"ld{,.global,.const,.shared,.local,.param}.v8.{u8,s8,b8,u16,s16,b16}", ref_ld},
	{"ld.{volatile,relaxed.gpu,acquire.sys,weak}{.global,.shared}.{u32,u64}", ref_ld},
	{"ld.mmio{,.relaxed}.sys{,.global}.{u8,u32,f64}", ref_ld},
	{"ld.global{.nc,.ca,.cg,.cs,.lu,.cv,.L1::no_allocate,.L2::128B,.nc.L1::evict_last.L2::256B}{,.v4}.{u8,f32}", ref_ld},
	{"ldu{,.global}{,.v2}." MEM_TYPES, ref_ld},
	{"ldu.global.{v4.f32,b128}", ref_ld},
	{"st" MEM_STORES "{,.v2}." MEM_TYPES, ref_st},
	{"st" MEM_STORES ".v4." MEM_NARROW, ref_st},
	{"st" MEM_STORES ".b128", ref_st},
	{"st{,.global}.{v4.b64,v4.u64,v4.s64,v4.f64,v8.b32,v8.u32,v8.s32,v8.f32}", ref_st},
	{"st{,.global,.shared,.local}.v8.{u8,s8,b8,u16,s16,b16}", ref_st},
	{"st.{volatile,relaxed.gpu,release.sys,weak}{.global,.shared}.{u32,u64}", ref_st},
	{"st.mmio{,.relaxed}.sys{,.global}.{u8,u32,f64}", ref_st},
	{"st.global{.wb,.cg,.cs,.wt,.L1::no_allocate}{,.v4}.{u8,f32}", ref_st},
	{"prefetch{.global,.local}{.L1,.L2}", NULL},
	{"prefetch.{L1,L2,global.L2::evict_last}", NULL},
	{"prefetchu.L1", NULL},
	{"applypriority.global.L2::evict_normal #0=128", NULL},
	{"discard.global.L2 #0=128", NULL},
};

#define ATOM_INTS "{u32,s32,u64,s64}"
static const struct op_case ops_atom[] = {
	{"{atom,red}" ATOMS ".add." ATOM_INTS, ref_atom_add},
	{"{atom,red}" ATOMS ".min." ATOM_INTS, ref_atom_min},
	{"{atom,red}" ATOMS ".max." ATOM_INTS, ref_atom_max},
	{"{atom,red}" ATOMS ".inc.u32", ref_atom_inc},
	{"{atom,red}" ATOMS ".dec.u32", ref_atom_dec},
	{"{atom,red}" ATOMS ".and.{b32,b64}", ref_atom_and},
	{"{atom,red}" ATOMS ".or.{b32,b64}", ref_atom_or},
	{"{atom,red}" ATOMS ".xor.{b32,b64}", ref_atom_xor},
	{"atom" ATOMS ".exch.{b32,b64,b128}", ref_atom_exch},
	{"atom" ATOMS ".cas.{b16,b32,b64,b128}", ref_atom_cas},
	{"{atom,red}" ATOMS ".add.{f32,f64}", ref_atom_add},
	{"{atom,red}" ATOMS ".add.noftz.{f16,f16x2,bf16,bf16x2}", ref_atom_add},
	{"{atom,red}.{relaxed,acq_rel}.{cta,gpu,sys}.global.add.u32", ref_atom_add},
	{"{atom,red}.global.add.{v2.f32,v4.f32,noftz.v2.f16,noftz.v4.f16,noftz.v8.f16,noftz.v2.bf16,noftz.v4.bf16,noftz.v8.bf16}", ref_atom_add},
	{"{atom,red}.global.{v2.f16x2,v4.f16x2,v2.bf16x2,v4.bf16x2}.add.noftz", ref_atom_add},
	{"{atom,red}.global.v2.f32.add", ref_atom_add},
	{"{atom,red}.global.min.noftz.{v2,v4}.{f16,bf16,f16x2,bf16x2}", ref_atom_min},
	{"{atom,red}.global.max.noftz.{v8.f16,v8.bf16,v4.f16x2,v2.bf16x2}", ref_atom_max},
};

#endif
