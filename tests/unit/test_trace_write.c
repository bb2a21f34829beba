// What the trace writer records and how it is replayed: a replay on the same GPU takes the cycles of the execution, and
// its files are read with the same care as any trace.
#include "tests/unit/ptx_harness.h"

#include "base/options.h"
#include "cuda-sim/trace/kernelslist.h"
#include "cuda-sim/trace/kernel.h"
#include "cuda-sim/trace/write/writer.h"
#include "gpgpu-sim/gpu.h"

#include <unistd.h>

enum { GRID = 6, BLOCK = 96, OUT_BYTES = 1 << 16 };

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
#define ENTRY                                                                                                          \
	".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 s[512]; .local .align 8 .b8 mine[32];\n"             \
	".reg .pred %p<10>; .reg .b32 %r<40>; .reg .f32 %f<20>; .reg .b64 %rd<20>;\n"                                     \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r0, %r2, %r3, %r1;\n"              \
	"ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd9, %rd1, %rd2;\n"                                \
	"shl.b32 %r5, %r1, 2; mov.u32 %r6, s; add.u32 %r7, %r6, %r5;\n"

static const char *const kernels[] = {
	// loads, arithmetic of several classes, a loop whose length differs by lane
	HEAD ENTRY "ld.global.u32 %r4, [%rd9];\nand.b32 %r8, %r1, 7;\nL: cvt.rn.f32.u32 %f1, %r4; "
	           "sin.approx.f32 %f2, %f1;\n"
	           "div.u32 %r4, %r0, 3; setp.eq.u32 %p1, %r8, 0; sub.u32 %r8, %r8, 1; @!%p1 bra L;\n"
	           "st.global.u32 [%rd9], %r4;\nret;\n}\n",
	// shared memory, barriers, lanes that leave before, atomics in both memories
	HEAD ENTRY "st.shared.u32 [%r7], %r1;\nbar.sync 0;\nxor.b32 %r5, %r5, 252; add.u32 %r8, %r6, %r5; "
	           "ld.shared.u32 %r9, [%r8];\n"
	           "atom.shared.add.u32 %r10, [%r6], 1; atom.global.add.u32 %r11, [%rd1], 1;\nbar.sync 0;\n"
	           "setp.gt.u32 %p1, %r1, 70; @%p1 bra E;\n"
	           "red.global.add.u32 [%rd9], %r9;\nE: membar.gl;\nret;\n}\n",
	// generic addresses into three spaces at once, local memory, warp instructions
	HEAD ENTRY "mov.u64 %rd3, mine; cvta.local.u64 %rd3, %rd3; cvt.u64.u32 %rd4, %r7; cvta.shared.u64 %rd4, %rd4;\n"
	           "and.b32 %r8, %r1, 3; setp.eq.u32 %p1, %r8, 1; selp.b64 %rd5, %rd4, %rd9, %p1; "
	           "setp.eq.u32 %p2, %r8, 2;\n"
	           "selp.b64 %rd5, %rd3, %rd5, %p2; st.u32 [%rd5], %r1; ld.u32 %r9, [%rd5]; "
	           "shfl.sync.bfly.b32 %r10, %r9, 5, 31, 0xffffffff;\n"
	           "@%p1 st.global.u32 [%rd9], %r10;\n@%p2 bar.warp.sync 0xffffffff;\nret;\n}\n",
};

struct outcome {
	uint64_t cycles;
	struct kernel_counts counts;
};

struct box {
	struct options o;
	struct gpu_desc desc;
	struct gpu *g;
};

static void box_open(struct box *x, bool timed)
{
	struct diag d = {0};
	static const char small[] = "-gpgpu_n_clusters 2\n-gpgpu_n_mem 8\n-gpgpu_n_sub_partition_per_mchannel 2\n"
	                            "-gpgpu_kernel_launch_latency 0\n-gpgpu_TB_launch_latency 0\n"
	                            "-enable_ptx_file_line_stats 0\n";
	memset(x, 0, sizeof *x);
	options_defaults(&x->o);
	ck_assert(options_builtin(&x->o, &d));
	ck_assert_msg(options_load_text(&x->o, "small", small, sizeof small - 1, FROM_FILE, &d), "%s", d.text);
	ck_assert(gpu_desc_from_options(&x->desc, &x->o, &d));
	x->g = gpu_new(&x->o, &x->desc, timed, &d);
	ck_assert_msg(x->g != NULL, "%s", d.text ? d.text : "?");
	diag_free(&d);
}

