// A DRAM scheduler: which request each free bank serves next. One policy a file; dram_schedulers[] (dram_config.c) lists
// them in the order of -gpgpu_dram_scheduler.
#ifndef GPGPU_SIM_MEMORY_DRAM_SCHED_H
#define GPGPU_SIM_MEMORY_DRAM_SCHED_H

#include "gpgpu-sim/memory/dram.h"

struct dram_sched_ops {
	const char *name;
	bool by_bank;                     // keeps queues per bank: row statistics are counted
	void *(*make)(const struct dram_config *c); // NULL: it keeps nothing
	void (*free)(void *sched);
	bool (*full)(const struct dram *d, bool write);
	// Once a tick: takes in what came and hands out at most one request with dram_serve(). True if anything moved.
	bool (*tick)(struct dram *d, uint64_t now);
	bool (*ready)(const struct dram *d);         // tick would do something
	uint32_t (*waiting)(const struct dram *d);   // length of the (read) queue, for statistics
	uint32_t (*pending)(const struct dram *d);   // all requests not yet handed out
};

extern const struct dram_sched_ops dram_fifo, dram_frfcfs;
extern const struct dram_sched_ops *const dram_schedulers[];
extern const unsigned dram_n_schedulers;

// Gives a free bank its next request.
void dram_serve(struct dram *d, struct dram_req *q);
// The oldest write that comes again after its sectors were read, NULL if there is none.
struct dram_req *dram_next_completed(struct dram *d);

#endif
