// The names of old programs that CUDA 13 no longer has.
// needs: clang
#include "check.h"

__global__ void add(int *p, int v, double d)
{
	p[threadIdx.x] += v + (int)d;
}

int main()
{
	int *d = device_alloc<int>(16), h[16];
	OK(cudaMemset(d, 0, sizeof(h)));
	/* A launch step by step, as compilers before CUDA 9.2 made it. */
	int v = 5;
	double x = 7.5;
	OK(cudaConfigureCall(dim3(1), dim3(16)));
	OK(cudaSetupArgument(&d, sizeof(d), 0));
	OK(cudaSetupArgument(&v, sizeof(v), 8));
	OK(cudaSetupArgument(&x, sizeof(x), 16));
	OK(cudaLaunch(add));
	OK(cudaThreadSynchronize());
	to_host(h, d, 16);
	for (int i = 0; i < 16; i++)
		CHECK(h[i] == 12, "at %d: %d", i, h[i]);
	EXPECT(cudaErrorMissingConfiguration, cudaLaunch(add));
	cudaGetLastError();

	cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
	cudaArray_t a, b;
	OK(cudaMallocArray(&a, &desc, 16));
	OK(cudaMallocArray(&b, &desc, 16));
	OK(cudaMemcpyToArray(a, 0, 0, d, sizeof(h), cudaMemcpyDeviceToDevice));
	OK(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, sizeof(h)));
	memset(h, 0, sizeof(h));
	OK(cudaMemcpyFromArray(h, b, 0, 0, sizeof(h), cudaMemcpyDeviceToHost));
	CHECK(h[15] == 12);
	size_t limit;
	OK(cudaThreadGetLimit(&limit, cudaLimitStackSize));
	OK(cudaThreadExit());
	return check_done();
}
