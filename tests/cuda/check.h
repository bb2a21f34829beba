/* What every program of this folder uses to check itself. */
#ifndef CHECK_H
#define CHECK_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>

static int check_failures;

/* One fact; the first few that do not hold are printed. */
#define CHECK(fact, ...) \
	do { \
		if (!(fact) && check_failures++ < 5) { \
			printf("%s:%d: %s", __FILE__, __LINE__, #fact); \
			printf(" " __VA_ARGS__); \
			printf("\n"); \
		} \
	} while (0)

/* A call that must give this error code. */
#define EXPECT(code, call) \
	do { \
		int expect_got = (int)(call); \
		if (expect_got != (int)(code) && check_failures++ < 5) \
			printf("%s:%d: %s gave %d (%s), not %s\n", __FILE__, __LINE__, #call, expect_got, \
				cudaGetErrorName((cudaError_t)expect_got), #code); \
	} while (0)

/* A call that must succeed. */
#define OK(call) EXPECT(cudaSuccess, call)

/* A kernel launch just made, waited for. */
#define LAUNCHED() \
	do { \
		OK(cudaGetLastError()); \
		OK(cudaDeviceSynchronize()); \
	} while (0)

static inline int check_done(void)
{
	if (check_failures) {
		printf("FAIL %d\n", check_failures);
		return 1;
	}
	printf("PASS\n");
	return 0;
}

/* The same sequence of numbers everywhere. */
static inline unsigned check_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

template <class T> static inline T *device_alloc(size_t n)
{
	T *p = 0;
	OK(cudaMalloc((void **)&p, n * sizeof(T)));
	return p;
}

template <class T> static inline T *to_device(const T *h, size_t n)
{
	T *p = device_alloc<T>(n);
	OK(cudaMemcpy(p, h, n * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

template <class T> static inline void to_host(T *h, const T *d, size_t n)
{
	OK(cudaMemcpy(h, d, n * sizeof(T), cudaMemcpyDeviceToHost));
}

#endif
