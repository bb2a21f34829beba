// The fat binary reader on containers packed here. With `--write-seeds FOLDER` it writes the fuzzer's seeds instead.
#include "libcuda/image/fatbin.h"
#include "tests/fatbin_pack.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static const char ptx[] = ".version 8.5\n.target sm_90\n.address_size 64\n"
                          ".visible .entry k()\n{\n\tret;\n\tret;\n\tret;\n\tret;\n\tret;\n\tret;\n\tret;\n}\n";

struct wrapper {
	uint32_t magic, version;
	const void *container;
	const void *const *objects;
};

static struct fatbin f;
static struct diag d;
static struct arena arena;
static struct pack p, q; // static: wrappers may point into loaded objects only as far as their segments reach

static void reset(void)
{
	fatbin_free(&f);
	diag_free(&d);
	arena_free(&arena);
	pack_start(&p);
	pack_start(&q);
}

static bool read_packed(void) { return fatbin_read_container(&f, p.data, p.size, NULL, &d); }

static bool said(const char *text) { return d.text && strstr(d.text, text); }

static void ck_payload(const struct fatbin_entry *e)
{
	const char *text;
	size_t len;
	ck_assert_msg(fatbin_payload(e, &arena, &text, &len, &d), "%s", d.text);
	ck_assert_uint_eq(len, strlen(ptx));
	ck_assert_str_eq(text, ptx);
}

START_TEST(every_packing_is_read)
{
	static const uint64_t flags[] = {0, FATBIN_LZ4, FATBIN_ZSTD};
	pack_entry(&p, FATBIN_PTX, 70, flags[_i], " -O1 ", ptx, sizeof ptx);
	pack_entry(&p, FATBIN_CUBIN, 80, 0, NULL, "cubin", 5);
	pack_entry(&p, FATBIN_PTX, 90, flags[_i] | FATBIN_ARCH_A, NULL, ptx, sizeof ptx);
	ck_assert(read_packed());
	ck_assert_uint_eq(f.entry.n, 3);
	const struct fatbin_entry *e = f.entry.at;
	char name[32];
	ck_assert_str_eq(fatbin_arch_name(&e[0], name, sizeof name), "compute_70");
	ck_assert_str_eq(e[0].options, " -O1 ");
	ck_assert_uint_eq(e[0].major, 8);
	ck_assert_uint_eq(e[0].minor, 5);
	ck_payload(&e[0]);
	ck_assert_str_eq(fatbin_arch_name(&e[1], name, sizeof name), "sm_80");
	ck_assert_uint_eq(e[2].number, 2);
	ck_assert_str_eq(fatbin_arch_name(&e[2], name, sizeof name), "compute_90a");
	ck_payload(&e[2]);
}
END_TEST

START_TEST(selection_takes_the_newest_not_above)
{
	static const struct {
		unsigned max, want;
	} cases[] = {{0, 90}, {100, 90}, {90, 90}, {89, 80}, {80, 80}, {75, 70}, {70, 70}, {60, 70}};
	pack_entry(&p, FATBIN_PTX, 80, 0, NULL, ptx, sizeof ptx);
	pack_entry(&p, FATBIN_PTX, 70, 0, NULL, ptx, sizeof ptx);
	pack_entry(&p, FATBIN_PTX, 90, FATBIN_ARCH_A, NULL, ptx, sizeof ptx);
	pack_entry(&p, FATBIN_PTX, 90, 0, NULL, ptx, sizeof ptx);
	pack_entry(&p, FATBIN_CUBIN, 75, 0, NULL, ptx, sizeof ptx);
	pack_entry(&p, FATBIN_CUBIN, 86, 0, NULL, ptx, sizeof ptx);
	ck_assert(read_packed());
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct fatbin_entry *e = fatbin_select_ptx(&f, 0, cases[i].max, &d);
		ck_assert_ptr_nonnull(e);
		ck_assert_uint_eq(e->arch, cases[i].want);
		ck_assert(!(e->flags & FATBIN_ARCH_A));
		// Everyday, so no message.
		ck_assert_ptr_null(d.text);
		ck_assert_int_eq(d.remarks && !strcmp(d.remarks, "no PTX for capability 6.0 or below in the program; using that for "
		                                                 "compute_70\n"), cases[i].max == 60);
	}
	ck_assert_uint_eq(fatbin_select_cubin(&f, 0, 90)->arch, 86);
	ck_assert_uint_eq(fatbin_select_cubin(&f, 0, 80)->arch, 75);
	ck_assert_uint_eq(fatbin_select_cubin(&f, 0, 70)->arch, 75);
	ck_assert_ptr_null(fatbin_select_cubin(&f, 1, 70));
}
END_TEST

