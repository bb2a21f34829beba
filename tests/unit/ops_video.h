// Video instructions, element by element: from the definitions of the PTX manual, and where ptxas's code decides otherwise, from
// that (ptxas 11.8, 12.9 and 13.0 agree, for sm_75 to sm_90).
#ifndef TESTS_OPS_VIDEO_H
#define TESTS_OPS_VIDEO_H

#include "tests/unit/ops_int.h"

static inline bool video_has(const struct op_in *x, const char *suffix)
{
	const char *s = strstr(x->text, suffix);
	return s && (s[strlen(suffix)] == '.' || !s[strlen(suffix)]);
}

// Digit n of a part, counted from its right end; -1 where nothing is named.
static inline int video_digit(const char *part, unsigned n)
{
	part += *part == '-';
	return n + 1 < strlen(part) ? part[strlen(part) - 1 - n] - '0' : -1;
}

static inline unsigned video_width(const char *part)
{
	part += *part == '-';
	return *part == 'b' ? 8 : *part == 'h' ? 16 : 32;
}

static inline big video_operate(const struct op_in *x, char which, big a, big b)
{
	switch (which) {
	case 'a': return a + b;
	case 's': return a - b;
	case 'v': return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
	case 'd': return a > b ? a - b : b - a;
	case 'm': return a < b ? a : b;
	case 'x': return a > b ? a : b;
	case '<': case '>':
		if (x->m->wrap)
			b &= 31;
		else if (b > 32)
			b = 32;
		return which == '>' ? a >> (int)b : ops_number((uint64_t)a << (int)b, 64, true);
	default:
		return video_has(x, ".eq") ? a == b : video_has(x, ".ne") ? a != b : video_has(x, ".lt") ? a < b
		       : video_has(x, ".le") ? a <= b : video_has(x, ".gt") ? a > b : a >= b;
	}
}

// One letter for the operation: vadd a, vsub s, vavrg v, vabsdiff d, vmin m, vmax x, vshl <, vshr >, vset c.
static inline char video_which(const struct op_in *x)
{
	const char *n = x->op->op->name + 1;
	static const char names[][8] = {"add", "sub", "avrg", "absdiff", "min", "max", "shl", "shr", "set"};
	for (unsigned k = 0; k < 9; k++)
		if (strncmp(n, names[k], strlen(names[k])) == 0)
			return "asvdmx<>c"[k];
	return 0;
}

static inline void video_signs(const struct op_in *x, bool *d, bool *a, bool *b)
{
	bool set = video_which(x) == 'c';
	*d = ops_signed((enum ptx_type)x->m->type[0]); // of c too; vset's is that of a
	*a = ops_signed((enum ptx_type)x->m->type[set ? 0 : 1]);
	*b = ops_signed((enum ptx_type)x->m->type[set ? 1 : 2]);
}

static inline big video_source(const struct op_in *x, unsigned operand, bool sg)
{
	const char *part = x->part[operand];
	unsigned w = video_width(part);
	int n = video_digit(part, 0);
	return ops_number(x->v[operand - 1] >> (n < 0 ? 0 : (unsigned)n * w), w, sg);
}

// Shifts are clamped as 34 bits to 32. A part of a register takes what is no number of its own from 0 on as its largest one.
// Unsigned numbers of 32 bits only have a lower limit.
static inline big video_saturate(const struct op_in *x, char which, big r, unsigned w, bool sd)
{
	if (which == '<' || which == '>')
		return ops_clamp(ops_number((uint64_t)r, 34, true), 32, sd);
	if (w == 32)
		return sd ? ops_clamp(r, 32, true) : r < 0 ? 0 : r;
	big most = ((big)1 << (w - sd)) - 1;
	return r < 0 || r > most ? most : r;
}

