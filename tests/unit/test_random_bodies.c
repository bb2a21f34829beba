// Machine code beside the PTX that it was made of, on random operands among which are NaNs, infinities, subnormals and the limits
// of integers: every result bit for bit. The kernels are those of tests/unit/bodies.h, one instruction form each.
//
// The machine code is that of tests/bodies/*.sass. Others:
//   HEDDLE_BODIES_WRITE="FILE TARGET VERSION"  writes the PTX of all forms
//   HEDDLE_BODIES=FOLDER:...                   runs the cubins there, that ptxas made of such PTX (tests/bodies/run does)
//   HEDDLE_BODIES_SETS=N                       with so many sets of 400 operands, 8 if it is not given
//   HEDDLE_BODIES_USES=1                       with it: tells what of the table of encodings these kernels do not use
//   HEDDLE_BODIES_KEEP=FOLDER                  with it: writes kernels that together have all values of modifiers and kinds of sources, a file for
//                                              each architecture
#include "tests/unit/bodies.h"

#include "cuda-sim/sass/exec/kernel.h"
#include "libcuda/code/machine_code.h"
#include "libcuda/image/cubin_text.h"
#include "tests/unit/bodies_differences.h"
#include "tests/unit/bodies_uses.h"

#include <dirent.h>
#include <math.h>

enum { SETS = 8, WORDS = POOL_N * OPS_SRC * OPS_LANES, FRAME = 1 << 20 };

// --- operands

static uint64_t *set[SETS];
static size_t all_wrong;
static struct uses *uses;
static const char *keep; // HEDDLE_BODIES_KEEP

static void make_sets(void)
{
	for (unsigned s = 0; s < SETS; s++) {
		set[s] = mem_alloc(WORDS * sizeof **set);
		for (size_t k = 0; k < WORDS; k++)
			set[s][k] = ops_value((enum ops_pool)(k / (OPS_SRC * OPS_LANES)));
	}
}

static void free_sets(void)
{
	for (unsigned s = 0; s < SETS; s++)
		mem_free(set[s]);
}

struct params {
	uint64_t in, out, slots, pad;
	uint8_t par[OPS_SLOT];
	uint64_t constant[OPS_SRC];
};

// --- one kernel

struct world {
	struct ptx_bench *b;
	struct machine_code code;
	struct ptx_program none; // machine code has its variables to itself
	struct cubin_parts parts; // to be written as text
	struct params p;
	uint64_t *out[2];        // of PTX, of machine code
	const char *file;
	size_t n_forms, n_tuples, n_refused, n_permitted, n_wrong;
	unsigned sets;
};

static bool run(struct world *w, struct kernel_launch *l, uint32_t grid)
{
	l->uid = 1;
	l->grid[0] = grid;
	l->grid[1] = l->grid[2] = 1;
	l->block[0] = OPS_BLOCK;
	l->block[1] = l->block[2] = 1;
	l->mem = w->b->mem;
	l->services = &w->b->services;
	l->params = (const uint8_t *)&w->p;
	struct functional_run *r = functional_new(l, 8, NULL);
	uint64_t used, total = 0;
	while (!functional_step(r, 1 << 20, &used) && total < 50000000)
		total += used;
	functional_free(r);
	if (l->fault.kind)
		printf("%s\n", l->fault.text);
	return !l->fault.kind && total < 50000000;
}

// The constants of a form are operands of its own kinds.
static unsigned set_constants(struct world *w, const struct body_form *f, unsigned round)
{
	unsigned n = 0;
	for (unsigned k = 0; k < f->inst.n_src; k++) {
		const struct op_source *s = &f->inst.src[k];
		char find[24];
		sprintf(find, "#%u=c", k);
		if (!strstr(f->text, find))
			continue;
		w->p.constant[k] = set[round % SETS][((size_t)s->pool * OPS_SRC + k) * OPS_LANES + round * 7 % OPS_LANES];
		n++;
	}
	return n;
}

static uint64_t column_value(const struct world *w, unsigned side, size_t column, unsigned lane)
{
	return w->out[side][column * OPS_LANES + lane];
}

