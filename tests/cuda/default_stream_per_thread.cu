// --default-stream per-thread: the default stream of each host thread is its own and does not wait for others.
// nvcc-flags: --default-stream per-thread
// needs: nvcc
#include "check.h"
#include <pthread.h>

__global__ void wait_for(volatile int *flag, int *out)
{
	while (*flag == 0)
		;
	*out = *flag;
}

__global__ void set(volatile int *flag, int v)
{
	*flag = v;
}

static int *flag, *out;

static void *setter(void *unused)
{
	set<<<1, 1>>>(flag, 77);
	OK(cudaGetLastError());
	return unused;
}

int main()
{
	OK(cudaMalloc((void **)&flag, sizeof(int)));
	OK(cudaMalloc((void **)&out, sizeof(int)));
	OK(cudaMemset(flag, 0, sizeof(int)));
	OK(cudaStreamSynchronize(0));
	wait_for<<<1, 1>>>(flag, out);
	OK(cudaGetLastError());
	/* Another thread's default stream must get through while this one's kernel waits. */
	pthread_t t;
	pthread_create(&t, 0, setter, 0);
	/* Both are launched before the host waits, so that the cycles do not depend on the host's threads. */
	pthread_join(t, 0);
	int h = 0;
	OK(cudaMemcpyAsync(&h, out, sizeof(h), cudaMemcpyDeviceToHost));
	OK(cudaStreamSynchronize(0));
	CHECK(h == 77, "%d", h);
	return check_done();
}
