// Arguments that cannot be: every call gives CUDA's code, and none ends the process.
#include "tests/unit/api_harness.h"

#include <signal.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE = 1 << 20 }; // LARGE is copied without a stop in between, a page is staged

static void setup(void)
{
	harness_quiet();
	harness_register();
}

static void *pages(size_t n, int prot)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(p != MAP_FAILED);
	memset(p, 5, n);
	ck_assert_int_eq(mprotect(p, n, prot), 0);
	return p;
}

static char *large_device(void)
{
	void *p;
	OK(cudaMalloc(&p, LARGE));
	OK(cudaMemset(p, 7, LARGE));
	return p;
}

static const size_t sizes[] = {8, PAGE, LARGE};

START_TEST(memory_that_cannot_be_written_is_an_error)
{
	char *d = large_device(), *h = pages(LARGE, PROT_READ), word[8];
	uint64_t seven = 0x0707070707070707;
	size_t n = sizes[_i];
	GIVES(cudaErrorInvalidValue, cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue, cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, 0));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(h, word, 8, cudaMemcpyHostToHost));
	GIVES(cudaErrorInvalidValue, cudaMemcpyFromSymbol(h, table, 8, 0, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2D(h, PAGE, d, PAGE, 8, 2, cudaMemcpyDeviceToHost));
	ck_assert(h[0] == 5 && h[LARGE - 1] == 5);
	// Only the last page cannot be written.
	ck_assert_int_eq(mprotect(h, LARGE - PAGE, PROT_READ | PROT_WRITE), 0);
	GIVES(cudaErrorInvalidValue, cudaMemcpy(h + LARGE - PAGE - 4, d, 8, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue, cudaHostRegister(h, LARGE, 0));
	OK(cudaHostRegister(h, LARGE - PAGE, 0));
	// What is behind a launch is copied on another thread.
	uint32_t *p = device_words(4);
	OK(launch_spin(p, 3, 1000, 0));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(h + LARGE - PAGE, d, 8, cudaMemcpyDeviceToHost));
	ck_assert_uint_eq(device_word(p), 3);
	OK(cudaMemcpy(word, d, 8, cudaMemcpyDeviceToHost)); // all goes on
	ck_assert_mem_eq(word, &seven, 8);
	OK(cudaDeviceSynchronize());
}
END_TEST

START_TEST(memory_that_cannot_be_read_is_an_error)
{
	char *d = large_device(), *h = pages(LARGE, PROT_NONE);
	size_t n = sizes[_i];
	GIVES(cudaErrorInvalidValue, cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, 0));
	GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, h, 8, 0, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D((const struct cudaMemcpy3DParms *)h));
	uint32_t *p = device_words(4);
	OK(launch_spin(p, 3, 1000, 0));
	GIVES(cudaErrorInvalidValue, cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
	munmap(h, LARGE);
	GIVES(cudaErrorInvalidValue, cudaMemcpy(d, h, n, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaHostRegister(h, n, 0));
	ck_assert_uint_eq(device_word((uint32_t *)d), 0x07070707);
	OK(cudaDeviceSynchronize());
}
END_TEST

START_TEST(arguments_that_cannot_be_read_are_an_error)
{
	uint32_t *p = device_words(4), v = 2;
	void *none = pages(PAGE, PROT_NONE), *args[] = {&p, none}, *good[] = {&p, &v};
	GIVES(cudaErrorInvalidValue, cudaLaunchKernel((void *)add, one, one, args, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernel((void *)add, one, one, none, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernel((void *)add, one, one, (void **)8, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaLaunchCooperativeKernel((void *)add, one, one, args, 0, 0));
	OK(cudaConfigureCall(one, one, 0, 0));
	GIVES(cudaErrorInvalidValue, cudaSetupArgument(none, 8, 0));
	OK(cudaLaunchKernel((void *)add, one, one, good, 0, 0));
	ck_assert_uint_eq(device_word(p), 2);
}
END_TEST

static volatile sig_atomic_t handled;
static void handler(int sig) { _exit(handled = 42); }

// The program's own bad accesses are its own: they end it as ever, or go to its handler.
static int crash(void (*had)(int))
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		char h[8];
		signal(SIGSEGV, had);
		char *d = large_device();
		cudaMemcpy(pages(PAGE, PROT_READ), d, 8, cudaMemcpyDeviceToHost);
		*(volatile char *)pages(PAGE, PROT_READ) = cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost) ? 1 : 2;
		_exit(1);
	}
	waitpid(pid, &status, 0);
	return status;
}

START_TEST(other_signals_go_their_way)
{
	int status = crash(SIG_DFL);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	status = crash(handler);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}
END_TEST

// A kernel that uses registered memory which is gone ends the process, but not without a word.
START_TEST(registered_memory_must_stay)
{
	int io[2], status;
	char text[512] = "";
	ck_assert_int_eq(pipe(io), 0);
	pid_t pid = fork();
	if (!pid) {
		uint32_t *h = pages(PAGE, PROT_READ | PROT_WRITE);
		dup2(io[1], 2);
		signal(SIGSEGV, SIG_DFL);
		OK(cudaHostRegister(h, PAGE, 0));
		mprotect(h, PAGE, PROT_NONE); // unmapped, something else might take its place
		OK(launch_add(h, 1, 4, 0));
		cudaDeviceSynchronize();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	ck_assert(read(io[0], text, sizeof text - 1) > 0);
	ck_assert_msg(strstr(text, "which the program registered with cudaHostRegister"), "%s", text);
}
END_TEST

// CUDA: an event belongs to the context that cudaDeviceReset destroys.
START_TEST(events_end_with_the_device)
{
	cudaEvent_t e, f;
	float ms;
	OK(cudaEventCreate(&e));
	OK(cudaEventRecord(e, 0));
	OK(cudaEventSynchronize(e));
	OK(cudaDeviceReset());
	GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(e, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventQuery(e));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventSynchronize(e));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(0, e, 0));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, e, e));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventDestroy(e));
	OK(cudaEventCreate(&f));
	OK(cudaEventRecord(f, 0));
	OK(cudaEventSynchronize(f));
	OK(cudaEventDestroy(f));
}
END_TEST

