// The way to memory against closed forms: unloaded latency of L1, L2 and DRAM, bandwidth of each level, requests per
// warp instruction for each coalescing generation, atomics, local memory, textures, constants;
// nothing is lost on the way.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

enum { N = 32 };

static struct timed *start(const char *options, const char *before, const char *line, unsigned n, const char *after)
{
	struct text s = {0};
	text_add(&s, KERNEL_HEAD KERNEL_ENTRY("k"));
	text_add(&s, before);
	text_repeat(&s, n, line);
	text_add(&s, after);
	text_add(&s, "ret; }\n");
	struct timed *t = timed_new(s.at, options);
	text_free(&s);
	return t;
}

// --- latency. A chain of pointers in memory, `step` bytes apart, that one lane follows, `n` loads long,
// `rounds` times.
struct chase {
	uint64_t cycles, l1_hits, l2_hits, l2_misses, dram_reads;
};

static void hits(struct timed *t, struct chase *c)
{
	struct cache_sums s = {0};
	if (t->t->sm[0].ldst.l1d.cache)
		cache_sums(t->t->sm[0].ldst.l1d.cache, &s);
	c->l1_hits = s.accesses - s.misses - s.pending_hits;
	memory_l2_sums(t->t->memory, 0, &s);
	c->l2_hits = s.accesses - s.misses - s.pending_hits;
	c->l2_misses = s.misses;
	c->dram_reads = memory_dram_stats(t->t->memory, 0)->n_rd;
}

static struct chase chase(const char *options, const char *load, uint64_t step, unsigned n)
{
	struct chase c;
	struct timed *t = start(options, "setp.ne.u32 %p1, %r1, 0; @%p1 exit; mov.u64 %rd10, %rd1;", load, n,
	                        "st.global.u64 [%rd2], %rd10;");
	uint64_t data = timed_alloc(t, step * (2 * N + 2) + 64), out = timed_alloc(t, 64);
	uint64_t at = data;
	for (unsigned i = 0; i <= 2 * N; i++, at += step)
		*(uint64_t *)(uintptr_t)at = step ? at + step : at;
	c.cycles = timed_run(t, "k", 1, 32, 0, (uint64_t[4]){data, out}, 4);
	ck_assert_uint_eq(*(uint64_t *)(uintptr_t)out, data + step * n);
	hits(t, &c);
	timed_free(t);
	return c;
}

// Core cycles of a load, exact in the steady state.
static uint64_t load_cycles(const char *options, const char *load, uint64_t step, struct chase *c)
{
	struct chase a = chase(options, load, step, N), b = chase(options, load, step, 2 * N);
	*c = (struct chase){b.cycles - a.cycles, b.l1_hits - a.l1_hits, b.l2_hits - a.l2_hits, b.l2_misses - a.l2_misses,
	                    b.dram_reads - a.dram_reads};
	ck_assert_uint_eq(c->cycles % N, 0);
	return c->cycles / N;
}

#define LOAD "ld.global.u64 %rd10, [%rd10];\n"
#define LOAD_CG "ld.global.cg.u64 %rd10, [%rd10];\n"
#define NO_FLUSH "-gpgpu_flush_l1_cache 0\n"

START_TEST(a_load_that_hits_l1_takes_its_latency_and_five_cycles)
{
	// Issue, collector, registers, dispatch; into the unit and the L1 queue, whose stages are its latency;
	// then its reader.
	struct chase c;
	ck_assert_uint_eq(load_cycles("", LOAD, 0, &c), 20 + 5);
	ck_assert_uint_eq(c.l1_hits, N);
	ck_assert_uint_eq(load_cycles("-gpgpu_l1_latency 33\n", LOAD, 0, &c), 33 + 5);
}
END_TEST

