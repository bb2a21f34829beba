// Distances that NVIDIA's compiler leaves between dependent instructions, mined from machine code.
//
// A stall count says how many cycles lie between the issue of an instruction and of the next. Where a result has no dependence
// counter, the stall counts up to its first use are all that keeps the two apart: their sum is no less than the latency.
#ifndef TOOLS_LATENCIES_H
#define TOOLS_LATENCIES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "cuda-sim/sass/machine/encoding.h"
#include "gpgpu-sim/modern/config.h"

struct core_config;

// LAT_RAW, LAT_WAW, LAT_WAR: a distance. The rest: code that does not fit what the core takes for granted.
enum lat_what {
	LAT_RAW,       // a result without a counter is read
	LAT_WAW,       // and overwritten
	LAT_WAR,       // a source of a variable latency, without a counter, is overwritten
	LAT_NO_COUNTER, // a result of a variable latency that has no counter is read
	LAT_NO_WAIT,    // it has one, and nothing waits for it
	LAT_N,
};

// What is known of two kinds of instructions in code of one architecture. Kinds are numbers of lat.kind.
struct lat_pair {
	uint64_t key;
	unsigned arch;
	enum lat_what what;
	unsigned from, to;
	uint64_t n;           // how often it was met
	unsigned least;       // cycles between their issues
	unsigned asked;       // the most that the modern core asks for; 0 where it asks for none by a fixed latency
	unsigned excess;      // the most by which it asks for more than is there
	char *example;        // where the least distance is, or the largest excess
};

// Operands that are kept in the register-file cache, in code of one architecture.
struct lat_kept {
	unsigned arch;
	uint64_t kept, read;  // reuse bits; those whose register is then read from there
	uint64_t old;         // and was overwritten in between
	char *example;        // of such a one
};

struct lat {
	bool opcodes;         // kinds are opcodes, not classes of the core's units
	struct arena arena;
	struct map names;     // to the kind's number + 1
	VEC(const char *) kind;
	struct lat_pair *pair; // open addressing, n_at places
	size_t n_at, n_pair;
	VEC(struct lat_kept) kept;
	uint64_t instructions, functions;
};

// One function's code; `where` names its file and function in examples.
void lat_mine(struct lat *l, const struct sass_isa *isa, unsigned arch, const uint8_t *code, size_t size, const char *where,
              const struct modern_config *cfg, const struct core_config *core);
void lat_free(struct lat *l);

// All pairs, by architecture, what, and names of kinds; mem_free.
struct lat_pair *lat_sorted(const struct lat *l);

#endif
