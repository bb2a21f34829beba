// Traces on the timing model: every tracer version and compression gives the same statistics, twice; dependences,
// barriers, asynchronous copies and streams take the cycles they should; a damaged trace ends its kernel,
// not the program.
#include "tests/unit/timing_harness.h"
#include "tests/unit/trace_text.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#define UNITS                                                                                                          \
	"-gpgpu_sub_core_model 0\n-specialized_unit_1 1,4,4,4,4,BRA\n-specialized_unit_3 1,4,32,4,4,TENSOR\n"             \
	"-trace_opcode_latency_initiation_int 4,2\n-trace_opcode_latency_initiation_sp 4,2\n"                             \
	"-trace_opcode_latency_initiation_spec_op_1 4,4\n-trace_opcode_latency_initiation_spec_op_3 32,32\n" \
	"-machine_code_latencies 1\n"

struct replayed {
	char *text;    // statistics without what depends on the wall clock
	char *error;   // of the last kernel that failed, or NULL
	char *notes;
	uint64_t cycles, warp_insts;
	unsigned finished;
};

struct sink {
	FILE *text, *notes;
};

static void put_stats(void *ctx, const char *s)
{
	struct sink *k = ctx;
	fputs(s, k->text);
}

// Lines that depend on the wall clock go.
static void filter(char *text)
{
	char *to = text;
	for (char *s = text; *s;) {
		size_t n = strcspn(s, "\n");
		n += s[n] == '\n';
		char keep = s[n];
		s[n] = 0;
		bool wall = timed_wall_clock(s);
		s[n] = keep;
		if (!wall) {
			memmove(to, s, n);
			to += n;
		}
		s += n;
	}
	*to = 0;
}

static void put_note(void *ctx, const char *file, const char *text)
{
	struct sink *k = ctx;
	fprintf(k->notes, "%s\n", text);
}

static void replayed_free(struct replayed *r)
{
	free(r->text);
	free(r->error);
	free(r->notes);
}

// Kernels from files or, where a path is NULL, from text; all are started at once.
static struct replayed replay(const char *more, bool accelsim, unsigned n, const char *const path[],
                              struct trace_maker *const maker[])
{
	struct replayed r = {0};
	struct options opt = {0};
	struct gpu_desc desc;
	struct diag d = {0};
	struct trace_kernel *k[4];
	struct kernel_launch l[4];
	struct trace_rules rules = {.accelsim = accelsim, .units = 5};
	size_t n_text, n_notes;
	struct sink sink = {open_memstream(&r.text, &n_text), open_memstream(&r.notes, &n_notes)};
	char config[16384];
	snprintf(config, sizeof config, "%s%s%s", TIMED_BASE, UNITS, more);
	options_defaults(&opt);
	ck_assert_msg(options_load_text(&opt, "test", config, strlen(config), FROM_FILE, &d), "%s", d.text);
	ck_assert_msg(gpu_desc_from_options(&desc, &opt, &d), "%s", d.text);
	struct gpu *g = gpu_new(&opt, &desc, true, &d);
	ck_assert_msg(g, "%s", d.text);
	for (unsigned i = 0; i < n; i++) {
		char why[1200];
		k[i] = path && path[i] ? trace_kernel_open(path[i], &rules, 0, UINT64_MAX, why, sizeof why)
		                       : trace_kernel_open_text("t", maker[i]->text, maker[i]->len, &rules, 0, UINT64_MAX, why, sizeof why);
		ck_assert_msg(k[i], "%s", why);
		trace_kernel_on_note(k[i], put_note, &sink);
		trace_kernel_launch(k[i], &l[i], 0);
		l[i].uid = i + 1;
		gpu_start(g, &l[i]);
	}
	for (unsigned done = 0; done < n;) {
		struct kernel_launch *f = gpu_run(g, 1 << 20);
		ck_assert(gpu_cycle(g) < TIMED_MOST);
		if (!f)
			continue;
		done++;
		const char *end = f->fault.kind ? f->fault.text : trace_kernel_end(k[f - l]);
		if (end) {
			free(r.error);
			r.error = strdup(end);
			continue;
		}
		r.finished++;
		r.warp_insts += f->counts.warp_insts;
		gpu_print_kernel_stats(g, f, put_stats, &sink);
	}
	r.cycles = gpu_cycle(g);
	gpu_free(g);
	for (unsigned i = 0; i < n; i++)
		trace_kernel_close(k[i]);
	fclose(sink.text);
	fclose(sink.notes);
	filter(r.text);
	options_free(&opt);
	diag_free(&d);
	return r;
}

