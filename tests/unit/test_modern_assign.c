// Control bits that PTX is given: stall counts that cover fixed latencies, counters for the rest, waits where they are needed,
// reuse bits where the next instruction reads the same register.
#include "tests/unit/timing_harness.h"

#include "gpgpu-sim/modern/modern.h"

static struct timed *gpu;
static struct modern_code *code;

static const struct isa_control *at(unsigned i)
{
	const struct isa_inst *st = gpu->t->core.modern ? ptx_frontend.inst_at(code->code, (uint64_t)i * ptx_frontend.inst_bytes) : NULL;
	ck_assert_ptr_nonnull(st);
	return &modern_code_of(code, st)->control;
}

static const struct modern_inst *inst(unsigned i)
{
	return modern_code_of(code, ptx_frontend.inst_at(code->code, (uint64_t)i * ptx_frontend.inst_bytes));
}

static void begin_with(const char *body, const char *options)
{
	static char text[16000];
	snprintf(text, sizeof text,
	         ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
	         ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .f32 %%f<16>; .reg .b64 %%rd<8>; .reg .f64 %%fd<8>;\n%s\n}\n", body);
	char all[400];
	snprintf(all, sizeof all, "-core modern\n%s", options);
	gpu = timed_new(text, all);
	struct ptx_func *f = ptx_program_func(&gpu->b->program, "k");
	void *k = ptx_kernel_code(f, &gpu->b->diag);
	ck_assert_msg(k != NULL, "%s", gpu->b->diag.text ? gpu->b->diag.text : "?");
	code = modern_code_new(gpu->t->core.modern, &gpu->t->core, &ptx_frontend, k);
}

static void begin(const char *body) { begin_with(body, ""); }

static void end(void)
{
	modern_code_free(code);
	timed_free(gpu);
}

START_TEST(a_stall_count_covers_what_is_left_of_a_fixed_latency)
{
	begin("add.f32 %f1, %f2, %f3;\n" // used by the third: 4 cycles, of which the second takes one
	      "add.f32 %f4, %f5, %f6;\n"
	      "add.f32 %f7, %f1, %f2;\n"
	      "add.f32 %f8, %f7, %f7;\n"
	      "ret;");
	ck_assert_uint_eq(at(0)->stall, 1);
	ck_assert_uint_eq(at(1)->stall, 3);
	ck_assert_uint_eq(at(2)->stall, 4);
	ck_assert_uint_eq(at(0)->write_sb, ISA_NO_SB);
	ck_assert_uint_eq(at(2)->wait, 0);
	end();
}
END_TEST

START_TEST(an_instruction_of_variable_latency_has_no_bypass)
{
	begin("add.u64 %rd1, %rd2, 4;\nld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nret;");
	ck_assert_uint_eq(at(0)->stall, 5);
	end();
}
END_TEST

START_TEST(the_user_of_a_load_waits_for_its_counter)
{
	begin("ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\nadd.u32 %r3, %r1, %r2;\nadd.u32 %r4, %r1, 1;\nret;");
	unsigned sb = at(0)->write_sb;
	ck_assert_uint_lt(sb, ISA_N_SB);
	ck_assert_uint_eq(at(1)->write_sb, sb); // nobody uses the first before the second
	ck_assert_uint_eq(at(2)->wait, 1u << sb);
	ck_assert_uint_eq(at(1)->stall, 2);     // a counter is seen two cycles after issue
	ck_assert_uint_eq(at(3)->wait, 0);      // it has been waited for
	end();
}
END_TEST

START_TEST(loads_with_a_user_between_them_have_counters_of_their_own)
{
	begin("ld.global.u32 %r1, [%rd1];\nadd.u32 %r3, %r1, 1;\nld.global.u32 %r2, [%rd1+4];\nadd.u32 %r4, %r2, 1;\nret;");
	ck_assert_uint_ne(at(0)->write_sb, at(2)->write_sb);
	end();
}
END_TEST

