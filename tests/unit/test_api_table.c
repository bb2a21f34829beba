// The table of API functions agrees with what the library exports and with docs/api.md.
// HEDDLE_WRITE_DOCS=1 rewrites the page.
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

START_TEST(the_page_is_made_from_the_table)
{
	char path[PATH_MAX + 32], *text, *page;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	api_write_doc(f);
	fclose(f);
	snprintf(path, sizeof path, "%s/docs/api.md", root);
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
	ck_assert_msg(!strcmp(page, text), "docs/api.md is old; run this test with HEDDLE_WRITE_DOCS=1");
	free(page);
	free(text);
}
END_TEST

int main(void)
{
	find_root();
	Suite *s = suite_create("api table");
	TCase *t = tcase_create("api table");
	tcase_add_test(t, every_function_of_the_table_resolves);
	tcase_add_test(t, names_are_there_once);
	tcase_add_test(t, the_page_is_made_from_the_table);
	suite_add_tcase(s, t);
	return check_main(s);
}