static struct outcome box_run(struct box *x, struct kernel_launch *l)
{
	gpu_start(x->g, l);
	for (unsigned n = 0; !gpu_run(x->g, 10000); n++)
		ck_assert_msg(n < 1000, "the kernel does not end");
	struct outcome r = {gpu_cycle(x->g), l->counts};
	ck_assert_msg(!l->fault.kind, "%s", l->fault.text);
	gpu_free(x->g);
	options_free(&x->o);
	return r;
}

enum packing { PLAIN, PACKED, TRACEZ, N_PACKINGS };

static struct outcome run_program(const char *ptx, const char *folder, enum packing packing, bool timed)
{
	struct diag d = {0};
	struct box x;
	box_open(&x, timed);
	struct trace_writer *w = folder ? trace_writer_new(folder, &(struct trace_writing){.gzip = packing == PACKED, .tracez = packing == TRACEZ}, &d) : NULL;
	ck_assert(w || !folder);
	struct ptx_bench *b = bench_new(ptx);
	uint64_t out = bench_alloc(b, OUT_BYTES);
	b->launch = bench_launch(b, "k", GRID, BLOCK);
	b->launch.params = (const uint8_t *)&out;
	if (w) {
		b->launch.fe = trace_writer_frontend(w, &ptx_frontend);
		trace_writer_copy(w, out, 4096);
	}
	struct outcome r = box_run(&x, &b->launch);
	bench_free(b);
	ck_assert_msg(trace_writer_close(w, &d), "%s", d.text);
	return r;
}

static struct outcome run_trace(const char *file, bool timed)
{
	char why[1200];
	struct box x;
	struct kernel_launch l;
	struct trace_rules rules = {0};
	box_open(&x, timed);
	struct trace_kernel *k = trace_kernel_open(file, &rules, 0, UINT64_MAX, why, sizeof why);
	ck_assert_msg(k, "%s", why);
	ck_assert(trace_kernel_written(k));
	trace_kernel_launch(k, &l, 0);
	l.uid = 1;
	struct outcome r = box_run(&x, &l);
	const char *end = trace_kernel_end(k);
	ck_assert_msg(!end, "%s", end);
	trace_kernel_close(k);
	return r;
}

static void expect_same(const struct outcome *a, const struct outcome *b)
{
	ck_assert_uint_eq(a->cycles, b->cycles);
	ck_assert_int_eq(memcmp(&a->counts, &b->counts, sizeof a->counts), 0);
}

static char folder[64], path[96];

