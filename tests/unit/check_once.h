// Check writes a line to a file for every assertion that holds, and reads them all back, to say where a crash came
// "after this point". Tests with millions of assertions spend their time there (minutes under a sanitizer), so here
// each assertion says so once a thread. Included before every unit test (Makefile).
#ifndef TESTS_CHECK_ONCE_H
#define TESTS_CHECK_ONCE_H

#include <check.h>
#include <stdbool.h>

#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                               \
	do {                                                                                                   \
		static _Thread_local bool marked;                                                              \
		if (!(expr))                                                                                   \
			_ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__);  \
		if (!marked)                                                                                   \
			_mark_point(__FILE__, __LINE__);                                                       \
		marked = true;                                                                                 \
	} while (0)

#endif
