// Texture fetches by integer and by float coordinates, for each geometry and type that is executed. Filters and address
// modes are test_exec_tex's; here it is the way from the PTX to the texel.
#ifndef TESTS_OPS_TEX_H
#define TESTS_OPS_TEX_H

#include "tests/unit/ops_harness.h"

// These run in a kernel of their own: the reference is tex_texel.
static const struct op_case ops_tex[] = {
	{"tex.1d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"tex.2d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"tex.{base,level}.{1d,2d}.v4.{u32,s32,f32,f16}.f32", NULL},
	{"tex.3d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"tex.a1d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"tex.a2d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
};

#endif
