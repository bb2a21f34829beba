// What is timed of a run that is sampled, and what is made of it: waves of CTAs, launches that are alike.
#include "base/mem.h"
#include "gpgpu-sim/estimate/estimate.h"
#include "gpgpu-sim/estimate/waves.h"
#include "tests/unit/random.h"

#include <check.h>
#include <string.h>

START_TEST(a_series_has_the_bound_of_students_t)
{
	struct series s = {0};
	ck_assert(isinf(series_bound(&s)));
	series_add(&s, 10);
	ck_assert(isinf(series_spread(&s)));
	series_add(&s, 12);
	ck_assert_double_eq_tol(s.mean, 11, 1e-12);
	ck_assert_double_eq_tol(series_bound(&s), 12.71, 0.01); // standard deviation 1.414, error 1
	series_add(&s, 14);
	ck_assert_double_eq_tol(series_bound(&s), 4.303 * 2 / sqrt(3), 0.001);
	for (unsigned i = 0; i < 1000; i++)
		series_add(&s, 12);
	ck_assert_double_eq_tol(s.mean, 12, 1e-6);
	ck_assert_double_lt(series_spread(&s), 0.001);
}
END_TEST

// Waves that take so many cycles, one after another; those that were timed when the rest can be left out, 0 if never.
static unsigned waves_until(double (*cycles)(unsigned wave), unsigned n, double error, struct kernel_waves *w)
{
	double now = 0;
	*w = (struct kernel_waves){.size = 640};
	for (unsigned k = 0; k < n; k++) {
		now += cycles(k);
		for (unsigned cta = 1; cta <= 640; cta += 213) // they end at different times
			if (waves_take(w, k * 640 + cta - 1, (n - k - 1) * 640, (uint64_t)now - 1, error))
				return k;
		if (waves_take(w, (k + 1) * 640, (n - k - 1) * 640, (uint64_t)now, error))
			return k + 1;
	}
	return 0;
}

static double steady(unsigned k) { return k ? 1000 : 1700; }
static double fills(unsigned k) { return k < 6 ? 500 + 80 * k : 1000; }
static double alternates(unsigned k) { return k % 2 ? 1000 : 1020; }
static double grows(unsigned k) { return 100 * pow(1.5, k); }

START_TEST(waves_are_left_out_when_the_latest_take_equally_long)
{
	static const struct {
		double (*cycles)(unsigned);
		unsigned n, least, most; // waves that are timed
		double mean;
	} all[] = {{steady, 40, 5, 5, 1000}, {fills, 40, 8, 14, 1000}, {alternates, 40, 5, 5, 1010}, {grows, 20, 0, 0, 0},
	           {steady, 5, 0, 0, 0} /* nothing is left */};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		struct kernel_waves w;
		const unsigned n = waves_until(all[i].cycles, all[i].n, 0.05, &w);
		ck_assert_msg(n >= all[i].least && n <= all[i].most, "%u: %u waves", i, n);
		if (n)
			ck_assert_double_eq_tol(w.steady.mean, all[i].mean, all[i].mean * 0.05);
	}
}
END_TEST

START_TEST(waves_that_end_together_share_their_cycles_and_beside_others_none_is_left_out)
{
	struct kernel_waves w = {.size = 10};
	ck_assert(!waves_take(&w, 10, 1000, 100, 0.05));
	ck_assert(!waves_take(&w, 39, 1000, 300, 0.05));
	ck_assert_double_eq(w.took[1], 100);
	ck_assert_double_eq(w.took[2], 100);
	ck_assert(!waves_take(&w, 40, 1000, 400, 0.05));
	w.beside = true;
	ck_assert(!waves_take(&w, 50, 1000, 500, 0.05));
	w.beside = false;
	ck_assert(!waves_take(&w, 59, 1000, 600, 0.05)); // no wave has ended since
	ck_assert(!waves_take(&w, 60, 9, 600, 0.05));    // less than a wave is left
	ck_assert(waves_take(&w, 70, 10, 700, 0.05));
}
END_TEST

// A run of launches with so many instructions and so many cycles of each; how many were timed.
struct run {
	unsigned launches;
	double insts, scatter; // of launch k: insts, times up to 1 + scatter
	double rate, noise;
};

