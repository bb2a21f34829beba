// What the files of the timing model share: timing.c steps the clocks, timing_launch.c starts kernels and their CTAs and ends
// them.
#ifndef GPGPU_SIM_GPU_TIMING_INTERNAL_H
#define GPGPU_SIM_GPU_TIMING_INTERNAL_H

#include "gpgpu-sim/gpu/timing.h"

static inline void timing_bit_set(uint64_t *s, unsigned i) { s[i / 64] |= (uint64_t)1 << i % 64; }

// Something has come to the SM or changed in it: it must be called.
static inline void timing_wake(struct timing *t, unsigned sm)
{
	timing_bit_set(t->awake, sm);
	t->wake_at[sm] = t->soonest = 0;
}

static inline void timing_bit_clear(uint64_t *s, unsigned i) { s[i / 64] &= ~((uint64_t)1 << i % 64); }

static inline void timing_see_packet(const struct timing *t, const struct mem_req *r, const char *what, unsigned at)
{
	if (t->observer.wants & TIMING_SEES_PACKETS)
		t->observer.packet(t->observer.ctx, r, what, at);
}

static inline void timing_see_kernel(const struct timing *t, const struct kernel_run *k, const char *what)
{
	if (t->observer.wants & TIMING_SEES_KERNELS)
		t->observer.kernel(t->observer.ctx, k, what);
}

// A line for users.
void timing_say(struct timing *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

bool timing_launches_due(const struct timing *t);    // something waits for timing_serve_launches
void timing_serve_launches(struct timing *t);        // what kernels launched, and who waited for it
void timing_split_for_held(struct timing *t);         // if the SMs are empty
void timing_launch_ctas(struct timing *t);           // a pass over the clusters, one CTA each
void timing_count_latencies(struct timing *t, uint64_t cycles); // of kernel launches: so many are over

// All blocks have ended: it waits in t->finished to be handed out.
void timing_finish(struct timing *t, struct kernel_run *k);
// It has failed: no block starts any more, and those that run leave as their requests come back.
void timing_stop_kernel(struct timing *t, struct kernel_run *k);
void timing_free_run(struct kernel_run *k);

#endif
