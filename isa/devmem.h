// Device memory is host memory: one reserved range at a fixed base, pages committed on demand, so that a device
// address is a host pointer and an access costs a range check and a load.
//
// Rule: every access of a kernel is checked against the table of allocations first (devmem_holds), so a bad address
// is an error of the program and never a fault of the host.
#ifndef ISA_DEVMEM_H
#define ISA_DEVMEM_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum devmem_kind {
	DEVMEM_DEVICE,     // cudaMalloc and friends
	DEVMEM_MANAGED,    // cudaMallocManaged, __managed__
	DEVMEM_HOST,       // cudaMallocHost, cudaHostAlloc: pinned, mapped
	DEVMEM_REGISTERED, // cudaHostRegister: the program's own pages, outside the reserved range
	DEVMEM_GLOBAL,     // a module's .global variable
	DEVMEM_CONST,      // a module's .const variable: kernels may not write it
	DEVMEM_ARRAY,      // cudaArray storage: reached through textures and copies
	DEVMEM_HEAP,       // the device-side malloc heap
};

struct devmem_range {
	uint64_t base, size; // size as asked for
	uint64_t end;        // accesses up to there pass: base + size rounded up to DEVMEM_SLACK
	uint64_t room;       // first address that is not its own: end, or where the padding behind it ends
	enum devmem_kind kind;
	uint32_t flags;      // the API's allocation flags
	uint32_t owner;      // devmem.owner at the time of the allocation
	uint64_t uid;        // counts allocations: same program, same number
	uint64_t stand_in;   // DEVMEM_REGISTERED and variables of DEVMEM_GPGPUSIM: see devmem_stand_in; else 0
};

enum {
	DEVMEM_ALIGN = 512, // cudaMalloc's alignment, see the CUDA programming guide (at least 256)
	DEVMEM_SLACK = 256, // real GPUs check pages, not bytes; a small overrun inside the last 256 bytes passes
};

// Where registered pages stand in the addresses that a timing model sees: below the reserved range, wherever that is.
#define DEVMEM_STAND_IN ((uint64_t)1 << 40)

// Generic addresses of the windows that are per CTA and per thread. Device memory lies below 2^47.
#define SHARED_WINDOW ((uint64_t)1 << 48)
#define LOCAL_WINDOW  ((uint64_t)1 << 49)
#define WINDOW_SIZE   ((uint64_t)1 << 32)

// Where allocations lie. DEVMEM_OWN: at the first place that is free, DEVMEM_ALIGN bytes apart, so that overruns are found.
// DEVMEM_GPGPUSIM: what the program allocates where GPGPU-Sim has it, from 0xC0000000 up in multiples of 256 bytes without
// gaps, freed space not used again while there is more; everything else far above. Of that, variables have stand-ins where
// GPGPU-Sim has them, which no process can use: see devmem_stand_as_variable.
enum devmem_layout { DEVMEM_OWN, DEVMEM_GPGPUSIM };

// Who is told of allocations: of one that has been made, and of one that is about to go.
struct devmem_watch {
	void *ctx;
	void (*made)(void *ctx, const struct devmem_range *r);
	void (*goes)(void *ctx, const struct devmem_range *r);
};

struct devmem {
	const struct devmem_watch *watch; // NULL: nobody
	uint64_t hold;              // of freed memory so many bytes are not used again while there is other, so that late accesses show
	uint64_t base, size;        // the reserved range
	enum devmem_layout layout;
	struct devmem_range *range; // sorted by base
	size_t n_range, cap_range;
	uint32_t owner;             // of what is allocated from now on: a number that means something to the caller
	uint64_t in_use;            // bytes allocated by the program (device kinds)
	uint64_t next_uid;
	uint64_t next_stand_in;     // for the next registration
	uint64_t next_variable;     // stand-in of the next variable is here or a little above
	uint64_t stand_lo, stand_hi; // allocations with a stand-in lie between
	uint32_t n_stand_in;        // ranges that have a stand-in; 0: every address is its own
	void *impl;                 // free-space bookkeeping, see devmem.c
};

// Reserves `size` bytes of address space (less if the process is limited; dm->size tells). NULL and a message if none. A
// warning if DEVMEM_GPGPUSIM's place is not free; allocations then lie in its way at another place.
struct devmem *devmem_create(uint64_t size, enum devmem_layout layout, struct diag *d);
void devmem_destroy(struct devmem *dm);

// Allocates `size` bytes, zeroed on first use, aligned to `align` (power of two, at least DEVMEM_ALIGN is used, 256 in DEVMEM_GPGPUSIM).
// Placement depends only on the sequence of calls. 0 if there is no room.
uint64_t devmem_alloc(struct devmem *dm, uint64_t size, uint64_t align, enum devmem_kind kind, uint32_t flags);

// Frees the allocation that starts at `addr`; false if none does.
bool devmem_free(struct devmem *dm, uint64_t addr);

// Zeroes [addr, addr + size) of one allocation. Whole pages go back to the host, so that much memory takes no time and no room.
void devmem_clear(struct devmem *dm, uint64_t addr, uint64_t size);

// Makes the program's own memory visible under its own address; false if it overlaps another range.
bool devmem_register(struct devmem *dm, uint64_t addr, uint64_t size, uint32_t flags);
bool devmem_unregister(struct devmem *dm, uint64_t addr);

// Makes memory that the caller has mapped visible, as an allocation of that kind; false if it overlaps another range. devmem_hide is
// the way back: nothing is freed.
bool devmem_show(struct devmem *dm, uint64_t addr, uint64_t size, enum devmem_kind kind, uint32_t flags);
void devmem_hide(struct devmem *dm, uint64_t addr);

// Changes the flags of the allocation that contains `addr`: sets `set` after clearing `clear`.
void devmem_change_flags(struct devmem *dm, uint64_t addr, uint32_t clear, uint32_t set);

// The allocation that contains `addr`, or NULL.
const struct devmem_range *devmem_find(const struct devmem *dm, uint64_t addr);

// Lets the allocation at `addr` stand where GPGPU-Sim puts the next variable: from 0x100 up, at a multiple of its size if that is a
// power of two below 128, else of 128. Only with DEVMEM_GPGPUSIM.
void devmem_stand_as_variable(struct devmem *dm, uint64_t addr);

// `addr` as a timing model sees it. The program's own pages lie elsewhere in every run, so registered memory stands at
// an address that depends on the order of registrations and the offset in the page only. Addresses up to 64 KiB
// beside a registration follow it; those in variables of DEVMEM_GPGPUSIM stand where that has them; all others are
// returned as they are.
uint64_t devmem_stand_in(const struct devmem *dm, uint64_t addr);

// A one-entry cache of the last range hit; each user of devmem_holds keeps its own.
struct devmem_hit {
	uint64_t base, end;
	enum devmem_kind kind;
	uint32_t open; // number of a batch in which loads from there are free (isa/claims.h); 0: none
};

bool devmem_holds_slow(const struct devmem *dm, struct devmem_hit *hit, uint64_t lo, uint64_t hi);

// True if all of [lo, hi) lies inside one allocation. Forget `hit` (zero it) when allocations may have changed.
static inline bool devmem_holds(const struct devmem *dm, struct devmem_hit *hit, uint64_t lo, uint64_t hi)
{
	if (lo >= hit->base && hi <= hit->end && lo <= hi)
		return true;
	return devmem_holds_slow(dm, hit, lo, hi);
}

#endif
