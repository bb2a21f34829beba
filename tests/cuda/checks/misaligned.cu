// Eight bytes at a multiple of four.
// tool: memcheck
// expect: ========= Invalid __global__ write of size 8 bytes
// expect: =========     at store(char*) in misaligned.cu:@HERE@
// expect: =========     by thread (1,0,0) in block (0,0,0)
// expect: =========     Access to 0x7e900000000c is misaligned
// expect: =========     and is inside the nearest allocation at 0x7e9000000000 of size 512 bytes
// expect: ========= Program hit cudaErrorMisalignedAddress (error 716) due to "misaligned address" on CUDA API call to cudaDeviceSynchronize.
// errors: 2
#include "checks.h"

__global__ void store(char *p)
{
	*(unsigned long long *)(p + 12 * threadIdx.x) = threadIdx.x; // HERE
}

int main()
{
	char *p;
	cudaMalloc(&p, 512);
	store<<<1, 2>>>(p);
	cudaDeviceSynchronize();
	return 0;
}
