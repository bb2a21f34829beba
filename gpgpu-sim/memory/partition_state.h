// What is inside struct memory: for partition.c (making, statistics, reports), partition_l2.c (sub-partitions), partition_dram.c
// (the way between L2 and DRAM), partition_halves.c (between halves of L2), partition_together.c (channels ticked by several threads),
// partition_latency.c (latencies) and partition_note.c (what observers are told). partition.h is what others use.
#ifndef GPGPU_SIM_MEMORY_PARTITION_STATE_H
#define GPGPU_SIM_MEMORY_PARTITION_STATE_H

#include "gpgpu-sim/memory/delay.h"
#include "gpgpu-sim/memory/dram.h"
#include "gpgpu-sim/memory/partition.h"

#include <inttypes.h>
#include <stddef.h>

// The first cache lines of the host are all that a tick looks at.
struct slice { // a sub-partition
	_Alignas(64) struct memory *m;
	struct channel *ch;
	struct cache *l2;               // NULL: none
	uint16_t id, inner;             // of the GPU; of the channel
	uint16_t told;                  // bit per unit (enum memory_unit) of which the observer wants lines
	bool full;                      // counted in memory.n_full
	bool refused;                   // L2 refused the first of from_icnt in the last tick: it is tried and counted in every tick
	uint64_t ticked;                // L2 ticks that the L2 has seen
	struct delay rop;
	struct port from_icnt, to_dram, from_dram, to_icnt;
	uint64_t copy_offset;           // GPGPU-Sim lets L2's time run ahead by one for each sector that the host copied
	uint32_t copies;                // that it has asked for, of an L2 in halves, and between these:
	struct delay from_far, visits, answered; // from SMs, from the partner to this home, back to this copy
	char name[40];
};
_Static_assert(offsetof(struct slice, from_icnt) == 64 && offsetof(struct slice, copies) < 192, "cache lines");

struct channel {
	_Alignas(64) struct memory *m;
	struct slice *slice;            // the first of its n_inner
	struct mem_pool *pool;          // what its slices make
	uint32_t id;
	uint32_t n_asking;              // requests in to_dram of its slices
	// Credits: room in the DRAM's queues that slices may take; each has one for itself, the rest is shared.
	uint32_t *private_credits, shared_credits;
	uint32_t last;                  // slice that took the last one
	uint64_t dram_wake;             // tick from which the DRAM itself can do something
	uint64_t awaited;               // requests inside that somebody waits for;
	uint64_t inside;                // all
	struct delay to_dram;           // -dram_latency
	uint64_t *line_bytes;           // of DRAM traffic by mem_req.pc_line; NULL: not counted
	int32_t more_full;              // slices that became full, less those that are no longer, while memory.together
	struct dram dram;
	struct memory_latency latency;  // what it has counted since memory_latency
	char name[24];
};

struct memory {
	struct mem_pool *pool;
	struct addr_map *map;
	struct cache_form l2_form;
	struct prefetch_form l2_prefetch;
	struct dram_config dram;
	uint32_t n_channels, n_inner, log2_inner, n_slices;
	uint32_t shared_limit;          // 0: none
	uint32_t room;                  // free entries that a push needs
	uint32_t rop_latency, dram_latency, far_latency;
	bool halves;                    // partition_halves.h
	uint32_t atomic_words; // on which a slice works in a cycle; 0: a sector
	bool split, texture_only, ideal, simple, host_copies, copies_modify, latency_stat, all;
	uint32_t simple_steps;
	struct slice *slice;
	struct channel *channel;
	uint64_t l2_ticks, dram_ticks;
	uint64_t *answers, *slices_awake, *channels_awake; // bit sets
	bool awake_unknown;             // the last two are not what the wakes below say: find_awake
	struct mem_req **handed;        // by slice: see memory_hand; NULL: none
	uint64_t *channels_called;      // bit set: channels to be listed by memory_due
	// From when on something can move, side by side since every tick looks at them: core cycles and DRAM ticks; 0: at once.
	uint64_t *slice_wake, *channel_wake_core, *channel_wake_tick;
	uint64_t l2_wake, dram_wake_core, dram_wake_tick; // the least of each: a tick before it has nothing to look at
	// Channels are being ticked by several threads: what belongs to none of them, bit sets and the least wakes, is
	// made right when all have been (memory_ticked), or when it is needed.
	bool together;
	struct memory_latency latency;
	struct tally *tally;            // of each thread that counts answers
	uint32_t n_tallies;
	struct memory_observer observer;
	uint32_t n_full;                // slices without room for a request that is split, sleeping ones too
	uint64_t now;                   // core cycle of the last tick
	uint32_t n_lines;               // of channel.line_bytes
};

