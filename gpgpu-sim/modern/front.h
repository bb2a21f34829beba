// The modern core's front end: instruction buffers of warps, fetch that follows issue, and the instruction and constant
// caches: per sub-core an L0 with a stream-buffer prefetcher and an L0 for constants of fixed-latency instructions, per SM
// the L1 I/C behind them.
//
// L0 hit: fetched in cycle t, decoded in t+2, may issue in t+3. A miss goes to L1 over a line of to_l1 cycles and back over
// one of from_l1; with the cycle in L1 itself it makes an instruction to_l1 + 1 + from_l1 cycles later than a hit, if it hits
// there. So does a missing constant: 79 with 39 each way, as Huerta et al. measured. A line at the head of the stream buffer
// that has come is as good as one in L0.
//
// Every access of L1 I/C is an INST_ACC_R, those for constants too, so that their answers come to front_accept.
#ifndef GPGPU_SIM_MODERN_FRONT_H
#define GPGPU_SIM_MODERN_FRONT_H

#include "gpgpu-sim/modern/config.h"
#include "gpgpu-sim/modern/counts.h"
#include "gpgpu-sim/request/mem_req.h"

struct lines;
struct sm;
struct modern_front;

// What each cycle looks at: sets of warp slots of the SM, and of sub-cores.
struct front_sets {
	uint64_t ready;    // warps with an instruction
	uint64_t want;     // warps with room for one
	uint64_t refused;  // warps whose fetch could not be taken; tried again when their L0 or stream buffer has changed
	uint32_t decoding; // sub-cores with instructions on their way to decode
};

// Every L0 hits if perfect_inst or perfect_const is set, or if its form says none.
struct modern_front *front_new(struct sm *m, const struct modern_config *cfg);
void front_free(struct modern_front *f);

const struct front_stats *front_counts(const struct modern_front *f);

// The warp begins, or goes on elsewhere: the buffer is empty and fetch starts at pc. sm.warp[warp].k is its kernel.
void front_redirect(struct sm *m, unsigned warp, uint64_t pc);
void front_stop(struct sm *m, unsigned warp); // nothing more is fetched for it
const struct front_sets *front_sets(const struct modern_front *f); // there as long as f is
unsigned front_buffered(const struct sm *m, unsigned warp); // how many of its instructions
void front_consume(struct sm *m, unsigned warp); // that instruction has issued

// Constant operand at issue: it is there; its line is under way, modern_constant_comes is called when one comes; it cannot be
// asked for yet: ask again after front_next has come. `addr`: timing address.
enum front_look { FRONT_HIT, FRONT_COMES, FRONT_REFUSED };
enum front_look front_constant(struct sm *m, unsigned subcore, uint64_t addr, uint16_t stream);

// In the order of a cycle: ways to and from L1 and L1 itself; decode and fetch of one sub-core, after it issued, with the
// warp that issued last as the one preferred; the L0s.
// A miss of cycle t leaves in front_tick_l0 of t and has come, at the earliest, in front_tick_l1 of t + to_l1 + 1 + from_l1.
void front_tick_l1(struct sm *m, uint64_t now);
void front_fetch(struct sm *m, unsigned subcore, uint64_t now, unsigned greedy); // greedy: any number that is no slot: none
// It has something to decode or to fetch. `warps`: the sub-core's.
static inline bool front_fetches(const struct front_sets *f, unsigned subcore, uint64_t warps)
{
	return f->decoding >> subcore & 1 || f->want & ~f->refused & warps;
}
void front_tick_l0(struct sm *m, uint64_t now);

// The first cycle after `now` in which one of them has something to do; UINT64_MAX if only an answer from outside changes that.
// Sub-cores whose fetch could proceed now give now + 1, and so does an instruction that `now` made ready.
uint64_t front_next(const struct sm *m, uint64_t now);
void front_skip(struct sm *m, uint64_t cycles); // cycles without ticks, for the port statistics of L1
void front_accept(struct sm *m, struct mem_req *r, uint64_t now); // an answer from L2
bool front_holds_requests(const struct sm *m);
void front_invalidate(struct sm *m); // L0s and L1 I/C
// Requests of the L0 for constants of loads (LDC) go the same ways: one client more. True if it was taken.
// The address is one of those that front_constant takes; lines that both name are one in L1.
bool front_request_constant(struct sm *m, uint64_t addr, uint16_t stream);
// What came back for that client, in that order: the address as it was asked for, or false if there is nothing (more).
bool front_constant_back(struct sm *m, uint64_t *addr);
// What the buffers and ways hold, for deadlock reports.
void front_describe(const struct sm *m, struct lines *to);

#endif
