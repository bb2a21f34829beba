// Pages that are made from tables are up to date.
#include "cuda-sim/ptx/doc.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(the_page_of_instructions_is_that_of_the_table)
{
	char *want = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&want, &len);
	ptx_doc_print(f);
	fclose(f);
	f = fopen("docs/ptx.md", "r");
	ck_assert_ptr_nonnull(f);
	char *have = calloc(1, len + 2);
	size_t n = fread(have, 1, len + 1, f);
	fclose(f);
	ck_assert_msg(n == len && memcmp(have, want, len) == 0, "docs/ptx.md is old: bin/heddle ops > docs/ptx.md");
	free(have);
	free(want);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("docs");
	TCase *t = tcase_create("docs");
	tcase_add_test(t, the_page_of_instructions_is_that_of_the_table);
	suite_add_tcase(s, t);
	return check_main(s);
}
