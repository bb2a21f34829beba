// Requests for lines on the ways between the L0s and L1, by value: there are a lot of them.
#ifndef GPGPU_SIM_MODERN_LINE_RING_H
#define GPGPU_SIM_MODERN_LINE_RING_H

#include "base/ring.h"

struct line_req {
	uint64_t addr;   // timing address
	uint64_t ready;  // first cycle in which it has come to the end of its way
	uint16_t stream; // dense number, for statistics
	uint8_t client;  // who asked
};

struct line_ring {
	RING(struct line_req);
};

#endif
