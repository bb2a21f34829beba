// A kernel of which a part is timed leaves L2 as if all of it had been: the next one finds what it would have found.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

// p0[i] goes to p1[i].
static const char ptx[] = KERNEL_HEAD
	KERNEL_ENTRY("copy")
	"mul.wide.u32 %rd20, %r4, 4; add.s64 %rd21, %rd1, %rd20; add.s64 %rd22, %rd2, %rd20;\n"
	"ld.global.u32 %r20, [%rd21]; st.global.u32 [%rd22], %r20; ret; }\n";

enum { BLOCKS = 2048, FEW = 64, THREADS = 256, BYTES = BLOCKS * THREADS * 4 };

static const char gpu[] = // L2 of 1 MB, a quarter of what the kernel goes over
	"-gpgpu_n_clusters 4\n-gpgpu_cache:dl2 S:128:128:32,L:B:m:L:P,A:192:4,32:0,32\n-gpgpu_n_mem 2\n";

// Cycles of a launch that copies the first part again; CTAs of the one before, over all of it, that were timed.
static uint64_t again(const char *core, const char *more, uint64_t *timed, uint64_t *all)
{
	char options[400];
	snprintf(options, sizeof options, "%s%s%s", core, gpu, more);
	struct timed *t = timed_new(ptx, options);
	uint64_t p[4] = {timed_alloc(t, BYTES), timed_alloc(t, BYTES)};
	for (uint32_t i = 0; i < BYTES / 4; i++)
		((uint32_t *)(uintptr_t)p[0])[i] = i * 2654435761u;
	timed_run(t, "copy", BLOCKS, THREADS, 0, p, 4);
	*timed = t->gpu->stats.estimate.made ? t->gpu->stats.estimate.ctas : BLOCKS;
	ck_assert_mem_eq((void *)(uintptr_t)p[0], (void *)(uintptr_t)p[1], BYTES);
	const uint64_t before = t->t->cycle;
	timed_run(t, "copy", FEW, THREADS, 0, p, 4);
	const uint64_t cycles = t->t->cycle - before;
	timed_run(t, "copy", BLOCKS, THREADS, 0, p, 4);
	*all = t->t->cycle;
	timed_free(t);
	return cycles;
}

static const char *const core[] = {"-core classic\n", "-core modern\n"};

START_TEST(the_next_launch_misses_as_if_all_of_the_one_before_had_been_timed)
{
	uint64_t timed, all, other;
	const uint64_t whole = again(core[_i], "", &timed, &all);
	ck_assert_uint_eq(timed, BLOCKS);
	const uint64_t sampled = again(core[_i], "-sample 5\n", &timed, &all);
	ck_assert_uint_lt(timed, BLOCKS / 2);
	ck_assert_uint_eq(again(core[_i], "-sample 5\n-threads 3\n", &timed, &other), sampled);
	ck_assert_uint_eq(other, all);
	ck_assert_double_lt(fabs((double)sampled / (double)whole - 1), 0.1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sample_l2");
	TCase *t = tcase_create("sample_l2");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, the_next_launch_misses_as_if_all_of_the_one_before_had_been_timed, 0, 2);
	suite_add_tcase(s, t);
	return check_main(s);
}
