// Memory for models: pieces begin on cache lines, are zero and their own, whoever asks and whatever was there before.
#include "base/mem.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { PIECES = 400 };

static size_t size_of(unsigned i) { return (size_t)i * 37 % 5000 + (i % 50 == 0 ? 300000 : 0); }

static bool all_are(const unsigned char *p, size_t n, unsigned what)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != what)
			return false;
	return true;
}

// Every second piece is freed and another asked for while the rest are kept; then all are freed, and the next round finds them used.
static void use_pieces(unsigned char mark)
{
	static _Thread_local unsigned char *at[PIECES];
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < PIECES; i++) {
			at[i] = mem_alloc_dense(size_of(i));
			ck_assert_uint_eq((uintptr_t)at[i] % 64, 0);
			ck_assert_msg(all_are(at[i], size_of(i), 0), "piece %u of round %u is not zero", i, round);
			memset(at[i], mark + i % 7, size_of(i));
		}
		for (unsigned i = 0; i < PIECES; i += 2) {
			ck_assert(all_are(at[i], size_of(i), mark + i % 7));
			mem_free_dense(at[i], size_of(i));
			at[i] = mem_alloc_dense(size_of(i + 3));
			ck_assert_msg(all_are(at[i], size_of(i + 3), 0), "piece %u of round %u is not zero when it is asked for again", i, round);
			memset(at[i], mark, size_of(i + 3));
		}
		for (unsigned i = 0; i < PIECES; i++) {
			const size_t size = size_of(i % 2 ? i : i + 3);
			ck_assert_msg(all_are(at[i], size, i % 2 ? mark + i % 7 : mark), "piece %u of round %u has been written", i, round);
			mem_free_dense(at[i], size);
		}
	}
}

START_TEST(pieces_are_zero_and_their_own)
{
	use_pieces(1);
}
END_TEST

static void *a_thread(void *mark)
{
	use_pieces((unsigned char)(uintptr_t)mark);
	return NULL;
}

START_TEST(threads_may_ask_at_the_same_time)
{
	pthread_t thread[4];
	for (uintptr_t i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, a_thread, (void *)(i * 16 + 1)), 0);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}
END_TEST

START_TEST(a_piece_may_be_larger_than_any_block)
{
	const size_t size = (size_t)100 << 20;
	unsigned char *small = mem_alloc_dense(10), *large = mem_alloc_dense(size), *behind = mem_alloc_dense(10);
	large[0] = large[size - 1] = 1;
	ck_assert(!small[9] && !behind[0]);
	mem_free_dense(large, size);
	mem_free_dense(small, 10);
	mem_free_dense(behind, 10);
	mem_free_dense(NULL, 10);
}
END_TEST

// A size that a user has chosen may be too much; the run goes on.
START_TEST(what_the_host_has_not_got_is_refused)
{
	ck_assert_ptr_null(mem_try_alloc_dense(SIZE_MAX / 4));
	ck_assert_ptr_null(mem_try_alloc_dense(SIZE_MAX));
	mem_fail_after(1);
	ck_assert_ptr_null(mem_try_alloc_dense(64));
	void *p = mem_try_alloc_dense(64);
	ck_assert_ptr_nonnull(p);
	mem_free_dense(p, 64);
}
END_TEST

START_TEST(tables_are_zero_small_and_large)
{
	for (size_t size = 100; size < (size_t)8 << 20; size *= 5) {
		unsigned char *p = mem_alloc_table(size);
		ck_assert_uint_eq((uintptr_t)p % 64, 0);
		ck_assert(all_are(p, size, 0));
		memset(p, 7, size);
		mem_free_table(p, size);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("mem");
	TCase *t = tcase_create("mem");
	suite_add_tcase(s, t);
	tcase_add_test(t, pieces_are_zero_and_their_own);
	tcase_add_test(t, threads_may_ask_at_the_same_time);
	tcase_add_test(t, a_piece_may_be_larger_than_any_block);
	tcase_add_test(t, what_the_host_has_not_got_is_refused);
	tcase_add_test(t, tables_are_zero_small_and_large);
	return check_main(s);
}
