// The dump of a thread's instructions and the counts by class, space and opcode (-gpgpu_ptx_inst_debug_*,
// -gpgpu_ptx_instruction_classification).
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

#include "cuda-sim/exec/inst_log.h"

static const char kernel[] = KERNEL_HEAD KERNEL_ENTRY("k")
	"mad.wide.u32 %rd10, %r4, 4, %rd1; setp.gt.u32 %p1, %r1, 1;\n"
	"@%p1 add.u32 %r10, %r4, 5;\n"
	"st.global.u32 [%rd10], %r10; ret; }\n";

static void put(void *ctx, const char *text) { text_add(ctx, text); }

// Two launches of two blocks of 40 threads, timed or not; what the file holds, and the counts of the second.
static struct text logged(bool functional, uint64_t thread, struct text *counts)
{
	char path[] = "/tmp/heddle-log-XXXXXX";
	int fd = mkstemp(path);
	struct diag d = {0};
	struct timed *t = timed_new(kernel, "-gpgpu_n_clusters 2\n");
	struct inst_log *log = inst_log_new(path, thread, true, &d);
	ck_assert(fd >= 0 && log != NULL);
	t->b->services.log = log;
	uint64_t p[4] = {timed_alloc(t, 1 << 12)};
	for (unsigned i = 0; i < 2; i++) {
		if (functional)
			ck_assert(!bench_run(t->b, "k", 2, 40, 0, p));
		else
			timed_run(t, "k", 2, 40, 0, p, 4);
		counts->n = 0;
		inst_log_end(log, functional ? &t->b->launch : &t->launch[i], put, counts);
	}
	inst_log_free(log);
	timed_free(t);
	struct text all = {0};
	char buf[4097];
	text_add(&all, "");
	for (ssize_t n; (n = read(fd, buf, 4096)) > 0;) {
		buf[n] = 0;
		text_add(&all, buf);
	}
	close(fd);
	unlink(path);
	return all;
}

START_TEST(a_thread_shows_each_instruction_with_what_it_reads_and_writes)
{
	// The third thread of the second block of the second launch.
	struct text counts = {0}, all = logged(_i, 80 + 40 + 3, &counts);
	unsigned n = 0;
	for (const char *s = all.at; (s = strstr(s, "[thd=")); s++, n++)
		ck_assert_msg(!strncmp(s, "[thd=123] : (", 13), "%s", s);
	ck_assert_uint_eq(n, 8 + 5);
	static const char add[] = "@%p1 add.u32 %r10, %r4, 5;)\n    reads %r4 = 0x2a\n    reads %p1 = 1\n"
	                          "    writes %r10 = 0x2f\n";
	ck_assert_msg(strstr(all.at, add) != NULL, "%s", all.at);
	text_free(&all);
	text_free(&counts);
}
END_TEST

START_TEST(a_guard_that_does_not_hold_is_told)
{
	struct text counts = {0}, all = logged(_i, 1, &counts);
	const char *s = strstr(all.at, "%r10, %r4, 5;) not executed\n");
	ck_assert_msg(s != NULL, "%s", all.at);
	text_free(&all);
	text_free(&counts);
}
END_TEST

START_TEST(instructions_are_counted_by_class_space_and_opcode)
{
	struct text counts = {0}, all = logged(_i, 1, &counts);
	ck_assert_msg(strstr(counts.at, "ptx_instruction_space[global] = 80\n") != NULL, "%s", counts.at);
	ck_assert_msg(strstr(counts.at, "ptx_instruction_space[param] = 320\n") != NULL, "%s", counts.at);
	ck_assert_msg(strstr(counts.at, "ptx_instruction_class[store] = 80\n") != NULL, "%s", counts.at);
	ck_assert_msg(strstr(counts.at, "ptx_instruction_op[add] = 76\n") != NULL, "%s", counts.at);
	ck_assert_msg(strstr(counts.at, "ptx_instruction_op[mad] = 160\n") != NULL, "%s", counts.at);
	text_free(&all);
	text_free(&counts);
}
END_TEST

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;
	for (const char *s = text; (s = strstr(s, what)); s++)
		n++;
	return n;
}

// Blocks run on different SMs: what an instruction wrote stands behind it, before any other instruction.
START_TEST(what_an_instruction_wrote_stands_right_behind_it)
{
	struct text counts = {0}, all = logged(_i, 0, &counts);
	unsigned mads = 0;
	for (const char *s = all.at; (s = strstr(s, "mad.wide.u32 %rd10, %r4, 4, %rd1;)\n")); s++, mads++) {
		const char *writes = strstr(s, "    writes "), *other = strstr(s, " - ");
		ck_assert(writes && (!other || writes < other || strstr(other, "mad.wide.u32") == other + 3));
		ck_assert(!strncmp(writes, "    writes %rd10 = ", 19));
	}
	ck_assert_uint_eq(mads, 160);
	ck_assert_uint_eq(count(all.at, "    writes %rd10 = "), 160);
	ck_assert_uint_eq(count(all.at, "    writes %r10 = "), 4 * 38); // threads 2 to 39 of each block
	text_free(&all);
	text_free(&counts);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inst_log");
	TCase *t = tcase_create("inst_log");
	tcase_add_loop_test(t, a_thread_shows_each_instruction_with_what_it_reads_and_writes, 0, 2);
	tcase_add_loop_test(t, a_guard_that_does_not_hold_is_told, 0, 2);
	tcase_add_loop_test(t, instructions_are_counted_by_class_space_and_opcode, 0, 2);
	tcase_add_loop_test(t, what_an_instruction_wrote_stands_right_behind_it, 0, 2);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
