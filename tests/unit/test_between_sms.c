// Memory between SMs (isa/effects.h): what an SM sees of its own stores and of others' within a cycle, and that the order in
// which SMs are stepped changes nothing, for programs that race too, and neither what observers write.
#include "tests/unit/timing_harness.h"

#include "cuda-sim/exec/inst_log.h"
#include "cuda-sim/trace/write/writer.h"
#include "gpgpu-sim/look/debug_streams.h"
#include "isa/effects.h"

#include <zlib.h>

// --- effects alone

static uint32_t memory[64];
static uint32_t carried[16];
static unsigned n_carried;

static void carry(void *ctx, uint32_t token)
{
	const struct effects *e = ctx;
	ck_assert(e->committing);
	carried[n_carried++] = token;
	carried[n_carried++] = memory[0];
}

static void store(struct effects *e, uint32_t *at, uint32_t value)
{
	memcpy(effects_store(e, (uintptr_t)at, 4), &value, 4);
}

static uint32_t seen(struct effects *e, const uint32_t *at)
{
	uint32_t v;
	effects_read(e, (uintptr_t)at, &v, 4);
	return v;
}

START_TEST(a_store_is_seen_by_its_sm_at_once_and_by_memory_at_the_end)
{
	struct effects e;
	effects_init(&e);
	for (unsigned i = 0; i < 64; i++)
		memory[i] = 100 + i;
	ck_assert(!e.any && !effects_hides(&e, (uintptr_t)memory, sizeof memory));
	store(&e, &memory[3], 1);
	store(&e, &memory[3], 2);
	ck_assert(e.any && effects_hides(&e, (uintptr_t)&memory[3], 1));
	ck_assert_uint_eq(memory[3], 103);
	ck_assert_uint_eq(seen(&e, &memory[3]), 2);
	ck_assert_uint_eq(seen(&e, &memory[4]), 104);
	// A load that the store covers in part.
	uint64_t wide;
	effects_read(&e, (uintptr_t)&memory[2], &wide, 8);
	ck_assert_uint_eq(wide, (uint64_t)2 << 32 | 102);
	effects_commit(&e, carry, &e);
	ck_assert_uint_eq(memory[3], 2);
	ck_assert(!e.any && !e.committing && !effects_hides(&e, (uintptr_t)memory, sizeof memory));
	effects_free(&e);
}
END_TEST

START_TEST(lanes_store_and_see_their_own_places)
{
	struct effects e;
	uint64_t adr[32];
	effects_init(&e);
	for (unsigned i = 0; i < 64; i++)
		memory[i] = i;
	for (unsigned i = 0; i < 32; i++)
		adr[i] = (uintptr_t)&memory[63 - i];
	adr[7] = adr[6]; // the last lane wins
	uint8_t *to = effects_lanes(&e, adr, 0xff, 4);
	for (unsigned i = 0; i < 8; i++)
		memcpy(to + i * 4, (uint32_t[]){1000 + i}, 4);
	uint64_t look[32];
	memcpy(look, adr, sizeof look);
	ck_assert(effects_view(&e, look, 0x1ff, 4));
	for (unsigned i = 0; i < 32; i++) {
		uint32_t want = i == 6 || i == 7 ? 1007 : i < 8 ? 1000 + i : i == 8 ? 55 : 1000; // others stand where the first does
		ck_assert_uint_eq(*(uint32_t *)(uintptr_t)look[i], want);
	}
	for (unsigned i = 0; i < 32; i++)
		look[i] = (uintptr_t)&memory[i];
	uint64_t same[32];
	memcpy(same, look, sizeof same);
	ck_assert(!effects_view(&e, look, 0xffffffff, 4));
	ck_assert_mem_eq(same, look, sizeof same);
	effects_commit(&e, carry, &e);
	ck_assert_uint_eq(memory[63], 1000);
	ck_assert_uint_eq(memory[57], 1007);
	ck_assert_uint_eq(memory[56], 56);
	ck_assert_uint_eq(memory[55], 55);
	effects_free(&e);
}
END_TEST

