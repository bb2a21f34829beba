// Device memory as the API hands it out.
#ifndef LIBCUDA_MEMORY_ALLOC_H
#define LIBCUDA_MEMORY_ALLOC_H

#include "libcuda/context/context.h"

// What is kept in a range's flags beside those of the API.
enum {
	RANGE_SYNC_MEMOPS = 1 << 16, // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
	RANGE_MAPPED = 1 << 17,      // of virtual memory management: not freed like an allocation
	RANGE_POOL_SHIFT = 18,       // the number of its pool; 0: of none
	RANGE_GRAPH = 1 << 15,       // graph_memory.h
	RANGE_API_FLAGS = 0x7fff,
	MOST_POOLS = 1 << (32 - RANGE_POOL_SHIFT),
};

// Where the bytes of a pool in use are counted; memory_alloc does not add to it.
uint64_t *memory_pool_bytes(uint32_t range_flags);

// Allocates; 0 if the device has no room left.
uint64_t memory_alloc(uint64_t size, enum devmem_kind kind, uint32_t flags);
void device_free(uint64_t addr);

// Whether the device has room for `size` bytes more.
bool memory_room(uint64_t size);

// Allocation as programs ask for it; *out is NULL for 0 bytes. cudaErrorMemoryAllocation if there is no room.
cudaError_t alloc_new(void **out, size_t size, enum devmem_kind kind, uint32_t flags);
cudaError_t alloc_managed(void **out, size_t size, unsigned flags);
cudaError_t alloc_pitch(void **out, size_t *pitch, size_t width, size_t height, size_t depth); // the width in bytes
cudaError_t alloc_3d(struct cudaPitchedPtr *out, struct cudaExtent e);

// Frees after all work is done, as the real runtime does. cudaErrorInvalidValue for what is no start of such memory.
cudaError_t alloc_free(void *p);      // device and managed memory
cudaError_t alloc_free_host(void *p); // pinned memory

// The program's own memory: made visible to kernels, and hidden again.
cudaError_t alloc_register(void *p, size_t size, unsigned flags);
cudaError_t alloc_unregister(void *p);
cudaError_t alloc_device_pointer(void **out, void *host, unsigned flags);
cudaError_t alloc_host_flags(unsigned *flags, void *host);
cudaError_t alloc_info(size_t *free, size_t *total); // bytes

// Calls whose binary interface differs between releases.
cudaError_t memory_attributes(struct cudaPointerAttributes *out, const void *p);

#endif
