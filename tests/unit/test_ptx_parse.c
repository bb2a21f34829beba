#include "cuda-sim/ptx/ptx.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static struct diag d;

static struct ptx_module *parse(const char *text)
{
	return ptx_module_parse("t.ptx", text, strlen(text), &d);
}

static struct ptx_func *func(struct ptx_module *m, const char *name)
{
	return map_get(&m->funcs, name, strlen(name));
}

// A module with one kernel around the statements.
static struct ptx_module *kernel(const char *body)
{
	char text[8192];
	snprintf(text, sizeof text,
	         HEAD ".global .u32 g[8];\n.entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %%p<8>;\n"
	              ".reg .b16 %%h<8>;\n"
	              ".reg .b32 %%r<8>;\n.reg .b64 %%l<8>;\n.reg .f32 %%f<8>;\n.reg .f64 %%d<8>;\n%s\n}\n",
	         body);
	struct ptx_module *m = parse(text);
	ck_assert_msg(m != NULL, "%s", d.text);
	return m;
}

static void wrong(const char *body, const char *message)
{
	struct ptx_module *m = kernel(body);
	ck_assert_msg(!ptx_func_parse(func(m, "k"), &d), "no error in: %s", body);
	ck_assert_msg(strstr(d.text, message) != NULL, "%s: wanted \"%s\", got:\n%s", body, message, d.text);
	ptx_module_free(m);
	diag_free(&d);
}

static void right(const char *body)
{
	struct ptx_module *m = kernel(body);
	bool ok = ptx_func_parse(func(m, "k"), &d);
	ck_assert_msg(ok, "%s:\n%s", body, d.text);
	ptx_module_free(m);
	diag_free(&d);
}

// ---- opcodes

static const struct {
	const char *text, *key;
} key_row[] = {
	{"ld.volatile.global.v4.f32", "ld.global.v4.f32"}, {"add.rn.f32", "add.f32"}, {"add.rz.ftz.f32", "add.rz.ftz.f32"},
	{"fma.rn.f32", "fma.rn.f32"}, {"mul.rn.f64", "mul.f64"}, {"atom.acq_rel.gpu.global.cas.b32", "atom.global.cas.b32"},
	{"bar.sync", "bar.sync"}, {"barrier.cta.sync.aligned", "barrier.sync"},
	{"shfl.sync.down.b32", "shfl.sync.down.b32"},
	{"membar.gl", "membar"}, {"fence.acq_rel.gpu", "fence"}, {"mul.wide.s32", "mul.wide.s32"},
	{"shfl.down.b32", "shfl.down.b32"}, {"vote.ballot.b32", "vote.ballot.b32"}, {"vote.uni.pred", "vote.uni.pred"},
	{"bra.uni", "bra"}, {"ld.global.nc.L2::128B.u32", "ld.global.u32"}, {"ld.shared::cta.u8", "ld.shared.u8"},
	{"ld.param::entry.u64", "ld.param.u64"}, {"cvta.to.global.u64", "cvta.to.global.u64"},
	{"st.global.cg.b32", "st.global.b32"}, {"setp.lo.u32", "setp.lo.u32"},
	{"barrier.cluster.arrive.aligned", "barrier.cluster.arrive"}, {"cvt.rn.f32.s32", "cvt.rn.f32.s32"},
};

START_TEST(keys_leave_out_timing_and_order)
{
	struct ptx_opcode o;
	char key[PTX_OPCODE_MAX + 8], why[256];
	const char *error = ptx_opcode_read(key_row[_i].text, &o, key, why, sizeof why);
	ck_assert_msg(!error, "%s: %s", key_row[_i].text, error);
	ck_assert_str_eq(key, key_row[_i].key);
}
END_TEST

START_TEST(suffixes_are_sorted_into_fields)
{
	struct ptx_opcode o;
	char key[PTX_OPCODE_MAX + 8], why[256];
	ck_assert_ptr_null(ptx_opcode_read("ld.acquire.gpu.global.v2.f64", &o, key, why, sizeof why));
	ck_assert_int_eq(o.mods.sem, PTX_ACQUIRE);
	ck_assert_int_eq(o.mods.scope, PTX_SCOPE_GPU);
	ck_assert_int_eq(o.mods.space, PTX_S_GLOBAL);
	ck_assert_int_eq(o.mods.vec, 2);
	ck_assert_int_eq(o.mods.type[0], PTX_T_F64);
	ck_assert_ptr_null(ptx_opcode_read("cvt.rzi.ftz.sat.s32.f32", &o, key, why, sizeof why));
	ck_assert_int_eq(o.mods.rnd, ROUND_RZI);
	ck_assert(o.mods.ftz && o.mods.sat);
	ck_assert_int_eq(o.mods.type[1], PTX_T_F32);
	ck_assert_ptr_null(ptx_opcode_read("setp.geu.or.ftz.f32", &o, key, why, sizeof why));
	ck_assert_int_eq(o.mods.cmp, UOP_GEU);
	ck_assert_int_eq(o.mods.boolop, UOP_OR);
	ck_assert_ptr_null(ptx_opcode_read("mul.hi.u32", &o, key, why, sizeof why));
	ck_assert(o.mods.hi && !o.mods.lo && !o.mods.wide);
}
END_TEST

// Each row of the table must be reachable and well formed.
START_TEST(the_table_is_well_formed)
{
	for (unsigned i = 0; i < ptx_op_count; i++) {
		const struct ptx_op *op = &ptx_op_table[i];
		for (const char *c = op->operands; *c; c++)
			ck_assert_msg(strchr("tuxWhilsvqQoprcmaLT*=|[],", *c) != NULL, "%s: operand letter %c", op->name, *c);
		ck_assert(op->types || !op->types2);
		ck_assert(*op->semantics);
		// Rows of one mnemonic are adjacent.
		const struct ptx_op *first = ptx_op_find(op->name, strlen(op->name));
		for (const struct ptx_op *k = first; k < op; k++)
			ck_assert_str_eq(k->name, op->name);
	}
}
END_TEST

