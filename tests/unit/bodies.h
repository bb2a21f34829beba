// Kernels of one instruction form each, in PTX: what ptxas makes of them is executed beside them (test_random_bodies.c).
//
// The forms are those of the tables of tests/unit/ops_*.h and of bodies_forms.h, in all their choices, and of each some more: with
// operands from constants and immediates, with signs, with a guard. A kernel's name is its opcode and a digest of
// the form, so it stays the same while the form is in a table.
#ifndef TESTS_BODIES_H
#define TESTS_BODIES_H

#include "base/arena.h"
#include "base/map.h"
#include "tests/unit/bodies_forms.h"
#include "tests/unit/ops_cmp.h"
#include "tests/unit/ops_cvt.h"
#include "tests/unit/ops_float.h"
#include "tests/unit/ops_logic.h"
#include "tests/unit/ops_mem.h"
#include "tests/unit/ops_video.h"
#include "tests/unit/ops_warp.h"

struct body_form {
	char name[64];
	char text[300];      // the form, as a line of a table
	struct op_inst inst; // where its results are
	size_t columns;      // of results
	char *ptx;
	size_t difference;   // the last one met, counted from 1
};

struct bodies {
	VEC(struct body_form) form;
	struct map seen;
	struct arena arena;
};

static inline uint32_t body_digest(const char *s)
{
	uint32_t h = 2166136261u;
	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return h;
}

static inline void body_name(char *to, size_t size, const char *line)
{
	size_t n = 0;
	for (const char *s = line; *s && *s != ' ' && n + 12 < size; s++)
		to[n++] = *s == '.' || *s == ':' ? '_' : *s;
	snprintf(to + n, size - n, "_%08x", body_digest(line));
}

// What stands before all kernels. The constants of a form, #k=c, lie behind the bytes of ld.param.
static inline void bodies_head(struct ops *o, unsigned version, const char *target)
{
	ops_put(o, ".version %u.%u\n.target sm_%s\n.address_size 64\n.const .align 16 .b8 fixed[%d] = {", version / 10, version % 10, target,
	        OPS_SLOT);
	for (unsigned k = 0; k < OPS_SLOT; k++)
		ops_put(o, "%s%u", k ? "," : "", (unsigned)ops_fixed_byte(k));
	ops_put(o, "};\n"
		".func (.param .b32 r) fact(.param .b32 n) { .reg .b32 %%r<6>; .reg .pred %%p; "
		"ld.param.b32 %%r1, [n]; mov.b32 %%r4, 1;\n"
		"setp.lt.u32 %%p, %%r1, 2; @%%p bra DONE; sub.u32 %%r2, %%r1, 1; { .param .b32 a; "
		"st.param.b32 [a], %%r2; .param .b32 v;\n"
		"call (v), fact, (a); ld.param.b32 %%r3, [v]; } mul.lo.u32 %%r4, %%r1, %%r3; "
		"DONE: st.param.b32 [r], %%r4; ret; }\n");
}

// The kernel around an instruction, with only what that uses.
static inline void body_kernel(struct ops *o, const char *name, const char *body)
{
	bool shared = strstr(body, "%shp") || strstr(body, " sh;"), local = strstr(body, "%lop");
	ops_put(o, ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 slots, .param .align 16 .b8 par[%d]) {\n", name,
	        OPS_SLOT + 8 * OPS_SRC);
	ops_put(o, ".reg .pred %%p<50>; .reg .b16 %%rh<50>; .reg .b32 %%r<50>, %%lanes, %%shp, %%lop; .reg .b64 %%rd<50>, %%in, %%out, %%slot;\n");
	if (strstr(body, "%q"))
		ops_put(o, ".reg .b128 %%q<50>;\n");
	if (shared)
		ops_put(o, ".shared .align 16 .b8 sh[%d];\n", OPS_SLOT * OPS_BLOCK);
	if (local)
		ops_put(o, ".local .align 16 .b8 lo[%d];\n", OPS_SLOT);
	ops_put(o, "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r2, %%r1, %d, %%r0; mul.wide.u32 %%rd0, %%r2, 8;\n", OPS_BLOCK);
	ops_put(o, "ld.param.u64 %%in, [in]; add.u64 %%in, %%in, %%rd0; ld.param.u64 %%out, [out]; add.u64 %%out, %%out, %%rd0;\n"
		"ld.param.u64 %%slot, [slots]; mul.wide.u32 %%rd0, %%r2, %d; add.u64 %%slot, %%slot, %%rd0; activemask.b32 %%lanes;\n", OPS_SLOT);
	if (shared)
		ops_put(o, "mov.u32 %%shp, sh; mad.lo.u32 %%shp, %%r0, %d, %%shp;\n", OPS_SLOT);
	if (local)
		ops_put(o, "mov.u32 %%lop, lo;\n");
}

