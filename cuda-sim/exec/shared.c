#include "cuda-sim/exec/shared.h"

#include "cuda-sim/exec/cluster.h"

#include <inttypes.h>

bool exec_aligned(struct warp *w, const struct uop *u, unsigned lane, uint64_t number, uint32_t align, const char *what)
{
	if (!(number & (align - 1)))
		return true;
	exec_fault(w, u, FAULT_MISALIGNED, lane, number, "the %s of an asynchronous copy, 0x%" PRIx64 ", is not a multiple of %u", what, number,
	           align);
	return false;
}

bool exec_shared_place(struct warp *w, const struct uop *u, unsigned lane, uint64_t address, uint32_t bytes, uint32_t align, bool write,
                       enum exec_reach reach, struct exec_place *p)
{
	const uint64_t at = address >> 48 == SHARED_WINDOW >> 48 ? address - SHARED_WINDOW : address;
	const char *verb = write ? "write" : "read";
	struct exec_cta *own = w->cta;

	p->cta = at >> 32 ? NULL : exec_cluster_find(own, (uint32_t)at, &p->offset);
	if (at & (align - 1)) {
		exec_fault(w, u, FAULT_MISALIGNED, lane, address, "%u-byte %s of shared memory at 0x%" PRIx64 ": the address is not a multiple of %u",
		           bytes, verb, address, align);
		return false;
	}
	if (!p->cta) {
		exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, address, "%u-byte %s at 0x%" PRIx64 ": %s", bytes, verb, address,
		           at >> 32 ? "this is no address of shared memory" : "the cluster has no such CTA, or it has ended");
		return false;
	}
	if (reach == EXEC_OWN && p->cta != own) {
		exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, address, "%u-byte %s at 0x%" PRIx64 ": this is shared memory of another CTA", bytes, verb,
		           address);
		return false;
	}
	if (p->offset > p->cta->shared_size || p->cta->shared_size - p->offset < bytes) {
		exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, address,
		           "%u-byte %s at offset 0x%x of the shared memory of %s, which has %u bytes as a GPU allocates it", bytes, verb, p->offset,
		           p->cta == own ? "the CTA" : "another CTA", p->cta->shared_size);
		return false;
	}
	p->at = p->cta->shared + p->offset;
	return true;
}
