// Graphs: what the room libcuda/graph does, by the runtime's names. Functions that differ between releases are in versions.c.
#include "libcuda/graph/graph.h"

#include "libcuda/code/module.h"
#include "libcuda/context/guard.h"
#include "libcuda/graph/conditional.h"
#include "libcuda/graph/dot.h"
#include "libcuda/graph/exec.h"
#include "libcuda/graph/user_object.h"
#include "libcuda/graph/whole.h"
#include "libcuda/memory/graph_memory.h"
#include "libcuda/runtime/api.h"
#include "libcuda/runtime/graph.h"

#define G(handle) graph_find(handle)
#define N(handle) node_find(handle)
#define X(handle) graph_exec_find(handle)

API(cudaGraphCreate, (struct graph * *graph, unsigned flags), graph_create(graph, flags))
API(cudaGraphDestroy, (struct graph * graph), graph_destroy(G(graph)))
API(cudaGraphClone, (struct graph * *clone, struct graph *graph), graph_clone(clone, G(graph)))
API(cudaGraphNodeFindInClone, (struct node * *node, struct node *original, struct graph *clone),
    graph_find_in_clone(node, N(original), G(clone)))
API(cudaGraphDebugDotPrint, (struct graph * graph, const char *path, unsigned flags), dot_write(G(graph), path, flags))
API(cudaGraphConditionalHandleCreate, (uint64_t * out, struct graph *graph, unsigned start, unsigned flags),
    conditional_create(out, G(graph), start, flags))

API(cudaGraphGetNodes, (struct graph * graph, struct node **nodes, size_t *n), graph_nodes(G(graph), nodes, n))
API(cudaGraphGetRootNodes, (struct graph * graph, struct node **nodes, size_t *n), graph_roots(G(graph), nodes, n))
API(cudaGraphNodeGetType, (struct node * node, int *type), node_type_of(N(node), type))
API(cudaGraphDestroyNode, (struct node * node), graph_remove(N(node)))

API(cudaUserObjectCreate, (struct user_object * *object, void *p, void (*end)(void *), unsigned count, unsigned flags),
    user_object_create(object, p, end, count, flags))
API(cudaUserObjectRetain, (struct user_object * object, unsigned count), user_object_retain(object, count))
API(cudaUserObjectRelease, (struct user_object * object, unsigned count), user_object_release(object, count))
API(cudaGraphRetainUserObject, (struct graph * graph, struct user_object *object, unsigned count, unsigned flags),
    user_object_to_graph(G(graph), object, count, flags))
API(cudaGraphReleaseUserObject, (struct graph * graph, struct user_object *object, unsigned count),
    user_object_from_graph(G(graph), object, count))

API(cudaDeviceGraphMemTrim, (int device), graph_memory_trim(device))
API(cudaDeviceGetGraphMemAttribute, (int device, int attribute, void *value), graph_memory_get(device, attribute, value))
API(cudaDeviceSetGraphMemAttribute, (int device, int attribute, void *value), graph_memory_set(device, attribute, value))

// --- executable graphs

API(cudaGraphInstantiateWithFlags, (struct graph_exec * *out, struct graph *graph, unsigned long long flags),
    exec_instantiate(out, G(graph), flags))
API(cudaGraphInstantiateWithParams, (struct graph_exec * *out, struct graph *graph, struct instantiate_params *params),
    exec_instantiate_params(out, G(graph), params))
API_AS(cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz,
       (struct graph_exec * *out, struct graph *graph, struct instantiate_params *params), exec_instantiate_params(out, G(graph), params))
API(cudaGraphExecDestroy, (struct graph_exec * exec), exec_destroy(X(exec)))
API(cudaGraphExecGetFlags, (struct graph_exec * exec, uint64_t *flags), exec_flags(X(exec), flags))
API_STREAM(cudaGraphLaunch, (struct graph_exec * exec, cudaStream_t stream), exec_launch(X(exec), stream))
API_STREAM(cudaGraphUpload, (struct graph_exec * exec, cudaStream_t stream), exec_upload(X(exec), stream))
API(cudaGraphNodeSetEnabled, (struct graph_exec * exec, struct node *node, unsigned on), exec_enable(X(exec), N(node), on))
API(cudaGraphNodeGetEnabled, (struct graph_exec * exec, struct node *node, unsigned *on), exec_enabled(X(exec), N(node), on))
API(cudaGraphExecChildGraphNodeSetParams, (struct graph_exec * exec, struct node *node, struct graph *child),
    exec_set_child(X(exec), N(node), G(child)))

