// Which micro-ops are of system scope: those of the instructions that say so, and no others.
#include "tests/unit/ptx_harness.h"

#include "cuda-sim/decode/decoded.h"

static const char text[] =
	".version 8.4\n.target sm_90\n.address_size 64\n"
	".global .align 16 .b8 place[64];\n"
	".visible .entry k()\n{\n"
	".reg .u32 %r<9>; .reg .u64 %a; .reg .f32 %f<9>; .reg .b16 %h;\n"
	"mov.u64 %a, place;\n"
	"atom.sys.global.add.u32 %r1, [%a], 1;\n"
	"atom.global.add.u32 %r1, [%a], 1;\n"
	"atom.gpu.global.add.u32 %r1, [%a], 1;\n"
	"atom.relaxed.cta.global.cas.b32 %r1, [%a], 1, 2;\n"
	"atom.acq_rel.sys.cas.b32 %r1, [%a], 1, 2;\n"
	"atom.global.sys.exch.b32 %r1, [%a], 1;\n"
	"red.release.sys.global.or.b32 [%a], 1;\n"
	"red.global.or.b32 [%a], 1;\n"
	"red.sys.global.add.v4.f32 [%a], {%f1, %f2, %f3, %f4};\n"
	"red.global.add.v4.f32 [%a], {%f1, %f2, %f3, %f4};\n"
	"ld.acquire.sys.u32 %r1, [%a];\n"
	"ld.acquire.gpu.u32 %r1, [%a];\n"
	"membar.sys;\n"
	"membar.gl;\n"
	"fence.sc.sys;\n"
	"fence.acq_rel.gpu;\n"
	"ret;\n}\n";

START_TEST(the_instruction_says_it)
{
	struct ptx_bench *b = bench_new(text);
	struct kernel_code *k = ptx_kernel_code(ptx_program_func(&b->program, "k"), &b->diag);
	ck_assert_msg(k != NULL, "%s", b->diag.text ? b->diag.text : "?");
	unsigned of_system = 0, others = 0;
	for (uint32_t n = 0; n < k->entry->n_uop; n++) {
		const struct uop *u = &k->entry->uop[n];
		const struct ptx_inst *i = code_inst(k->entry, u);
		bool says = i && strstr(i->text, ".sys") != NULL;
		ck_assert_msg(!(u->flags & UOP_SYSTEM) == !says, "%s", i ? i->text : "the end");
		of_system += says;
		others += !says;
	}
	ck_assert_uint_ge(of_system, 4 + 4 + 3); // a micro-op for each element of a vector
	ck_assert_uint_ge(others, 4 + 4 + 3);
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scope");
	TCase *t = tcase_create("scope");
	tcase_add_test(t, the_instruction_says_it);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