START_TEST(what_a_store_reads_is_not_overwritten_before)
{
	begin("mov.u32 %r1, 0;\nL: st.global.u32 [%rd1], %r1;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\nret;");
	unsigned sb = at(1)->read_sb;
	ck_assert_uint_lt(sb, ISA_N_SB);
	ck_assert(at(2)->wait & 1u << sb);
	end();
}
END_TEST

START_TEST(a_use_in_another_block_waits_too)
{
	begin("ld.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p1, %r2, 9;\n@%p1 bra L;\nadd.u32 %r3, %r2, 1;\nL: add.u32 %r4, %r1, 1;\nret;");
	ck_assert(at(4)->wait & 1u << at(0)->write_sb);
	ck_assert_uint_ge(at(1)->stall, 13); // the branch reads a predicate
	end();
}
END_TEST

START_TEST(a_register_that_the_next_one_reads_in_the_same_place_is_kept)
{
	begin("add.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f2, %f5;\nadd.f32 %f6, %f5, %f2;\nret;");
	ck_assert(inst(0)->read[0].reuse);
	ck_assert(!inst(0)->read[1].reuse);
	ck_assert(!inst(1)->read[0].reuse); // the third reads it as its second operand
	end();
}
END_TEST

START_TEST(a_register_that_is_overwritten_is_not_kept)
{
	// Not by the one that reads it, whatever its width; what is kept is the old value.
	begin("add.f32 %f1, %f1, %f2;\nadd.f32 %f3, %f1, %f2;\n"
	      "add.u64 %rd1, %rd1, %rd2;\nadd.u64 %rd3, %rd1, %rd2;\n"
	      "fma.rn.f32 %f4, %f5, %f6, %f4;\nfma.rn.f32 %f7, %f5, %f6, %f4;\n"
	      "@%p1 add.u32 %r1, %r1, %r2;\nadd.u32 %r3, %r1, %r2;\nret;");
	for (unsigned i = 0; i < 8; i += 2) {
		const struct modern_inst *m = inst(i);
		for (unsigned k = 0; k < m->n_read; k++)
			ck_assert_msg(m->read[k].reuse == (m->read[k].reg != m->st->dst[0]), "instruction %u, operand %u", i, k);
	}
	end();
	// Nor beyond an instruction between that does.
	begin("add.f32 %f1, %f2, %f3;\nmov.f32 %f2, 0f00000000;\nadd.f32 %f4, %f2, %f3;\nret;");
	for (unsigned k = 0; k < inst(0)->n_read; k++)
		ck_assert(!inst(0)->read[k].reuse);
	end();
}
END_TEST

START_TEST(a_guard_or_branch_sees_a_predicate_after_13_cycles_and_an_operand_after_4)
{
	begin("setp.lt.u32 %p1, %r1, 9;\n@%p1 add.u32 %r3, %r1, %r2;\nret;");
	ck_assert_uint_eq(at(0)->stall, 13);
	end();
	begin("setp.lt.u32 %p1, %r1, 9;\n@!%p1 bra L;\nadd.u32 %r3, %r1, %r2;\nL: ret;");
	ck_assert_uint_eq(at(0)->stall, 13);
	end();
	begin("setp.lt.u32 %p1, %r1, 9;\nselp.u32 %r3, %r1, %r2, %p1;\nadd.u32 %r4, %r5, %r6;\n@%p1 add.u32 %r5, %r5, %r2;\nret;");
	ck_assert_uint_eq(at(0)->stall, 4);
	ck_assert_uint_eq(at(1)->stall + at(2)->stall, 9); // for the guard the result is still under way
	end();
	// Guard and operand at once.
	begin("setp.lt.u32 %p1, %r1, 9;\n@%p1 selp.u32 %r3, %r1, %r2, %p1;\nret;");
	ck_assert_uint_eq(at(0)->stall, 13);
	end();
}
END_TEST