// Sums, differences and saturated shifts are compared by their lower 32 bits with the sign extended, others by 64; an unsigned
// comparison takes these as they are.
static inline bool video_above(const struct op_in *x, char which, big r, big c, bool sd)
{
	bool cut = which == 'a' || which == 's' || (x->m->sat && (which == '<' || which == '>'));
	r = cut ? ops_number((uint64_t)r, 32, true) : r;
	return (sd ? r : ops_number((uint64_t)r, 64, false)) > c;
}

static void ref_video(struct op_in *x)
{
	bool sd, sa, sb;
	video_signs(x, &sd, &sa, &sb);
	char which = video_which(x);
	unsigned w = video_width(x->part[0]);
	big r = video_operate(x, which, video_source(x, 1, sa), video_source(x, 2, sb));
	if (x->m->sat)
		r = video_saturate(x, which, r, w, sd);
	if (x->n_src == 3 && w == 32) {
		big c = ops_number(x->v[2], 32, sd);
		r = video_has(x, ".add") ? r + c : video_above(x, which, r, c, sd) == video_has(x, ".max") ? r : c;
	}
	x->d[0] = ops_cut((uint64_t)r, w);
	if (w < 32) {
		unsigned at = (unsigned)video_digit(x->part[0], 0) * w;
		uint64_t field = ops_cut(~(uint64_t)0, w) << at;
		// The upper half takes the upper half of the result.
		uint64_t put = w == 16 ? (uint64_t)r : (uint64_t)r << at;
		x->d[0] = (x->v[2] & ~field) | (put & field);
	}
}

// Sources of 32 bits are signed whatever is said of them, and so is c.
static void ref_vmad(struct op_in *x)
{
	bool sa = ops_signed((enum ptx_type)x->m->type[1]), sb = ops_signed((enum ptx_type)x->m->type[2]);
	bool neg = (x->part[1][0] == '-') != (x->part[2][0] == '-'), neg_c = x->part[3][0] == '-',
		 sg = sa || sb || neg || neg_c;
	big r = video_source(x, 1, sa || video_width(x->part[1]) == 32) * video_source(x, 2, sb || video_width(x->part[2]) == 32);
	r = neg ? -r : r;
	r += ops_number(neg_c ? ~x->v[2] : x->v[2], 32, true) + neg_c + video_has(x, ".po");
	r = ops_number((uint64_t)r, 64, sg || !(video_has(x, ".shr7") || video_has(x, ".shr15")));
	r >>= video_has(x, ".shr7") ? 7 : video_has(x, ".shr15") ? 15 : 0;
	x->d[0] = (uint64_t)(x->m->sat ? ops_clamp(r, 32, sg) : r);
}

static void ref_video_simd(struct op_in *x)
{
	bool sd, sa, sb;
	video_signs(x, &sd, &sa, &sb);
	unsigned n = (unsigned)(x->op->op->name[strlen(x->op->op->name) - 1] - '0'), w = 32 / n;
	uint64_t both = x->v[1] << 32 | x->v[0], sum = x->v[2];
	for (unsigned k = 0; k < n; k++) {
		bool chosen = !*x->part[0];
		for (unsigned q = 0; !chosen && video_digit(x->part[0], q) >= 0; q++)
			chosen = video_digit(x->part[0], q) == (int)k;
		int ea = video_digit(x->part[1], k), eb = video_digit(x->part[2], k);
		big a = ops_number(both >> (ea < 0 ? k : (unsigned)ea) * w, w, sa);
		big b = ops_number(both >> (eb < 0 ? k + n : (unsigned)eb) * w, w, sb);
		big r = video_operate(x, video_which(x), a, b);
		if (x->m->sat)
			r = ops_clamp(r, w, sd);
		if (chosen)
			sum += (uint64_t)r;
		x->d[0] |= chosen ? ops_cut((uint64_t)r, w) << k * w : x->v[2] & ops_cut(~(uint64_t)0, w) << k * w;
	}
	if (video_has(x, ".add"))
		x->d[0] = sum;
}

