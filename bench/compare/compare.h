/* What the programs of this folder share: device buffers, inputs that are the same everywhere, and the verdict. */
#ifndef COMPARE_H
#define COMPARE_H

#include <cstdio>
#include <cstdlib>

/* The integer argument at this place of the command line, or a default. */
static inline int argument(int argc, char **argv, int place, int otherwise)
{
	return argc > place ? atoi(argv[place]) : otherwise;
}

/* Stops the program where a call of the runtime failed. */
static inline void must(cudaError_t e, const char *what)
{
	if (e != cudaSuccess) {
		printf("APP FAIL %s: error %d\n", what, (int)e);
		exit(1);
	}
}

template <typename T> static T *host_alloc(size_t n)
{
	T *p = (T *)calloc(n, sizeof(T));
	if (!p) {
		printf("APP FAIL no memory\n");
		exit(1);
	}
	return p;
}

template <typename T> static T *device_alloc(size_t n)
{
	void *p = NULL;
	must(cudaMalloc(&p, n * sizeof(T)), "cudaMalloc");
	return (T *)p;
}

template <typename T> static void to_device(T *device, const T *host, size_t n)
{
	must(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

template <typename T> static void to_host(T *host, const T *device, size_t n)
{
	must(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
}

static inline void finish_kernels()
{
	must(cudaGetLastError(), "launch");
	must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/* The next number of a linear congruential generator; the upper bits are the good ones. */
static inline unsigned next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Says whether the program passed; the exit status of main. */
static inline int verdict(int bad)
{
	printf("APP %s bad=%d\n", bad ? "FAIL" : "PASS", bad);
	return bad != 0;
}

#endif