START_TEST(a_guard_in_another_block_is_waited_for_as_long)
{
	// The first block leaves a predicate that the second reads as an operand at once and as a guard a cycle later.
	begin("setp.lt.u32 %p1, %r1, 9;\nL: selp.u32 %r3, %r1, %r2, %p1;\n@%p1 add.u32 %r4, %r5, %r6;\nsetp.gt.u32 %p2, %r7, 3;\n@%p2 bra L;\nret;");
	ck_assert_uint_eq(at(0)->stall, 12);
	ck_assert_uint_eq(at(1)->stall, 1);
	end();
	begin("setp.lt.u32 %p1, %r1, 9;\nL: selp.u32 %r3, %r1, %r2, %p1;\nsetp.gt.u32 %p2, %r7, 3;\n@%p2 bra L;\nret;");
	ck_assert_uint_eq(at(0)->stall, 4);
	end();
}
END_TEST

START_TEST(what_a_block_leaves_open_covers_a_first_instruction_without_bypass)
{
	begin("add.u64 %rd1, %rd2, 4;\nL: ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nsetp.gt.u32 %p2, %r2, 3;\n@%p2 bra L;\nret;");
	ck_assert_uint_eq(at(0)->stall, 5);
	end();
}
END_TEST

START_TEST(double_precision_needs_fixed_results_two_cycles_longer)
{
	begin("mov.f64 %fd1, 0d0000000000000000;\nadd.f64 %fd2, %fd1, %fd1;\nret;");
	ck_assert_uint_eq(at(0)->stall, inst(0)->dependent + 2);
	end();
}
END_TEST

// The longest stall count stands for one of machine code and NOPs behind it; above 11 it must come with yield.
START_TEST(latencies_beyond_the_longest_stall_count_get_a_counter)
{
	static const char body[] = "add.u32 %r1, %r2, %r3;\nadd.u32 %r4, %r1, %r1;\nadd.u64 %rd1, %rd2, 4;\nL: ld.global.u32 %r5, [%rd1];\n"
	                           "setp.lt.u32 %p1, %r5, 9;\nadd.u32 %r1, %r4, 1;\n@%p1 bra L;\nret;";
	for (unsigned latency = 1; latency < 80; latency++) {
		char options[80];
		snprintf(options, sizeof options, "-int_latency %u\n-predicate_latency %u\n", latency, latency < 13 ? 13 : latency);
		begin_with(body, options);
		bool counted = latency + inst(0)->interval > 61; // a reader of another pipe may need 2 more
		for (unsigned i = 0; i < 8; i++) {
			ck_assert_uint_le(at(i)->stall, 63);
			ck_assert(at(i)->stall <= 11 || at(i)->yield);
		}
		ck_assert_int_eq(at(0)->write_sb < ISA_N_SB, counted);
		ck_assert_int_eq(at(1)->wait != 0, counted);
		ck_assert_uint_eq(at(0)->stall, counted ? 2 : inst(0)->dependent);
		if (counted) {
			ck_assert(at(1)->wait >> at(0)->write_sb & 1);
			ck_assert(at(3)->wait >> at(2)->write_sb & 1);
			ck_assert_uint_eq(at(0)->read_sb, ISA_NO_SB); // it reads in order
		}
		end();
	}
}
END_TEST