// Left out: loads that may pass the store before them, values of other lanes that are not there or that ptxas knows to be the same in all, and vectors of 8
// bytes or halves, at which ptxas fails.
static inline bool body_left_out(const char *line)
{
	bool narrow = strstr(line, "8") && (strstr(line, ".u8") || strstr(line, ".s8") || strstr(line, ".b8") || strstr(line, ".u16") ||
	                                    strstr(line, ".s16") || strstr(line, ".b16"));
	return strstr(line, ".nc") || strstr(line, "cvta.shared.u32") || (!strncmp(line, "shfl", 4) && (strstr(line, "#0=") || strstr(line, "@g"))) ||
	       (strstr(line, ".v8.") && narrow);
}

static inline void body_add(struct bodies *b, const char *line)
{
	if (body_left_out(line))
		return;
	static const struct op_case none = {0};
	struct body_form f = {0};
	struct ops o = {0}, all = {0};
	ck_assert_uint_lt(strlen(line), sizeof f.text);
	strcpy(f.text, line);
	body_name(f.name, sizeof f.name, line);
	if (map_get(&b->seen, f.name, strlen(f.name)))
		return;
	ops_add_line(&o, &none, line);
	ops_put(&o, "ret; }\n");
	VEC_PUSH(&o.ptx, 0);
	body_kernel(&all, f.name, o.ptx.at);
	for (const char *s = o.ptx.at; s < o.ptx.at + o.ptx.n; s++)
		VEC_PUSH(&all.ptx, *s);
	f.inst = o.inst.at[0];
	f.columns = o.columns;
	f.ptx = all.ptx.at;
	VEC_FREE(&o.inst);
	VEC_FREE(&o.ptx);
	VEC_PUSH(&b->form, f);
	const char *name = arena_strdup(&b->arena, f.name);
	map_put(&b->seen, name, strlen(name), (void *)b->form.n); // its number, counted from 1
}

