// The modern core's front end: instruction buffers of warps, fetch that follows issue, and the instruction and constant
// caches: per sub-core an L0 with a stream-buffer prefetcher and an L0 for constants of fixed-latency instructions, per SM
// the L1 I/C behind them.
//
// L0 hit: fetched in cycle t, decoded in t+2, may issue in t+3. A miss goes to L1 over a line of to_l1 cycles and back over
// one of from_l1.
#ifndef GPGPU_SIM_MODERN_FRONT_H
#define GPGPU_SIM_MODERN_FRONT_H

#include "gpgpu-sim/modern/config.h"
#include "gpgpu-sim/mem_req.h"

struct sm;
struct modern_front;

struct modern_front *front_new(struct sm *m, const struct modern_config *cfg);
void front_free(struct modern_front *f);

// The warp begins, or goes on elsewhere: the buffer is empty and fetch starts at pc.
void front_redirect(struct sm *m, unsigned warp, uint64_t pc);
void front_stop(struct sm *m, unsigned warp); // nothing more is fetched for it
// Warps whose next instruction is in the buffer: a bit per warp slot of the SM.
uint64_t front_ready(const struct sm *m);
void front_consume(struct sm *m, unsigned warp); // that instruction has issued

// Constant operand at issue: true on a hit, else the miss is under way (or was already).
bool front_constant(struct sm *m, unsigned subcore, uint64_t addr, uint16_t stream);

// In the order of a cycle: ways to and from L1 and L1 itself; decode and fetch of one sub-core, after it issued, with the
// warp that issued last as the one preferred; the L0s.
void front_tick_l1(struct sm *m, uint64_t now);
void front_fetch(struct sm *m, unsigned subcore, uint64_t now, unsigned greedy);
void front_tick_l0(struct sm *m, uint64_t now);

// The first cycle after `now` in which one of them has something to do; UINT64_MAX if only an answer from outside changes that.
// Sub-cores whose fetch could proceed now give now + 1.
uint64_t front_next(const struct sm *m, uint64_t now);
void front_accept(struct sm *m, struct mem_req *r, uint64_t now); // an answer from L2
bool front_holds_requests(const struct sm *m);
void front_invalidate(struct sm *m);
// Requests of the L0 for constants of loads (LDC) go the same ways: one client more. True if it was taken.
bool front_request_constant(struct sm *m, uint64_t addr, uint16_t stream);
// Lines that came back for that client since the last call: the address, or false if there is none.
bool front_constant_back(struct sm *m, uint64_t *addr);
// What the buffers and ways hold, for deadlock reports.
void front_describe(const struct sm *m, void (*put)(void *ctx, const char *line), void *ctx);

#endif
