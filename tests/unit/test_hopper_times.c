// What instructions of Hopper take on the configuration of an H100, in cycles, beside published measurements: each of them within a
// tenth. docs/hopper.md has the table, with the sources. Kernels are PTX, on the modern core.
#include "tests/unit/timing_harness.h"

#include "cuda-sim/tensor/map.h"

enum { TEXT = 1 << 18, OUT_WORDS = 64, TENTH = 10 };

#define CONFIG "configs/H100/gpgpusim.config"
#define QUIET "-gpgpu_execute ptx\n-gpgpu_kernel_launch_latency 0\n-gpgpu_TB_launch_latency 0\n-visualizer_enabled 0\n-enable_ptx_file_line_stats 0\n-gpgpu_memlatency_stat 0\n"

static char text[TEXT];
static size_t n_text;

__attribute__((format(printf, 1, 2))) static void put(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	n_text += (size_t)vsnprintf(text + n_text, sizeof text - n_text, fmt, ap);
	va_end(ap);
	ck_assert_uint_lt(n_text, sizeof text);
}

// --- kernels: they write what they have measured to the words at their first parameter

static void begin_with(const char *registers, unsigned shared)
{
	n_text = 0;
	put(".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 from, .param .u64 count) {\n"
	    ".reg .b64 %%out, %%from, %%state, %%sum;\n.reg .b32 %%t<80>, %%at, %%bar, %%n, %%x<8>;\n.reg .pred %%p, %%q;\n.shared .align 1024 .b8 s[%u];\n"
	    ".shared .align 8 .b64 bar;\n%s"
	    "ld.param.u64 %%out, [out];\nld.param.u64 %%from, [from];\nld.param.u32 %%n, [count];\nmov.u32 %%at, s;\nmov.u32 %%bar, bar;\n", shared, registers);
}

static void begin(const char *registers) { begin_with(registers, 1 << 16); }

static void clock_to(unsigned k) { put("mov.u32 %%t%u, %%clock;\n", k); }

// Word k of the result: cycles between two clocks.
static void result(unsigned k, unsigned from, unsigned to)
{
	put("sub.u32 %%x0, %%t%u, %%t%u;\nst.global.u32 [%%out+%u], %%x0;\n", to, from, 4 * k);
}

static void end(void) { put("ret;\n}\n"); }

static const char *also = ""; // options of all GPUs that are made

static struct timed *gpu_of(const char *more)
{
	struct diag why = {0};
	char *config = malloc(TEXT);
	FILE *f = fopen(CONFIG, "r");
	ck_assert(f && config);
	config[fread(config, 1, TEXT - 1, f)] = 0;
	fclose(f);
	struct timed *t = timed_make(text, &why, (const char *const[]){config, QUIET, more, also, NULL});
	ck_assert_msg(t && !why.errors, "%s", why.text ? why.text : "?");
	diag_free(&why);
	free(config);
	return t;
}

// Runs the kernel in `text` once; its words.
static void run(uint32_t *out, uint32_t grid, uint32_t block, uint64_t from_bytes, uint64_t count)
{
	struct timed *t = gpu_of("");
	const uint64_t at = timed_alloc(t, OUT_WORDS * 4), from = timed_alloc(t, from_bytes ? from_bytes : 128);
	timed_run(t, "k", grid, block, 0, (uint64_t[]){at, from, count}, 3);
	memcpy(out, (const void *)(uintptr_t)at, OUT_WORDS * 4);
	timed_free(t);
}

static void tell(const char *what, double measured, double published)
{
	if (getenv("HEDDLE_TELL"))
		printf("%-60s %9.1f %9.1f %+6.1f %%\n", what, measured, published, 100 * (measured - published) / published);
}

static void within_a_tenth(const char *what, double measured, double published)
{
	tell(what, measured, published);
	if (!getenv("HEDDLE_TELL"))
		ck_assert_msg(measured >= published - published / TENTH && measured <= published + published / TENTH, "%s: %.1f cycles, published %.1f", what,
		              measured, published);
}

// --- products of warp groups