static struct replayed replay_one(const char *more, bool accelsim, struct trace_maker *m)
{
	return replay(more, accelsim, 1, NULL, &m);
}

// --- every version and compression

static const char *tail_of(unsigned version) { return version == 6 ? " 0 NoVal" : version >= 4 ? " 0 " : ""; }

// Loads, arithmetic, a barrier, shared memory, atomics and local memory, in four thread blocks.
static struct trace_maker *some_kernel(unsigned version, bool lines)
{
	struct trace_maker *m = maker_new();
	const char *tail = tail_of(version), *at = lines ? "7 " : "";
	maker_header(m, version, 70, 4, 96, lines, 0);
	for (unsigned c = 0; c < 4; c++) {
		maker_put(m, "#BEGIN_TB\n\nthread block = %u,0,0\n", c);
		if (version == 6)
			maker_put(m, "cluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n");
		for (unsigned w = 0; w < 3; w++) {
			uint64_t a = 0x7f2000000000 + (c * 96 + w * 32) * 4;
			maker_put(m, "\nwarp = %u\ninsts = %u\n", w, 3 + 20 * 4 + 5);
			maker_put(m, "%s0000 ffffffff 1 R1 MOV 0 0%s\n", at, tail);
			maker_put(m, "%s0010 ffffffff 1 R4 IMAD.WIDE 2 R6 R7 0%s\n", at, tail);
			maker_put(m, "%s0020 0000ffff 1 R4 LDG.E.SYS 1 R4 4 1 0x%llx 4%s\n", at, (unsigned long long)a, tail);
			for (unsigned i = 0; i < 20; i++) {
				maker_put(m, "%s0030 ffffffff 1 R8 FFMA 3 R8 R4 R8 0%s\n", at, tail);
				maker_put(m, "%s0040 ffffffff 1 R9 LDG.E.SYS 1 R4 4 2 0x%llx", at, (unsigned long long)a + i * 4096);
				for (unsigned k = 0; k < 31; k++)
					maker_put(m, " %d", k % 5 ? 4 : 64 - (int)k * 7);
				maker_put(m, "%s\n%s0050 ffffffff 0 ISETP.GE.AND 2 R5 R7 0%s\n%s0060 ffffffff 0 BRA 0 0%s\n", tail, at,
				          tail, at, tail);
			}
			maker_put(m, "%s0070 ffffffff 0 STS 2 R3 R9 4 1 0x7f0000000%03x 4%s\n", at, w * 128, tail);
			maker_put(m, "%s0080 ffffffff 0 BAR.SYNC 0 0%s\n", at, tail);
			maker_put(m, "%s0090 00000003 0 RED.E.ADD.STRONG.GPU 2 R4 R9 4 0 0x7f3000000000 0x7f3000000004%s\n", at,
			          tail);
			maker_put(m, "%s00a0 ffffffff 0 STL 2 R1 R9 4 1 0x10 0%s\n", at, tail);
			maker_put(m, "%s00b0 ffffffff 0 EXIT 0 0%s\n", at, tail);
		}
		maker_put(m, "\n#END_TB\n\n");
	}
	return m;
}

enum packing { PLAIN, GZIP, XZ, ZSTANDARD, N_PACKINGS };

