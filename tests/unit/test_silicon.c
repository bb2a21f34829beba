// Mechanisms that curves of real GPUs ask for and GPGPU-Sim has not, each an option that is off by default: blocks that
// start one after the other and leave places that are taken later, banks of L1D's data, a double precision unit in the sub-core; and caches emptied before a
// kernel, as a profiler does; and sectors that DRAM completes.
#include "tests/unit/timing_harness.h"

enum { LINE = 128, LANES = 32, WORD = 4, LOADS = 32 };

#define MODERN TIMED_BASE "-core modern\n-gpgpu_execute ptx\n-memory_subcore_link_to_sm_byte_size 128\n" \
	"-is_load_half_bandwidth_in_the_subcore_link_to_sm_enabled 0\n"

static const char many_blocks[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\nret;\n}\n";

static uint64_t blocks_take(const char *options, unsigned blocks)
{
	struct diag why = {0};
	const char *const all[] = {MODERN "-gpgpu_n_clusters 8\n", options, NULL};
	struct timed *t = timed_make(many_blocks, &why, all);
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	timed_run(t, "k", blocks, 32, 0, NULL, 0);
	const uint64_t cycles = gpu_cycle(t->gpu);
	timed_free(t);
	diag_free(&why);
	return cycles;
}

START_TEST(blocks_start_so_many_cycles_apart)
{
	const uint64_t one = blocks_take("-cta_launch_interval 100\n", 1);
	ck_assert_uint_eq(one, blocks_take("", 1));
	ck_assert_uint_eq(blocks_take("-cta_launch_interval 100\n", 8), one + 700);
	ck_assert_uint_eq(blocks_take("-cta_launch_interval 100\n-tick_every_cycle 1\n", 8), one + 700);
	ck_assert_uint_lt(blocks_take("", 8), one + 100);
}
END_TEST

// A network of 3/4 of the core's clock: 7 times 133 1/3 cycles, of which no part is lost.
START_TEST(blocks_start_by_the_clock_of_the_network)
{
	static const char options[] = "-cta_launch_interval 100\n-cta_launch_clock 1\n"
	                              "-gpgpu_clock_domains 1000:750:750:1000\n";
	static const char alone[] = "-gpgpu_clock_domains 1000:750:750:1000\n";
	ck_assert_uint_eq(blocks_take(options, 8), blocks_take(alone, 1) + 933);
	ck_assert_uint_eq(blocks_take("-cta_launch_interval 100\n-cta_launch_clock 1\n", 8), blocks_take("", 1) + 700);
}
END_TEST

// 1,000 MHz over 300 make 333 1/3 cycles from one block to the next; a clock that is faster than the SMs' starts one in each cycle.
START_TEST(blocks_start_by_a_clock_of_their_own)
{
	static const char own[] = "-gpgpu_clock_domains 1000:1000:1000:1000\n-cta_launch_interval 100\n-cta_launch_clock 300\n";
	static const char fast[] = "-gpgpu_clock_domains 1000:1000:1000:1000\n-cta_launch_interval 1\n-cta_launch_clock 2500\n";
	static const char alone[] = "-gpgpu_clock_domains 1000:1000:1000:1000\n";
	ck_assert_uint_eq(blocks_take(own, 8), blocks_take(alone, 1) + 2333);
	ck_assert_uint_eq(blocks_take(fast, 8), blocks_take("-gpgpu_clock_domains 1000:1000:1000:1000\n-cta_launch_interval 1\n", 8));
}
END_TEST

#define ONE_PLACE "-gpgpu_n_clusters 1\n-gpgpu_shader_cta 1\n"