START_TEST(stores_of_every_width_are_written_and_nothing_beside_them)
{
	static uint8_t at[40 * 64], want[sizeof at];
	struct effects e;
	effects_init(&e);
	for (uint32_t bytes = 1; bytes <= 1024; bytes *= 2) {
		memset(at, 0xee, sizeof at);
		memset(want, 0xee, sizeof want);
		uint8_t *to = effects_store(&e, (uintptr_t)at + 3, bytes);
		for (uint32_t k = 0; k < bytes; k++)
			to[k] = want[3 + k] = (uint8_t)(k * 7 + bytes);
		effects_commit(&e, carry, &e);
		ck_assert_mem_eq(at, want, sizeof at);
	}
	for (uint32_t bytes = 1; bytes <= 64; bytes *= 2) {
		uint64_t adr[32];
		memset(at, 0xee, sizeof at);
		memset(want, 0xee, sizeof want);
		for (unsigned i = 0; i < 32; i++)
			adr[i] = (uintptr_t)at + 1 + (31 - i) * (bytes + 1);
		uint8_t *to = effects_lanes(&e, adr, 0x80f00ff1, bytes);
		for (unsigned i = 0; i < 32; i++)
			for (uint32_t k = 0; k < bytes && 0x80f00ff1 >> i & 1; k++)
				to[i * bytes + k] = want[adr[i] - (uintptr_t)at + k] = (uint8_t)(i * 64 + k);
		effects_commit(&e, carry, &e);
		ck_assert_mem_eq(at, want, sizeof at);
	}
	effects_free(&e);
}
END_TEST

START_TEST(what_was_put_off_comes_between_the_stores_around_it)
{
	struct effects e;
	effects_init(&e);
	n_carried = 0;
	store(&e, &memory[0], 7);
	effects_put_off(&e, 42);
	store(&e, &memory[0], 8);
	effects_put_off(&e, 43);
	effects_commit(&e, carry, &e);
	ck_assert_uint_eq(n_carried, 4);
	ck_assert_mem_eq(carried, ((uint32_t[]){42, 7, 43, 8}), 16);
	// Many: room is made while entries are there.
	for (unsigned k = 0; k < 3000; k++)
		store(&e, &memory[k % 64], k);
	for (unsigned k = 0; k < 64; k++)
		ck_assert_uint_eq(seen(&e, &memory[k]), 2999 - (2999 - k) % 64);
	effects_commit(&e, carry, &e);
	ck_assert_uint_eq(memory[5], 2999 - (2999 - 5) % 64);
	effects_free(&e);
}
END_TEST

static void put_number(void *ctx, const char *text)
{
	carried[n_carried++] = (uint32_t)atoi(text) + *(const uint32_t *)ctx;
	carried[n_carried++] = memory[0];
}

START_TEST(lines_come_at_the_end_between_the_stores_around_them)
{
	struct effects e;
	uint32_t thousand = 1000;
	char text[8] = "1";
	effects_init(&e);
	memory[0] = 0;
	n_carried = 0;
	effects_say(&e, put_number, &thousand, text);
	strcpy(text, "?"); // it has a copy
	ck_assert(e.any && !n_carried);
	store(&e, &memory[0], 7);
	effects_say(&e, put_number, &thousand, "2");
	effects_put_off(&e, 42);
	store(&e, &memory[0], 8);
	effects_say(&e, put_number, &thousand, "3");
	ck_assert_uint_eq(seen(&e, &memory[0]), 8);
	effects_commit(&e, carry, &e);
	ck_assert_uint_eq(n_carried, 8);
	ck_assert_mem_eq(carried, ((uint32_t[]){1001, 0, 1002, 7, 42, 7, 1003, 8}), 32);
	e.committing = true; // as what is carried out sees it
	effects_say(&e, put_number, &thousand, "4");
	ck_assert_uint_eq(n_carried, 10);
	ck_assert(!e.any);
	effects_free(&e);
}
END_TEST

