// Breadth-first search of a random graph, one thread per node and one launch per level. Measures divergence, uncoalesced
// loads and short kernels.
// bfs [NODES]
#include "compare.h"

enum { THREADS = 256, MOST = 12 };

__global__ void level(int *depth, const int *first, const int *edge, int *again, int now, int n)
{
	int v = blockIdx.x * THREADS + threadIdx.x;
	if (v >= n || depth[v] != now)
		return;
	for (int e = first[v]; e < first[v + 1]; e++) {
		int to = edge[e];
		if (depth[to] < 0) {
			depth[to] = now + 1;
			*again = 1;
		}
	}
}

static void search(int *depth, const int *first, const int *edge, int *queue)
{
	int head = 0, tail = 0;
	queue[tail++] = 0;
	depth[0] = 0;
	while (head < tail) {
		int v = queue[head++];
		for (int e = first[v]; e < first[v + 1]; e++)
			if (depth[edge[e]] < 0) {
				depth[edge[e]] = depth[v] + 1;
				queue[tail++] = edge[e];
			}
	}
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 16384), edges = 0, more = 1;
	int *first = host_alloc<int>(n + 1), *edge = host_alloc<int>(n * MOST), *depth = host_alloc<int>(n);
	int *want = host_alloc<int>(n), *queue = host_alloc<int>(n);
	unsigned seed = 11;
	for (int v = 0; v < n; v++) {
		first[v] = edges;
		for (int k = next_random(&seed) % (MOST + 1); k > 0; k--)
			edge[edges++] = next_random(&seed) % n;
		depth[v] = want[v] = -1;
	}
	first[n] = edges;
	search(want, first, edge, queue);
	depth[0] = 0;
	int *ddepth = device_alloc<int>(n), *dfirst = device_alloc<int>(n + 1), *dedge = device_alloc<int>(n * MOST);
	int *dmore = device_alloc<int>(1);
	to_device(ddepth, depth, n);
	to_device(dfirst, first, n + 1);
	to_device(dedge, edge, n * MOST);
	for (int now = 0; more; now++) {
		more = 0;
		to_device(dmore, &more, 1);
		level<<<(n + THREADS - 1) / THREADS, THREADS>>>(ddepth, dfirst, dedge, dmore, now, n);
		finish_kernels();
		to_host(&more, dmore, 1);
	}
	to_host(depth, ddepth, n);
	int bad = 0;
	for (int v = 0; v < n; v++)
		bad += depth[v] != want[v];
	return verdict(bad);
}