START_TEST(a_place_is_taken_again_so_many_cycles_later)
{
	const uint64_t four = blocks_take(ONE_PLACE, 4);
	ck_assert_uint_eq(blocks_take(ONE_PLACE "-cta_turnaround 1000\n", 4), four + 3000);
	ck_assert_uint_eq(blocks_take(ONE_PLACE "-cta_turnaround 1000\n-tick_every_cycle 1\n", 4), four + 3000);
	ck_assert_uint_eq(blocks_take(ONE_PLACE "-cta_turnaround 1000\n-gpgpu_concurrent_kernel_sm 1\n", 4), four + 3000);
	// The last one's place holds nobody up.
	ck_assert_uint_eq(blocks_take(ONE_PLACE "-cta_turnaround 1000\n", 1), blocks_take(ONE_PLACE, 1));
}
END_TEST

static const char one_store[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 to) {\n"
	".reg .b64 %a, %b;\n.reg .b32 %i, %v;\nld.param.u64 %a, [to];\nmov.u32 %i, %ctaid.x;\nmul.wide.u32 %b, %i, 128;\nadd.u64 %a, %a, %b;\n"
	"add.u32 %v, %i, 7;\nst.global.u32 [%a], %v;\nret;\n}\n";

// Cycles of a kernel whose blocks store a word each; all have arrived when it ends.
static uint64_t stores_take(const char *options, unsigned blocks)
{
	struct diag why = {0};
	struct timed *t = timed_make(one_store, &why, (const char *const[]){MODERN ONE_PLACE, options, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	const uint64_t at = timed_alloc(t, blocks * LINE);
	timed_run(t, "k", blocks, 1, 0, (uint64_t[]){at}, 1);
	for (unsigned i = 0; i < blocks; i++)
		ck_assert_uint_eq(*(const uint32_t *)(uintptr_t)(at + i * LINE), i + 7);
	const uint64_t cycles = gpu_cycle(t->gpu);
	timed_free(t);
	diag_free(&why);
	return cycles;
}

START_TEST(blocks_leave_before_their_stores_arrive_and_the_kernel_does_not)
{
	static const char leaves[] = "-exit_waits_for_stores 0\n", classic[] = "-exit_waits_for_stores 0\n-core classic\n";
	const uint64_t one = stores_take("", 1), eight = stores_take("", 8);
	ck_assert_uint_eq(stores_take(leaves, 1), one);
	ck_assert_uint_lt(stores_take(leaves, 8) + 7 * 50, eight);
	ck_assert_uint_eq(stores_take(classic, 1), stores_take("-core classic\n", 1));
	ck_assert_uint_lt(stores_take(classic, 8) + 7 * 50, stores_take("-core classic\n", 8));
}
END_TEST

static const char one_load[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 from) {\n"
	".reg .b64 %a;\n.reg .b32 %v;\nld.param.u64 %a, [from];\nld.global.u32 %v, [%a];\nadd.u32 %v, %v, 1;\n"
	"st.global.u32 [%a], %v;\nret;\n}\n";

// Cycles of the first and of the second launch of a kernel that loads and stores a word.
static void two_launches_take(const char *options, uint64_t cycles[2])
{
	struct diag why = {0};
	struct timed *t = timed_make(one_load, &why, (const char *const[]){MODERN "-gpgpu_flush_l1_cache 0\n", options, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	const uint64_t at = timed_alloc(t, LINE);
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t before = gpu_cycle(t->gpu);
		timed_run(t, "k", 1, 1, 0, (uint64_t[]){at}, 1);
		cycles[i] = gpu_cycle(t->gpu) - before;
	}
	ck_assert_uint_eq(*(const uint32_t *)(uintptr_t)at, 2);
	timed_free(t);
	diag_free(&why);
}

START_TEST(a_kernel_finds_empty_caches)
{
	uint64_t warm[2], cold[2];
	two_launches_take("", warm);
	ck_assert_uint_gt(warm[0], warm[1] + 50);
	two_launches_take("-flush_caches_at_launch 1\n", cold);
	ck_assert_uint_eq(cold[0], warm[0]);
	ck_assert_uint_gt(cold[1], warm[1] + 50);
	ck_assert_uint_lt(cold[0] - cold[1], 20); // DRAM may have its row open still
}
END_TEST

enum { SUMS = 64 };

static uint64_t sums_take(const char *options)
{
	char ptx[SUMS * 32 + 1024];
	struct diag why = {0};
	strcpy(ptx, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
	            ".reg .b64 %o, %t<2>;\n.reg .f64 %d;\nld.param.u64 %o, [out];\nld.global.f64 %d, [%o];\n"
	            "add.f64 %d, %d, %d;\nbar.sync 0;\nmov.u64 %t0, %clock64;\n");
	for (unsigned i = 0; i < SUMS; i++)
		strcat(ptx, "add.f64 %d, %d, %d;\n");
	strcat(ptx, "st.global.f64 [%o+8], %d;\nmov.u64 %t1, %clock64;\nsub.u64 %t1, %t1, %t0;\nst.global.u64 [%o], %t1;\n"
	            "ret;\n}\n");
	static const char own[] = MODERN "-is_dp_pipeline_shared_for_subcores 0\n";
	struct timed *t = timed_make(ptx, &why, (const char *const[]){own, options, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	const uint64_t out = timed_alloc(t, LINE);
	timed_run(t, "k", 1, LANES, 0, (uint64_t[]){out}, 1);
	const uint64_t cycles = *(const uint64_t *)(uintptr_t)out;
	timed_free(t);
	diag_free(&why);
	return cycles;
}

// GV100: 8 cycles from one dependent double precision instruction to the next (Jia et al.).
START_TEST(double_precision_in_the_subcore_has_its_latency_and_no_other)
{
	static const char near[] = "-dp_unit_in_subcore 1\n-dp_initiation 4\n-dp_latency 1\n";
	const uint64_t cycles = sums_take(near);
	ck_assert_msg(cycles >= SUMS * 8 && cycles < SUMS * 8 + 30, "%llu cycles", (unsigned long long)cycles);
	const uint64_t later = sums_take("-dp_unit_in_subcore 1\n-dp_initiation 4\n-dp_latency 6\n");
	ck_assert_msg(later >= cycles + SUMS * 5 && later < cycles + SUMS * 5 + 10, "%llu cycles", (unsigned long long)later);
	ck_assert_uint_gt(sums_take("-dp_initiation 4\n-dp_latency 1\n"), cycles + SUMS * 8);
	ck_assert_uint_eq(sums_take("-dp_unit_in_subcore 1\n-is_dp_pipeline_shared_for_subcores 1\n"),
	                  sums_take("-is_dp_pipeline_shared_for_subcores 1\n"));
}
END_TEST

// LOADS loads of a warp, `stride` words from lane to lane, of lines that are in L1D; then the cycles that they took.
static uint64_t loads_take(const char *options, unsigned stride)
{
	char *ptx = calloc(1, 1 << 14);
	struct diag why = {0};
	strcpy(ptx, ".version 7.0\n.target sm_70\n.address_size 64\n"
	            ".visible .entry k(.param .u64 out, .param .u64 from, .param .u64 lane) {\n"
	            ".reg .b64 %a, %o, %n, %t<2>;\n.reg .b32 %l, %sum, %v<32>;\n"
	            "ld.param.u64 %o, [out];\nld.param.u64 %a, [from];\n"
	            "ld.param.u64 %n, [lane];\nmov.u32 %l, %tid.x;\ncvt.u64.u32 %t0, %l;\nmad.lo.u64 %a, %t0, %n, %a;\n"
	            "ld.global.u32 %sum, [%a];\nbar.sync 0;\nadd.u32 %sum, %sum, %sum;\nmov.u64 %t0, %clock64;\n");
	for (unsigned i = 0; i < LOADS; i++)
		sprintf(ptx + strlen(ptx), "ld.global.u32 %%v%u, [%%a];\n", i);
	for (unsigned i = 0; i < LOADS; i++)
		sprintf(ptx + strlen(ptx), "add.u32 %%sum, %%sum, %%v%u;\n", i);
	strcat(ptx, "mov.u64 %t1, %clock64;\nsub.u64 %t1, %t1, %t0;\nst.global.u64 [%o], %t1;\n"
	            "st.global.u32 [%o+8], %sum;\nret;\n}\n");
	struct timed *t = timed_make(ptx, &why, (const char *const[]){MODERN, options, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	const uint64_t out = timed_alloc(t, LINE), from = timed_alloc(t, LANES * LINE);
	timed_run(t, "k", 1, LANES, 0, (uint64_t[]){out, from, stride * WORD}, 3);
	const uint64_t cycles = *(const uint64_t *)(uintptr_t)out;
	timed_free(t);
	diag_free(&why);
	free(ptx);
	return cycles;
}

// Measured on the A100 (gpu-strides): 1, 2, 4, 8, 16 and 32 cycles a load for strides of as many words.
START_TEST(words_of_one_bank_are_read_one_after_the_other)
{
	static const char conflicts[] = "-memory_l1d_bank_conflicts 1\n";
	for (unsigned stride = 8; stride <= 32; stride *= 2) {
		const uint64_t cycles = loads_take(conflicts, stride);
		ck_assert_msg(cycles >= LOADS * stride && cycles < LOADS * stride + 200, "stride %u: %llu cycles", stride,
		              (unsigned long long)cycles);
	}
	ck_assert_uint_eq(loads_take(conflicts, 1), loads_take("", 1));
	ck_assert_uint_lt(loads_take("", 16), loads_take(conflicts, 16));
	// Turing's L1D gives 64 bytes a cycle: a pass takes two.
	static const char passes[] = "-memory_l1d_bank_conflicts 1\n-memory_l1d_pass_cycles 2\n";
	const uint64_t cycles = loads_take(passes, 8);
	ck_assert_msg(cycles >= LOADS * 16 && cycles < LOADS * 16 + 200, "%llu cycles", (unsigned long long)cycles);
}
END_TEST

// Cycles until `load` has put a word that is in L2 into %w.
static uint64_t load_takes(const char *options, const char *load)
{
	char ptx[1000];
	struct diag why = {0};
	snprintf(ptx, sizeof ptx,
	         ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 from) {\n"
	         ".reg .b64 %%a, %%o, %%t<2>;\n.reg .b32 %%v, %%w;\nld.param.u64 %%o, [out];\nld.param.u64 %%a, [from];\n"
	         "ld.global.cg.u32 %%v, [%%a];\nadd.u32 %%v, %%v, %%v;\nmov.u64 %%t0, %%clock64;\n%s\n"
	         "add.u32 %%v, %%v, %%w;\nmov.u64 %%t1, %%clock64;\nsub.u64 %%t1, %%t1, %%t0;\nst.global.u64 [%%o], %%t1;\n"
	         "st.global.u32 [%%o+8], %%v;\nret;\n}\n", load);
	struct timed *t = timed_make(ptx, &why, (const char *const[]){MODERN, options, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	const uint64_t out = timed_alloc(t, LINE), from = timed_alloc(t, LINE);
	timed_run(t, "k", 1, 1, 0, (uint64_t[]){out, from}, 2);
	const uint64_t cycles = *(const uint64_t *)(uintptr_t)out;
	timed_free(t);
	diag_free(&why);
	return cycles;
}

START_TEST(what_passes_l1d_by_takes_so_many_cycles_more)
{
	static const char plain[] = "ld.global.u32 %w, [%a];", cg[] = "ld.global.cg.u32 %w, [%a];", atom[] = "atom.global.add.u32 %w, [%a], 1;";
	static const char more[] = "-memory_l1d_bypass_latency 13\n";
	ck_assert_uint_lt(load_takes("", cg), load_takes("", plain));
	ck_assert_uint_eq(load_takes(more, plain), load_takes("", plain));
	ck_assert_uint_eq(load_takes(more, cg), load_takes("", cg) + 13);
	ck_assert_uint_eq(load_takes(more, atom), load_takes("", atom) + 13);
}
END_TEST

static const char adds[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 to) {\n"
	".reg .b64 %a, %t;\n.reg .b32 %l;\nld.param.u64 %a, [to];\nmov.u32 %l, %tid.x;\nmul.wide.u32 %t, %l, 4;\n"
	"add.u64 %a, %a, %t;\nred.global.add.u32 [%a], 1;\nret;\n}\n";

enum { ADDS = 64 };

static uint64_t adds_take(const char *options)
{
	struct diag why = {0};
	struct timed *t = timed_make(adds, &why, (const char *const[]){MODERN, options, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	const uint64_t to = timed_alloc(t, LINE);
	timed_run(t, "k", ADDS, LANES, 0, (uint64_t[]){to}, 1);
	ck_assert_uint_eq(((const uint32_t *)(uintptr_t)to)[LANES - 1], ADDS);
	const uint64_t cycles = gpu_cycle(t->gpu);
	timed_free(t);
	diag_free(&why);
	return cycles;
}

// A warp adds to the 32 words of a line: 4 cycles of a slice for its sectors, or 32 / n.
START_TEST(a_slice_adds_so_many_words_a_cycle)
{
	const uint64_t sectors = adds_take("");
	ck_assert_uint_eq(adds_take("-l2_atomic_words 8\n"), sectors);
	const uint64_t two = adds_take("-l2_atomic_words 2\n"), one = adds_take("-l2_atomic_words 1\n");
	ck_assert_msg(two >= ADDS * 16 && two < ADDS * 16 + 400, "%llu cycles", (unsigned long long)two);
	ck_assert_msg(one >= two + ADDS * 15 && one <= two + ADDS * 17, "%llu cycles", (unsigned long long)one);
}
END_TEST

static const char stores[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 to, .param .u32 step) {\n.reg .b64 %a, %t;\n.reg .b32 %l, %b, %n, %s;\n"
	"ld.param.u64 %a, [to];\nld.param.u32 %s, [step];\nmov.u32 %l, %tid.x;\nmov.u32 %b, %ctaid.x;\nmov.u32 %n, %ntid.x;\n"
	"mad.lo.u32 %l, %b, %n, %l;\nmul.wide.u32 %t, %l, %s;\nadd.u64 %a, %a, %t;\nst.global.u32 [%a], %l;\nret;\n}\n";

// Column commands of the DRAM, reads and writes, when 4,096 warps store words `step` bytes apart.
static void stores_move(const char *options, uint32_t step, uint64_t *reads, uint64_t *writes)
{
	enum { BLOCKS = 512, THREADS = 256 };
	struct diag why = {0};
	struct timed *t = timed_make(stores, &why, (const char *const[]){MODERN, options, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	const uint64_t to = timed_alloc(t, (size_t)BLOCKS * THREADS * step);
	timed_run(t, "k", BLOCKS, THREADS, 0, (uint64_t[]){to, step}, 2);
	*reads = *writes = 0;
	for (unsigned i = 0; i < memory_n_channels(t->t->memory); i++) {
		const struct dram_stats *d = memory_dram_stats(t->t->memory, i);
		*reads += d->n_rd + d->n_rd_l2_a;
		*writes += d->n_wr + d->n_wr_wb;
	}
	timed_free(t);
	diag_free(&why);
}

// Stores of a word in each sector of 32 bytes: what is written back was read before. Whole sectors need no read.
START_TEST(sectors_are_completed_before_they_are_written_back)
{
	uint64_t reads, writes, asked, alone;
	stores_move("", 32, &reads, &alone);
	stores_move("-dram_completes_sectors 1\n", 32, &asked, &writes);
	ck_assert_uint_gt(writes, 1000);
	ck_assert_uint_ge(asked, reads + writes);
	ck_assert_uint_le(asked, reads + alone + 64);
	stores_move("", 4, &reads, &alone);
	stores_move("-dram_completes_sectors 1\n", 4, &asked, &writes);
	ck_assert_uint_gt(writes, 1000);
	ck_assert_uint_eq(asked, reads);
	ck_assert_uint_eq(writes, alone);
}
END_TEST

// Cycles of a kernel of one CTA that passes `n` barriers. The last warp exits before them if `leaves`; else all pass.
static uint64_t barriers_take(const char *core, const char *options, unsigned n, unsigned threads, bool leaves)
{
	static char ptx[8192];
	snprintf(ptx, sizeof ptx, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n.reg .b32 %%t, %%n;\n.reg .pred %%p;\n"
	         "mov.u32 %%t, %%tid.x;\nmov.u32 %%n, %%ntid.x;\nsub.u32 %%n, %%n, 32;\nsetp.ge.u32 %%p, %%t, %%n;\n%s",
	         leaves ? "@%p exit;\n" : "");
	for (unsigned i = 0; i < n; i++)
		strcat(ptx, "bar.sync 0;\n");
	strcat(ptx, "ret;\n}\n");
	struct diag why = {0};
	struct timed *t = timed_make(ptx, &why, (const char *const[]){core, options, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	timed_run(t, "k", 1, threads, 0, NULL, 0);
	const uint64_t cycles = gpu_cycle(t->gpu);
	timed_free(t);
	diag_free(&why);
	return cycles;
}

static const char *const cores[] = {TIMED_BASE "-core classic\n", MODERN};

// B300: 22 cycles and two for each warp.
START_TEST(barriers_take_a_while_and_two_cycles_a_warp)
{
	enum { N = 64 };
	static const char on[] = "-barrier_latency 20\n-barrier_arrival 2\n";
	for (unsigned warps = 1; warps <= 32; warps *= 2) {
		const uint64_t one = barriers_take(cores[_i], on, 1, 32 * warps, false), all = barriers_take(cores[_i], on, N + 1, 32 * warps, false);
		const double each = (double)(all - one) / N;
		ck_assert_msg(each >= 20 + 2 * warps && each <= 27 + 2 * warps, "%u warps: %.1f cycles", warps, each);
		ck_assert_uint_eq(all, barriers_take(cores[_i], "-barrier_latency 20\n-barrier_arrival 2\n-tick_every_cycle 1\n", N + 1, 32 * warps, false));
	}
	const double few = (double)(barriers_take(cores[_i], "", N + 1, 256, false) - barriers_take(cores[_i], "", 1, 256, false)) / N;
	ck_assert_msg(few < 16, "%.1f cycles", few);
	// A warp that has left is not waited for.
	const double left = (double)(barriers_take(cores[_i], on, N + 1, 160, true) - barriers_take(cores[_i], on, 1, 160, true)) / N;
	ck_assert_msg(left >= 20 + 2 * 4 && left <= 27 + 2 * 4, "%.1f cycles", left);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("silicon");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, blocks_start_so_many_cycles_apart);
	tcase_add_test(c, blocks_start_by_the_clock_of_the_network);
	tcase_add_test(c, blocks_start_by_a_clock_of_their_own);
	tcase_add_test(c, a_place_is_taken_again_so_many_cycles_later);
	tcase_add_test(c, blocks_leave_before_their_stores_arrive_and_the_kernel_does_not);
	tcase_add_test(c, a_kernel_finds_empty_caches);
	tcase_add_test(c, double_precision_in_the_subcore_has_its_latency_and_no_other);
	tcase_add_test(c, a_slice_adds_so_many_words_a_cycle);
	tcase_add_test(c, sectors_are_completed_before_they_are_written_back);
	tcase_add_loop_test(c, barriers_take_a_while_and_two_cycles_a_warp, 0, 2);
	tcase_add_test(c, words_of_one_bank_are_read_one_after_the_other);
	tcase_add_test(c, what_passes_l1d_by_takes_so_many_cycles_more);
	suite_add_tcase(s, c);
	return check_main(s);
}