struct attribute {
	int id, pad;
	union {
		int number;
		dim3 cluster;
		char bytes[64];
	} value;
};

struct config {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	struct attribute *attributes;
	unsigned n;
};


// Documentation of cudaLaunchAttributeID: which there are, and which of them are for streams only. A cluster must divide the
// grid; cudaErrorInvalidClusterSize is "due to cluster misconfiguration".
START_TEST(launch_attributes_are_checked)
{
	enum { CLUSTER_SIZE = 912 };
	uint32_t *p = device_words(32), v = 1;
	void *args[] = {&p, &v};
	struct attribute a[2] = {{.id = 0}, {.id = 8, .value.number = -1}};
	struct config c = {{4, 1, 1}, {1, 1, 1}, 0, 0, a, 2};
	OK(cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	static const int bad[] = {-1, 3, 15, 17, 1000, 0x55555555};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		a[1].id = bad[i];
		GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	}
	a[1].id = 4;
	static const struct {
		dim3 cluster;
		int error;
	} clusters[] = {{{0, 0, 0}, CLUSTER_SIZE}, {{1, 0, 1}, CLUSTER_SIZE}, {{3, 1, 1}, CLUSTER_SIZE}, {{1, 2, 1}, CLUSTER_SIZE},
	                {{1, 1, 1}, cudaSuccess}, {{2, 1, 1}, cudaSuccess}};
	for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
		a[1].value.cluster = clusters[i].cluster;
		GIVES(clusters[i].error, cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	}
	c.attributes = NULL;
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	c.attributes = pages(PAGE, PROT_NONE);
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	c.attributes = pages(2 * PAGE, PROT_READ | PROT_WRITE), c.n = 1u << 31; // good ones, but not so many
	memset(c.attributes, 0, PAGE);
	ck_assert_int_eq(mprotect((char *)c.attributes + PAGE, PAGE, PROT_NONE), 0);
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, (void *)add, args));
	GIVES(cudaErrorInvalidValue, cudaLaunchKernelExC((const void *)(c.attributes = pages(PAGE, PROT_NONE)), (void *)add, args));
	ck_assert_uint_eq(device_word(p), 12); // three launches of four blocks
}
END_TEST


