// Breadth-first search level by level over a random graph, with a queue filled by atomics.
// twice
#include "check.h"

__global__ void expand(
	const int *first, const int *edges, int *level, const int *queue, int n, int *next, int *next_n, int depth)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int v = queue[i];
	for (int e = first[v]; e < first[v + 1]; e++) {
		int w = edges[e];
		if (level[w] == -1 && atomicCAS(&level[w], -1, depth + 1) == -1)
			next[atomicAdd(next_n, 1)] = w;
	}
}

int main()
{
	const int n = 4000;
	static int first[n + 1], edges[n * 8], expect[n], got[n], queue[n];
	unsigned seed = 2;
	int m = 0;
	for (int v = 0; v < n; v++) {
		first[v] = m;
		int degree = check_random(&seed) % (v % 10 == 0 ? 8 : 3);
		for (int k = 0; k < degree; k++)
			edges[m++] = check_random(&seed) % n;
		expect[v] = -1;
	}
	first[n] = m;
	int *dfirst = to_device(first, n + 1), *dedges = to_device(edges, m), *dlevel = device_alloc<int>(n);
	int *q = device_alloc<int>(n), *r = device_alloc<int>(n), *dn = device_alloc<int>(1), zero = 0;
	OK(cudaMemset(dlevel, 0xff, n * sizeof(int)));
	OK(cudaMemcpy(dlevel, &zero, sizeof(int), cudaMemcpyHostToDevice));
	OK(cudaMemset(q, 0, sizeof(int)));
	for (int size = 1, depth = 0; size; depth++) {
		OK(cudaMemset(dn, 0, sizeof(int)));
		expand<<<(size + 127) / 128, 128>>>(dfirst, dedges, dlevel, q, size, r, dn, depth);
		LAUNCHED();
		to_host(&size, dn, 1);
		int *t = q;
		q = r;
		r = t;
	}
	to_host(got, dlevel, n);
	expect[0] = 0;
	queue[0] = 0;
	for (int head = 0, tail = 1; head < tail; head++)
		for (int e = first[queue[head]]; e < first[queue[head] + 1]; e++)
			if (expect[edges[e]] == -1) {
				expect[edges[e]] = expect[queue[head]] + 1;
				queue[tail++] = edges[e];
			}
	for (int v = 0; v < n; v++)
		CHECK(got[v] == expect[v], "node %d: %d, not %d", v, got[v], expect[v]);
	return check_done();
}
