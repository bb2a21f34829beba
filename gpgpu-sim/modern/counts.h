// What the modern core counts beside the statistics that all core models have (struct sm_stats).
#ifndef GPGPU_SIM_MODERN_COUNTS_H
#define GPGPU_SIM_MODERN_COUNTS_H

#include <stdint.h>

struct sm;

struct modern_stats {
	uint64_t rfc_reads, rfc_hits; // source registers of fixed latencies; of them, those that the register-file cache had
	uint64_t allocate_stalls;     // cycles in which Allocate found too few read ports
	uint64_t result_conflicts, load_conflicts; // cycles in which a result of a fixed latency or of the memory unit found no write port
	uint64_t hazards;             // see hazard.h
};

struct front_stats {
	uint64_t fetches;        // instructions that were asked for: a refused one when it is taken
	uint64_t fetch_misses;   // of them, those that waited for a line
	uint64_t l0_hits, l0_misses; // in the tags; misses are fetches whose line was not there, also if it was under way
	uint64_t l0_requests;    // lines that the L0s asked L1 for, without prefetches
	uint64_t refusals;       // fetches put off for lack of an MSHR, of a waiter or of a place in the miss queue
	uint64_t dropped;        // fetched instructions, not decoded yet when their warp went elsewhere
	uint64_t prefetches;     // lines that stream buffers asked for
	uint64_t prefetch_hits;  // lines taken from a stream buffer
	uint64_t prefetch_late;  // of them, those that were still under way
	uint64_t const_hits;     // of constants of fixed-latency instructions: look-ups that hit
	uint64_t const_misses;   // lines that were asked for
	uint64_t l1_accesses, l1_misses; // of L1 I/C, by whomever; refused ones when they are taken
};

struct modern_counts {
	struct modern_stats core;
	struct front_stats front;
};

// Adds the counts of an SM, if it has this core.
void modern_add_counts(struct modern_counts *sum, const struct sm *m);

#endif