// A cluster of one block is on every GPU; sm_80 has no others, and its attributes of them can't be set.
START_TEST(clusters_need_a_gpu_that_has_them)
{
	enum { CLUSTER_LAUNCH = 120, WIDTH = 11, POLICY = 15 }; // a device's attribute, and those of a function
	setenv("HEDDLE_OPTIONS", "-stats_file /dev/null -gpgpu_compute_capability_major 8 -gpgpu_compute_capability_minor 0", 1);
	int has = 1, n = 0, blocks, sms;
	uint32_t *p = device_words(32), v = 1;
	void *args[] = {&p, &v};
	struct attribute a = {.id = 4, .value.cluster = {2, 1, 1}};
	struct config c = {{4, 1, 1}, {1, 1, 1}, 0, 0, &a, 1};
	OK(cudaDeviceGetAttribute(&has, (enum cudaDeviceAttr)CLUSTER_LAUNCH, 0));
	ck_assert_int_eq(has, 0);
	GIVES(cudaErrorNotSupported, cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	GIVES(cudaErrorNotSupported, cudaOccupancyMaxActiveClusters(&n, (void *)add, (const void *)&c));
	for (int i = WIDTH; i <= POLICY; i++)
		GIVES(cudaErrorNotSupported, cudaFuncSetAttribute((void *)add, (enum cudaFuncAttribute)i, 0));
	a.value.cluster.x = 1;
	OK(cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	ck_assert_uint_eq(device_word(p), 4);
	OK(cudaOccupancyMaxActiveClusters(&n, (void *)add, (const void *)&c));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)add, 1, 0));
	OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	ck_assert_int_eq(n, blocks * sms);
	OK(cudaOccupancyMaxPotentialClusterSize(&n, (void *)add, (const void *)&c));
	ck_assert_int_eq(n, 1);
}
END_TEST

// Two SMs hold four blocks of 1024 threads.
START_TEST(a_cluster_needs_room)
{
	setenv("HEDDLE_OPTIONS", "-stats_file /dev/null -gpgpu_n_clusters 2", 1);
	uint32_t *p = device_words(1024), v = 1;
	void *args[] = {&p, &v};
	int n = -1;
	struct attribute a = {.id = 4, .value.cluster = {8, 1, 1}};
	struct config c = {{8, 1, 1}, {1024, 1, 1}, 0, 0, &a, 1};
	GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	OK(cudaOccupancyMaxActiveClusters(&n, (void *)add, (const void *)&c));
	ck_assert_int_eq(n, 0);
	OK(cudaOccupancyMaxPotentialClusterSize(&n, (void *)add, (const void *)&c));
	ck_assert_int_eq(n, 4);
	a.value.cluster.x = 4;
	OK(cudaLaunchKernelExC((const void *)&c, (void *)add, args));
	OK(cudaOccupancyMaxActiveClusters(&n, (void *)add, (const void *)&c));
	ck_assert_int_eq(n, 1);
#ifndef HEDDLE_HOSTILE // there blocks take short turns, and what they add at once is lost
	ck_assert_uint_eq(device_word(p + 1023), 8);
#endif
}
END_TEST

// Sizes whose product has more than 64, or 128, bits are as much too large as others.
START_TEST(impossible_sizes_are_told)
{
	const size_t huge = (size_t)1 << 62;
	void *p = NULL;
	size_t pitch = 77;
	struct cudaPitchedPtr q = {0};
	GIVES(cudaErrorInvalidValue, cudaMallocPitch(&p, &pitch, huge, 1)); // wider than cudaDeviceProp.memPitch
	GIVES(cudaErrorInvalidValue, cudaMallocPitch(&p, &pitch, (size_t)-1, 1));
	GIVES(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, 512, huge));
	GIVES(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, 512, (size_t)-1));
	GIVES(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, 1 << 20, (size_t)1 << 44));
	ck_assert(pitch == 77 && !p);
	GIVES(cudaErrorMemoryAllocation, cudaMalloc3D(&q, (struct cudaExtent){(size_t)1 << 30, (size_t)1 << 62, (size_t)1 << 36}));
	GIVES(cudaErrorMemoryAllocation, cudaMalloc3D(&q, (struct cudaExtent){512, (size_t)1 << 32, (size_t)1 << 32}));
	GIVES(cudaErrorInvalidValue, cudaMalloc3D(&q, (struct cudaExtent){huge, 1, 1}));
	ck_assert(!q.ptr && !q.pitch);
	OK(cudaMallocPitch(&p, &pitch, 100, 3));
	ck_assert_uint_eq(pitch, 512);
	// The pitch counts only where there is a second row.
	GIVES(cudaErrorInvalidValue, cudaMemset2D(p, huge, 1, 16, 2));
	GIVES(cudaErrorInvalidValue, cudaMemset2D(p, 8, 1, 16, 2));
	OK(cudaMemset2D(p, huge, 1, 16, 1));
	GIVES(cudaErrorInvalidValue, cudaMemset2D(p, 512, 1, 16, huge));
	q = (struct cudaPitchedPtr){p, huge, 16, 3};
	GIVES(cudaErrorInvalidValue, cudaMemset3D(q, 1, (struct cudaExtent){16, 3, 2}));
	q = (struct cudaPitchedPtr){p, 512, 16, (size_t)1 << 55}; // a slice of 2^64 bytes
	GIVES(cudaErrorInvalidValue, cudaMemset3D(q, 1, (struct cudaExtent){16, 1, 2}));
	char h[2048];
	GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, huge, h, 512, 16, 2, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2D(p, 512, h, 512, 16, huge, cudaMemcpyHostToDevice));
	GIVES(cudaErrorMemoryAllocation, cudaDeviceSetLimit(cudaLimitPrintfFifoSize, (size_t)1 << 50));
	GIVES(cudaErrorMemoryAllocation, cudaDeviceSetLimit(cudaLimitMallocHeapSize, (size_t)1 << 50));
	GIVES(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 50));
}
END_TEST

