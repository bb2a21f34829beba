// printf on the device: every conversion, text order within a thread, the number returned.
// skip: checkpoint (what kernels before it print is not printed again)
#include "check.h"
#include <unistd.h>

__global__ void print(int *out)
{
	out[0] = printf(
		"int %d %5d|%-5d|%05d %+d %x %X %o %u %c %%\n", -7, 42, 42, 42, 42, 255u, 255u, 8u, 4000000000u, 'w');
	out[1] = printf("long %lld %llu %llx\n", -5000000000ll, 18000000000000000000ull, 0x123456789abcdefull);
	out[2] = printf("real %f %.3f %10.2e %g %G\n", 1.5, 3.14159265, 12345.678, 0.0001, 1e20);
	out[3] = printf("text %s|%8s|%-6s|%.2s\n", "warp", "weft", "loom", "reed");
	out[4] = printf("none\n");
	out[5] = printf("%s %d %f %lld %c\n", "mixed", 1, 2.5, 3ll, 'x');
}

__global__ void many(int block)
{
	if (blockIdx.x == (unsigned)block && threadIdx.x % 16 == 3)
		printf("thread %d\n", (int)threadIdx.x);
}

static const char expected[] =
	"int -7    42|42   |00042 +42 ff FF 10 4000000000 w %\n"
	"long -5000000000 18000000000000000000 123456789abcdef\n"
	"real 1.500000 3.142   1.23e+04 0.0001 1E+20\n"
	"text warp|    weft|loom  |re\n"
	"none\n"
	"mixed 1 2.500000 3 x\n"
	"thread 3\nthread 19\nthread 35\nthread 51\n";

int main()
{
	/* Standard output into a file for a while. */
	static char got[1 << 22];
	char name[] = "/tmp/device_printf_XXXXXX";
	int file = mkstemp(name), saved = dup(1), h[6];
	int *d = device_alloc<int>(6);
	fflush(stdout);
	dup2(file, 1);
	print<<<1, 1>>>(d);
	cudaError_t e = cudaDeviceSynchronize();
	many<<<3, 64>>>(1);
	cudaError_t f = cudaDeviceSynchronize();
	fflush(stdout);
	dup2(saved, 1);
	OK(e);
	OK(f);
	lseek(file, 0, SEEK_SET);
	ssize_t n = read(file, got, sizeof(got) - 1);
	got[n < 0 ? 0 : n] = 0;
	unlink(name);
	/* What the simulator itself reports about the kernels may stand between the lines. */
	const char *at = got;
	char line[200];
	for (const char *p = expected; *p; p = strchr(p, '\n') + 1) {
		int length = strchr(p, '\n') - p + 1;
		memcpy(line, p, length);
		line[length] = 0;
		const char *found = strstr(at, line);
		CHECK(found, "missing: %s", line);
		if (found)
			at = found + length;
	}
	to_host(h, d, 6);
	const int values[6] = {10, 3, 5, 4, 0, 5};
	for (int i = 0; i < 6; i++)
		CHECK(h[i] == values[i], "call %d returned %d", i, h[i]);
	return check_done();
}
