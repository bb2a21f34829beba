// What is in the files of an extended trace that Heddle writes: every field that the tracer of Huerta et al. fills in, with its meaning.
#include "tests/unit/kernel_text.h"
#include "tests/unit/ptx_harness.h"

#include "cuda-sim/sass/exec/kernel.h"
#include "cuda-sim/trace/set.h"
#include "cuda-sim/trace/variant.h"
#include "cuda-sim/trace/write/writer.h"
#include "libcuda/code/machine_code.h"
#include "libcuda/image/cubin_text.h"
#include "trace_pb.pb-c.h"

#include <ftw.h>
#include <unistd.h>

static const char ptx[] = KERNEL_HEAD KERNEL_ENTRY("none") "ret;\n}\n";

enum { AT_LDC = 5, AT_CALL = 11, AT_RET = 14, N_INSTS = 15 }; // of the kernel; INSTS: that a warp executes, all in order but the function

static const char text[] = ".kernel k\n.target sm_80\n.regs 24\n.shared 256\n.param 0x0, 16\n"
	"MOV R1, c[0x0][0x28]\nS2R R0, SR_TID.X\nUMOV UR4, 0x40\nMOV R3, 0x4\nLDC R5, c[0x0][0x160]\nLDC.64 R6, c[0x0][R3+0x164]\n"
	"IADD3 R9, R0, -c[0x0][0x164], -R5\nIADD3.X R8, ~R0, R9.reuse, R3, P0, !PT\nSTS [UR4], R8\nMOV R20, back\nMOV R21, 0x0\nCALL.REL.NOINC f\n"
	"back: @!P0 STS.U8 [R0+UR4+0x8], R6\nEXIT\n.subroutine f\nRET.REL.NODEC R20 0x0\n";

static char folder[64];

static int drop(const char *path, const struct stat *st, int type, struct FTW *f) { return remove(path); }

// Launches of the kernel, on these streams.
static void write_trace(const uint64_t *stream, unsigned n)
{
	struct diag d = {0};
	uint8_t *image;
	size_t size;
	struct machine_code m = {0};
	struct machine_kernel k;
	uint64_t params[2] = {0};
	strcpy(folder, "/tmp/heddle-extended-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	struct trace_writer *w = trace_writer_new(folder, &(struct trace_writing){.extended = true}, &d);
	struct ptx_bench *b = bench_new(ptx);
	ck_assert_msg(w && cubin_assemble("k.sass", text, strlen(text), &image, &size, &d), "%s", d.text);
	ck_assert_msg(machine_code_open(&m, &b->program, b->mem, image, size, "k.sass", &d) && machine_code_link(&m, NULL, 0, &d) &&
	                      machine_code_kernel(&m, "k", 0, &k, &d), "%s", d.text);
	for (unsigned i = 0; i < n; i++) {
		struct kernel_launch l = bench_launch(b, "none", 2, 32 + 32 * i);
		l.info = &k.info;
		l.code = k.code;
		l.params = (const uint8_t *)params;
		l.stream = stream[i];
		l.uid = i + 1;
		l.fe = trace_writer_frontend(w, &sass_frontend);
		uint64_t used;
		struct functional_run *r = functional_new(&l, 8, NULL);
		while (!functional_step(r, 1 << 20, &used))
			;
		functional_free(r);
		ck_assert_msg(!l.fault.kind, "%s", l.fault.text);
	}
	ck_assert_msg(trace_writer_close(w, &d), "%s", d.text);
	sass_kernel_free(k.code);
	machine_code_close(&m);
	bench_free(b);
	mem_free(image);
	diag_free(&d);
}

static void leave(void) { nftw(folder, drop, 8, FTW_DEPTH | FTW_PHYS); }

static char *file_of(const char *name, size_t *n)
{
	char path[300];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	char *text_of = calloc(1, 1 << 20);
	*n = fread(text_of, 1, (1 << 20) - 1, f);
	fclose(f);
	return text_of;
}

// A reader takes the N-th kernel of a stream for kernel-N, and its thread blocks from the folder of its id.
START_TEST(kernels_are_counted_by_stream)
{
	static const uint64_t stream[] = {7, 3, 7};
	char why[400];
	size_t n;
	write_trace(stream, 3);
	char *list = file_of("dynamic_trace.pb", &n);
	Pb__Trace *t = pb__trace__unpack(NULL, n, (uint8_t *)list);
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->binary_version, 80);
	Pb__Device *d = t->gpu_device[0]->value;
	ck_assert_uint_eq(d->n_streams, 2);
	for (unsigned i = 0; i < 2; i++) {
		const Pb__Stream *s = d->streams[i]->value;
		ck_assert_int_eq(s->id, i ? 7 : 3);
		ck_assert_uint_eq(s->n_kernels, i + 1);
		ck_assert_uint_eq(s->n_ordered_cuda_events, i + 1);
		for (unsigned k = 0; k <= i; k++) {
			char expected[40], block[120];
			snprintf(expected, sizeof expected, "kernel-%u.trace", k + 1);
			ck_assert_str_eq(s->ordered_cuda_events[k], expected);
			ck_assert_int_eq(s->kernels[k]->id, (int)k + 1);
			ck_assert_str_eq(s->kernels[k]->name, "k___0");
			snprintf(block, sizeof block, "threadblocks/device_0/stream_%d/kernel_%u/d_0_s_%d_k_%u_1,0,0.pb", i ? 7 : 3, k + 1, i ? 7 : 3, k + 1);
			free(file_of(block, &n));
		}
	}
	pb__trace__free_unpacked(t, NULL);
	free(list);

	// Heddle's own reader knows the launches by their numbers among all, and the kernel by its name.
	struct trace_set *s = trace_set_open(folder, why, sizeof why);
	ck_assert_msg(s, "%s", why);
	static const unsigned number[] = {2, 1, 3};
	for (unsigned k = 0; k < 3; k++) {
		ck_assert_uint_eq(s->kernel.at[k].executed->number, number[k]);
		ck_assert_str_eq(s->kernel.at[k].name, "k");
	}
	trace_set_free(s);
	leave();
}
END_TEST

