#include "tests/unit/api_harness.h"

#include <sys/stat.h>

cudaError_t cudaFuncGetName(const char **name, const void *f);
cudaError_t cudaFuncGetParamInfo(const void *f, size_t index, size_t *offset, size_t *size);
cudaError_t cudaGLSetGLDevice(int device);
// What cudaFuncGetAttributes of all releases calls (libcuda/code/kernel_calls.h).
cudaError_t func_attributes(struct cudaFuncAttributes *out, const void *host, size_t size);

static void setup(void)
{
	harness_quiet();
	harness_register();
}

static int in_child(int (*f)(void))
{
	pid_t pid = fork();
	int status;
	if (!pid)
		_exit(f());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int child_allocates(void)
{
	void *p;
	return cudaMalloc(&p, 4);
}

START_TEST(registering_uses_no_device_so_a_child_may)
{
	ck_assert_int_eq(in_child(child_allocates), cudaSuccess);
	void *p;
	OK(cudaMalloc(&p, 4));
	ck_assert_int_eq(in_child(child_allocates), cudaErrorInitializationError);
	OK(cudaFree(p));
}
END_TEST

START_TEST(a_kernel_is_launched_in_every_generation)
{
	uint32_t *p = device_words(32), v = 3;
	void *args[] = {&p, &v};
	dim3 block = {32, 1, 1};
	OK(cudaLaunchKernel((void *)add, one, block, args, 0, 0)); // 7.0 to 12
	ck_assert_uint_eq(device_word(p + 31), 3);
	OK(cudaConfigureCall(one, block, 0, 0)); // up to 9.1
	OK(cudaSetupArgument(&p, 8, 0));
	OK(cudaSetupArgument(&v, 4, 8));
	OK(cudaLaunch((void *)add));
	ck_assert_uint_eq(device_word(p + 31), 6);
	const void *kernel; // 13
	dim3 g, b;
	size_t shared;
	cudaStream_t s;
	ck_assert_uint_eq(__cudaPushCallConfiguration(one, block, 16, 0), 0);
	OK(__cudaGetKernel(&kernel, (void *)add));
	OK(__cudaPopCallConfiguration(&g, &b, &shared, &s));
	ck_assert_uint_eq(b.x, 32);
	ck_assert_uint_eq(shared, 16);
	OK(__cudaLaunchKernel(kernel, g, b, args, shared, s));
	ck_assert_uint_eq(device_word(p + 31), 9);
	struct {
		dim3 grid, block;
		size_t shared;
		cudaStream_t stream;
		void *attributes;
		unsigned n;
	} config = {one, block, 0, 0, NULL, 0};
	OK(cudaLaunchKernelExC((const void *)&config, (void *)add, args));
	OK(cudaLaunchCooperativeKernel((void *)add, one, block, args, 0, 0));
	ck_assert_uint_eq(device_word(p + 31), 15);
	GIVES(cudaErrorMissingConfiguration, cudaLaunch((void *)add));
	GIVES(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&g, &b, &shared, &s));
}
END_TEST

