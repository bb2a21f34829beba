// What the files of the modern core's memory pipeline share.
//
// Cycles between the sub-core and the SM's answer, besides those of the configuration. They are what is left of Table 2 after
// the stages of the sub-core's unit and, with the default options, the pipes before L1D's tags (11), shared memory (7, with a
// register address 8), the constant cache (10) and the link (2, 4, 8): all rows come out exactly.
#ifndef GPGPU_SIM_MODERN_MEMORY_INTERNAL_H
#define GPGPU_SIM_MODERN_MEMORY_INTERNAL_H

#include "gpgpu-sim/modern/local_unit.h"

enum {
	MMEM_GENERATE = 1,      // from acceptance to the first access
	MMEM_DISPATCH = 1,      // from an access to the pipe of its cache
	MMEM_L1D_DISPATCH = 2,  // L1D's has a queue more in front: translation
	MMEM_RETURN = 4,        // from the last datum to the link
	// LDGSTS: its counter goes down so long after its first and last datum (Table 2: 39 for all widths), before the data has
	// crossed to shared memory in the 19 cycles that the authors configure.
	MMEM_COPY_FIRST = 11, MMEM_COPY_LAST = 8,
};

#endif
