// Copies that go on beside their warp: cp.async.bulk and its kin. Without timing they are complete at once. With timing a core is told
// what goes over its wires, and says when it is done; then the bytes of a load come into shared memory and the mbarrier is told. All
// other bytes move when a copy starts, as they may at any time until it is complete.
#ifndef CUDA_SIM_EXEC_ASYNC_H
#define CUDA_SIM_EXEC_ASYNC_H

#include "cuda-sim/exec/shared.h"

enum exec_copy_kind {
	EXEC_COPY_LOAD = FE_COPY_LOAD,
	EXEC_COPY_STORE = FE_COPY_STORE,
	EXEC_COPY_REDUCE = FE_COPY_REDUCE,
	EXEC_COPY_REMOTE = FE_COPY_REMOTE,
	EXEC_COPY_PREFETCH = FE_COPY_PREFETCH,
};

#define EXEC_NO_MBARRIER UINT32_MAX

struct exec_copy {
	uint8_t kind;                   // enum exec_copy_kind
	bool tensor;                    // by a tensor map, at `map`
	uint64_t map;                   // device address
	uint32_t bytes;                 // in the shared memory of each CTA that takes part
	uint32_t shared;                // offset there
	uint16_t ctas;                  // LOAD, REMOTE: those that get it, bit per rank; 0: the own one
	uint32_t mbarrier;              // offset in each of those; EXEC_NO_MBARRIER: it belongs to a bulk group of its thread
	const struct fe_piece *piece;   // in global memory, in the order in which the copy asks for them; NULL of REMOTE
	uint32_t n_piece;
	uint8_t swizzle, atom;          // of the map, where an image is put
	bool image;                     // the bytes stand where exec_copy_image said
};

// Where a copy that the warp is about to start has to leave the bytes that go to `shared`, unswizzled, until it is complete; NULL: it is
// complete at once, they go to their place.
uint8_t *exec_copy_image(struct warp *w, uint32_t bytes);

// A lane has started a copy. Without timing it is complete at once: `bytes` have come to the mbarrier. With timing it is listed in the
// result of the instruction (warp.copies), and exec_copy_done is called when it is complete. `c` and its pieces need not outlive the
// call. False after a fault: what lies at `mbarrier` is none.
bool exec_copy_start(struct warp *w, const struct uop *u, unsigned lane, const struct exec_copy *c);

// A copy of the CTA that a core has timed is complete. False after a fault.
bool exec_copy_done(struct exec_cta *c, uint32_t token);

void exec_copies_reset(struct exec_cta *c); // a CTA begins: none is under way
void exec_copies_free(struct exec_cta *c);

// x[3] of an operation on mbarriers, see bodies/mbarrier.c.
enum mbarrier_form {
	MBARRIER_CLUSTER = 1, // it may be that of another CTA of the cluster
	MBARRIER_DROP = 2,
	MBARRIER_ONLY = 4,    // it must not complete the phase
};

// x[3] of a cp.async, see bodies/copy.c.
enum copy_form {
	COPY_WIDE = 1,       // the destination's row has 8 bytes a lane
	COPY_NEGATED = 2,    // the lanes in the mask are those that read
	COPY_BY_ADDRESS = 4, // the low bits of the source address count the bytes that are not read
};

#endif