START_TEST(a_launch_has_one_fault_and_learns_of_it_at_the_end)
{
	struct effects e;
	struct kernel_launch a = {0}, b = {0};
	effects_init(&e);
	struct fault *f = effects_fault(&e, &a);
	ck_assert_ptr_nonnull(f);
	f->kind = FAULT_TRAP;
	ck_assert_ptr_null(effects_fault(&e, &a));
	struct fault *g = effects_fault(&e, &b);
	ck_assert_ptr_nonnull(g);
	g->kind = FAULT_ASSERT;
	ck_assert(e.any && !a.fault.kind && !b.fault.kind);
	effects_commit(&e, carry, &e);
	ck_assert_int_eq(a.fault.kind, FAULT_TRAP);
	ck_assert_int_eq(b.fault.kind, FAULT_ASSERT);
	ck_assert_ptr_null(effects_fault(&e, &a));
	effects_free(&e);
}
END_TEST

// --- programs that race

static const char program[] =
	".version 7.5\n.target sm_75\n.address_size 64\n"
	".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
	".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
	".global .align 1 .b8 text[8] = {37, 100, 10, 0};\n"
	// Every thread goes over 64 words that all share: reads one, writes another, adds to a third by atomics with and
	// without result, exchanges, compares and swaps, and keeps a checksum of all that it saw.
	".visible .entry race(.param .u64 shared, .param .u64 out)\n{\n"
	".reg .b32 %r<24>;\n.reg .b64 %d<12>;\n.reg .pred %p<4>;\n"
	"ld.param.u64 %d1, [shared];\nld.param.u64 %d2, [out];\n"
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
	"mov.u32 %r5, 0;\nmov.u32 %r6, %r4;\n"
	"LOOP:\nmad.lo.u32 %r6, %r6, 1664525, 1013904223;\n"
	"shr.u32 %r7, %r6, 26;\nmul.wide.u32 %d3, %r7, 4;\nadd.s64 %d4, %d1, %d3;\n"
	"ld.global.u32 %r8, [%d4];\n"
	"shr.u32 %r9, %r6, 20;\nand.b32 %r9, %r9, 63;\nmul.wide.u32 %d5, %r9, 4;\nadd.s64 %d6, %d1, %d5;\n"
	"add.u32 %r10, %r8, %r4;\nst.global.u32 [%d6], %r10;\n"
	"ld.volatile.global.u32 %r11, [%d6];\n"
	"atom.global.add.u32 %r12, [%d4], 1;\nred.global.max.u32 [%d6], %r8;\n"
	"atom.global.exch.b32 %r13, [%d6], %r6;\natom.global.cas.b32 %r14, [%d4], %r12, %r10;\n"
	"atom.add.u32 %r15, [%d4], %r5;\n"
	"mad.lo.u32 %r5, %r5, 31, %r8;\nmad.lo.u32 %r5, %r5, 31, %r11;\nmad.lo.u32 %r5, %r5, 31, %r12;\n"
	"mad.lo.u32 %r5, %r5, 31, %r13;\nmad.lo.u32 %r5, %r5, 31, %r14;\nmad.lo.u32 %r5, %r5, 31, %r15;\n"
	"add.u32 %r16, %r16, 1;\nsetp.lt.u32 %p1, %r16, 12;\n@%p1 bra LOOP;\n"
	"mul.wide.u32 %d7, %r4, 4;\nadd.s64 %d8, %d2, %d7;\nst.global.u32 [%d8], %r5;\nret;\n}\n"
	// Services that all SMs share: the heap's addresses and the order of lines depend on who comes first.
	".visible .entry services(.param .u64 shared, .param .u64 out)\n{\n"
	".reg .b32 %r<8>;\n.reg .b64 %d<12>;\n.local .align 8 .b8 args[8];\n.reg .b64 %a;\n.reg .pred %p;\n"
	"ld.param.u64 %d2, [out];\n"
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
	"{\n.param .b64 n;\n.param .b64 got;\nst.param.b64 [n], 48;\ncall.uni (got), malloc, (n);\nld.param.b64 %d3, [got];\n}\n"
	"mul.wide.u32 %d7, %r4, 8;\nadd.s64 %d8, %d2, %d7;\nst.global.u64 [%d8], %d3;\n"
	"and.b32 %r5, %r4, 15;\nsetp.ne.u32 %p, %r5, 0;\n@%p bra END;\n"
	"mov.u64 %a, args;\ncvta.local.u64 %d4, %a;\nst.local.u32 [args], %r4;\n"
	"mov.u64 %d5, text;\ncvta.global.u64 %d6, %d5;\n"
	"{\n.param .b64 f;\n.param .b64 v;\n.param .b32 got;\nst.param.b64 [f], %d6;\nst.param.b64 [v], %d4;\n"
	"call.uni (got), vprintf, (f, v);\n}\n"
	"END:\nret;\n}\n"
	// The same on shared memory of the blocks of a cluster, each thread on that of the other block and on its own.
	".visible .entry clusters(.param .u64 shared, .param .u64 out)\n{\n"
	".reg .b32 %r<24>;\n.reg .b64 %d<8>;\n.reg .pred %p;\n.shared .align 4 .b8 mem[256];\n"
	"ld.param.u64 %d2, [out];\n"
	"mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
	"mov.u32 %r20, %cluster_ctarank;\nxor.b32 %r21, %r20, 1;\nmov.u32 %r22, mem;\nmapa.shared::cluster.u32 %r23, %r22, %r21;\n"
	"shl.b32 %r7, %r3, 2;\nand.b32 %r7, %r7, 252;\nadd.u32 %r8, %r22, %r7;\nst.shared.u32 [%r8], %r4;\n"
	"barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
	"mov.u32 %r5, 0;\nmov.u32 %r6, %r4;\nmov.u32 %r16, 0;\n"
	"AGAIN:\nmad.lo.u32 %r6, %r6, 1664525, 1013904223;\n"
	"shr.u32 %r7, %r6, 26;\nshl.b32 %r7, %r7, 2;\nadd.u32 %r8, %r23, %r7;\n"
	"shr.u32 %r9, %r6, 20;\nand.b32 %r9, %r9, 63;\nshl.b32 %r9, %r9, 2;\nadd.u32 %r9, %r22, %r9;\n"
	"ld.shared::cluster.u32 %r10, [%r8];\nst.shared.u32 [%r9], %r6;\natom.shared::cluster.add.u32 %r11, [%r8], 1;\n"
	"add.u32 %r13, %r10, %r4;\nst.shared::cluster.u32 [%r8], %r13;\nld.shared.u32 %r12, [%r9];\n"
	"mad.lo.u32 %r5, %r5, 31, %r10;\nmad.lo.u32 %r5, %r5, 31, %r11;\nmad.lo.u32 %r5, %r5, 31, %r12;\n"
	"and.b32 %r14, %r16, 3;\nsetp.ne.u32 %p, %r14, 3;\n@%p bra ON;\n"
	"barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
	"ON:\nadd.u32 %r16, %r16, 1;\nsetp.lt.u32 %p, %r16, 12;\n@%p bra AGAIN;\n"
	"barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
	"mul.wide.u32 %d3, %r4, 4;\nadd.s64 %d4, %d2, %d3;\nst.global.u32 [%d4], %r5;\nret;\n}\n"
	// Two SMs, one thread each, in step: in every round both store their number to a word and load it in the next
	// instruction; each must read its own.
	".visible .entry own(.param .u64 shared, .param .u64 out)\n{\n"
	".reg .b32 %r<12>;\n.reg .b64 %d<8>;\n.reg .pred %p;\n"
	"ld.param.u64 %d1, [shared];\nld.param.u64 %d2, [out];\nmov.u32 %r1, %ctaid.x;\n"
	"LOOP:\nst.global.u32 [%d1], %r1;\nld.global.cg.u32 %r2, [%d1];\nadd.u32 %r3, %r3, %r2;\n"
	"add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p, %r4, 50;\n@%p bra LOOP;\n"
	"mul.wide.u32 %d3, %r1, 4;\nadd.s64 %d4, %d2, %d3;\nst.global.u32 [%d4], %r3;\nret;\n}\n";

