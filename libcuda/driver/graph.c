// Graphs: what the room libcuda/graph does, by the driver's names.
#include "libcuda/graph/graph.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/graph/conditional.h"
#include "libcuda/graph/dot.h"
#include "libcuda/graph/exec.h"
#include "libcuda/graph/user_object.h"
#include "libcuda/life/contexts.h"
#include "libcuda/memory/graph_memory.h"

#define G(handle) graph_find(handle)
#define N(handle) node_find(handle)
#define X(handle) graph_exec_find(handle)

DRIVER(cuGraphCreate, (struct graph * *graph, unsigned flags), graph_create(graph, flags))
DRIVER(cuGraphDestroy, (struct graph * graph), graph_destroy(G(graph)))
DRIVER(cuGraphClone, (struct graph * *clone, struct graph *graph), graph_clone(clone, G(graph)))
DRIVER(cuGraphNodeFindInClone, (struct node * *node, struct node *original, struct graph *clone),
       graph_find_in_clone(node, N(original), G(clone)))
DRIVER(cuGraphDebugDotPrint, (struct graph * graph, const char *path, unsigned flags), dot_write(G(graph), path, flags))
DRIVER(cuGraphConditionalHandleCreate, (uint64_t * out, struct graph *graph, struct cu_context *context, unsigned start, unsigned flags),
       context && !context_valid(context) ? cudaErrorDeviceUninitialized : conditional_create(out, G(graph), start, flags))

DRIVER(cuGraphGetNodes, (struct graph * graph, struct node **nodes, size_t *n), graph_nodes(G(graph), nodes, n))
DRIVER(cuGraphGetRootNodes, (struct graph * graph, struct node **nodes, size_t *n), graph_roots(G(graph), nodes, n))
DRIVER(cuGraphNodeGetType, (struct node * node, int *type), node_type_of(N(node), type))
DRIVER(cuGraphDestroyNode, (struct node * node), graph_remove(N(node)))

// --- edges, without and with data

#define PAIRS struct graph *graph, struct node *const *from, struct node *const *to
DRIVER(cuGraphAddDependencies, (PAIRS, size_t n), graph_connect(G(graph), from, to, NULL, n))
DRIVER(cuGraphAddDependencies_v2, (PAIRS, const struct edge_data *data, size_t n), graph_connect(G(graph), from, to, data, n))
DRIVER(cuGraphRemoveDependencies, (PAIRS, size_t n), graph_disconnect(G(graph), from, to, NULL, n))
DRIVER(cuGraphRemoveDependencies_v2, (PAIRS, const struct edge_data *data, size_t n), graph_disconnect(G(graph), from, to, data, n))

#define EDGES struct graph *graph, struct node **from, struct node **to
DRIVER(cuGraphGetEdges, (EDGES, size_t *n), graph_edges(G(graph), from, to, NULL, n, false))
DRIVER(cuGraphGetEdges_v2, (EDGES, struct edge_data *data, size_t *n), graph_edges(G(graph), from, to, data, n, true))

#define NODES struct node *node, struct node **out
DRIVER(cuGraphNodeGetDependencies, (NODES, size_t *n), node_neighbours(N(node), true, out, NULL, n, false))
DRIVER(cuGraphNodeGetDependencies_v2, (NODES, struct edge_data *data, size_t *n), node_neighbours(N(node), true, out, data, n, true))
DRIVER(cuGraphNodeGetDependentNodes, (NODES, size_t *n), node_neighbours(N(node), false, out, NULL, n, false))
DRIVER(cuGraphNodeGetDependentNodes_v2, (NODES, struct edge_data *data, size_t *n), node_neighbours(N(node), false, out, data, n, true))

// --- user objects and memory of graphs

DRIVER(cuUserObjectCreate, (struct user_object * *object, void *p, void (*end)(void *), unsigned count, unsigned flags),
       user_object_create(object, p, end, count, flags))
