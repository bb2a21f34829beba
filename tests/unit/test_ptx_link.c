#include "cuda-sim/decode/kernel.h"
#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/runtime/builtin.h"
#include "isa/kernel.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static struct diag d;
static struct devmem *mem;
static struct ptx_program p;

static void setup(void)
{
	mem = devmem_create((uint64_t)1 << 32, DEVMEM_OWN, &d);
	ck_assert_ptr_nonnull(mem);
}

static void teardown(void)
{
	ptx_program_free(&p);
	ck_assert_uint_eq(mem->in_use, 0);
	devmem_destroy(mem);
	diag_free(&d);
}

static struct ptx_module *add(const char *name, const char *text)
{
	struct ptx_module *m = ptx_module_parse(name, text, strlen(text), &d);
	ck_assert_msg(m != NULL, "%s", d.text);
	VEC_PUSH(&p.modules, m);
	return m;
}

static void link_all(void)
{
	bool ok = ptx_program_link(&p, mem, builtin_find, &d);
	ck_assert_msg(ok, "%s", d.text);
}

static uint64_t word(uint64_t addr)
{
	uint64_t v;
	memcpy(&v, (void *)(uintptr_t)addr, sizeof v);
	return v;
}

START_TEST(variables_get_memory_and_initial_values)
{
	add("a", HEAD ".visible .global .align 8 .u64 x[3] = {1, 2};\n.const .u64 c = 7;\n"
	              ".global .attribute(.managed) .align 8 .u64 m = 9;\n.global .u64 zero[4];");
	link_all();
	struct ptx_var *x = ptx_program_var(&p, "x"), *c = ptx_program_var(&p, "c"), *m = ptx_program_var(&p, "m");
	ck_assert_uint_eq(word(x->addr), 1);
	ck_assert_uint_eq(word(x->addr + 8), 2);
	ck_assert_uint_eq(word(x->addr + 16), 0);
	ck_assert_uint_eq(word(c->addr), 7);
	ck_assert_int_eq(devmem_find(mem, x->addr)->kind, DEVMEM_GLOBAL);
	ck_assert_int_eq(devmem_find(mem, c->addr)->kind, DEVMEM_CONST);
	ck_assert_int_eq(devmem_find(mem, m->addr)->kind, DEVMEM_MANAGED);
	ck_assert_ptr_null(ptx_program_var(&p, "nothing"));
}
END_TEST

START_TEST(addresses_in_initial_values_are_filled_in)
{
	add("a", HEAD ".extern .global .u64 there;\n.func f() { ret; }\n"
	              ".global .align 8 .u64 ptr[4] = {there, here+8, f, generic(here)};\n.global .u64 here[2];\n"
	              ".global .u8 part[8] = {0xFF(here), 0xFF00(here), 0xFF0000(here), 0xFF000000(here), "
	              "0xFF00000000(here),"
	              " 0xFF0000000000(here), 0xFF000000000000(here), 0xFF00000000000000(here)};");
	add("b", HEAD ".visible .global .u64 there = 5;");
	link_all();
	uint64_t at = ptx_program_var(&p, "ptr")->addr, here = ptx_program_var(&p, "here")->addr;
	ck_assert_uint_eq(word(word(at)), 5);
	ck_assert_uint_eq(word(at + 8), here + 8);
	ck_assert_ptr_eq(ptx_program_func_at(&p, word(at + 16)), ptx_program_func(&p, "f"));
	ck_assert_uint_eq(word(at + 24), here);
	ck_assert_uint_eq(word(ptx_program_var(&p, "part")->addr), here);
}
END_TEST

START_TEST(statics_of_two_modules_stay_apart)
{
	struct ptx_module *a = add("a", HEAD ".global .u64 s = 1;\n.func f() { ret; }");
	struct ptx_module *b = add("b", HEAD ".global .u64 s = 2;\n.func f() { ret; }");
	link_all();
	struct ptx_var *x = map_get(&a->vars, "s", 1), *y = map_get(&b->vars, "s", 1);
	ck_assert_uint_eq(word(x->addr), 1);
	ck_assert_uint_eq(word(y->addr), 2);
	struct ptx_func *f = map_get(&a->funcs, "f", 1), *g = map_get(&b->funcs, "f", 1);
	ck_assert_uint_ne(f->addr, g->addr);
	ck_assert_ptr_eq(ptx_program_func_at(&p, g->addr), g);
}
END_TEST