enum { BLOCKS = 22, THREADS = 96, OUT = BLOCKS * THREADS * 8 };

static const char *const cores[] = {
	"-gpgpu_n_clusters 7\n-gpgpu_n_mem 2\n",
	"-gpgpu_n_clusters 3\n-gpgpu_n_cores_per_cluster 3\n-gpgpu_n_mem 2\n",
	"-gpgpu_n_clusters 5\n-gpgpu_num_sched_per_core 2\n-gpgpu_max_insn_issue_per_warp 2\n-gpgpu_perfect_mem 1\n",
	"-gpgpu_n_clusters 4\n-gpgpu_n_cores_per_cluster 2\n-icnt_in_buffer_limit 3\n",
	"-gpgpu_n_clusters 6\n-core modern\n-gpgpu_num_sched_per_core 4\n-gpgpu_inst_fetch_throughput 1\n",
};
enum { CORES = sizeof cores / sizeof *cores };

// Statistics, what the kernel wrote and what it printed.
static char *outcome(const char *kernel, const char *options, bool tick, uint64_t order)
{
	struct diag why = {0};
	struct timed *t = timed_make(program, &why, (const char *const[]){TIMED_BASE, options, tick ? "-tick_every_cycle 1\n" : "", NULL});
	ck_assert_msg(t != NULL, "%s", why.text ? why.text : "?");
	timing_set_order(t->t, order);
	if (!strcmp(kernel, "clusters"))
		memcpy(t->cluster, (uint32_t[]){2, 1, 1}, sizeof t->cluster);
	uint64_t shared = timed_alloc(t, 256), out = timed_alloc(t, OUT);
	timed_run(t, kernel, BLOCKS, THREADS, 0, (uint64_t[]){shared, out}, 2);
	timed_all_counters(t);
	timed_words(t, "shared", (const void *)(uintptr_t)shared, 256);
	timed_words(t, "out", (const void *)(uintptr_t)out, OUT);
	timed_put(t, t->b->printed);
	char *text = t->text;
	t->text = NULL;
	diag_free(&why);
	timed_free(t);
	return text;
}

