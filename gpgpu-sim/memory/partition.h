// The memory side of the GPU: channels, each with one or more sub-partitions (ROP delay, L2 slice, queues) and one DRAM.
// Behaviour is that of GPGPU-Sim 4.2 (l2cache, dram); see docs/memory.md, "Memory partition and DRAM".
#ifndef GPGPU_SIM_MEMORY_PARTITION_H
#define GPGPU_SIM_MEMORY_PARTITION_H

#include "base/diag.h"
#include "base/options.h"
#include "gpgpu-sim/memory/addr_map.h"
#include "gpgpu-sim/cache/cache.h"
#include "gpgpu-sim/memory/dram_timing.h"
#include "gpgpu-sim/memory/memory_stats.h"

struct memory; // all channels of a GPU

struct memory *memory_new(const struct options *o, struct mem_pool *pool, struct diag *d); // NULL with a message
void memory_free(struct memory *m);
const struct addr_map *memory_map(const struct memory *m);
unsigned memory_n_sub(const struct memory *m);
unsigned memory_n_channels(const struct memory *m);
void memory_reserve_streams(struct memory *m, unsigned n);
void memory_retire_stream(struct memory *m, unsigned stream, struct cache_counts *to); // of all L2, see cache_retire_stream

// Where a request goes, whose place has been filled in: of the halves of L2 (-l2_partitions), to the one that is nearer to its SM.
// `second`: the SM is in the second half of the GPU.
void memory_aim(const struct memory *m, struct mem_req *r, bool second);
// The side of the interconnect, for sub-partition `sub`. A request comes with its place filled in.
//
// A sectored L2 takes requests of one sector: memory_push splits a larger one into parts, each with a new request that is
// answered on its own and whose `origin` is the request. A read stays with whoever sent it (its MSHR, say), who frees it
// after the memory_parts()-th answer; of a write the parts are all that is left (origin NULL). Of an atomic with several
// sectors the last part alone is atomic, with all lanes.
bool memory_has_room(const struct memory *m, unsigned sub);            // for a request that is split into four sectors
unsigned memory_n_full(const struct memory *m);                          // sub-partitions without that room
void memory_push(struct memory *m, unsigned sub, struct mem_req *r, uint64_t now);
// The same, but it is for memory_tick_channel to push it; one at most for each sub-partition and tick of L2.
void memory_hand(struct memory *m, unsigned sub, struct mem_req *r);
unsigned memory_parts(const struct memory *m, const struct mem_req *r); // answers that the request will get
// The next answer, or NULL. The caller marks what it pops as MEM_ON_WAY_BACK and sends the answer on its way.
struct mem_req *memory_front(struct memory *m, unsigned sub);
struct mem_req *memory_pop(struct memory *m, unsigned sub);

// One cycle of the L2 clock, and some of the DRAM clock that follow each other. `now` is the core cycle. Idle
// sub-partitions and channels cost nothing. True if anything moved. Where both clocks tick at once, DRAM goes first and
// requests are pushed between the two.
bool memory_tick_l2(struct memory *m, uint64_t now);
bool memory_tick_dram(struct memory *m, uint32_t ticks, uint64_t now);
// The same by several threads, in any order: lists the channels that have something to do in these ticks of the two clocks, ticks one of
// them, with its sub-partitions, and puts together what came of it. With `answers`, channels are listed that have some
// to send, too: whoever ticks one may take them before (memory_front, memory_pop). Nothing else is called meanwhile;
// memory_answers stays what it was.
struct memory_edges {
	uint32_t dram;          // ticks of the DRAM, before those of L2
	bool l2, answers;
	uint64_t now;           // core cycle
};
unsigned memory_due(struct memory *m, const struct memory_edges *e, uint32_t *channel);
void memory_tick_channel(struct memory *m, const struct memory_edges *e, uint32_t channel);
// The channel that the same thread ticks behind one that memory_due has listed, its partner in the other half of L2; UINT32_MAX: none.
uint32_t memory_beside(const struct memory *m, uint32_t channel);
void memory_ticked(struct memory *m, const struct memory_edges *e, const uint32_t *channel, unsigned n);
// Sub-partitions with an answer to send: a bit set of memory_n_sub() bits, 64 a word.
const uint64_t *memory_answers(const struct memory *m);
// Requests that somebody waits for are inside; write-backs on their way to DRAM do not count, as in GPGPU-Sim.
bool memory_busy(const struct memory *m);
// Nothing at all is inside.
bool memory_drained(const struct memory *m);

