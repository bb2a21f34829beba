// What functions of graphs share that differ between releases.
#ifndef LIBCUDA_RUNTIME_GRAPH_H
#define LIBCUDA_RUNTIME_GRAPH_H

#include "libcuda/graph/params.h"

// cudaGraphAddNode of CUDA 13.
cudaError_t graph_add_node(struct node **out, struct graph *graph, struct node *const *after, const struct edge_data *data, size_t n,
                           struct node_params *params);

#endif