static void operands(const struct world *w, const struct body_form *f, const uint64_t *in, unsigned lane, uint64_t *v)
{
	for (unsigned k = 0; k < f->inst.n_src; k++) {
		const struct op_source *s = &f->inst.src[k];
		char find[24];
		sprintf(find, "#%u=c", k);
		uint64_t x = strstr(f->text, find) ? w->p.constant[k] : in[((size_t)s->pool * OPS_SRC + k) * OPS_LANES + lane];
		sprintf(find, "#%u=i", k);
		const char *moved = strstr(f->text, find);
		v[k] = moved ? strtoull(moved + 4, NULL, 0) : s->is_fixed && !strstr(f->text, "=c") ? s->fixed : ops_cut(x, s->bits);
	}
}

static void tell(const struct world *w, const struct body_form *f, size_t column, unsigned lane, const uint64_t *v)
{
	printf("%s: %s (%s), result %zu of lane %u: PTX %llx, machine code %llx, of", w->file, f->name, f->text, column, lane,
	       (unsigned long long)column_value(w, 0, column, lane), (unsigned long long)column_value(w, 1, column, lane));
	for (unsigned k = 0; k < f->inst.n_src; k++)
		printf(" %llx", (unsigned long long)v[k]);
	printf("\n");
}

static void compare(struct world *w, struct body_form *f, const uint64_t *in, unsigned lanes, bool *permitted, unsigned *told)
{
	uint64_t v[OPS_SRC] = {0};
	for (size_t c = 0; c < f->columns; c++) {
		for (unsigned i = 0; i < lanes; i++) {
			uint64_t want = column_value(w, 0, c, i), got = column_value(w, 1, c, i);
			if (want == got)
				continue;
			operands(w, f, in, i, v);
			if (difference_permitted(f, c, want, got, v)) {
				*permitted = true;
				continue;
			}
			if ((*told)++ < 1)
				tell(w, f, c, i, v);
		}
	}
}

// The kernel as text without control bits, to the file of its architecture. Variables and functions would be there more than once.
static void keep_form(struct world *w, const struct body_form *f)
{
	char path[600], *text;
	size_t len;
	if (!uses->n_new || !keep || strstr(f->ptx, "fixed") || strstr(f->ptx, "fact"))
		return;
	FILE *to = open_memstream(&text, &len);
	cubin_list(&w->parts, f->name, to);
	fclose(to);
	snprintf(path, sizeof path, "%s/sm_%u.sass", keep, w->code.cubin.arch);
	to = fopen(path, "a");
	ck_assert_msg(to != NULL, "%s", path);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *control = strstr(line, "[B"), *end = control ? strstr(control, "] ") : NULL;
		if (end)
			fprintf(to, "%.*s\t%s\n", strchr(line, ':') < control && *line != ' ' ? (int)(strchr(line, ':') + 1 - line) : 0, line, end + 2);
		else
			fprintf(to, "%s\n", line);
	}
	fclose(to);
	free(text);
}

static void run_form(struct world *w, struct body_form *f)
{
	struct machine_kernel m = {0};
	struct diag d = {0};
	if (!machine_code_kernel(&w->code, f->name, 0, &m, &d)) {
		w->n_wrong += !refusal_known(f, w->code.cubin.arch);
		w->n_refused++;
		printf("%s: %s (%s) is refused: %s", w->file, f->name, f->text, d.text);
		diag_free(&d);
		return;
	}
	bool permitted = false, ok = true;
	unsigned told = 0, rounds = w->sets, grid = OPS_GRID;
	unsigned n_const = set_constants(w, f, 0);
	if (n_const)
		rounds = n_const > 1 ? 8 * w->sets : 2 * w->sets, grid = 1;
	for (unsigned r = 0; r < rounds && ok && !told; r++) {
		uint64_t *in = (uint64_t *)(uintptr_t)w->p.in, *out = (uint64_t *)(uintptr_t)w->p.out;
		set_constants(w, f, r);
		memcpy(in, set[r % SETS], WORDS * sizeof *in);
		for (unsigned side = 0; side < 2 && ok; side++) {
			struct kernel_launch l = side ? (struct kernel_launch){.info = &m.info, .fe = &sass_frontend, .code = m.code}
			                              : bench_launch(w->b, f->name, grid, OPS_BLOCK);
			memset(out, 0x5a, f->columns * OPS_LANES * 8);
			memset((void *)(uintptr_t)w->p.slots, 0, OPS_LANES * OPS_SLOT);
			ok = run(w, &l, grid);
			memcpy(w->out[side], out, f->columns * OPS_LANES * 8);
			if (!ok)
				printf("%s: %s (%s) does not end as %s\n", w->file, f->name, f->text, side ? "machine code" : "PTX");
		}
		if (ok)
			compare(w, f, in, grid * OPS_BLOCK, &permitted, &told);
		w->n_tuples += grid * OPS_BLOCK;
	}
	uses_add(uses, machine_image(w->code.machine, f->name, &d));
	if (ok && !told)
		keep_form(w, f);
	w->n_forms++;
	w->n_permitted += permitted && !told;
	w->n_wrong += told || !ok;
	sass_kernel_free(m.code);
	diag_free(&d);
}

