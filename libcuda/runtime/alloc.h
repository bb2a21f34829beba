// Device memory as the API hands it out.
#ifndef LIBCUDA_RUNTIME_ALLOC_H
#define LIBCUDA_RUNTIME_ALLOC_H

#include "libcuda/context/context.h"

// Allocates; 0 if the device has no room left.
uint64_t memory_alloc(uint64_t size, enum devmem_kind kind, uint32_t flags);
void device_free(uint64_t addr);

// Calls whose binary interface differs between releases.
cudaError_t memory_attributes(struct cudaPointerAttributes *out, const void *p);
cudaError_t memory_hint(const void *p, size_t count);
cudaError_t memory_advise(const void *p, size_t count, int advice, int device);
cudaError_t memory_prefetch(const void *p, size_t count, int device, cudaStream_t stream);
int memory_location(struct cudaMemLocation l);

#endif
