// Random choices that are the same in every run: set `seed`, then pick.
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

static uint64_t seed;

// 0 to n - 1.
static inline unsigned pick(unsigned n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)((seed >> 33) % n);
}

#endif
