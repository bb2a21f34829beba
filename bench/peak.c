// The processor's single precision peak: prints billions of fused multiply-adds a second of one thread, by the widest vectors it has.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __AVX512F__
enum { WIDE = 16 };
#else
enum { WIDE = 8 };
#endif
typedef float vec __attribute__((vector_size(WIDE * sizeof(float))));

enum { CHAINS = 12 }; // more than latency times units

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 100000000;
	vec s[CHAINS], a, b;
	for (int k = 0; k < WIDE; k++)
		a[k] = 0.5f + (float)argc * 0.1f, b[k] = (float)argc;
	for (int c = 0; c < CHAINS; c++)
		s[c] = b * (float)c;
	struct timespec from, to;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (long i = 0; i < n; i++)
#pragma GCC unroll 12
		for (int c = 0; c < CHAINS; c++)
			s[c] = s[c] * a + b;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	float sum = 0;
	for (int c = 0; c < CHAINS; c++)
		for (int k = 0; k < WIDE; k++)
			sum += s[c][k];
	const double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
	printf("%.1f\n", (double)n * CHAINS * WIDE / seconds * 1e-9);
	return sum == 0.123f;
}