static void group_product(unsigned n, unsigned k, const char *types, const char *last)
{
	put("wgmma.mma_async.sync.aligned.m64n%uk%u.%s {", n, k, types);
	for (unsigned i = 0; i < n / 2; i++)
		put("%s%%d%u", i ? ", " : "", i);
	put("}, %%da, %%db, %%p%s;\n", last);
}

// `times` products in a group; words: until all have been issued, and from then until they are complete.
static void group_products(uint32_t *out, unsigned n, unsigned k, unsigned times, const char *types, const char *last)
{
	begin(strstr(types, "s32") ? ".reg .b32 %d<128>;\n.reg .b64 %da, %db;\n" : ".reg .f32 %d<128>;\n.reg .b64 %da, %db;\n");
	put("setp.ne.b32 %%p, 0, 1;\nmov.b64 %%da, %llu;\nmov.b64 %%db, %llu;\n", 8ull << 16 | 64ull << 32, 1024ull | 8ull << 16 | 64ull << 32);
	for (unsigned i = 0; i < n / 2; i++)
		put("mov.b32 %%d%u, 0;\n", i);
	for (unsigned again = 0; again < 2; again++) { // the second time the code is in the caches
		put("mov.u32 %%x7, 0;\nL:\nbar.sync 0;\nwgmma.fence.sync.aligned;\n");
		clock_to(0);
		for (unsigned i = 0; i < times; i++)
			group_product(n, k, types, last);
		put("wgmma.commit_group.sync.aligned;\n");
		clock_to(1);
		put("wgmma.wait_group.sync.aligned 0;\n");
		clock_to(2);
		put("add.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%q, %%x7, 3;\n@%%q bra L;\n");
		break;
	}
	result(0, 0, 1);
	result(1, 1, 2);
	result(2, 0, 2);
	end();
	run(out, 1, 128, 0, 0);
}

#define HALVES "f32.f16.f16"
#define LAST ", 1, 1, 0, 0"

START_TEST(products_of_warp_groups)
{
	uint32_t out[OUT_WORDS];
	group_products(out, 64, 16, 1, HALVES, LAST);
	within_a_tenth("wgmma m64n64k16 SS alone, wait", out[1], 75);
	group_products(out, 128, 16, 1, HALVES, LAST);
	within_a_tenth("wgmma m64n128k16 SS alone, wait", out[1], 107);
	group_products(out, 128, 16, 8, HALVES, LAST);
	within_a_tenth("eight wgmma m64n128k16 in a group, each", out[2] / 8.0, 72.2);
	within_a_tenth("the issue of each", out[0] / 8.0, 4.3);
	group_products(out, 256, 16, 32, HALVES, LAST);
	within_a_tenth("wgmma m64n256k16 at full rate", out[2] / 32.0, 128);
}
END_TEST

// FLOP of an SM and cycle: twice the multiplications.
START_TEST(dense_peaks)
{
	static const struct { const char *types, *last; unsigned k, peak; } of[] = {
		{HALVES, LAST, 16, 4096}, {"f32.bf16.bf16", LAST, 16, 4096}, {"f32.tf32.tf32", ", 1, 1", 8, 2048},
		{"f32.e4m3.e4m3", ", 1, 1", 32, 8192}, {"s32.s8.s8", "", 32, 8192},
	};
	uint32_t out[OUT_WORDS];
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		group_products(out, 256, of[i].k, 32, of[i].types, of[i].last);
		within_a_tenth(of[i].types, 2.0 * 64 * 256 * of[i].k * 32 / out[2], of[i].peak);
	}
}
END_TEST

// --- products of warps

