// exit while kernels are queued: the process ends, with its own status.
// expect-exit: 9
#include "check.h"

__global__ void work(int *p)
{
	int x = threadIdx.x;
	for (int i = 0; i < 20000; i++)
		x = x * 3 + i;
	p[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main()
{
	int *d = device_alloc<int>(256);
	for (int i = 0; i < 4; i++)
		work<<<2, 128>>>(d);
	OK(cudaGetLastError());
	check_done();
	fflush(stdout);
	exit(9);
}