// --- a cubin

static void run_cubin(struct bodies *all, const void *data, size_t size, const char *file, unsigned sets)
{
	enum { MOST_COLUMNS = 32 };
	struct world w = {.file = file, .sets = sets};
	struct ops ptx = {0};
	struct cubin cubin;
	struct arena arena = {0};
	struct diag d = {0};
	char target[16];
	ck_assert_msg(cubin_read(&cubin, data, size, &arena, &d), "%s: %s", file, d.text);
	snprintf(target, sizeof target, "%u", cubin.arch);
	bodies_head(&ptx, 90, target);
	for (size_t k = 0; k < cubin.kernel.n; k++) {
		const struct body_form *f = bodies_find(all, cubin.kernel.at[k].name);
		ck_assert_msg(f || getenv("HEDDLE_BODIES"), "%s: no table makes the kernel %s", file, cubin.kernel.at[k].name);
		if (!f)
			continue;
		for (const char *s = f->ptx; *s; s++)
			VEC_PUSH(&ptx.ptx, *s);
	}
	VEC_PUSH(&ptx.ptx, 0);
	w.b = bench_new(ptx.ptx.at);
	ck_assert_msg(machine_code_open(&w.code, &w.none, w.b->mem, data, size, file, &d) && machine_code_link(&w.code, NULL, 0, &d), "%s: %s",
	              file, d.text);
	w.p = (struct params){bench_alloc(w.b, WORDS * 8), bench_alloc(w.b, MOST_COLUMNS * OPS_LANES * 8), bench_alloc(w.b, OPS_LANES * OPS_SLOT),
	                      0, {0}, {0}};
	for (unsigned k = 0; k < OPS_SLOT; k++)
		w.p.par[k] = (uint8_t)ops_fixed_byte(k);
	for (unsigned side = 0; side < 2; side++)
		w.out[side] = mem_alloc(MOST_COLUMNS * OPS_LANES * 8);
	if (keep)
		ck_assert_msg(cubin_parts_read(&w.parts, data, size, &d), "%s: %s", file, d.text);
	for (size_t k = 0; k < cubin.kernel.n; k++) {
		struct body_form *f = bodies_find(all, cubin.kernel.at[k].name);
		if (f)
			run_form(&w, f);
	}
	printf("%s: %zu forms, %zu tuples; %zu forms differ as they may, %zu are refused, %zu are wrong\n", file, w.n_forms, w.n_tuples,
	       w.n_permitted, w.n_refused, w.n_wrong);
	fflush(stdout);
	size_t wrong = w.n_wrong;
	mem_free(w.out[0]);
	mem_free(w.out[1]);
	if (keep)
		cubin_parts_free(&w.parts);
	machine_code_close(&w.code);
	bench_free(w.b);
	cubin_free(&cubin);
	arena_free(&arena);
	VEC_FREE(&ptx.ptx);
	diag_free(&d);
	all_wrong += wrong;
}

// --- files

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	char *data = mem_alloc(*size + 1);
	ck_assert_uint_eq(fread(data, 1, *size, f), *size);
	fclose(f);
	return data;
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static bool ends(const char *s, const char *with) { return strlen(s) > strlen(with) && !strcmp(s + strlen(s) - strlen(with), with); }

static void run_folder(const char *folder, unsigned sets)
{
	struct bodies all = {0};
	struct dirent **names;
	bodies_make(&all);
	int n = scandir(folder, &names, NULL, by_name);
	ck_assert_msg(n > 0, "%s", folder);
	for (int k = 0; k < n; k++) {
		char path[900];
		size_t size;
		snprintf(path, sizeof path, "%s/%s", folder, names[k]->d_name);
		if (ends(path, ".cubin")) {
			char *data = read_file(path, &size);
			run_cubin(&all, data, size, names[k]->d_name, sets);
			mem_free(data);
		} else if (ends(path, ".sass")) {
			char *text = read_file(path, &size);
			uint8_t *image;
			struct diag d = {0};
			size_t image_size;
			ck_assert_msg(cubin_assemble(path, text, size, &image, &image_size, &d), "%s", d.text);
			run_cubin(&all, image, image_size, names[k]->d_name, sets);
			mem_free(image);
			mem_free(text);
			diag_free(&d);
		}
		free(names[k]);
	}
	free(names);
	bodies_free(&all);
}

