/* What the micro-benchmarks share. Each prints lines of a table: curve, x, value, with tabs between them; what the
 * curves are, and in which units, is in curves.py. Cycles are read on the SM, so that they mean the same on a GPU and
 * on Heddle. */
#ifndef MICRO_H
#define MICRO_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

static inline void must(cudaError_t e, const char *what)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "%s: error %d\n", what, (int)e);
		exit(1);
	}
}

template <typename T> static T *on_device(size_t n)
{
	void *p = NULL;
	must(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
	must(cudaMemset(p, 0, n * sizeof(T)), "cudaMemset");
	return (T *)p;
}

template <typename T> static void to_device(T *device, const T *host, size_t n)
{
	must(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
}

static inline void finish()
{
	must(cudaGetLastError(), "launch");
	must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

static inline int sm_count()
{
	int n = 0;
	must(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
	return n;
}

/* Cycles that blocks took, each its own; those of the slowest, since all begin together. */
static inline double slowest(const long long *device, int blocks)
{
	long long *took = (long long *)malloc(blocks * sizeof *took), most = 1;
	must(cudaMemcpy(took, device, blocks * sizeof *took, cudaMemcpyDeviceToHost), "cudaMemcpy");
	for (int i = 0; i < blocks; i++)
		most = took[i] > most ? took[i] : most;
	free(took);
	return (double)most;
}

static inline void point(const char *curve, double x, double value)
{
	printf("%s\t%g\t%.6g\n", curve, x, value);
	fflush(stdout);
}

/* The number on the command line, or a default. */
static inline long number(int argc, char **argv, int place, long otherwise)
{
	return argc > place ? atol(argv[place]) : otherwise;
}

#endif
