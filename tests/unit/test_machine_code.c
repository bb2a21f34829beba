// Programs with machine code, with and without PTX: which of the two runs, and where variables are then. The machine code is
// tests/machine/linked.80.cubin; kernels of the PTX give other results.
#include "tests/unit/api_harness.h"

#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .b8 zeros[24];\n"
	".visible .entry plain(.param .u64 p, .param .u32 n)\n{\n.reg .b64 %d;\nld.param.u64 %d, [p];\nst.global.u32 [%d], 7777;\nret;\n}\n"
	".visible .entry only(.param .u64 p, .param .u32 n)\n{\n.reg .b64 %d;\nld.param.u64 %d, [p];\nst.global.u32 [%d], 55;\nret;\n}\n";

// What cudaFuncGetAttributes of all releases calls (libcuda/code/kernel_calls.h).
cudaError_t func_attributes(struct cudaFuncAttributes *out, const void *host, size_t size);

HOST(plain)
HOST(pointers)
HOST(only)
static uint32_t zeros[6], weight[4], counts;

static struct pack pack;
static struct {
	uint32_t magic, version;
	const void *data, *extra;
} wrapper;

static const char *cubin_path(void)
{
	static char path[600];
	snprintf(path, sizeof path, "%.*smachine/linked.80.cubin", (int)(strstr(__FILE__, "unit/") - __FILE__), __FILE__);
	return path;
}

static void start(unsigned capability, const char *mode, bool with_ptx, bool with_code)
{
	static char options[300], code[16384];
	FILE *f = fopen(cubin_path(), "rb");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(code, 1, sizeof code, f);
	fclose(f);
	snprintf(options, sizeof options, "-stats_file /dev/null -gpgpu_compute_capability_major %u -gpgpu_compute_capability_minor %u "
	         "-gpgpu_execute %s", capability / 10, capability % 10, mode);
	setenv("HEDDLE_OPTIONS", options, 1);
	harness_quiet();
	pack_start(&pack);
	if (with_code)
		pack_entry(&pack, FATBIN_CUBIN, 80, FATBIN_ZSTD, NULL, code, n);
	if (with_ptx)
		pack_entry(&pack, FATBIN_PTX, 70, 0, NULL, ptx, sizeof ptx);
	wrapper.magic = FATBIN_WRAPPER_MAGIC;
	wrapper.version = 1;
	wrapper.data = pack.data;
	void **h = __cudaRegisterFatBinary(&wrapper);
	KERNEL(plain) KERNEL(pointers) KERNEL(only)
	__cudaRegisterVar(h, (char *)zeros, "zeros", "zeros", 0, sizeof zeros, 0, 0);
	__cudaRegisterVar(h, (char *)weight, "weight", "weight", 0, sizeof weight, 1, 0);
	__cudaRegisterVar(h, (char *)&counts, "counter", "counter", 0, sizeof counts, 0, 0);
	__cudaRegisterFatBinaryEnd(h);
}

static cudaError_t run(void (*kernel)(void), uint32_t n, uint32_t *out)
{
	uint32_t *p = device_words(32);
	char which = 0;
	void *args[] = {&p, &n, &which};
	cudaError_t e = cudaLaunchKernel((void *)kernel, one, (dim3){32, 1, 1}, args, 0, 0);
	*out = e ? 0 : device_word(p);
	return e;
}

enum { CODE = 16, PTX = 7777, NONE = 0 }; // of plain(1): 1 * weight[1] + 2 * 1 + counter + zeros[1] + weight[2]

static const struct {
	const char *mode;
	unsigned capability;
	bool ptx;
	uint32_t result;
} cases[] = {
	{"ptx", 80, true, PTX},   {"ptx", 80, false, CODE},   {"sass", 80, true, CODE},  {"sass", 86, false, CODE}, {"auto", 80, true, CODE},
	{"auto", 89, false, CODE}, {"auto", 75, true, PTX},   {"auto", 90, false, NONE}, {"sass", 75, true, NONE},  {"sass", 90, false, NONE},
	{"ptx", 90, false, NONE}, {"default", 80, true, PTX},
};

