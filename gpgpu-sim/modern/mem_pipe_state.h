// What the files of the modern core's memory pipeline share.
//
// Cycles between the sub-core and the SM's answer, besides those of the configuration. They are what is left of Table 2 after
// the stages of the sub-core's unit and, with the default options, the pipes before L1D's tags (11), shared memory (7, with a
// register address 8), the constant cache (10) and the link (2, 4, 8): all rows come out exactly.
#ifndef GPGPU_SIM_MODERN_MEM_PIPE_STATE_H
#define GPGPU_SIM_MODERN_MEM_PIPE_STATE_H

#include "gpgpu-sim/modern/local_unit.h"
#include "gpgpu-sim/modern/modern.h"

enum {
	MMEM_GENERATE = 1,      // from acceptance to the first access
	MMEM_DISPATCH = 1,      // from an access to the pipe of its cache
	MMEM_L1D_DISPATCH = 2,  // L1D's has a queue more in front: translation
	MMEM_RETURN = 4,        // from the last datum to the link
	// LDGSTS: its counter goes down so long after its first and last datum (Table 2: 39 for all widths), before the data has
	// crossed to shared memory in the 19 cycles that the authors configure.
	MMEM_COPY_FIRST = 11, MMEM_COPY_LAST = 8,
};

enum { MMEM_WAR_RING = 256 };

// A pending request table entry.
struct mmem_entry {
	struct winst *w;
	uint64_t first; // cycle of the first datum, 0 before
	uint64_t until; // shared memory, L1D: cycle of the last pass, 0 before the first; textures: of the answer, 0 before
	uint16_t link;  // cycles on the link
	uint8_t parts;  // LDGSTS: of release and copy, those to come
	bool read;      // war_at_end: the sources were released
	bool refused;   // the network did not take its request when that was tried last: it stands in modern_memory_unit.refused
};

// What is tried again, without a look at the instruction, as long as the network may have room.
struct mmem_refused {
	uint32_t bytes;  // of the packet
	uint16_t active; // its place in modern_memory_unit.active
	uint8_t kind;    // enum ldst_kind
};

// The link from the SM to a sub-core's register file.
struct mmem_link {
	struct port results;
	struct winst *moving;
	uint64_t arrives;
};

// A constant line that was asked for.
struct mmem_constant {
	struct mem_req *r;
	bool back;
};

struct modern_memory_unit {
	const struct modern_config *cfg;
	const struct mmem_core *core;
	struct local_unit local[MODERN_SUBCORES];
	struct modern_winst *war[MMEM_WAR_RING]; // sources to release, by cycle
	uint64_t war_due[MMEM_WAR_RING / 64];
	uint32_t live;               // instructions in all of it

	uint64_t accept_at;          // first cycle in which one may be accepted
	uint8_t turn;                // sub-core that goes first
	struct mmem_entry *prt;
	uint16_t *free_entry;
	uint32_t n_free;
	struct port waiting;         // accepted, without a coalescer
	struct winst **active;       // with one, oldest first
	uint32_t n_active;
	struct mmem_refused *refused; // of them, those that nothing but the network holds, in order: see mmem_retry
	uint32_t n_refused;

	struct port *bank;           // L1D: pipes before the tags
	uint8_t *lookups;            // of each bank in this cycle
	uint32_t n_bank, in_banks;
	uint64_t shared_free;        // first cycle in which the banks of shared memory are free
	uint64_t texture_free;       // the same of the texture units, with -texture_lanes_per_cycle
	struct winst *texture_of;    // whose lines they look up; NULL: nobody's
	uint64_t l1d_free;           // the same of L1D's, with -memory_l1d_bank_conflicts
	struct port shared;          // instructions
	struct port constant, texture; // requests
	uint64_t constant_used, texture_used, bypass_used; // last cycle in which one was given an access
	struct port release, hop, copied; // LDGSTS: counter to go down; on the way to shared memory; written there
	struct winst **fence;        // wait for the stores of their warps
	uint32_t n_fence;
	struct winst **tex;          // textures and queries that have not answered, oldest first
	uint32_t n_tex;
	struct port ask;             // constants that missed, to be asked for
	struct mmem_constant *asked;
	uint32_t n_asked, max_asked, n_back;
	struct mmem_link link[MODERN_SUBCORES];

	uint64_t next;
	bool step;
};

static inline struct mmem_entry *mmem_entry(struct modern_memory_unit *u, struct winst *w) { return &u->prt[modern_of(w)->entry]; }

static inline uint64_t mmem_link_next(const struct mmem_link *l) { return l->moving ? l->arrives : port_next(&l->results); }

// mem_pipe_access.c. mmem_generate makes the accesses of a cycle; true: there are no more.
bool mmem_generate(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now);
bool mmem_still_refused(struct sm *m, const struct mmem_refused *r); // by the network: counted as a stall
void mmem_count_refused(struct sm *m, const struct mmem_refused *r, uint64_t cycles); // so many cycles more
void mmem_pipes(struct sm *m, struct modern_memory_unit *u, uint64_t now);
void mmem_take_misses(struct sm *m, struct modern_memory_unit *u, uint64_t now);   // of the caches, one each
bool mmem_take_response(struct sm *m, struct modern_memory_unit *u, uint64_t now); // the first in the SM's port
bool mmem_take_constants(struct sm *m, struct modern_memory_unit *u);              // true: some are back
void mmem_constants(struct sm *m, struct modern_memory_unit *u, uint64_t now);     // asks for one, fills one

// mem_pipe_result.c. mmem_answered: all data is there in cycle `at`, or none is needed; mmem_arrived: of one request.
void mmem_answered(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t at);
void mmem_arrived(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now);
void mmem_move_results(struct sm *m, struct modern_memory_unit *u, unsigned subcore, uint64_t now);
void mmem_copies(struct sm *m, struct modern_memory_unit *u, uint64_t now);
void mmem_end_store(struct sm *m, struct modern_memory_unit *u, struct winst *w, uint64_t now); // nothing comes back

// Whether an instruction goes through the pipe of shared memory: with no lane on too, since code relies on results that come in order.
static inline bool mmem_shared(const struct winst *w) { return (w->mask ? w->space : w->st->space) == SPACE_SHARED; }
static inline bool mmem_remote(const struct winst *w) { return w->mask && w->space == SPACE_CLUSTER; }

#endif