// The control-bit checker knows nothing of how they were made.
START_TEST(the_checker_finds_nothing_wrong_with_them)
{
	static const struct {
		const char *kernel;
		uint32_t grid[2], block[2];
		uint64_t n;
	} run[] = {{"triad", {4, 1}, {256, 1}, 1000}, {"stencil", {1, 4}, {32, 8}, 32}, {"matmul", {2, 2}, {16, 16}, 32}, {"reduce", {4, 1}, {256, 1}, 4000},
	           {"histogram", {4, 1}, {256, 1}, 2000}, {"chase", {1, 1}, {64, 1}, 1000}, {"bfs", {1, 1}, {256, 1}, 300}, {"fp64", {2, 1}, {128, 1}, 200},
	           {"transpose", {2, 2}, {32, 8}, 64}, {"scan", {4, 1}, {256, 1}, 0}, {"locals", {2, 1}, {96, 1}, 512}, {"constants", {4, 1}, {128, 1}, 512}};
	static const char *const options[] = {"", "-int_latency 11\n-sp_latency 30\n-predicate_latency 14\n", "-num_regular_register_file_read_ports_per_bank 2\n-sfu_latency 3\n"};
	static char text[1 << 18], all[400];
	FILE *f = fopen("tests/golden/kernels.ptx", "rb");
	ck_assert(f && fread(text, 1, sizeof text - 1, f) > 0);
	fclose(f);
	snprintf(all, sizeof all, "-core modern\n-gpgpu_perfect_inst_const_cache 0\n-gpgpu_num_sched_per_core 4\n-check_control_bits 1\n%s", options[_i]);
	struct timed *t = timed_new(text, all);
	uint64_t in = timed_alloc(t, 1 << 17), out = timed_alloc(t, 1 << 17);
	for (unsigned i = 0; i < 1 << 15; i++)
		((uint32_t *)(uintptr_t)in)[i] = i * 2654435761u >> 9;
	const struct modern_stats *s = &t->t->sm[0].modern->stats;
	for (unsigned i = 0; i < sizeof run / sizeof *run; i++) {
		uint64_t p[3] = {in, out, run[i].n};
		timed_launch3(t, run[i].kernel, (uint32_t[3]){run[i].grid[0], run[i].grid[1], 1}, (uint32_t[3]){run[i].block[0], run[i].block[1], 1}, 0, p,
		              sizeof p, 0);
		timed_wait(t);
		ck_assert_ptr_nonnull(t->t->sm[0].modern->hazards);
		ck_assert_msg(!s->hazards, "%s: %llu", run[i].kernel, (unsigned long long)s->hazards);
	}
	timed_free(t);
}
END_TEST

// An SM that is stepped writes only what is its own, so nothing is added to the table then.
START_TEST(the_table_has_every_instruction_before_a_warp_comes_to_it)
{
	static const char *const options[] = {"", "-is_remodeling_scoreboarding_enabled 1\n"};
	char line[40], body[12000] = "";
	for (unsigned i = 0; i < 300; i++) { // the table grows
		snprintf(line, sizeof line, "add.f32 %%f%u, %%f2, %%f3;\n", i % 8);
		strcat(body, line);
	}
	strcat(body, "ret;");
	begin_with(body, options[_i]);
	unsigned n = 0;
	const struct isa_inst *st;
	for (; (st = ptx_frontend.inst_at(code->code, (uint64_t)n * ptx_frontend.inst_bytes)); n++)
		ck_assert_ptr_eq(modern_code_of(code, st)->st, st);
	ck_assert_uint_ge(n, 301);
	ck_assert_uint_eq(code->n_inst, n);
	end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("control bits for PTX");
	TCase *t = tcase_create("control bits for PTX");
	tcase_add_test(t, a_stall_count_covers_what_is_left_of_a_fixed_latency);
	tcase_add_test(t, an_instruction_of_variable_latency_has_no_bypass);
	tcase_add_test(t, the_user_of_a_load_waits_for_its_counter);
	tcase_add_test(t, loads_with_a_user_between_them_have_counters_of_their_own);
	tcase_add_test(t, what_a_store_reads_is_not_overwritten_before);
	tcase_add_test(t, a_use_in_another_block_waits_too);
	tcase_add_test(t, a_register_that_the_next_one_reads_in_the_same_place_is_kept);
	tcase_add_test(t, a_register_that_is_overwritten_is_not_kept);
	tcase_add_test(t, a_guard_or_branch_sees_a_predicate_after_13_cycles_and_an_operand_after_4);
	tcase_add_test(t, a_guard_in_another_block_is_waited_for_as_long);
	tcase_add_test(t, what_a_block_leaves_open_covers_a_first_instruction_without_bypass);
	tcase_add_test(t, double_precision_needs_fixed_results_two_cycles_longer);
	tcase_add_test(t, latencies_beyond_the_longest_stall_count_get_a_counter);
	tcase_add_loop_test(t, the_checker_finds_nothing_wrong_with_them, 0, 3);
	tcase_add_loop_test(t, the_table_has_every_instruction_before_a_warp_comes_to_it, 0, 2);
	suite_add_tcase(s, t);
	return check_main(s);
}