START_TEST(products_of_warps)
{
	enum { CHAIN = 16 };
	uint32_t out[OUT_WORDS];
	begin(".reg .f32 %d<64>;\n.reg .b32 %a<4>, %b<2>;\n");
	for (unsigned i = 0; i < 4; i++)
		put("mov.b32 %%a%u, 0;\nmov.b32 %%b%u, 0;\n", i, i % 2);
	for (unsigned i = 0; i < 64; i++)
		put("mov.f32 %%d%u, 0f00000000;\n", i);
	put("mov.u32 %%x7, 0;\nL:\nbar.sync 0;\n");
	clock_to(0);
	for (unsigned i = 0; i < CHAIN; i++) // each needs the sum of the one before
		put("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%d0, %%d1, %%d2, %%d3}, {%%a0, %%a1, %%a2, %%a3}, {%%b0, %%b1}, {%%d0, %%d1, %%d2, %%d3};\n");
	put("add.f32 %%d0, %%d0, %%d0;\n");
	clock_to(1);
	put("bar.sync 0;\n");
	clock_to(2);
	for (unsigned i = 0; i < 4 * CHAIN; i++) {
		const unsigned d = i % CHAIN * 4;
		put("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%%d%u, %%d%u, %%d%u, %%d%u}, {%%a0, %%a1, %%a2, %%a3}, {%%b0, %%b1}, {%%d%u, %%d%u, %%d%u, %%d%u};\n",
		    d, d + 1, d + 2, d + 3, d, d + 1, d + 2, d + 3);
	}
	clock_to(3);
	put("add.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%q, %%x7, 3;\n@%%q bra L;\n");
	result(0, 0, 1);
	result(1, 2, 3);
	for (unsigned i = 0; i < 16; i++)
		put("st.global.f32 [%%out+%u], %%d%u;\n", 16 + 4 * i, 4 * i);
	end();
	run(out, 1, 128, 0, 0);
	within_a_tenth("mma m16n8k16, latency", out[0] / (double)CHAIN, 24.1);
	// 494 TFLOP/s on the 114 SMs of an H800 PCIe at 1755 MHz.
	within_a_tenth("mma m16n8k16, FLOP of an SM and cycle", 4 * 4 * CHAIN * 2.0 * 16 * 8 * 16 / out[1], 494e12 / 114 / 1755e6);
}
END_TEST

// --- mbarriers

static void mbarrier_init(void) { put("mbarrier.init.shared.b64 [%%bar], 1;\nfence.proxy.async;\nbar.sync 0;\n"); }

static void try_wait(const char *label, const char *parity)
{
	put("%s:\nmbarrier.try_wait.parity.shared.b64 %%q, [%%bar], %s;\n@!%%q bra %s;\n", label, parity, label);
}

START_TEST(mbarriers)
{
	enum { TIMES = 16 };
	uint32_t out[OUT_WORDS];
	begin("");
	put("mbarrier.init.shared.b64 [%%bar], 1048575;\nmov.u32 %%x7, 0;\nmov.b64 %%sum, 0;\nL:\n");
	clock_to(0);
	for (unsigned i = 0; i < TIMES; i++)
		put("mbarrier.arrive.shared.b64 %%state, [%%bar];\nadd.u64 %%sum, %%sum, %%state;\n");
	clock_to(1);
	for (unsigned i = 0; i < TIMES; i++)
		put("mbarrier.try_wait.parity.shared.b64 %%q, [%%bar], 1;\n@!%%q bra M;\n");
	clock_to(2);
	put("add.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%q, %%x7, 3;\n@%%q bra L;\nM:\n");
	result(0, 0, 1);
	result(1, 1, 2);
	put("st.global.u64 [%%out+64], %%sum;\n");
	end();
	run(out, 1, 32, 0, 0);
	within_a_tenth("mbarrier.arrive", out[0] / (double)TIMES, 29);
	within_a_tenth("mbarrier.try_wait that finds the phase complete", out[1] / (double)TIMES, 32);
}
END_TEST

// --- bulk copies

static void expect(unsigned bytes)
{
	put("mbarrier.arrive.expect_tx.shared.b64 %%state, [%%bar], %u;\n", bytes);
}

static void load(unsigned bytes, unsigned to, unsigned from)
{
	put("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%at+%u], [%%from+%u], %u, [%%bar];\n", to, from, bytes);
}

