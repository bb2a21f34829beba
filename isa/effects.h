// Memory between SMs: what the instructions of one SM have done in this core cycle and no other SM sees yet.
//
// Within a core cycle an SM sees memory as it was when the cycle began, and over it its own stores in the order of issue.
// Instructions whose effect depends on what other SMs do in the same cycle are put off: atomics, and calls of services that
// all SMs share (printf, malloc, launches). Lines for users (debug streams, the instruction log) are kept. When every SM has
// had its cycle, they are committed SM by SM, each in the order of issue: stores are written, what was put off is carried
// out, lines are put. So memory changes between cycles only, and it makes no difference in which order, or by how many
// threads, the SMs of a cycle are stepped.
//
// Example: in one cycle SM 0 stores 1 to x, and a warp of SM 1 loads x: it reads the old value, whichever SM was stepped
// first. Another warp of SM 0 that loads x in that cycle, after the store, reads 1.
//
// They belong to one SM. Without them (functional mode) everything takes effect at once.
//
// With claims (functional mode by several threads, isa/claims.h) stores take effect at once too, but where the claims refuse them,
// and there is nothing to commit. What cannot be undone makes the claims fail.
#ifndef ISA_EFFECTS_H
#define ISA_EFFECTS_H

#include "isa/claims.h"
#include "isa/kernel.h"
#include "isa/strays.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct effects {
	bool any;              // something is to be done when the cycle ends, here or by the SM
	bool committing;       // what bodies do meanwhile takes effect at once
	uint64_t ahead;        // cycles by which the SM has gone ahead of the GPU's clock
	uint32_t n;            // entries, in order of issue
	uint64_t lo, hi;       // every staged byte lies in [lo, hi); lo > hi if there is none
	struct effects_impl *impl; // NULL with claims
	struct claims *claims;     // NULL: none
};

void effects_init(struct effects *s);
void effects_claim(struct effects *s, struct claims *c); // instead: with claims. Nothing is to be freed
void effects_free(struct effects *s);

// For bodies. Where the caller is to write `bytes` bytes that go to `at` when the cycle ends.
uint8_t *effects_store(struct effects *s, uint64_t at, uint32_t bytes);
// The same for lanes: lane i of `mask` writes `bytes` bytes (at most 64) for adr[i] at i * bytes from the place returned.
// Where lanes overlap the last one wins.
uint8_t *effects_lanes(struct effects *s, const uint64_t *adr, uint32_t mask, uint32_t bytes);

// True if a staged store may touch [at, at + bytes).
static inline bool effects_hides(const struct effects *s, uint64_t at, uint64_t bytes)
{
	return at < s->hi && at + bytes > s->lo;
}

// The same of a load from the allocation of `hit`; with claims, true if they have to be asked.
static inline bool effects_hides_load(const struct effects *s, const struct devmem_hit *hit, uint64_t at, uint64_t bytes)
{
	return s->claims ? !claims_open(s->claims, hit) : effects_hides(s, at, bytes);
}

// Memory at `at` as the SM sees it.
void effects_read(const struct effects *s, uint64_t at, void *to, size_t bytes);
// If effects_hides_load: where to load from all the same. NULL without claims.
const uint8_t *effects_load(struct effects *s, struct devmem_hit *hit, uint64_t at, uint32_t bytes);

// With claims: the lanes of `mask` access `bytes` bytes (at most 64) each, at *base, or if that is NULL at adr[i]. Where they may
// not, changes that to a place where it does no harm. `hit`: the allocation of all of them, or of some.
void effects_ask(struct effects *s, struct devmem_hit *hit, uint8_t **base, uint64_t *adr, uint32_t mask, uint32_t bytes, bool w);

// The bytes that each lane of `mask` sees, `bytes` a lane (at most 64): adr[i] is changed to where they stand. True if any
// lane is touched by a staged store; otherwise nothing is changed. The place is valid until the next call.
bool effects_view(struct effects *s, uint64_t *adr, uint32_t mask, uint32_t bytes);

// An instruction was put off; `token` tells the caller of effects_commit which.
void effects_put_off(struct effects *s, uint32_t token);

// Where the first fault of a launch is to be written. NULL if the launch has one, or with claims.
struct fault *effects_fault(struct effects *s, struct kernel_launch *launch);

// A line for users: put(ctx, text) is called when the cycle ends, between the stores issued before and behind it, with a
// copy of the text. While effects are committed, at once.
void effects_say(struct effects *s, void (*put)(void *ctx, const char *text), void *ctx, const char *text);

// A stray access of the launch, to be passed to strays_tell when the cycle ends.
void effects_stray(struct effects *s, const struct kernel_launch *launch, const char *place, enum stray kind, const char *text);

// Ends the cycle: faults reach their launches and strays are told; then, in order of issue, stores are written, lines are put
// and carry_out is called for what was put off. Nothing is left afterwards.
void effects_commit(struct effects *s, void (*carry_out)(void *ctx, uint32_t token), void *ctx);

#endif
