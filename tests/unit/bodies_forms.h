// PTX that means what an instruction of machine code does which ptxas makes of none. A form whose text has #k=c finds constants behind
// the bytes of ld.param.
#ifndef TESTS_BODIES_FORMS_H
#define TESTS_BODIES_FORMS_H

#include "tests/unit/ops_harness.h"

// Their machine code is tests/bodies/hand.sass.
static const struct op_case bodies_by_hand[] = {
	{"neg.s32 = neg.s32 %r9, %r0; sub.s32 %r9, %r9, %r1; sub.s32 %r9, %r9, %r2;cvt.u64.u32 %rd40, %r9;", NULL},
	{"add.u64 = cvt.u64.u32 %rd30, %r0; cvt.u64.u32 %rd31, %r1; cvt.u64.u32 %rd32, %r2; add.u64 %rd40, %rd30, %rd31; add.u64 %rd40, %rd40, %rd32;", NULL},
	{"add.u32 = and.b32 %r9, %r3, 1; add.u32 %r9, %r9, %r0; add.u32 %r9, %r9, %r1; add.u32 %r9, %r9, %r2; bfe.u32 %r8, %r3, 1, 1; add.u32 %r9, %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"sub.u32 = and.b32 %r9, %r3, 1; not.b32 %r7, %r0; add.u32 %r9, %r9, %r7; add.u32 %r9, %r9, %r1; not.b32 %r7, %r2; add.u32 %r9, %r9, %r7;cvt.u64.u32 %rd40, %r9;", NULL},
	{"mad.lo.u32 = mad.lo.u32 %r9, %r0, %r1, %r2; and.b32 %r8, %r3, 1; add.u32 %r9, %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"mad.lo.s32 = not.b32 %r7, %r2; mad.lo.u32 %r9, %r0, %r1, %r7; and.b32 %r8, %r3, 1; add.u32 %r9, %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"mul.wide.u32 = mul.wide.u32 %rd30, %r0, %r1; add.u64 %rd30, %rd30, %rd2; shr.u64 %rd40, %rd30, 32;", NULL},
	{"mul.wide.s32 = mul.wide.s32 %rd30, %r0, %r1; add.u64 %rd30, %rd30, %rd2; shr.u64 %rd40, %rd30, 32;", NULL},
	{"mad.wide.u32 = mul.wide.u32 %rd30, %r0, %r1; add.cc.u64 %rd40, %rd30, %rd2; addc.u64 %rd41, 0, 0; and.b64 %rd31, %rd3, 1; add.cc.u64 %rd40, %rd40, %rd31; addc.u64 %rd41, %rd41, 0;", NULL},
	{"shl.b32 = shf.l.clamp.b32 %r9, %r0, %r2, 7; add.u32 %r9, %r9, %r1;cvt.u64.u32 %rd40, %r9;", NULL},
	{"shl.b64 = shl.b32 %r9, %r0, 5; neg.s32 %r9, %r9; add.u32 %r9, %r9, %r1;cvt.u64.u32 %rd40, %r9;", NULL},
	{"shl.u64 = shl.b32 %r9, %r0, 9; sub.u32 %r9, %r9, %r1;cvt.u64.u32 %rd40, %r9;", NULL},
	{"addc.u32 = shl.b32 %r9, %r0, 3; add.cc.u32 %r9, %r9, %r1; addc.u32 %r8, 0, 0; cvt.u64.u32 %rd41, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"addc.s32 = shr.s32 %r8, %r0, 31; shf.l.clamp.b32 %r9, %r0, %r8, 11; add.u32 %r9, %r9, %r1; and.b32 %r8, %r3, 1; add.u32 %r9, %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"lop3.or.b32 = setp.ne.b32 %p8, 0, 0; lop3.or.b32 %r9|%p9, %r0, %r1, %r2, 0x80, %p0; selp.u64 %rd41, 1, 0, %p9;cvt.u64.u32 %rd40, %r9;", NULL},
	{"lop3.and.b32 = lop3.and.b32 %r9|%p9, %r0, %r1, %r2, 0x68, %p0; selp.u64 %rd41, 1, 0, %p9;cvt.u64.u32 %rd40, %r9;", NULL},
	{"setp.eq.s32 = xor.pred %p9, %p0, %p1; selp.u64 %rd40, 1, 0, %p0; not.pred %p8, %p0; selp.u64 %rd41, 1, 0, %p8;", NULL},
	{"setp.ne.s32 = setp.lt.s32 %p9, %r1, %r2; xor.pred %p8, %p9, %p0; selp.u64 %rd40, 1, 0, %p8; not.pred %p9, %p9; xor.pred %p8, %p9, %p0; selp.u64 %rd41, 1, 0, %p8;", NULL},
	{"setp.le.s64 = setp.le.s64 %p9, %rd0, %rd1; selp.u64 %rd40, 1, 0, %p9; setp.gt.s64 %p9, %rd0, %rd1; selp.u64 %rd41, 1, 0, %p9;", NULL},
	{"mul.rn.f32 = mov.b64 {%r20, %r21}, %rd0; mov.b64 {%r22, %r23}, %rd1; cvt.f64.f32 %rd30, %r20; cvt.f64.f32 %rd31, %r22; mul.f64 %rd30, %rd30, %rd31; mul.f64 %rd30, %rd30, 0d3FE0000000000000; cvt.rn.f32.f64 %r9, %rd30;cvt.u64.u32 %rd40, %r9;", NULL},
	{"mul.rn.f32 = mov.b64 {%r20, %r21}, %rd0; mov.b64 {%r22, %r23}, %rd1; cvt.f64.f32 %rd30, %r20; cvt.f64.f32 %rd31, %r22; mul.f64 %rd30, %rd30, %rd31; mul.f64 %rd30, %rd30, 0d3FD0000000000000; cvt.rn.f32.f64 %r9, %rd30;cvt.u64.u32 %rd40, %r9;", NULL},
	{"setp.lt.f32 = setp.nan.f32 %p9, %r0, %r1; selp.u64 %rd40, 1, 0, %p9; setp.num.f32 %p9, %r0, %r1; selp.u64 %rd41, 1, 0, %p9;", NULL},
	{"set.gtu.f32.f32 = setp.gtu.f32 %p9, %r0, %r1; xor.pred %p9, %p9, %p2; selp.b32 %r9, 0x3f800000, 0, %p9;cvt.u64.u32 %rd40, %r9;", NULL},
	{"cvt.rn.f32.u8 = bfe.u32 %r8, %r0, 8, 8; cvt.rn.f32.u32 %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"cvt.rn.f32.s8 = bfe.s32 %r8, %r0, 8, 8; cvt.rn.f32.s32 %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"cvt.rn.f32.u8 = bfe.u32 %r8, %r0, 16, 8; cvt.rn.f32.u32 %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"cvt.rn.f32.s8 = bfe.s32 %r8, %r0, 16, 8; cvt.rn.f32.s32 %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"cvt.rn.f32.u8 = bfe.u32 %r8, %r0, 24, 8; cvt.rn.f32.u32 %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"cvt.rn.f32.s8 = bfe.s32 %r8, %r0, 24, 8; cvt.rn.f32.s32 %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"cvt.rn.f32.u16 = shr.u32 %r8, %r0, 16; cvt.rn.f32.u32 %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"cvt.rn.f64.s16 = bfe.s32 %r8, %r0, 16, 16; cvt.rn.f64.s32 %rd40, %r8;", NULL},
	{"cvt.f32.f16 = mov.b32 {%rh5, %rh6}, %r0; cvt.f32.f16 %r9, %rh6;cvt.u64.u32 %rd40, %r9;", NULL},
	{"add.f16x2 = mov.b32 {%rh5, %rh6}, %r0; mov.b32 %r7, {%rh6, %rh6}; mov.b32 {%rh5, %rh6}, %r1; mov.b32 %r8, {%rh5, %rh5}; add.f16x2 %r9, %r7, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"fma.rn.f16x2 = mov.b32 {%rh5, %rh6}, %r0; mov.b32 %r7, {%rh6, %rh6}; neg.f16x2 %r7, %r7; mov.b32 {%rh5, %rh6}, %r2; mov.b32 %r8, {%rh5, %rh5}; fma.rn.f16x2 %r9, %r7, %r1, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"and.b32 = and.b32 %r8, %r0, 0x7f; shl.b32 %r8, %r8, 8; and.b32 %r9, %r1, 0xffff80ff; or.b32 %r9, %r9, %r8;cvt.u64.u32 %rd40, %r9;", NULL},
	{"or.b32 = bfe.u32 %r8, %r0, 16, 7; and.b32 %r9, %r8, 0x55;cvt.u64.u32 %rd40, %r9;", NULL},
	{"prmt.b32.f4e = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];prmt.b32.f4e %r9, %r20, %r22, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"prmt.b32.b4e = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];prmt.b32.b4e %r9, %r20, %r22, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"prmt.b32.rc8 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];prmt.b32.rc8 %r9, %r20, %r22, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"prmt.b32.ecl = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];prmt.b32.ecl %r9, %r20, %r22, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"prmt.b32.ecr = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];prmt.b32.ecr %r9, %r20, %r22, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"prmt.b32.rc16 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];prmt.b32.rc16 %r9, %r20, %r22, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"shf.l.wrap.b32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];shf.l.wrap.b32 %r9, %r20, %r22, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"szext.wrap.u32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];szext.wrap.u32 %r9, %r20, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"szext.clamp.s32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];szext.clamp.s32 %r9, %r20, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"bfind.shiftamt.u32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];bfind.shiftamt.u32 %r9, %r20;cvt.u64.u32 %rd40, %r9;", NULL},
	{"bfind.s32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];bfind.s32 %r9, %r20;cvt.u64.u32 %rd40, %r9;", NULL},
	{"mad.hi.u32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];shf.l.clamp.b32 %r9, %r20, %r22, 4; add.u32 %r9, %r9, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"mad.hi.s32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];shl.b32 %r9, %r20, 6; add.u32 %r9, %r9, %r21;cvt.u64.u32 %rd40, %r9;", NULL},
	{"lop3.b32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];lop3.b32 %r9, %r20, %r21, %r22, 0x2d;cvt.u64.u32 %rd40, %r9;", NULL},
	{"min.s32 = /* #0=c #1=c #2=c */ ld.param.b32 %r20, [par+64]; ld.param.b32 %r21, [par+72]; ld.param.b32 %r22, [par+80];setp.lt.s32 %p9, %r20, %r21; setp.gt.u32 %p8, %r20, %r22; xor.pred %p7, %p9, %p8; selp.u64 %rd40, 1, 0, %p7; or.pred %p7, %p9, %p8; selp.u64 %rd41, 1, 0, %p7;", NULL},
};

#endif