static void same_in_any_order(const char *kernel, const char *options)
{
	static const uint64_t order[] = {1, 0x9e3779b97f4a7c15, 77, 123456789};
	char *want = outcome(kernel, options, false, 0);
	for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
		char *is = outcome(kernel, options, i & 1, order[i]);
		const char *d = timed_difference(want, is);
		ck_assert_msg(!d, "order %llu: %s", (unsigned long long)order[i], d);
		free(is);
	}
	free(want);
}

START_TEST(a_race_ends_the_same_in_any_order)
{
	same_in_any_order("race", cores[_i]);
}
END_TEST

START_TEST(clusters_race_the_same_in_any_order)
{
	same_in_any_order("clusters", cores[_i]);
}
END_TEST

START_TEST(malloc_and_printf_go_by_sm_in_any_order)
{
	same_in_any_order("services", cores[_i]);
}
END_TEST

// --- observers

enum { SEEN_BLOCKS = 9, SEEN_THREADS = 40 };

static void put_stream(void *ctx, const char *line) { timed_put(ctx, line); }

// Once a second of wall clock a line tells the rate.
static void put_said(void *ctx, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		char line[1200];
		ck_assert_uint_lt(n + 2, sizeof line);
		snprintf(line, sizeof line, "%.*s\n", (int)n, text);
		if (!strstr(line, "sim_rate="))
			timed_put(ctx, line);
		text += n + (text[n] == '\n');
	}
}

