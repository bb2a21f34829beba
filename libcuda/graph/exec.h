// Executable graphs: copies of graphs that are launched.
#ifndef LIBCUDA_GRAPH_EXEC_H
#define LIBCUDA_GRAPH_EXEC_H

#include "libcuda/graph/graph.h"

enum { // cudaGraphInstantiateFlags
	INSTANTIATE_AUTO_FREE = 1, INSTANTIATE_UPLOAD = 2, INSTANTIATE_DEVICE_LAUNCH = 4, INSTANTIATE_NODE_PRIORITY = 8, INSTANTIATE_FLAGS = 15
};

enum instantiate_result { // cudaGraphInstantiateResult
	INSTANTIATE_SUCCESS, INSTANTIATE_ERROR, INSTANTIATE_STRUCTURE, INSTANTIATE_OPERATION, INSTANTIATE_DEVICES, INSTANTIATE_CONDITION
};

enum update_result { // cudaGraphExecUpdateResult
	UPDATE_SUCCESS, UPDATE_ERROR, UPDATE_TOPOLOGY, UPDATE_TYPE, UPDATE_FUNCTION, UPDATE_PARAMETERS, UPDATE_UNSUPPORTED,
	UPDATE_FUNCTION_CHANGE, UPDATE_ATTRIBUTES
};

struct instantiate_params { // cudaGraphInstantiateParams
	uint64_t flags;
	cudaStream_t upload;
	struct node *bad;
	int result;
};

struct update_info { // cudaGraphExecUpdateResultInfo
	int result;
	struct node *node, *from;
};

struct graph_exec {
	uint32_t owner;
	uint64_t flags;
	struct graph *graph;   // its own
	struct graph *source;  // with source_uid, if it is still there
	uint64_t source_uid;
	bool has_memory;
};

struct graph_exec *graph_exec_find(const void *handle); // NULL if it is none

// cudaErrorInvalidValue: a circle of dependencies, a condition without a node, memory nodes and a second copy. The node that is to blame
// in *bad, the reason in *result.
cudaError_t exec_make(struct graph_exec **out, struct graph *g, uint64_t flags, struct node **bad, enum instantiate_result *result);
cudaError_t exec_instantiate(struct graph_exec **out, struct graph *g, uint64_t flags);
cudaError_t exec_instantiate_params(struct graph_exec **out, struct graph *g, struct instantiate_params *given);
// CUDA 11's: the node to blame, and a text, where there is room for them.
cudaError_t exec_instantiate_logged(struct graph_exec **out, struct graph *g, struct node **bad, char *log, size_t size);
cudaError_t exec_destroy(struct graph_exec *x);
cudaError_t exec_flags(struct graph_exec *x, uint64_t *flags);

// Puts a launch into a stream; into the graph that the stream captures, if it does.
cudaError_t exec_launch(struct graph_exec *x, cudaStream_t stream);
cudaError_t exec_upload(struct graph_exec *x, cudaStream_t stream);

// Changes that launches from now on see. cudaErrorInvalidValue for nodes that x has no copy of.
cudaError_t exec_set(struct graph_exec *x, struct node *n, struct node_params *p);
cudaError_t exec_set_child(struct graph_exec *x, struct node *n, struct graph *child);
cudaError_t exec_enable(struct graph_exec *x, struct node *n, unsigned on);
cudaError_t exec_enabled(struct graph_exec *x, struct node *n, unsigned *on);

// cudaErrorGraphExecUpdateFailure, and the reason in *info, if g differs in more than an executable graph can change.
cudaError_t exec_update(struct graph_exec *x, struct graph *g, struct update_info *info);

// The same, told to the program in one of two forms: CUDA 12's `to`, or `bad` and `result`. Any of them may be NULL but for CUDA 12's.
cudaError_t exec_update_to(struct graph_exec *x, struct graph *g, struct update_info *to, struct node **bad, int *result);

void execs_reset(void);
void execs_release(uint32_t owner);

#endif
