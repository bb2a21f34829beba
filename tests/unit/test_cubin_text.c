// A cubin as text and back. The cubins of tests/unit/cubins are ptxas's, of pick.cu beside them. With HEDDLE_CUBINS=FOLDER those of
// a folder go around too (tests/cubins makes one of all CUDA programs of the tree).
#include "base/mem.h"
#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/machine/encoding.h"
#include "cuda-sim/sass/text/text.h"
#include "libcuda/image/cubin.h"
#include "libcuda/image/cubin_text.h"
#include "libcuda/image/elf64.h"
#include "libcuda/image/machine.h"

#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const cubins[] = {"tests/unit/cubins/pick.75.cubin", "tests/unit/cubins/pick.80.cubin", "tests/unit/cubins/pick.86.cubin",
                                     "tests/unit/cubins/pick.90.cubin"};
enum { N_CUBINS = sizeof cubins / sizeof *cubins };

static struct diag d;

static void read_parts(struct cubin_parts *c, const char *path)
{
	struct elf64_file f;
	ck_assert_msg(elf64_map_file(&f, path), "%s", path);
	ck_assert_msg(cubin_parts_read(c, f.data, f.size, &d), "%s: %s", path, d.text);
	elf64_unmap_file(&f);
}

static char *list(const struct cubin_parts *c, const char *kernel, size_t *len)
{
	char *text;
	FILE *out = open_memstream(&text, len);
	struct cubin_listed n = cubin_list(c, kernel, out);
	fclose(out);
	ck_assert_uint_eq(n.unknown, 0);
	return text;
}

// --- the same parts

static void same_fixups(const char *where, const struct cubin_fixup *a, size_t n_a, const struct cubin_fixup *b, size_t n_b)
{
	ck_assert_msg(n_a == n_b, "%s: %zu and %zu places", where, n_a, n_b);
	for (size_t i = 0; i < n_a; i++) {
		ck_assert_msg(a[i].at == b[i].at && a[i].type == b[i].type && a[i].addend == b[i].addend, "%s: place %zu", where, i);
		ck_assert_str_eq(a[i].symbol, b[i].symbol);
	}
}

static void same_data(const char *where, const struct cubin_data *a, const struct cubin_data *b)
{
	ck_assert_msg(a->size == b->size, "%s: %llu and %llu bytes", where, (unsigned long long)a->size, (unsigned long long)b->size);
	for (uint64_t i = 0; i < a->size && (a->byte || b->byte); i++) // none: all are zero
		ck_assert_msg((a->byte ? a->byte[i] : 0) == (b->byte ? b->byte[i] : 0), "%s: byte %llu", where, (unsigned long long)i);
	same_fixups(where, a->fixup.at, a->fixup.n, b->fixup.at, b->fixup.n);
}

static void same_function(const struct cubin_function *a, const struct cubin_function *b)
{
	ck_assert_msg(b != NULL, "%s is lost", a->name);
	ck_assert_msg(a->size == b->size, "%s: %llu and %llu bytes of code", a->name, (unsigned long long)a->size, (unsigned long long)b->size);
	for (uint64_t pc = 0; pc < a->size; pc += 16)
		ck_assert_msg(!memcmp(a->code + pc, b->code + pc, 16), "%s: the instruction at 0x%llx", a->name, (unsigned long long)pc);
#define SAME(what) ck_assert_msg(a->what == b->what, "%s: " #what, a->name)
	SAME(kernel);
	SAME(registers);
	SAME(shared);
	SAME(frame);
	SAME(stack);
	SAME(barriers);
	SAME(param_base);
	SAME(param_size);
	SAME(param.n);
	SAME(inside.n);
	SAME(targets.n);
	SAME(attribute.n);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(a->max_threads[i] == b->max_threads[i] && a->required_threads[i] == b->required_threads[i]);
	for (size_t i = 0; i < a->param.n; i++)
		ck_assert(a->param.at[i].offset == b->param.at[i].offset && a->param.at[i].size == b->param.at[i].size);
	for (size_t i = 0; i < a->inside.n; i++) {
		SAME(inside.at[i].pc);
		SAME(inside.at[i].size);
		SAME(inside.at[i].frame);
		ck_assert_str_eq(a->inside.at[i].name, b->inside.at[i].name);
	}
	for (size_t i = 0; i < a->targets.n; i++) {
		SAME(targets.at[i].pc);
		SAME(targets.at[i].to.n);
		for (size_t k = 0; k < a->targets.at[i].to.n; k++)
			SAME(targets.at[i].to.at[k]);
	}
	for (size_t i = 0; i < a->attribute.n; i++) {
		const struct cubin_kept *x = &a->attribute.at[i], *y = &b->attribute.at[i];
		ck_assert(x->format == y->format && x->number == y->number && x->value == y->value);
		ck_assert(x->format != 4 || !x->value || !memcmp(x->data, y->data, x->value));
	}
	same_fixups(a->name, a->fixup.at, a->fixup.n, b->fixup.at, b->fixup.n);
	same_data(a->name, &a->bank2, &b->bank2);
}

