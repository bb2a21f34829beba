// The four clock domains. Time is counted in units of which every clock's period is a whole number, so that the ratios are
// exact.
#ifndef GPGPU_SIM_GPU_CLOCK_H
#define GPGPU_SIM_GPU_CLOCK_H

#include "base/option_forms.h"

enum { CLOCK_SET_CORE = 1 << CLOCK_CORE, CLOCK_SET_ICNT = 1 << CLOCK_ICNT, CLOCK_SET_L2 = 1 << CLOCK_L2, CLOCK_SET_DRAM = 1 << CLOCK_DRAM };

struct clock {
	uint64_t period[CLOCKS_N], next[CLOCKS_N]; // of the next edge
	bool one;                                  // all periods are equal
};

// Frequencies that have no common unit within 64 bits are rounded to 1 kHz, then to 1 MHz.
void clock_init(struct clock *c, const uint64_t hz[CLOCKS_N]);
void clock_restart(struct clock *c); // all edges at time 0

// The clocks that tick next, at the same time; a set of CLOCK_SET_*.
unsigned clock_step(struct clock *c);

// Passes over the next `n` core edges (at least one) and everything up to the last of them, so that time stands where it
// would if each had been stepped; ticks[d]: edges of each clock that were passed.
void clock_skip(struct clock *c, uint64_t n, uint64_t ticks[CLOCKS_N]);

#endif
