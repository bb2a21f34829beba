// A program with a fat binary, for tests of the API: kernels and variables are registered as compilers do it.
#ifndef TESTS_API_HARNESS_H
#define TESTS_API_HARNESS_H

#include "tests/fatbin_pack.h"
#include "toolkit/include/cuda_runtime_api.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global);
void __cudaRegisterManagedVar(void **handle, void **slot, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
char __cudaInitModule(void **handle);
cudaError_t __cudaGetKernel(const void **kernel, const void *host);
cudaError_t __cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);

// add: p[thread] += v. spin: p[0] = v after n turns of a loop. fault: writes to address 8. stop: traps.
// wait: loops until p[0] is v. last: reads *q and stores it in *p.
static const char harness_ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .u32 counter = 7;\n"
	".visible .const .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
	".visible .global .attribute(.managed) .align 4 .u32 shared_value = 11;\n"
	".visible .entry add(.param .u64 p, .param .u32 v)\n{\n.reg .b32 %r<5>;\n.reg .b64 %d<4>;\n"
	"ld.param.u64 %d1, [p];\nld.param.u32 %r1, [v];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %d2, %r2, 4;\n"
	"add.s64 %d3, %d1, %d2;\nld.global.u32 %r3, [%d3];\nadd.s32 %r4, %r3, %r1;\nst.global.u32 [%d3], %r4;\nret;\n}\n"
	".visible .entry spin(.param .u64 p, .param .u32 v, .param .u32 n)\n{\n.reg .b32 %r<5>;\n.reg .b64 %d<4>;\n"
	".reg .pred %p<2>;\n"
	"ld.param.u64 %d1, [p];\nld.param.u32 %r1, [v];\nld.param.u32 %r2, [n];\n"
	"L:\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\nst.global.u32 [%d1], %r1;\nret;\n}\n"
	".visible .entry fault()\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<2>;\nmov.u64 %d1, 8;\nmov.u32 %r1, 1;\n"
	"st.global.u32 [%d1], %r1;\nret;\n}\n"
	".visible .entry stop()\n{\ntrap;\n}\n"
	".visible .entry copy(.param .u64 p, .param .u64 q)\n{\n.reg .b32 %r<2>;\n.reg .b64 %d<3>;\n"
	"ld.param.u64 %d1, [p];\nld.param.u64 %d2, [q];\nld.global.u32 %r1, [%d2];\nst.global.u32 [%d1], %r1;\nret;\n}\n"
	".visible .entry broken()\n{\nthis is no PTX;\n}\n"
	".visible .entry big(.param .u64 p)\n.maxntid 64, 1, 1\n{\n.shared .align 4 .b8 s[1024];\nret;\n}\n";

// Host functions and variables: only their addresses count.
#define HOST(name) static void name(void) {}
HOST(add)
HOST(spin)
HOST(fault)
HOST(stop)
HOST(copy)
HOST(broken)
HOST(big)
HOST(missing)
static uint32_t counter, table[4];
static uint32_t *shared_value;

static struct {
	uint32_t magic, version;
	const void *data, *extra;
} harness_wrapper;
static struct pack harness_pack;
static void **harness_handle;

static inline void harness_register(void)
{
	void **h;
	pack_start(&harness_pack);
	pack_entry(&harness_pack, FATBIN_PTX, 70, 0, NULL, harness_ptx, sizeof harness_ptx);
	harness_wrapper.magic = FATBIN_WRAPPER_MAGIC;
	harness_wrapper.version = 1;
	harness_wrapper.data = harness_pack.data;
	harness_handle = h = __cudaRegisterFatBinary(&harness_wrapper);
#define KERNEL(name) __cudaRegisterFunction(h, (void *)name, #name, #name, -1, NULL, NULL, NULL, NULL, NULL);
	KERNEL(add) KERNEL(spin) KERNEL(fault) KERNEL(stop) KERNEL(copy) KERNEL(broken) KERNEL(big) KERNEL(missing)
	__cudaRegisterVar(h, (char *)&counter, "counter", "counter", 0, 4, 0, 0);
	__cudaRegisterVar(h, (char *)table, "table", "table", 0, 16, 1, 0);
	__cudaRegisterManagedVar(h, (void **)&shared_value, "shared_value", "shared_value", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(h);
}

static const dim3 one = {1, 1, 1};

static inline cudaError_t launch_add(uint32_t *p, uint32_t v, unsigned threads, cudaStream_t s)
{
	void *args[] = {&p, &v};
	return cudaLaunchKernel((void *)add, one, (dim3){threads, 1, 1}, args, 0, s);
}

static inline cudaError_t launch_spin(uint32_t *p, uint32_t v, uint32_t n, cudaStream_t s)
{
	void *args[] = {&p, &v, &n};
	return cudaLaunchKernel((void *)spin, one, one, args, 0, s);
}

static inline cudaError_t launch_plain(void (*f)(void)) { return cudaLaunchKernel((void *)f, one, one, NULL, 0, 0); }

static inline uint32_t *device_words(unsigned n)
{
	void *p;
	ck_assert_int_eq(cudaMalloc(&p, n * 4), cudaSuccess);
	ck_assert_int_eq(cudaMemset(p, 0, n * 4), cudaSuccess);
	return p;
}

static inline uint32_t device_word(const uint32_t *p)
{
	uint32_t v;
	ck_assert_int_eq(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost), cudaSuccess);
	return v;
}

#define OK(expr) ck_assert_int_eq((expr), cudaSuccess)
#define GIVES(error, expr) ck_assert_int_eq((expr), (error))

// What the kernels' statistics would add to the test log goes nowhere.
static inline void harness_quiet(void)
{
	if (!getenv("HEDDLE_OPTIONS"))
		setenv("HEDDLE_OPTIONS", "-stats_file /dev/null", 1);
	setenv("PTX_SIM_MODE_FUNC", "1", 0); // what the API does is the question, and thousands of launches are made
	if (!freopen("/dev/null", "w", stderr))
		perror("/dev/null");
}

#endif
