// What CTAs that run at the same time have touched of global memory, and what it was before, so that their order does not show.
//
// A batch of CTAs runs on several threads of the host as if they ran one by one. A CTA may touch what it finds only if nobody could
// tell the order from that: a sector of memory that one CTA of the batch writes, no other one reads or writes. Who would break that
// is refused and the whole batch fails: what it has written is undone, and its CTAs run again by one thread in their order. So the
// outcome is that order's, whatever the program does, and most programs never fail.
//
// Example: CTAs add to y[i] and load x[i], each for i of its own. Nothing is written to the allocation of x: loads from it are free
// once it was noted that it is read. The sectors of y belong to the CTA that came first to each.
//
// Why like this: stores held back until the end of a batch would make loads look for them, and loads are most of what kernels do;
// sectors that were read noted one by one would make each load as expensive as a store. A proof from the code alone fails with the
// first index that is loaded.
//
// Threads share a board. Each has a struct claims, whose CTA changes. No two threads ever touch the same byte of device memory
// at once if one of them writes it: refused stores go to a place of their own, refused loads read there.
#ifndef ISA_CLAIMS_H
#define ISA_CLAIMS_H

#include "isa/devmem.h"

enum {
	CLAIMS_SECTOR = 32,    // bytes that one CTA has at once
	CLAIMS_MOST_CTAS = 1023, // of a batch
};

enum claims_end {
	CLAIMS_FINE,
	CLAIMS_LEARNED, // an allocation was read freely and then written: the same batch may fare better, as that is known now
	CLAIMS_CONFLICT, // or something that batches do not do, or too much was written to note it all
};

struct claims_board;

// What a thread found of an allocation in this batch.
struct claims_range {
	uint64_t lo, hi;
	bool tracked; // its sectors belong to CTAs; else it is only read
};

struct claims {
	struct claims_board *board;
	uint32_t batch, open; // numbers of the batch, 1 or more: in words of sectors; in struct devmem_hit, never used again
	uint32_t cta;         // that runs: 1 to CLAIMS_MOST_CTAS
	struct claims_range read, write; // the last of each, hi 0: none
	struct claims_sector *log;       // sectors that were written, as they were before
	size_t n_log, cap_log;
	uint8_t *refuge;      // where refused accesses go
};

// NULL if the host has no room to note sectors of that memory.
struct claims_board *claims_board_new(const struct devmem *mem);
void claims_board_free(struct claims_board *b); // NULL: nothing
void claims_init(struct claims *c, struct claims_board *b);
void claims_free(struct claims *c);

// A batch begins. c: those of all threads.
void claims_begin(struct claims_board *b, struct claims *const c[], unsigned n);
// All CTAs of the batch have run. With anything but CLAIMS_FINE memory is as it was when the batch began.
enum claims_end claims_finish(struct claims_board *b, struct claims *const c[], unsigned n);
// A new kernel begins: allocations are again free to be read.
void claims_forget(struct claims_board *b);

// By any thread: the batch fails. What its CTAs still do does not matter.
void claims_give_up(struct claims *c);
bool claims_failed(const struct claims_board *b);

// True if loads from all of the allocation of `hit` are free in this batch: claims_loaded has found it so.
static inline bool claims_open(const struct claims *c, const struct devmem_hit *hit) { return hit->open == c->open; }
void claims_loaded(const struct claims *c, struct devmem_hit *hit);

// Where to access [at, at + bytes), bytes being 2048 at most: `at`, or where it does no harm.
uint64_t claims_place(struct claims *c, uint64_t at, uint32_t bytes, bool write);
// The same for the lanes of `mask`, which access `bytes` bytes each (at most 64).
void claims_lanes(struct claims *c, uint64_t *adr, uint32_t mask, uint32_t bytes, bool write);

#endif
