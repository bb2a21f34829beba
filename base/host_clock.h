// The host's time, for what must not show in results: who waits for whom, which of two ways is faster.
#ifndef BASE_HOST_CLOCK_H
#define BASE_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

// Nanoseconds of a clock, CLOCK_MONOTONIC or a processor's; 0 if there is no such clock.
static inline uint64_t host_clock_ns(clockid_t clock)
{
	struct timespec now;
	return clock_gettime(clock, &now) ? 0 : (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