static void same_parts(const struct cubin_parts *a, const struct cubin_parts *b)
{
	ck_assert_uint_eq(a->arch, b->arch);
	ck_assert(a->specific == b->specific);
	ck_assert_uint_eq(a->function.n, b->function.n);
	for (size_t i = 0; i < a->function.n; i++)
		same_function(&a->function.at[i], cubin_parts_find(b, a->function.at[i].name));
	ck_assert_uint_eq(a->variable.n, b->variable.n);
	for (size_t i = 0; i < a->variable.n; i++) {
		const struct cubin_variable *x = &a->variable.at[i], *y = b->variable.at;
		size_t k = 0;
		while (k < b->variable.n && (strcmp(x->name, y[k].name) || x->section != y[k].section || x->offset != y[k].offset || x->size != y[k].size))
			k++;
		ck_assert_msg(k < b->variable.n, "the variable %s", x->name);
	}
	for (unsigned k = 0; k < CUBIN_SECTIONS; k++)
		same_data(cubin_section_name[k], &a->data[k], &b->data[k]);
}

// Lists a cubin, makes one of the text and compares.
static void go_around(const char *path)
{
	struct cubin_parts a, b;
	size_t len, size;
	uint8_t *image;
	read_parts(&a, path);
	char *text = list(&a, NULL, &len);
	if (a.function.n) {
		ck_assert_msg(cubin_assemble(path, text, len, &image, &size, &d), "%s", d.text);
		ck_assert_msg(cubin_parts_read(&b, image, size, &d), "%s", d.text);
		same_parts(&a, &b);
		cubin_parts_free(&b);
		mem_free(image);
	}
	cubin_parts_free(&a);
	free(text);
}

START_TEST(a_cubin_goes_through_its_text) { go_around(cubins[_i]); }
END_TEST

