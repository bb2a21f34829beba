// Debug streams: which are on, for which units, and where their lines go. The table is debug_streams.def.
//
// Streams are always compiled in. The units that have something to say call an observer (sm/observer.h and those like it),
// whose word of bits says what is wanted, so that a stream that is off costs a test of a bit.
#ifndef GPGPU_SIM_LOOK_DEBUG_STREAMS_H
#define GPGPU_SIM_LOOK_DEBUG_STREAMS_H

#include "base/diag.h"
#include "base/options.h"

#include <stdarg.h>

enum dbg_stream {
#define DBG_STREAM(name, level, sampled, help) DBG_##name,
#include "gpgpu-sim/look/debug_streams.def"
	DBG_N_STREAMS
};

#define DBG_BIT(name) (1u << DBG_##name)

struct dbg_streams {
	uint32_t mask;           // DBG_BIT of those that are on
	int32_t core, partition; // the sampled ones; -1 all
	void *ctx;
	void (*put)(void *ctx, const char *line); // lines end with their newline
};

struct dbg_info {
	const char *name, *help, *sampled;
	int level;
};
extern const struct dbg_info dbg_table[DBG_N_STREAMS];

// From -trace_enabled, -trace_components and PTX_SIM_DEBUG (its value, or NULL: a level from the table; 0 is off). Leaves
// put and ctx alone. False with a message if a stream does not exist.
bool dbg_init(struct dbg_streams *t, const struct options *o, const char *debug_level, struct diag *d);

static inline bool dbg_on(const struct dbg_streams *t, enum dbg_stream s) { return t && t->mask >> s & 1; }

// What is on for one SM, one DRAM channel with its sub-partitions, and all that is not sampled. t may be NULL.
uint32_t dbg_core_mask(const struct dbg_streams *t, unsigned core);
uint32_t dbg_partition_mask(const struct dbg_streams *t, unsigned channel);
uint32_t dbg_other_mask(const struct dbg_streams *t);

// "GPGPU-Sim Cycle 17: STREAM - ..." and a newline, into a buffer or to put.
enum { DBG_LINE = 1400 };
void dbg_format(char line[DBG_LINE], enum dbg_stream s, uint64_t cycle, const char *fmt, va_list ap)
        __attribute__((format(printf, 4, 0)));
void dbg_line(const struct dbg_streams *t, enum dbg_stream s, uint64_t cycle, const char *fmt, ...)
        __attribute__((format(printf, 4, 5)));

#endif
