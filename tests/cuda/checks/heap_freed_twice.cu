// Kernels free a block twice.
// tool: memcheck
// check: --report-api-errors no
// expect: ========= Malloc/Free Error encountered : Double free
// expect: =========     at give(char**) in heap_freed_twice.cu:@HERE@
// expect: =========     by thread (0,0,0) in block (0,0,0)
// expect: =========     Address 0x7e9000000400
// errors: 1
#include "checks.h"

__global__ void make(char **p)
{
	*p = (char *)malloc(100);
}

__global__ void give(char **p)
{
	free(*p); // HERE
}

int main()
{
	char **p;
	cudaMalloc(&p, sizeof *p);
	make<<<1, 1>>>(p);
	give<<<1, 1>>>(p);
	give<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	return 0;
}
