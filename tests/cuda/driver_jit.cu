// What is compiled and linked at run time: PTX of several texts, files, fat binaries, logs, and what is wrong with each.
// Its code is PTX that it loads as it runs.
// skip: sass
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <unistd.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)
#define GIVES(code, call) EXPECT((call) == (code))

#define HEAD ".version 7.0\n.target sm_50\n.address_size 64\n"

static char calls[] = HEAD R"(
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .align 4 .u32 offset;
.visible .entry run(.param .u64 out, .param .u32 value)
{
	.reg .b32 %r<4>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	ld.param.u32 %r1, [value];
	{
		.param .b32 x; .param .b32 r;
		st.param.b32 [x], %r1;
		call (r), twice, (x);
		ld.param.b32 %r2, [r];
	}
	ld.global.u32 %r3, [offset];
	add.u32 %r2, %r2, %r3;
	st.global.u32 [%d1], %r2;
	ret;
}
)";

static char defines[] = HEAD R"(
.visible .global .align 4 .u32 offset = 5;
.visible .func (.param .b32 r) twice(.param .b32 x)
{
	.reg .b32 %r<2>;
	ld.param.b32 %r1, [x];
	add.u32 %r1, %r1, %r1;
	st.param.b32 [r], %r1;
	ret;
}
)";

static char wrong[] = HEAD R"(.visible .entry good()
{
	ret;
}
.visible .entry bad()
{
	.reg .b32 %r<2>;
	add.u32 %r1, %r1, %undeclared;
	ret;
}
)";

static char newer[] = ".version 98.7\n.target sm_50\n.address_size 64\n.visible .entry good()\n{\n\tret;\n}\n";

// Runs `run` of a module: 2 * value + 5.
static bool runs(CUmodule module, int value)
{
	CUfunction f;
	CUdeviceptr p;
	int host = 0;
	void *args[] = {&p, &value};
	bool ok = cuModuleGetFunction(&f, module, "run") == CUDA_SUCCESS && cuMemAlloc(&p, 4) == CUDA_SUCCESS &&
	          cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL) == CUDA_SUCCESS && cuMemcpyDtoH(&host, p, 4) == CUDA_SUCCESS;
	return ok && cuMemFree(p) == CUDA_SUCCESS && host == 2 * value + 5;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");
	EXPECT(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
}

static void logs()
{
	CUmodule module;
	char info[300], error[2000];
	CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
	                          CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME};
	void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error, (void *)77};
	memset(error, 'x', sizeof error);
	GIVES(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, wrong, 5, options, values));
	EXPECT(strstr(error, ":11:") && strstr(error, "undeclared"));
	EXPECT((size_t)values[3] == strlen(error) + 1 && !values[1] && !values[4]);
	values[3] = (void *)20; // shorter than the message
	GIVES(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, wrong, 4, options, values));
	EXPECT((size_t)values[3] == 20 && strlen(error) == 19);
	values[3] = (void *)sizeof error;
	GIVES(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, cuModuleLoadDataEx(&module, newer, 4, options, values));
	EXPECT(strstr(error, "98.7"));
	values[3] = (void *)sizeof error;
	OK(cuModuleLoadDataEx(&module, defines, 4, options, values));
	EXPECT(!values[3]);
	OK(cuModuleUnload(module));
	values[2] = (void *)64, values[3] = (void *)sizeof error;
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&module, wrong, 4, options, values));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&module, wrong, 4, (CUjit_option *)64, values));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadDataEx(&module, wrong, 4, options, NULL));
	CUjit_option symbols = CU_JIT_GLOBAL_SYMBOL_COUNT;
	void *one = (void *)1;
	GIVES(CUDA_ERROR_NOT_SUPPORTED, cuModuleLoadDataEx(&module, defines, 1, &symbols, &one));
}