static void write_packed(const char *path, enum packing p, const char *text, size_t n)
{
	size_t cap = n * 2 + 65536, len = 0;
	uint8_t *out = malloc(cap);
	if (p == GZIP) {
		z_stream z = {0};
		deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
		z.next_in = (Bytef *)(uintptr_t)text, z.avail_in = (uInt)n, z.next_out = out, z.avail_out = (uInt)cap;
		ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
		len = z.total_out;
		deflateEnd(&z);
	} else if (p == XZ) {
		ck_assert_int_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, n, out, &len, cap),
		                 LZMA_OK);
	} else if (p == ZSTANDARD) {
		len = ZSTD_compress(out, cap, text, n, 3);
		ck_assert(!ZSTD_isError(len));
	} else {
		memcpy(out, text, len = n);
	}
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	fwrite(out, 1, len, f);
	fclose(f);
	free(out);
}

static char temp_path[64];

static const char *temp_file(void)
{
	snprintf(temp_path, sizeof temp_path, "/tmp/heddle-trace-XXXXXX");
	int fd = mkstemp(temp_path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	return temp_path;
}

START_TEST(every_version_and_compression_gives_the_same_twice)
{
	unsigned version = TRACE_MIN_VERSION + (unsigned)_i / N_PACKINGS;
	enum packing p = (enum packing)(_i % N_PACKINGS);
	struct trace_maker *plain = some_kernel(TRACE_MIN_VERSION, false), *m = some_kernel(version, p == GZIP);
	const char *path = temp_file();
	write_packed(path, p, m->text, m->len);
	struct replayed want = replay_one("", false, plain), got = replay("", false, 1, &path, NULL),
					again = replay("", false, 1, &path, NULL);
	unlink(path);
	ck_assert_msg(!got.error, "%s", got.error);
	ck_assert_uint_eq(got.warp_insts, 4 * 3 * 88);
	ck_assert_str_eq(got.text, want.text);
	ck_assert_str_eq(got.text, again.text);
	replayed_free(&want);
	replayed_free(&got);
	replayed_free(&again);
	maker_free(plain);
	maker_free(m);
}
END_TEST

START_TEST(ticking_every_cycle_changes_nothing)
{
	struct trace_maker *m = some_kernel(5, false);
	struct replayed a = replay_one("", false, m), b = replay_one("-tick_every_cycle 1\n", false, m);
	ck_assert_uint_eq(a.cycles, b.cycles);
	ck_assert_str_eq(a.text, b.text);
	replayed_free(&a);
	replayed_free(&b);
	maker_free(m);
}
END_TEST

// Also where its result can be used in the cycle in which its sources have been read.
START_TEST(without_control_bits_the_modern_core_frees_sources_and_results_at_any_latency)
{
	char more[100];
	struct trace_maker *m = maker_new();
	maker_header(m, 5, 70, 1, 32, false, 0);
	maker_put(m, "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 13\n");
	for (unsigned i = 0; i < 12; i++)
		maker_put(m, "%04x ffffffff 1 R%u FFMA 3 R%u R5 R7 0 0 \n", i * 16, 2 + i % 3, 2 + (i + 1) % 3);
	maker_put(m, "00c0 ffffffff 0 EXIT 0 0 0 \n\n#END_TB\n\n");
	snprintf(more, sizeof more, "-core modern\n-sp_latency %d\n-sp_initiation %d\n", _i / 2 + 1, _i % 2 + 1);
	struct replayed r = replay_one(more, false, m);
	ck_assert_msg(!r.error, "%s", r.error);
	ck_assert_uint_eq(r.finished, 1);
	replayed_free(&r);
	maker_free(m);
}
END_TEST

START_TEST(a_compressed_trace_that_ends_early_is_an_error)
{
	struct trace_maker *m = some_kernel(5, false);
	const char *path = temp_file();
	for (enum packing p = GZIP; p < N_PACKINGS; p++) {
		write_packed(path, p, m->text, m->len);
		FILE *f = fopen(path, "rb");
		fseek(f, 0, SEEK_END);
		long n = ftell(f);
		fclose(f);
		ck_assert_int_eq(truncate(path, n - 20), 0);
		struct trace_rules rules = {0};
		char why[1200];
		struct trace_kernel *k = trace_kernel_open(path, &rules, 0, UINT64_MAX, why, sizeof why);
		if (k) { // what was left held the header
			trace_kernel_close(k);
			struct replayed r = replay("", false, 1, &path, NULL);
			ck_assert_ptr_nonnull(r.error);
			ck_assert_msg(strstr(r.error, "early") || strstr(r.error, "damaged"), "%s", r.error);
			replayed_free(&r);
		} else {
			ck_assert_msg(strstr(why, "early") || strstr(why, "damaged"), "%s", why);
		}
	}
	unlink(path);
	maker_free(m);
}
END_TEST

// --- what takes time

static struct trace_maker *lines_for_warps(unsigned binary, unsigned warps, unsigned n, const char *const lines[],
                                           unsigned stream)
{
	struct trace_maker *m = maker_new();
	maker_header(m, 5, binary, 1, warps * 32, false, stream);
	maker_put(m, "#BEGIN_TB\nthread block = 0,0,0\n");
	for (unsigned w = 0; w < warps; w++) {
		maker_put(m, "warp = %u\ninsts = %u\n", w, n);
		for (unsigned i = 0; i < n; i++)
			maker_put(m, "%04x ffffffff %s\n", i * 16, lines[w * n + i]);
	}
	maker_put(m, "#END_TB\n");
	return m;
}

static uint64_t cycles_of(const char *more, bool accelsim, struct trace_maker *m)
{
	struct replayed r = replay_one(more, accelsim, m);
	ck_assert_msg(!r.error, "%s", r.error);
	uint64_t n = r.cycles;
	replayed_free(&r);
	maker_free(m);
	return n;
}

START_TEST(a_pair_of_registers_is_waited_for)
{
	const char *const lines[] = {"1 R2 LDG.E.64 1 R8 8 1 0x7f2000000000 8 0", "1 R5 FADD 2 R3 R3 0 0", "0 EXIT 0 0 0"};
	uint64_t full = cycles_of("", false, lines_for_warps(70, 1, 3, lines, 0)),
			 peer = cycles_of("", true, lines_for_warps(70, 1, 3, lines, 0));
	ck_assert_uint_ge(full, peer + 2); // the addition waits for the load
}
END_TEST

START_TEST(a_barrier_holds_the_early_warps)
{
	const char *const lines[] = {"0 BAR.SYNC 0 0 0", "1 R5 LDG.E 1 R3 4 1 0x7f2000100000 4 0", "0 STS 2 R5 R5 4 1 0x7f0000000000 4 0", "0 EXIT 0 0 0",
	                             "1 R4 LDG.E 1 R3 4 1 0x7f2000000000 4 0", "0 STS 2 R4 R4 4 1 0x7f0000000000 4 0",
	                             "0 BAR.SYNC 0 0 0", "0 EXIT 0 0 0"};
	const char *const free_[] = {"0 NOP 0 0 0", "1 R5 LDG.E 1 R3 4 1 0x7f2000100000 4 0", "0 STS 2 R5 R5 4 1 0x7f0000000000 4 0", "0 EXIT 0 0 0",
	                             "1 R4 LDG.E 1 R3 4 1 0x7f2000000000 4 0", "0 STS 2 R4 R4 4 1 0x7f0000000000 4 0",
	                             "0 NOP 0 0 0", "0 EXIT 0 0 0"};
	uint64_t with = cycles_of("", false, lines_for_warps(70, 2, 4, lines, 0)), without = cycles_of("", false, lines_for_warps(70, 2, 4, free_, 0));
	ck_assert_uint_ge(with, without * 3 / 2); // two trips to memory in turn, not at once
}
END_TEST

START_TEST(a_wait_for_copies_waits_for_all_but_the_newest_groups)
{
	const char *lines[] = {"0 LDGSTS.E 2 R1 R2 4 1 0x7f2000000000 4 0", "0 LDGDEPBAR 0 0 0", "0 DEPBAR.LE 0 0 1",
	                       "1 R5 LDG.E 1 R3 4 1 0x7f2000100000 4 0", "0 STS 2 R5 R5 4 1 0x7f0000000000 4 0",
	                       "0 EXIT 0 0 0"};
	uint64_t one = cycles_of("", false, lines_for_warps(80, 1, 6, lines, 0));
	lines[2] = "0 DEPBAR.LE 0 0 0";
	uint64_t all = cycles_of("", false, lines_for_warps(80, 1, 6, lines, 0));
	ck_assert_uint_ge(all, one + 50); // the load begins when the copy is there
}
END_TEST

START_TEST(a_unit_that_the_gpu_lacks_is_told_once)
{
	const char *const lines[] = {"1 R4 R2UR 1 R2 0 0", "1 R5 HMMA.16816.F32 3 R4 R8 R12 0 0", "0 EXIT 0 0 0"};
	struct trace_maker *m = lines_for_warps(80, 1, 3, lines, 0);
	struct replayed r = replay_one("", false, m);
	ck_assert_ptr_null(r.error);
	ck_assert_ptr_nonnull(strstr(r.notes, "no specialized unit 4; R2UR"));
	ck_assert_ptr_null(strstr(r.notes, "unit 3"));
	ck_assert_uint_eq(r.finished, 1);
	replayed_free(&r);
	maker_free(m);
}
END_TEST

START_TEST(kernels_of_several_traces_run_side_by_side)
{
	struct trace_maker *m[2] = {some_kernel(5, false), some_kernel(3, true)};
	struct replayed one = replay_one("", false, m[0]);
	struct replayed two = replay("-gpgpu_concurrent_kernel_sm 1\n", false, 2, NULL, m);
	struct replayed again = replay("-gpgpu_concurrent_kernel_sm 1\n", false, 2, NULL, m);
	ck_assert_uint_eq(two.finished, 2);
	ck_assert_uint_lt(two.cycles, 2 * one.cycles);
	ck_assert_str_eq(two.text, again.text);
	replayed_free(&one);
	replayed_free(&two);
	replayed_free(&again);
	maker_free(m[0]);
	maker_free(m[1]);
}
END_TEST

START_TEST(a_trace_that_breaks_off_ends_its_kernel_with_the_place)
{
	struct trace_maker *m[2] = {some_kernel(5, false), some_kernel(5, false)};
	char *at = strstr(m[0]->text, "thread block = 2,0,0");
	memcpy(at, "thread black", 12);
	struct replayed r = replay("-gpgpu_concurrent_kernel_sm 1\n", false, 2, NULL, m);
	ck_assert_ptr_nonnull(r.error);
	ck_assert_msg(strstr(r.error, "t:") == r.error && strstr(r.error, "expected 'thread block ='"), "%s", r.error);
	ck_assert_uint_eq(r.finished, 1); // the other one
	replayed_free(&r);
	maker_free(m[0]);
	maker_free(m[1]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace_replay");
	TCase *t = tcase_create("trace_replay");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, every_version_and_compression_gives_the_same_twice, 0,
	                    (TRACE_MAX_VERSION - TRACE_MIN_VERSION + 1) * N_PACKINGS);
	tcase_add_test(t, ticking_every_cycle_changes_nothing);
	tcase_add_loop_test(t, without_control_bits_the_modern_core_frees_sources_and_results_at_any_latency, 0, 24);
	tcase_add_test(t, a_compressed_trace_that_ends_early_is_an_error);
	tcase_add_test(t, a_pair_of_registers_is_waited_for);
	tcase_add_test(t, a_barrier_holds_the_early_warps);
	tcase_add_test(t, a_wait_for_copies_waits_for_all_but_the_newest_groups);
	tcase_add_test(t, a_unit_that_the_gpu_lacks_is_told_once);
	tcase_add_test(t, kernels_of_several_traces_run_side_by_side);
	tcase_add_test(t, a_trace_that_breaks_off_ends_its_kernel_with_the_place);
	suite_add_tcase(s, t);
	return check_main(s);
}