START_TEST(a_load_that_hits_l2_takes_the_rop_latency_and_the_way)
{
	struct chase c, d;
	uint64_t one = load_cycles("", LOAD_CG, 0, &c), slow = load_cycles("-gpgpu_l2_rop_latency 170\n", LOAD_CG, 0, &d);
	ck_assert_uint_eq(c.l2_hits, N);
	ck_assert_uint_eq(c.dram_reads, 0);
	ck_assert_uint_eq(slow, one + 120);
	// Five cycles after issue the request leaves the SM, two later it is in the slice, which takes the ROP latency and
	// two cycles; one to the cluster, one to the SM, two to be written back, in the last of which the reader issues.
	ck_assert_uint_eq(one, 5 + 2 + 50 + 2 + 1 + 1 + 2);
}
END_TEST

START_TEST(a_load_that_misses_l2_takes_the_dram_latency_more)
{
	// Sectors of one row: RD, CL and the delay of the channel; other rows of a bank: PRE, RP, RCD too.
	struct chase c;
	uint64_t hit = load_cycles("", LOAD_CG, 0, &c), row_hit = load_cycles("", LOAD_CG, 32, &c);
	ck_assert_uint_eq(c.l2_misses, N);
	ck_assert_uint_eq(c.dram_reads, N);
	ck_assert_uint_ge(row_hit, hit + 60 + 12);
	ck_assert_uint_le(row_hit, hit + 60 + 12 + 6);
	// Bits of the row begin at 15: RBBBCCCB.CCCSSSSS below them.
	uint64_t row_miss = load_cycles("", LOAD_CG, 1 << 15, &c);
	ck_assert_uint_eq(c.dram_reads, N);
	ck_assert_uint_eq(row_miss, row_hit + 12 + 12);
	// All of it through the timing string.
	ck_assert_uint_eq(load_cycles("-dram_latency 160\n", LOAD_CG, 32, &c), row_hit + 100);
	ck_assert_uint_eq(load_cycles("-gpgpu_dram_timing_opt "
	                              "nbk=16:CCD=1:RRD=3:RCD=20:RAS=28:RP=15:RC=40:CL=17:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3\n",
	                              LOAD_CG, 1 << 15, &c),
	                  row_miss + 8 + 3 + 5);
}
END_TEST

START_TEST(an_l1_miss_costs_the_l1_latency_on_top_of_l2)
{
	struct chase c;
	uint64_t cg = load_cycles("", LOAD_CG, 32, &c), ca = load_cycles("", LOAD, 32, &c);
	ck_assert_uint_eq(c.l1_hits, 0);
	ck_assert_uint_ge(ca, cg + 20);
	ck_assert_uint_le(ca, cg + 20 + 3);
}
END_TEST

START_TEST(clocks_of_other_frequency_stretch_their_part_alone)
{
	struct chase c;
	uint64_t one = load_cycles("", LOAD_CG, 32, &c);
	// A DRAM clock of half the speed: its 12 cycles of CL take 24; the delay of the channel counts core cycles.
	struct chase a = chase("-gpgpu_clock_domains 1000:1000:1000:500\n", LOAD_CG, 32, N),
				 b = chase("-gpgpu_clock_domains 1000:1000:1000:500\n", LOAD_CG, 32, 2 * N);
	uint64_t slow = (b.cycles - a.cycles) / N;
	ck_assert_uint_ge(slow, one + 12);
	ck_assert_uint_le(slow, one + 12 + 8);
}
END_TEST

// --- bandwidth: differences between n and 2n loads of each of many warps

static uint64_t stream_cycles(const char *options, const char *line, unsigned n, uint32_t blocks, size_t bytes,
                              uint64_t first_pass)
{
	struct timed *t = start(options, "mul.wide.u32 %rd10, %r4, 4; add.s64 %rd10, %rd1, %rd10; "
	                                 "mul.wide.u32 %rd12, %r2, 256; add.s64 %rd10, %rd10, %rd12;\n", line, n, "");
	uint64_t data = timed_alloc(t, bytes);
	if (first_pass)
		timed_run(t, "k", blocks, 1024, 0, (uint64_t[4]){data}, 4);
	uint64_t c = timed_run(t, "k", blocks, 1024, 0, (uint64_t[4]){data}, 4);
	timed_free(t);
	return c;
}