// Skipping. After ticks that moved nothing, the earliest time at which something could move without a push or a pop.
// memory_next_l2: a core cycle; the present one or less: at the next tick of L2. memory_next_dram: a number of DRAM ticks from now,
// 1 for the next one, and in *core a core cycle from which on a tick could move something (whichever comes first).
// UINT64_MAX if never. memory_skip_*: so many ticks pass in which nothing can move.
uint64_t memory_next_l2(const struct memory *m);
uint64_t memory_next_dram(const struct memory *m, uint64_t *core);
void memory_skip_l2(struct memory *m, uint64_t ticks);
void memory_skip_dram(struct memory *m, uint64_t ticks);
// Tick every unit in every tick, also where it is known that nothing can move. The results must not differ.
void memory_tick_all(struct memory *m, bool on);

// A host copy to device memory fills L2 when -gpgpu_perf_sim_memcpy is on.
void memory_host_copy(struct memory *m, uint64_t addr, uint64_t bytes, bool written, uint64_t now);
// What a warp without time loads or stores: the sector of that address is in L2 as it would be behind it.
void memory_touch(struct memory *m, uint64_t addr, bool written, uint64_t now);
void memory_flush_l2(struct memory *m);
void memory_invalidate_l2(struct memory *m);

// Statistics (memory_stats.h). Pointers are valid until the memory is freed; the figures are as of the call.
const struct dram_stats *memory_dram_stats(struct memory *m, unsigned channel);
void memory_dram_facts(const struct memory *m, struct dram_facts *out);
const struct memory_latency *memory_latency(struct memory *m);
void memory_restart_max_mrqs(struct memory *m, unsigned channel);      // after max_mrqs_temp was printed
bool memory_has_l2(const struct memory *m);
bool memory_l2_prefetcher(const struct memory *m); // L2 has one
const struct cache_counts *memory_l2_counts(struct memory *m, unsigned sub, unsigned stream); // NULL if there is none
void memory_l2_sums(struct memory *m, unsigned sub, struct cache_sums *out);
void memory_l2_prefetches(struct memory *m, unsigned sub, struct prefetch_counts *out);
void memory_l2_sums_since(struct memory *m, unsigned sub, struct cache_sums *out, uint64_t rw[4]);
// A read's answer reached its SM: counts latencies if -gpgpu_memlatency_stat is on. Needs created, and since of MEM_ON_WAY_BACK.
// Threads, if there are several, count apart: `by` is the number of one of memory_count_apart, 0 without that.
void memory_count_answer(struct memory *m, unsigned by, const struct mem_req *r, uint64_t now);
void memory_count_apart(struct memory *m, unsigned threads);
// The number of banks that they lie in, STAT_POSITIONS - 1 at most; places them.
unsigned memory_banks_of(const struct memory *m, struct mem_req *list);
void memory_sample_latency(struct memory *m);                          // at the sampling interval of -gpgpu_runtime_stat
// From now on DRAM traffic is counted by mem_req.pc_line for lines below n, of which there may have been fewer before; and what was.
void memory_count_lines(struct memory *m, uint32_t n);
uint64_t memory_line_bytes(const struct memory *m, uint32_t line);

// Who looks on from above (debug streams). Any function may be NULL.
enum memory_unit { MEMORY_SUBPARTITION, MEMORY_PARTITION }; // what the way of a request is told of: L2; DRAM and back
struct memory_observer {
	void *ctx;
	// Asked once: of which units of a channel lines are wanted, 1 << enum memory_unit each. If any, `line` is there.
	unsigned (*wants)(void *ctx, unsigned channel);
	void (*line)(void *ctx, enum memory_unit unit, uint64_t cycle, const char *text); // text without a newline
	dram_watcher *command; // told each DRAM command as it is issued (dram_timing.h)
};
void memory_watch(struct memory *m, struct memory_observer by); // from now on; all NULL: nobody

int memory_describe(const struct memory *m, void (*put)(void *ctx, const char *line), void *ctx); // for deadlock reports

#endif
