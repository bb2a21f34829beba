// Which node of one graph stands for which of another that has the same shape. As CUDA documents for cudaGraphExecUpdate: nodes that none
// follows are paired in the order in which they were made, then the dependencies of paired nodes in the order of their edges.
#ifndef LIBCUDA_GRAPH_PAIR_H
#define LIBCUDA_GRAPH_PAIR_H

#include "libcuda/graph/graph.h"

// pair[i] becomes the node of `was` that stands for now->nodes.at[i]; it has room for all. False if the shapes differ: *bad is the node
// of `now` where that shows, NULL if the numbers of nodes differ, and *from its dependency that does not match, or NULL.
bool graph_pair(struct node **pair, const struct graph *was, const struct graph *now, struct node **bad, struct node **from);

#endif
