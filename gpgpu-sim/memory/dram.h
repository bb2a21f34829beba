// One DRAM channel: a request queue in front of banks, command issue under timing rows, data on the way, answers.
// Behaviour is that of GPGPU-Sim 4.2 (dram); see docs/memory.md. Time is a tick of the DRAM clock.
//
// A channel sleeps through ticks in which it can do nothing: dram_catch_up() counts them all at once, with the same
// statistics as if each had been ticked.
#ifndef GPGPU_SIM_MEMORY_DRAM_H
#define GPGPU_SIM_MEMORY_DRAM_H

#include "base/diag.h"
#include "base/options.h"
#include "base/ring.h"
#include "gpgpu-sim/memory/dram_timing.h"
#include "gpgpu-sim/memory/memory_stats.h"
#include "gpgpu-sim/request/port.h"

enum { DRAM_BANKS_LINEAR, DRAM_BANKS_XOR, DRAM_BANKS_IPOLY, DRAM_BANKS_CUSTOM }; // -dram_bnk_indexing_policy

struct dram_config {
	struct dram_timing_config timing;
	struct dram_timing_form form;
	const struct dram_sched_ops *sched;
	uint32_t CL, WL, burst;         // burst: command ticks of a burst on the data bus
	uint32_t atom;                  // bytes of a column command
	uint32_t returns;               // entries of the return queue
	uint32_t bank_indexing;         // DRAM_BANKS_...
	uint32_t queue, write_queue, write_high, write_low; // requests; queue 0: unlimited
	bool write_split;               // -dram_seperate_write_queue_enable
	bool completes;                 // -dram_completes_sectors
	bool dual_bus;
	bool latency_stat, position_stat;
	uint32_t bus_bytes, burst_length;
};

// dram_config.c. False with a message. `o` holds a timing string that was checked when it was read.
bool dram_config_init(struct dram_config *c, const struct options *o, struct diag *d);

// A request inside the channel.
struct dram_req {
	_Alignas(64) struct mem_req *r; // each in a cache line of the host
	struct dram_req *next, *prev;   // queue of its bank, oldest first; next: also the free list
	uint32_t row, bank, bytes;
	uint32_t sent, arrived;         // bytes whose column command was issued; whose data passed the bus
	bool write;
	bool completes;                 // a write that is a read yet, of what its sectors lack
	uint64_t since;                 // core cycle at which it came
};

struct dram_bank {
	struct dram_req *req;           // being served
	uint32_t row;                   // last one opened
	uint64_t idle_since;            // tick from which it has had no request
};

// Data on the way: a delay line of CL or WL places that advances by a place each tick in which the return queue has room.
// Empty places are implied: each entry knows the number of the advance that takes it out.
struct dram_on_way {
	struct dram_req *q;
	uint64_t place;
};

struct dram_line {
	RING(struct dram_on_way);
	uint64_t advances;
	uint32_t length, min, max;      // places
};

// What every tick looks at stands in the first cache lines of the host.
struct dram {
	_Alignas(64) const struct dram_config *cfg;
	uint64_t tick;                  // ticks done
	uint64_t busy, open, hit, reads; // banks: with a request, with an open row, whose request wants it, whose request reads
	uint16_t n_busy, n_hit, n_hit_writes, n_hit_groups; // how many of them; bank groups with such a bank
	void *sched;                    // state of the scheduler

	struct port entry;              // requests that came since the last tick
	struct dram_req *completed, *last_completed; // writes whose sectors were read since the scheduler's last tick, oldest first
	struct dram_req *free_req;
	uint64_t refreshing;            // banks of ranks that wait for their refresh
	unsigned turn;                  // bank with the highest priority
	bool writing;                   // direction of the last column command

	struct dram_line line;
	dram_watcher *watch;            // sees each command as it is issued; NULL: nobody
	void *watch_ctx;

	struct port returns;
	struct memory_latency *latency; // of its channel
	// Takes write-backs whose data was written; nobody waits for them.
	void (*done)(void *ctx, struct mem_req *r);
	void *ctx;

	struct dram_timing timing;
	struct dram_stats stats;
	// Of busy banks: the first tick at which bank, group and rank allow the command that its request needs next. The
	// channel's own registers, which every command moves, come on top.
	uint64_t bank_ready[DRAM_MAX_BANKS];
	struct dram_bank bank[DRAM_MAX_BANKS];
	uint16_t group_hits[DRAM_MAX_BANKS];
	uint64_t refresh_due[DRAM_MAX_BANKS]; // by rank
	struct dram_req *req_chunk[20];
	unsigned n_chunk, chunk_size;
	const char *name;               // "gpu.dram[3]"
};

void dram_init(struct dram *d, const struct dram_config *cfg, const char *name, struct memory_latency *latency);
void dram_free(struct dram *d);

bool dram_full(const struct dram *d, bool write);
void dram_push(struct dram *d, struct mem_req *r, uint64_t now);

// One tick. `now` is the core cycle. True if anything moved.
bool dram_tick(struct dram *d, uint64_t now);
// The first tick at which something can move without a push or a taken answer, UINT64_MAX if never.
uint64_t dram_next(const struct dram *d);
// Ticks up to `tick`, in which nothing can move, have passed.
void dram_catch_up(struct dram *d, uint64_t tick);
// n_idle of the banks is counted when a bank gets work; this brings it up to the present.
void dram_settle(struct dram *d);

static inline struct mem_req *dram_front(const struct dram *d) { return port_first(&d->returns); }
static inline struct mem_req *dram_pop(struct dram *d) { return port_pop(&d->returns); }
// Neither requests nor data inside.
bool dram_empty(const struct dram *d);

#endif