START_TEST(externs_find_their_definition)
{
	struct ptx_module *a = add("a", HEAD ".extern .global .u64 v;\n.extern .func f();\n.extern .shared .u8 dyn[];\n"
	                                     ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);");
	struct ptx_module *b = add("b", HEAD ".visible .global .u64 v = 3;\n.visible .func f() { ret; }");
	link_all();
	struct ptx_var *v = map_get(&a->vars, "v", 1), *w = map_get(&b->vars, "v", 1);
	ck_assert_ptr_eq(v->def, w);
	struct ptx_func *f = map_get(&a->funcs, "f", 1), *g = map_get(&b->funcs, "f", 1);
	ck_assert_ptr_eq(f->def, g);
	ck_assert_uint_eq(f->addr, g->addr);
	struct ptx_func *printf_ = map_get(&a->funcs, "vprintf", 7); // nobody has it: a built-in
	ck_assert_ptr_null(printf_->def);
	ck_assert_ptr_eq(ptx_program_func_at(&p, printf_->addr), printf_);
}
END_TEST

START_TEST(functions_with_results_are_found_across_modules)
{
	add("a", HEAD ".extern .func (.param .b32 r) f(.param .b32 x);\n.visible .entry k() { ret; }");
	add("b", HEAD ".visible .func (.param .b32 r) f(.param .b32 x)\n{ ret; }");
	link_all();
	struct ptx_func *f = map_get(&p.modules.at[0]->funcs, "f", 1), *g = map_get(&p.modules.at[1]->funcs, "f", 1);
	ck_assert_ptr_eq(f->def, g);
	ck_assert_int_eq(g->linkage, PTX_L_VISIBLE);
}
END_TEST

START_TEST(weak_gives_way_and_common_merges)
{
	add("a", HEAD ".weak .global .u64 w = 1;\n.weak .func f() { ret; }\n.common .global .u64 c[1];");
	struct ptx_module *b = add("b", HEAD ".visible .global .u64 w = 2;\n.visible .func f() { exit; }\n"
	                                     ".common .global .u64 c[5];");
	add("c", HEAD ".weak .global .u64 w = 3;\n.weak .func f() { trap; }\n.extern .global .u64 c[];");
	link_all();
	ck_assert_uint_eq(word(ptx_program_var(&p, "w")->addr), 2);
	ck_assert_ptr_eq(ptx_program_func(&p, "f")->module, b);
	ck_assert_uint_eq(ptx_program_var(&p, "c")->size, 40);
	for (size_t i = 0; i < 3; i++) {
		struct ptx_var *v = map_get(&p.modules.at[i]->vars, "w", 1);
		ck_assert_ptr_eq(v->def, ptx_program_var(&p, "w"));
	}
}
END_TEST

START_TEST(what_cannot_be_linked_is_named)
{
	static const struct {
		const char *a, *b, *message;
	} row[] = {
		{HEAD ".extern .global .u64 v;", HEAD, "variable 'v' is declared .extern and defined in no module"},
		{HEAD ".visible .global .u64 v;", HEAD ".visible .global .u64 v;", "'v' is defined here and in a"},
		{HEAD ".visible .entry k() { ret; }", HEAD ".visible .entry k() { ret; }", "'k' is defined here and in a"},
		{HEAD ".global .u64 p = q;", HEAD, "takes the address of 'q'"},
		{HEAD ".global .u8 huge[1000000000000];", HEAD, "no device memory left for 'huge'"},
	};
	add("a", row[_i].a);
	add("b", row[_i].b);
	ck_assert(!ptx_program_link(&p, mem, builtin_find, &d));
	ck_assert_msg(strstr(d.text, row[_i].message) != NULL, "%s", d.text);
}
END_TEST

START_TEST(code_addresses_are_no_memory)
{
	add("a", HEAD ".entry k() { ret; }");
	link_all();
	struct ptx_func *k = ptx_program_func(&p, "k");
	ck_assert_uint_ge(k->addr, PTX_CODE_BASE);
	ck_assert_ptr_null(ptx_program_func_at(&p, k->addr + 1));
	ck_assert_ptr_null(ptx_program_func_at(&p, k->addr + PTX_FUNC_STEP));
	ck_assert_ptr_null(ptx_program_func_at(&p, 0));
	ck_assert_ptr_null(devmem_find(mem, k->addr));
}
END_TEST

START_TEST(a_variable_inside_a_function_is_placed_when_parsed)
{
	add("a", HEAD ".entry k() { .global .u64 inner = 11; .const .u64 c = 12; .reg .u64 %r; mov.u64 %r, inner; ret; }");
	link_all();
	struct ptx_func *k = ptx_program_func(&p, "k");
	ck_assert_msg(ptx_func_parse(k, &d), "%s", d.text);
	ck_assert_uint_eq(k->n_local, 2);
	ck_assert_uint_eq(word(k->local[0]->addr), 11);
	ck_assert_uint_eq(word(k->local[1]->addr), 12);
}
END_TEST

