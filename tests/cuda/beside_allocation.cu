// Accesses that a GPU lets pass: a write to the padding behind an allocation, one vector beyond shared memory. One
// warning names kernel, block, thread and line, however often the place is met.
// skip: checkpoint
#include "check.h"

#include <unistd.h>

__global__ void spill(int *p, int at)
{
	if (threadIdx.x == 5 && blockIdx.x == 1)
		p[at] = 77;
}

__global__ void look(const int *p, int at, int *out)
{
	extern __shared__ int s[];
	s[threadIdx.x % 7] = threadIdx.x % 7;
	__syncthreads();
	int4 v = ((int4 *)s)[threadIdx.x % 2]; // the second one begins in the 28 bytes and ends beyond them
	out[threadIdx.x] = p[at] + v.x;
}

int main()
{
	// What goes to stderr is read back; the runtime prints while the kernels run.
	FILE *log = tmpfile();
	int keep = dup(2);
	static char text[4096];
	char *p = NULL, *next = NULL;
	static unsigned char all[1024];
	int *out = device_alloc<int>(32), h[32];
	OK(cudaMalloc(&p, 520));
	OK(cudaMalloc(&next, 512));
	OK(cudaMemset(next, 0x33, 512));
	fflush(stderr);
	dup2(fileno(log), 2);
	for (int i = 0; i < 4; i++) {
		spill<<<2, 32>>>((int *)p, 1000 / 4);
		LAUNCHED();
	}
	dup2(keep, 2);
	rewind(log);
	text[fread(text, 1, sizeof text - 1, log)] = 0;
	const char *first = strstr(text, "spill"), *padding = strstr(text, "padding");
	CHECK(first && padding && !strstr(padding + 1, "padding"), "%s", text);
	CHECK(strstr(text, "block (1,0,0), thread (5,0,0)") && strstr(text, "480 bytes past the end of the 520-byte"), "%s", text);

	look<<<1, 32, 28>>>((int *)p, 1000 / 4, out);
	LAUNCHED();
	to_host(h, out, 32);
	for (int i = 0; i < 32; i++)
		CHECK(h[i] == 77 + (i % 2 ? 4 : 0), "%d: %d", i, h[i]);
	to_host(all, (unsigned char *)next, 512);
	for (int i = 0; i < 512; i++)
		CHECK(all[i] == 0x33, "%d: %x", i, all[i]);
	// The host's copies still end where the allocation does.
	EXPECT(cudaErrorInvalidValue, cudaMemcpy(all, p, 800, cudaMemcpyDeviceToHost));
	OK(cudaFree(p));
	OK(cudaFree(next));
	return check_done();
}