static void near(uint64_t got, double want, double percent)
{
	ck_assert_msg((double)got >= want * (1 - percent / 100) && (double)got <= want * (1 + percent / 100),
	              "%llu cycles, not about %.0f", (unsigned long long)got, want);
}

START_TEST(l1_gives_a_sector_a_bank_and_cycle)
{
	// 32 warps, each load 128 bytes: four sectors in four banks in a cycle. All hit after the first round.
	const char *line = "ld.global.u32 %r@@, [%rd10];\n";
	uint64_t c = stream_cycles(NO_FLUSH, line, 2 * N, 1, 8192, true) - stream_cycles(NO_FLUSH, line, N, 1, 8192, true);
	ck_assert_uint_eq(c, 32 * N);
	// One bank: four cycles.
	c = stream_cycles(NO_FLUSH "-gpgpu_l1_banks 1\n", line, 2 * N, 1, 8192, true) -
	    stream_cycles(NO_FLUSH "-gpgpu_l1_banks 1\n", line, N, 1, 8192, true);
	ck_assert_uint_eq(c, 4 * 32 * N);
}
END_TEST

START_TEST(an_l2_slice_gives_32_bytes_a_cycle)
{
	// The same 4 kB again and again past L1: everything hits L2. A sector a cycle and slice.
	const char *line = "ld.global.cg.u32 %r@@, [%rd10];\n";
	uint64_t c = stream_cycles("", line, 2 * N, 1, 8192, true) - stream_cycles("", line, N, 1, 8192, true);
	near(c, 4 * 32 * N, 3);
}
END_TEST

START_TEST(the_network_takes_one_packet_a_cluster_and_cycle)
{
	// Four channels give more than one cluster can take: a packet (a sector) a cycle.
	const char *opt = "-gpgpu_n_mem 4\n";
	const char *line = "ld.global.cg.u32 %r@@, [%rd10];\n";
	uint64_t c = stream_cycles(opt, line, 2 * N, 1, 8192, true) - stream_cycles(opt, line, N, 1, 8192, true);
	near(c, 4 * 32 * N, 3);
	// Four clusters use all four, if they do not all go to the same one at a time: block b begins at channel b.
	opt = "-gpgpu_n_mem 4\n-gpgpu_n_clusters 4\n";
	c = stream_cycles(opt, line, 2 * N, 4, 1 << 16, true) - stream_cycles(opt, line, N, 4, 1 << 16, true);
	near(c, 4 * 32 * N, 15);
}
END_TEST

START_TEST(dram_gives_a_burst_each_burst_time)
{
	// A stream of 128 kB and more, each sector once:
	// buswidth 16 x burst 2 = 32 bytes in one command cycle at a ratio of 2.
	const char *line = "ld.global.cg.u32 %r@@, [%rd10]; add.s64 %rd10, %rd10, 4096;\n";
	uint64_t c = stream_cycles("", line, 2 * N, 1, 1 << 20, false) - stream_cycles("", line, N, 1, 1 << 20, false);
	near(c, 4096.0 / 32 * N, 12);
	// Half of the bus: twice the time.
	const char *half = "-gpgpu_dram_buswidth 8\n-gpgpu_dram_burst_length 4\n"
	                   "-gpgpu_dram_timing_opt "
	                   "nbk=16:CCD=2:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3\n";
	c = stream_cycles(half, line, 2 * N, 1, 1 << 20, false) - stream_cycles(half, line, N, 1, 1 << 20, false);
	near(c, 4096.0 / 16 * N, 6);
}
END_TEST

// --- coalescing