static void links()
{
	CUlinkState link;
	CUmodule module;
	void *image, *again;
	size_t size = 0;
	OK(cuLinkCreate(0, NULL, NULL, &link));
	OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, calls, sizeof calls, "calls.ptx", 0, NULL, NULL));
	OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, defines, sizeof defines, NULL, 0, NULL, NULL));
	OK(cuLinkComplete(link, &image, &size));
	OK(cuModuleLoadData(&module, image));
	EXPECT(runs(module, 7));
	OK(cuModuleUnload(module));
	write_file("driver_jit.image", image, size);
	// The image is a fat binary, so it can be linked again.
	CUlinkState second;
	OK(cuLinkCreate(0, NULL, NULL, &second));
	OK(cuLinkAddData(second, CU_JIT_INPUT_FATBINARY, image, size, "image", 0, NULL, NULL));
	OK(cuLinkComplete(second, &again, NULL));
	OK(cuModuleLoadData(&module, again));
	EXPECT(runs(module, 8));
	OK(cuLinkDestroy(second));
	OK(cuLinkDestroy(link));
	EXPECT(runs(module, 9)); // a module keeps nothing of its image
	OK(cuModuleUnload(module));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(link));
	OK(cuModuleLoad(&module, "driver_jit.image"));
	EXPECT(runs(module, 10));
	OK(cuModuleUnload(module));

	write_file("driver_jit_1.ptx", calls, sizeof calls - 1);
	write_file("driver_jit_2.ptx", defines, sizeof defines - 1);
	OK(cuLinkCreate(0, NULL, NULL, &link));
	OK(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "driver_jit_1.ptx", 0, NULL, NULL));
	OK(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "driver_jit_2.ptx", 0, NULL, NULL));
	OK(cuLinkComplete(link, &image, &size));
	OK(cuModuleLoadFatBinary(&module, image));
	EXPECT(runs(module, 11));
	OK(cuModuleUnload(module));
	OK(cuLinkDestroy(link));
	OK(cuModuleLoad(&module, "driver_jit_2.ptx"));
	OK(cuModuleUnload(module));
	unlink("driver_jit.image"), unlink("driver_jit_1.ptx"), unlink("driver_jit_2.ptx");
}

