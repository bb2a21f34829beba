// What the modern core makes of a kernel's code is kept for its next launch: with the same results, until the code goes.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

static const char *const program =
	KERNEL_FIRST_AND_SECOND;

enum how { ANEW, KEPT, FORGOTTEN };

// Each kernel several times, two of one kernel beside each other.
static struct timed *run(enum how how, const char *threads)
{
	static const struct {
		const char *name;
		uint64_t stream;
		bool wait;
	} all[] = {{"first", 0, true}, {"second", 0, true}, {"first", 0, true}, {"first", 1, false}, {"first", 2, false},
	           {"second", 3, true}, {"second", 0, true}, {"first", 0, true}};
	char options[200];
	snprintf(options, sizeof options,
	         "-core modern\n-gpgpu_n_clusters 2\n-gpgpu_n_cores_per_cluster 2\n-gpgpu_num_sched_per_core 4\n%s", threads);
	struct timed *t = timed_new(program, options);
	gpu_set_output(t->gpu, timed_put, t);
	if (how != ANEW)
		gpu_keep_code(t->gpu);
	uint64_t p[4] = {timed_alloc(t, 1 << 20), timed_alloc(t, 256), timed_alloc(t, 1 << 16), 0};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		timed_launch(t, all[i].name, 5, 96, 0, p, 4, all[i].stream);
		if (how == FORGOTTEN) { // also while kernels run
			gpu_forget_code(t->gpu);
			ck_assert_uint_eq(t->t->codes.n, 0);
		}
		if (all[i].wait)
			timed_wait(t);
	}
	return t;
}

START_TEST(results_are_the_same)
{
	const char *threads = _i ? "-threads 3" : "-threads 1";
	struct timed *anew = run(ANEW, threads), *kept = run(KEPT, threads), *forgotten = run(FORGOTTEN, threads);
	ck_assert_str_eq(kept->text, anew->text);
	ck_assert_str_eq(forgotten->text, anew->text);
	ck_assert_uint_eq(anew->t->codes.n, 0);
	ck_assert_uint_eq(kept->t->codes.n, HEDDLE_LIMIT(0, 2)); // the hostile build has no room for either
	timed_free(anew);
	timed_free(kept);
	timed_free(forgotten);
}
END_TEST

START_TEST(the_next_launch_finds_it)
{
	struct timed *t = run(KEPT, "-threads 1");
	uint64_t p[4] = {timed_alloc(t, 1 << 20), timed_alloc(t, 256), timed_alloc(t, 1 << 16), 0};
	const struct kernel_run *k[2];
	timed_launch(t, "first", 1, 32, 0, p, 4, 1);
	timed_launch(t, "first", 1, 32, 0, p, 4, 2);
	unsigned n = 0;
	for (unsigned i = 0; i < t->t->n_places; i++)
		if (t->t->kernel[i])
			k[n++] = t->t->kernel[i];
	ck_assert_uint_eq(n, 2);
	ck_assert_ptr_eq(k[0]->modern, k[1]->modern);
	ck_assert_uint_eq(k[0]->modern->users, 2);
	timed_wait(t);
	for (size_t i = 0; i < t->t->codes.n; i++)
		ck_assert_uint_eq(t->t->codes.at[i]->users, 0);
	gpu_forget_code(t->gpu);
	ck_assert_uint_eq(t->t->codes.n, 0);
	timed_free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("kept_code");
	TCase *t = tcase_create("kept_code");
	tcase_add_loop_test(t, results_are_the_same, 0, 2);
	tcase_add_test(t, the_next_launch_finds_it);
	suite_add_tcase(s, t);
	return check_main(s);
}
