// Text that is handed on line by line.
#include "base/lines.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static void keep(void *ctx, const char *text) { strcat(strcat(ctx, text), "|"); }

START_TEST(each_text_comes_by_itself_and_is_counted)
{
	char got[100] = "";
	struct lines to = {.put = keep, .ctx = got};
	ck_assert_uint_eq(to.n, 0);
	lines_say(&to, "bank %u: %u of %u%s\n", 3, 4, 5, "");
	lines_say(&to, "%s", "");
	lines_say(&to, "100%%\n");
	ck_assert_str_eq(got, "bank 3: 4 of 5\n||100%\n|");
	ck_assert_uint_eq(to.n, 3);
}
END_TEST

START_TEST(what_is_too_long_is_cut)
{
	char much[2 * LINES_MAX], got[2 * LINES_MAX] = "";
	struct lines to = {.put = keep, .ctx = got};
	memset(much, 'x', sizeof much - 1);
	much[sizeof much - 1] = 0;
	lines_say(&to, "%s", much);
	ck_assert_uint_eq(strlen(got), LINES_MAX);
	ck_assert_uint_eq(strspn(got, "x"), LINES_MAX - 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lines");
	TCase *t = tcase_create("lines");
	tcase_add_test(t, each_text_comes_by_itself_and_is_counted);
	tcase_add_test(t, what_is_too_long_is_cut);
	suite_add_tcase(s, t);
	return check_main(s);
}