static inline void set_bit(uint64_t *set, uint32_t i) { set[i / 64] |= 1ull << i % 64; }
static inline void clear_bit(uint64_t *set, uint32_t i) { set[i / 64] &= ~(1ull << i % 64); }
static inline void put_bit(uint64_t *set, uint32_t i, bool on)
{
	set[i / 64] = (set[i / 64] & ~(1ull << i % 64)) | (uint64_t)on << i % 64;
}
static inline uint32_t words(uint32_t bits) { return (bits + 63) / 64; }

// memory_due is to list it; of an L2 in halves the channel of the first half (memory_beside).
static inline void call_channel(struct memory *m, uint32_t channel)
{
	const uint32_t half = m->n_channels / 2;
	set_bit(m->channels_called, m->halves && channel >= half ? channel - half : channel);
}

// The slice can do something from core cycle `at` on.
static inline void wake_slice(struct slice *s, uint64_t at)
{
	if (at < s->m->slice_wake[s->id])
		s->m->slice_wake[s->id] = at;
	if (s->m->together)
		return;
	if (at < s->m->l2_wake)
		s->m->l2_wake = at;
	set_bit(s->m->slices_awake, s->id);
}

// The channel can do something at its next tick.
static inline void wake_channel(struct channel *ch)
{
	ch->m->channel_wake_tick[ch->id] = 0;
	if (ch->m->together)
		return;
	ch->m->dram_wake_tick = 0;
	set_bit(ch->m->channels_awake, ch->id);
}

static inline void find_awake(struct memory *m)
{
	for (uint32_t i = 0; i < m->n_slices; i++)
		put_bit(m->slices_awake, i, m->slice_wake[i] != NEVER);
	for (uint32_t i = 0; i < m->n_channels; i++)
		put_bit(m->channels_awake, i, m->channel_wake_tick[i] != NEVER || m->channel_wake_core[i] != NEVER);
	m->awake_unknown = false;
}

// Made by L2 itself: nobody waits for it.
static inline bool is_own(const struct mem_req *r) { return r->type == L2_WRBK_ACC || r->type == L2_WR_ALLOC_R; }

// A request has left the memory side.
static inline void leave(struct channel *ch, const struct mem_req *r)
{
	ch->inside--;
	ch->awaited -= !is_own(r);
}

// It ends here.
static inline void finish(struct channel *ch, struct mem_req *r)
{
	leave(ch, r);
	mem_req_free(ch->pool, r);
}

// partition_note.c: tells the observer about a request, "... of core 3 is answered". Look at s->told before calling.
void partition_note(const struct slice *s, enum memory_unit unit, const struct mem_req *r, const char *what);

// partition_latency.c
void tallies_free(struct memory *m);
void tallies_take(struct memory *m, uint32_t channel); // what they have counted of its banks is added to its dram_stats
static inline void count_arrival(struct memory_latency *l, const struct mem_req *r, uint64_t now)
{
	const uint64_t wait = now - r->created;
	l->tot_icnt2mem += wait;
	l->icnt2mem_table[latency_bin(wait)]++;
	if (wait > l->max_icnt2mem)
		l->max_icnt2mem = wait;
}

void slice_init(struct slice *s, struct channel *ch, uint32_t id, const int64_t queues[4]);
void slice_free(struct slice *s);
// Brings the statistics of an L2 that slept up to the present.
void slice_settle(struct slice *s);

void channel_init(struct channel *ch, struct memory *m, uint32_t id);
void channel_free(struct channel *ch);
// It can do something in that tick of the DRAM.
static inline bool channel_due(const struct memory *m, uint32_t channel, uint64_t tick, uint64_t now)
{
	return m->channel_wake_tick[channel] <= tick || m->channel_wake_core[channel] <= now;
}
// So many ticks of the DRAM, the first of them memory.dram_ticks; true if anything moved.
bool channel_tick(struct channel *ch, uint32_t ticks, uint64_t now);
bool slice_tick(struct slice *s, uint64_t now);

#endif
