// Integer instructions: computed in 128 bits from the definitions of the PTX manual.
#ifndef TESTS_OPS_INT_H
#define TESTS_OPS_INT_H

#include "tests/unit/ops_harness.h"

__extension__ typedef __int128 big;

static inline bool ops_is(const struct op_in *x, const char *name) { return strcmp(x->op->op->name, name) == 0; }
static inline bool ops_signed(enum ptx_type t) { return ptx_type_kind[t] == 's'; }
static inline bool ops_packed16(enum ptx_type t) { return t == PTX_T_U16X2 || t == PTX_T_S16X2; }

// The low `bits` of v as a number.
static inline big ops_number(uint64_t v, unsigned bits, bool is_signed)
{
	big n = (big)ops_cut(v, bits);
	return is_signed && n >> (bits - 1) ? n - ((big)1 << bits) : n;
}

static inline big ops_clamp(big v, unsigned bits, bool is_signed)
{
	big hi = ((big)1 << (bits - is_signed)) - 1, lo = is_signed ? -hi - 1 : 0;
	return v < lo ? lo : v > hi ? hi : v;
}

static inline uint64_t int_op(const struct op_in *x, big a, big b, big c, unsigned bits, bool sg)
{
	const char *n = x->op->op->name;
	big r = strcmp(n, "add") == 0   ? a + b
	        : strcmp(n, "sub") == 0 ? a - b
	        : strcmp(n, "min") == 0 ? (a < b ? a : b)
	        : strcmp(n, "max") == 0 ? (a > b ? a : b)
	        : strcmp(n, "abs") == 0 ? (a < 0 ? -a : a)
	        : strcmp(n, "neg") == 0 ? -a
	        : strcmp(n, "sad") == 0 ? c + (a < b ? b - a : a - b)
	        : strcmp(n, "div") == 0 ? (b ? a / b : -1)
	                                : (b ? a % b : -1); // rem
	if (x->m->sat)
		r = ops_clamp(r, bits, sg);
	if (x->m->relu && r < 0)
		r = 0;
	return (uint64_t)r;
}

static void ref_int(struct op_in *x)
{
	bool sg = ops_signed(x->t);
	unsigned bits = ops_packed16(x->t) ? 16 : ptx_type_bits[x->t];
	for (unsigned k = 0; k < ptx_type_bits[x->t]; k += bits)
		x->d[0] |= ops_cut(int_op(x, ops_number(x->v[0] >> k, bits, sg), ops_number(x->v[1] >> k, bits, sg),
		                          ops_number(x->v[2] >> k, bits, sg), bits, sg), bits) << k;
}

// mul, mad and their 24-bit forms.
static void ref_product(struct op_in *x)
{
	bool sg = ops_signed(x->t), m24 = ops_is(x, "mul24") || ops_is(x, "mad24");
	unsigned bits = ptx_type_bits[x->t], from = m24 ? 24 : bits, wide = x->m->wide ? 2 * bits : bits;
	big a = ops_number(x->v[0], from, sg), b = ops_number(x->v[1], from, sg), p;
	unsigned __int128 up = (unsigned __int128)a * (unsigned __int128)b; // two u64 fill it
	p = sg ? a * b : (big)up;
	if (x->m->hi)
		p = sg ? p >> (m24 ? 16 : bits) : (big)(up >> (m24 ? 16 : bits));
	if (!x->m->wide)
		p = ops_number((uint64_t)p, bits, sg);
	if (x->n_src == 3)
		p += ops_number(x->v[2], wide, sg);
	x->d[0] = (uint64_t)(x->m->sat ? ops_clamp(p, bits, sg) : p);
}

// add, sub and mad with .cc, and those that continue them: sums in the type's width, unsigned. The flag of a subtraction
// says that there was no borrow, and subc takes one away unless it is set.
static void ref_carry(struct op_in *x)
{
	unsigned bits = ptx_type_bits[x->t];
	bool minus = ops_is(x, "sub") || ops_is(x, "subc"), product = ops_is(x, "mad") || ops_is(x, "madc");
	big a = (big)x->v[0], b = (big)x->v[1], r;
	if (product) {
		big p = ops_signed(x->t) ? ops_number(x->v[0], bits, true) * ops_number(x->v[1], bits, true)
		                         : (big)((unsigned __int128)a * (unsigned __int128)b);
		a = (big)ops_cut((uint64_t)(x->m->hi ? p >> (bits - 1) >> 1 : p), bits);
		if (x->m->hi && !ops_signed(x->t))
			a = (big)ops_cut((uint64_t)((unsigned __int128)p >> bits), bits);
		b = (big)x->v[2];
	}
	if (minus) {
		r = a - b - (ops_is(x, "subc") && !x->carry);
		x->d[1] = r >= 0;
	} else {
		r = a + b + x->carry;
		x->d[1] = r >> bits & 1;
	}
	x->d[0] = (uint64_t)r;
}

static void ref_bits(struct op_in *x)
{
	unsigned bits = ptx_type_bits[x->t], n = 0;
	uint64_t v = x->v[0];
	if (ops_is(x, "popc")) {
		for (unsigned k = 0; k < bits; k++)
			x->d[0] += v >> k & 1;
	} else if (ops_is(x, "clz")) {
		while (n < bits && !(v >> (bits - 1 - n) & 1))
			n++;
		x->d[0] = n;
	} else if (ops_is(x, "brev")) {
		for (unsigned k = 0; k < bits; k++)
			x->d[0] |= (v >> k & 1) << (bits - 1 - k);
	} else { // bfind
		bool flip = ops_signed(x->t) && v >> (bits - 1) & 1;
		int p = (int)bits - 1;
		while (p >= 0 && (v >> p & 1) == flip)
			p--;
		x->d[0] = p < 0 ? UINT32_MAX : (unsigned)p;
	}
}