// --- parameters of nodes. Each kind has a function that adds a node, and functions that get and set parameters, also in an executable
// graph; what they take is a member of the union that the general functions take.

enum { WHOLE = offsetof(struct node_params, u) };

// Reads `size` bytes of parameters. cudaErrorInvalidValue if they cannot be read.
static cudaError_t read(struct node_params *out, enum node_type type, const void *from, size_t size)
{
	*out = (struct node_params){.type = type};
	void *to = type == NODE_COPY ? (void *)&out->u.copy.parms : (void *)&out->u;
	return from && guard_read(to, from, size) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t write(void *to, const struct node_params *p, size_t size)
{
	const void *from = p->type == NODE_COPY ? (const void *)&p->u.copy.parms : (const void *)&p->u;
	return to && guard_read(to, from, size) ? cudaSuccess : cudaErrorInvalidValue;
}

#define ADD_PARAMS struct node **out, struct graph *graph, struct node *const *after, size_t n

static cudaError_t add(ADD_PARAMS, enum node_type type, const void *params, size_t size)
{
	struct node_params p;
	cudaError_t e = read(&p, type, params, size);
	return e ? e : graph_add(out, G(graph), after, NULL, n, &p);
}

static cudaError_t get(struct node *node, enum node_type type, void *params, size_t size)
{
	struct node_params p;
	cudaError_t e = node_get(N(node), type, &p);
	if (!e && type == NODE_COPY)
		params_as_parms(&p);
	return e ? e : write(params, &p, size);
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

#define KIND(name, type, size)                                                                                                       \
	API(cudaGraphAdd##name##Node, (ADD_PARAMS, const void *params), add(out, graph, after, n, type, params, size))               \
	API(cudaGraph##name##NodeGetParams, (struct node * node, void *params), get(node, type, params, size))                       \
	API(cudaGraph##name##NodeSetParams, (struct node * node, const void *params), set(node, type, params, size))                 \
	API(cudaGraphExec##name##NodeSetParams, (struct graph_exec * exec, struct node *node, const void *params),                   \
	    set_exec(exec, node, type, params, size))
KIND(Kernel, NODE_KERNEL, KERNEL_PARAMS_SIZE_RUNTIME)
KIND(Memcpy, NODE_COPY, sizeof(struct cudaMemcpy3DParms))
KIND(Memset, NODE_FILL, FILL_PARAMS_SIZE_RUNTIME)
KIND(Host, NODE_HOST, sizeof(struct host_node_params))

#define EVENT_KIND(name, type)                                                                                                       \
	API(cudaGraphAdd##name##Node, (ADD_PARAMS, cudaEvent_t event), add(out, graph, after, n, type, &event, sizeof event))        \
	API(cudaGraph##name##NodeGetEvent, (struct node * node, cudaEvent_t *event), get(node, type, event, sizeof *event))          \
	API(cudaGraph##name##NodeSetEvent, (struct node * node, cudaEvent_t event), set(node, type, &event, sizeof event))           \
	API(cudaGraphExec##name##NodeSetEvent, (struct graph_exec * exec, struct node *node, cudaEvent_t event),                     \
	    set_exec(exec, node, type, &event, sizeof event))
EVENT_KIND(EventRecord, NODE_RECORD)
EVENT_KIND(EventWait, NODE_WAIT)

static cudaError_t semaphores(enum node_type type)
{
	cu_complain("external semaphores are not supported: there is no other API to share them with");
	return type == NODE_SEMAPHORE_SIGNAL || type == NODE_SEMAPHORE_WAIT ? cudaErrorNotSupported : cudaErrorInvalidValue;
}

#define SEMAPHORE_KIND(name, type)                                                                                                   \
	API(cudaGraphAdd##name##Node, (ADD_PARAMS, const void *params), semaphores(type))                                            \
	API(cudaGraph##name##NodeGetParams, (struct node * node, void *params), semaphores(type))                                    \
	API(cudaGraph##name##NodeSetParams, (struct node * node, const void *params), semaphores(type))                              \
	API(cudaGraphExec##name##NodeSetParams, (struct graph_exec * exec, struct node *node, const void *params), semaphores(type))
SEMAPHORE_KIND(ExternalSemaphoresSignal, NODE_SEMAPHORE_SIGNAL)
SEMAPHORE_KIND(ExternalSemaphoresWait, NODE_SEMAPHORE_WAIT)

static cudaError_t add_child(ADD_PARAMS, struct graph *child)
{
	struct child_node_params p = {child, CHILD_CLONE};
	return add(out, graph, after, n, NODE_GRAPH, &p, sizeof p);
}

static cudaError_t add_empty(ADD_PARAMS)
{
	struct node_params p = {.type = NODE_EMPTY};
	return graph_add(out, G(graph), after, NULL, n, &p);
}

API(cudaGraphAddChildGraphNode, (ADD_PARAMS, struct graph *child), add_child(out, graph, after, n, child))
API(cudaGraphChildGraphNodeGetGraph, (struct node * node, struct graph **child), node_child(N(node), child))
API(cudaGraphAddEmptyNode, (ADD_PARAMS), add_empty(out, graph, after, n))

static cudaError_t add_alloc(ADD_PARAMS, struct alloc_node_params *params)
{
	struct node_params p;
	cudaError_t e = read(&p, NODE_ALLOC, params, sizeof *params);
	e = e ? e : graph_add(out, G(graph), after, NULL, n, &p);
	return e || guard_read(&params->p, &p.u.alloc.p, sizeof p.u.alloc.p) ? e : cudaErrorInvalidValue;
}

API(cudaGraphAddMemAllocNode, (ADD_PARAMS, struct alloc_node_params *params), add_alloc(out, graph, after, n, params))
API(cudaGraphMemAllocNodeGetParams, (struct node * node, struct alloc_node_params *params), get(node, NODE_ALLOC, params, sizeof *params))
API(cudaGraphAddMemFreeNode, (ADD_PARAMS, void *p), add(out, graph, after, n, NODE_FREE, &p, sizeof p))
API(cudaGraphMemFreeNodeGetParams, (struct node * node, void **p), get(node, NODE_FREE, p, sizeof *p))

// --- copies in other words: of one row, and of variables

static struct cudaMemcpy3DParms one_row(void *dst, const void *src, size_t n, int kind)
{
	return (struct cudaMemcpy3DParms){.srcPtr = {(void *)src, n, n, 1}, .dstPtr = {dst, n, n, 1}, .extent = {n, 1, 1}, .kind = kind};
}

// Into a variable, or out of it: `offset` bytes behind its beginning.
static cudaError_t of_variable(struct cudaMemcpy3DParms *out, const void *symbol, void *other, size_t n, size_t offset, int kind, bool to)
{
	cudaError_t e;
	struct variable *v = variable_get(symbol, &e);
	if (!v)
		return e;
	if (offset > v->size || n > v->size - offset)
		return cudaErrorInvalidValue;
	if (kind != COPY_DEFAULT && kind != COPY_DEVICE_TO_DEVICE && kind != (to ? COPY_HOST_TO_DEVICE : COPY_DEVICE_TO_HOST))
		return cudaErrorInvalidMemcpyDirection;
	char *at = (char *)(uintptr_t)v->addr + offset;
	*out = to ? one_row(at, other, n, kind) : one_row(other, at, n, kind);
	return cudaSuccess;
}

enum where { IN_NEW, IN_NODE, IN_EXEC };

struct target {
	enum where where;
	struct node **out, *const *after, *node;
	struct graph *graph;
	size_t n;
	struct graph_exec *exec;
};

static cudaError_t put(struct target t, const struct cudaMemcpy3DParms *c)
{
	switch (t.where) {
	case IN_NEW: return add(t.out, t.graph, t.after, t.n, NODE_COPY, c, sizeof *c);
	case IN_NODE: return set(t.node, NODE_COPY, c, sizeof *c);
	default: return set_exec(t.exec, t.node, NODE_COPY, c, sizeof *c);
	}
}

static cudaError_t put_row(struct target t, void *dst, const void *src, size_t n, int kind)
{
	struct cudaMemcpy3DParms c = one_row(dst, src, n, kind);
	return put(t, &c);
}

static cudaError_t put_variable(struct target t, const void *symbol, const void *other, size_t n, size_t offset, int kind, bool to)
{
	struct cudaMemcpy3DParms c;
	cudaError_t e = of_variable(&c, symbol, (void *)other, n, offset, kind, to);
	return e ? e : put(t, &c);
}

#define NEW ((struct target){.where = IN_NEW, .out = out, .graph = graph, .after = after, .n = n})
#define NODE ((struct target){.where = IN_NODE, .node = node})
#define EXEC ((struct target){.where = IN_EXEC, .exec = exec, .node = node})
#define EXEC_PARAMS struct graph_exec *exec, struct node *node

#define ROW void *dst, const void *src, size_t bytes, int kind
API(cudaGraphAddMemcpyNode1D, (ADD_PARAMS, ROW), put_row(NEW, dst, src, bytes, kind))
API(cudaGraphMemcpyNodeSetParams1D, (struct node * node, ROW), put_row(NODE, dst, src, bytes, kind))
API(cudaGraphExecMemcpyNodeSetParams1D, (EXEC_PARAMS, ROW), put_row(EXEC, dst, src, bytes, kind))

#define TO const void *symbol, const void *src, size_t bytes, size_t offset, int kind
API(cudaGraphAddMemcpyNodeToSymbol, (ADD_PARAMS, TO), put_variable(NEW, symbol, src, bytes, offset, kind, true))
API(cudaGraphMemcpyNodeSetParamsToSymbol, (struct node * node, TO), put_variable(NODE, symbol, src, bytes, offset, kind, true))
API(cudaGraphExecMemcpyNodeSetParamsToSymbol, (EXEC_PARAMS, TO), put_variable(EXEC, symbol, src, bytes, offset, kind, true))

#define FROM void *dst, const void *symbol, size_t bytes, size_t offset, int kind
API(cudaGraphAddMemcpyNodeFromSymbol, (ADD_PARAMS, FROM), put_variable(NEW, symbol, dst, bytes, offset, kind, false))
API(cudaGraphMemcpyNodeSetParamsFromSymbol, (struct node * node, FROM), put_variable(NODE, symbol, dst, bytes, offset, kind, false))
API(cudaGraphExecMemcpyNodeSetParamsFromSymbol, (EXEC_PARAMS, FROM), put_variable(EXEC, symbol, dst, bytes, offset, kind, false))

// --- attributes of kernel nodes

API(cudaGraphKernelNodeSetAttribute, (struct node * node, int id, const void *value),
    N(node) ? payload_set_attribute(&node->p, id, value) : cudaErrorInvalidValue)
API(cudaGraphKernelNodeGetAttribute, (struct node * node, int id, void *value),
    N(node) ? payload_get_attribute(&node->p, id, value) : cudaErrorInvalidValue)
API(cudaGraphKernelNodeCopyAttributes, (struct node * to, struct node *from),
    N(to) && N(from) ? payload_copy_attributes(&to->p, &from->p) : cudaErrorInvalidValue)

// --- nodes of all kinds

// Batches of operations on memory are the driver's alone, and so is a kernel's context.
static cudaError_t take(struct node_params *p)
{
	if (p->type == NODE_KERNEL)
		p->u.kernel.kern = p->u.kernel.ctx = NULL;
	return p->type == NODE_MEM_OPS ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t graph_add_node(struct node **out, struct graph *graph, struct node *const *after, const struct edge_data *data, size_t n,
                           struct node_params *params)
{
	return whole_add(out, G(graph), after, data, n, params, take);
}

API(cudaGraphNodeSetParams, (struct node * node, struct node_params *params), whole_set(N(node), params, take))
API(cudaGraphExecNodeSetParams, (struct graph_exec * exec, struct node *node, struct node_params *params),
    whole_set_exec(X(exec), N(node), params, take))

// The forms with data of edges, by the names of CUDA 12.
API(cudaGraphAddNode_v2,
    (struct node * *out, struct graph *graph, struct node *const *after, const struct edge_data *data, size_t n, struct node_params *params),
    graph_add_node(out, graph, after, data, n, params))
#define PAIRS struct graph *graph, struct node *const *from, struct node *const *to
API(cudaGraphAddDependencies_v2, (PAIRS, const struct edge_data *data, size_t n), graph_connect(G(graph), from, to, data, n))
API(cudaGraphRemoveDependencies_v2, (PAIRS, const struct edge_data *data, size_t n), graph_disconnect(G(graph), from, to, data, n))
API(cudaGraphGetEdges_v2, (struct graph * graph, struct node **from, struct node **to, struct edge_data *data, size_t *n),
    graph_edges(G(graph), from, to, data, n, true))
API(cudaGraphNodeGetDependencies_v2, (struct node * node, struct node **out, struct edge_data *data, size_t *n),
    node_neighbours(N(node), true, out, data, n, true))
API(cudaGraphNodeGetDependentNodes_v2, (struct node * node, struct node **out, struct edge_data *data, size_t *n),
    node_neighbours(N(node), false, out, data, n, true))
