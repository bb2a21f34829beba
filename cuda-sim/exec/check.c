#include "cuda-sim/exec/check.h"

#include <inttypes.h>
#include <stdio.h>

enum { NEAR = 65536 }; // an address this close to an allocation is reported relative to it

uint64_t exec_lane_addr(const uint8_t *fp, const struct uop *u, unsigned lane)
{
	uint64_t a;

	if (u->flags & UOP_ADDR64) {
		a = ((const uint64_t *)(fp + u->a))[lane];
	} else {
		a = ((const uint32_t *)(fp + u->a))[lane];
	}
	return a + (uint64_t)u->imm;
}

// Number of allocations that start at or below `addr`.
static size_t ranges_below(const struct devmem *dm, uint64_t addr)
{
	size_t lo = 0, hi = dm->n_range;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (dm->range[mid].base <= addr) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo;
}

static const char *noun(const struct devmem_range *r)
{
	return r->kind == DEVMEM_GLOBAL ? "block of __device__ variables" :
	       r->kind == DEVMEM_CONST  ? "block of constants" :
	                                  "allocation";
}

// What is wrong with a global address that no allocation holds.
static void explain(const struct devmem *dm, uint64_t addr, uint32_t bytes, char *buf, size_t len)
{
	size_t n = ranges_below(dm, addr);
	const struct devmem_range *below = n ? &dm->range[n - 1] : NULL;
	const struct devmem_range *above = n < dm->n_range ? &dm->range[n] : NULL;

	if (below && addr < below->end && addr + bytes > below->end) {
		snprintf(buf, len, "it runs over the end of the %" PRIu64 "-byte %s at 0x%" PRIx64, below->size,
		         noun(below), below->base);
	} else if (below && addr == below->base + below->size) {
		snprintf(buf, len, "just past the end of the %" PRIu64 "-byte %s at 0x%" PRIx64, below->size,
		         noun(below), below->base);
	} else if (below && addr - (below->base + below->size) < NEAR) {
		snprintf(buf, len, "%" PRIu64 " bytes past the end of the %" PRIu64 "-byte %s at 0x%" PRIx64,
		         addr - (below->base + below->size), below->size, noun(below), below->base);
	} else if (above && above->base - addr < NEAR) {
		snprintf(buf, len, "%" PRIu64 " bytes before the %" PRIu64 "-byte %s at 0x%" PRIx64,
		         above->base - addr, above->size, noun(above), above->base);
	} else if (addr < NEAR) {
		snprintf(buf, len, "a null pointer");
	} else if (addr - dm->base >= dm->size) {
		snprintf(buf, len, "not device memory; is it a host pointer?");
	} else {
		snprintf(buf, len, "no allocation is near; was it freed?");
	}
}

static const char *access_verb(bool write)
{
	return write ? "write" : "read";
}

static bool misaligned(struct warp *w, const struct uop *u, unsigned lane, uint64_t addr, uint32_t bytes, bool write)
{
	if (!(addr & (bytes - 1)))
		return false;
	exec_fault(w, u, FAULT_MISALIGNED, lane, addr, "%u-byte %s at 0x%" PRIx64 ": the address is not a multiple of %u",
	           bytes, access_verb(write), addr, bytes);
	return true;
}

// What a stray read finds.
static const _Alignas(64) uint8_t nothing[64];

// True if the read is one that a GPU lets pass: close to an allocation, though in none.
static bool may_stray(const struct devmem *dm, uint64_t addr, uint32_t bytes)
{
	size_t n = ranges_below(dm, addr);

	return (n && addr - dm->range[n - 1].end < NEAR) || (n < dm->n_range && dm->range[n].base - addr < NEAR) ||
	       (n && addr < dm->range[n - 1].end && addr + bytes > dm->range[n - 1].end);
}

// True if the access lies in the padding behind an allocation, as far as that reaches. Constant memory is not written,
// not even there.
static bool in_padding(const struct devmem *dm, uint64_t addr, uint32_t bytes, bool write)
{
	size_t n = ranges_below(dm, addr);
	const struct devmem_range *r = n ? &dm->range[n - 1] : NULL;

	return r && addr < r->room && r->room - addr >= bytes && !(write && r->kind == DEVMEM_CONST);
}

