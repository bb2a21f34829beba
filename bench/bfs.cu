// Breadth-first search, one thread per node and level, on a random graph of mixed degrees: divergent throughout.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void level(const int *first, const int *edge, int *dist, int n, int depth, int *more)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n || dist[v] != depth)
		return;
	for (int e = first[v]; e < first[v + 1]; e++) {
		int to = edge[e];
		if (dist[to] < 0) {
			dist[to] = depth + 1;
			*more = 1;
		}
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100000;
	std::vector<int> first(n + 1), edge, dist(n, -1), want(n, -1), queue;
	unsigned seed = 12345;
	for (int v = 0; v < n; v++) {
		seed = seed * 1664525u + 1013904223u;
		int degree = 1 + (seed >> 24) % 12;
		first[v] = (int)edge.size();
		for (int d = 0; d < degree; d++) {
			seed = seed * 1664525u + 1013904223u;
			edge.push_back((int)(((unsigned long long)seed * n) >> 32));
		}
	}
	first[n] = (int)edge.size();
	dist[0] = want[0] = 0;
	queue.push_back(0);
	for (size_t h = 0; h < queue.size(); h++)
		for (int e = first[queue[h]]; e < first[queue[h] + 1]; e++)
			if (want[edge[e]] < 0) {
				want[edge[e]] = want[queue[h]] + 1;
				queue.push_back(edge[e]);
			}
	int *df, *de, *dd, *dm;
	cudaMalloc((void **)&df, first.size() * 4);
	cudaMalloc((void **)&de, edge.size() * 4);
	cudaMalloc((void **)&dd, n * 4);
	cudaMalloc((void **)&dm, 4);
	cudaMemcpy(df, first.data(), first.size() * 4, cudaMemcpyHostToDevice);
	cudaMemcpy(de, edge.data(), edge.size() * 4, cudaMemcpyHostToDevice);
	cudaMemcpy(dd, dist.data(), n * 4, cudaMemcpyHostToDevice);
	for (int depth = 0, more = 1; more; depth++) {
		cudaMemset(dm, 0, 4);
		level<<<(n + 255) / 256, 256>>>(df, de, dd, n, depth, dm);
		cudaMemcpy(&more, dm, 4, cudaMemcpyDeviceToHost);
	}
	cudaMemcpy(dist.data(), dd, n * 4, cudaMemcpyDeviceToHost);
	int bad = 0;
	for (int v = 0; v < n; v++)
		bad += dist[v] != want[v];
	puts(bad ? "FAIL" : "PASS");
	return bad != 0;
}