START_TEST(code_is_chosen)
{
	uint32_t out;
	start(cases[_i].capability, cases[_i].mode, cases[_i].ptx, true);
	GIVES(cases[_i].result ? cudaSuccess : cudaErrorNoKernelImageForDevice, run(plain, 1, &out));
	ck_assert_uint_eq(out, cases[_i].result);
	if (cases[_i].result == CODE) {
		struct cudaFuncAttributes a;
		OK(func_attributes(&a, (void *)plain, sizeof a));
		ck_assert_int_eq(a.binaryVersion, 80);
		ck_assert_int_eq(a.sharedSizeBytes, 128);
	}
}
END_TEST

// A kernel that one of them does not have.
START_TEST(a_kernel_may_be_in_one_only)
{
	static const struct {
		const char *mode;
		bool only, pointers;
	} runs[] = {{"ptx", true, true}, {"auto", true, true}, {"sass", false, true}};
	uint32_t out;
	start(80, runs[_i].mode, true, true);
	GIVES(runs[_i].only ? cudaSuccess : cudaErrorNoKernelImageForDevice, run(only, 1, &out));
	ck_assert_uint_eq(out, runs[_i].only ? 55 : 0);
	OK(run(pointers, 0, &out));
	ck_assert_uint_eq(out, 2);
}
END_TEST