START_TEST(special_registers_are_found)
{
	uint8_t comp;
	ck_assert_int_eq(ptx_sreg_find("laneid", 6, &comp), PTX_SR_LANEID);
	ck_assert_int_eq(ptx_sreg_find("envreg31", 8, &comp), PTX_SR_ENVREG);
	ck_assert_int_eq(comp, 31);
	ck_assert_int_eq(ptx_sreg_find("pm7_64", 6, &comp), PTX_SR_PM);
	ck_assert_int_eq(ptx_sreg_find("envreg32", 8, &comp), -1);
	ck_assert_int_eq(ptx_sreg_find("envreg", 6, &comp), -1);
	ck_assert_int_eq(ptx_sreg_find("clock6", 6, &comp), -1);
}
END_TEST

// ---- modules

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s cannot be read; run from the top of the tree", path);
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	char *s = malloc(*len + 1);
	ck_assert_uint_eq(fread(s, 1, *len, f), *len);
	s[*len] = 0;
	fclose(f);
	return s;
}

START_TEST(every_kind_of_statement_parses)
{
	size_t len;
	char *s = slurp("tests/ptx/statements.ptx", &len);
	struct ptx_module *m = ptx_module_parse("statements.ptx", s, len, &d);
	ck_assert_msg(m != NULL, "%s", d.text);
	for (size_t i = 0; i < m->funcs.n; i++) {
		struct ptx_func *f = m->funcs.slot[i].value;
		ck_assert_msg(!f->body || ptx_func_parse(f, &d), "%s:\n%s", f->name, d.text);
	}
	struct ptx_func *k = func(m, "kernel");
	ck_assert_uint_eq(k->n_param, 3);
	ck_assert_uint_eq(k->param[2]->addr, 16);
	ck_assert_uint_eq(k->param[2]->size, 24);
	ck_assert_uint_eq(k->param[2]->align, 8);
	ck_assert(k->param[0]->ptr && k->param[0]->align == 8);
	ck_assert_uint_eq(k->maxntid[0], 128);
	ck_assert_uint_eq(k->maxntid[1], 2);
	ck_assert_uint_eq(k->minnctapersm, 4);
	ck_assert_uint_eq(m->version, 88);
	ck_assert_uint_eq(m->target, 90);
	ck_assert(m->debug);
	ck_assert_ptr_eq(func(m, "other_name")->alias, func(m, "spare"));
	ck_assert_str_eq(map_get(&m->files, "2", 1), "other.h");
	ck_assert_uint_eq(k->inst[0].loc, 10);
	ck_assert_uint_eq(k->inst[0].loc_file, 1);
	ptx_module_free(m);
	free(s);
}
END_TEST

static const struct ptx_var *var(struct ptx_module *m, const char *name)
{
	const struct ptx_var *v = map_get(&m->vars, name, strlen(name));
	ck_assert_ptr_nonnull(v);
	return v;
}

START_TEST(initialisers_are_exact)
{
	size_t len;
	char *s = slurp("tests/ptx/statements.ptx", &len);
	struct ptx_module *m = ptx_module_parse("statements.ptx", s, len, &d);
	ck_assert_mem_eq(var(m, "text")->init, "a\tb\n\0", 5);
	ck_assert_mem_eq(var(m, "matrix")->init, ((uint32_t[]){1, 2, 0, 16, 15, 3}), 24);
	ck_assert_mem_eq(var(m, "floats")->init, ((float[]){1.5f, 2, -0.25f, 3}), 16);
	ck_assert_uint_eq(var(m, "floats")->size, 16);
	ck_assert_mem_eq(var(m, "doubles")->init, ((double[]){1.5, 1e10}), 16);
	ck_assert_mem_eq(var(m, "vector")->init, ((float[]){1, 2, 3, 4}), 16);
	ck_assert_mem_eq(var(m, "folded")->init, ((int32_t[]){(int32_t)0xFFFFFFFE}), 4);
	ck_assert_mem_eq(var(m, "wider")->init, ((uint64_t[]){UINT64_MAX}), 8);
	const struct ptx_var *p = var(m, "pointers"), *b = var(m, "bytes");
	ck_assert_uint_eq(p->n_reloc, 4);
	ck_assert_str_eq(p->reloc[1].name, "matrix");
	ck_assert_int_eq(p->reloc[1].addend, 8);
	ck_assert_uint_eq(p->reloc[3].offset, 24);
	ck_assert_uint_eq(b->reloc[2].shift, 16);
	ck_assert_uint_eq(b->reloc[2].size, 1);
	ck_assert(var(m, "managed_one")->managed);
	ck_assert(var(m, "dynamic")->unsized);
	ck_assert_int_eq(var(m, "weak_one")->linkage, PTX_L_WEAK);
	ptx_module_free(m);
	free(s);
}
END_TEST

START_TEST(bodies_are_parsed_only_when_asked_for)
{
	struct ptx_module *m = parse(HEAD ".entry good() { ret; }\n.entry bad() { // }\n \"}\" rubbish here; /* } */ }\n");
	ck_assert_msg(m != NULL, "%s", d.text);
	ck_assert(ptx_func_parse(func(m, "good"), &d));
	ck_assert_uint_eq(d.errors, 0);
	ck_assert(!ptx_func_parse(func(m, "bad"), &d));
	unsigned n = d.errors;
	ck_assert_uint_gt(n, 0);
	ck_assert(!ptx_func_parse(func(m, "bad"), &d));
	ck_assert_uint_eq(d.errors, n); // said once
	ptx_module_free(m);
}
END_TEST

START_TEST(a_body_may_end_anywhere)
{
	struct ptx_module *m = parse(HEAD ".entry k() {}\n.entry l() {\"}\n.entry q() { /* } ");
	ck_assert_ptr_null(m);
	m = parse(HEAD ".entry k() {}");
	ck_assert_msg(m != NULL, "%s", d.text);
	ck_assert(ptx_func_parse(func(m, "k"), &d));
	ck_assert_uint_eq(func(m, "k")->n_inst, 1); // the return that the text leaves out
	ptx_module_free(m);
}
END_TEST

