#include "tests/unit/api_harness.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

cudaError_t cudaMemcpyAsync_ptsz(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaLaunchKernel_ptsz(const void *f, dim3 grid, dim3 block, void **args, size_t shared,
                                  cudaStream_t stream);

static void setup(void)
{
	harness_quiet();
	harness_register();
}

static cudaError_t launch_copy(uint32_t *to, uint32_t *from, cudaStream_t s)
{
	void *args[] = {&to, &from};
	return cudaLaunchKernel((void *)copy, one, one, args, 0, s);
}

// Turns of a loop: LONG is longer than the other kernels here, but one turn of the GPU; LONGER takes many.
enum { LONG = 20000, LONGER = 3000000 };

START_TEST(the_legacy_stream_waits_for_blocking_streams_and_they_for_it)
{
	uint32_t *p = device_words(8);
	cudaStream_t a, b;
	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreate(&b));
	OK(launch_spin(p, 5, LONG, a));
	OK(launch_copy(p + 1, p, 0)); // after a
	OK(launch_spin(p + 1, 9, LONG, 0));
	OK(launch_copy(p + 2, p + 1, b)); // after the legacy stream
	OK(cudaStreamSynchronize(b));
	ck_assert_uint_eq(device_word(p + 1), 9);
	ck_assert_uint_eq(device_word(p + 2), 9);
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
	GIVES(cudaErrorInvalidResourceHandle, cudaStreamDestroy(b));
}
END_TEST

#ifndef HEDDLE_HOSTILE // there one kernel runs at a time
START_TEST(a_non_blocking_stream_runs_beside_the_legacy_stream)
{
	uint32_t *p = device_words(8);
	cudaStream_t a;
	OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	OK(cudaDeviceSynchronize());
	OK(launch_spin(p, 5, LONGER, a));
	OK(launch_copy(p + 1, p, 0)); // does not wait
	ck_assert_uint_eq(device_word(p + 1), 0);
	OK(cudaStreamSynchronize(a));
	ck_assert_uint_eq(device_word(p), 5);
}
END_TEST
#endif

START_TEST(a_stream_waits_for_the_record_it_was_told_of)
{
	uint32_t *p = device_words(8);
	cudaStream_t a, b;
	cudaEvent_t e;
	OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	OK(cudaEventCreate(&e));
	OK(cudaStreamWaitEvent(b, e, 0)); // never recorded: no wait
	OK(launch_spin(p, 5, LONG, a));
	OK(cudaEventRecord(e, a));
	OK(cudaStreamWaitEvent(b, e, 0));
	OK(cudaEventDestroy(e)); // the wait goes on
	OK(launch_copy(p + 1, p, b));
	OK(cudaStreamSynchronize(b));
	ck_assert_uint_eq(device_word(p + 1), 5);
	GIVES(cudaErrorInvalidResourceHandle, cudaEventRecord(e, a));
}
END_TEST

START_TEST(time_passes_between_events_and_is_the_same_every_time)
{
	uint32_t *p = device_words(8);
	cudaEvent_t e[3];
	float first, second;
	for (int i = 0; i < 3; i++)
		OK(cudaEventCreate(&e[i]));
	GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&first, e[0], e[1]));
	OK(cudaEventRecord(e[0], 0));
	OK(launch_spin(p, 5, LONG, 0));
	OK(cudaEventRecord(e[1], 0));
	OK(launch_spin(p, 5, LONG, 0));
	OK(cudaEventRecord(e[2], 0));
	GIVES(cudaErrorNotReady, cudaEventElapsedTime(&first, e[0], e[1]));
	OK(cudaEventSynchronize(e[2]));
	OK(cudaEventElapsedTime(&first, e[0], e[1]));
	OK(cudaEventElapsedTime(&second, e[1], e[2]));
	ck_assert(first > 0);
	ck_assert(fabsf(first - second) < 1e-6f);
}
END_TEST

START_TEST(asking_again_and_again_lets_work_go_on)
{
	uint32_t *p = device_words(8);
	cudaEvent_t e;
	int asked = 0;
	OK(cudaEventCreate(&e));
	OK(launch_spin(p, 5, LONGER, 0));
	OK(cudaEventRecord(e, 0));
	GIVES(cudaErrorNotReady, cudaStreamQuery(0));
	for (cudaError_t r; (r = cudaEventQuery(e)); asked++)
		GIVES(cudaErrorNotReady, r);
	ck_assert_int_gt(asked, 3);
	OK(cudaStreamQuery(0));
	ck_assert_uint_eq(device_word(p), 5);
}
END_TEST

START_TEST(thousands_of_launches_may_be_pending)
{
	uint32_t *p = device_words(8);
	for (int i = 0; i < 5000; i++)
		OK(launch_add(p, 1, 8, 0));
	ck_assert_uint_eq(device_word(p + 7), 5000);
}
END_TEST

static struct {
	int n, order[8];
	cudaError_t inside;
} calls;

static void note(void *number) { calls.order[calls.n++] = (int)(intptr_t)number; }

static void note_stream(cudaStream_t s, cudaError_t status, void *number)
{
	void *p;
	calls.inside = cudaMalloc(&p, 4);
	if (!status)
		note(number);
}

