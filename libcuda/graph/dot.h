// Graphs as pictures: cudaGraphDebugDotPrint.
#ifndef LIBCUDA_GRAPH_DOT_H
#define LIBCUDA_GRAPH_DOT_H

#include "libcuda/graph/graph.h"

// Writes g as a graph of the language DOT to a file. `flags` of cudaGraphDebugDotFlags choose what is said of nodes. cudaErrorInvalidValue:
// no graph, or no such flags; cudaErrorOperatingSystem: the file cannot be written.
cudaError_t dot_write(const struct graph *g, const char *path, unsigned flags);

#endif
