// Conditions of graphs: a value that kernels set by cudaGraphSetConditional. The program's handle is the address of the value in
// device memory, so that setting it is a store.
#ifndef LIBCUDA_GRAPH_CONDITIONAL_H
#define LIBCUDA_GRAPH_CONDITIONAL_H

#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>

struct graph;

enum { CONDITION_ASSIGN_DEFAULT = 1 }; // cudaGraphConditionalHandleFlags

struct conditional {
	unsigned refs;
	uint64_t addr;  // of 4 bytes
	unsigned start; // its value at the beginning of each launch, with CONDITION_ASSIGN_DEFAULT
	unsigned flags;
	bool used;      // by a node
};

cudaError_t conditional_create(uint64_t *out, struct graph *g, unsigned start, unsigned flags);
struct conditional *conditional_of(const struct graph *g, uint64_t handle); // NULL if it was not made for g
void conditional_release(struct conditional *c);
unsigned conditional_value(const struct conditional *c);
void conditional_begin(const struct conditional *c); // a launch begins

#endif