// What a file holds, compressed or not. It is removed.
static void put_file(struct timed *t, const char *path)
{
	char buf[4097];
	gzFile f = gzopen(path, "r");
	ck_assert_msg(f != NULL, "%s is not there", path);
	for (int n; (n = gzread(f, buf, 4096)) > 0;) {
		buf[n] = 0;
		timed_put(t, buf);
	}
	gzclose(f);
	unlink(path);
}

// All that observers write about a run: debug streams, the instruction log with its counts, the time lapse, lines, control
// flow, and the statistics.
static char *observed(const char *kernel, const char *options, uint64_t order)
{
	char folder[] = "/tmp/heddle-between-XXXXXX", log[64], lapse[64], lines[64], more[400];
	struct diag why = {0};
	ck_assert(mkdtemp(folder) != NULL);
	snprintf(log, sizeof log, "%s/insts", folder);
	snprintf(lapse, sizeof lapse, "%s/lapse.gz", folder);
	snprintf(lines, sizeof lines, "%s/lines", folder);
	snprintf(more, sizeof more, "-trace_enabled 1\n-trace_components ALL\n-trace_sampling_core -1\n"
	         "-trace_sampling_memory_partition -1\n-visualizer_enabled 1\n-visualizer_outputfile %s\n"
	         "-enable_ptx_file_line_stats 1\n-ptx_line_stats_filename %s\n-gpgpu_runtime_stat 64:0\n"
	         "-gpgpu_cflog_interval 64\n", lapse, lines);
	struct timed *t = timed_make(program, &why, (const char *const[]){TIMED_BASE, options, more, NULL});
	ck_assert_msg(t != NULL, "%s", why.text ? why.text : "?");
	struct dbg_streams dbg = {.ctx = t, .put = put_stream};
	ck_assert(dbg_init(&dbg, &t->opt, NULL, &why));
	struct gpu_watch watch = {.dbg = &dbg};
	gpu_watch(t->gpu, &watch);
	gpu_set_output(t->gpu, put_said, t);
	t->b->services.log = inst_log_new(log, 0, true, &why);
	timing_set_order(t->t, order);
	uint64_t shared = timed_alloc(t, 256), out = timed_alloc(t, OUT);
	timed_run(t, kernel, SEEN_BLOCKS, SEEN_THREADS, 0, (uint64_t[]){shared, out}, 2);
	timed_put(t, t->b->printed);
	inst_log_end(t->b->services.log, &t->launch[0], timed_put, t);
	inst_log_free(t->b->services.log);
	t->b->services.log = NULL;
	gpu_watch(t->gpu, NULL);
	size_t from = t->n_text;
	gpu_free(t->gpu);
	t->gpu = NULL;
	put_file(t, log);
	ck_assert_msg(strstr(t->text + from, "[thd=360] : ("), "the last thread is not in the log");
	put_file(t, lapse);
	put_file(t, lines);
	rmdir(folder);
	char *text = t->text;
	bench_free(t->b);
	options_free(&t->opt);
	mem_free(t);
	diag_free(&why);
	return text;
}

static void seen_alike_in_any_order(const char *kernel, const char *options)
{
	static const uint64_t order[] = {1, 0x9e3779b97f4a7c15, 77};
	char *want = observed(kernel, options, 0);
	ck_assert(strstr(want, ": ISSUE - Core 2 ") != NULL);
	for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
		char *is = observed(kernel, options, order[i]);
		const char *d = timed_difference(want, is);
		ck_assert_msg(!d, "order %llu: %s", (unsigned long long)order[i], d);
		free(is);
	}
	free(want);
}