// Cycles of one load of so many bytes that lie in L2, and of `n` at once.
static void loads(uint32_t *out, unsigned bytes, unsigned n)
{
	begin("");
	mbarrier_init();
	put("mov.u32 %%x7, 0;\nL:\nand.b32 %%x6, %%x7, 1;\n");
	expect(bytes * n);
	clock_to(0);
	for (unsigned i = 0; i < n; i++)
		load(bytes, i * bytes, i * bytes);
	clock_to(1);
	try_wait("W", "%x6");
	clock_to(2);
	put("add.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%p, %%x7, 3;\n@%%p bra L;\n");
	result(0, 0, 1);
	result(1, 0, 2);
	end();
	run(out, 1, 1, 1 << 20, 0);
}

START_TEST(bulk_loads)
{
	enum { LONG = 32768, SHORT = 1024, MANY = 4 };
	uint32_t out[OUT_WORDS], one;
	loads(out, 128, 1);
	one = out[1];
	loads(out, 128, 16);
	within_a_tenth("from one to the next", (out[1] - one) / 15.0, 33);
	// 564.8 cycles for 1 KiB and 1,284.9 for 32 KiB, on a GH200 whose CTA waits for each.
	loads(out, SHORT, 1);
	one = out[1];
	loads(out, LONG, 1);
	within_a_tenth("a load of 32 KiB from L2, B/cycle beyond 1 KiB", (LONG - SHORT) / (double)(out[1] - one), (LONG - SHORT) / (1284.9 - 564.8));
	loads(out, LONG / 2, 1);
	one = out[1];
	loads(out, LONG / 2, MANY);
	within_a_tenth("loads of 16 KiB from L2, B/cycle of many", (MANY - 1) * LONG / 2 / (double)(out[1] - one), 42.3);
}
END_TEST

// The same of a store: 271.0 cycles for 1 KiB, 2,007.1 for 32 KiB.
static uint32_t store(unsigned bytes)
{
	uint32_t out[OUT_WORDS];
	begin("");
	put("mov.u32 %%x7, 0;\nL:\n");
	clock_to(0);
	put("cp.async.bulk.global.shared::cta.bulk_group [%%from], [%%at], %u;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n", bytes);
	clock_to(1);
	put("add.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%p, %%x7, 3;\n@%%p bra L;\n");
	result(0, 0, 1);
	end();
	run(out, 1, 1, 1 << 20, 0);
	return out[0];
}

START_TEST(bulk_stores)
{
	enum { LONG = 32768, SHORT = 1024 };
	const uint32_t one = store(SHORT);
	within_a_tenth("a store of 32 KiB, B/cycle beyond 1 KiB", (LONG - SHORT) / (double)(store(LONG) - one), (LONG - SHORT) / (2007.1 - 271.0));
}
END_TEST

// The first copy of a kernel, of bytes that kernels before it have brought into L2.
START_TEST(first_copies)
{
	static const struct { unsigned bytes, cycles; } of[] = {{256, 1351}, {1024, 1346}, {4096, 1649}, {16384, 1887}};
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		char what[40];
		begin("");
		mbarrier_init();
		clock_to(0);
		expect(of[i].bytes);
		load(of[i].bytes, 0, 0);
		try_wait("W", "0");
		clock_to(1);
		result(0, 0, 1);
		end();
		struct timed *t = gpu_of("-gpgpu_clock_domains 1785:1785:1785:1562.5\n");
		const uint64_t at = timed_alloc(t, OUT_WORDS * 4), from = timed_alloc(t, of[i].bytes);
		for (unsigned k = 0; k < 3; k++)
			timed_run(t, "k", 1, 1, 0, (uint64_t[]){at, from, 0}, 3);
		snprintf(what, sizeof what, "first copy of a kernel, %u bytes", of[i].bytes);
		within_a_tenth(what, *(const uint32_t *)(uintptr_t)at, of[i].cycles);
		timed_free(t);
	}
}
END_TEST

