// What a load takes by the size of the set that it walks through, one load after the other, each the address of the next: on the
// configurations of GPUs of which such curves are published (docs/memory.md), within a twentieth of each plateau.
#include "tests/unit/timing_harness.h"

enum { TEXT = 1 << 16, LINE = 128, AT_ONCE = 32, MEASURED = 4096, ROUND = 1 << 15, TWENTIETH = 20 };

#define QUIET \
	"-gpgpu_execute ptx\n-gpgpu_kernel_launch_latency 0\n-gpgpu_TB_launch_latency 0\n-visualizer_enabled 0\n" \
	"-enable_ptx_file_line_stats 0\n-gpgpu_memlatency_stat 0\n"

// Kernels: `first` loads, then `count` that are measured.
#define HEAD(arch) \
	".version 8.3\n.target " arch "\n.address_size 64\n" \
	".visible .entry k(.param .u64 out, .param .u64 from, .param .u64 first, .param .u64 count) {\n" \
	".reg .b64 %out, %p, %n, %t<2>, %state, %count;\n.reg .b32 %s, %bar;\n.reg .pred %more, %q;\n" \
	".shared .align 16 .b8 s[16];\n.shared .align 8 .b64 bar;\n" \
	"ld.param.u64 %out, [out];\nld.param.u64 %p, [from];\nld.param.u64 %n, [first];\nld.param.u64 %count, [count];\n" \
	"mov.u32 %s, s;\nmov.u32 %bar, bar;\nmov.u64 %t0, 0;\n"
#define FOUR(load) load load load load
#define NEXT(load) FOUR(FOUR(load)) FOUR(FOUR(load)) "sub.u64 %n, %n, 32;\nsetp.ne.u64 %more, %n, 0;\n@%more bra L;\n"
#define TAIL \
	"mov.u64 %t1, %clock64;\nsetp.ne.u64 %q, %t0, 0;\nmov.u64 %n, %count;\n@!%q mov.u64 %t0, %t1;\n@!%q bra L;\n" \
	"sub.u64 %t1, %t1, %t0;\nst.global.u64 [%out], %t1;\n" \
	"st.global.u64 [%out+8], %p;\nret;\n}\n"
// Copies of 16 bytes by TMA, each of the word that the next address is read from.
#define TMA HEAD("sm_90a") "mbarrier.init.shared.b64 [%bar], 1;\nfence.proxy.async;\nst.shared.u64 [%s], %p;\nL:\n" \
	NEXT("{\nld.shared.u64 %p, [%s];\n" \
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%p], 16, [%bar];\n" \
	"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%bar], 16;\nmbarrier.arrive.shared.b64 %state, [%bar];\n" \
	"W:\nmbarrier.try_wait.shared.b64 %q, [%bar], %state;\n@!%q bra W;\n}\n") TAIL
#define PLAIN HEAD("sm_70") "L:\n" NEXT("ld.global.u64 %p, [%p];\n") TAIL

struct model {
	const char *name, *config, *more;
};

