// Parameters of graph nodes by the driver's names. What the functions of one kind take is a member of what the general ones take.
#include "libcuda/graph/whole.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/graph/exec.h"
#include "libcuda/life/contexts.h"

#define N(handle) node_find(handle)
#define X(handle) graph_exec_find(handle)

// Reads `size` bytes of parameters. cudaErrorInvalidValue if they cannot be read.
static cudaError_t read(struct node_params *out, enum node_type type, const void *from, size_t size)
{
	*out = (struct node_params){.type = type};
	void *to = &out->u;
	if (type == NODE_COPY) {
		out->reserved[0] = COPY_IS_BOX;
		to = &out->u.box.copy;
	}
	return from && guard_read(to, from, size) ? cudaSuccess : cudaErrorInvalidValue;
}

#define ADD_PARAMS struct node **out, struct graph *graph, struct node *const *after, size_t n

static cudaError_t add(ADD_PARAMS, enum node_type type, const void *params, size_t size)
{
	struct node_params p;
	cudaError_t e = read(&p, type, params, size);
	return e ? e : graph_add(out, graph_find(graph), after, NULL, n, &p);
}

static cudaError_t get(struct node *node, enum node_type type, void *params, size_t size)
{
	struct node_params p;
	cudaError_t e = node_get(N(node), type, &p);
	if (e)
		return e;
	if (type == NODE_COPY)
		params_as_box(&p);
	const void *from = type == NODE_COPY ? (const void *)&p.u.box.copy : (const void *)&p.u;
	return params && guard_read(params, from, size) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set(struct node *node, enum node_type type, const void *params, size_t size)
{
	struct node_params p;
	cudaError_t e = read(&p, type, params, size);
	return e ? e : node_set(N(node), &p);
}

static cudaError_t set_exec(struct graph_exec *exec, struct node *node, enum node_type type, const void *params, size_t size)
{
	struct node_params p;
	cudaError_t e = read(&p, type, params, size);
	return e ? e : exec_set(X(exec), N(node), &p);
}

// Nodes for kernels, host functions and operations on values in memory. CUDA 12 and newer have more parameters of kernels, by _v2.
#define KIND(name, version, type, size)                                                                                              \
	DRIVER(cuGraphAdd##name##Node##version, (ADD_PARAMS, const void *params), add(out, graph, after, n, type, params, size))     \
	DRIVER(cuGraph##name##NodeGetParams##version, (struct node * node, void *params), get(node, type, params, size))             \
	DRIVER(cuGraph##name##NodeSetParams##version, (struct node * node, const void *params), set(node, type, params, size))       \
	DRIVER(cuGraphExec##name##NodeSetParams##version, (struct graph_exec * exec, struct node *node, const void *params),         \
	       set_exec(exec, node, type, params, size))
KIND(Kernel, , NODE_KERNEL, KERNEL_PARAMS_SIZE_RUNTIME)
KIND(Kernel, _v2, NODE_KERNEL, sizeof(struct kernel_node_params))
KIND(Host, , NODE_HOST, sizeof(struct host_node_params))
KIND(BatchMemOp, , NODE_MEM_OPS, sizeof(struct mem_ops_node_params))

// Copies and fills are told their context. One memory is all contexts'.
static cudaError_t in_context(const struct cu_context *c) { return context_valid(c) ? cudaSuccess : cudaErrorDeviceUninitialized; }

#define CONTEXT_KIND(name, type, size)                                                                                               \
	DRIVER(cuGraphAdd##name##Node, (ADD_PARAMS, const void *params, struct cu_context *context),                                 \
	       in_context(context) ? in_context(context) : add(out, graph, after, n, type, params, size))                            \
	DRIVER(cuGraph##name##NodeGetParams, (struct node * node, void *params), get(node, type, params, size))                      \
	DRIVER(cuGraph##name##NodeSetParams, (struct node * node, const void *params), set(node, type, params, size))                \
	DRIVER(cuGraphExec##name##NodeSetParams, (struct graph_exec * exec, struct node *node, const void *params, struct cu_context *context), \
	       in_context(context) ? in_context(context) : set_exec(exec, node, type, params, size))
CONTEXT_KIND(Memcpy, NODE_COPY, sizeof(struct box_copy))
CONTEXT_KIND(Memset, NODE_FILL, FILL_PARAMS_SIZE_RUNTIME)

#define EVENT_KIND(name, type)                                                                                                       \
	DRIVER(cuGraphAdd##name##Node, (ADD_PARAMS, cudaEvent_t event), add(out, graph, after, n, type, &event, sizeof event))       \
	DRIVER(cuGraph##name##NodeGetEvent, (struct node * node, cudaEvent_t *event), get(node, type, event, sizeof *event))         \
	DRIVER(cuGraph##name##NodeSetEvent, (struct node * node, cudaEvent_t event), set(node, type, &event, sizeof event))          \
	DRIVER(cuGraphExec##name##NodeSetEvent, (struct graph_exec * exec, struct node *node, cudaEvent_t event),                    \
	       set_exec(exec, node, type, &event, sizeof event))
EVENT_KIND(EventRecord, NODE_RECORD)
EVENT_KIND(EventWait, NODE_WAIT)

static cudaError_t semaphores(void)
{
	cu_complain("external semaphores are not supported: there is no other API to share them with");
	return cudaErrorNotSupported;
}

#define SEMAPHORE_KIND(name)                                                                                                         \
	DRIVER(cuGraphAdd##name##Node, (ADD_PARAMS, const void *params), semaphores())                                               \
	DRIVER(cuGraph##name##NodeGetParams, (struct node * node, void *params), semaphores())                                       \
	DRIVER(cuGraph##name##NodeSetParams, (struct node * node, const void *params), semaphores())                                 \
	DRIVER(cuGraphExec##name##NodeSetParams, (struct graph_exec * exec, struct node *node, const void *params), semaphores())
SEMAPHORE_KIND(ExternalSemaphoresSignal)
SEMAPHORE_KIND(ExternalSemaphoresWait)

static cudaError_t add_child(ADD_PARAMS, struct graph *child)
{
	struct child_node_params p = {child, CHILD_CLONE};
	return add(out, graph, after, n, NODE_GRAPH, &p, sizeof p);
}

static cudaError_t add_empty(ADD_PARAMS)
{
	struct node_params p = {.type = NODE_EMPTY};
	return graph_add(out, graph_find(graph), after, NULL, n, &p);
}

static cudaError_t add_alloc(ADD_PARAMS, struct alloc_node_params *params)
{
	struct node_params p;
	cudaError_t e = read(&p, NODE_ALLOC, params, sizeof *params);
	e = e ? e : graph_add(out, graph_find(graph), after, NULL, n, &p);
	return e || guard_read(&params->p, &p.u.alloc.p, sizeof p.u.alloc.p) ? e : cudaErrorInvalidValue;
}

DRIVER(cuGraphAddChildGraphNode, (ADD_PARAMS, struct graph *child), add_child(out, graph, after, n, child))
DRIVER(cuGraphChildGraphNodeGetGraph, (struct node * node, struct graph **child), node_child(N(node), child))
DRIVER(cuGraphAddEmptyNode, (ADD_PARAMS), add_empty(out, graph, after, n))
DRIVER(cuGraphAddMemAllocNode, (ADD_PARAMS, struct alloc_node_params *params), add_alloc(out, graph, after, n, params))
DRIVER(cuGraphMemAllocNodeGetParams, (struct node * node, struct alloc_node_params *params), get(node, NODE_ALLOC, params, sizeof *params))
DRIVER(cuGraphAddMemFreeNode, (ADD_PARAMS, CUdeviceptr p), add(out, graph, after, n, NODE_FREE, &p, sizeof p))
DRIVER(cuGraphMemFreeNodeGetParams, (struct node * node, CUdeviceptr *p), get(node, NODE_FREE, p, sizeof *p))

// --- nodes of all kinds

static cudaError_t take(struct node_params *p)
{
	if (p->type == NODE_COPY)
		p->reserved[0] = COPY_IS_BOX;
	return cudaSuccess;
}

DRIVER(cuGraphAddNode, (ADD_PARAMS, struct node_params *params), whole_add(out, graph_find(graph), after, NULL, n, params, take))
DRIVER(cuGraphAddNode_v2,
       (struct node * *out, struct graph *graph, struct node *const *after, const struct edge_data *data, size_t n, struct node_params *params),
       whole_add(out, graph_find(graph), after, data, n, params, take))
DRIVER(cuGraphNodeSetParams, (struct node * node, struct node_params *params), whole_set(N(node), params, take))
DRIVER(cuGraphExecNodeSetParams, (struct graph_exec * exec, struct node *node, struct node_params *params),
       whole_set_exec(X(exec), N(node), params, take))