// A box of 16 KiB of a tensor, in rows of 128 bytes, asks for its lines as a plain copy of so many bytes would at its rate.
START_TEST(boxes_of_tensors)
{
	enum { ROWS = 128, ROW = 128, PITCH = 512 };
	uint32_t plain[OUT_WORDS];
	also = "-tma_map_latency 0\n-tma_plain_load_bytes 64\n";
	loads(plain, ROWS * ROW, 1);
	begin("");
	mbarrier_init();
	put("mov.u32 %%x1, 0;\nmov.u32 %%x7, 0;\nL:\nand.b32 %%x6, %%x7, 1;\n");
	expect(ROWS * ROW);
	clock_to(0);
	put("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%at], [%%from, {%%x1, %%x1}], [%%bar];\n");
	try_wait("W", "%x6");
	clock_to(1);
	put("add.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%p, %%x7, 3;\n@%%p bra L;\n");
	result(0, 0, 1);
	end();
	struct timed *t = gpu_of("");
	const uint64_t at = timed_alloc(t, OUT_WORDS * 4), map = timed_alloc(t, TENSOR_MAP_BYTES), tensor = timed_alloc(t, ROWS * PITCH);
	const struct tensor_map m = {.mode = TENSOR_MAP_TILE, .type = TENSOR_MAP_F16, .rank = 2, .address = tensor, .size = {PITCH / 2, ROWS},
	                             .stride = {PITCH}, .box = {ROW / 2, ROWS}, .step = {1, 1}};
	ck_assert_msg(!tensor_map_wrong(&m, 90), "%s", tensor_map_wrong(&m, 90));
	tensor_map_encode(&m, (uint8_t *)(uintptr_t)map);
	timed_run(t, "k", 1, 1, 0, (uint64_t[]){at, map, 0}, 3);
	const uint32_t box = *(const uint32_t *)(uintptr_t)at;
	timed_free(t);
	also = "";
	tell("box of 16 KiB that hits L2, beside a plain copy", box, plain[1]);
	ck_assert_msg(box >= plain[1] && box <= plain[1] + plain[1] / TENTH, "a box takes %u cycles, a plain copy %u", box, plain[1]);
}
END_TEST

// An H800 PCIe, on which it was measured: 114 SMs at 1755 MHz, 2,039 GB/s; latencies as in test_latency_curves.c.
#define H800 \
	"-gpgpu_n_clusters 114\n-gpgpu_clock_domains 1755:1755:1755:796.5\n" \
	"-gpgpu_l2_rop_latency 225\n-l2_far_latency 105\n-dram_latency 203\n"

// All SMs load from memory that lies in DRAM, `ctas` to an SM, each a box after the other. GB/s at the GPU's clock.
static double bandwidth(unsigned bytes, unsigned ctas, unsigned times)
{
	enum { SMS = 114 };
	const double hz = 1755e6;
	begin_with("", bytes);
	mbarrier_init();
	put(".reg .b32 %%cta;\nmov.u32 %%cta, %%ctaid.x;\nmul.wide.u32 %%state, %%cta, %u;\nadd.u64 %%from, %%from, %%state;\n", bytes);
	put("mov.u32 %%x7, 0;\nL:\nand.b32 %%x6, %%x7, 1;\n");
	expect(bytes);
	load(bytes, 0, 0);
	try_wait("W", "%x6");
	put("add.u64 %%from, %%from, %u;\n", bytes * ctas * SMS);
	put("add.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%p, %%x7, %%n;\n@%%p bra L;\n");
	end();
	struct timed *t = gpu_of(H800);
	const uint64_t all = (uint64_t)SMS * ctas * bytes * times, from = timed_alloc(t, all);
	const uint64_t cycles = timed_run(t, "k", SMS * ctas, 1, 0, (uint64_t[]){from, from, times}, 3);
	timed_free(t);
	return (double)all / (double)cycles * hz / 1e9;
}