START_TEST(a_folder_of_cubins_goes_through_its_text)
{
	const char *folder = getenv("HEDDLE_CUBINS");
	DIR *dir = folder ? opendir(folder) : NULL;
	unsigned n = 0;
	for (struct dirent *e; dir && (e = readdir(dir)); n++) {
		char path[PATH_MAX];
		size_t len = strlen(e->d_name);
		if (len < 7 || strcmp(e->d_name + len - 6, ".cubin"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		go_around(path);
	}
	ck_assert_msg(!folder || n > 2, "%s holds no cubins", folder);
	if (dir)
		closedir(dir);
}
END_TEST

// The reader of figures says of the written cubin what it says of ptxas's.
START_TEST(figures_are_those_of_the_compiler)
{
	struct elf64_file f;
	struct cubin_parts parts;
	struct arena arena = {0};
	struct cubin a, b;
	uint8_t *image;
	size_t size;
	ck_assert(elf64_map_file(&f, cubins[_i]));
	ck_assert(cubin_read(&a, f.data, f.size, &arena, &d));
	read_parts(&parts, cubins[_i]);
	cubin_write(&parts, &image, &size);
	ck_assert_msg(cubin_read(&b, image, size, &arena, &d), "%s", d.text);
	ck_assert_uint_eq(a.arch, b.arch);
	ck_assert_uint_eq(a.kernel.n, b.kernel.n);
	for (size_t i = 0; i < a.kernel.n; i++) {
		const struct cubin_kernel *x = &a.kernel.at[i], *y = cubin_find(&b, x->name);
		ck_assert(y && x->registers == y->registers && x->reserved_shared == y->reserved_shared && x->param_bytes == y->param_bytes);
		const struct kernel_machine *m = &x->machine, *n = &y->machine;
		ck_assert(m->arch == n->arch && m->param_base == n->param_base && m->shared == n->shared && m->frame == n->frame && m->stack == n->stack &&
		          m->barriers == n->barriers && !memcmp(m->bank, n->bank, sizeof m->bank));
		ck_assert(x->max_threads == y->max_threads && !memcmp(x->required, y->required, sizeof x->required));
		ck_assert_uint_eq(x->n_params, y->n_params);
		ck_assert(!memcmp(x->param, y->param, x->n_params * sizeof *x->param));
	}
	ck_assert_uint_eq(a.variables.n, b.variables.n);
	uint8_t *again;
	size_t again_size;
	cubin_write(&parts, &again, &again_size);
	ck_assert(again_size == size && !memcmp(image, again, size));
	mem_free(again);
	mem_free(image);
	cubin_parts_free(&parts);
	cubin_free(&a);
	cubin_free(&b);
	arena_free(&arena);
	elf64_unmap_file(&f);
}
END_TEST

// --- what the loader makes of it

// Places of variables that do not depend on the file's order.
static uint64_t device_address(void *ctx, const struct variable_place *v)
{
	(void)ctx;
	return 0x100000 * (1 + (uint64_t)v->section) + v->offset;
}

static uint64_t no_kernel(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return 0;
}

static const struct builtin *no_builtin(const char *name)
{
	(void)name;
	return NULL;
}

// The name of what lies above all memory: each loader numbers them as it meets them.
static const char *external(const struct sass_image *m, uint64_t address)
{
	for (uint32_t i = 0; i < m->n_external; i++)
		if (sass_external_address(i) == address)
			return m->external_name[i];
	return "";
}

static void same_bank(const struct sass_image *a, const struct sass_image *b, unsigned k)
{
	ck_assert_msg(a->bank[k].size == b->bank[k].size && !a->bank[k].data == !b->bank[k].data, "bank %u", k);
	if (k == 3) // an address that nobody can read here
		ck_assert(a->bank[k].data == b->bank[k].data);
	for (uint32_t at = 0; k != 3 && a->bank[k].data && at < a->bank[k].size; at += 4) {
		uint64_t x = 0, y = 0;
		size_t n = at % 8 || a->bank[k].size - at < 8 ? 4 : 8;
		memcpy(&x, a->bank[k].data + at, n);
		memcpy(&y, b->bank[k].data + at, n);
		if (n == 8 && k == 4)
			at += 4;
		ck_assert_msg(x == y || (x >= SASS_EXTERNAL_BASE && !strcmp(external(a, x), external(b, y)) && *external(a, x)), "bank %u at %u", k, at);
	}
}

static void same_image(const struct sass_image *a, const struct sass_image *b)
{
	ck_assert_msg(a && b, "%s", d.text);
	ck_assert_uint_eq(a->size, b->size);
	ck_assert_msg(!memcmp(a->code, b->code, a->size), "%s", a->name);
	ck_assert_uint_eq(a->n_part, b->n_part);
	for (size_t i = 0; i < a->n_part; i++) {
		ck_assert_str_eq(a->part[i].name, b->part[i].name);
		ck_assert(a->part[i].pc == b->part[i].pc && a->part[i].size == b->part[i].size);
	}
	for (unsigned k = 0; k < KERNEL_BANKS; k++)
		same_bank(a, b, k);
	ck_assert(a->arch == b->arch && a->param_base == b->param_base && a->registers == b->registers && a->shared == b->shared);
	ck_assert(a->shared_reserved == b->shared_reserved && a->local == b->local && a->local_known == b->local_known);
}

START_TEST(the_loader_makes_the_same_of_both)
{
	const struct machine_world world = {.variable = device_address, .kernel = no_kernel, .builtin = no_builtin};
	struct elf64_file f;
	struct cubin_parts parts;
	struct arena arena = {0};
	struct cubin c[2];
	struct machine *m[2];
	uint8_t *image;
	size_t size;
	ck_assert(elf64_map_file(&f, cubins[_i]));
	read_parts(&parts, cubins[_i]);
	cubin_write(&parts, &image, &size);
	const void *data[2] = {f.data, image};
	size_t sizes[2] = {f.size, size};
	for (unsigned k = 0; k < 2; k++) {
		ck_assert(cubin_read(&c[k], data[k], sizes[k], &arena, &d));
		m[k] = machine_new(data[k], sizes[k], &c[k], cubins[_i], &world, &d);
		ck_assert_msg(m[k] != NULL, "%s", d.text);
	}
	for (size_t i = 0; i < parts.function.n; i++)
		same_image(machine_image(m[0], parts.function.at[i].name, &d), machine_image(m[1], parts.function.at[i].name, &d));
	for (unsigned k = 0; k < 2; k++) {
		machine_free(m[k]);
		cubin_free(&c[k]);
	}
	cubin_parts_free(&parts);
	mem_free(image);
	arena_free(&arena);
	elf64_unmap_file(&f);
}
END_TEST

// --- one kernel

// It brings what it refers to, and nothing of the others.
START_TEST(a_kernel_is_taken_out_alone)
{
	struct cubin_parts c, alone;
	size_t len;
	read_parts(&c, cubins[_i]);
	char *text = list(&c, "tell", &len);
	ck_assert(strstr(text, ".var counter, ") && strstr(text, ".extern vprintf") && !strstr(text, "factor") && !strstr(text, "pick"));
	ck_assert_msg(cubin_parse(&alone, "tell.sass", text, len, &d), "%s", d.text);
	ck_assert_uint_eq(alone.function.n, 1);
	same_function(cubin_parts_find(&c, "tell"), cubin_parts_find(&alone, "tell"));
	cubin_parts_free(&alone);
	free(text);
	text = list(&c, "pick", &len);
	ck_assert(strstr(text, ".var sums, ") && strstr(text, ".var factor, ") && !strstr(text, "vprintf") && strstr(text, ".subroutine $pick$_Z5blenddd"));
	ck_assert_msg(cubin_parse(&alone, "pick.sass", text, len, &d), "%s", d.text);
	same_function(cubin_parts_find(&c, "pick"), cubin_parts_find(&alone, "pick"));
	same_data("bank3", &c.data[CUBIN_BANK_3], &alone.data[CUBIN_BANK_3]);
	cubin_parts_free(&alone);
	free(text);
	cubin_parts_free(&c);
}
END_TEST

// Timing text takes all directives: what it does not need it passes over.
START_TEST(a_listing_of_a_kernel_is_timing_text)
{
	struct cubin_parts c;
	size_t len;
	read_parts(&c, cubins[_i]);
	char *text = list(&c, "pick", &len);
	struct sass_program *p = sass_text_parse("pick.sass", text, len, 0, &d);
	ck_assert_msg(p != NULL, "%s", d.text);
	ck_assert_uint_eq(sass_text_count(p), cubin_parts_find(&c, "pick")->size / 16);
	ck_assert_uint_eq(sass_text_label(p, "$pick$_Z5blenddd"), cubin_parts_find(&c, "pick")->inside.at[0].pc / 16);
	sass_text_free(p);
	free(text);
	text = list(&c, NULL, &len);
	ck_assert(!sass_text_parse("both.sass", text, len, 0, &d));
	ck_assert_msg(strstr(d.text, "the text has another kernel above; take one out of a file with 'heddle sass FILE KERNEL'"), "%s", d.text);
	diag_free(&d);
	free(text);
	cubin_parts_free(&c);
}
END_TEST

// Code moves with its labels: an instruction more at the front moves branches, tables, return addresses and targets.
START_TEST(a_line_may_be_added)
{
	struct cubin_parts c, more;
	size_t len;
	read_parts(&c, cubins[_i]);
	char *text = list(&c, "pick", &len), *longer = malloc(len + 400);
	char *at = strstr(text, ".section text\n") + strlen(".section text\n");
	sprintf(longer, "%.*s        [B------:R-:W-:-:S05] NOP\n", (int)(at - text), text);
	for (char *line = at; *line; line = strchr(line, '\n') + 1) { // the branch by register adds its place
		char *brx = strstr(line, "BRX R"), *end = strchr(line, '\n');
		if (brx && brx < end) {
			unsigned reg, by;
			ck_assert_int_eq(sscanf(brx, "BRX R%u -0x%x", &reg, &by), 2);
			sprintf(longer + strlen(longer), "%.*sBRX R%u -0x%x\n", (int)(brx - line), line, reg, by + 16);
		} else {
			strncat(longer, line, (size_t)(end - line) + 1);
		}
	}
	ck_assert_msg(cubin_parse(&more, "longer.sass", longer, strlen(longer), &d), "%s", d.text);
	const struct cubin_function *a = cubin_parts_find(&c, "pick"), *b = cubin_parts_find(&more, "pick");
	ck_assert_uint_ge(b->size, a->size + 16);
	ck_assert_uint_eq(b->inside.at[0].pc, a->inside.at[0].pc + 16);
	ck_assert_uint_ge(a->targets.n, 1);
	for (size_t i = 0; i < a->targets.n; i++) {
		ck_assert_uint_eq(b->targets.at[i].pc, a->targets.at[i].pc + 16);
		for (size_t k = 0; k < a->targets.at[i].to.n; k++)
			ck_assert_uint_eq(b->targets.at[i].to.at[k], a->targets.at[i].to.at[k] + 16);
	}
	// Every instruction is the same one place further; addresses of places are 16 more.
	struct arena arena = {0};
	struct sass_isa *isa = sass_isa_new(&arena, (enum sass_generation)sass_generation_of(c.arch));
	unsigned moved = 0;
	for (uint64_t pc = 0; pc < a->size; pc += 16) {
		struct sass_word x, y;
		memcpy(&x, a->code + pc, 16);
		memcpy(&y, b->code + pc + 16, 16);
		struct sass_decoded p, q;
		char why[200];
		uint64_t to, too;
		ck_assert(sass_decode(isa, x, pc, &p, why, sizeof why) && sass_decode(isa, y, pc + 16, &q, why, sizeof why));
		ck_assert(p.row == q.row);
		if (sass_target(&p, &to)) {
			ck_assert(sass_target(&q, &too));
			ck_assert_uint_eq(too, to || !strcmp(p.row->op, "BRA") ? to + 16 : 0); // 0: a register has the place
		} else if (x.lo != y.lo && strcmp(p.row->op, "BRX")) {
			ck_assert_str_eq(p.row->op, "MOV"); // a return address
			ck_assert_uint_eq((y.lo >> 32) - (x.lo >> 32), 16);
			moved++;
		}
	}
	ck_assert_uint_ge(moved, 1);
	arena_free(&arena);
	cubin_parts_free(&more);
	cubin_parts_free(&c);
	free(longer);
	free(text);
}
END_TEST

// --- text by hand

static struct cubin_parts parse(const char *text)
{
	struct cubin_parts c;
	ck_assert_msg(cubin_parse(&c, "a.sass", text, strlen(text), &d), "%s", d.text);
	return c;
}

static struct sass_word word(const struct cubin_parts *c, unsigned i)
{
	struct sass_word w;
	memcpy(&w, c->function.at[0].code + i * 16, sizeof w);
	return w;
}

START_TEST(figures_left_out_follow_from_the_code)
{
	struct cubin_parts c = parse(".kernel add\n.target sm_80\n.param 8\n.param 1\n.param 4\n"
	                             "again: [S05] IADD3 R20, R2, R3, RZ\n[W0:S02] LDG.E.64 R30, [R2.64]\n[B0:S05] BAR.SYNC 0x3\n[S05] BRA again\n[S05] EXIT\n");
	const struct cubin_function *f = &c.function.at[0];
	ck_assert_uint_eq(f->registers, 32);
	ck_assert_uint_eq(f->barriers, 4);
	ck_assert_uint_eq(f->param_base, 0x160);
	ck_assert_uint_eq(f->param_size, 16);
	ck_assert_uint_eq(f->param.at[2].offset, 12);
	ck_assert_uint_eq(f->size, 128);
	cubin_parts_free(&c);
}
END_TEST

// Clusters are among the records that stand in the text by their number; the cubin made of it says the same to the loader.
START_TEST(clusters_are_kept)
{
	struct cubin_parts c = parse(".kernel k\n.target sm_90\n.info 0x3d, 4, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0\n.info 0x3e, 1, 0x0\n"
	                             ".info 0x3f, 4, 4, 0, 0, 0\n.info 0x5b, 1, 0x0\nEXIT\n");
	struct cubin_parts again;
	struct cubin read;
	struct arena arena = {0};
	uint8_t *image;
	size_t size;
	cubin_write(&c, &image, &size);
	ck_assert_msg(cubin_read(&read, image, size, &arena, &d) && cubin_parts_read(&again, image, size, &d), "%s", d.text);
	const struct cubin_kernel *k = cubin_find(&read, "k");
	ck_assert_ptr_nonnull(k);
	ck_assert(k->cluster[0] == 2 && k->cluster[1] == 3 && k->cluster[2] == 1 && k->max_cluster == 4);
	ck_assert(k->explicit_cluster && k->blocks_are_clusters);
	ck_assert_uint_eq(again.function.at[0].attribute.n, 4);
	same_function(&c.function.at[0], &again.function.at[0]);
	cubin_free(&read);
	cubin_parts_free(&c);
	cubin_parts_free(&again);
	arena_free(&arena);
	mem_free(image);
}
END_TEST

// Without control bits every instruction waits for those before it.
START_TEST(control_bits_left_out_are_safe)
{
	struct cubin_parts c = parse(".target sm_80\nLDG.E R2, [R4.64]\nFADD R3, R2, R2\nSTG.E [R4.64], R3\nEXIT\n");
	static const struct isa_control want[] = {
		{.present = true, .stall = 15, .yield = true, .wait = 0x30, .write_sb = 5, .read_sb = 4},
		{.present = true, .stall = 15, .yield = true, .wait = 0x30, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB},
		{.present = true, .stall = 15, .yield = true, .wait = 0x30, .write_sb = ISA_NO_SB, .read_sb = 4},
		{.present = true, .stall = 15, .yield = true, .wait = 0x30, .write_sb = ISA_NO_SB, .read_sb = ISA_NO_SB},
	};
	for (unsigned i = 0; i < 4; i++) {
		struct sass_word w = word(&c, i);
		struct isa_control k = sass_control_from_encoding(w.lo, w.hi);
		ck_assert_msg(sass_control_bits(&k) == sass_control_bits(&want[i]), "instruction %u", i);
	}
	cubin_parts_free(&c);
}
END_TEST

START_TEST(text_may_be_written_freely)
{
	struct cubin_parts a = parse(".target sm_80\n[S05] @!P0 FADD R2,R3 , 0.1\n[S05] LDG.E R2, [ R4.64 + 0x8 ]\n[S05]\tDEPBAR.LE SB0, 0x1, {2,3}\n[S05] MOV R2, 100\n"
	                             "[S05] MOV R2, here\nhere: [S05] IADD3 R2, R2, 0xffffffff, RZ ; mask=1\n[S05] EXIT");
	struct cubin_parts b = parse(".target sm_80\n[S05] @!P0 FADD R2, R3, 0.10000000149011611938\n[S05] LDG.E R2, [R4.64+0x8]\n[S05] DEPBAR.LE SB0, 0x1, {3,2}\n"
	                             "[S05] MOV R2, 0x64\n[S05] MOV R2, 0x50\n[S05] IADD3 R2, R2, -0x1, RZ\n[S05] EXIT\n");
	same_function(&a.function.at[0], &b.function.at[0]);
	cubin_parts_free(&a);
	cubin_parts_free(&b);
	// What cuobjdump prints has its control bits in comments.
	a = parse(".target sm_80\n/*0000*/ MOV R1, c[0x0][0x28] ; /* 0x00000a0000017a02 */\n /* 0x000fc40000000f00 */\n/*0010*/ EXIT ; /* 0x000000000000794d */\n"
	          " /* 0x000fea0003800000 */\n");
	ck_assert(word(&a, 0).hi == 0x000fc40000000f00 && word(&a, 1).hi == 0x000fea0003800000 && word(&a, 0).lo == 0x00000a0000017a02);
	cubin_parts_free(&a);
}
END_TEST

START_TEST(repetitions_and_raw_bits)
{
	struct cubin_parts c = parse(".target sm_75\n.rep 3\n.inst 0x000fc0000000000000000000000071ff\n.rep 2\n[S01] NOP\n.endr\n.endr\n[S05] EXIT\n");
	ck_assert_uint_eq(c.function.at[0].size, 16 * 16);
	ck_assert(word(&c, 3).lo == 0x71ff && word(&c, 6).hi == 0x000fc00000000000 && (word(&c, 8).lo & 0xfff) == 0x918);
	cubin_parts_free(&c);
}
END_TEST

// Disassemblers leave the reuse bits of texture instructions out; a listing has to give them back.
START_TEST(a_listing_tells_all_reuse_bits)
{
	struct cubin_parts c = parse(".target sm_80\n.regs 16\n.inst 0x040f4200009e01ff30005a0504057b66\n.inst 0x100f4200009e01ffb0005c000a097b66\n[S05] EXIT\n");
	size_t n;
	char *text = list(&c, NULL, &n);
	ck_assert_msg(strstr(text, "TLD.SCR.LZ RZ, R5, R4.reuse, R5, 0x0, 0x5a, 2D, 0x1") && !strstr(text, ".inst"), "%s", text);
	struct cubin_parts back = parse(text);
	ck_assert_mem_eq(back.function.at[0].code, c.function.at[0].code, 48);
	free(text);
	cubin_parts_free(&c);
	cubin_parts_free(&back);
}
END_TEST

START_TEST(data_and_addresses)
{
	struct cubin_parts c = parse(".target sm_90a\n.kernel k\n.section bank2\n.u32 there, 5\n.f64 1.5\n.section text\n[S01] MOV R4, 32@lo(table+0x8)\n[S01] MOV R5, 32@hi(table+8)\n"
	                             "there: [S05] CALL.ABS.NOINC `(free)\n[S01] MOV R20, 32@lo(there)\n[S05] EXIT\n.extern free\n.section init, 64\n.var table, 0x10, 16\n"
	                             ".addr k, free\n.section bank4\n.addr table+4\n");
	const struct cubin_function *f = &c.function.at[0];
	ck_assert(c.specific && c.arch == 90 && f->bank2.size == 16 && f->bank2.byte[0] == 0x20 && f->bank2.byte[15] == 0x3f);
	ck_assert_uint_eq(f->fixup.n, 4);
	ck_assert(f->fixup.at[0].type == CUBIN_LOW_32 && f->fixup.at[0].addend == 8 && f->fixup.at[1].type == CUBIN_HIGH_32 && f->fixup.at[2].type == CUBIN_CALLED);
	ck_assert(!strcmp(f->fixup.at[3].symbol, "k") && f->fixup.at[3].addend == 0x20);
	ck_assert(c.data[CUBIN_INIT].size == 64 && c.data[CUBIN_INIT].fixup.n == 2 && c.data[CUBIN_INIT].fixup.at[1].at == 0x18);
	ck_assert(c.data[CUBIN_BANK_4].fixup.at[0].addend == 4);
	uint8_t *image;
	size_t size;
	struct cubin_parts b;
	cubin_write(&c, &image, &size);
	ck_assert_msg(cubin_parts_read(&b, image, size, &d), "%s", d.text);
	same_parts(&c, &b);
	mem_free(image);
	cubin_parts_free(&b);
	cubin_parts_free(&c);
}
END_TEST

// --- bad text

static const struct {
	const char *text, *says;
} bad[] = {
	{"", "there are no instructions"},
	{".target sm_80\nFMAD R1, R2, R3\n", "a.sass:2:1: error: unknown opcode 'FMAD'; the nearest is"},
	{".target sm_80\nVIADD R1, R2, R3\n", "a.sass:2:1: error: sm_80 has no such form; sm_90, sm_100 have"},
	{".target sm_75\n[S05] REDUX.SUM UR4, R2\n", "sm_75 has no such form; sm_80, sm_89, sm_90, sm_100, sm_120 have"},
	{".target sm_80\nFFMA R1, R2, R1O, R4\n", "a.sass:2:14: error: 'R1O'"},
	{".target sm_80\nFFMA R1, R2, R3\n", "a.sass:2:16: error: FFMA takes more than stands here"},
	{".target sm_80\nFADD.WIDE R1, R2, R3\n", "a.sass:2:5: error: no form of FADD is written so from here on"},
	{".target sm_80\n.regs 16\nLDG.E.128 R14, [R2.64]\n", "a.sass:3:11: error: it takes registers up to R17, and the kernel has 16; raise .regs"},
	{".target sm_80\nBRA nowhere\n", "a.sass:2:5: error: there is no label 'nowhere'"},
	{".target sm_80\nBRA 0x1000\n", "it goes to 0x1000; the code ends at 0x80"},
	{".target sm_80\nx: NOP\nx: NOP\n", "a.sass:3:1: error: label 'x' is defined twice"},
	{".target sm_80\nIADD3 R1, R2, 0x123456789, RZ\n", "a.sass:2:15: error: 0x123456789 does not fit"},
	{".target sm_80\nLDG.E R1, [R2.64+0x1000000]\n", "a.sass:2:18: error: 0x1000000 does not fit"},
	{".target sm_80\nMOV R1, c[0x0][0x12340]\n", "0x12340 does not fit"},
	{".target sm_80\nDADD R2, R4, 0.1\n", "a.sass:2:14: error: 0.1 does not fit"},
	{".target sm_80\n[S05] NOP\nFADD R1, R2, R3\n", "a.sass:3:1: error: it has no control bits, but others of kernel have"},
	{".target sm_80\n[S16] NOP\n", "expected a stall count from S00 to S15"},
	{".target sm_110\nNOP\n", "a.sass:1:9: error: 'sm_110': cubins are made for sm_70"},
	{".kernel a\n.target sm_80\nNOP\n.kernel b\n.target sm_90\nNOP\n", "the text is of sm_80 so far; a cubin is for one target"},
	{".kernel a\nNOP\n.kernel a\nNOP\n", "a is defined twice"},
	{".kernel a\n.kernel b\nNOP\n", "a has no instructions"},
	{".warp 0\nNOP\n", "all warps of a block execute a cubin's code"},
	{".nonsense 0\nNOP\n", "unknown directive '.nonsense'"},
	{".regs 256\nNOP\n", "expected a number from 1 to 255"},
	{"MOV R1, 32@lo(x)\n", "there is no variable or function 'x'; say .extern x"},
	{"MOV R1, 32@lo(x\n", "expected the name of a variable, function or label and )"},
	{".u32 1\nNOP\n", "data stands behind .section"},
	{".section global\n.u32 1\nNOP\n", "begins as zeros"},
	{".section bank2\n.at 0xffff\n.u32 1\nNOP\n", "the section has 65536 bytes at most"},
	{".section bank3\n.u8 256\nNOP\n", "the number has more than 8 bits"},
	{"NOP\n.section bank2\n.u32 nowhere\n", "there is no label 'nowhere' in kernel"},
	{".reloc 56, x\n", "nothing stands behind .reloc"},
	{".rep 2\nNOP\n", ".rep without .endr"},
	{".inst 0x12345678123456781234567812345678f\n", "expected the 128 bits of an instruction"},
	{".targets a\na: BRX R2 0x0\n", "so the branch adds -0x10 here"},
	{".param 40000\nNOP\n", "expected a number from 0 to 32764"},
};

START_TEST(bad_text_is_told)
{
	struct cubin_parts c;
	ck_assert_msg(!cubin_parse(&c, "a.sass", bad[_i].text, strlen(bad[_i].text), &d), "%s", bad[_i].text);
	ck_assert_msg(d.text && strstr(d.text, bad[_i].says), "%s\nsays %s", bad[_i].text, d.text);
	cubin_parts_free(&c);
	diag_free(&d);
}
END_TEST

// Damaged files are read or refused; what is read can be written.
START_TEST(damaged_cubins_do_no_harm)
{
	struct elf64_file f;
	ck_assert(elf64_map_file(&f, cubins[_i]));
	uint8_t *bytes = malloc(f.size);
	uint64_t x = 0x9e3779b97f4a7c15;
	for (unsigned n = 0; n < 300; n++) {
		struct cubin_parts c;
		memcpy(bytes, f.data, f.size);
		for (unsigned k = 0; k < 1 + n % 5; k++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			bytes[64 + x % (f.size - 64)] = (uint8_t)(x >> 32);
		}
		if (cubin_parts_read(&c, bytes, n % 3 ? f.size : x % f.size, &d)) {
			char *text;
			size_t len, size;
			uint8_t *image;
			FILE *out = open_memstream(&text, &len);
			cubin_list(&c, NULL, out);
			fclose(out);
			if (cubin_assemble("damaged", text, len, &image, &size, &d))
				mem_free(image);
			free(text);
		}
		cubin_parts_free(&c);
		diag_free(&d);
	}
	free(bytes);
	elf64_unmap_file(&f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cubin_text");
	TCase *t = tcase_create("cubin_text");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, a_cubin_goes_through_its_text, 0, N_CUBINS);
	tcase_add_test(t, a_folder_of_cubins_goes_through_its_text);
	tcase_add_loop_test(t, figures_are_those_of_the_compiler, 0, N_CUBINS);
	tcase_add_loop_test(t, the_loader_makes_the_same_of_both, 0, N_CUBINS);
	tcase_add_loop_test(t, a_kernel_is_taken_out_alone, 0, N_CUBINS);
	tcase_add_loop_test(t, a_listing_of_a_kernel_is_timing_text, 0, N_CUBINS);
	tcase_add_loop_test(t, a_line_may_be_added, 0, N_CUBINS);
	tcase_add_test(t, figures_left_out_follow_from_the_code);
	tcase_add_test(t, clusters_are_kept);
	tcase_add_test(t, control_bits_left_out_are_safe);
	tcase_add_test(t, text_may_be_written_freely);
	tcase_add_test(t, repetitions_and_raw_bits);
	tcase_add_test(t, a_listing_tells_all_reuse_bits);
	tcase_add_test(t, data_and_addresses);
	tcase_add_loop_test(t, bad_text_is_told, 0, sizeof bad / sizeof *bad);
	tcase_add_loop_test(t, damaged_cubins_do_no_harm, 0, N_CUBINS);
	suite_add_tcase(s, t);
	return check_main(s);
}