static void write_ptx(const char *how)
{
	char path[400], target[16];
	unsigned version;
	ck_assert_int_eq(sscanf(how, "%399s %15s %u", path, target, &version), 3);
	struct bodies all = {0};
	struct ops head = {0};
	bodies_make(&all);
	FILE *f = fopen(path, "w");
	ck_assert_msg(f != NULL, "%s", path);
	bodies_head(&head, version, target);
	fwrite(head.ptx.at, 1, head.ptx.n, f);
	for (size_t k = 0; k < all.form.n; k++)
		fputs(all.form.at[k].ptx, f);
	fclose(f);
	VEC_FREE(&head.ptx);
	bodies_free(&all);
}

static void run_folders(const char *names, unsigned sets)
{
	char *list = strdup(names), *left = list;
	keep = getenv("HEDDLE_BODIES_KEEP");
	uses = MEM_NEW(struct uses);
	make_sets();
	for (char *s; (s = strsep(&left, ":"));)
		run_folder(s, sets);
	if (getenv("HEDDLE_BODIES_USES"))
		uses_tell(uses);
	uses_free(uses);
	mem_free(uses);
	free_sets();
	free(list);
}

START_TEST(machine_code_computes_what_ptx_does)
{
	const char *how = getenv("HEDDLE_BODIES_WRITE"), *folder = getenv("HEDDLE_BODIES"), *sets = getenv("HEDDLE_BODIES_SETS");
	char own[600];
	snprintf(own, sizeof own, "%.*sbodies", (int)(strstr(__FILE__, "unit/") - __FILE__), __FILE__);
	if (how)
		write_ptx(how);
	else
		run_folders(folder ? folder : own, sets ? (unsigned)atoi(sets) : folder ? SETS : 1);
	differences_tell();
	ck_assert_msg(!all_wrong, "%zu forms are wrong", all_wrong);
}
END_TEST

// What no compiled code shows is never guessed.
static const struct {
	unsigned arch;
	const char *text;
} unknown[] = {
	{80, "HMUL2.F32 R2, R2, R3"},
	{80, "HFMA2.F32 R2, R2, R3, R4"},
	{90, "F2FP.F16.F32.MERGE_C R2, R3, R4"},
	{80, "FMNMX.XORSIGN R2, R3, |R4|, PT"},
	{80, "HMNMX2.XORSIGN R2, -|R3|, |R4|, PT"},
	{80, "FLO.U32 R2, P1, R3"},
	{80, "FMUL.D2.RZ R2, R3, R4"},
	{80, "BRX.INC R2 0x0"},
};

START_TEST(nothing_is_guessed)
{
	char text[200];
	uint8_t *image;
	size_t size;
	struct diag d = {0};
	struct machine_code code;
	struct machine_kernel m;
	struct ptx_program none = {0};
	snprintf(text, sizeof text, ".kernel k\n.target sm_%u\n\t%s\n\tEXIT\n", unknown[_i].arch, unknown[_i].text);
	struct devmem *mem = devmem_create((uint64_t)1 << 24, DEVMEM_OWN, &d);
	ck_assert_msg(cubin_assemble("test", text, strlen(text), &image, &size, &d), "%s", d.text);
	ck_assert_msg(machine_code_open(&code, &none, mem, image, size, "test", &d), "%s", d.text);
	ck_assert_msg(!machine_code_kernel(&code, "k", 0, &m, &d), "%s is executed", unknown[_i].text);
	ck_assert_ptr_nonnull(strstr(d.text, unknown[_i].text));
	machine_code_close(&code);
	mem_free(image);
	devmem_destroy(mem);
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("random bodies");
	TCase *t = tcase_create("random bodies");
	tcase_set_timeout(t, getenv("HEDDLE_BODIES") ? 3000 : 60);
	tcase_add_test(t, machine_code_computes_what_ptx_does);
	tcase_add_loop_test(t, nothing_is_guessed, 0, sizeof unknown / sizeof *unknown);
	suite_add_tcase(s, t);
	return check_main(s);
}
