// How a unit test ends. Included before every unit test (Makefile).
#ifndef TESTS_CHECK_MAIN_H
#define TESTS_CHECK_MAIN_H

#include <check.h>

// Runs the suite and frees it; what main returns. CK_VERBOSITY=verbose names each test.
static inline int check_main(Suite *s)
{
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}

#endif