// What the host writes is what machine code reads, and the other way, whether PTX has the variable, or machine code alone.
START_TEST(variables_are_shared_with_the_host)
{
	uint32_t out, v = 100;
	void *p;
	size_t size;
	start(80, "auto", _i, true);
	OK(cudaMemcpyToSymbol(zeros, &v, 4, 4, cudaMemcpyHostToDevice));
	OK(run(plain, 1, &out));
	ck_assert_uint_eq(out, CODE + 100);
	OK(cudaMemcpyToSymbol(weight, &v, 4, 4, cudaMemcpyHostToDevice));
	OK(run(plain, 1, &out));
	ck_assert_uint_eq(out, CODE + 100 - 5 + 100);
	OK(cudaGetSymbolAddress(&p, &counts));
	OK(cudaGetSymbolSize(&size, weight));
	ck_assert_uint_eq(size, 16);
	OK(cudaMemcpyFromSymbol(&v, &counts, 4, 0, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(v, 2);
	v = 12;
	OK(cudaMemcpy(p, &v, 4, cudaMemcpyHostToDevice));
	OK(run(plain, 1, &out));
	ck_assert_uint_eq(out, CODE + 100 - 5 + 100 + 10);
	OK(cudaDeviceReset());
	OK(run(plain, 1, &out));
	ck_assert_uint_eq(out, CODE);
}
END_TEST

// PTX_SIM_KERNELFILE: its kernels go before those of the program, whatever else is to run.
START_TEST(a_file_replaces_kernels)
{
	uint32_t out, v = 100;
	setenv("PTX_SIM_KERNELFILE", cubin_path(), 1);
	start(_i == 2 ? 75 : 80, _i == 1 ? "ptx" : "auto", true, _i == 1);
	if (_i == 2) {
		GIVES(cudaErrorNoKernelImageForDevice, run(plain, 1, &out));
		return;
	}
	OK(cudaMemcpyToSymbol(zeros, &v, 4, 4, cudaMemcpyHostToDevice));
	OK(run(plain, 1, &out));
	ck_assert_uint_eq(out, CODE + 100);
	OK(run(only, 1, &out));
	ck_assert_uint_eq(out, 55);
}
END_TEST

// The command of this build: build/MODE/bin/heddle, or bin/heddle, where a release has it.
static void own_heddle(char *path, size_t len)
{
	char self[400];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	ck_assert_int_gt(n, 0);
	self[n] = 0;
	const char *mode = strstr(self, "/tests/unit/");
	ck_assert_ptr_nonnull(mode);
	snprintf(path, len, "%.*s/bin/heddle", (int)(mode - self), self);
	if (access(path, X_OK))
		snprintf(path, len, "%.*s/../../bin/heddle", (int)(mode - self), self);
}

// Text that heddle sass wrote, with one number changed.
START_TEST(text_replaces_kernels)
{
	char dir[] = "/tmp/heddle_code_XXXXXX", path[64], command[1600], heddle[600];
	uint32_t out;
	own_heddle(heddle, sizeof heddle);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/plain.sass", dir);
	// twice(x) becomes 4 * x + counter.
	snprintf(command, sizeof command, "%s sass '%s' >%s && sed -i 's/\\(LEA R4, R4, R[0-9]*, \\)0x1/\\10x2/' %s", heddle,
	         cubin_path(), path, path);
	ck_assert_int_eq(system(command), 0);
	setenv("PTX_SIM_KERNELFILE", path, 1);
	start(80, "ptx", true, false);
	OK(run(plain, 1, &out));
	ck_assert_uint_eq(out, CODE + 2);
	remove(path);
	remove(dir);
}
END_TEST

// Each time another warp clears what all have read, without a barrier in between, as programs do that run on GPUs. Much is done before
// each barrier, so that the warp which comes last spends the time there in which warps stay close together after the barrier before.
#ifndef HEDDLE_HOSTILE
START_TEST(the_last_to_come_to_a_barrier_stays_close_to_the_others)
{
	enum { THREADS = 512, TIMES = 20, BEFORE = 40, AFTER = 17 };
	char path[] = "/tmp/heddle_code_XXXXXX.sass";
	FILE *f = fdopen(mkstemps(path, 5), "w");
	ck_assert_ptr_nonnull(f);
	fputs(".kernel plain\n.target sm_80\n.regs 24\n.shared 4\n.barriers 1\n.param 0x0, 8\n.param 0x8, 4\n"
	      "S2R R0, SR_TID.X\nMOV R5, RZ\nMOV R6, RZ\n"
	      "L_AGAIN: IMAD R7, R5, 0x60, RZ\nLOP3.LUT R7, R7, 0x1ff, RZ, 0xc0, !PT\nIADD3 R5, R5, 0x1, RZ\nISETP.EQ.AND P0, PT, R0, R7, PT\n", f);
	for (unsigned i = 0; i < BEFORE; i++)
		fputs("NOP\n", f);
	fputs("@!P0 BRA L_WRITTEN\nSTS [RZ], R5\nL_WRITTEN: WARPSYNC 0xffffffff\nBAR.SYNC.DEFER_BLOCKING 0x0\n", f);
	for (unsigned i = 0; i < AFTER; i++)
		fputs("NOP\n", f);
	fputs("LDS R8, [RZ]\nIADD3 R6, R6, R8, RZ\n@!P0 BRA L_CLEARED\nSTS [RZ], RZ\nL_CLEARED: WARPSYNC 0xffffffff\nBAR.SYNC.DEFER_BLOCKING 0x0\n"
	      "ISETP.LT.AND P1, PT, R5, 0x14, PT\n@P1 BRA L_AGAIN\n"
	      "MOV R2, 0x4\nIMAD.WIDE R2, R0, R2, c[0x0][0x160]\nSTG.E [R2.64], R6\nEXIT\n", f);
	ck_assert_int_eq(fclose(f), 0);
	setenv("PTX_SIM_KERNELFILE", path, 1);
	start(80, "ptx", true, false);
	uint32_t *p = device_words(THREADS), n = 0;
	void *args[] = {&p, &n};
	OK(cudaLaunchKernel((void *)plain, one, (dim3){THREADS, 1, 1}, args, 0, 0));
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_msg(device_word(p + i) == TIMES * (TIMES + 1) / 2, "thread %u: %u", i, device_word(p + i));
	remove(path);
}
END_TEST
#endif

// Bytes are taken from the stack of which .stack says nothing: n times 16, as alloca() does, or a constant, as functions called by
// address do. They are there until the limit of stacks.
static const char *const taking[] = {
	"MOV R0, c[0x0][0x168]\nIMAD.SHL.U32 R0, R0, 0x10, RZ\nIMAD.IADD R1, R1, 0x1, -R0\n",
	"IADD3 R1, R1, -0x200, RZ\nIADD3 R1, R1, -0x200, RZ\n",
};

START_TEST(a_stack_grows_to_its_limit)
{
	char path[] = "/tmp/heddle_code_XXXXXX.sass";
	uint32_t out, *p, n = (1024 + 512) / 16 + 1;
	FILE *f = fdopen(mkstemps(path, 5), "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, ".kernel plain\n.target sm_80\n.regs 24\n.stack 512\n.param 0x0, 8\n.param 0x8, 4\nMOV R1, c[0x0][0x28]\n%s"
	      "MOV R2, 0x1234\nSTL [R1], R2\nLDL R3, [R1]\nMOV R4, c[0x0][0x160]\nMOV R5, c[0x0][0x164]\nSTG.E [R4.64], R3\nEXIT\n", taking[_i]);
	ck_assert_int_eq(fclose(f), 0);
	setenv("PTX_SIM_KERNELFILE", path, 1);
	start(80, "ptx", true, false);
	OK(run(plain, n - 1, &out));
	ck_assert_uint_eq(out, 0x1234);
	remove(path);
	if (_i)
		return;
	p = device_words(32);
	void *args[] = {&p, &n};
	OK(cudaLaunchKernel((void *)plain, one, (dim3){32, 1, 1}, args, 0, 0));
	GIVES(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}
END_TEST

// STSM and LDSM whose address is the sum of a register, a uniform one and an offset; lane k stores 0x100 + k.
START_TEST(matrices_lie_behind_a_uniform_register)
{
	char path[] = "/tmp/heddle_code_XXXXXX.sass";
	FILE *f = fdopen(mkstemps(path, 5), "w");
	ck_assert_ptr_nonnull(f);
	fputs(".kernel plain\n.target sm_90\n.regs 24\n.shared 2048\n.param 0x0, 8\n.param 0x8, 4\n"
	      "S2R R0, SR_TID.X\nUMOV UR5, 0x80\nUMOV UR6, 0x40\nIMAD.SHL.U32 R2, R0, 0x10, RZ\nIADD3 R8, R0, 0x100, RZ\n"
	      "STSM.16.M88 [R2+UR5+0x20], R8\nWARPSYNC 0xffffffff\nLDSM.16.M88 R9, [R2+UR6+0x60]\n"
	      "IMAD.SHL.U32 R10, R0, 0x4, RZ\nLDS R11, [R10+0xa0]\nISETP.EQ.AND P0, PT, R9, R11, PT\nSEL R12, R11, RZ, P0\n"
	      "MOV R3, 0x4\nIMAD.WIDE R4, R0, R3, c[0x0][0x210]\nULDC.64 UR8, c[0x0][0x208]\nSTG.E desc[UR8][R4.64], R12\nEXIT\n", f);
	ck_assert_int_eq(fclose(f), 0);
	setenv("PTX_SIM_KERNELFILE", path, 1);
	start(90, "ptx", true, false);
	uint32_t *p = device_words(32), n = 0;
	void *args[] = {&p, &n};
	OK(cudaLaunchKernel((void *)plain, one, (dim3){32, 1, 1}, args, 0, 0));
	for (unsigned i = 0; i < 32; i++)
		ck_assert_msg(device_word(p + i) == 0x100 + i, "lane %u: %#x", i, device_word(p + i));
	remove(path);
}
END_TEST

// An instruction that is executed, with modifiers or operands that are not: nothing of it is left out.
static const char *const unknown[] = {"HFMA2.F32 R2, R2, R2, R2", "HMMA.SP.16832.F32 R4, R8, R12, R4, R16, 0x2"};

START_TEST(a_modifier_is_executed_or_refused)
{
	char path[] = "/tmp/heddle_code_XXXXXX.sass";
	uint32_t out;
	FILE *f = fdopen(mkstemps(path, 5), "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, ".kernel plain\n.target sm_80\n.regs 24\n.shared 64\n.param 0x0, 8\n.param 0x8, 4\n%s\nEXIT\n", unknown[_i]);
	ck_assert_int_eq(fclose(f), 0);
	setenv("PTX_SIM_KERNELFILE", path, 1);
	start(80, "ptx", true, false);
	GIVES(cudaErrorNoKernelImageForDevice, run(plain, 1, &out));
	remove(path);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("machine code");
	TCase *t = tcase_create("machine code");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, code_is_chosen, 0, sizeof cases / sizeof *cases);
	tcase_add_loop_test(t, a_kernel_may_be_in_one_only, 0, 3);
	tcase_add_loop_test(t, variables_are_shared_with_the_host, 0, 2);
	tcase_add_loop_test(t, a_file_replaces_kernels, 0, 3);
	tcase_add_test(t, text_replaces_kernels);
#ifndef HEDDLE_HOSTILE // there turns are too short for warps to stay close
	tcase_add_test(t, the_last_to_come_to_a_barrier_stays_close_to_the_others);
#endif
	tcase_add_loop_test(t, a_stack_grows_to_its_limit, 0, 2);
	tcase_add_test(t, matrices_lie_behind_a_uniform_register);
	tcase_add_loop_test(t, a_modifier_is_executed_or_refused, 0, sizeof unknown / sizeof *unknown);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
