// The memory side of the GPU: channels, each with one or more sub-partitions (ROP delay, L2 slice, queues) and one DRAM.
// Behaviour is that of GPGPU-Sim 4.2 (l2cache, dram); see docs/memory.md.
#ifndef GPGPU_SIM_PARTITION_H
#define GPGPU_SIM_PARTITION_H

#include "base/diag.h"
#include "base/options.h"
#include "gpgpu-sim/addr_map.h"
#include "gpgpu-sim/cache.h"

struct memory; // all channels of a GPU

struct memory *memory_new(const struct options *o, struct mem_pool *pool, struct diag *d); // NULL with a message
void memory_free(struct memory *m);
const struct addr_map *memory_map(const struct memory *m);
unsigned memory_n_sub(const struct memory *m);
void memory_reserve_streams(struct memory *m, unsigned n);

// The side of the interconnect, for sub-partition `sub`.
bool memory_has_room(const struct memory *m, unsigned sub);            // for a request that is split into four sectors
void memory_push(struct memory *m, unsigned sub, struct mem_req *r, uint64_t now);
struct mem_req *memory_front(struct memory *m, unsigned sub);          // the next answer, or NULL; drops write-backs
struct mem_req *memory_pop(struct memory *m, unsigned sub);

// One cycle of the L2 clock, and one of the DRAM clock. `now` is the core cycle. Idle sub-partitions and channels cost
// nothing. True if anything moved.
bool memory_tick_l2(struct memory *m, uint64_t now);
bool memory_tick_dram(struct memory *m, uint64_t now);
// Sub-partitions with an answer to send / any work: bit sets of memory_n_sub() bits, 64 a word.
const uint64_t *memory_answers(const struct memory *m);
bool memory_busy(const struct memory *m);

// Skipping. After a tick that moved nothing, the earliest core cycle (L2) or DRAM tick number at which something could
// move without a push; UINT64_MAX if never. memory_skip_*: so many ticks pass in which nothing could move; statistics
// and rotating priorities come out as if they had been ticked.
uint64_t memory_next_l2(const struct memory *m, uint64_t now);
uint64_t memory_next_dram(const struct memory *m);                      // in DRAM ticks from now, >= 1
void memory_skip_l2(struct memory *m, uint64_t ticks);
void memory_skip_dram(struct memory *m, uint64_t ticks);

// A host copy to device memory fills L2 when -gpgpu_perf_sim_memcpy is on.
void memory_host_copy(struct memory *m, uint64_t addr, uint64_t bytes, uint64_t now);
void memory_flush_l2(struct memory *m);
void memory_invalidate_l2(struct memory *m);

// Statistics: structures in memory_stats.h.
int memory_describe(const struct memory *m, void (*put)(void *ctx, const char *line), void *ctx); // for deadlock reports

#endif
