// Pointer chasing: one thread per block follows a chain through 16 MiB, then the same nodes again, by then in the caches.
// Measures the unloaded latency of each level of memory.
// chase [BLOCKS] [STEPS]
#include "compare.h"

// Nodes are 512 bytes apart: no two share a line.
enum { NODES = 32768, APART = 128 };

__global__ void chase(unsigned *last, const unsigned *next, int steps)
{
	unsigned at = next[blockIdx.x * APART];
	for (int pass = 0; pass < 2; pass++) {
		unsigned start = at;
		for (int i = 0; i < steps; i++)
			at = next[at];
		last[blockIdx.x * 2 + pass] = at;
		at = start;
	}
}

int main(int argc, char **argv)
{
	int blocks = argument(argc, argv, 1, 16), steps = argument(argc, argv, 2, 96);
	unsigned *next = host_alloc<unsigned>(NODES * APART), *order = host_alloc<unsigned>(NODES), seed = 3;
	for (int i = 0; i < NODES; i++)
		order[i] = i;
	for (int i = NODES - 1; i > 0; i--) {
		int j = next_random(&seed) % (i + 1);
		unsigned t = order[i];
		order[i] = order[j];
		order[j] = t;
	}
	for (int i = 0; i < NODES; i++)
		next[order[i] * APART] = order[(i + 1) % NODES] * APART;
	unsigned *dnext = device_alloc<unsigned>(NODES * APART), *dlast = device_alloc<unsigned>(blocks * 2);
	unsigned *last = host_alloc<unsigned>(blocks * 2);
	to_device(dnext, next, NODES * APART);
	chase<<<blocks, 1>>>(dlast, dnext, steps);
	finish_kernels();
	to_host(last, dlast, blocks * 2);
	int bad = 0;
	for (int b = 0; b < blocks; b++) {
		unsigned at = next[b * APART];
		for (int i = 0; i < steps; i++)
			at = next[at];
		bad += last[b * 2] != at || last[b * 2 + 1] != at;
	}
	return verdict(bad);
}