static void errors_of_links()
{
	CUlinkState link;
	CUmodule module;
	void *image;
	size_t size;
	char error[2000];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {error, (void *)sizeof error};
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkCreate(0, NULL, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkCreate(1, NULL, NULL, &link));
	OK(cuLinkCreate(2, options, values, &link));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuLinkComplete(link, &image, &size)); // nothing to link
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkComplete(link, NULL, &size));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLinkComplete((CUlinkState)64, &image, &size));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuLinkAddData(NULL, CU_JIT_INPUT_PTX, calls, sizeof calls, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(link, (CUjitInputType)6, calls, sizeof calls, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(link, CU_JIT_INPUT_PTX, NULL, 5, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)64, 5, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(link, CU_JIT_INPUT_PTX, calls, 0, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddData(link, CU_JIT_INPUT_PTX, calls, sizeof calls, (char *)64, 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuLinkAddData(link, CU_JIT_INPUT_CUBIN, calls, sizeof calls, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, calls, sizeof calls, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuLinkAddData(link, CU_JIT_INPUT_OBJECT, calls, sizeof calls, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, calls, sizeof calls, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_PTX, cuLinkAddData(link, CU_JIT_INPUT_PTX, error, sizeof error, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, cuLinkAddData(link, CU_JIT_INPUT_NVVM, calls, sizeof calls, "a", 0, NULL, NULL));
	GIVES(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(link, CU_JIT_INPUT_PTX, "no/such/file", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_VALUE, cuLinkAddFile(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
	OK(cuLinkDestroy(link));
	// A variable that nobody defines.
	values[1] = (void *)sizeof error;
	OK(cuLinkCreate(2, options, values, &link));
	OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, calls, sizeof calls, "calls.ptx", 0, NULL, NULL));
	GIVES(CUDA_ERROR_INVALID_PTX, cuLinkComplete(link, &image, &size));
	EXPECT(strstr(error, "offset"));
	OK(cuLinkDestroy(link));
	GIVES(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&module, calls));
}

extern "C" __global__ void of_this_program(int *p) { *p = 11; }

static bool has_own_kernel(void *image)
{
	CUmodule module;
	CUfunction f;
	bool has = cuModuleLoadData(&module, image) == CUDA_SUCCESS && cuModuleGetFunction(&f, module, "of_this_program") == CUDA_SUCCESS;
	return has && cuModuleUnload(module) == CUDA_SUCCESS;
}

// Object files and libraries of them: this program's own file has device code where an object file has it.
static void objects()
{
	CUlinkState link;
	void *image;
	static char self[32 << 20];
	FILE *f = fopen("/proc/self/exe", "rb");
	size_t n = f ? fread(self, 1, sizeof self, f) : 0;
	EXPECT(n > 0 && n < sizeof self && !fclose(f));
	OK(cuLinkCreate(0, NULL, NULL, &link));
	OK(cuLinkAddFile(link, CU_JIT_INPUT_OBJECT, "/proc/self/exe", 0, NULL, NULL));
	OK(cuLinkComplete(link, &image, NULL));
	EXPECT(has_own_kernel(image));
	OK(cuLinkDestroy(link));
	char header[61];
	snprintf(header, sizeof header, "%-48s%-10zu`\n", "self.o/", n);
	std::string library = std::string("!<arch>\n") + header + std::string(self, n);
	OK(cuLinkCreate(0, NULL, NULL, &link));
	OK(cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, (void *)library.data(), library.size(), "self.a", 0, NULL, NULL));
	OK(cuLinkComplete(link, &image, NULL));
	EXPECT(has_own_kernel(image));
	GIVES(CUDA_ERROR_INVALID_IMAGE, cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, (void *)library.data(), 500, "cut.a", 0, NULL, NULL));
	OK(cuLinkDestroy(link));
}

// A cubin of no kernels for sm_35, which no GPU of today runs, as nvcc 10 would head it.
static void other_gpu()
{
	CUmodule module;
	CUlinkState link;
	char error[1000];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {error, (void *)sizeof error};
	unsigned char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7};
	const unsigned short type = 2, machine = 190, header = 64;
	const unsigned version = 101, flags = 0x230523;
	memcpy(cubin + 16, &type, 2), memcpy(cubin + 18, &machine, 2), memcpy(cubin + 20, &version, 4);
	memcpy(cubin + 48, &flags, 4), memcpy(cubin + 52, &header, 2);
	GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadDataEx(&module, cubin, 2, options, values));
	EXPECT(strstr(error, "sm_35"));
	OK(cuLinkCreate(0, NULL, NULL, &link));
	GIVES(CUDA_ERROR_NO_BINARY_FOR_GPU, cuLinkAddData(link, CU_JIT_INPUT_CUBIN, cubin, sizeof cubin, "old", 0, NULL, NULL));
	OK(cuLinkDestroy(link));
}

// Random and damaged images are refused, and nothing else happens.
static void damaged()
{
	unsigned seed = 1;
	CUmodule module;
	for (int round = 0; round < 300; round++) {
		char bytes[512];
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
		const unsigned magic[] = {0xba55ed50, 0x464c457f, 0x466243b1, 0x7265762e};
		memcpy(bytes, &magic[round % 4], 4);
		if (round % 4 == 0)
			memcpy(bytes + 4, "\1\0\20\0\360\1\0\0\0\0\0\0", 12);
		if (round % 4 == 1)
			memcpy(bytes + 4, "\2\1\1\101\10", 5), memset(bytes + 32, 0, 32);
		bytes[sizeof bytes - 1] = 0;
		CUresult e = cuModuleLoadData(&module, bytes);
		EXPECT(e != CUDA_SUCCESS);
	}
}

int main()
{
	CUcontext context;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	logs();
	links();
	errors_of_links();
	objects();
	other_gpu();
	damaged();
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
