// The host frees twice.
// tool: memcheck
// expect: ========= Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaFree.
// expect: =========     Saved host backtrace up to driver entry point at error
// expect: =========         Host Frame: main in freed_twice
// errors: 1
#include "checks.h"

int main()
{
	int *p;
	cudaMalloc(&p, 128);
	cudaFree(p);
	cudaFree(p);
	return 0;
}
