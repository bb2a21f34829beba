// A graph that runs: its nodes become operations as those that they depend on are complete.
#ifndef LIBCUDA_GRAPH_RUN_H
#define LIBCUDA_GRAPH_RUN_H

#include "libcuda/graph/graph.h"

// The operation that runs an executable graph's copy. Events that it records are as recorded now.
struct op *run_make(struct graph *g);

#endif
