// Control bits that PTX is given: stall counts that cover fixed latencies, counters for the rest, waits where they are needed,
// reuse bits where the next instruction reads the same register.
#include "tests/unit/timing_harness.h"

#include "gpgpu-sim/modern/code.h"

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

static void begin(const char *body)
{
	static char text[4000];
	snprintf(text, sizeof text,
	         ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
	         ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .f32 %%f<16>; .reg .b64 %%rd<8>;\n%s\n}\n", body);
	gpu = timed_new(text, "-core modern\n");
	struct ptx_func *f = ptx_program_func(&gpu->b->program, "k");
	void *k = ptx_kernel_code(f, &gpu->b->diag);
	ck_assert_msg(k != NULL, "%s", gpu->b->diag.text ? gpu->b->diag.text : "?");
	code = modern_code_new(gpu->t->core.modern, &gpu->t->core, &ptx_frontend, k);
}

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
	suite_add_tcase(s, t);
	return check_main(s);
}
