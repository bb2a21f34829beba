// The greatest common divisor.
#ifndef BASE_DIVISOR_H
#define BASE_DIVISOR_H

#include <stdint.h>

// Of a and 0 it is a.
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

#endif
