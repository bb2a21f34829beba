// The heap of malloc and free in kernels. Small blocks of alike sizes lie side by side in slabs, each an allocation of device memory, so
// that half a million of them cost no more than the first thousand; large ones are allocations of their own. As on a GPU, an access
// beyond a small block's end that stays in its slab is no fault.
#ifndef LIBCUDA_MEMORY_HEAP_H
#define LIBCUDA_MEMORY_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HEAP_ALIGN = 16 }; // of what malloc gives, as on a GPU

// `size` bytes, of 0 one; 0 if cudaLimitMallocHeapSize does not allow it. Addresses depend on the order of calls only.
uint64_t heap_alloc(uint64_t size);

// Frees the block at `addr`; false if none starts there, or it is free already.
bool heap_free(uint64_t addr);

// Forgets all slabs; their memory goes with the device's.
void heap_reset(void);

#endif
