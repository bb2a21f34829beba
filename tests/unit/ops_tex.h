// Texture fetches by integer and by float coordinates, for each geometry and type that is executed. Filters and address
// modes are test_exec_tex's; here it is the way from the PTX to the texel.
#ifndef TESTS_OPS_TEX_H
#define TESTS_OPS_TEX_H

#include "tests/unit/ops_harness.h"

// These run in a kernel of their own: the reference is tex_texel, or for surfaces what memory holds.
static const struct op_case ops_tex[] = {
	{"tex.1d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"tex.2d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"tex.{base,level}.{1d,2d}.v4.{u32,s32,f32,f16}.f32", NULL},
	{"tex.3d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"tex.a1d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"tex.a2d.v4.{u32,s32,f32,f16}.{s32,f32}", NULL},
	{"suld.b.{1d,2d,3d,a1d,a2d}.{b8,b16,b32,b64}.{trap,clamp,zero}", NULL},
	{"suld.b.2d.{v2.b8,v2.b16,v2.b32,v2.b64,v4.b8,v4.b16,v4.b32}.zero", NULL},
	{"sust.b.{1d,2d,3d,a1d,a2d}.{b8,b16,b32,b64}.{trap,clamp,zero}", NULL},
	{"sust.b.3d.{v2.b8,v2.b16,v2.b32,v2.b64,v4.b8,v4.b16,v4.b32}.clamp", NULL},
	{"sust.p.{1d,2d,3d,a1d,a2d}.{b32,v2.b32,v4.b32}.trap", NULL},
	{"sured.b.{add,min,max}.{1d,2d,3d}.{u32,s32,u64,s64}.trap", NULL},
	{"sured.b.{and,or}.{1d,2d,3d}.{b32,b64}.zero", NULL},
	{"sured.p.{add,min,max,and,or}.2d.b32.clamp", NULL},
};

#endif