// ---- operands

static const struct ptx_opnd *operand(struct ptx_module **m, const char *body, unsigned inst, unsigned n)
{
	*m = kernel(body);
	struct ptx_func *f = func(*m, "k");
	bool ok = ptx_func_parse(f, &d);
	ck_assert_msg(ok, "%s", d.text);
	ck_assert_uint_lt(inst, f->n_inst);
	ck_assert_uint_lt(n, f->inst[inst].n_opnd);
	return &f->inst[inst].opnd[n];
}

START_TEST(literals_are_exact)
{
	static const struct {
		const char *text;
		uint64_t bits;
		bool is_float, is_f32;
	} row[] = {
		{"mov.u64 %l0, 18446744073709551615;", UINT64_MAX, false, false},
		{"mov.u64 %l0, -9223372036854775808;", (uint64_t)1 << 63, false, false},
		{"mov.u64 %l0, 0xdeadBEEF12345678U;", 0xdeadBEEF12345678, false, false},
		{"mov.u64 %l0, 0777;", 511, false, false},
		{"mov.u64 %l0, 0b101;", 5, false, false},
		{"mov.u64 %l0, ~0;", UINT64_MAX, false, false},
		{"mov.u64 %l0, (1 + 2) * 3 - 10 / 3;", 6, false, false},
		{"mov.u64 %l0, 1 ? 7 : 8;", 7, false, false},
		{"mov.u64 %l0, (.u64)2.9;", 2, false, false},
		{"mov.f32 %f0, 0fBF800000;", 0xBF800000, true, true},
		{"mov.f32 %f0, -0f3F800000;", 0xBF800000, true, true},
		{"mov.f64 %d0, 0d7FF0000000000000;", 0x7FF0000000000000, true, false},
		{"mov.f64 %d0, 1.0e-5;", 0x3EE4F8B588E368F1, true, false},
		{"mov.f64 %d0, 0.1;", 0x3FB999999999999A, true, false},
	};
	struct ptx_module *m;
	const struct ptx_opnd *o = operand(&m, row[_i].text, 0, 1);
	ck_assert_int_eq(o->kind, PTX_O_IMM);
	ck_assert_uint_eq(o->bits, row[_i].bits);
	ck_assert(o->is_float == row[_i].is_float && o->is_f32 == row[_i].is_f32);
	ptx_module_free(m);
}
END_TEST

START_TEST(addresses_have_base_and_offset)
{
	struct ptx_module *m;
	const struct ptx_opnd *o = operand(&m, "ld.global.u32 %r0, [%l1+-8];", 0, 1);
	ck_assert_int_eq(o->kind, PTX_O_MEM);
	ck_assert_int_eq(o->offset, -8);
	ck_assert_int_eq(o->elem[0].kind, PTX_O_REG);
	ptx_module_free(m);
	o = operand(&m, "ld.global.u32 %r0, [g+4];", 0, 1);
	ck_assert_int_eq(o->elem[0].kind, PTX_O_VAR);
	ck_assert_str_eq(o->elem[0].var->name, "g");
	ck_assert_int_eq(o->offset, 4);
	ck_assert_int_eq(o->elem[0].offset, 0);
	ptx_module_free(m);
	o = operand(&m, "mov.u64 %l0, g+12;", 0, 1);
	ck_assert_int_eq(o->kind, PTX_O_VAR);
	ck_assert_int_eq(o->offset, 12);
	ptx_module_free(m);
}
END_TEST

START_TEST(inner_blocks_hide_outer_names)
{
	struct ptx_module *m;
	const struct ptx_opnd *o = operand(&m,
	                                   "L: { .reg .b64 %r1; mov.u64 %r1, 0; bra L; L: add.u64 %r1, %r1, 1; }\n"
	                                   "mov.u32 %r1, 0; bra L;", 1, 0);
	ck_assert_int_eq(o->kind, PTX_O_LABEL);
	ck_assert_uint_eq(o->index, 2); // the inner L
	const struct ptx_func *f = func(m, "k");
	ck_assert_uint_ne(f->inst[0].opnd[0].index, f->inst[3].opnd[0].index);
	ck_assert_int_eq(f->reg[f->inst[0].opnd[0].index].type, PTX_T_B64);
	ck_assert_uint_eq(f->inst[4].opnd[0].index, 0); // the outer one
	ptx_module_free(m);
}
END_TEST

START_TEST(operands_are_described)
{
	struct ptx_module *m;
	operand(&m, "setp.lt.s32 %p1|%p2, %r0, 5; bar.red.popc.u32 %r0, 1, !%p1; mad.wide.s32 %l0, %r0, %r1, %l1;", 0, 0);
	const struct ptx_func *f = func(m, "k");
	struct ptx_opnd_spec s[8];
	ck_assert_uint_eq(ptx_opnd_spec(&f->inst[0], 8, s), 3);
	ck_assert(s[0].is_dest && s[0].is_pred && s[0].has_second && s[0].second_type == PTX_T_PRED);
	ck_assert(!s[1].is_dest && s[1].type == PTX_T_S32);
	ck_assert_uint_eq(ptx_opnd_spec(&f->inst[1], 8, s), 3); // the optional count is left out
	ck_assert(s[2].is_pred);
	ck_assert_uint_eq(ptx_opnd_spec(&f->inst[2], 8, s), 4);
	ck_assert_int_eq(s[0].type, PTX_T_S64);
	ck_assert_int_eq(s[1].type, PTX_T_S32);
	ck_assert_int_eq(s[3].type, PTX_T_S64);
	ptx_module_free(m);
}
END_TEST

// ---- errors