// Figures as ptxas 13.0 writes them into the cubin, but for the stack, which it does without here.
START_TEST(a_kernel_tells_what_its_machine_code_would)
{
	static const struct {
		const char *target, *sync;
		uint32_t arch, param_base, barriers;
	} row[] = {
		{"sm_61", "bar.sync 0;", 61, 0x140, 1},
		{"sm_75", "bar.sync 3, 64; bar.sync 0;", 75, 0x160, 4},
		{"sm_86", "bar.red.popc.u32 %r, 5, %p; bar.warp.sync -1;", 86, 0x160, 6},
		{"sm_90", "barrier.sync %r;", 90, 0x210, 16},
		{"sm_120", "call f;", 120, 0x380, 2},
		{"sm_90", "barrier.cluster.arrive;", 90, 0x210, 0},
	};
	char text[1024];
	snprintf(text, sizeof text,
	         ".version 8.7\n.target %s\n.address_size 64\n.const .align 8 .b8 a[5];\n.visible .const .u64 b;\n"
	         ".func f() { bar.sync 1; ret; }\n"
	         ".entry k(.param .u64 p, .param .u32 q) { .reg .b32 %%r; .reg .pred %%p; .shared .b8 s[20]; .local .b8 l[24];\n"
	         "mov.u32 %%r, l; mov.u32 %%r, s; %s ret; }",
	         row[_i].target, row[_i].sync);
	struct ptx_module *m = add("a", text);
	link_all();
	const struct kernel_info *info = ptx_kernel_info(map_get(&m->funcs, "k", 1), &d);
	ck_assert_msg(info != NULL, "%s", d.text);
	const struct kernel_machine *k = &info->machine;
	ck_assert(!k->compiled);
	ck_assert_uint_eq(k->arch, row[_i].arch);
	ck_assert_uint_eq(k->param_base, row[_i].param_base);
	ck_assert_uint_eq(k->barriers, row[_i].barriers);
	ck_assert_uint_eq(k->bank[BANK_PARAMS], row[_i].param_base + 12);
	ck_assert_uint_eq(k->bank[BANK_CONST], 13); // b, a: visible ones first
	ck_assert_uint_eq(k->shared, 20);
	ck_assert_uint_eq(k->frame, 32);
	ck_assert_uint_ge(k->stack, k->frame);
	ck_assert_uint_eq(info->variables->n, 2);
	ck_assert_uint_eq(info->variables->section[SECTION_CONST].addr + 8, ptx_program_var(&p, "a")->addr);
	ptx_kernel_free(ptx_kernel_code(map_get(&m->funcs, "k", 1), &d));
}
END_TEST

// Of what ptxas 13.0 takes: the later of two directives counts, and a cluster of 0 is none.
START_TEST(a_kernel_tells_its_clusters)
{
	static const struct {
		const char *tuned;
		uint32_t cluster[3], most;
		bool is_explicit, blocks;
	} row[] = {
		{"", {0, 0, 0}, 0, false, false},
		{".reqnctapercluster 2", {2, 1, 1}, 0, false, false},
		{".explicitcluster .reqnctapercluster 2, 3, 4", {2, 3, 4}, 0, true, false},
		{".reqnctapercluster 4, 4 .reqnctapercluster 0, 2", {0, 0, 0}, 0, false, false},
		{".explicitcluster", {0, 0, 0}, 0, true, false},
		{".maxclusterrank 8 .maxclusterrank 4 .explicitcluster", {0, 0, 0}, 4, true, false},
		{".blocksareclusters .reqntid 64 .reqnctapercluster 2, 2", {2, 2, 1}, 0, false, true},
	};
	char text[400];
	snprintf(text, sizeof text, ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() %s { ret; }", row[_i].tuned);
	struct ptx_module *m = add("a", text);
	link_all();
	const struct kernel_info *info = ptx_kernel_info(map_get(&m->funcs, "k", 1), &d);
	ck_assert_msg(info != NULL, "%s", d.text);
	ck_assert_mem_eq(info->cluster, row[_i].cluster, sizeof row->cluster);
	ck_assert_uint_eq(info->max_cluster, row[_i].most);
	ck_assert(info->explicit_cluster == row[_i].is_explicit && info->blocks_are_clusters == row[_i].blocks);
	ptx_kernel_free(ptx_kernel_code(map_get(&m->funcs, "k", 1), &d));
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("link");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, variables_get_memory_and_initial_values);
	tcase_add_test(t, addresses_in_initial_values_are_filled_in);
	tcase_add_test(t, statics_of_two_modules_stay_apart);
	tcase_add_test(t, externs_find_their_definition);
	tcase_add_test(t, functions_with_results_are_found_across_modules);
	tcase_add_test(t, weak_gives_way_and_common_merges);
	tcase_add_loop_test(t, what_cannot_be_linked_is_named, 0, 5);
	tcase_add_test(t, code_addresses_are_no_memory);
	tcase_add_test(t, a_variable_inside_a_function_is_placed_when_parsed);
	tcase_add_loop_test(t, a_kernel_tells_what_its_machine_code_would, 0, 6);
	tcase_add_loop_test(t, a_kernel_tells_its_clusters, 0, 7);
	Suite *s = suite_create("ptx_link");
	suite_add_tcase(s, t);
	return check_main(s);
}