START_TEST(a_line_for_each_kernel_tells_how_much_it_ran)
{
	static const uint64_t stream[] = {0, 5};
	size_t n;
	write_trace(stream, 2);
	char *stats = file_of("stats.csv", &n);
	ck_assert_str_eq(stats,
	                 "device_id, stream_id, kernel id, kernel mangled name, grid_dimX, grid_dimY, grid_dimZ, #blocks, block_dimX, block_dimY, "
	                 "block_dimZ, #threads, total_insts, total_reported_insts\n"
	                 "0, 0, kernel-1.trace, k, 2, 1, 1, 2, 32, 1, 1, 32, 30,30\n"
	                 "0, 5, kernel-1.trace, k, 2, 1, 1, 2, 64, 1, 1, 64, 60,60\n");
	_Static_assert(2 * N_INSTS == 30, "two blocks of a warp");
	free(stats);
	leave();
}
END_TEST

// As the tracer takes operands apart, and registers in use.
static const char *const fields[] = {
	"\"operand_string\":\"[UR4]\",\"operand_type\":\"MREF\",\"has_reg\":true,\"is_negative_reg\":false,\"is_absolute_reg\":false,"
	"\"operand_reg_number\":4,\"has_inmediate\":false,\"operand_inmmediates\":[]",
	"\"operand_string\":\"[R0+UR4+0x8]\",\"operand_type\":\"MREF\",\"has_reg\":true,\"is_negative_reg\":false,\"is_absolute_reg\":false,"
	"\"operand_reg_number\":4,\"has_inmediate\":true,\"operand_inmmediates\":[8.0]",
	"\"operand_string\":\"c[0x0][R3+0x164]\",\"operand_type\":\"CBANK\",\"has_reg\":true,\"is_negative_reg\":false,\"is_absolute_reg\":false,"
	"\"operand_reg_number\":3,\"has_inmediate\":true,\"operand_inmmediates\":[0.0,356.0]",
	"\"operand_string\":\"~R0\",\"operand_type\":\"REG\",\"has_reg\":true,\"is_negative_reg\":false",
	"\"operand_string\":\"-c[0x0][0x164]\",\"operand_type\":\"CBANK\",\"has_reg\":false,\"is_negative_reg\":true",
	"\"operand_string\":\"-R5\",\"operand_type\":\"REG\",\"has_reg\":true,\"is_negative_reg\":true,\"is_absolute_reg\":false,"
	"\"operand_reg_number\":5,",
	"\"operand_string\":\"R9.reuse\",\"operand_type\":\"REG\",\"has_reg\":true,\"is_negative_reg\":false,\"is_absolute_reg\":false,"
	"\"operand_reg_number\":9,\"has_inmediate\":false,\"operand_inmmediates\":[],\"operand_modifiers\":[\"reuse\"],\"is_reuse_bit_set\":true",
	"\"op_code\":\"CALL.REL.NOINC\",\"is_predicated\":false,\"is_uniform_predicate\":false,\"is_predicate_negate\":false,"
	"\"predicate_register\":0,\"num_destination_registers\":0",
	"\"operand_string\":\"0xe0\",\"operand_type\":\"IMM_UINT64\"",
	"\"op_code\":\"STS.U8\",\"is_predicated\":true,\"is_uniform_predicate\":false,\"is_predicate_negate\":true,\"predicate_register\":0",
	// At CALL: R0, R1, R6, R20 and R21; UR4; P0.
	"\"wait_barrier_bits\":48},\"register_usage\":{\"num_regular\":5,\"future_max_num_regular\":0,\"num_uniform\":1,"
	"\"future_max_num_uniform\":0,\"num_regular_predicate\":1,\"future_max_num_regular_predicate\":0,\"num_uniform_predicate\":0,"
	"\"future_max_num_uniform_predicate\":0}},{\"pc_string_hex\":\"00c0\"",
	"\"kernel_name\":\"k___0\",\"architecture_version\":80,\"is_captured_from_binary\":true,\"unique_function_id\":1,\"function_address\":",
};

