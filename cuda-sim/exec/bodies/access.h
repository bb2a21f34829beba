// Where the lanes of one memory instruction go. An instruction that touches memory first resolves the addresses of all
// its lanes, which checks them and recognises the usual patterns, and then moves data without asking again.
#ifndef CUDA_SIM_EXEC_BODIES_ACCESS_H
#define CUDA_SIM_EXEC_BODIES_ACCESS_H

#include "cuda-sim/exec/check.h"
#include "cuda-sim/exec/lanes.h"

enum access_shape {
	ACCESS_UNIFORM, // every lane is at base
	ACCESS_UNIT,    // lane i is at base + i * bytes; only found by the quick way of mem.c
	ACCESS_ROW,     // local memory, all lanes at one offset: lane i is at base + 4 * i
	ACCESS_SCATTER, // lane i is at adr[i]
};

// Invariant: for lanes in `mask` the whole access lies in memory that may be touched. With SCATTER the other lanes'
// addresses are that of the first lane in `mask`.
//
// Local memory is interleaved by words: byte b of an access is at lane address + (b >> 2) * 4 * WARP + (b & 3). It is
// never UNIFORM.
struct access {
	_Alignas(64) uint64_t adr[WARP];
	uint8_t *base;
	enum access_shape shape;
	uint32_t mask;
	bool local, shared;
};

static inline uint8_t *access_lane(const struct access *acc, unsigned lane)
{
	if (acc->shape == ACCESS_SCATTER)
		return (uint8_t *)acc->adr[lane];
	return acc->base + (acc->shape == ACCESS_ROW ? lane * 4 : 0);
}

// Resolves the lanes of `mask`, which access 1 << shift bytes each. False if a lane faults (already recorded; nothing
// may be accessed). Defined in mem.c, once per CPU level.
#define access_global EXEC_CAT(exec_access_global, EXEC_LEVEL)
#define access_shared EXEC_CAT(exec_access_shared, EXEC_LEVEL)
#define access_generic EXEC_CAT(exec_access_generic, EXEC_LEVEL)

bool access_global(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                   struct access *acc);
bool access_shared(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                   struct access *acc);

enum { ACCESS_PARTS = 3 };

// Lanes of a generic access may lie in up to ACCESS_PARTS spaces; acc[0 .. return value - 1] is one of them each.
// 0 if a lane faults.
unsigned access_generic(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                        struct access acc[ACCESS_PARTS]);

#endif
