// Pages that are made from tables are up to date.
#include "cuda-sim/ptx/doc.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// The example of docs/debugging.md: its first command prints the lines that stand below it.
START_TEST(the_example_of_the_modern_pipeline_is_what_is_printed)
{
	static const char command[] = "    bin/heddle trace --trace=core ", sample[] = "    GPGPU-Sim Cycle ";
	char line[512], *shown = NULL;
	unsigned found = 0;
	FILE *f = fopen("docs/debugging.md", "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f)) {
		if (!shown && !strncmp(line, command, sizeof command - 1)) {
			size_t len = 0, n;
			FILE *to = open_memstream(&shown, &len), *from = popen(line, "r");
			for (char buf[65536]; (n = fread(buf, 1, sizeof buf, from)) > 0;)
				fwrite(buf, 1, n, to);
			ck_assert_int_eq(pclose(from), 0);
			fclose(to);
		} else if (shown && !strncmp(line, sample, sizeof sample - 1) && strstr(line, ": CORE - ")) {
			ck_assert_msg(strstr(shown, line + 4) != NULL, "not printed: %s", line + 4);
			found++;
		}
	}
	fclose(f);
	free(shown);
	ck_assert_uint_eq(found, 2);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("docs");
	TCase *t = tcase_create("docs");
	tcase_add_test(t, the_page_of_instructions_is_that_of_the_table);
	if (!access("bin/heddle", X_OK))
		tcase_add_test(t, the_example_of_the_modern_pipeline_is_what_is_printed);
	suite_add_tcase(s, t);
	return check_main(s);
}
