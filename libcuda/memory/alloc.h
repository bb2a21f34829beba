// Device memory as the API hands it out.
#ifndef LIBCUDA_MEMORY_ALLOC_H
#define LIBCUDA_MEMORY_ALLOC_H

#include "libcuda/context/context.h"

// Allocates; 0 if the device has no room left.
uint64_t memory_alloc(uint64_t size, enum devmem_kind kind, uint32_t flags);
void device_free(uint64_t addr);

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
cudaError_t memory_range_attribute(void *data, size_t size, int attribute, const void *p, size_t count);
cudaError_t memory_range_attributes(void **data, size_t *sizes, int *attributes, size_t n, const void *p, size_t count);

// Calls whose binary interface differs between releases.
cudaError_t memory_attributes(struct cudaPointerAttributes *out, const void *p);
cudaError_t memory_hint(const void *p, size_t count);
cudaError_t memory_advise(const void *p, size_t count, int advice, int device);
cudaError_t memory_prefetch(const void *p, size_t count, int device, cudaStream_t stream);
int memory_location(struct cudaMemLocation l);

#endif