#define VIDEO_TYPES ".{u32,s32}.{u32,s32}.{u32,s32}"
#define VIDEO_CMP   "{eq,ne,lt,le,gt,ge}"
static const struct op_case ops_video[] = {
	{"{vadd,vsub,vabsdiff,vmin,vmax}" VIDEO_TYPES "{,.sat}", ref_video},
	{"{vadd,vsub,vabsdiff,vmin,vmax}" VIDEO_TYPES "{,.sat} @1={b0,b3,h1} @2={b2,h0}", ref_video},
	{"{vadd,vsub,vabsdiff,vmin,vmax}" VIDEO_TYPES "{,.sat}.{add,min,max} +1 @1=h0 @2=b1", ref_video},
	{"{vadd,vsub,vabsdiff,vmin,vmax}" VIDEO_TYPES "{,.sat}.{add,min,max} +1", ref_video},
	{"{vadd,vsub,vabsdiff,vmin,vmax}" VIDEO_TYPES "{,.sat} +1 @0={b2,h1}", ref_video},
	{"{vadd,vsub,vabsdiff,vmin,vmax}.{u32,s32}.s32.u32{,.sat} +1 @0={b0,b1,b2,b3,h0,h1} @1=b1", ref_video},
	{"{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap}", ref_video},
	{"{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap} @1=h1 @2=b0", ref_video},
	{"{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap}.{add,min,max} +1 @2=b0", ref_video},
	{"{vshl,vshr}.{u32,s32}.{u32,s32}.u32{,.sat}.{clamp,wrap} +1 @0={b2,h1} @2=b3", ref_video},
	{"vset.{u32,s32}.{u32,s32}." VIDEO_CMP, ref_video},
	{"vset.{u32,s32}.{u32,s32}." VIDEO_CMP ".{add,min,max} +1 @1=b0 @2=b1", ref_video},
	{"vset.{u32,s32}.{u32,s32}." VIDEO_CMP ".{min,max} +1", ref_video},
	{"vset.{u32,s32}.{u32,s32}.{le,gt} +1 @0={b3,h0,h1}", ref_video},
	{"vset.{u32,s32}.{u32,s32}." VIDEO_CMP " +1 @0=b1 @1=h0 @2=h0", ref_video},
	{"vmad" VIDEO_TYPES "{,.po}{,.sat}{,.shr7,.shr15} @1={h0,b2} @2={h1,b0}", ref_vmad},
	{"vmad" VIDEO_TYPES "{,.sat}{,.shr7,.shr15}", ref_vmad},
	{"vmad" VIDEO_TYPES "{,.sat}{,.shr7} @1={-,-h0} @2=h1", ref_vmad},
	{"vmad" VIDEO_TYPES "{,.sat}{,.shr7} @1=-b0 @2=-b1", ref_vmad},
	{"vmad" VIDEO_TYPES "{,.sat}{,.shr15} @1=h0 @2=b1 @3=-", ref_vmad},
	{"{vadd,vsub,vavrg,vabsdiff,vmin,vmax}{2,4}" VIDEO_TYPES "{,.sat,.add}", ref_video_simd},
	{"{vadd,vsub,vavrg,vabsdiff,vmin,vmax}2" VIDEO_TYPES "{,.sat,.add} @0={h0,h1,h10} @1={h31,h00} @2=h23", ref_video_simd},
	{"{vadd,vsub,vavrg,vabsdiff,vmin,vmax}4.{u32,s32}.s32.u32{,.sat,.add} @0={b0,b20,b321} @1={b7012,b3210} @2=b4567", ref_video_simd},
	{"vset{2,4}.{u32,s32}.{u32,s32}." VIDEO_CMP "{,.add}", ref_video_simd},
	{"vset2.{u32,s32}.{u32,s32}." VIDEO_CMP "{,.add} @0=h1 @1=h22 @2=h01", ref_video_simd},
	{"vset4.{u32,s32}.{u32,s32}." VIDEO_CMP "{,.add} @0=b30 @1=b0000 @2=b7531", ref_video_simd},
};

#endif
