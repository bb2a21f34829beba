// Where variables lie in their sections, against offsets read from the symbol tables of real cubins.
// `test_variables --compare CUBIN [--linked] PTX...` compares with a cubin made now instead; tests/layout does so.
#include "cuda-sim/ptx/layout.h"
#include "cuda-sim/runtime/builtin.h"
#include "libcuda/image/cubin.h"

#include <stdio.h>
#include <stdlib.h>

#include "check_main.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

struct row {
	unsigned module;
	const char *name, *kind; // linkage and state space
	unsigned bytes, elements, align;
	bool initialised;
	enum variable_section section;
	unsigned offset;
};

// Made by `tests/layout --record SEED`: of the seeds 10, 44, 13 and 17. ptxas of CUDA 11.8, 12.4 and 13.0 give the same, for any
// architecture.
static const struct row seed_10[] = {
	{0, "m0v0", ".global", 1, 3, 8, true, SECTION_GLOBAL_INIT, 248},
	{0, "m0v1", ".global", 8, 100, 8, true, SECTION_GLOBAL_INIT, 288},
	{0, "m0v2", ".weak .const", 8, 2, 8, false, SECTION_CONST, 0},
	{0, "m0v3", ".weak .const", 1, 3, 128, true, SECTION_CONST, 128},
	{0, "m0v4", ".global", 8, 2, 128, false, SECTION_GLOBAL, 0},
	{0, "m0v5", ".weak .global", 4, 17, 4, false, SECTION_GLOBAL, 1960},
	{0, "m0v6", ".global", 2, 3, 16, false, SECTION_GLOBAL, 976},
	{0, "m0v7", ".const", 2, 1, 2, true, SECTION_CONST, 152},
	{0, "m0v8", ".global", 2, 2, 32, false, SECTION_GLOBAL, 928},
	{0, "m0v9", ".const", 1, 17, 16, true, SECTION_CONST, 160},
	{0, "m0v10", ".visible .global", 2, 3, 2, false, SECTION_GLOBAL, 2028},
	{0, "m0v11", ".visible .global", 1, 5, 128, true, SECTION_GLOBAL_INIT, 0},
	{0, "m0v12", ".visible .global", 4, 5, 4, false, SECTION_GLOBAL, 1940},
	{0, "m0v13", ".global", 2, 2, 8, true, SECTION_GLOBAL_INIT, 256},
	{0, "m0v14", ".global", 4, 1, 16, false, SECTION_GLOBAL, 960},
	{0, "m0v15", ".weak .const", 4, 3, 4, false, SECTION_CONST, 132},
	{0, "m0v16", ".global", 2, 100, 2, true, SECTION_GLOBAL_INIT, 3490},
	{0, "m0v17", ".global", 2, 1, 16, true, SECTION_GLOBAL_INIT, 240},
	{0, "m0v18", ".global", 4, 1, 4, false, SECTION_GLOBAL, 1936},
	{0, "m0v19", ".const", 2, 3, 128, false, SECTION_CONST, 256},
	{0, "m0v20", ".global", 4, 5, 8, true, SECTION_GLOBAL_INIT, 264},
	{0, "m0v21", ".global", 8, 17, 8, false, SECTION_GLOBAL, 1800},
	{0, "m0v22", ".const", 4, 5, 8, true, SECTION_CONST, 264},
	{0, "m0v23", ".visible .global", 8, 1, 8, false, SECTION_GLOBAL, 1792},
	{0, "m0v24", ".visible .global", 1, 1, 4, true, SECTION_GLOBAL_INIT, 3488},
	{0, "m0v25", ".global", 8, 100, 128, false, SECTION_GLOBAL, 128},
	{0, "m0v26", ".global", 8, 100, 16, false, SECTION_GLOBAL, 992},
	{0, "m0v27", ".const", 8, 3, 8, false, SECTION_CONST, 288},
	{0, "m0v28", ".const", 2, 17, 2, true, SECTION_CONST, 312},
	{0, "m0v29", ".const", 2, 17, 16, false, SECTION_CONST, 352},
	{0, "m0v30", ".weak .const", 1, 2, 8, true, SECTION_CONST, 144},
	{0, "m0v31", ".global", 1, 1, 16, false, SECTION_GLOBAL, 944},
	{0, "m0v32", ".global", 4, 1, 32, true, SECTION_GLOBAL_INIT, 64},
	{0, "m0v33", ".global", 8, 100, 8, true, SECTION_GLOBAL_INIT, 1088},
	{0, "m0v34", ".visible .const", 2, 3, 2, false, SECTION_CONST, 146},
	{0, "m0v35", ".const", 8, 100, 32, false, SECTION_CONST, 416},
	{0, "m0v36", ".global", 8, 17, 32, true, SECTION_GLOBAL_INIT, 96},
	{0, "m0v37", ".global", 4, 1, 32, true, SECTION_GLOBAL_INIT, 32},
	{0, "m0v38", ".global", 8, 100, 8, true, SECTION_GLOBAL_INIT, 2688},
	{0, "m0v39", ".visible .global", 8, 100, 8, true, SECTION_GLOBAL_INIT, 1888},
};
static const struct row seed_44[] = {
	{0, "m0v0", ".weak .global", 4, 1, 4, true, SECTION_GLOBAL_INIT, 0},
	{0, "m0v1", ".weak .global", 4, 1, 4, false, SECTION_GLOBAL, 0},
	{0, "m0v2", ".weak .const", 4, 1, 4, false, SECTION_CONST, 0},
	{0, "m0v3", ".const", 4, 2, 4, true, SECTION_CONST, 4},
	{0, "m0v4", ".const", 4, 2, 4, true, SECTION_CONST, 12},
	{0, "m0v5", ".global", 4, 1, 4, false, SECTION_GLOBAL, 8},
	{0, "m0v6", ".global", 4, 1, 4, false, SECTION_GLOBAL, 4},
	{0, "m0v7", ".global", 4, 2, 4, false, SECTION_GLOBAL, 20},
	{0, "m0v8", ".visible .global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 12},
	{0, "m0v9", ".global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 4},
	{0, "m0v10", ".global", 4, 2, 4, false, SECTION_GLOBAL, 12},
	{0, "m0v11", ".const", 4, 1, 4, false, SECTION_CONST, 20},
	{0, "m0v12", ".const", 4, 1, 4, false, SECTION_CONST, 24},
};
static const struct row seed_13[] = {
	{0, "m0v0", ".global", 2, 17, 2, false, SECTION_GLOBAL, 434},
	{0, "m0v1", ".global", 2, 1, 2, false, SECTION_GLOBAL, 432},
	{0, "same", ".weak .global", 8, 3, 8, false, SECTION_GLOBAL, 8},
	{0, "m0v2", ".const", 1, 3, 2, false, SECTION_CONST, 0},
	{0, "m0v3", ".visible .global", 4, 100, 4, false, SECTION_GLOBAL, 32},
	{0, "m0v4", ".global", 8, 1, 128, false, SECTION_GLOBAL, 0},
	{1, "m1v0", ".const", 8, 17, 8, true, SECTION_CONST, 232},
	{1, "m1v1", ".const", 1, 2, 128, false, SECTION_CONST, 128},
	{1, "m1v2", ".global", 8, 5, 16, false, SECTION_GLOBAL, 496},
	{1, "m1v3", ".global", 8, 5, 8, true, SECTION_GLOBAL_INIT, 40},
	{1, "m1v4", ".global", 4, 2, 4, false, SECTION_GLOBAL, 584},
	{1, "m1v5", ".const", 8, 1, 16, true, SECTION_CONST, 176},
	{1, "same", ".weak .global", 8, 3, 8, false, SECTION_GLOBAL, 8},
	{1, "m1v6", ".global", 2, 1, 32, true, SECTION_GLOBAL_INIT, 0},
	{1, "m1v7", ".global", 8, 3, 8, false, SECTION_GLOBAL, 560},
	{1, "m1v8", ".const", 1, 1, 2, false, SECTION_CONST, 368},
	{1, "m1v9", ".const", 4, 1, 32, false, SECTION_CONST, 160},
	{1, "m1v10", ".global", 4, 1, 32, false, SECTION_GLOBAL, 480},
	{1, "m1v11", ".weak .const", 2, 17, 16, false, SECTION_CONST, 192},
	{1, "m1v12", ".global", 1, 5, 32, true, SECTION_GLOBAL_INIT, 32},
};
static const struct row seed_17[] = {
	{0, "m0v0", ".global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 24},
	{0, "m0v1", ".visible .global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 8},
	{0, "m0v2", ".const", 4, 2, 4, false, SECTION_CONST, 28},
	{0, "m0v3", ".weak .const", 4, 2, 4, true, SECTION_CONST, 12},
	{0, "m0v4", ".weak .const", 4, 1, 4, false, SECTION_CONST, 8},
	{0, "m0v5", ".const", 4, 1, 4, true, SECTION_CONST, 0},
	{0, "same", ".weak .global", 8, 3, 8, false, SECTION_GLOBAL, 0},
	{0, "m0v6", ".global", 4, 1, 4, true, SECTION_GLOBAL_INIT, 4},
	{0, "m0v7", ".const", 4, 2, 4, true, SECTION_CONST, 20},
	{0, "m0v8", ".global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 16},
	{0, "m0v9", ".global", 4, 2, 4, false, SECTION_GLOBAL, 24},
	{0, "m0v10", ".visible .global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 32},
	{0, "m0v11", ".global", 4, 1, 4, true, SECTION_GLOBAL_INIT, 0},
	{0, "m0v12", ".weak .const", 4, 1, 4, false, SECTION_CONST, 4},
	{1, "same", ".weak .global", 8, 3, 8, false, SECTION_GLOBAL, 0},
	{1, "m1v0", ".visible .global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 40},
	{2, "m2v0", ".const", 4, 1, 4, true, SECTION_CONST, 44},
	{2, "m2v1", ".global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 60},
	{2, "m2v2", ".global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 84},
	{2, "m2v3", ".visible .global", 4, 2, 4, false, SECTION_GLOBAL, 120},
	{2, "m2v4", ".global", 4, 2, 4, false, SECTION_GLOBAL, 168},
	{2, "m2v5", ".global", 4, 2, 4, false, SECTION_GLOBAL, 136},
	{2, "m2v6", ".visible .const", 4, 2, 4, false, SECTION_CONST, 52},
	{2, "m2v7", ".global", 4, 1, 4, false, SECTION_GLOBAL, 88},
	{2, "m2v8", ".weak .global", 4, 2, 4, false, SECTION_GLOBAL, 184},
	{2, "m2v9", ".global", 4, 1, 4, false, SECTION_GLOBAL, 60},
	{2, "m2v10", ".global", 4, 1, 4, false, SECTION_GLOBAL, 76},
	{2, "m2v11", ".global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 76},
	{2, "m2v12", ".visible .const", 4, 2, 4, false, SECTION_CONST, 84},
	{2, "m2v13", ".global", 4, 2, 4, false, SECTION_GLOBAL, 160},
	{2, "m2v14", ".const", 4, 1, 4, false, SECTION_CONST, 40},
	{2, "m2v15", ".global", 4, 1, 4, false, SECTION_GLOBAL, 100},
	{2, "m2v16", ".visible .const", 4, 2, 4, false, SECTION_CONST, 68},
	{2, "m2v17", ".global", 4, 2, 4, false, SECTION_GLOBAL, 112},
	{2, "m2v18", ".visible .global", 4, 2, 4, false, SECTION_GLOBAL, 104},
	{2, "m2v19", ".global", 4, 1, 4, false, SECTION_GLOBAL, 80},
	{2, "same", ".weak .global", 8, 3, 8, false, SECTION_GLOBAL, 0},
	{2, "m2v20", ".global", 4, 2, 4, false, SECTION_GLOBAL, 128},
	{2, "m2v21", ".visible .global", 4, 2, 4, false, SECTION_GLOBAL, 144},
	{2, "m2v22", ".global", 4, 1, 4, false, SECTION_GLOBAL, 84},
	{2, "m2v23", ".weak .global", 4, 2, 4, true, SECTION_GLOBAL_INIT, 68},
	{2, "m2v24", ".const", 4, 2, 4, true, SECTION_CONST, 92},
	{2, "m2v25", ".global", 4, 1, 4, true, SECTION_GLOBAL_INIT, 56},
	{2, "m2v26", ".global", 4, 1, 4, false, SECTION_GLOBAL, 56},
	{2, "m2v27", ".const", 4, 1, 4, false, SECTION_CONST, 36},
	{2, "m2v28", ".global", 4, 1, 4, true, SECTION_GLOBAL_INIT, 48},
	{2, "m2v29", ".global", 4, 1, 4, false, SECTION_GLOBAL, 72},
	{2, "m2v30", ".visible .global", 4, 1, 4, true, SECTION_GLOBAL_INIT, 52},
	{2, "m2v31", ".visible .global", 4, 1, 4, false, SECTION_GLOBAL, 92},
	{2, "m2v32", ".global", 4, 2, 4, false, SECTION_GLOBAL, 152},
	{2, "m2v33", ".visible .global", 4, 1, 4, false, SECTION_GLOBAL, 64},
	{2, "m2v34", ".global", 4, 1, 4, false, SECTION_GLOBAL, 96},
	{2, "m2v35", ".global", 4, 1, 4, false, SECTION_GLOBAL, 68},
	{2, "m2v36", ".weak .const", 4, 1, 4, true, SECTION_CONST, 48},
	{2, "m2v37", ".const", 4, 2, 4, false, SECTION_CONST, 76},
	{2, "m2v38", ".global", 4, 2, 4, false, SECTION_GLOBAL, 176},
	{2, "m2v39", ".visible .const", 4, 2, 4, false, SECTION_CONST, 60},
};

static const struct {
	const struct row *row;
	size_t n;
	bool linked;
} recorded[] = {
#define CASE(name, linked) {name, sizeof name / sizeof *name, linked}
	CASE(seed_10, false), CASE(seed_44, false), CASE(seed_13, true), CASE(seed_17, true),
#undef CASE
};

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
	devmem_destroy(mem);
	diag_free(&d);
}

static void add(const char *text)
{
	struct ptx_module *m = ptx_module_parse("test", text, strlen(text), &d);
	ck_assert_msg(m != NULL, "%s", d.text);
	VEC_PUSH(&p.modules, m);
}

static void add_rows(const struct row *row, size_t n)
{
	static char text[65536];
	for (size_t i = 0; i < n;) {
		unsigned module = row[i].module;
		int len = snprintf(text, sizeof text, HEAD);
		for (; i < n && row[i].module == module; i++)
			len += snprintf(text + len, sizeof text - (size_t)len, "%s .align %u .u%u %s[%u]%s;\n", row[i].kind, row[i].align,
			                8 * row[i].bytes, row[i].name, row[i].elements, row[i].initialised ? " = {1}" : "");
		add(text);
	}
}

static void link_all(void)
{
	bool ok = ptx_program_link(&p, mem, builtin_find, &d);
	ck_assert_msg(ok, "%s", d.text);
}

static const struct ptx_var *var(const char *name)
{
	const struct ptx_var *v = ptx_program_var(&p, name);
	ck_assert_msg(v != NULL, "%s", name);
	return v;
}

START_TEST(variables_lie_where_ptxas_puts_them)
{
	const struct row *row = recorded[_i].row;
	p.relocatable = recorded[_i].linked;
	add_rows(row, recorded[_i].n);
	link_all();
	for (size_t i = 0; i < recorded[_i].n; i++) {
		const struct ptx_var *v = var(row[i].name);
		ck_assert_msg(v->section == row[i].section && v->offset == row[i].offset, "%s: section %u offset %llu, not %u %u", v->name,
		              v->section, (unsigned long long)v->offset, row[i].section, row[i].offset);
		ck_assert_uint_eq(v->addr, p.layout.section[v->section].addr + v->offset);
		ck_assert_uint_eq(*(uint8_t *)(uintptr_t)v->addr, row[i].initialised);
	}
}
END_TEST

// Recorded from a cubin with both in .nv.global: 'm' has a place there that nobody uses, as its memory is elsewhere.
START_TEST(managed_variables_lie_elsewhere)
{
	add(HEAD ".global .u32 a;\n.global .attribute(.managed) .align 4 .u32 m;\n.global .u32 b;");
	link_all();
	uint64_t at = p.layout.section[SECTION_GLOBAL].addr;
	ck_assert_uint_eq(p.layout.section[SECTION_GLOBAL].size, 12);
	ck_assert_uint_eq(var("a")->addr, at + 4);
	ck_assert_uint_eq(var("b")->addr, at);
	ck_assert_int_eq(devmem_find(mem, var("m")->addr)->kind, DEVMEM_MANAGED);
}
END_TEST

START_TEST(a_section_is_one_allocation)
{
	add(HEAD ".visible .global .u8 a[100];\n.visible .global .u8 b[300];\n.visible .const .u8 c[4];");
	link_all();
	struct devmem_hit hit = {0};
	uint64_t a = var("a")->addr, b = var("b")->addr;
	ck_assert_uint_eq(b, a + 100);
	ck_assert_uint_eq(a % DEVMEM_ALIGN, 0);
	ck_assert(devmem_holds(mem, &hit, a + 98, a + 102)); // from one into the next
	ck_assert(!devmem_holds(mem, &hit, a + 512, a + 513));
	ck_assert_int_eq(devmem_find(mem, var("c")->addr)->kind, DEVMEM_CONST);
	ck_assert_uint_eq(devmem_find(mem, a)->size, 400);
}
END_TEST

// In the order of their declarations, whatever their state space, over all modules. Managed ones are like what cudaMalloc gives.
START_TEST(variables_stand_where_gpgpusim_has_them)
{
	devmem_destroy(mem);
	mem = devmem_create((uint64_t)1 << 32, DEVMEM_GPGPUSIM, &d);
	add(HEAD ".global .u32 a;\n.const .align 64 .u8 b[3];\n.visible .global .u64 c[2] = {5};\n.global .attribute(.managed) .u32 m;");
	add(HEAD ".visible .const .u32 e = 7;");
	link_all();
	ck_assert_uint_eq(devmem_stand_in(mem, var("a")->addr), 0x100);
	ck_assert_uint_eq(devmem_stand_in(mem, var("b")->addr), 0x180);
	ck_assert_uint_eq(devmem_stand_in(mem, var("c")->addr + 8), 0x190 + 8);
	ck_assert_uint_eq(devmem_stand_in(mem, var("m")->addr), var("m")->addr);
	ck_assert_uint_eq(devmem_stand_in(mem, var("e")->addr), 0x1a0);
	ck_assert_uint_eq(*(uint64_t *)(uintptr_t)var("c")->addr, 5);
	ck_assert_int_eq(devmem_find(mem, var("e")->addr)->kind, DEVMEM_CONST);
	ck_assert_int_eq(devmem_find(mem, var("c")->addr)->kind, DEVMEM_GLOBAL);
}
END_TEST

START_TEST(a_symbol_table_goes_before_the_rule)
{
	static const struct variable_place place[] = {
		{"a", SECTION_GLOBAL, 64, 4}, {"b", SECTION_GLOBAL_INIT, 0, 8}, {"other", SECTION_GLOBAL, 0, 4}};
	const struct variable_layout known = {.section = {{.size = 68}, {.size = 8}}, .n = 3, .at = place};
	p.known = &known;
	add(HEAD ".visible .global .u32 a;\n.visible .global .u64 b;");
	link_all();
	ck_assert_uint_eq(var("a")->addr, p.layout.section[SECTION_GLOBAL].addr + 64);
	ck_assert_uint_eq(var("b")->addr, p.layout.section[SECTION_GLOBAL_INIT].addr);
	ck_assert_uint_eq(p.layout.n, 2);
}
END_TEST

// A variable that is missing, of another size or kind, or there twice: the table is about something else.
START_TEST(a_symbol_table_of_something_else_does_not_count)
{
	static const struct variable_place place[][2] = {
		{{"a", SECTION_GLOBAL, 64, 4}, {"x", SECTION_GLOBAL, 0, 4}}, {{"a", SECTION_GLOBAL, 64, 4}, {"b", SECTION_GLOBAL, 0, 8}},
		{{"a", SECTION_CONST, 64, 4}, {"b", SECTION_GLOBAL, 0, 4}},  {{"a", SECTION_GLOBAL, 64, 4}, {"a", SECTION_GLOBAL, 0, 4}},
		{{"a", SECTION_GLOBAL, 62, 4}, {"b", SECTION_GLOBAL, 0, 4}}};
	const struct variable_layout known = {.section = {{.size = 68}, {.size = 0}, {.size = 68}}, .n = 2, .at = place[_i]};
	p.known = &known;
	add(HEAD ".visible .global .u32 a;\n.visible .global .u32 b;");
	link_all();
	ck_assert_uint_eq(var("a")->offset, 0);
	ck_assert_uint_eq(var("b")->offset, 4);
}
END_TEST

static char *read_all(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(2);
	}
	fseek(f, 0, SEEK_END);
	long n = ftell(f);
	rewind(f);
	char *data = malloc((size_t)n + 1);
	*size = fread(data, 1, (size_t)n, f);
	data[*size] = 0;
	fclose(f);
	return data;
}

static int n_args;
static char **args; // behind --compare

START_TEST(places_are_those_of_the_cubin)
{
	struct arena arena = {0};
	struct cubin cubin;
	size_t size;
	char *data = read_all(args[0], &size), line[256], wrong[4096] = "";
	ck_assert_msg(cubin_read(&cubin, data, size, &arena, &d), "%s", d.text);
	p.relocatable = n_args > 1 && !strcmp(args[1], "--linked");
	for (int i = 1 + p.relocatable; i < n_args; i++) {
		char *text = read_all(args[i], &size);
		add(text);
		free(text);
	}
	link_all();
	ck_assert_uint_gt(cubin.variables.n, 0);
	for (size_t i = 0; i < cubin.variables.n; i++) {
		const struct variable_place *at = &cubin.variables.at[i];
		const struct ptx_var *v = var(at->name);
		snprintf(line, sizeof line, "%s: section %u offset %llu size %llu, not %u %llu %llu\n", at->name, v->section,
		         (unsigned long long)v->offset, (unsigned long long)v->size, at->section, (unsigned long long)at->offset,
		         (unsigned long long)at->size);
		if ((v->section != at->section || v->offset != at->offset || v->size != at->size) &&
		    strlen(wrong) + strlen(line) < sizeof wrong)
			strcat(wrong, line);
	}
	ck_assert_msg(!*wrong, "%s", wrong);
	for (unsigned s = 0; s < N_VARIABLE_SECTIONS; s++)
		ck_assert_uint_eq(p.layout.section[s].size, cubin.variables.section[s].size);
	cubin_free(&cubin);
	arena_free(&arena);
	free(data);
}
END_TEST

int main(int argc, char **argv)
{
	TCase *t = tcase_create("variables");
	Suite *s = suite_create("variables");
	tcase_add_checked_fixture(t, setup, teardown);
	suite_add_tcase(s, t);
	if (argc > 3 && !strcmp(argv[1], "--compare")) {
		n_args = argc - 2;
		args = argv + 2;
		tcase_add_test(t, places_are_those_of_the_cubin);
		return check_main(s);
	}
	tcase_add_loop_test(t, variables_lie_where_ptxas_puts_them, 0, sizeof recorded / sizeof *recorded);
	tcase_add_test(t, managed_variables_lie_elsewhere);
	tcase_add_test(t, a_section_is_one_allocation);
	tcase_add_test(t, variables_stand_where_gpgpusim_has_them);
	tcase_add_test(t, a_symbol_table_goes_before_the_rule);
	tcase_add_loop_test(t, a_symbol_table_of_something_else_does_not_count, 0, 5);
	return check_main(s);
}