static const struct {
	const char *body, *message;
} error_row[] = {
	{"addd.s32 %r0, %r1, %r2;", "unknown instruction 'addd.s32'; did you mean 'add'?"},
	{"add.s32 %r0, %r1", "missing ';'"},
	{"add.s32 %r0, %r1\nret;", "t.ptx:13:17: error: missing ';'"},
	{"add.s32 %r0, %r1;", "2 operands are not what it takes"},
	{"add.s32 %r0, %r1, %r2, %r3;", "4 operands"},
	{"add.s32 %r0, %r1, %r8;", "undeclared register '%r8'"},
	{"add.s32 %r0, %r1, x;", "undeclared name 'x'"},
	{"bra nowhere;", "undeclared label 'nowhere'"},
	{"call nothing;", "undeclared function 'nothing'"},
	{"add.s32 5, %r1, %r2;", "a destination must be a register"},
	{"add.s32 %l0, %r1, %r2;", "has 64 bits, 32 are wanted"},
	{"add.s32 %r0, %f1, %r2;", "register %f1 is .f32, .s32 is wanted"},
	{"add.s32 %r0, %p1, %r2;", "register %p1 is .pred"},
	{"add.s32 %r0, %r1, 1.5;", "an integer is wanted"},
	{"add.s32 %r0, %r1, %tid.x;", "a special register cannot be used directly here"},
	{"add.s32 %r0, -%r1, %r2;", "only predicates can be negated here"},
	{"mul.s32 %r0, %r1, %r2;", "needs one of the suffixes lo|hi|wide"},
	{"add.s32.foo %r0, %r1, %r2;", "takes no suffix '.foo'"},
	{"add.pred %p0, %p1, %p2;", "does not take type '.pred'"},
	{"setp.s32 %p0, %r1, %r2;", "needs one of the suffixes eq|ne"},
	{"setp.eq.s32 %r0, %r1, %r2;", "register %r0 is .b32, .pred is wanted"},
	{"selp.b32 %r0, %r1, %r2, %r3;", ".pred is wanted"},
	{"ld.global.u32 %r0, %l0;", "an address in [ ] is wanted"},
	{"red.global.add.u32 [%l0], {%r1};", "a register or constant is wanted"},
	{"ld.global.u32 %h0, [%l0];", "has 16 bits, at least 32 are wanted"},
	{"ld.global.u32 %r0, [%f0];", "an address register"},
	{"ld.global.v2.u32 {%r0, %r1, %r2}, [%l0];", "2 registers are wanted in {..}, not 3"},
	{"ld.global.v2.u32 %r0, [%l0];", "2 registers in {..} are wanted"},
	{"ld.global.v2.u32 {%r0}, [%l0];", "2 registers are wanted in {..}, not 1"},
	{"ld.global.u32 {%r0, %r1}, [%l0];", "a destination must be a register"},
	{"ld.global.u32 {%h0}, [%l0];", "has 16 bits, at least 32 are wanted"},
	{"atom.global.add.u32 {%r0}, [%l0], %r1;", "a destination must be a register"},
	{"add.u32 {%r0}, %r1, %r2;", "a destination must be a register"},
	{"mma.sync.aligned.m16n8k7.row.col.f32.f16.f16.f32 {%f0,%f1,%f0,%f1}, {%r0,%r1}, {%r2}, {%f0,%f1,%f0,%f1};", "no such shape"},
	{"mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 {%f0,%f1,%f0,%f1}, {%r0,%r1}, {%r2}, {%f0,%f1,%f0,%f1};", ".row.col"},
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f0}, {%r0,%r1}, {%r2}, {%f0,%f1,%f0,%f1};", "4 registers are wanted"},
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f0,%f1}, {%l0,%r1}, {%r2}, {%f0,%f1,%f0,%f1};", "has 64 bits, 32 are wanted"},
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16 {%f0,%f1,%f0,%f1}, {%r0,%r1}, {%r2}, {%f0,%f1,%f0,%f1};", "the types of D, A, B and C"},
	{"mma.sp.sync.aligned.m16n8k24.row.col.f32.f16.f16.f32 %r0;", "no such shape"},
	{"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f0,%f1}, {%r0,%r1}, {%r2,%r3}, {%f0,%f1,%f0,%f1}, %r1;", "5 operands"},
	{"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f0,%f1}, {%r0,%r1}, {%r2,%r3}, {%f0,%f1,%f0,%f1}, %r1, %r2;", "an integer constant"},
	{"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f0,%f1}, {%r0,%r1}, {%r2,%r3}, {%f0,%f1,%f0,%f1}, %r1, 4;", "the selector is 0 to 3"},
	{"mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r0,%r1,%r0,%r1}, {%r0,%r1}, {%r2,%r3}, {%r0,%r1,%r0,%r1}, %r1, 2;", "the selector is 0 or 1"},
	{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r0,%r1,%r0,%r1}, {%r0,%r1,%r0,%r1}, {%r2,%r3,%r2,%r3}, {%r0,%r1,%r0,%r1}, %r1, 1;", "the selector is 0 here"},
	{"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.f32.e4m3.e4m3.f32 %r0;", "block scaling"},
	{"cp.async.ca.shared.global [%r0], [%l0];", "operands are not what it takes"},
	{"cp.async.ca.shared.global [%r0], [%l0], 4, %l1;", "has 64 bits, 32 are wanted"},
	{"cp.async.ca.shared.global.L2::cache_hint [%r0], [%l0], 4;", "operands are not what it takes"},
	{"cp.async.ca.shared.global.L2::cache_hint [%r0], [%l0], 4, %r1;", "has 32 bits, 64 are wanted"},
	{"cp.async.ca.shared.global [%r0], [%l0], %r1;", "an integer constant is wanted here"},
	{"mbarrier.arrive.shared.b64 %r0, [%r1];", "has 32 bits, 64 are wanted"},
	{"mbarrier.arrive.expect_tx.shared.b64 _, [%r1];", "operands are not what it takes"},
	{"mbarrier.test_wait.parity.shared.b64 %p1, [%r1], %l0;", "has 64 bits, 32 are wanted"},
	{"mbarrier.test_wait.shared.b64 %p1, [%r1], %r0;", "has 32 bits, 64 are wanted"},
	{"mbarrier.try_wait.shared::cluster.b64 %p1, [%r1], %l0;", "takes no suffix '.shared::cluster'"},
	{"mbarrier.init.shared.b32 [%r1], 1;", "does not take type '.b32'"},
	{"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r0], %l1, [%r2];", "has 64 bits, 32 are wanted"},
	{"cp.async.wait_group %r0;", "an integer constant is wanted here"},
	{"mma.sync.aligned.m16n8k8.row.col.foo.f32.f16.f16.f32 %r0;", "a suffix that it does not have"},
	{"wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0, %r1}, [%l0], %r2;", "8 registers are wanted"},
	{"wmma.load.a.sync.aligned.row.m16n16k8.f16 %r0, [%l0], %r2;", "no such shape"},
	{"wmma.load.a.sync.aligned.col.m8n8k32.s4 %r0, [%l0], %r2;", "A is by rows"},
	{"wmma.load.e.sync.aligned.row.m8n8k32.s4 %r0, [%l0], %r2;", "a suffix that it does not have"},
	{"wmma.load.a.sync.aligned.row.m8n8k32.local.s4 %r0, [%l0], %r2;", "a suffix that it does not have"},
	{"wmma.load.a.sync.aligned.row.m8n8k32.s4 %r0, %l0, %r2;", "an address in [ ]"},
	{"wmma.load.a.sync.aligned.row.m8n8k32.s4 %r0, [%l0], %l2;", "has 64 bits, 32 are wanted"},
	{"wmma.load.a.sync.aligned.row.m8n8k32.s4 %r0;", "1 operands are not what it takes"},
	{"wmma.store.d.sync.aligned.row.m8n8k32.s32 [%l0], {%r0}, %r2;", "2 registers are wanted"},
	{"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 {%r0, %r1}, %r0, %r1, {%r0, %r1};", "no such shape"},
	{"wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {%r0, %r1}, %r0, %r1, {%r0, %r1};", ".row.col"},
	{"wmma.mma.sync.aligned.row.m8n8k4.f64.f64.f64.f64 {%d0, %d1}, %d0, %d1, {%d0, %d1};", "of A and of B"},
	{"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 %r0, %r1, %r2, %r3;", "no such shape"},
	{"wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f0}, %l0, %l0, %p0, 1, 1, 0, 0;", "no such shape"},
	{"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r0}, %l0, %l0, %p0;", "no such shape"},
	{"wgmma.mma_async.sync.aligned.m64n264k16.f32.f16.f16 {%f0}, %l0, %l0, %p0, 1, 1, 0, 0;", "no such shape"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {%r0,%r1}, %l0, %l0, %p0, 1, 1, 0, 0;", "no product of such types"},
	{"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1 {%r0,%r1,%r2,%r3}, %l0, %l0, %p0;", ".and.popc"},
	{"wgmma.mma_async.sync.aligned.m64n8k8.satfinite.f32.tf32.tf32 {%f0}, %l0, %l0, %p0, 1, 1;", ".satfinite is of integers"},
	{"wgmma.mma_async.sync.aligned.foo.m64n8k16.f32.f16.f16 {%f0};", "a suffix that wgmma.mma_async does not have"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f0}, %l0, %l0, %p0, 1, 1, 0, 0;", "4 registers are wanted"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f0,%f1}, %r0, %l0, %p0, 1, 1, 0, 0;", "has 32 bits, 64 are wanted"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f0,%f1}, %l0, %l0, %p0, 1, 1;", "operands are not what it takes"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f0,%f1}, %l0, %l0, %p0, 1, 1, 0, 0;", "t.ptx:13:1: error: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16: wgmma is compiled for sm_90a"},
	{"setmaxnreg.inc.sync.aligned.u32 64;", "compiled for one architecture alone"},
	{"mov.b64 %l0, {%r0, %r1, %r2};", "does not make 64 bits"},
	{"bra %r0;", "undeclared label"},
	{"@%r0 ret;", "is not a predicate"},
	{"@%q ret;", "undeclared predicate '%q'"},
	{".reg .b32 %r<4>;", "declared twice"},
	{"L: L: ret;", "'L' is declared twice"},
	{".reg .b32 %z<2000000000>;", "more than 1048576 registers"},
	{".reg .b32 %y<1000000>; .reg .b32 %z<1000000>;", "more than 1048576 registers in one function"},
	{"mov.u32 %r0, 1 / 0;", "division by zero"},
	{"mov.u64 %l0, 18446744073709551616;", "does not fit in 64 bits"},
	{"mov.f32 %f0, 0f3F8;", "needs 8 digits"},
	{"mov.u32 %r0, %tid.q;", "without such a component"},
	{"call k;", "is a kernel"},
	{"call %l0;", "an indirect call names"},
	{"add.s32 %r0|%p1, %r1, %r2;", "no second destination"},
	{"add.s32 %r0, %r1, \x01;", "a character that PTX does not have"},
	{"brx.idx %r0, g;", ".branchtargets"},
	{"mov.u32 %r0, %r1+4;", "register + offset"},
	{"add.s32 %r0, %r1.b0, %r2;", "no part of a register can be named here"},
	{"vadd.u32.u32.u32 %r0, %r1.b4, %r2;", "only .b0 to .b3, .h0 and .h1"},
	{"vadd.u32.u32.u32 %r0, %r1.h10, %r2;", "only .b0 to .b3, .h0 and .h1"},
	{"vadd.u32.u32 %r0, %r1, %r2;", "needs a type suffix"},
	{"vadd.u32.u32.u32 %r0, %r1, -%r2;", "only the sources of vmad"},
	{"vadd.u32.u32.u32 %r0, %r1, %r2, %r3;", "a third source goes with either"},
	{"vadd.u32.u32.u32.min %r0, %r1, %r2;", "a third source goes with either"},
	{"vadd.u32.u32.u32 %r0.b1, %r1, %r2;", "a third source goes with either"},
	{"vadd.u32.u32.u32.add %r0.b1, %r1, %r2, %r3;", "a third source goes with either"},
	{"vadd.u32.u32.u32.add %r0, %r1, %r2, %r3.b0;", "no part can be named here"},
	{"vmad.u32.u32.u32.po %r0, -%r1, %r2, %r3;", "nothing can be negated with .po"},
	{"vmad.u32.u32.u32 %r0, -%r1, %r2, -%r3;", "either the product or the third source"},
	{"vmad.u32.u32.u32 %r0.h0, %r1, %r2, %r3;", "no part of the destination"},
	{"vadd2.u32.u32.u32 %r0, %r1.h3, %r2, %r3;", "two halves from 0 to 3"},
	{"vadd2.u32.u32.u32 %r0, %r1.h40, %r2, %r3;", "two halves from 0 to 3"},
	{"vadd2.u32.u32.u32 %r0.h01, %r1, %r2, %r3;", "only .h0, .h1 and .h10"},
	{"vadd4.u32.u32.u32 %r0, %r1, %r2.h3210, %r3;", "four bytes from 0 to 7"},
	{"vadd4.u32.u32.u32 %r0.b13, %r1, %r2, %r3;", "only bytes from .b0 to .b3210"},
	{"vadd4.u32.u32.u32.sat.add %r0, %r1, %r2, %r3;", "takes no suffix '.add'"},
	{"vshl.u32.u32.s32.clamp %r0, %r1, %r2;", "does not take type '.s32'"},
};

