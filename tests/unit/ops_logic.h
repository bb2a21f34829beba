// Logic and shifts, computed bit by bit.
#ifndef TESTS_OPS_LOGIC_H
#define TESTS_OPS_LOGIC_H

#include "tests/unit/ops_int.h"

static void ref_logic(struct op_in *x)
{
	uint64_t a = x->v[0], b = x->v[1];
	for (unsigned k = 0; k < ptx_type_bits[x->t]; k++) {
		bool p = a >> k & 1, q = b >> k & 1;
		bool r = ops_is(x, "and") ? p && q : ops_is(x, "or") ? p || q : ops_is(x, "xor") ? p != q
		         : ops_is(x, "not") ? !p : k == 0 && a == 0; // cnot
		x->d[0] |= (uint64_t)r << k;
	}
}

static void ref_lop3(struct op_in *x)
{
	for (unsigned k = 0; k < 32; k++) {
		unsigned n = (unsigned)((x->v[0] >> k & 1) << 2 | (x->v[1] >> k & 1) << 1 | (x->v[2] >> k & 1));
		x->d[0] |= (uint64_t)(x->v[3] >> n & 1) << k;
	}
	bool any = x->d[0] != 0;
	x->d[1] = x->m->boolop == UOP_OR ? any | (x->v[4] & 1) : any & x->v[4];
}

static void ref_shift(struct op_in *x)
{
	unsigned bits = ptx_type_bits[x->t];
	uint64_t n = x->v[1] > bits ? bits : x->v[1];
	big a = ops_number(x->v[0], bits, ops_signed(x->t));
	x->d[0] = (uint64_t)(ops_is(x, "shl") ? a * ((big)1 << n) : a >> n);
}

static void ref_shf(struct op_in *x)
{
	unsigned n = x->m->wrap ? x->v[2] & 31 : x->v[2] > 32 ? 32 : (unsigned)x->v[2];
	uint64_t both = x->v[1] << 32 | x->v[0];
	x->d[0] = x->m->left ? both >> (32 - n) : both >> n;
}

// The mode follows the type: the part of the opcode after it.
static void prmt(struct op_in *x, const char *mode)
{
	uint64_t both = x->v[1] << 32 | x->v[0];
	for (unsigned k = 0; k < 4; k++) {
		int s = (int)(x->v[2] & 3), j = (int)k;
		bool sign = false;
		int n;
		if (!mode) {
			n = (int)(x->v[2] >> 4 * k & 7);
			sign = x->v[2] >> 4 * k & 8;
		} else if (!strcmp(mode, "f4e")) {
			n = s + j;
		} else if (!strcmp(mode, "b4e")) {
			n = (s - j) & 7;
		} else if (!strcmp(mode, "rc8")) {
			n = s;
		} else if (!strcmp(mode, "ecl")) {
			n = j > s ? j : s;
		} else if (!strcmp(mode, "ecr")) {
			n = j < s ? j : s;
		} else { // rc16
			n = (s & 1) * 2 + (j & 1);
		}
		uint64_t byte = both >> 8 * n & 255;
		x->d[0] |= (sign ? byte >> 7 ? 255 : 0 : byte) << 8 * k;
	}
}

static void ref_prmt(struct op_in *x) { prmt(x, NULL); }
#define X(mode) static void ref_prmt_##mode(struct op_in *x) { prmt(x, #mode); }
X(f4e) X(b4e) X(rc8) X(ecl) X(ecr) X(rc16)
#undef X

static const struct op_case ops_logic[] = {
	{"{and,or,xor}.{b16,b32,b64,pred}", ref_logic},
	{"not.{b16,b32,b64,pred}", ref_logic},
	{"cnot.{b16,b32,b64}", ref_logic},
	{"lop3.b32 #3={0,0x96,0xe8,0xca,0xff,0x80,0xfe,0x1b,0x42}", ref_lop3},
	{"lop3.{or,and}.b32 #3={0x96,0xe8,0,0xff,0x40}", ref_lop3},
	{"{shl,shr}.{b16,b32,b64,u16,u32,u64,s16,s32,s64}", ref_shift},
	{"shf.{l,r}.{clamp,wrap}.b32", ref_shf},
	{"prmt.b32", ref_prmt},
	{"prmt.b32.f4e", ref_prmt_f4e}, {"prmt.b32.b4e", ref_prmt_b4e}, {"prmt.b32.rc8", ref_prmt_rc8},
	{"prmt.b32.ecl", ref_prmt_ecl}, {"prmt.b32.ecr", ref_prmt_ecr}, {"prmt.b32.rc16", ref_prmt_rc16},
};

#endif
