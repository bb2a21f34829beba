// A kernel frees what it did not allocate.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Malloc/Free Error encountered : Invalid pointer to free
// expect: =========     at give(char*) in heap_free_foreign.cu:@HERE@
// expect: =========     Address 0x7e9000000010
// errors: 1
#include "checks.h"

__global__ void give(char *p)
{
	free(p + 16); // HERE
}

int main()
{
	char *p;
	cudaMalloc(&p, 128);
	give<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	return 0;
}
