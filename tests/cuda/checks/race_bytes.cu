// Bytes of one word belong to different threads; one of them is read too early.
// tool: racecheck
// expect: ========= Error: Race reported between Write access at bytes(unsigned char*) in race_bytes.cu:@WRITES@
// expect: =========     and Read access at bytes(unsigned char*) in race_bytes.cu:@READS@ [1 hazards]
// ptx-expect: =========     first as read after write by thread (5,0,0) and thread (37,0,0) in block (0,0,0) at __shared__ 0x5
// errors: 1
#include "checks.h"

__global__ void bytes(unsigned char *v)
{
	__shared__ unsigned char s[64];
	s[threadIdx.x] = v[threadIdx.x]; // WRITES
	unsigned char x = s[threadIdx.x == 37 ? 5 : threadIdx.x]; // READS
	v[threadIdx.x] = x + 1;
}

int main()
{
	unsigned char *v;
	cudaMalloc(&v, 64);
	cudaMemset(v, 0, 64);
	bytes<<<1, 64>>>(v);
	cudaDeviceSynchronize();
	return 0;
}
