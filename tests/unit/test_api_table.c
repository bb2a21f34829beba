// The tables of API functions agree with what the library exports and with docs/api.md and docs/driver.md.
// HEDDLE_WRITE_DOCS=1 rewrites the pages.
#include "libcuda/driver/table.h"
#include "libcuda/runtime/api_table.h"

#include <check.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char root[PATH_MAX]; // of the source tree: five names above this program, build/MODE/tests/unit/test_api_table
static char mode[PATH_MAX]; // build/MODE

static void cut(char *path, int names)
{
	for (char *slash; names-- && (slash = strrchr(path, '/'));)
		*slash = 0;
}

static void find_root(void)
{
	ssize_t n = readlink("/proc/self/exe", mode, sizeof mode - 1);
	mode[n < 0 ? 0 : n] = 0;
	cut(mode, 3);
	strcpy(root, mode);
	cut(root, 2);
}

START_TEST(every_function_of_the_table_resolves)
{
	char path[PATH_MAX + 32];
	bool release = !strcmp(strrchr(mode, '/'), "/release");
	snprintf(path, sizeof path, "%s/lib/libcudasim.so", release ? root : mode);
	if (access(path, R_OK))
		return; // the library is not built yet
	void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	ck_assert_msg(lib != NULL, "%s", dlerror());
	for (size_t i = 0; i < api_table_size; i++)
		if (api_table[i].name)
			ck_assert_msg(dlsym(lib, api_table[i].name) != NULL, "%s is not exported", api_table[i].name);
	for (size_t i = 0; i < driver_table_size; i++)
		if (driver_table[i].symbol)
			ck_assert_msg(dlsym(lib, driver_table[i].symbol) != NULL, "%s is not exported", driver_table[i].symbol);
}
END_TEST

START_TEST(names_are_there_once)
{
	for (size_t i = 0; i < api_table_size; i++)
		for (size_t k = i + 1; k < api_table_size; k++)
			if (api_table[i].name && api_table[k].name)
				ck_assert_str_ne(api_table[i].name, api_table[k].name);
}
END_TEST

static void page_is_made(const char *name, void (*write)(FILE *to))
{
	char path[PATH_MAX + 32], *text, *page;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	write(f);
	fclose(f);
	snprintf(path, sizeof path, "%s/docs/%s", root, name);
	if (getenv("HEDDLE_WRITE_DOCS")) {
		f = fopen(path, "w");
		ck_assert_ptr_nonnull(f);
		fputs(text, f);
		fclose(f);
	}
	page = calloc(1, size + 2);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(page, 1, size + 1, f), size);
	fclose(f);
	ck_assert_msg(!strcmp(page, text), "docs/%s is old; run this test with HEDDLE_WRITE_DOCS=1", name);
	free(page);
	free(text);
}

START_TEST(the_pages_are_made_from_the_tables)
{
	page_is_made("api.md", api_write_doc);
	page_is_made("driver.md", driver_write_doc);
}
END_TEST

static const struct driver_entry *row(const char *symbol)
{
	for (size_t i = 0; i < driver_table_size; i++)
		if (driver_table[i].symbol && !strcmp(driver_table[i].symbol, symbol))
			return &driver_table[i];
	ck_abort_msg("%s is not in the table", symbol);
}

// A program gets the form of a function that its own release had.
START_TEST(a_name_means_the_form_of_a_release)
{
	static const struct {
		const char *name;
		int version;
		const char *symbol; // NULL: there was none
		bool known;
	} cases[] = {
		{"cuMemAlloc", 3020, "cuMemAlloc_v2", true},        {"cuMemAlloc", 13000, "cuMemAlloc_v2", true},
		{"cuMemAlloc", 3010, "cuMemAlloc", true},           {"cuMemAlloc", 1000, NULL, true},
		{"cuMemAlloc_v2", 2000, "cuMemAlloc_v2", true},     {"cuCtxCreate", 12040, "cuCtxCreate_v3", true},
		{"cuCtxCreate", 12050, "cuCtxCreate_v4", true},     {"cuInit", 2000, "cuInit", true},
		{"cuGetProcAddress", 11030, "cuGetProcAddress", true}, {"cuGetProcAddress", 12000, "cuGetProcAddress_v2", true},
		{"cuNothing", 13000, NULL, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool known;
		void *at = driver_find(cases[i].name, cases[i].version, false, &known);
		ck_assert_msg(known == cases[i].known, "%s", cases[i].name);
		ck_assert_msg(at == (cases[i].symbol ? row(cases[i].symbol)->address : NULL), "%s of %d", cases[i].name, cases[i].version);
	}
	ck_assert_ptr_eq(driver_find("cuLaunchKernel", 7000, true, NULL), row("cuLaunchKernel")->twin_address);
	ck_assert_ptr_ne(driver_find("cuLaunchKernel", 7000, true, NULL), row("cuLaunchKernel")->address);
	ck_assert_ptr_eq(driver_find("cuInit", 7000, true, NULL), row("cuInit")->address);
}
END_TEST

int main(void)
{
	find_root();
	Suite *s = suite_create("api table");
	TCase *t = tcase_create("api table");
	tcase_add_test(t, every_function_of_the_table_resolves);
	tcase_add_test(t, names_are_there_once);
	tcase_add_test(t, the_pages_are_made_from_the_tables);
	tcase_add_test(t, a_name_means_the_form_of_a_release);
	suite_add_tcase(s, t);
	return check_main(s);
}