// Requests that one instruction sends past L1, of a warp whose lane addresses are base + lane * stride + offset.
static unsigned requests(const char *arch, const char *instruction, unsigned stride, unsigned offset)
{
	char before[300];
	snprintf(before, sizeof before,
	         "mul.wide.u32 %%rd10, %%r1, %u; add.s64 %%rd10, %%rd1, %%rd10; add.s64 %%rd10, %%rd10, %u;\n", stride,
	         offset);
	char opt[200];
	snprintf(opt, sizeof opt, "-gpgpu_coalesce_arch %s\n-gpgpu_cache:dl1 none\n", arch);
	struct timed *t = start(opt, before, instruction, 1, "");
	uint64_t data = timed_alloc(t, 1 << 16);
	timed_run(t, "k", 1, 32, 0, (uint64_t[4]){data}, 4);
	const struct sm_stats *s = timed_sm(t, 0);
	unsigned n = (unsigned)(s->mem_read[0] + s->mem_write[0]);
	timed_free(t);
	return n;
}

#define LD(type) "ld.global." type ";\n"
#define U8 LD("u8 %r40, [%rd10]")
#define U16 LD("u16 %r40, [%rd10]")
#define U32 LD("u32 %r40, [%rd10]")
#define U64 LD("u64 %rd40, [%rd10]")
#define V4 LD("v4.u32 {%r40, %r41, %r42, %r43}, [%rd10]")

START_TEST(lanes_are_coalesced_as_each_generation_does)
{
	// The segments: from 40 on sectors of 32 bytes; for 20 to 38 with L1 and for 39 lines of 128; before, by the size
	// of the type: 32, 64 or 128 bytes.
	static const struct {
		const char *instruction;
		unsigned stride, offset, sectors, lines, old; // requests for 60 and 70; for 20 and 35; for 13
	} row[] = {
		{U32, 4, 0, 4, 1, 1},    {U32, 4, 4, 5, 2, 2},    {U32, 4, 64, 4, 2, 2},   {U32, 8, 0, 8, 2, 2},
		{U32, 16, 0, 16, 4, 4},  {U32, 32, 0, 32, 8, 8},  {U32, 64, 0, 32, 16, 16}, {U32, 128, 0, 32, 32, 32},
		{U32, 256, 0, 32, 32, 32}, {U32, 0, 0, 1, 1, 1},  {U8, 1, 0, 1, 1, 1},     {U8, 1, 31, 2, 2, 2},
		{U16, 2, 0, 2, 1, 1},    {U16, 2, 32, 2, 2, 2},   {U64, 8, 0, 8, 2, 2},    {U64, 8, 8, 9, 3, 3},
		{V4, 16, 0, 16, 4, 4},   {V4, 16, 16, 17, 5, 5},  {V4, 32, 0, 32, 8, 8},
		{"st.global.u32 [%rd10], %r1;\n", 4, 0, 4, 1, 1}, {"st.global.u32 [%rd10], %r1;\n", 128, 0, 32, 32, 32},
	};
	for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
		const struct { const char *arch; unsigned requests; } want[] = {
			{"70", row[i].sectors}, {"60", row[i].sectors}, {"35", row[i].lines}, {"20", row[i].lines}, {"13", row[i].old}};
		for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
			unsigned got = requests(want[k].arch, row[i].instruction, row[i].stride, row[i].offset);
			ck_assert_msg(got == want[k].requests, "%s, row %u: %u", want[k].arch, i, got);
		}
	}
}
END_TEST

START_TEST(atomics_of_lanes_to_one_word_need_a_request_each)
{
	static const char *const arch[] = {"13", "20", "35", "60", "70"};
	const char *add = "atom.global.add.u32 %r40, [%rd10], 1;\n";
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_uint_eq(requests(arch[i], add, 0, 0), 32);
		ck_assert_uint_eq(requests(arch[i], "red.global.add.u32 [%rd10], 1;\n", 0, 0), 32);
	}
	for (unsigned i = 1; i < 5; i++)
		ck_assert_uint_eq(requests(arch[i], add, 4, 0), 4); // sectors, whatever loads have
}
END_TEST

