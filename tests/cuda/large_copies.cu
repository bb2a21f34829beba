// Fills and copies of much memory, whose zeros are given back to the host page by page: every byte is as it should be, and none beside
// is touched. The process keeps no pages for zeros.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { MEGA = 1 << 20, SIZE = 80 * MEGA };

static long resident_pages()
{
	long all = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%ld %ld", &all, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident;
}

// All of [from, to) of the device's bytes are `value`.
static bool all(const unsigned char *host, size_t from, size_t to, unsigned char value)
{
	for (size_t i = from; i < to; i++)
		if (host[i] != value)
			return false;
	return true;
}

int main()
{
	unsigned char *device, *host = (unsigned char *)malloc(SIZE), *back = (unsigned char *)malloc(SIZE);
	OK(cudaMalloc(&device, SIZE));
	memset(back, 0, SIZE);

	// An odd piece in the middle is zeroed.
	OK(cudaMemset(device, 7, SIZE));
	size_t lo = 12345, hi = SIZE - 4321;
	OK(cudaMemset(device + lo, 0, hi - lo));
	OK(cudaMemcpy(host, device, SIZE, cudaMemcpyDeviceToHost));
	CHECK(all(host, 0, lo, 7) && all(host, lo, hi, 0) && all(host, hi, SIZE, 7));

	// Zeros and other bytes in turn, to an odd place.
	for (size_t i = 0; i < SIZE; i++)
		host[i] = i / (3 * MEGA) % 2 ? (unsigned char)(i * 31 >> 4) : 0;
	OK(cudaMemset(device, 9, SIZE));
	OK(cudaMemcpy(device + 77, host, SIZE - 99, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(back, device, SIZE, cudaMemcpyDeviceToHost));
	CHECK(all(back, 0, 77, 9) && all(back, SIZE - 22, SIZE, 9));
	CHECK(!memcmp(back + 77, host, SIZE - 99));

	// The same inside the device, and onto itself.
	unsigned char *other;
	OK(cudaMalloc(&other, SIZE));
	OK(cudaMemset(other, 1, SIZE));
	OK(cudaMemcpy(other, device, SIZE, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy(host, other, SIZE, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(host, back, SIZE));

	// Four gigabytes of zeros are no pages.
	char *huge;
	long before = resident_pages();
	OK(cudaMalloc(&huge, (size_t)4 << 30));
	OK(cudaMemset(huge, 0, (size_t)4 << 30));
	OK(cudaDeviceSynchronize());
	CHECK(resident_pages() - before < 16 * MEGA / 4096);
	free(host);
	free(back);
	puts(check_failures ? "FAIL" : "PASS");
	return check_failures != 0;
}
