// Every opcode of the table that is executed has, for each type (and pair of types) it takes, a case in one of the
// test_ptx_ops programs. VERBOSE=1 prints the report; HEDDLE_WRITE_DOCS=1 writes it to docs/coverage.md.
#include "tests/unit/ops_cmp.h"
#include "tests/unit/ops_cvt.h"
#include "tests/unit/ops_float.h"
#include "tests/unit/ops_int.h"
#include "tests/unit/ops_logic.h"
#include "tests/unit/ops_mem.h"
#include "tests/unit/ops_tex.h"
#include "tests/unit/ops_video.h"
#include "tests/unit/ops_warp.h"

enum { MAX_ROWS = 400 };

// What a warp does together with matrices, compared by programs of their own.
static const struct elsewhere {
	const char *name, *program;
} elsewhere[] = {
	{"mma", "tests/cuda/mma_dense.cu, tests/cuda/mma_sparse.cu, tests/cuda/mma_quarters.cu, tests/unit/test_tensor.c"},
	{"wmma", "tests/cuda/wmma.cu"},
	{"ldmatrix", "tests/cuda/matrix_move.cu"},
	{"stmatrix", "tests/cuda/matrix_move.cu"},
	{"movmatrix", "tests/cuda/matrix_move.cu"},
	{"cp", "tests/cuda/async_copy.cu, tests/cuda/bulk_copy.cu, tests/cuda/tma.cu"},
	{"mbarrier", "tests/cuda/mbarrier.cu, tests/cuda/mbarrier_bytes.cu"},
	{"createpolicy", "tests/cuda/async_copy.cu"},
	{"mapa", "tests/cuda/cluster_basic.cu"},
	{"getctarank", "tests/cuda/cluster_basic.cu"},
	{"tensormap", "tests/cuda/tma_change.cu"},
	{"wgmma", "tests/unit/test_wgmma.c, tests/cuda/wgmma_types.cu"},
};

static const char *program_of(const char *name)
{
	for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
		if (!strcmp(elsewhere[k].name, name))
			return elsewhere[k].program;
	return NULL;
}

// Asynchronous forms of st, red and fence: tests/cuda/bulk_copy.cu, tests/cuda/tma_change.cu.
static bool is_asynchronous(const struct ptx_op *op)
{
	return strstr(op->suffixes, "!async") || strstr(op->suffixes, "!bulk") || strstr(op->suffixes, "!tensormap::generic");
}

static unsigned cases[MAX_ROWS][PTX_N_TYPES][PTX_N_TYPES];
static unsigned n_cases;

static void count_case(void *ctx, const struct op_case *c, const char *line)
{
	struct ptx_opcode op;
	char text[PTX_OPCODE_MAX], key[PTX_OPCODE_MAX], why[300];
	snprintf(text, sizeof text, "%.*s", (int)strcspn(line, " "), line);
	ck_assert_msg(!ptx_opcode_read(text, &op, key, why, sizeof why), "%s: %s", text, why);
	size_t row = (size_t)(op.op - ptx_op_table);
	cases[row][op.op->types ? op.mods.type[0] : 0][op.op->types2 ? op.mods.type[1] : 0]++;
	n_cases++;
}

static void count_all(void)
{
	static const struct {
		const struct op_case *c;
		size_t n;
	} tables[] = {
#define TABLE(t) {t, sizeof t / sizeof *t}
		TABLE(ops_int), TABLE(ops_logic), TABLE(ops_cmp), TABLE(ops_float), TABLE(ops_half), TABLE(ops_cvt),
		TABLE(ops_mem), TABLE(ops_atom), TABLE(ops_warp), TABLE(ops_mov), TABLE(ops_tex), TABLE(ops_video),
#undef TABLE
	};
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (size_t k = 0; k < tables[t].n; k++)
			ops_expand(&tables[t].c[k], tables[t].c[k].text, count_case, NULL);
}

// Adds what one row has and lacks; the names of untested pairs go to `lacks`.
static void count_row(size_t row, unsigned *tested, unsigned *total, char *lacks, size_t len)
{
	const struct ptx_op *op = &ptx_op_table[row];
	for (unsigned t = 0; t < PTX_N_TYPES; t++) {
		if (op->types ? !(op->types >> t & 1) : t != 0)
			continue;
		for (unsigned u = 0; u < PTX_N_TYPES; u++) {
			if (op->types2 ? !(op->types2 >> u & 1) : u != 0)
				continue;
			++*total;
			size_t at = strlen(lacks);
			if (cases[row][t][u])
				++*tested;
			else
				snprintf(lacks + at, len - at, " %s%s%s%s%s", op->name, t ? "." : "", ptx_type_text[t], u ? "." : "",
				         ptx_type_text[u]);
		}
	}
}

static void report(char *page, size_t len, char *lacks, size_t lacks_len)
{
	static char idle[4000], others[2000];
	unsigned all = 0, all_tested = 0;
	size_t at = (size_t)snprintf(
		page, len,
		"# Tested PTX instructions\n\nMade by `tests/unit/test_ptx_coverage.c`. There is a row for each opcode of "
		"`cuda-sim/ptx/ops.def` that is executed. It says how many types, or pairs of types, the opcode has (*of*), and "
		"how many of them the programs `tests/unit/test_ptx_ops_*.c` compare with what the host computes (*tested*)."
		"\n\n| opcode | tested | of |\n|---|---|---|\n");
	idle[0] = others[0] = 0;
	for (size_t row = 0; row < ptx_op_count;) {
		const char *name = ptx_op_table[row].name;
		unsigned tested = 0, total = 0;
		for (; row < ptx_op_count && strcmp(ptx_op_table[row].name, name) == 0; row++)
			if (!(ptx_op_table[row].flags & PTX_OP_LENIENT) && !program_of(name) && !is_asynchronous(&ptx_op_table[row]))
				count_row(row, &tested, &total, lacks, lacks_len);
		const char *program = program_of(name);
		if (program)
			snprintf(others + strlen(others), sizeof others - strlen(others), "\n- `%s`: `%s`", name, program);
		else if (total)
			at += (size_t)snprintf(page + at, len - at, "| `%s` | %u | %u |\n", name, tested, total);
		else
			snprintf(idle + strlen(idle), sizeof idle - strlen(idle), " `%s`", name);
		all += total, all_tested += tested;
	}
	snprintf(page + at, len - at, "\n%u of %u in %u instructions.\n\nTested by programs of their own:\n%s\n\nRead but not executed:%s.\n", all_tested, all,
	         n_cases, others, idle);
}

START_TEST(nothing_is_untested)
{
	static char page[20000], lacks[20000], have[20000];
	ck_assert_uint_le(ptx_op_count, MAX_ROWS);
	count_all();
	report(page, sizeof page, lacks, sizeof lacks);
	if (getenv("VERBOSE"))
		puts(page);
	ck_assert_msg(!*lacks, "no case for:%.900s", lacks);
	FILE *f = fopen("docs/coverage.md", getenv("HEDDLE_WRITE_DOCS") ? "w" : "r");
	ck_assert_msg(f != NULL, "docs/coverage.md: run this from the top folder");
	if (getenv("HEDDLE_WRITE_DOCS"))
		fputs(page, f);
	else
		ck_assert_msg(fread(have, 1, sizeof have - 1, f) == strlen(page) && strcmp(have, page) == 0,
		              "docs/coverage.md is old; run this test with HEDDLE_WRITE_DOCS=1");
	fclose(f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx coverage");
	TCase *t = tcase_create("ptx coverage");
	tcase_add_test(t, nothing_is_untested);
	suite_add_tcase(s, t);
	return check_main(s);
}