static struct timed *gpu_of(const struct model *g, const char *ptx)
{
	struct diag why = {0};
	char *config = calloc(1, TEXT);
	FILE *f = fopen(g->config, "r");
	ck_assert(f && config);
	config[fread(config, 1, TEXT - 1, f)] = 0;
	fclose(f);
	struct timed *t = timed_make(ptx, &why, (const char *const[]){config, QUIET, g->more, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	diag_free(&why);
	free(config);
	return t;
}

// Lines in an order that jumps by about 0.618 of them.
static void chain(uint64_t from, uint64_t lines)
{
	uint64_t step = lines * 618 / 1000 | 1, at = 0;
	for (uint64_t a = step, b = lines; b;) { // until they have no common divisor
		uint64_t rest = a % b;
		a = b, b = rest;
		if (!b && a != 1)
			step += 2, a = step, b = lines;
	}
	for (uint64_t i = 0; i < lines; i++) {
		const uint64_t next = (at + step) % lines;
		*(uint64_t *)(uintptr_t)(from + at * LINE) = from + next * LINE;
		at = next;
	}
}

// Cycles of a load. `cold`: of lines that nobody has touched.
static double load(const struct model *g, const char *ptx, uint64_t kib, bool cold)
{
	struct timed *t = gpu_of(g, ptx);
	const uint64_t lines = kib * 1024 / LINE, out = timed_alloc(t, LINE), from = timed_alloc(t, kib * 1024);
	chain(from, lines);
	const uint64_t *result = (const uint64_t *)(uintptr_t)out;
	uint64_t at = from;
	for (uint64_t left = cold ? 0 : lines; left; at = result[1]) {
		const uint64_t n = left < ROUND ? left : ROUND;
		timed_run(t, "k", 1, 1, 0, (uint64_t[]){out, at, n, AT_ONCE}, 4);
		left -= n;
	}
	timed_run(t, "k", 1, 1, 0, (uint64_t[]){out, at, lines < ROUND / 8 ? lines : AT_ONCE, MEASURED}, 4);
	const double cycles = (double)result[0] / MEASURED;
	timed_free(t);
	return cycles;
}

static void within(const struct model *g, const char *what, double measured, double published)
{
	if (getenv("HEDDLE_TELL"))
		printf("%s %-20s %7.1f %7.1f %+6.1f %%\n", g->name, what, measured, published, 100 * (measured - published) / published);
	else
		ck_assert_msg(measured >= published - published / TWENTIETH && measured <= published + published / TWENTIETH,
		              "%s, %s: %.1f cycles, published %.1f", g->name, what, measured, published);
}

// An H800 or H100 PCIe: 114 SMs at 1755 MHz, 2,039 GB/s. L2 and DRAM are fewer of its cycles away.
#define H800 \
	"-gpgpu_n_clusters 114\n-gpgpu_clock_domains 1755:1755:1755:796.5\n" \
	"-gpgpu_l2_rop_latency 225\n-l2_far_latency 105\n-dram_latency 203\n"

static const struct {
	struct model g;
	double l1, near, beyond, dram;
	uint64_t beyond_kib;
} curve[] = {
	{{"H100 PCIe", "configs/H100/gpgpusim.config", H800}, 34, 265.5, 475, 650, 36864},
	{{"A100", "configs/A100/gpgpusim.config", ""}, 33, 205.6, 412, 550, 32768},
	{{"GH200", "configs/H200/gpgpusim.config", ""}, 32.1, 280, 521, 678, 40960},
	{{"V100", "configs/V100/gpgpusim.config", ""}, 28, 212.1, 0, 425.5, 0},
};

START_TEST(plain_loads)
{
	const struct model *g = &curve[_i].g;
	within(g, "L1", load(g, PLAIN, 16, false), curve[_i].l1);
	within(g, "L2", load(g, PLAIN, 4096, false), curve[_i].near);
	within(g, "DRAM", load(g, PLAIN, 131072, true), curve[_i].dram);
}
END_TEST

START_TEST(plain_loads_beyond_half_of_l2)
{
	const struct model *g = &curve[_i].g;
	within(g, "beyond half of L2", load(g, PLAIN, curve[_i].beyond_kib, false), curve[_i].beyond);
}
END_TEST

// On the H800 104.3 to 105.0 cycles more than a plain load, for every set (docs/hopper.md).
START_TEST(copies_by_tma)
{
	const struct model *g = &curve[0].g;
	const double near = load(g, TMA, 4096, false);
	within(g, "TMA, L2", near, 369);
	within(g, "TMA, DRAM", load(g, TMA, 131072, true), 755);
	within(g, "TMA, beyond a plain load", near - load(g, PLAIN, 4096, false), 104.5);
}
END_TEST

START_TEST(copies_by_tma_beyond_half_of_l2)
{
	within(&curve[0].g, "TMA, beyond half of L2", load(&curve[0].g, TMA, 36864, false), 572);
}
END_TEST

int main(void)
{
	enum { CURVES = sizeof curve / sizeof *curve };
	Suite *s = suite_create("latency_curves");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, plain_loads, 0, CURVES);
	tcase_add_test(c, copies_by_tma);
	suite_add_tcase(s, c);
	if (!getenv("HEDDLE_TELL") && !getenv("HEDDLE_CURVES")) // these take half a minute
		return check_main(s);
	TCase *b = tcase_create("beyond");
	tcase_set_timeout(b, 400);
	tcase_add_loop_test(b, plain_loads_beyond_half_of_l2, 0, CURVES);
	tcase_add_test(b, copies_by_tma_beyond_half_of_l2);
	suite_add_tcase(s, b);
	return check_main(s);
}