// cudaMemcpy3D: "passing more than one of either [source and destination] will cause it to return an error", and so does none.
START_TEST(copies_in_3d_name_both_sides)
{
	char h[64] = {0};
	void *d;
	OK(cudaMalloc(&d, 64));
	struct cudaMemcpy3DParms p = {0};
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
	p.srcPtr = (struct cudaPitchedPtr){h, 8, 8, 8};
	p.kind = cudaMemcpyHostToDevice;
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	p.dstPtr = (struct cudaPitchedPtr){d, 8, 8, 8};
	OK(cudaMemcpy3D(&p)); // of nothing
	p.extent = (struct cudaExtent){8, 8, 1};
	OK(cudaMemcpy3D(&p));
	p.srcPos.z = (size_t)1 << 62;
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	p.srcPos.z = 0;
	p.extent.depth = (size_t)1 << 62;
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
	p.extent = (struct cudaExtent){(size_t)-1, 2, 1};
	GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&p));
}
END_TEST

// All that take arrays document cudaErrorInvalidValue; an array that was freed is no resource any more.
START_TEST(no_array_is_an_invalid_value)
{
	struct cudaChannelFormatDesc desc = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
	struct cudaExtent extent;
	unsigned flags;
	cudaArray_t a;
	char h[64] = {0};
	GIVES(cudaErrorInvalidValue, cudaMallocArray(NULL, &desc, 8, 8, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, NULL, 8, 8, 0));
	OK(cudaMallocArray(&a, &desc, 8, 8, 0));
	GIVES(cudaErrorInvalidValue, cudaMallocArray(&a, &desc, (size_t)1 << 62, 8, 0));
	GIVES(cudaErrorInvalidValue, cudaMemcpyToArray(NULL, 0, 0, h, 8, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpyFromArray(h, NULL, 0, 0, 8, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DToArray(NULL, 0, 0, h, 8, 8, 1, cudaMemcpyHostToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DFromArray(h, 8, NULL, 0, 0, 8, 1, cudaMemcpyDeviceToHost));
	GIVES(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(a, 0, 0, NULL, 0, 0, 8, 1, cudaMemcpyDeviceToDevice));
	GIVES(cudaErrorInvalidValue, cudaMemcpyArrayToArray(NULL, 0, 0, a, 0, 0, 8, cudaMemcpyDeviceToDevice));
	GIVES(cudaErrorInvalidValue, cudaArrayGetInfo(&desc, &extent, &flags, NULL));
	GIVES(cudaErrorInvalidValue, cudaGetChannelDesc(&desc, NULL));
	OK(cudaFreeArray(NULL)); // "no operation is performed"
	OK(cudaFreeArray(a));
	GIVES(cudaErrorInvalidResourceHandle, cudaFreeArray(a));
	GIVES(cudaErrorInvalidResourceHandle, cudaMemcpyToArray(a, 0, 0, h, 8, cudaMemcpyHostToDevice));
}
END_TEST

int main(void)
{
	TCase *t = tcase_create("arguments");
	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_loop_test(t, memory_that_cannot_be_written_is_an_error, 0, 3);
	tcase_add_loop_test(t, memory_that_cannot_be_read_is_an_error, 0, 3);
	tcase_add_test(t, arguments_that_cannot_be_read_are_an_error);
	tcase_add_test(t, other_signals_go_their_way);
	tcase_add_test(t, registered_memory_must_stay);
	tcase_add_test(t, events_end_with_the_device);
	tcase_add_test(t, launch_attributes_are_checked);
	tcase_add_test(t, clusters_need_a_gpu_that_has_them);
	tcase_add_test(t, a_cluster_needs_room);
	tcase_add_test(t, impossible_sizes_are_told);
	tcase_add_test(t, copies_in_3d_name_both_sides);
	tcase_add_test(t, no_array_is_an_invalid_value);
	Suite *s = suite_create("api arguments");
	suite_add_tcase(s, t);
	return check_main(s);
}
