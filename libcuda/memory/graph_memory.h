// Memory that nodes of graphs allocate. The address is reserved when the node is made and stays until nobody knows the node any more;
// between a launch that allocates and one, or a call, that frees, it is in use, in the order in which the program makes its calls.
//
// What was in use stays reserved for graphs until it is given back by graph_memory_trim, so memory that one graph has freed is
// another's next.
#ifndef LIBCUDA_MEMORY_GRAPH_MEMORY_H
#define LIBCUDA_MEMORY_GRAPH_MEMORY_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

struct graph_memory {
	unsigned refs;
	uint64_t addr, size;
	bool in_use;
	bool freed_inside, freed_elsewhere; // a node of its own graph frees it; one of another does
};

struct graph_memory *graph_memory_new(uint64_t size); // NULL: no room
struct graph_memory *graph_memory_find(uint64_t addr); // NULL: none begins there
void graph_memory_release(struct graph_memory *m);

// cudaErrorMemoryAllocation: the device has no room left.
cudaError_t graph_memory_begin(struct graph_memory *m);
void graph_memory_end(struct graph_memory *m);

// cudaFree and cudaFreeAsync of such memory; cudaErrorInvalidValue if it is not in use, or its own graph frees it.
cudaError_t graph_memory_free(struct graph_memory *m);

cudaError_t graph_memory_trim(int device);
cudaError_t graph_memory_get(int device, int attribute, void *value);
cudaError_t graph_memory_set(int device, int attribute, const void *value);

void graph_memory_reset(void); // all addresses are gone with the device's memory

#endif