START_TEST(no_ptx_names_the_flag)
{
	pack_entry(&p, FATBIN_CUBIN, 75, 0, NULL, "cubin", 5);
	ck_assert(read_packed());
	ck_assert_ptr_null(fatbin_select_ptx(&f, 0, 90, &d));
	ck_assert(said("-gencode arch=compute_75,code=compute_75"));
	ck_assert(said("only machine code for sm_75"));
}
END_TEST

START_TEST(empty_container_is_legal)
{
	ck_assert(read_packed());
	ck_assert_uint_eq(f.entry.n, 0);
	ck_assert_uint_eq(f.n_containers, 1);
	ck_assert_ptr_null(fatbin_select_ptx(&f, 0, 0, &d));
	ck_assert(said("is empty"));
}
END_TEST

START_TEST(wrapper_of_one_object)
{
	static struct wrapper w = {FATBIN_WRAPPER_MAGIC, 1, p.data, NULL};
	pack_entry(&p, FATBIN_PTX, 70, 0, NULL, ptx, sizeof ptx);
	ck_assert_msg(fatbin_read(&f, &w, &d), "%s", d.text);
	ck_assert(!f.linked);
	ck_assert_uint_eq(fatbin_first_module(&f), 0);
	ck_payload(&f.entry.at[0]);
}
END_TEST

START_TEST(wrapper_of_a_linked_program)
{
	static const void *const objects[] = {q.data, q.data, NULL};
	static struct wrapper w = {FATBIN_WRAPPER_MAGIC, 2, p.data, objects};
	pack_entry(&p, FATBIN_CUBIN, 70, 0, NULL, "cubin", 5);
	pack_entry(&q, FATBIN_PTX, 70, 0, "--compile-only", ptx, sizeof ptx);
	ck_assert_msg(fatbin_read(&f, &w, &d), "%s", d.text);
	ck_assert(f.linked);
	ck_assert_uint_eq(f.n_containers, 3);
	ck_assert_uint_eq(fatbin_first_module(&f), 1);
	for (unsigned c = 1; c < 3; c++) {
		const struct fatbin_entry *e = fatbin_select_ptx(&f, c, 90, &d);
		ck_assert_ptr_nonnull(e);
		ck_assert_uint_eq(e->container, c);
		ck_payload(e);
	}
}
END_TEST

START_TEST(bad_wrappers_are_errors)
{
	static struct wrapper magic = {1, 1, p.data, NULL}, version = {FATBIN_WRAPPER_MAGIC, 3, p.data, NULL},
	                      null = {FATBIN_WRAPPER_MAGIC, 1, NULL, NULL};
	ck_assert(!fatbin_read(&f, NULL, &d));
	ck_assert(!fatbin_read(&f, &magic, &d));
	ck_assert(said("magic number 00000001"));
	ck_assert(!fatbin_read(&f, &version, &d));
	ck_assert(said("version 3"));
	ck_assert(!fatbin_read(&f, &null, &d));
	ck_assert(said("null pointer"));
}
END_TEST

START_TEST(loaded_container_may_not_pass_its_segment)
{
	static struct wrapper w = {FATBIN_WRAPPER_MAGIC, 1, p.data, NULL};
	pack_entry(&p, FATBIN_PTX, 70, 0, NULL, ptx, sizeof ptx);
	pack_u64(&p, 8, (uint64_t)1 << 40);
	ck_assert(!fatbin_read(&f, &w, &d));
	ck_assert(said("truncated"));
}
END_TEST

START_TEST(truncation_is_an_error_at_every_length)
{
	pack_entry(&p, FATBIN_PTX, 70, FATBIN_LZ4, " -O1 ", ptx, sizeof ptx);
	pack_entry(&p, FATBIN_PTX, 80, FATBIN_ZSTD, NULL, ptx, sizeof ptx);
	for (size_t n = 0; n < p.size; n++) {
		uint8_t *copy = malloc(n ? n : 1); // exact, so that a sanitizer sees reads behind it
		memcpy(copy, p.data, n);
		fatbin_free(&f);
		d.len = 0;
		ck_assert(!fatbin_read_container(&f, copy, n, NULL, &d));
		ck_assert(said("error"));
		fatbin_free(&f);
		free(copy);
	}
}
END_TEST

