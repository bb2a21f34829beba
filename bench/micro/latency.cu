// The time of a load by the size of the set that it walks through: one thread follows a chain in random order, each
// load the address of the next, once round to fill the caches and then timed.
// latency [KILOBYTES of the largest set] [LOADS that are timed]
#include "micro.h"

// A node lies in a line of its own, so that no load finds what another has brought.
enum { LINE = 128 };

__global__ void chase(void **from, long warm, long timed, long long *took, void **last)
{
	void **at = from;
	for (long i = 0; i < warm; i++)
		at = (void **)*at;
	long long start = clock64();
#pragma unroll 16
	for (long i = 0; i < timed; i++)
		at = (void **)*at;
	// The time of the end must not be read before the last load has come.
	*last = (void *)at;
	took[0] = clock64() - start + (at == NULL);
}

static void measure(long bytes, long timed)
{
	long nodes = bytes / LINE;
	char *device = on_device<char>(bytes), *host = (char *)calloc(1, bytes);
	long *order = (long *)malloc(nodes * sizeof *order);
	unsigned long long random = 88172645463325252ull;
	for (long i = 0; i < nodes; i++)
		order[i] = i;
	for (long i = nodes - 1; i > 0; i--) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		long j = (long)(random % (i + 1)), t = order[i];
		order[i] = order[j], order[j] = t;
	}
	for (long i = 0; i < nodes; i++) {
		char *next = device + order[(i + 1) % nodes] * LINE;
		memcpy(host + order[i] * LINE, &next, sizeof next);
	}
	to_device(device, host, bytes);
	long long *took = on_device<long long>(1);
	void **last = on_device<void *>(1);
	// A set that no cache holds need not be walked round before: what was walked is gone when the chain comes
	// there again.
	chase<<<1, 1>>>((void **)(device + order[0] * LINE), nodes, timed, took, last);
	finish();
	point("latency", bytes / 1024.0, slowest(took, 1) / timed);
	cudaFree(device), cudaFree(took), cudaFree(last);
	free(host), free(order);
}

int main(int argc, char **argv)
{
	long largest = number(argc, argv, 1, 16384) * 1024, timed = number(argc, argv, 2, 1024);
	for (long bytes = 4096; bytes <= largest; bytes *= 2) {
		measure(bytes, timed);
		if (bytes >= 16384 && bytes * 3 / 2 <= largest)
			measure(bytes * 3 / 2, timed);
	}
}
