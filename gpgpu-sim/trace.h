// Debug streams: which are on, for which units, and where their lines go. The table is trace.def.
//
// Streams are always compiled in. A unit keeps the bits of those that concern it in a word of its own, so that one that is
// off costs a test of a bit.
#ifndef GPGPU_SIM_TRACE_H
#define GPGPU_SIM_TRACE_H

#include "base/diag.h"
#include "base/options.h"

enum trace_stream {
#define TRACE_STREAM(name, level, sampled, help) TRACE_##name,
#include "gpgpu-sim/trace.def"
	TRACE_N_STREAMS
};

#define TRACE_BIT(name) (1u << TRACE_##name)
enum { TRACE_BREAK = 1u << TRACE_N_STREAMS }; // in the word of an SM: the debugger wants to see instructions

struct trace {
	uint32_t mask;           // TRACE_BIT of those that are on
	int32_t core, partition; // the sampled ones; -1 all
	void *ctx;
	void (*put)(void *ctx, const char *line); // lines end with their newline
};

struct trace_info {
	const char *name, *help, *sampled;
	int level;
};
extern const struct trace_info trace_table[TRACE_N_STREAMS];

// From -trace_enabled, -trace_components and PTX_SIM_DEBUG (its value, or NULL: a level from the table; 0 is off). Leaves
// put and ctx alone. False with a message if a stream does not exist.
bool trace_init(struct trace *t, const struct options *o, const char *debug_level, struct diag *d);

static inline bool trace_on(const struct trace *t, enum trace_stream s) { return t && t->mask >> s & 1; }

// What is on for one SM, one DRAM channel with its sub-partitions, and all that is not sampled. t may be NULL.
uint32_t trace_core_mask(const struct trace *t, unsigned core);
uint32_t trace_partition_mask(const struct trace *t, unsigned channel);
uint32_t trace_other_mask(const struct trace *t);

// "GPGPU-Sim Cycle 17: STREAM - ..." and a newline.
void trace_line(const struct trace *t, enum trace_stream s, uint64_t cycle, const char *fmt, ...)
        __attribute__((format(printf, 4, 5)));

#endif
