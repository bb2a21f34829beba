// Launches of an empty kernel, one at a time and many behind each other: what a launch costs the simulator.
#include <cstdio>
#include <cstdlib>

__global__ void empty() {}

__global__ void count(unsigned *n)
{
	if (!threadIdx.x)
		atomicAdd(n, 1);
}

int main(int argc, char **argv)
{
	unsigned launches = argc > 1 ? atoi(argv[1]) : 2000, seen = 0, *n;
	bool right = cudaMalloc((void **)&n, sizeof *n) == cudaSuccess && cudaMemset(n, 0, sizeof *n) == cudaSuccess;
	for (unsigned i = 0; i < launches / 2 && right; i++) {
		empty<<<1, 32>>>();
		right = cudaDeviceSynchronize() == cudaSuccess;
	}
	for (unsigned i = 0; i < launches - launches / 2; i++)
		empty<<<1, 32>>>();
	count<<<2, 32>>>(n); // behind all of them
	right &= cudaMemcpy(&seen, n, sizeof seen, cudaMemcpyDeviceToHost) == cudaSuccess;
	puts(right && seen == 2 ? "PASS" : "FAIL");
	return !right;
}
