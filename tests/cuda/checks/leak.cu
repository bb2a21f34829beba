// Two allocations of three are never freed.
// tool: memcheck
// check: --leak-check full
// expect: ========= Leaked 1,000 bytes at 0x7e9000000000
// expect: ========= Leaked 24 bytes at 0x7e9000000a00
// expect: =========     Saved host backtrace up to driver entry point at allocation time
// expect: =========         Host Frame: buffer(unsigned long) in leak
// expect: ========= LEAK SUMMARY: 1024 bytes leaked in 2 allocations
// errors: 2
#include "checks.h"

__attribute__((noinline)) static void *buffer(size_t n)
{
	void *p = NULL;
	cudaMalloc(&p, n);
	return p;
}

int main()
{
	void *a = buffer(1000), *b = buffer(500), *c = buffer(24);
	cudaFree(b);
	return a == c;
}