// The same by boxes of `w` words and `h` rows of a tensor with rows of 128 KiB, box by box along its rows.
static double bandwidth_of_boxes(unsigned w, unsigned h, unsigned ctas, unsigned times)
{
	enum { SMS = 114, PITCH = 1 << 17 };
	const double hz = 1755e6;
	const unsigned boxes = SMS * ctas * times, across = PITCH / 4 / w, rows = (boxes + across - 1) / across * h;
	begin_with("", 4 * w * h);
	mbarrier_init();
	put("mov.u32 %%x1, %%ctaid.x;\nmov.u32 %%x7, 0;\nL:\nand.b32 %%x6, %%x7, 1;\nrem.u32 %%x2, %%x1, %u;\nmul.lo.u32 %%x2, %%x2, %u;\n"
	    "div.u32 %%x3, %%x1, %u;\nmul.lo.u32 %%x3, %%x3, %u;\n", across, w, across, h);
	expect(4 * w * h);
	put("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%at], [%%from, {%%x2, %%x3}], [%%bar];\n");
	try_wait("W", "%x6");
	put("add.u32 %%x1, %%x1, %u;\nadd.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%p, %%x7, %%n;\n@%%p bra L;\n", SMS * ctas);
	end();
	struct timed *t = gpu_of(H800);
	const uint64_t map = timed_alloc(t, TENSOR_MAP_BYTES), tensor = timed_alloc(t, (uint64_t)rows * PITCH);
	const struct tensor_map m = {.mode = TENSOR_MAP_TILE, .type = TENSOR_MAP_F32, .rank = 2, .address = tensor, .size = {PITCH / 4, rows},
	                             .stride = {PITCH}, .box = {w, h}, .step = {1, 1}};
	ck_assert_msg(!tensor_map_wrong(&m, 90), "%s", tensor_map_wrong(&m, 90));
	tensor_map_encode(&m, (uint8_t *)(uintptr_t)map);
	const uint64_t cycles = timed_run(t, "k", SMS * ctas, 1, 0, (uint64_t[]){map, map, times}, 3);
	timed_free(t);
	return 4.0 * w * h * boxes / (double)cycles * hz / 1e9;
}

START_TEST(bandwidth_of_dram)
{
	// The log of the published program counts 2^30 bytes a second.
	static const struct {
		unsigned kib, ctas;
		double gib;
	} plain[] = {{1, 1, 222.8}, {1, 4, 830.3}, {4, 1, 759.4}, {16, 1, 1707.7}, {16, 2, 1806.8}, {16, 4, 1826.1}};
	static const struct {
		unsigned w, h, ctas;
		double gib;
	} box[] = {{16, 16, 1, 177.6}, {32, 16, 1, 348.9}, {32, 32, 1, 630.5}, {64, 64, 2, 1808.8}};
	const double gib = 1.073741824;
	char what[80];
	for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++) {
		snprintf(what, sizeof what, "GB/s, copies of %u KiB, %u CTAs to an SM", plain[i].kib, plain[i].ctas);
		within_a_tenth(what, bandwidth(plain[i].kib * 1024, plain[i].ctas, 16), plain[i].gib * gib);
	}
	for (unsigned i = 0; i < sizeof box / sizeof *box; i++) {
		snprintf(what, sizeof what, "GB/s, boxes of %u x %u words, %u CTAs to an SM", box[i].w, box[i].h, box[i].ctas);
		within_a_tenth(what, bandwidth_of_boxes(box[i].w, box[i].h, box[i].ctas, 32), box[i].gib * gib);
	}
}
END_TEST

