// cudaLimitPrintfFifoSize: kernels print into a circular buffer, so that the newest text stays and the oldest is lost if a
// kernel prints more than fits before the program waits for it (CUDA Programming Guide, "Formatted Output"). The buffer is
// read when the next kernel starts and when the program waits, so two kernels that each fill it lose nothing.
#include "check.h"
#include <unistd.h>

// Lines of 64 bytes.
__global__ void print(int from, int n)
{
	for (int i = 0; i < n; i++)
		printf("the line %6d%49s", from + i, "\n");
}

enum { LINE = 64, FIFO = 16384, FIT = FIFO / LINE };

static char got[1 << 22];

// What kernels printed up to now, without what the simulator reports: the numbers of the lines.
static int lines(int *first, int *last)
{
	int n = 0, v;
	*first = *last = -1;
	for (const char *at = got; (at = strstr(at, "the line ")); at += 9) {
		if (sscanf(at + 9, "%d", &v) != 1)
			break;
		if (!n++)
			*first = v;
		else
			CHECK(v == *last + 1, "%d after %d", v, *last);
		*last = v;
	}
	return n;
}

template <class F> static int printed(F f, int *first, int *last)
{
	char name[] = "/tmp/printf_fifo_XXXXXX";
	int file = mkstemp(name), saved = dup(1);
	fflush(stdout);
	dup2(file, 1);
	f();
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	lseek(file, 0, SEEK_SET);
	ssize_t n = read(file, got, sizeof(got) - 1);
	got[n < 0 ? 0 : n] = 0;
	close(file);
	unlink(name);
	return lines(first, last);
}

int main()
{
	int first, last;
	size_t v;
	OK(cudaDeviceGetLimit(&v, cudaLimitPrintfFifoSize));
	CHECK(v == 1 << 20);
	// A megabyte, as it is by default.
	int n = printed([] {
		print<<<1, 1>>>(0, 20000);
		OK(cudaDeviceSynchronize());
	}, &first, &last);
	CHECK(n == (1 << 20) / LINE && last == 19999, "%d lines, %d to %d", n, first, last);
	OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, FIFO));
	OK(cudaDeviceGetLimit(&v, cudaLimitPrintfFifoSize));
	CHECK(v == FIFO);
	n = printed([] {
		print<<<1, 1>>>(0, FIT);
		print<<<1, 1>>>(FIT, FIT);
		OK(cudaDeviceSynchronize());
	}, &first, &last);
	CHECK(n == 2 * FIT && first == 0, "%d lines, %d to %d", n, first, last);
	n = printed([] {
		print<<<1, 1>>>(0, 5 * FIT + 1);
		OK(cudaDeviceSynchronize());
	}, &first, &last);
	CHECK(n == FIT && first == 4 * FIT + 1 && last == 5 * FIT, "%d lines, %d to %d", n, first, last);
	OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 20000 * LINE));
	n = printed([] {
		print<<<1, 1>>>(0, 20000);
		OK(cudaDeviceSynchronize());
	}, &first, &last);
	CHECK(n == 20000, "%d lines, %d to %d", n, first, last);
	// The buffer lies in device memory.
	EXPECT(cudaErrorMemoryAllocation, cudaDeviceSetLimit(cudaLimitPrintfFifoSize, (size_t)1 << 50));
	OK(cudaDeviceGetLimit(&v, cudaLimitPrintfFifoSize));
	CHECK(v == 20000 * LINE);
	return check_done();
}
