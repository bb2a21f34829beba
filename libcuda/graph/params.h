// Parameters of graph nodes as programs pass them: cudaGraphNodeParams of CUDA 12 and 13, and CUgraphNodeParams, whose nodes have the
// same layout but for copies. The older functions take one member of the union. Own text; sizes were checked against CUDA 13.0.
#ifndef LIBCUDA_GRAPH_PARAMS_H
#define LIBCUDA_GRAPH_PARAMS_H

#include "libcuda/memory/copy_box.h"

struct graph;
struct node;

// cudaGraphNodeType.
enum node_type {
	NODE_KERNEL, NODE_COPY, NODE_FILL, NODE_HOST, NODE_GRAPH, NODE_EMPTY, NODE_WAIT, NODE_RECORD, NODE_SEMAPHORE_SIGNAL,
	NODE_SEMAPHORE_WAIT, NODE_ALLOC, NODE_FREE, NODE_MEM_OPS, NODE_CONDITIONAL, N_NODE_TYPES
};

// The first KERNEL_PARAMS_SIZE_RUNTIME bytes are all that the runtime has, and the driver of CUDA 11 and older.
struct kernel_node_params {
	const void *func;
	struct dim3 grid, block;
	unsigned shared;
	void **args, **extra;
	const void *kern; // the driver's: counts if func is NULL
	void *ctx;
};
enum { KERNEL_PARAMS_SIZE_RUNTIME = 56 };

struct fill_node_params {
	void *dst;
	size_t pitch;
	unsigned value, element;
	size_t width, height;
	void *ctx; // the driver's
};
enum { FILL_PARAMS_SIZE_RUNTIME = 40 };

struct host_node_params {
	void (*f)(void *data);
	void *data;
};

enum { CHILD_CLONE, CHILD_MOVE }; // cudaGraphChildGraphNodeOwnership

struct child_node_params {
	struct graph *graph;
	int ownership;
};

struct alloc_node_params {
	struct cudaMemPoolProps props;
	const struct cudaMemAccessDesc *access;
	size_t n_access, size;
	void *p; // out
};

enum { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH }; // cudaGraphConditionalNodeType

struct conditional_node_params {
	uint64_t handle;
	int kind;
	unsigned size;
	struct graph **body; // out
	void *ctx;
};

struct mem_ops_node_params {
	void *ctx;
	unsigned count;
	void *ops;
	unsigned flags;
};

// Inside Heddle reserved[0] tells that a copy is described as a box.
enum { COPY_IS_BOX = 1 };

struct node_params {
	int type;
	int reserved[3];
	union {
		int64_t room[29];
		struct kernel_node_params kernel;
		struct {
			int flags;
			int reserved[3];
			struct cudaMemcpy3DParms parms;
		} copy;
		struct {
			int flags, reserved;
			void *ctx;
			struct box_copy copy;
		} box; // the driver's copies
		struct fill_node_params fill;
		struct host_node_params host;
		struct child_node_params child;
		cudaEvent_t event;
		struct alloc_node_params alloc;
		void *freed;
		struct mem_ops_node_params mem_ops;
		struct conditional_node_params conditional;
	} u;
	int64_t reserved_end;
};

// cudaGraphEdgeData. from_port: as in event_record_from.
enum { EDGE_FULL, EDGE_PROGRAMMATIC };
struct edge_data {
	uint8_t from_port, to_port, type, reserved[5];
};

_Static_assert(sizeof(struct box_copy) == 200, "13.0");
_Static_assert(sizeof(struct node_params) == 256, "13.0");
_Static_assert(sizeof(struct kernel_node_params) == 72, "13.0");
_Static_assert(offsetof(struct kernel_node_params, kern) == KERNEL_PARAMS_SIZE_RUNTIME, "13.0");
_Static_assert(offsetof(struct fill_node_params, ctx) == FILL_PARAMS_SIZE_RUNTIME, "13.0");
_Static_assert(sizeof(struct alloc_node_params) == 120, "13.0");
_Static_assert(sizeof(struct edge_data) == 8, "13.0");

#endif