START_TEST(the_static_code_tells_what_the_tracer_tells)
{
	static const uint64_t stream[] = {0};
	size_t n;
	write_trace(stream, 1);
	char *json = file_of("extra_info/enhanced_execution_info.json", &n);
	ck_assert_msg(strstr(json, fields[_i]) != NULL, "%s is not in it", fields[_i]);
	free(json);
	leave();
}
END_TEST

static Pb__Instruction *record(const Pb__Warp *w, unsigned i, uint32_t pc)
{
	Pb__Instruction *r = pb__instruction__unpack(NULL, w->instructions[i].len, w->instructions[i].data);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(r->pc, pc);
	ck_assert_uint_eq(r->n_addresses, 1);
	return r;
}

// A load of constants by register tells the register's value and its width; a call and a return where they go.
START_TEST(records_of_calls_and_constants_have_an_address)
{
	static const uint64_t stream[] = {0};
	char why[400];
	size_t n;
	write_trace(stream, 1);
	struct trace_set *s = trace_set_open(folder, why, sizeof why);
	ck_assert_msg(s, "%s", why);
	uint64_t base = s->kernel.at[0].function->address;
	trace_set_free(s);
	char *file = file_of("threadblocks/device_0/stream_0/kernel_1/d_0_s_0_k_1_0,0,0.pb", &n);
	Pb__ThreadBlock *b = pb__thread_block__unpack(NULL, n, (uint8_t *)file);
	Pb__WarpEntry *e = pb__warp_entry__unpack(NULL, b->warps[0].len, b->warps[0].data);
	Pb__Warp *w = pb__warp__unpack(NULL, e->value.len, e->value.data);
	ck_assert_uint_eq(w->n_instructions, N_INSTS);
	static const struct { unsigned record, pc, width; uint64_t at; } expected[] = {
		{AT_LDC, AT_LDC * 16, 8, 4}, {AT_CALL, AT_CALL * 16, 1, AT_RET * 16}, {AT_CALL + 1, AT_RET * 16, 1, (AT_CALL + 1) * 16}};
	for (unsigned k = 0; k < 3; k++) {
		Pb__Instruction *r = record(w, expected[k].record, expected[k].pc);
		const Pb__Address *a = r->addresses[0];
		ck_assert_int_eq(a->data_width, (int)expected[k].width);
		ck_assert_uint_eq(a->udesc_value, 133);
		ck_assert_int_eq(a->compression_format, 1);
		ck_assert_uint_eq(a->base_address, expected[k].at + (k ? base : 0));
		ck_assert_int_eq(a->stride, 0);
		pb__instruction__free_unpacked(r, NULL);
	}
	pb__warp__free_unpacked(w, NULL);
	pb__warp_entry__free_unpacked(e, NULL);
	pb__thread_block__free_unpacked(b, NULL);
	free(file);
	leave();
}
END_TEST

START_TEST(a_variants_number_is_no_part_of_the_name)
{
	static const struct { const char *name; size_t cut; } names[] = {
		{"k___0", 1}, {"_Z1kPf___12", 6}, {"k", 1}, {"k___", 4}, {"k__0", 4}, {"___0", 4}, {"k___x1", 6}, {"", 0}, {"k___1___2", 5}};
	char small[20], buf[64];
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		ck_assert_uint_eq(trace_variant_cut(names[i].name), names[i].cut);
	trace_variant_name(buf, sizeof buf, "kernel", 7);
	ck_assert_str_eq(buf, "kernel___7");
	trace_variant_name(small, sizeof small, "a_long_name_of_a_kernel", 4294967295u);
	ck_assert_str_eq(small, "a_long___4294967295");
	trace_variant_name(small, sizeof small, "a_long_name_of_a_kernel", 1);
	ck_assert_str_eq(small, "a_long___1");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace_extended");
	TCase *t = tcase_create("trace_extended");
	tcase_add_test(t, kernels_are_counted_by_stream);
	tcase_add_test(t, a_line_for_each_kernel_tells_how_much_it_ran);
	tcase_add_loop_test(t, the_static_code_tells_what_the_tracer_tells, 0, sizeof fields / sizeof *fields);
	tcase_add_test(t, records_of_calls_and_constants_have_an_address);
	tcase_add_test(t, a_variants_number_is_no_part_of_the_name);
	suite_add_tcase(s, t);
	return check_main(s);
}