static unsigned take_run(struct estimates *e, struct kernel_launch *l, const struct run *r, double *cycles)
{
	unsigned timed = 0;
	*cycles = 0;
	for (unsigned k = 0; k < r->launches; k++) {
		const double insts = floor(r->insts * (1 + r->scatter * (pick(1000) / 1000.0)));
		const double takes = floor(insts * r->rate * (1 + r->noise * (pick(1000) / 500.0 - 1)));
		*cycles += takes;
		l->counts.warp_insts = (uint64_t)insts;
		if (estimates_want(e, l)) {
			estimates_timed(e, l, (uint64_t)insts, (struct estimate){takes, 0}, (uint64_t)takes, true);
			timed++;
		} else {
			estimates_untimed(e, l);
		}
	}
	return timed;
}

START_TEST(launches_that_are_alike_are_timed_until_they_are_known)
{
	static const struct {
		struct run run;
		unsigned least, most; // timed
	} all[] = {{{200, 10000, 0, 3, 0}, 6, 8},           // three, and a probe after 16, 32, 64
	           {{200, 10000, 0.03, 3, 0.02}, 6, 12},    // alike enough
	           {{200, 10000, 3, 3, 0.02}, 20, 150},     // other numbers of instructions each time
	           {{200, 10000, 0, 3, 0.9}, 40, 200},      // so noisy that most must be timed
	           {{2, 10000, 0, 3, 0}, 2, 2}};
	seed = 3;
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		struct kernel_info info = {.name = "k"};
		struct kernel_launch *l = MEM_NEW(struct kernel_launch);
		struct estimates *e = estimates_new(0.05);
		double cycles;
		*l = (struct kernel_launch){.info = &info, .grid = {4, 4, 1}, .block = {32, 1, 1}};
		const unsigned timed = take_run(e, l, &all[i].run, &cycles);
		const struct estimate_sum s = estimates_sum(e);
		ck_assert_msg(timed >= all[i].least && timed <= all[i].most, "%u: %u timed", i, timed);
		ck_assert_uint_eq(s.launches, all[i].run.launches);
		ck_assert_uint_eq(s.timed, timed);
		ck_assert_msg(fabs(s.whole.cycles - cycles) <= fmax(s.whole.error, cycles * 1e-3), "%u: %g +- %g, not %g", i, s.whole.cycles,
		              s.whole.error, cycles);
		ck_assert_msg(s.whole.error <= cycles * 0.1, "%u: %g of %g", i, s.whole.error, cycles);
		estimates_free(e);
		mem_free(l);
	}
}
END_TEST

START_TEST(other_grids_are_other_launches)
{
	struct kernel_info info = {.name = "k"};
	struct kernel_launch *l = MEM_NEW(struct kernel_launch);
	struct estimates *e = estimates_new(0.05);
	*l = (struct kernel_launch){.info = &info, .grid = {4, 4, 1}, .block = {32, 1, 1}};
	for (unsigned k = 0; k < 3; k++)
		estimates_timed(e, l, 1000, (struct estimate){2000, 0}, 2000, true);
	ck_assert(!estimates_want(e, l));
	l->grid[0] = 5;
	ck_assert(estimates_want(e, l));
	l->grid[0] = 4;
	l->dynamic_shared = 64;
	ck_assert(estimates_want(e, l));
	l->dynamic_shared = 0;
	// More work than ever: it is taken from the nearest, and the next one is timed.
	l->counts.warp_insts = 1500;
	const struct estimate far = estimates_untimed(e, l);
	ck_assert_double_eq_tol(far.cycles, 3000, 1e-6);
	ck_assert_double_ge(far.error, 1000);
	ck_assert(estimates_want(e, l));
	estimates_timed(e, l, 2000, (struct estimate){2000, 0}, 2000, true);
	// Between two, it is in between.
	l->counts.warp_insts = 1500;
	ck_assert_double_eq_tol(estimates_untimed(e, l).cycles, 1500 * 1.5, 1e-6);
	// Of launches that ran beside others nothing is learnt.
	l->grid[0] = 9;
	for (unsigned k = 0; k < 5; k++)
		estimates_timed(e, l, 1000, (struct estimate){2000, 0}, 2000, false);
	ck_assert(estimates_want(e, l));
	estimates_free(e);
	mem_free(l);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("estimate");
	TCase *t = tcase_create("estimate");
	tcase_add_test(t, a_series_has_the_bound_of_students_t);
	tcase_add_test(t, waves_are_left_out_when_the_latest_take_equally_long);
	tcase_add_test(t, waves_that_end_together_share_their_cycles_and_beside_others_none_is_left_out);
	tcase_add_test(t, launches_that_are_alike_are_timed_until_they_are_known);
	tcase_add_test(t, other_grids_are_other_launches);
	suite_add_tcase(s, t);
	return check_main(s);
}