// The form with something more.
static inline void body_more(struct bodies *b, const char *line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static inline void body_more(struct bodies *b, const char *line, const char *fmt, ...)
{
	char more[300], all[600];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(more, sizeof more, fmt, ap);
	va_end(ap);
	snprintf(all, sizeof all, "%s %s", line, more);
	body_add(b, all);
}

static inline bool body_free_source(const struct op_source *s) { return !s->is_lanes && !s->is_fixed; }

// Numbers moved into a source: in integers a small one, a negative one and many bits, in floats 1.5, -pi and a subnormal.
static inline uint64_t body_number(enum ptx_type t, unsigned which)
{
	static const uint64_t of[POOL_N][3] = {
		{5, 31, 63}, {9, 0xfff5, 0x7a31}, {9, 0xfffffff5, 0x7a31c09e}, {9, ~(uint64_t)10, 0x4123456789abcdef},
		{0x3e00, 0xc248, 0x0003}, {0x3fc0, 0xc049, 0x0003}, {0x3fc00000, 0xc0490fdb, 0x00000003},
		{0x3ff8000000000000, 0xc00921fb54442d18, 0x0000000300000000}};
	uint64_t v = of[ops_pool_of(t)][which];
	bool pair = ptx_type_bits[t] == 32 && ops_pool_of(t) != POOL_INT32 && ops_pool_of(t) != POOL_F32;
	return pair ? v << 16 | of[ops_pool_of(t)][(which + 1) % 3] : v;
}

// A form, and it with sources of other kinds.
static inline void body_variants(struct bodies *b, const char *line)
{
	body_add(b, line);
	if (!b->form.n)
		return;
	const struct op_inst i = b->form.at[b->form.n - 1].inst;
	if (strcmp(b->form.at[b->form.n - 1].text, line) || strstr(line, " = "))
		return;
	char all[100] = "";
	unsigned n = 0;
	for (unsigned k = 0; k < i.n_src && k < 4; k++) {
		enum ptx_type t = i.src[k].type;
		unsigned bits = ptx_type_bits[t];
		if (!body_free_source(&i.src[k]))
			continue;
		n++;
		body_more(b, line, "#%u=c%u", k, k);
		sprintf(all + strlen(all), "#%u=c%u ", k, k);
		if (bits >= 16 && bits <= 64 && i.n_src > 1)
			for (unsigned w = 0; w < 3; w++)
				body_more(b, line, "#%u=i0x%llx", k, (unsigned long long)ops_cut(body_number(t, w), bits));
		if (bits == 1 || (bits >= 16 && ptx_type_kind[t] == 'b'))
			body_more(b, line, "~%u=not", k);
		if (bits >= 16 && bits <= 64 && ptx_type_kind[t] != 'b' && ptx_type_kind[t] != 'o')
			body_more(b, line, "~%u=neg", k);
		if (bits >= 16 && bits <= 64 && ptx_type_kind[t] == 'f') {
			body_more(b, line, "~%u=abs", k);
			body_more(b, line, "~%u=nabs", k);
			body_more(b, line, "#%u=c%u ~%u=neg", k, k, k);
			body_more(b, line, "#%u=c%u ~%u=abs", k, k, k);
		}
	}
	if (n > 1)
		body_more(b, line, "%s", all);
	// A carry is not set where the guard does not hold. Ptxas leaves the guard of testp.subnormal out.
	if (n && !strstr(line, ".cc") && strncmp(line, "testp", 5))
		body_more(b, line, "@g");
}

static inline void body_plain_line(void *ctx, const struct op_case *c, const char *line)
{
	(void)c;
	body_add(ctx, line);
}

static inline void body_varied_line(void *ctx, const struct op_case *c, const char *line)
{
	(void)c;
	body_variants(ctx, line);
}

static inline void bodies_make(struct bodies *b)
{
#define TABLE(t, fn)                                                    \
	for (size_t k = 0; k < sizeof t / sizeof *t; k++)               \
		ops_expand(&t[k], t[k].text, fn, b);
	TABLE(bodies_by_hand, body_plain_line)
	TABLE(ops_int, body_varied_line)
	TABLE(ops_float, body_varied_line)
	TABLE(ops_half, body_varied_line)
	TABLE(ops_cmp, body_varied_line)
	TABLE(ops_logic, body_varied_line)
	TABLE(ops_cvt, body_varied_line)
	TABLE(ops_mem, body_plain_line)
	TABLE(ops_atom, body_plain_line)
	TABLE(ops_video, body_plain_line)
	TABLE(ops_warp, body_varied_line)
	TABLE(ops_mov, body_plain_line)
#undef TABLE
}

static inline void bodies_free(struct bodies *b)
{
	for (size_t k = 0; k < b->form.n; k++)
		mem_free(b->form.at[k].ptx);
	VEC_FREE(&b->form);
	map_free(&b->seen);
	arena_free(&b->arena);
}

// The form of that name; NULL if no table has it.
static inline struct body_form *bodies_find(struct bodies *b, const char *name)
{
	size_t n = (size_t)map_get(&b->seen, name, strlen(name));
	return n ? &b->form.at[n - 1] : NULL;
}

#endif
