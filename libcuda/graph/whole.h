// Nodes by parameters of any kind in one structure, as cudaGraphAddNode and cuGraphAddNode give them. The two differ in what they
// allow there: `take` looks at a copy of the structure and changes what means something else; cudaErrorInvalidValue if it is refused.
#ifndef LIBCUDA_GRAPH_WHOLE_H
#define LIBCUDA_GRAPH_WHOLE_H

#include "libcuda/graph/exec.h"
#include "libcuda/graph/graph.h"

typedef cudaError_t whole_take(struct node_params *p);

// Adds a node; what an allocation or a condition gives back is written to *params. Errors of graph_add.
cudaError_t whole_add(struct node **out, struct graph *g, struct node *const *after, const struct edge_data *data, size_t n,
                      struct node_params *params, whole_take *take);

// Changes a node of a graph, and of an executable graph. Errors of node_set and exec_set.
cudaError_t whole_set(struct node *node, const struct node_params *params, whole_take *take);
cudaError_t whole_set_exec(struct graph_exec *x, struct node *node, const struct node_params *params, whole_take *take);

#endif