START_TEST(corrupt_fields_are_errors)
{
	static const struct {
		unsigned at, size;
		uint64_t value;
		const char *message;
	} cases[] = {
	        {4, 4, 63, "impossible size"},
	        {4, 4, 0xffffffff, "impossible size"},
	        {8, 8, (uint64_t)-8, "past the end"},
	        {16, 4, 5000, "compressed size"},
	        {16, 4, 10, "cannot be read"},
	        {56, 8, (uint64_t)1 << 40, "not credible"},
	        {56, 8, 1 << 29, "contradict"},
	        {56, 8, sizeof ptx - 1, "cannot be read"},
	        {56, 8, sizeof ptx + 1, "cannot be read"},
	        {40, 8, FATBIN_ZSTD, "contradict"},
	};
	size_t at = pack_entry(&p, FATBIN_PTX, 70, FATBIN_LZ4, NULL, ptx, sizeof ptx);
	memcpy(p.data + at + cases[_i].at, &cases[_i].value, cases[_i].size);
	const char *text;
	size_t len;
	ck_assert(!read_packed() || !fatbin_payload(&f.entry.at[0], &arena, &text, &len, &d));
	ck_assert_msg(said(cases[_i].message), "%s", d.text);
}
END_TEST

START_TEST(strings_outside_the_header_are_dropped)
{
	size_t at = pack_entry(&p, FATBIN_PTX, 70, 0, "x", ptx, sizeof ptx);
	pack_u32(&p, at + 68, 0xfffffff0);
	pack_u32(&p, at + 32, 8);
	pack_u32(&p, at + 36, 0xffffffff);
	ck_assert(read_packed());
	ck_assert_str_eq(f.entry.at[0].options, "");
	ck_assert_str_eq(f.entry.at[0].file, "");
}
END_TEST

START_TEST(no_memory_is_an_error)
{
	const char *text;
	size_t len;
	pack_entry(&p, FATBIN_PTX, 70, FATBIN_ZSTD, NULL, ptx, sizeof ptx);
	ck_assert(read_packed());
	mem_fail_after(1);
	ck_assert(!fatbin_payload(&f.entry.at[0], &arena, &text, &len, &d));
	ck_assert(said("memory"));
	ck_payload(&f.entry.at[0]);
}
END_TEST

START_TEST(sections_hold_containers_with_padding)
{
	static _Alignas(8) uint8_t section[4096];
	pack_entry(&p, FATBIN_PTX, 70, 0, NULL, ptx, sizeof ptx);
	pack_entry(&q, FATBIN_PTX, 80, FATBIN_ZSTD, NULL, ptx, sizeof ptx);
	memcpy(section, p.data, p.size);
	memcpy(section + p.size + 8, q.data, q.size);
	ck_assert(fatbin_read_section(&f, section, p.size + 8 + q.size, &d));
	ck_assert_uint_eq(f.n_containers, 2);
	ck_assert_uint_eq(f.entry.at[1].container, 1);
	ck_assert(!fatbin_read_section(&f, "garbage", 7, &d));
}
END_TEST

static void write_seed(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *out = fopen(path, "wb");
	if (!out || fwrite(p.data, 1, p.size, out) != p.size || fclose(out))
		perror(path);
}

static void write_seeds(const char *folder)
{
	reset();
	write_seed(folder, "empty");
	pack_entry(&p, FATBIN_PTX, 70, 0, " -O1 ", ptx, sizeof ptx);
	write_seed(folder, "plain");
	pack_entry(&p, FATBIN_CUBIN, 80, 0, NULL, "\177ELF", 4);
	pack_entry(&p, FATBIN_PTX, 80, FATBIN_LZ4, NULL, ptx, sizeof ptx);
	write_seed(folder, "lz4");
	pack_entry(&p, FATBIN_PTX, 90, FATBIN_ZSTD | FATBIN_ARCH_A, NULL, ptx, sizeof ptx);
	write_seed(folder, "zstd");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--write-seeds")) {
		write_seeds(argv[2]);
		return 0;
	}
	TCase *t = tcase_create("fatbin");
	tcase_add_checked_fixture(t, reset, reset);
	tcase_add_loop_test(t, every_packing_is_read, 0, 3);
	tcase_add_test(t, selection_takes_the_newest_not_above);
	tcase_add_test(t, no_ptx_names_the_flag);
	tcase_add_test(t, empty_container_is_legal);
	tcase_add_test(t, wrapper_of_one_object);
	tcase_add_test(t, wrapper_of_a_linked_program);
	tcase_add_test(t, bad_wrappers_are_errors);
	tcase_add_test(t, loaded_container_may_not_pass_its_segment);
	tcase_add_test(t, truncation_is_an_error_at_every_length);
	tcase_add_loop_test(t, corrupt_fields_are_errors, 0, 10);
	tcase_add_test(t, strings_outside_the_header_are_dropped);
	tcase_add_test(t, no_memory_is_an_error);
	tcase_add_test(t, sections_hold_containers_with_padding);
	Suite *s = suite_create("fatbin");
	suite_add_tcase(s, t);
	return check_main(s);
}