START_TEST(the_last_error_is_kept_per_thread_until_read)
{
	OK(cudaGetLastError());
	GIVES(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
	GIVES(cudaErrorInvalidValue, cudaPeekAtLastError());
	int version;
	OK(cudaDeviceSynchronize());
	OK(cudaDriverGetVersion(&version));
	OK(cudaRuntimeGetVersion(&version));
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
	OK(cudaGetLastError());
	GIVES(cudaErrorInvalidValue, cudaDriverGetVersion(NULL));
	GIVES(cudaErrorInvalidValue, cudaGetLastError());
}
END_TEST

START_TEST(launches_that_cannot_be_are_refused)
{
	uint32_t *p = device_words(4);
	void *args[] = {&p, &p};
	GIVES(cudaErrorInvalidConfiguration, cudaLaunchKernel((void *)add, (dim3){0, 1, 1}, one, args, 0, 0));
	GIVES(cudaErrorInvalidConfiguration, cudaLaunchKernel((void *)add, one, (dim3){1025, 1, 1}, args, 0, 0));
	GIVES(cudaErrorInvalidConfiguration, cudaLaunchKernel((void *)add, one, (dim3){32, 32, 2}, args, 0, 0));
	GIVES(cudaErrorInvalidConfiguration, cudaLaunchKernel((void *)add, (dim3){1, 65536, 1}, one, args, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernel((void *)add, one, one, args, 49153, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernel((void *)big, one, (dim3){65, 1, 1}, args, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernel((void *)add, one, one, NULL, 0, 0));
	GIVES(cudaErrorInvalidDeviceFunction, launch_plain(missing));
	GIVES(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(p, one, one, args, 0, 0));
	GIVES(cudaErrorInvalidPtx, launch_plain(broken));
	GIVES(cudaErrorInvalidResourceHandle, cudaLaunchKernel((void *)add, one, one, args, 0, (cudaStream_t)p));
	OK(launch_add(p, 1, 4, 0)); // the others go on working
	ck_assert_uint_eq(device_word(p), 1);
}
END_TEST

START_TEST(more_shared_memory_needs_asking)
{
	uint32_t *p = device_words(4), v = 1;
	void *args[] = {&p, &v};
	OK(cudaFuncSetAttribute((void *)add, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
	OK(cudaLaunchKernel((void *)add, one, one, args, 100000, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernel((void *)add, one, one, args, 100001, 0));
	GIVES(cudaErrorInvalidValue,
	      cudaFuncSetAttribute((void *)add, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
}
END_TEST

START_TEST(a_fault_stays_until_the_device_is_reset)
{
	uint32_t *p = device_words(4);
	static const struct {
		void (*kernel)(void);
		cudaError_t error;
	} faults[] = {{fault, cudaErrorIllegalAddress}, {stop, cudaErrorLaunchFailure}};
	for (int i = 0; i < 2; i++) {
		OK(launch_plain(faults[i].kernel));
		GIVES(faults[i].error, cudaDeviceSynchronize());
		GIVES(faults[i].error, cudaFree(p));
		GIVES(faults[i].error, launch_add(p, 1, 4, 0));
		GIVES(faults[i].error, cudaGetLastError());
		GIVES(faults[i].error, cudaGetLastError());
		OK(cudaDeviceReset());
		cudaGetLastError();
		OK(cudaGetLastError());
		p = device_words(4);
		OK(launch_add(p, 5, 4, 0));
		ck_assert_uint_eq(device_word(p + 3), 5);
	}
}
END_TEST

START_TEST(variables_are_found_by_their_host_address)
{
	uint32_t v = 0, four[4];
	void *p;
	size_t size;
	OK(cudaMemcpyFromSymbol(&v, &counter, 4, 0, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(v, 7);
	v = 9;
	OK(cudaMemcpyToSymbol(&counter, &v, 4, 0, cudaMemcpyHostToDevice));
	OK(cudaGetSymbolAddress(&p, &counter));
	ck_assert_uint_eq(device_word(p), 9);
	OK(cudaGetSymbolSize(&size, table));
	ck_assert_uint_eq(size, 16);
	OK(cudaMemcpyFromSymbol(four, table, 8, 8, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(four[1], 4);
	GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, four, 16, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&p, four));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(table, four, 4, 0, cudaMemcpyDeviceToHost));
	OK(cudaDeviceReset()); // and are as new
	OK(cudaMemcpyFromSymbol(&v, &counter, 4, 0, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(v, 7);
}
END_TEST

START_TEST(managed_variables_are_there_before_main_needs_them)
{
	ck_assert_ptr_null(shared_value);
	__cudaInitModule(harness_handle);
	ck_assert_uint_eq(*shared_value, 11);
	OK(launch_add(shared_value, 4, 1, 0));
	OK(cudaDeviceSynchronize());
	ck_assert_uint_eq(*shared_value, 15);
}
END_TEST

START_TEST(copies_are_checked)
{
	uint32_t *p = device_words(64), h[64] = {5};
	OK(cudaMemcpy(p, h, 256, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(p, h, 256, cudaMemcpyDefault));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(h, p, 256, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(p, h, 256, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(p + 32, h, 256 + 256, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, h, 256, (enum cudaMemcpyKind)7));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(p, NULL, 256, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(p, (void *)4096, 256, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemset(h, 0, 256));
	GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 8, h, 8, 16, 2, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(p, h, 0, cudaMemcpyHostToDevice));
	ck_assert_uint_eq(device_word(p), 5);
	OK(cudaFree(p));
	GIVES(cudaErrorInvalidValue, cudaFree(p));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(p, h, 4, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaFree(h));
	OK(cudaFree(NULL));
}
END_TEST

START_TEST(memory_runs_out_in_order)
{
	size_t free_now, total, free_later;
	void *p, *q;
	OK(cudaMemGetInfo(&free_now, &total));
	ck_assert_uint_lt(free_now, total);
	GIVES(cudaErrorMemoryAllocation, cudaMalloc(&p, total));
	GIVES(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)-1));
	GIVES(cudaErrorMemoryAllocation, cudaMallocHost(&p, (size_t)1 << 60));
	OK(cudaMalloc(&p, free_now / 2));
	GIVES(cudaErrorMemoryAllocation, cudaMalloc(&q, free_now / 2 + (1 << 20)));
	OK(cudaFree(p));
	OK(cudaMemGetInfo(&free_later, &total));
	ck_assert_uint_eq(free_now, free_later);
}
END_TEST

START_TEST(kernels_tell_their_attributes)
{
	const char *name;
	size_t offset, size;
	int blocks;
	OK(cudaFuncGetName(&name, (void *)spin));
	ck_assert_str_eq(name, "spin");
	OK(cudaFuncGetParamInfo((void *)spin, 2, &offset, &size));
	ck_assert_uint_eq(offset, 12);
	ck_assert_uint_eq(size, 4);
	GIVES(cudaErrorInvalidValue, cudaFuncGetParamInfo((void *)spin, 3, &offset, &size));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)big, 64, 0));
	ck_assert_int_gt(blocks, 0);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)big, 128, 0));
	ck_assert_int_eq(blocks, 0);
}
END_TEST

START_TEST(what_is_missing_says_so)
{
	GIVES(cudaErrorNotSupported, cudaGLSetGLDevice(0));
	GIVES(cudaErrorNotSupported, cudaGetLastError());
}
END_TEST

// A truncated container, one with no PTX, and a wrapper with a bad magic number.
START_TEST(bad_fat_binaries_are_an_error_of_their_kernels_only)
{
	static struct pack empty, cut;
	static struct {
		uint32_t magic, version;
		const void *data, *extra;
	} w[3] = {{FATBIN_WRAPPER_MAGIC, 1, &empty.data, NULL},
	          {FATBIN_WRAPPER_MAGIC, 1, &cut.data, NULL},
	          {1, 1, &empty.data, NULL}};
	static char host[3];
	cudaError_t expected[] = {cudaErrorNoKernelImageForDevice, cudaErrorInvalidKernelImage,
	                          cudaErrorInvalidKernelImage};
	pack_start(&empty);
	pack_start(&cut);
	pack_entry(&cut, FATBIN_PTX, 70, FATBIN_ZSTD, NULL, harness_ptx, sizeof harness_ptx);
	memset(cut.data + 90, 0x55, 40);
	for (int i = 0; i < 3; i++) {
		void **h = __cudaRegisterFatBinary(&w[i]);
		__cudaRegisterFunction(h, &host[i], "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
		GIVES(expected[i], cudaLaunchKernel(&host[i], one, one, NULL, 0, 0));
		GIVES(expected[i], cudaGetLastError());
		__cudaUnregisterFatBinary(h);
	}
	uint32_t *p = device_words(4);
	OK(launch_add(p, 1, 4, 0));
	ck_assert_uint_eq(device_word(p), 1);
}
END_TEST

// How many errors f(x) tells on standard error; the test's own goes nowhere.
static unsigned errors_told(void (*f)(const void *), const void *x)
{
	FILE *file = tmpfile();
	char text[8192];
	unsigned n = 0;
	fflush(stderr);
	int err = dup(2);
	dup2(fileno(file), 2);
	f(x);
	fflush(stderr);
	dup2(err, 2);
	close(err);
	rewind(file);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	for (const char *at = text; (at = strstr(at, "error: ")); at++)
		n++;
	ck_assert_msg(n || !*text, "%s", text);
	return n;
}

static cudaError_t given; // what a kernel gives that cannot run

static void ask(const void *kernel)
{
	struct cudaFuncAttributes a;
	int blocks;
	size_t offset;
	GIVES(given, func_attributes(&a, kernel, sizeof a));
	GIVES(given, cudaFuncSetAttribute(kernel, 8, 100));
	GIVES(given, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 0));
	GIVES(given, cudaFuncGetParamInfo(kernel, 0, &offset, NULL));
	GIVES(given, cudaGetLastError());
}

static void launch(const void *kernel) { GIVES(given, cudaLaunchKernel(kernel, one, one, NULL, 0, 0)); }

static void ask_text(const void *error) { ck_assert_ptr_nonnull(cudaGetErrorString(*(const cudaError_t *)error)); }

static void *register_pack(struct pack *p, const char *host)
{
	static struct {
		uint32_t magic, version;
		const void *data, *extra;
	} w[4], *at = w;
	at->magic = FATBIN_WRAPPER_MAGIC, at->version = 1, at->data = p->data;
	void **h = __cudaRegisterFatBinary(at++);
	__cudaRegisterFunction(h, host, "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
	return h;
}

// Programs ask about kernels that they never launch. Some ask first, and then what the error means, as Triton does.
START_TEST(why_a_kernel_cannot_run_is_told_when_it_is_launched)
{
	static const cudaError_t other = cudaErrorInvalidValue, no_image = cudaErrorNoKernelImageForDevice;
	static const void *const kernels[] = {(void *)broken, (void *)missing};
	static const cudaError_t gives[] = {cudaErrorInvalidPtx, cudaErrorInvalidDeviceFunction};
	static const unsigned errors[] = {2, 1}; // the text of the first has two mistakes
	static struct pack empty;
	static char host[2];
	OK(cudaFree(NULL));
	for (int i = 0; i < 2; i++) {
		given = gives[i];
		ck_assert_uint_eq(errors_told(ask, kernels[i]), 0);
		ck_assert_uint_eq(errors_told(ask_text, &other), 0);
		ck_assert_uint_eq(errors_told(ask_text, i ? &given : &other), i ? errors[i] : 0);
		ck_assert_uint_eq(errors_told(launch, kernels[i]), i ? 0 : errors[i]);
		ck_assert_uint_eq(errors_told(launch, kernels[i]), 0);
		ck_assert_uint_eq(errors_told(ask, kernels[i]), 0);
		ck_assert_uint_eq(errors_told(ask_text, &given), 0);
	}
	// Modules without code for this GPU. One whose program asks what the error means is not launched any more.
	given = no_image;
	pack_start(&empty);
	for (int i = 0; i < 2; i++) {
		void *h = register_pack(&empty, &host[i]);
		ck_assert_uint_eq(errors_told(ask, &host[i]), 0);
		ck_assert_uint_eq(errors_told(ask_text, &other), 0);
		ck_assert_uint_eq(errors_told(ask_text, i ? &no_image : &other), (unsigned)i);
		ck_assert_uint_eq(errors_told(launch, &host[i]), (unsigned)!i);
		ck_assert_uint_eq(errors_told(ask_text, &no_image), 0);
		__cudaUnregisterFatBinary(h);
	}
	uint32_t *p = device_words(4);
	OK(launch_add(p, 1, 4, 0));
	ck_assert_uint_eq(device_word(p), 1);
}
END_TEST

// Two objects of a linked program have code for other GPUs only, for the same reason; the kernels of the third run.
START_TEST(what_a_linked_program_lost_is_told_when_it_is_missed)
{
	static struct pack first, other;
	static const void *const objects[] = {other.data, other.data, harness_pack.data, NULL};
	static struct {
		uint32_t magic, version;
		const void *data;
		const void *const *objects;
	} w = {FATBIN_WRAPPER_MAGIC, 2, first.data, objects};
	static char here, lost;
	uint32_t *p = device_words(4), v = 5;
	void *args[] = {&p, &v};
	pack_start(&first);
	pack_start(&other);
	pack_entry(&first, FATBIN_CUBIN, 20, 0, NULL, "cubin", 5);
	pack_entry(&other, FATBIN_CUBIN, 20, 0, NULL, "cubin", 5);
	void **h = __cudaRegisterFatBinary(&w);
	__cudaRegisterFunction(h, &here, "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(h, &lost, "lost", "lost", -1, NULL, NULL, NULL, NULL, NULL);
	given = cudaErrorNoKernelImageForDevice;
	ck_assert_uint_eq(errors_told(ask, &lost), 0);
	OK(cudaLaunchKernel(&here, one, one, args, 0, 0));
	ck_assert_uint_eq(device_word(p), 5);
	ck_assert_uint_eq(errors_told(launch, &lost), 2); // that it is not there, and why
	ck_assert_uint_eq(errors_told(launch, &lost), 0);
	__cudaUnregisterFatBinary(h);
}
END_TEST

// PTX_SIM_KERNELFILE takes the place of the PTX in the program. What is no file is refused before it is read: nothing ever
// comes out of a pipe, and out of /dev/zero there is no end of it.
START_TEST(a_kernel_file_is_a_file)
{
	static const struct {
		const char *what, *want;
	} cases[] = {
	        {"pipe", "it is a pipe"},
	        {"folder", "it is a folder"},
	        {"/dev/zero", "it is a device"},
	        {"missing", "No such file or directory"},
	        {"file", NULL},
	};
	char dir[] = "/tmp/heddle_api_XXXXXX", path[64], text[2048] = "";
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s%s%s", *cases[_i].what == '/' ? "" : dir, *cases[_i].what == '/' ? "" : "/", cases[_i].what);
	if (!strcmp(cases[_i].what, "pipe"))
		ck_assert_int_eq(mkfifo(path, 0600), 0);
	if (!strcmp(cases[_i].what, "folder"))
		ck_assert_int_eq(mkdir(path, 0700), 0);
	if (!strcmp(cases[_i].what, "file")) {
		FILE *f = fopen(path, "w");
		ck_assert(f && fputs(harness_ptx, f) > 0 && !fclose(f));
	}
	setenv("PTX_SIM_USE_PTX_FILE", "1", 1);
	setenv("PTX_SIM_KERNELFILE", path, 1);
	FILE *err = tmpfile();
	int old = dup(2);
	dup2(fileno(err), 2);
	uint32_t *p = device_words(4);
	GIVES(cases[_i].want ? cudaErrorFileNotFound : cudaSuccess, launch_add(p, 1, 4, 0));
	fflush(stderr);
	dup2(old, 2);
	rewind(err);
	ck_assert(fread(text, 1, sizeof text - 1, err) > 0 || !cases[_i].want);
	if (*cases[_i].what != '/')
		remove(path);
	remove(dir);
	if (cases[_i].want)
		ck_assert_msg(strstr(text, cases[_i].want) && strstr(text, path), "%s", text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("api");
	TCase *t = tcase_create("api");
	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, registering_uses_no_device_so_a_child_may);
	tcase_add_test(t, a_kernel_is_launched_in_every_generation);
	tcase_add_test(t, the_last_error_is_kept_per_thread_until_read);
	tcase_add_test(t, launches_that_cannot_be_are_refused);
	tcase_add_test(t, more_shared_memory_needs_asking);
	tcase_add_test(t, a_fault_stays_until_the_device_is_reset);
	tcase_add_test(t, variables_are_found_by_their_host_address);
	tcase_add_test(t, managed_variables_are_there_before_main_needs_them);
	tcase_add_test(t, copies_are_checked);
	tcase_add_test(t, memory_runs_out_in_order);
	tcase_add_test(t, kernels_tell_their_attributes);
	tcase_add_test(t, what_is_missing_says_so);
	tcase_add_loop_test(t, a_kernel_file_is_a_file, 0, 5);
	tcase_add_test(t, why_a_kernel_cannot_run_is_told_when_it_is_launched);
	tcase_add_test(t, what_a_linked_program_lost_is_told_when_it_is_missed);
	tcase_add_test(t, bad_fat_binaries_are_an_error_of_their_kernels_only);
	suite_add_tcase(s, t);
	return check_main(s);
}