static void warn_stray(struct warp *w, const struct uop *u, unsigned lane, uint64_t addr, unsigned bytes, bool write)
{
	char why[160];

	explain(w->cta->launch->mem, addr, bytes, why, sizeof why);
	exec_stray(w, u, lane, write ? STRAY_WRITE : STRAY_READ,
	           "%u-byte %s of global memory at 0x%" PRIx64 ": %s; a GPU seldom notices, so such %s", bytes,
	           access_verb(write), addr, why, write ? "writes land in padding" : "reads find 0 or what lies there");
}

bool exec_check_global(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t bytes,
                       bool write, uint64_t *adr)
{
	const struct devmem *dm = w->cta->launch->mem;
	struct devmem_hit *hit = exec_hit(w, u);
	bool strayed = false;
	unsigned told = 0; // lanes beside an allocation: one message for all

	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t addr = exec_lane_addr(fp, u, lane);

		if (misaligned(w, u, lane, addr, bytes, write))
			return false;
		if (!devmem_holds(dm, hit, addr, addr + bytes)) {
			char why[160];

			if (in_padding(dm, addr, bytes, write)) {
				if (!told++)
					warn_stray(w, u, lane, addr, bytes, write);
				continue;
			}
			if (!write && may_stray(dm, addr, bytes)) {
				if (!told++)
					warn_stray(w, u, lane, addr, bytes, write);
				adr[lane] = (uintptr_t)nothing;
				strayed = true;
				continue;
			}
			explain(dm, addr, bytes, why, sizeof why);
			exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, addr, "%u-byte %s of global memory at 0x%" PRIx64 ": %s",
			           bytes, access_verb(write), addr, why);
			return false;
		}
		if (write && hit->kind == DEVMEM_CONST) {
			exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, addr,
			           "%u-byte write at 0x%" PRIx64 ": this is constant memory, which kernels may not write", bytes,
			           addr);
			return false;
		}
	}
	for (unsigned lane = 0; strayed && lane < WARP; lane++) // see bodies/access.h
		if (!(mask >> lane & 1))
			adr[lane] = adr[__builtin_ctz(mask)];
	return true;
}

bool exec_check_span(struct warp *w, const struct uop *u, unsigned lane, uint64_t addr, uint32_t bytes, bool write)
{
	const struct devmem *dm = w->cta->launch->mem;
	struct devmem_hit *hit = exec_hit(w, u);

	if (!devmem_holds(dm, hit, addr, addr + bytes)) {
		char why[160];

		if (in_padding(dm, addr, bytes, write)) {
			warn_stray(w, u, lane, addr, bytes, write);
			return true;
		}
		explain(dm, addr, bytes, why, sizeof why);
		exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, addr, "%u-byte %s of global memory at 0x%" PRIx64 ": %s", bytes,
		           access_verb(write), addr, why);
		return false;
	}
	if (!write || hit->kind != DEVMEM_CONST)
		return true;
	exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, addr,
	           "%u-byte write at 0x%" PRIx64 ": this is constant memory, which kernels may not write", bytes, addr);
	return false;
}

bool exec_check_window(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t bytes,
                       bool write, enum isa_space space, uint64_t window, uint32_t size)
{
	static const char *const name[] = {
		[SPACE_SHARED] = "shared memory of the CTA",
		[SPACE_LOCAL] = "local memory of the thread",
		[SPACE_PARAM] = "parameter memory of the kernel",
	};

	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t addr = exec_lane_addr(fp, u, lane), at;

		if (!window && !(u->flags & UOP_ADDR64))
			addr = (uint32_t)addr;
		at = addr - window;
		if (misaligned(w, u, lane, addr, bytes, write))
			return false;
		if (at > size || size - at < bytes) {
			exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, addr,
			           "%u-byte %s at offset 0x%" PRIx64 " of the %s, which has %u bytes%s", bytes, access_verb(write),
			           at, name[space], size, space == SPACE_SHARED ? " as a GPU allocates it" : "");
			return false;
		}
	}
	return true;
}
