// A failed assertion on the device: cudaErrorAssert, and on standard error the line of CUDA's programming guide for each
// thread whose assertion failed, exactly, since scripts and test frameworks look for it.
#include "fatal.h"
#include <cassert>
#include <unistd.h>

__global__ void check(int *p)
{
	assert(p[threadIdx.x] == 0);
	int3 b = make_int3(blockIdx.x, blockIdx.y, blockIdx.z), t = make_int3(threadIdx.x, threadIdx.y, threadIdx.z);
	if (b.y == 1 && b.x == 2)
		assert(t.x + 8 * t.y < 29 || "last three of a warp" == 0);
	p[t.x] = 0;
}
enum { LINE = 12 };

int main()
{
	int *d = device_alloc<int>(64);
	char text[4096] = "";
	FILE *f = tmpfile();
	int err = dup(2);
	dup2(fileno(f), 2);
	OK(cudaMemset(d, 0, 64 * sizeof(int)));
	check<<<dim3(3, 2), dim3(8, 4)>>>(d);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	dup2(err, 2);
	CHECK(e == cudaErrorAssert, "%s", cudaGetErrorName(e));
	rewind(f);
	CHECK(fread(text, 1, sizeof text - 1, f) > 0);
	const char *at = text;
	for (int x = 5; x < 8; x++) {
		char line[512];
		snprintf(line, sizeof line, "%s:%d: void check(int *): block: [2,1,0], thread: [%d,3,0] Assertion "
		         "`t.x + 8 * t.y < 29 || \"last three of a warp\" == 0` failed.\n", __FILE__, LINE, x);
		at = strstr(at, line);
		CHECK(at && (at == text || at[-1] == '\n'), "no line of its own: %s in: %s", line, text);
		if (!at)
			break;
	}
	int lines = 0;
	for (at = text; (at = strstr(at, "` failed.")); at++)
		lines++;
	CHECK(lines == 3, "%d threads: %s", lines, text);
	fatal_lasts_until_reset(e);
	return check_done();
}
