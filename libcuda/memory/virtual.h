// Virtual memory management: addresses that are reserved, memory without an address, and the one mapped at the other.
//
// Memory is a part of a file that exists in this process's memory only, mapped where the program wants it: at two addresses it is the
// same memory. Kernels and copies see an address once cuMemSetAccess lets them; before that it is no memory. Nothing here belongs to a
// context.
#ifndef LIBCUDA_MEMORY_VIRTUAL_H
#define LIBCUDA_MEMORY_VIRTUAL_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

typedef struct physical *virtual_handle; // CUmemGenericAllocationHandle

struct allocation_prop { // own text; the layout is CUmemAllocationProp's
	int type, handle_types;
	struct cudaMemLocation location;
	void *win32;
	unsigned char compression, rdma;
	unsigned short usage;
	unsigned char reserved[4];
};

enum { VIRTUAL_GRANULARITY = 2 << 20 }; // bytes; that of GPUs since Volta

// All return cudaErrorInvalidValue for addresses, sizes, flags and handles that are none; the size of memory and of what is mapped is a
// multiple of VIRTUAL_GRANULARITY, that of a reservation of a page.

// At `wanted` if that is free, else anywhere. cudaErrorMemoryAllocation.
cudaError_t virtual_reserve(uint64_t *out, size_t size, size_t align, uint64_t wanted, unsigned long long flags);
cudaError_t virtual_free(uint64_t addr, size_t size); // of a whole reservation with nothing mapped in it

// On the device, or on the host (anywhere, or on NUMA node 0). cudaErrorMemoryAllocation, cudaErrorInvalidDevice, cudaErrorNotSupported
// (managed memory, fabric handles).
cudaError_t virtual_create(virtual_handle *out, size_t size, const struct allocation_prop *prop, unsigned long long flags);
cudaError_t virtual_release(virtual_handle h); // it goes with its last mapping

// Mappings are made, taken away, and given access to, as wholes. Only memory of the host can be given to the host.
cudaError_t virtual_map(uint64_t addr, size_t size, size_t offset, virtual_handle h, unsigned long long flags);
cudaError_t virtual_unmap(uint64_t addr, size_t size); // after all work
cudaError_t virtual_set_access(uint64_t addr, size_t size, const struct cudaMemAccessDesc *d, size_t n);
cudaError_t virtual_get_access(unsigned long long *flags, const struct cudaMemLocation *l, uint64_t addr);

cudaError_t virtual_granularity(size_t *out, const struct allocation_prop *prop, int option);
cudaError_t virtual_properties(struct allocation_prop *out, virtual_handle h);
cudaError_t virtual_retain(virtual_handle *out, const void *addr);

// Memory made to be shared as a file descriptor, which another process may import: both see the same bytes.
cudaError_t virtual_export(void *out, virtual_handle h, int type, unsigned long long flags);
cudaError_t virtual_import(virtual_handle *out, void *os_handle, int type);

// What is mapped at an address; false if nothing is. `id` is that of the memory.
struct virtual_mapping {
	uint64_t base, size, id;
	int handle_types;
};
bool virtual_find(struct virtual_mapping *out, uint64_t addr);

#endif
