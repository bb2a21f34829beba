// What the programs that lack a barrier share: their size, and that every thread has found the same.
#ifndef MISSING_BARRIER_H
#define MISSING_BARRIER_H

#include "check.h"

enum { THREADS = 512, BLOCKS = 4, CALLS = 20 };

static void check(const char *what, const int *d, int want)
{
	static int h[BLOCKS * THREADS];
	LAUNCHED();
	to_host(h, d, BLOCKS * THREADS);
	for (int i = 0; i < BLOCKS * THREADS; i++)
		CHECK(h[i] == want, "%s, thread %d: %d, not %d", what, i, h[i], want);
}

#endif