// Instructions of sm_90a alone.
static const struct {
	const char *body, *message;
} hopper_row[] = {
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l1, %p0, 2, 1, 0, 0;", "the sign of a matrix is 1 or -1"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l1, %p0, 1, 0, 0, 0;", "the sign of a matrix is 1 or -1"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l1, %p0, 1, -1, 0, 2;", "the order of a matrix is 0 or 1"},
	{"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l1, %r0, 2, %p0, 1, 1, 0, 0;", "the selector is 0 or 1"},
	{"wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {%r0,%r1,%r2,%r3}, %l0, %l1, %r4, 1, %p0;", "the selector of elements of 8 bits is 0"},
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l1, 1, 1, 1, 0, 0;", NULL}, // as nvcc passes constants
	{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %l0, %l1, 1.0, 1, 1, 0, 0;", "a predicate is wanted"},
	{"setmaxnreg.inc.sync.aligned.u32 20;", "a multiple of 8 from 24 to 256"},
	{"setmaxnreg.dec.sync.aligned.u32 44;", "a multiple of 8 from 24 to 256"},
	{"setmaxnreg.dec.sync.aligned.u32 264;", "a multiple of 8 from 24 to 256"},
	{"setmaxnreg.dec.sync.aligned.u32 256;", NULL},
	{"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, %l1, %r0, 1, !%p0, -1, -1, 1;", NULL},
	{"wgmma.wait_group.sync.aligned 7;", NULL},
};

START_TEST(hopper_instructions_are_checked)
{
	char text[1000];
	snprintf(text, sizeof text, ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k() {\n.reg .b32 %%r<5>; .reg .b64 %%l<2>; .reg .f32 %%f<4>; "
	         ".reg .pred %%p<2>;\n%s\n}\n", hopper_row[_i].body);
	struct ptx_module *m = parse(text);
	ck_assert_ptr_nonnull(m);
	ck_assert_msg(ptx_func_parse(func(m, "k"), &d) == !hopper_row[_i].message, "%s: %s", hopper_row[_i].body, d.text);
	ck_assert_msg(!hopper_row[_i].message || strstr(d.text, hopper_row[_i].message), "%s:\n%s", hopper_row[_i].body, d.text);
	ptx_module_free(m);
	diag_free(&d);
}
END_TEST

START_TEST(errors_name_the_thing)
{
	wrong(error_row[_i].body, error_row[_i].message);
}
END_TEST

START_TEST(types_mix_where_ptx_lets_them)
{
	right("add.f32 %f0, %f1, %r2;"); // .b32 goes with everything of its size
	right("ld.global.u8 %l0, [%l1]; st.global.u16 [%r0], %r1; cvt.u64.u8 %l0, %r1;");
	right("mov.pred %p0, 1; mov.u32 %r0, g; not.pred %p1, %p0;");
	right("mov.b64 {%r0, _}, %l0; mov.b32 %r0, {%h0, %h1};");
	right("ld.relaxed.gpu.u64 {%l0}, [%l1]; ldu.global.u32 {%r0}, [%l1]; st.global.u32 [%l1], {%r0}; st.global.u32 [%l1], {5};");
}
END_TEST

START_TEST(errors_show_the_line)
{
	struct ptx_module *m = kernel("add.s32 %r0, %r1, %nope;\nadd.s32 %r0, %r1, %r2;\nfoo %r1;\nmov.u32 %f1, %l1;");
	ck_assert(!ptx_func_parse(func(m, "k"), &d));
	ck_assert_uint_eq(d.errors, 2); // what is undeclared or unknown; types are checked once names are known
	ck_assert_ptr_nonnull(strstr(d.text, "t.ptx:13:19: error: undeclared register '%nope'\n"
	                                     "    add.s32 %r0, %r1, %nope;\n"
	                                     "                      ^~~~~\n"));
	ck_assert_ptr_nonnull(strstr(d.text, "t.ptx:15:1: error: unknown instruction 'foo'"));
	ptx_module_free(m);
}
END_TEST

// ptxas 13.0 refuses each of these.
#define CLUSTERS(version, target) ".version " #version "\n.target " #target "\n.address_size 64\n.entry k() "

START_TEST(bad_modules_are_refused)
{
	static const struct {
		const char *text, *message;
	} row[] = {
		{"", "no .version"},
		{"hello world", "unexpected 'hello'"},
		{HEAD ".global .u32 x; .global .u32 x;", "'x' is defined twice"},
		{HEAD ".global .u32 x[2] = {1, 2, 3};", "too many initialisers"},
		{HEAD ".global .u32 x[2][2] = {{1, 2, 3}, {4}};", "more initialisers than the row"},
		{HEAD ".global x;", "without a type"},
		{HEAD ".global .align 3 .u32 x;", "not a power of two"},
		{HEAD ".global .u32 x[1000000000][1000000000];", "too large"},
		{HEAD ".global .u32 x[-1];", "must be a number"},
		{HEAD ".global .u32 x[2] = \"ab\";", "a string can only initialise bytes"},
		{HEAD ".entry k() { ret; } .entry k() { ret; }", "'k' is defined twice"},
		{HEAD ".func f(.param .u32 a); .func f(.param .u64 a) { ret; }", "other parameters"},
		{HEAD ".global .u32 f; .func f() { ret; }", "is a variable already"},
		{HEAD ".entry k() { ret; ", "'}' is missing"},
		{HEAD ".reg .u32 x;", "outside a function"},
		{HEAD ".alias a, b;", "both must be declared"},
		{".version 0.1\n.target sm_70\n", "not a PTX version"},
		{CLUSTERS(9.0, sm_80) ".reqnctapercluster 2 { ret; }", ".reqnctapercluster needs .target sm_90"},
		{CLUSTERS(9.0, sm_80) ".maxclusterrank 4 { ret; }", ".maxclusterrank needs .target sm_90"},
		{CLUSTERS(9.0, sm_80) ".explicitcluster { ret; }", ".explicitcluster needs .target sm_90"},
		{CLUSTERS(7.7, sm_90) ".reqnctapercluster 2 { ret; }", ".reqnctapercluster needs .version 7.8"},
		{CLUSTERS(8.8, sm_90) ".reqntid 32 .reqnctapercluster 2 .blocksareclusters { ret; }", ".blocksareclusters needs .version 9.0"},
		{CLUSTERS(9.0, sm_90) ".blocksareclusters .reqntid 32 .maxclusterrank 2 { ret; }", "needs .reqntid and .reqnctapercluster"},
		{CLUSTERS(9.0, sm_90) ".blocksareclusters .maxntid 32 .reqnctapercluster 2 { ret; }", "needs .reqntid and .reqnctapercluster"},
		{CLUSTERS(9.0, sm_90) ".blocksareclusters .reqntid 32 .reqnctapercluster 0 { ret; }", "needs .reqntid and .reqnctapercluster"},
		{CLUSTERS(9.0, sm_90) ".maxclusterrank 4 .reqnctapercluster 0 { ret; }", "cannot both be given"},
		{CLUSTERS(9.0, sm_90) ".reqnctapercluster 2 .maxclusterrank 4 { ret; }", "cannot both be given"},
		{CLUSTERS(9.0, sm_90) ".reqnctapercluster 2, 2, 2, 2 { ret; }", "takes one to three numbers, not 4"},
		{CLUSTERS(9.0, sm_90) ".reqnctapercluster { ret; }", "takes one to three numbers, not 0"},
		{CLUSTERS(9.0, sm_90) ".maxclusterrank 4, 2 { ret; }", "takes one number, not 2"},
		{CLUSTERS(9.0, sm_90) ".explicitcluster 1 { ret; }", "takes no numbers, not 1"},
	};
	struct ptx_module *m = parse(row[_i].text);
	ck_assert_ptr_null(m);
	ck_assert_msg(strstr(d.text, row[_i].message) != NULL, "wanted \"%s\", got:\n%s", row[_i].message, d.text);
}
END_TEST

START_TEST(a_newer_version_is_only_a_warning)
{
	struct ptx_module *m = parse(".version 9.6\n.target sm_120a\n.address_size 64\n");
	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(m->version, 96);
	ck_assert_uint_eq(m->target, 120);
	ck_assert_uint_eq(d.warnings, 1);
	ptx_module_free(m);
}
END_TEST

START_TEST(deep_nesting_is_an_error_not_a_crash)
{
	size_t n = 200000;
	static const char open[] = "{([-";
	char *text = malloc(n + 200);
	int head = sprintf(text, HEAD ".entry k() { .reg .u32 %%r; mov.u32 %%r, ");
	if (_i == 0)
		head = sprintf(text, HEAD ".entry k() { ");
	memset(text + head, open[_i], n);
	memset(text + head + n / 2, _i == 0 ? '}' : ' ', n / 2);
	strcpy(text + head + n, "; }");
	struct ptx_module *m = ptx_module_parse("deep", text, strlen(text), &d);
	if (m)
		ck_assert(!ptx_func_parse(func(m, "k"), &d));
	ck_assert_uint_gt(d.errors, 0);
	ptx_module_free(m);
	free(text);
}
END_TEST

// ---- round trip

// Registers, variables and tables of nested blocks under names of their own, so that one block can hold them all.
static void rename_all(struct ptx_module *m, struct ptx_func *f)
{
	for (uint32_t i = 0; i < f->n_reg; i++) {
		f->reg[i].name = f->reg[i].comp > 1 ? f->reg[i - 1].name : arena_printf(&m->arena, "%%q%u_", i);
		f->reg[i].num = -1;
	}
	for (uint32_t i = 0; i < f->n_local; i++)
		f->local[i]->name = arena_printf(&m->arena, "v%u_%s", i, f->local[i]->name);
	for (uint32_t i = 0; i < f->n_table; i++)
		f->table[i].name = arena_printf(&m->arena, "t%u_%s", i, f->table[i].name);
}

static void print_params(FILE *o, struct ptx_var **v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(o, "%s.param .align %u .b8 _[%llu]", i ? ", " : "(", v[i]->align, (unsigned long long)v[i]->size);
	fprintf(o, n ? ") " : "() ");
}

static void print_body(FILE *o, const struct ptx_func *f)
{
	static const char *const space[] = {"", "reg", "global", "const", "shared", "local", "param"};
	for (uint32_t i = 0; i < f->n_reg; i++) {
		uint32_t n = 1;
		while (f->reg[i].comp && i + n < f->n_reg && f->reg[i + n].comp == n + 1)
			n++;
		if (f->reg[i].comp <= 1)
			fprintf(o, ".reg %s .%s %s;\n", n == 1 ? "" : n == 2 ? ".v2" : ".v4", ptx_type_text[f->reg[i].type],
			        f->reg[i].name);
	}
	for (uint32_t i = 0; i < f->n_local; i++)
		fprintf(o, ".%s .align %u .b8 %s[%llu];\n", space[f->local[i]->space], f->local[i]->align, f->local[i]->name,
		        (unsigned long long)f->local[i]->size);
	for (uint32_t i = 0; i < f->n_table; i++) {
		const struct ptx_table *t = &f->table[i];
		static const char *const kind[] = {"branchtargets", "calltargets", "callprototype"};
		fprintf(o, "%s: .%s ", t->name, kind[t->kind]);
		for (unsigned k = 0; k < t->n && t->kind == PTX_BRANCHTARGETS; k++)
			fprintf(o, "%s$L%u", k ? ", " : "", t->label[k]);
		for (unsigned k = 0; k < t->n && t->kind == PTX_CALLTARGETS; k++)
			fprintf(o, "%s%s", k ? ", " : "", t->func[k]->name);
		if (t->kind == PTX_CALLPROTOTYPE) {
			print_params(o, t->proto->ret, t->proto->n_ret);
			fprintf(o, "_ ");
			print_params(o, t->proto->param, t->proto->n_param);
		}
		fprintf(o, ";\n");
	}
	for (uint32_t i = 0; i < f->n_inst; i++) {
		char line[1000];
		ptx_inst_print(f, &f->inst[i], line, sizeof line);
		fprintf(o, "$L%u: %s\n", i, line);
	}
}

START_TEST(disassembly_parses_back_to_the_same)
{
	size_t len, n;
	char *s = slurp("tests/ptx/statements.ptx", &len), *text;
	struct ptx_module *m = ptx_module_parse("statements.ptx", s, len, &d);
	struct ptx_func *f = func(m, "kernel");
	ck_assert(ptx_func_parse(f, &d));
	rename_all(m, f);
	FILE *o = open_memstream(&text, &n);
	size_t body = (size_t)(f->body - m->text.text);
	fwrite(s, 1, body, o);
	print_body(o, f);
	fputs(s + body + f->body_len, o);
	fclose(o);
	struct ptx_module *again = ptx_module_parse("again", text, n, &d);
	ck_assert_msg(again != NULL, "%s", d.text);
	struct ptx_func *g = func(again, "kernel");
	ck_assert_msg(ptx_func_parse(g, &d), "%s", d.text);
	ck_assert_uint_eq(g->n_inst, f->n_inst + 1);
	for (uint32_t i = 0; i < f->n_inst; i++) {
		char a[1000], b[1000];
		ptx_inst_print(f, &f->inst[i], a, sizeof a);
		ptx_inst_print(g, &g->inst[i], b, sizeof b);
		ck_assert_str_eq(a, b);
		ck_assert_str_eq(f->inst[i].key, g->inst[i].key);
	}
	ptx_module_free(m);
	ptx_module_free(again);
	free(text);
	free(s);
}
END_TEST

// Declarations of a thousand kernels: what start-up costs.
START_TEST(many_kernels_are_quick)
{
	char *text;
	size_t n;
	FILE *o = open_memstream(&text, &n);
	fputs(HEAD, o);
	for (int k = 0; k < 1000; k++) {
		fprintf(o, ".visible .entry k%d(.param .u64 k%d_param_0, .param .u32 k%d_param_1)\n{\n.reg .b32 %%r<100>;\n", k,
		        k, k);
		for (int i = 0; i < 150; i++)
			fprintf(o, "\tadd.s32 %%r%d, %%r%d, %%r%d; // a line\n", i % 100, (i + 1) % 100, (i + 2) % 100);
		fputs("ret;\n}\n", o);
	}
	fclose(o);
	struct timespec a, b;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	struct ptx_module *m = ptx_module_parse("many", text, n, &d);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	ck_assert_ptr_nonnull(m);
	ck_assert_uint_eq(m->funcs.n, 1000);
	double ms = (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) * 1e-6;
	if (getenv("VERBOSE"))
		printf("ptx: declarations of 1000 kernels, %.1f MB: %.1f ms\n", (double)n / 1e6, ms);
	ck_assert_msg(ms < 1000, "%.0f ms", ms);
	ptx_module_free(m);
	free(text);
}
END_TEST

static void clean(void) { diag_free(&d); }

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

int main(void)
{
	TCase *t = tcase_create("ptx");
	tcase_add_checked_fixture(t, NULL, clean);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, keys_leave_out_timing_and_order, 0, COUNT(key_row));
	tcase_add_test(t, suffixes_are_sorted_into_fields);
	tcase_add_test(t, the_table_is_well_formed);
	tcase_add_test(t, special_registers_are_found);
	tcase_add_test(t, every_kind_of_statement_parses);
	tcase_add_test(t, initialisers_are_exact);
	tcase_add_test(t, bodies_are_parsed_only_when_asked_for);
	tcase_add_test(t, a_body_may_end_anywhere);
	tcase_add_loop_test(t, literals_are_exact, 0, 14);
	tcase_add_test(t, addresses_have_base_and_offset);
	tcase_add_test(t, inner_blocks_hide_outer_names);
	tcase_add_test(t, operands_are_described);
	tcase_add_loop_test(t, hopper_instructions_are_checked, 0, COUNT(hopper_row));
	tcase_add_loop_test(t, errors_name_the_thing, 0, COUNT(error_row));
	tcase_add_test(t, types_mix_where_ptx_lets_them);
	tcase_add_test(t, errors_show_the_line);
	tcase_add_loop_test(t, bad_modules_are_refused, 0, 31);
	tcase_add_test(t, a_newer_version_is_only_a_warning);
	tcase_add_loop_test(t, deep_nesting_is_an_error_not_a_crash, 0, 4);
	tcase_add_test(t, disassembly_parses_back_to_the_same);
	tcase_add_test(t, many_kernels_are_quick);
	Suite *s = suite_create("ptx_parse");
	suite_add_tcase(s, t);
	return check_main(s);
}