// All SMs of that H800 load boxes of 16 KB, two CTAs to an SM, of a set of 4 MB that lies in L2. On the H100 PCIe plain loads of sets
// of 4 to 36 MB came with 6,850 to 7,120 GB/s.
START_TEST(bandwidth_of_l2)
{
	enum { SMS = 114, CTAS = 2, BOX = 16384, ROUNDS = 2, SET = 4 << 20 };
	begin("");
	mbarrier_init();
	put(".reg .b32 %%place;\n.reg .b64 %%base;\nmov.u32 %%place, %%ctaid.x;\nmul.lo.u32 %%place, %%place, %u;\nmov.u64 %%base, %%from;\n"
	    "mov.u32 %%x7, 0;\nL:\nand.b32 %%x6, %%x7, 1;\nand.b32 %%place, %%place, %u;\ncvt.u64.u32 %%from, %%place;\nadd.u64 %%from, %%from, %%base;\n",
	    BOX, SET - 1);
	expect(2 * BOX);
	load(BOX, 0, 0);
	load(BOX, BOX, 0);
	try_wait("W", "%x6");
	put("add.u32 %%place, %%place, %u;\nadd.u32 %%x7, %%x7, 1;\nsetp.lt.u32 %%p, %%x7, %%n;\n@%%p bra L;\n", BOX * CTAS * SMS);
	end();
	struct timed *t = gpu_of(H800);
	const uint64_t from = timed_alloc(t, SET);
	uint64_t cycles[3]; // the first brings the set into L2
	for (unsigned i = 0; i < 3; i++)
		cycles[i] = timed_run(t, "k", SMS * CTAS, 1, 0, (uint64_t[]){from, from, i ? ROUNDS * i : 2}, 3);
	timed_free(t);
	const double bytes = 2.0 * BOX * SMS * CTAS * ROUNDS;
	within_a_tenth("GB/s from L2 by TMA", bytes / (double)(cycles[2] - cycles[1]) * 1755e6 / 1e9, 7000);
}
END_TEST

// Cycles of the memory side for a sector of constant bank 0, after a kernel of two parameters.
static uint64_t sector_after_launch(const char *more, uint32_t offset)
{
	enum { MOST = 5000 };
	begin("");
	end();
	struct timed *t = gpu_of(more);
	const uint64_t from = timed_alloc(t, 64);
	timed_run(t, "k", 1, 1, 0, (uint64_t[]){from, from, 0}, 3);
	struct memory *m = t->t->memory;
	const uint64_t start = gpu_cycle(t->gpu), addr = isa_const_address(0, offset) / MEM_SECTOR * MEM_SECTOR;
	struct mem_req *r = mem_req_new(t->t->pool);
	r->addr = addr, r->bytes = MEM_SECTOR, r->type = CONST_ACC_R, r->created = start;
	r->sectors = (uint8_t)(1u << addr % MEM_MAX_LINE / MEM_SECTOR);
	addr_map_place(memory_map(m), addr, &r->place);
	const unsigned sub = r->place.sub;
	uint64_t now = start;
	for (memory_push(m, sub, r, now); !memory_front(m, sub) && now < start + MOST; now++) {
		memory_tick_dram(m, 1, now);
		memory_tick_l2(m, now);
	}
	ck_assert_ptr_eq(memory_pop(m, sub), r);
	mem_req_free(t->t->pool, r);
	timed_free(t);
	return now - start;
}

START_TEST(parameters_lie_in_l2_after_the_launch)
{
	const uint64_t there = sector_after_launch("", 0x210), beyond = sector_after_launch("", 0x1000);
	ck_assert_uint_gt(beyond, there + 200); // from DRAM
	ck_assert_uint_eq(sector_after_launch("", 0), there);
	ck_assert_uint_eq(sector_after_launch("-inst_preload_lines 0\n", 0x210), beyond);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("hopper_times");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 120);
	tcase_add_test(c, products_of_warp_groups);
	tcase_add_test(c, dense_peaks);
	tcase_add_test(c, products_of_warps);
	tcase_add_test(c, mbarriers);
	tcase_add_test(c, bulk_loads);
	tcase_add_test(c, bulk_stores);
	tcase_add_test(c, first_copies);
	tcase_add_test(c, boxes_of_tensors);
	tcase_add_test(c, parameters_lie_in_l2_after_the_launch);
	suite_add_tcase(s, c);
	if (!getenv("HEDDLE_TELL") && !getenv("HEDDLE_BANDWIDTH")) // these take a minute
		return check_main(s);
	TCase *b = tcase_create("bandwidth");
	tcase_set_timeout(b, 400);
	tcase_add_test(b, bandwidth_of_l2);
	tcase_add_test(b, bandwidth_of_dram);
	suite_add_tcase(s, b);
	return check_main(s);
}
