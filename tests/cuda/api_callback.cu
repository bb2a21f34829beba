// cudaStreamAddCallback and cudaLaunchHostFunc run on the host, in stream order.
#include "check.h"

static int order[4], calls;
static int seen;

__global__ void store(int *p, int v)
{
	*p = v;
}

static void host_function(void *data)
{
	order[calls++] = 10 + *(int *)data;
}

static void callback(cudaStream_t stream, cudaError_t status, void *data)
{
	seen = status == cudaSuccess && stream != 0 ? *(int *)data : -1;
	order[calls++] = 1;
}

int main()
{
	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	int *d = device_alloc<int>(1), *pinned, two = 2, three = 3;
	OK(cudaMallocHost((void **)&pinned, sizeof(int)));
	*pinned = 0;
	store<<<1, 1, 0, s>>>(d, 99);
	OK(cudaMemcpyAsync(pinned, d, sizeof(int), cudaMemcpyDeviceToHost, s));
	OK(cudaStreamAddCallback(s, callback, pinned, 0));
	OK(cudaLaunchHostFunc(s, host_function, &two));
	store<<<1, 1, 0, s>>>(d, 100);
	OK(cudaLaunchHostFunc(s, host_function, &three));
	OK(cudaStreamSynchronize(s));
	CHECK(calls == 3 && order[0] == 1 && order[1] == 12 && order[2] == 13, "%d %d %d", order[0], order[1], order[2]);
	CHECK(seen == 99, "%d", seen);
	OK(cudaFreeHost(pinned));
	OK(cudaStreamDestroy(s));
	return check_done();
}