START_TEST(host_functions_run_in_stream_order_and_may_not_call_us)
{
	uint32_t *p = device_words(8);
	OK(cudaLaunchHostFunc(0, note, (void *)1));
	OK(launch_add(p, 1, 8, 0));
	OK(cudaStreamAddCallback(0, note_stream, (void *)2, 0));
	OK(cudaLaunchHostFunc(0, note, (void *)3));
	OK(cudaDeviceSynchronize());
	ck_assert_int_eq(calls.n, 3);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(calls.order[i], i + 1);
	ck_assert_int_eq(calls.inside, cudaErrorNotPermitted);
	GIVES(cudaErrorInvalidValue, cudaLaunchHostFunc(0, NULL, NULL));
}
END_TEST

#ifndef __SANITIZE_THREAD__ // the race is the point
START_TEST(a_program_that_only_looks_at_shared_memory_gets_its_result)
{
	void *shared;
	OK(cudaMallocHost(&shared, 4));
	volatile uint32_t *flag = shared;
	*flag = 0;
	OK(launch_spin(shared, 1, LONG, 0));
	while (!*flag) {
		struct timespec ms = {0, 1000000};
		nanosleep(&ms, NULL);
	}
	OK(cudaDeviceSynchronize());
}
END_TEST
#endif

START_TEST(small_copies_from_the_host_read_their_source_at_once)
{
	uint32_t *p = device_words(8), v = 3;
	OK(launch_spin(p + 1, 1, LONG, 0));
	OK(cudaMemcpyAsync(p, &v, 4, cudaMemcpyHostToDevice, 0));
	v = 4;
	ck_assert_uint_eq(device_word(p), 3);
}
END_TEST

START_TEST(memory_is_freed_in_stream_order)
{
	void *q;
	uint32_t *p = device_words(8);
	cudaStream_t a;
	OK(cudaStreamCreate(&a));
	OK(cudaMallocAsync(&q, 4, a));
	OK(launch_spin(q, 8, LONG, a));
	OK(launch_copy(p, q, a));
	OK(cudaFreeAsync(q, a));
	OK(cudaStreamSynchronize(a));
	ck_assert_uint_eq(device_word(p), 8);
	GIVES(cudaErrorInvalidValue, cudaFree(q));
}
END_TEST

// Each thread's own default stream orders its work; all of it is there in the end.
static void *worker(void *arg)
{
	uint32_t *p = arg, v = 1, h = 0;
	void *args[] = {&p, &v};
	for (int i = 0; i < 50; i++)
		if (cudaLaunchKernel_ptsz((void *)add, one, one, args, 0, 0))
			return NULL;
	if (cudaMemcpyAsync_ptsz(&h, p, 4, cudaMemcpyDeviceToHost, 0))
		return NULL;
	return (void *)(uintptr_t)h;
}

START_TEST(threads_have_default_streams_of_their_own)
{
	uint32_t *p = device_words(8);
	pthread_t t[8];
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, worker, p + i);
	for (int i = 0; i < 8; i++) {
		void *result;
		pthread_join(t[i], &result);
		ck_assert_uint_eq((uintptr_t)result, 50);
	}
}
END_TEST

START_TEST(a_fault_ends_all_waits)
{
	uint32_t *p = device_words(8);
	cudaStream_t a;
	cudaEvent_t e;
	OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	OK(cudaEventCreate(&e));
	OK(cudaLaunchKernel((void *)fault, one, one, NULL, 0, a));
	OK(launch_spin(p, 1, LONG, a));
	OK(cudaEventRecord(e, a));
	OK(cudaLaunchHostFunc(a, note, (void *)1));
	GIVES(cudaErrorIllegalAddress, cudaEventSynchronize(e));
	ck_assert_int_eq(calls.n, 0);
	OK(cudaDeviceReset());
}
END_TEST

START_TEST(blocking_launches_return_when_the_kernel_has_ended)
{
	setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
	void *shared;
	OK(cudaMallocHost(&shared, 4));
	OK(launch_spin(shared, 7, LONG, 0));
	ck_assert_uint_eq(*(uint32_t *)shared, 7);
	GIVES(cudaErrorIllegalAddress, launch_plain(fault));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stream");
	TCase *t = tcase_create("stream");
	tcase_add_checked_fixture(t, setup, NULL);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, the_legacy_stream_waits_for_blocking_streams_and_they_for_it);
#ifndef HEDDLE_HOSTILE
	tcase_add_test(t, a_non_blocking_stream_runs_beside_the_legacy_stream);
#endif
	tcase_add_test(t, a_stream_waits_for_the_record_it_was_told_of);
	tcase_add_test(t, time_passes_between_events_and_is_the_same_every_time);
	tcase_add_test(t, asking_again_and_again_lets_work_go_on);
	tcase_add_test(t, thousands_of_launches_may_be_pending);
	tcase_add_test(t, host_functions_run_in_stream_order_and_may_not_call_us);
#ifndef __SANITIZE_THREAD__
	tcase_add_test(t, a_program_that_only_looks_at_shared_memory_gets_its_result);
#endif
	tcase_add_test(t, small_copies_from_the_host_read_their_source_at_once);
	tcase_add_test(t, memory_is_freed_in_stream_order);
	tcase_add_test(t, threads_have_default_streams_of_their_own);
	tcase_add_test(t, a_fault_ends_all_waits);
	tcase_add_test(t, blocking_launches_return_when_the_kernel_has_ended);
	suite_add_tcase(s, t);
	return check_main(s);
}