START_TEST(observers_of_a_race_write_the_same_in_any_order)
{
	seen_alike_in_any_order("race", cores[_i]);
}
END_TEST

START_TEST(observers_of_services_write_the_same_in_any_order)
{
	seen_alike_in_any_order("services", cores[_i]);
}
END_TEST

// A trace that is written meanwhile.
static char *written(const char *options, uint64_t order)
{
	char folder[] = "/tmp/heddle-between-XXXXXX", path[64];
	struct diag why = {0};
	ck_assert(mkdtemp(folder) != NULL);
	struct trace_writer *w = trace_writer_new(folder, &(struct trace_writing){0}, &why);
	struct timed *t = timed_new(program, options);
	t->fe = trace_writer_frontend(w, &ptx_frontend);
	timing_set_order(t->t, order);
	uint64_t shared = timed_alloc(t, 256), out = timed_alloc(t, OUT);
	timed_run(t, "race", SEEN_BLOCKS, SEEN_THREADS, 0, (uint64_t[]){shared, out}, 2);
	ck_assert(trace_writer_close(w, &why));
	const char *const file[] = {"kernelslist.g", "kernel-1.traceg"};
	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, file[i]);
		put_file(t, path);
	}
	rmdir(folder);
	char *text = t->text;
	t->text = NULL;
	timed_free(t);
	return text;
}

START_TEST(a_trace_is_written_the_same_in_any_order)
{
	char *want = written(cores[_i], 0);
	ck_assert(strstr(want, "thread block = 8,0,0") != NULL);
	for (uint64_t order = 1; order < 4; order++) {
		char *is = written(cores[_i], order);
		const char *d = timed_difference(want, is);
		ck_assert_msg(!d, "order %llu: %s", (unsigned long long)order, d);
		free(is);
	}
	free(want);
}
END_TEST

// --- stores

START_TEST(an_sm_reads_its_own_store_of_the_cycle)
{
	struct timed *t = timed_new(program, cores[_i]);
	uint64_t shared = timed_alloc(t, 256), out = timed_alloc(t, OUT);
	timed_run(t, "own", 1, 1, 0, (uint64_t[]){shared, out}, 2);
	ck_assert_uint_eq(*(uint32_t *)(uintptr_t)out, 0);
	timed_run(t, "own", 2, 1, 0, (uint64_t[]){shared, out}, 2);
	// Each reads what it or the other has stored, whichever came last; never a number that nobody stored.
	const uint32_t *sum = (const uint32_t *)(uintptr_t)out;
	ck_assert_uint_le(sum[0], 50);
	ck_assert_uint_le(sum[1], 50);
	timed_free(t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("between SMs");
	TCase *t = tcase_create("between SMs");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_store_is_seen_by_its_sm_at_once_and_by_memory_at_the_end);
	tcase_add_test(t, lanes_store_and_see_their_own_places);
	tcase_add_test(t, stores_of_every_width_are_written_and_nothing_beside_them);
	tcase_add_test(t, what_was_put_off_comes_between_the_stores_around_it);
	tcase_add_test(t, lines_come_at_the_end_between_the_stores_around_them);
	tcase_add_test(t, a_launch_has_one_fault_and_learns_of_it_at_the_end);
	tcase_add_loop_test(t, a_race_ends_the_same_in_any_order, 0, CORES);
	tcase_add_loop_test(t, clusters_race_the_same_in_any_order, 0, CORES);
	tcase_add_loop_test(t, malloc_and_printf_go_by_sm_in_any_order, 0, CORES);
	tcase_add_loop_test(t, an_sm_reads_its_own_store_of_the_cycle, 0, CORES);
	tcase_add_loop_test(t, observers_of_a_race_write_the_same_in_any_order, 0, CORES);
	tcase_add_loop_test(t, observers_of_services_write_the_same_in_any_order, 0, CORES);
	tcase_add_loop_test(t, a_trace_is_written_the_same_in_any_order, 0, CORES);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
