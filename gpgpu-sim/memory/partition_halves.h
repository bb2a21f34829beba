// L2 in two halves (-l2_partitions 2), as GPUs from the A100 on have it: each half of the channels has its half of L2, and half of the
// SMs lie nearer to it. A line's home is the slice of its channel, before DRAM. Reads of an SM go to its own half: those of a line
// whose home is in the other half to the partner of that slice, which keeps a copy, and asks the home if it has none. Writes and
// atomics go home, and the copy is dropped.
//
// Partners ask each other, so neither may wait for the other with all that it has: copies take half of a slice's MSHRs at most; what
// comes to its home for a copy goes before what comes from the network, and past L2 where all lines of its set are being fetched.
//
// Between the halves everything takes a cycle at least, so that it makes no difference which of two slices is ticked first; and
// partners are ticked by one thread.
#ifndef GPGPU_SIM_MEMORY_PARTITION_HALVES_H
#define GPGPU_SIM_MEMORY_PARTITION_HALVES_H

#include "gpgpu-sim/memory/partition_state.h"

static inline uint32_t partner_of(const struct memory *m, uint32_t slice)
{
	const uint32_t half = m->n_slices / 2;
	return slice < half ? slice + half : slice - half;
}

// No more copies are asked for now.
static inline bool too_many_copies(const struct slice *s) { return s->copies >= (s->m->l2_form.mshr_entries + 1) / 2; }

void halves_enter_from_far(struct slice *s, struct mem_req *r, uint64_t now); // a write or an atomic
bool halves_from_far_due(const struct slice *s, uint64_t now);                // the first of them may enter L2
void halves_ask_home(struct slice *s, struct mem_req *r);        // of s, the partner, which has missed
void halves_answer_copy(struct slice *s, struct mem_req *r);     // from s, the home
void halves_drop_copy(struct slice *s, const struct mem_req *r); // of what r writes in s, its home
bool halves_fill(struct slice *s, uint64_t now);                 // an answer to s, the partner, into L2
// A read for the partner's copy, to L2 of s, its home; into *past if it shall go past L2 to DRAM.
bool halves_take_visit(struct slice *s, uint64_t now, struct mem_req **past);
uint64_t halves_next(const struct slice *s); // core cycle in which the next of all these is there

#endif