static void ref_bfind_shiftamt(struct op_in *x)
{
	ref_bits(x);
	if (x->d[0] != UINT32_MAX)
		x->d[0] = ptx_type_bits[x->t] - 1 - x->d[0];
}

static void ref_fns(struct op_in *x)
{
	int32_t n = (int32_t)x->v[2];
	x->d[0] = UINT32_MAX;
	if (x->v[1] > 31)
		return;
	big left = n < 0 ? -(big)n : n;
	for (int p = (int)x->v[1]; p >= 0 && p < 32; p += n < 0 ? -1 : 1) {
		bool set = x->v[0] >> p & 1;
		if (n == 0 ? set : set && --left == 0) {
			x->d[0] = (unsigned)p;
			return;
		}
		if (n == 0)
			return;
	}
}

// bfe, bfi, szext, bmsk: bit by bit.
static void ref_fields(struct op_in *x)
{
	unsigned bits = ptx_type_bits[x->t];
	uint64_t all = bits == 64 ? UINT32_MAX : 255; // of 64 bits ptxas makes shifts by all bits of place and length
	if (ops_is(x, "bfe")) {
		uint64_t pos = x->v[1] & all, len = x->v[2] & all;
		uint64_t last = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
		bool sign = ops_signed(x->t) && len && x->v[0] >> last & 1;
		for (unsigned k = 0; k < bits; k++) {
			bool bit = k < len && pos + k < bits ? x->v[0] >> (pos + k) & 1 : sign;
			x->d[0] |= (uint64_t)bit << k;
		}
	} else if (ops_is(x, "bfi")) {
		uint64_t pos = x->v[2] & all, len = x->v[3] & all;
		x->d[0] = x->v[1];
		for (unsigned k = 0; k < len && pos + k < bits; k++)
			x->d[0] = (x->d[0] & ~((uint64_t)1 << (pos + k))) | (x->v[0] >> k & 1) << (pos + k);
	} else if (ops_is(x, "szext")) {
		unsigned n = x->m->wrap ? x->v[1] & 31 : x->v[1] > 32 ? 32 : (unsigned)x->v[1];
		x->d[0] = n ? (uint64_t)ops_number(x->v[0], n, ops_signed(x->t)) : 0;
	} else { // bmsk
		uint64_t pos = x->m->wrap ? x->v[0] & 31 : x->v[0], len = x->m->wrap ? x->v[1] & 31 : x->v[1];
		for (uint64_t k = pos; k < 32 && k - pos < len; k++)
			x->d[0] |= (uint64_t)1 << k;
	}
}

static void ref_dot(struct op_in *x)
{
	bool two = ops_is(x, "dp2a");
	big sum = (big)x->v[2];
	for (unsigned k = 0; k < (two ? 2 : 4); k++)
		sum += ops_number(x->v[0] >> k * (two ? 16 : 8), two ? 16 : 8, ops_signed(x->t)) *
		       ops_number(x->v[1] >> (k + (two && x->m->hi ? 2 : 0)) * 8, 8, ops_signed(x->u));
	x->d[0] = (uint64_t)sum;
}

static const struct op_case ops_int[] = {
	{"add.{u16x2,s16x2}", ref_int},
	{"{add,sub}.sat.s32", ref_int},
	{"{add,sub}.{u16,s16,u32,s32,u64,s64}", ref_int},
	{"{add,sub}.{u64,s64} #1=123456789012", ref_int},
	{"{add,sub}.{u64,s64} #1=-123456789012", ref_int},
	{"{min,max}.{u16,s16,u32,s32,u64,s64,u16x2,s16x2}", ref_int},
	{"{min,max}{.relu.s32,.s32.relu,.relu.s16x2,.s16x2.relu}", ref_int},
	{"{abs,neg}.{s16,s32,s64}", ref_int},
	{"{sad,div,rem}.{u16,s16,u32,s32,u64,s64}", ref_int},
	{"{mul,mad}.{lo,hi}.{u16,s16,u32,s32,u64,s64}", ref_product},
	{"{mul,mad}.wide.{u16,s16,u32,s32}", ref_product},
	{"mad.hi.sat.s32", ref_product},
	{"{mul24,mad24}.{lo,hi}.{u32,s32}", ref_product},
	{"mad24.hi.sat.s32", ref_product},
	{"{add,sub,addc,subc,mad.lo,mad.hi,madc.lo,madc.hi}.cc.{u32,s32,u64,s64}", ref_carry},
	{"{addc,subc,madc.lo,madc.hi}.{u32,s32,u64,s64}", ref_carry},
	{"{popc,clz,brev}.{b32,b64}", ref_bits},
	{"bfind.{u32,s32,u64,s64}", ref_bits},
	{"bfind.shiftamt.{u32,s32,u64,s64}", ref_bfind_shiftamt},
	{"fns.b32", ref_fns},
	{"bfe.{u32,s32,u64,s64}", ref_fields},
	{"bfi.{b32,b64}", ref_fields},
	{"szext.{clamp,wrap}.{u32,s32}", ref_fields},
	{"bmsk.{clamp,wrap}.b32", ref_fields},
	{"{dp4a,dp2a.lo,dp2a.hi}.{u32,s32}.{u32,s32}", ref_dot},
};

#endif