static void enter(void)
{
	strcpy(folder, "/tmp/heddle-write-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *file_of(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void leave(void)
{
	static const char *const names[] = {"kernelslist.g", "kernel-1.traceg", "kernel-1.traceg.gz", "kernel-1.tracez"};
	for (unsigned i = 0; i < 4; i++)
		unlink(file_of(names[i]));
	rmdir(folder);
}

START_TEST(a_replay_takes_the_cycles_of_the_execution)
{
	const char *ptx = kernels[_i % 3];
	static const char *const files[] = {[PLAIN] = "kernel-1.traceg", [PACKED] = "kernel-1.traceg.gz", [TRACEZ] = "kernel-1.tracez"};
	const enum packing packing = (enum packing)(_i / 3);
	enter();
	struct outcome alone = run_program(ptx, NULL, PLAIN, true), written = run_program(ptx, folder, packing, true);
	expect_same(&alone, &written); // writing changes nothing
	struct outcome again = run_trace(file_of(files[packing]), true);
	expect_same(&alone, &again);
	leave();
}
END_TEST

START_TEST(a_functional_run_writes_what_a_timed_one_does)
{
	enter();
	struct outcome timed = run_program(kernels[_i], folder, PLAIN, true);
	run_program(kernels[_i], folder, PLAIN, false);
	struct outcome again = run_trace(file_of("kernel-1.traceg"), true);
	expect_same(&timed, &again);
	leave();
}
END_TEST

START_TEST(the_list_names_copies_and_kernels_in_order)
{
	struct kernelslist l = {0};
	struct diag d = {0};
	enter();
	run_program(kernels[0], folder, PLAIN, false);
	ck_assert_msg(kernelslist_read(&l, folder, &d), "%s", d.text);
	ck_assert_uint_eq(l.command.n, 2);
	ck_assert_int_eq(l.command.at[0].kind, LIST_COPY);
	ck_assert_uint_eq(l.command.at[0].bytes, 4096);
	ck_assert_int_eq(l.command.at[1].kind, LIST_KERNEL);
	kernelslist_free(&l);
	leave();
}
END_TEST

// --- damaged files

#define FIELDS "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 80\n-accelsim tracer version = 4\n"
#define CODE "-heddle = 1 9 0 0 0 2\n#inst 24 0 2 4 0 4 7 1  1 1:0  1 2:1 ; ld\n#inst 31 0 0 0 0 0 8 0  0  0 ; exit\n"
#define BLOCK_OF(n, lines) "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = " #n "\n" lines "#END_TB\n"
#define EXIT_LINE "0008 ffffffff 0 EXIT 0 0\n"

static const struct { const char *text, *want; } damaged[] = {
	{FIELDS CODE BLOCK_OF(2, "0000 ffffffff 1 R1 LDG.E.32.GLOBAL 1 R0 4 1 0x100 4\n" EXIT_LINE), ""},
	{FIELDS CODE BLOCK_OF(2, "0000 0000ffff 1 R1 LDG.E.ACT.X2 1 R0 4 ffffffff 2 4 000000ff 0 0x1 0x2 0x3 0x4 0x5 "
		"0x6 0x7 0x8 3 4 00000001 0 0x9\n"
	 EXIT_LINE), ""},
	{FIELDS "-heddle = 2 9 0 0 0 2\n", "-heddle = 1 REGISTERS"},
	{FIELDS "-heddle = 1 9 0 0 0 3\n#inst 24 0 2 4 0 4 7 1  1 1:0  1 2:1 ; ld\n" BLOCK_OF(1, EXIT_LINE), "1 of 3 instructions"},
	{FIELDS "-heddle = 1 9 0 0 0 1\n#inst 24 0 2 4 0 4 7 1  1 9:0  1 2:1 ; ld\n", "#inst CLASS"},
	{FIELDS "-heddle = 1 9 0 0 0 1\n#inst 99 0 2 4 0 4 7 1  1 1:0  1 2:1 ; ld\n", "#inst CLASS"},
	{FIELDS CODE BLOCK_OF(1, "0010 ffffffff 0 EXIT 0 0\n"), "none of the 2 instructions"},
	{FIELDS CODE BLOCK_OF(1, "0000 ffffffff 1 R1 LDG.E.32 1 R0 4 1 0x100 4\n"), "expected a space"},
	{FIELDS CODE BLOCK_OF(1, "0000 00000000 1 R1 LDG.E.32.GLOBAL 1 R0 4 1 0x100 4\n"), "a mask with lanes"},
	{FIELDS CODE BLOCK_OF(1, "0000 0000000f 0 BRA.ACT 0 0 00000003\n"), "the lanes that ran"},
	{FIELDS CODE BLOCK_OF(1, "0000 00000001 1 R1 LDG.E.X1 1 R0 4 1 4 00000001 0 0x9\n"), "space, bytes and lanes"},
	{FIELDS CODE BLOCK_OF(1, "0000 ffffffff 1 R1 LDG.E.32.GLOBAL 1 R0 4 1 0x100 4 5\n"), "the end of the line"},
};

START_TEST(a_damaged_file_is_an_error_that_says_what_was_expected)
{
	char why[1200];
	struct kernel_launch l;
	const char *text = damaged[_i].text, *want = damaged[_i].want;
	struct trace_kernel *k = trace_kernel_open_text("t", text, strlen(text), &(struct trace_rules){0}, 0, UINT64_MAX,
	                                                why, sizeof why);
	if (k) {
		uint64_t used;
		trace_kernel_launch(k, &l, 0);
		struct functional_run *f = functional_new(&l, 1, NULL);
		while (!functional_step(f, 1 << 16, &used))
			;
		functional_free(f);
		snprintf(why, sizeof why, "%.1000s", l.fault.kind ? l.fault.text : "");
	}
	ck_assert_msg(*want ? strstr(why, want) != NULL : !*why, "'%s', expected '%s'", why, want);
	trace_kernel_close(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace_write");
	TCase *t = tcase_create("trace_write");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, a_replay_takes_the_cycles_of_the_execution, 0, 3 * N_PACKINGS);
	tcase_add_loop_test(t, a_functional_run_writes_what_a_timed_one_does, 0, 3);
	tcase_add_test(t, the_list_names_copies_and_kernels_in_order);
	tcase_add_loop_test(t, a_damaged_file_is_an_error_that_says_what_was_expected, 0, sizeof damaged / sizeof *damaged);
	suite_add_tcase(s, t);
	return check_main(s);
}