START_TEST(atomics_add_up_and_come_back_to_every_lane)
{
	struct timed *t = start("-gpgpu_n_clusters 4\n-gpgpu_n_mem 4\n", "and.b32 %r20, %r1, 7; "
		"mul.wide.u32 %rd10, %r20, 4; add.s64 %rd10, %rd1, %rd10;\n",
	                        "atom.global.add.u32 %r40, [%rd10], 1; atom.global.max.u32 %r41, [%rd1+64], %r4; "
	                        "red.global.add.u64 [%rd1+128], 3;\n", 3, "");
	uint64_t data = timed_alloc(t, 4096);
	timed_run(t, "k", 8, 128, 0, (uint64_t[4]){data}, 4);
	const uint32_t *u = (const uint32_t *)(uintptr_t)data;
	for (unsigned i = 0; i < 8; i++)
		ck_assert_uint_eq(u[i], 3 * 8 * 128 / 8);
	ck_assert_uint_eq(u[16], 1023);
	ck_assert_uint_eq(*(const uint64_t *)(u + 32), 3 * 3 * 1024);
	timed_free(t);
}
END_TEST

// --- other spaces; results and conservation

static const char *const worlds[] = {
	"",
	"-gpgpu_perfect_mem 1\n",
	"-gpgpu_perfect_inst_const_cache 0\n",
	"-gpgpu_n_clusters 3\n-gpgpu_n_cores_per_cluster 2\n-gpgpu_n_mem 2\n-gpgpu_n_sub_partition_per_mchannel 2\n"
	"-gpgpu_perfect_inst_const_cache 0\n",
	"-network_mode 1\n-gpgpu_n_clusters 2\n-gpgpu_n_mem 2\n",
	"-gpgpu_cache:dl1 none\n-gpgpu_coalesce_arch 20\n-gpgpu_perfect_inst_const_cache 0\n"
	"-gpgpu_cache:il1 N:4:128:4,L:R:f:N:L,S:2:32,4\n",
	"-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4:0,32\n-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,S:64:8,8\n"
	"-gpgpu_coalesce_arch 20\n-gpgpu_clock_domains 700:700:700:924\n",
	"-gpgpu_cache:dl2 N:64:128:8,L:B:m:W:L,A:256:4,4:0,32\n-gpgpu_local_mem_map 0\n-gpgpu_flush_l2_cache 1\n",
	"-gpgpu_simple_dram_model 1\n-gpgpu_dram_scheduler 0\n",
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

static struct timed *world(const char *ptx, int i)
{
	char opt[600];
	const char *file = timed_icnt_file("topology = mesh; k = 2; n = 2; routing_function = dor; flit_size = 32; "
	                                   "num_vcs = 2; vc_buf_size = 8; use_map = 0;");
	snprintf(opt, sizeof opt, "-inter_config_file %s\n%s", file, worlds[i]);
	struct timed *t = timed_new(ptx, opt);
	unlink(file);
	return t;
}

START_TEST(local_memory_keeps_what_each_thread_writes)
{
	struct timed *t = world(KERNEL_HEAD KERNEL_ENTRY("k")
		".local .align 16 .b8 mine[512]; mov.u64 %rd20, mine; mov.u32 %r20, 0; mov.u32 %r22, 0;\n"
		"L: mul.wide.u32 %rd21, %r20, 4; add.s64 %rd22, %rd20, %rd21; mad.lo.u32 %r21, %r20, 1000, %r4; "
		"st.local.u32 [%rd22], %r21;\n"
		"add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 128; @%p1 bra L; mov.u32 %r20, 0;\n"
		"M: mul.wide.u32 %rd21, %r20, 4; add.s64 %rd22, %rd20, %rd21; ld.local.u32 %r21, [%rd22]; "
		"add.u32 %r22, %r22, %r21;\n"
		"add.u32 %r20, %r20, 3; setp.lt.u32 %p1, %r20, 128; @%p1 bra M;\n"
		"mul.wide.u32 %rd23, %r4, 4; add.s64 %rd24, %rd1, %rd23; st.global.u32 [%rd24], %r22; ret; }", _i);
	uint64_t out = timed_alloc(t, 1 << 14);
	timed_run(t, "k", 5, 96, 0, (uint64_t[4]){out}, 4);
	for (unsigned i = 0; i < 480; i++) {
		uint32_t sum = 0;
		for (unsigned k = 0; k < 128; k += 3)
			sum += k * 1000 + i;
		ck_assert_uint_eq(((uint32_t *)(uintptr_t)out)[i], sum);
	}
	const struct sm_stats *s = timed_sm(t, 0);
	ck_assert(_i == 1 || s->mem_read[1] + s->mem_write[1] > 0);
	timed_free(t);
}
END_TEST

START_TEST(constants_come_to_every_lane_that_asks)
{
	struct timed *t = world(KERNEL_HEAD ".const .align 4 .u32 tab[2048];\n" KERNEL_ENTRY("k")
		"mov.u64 %rd20, tab; mov.u32 %r20, 0; mov.u32 %r22, 0;\n"
		"L: mad.lo.u32 %r21, %r20, 37, %r4; and.b32 %r21, %r21, 2047; mul.wide.u32 %rd21, %r21, 4; "
		"add.s64 %rd22, %rd20, %rd21;\n"
		"ld.const.u32 %r23, [%rd22]; add.u32 %r22, %r22, %r23; ld.const.u32 %r24, [tab+64]; add.u32 %r22, %r22, %r24;\n"
		"add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 20; @%p1 bra L;\n"
		"mul.wide.u32 %rd23, %r4, 4; add.s64 %rd24, %rd1, %rd23; st.global.u32 [%rd24], %r22; ret; }", _i);
	uint32_t *tab = (uint32_t *)(uintptr_t)ptx_program_var(&t->b->program, "tab")->addr;
	for (unsigned i = 0; i < 2048; i++)
		tab[i] = i * i;
	uint64_t out = timed_alloc(t, 1 << 14);
	timed_run(t, "k", 5, 96, 0, (uint64_t[4]){out}, 4);
	for (unsigned i = 0; i < 480; i++) {
		uint32_t sum = 0;
		for (unsigned k = 0; k < 20; k++)
			sum += tab[(k * 37 + i) & 2047] + 256;
		ck_assert_uint_eq(((uint32_t *)(uintptr_t)out)[i], sum);
	}
	timed_free(t);
}
END_TEST

START_TEST(texture_fetches_give_their_texels)
{
	struct timed *t = world(".version 7.5\n.target sm_75\n.address_size 64\n.global .texref tx;\n" KERNEL_ENTRY("k")
		"mov.u32 %r20, 0; mov.f32 %f20, 0f00000000;\n"
		"L: mad.lo.u32 %r21, %r20, 7, %r1; and.b32 %r22, %r21, 63; shr.u32 %r23, %r4, 3; add.u32 %r23, %r23, %r20; "
		"and.b32 %r23, %r23, 31;\n"
		"cvt.rn.f32.u32 %f1, %r22; cvt.rn.f32.u32 %f2, %r23; "
		"tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [tx, {%f1, %f2}]; add.f32 %f20, %f20, %f4;\n"
		"add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 12; @%p1 bra L;\n"
		"mul.wide.u32 %rd23, %r4, 4; add.s64 %rd24, %rd1, %rd23; st.global.f32 [%rd24], %f20; ret; }", _i);
	struct texture tex = bench_texture(timed_alloc(t, 64 * 32 * 4), 64, 32);
	float *texel = (float *)(uintptr_t)tex.base;
	for (unsigned i = 0; i < 64 * 32; i++)
		texel[i] = (float)i;
	ptx_program_var(&t->b->program, "tx")->tex = &tex;
	uint64_t out = timed_alloc(t, 1 << 14);
	timed_run(t, "k", 5, 96, 0, (uint64_t[4]){out}, 4);
	for (unsigned i = 0; i < 480; i++) {
		float sum = 0;
		for (unsigned k = 0; k < 12; k++)
			sum += texel[((i / 8 + k) & 31) * 64 + ((k * 7 + i % 96) & 63)];
		ck_assert_float_eq(((float *)(uintptr_t)out)[i], sum);
	}
	ck_assert_uint_gt(timed_sm(t, 0)->n_tex, 0);
	timed_free(t);
}
END_TEST

START_TEST(copies_and_transpositions_arrive_whole)
{
	struct timed *t = world(KERNEL_HEAD ".shared .align 4 .b8 tile[4224];\n" KERNEL_ENTRY("k")
		// Block b transposes 32 x 32 words through shared memory, then reads past L1 what it wrote.
		"shr.u32 %r20, %r1, 5; and.b32 %r21, %r1, 31; mul.lo.u32 %r22, %r2, 1024; mov.u64 %rd20, tile; "
		"mov.u32 %r30, %r20;\n"
		"A: mad.lo.u32 %r23, %r30, 32, %r21; add.u32 %r24, %r22, %r23; mul.wide.u32 %rd21, %r24, 4; "
		"add.s64 %rd22, %rd1, %rd21;\n"
		"ld.global.u32 %r25, [%rd22]; mad.lo.u32 %r26, %r30, 33, %r21; mul.wide.u32 %rd23, %r26, 4; "
		"add.s64 %rd24, %rd20, %rd23; st.shared.u32 [%rd24], %r25;\n"
		"add.u32 %r30, %r30, 8; setp.lt.u32 %p1, %r30, 32; @%p1 bra A; bar.sync 0; mov.u32 %r30, %r20;\n"
		"B: mad.lo.u32 %r26, %r21, 33, %r30; mul.wide.u32 %rd23, %r26, 4; add.s64 %rd24, %rd20, %rd23; "
		"ld.shared.u32 %r25, [%rd24];\n"
		"mad.lo.u32 %r23, %r30, 32, %r21; add.u32 %r24, %r22, %r23; mul.wide.u32 %rd21, %r24, 4; "
		"add.s64 %rd22, %rd2, %rd21; st.global.u32 [%rd22], %r25;\n"
		"add.u32 %r30, %r30, 8; setp.lt.u32 %p1, %r30, 32; @%p1 bra B; ret; }", _i);
	uint64_t in = timed_alloc(t, 1 << 16), out = timed_alloc(t, 1 << 16);
	uint32_t *x = (uint32_t *)(uintptr_t)in, *y = (uint32_t *)(uintptr_t)out;
	for (unsigned i = 0; i < 16384; i++)
		x[i] = i * 2654435761u;
	timed_run(t, "k", 16, 256, 0, (uint64_t[4]){in, out}, 4);
	for (unsigned b = 0; b < 16; b++)
		for (unsigned i = 0; i < 1024; i++)
			ck_assert_uint_eq(y[b * 1024 + i], x[b * 1024 + i % 32 * 32 + i / 32]);
	timed_free(t);
}
END_TEST

// --- requests that are lost

static void keep_report(void *ctx, enum gpu_report kind, const char *line)
{
	(void)kind;
	text_add(ctx, line);
}

// A kernel of one load; what is called once its request is in memory may take it away.
static struct text after_a_loss(bool answer)
{
	struct text said = {0};
	text_add(&said, "");
	struct gpu_watch watch = {.ctx = &said, .report = keep_report};
	static const char ptx[] = KERNEL_HEAD KERNEL_ENTRY("k") "ld.global.u32 %r10, [%rd1]; "
		"st.global.u32 [%rd1 + 4], %r10; ret; }\n";
	struct timed *t = timed_new(ptx, "");
	uint64_t p[4] = {timed_alloc(t, 4096)};
	gpu_watch(t->gpu, &watch);
	t->may_fault = true;
	struct kernel_launch *l = timed_launch(t, "k", 1, 32, 0, p, 4, 0), *done = NULL;
	struct mem_req *stolen = answer ? NULL : mem_req_new(t->t->pool);
	while (!done) {
		done = gpu_run(t->gpu, 1);
		if (answer && !stolen && (stolen = memory_front(t->t->memory, 0)))
			memory_pop(t->t->memory, 0);
	}
	ck_assert_ptr_eq(done, l);
	ck_assert_int_eq(l->fault.kind, answer ? FAULT_TIMEOUT : FAULT_NONE);
	gpu_free(t->gpu);
	bench_free(t->b);
	options_free(&t->opt);
	mem_free(t);
	return said;
}

START_TEST(a_request_that_never_comes_back_is_reported_though_nobody_waits_for_it)
{
	struct text said = after_a_loss(false);
	ck_assert_msg(strstr(said.at, "1 memory requests never came back") != NULL, "%s", said.at);
	text_free(&said);
}
END_TEST

START_TEST(a_lost_answer_ends_the_kernel_with_a_report_of_who_waits)
{
	struct text said = after_a_loss(true);
	ck_assert_msg(strstr(said.at, "1 answers to come") != NULL, "%s", said.at);
	text_free(&said);
}
END_TEST

// Every instruction that a core issues ends, atomics without a result among them, wherever they go.
START_TEST(what_is_issued_is_completed)
{
	static const char text[] = KERNEL_HEAD KERNEL_ENTRY("k")
		".shared .align 4 .b8 s[512];\n"
		"mov.u32 %r12, s; shl.b32 %r11, %r1, 2; add.u32 %r12, %r12, %r11; mad.wide.u32 %rd10, %r4, 4, %rd1;\n"
		"st.shared.u32 [%r12], %r1; bar.sync 0; red.shared.add.u32 [s], 1; red.shared.max.u32 [%r12], 7;\n"
		"atom.shared.add.u32 %r13, [s], 1; red.global.add.u32 [%rd10], 1; ld.global.u32 %r14, [%rd10]; st.global.u32 [%rd10+4096], %r14;\n"
		"ld.shared.u32 %r15, [%r12]; st.global.u32 [%rd10+8192], %r15; ret; }\n";
	struct timed *t = timed_new(text, _i ? "-core modern\n-gpgpu_num_sched_per_core 4\n" : "");
	uint64_t data = timed_alloc(t, 1 << 14), completed = 0, threads = 0;
	timed_run(t, "k", 4, 96, 0, (uint64_t[4]){data}, 4);
	for (unsigned i = 0; i < t->t->core.n_sm; i++) {
		completed += t->t->sm[i].stats.warp_insts;
		threads += t->t->sm[i].stats.thread_insts;
	}
	ck_assert_uint_eq(completed, t->launch[0].counts.warp_insts);
	ck_assert_uint_eq(threads, t->launch[0].counts.thread_insts);
	timed_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("memory path");
	TCase *t = tcase_create("memory path");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_load_that_hits_l1_takes_its_latency_and_five_cycles);
	tcase_add_test(t, a_load_that_hits_l2_takes_the_rop_latency_and_the_way);
	tcase_add_test(t, a_load_that_misses_l2_takes_the_dram_latency_more);
	tcase_add_test(t, an_l1_miss_costs_the_l1_latency_on_top_of_l2);
	tcase_add_test(t, clocks_of_other_frequency_stretch_their_part_alone);
	tcase_add_test(t, l1_gives_a_sector_a_bank_and_cycle);
	tcase_add_test(t, an_l2_slice_gives_32_bytes_a_cycle);
	tcase_add_test(t, the_network_takes_one_packet_a_cluster_and_cycle);
	tcase_add_test(t, dram_gives_a_burst_each_burst_time);
	tcase_add_test(t, lanes_are_coalesced_as_each_generation_does);
	tcase_add_test(t, atomics_of_lanes_to_one_word_need_a_request_each);
	tcase_add_test(t, atomics_add_up_and_come_back_to_every_lane);
	tcase_add_loop_test(t, local_memory_keeps_what_each_thread_writes, 0, WORLDS);
	tcase_add_loop_test(t, constants_come_to_every_lane_that_asks, 0, WORLDS);
	tcase_add_loop_test(t, texture_fetches_give_their_texels, 0, WORLDS);
	tcase_add_loop_test(t, copies_and_transpositions_arrive_whole, 0, WORLDS);
	tcase_add_test(t, a_request_that_never_comes_back_is_reported_though_nobody_waits_for_it);
	tcase_add_test(t, a_lost_answer_ends_the_kernel_with_a_report_of_who_waits);
	tcase_add_loop_test(t, what_is_issued_is_completed, 0, 2);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
