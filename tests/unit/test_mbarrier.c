#include "cuda-sim/exec/mbarrier.h"

#include <check.h>
#include <stdlib.h>

// What ptxas for sm_90 makes of a count.
static uint64_t machine_word(uint32_t count)
{
	const uint32_t rest = 0x100000 - count;
	return (uint64_t)(rest << 11) << 32 | (uint32_t)(rest << 1);
}

START_TEST(words_are_those_of_machine_code)
{
	static const uint32_t counts[] = {1, 2, 3, 32, 1023, 1024, 0xffffe, 0xfffff};
	for (unsigned k = 0; k < sizeof counts / sizeof *counts; k++) {
		uint64_t word = 0;
		ck_assert_int_eq(mbarrier_init(&word, counts[k]), MBARRIER_FINE);
		ck_assert_uint_eq(word, machine_word(counts[k]));
		ck_assert_int_eq(mbarrier_check_init(word), MBARRIER_FINE);
		ck_assert_uint_eq(mbarrier_pending(word), counts[k]);
		// ptxas: 2^20 less bits 11 to 30 of the upper half
		ck_assert_uint_eq(0x100000 - (word >> 43 & 0xfffff), counts[k]);
	}
}
END_TEST

START_TEST(phases_follow_each_other)
{
	uint64_t word, state;
	mbarrier_init(&word, 3);
	for (unsigned phase = 0; phase < 5; phase++) {
		const bool parity = phase & 1;
		for (unsigned k = 3; k-- > 0;) {
			ck_assert(!mbarrier_passed(word, parity));
			ck_assert(mbarrier_passed(word, !parity));
			ck_assert_int_eq(mbarrier_arrive(&word, 1, 0, false, &state), MBARRIER_FINE);
			ck_assert_uint_eq(mbarrier_pending(state), k + 1);
			ck_assert_uint_eq(state >> 63, parity);
		}
		ck_assert(mbarrier_passed(word, parity));
		ck_assert_uint_eq(mbarrier_pending(word), 3);
	}
}
END_TEST

START_TEST(bytes_hold_a_phase)
{
	uint64_t word;
	mbarrier_init(&word, 1);
	ck_assert_int_eq(mbarrier_arrive(&word, 1, 4096, false, NULL), MBARRIER_FINE);
	ck_assert(!mbarrier_passed(word, false));
	ck_assert_int_eq(mbarrier_complete_tx(&word, 4095), MBARRIER_FINE);
	ck_assert(!mbarrier_passed(word, false));
	ck_assert_int_eq(mbarrier_complete_tx(&word, 1), MBARRIER_FINE);
	ck_assert(mbarrier_passed(word, false));
	// Bytes may come before anybody expects them, and hold the phase as well.
	ck_assert_int_eq(mbarrier_complete_tx(&word, 100), MBARRIER_FINE);
	ck_assert_int_eq(mbarrier_arrive(&word, 1, 0, false, NULL), MBARRIER_FINE);
	ck_assert(!mbarrier_passed(word, true));
	ck_assert_int_eq(mbarrier_expect_tx(&word, 100), MBARRIER_FINE);
	ck_assert(mbarrier_passed(word, true));
}
END_TEST

START_TEST(those_that_drop_out_are_missing_later)
{
	uint64_t word;
	mbarrier_init(&word, 3);
	ck_assert_int_eq(mbarrier_arrive(&word, 1, 0, true, NULL), MBARRIER_FINE);
	ck_assert_int_eq(mbarrier_arrive(&word, 2, 0, false, NULL), MBARRIER_FINE);
	ck_assert(mbarrier_passed(word, false));
	ck_assert_uint_eq(mbarrier_pending(word), 2);
	ck_assert_int_eq(mbarrier_arrive(&word, 2, 0, true, NULL), MBARRIER_FINE);
	ck_assert(mbarrier_passed(word, true)); // which leaves parity 0 and no threads
	ck_assert_int_eq(mbarrier_check(word), MBARRIER_FINE);
	ck_assert_int_eq(mbarrier_arrive(&word, 1, 0, false, NULL), MBARRIER_PENDING);
}
END_TEST

START_TEST(misuse_is_refused_and_changes_nothing)
{
	uint64_t word = 0x1234567890abcdee, fresh;
	ck_assert_int_eq(mbarrier_init(&word, 0), MBARRIER_COUNT);
	ck_assert_int_eq(mbarrier_init(&word, MBARRIER_MAX_COUNT + 1), MBARRIER_COUNT);
	ck_assert_uint_eq(word, 0x1234567890abcdee);
	ck_assert_int_eq(mbarrier_check_init(machine_word(0)), MBARRIER_COUNT);
	ck_assert_int_eq(mbarrier_check_init(0), MBARRIER_COUNT);
	mbarrier_init(&fresh, 2);
	word = fresh;
	ck_assert_int_eq(mbarrier_arrive(&word, 0, 0, false, NULL), MBARRIER_COUNT);
	ck_assert_int_eq(mbarrier_arrive(&word, 3, 0, false, NULL), MBARRIER_PENDING);
	ck_assert_int_eq(mbarrier_arrive(&word, 1, MBARRIER_MAX_TX + 1, false, NULL), MBARRIER_TX);
	ck_assert_int_eq(mbarrier_arrive_only(&word, 2, false, NULL), MBARRIER_COMPLETES);
	ck_assert_int_eq(mbarrier_complete_tx(&word, MBARRIER_MAX_TX + 1), MBARRIER_TX);
	ck_assert_uint_eq(word, fresh);
	ck_assert_int_eq(mbarrier_expect_tx(&word, MBARRIER_MAX_TX), MBARRIER_FINE);
	ck_assert_int_eq(mbarrier_expect_tx(&word, 1), MBARRIER_TX);
	word = 0;
	ck_assert_int_eq(mbarrier_arrive(&word, 1, 0, false, NULL), MBARRIER_NOT_ONE);
	ck_assert_int_eq(mbarrier_expect_tx(&word, 1), MBARRIER_NOT_ONE);
	ck_assert_int_eq(mbarrier_check(word), MBARRIER_NOT_ONE);
}
END_TEST

START_TEST(barriers_are_described)
{
	uint64_t word;
	char text[120];
	mbarrier_init(&word, 2);
	mbarrier_arrive(&word, 1, 4096, false, NULL);
	mbarrier_describe(word, text, sizeof text);
	ck_assert_str_eq(text, "phase parity 0 waits for 1 of 2 arrivals and 4096 bytes");
	mbarrier_complete_tx(&word, 5000);
	mbarrier_describe(word, text, sizeof text);
	ck_assert_str_eq(text, "phase parity 0 waits for 1 of 2 arrivals; 904 bytes have come that nobody expected");
	mbarrier_describe(0, text, sizeof text);
	ck_assert_str_eq(text, "no mbarrier is there");
	mbarrier_describe(word, text, 10);
	ck_assert_str_eq(text, "phase par");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("mbarrier");
	TCase *t = tcase_create("word");
	tcase_add_test(t, words_are_those_of_machine_code);
	tcase_add_test(t, phases_follow_each_other);
	tcase_add_test(t, bytes_hold_a_phase);
	tcase_add_test(t, those_that_drop_out_are_missing_later);
	tcase_add_test(t, misuse_is_refused_and_changes_nothing);
	tcase_add_test(t, barriers_are_described);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
