// What the files of the modern core's memory pipeline share.
//
// Cycles between the sub-core and the SM's answer, besides those of the configuration. They are what is left of Table 2 after
// the stages of the sub-core's unit and, with the authors' figures for Ampere, the pipes before L1D's tags (13), shared memory
// (7, with a register address 8), the constant cache (11) and the link (2, 4, 8): all rows come out exactly.
#ifndef GPGPU_SIM_MODERN_MEMORY_INTERNAL_H
#define GPGPU_SIM_MODERN_MEMORY_INTERNAL_H

#include "gpgpu-sim/modern/local_unit.h"

enum {
	MMEM_GENERATE = 1,        // from acceptance to the first access
	MMEM_DISPATCH = 1,        // from an access to the pipe of its cache
	MMEM_SHARED_DISPATCH = 2, // of shared memory, whose bank conflicts are worked out first
	MMEM_RETURN = 3,          // from the last datum to the link
	// LDGSTS: its counter goes down so long after its first and last datum (Table 2: 39 for all widths), before the data has
	// crossed to shared memory in the 19 cycles that the authors configure.
	MMEM_COPY_FIRST = 10, MMEM_COPY_LAST = 7,
};

#endif
