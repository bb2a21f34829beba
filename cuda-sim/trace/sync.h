// What a replay knows of the asynchronous side of Hopper: mbarriers, which warps wait for, and bulk copies, which tell them.
//
// A line of SYNCS says which mbarrier its lanes touch and, from tracer version 6 on, with which values. A line of a bulk copy says which
// global memory it reads or writes, how many bytes and which mbarrier learns of them. From these the replay keeps the state of each
// mbarrier, by its place in shared memory, as the program did, and a warp waits at a try_wait until the phase is complete: then as the
// replayed GPU says, not as the traced one did. An mbarrier that has not been seen to be initialised holds nobody up, nor does one
// for which the lines do not add up (an arrival too many).
#ifndef CUDA_SIM_TRACE_SYNC_H
#define CUDA_SIM_TRACE_SYNC_H

#include "cuda-sim/trace/pack.h"
#include "isa/frontend.h"

// What a line of SYNCS does; of the value that it carries for each lane.
enum trace_sync {
	TRACE_SYNC_NONE,
	TRACE_SYNC_INIT,          // value: the lower half of the word that the compiler makes of the count
	TRACE_SYNC_ARRIVE,        // one arrival
	TRACE_SYNC_ARRIVE_COUNT,  // value: arrivals
	TRACE_SYNC_ARRIVE_EXPECT, // one arrival, after so many bytes have been expected
	TRACE_SYNC_EXPECT,        // bytes
	TRACE_SYNC_EXPECT_ONE,    // one byte
	TRACE_SYNC_COMPLETE,      // bytes that have come
	TRACE_SYNC_COMPLETE_ONE,
	TRACE_SYNC_TRY,           // value: bit 31 is the parity of the phase; waits for it
};

// By the opcode. `drop`: the arrivals are none of later phases.
enum trace_sync trace_sync_of(const struct sass_name *k, bool *drop);
static inline bool trace_sync_has_value(enum trace_sync s)
{
	return s != TRACE_SYNC_NONE && s != TRACE_SYNC_ARRIVE && s != TRACE_SYNC_EXPECT_ONE && s != TRACE_SYNC_COMPLETE_ONE;
}

// --- bulk copies. By the opcode, enum fe_copy_kind; -1: it is none.
int trace_copy_kind(const struct sass_name *k);

// What a line says of one.
struct trace_copy {
	bool known;              // else the rest is not
	uint32_t mbarrier;       // as in the line
	uint32_t ctas;           // multicast: bit per rank; 0: to the own one
	uint64_t bytes;          // that the mbarrier is told
	uint64_t map;            // timing address of the tensor map; 0: none, or not known
	uint32_t n;              // pieces
};
// Into the stream of addresses, followed by trace_pack_piece of each.
void trace_pack_copy(struct trace_pack *p, const struct trace_copy *c);
void trace_pack_piece(struct trace_pack *p, uint64_t *before, uint64_t address, uint32_t bytes);

// Values of the active lanes: n = 0 none are known, 1 all have the first, else each its own.
void trace_pack_values(struct trace_pack *p, uint32_t mask, unsigned n, const uint32_t value[32]);
// False if none are known.
bool trace_cursor_values(struct trace_cursor *c, uint32_t value[32]);

// What a line tells beside its instruction, by its opcode: how, sync, copy_kind and what goes with them.
void trace_async_line(const struct trace_code *c, const struct trace_line *l, struct trace_inst *out);

// Passes over what a line of an Accel-Sim trace has packed beside its instruction.
void trace_cursor_pass(struct trace_cursor *c, const struct trace_inst *t);

// --- of a CTA

struct trace_async;

// `n_warp` warps; it begins anew for each CTA of a slot.
struct trace_async *trace_async_new(unsigned n_warp, void *owner);
void *trace_async_owner(const struct trace_async *a);
// The k-th CTA of its cluster, or itself if it has none; NULL: it has ended. *n: their number.
struct trace_async *trace_async_peer(const struct trace_async *a, unsigned k, unsigned *n);
void trace_async_reset(struct trace_async *a);
void trace_async_free(struct trace_async *a);

// The CTAs of a cluster know of each other, by rank.
void trace_async_join(struct trace_async *const all[], unsigned n);
void trace_async_leave(struct trace_async *a);

// Executes the operation of a line; values of the lanes of `mask`. True if the warp has to wait. *woken: others of the CTA may go on.
bool trace_async_sync(struct trace_async *a, unsigned warp, enum trace_sync op, bool drop, uint32_t mask, const uint64_t at[32],
                      const uint32_t value[32], bool *woken);
// True if the operation reaches another CTA of the cluster.
bool trace_async_is_remote(const struct trace_async *a, uint32_t mask, const uint64_t at[32]);

// Starts the copy that stands next in the cursor's addresses. `timed`: it is listed in `out` and completed by trace_async_done; else it
// is complete at once. *woken: as above.
void trace_async_copy(struct trace_async *a, struct trace_cursor *cursor, int kind, bool timed, struct fe_result *out, bool *woken);
void trace_async_done(struct trace_async *a, uint32_t token);

// The warps that wait for an mbarrier, a bit each; it stays in its place.
const uint64_t *trace_async_waits(const struct trace_async *a);
// Copies are under way, here or elsewhere in the cluster.
bool trace_async_busy(const struct trace_async *a);
// Lets all warps go on that wait, since nothing will come for them. False if none waits.
bool trace_async_let_go(struct trace_async *a);

// "waits at the mbarrier at shared memory offset 0x8: phase parity 0 waits for 1 of 2 arrivals"; false if the warp does not.
bool trace_async_describe(const struct trace_async *a, unsigned warp, char *buf, size_t len);

#endif