DRIVER(cuUserObjectRetain, (struct user_object * object, unsigned count), user_object_retain(object, count))
DRIVER(cuUserObjectRelease, (struct user_object * object, unsigned count), user_object_release(object, count))
DRIVER(cuGraphRetainUserObject, (struct graph * graph, struct user_object *object, unsigned count, unsigned flags),
       user_object_to_graph(G(graph), object, count, flags))
DRIVER(cuGraphReleaseUserObject, (struct graph * graph, struct user_object *object, unsigned count),
       user_object_from_graph(G(graph), object, count))

DRIVER(cuDeviceGraphMemTrim, (CUdevice device), device ? cudaErrorInvalidDevice : graph_memory_trim(device))
DRIVER(cuDeviceGetGraphMemAttribute, (CUdevice device, int attribute, void *value),
       device ? cudaErrorInvalidDevice : graph_memory_get(device, attribute, value))
DRIVER(cuDeviceSetGraphMemAttribute, (CUdevice device, int attribute, void *value),
       device ? cudaErrorInvalidDevice : graph_memory_set(device, attribute, value))

// --- executable graphs

#define LOGGED (struct graph_exec **out, struct graph *graph, struct node **bad, char *log, size_t size)
DRIVER(cuGraphInstantiate, LOGGED, exec_instantiate_logged(out, G(graph), bad, log, size))
DRIVER(cuGraphInstantiate_v2, LOGGED, exec_instantiate_logged(out, G(graph), bad, log, size))
DRIVER(cuGraphInstantiateWithFlags, (struct graph_exec * *out, struct graph *graph, unsigned long long flags),
       exec_instantiate(out, G(graph), flags))
#define WITH_PARAMS (struct graph_exec **out, struct graph *graph, struct instantiate_params *params)
DRIVER(cuGraphInstantiateWithParams, WITH_PARAMS, exec_instantiate_params(out, G(graph), params))
DRIVER(cuGraphInstantiateWithParams_ptsz, WITH_PARAMS, exec_instantiate_params(out, G(graph), params))
DRIVER(cuGraphExecDestroy, (struct graph_exec * exec), exec_destroy(X(exec)))
DRIVER(cuGraphExecGetFlags, (struct graph_exec * exec, uint64_t *flags), exec_flags(X(exec), flags))
DRIVER_STREAM(cuGraphLaunch, (struct graph_exec * exec, cudaStream_t stream), exec_launch(X(exec), stream))
DRIVER_STREAM(cuGraphUpload, (struct graph_exec * exec, cudaStream_t stream), exec_upload(X(exec), stream))
DRIVER(cuGraphNodeSetEnabled, (struct graph_exec * exec, struct node *node, unsigned on), exec_enable(X(exec), N(node), on))
DRIVER(cuGraphNodeGetEnabled, (struct graph_exec * exec, struct node *node, unsigned *on), exec_enabled(X(exec), N(node), on))
DRIVER(cuGraphExecChildGraphNodeSetParams, (struct graph_exec * exec, struct node *node, struct graph *child),
       exec_set_child(X(exec), N(node), G(child)))
DRIVER(cuGraphExecUpdate, (struct graph_exec * exec, struct graph *graph, struct node **bad, int *result),
       exec_update_to(X(exec), G(graph), NULL, bad, result))
DRIVER(cuGraphExecUpdate_v2, (struct graph_exec * exec, struct graph *graph, struct update_info *info),
       exec_update_to(X(exec), G(graph), info, NULL, NULL))

// --- attributes of kernel nodes

DRIVER(cuGraphKernelNodeSetAttribute, (struct node * node, int id, const void *value),
       N(node) ? payload_set_attribute(&node->p, id, value) : cudaErrorInvalidValue)
DRIVER(cuGraphKernelNodeGetAttribute, (struct node * node, int id, void *value),
       N(node) ? payload_get_attribute(&node->p, id, value) : cudaErrorInvalidValue)
DRIVER(cuGraphKernelNodeCopyAttributes, (struct node * to, struct node *from),
       N(to) && N(from) ? payload_copy_attributes(&to->p, &from->p) : cudaErrorInvalidValue)
