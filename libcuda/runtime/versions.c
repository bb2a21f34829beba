// Functions whose binary interface changed between releases, under the version names of the releases that differ, and
// the library's constructor. Programs with a static runtime get the version of their release too (patch.h). Only the
// shared library contains this file: an executable cannot define versioned names.
#include "libcuda/context/guard.h"
#include "libcuda/graph/capture.h"
#include "libcuda/graph/exec.h"
#include "libcuda/memory/advice.h"
#include "libcuda/memory/alloc.h"
#include "libcuda/memory/batch.h"
#include "libcuda/runtime/api.h"
#include "libcuda/code/kernel_calls.h"
#include "libcuda/driver/table.h"
#include "libcuda/life/device.h"
#include "libcuda/runtime/device.h"
#include "libcuda/runtime/graph.h"
#include "libcuda/image/patch.h"
#include "libcuda/texture/texture_object.h"

#include <string.h>

// Exports `function` as `name` of a release.
#define RELEASE(function, name, node) __asm__(".symver " #function "," #name node)
#define RELEASE_13(function, name) RELEASE(function, name, "@@libcudart.so.13")
#define RELEASE_12(function, name) RELEASE(function, name, "@libcudart.so.12")
#define RELEASE_11(function, name) RELEASE(function, name, "@libcudart.so.11.0")
#define RELEASES_10(function, name)                      \
	RELEASE(function, name, "@libcudart.so.10.2");   \
	RELEASE(function, name, "@libcudart.so.10.1");   \
	RELEASE(function, name, "@libcudart.so.10.0")
#define RELEASES_9(function, name)                       \
	RELEASE(function, name, "@libcudart.so.9.2");    \
	RELEASE(function, name, "@libcudart.so.9.1");    \
	RELEASE(function, name, "@libcudart.so.9.0")

// Defines a function that is exported by RELEASE only; messages call it `name`.
#define VERSION_NEEDS(need, name, function, params, expr)       \
	CUDA_EXPORT cudaError_t function params;                \
	__attribute__((used)) cudaError_t function params       \
	{                                                       \
		cudaError_t e_ = cu_enter(need, #name, CU_CALLER);         \
		return e_ ? e_ : cu_leave(expr);                \
	}
#define VERSION(name, function, params, expr) VERSION_NEEDS(CU_CONTEXT, name, function, params, expr)
#define VERSION_DEVICE(name, function, params, expr) VERSION_NEEDS(CU_DEVICE, name, function, params, expr)

#define PROPERTIES(release)                                                                                    \
	VERSION_DEVICE(cudaGetDeviceProperties, get_device_properties_##release, (struct cudaDeviceProp_##release * prop, int device),  \
	               device_properties_##release(prop, device))
PROPERTIES(9)
PROPERTIES(10)
PROPERTIES(11)
PROPERTIES(13)
RELEASES_9(get_device_properties_9, cudaGetDeviceProperties);
RELEASES_10(get_device_properties_10, cudaGetDeviceProperties);
RELEASE_11(get_device_properties_11, cudaGetDeviceProperties);
RELEASE_12(get_device_properties_11, cudaGetDeviceProperties);
RELEASE_13(get_device_properties_13, cudaGetDeviceProperties);

VERSION(cudaFuncGetAttributes, func_get_attributes_11, (struct cudaFuncAttributes * out, const void *f),
        func_attributes(out, f, FUNC_ATTRIBUTES_SIZE_11))
VERSION(cudaFuncGetAttributes, func_get_attributes_12, (struct cudaFuncAttributes * out, const void *f),
        func_attributes(out, f, sizeof *out))
RELEASES_9(func_get_attributes_11, cudaFuncGetAttributes);
RELEASES_10(func_get_attributes_11, cudaFuncGetAttributes);
RELEASE_11(func_get_attributes_11, cudaFuncGetAttributes);
RELEASE_12(func_get_attributes_12, cudaFuncGetAttributes);
RELEASE_13(func_get_attributes_12, cudaFuncGetAttributes);

static cudaError_t pointer_attributes(void *out, const void *p, int release)
{
	struct cudaPointerAttributes a;
	size_t size = release == 9    ? sizeof(struct cudaPointerAttributes_9)
	              : release == 10 ? sizeof(struct cudaPointerAttributes_10)
	              : release < 13  ? POINTER_ATTRIBUTES_SIZE_11
	                              : sizeof a;
	if (!out || !guard_writable(out, size))
		return cudaErrorInvalidValue;
	cudaError_t e = memory_attributes(&a, p);
	if (e)
		return e;
	if (release < 11 && a.type == MEMORY_UNREGISTERED) // an error before CUDA 11
		return cudaErrorInvalidValue;
	int old_type = a.type == MEMORY_HOST ? MEMORY_HOST : MEMORY_DEVICE;
	bool managed = a.type == MEMORY_MANAGED;
	if (release == 9)
		*(struct cudaPointerAttributes_9 *)out =
		        (struct cudaPointerAttributes_9){old_type, a.device, a.devicePointer, a.hostPointer, managed};
	else if (release == 10)
		*(struct cudaPointerAttributes_10 *)out = (struct cudaPointerAttributes_10){
		        old_type, a.type, a.device, a.devicePointer, a.hostPointer, managed};
	else
		memcpy(out, &a, size);
	return cudaSuccess;
}

VERSION(cudaPointerGetAttributes, pointer_get_attributes_9, (void *out, const void *p), pointer_attributes(out, p, 9))
VERSION(cudaPointerGetAttributes, pointer_get_attributes_10, (void *out, const void *p), pointer_attributes(out, p, 10))
VERSION(cudaPointerGetAttributes, pointer_get_attributes_11, (void *out, const void *p), pointer_attributes(out, p, 11))
VERSION(cudaPointerGetAttributes, pointer_get_attributes_13, (void *out, const void *p), pointer_attributes(out, p, 13))
RELEASES_9(pointer_get_attributes_9, cudaPointerGetAttributes);
RELEASES_10(pointer_get_attributes_10, cudaPointerGetAttributes);
RELEASE_11(pointer_get_attributes_11, cudaPointerGetAttributes);
RELEASE_12(pointer_get_attributes_11, cudaPointerGetAttributes);
RELEASE_13(pointer_get_attributes_13, cudaPointerGetAttributes);

VERSION_DEVICE(cudaChooseDevice, choose_device_11, (int *device, const void *prop), device_choose(device, prop))
VERSION_DEVICE(cudaChooseDevice, choose_device_13, (int *device, const void *prop), device_choose(device, prop))
RELEASES_9(choose_device_11, cudaChooseDevice);
RELEASES_10(choose_device_11, cudaChooseDevice);
RELEASE_11(choose_device_11, cudaChooseDevice);
RELEASE_12(choose_device_11, cudaChooseDevice);
RELEASE_13(choose_device_13, cudaChooseDevice);

VERSION(cudaMemAdvise, mem_advise_11, (const void *p, size_t n, int advice, int device), memory_advise(p, n, advice, device))
VERSION(cudaMemAdvise, mem_advise_13, (const void *p, size_t n, int advice, struct cudaMemLocation l),
        memory_advise(p, n, advice, memory_location(l)))
RELEASES_9(mem_advise_11, cudaMemAdvise);
RELEASES_10(mem_advise_11, cudaMemAdvise);
RELEASE_11(mem_advise_11, cudaMemAdvise);
RELEASE_12(mem_advise_11, cudaMemAdvise);
RELEASE_13(mem_advise_13, cudaMemAdvise);

static cudaStream_t own(cudaStream_t stream) { return stream ? stream : STREAM_PER_THREAD; }

#define PREFETCH_11 (const void *p, size_t n, int device, cudaStream_t stream)
#define PREFETCH_13 (const void *p, size_t n, struct cudaMemLocation l, unsigned flags, cudaStream_t stream)
VERSION(cudaMemPrefetchAsync, mem_prefetch_11, PREFETCH_11, memory_prefetch(p, n, device, stream))
VERSION(cudaMemPrefetchAsync, mem_prefetch_11_ptsz, PREFETCH_11, memory_prefetch(p, n, device, own(stream)))
VERSION(cudaMemPrefetchAsync, mem_prefetch_13, PREFETCH_13,
        flags ? cudaErrorInvalidValue : memory_prefetch(p, n, memory_location(l), stream))
VERSION(cudaMemPrefetchAsync, mem_prefetch_13_ptsz, PREFETCH_13,
        flags ? cudaErrorInvalidValue : memory_prefetch(p, n, memory_location(l), own(stream)))
#define PREFETCH_RELEASES(name, old, new) \
	RELEASES_9(old, name);            \
	RELEASES_10(old, name);           \
	RELEASE_11(old, name);            \
	RELEASE_12(old, name);            \
	RELEASE_13(new, name)
PREFETCH_RELEASES(cudaMemPrefetchAsync, mem_prefetch_11, mem_prefetch_13);
PREFETCH_RELEASES(cudaMemPrefetchAsync_ptsz, mem_prefetch_11_ptsz, mem_prefetch_13_ptsz);

// Batches of copies. Before CUDA 13 there was a place for the number of the entry that is wrong.
#define BATCH_COPY void *const *dst, const void *const *src, const size_t *sizes, size_t count, const struct copy_attributes *attributes, \
	const size_t *first, size_t n
VERSION(cudaMemcpyBatchAsync, batch_copy_12, (BATCH_COPY, size_t *fail, cudaStream_t stream),
        batch_copy(dst, src, sizes, count, attributes, first, n, fail, stream))
VERSION(cudaMemcpyBatchAsync, batch_copy_12_ptsz, (BATCH_COPY, size_t *fail, cudaStream_t stream),
        batch_copy(dst, src, sizes, count, attributes, first, n, fail, own(stream)))
VERSION(cudaMemcpyBatchAsync, batch_copy_13, (BATCH_COPY, cudaStream_t stream),
        batch_copy(dst, src, sizes, count, attributes, first, n, NULL, stream))
VERSION(cudaMemcpyBatchAsync, batch_copy_13_ptsz, (BATCH_COPY, cudaStream_t stream),
        batch_copy(dst, src, sizes, count, attributes, first, n, NULL, own(stream)))
RELEASE_12(batch_copy_12, cudaMemcpyBatchAsync);
RELEASE_13(batch_copy_13, cudaMemcpyBatchAsync);
RELEASE_12(batch_copy_12_ptsz, cudaMemcpyBatchAsync_ptsz);
RELEASE_13(batch_copy_13_ptsz, cudaMemcpyBatchAsync_ptsz);

#define BATCH_3D_12 (size_t n, const struct copy_3d_op *ops, size_t *fail, unsigned long long flags, cudaStream_t stream)
#define BATCH_3D_13 (size_t n, const struct copy_3d_op *ops, unsigned long long flags, cudaStream_t stream)
VERSION(cudaMemcpy3DBatchAsync, batch_3d_12, BATCH_3D_12, batch_copy_3d(n, ops, fail, flags, stream))
VERSION(cudaMemcpy3DBatchAsync, batch_3d_12_ptsz, BATCH_3D_12, batch_copy_3d(n, ops, fail, flags, own(stream)))
VERSION(cudaMemcpy3DBatchAsync, batch_3d_13, BATCH_3D_13, batch_copy_3d(n, ops, NULL, flags, stream))
VERSION(cudaMemcpy3DBatchAsync, batch_3d_13_ptsz, BATCH_3D_13, batch_copy_3d(n, ops, NULL, flags, own(stream)))
RELEASE_12(batch_3d_12, cudaMemcpy3DBatchAsync);
RELEASE_13(batch_3d_13, cudaMemcpy3DBatchAsync);
RELEASE_12(batch_3d_12_ptsz, cudaMemcpy3DBatchAsync_ptsz);
RELEASE_13(batch_3d_13_ptsz, cudaMemcpy3DBatchAsync_ptsz);

// Where a function of the driver is. Before CUDA 12 there was no place for the status.
static cudaError_t entry_point(const char *symbol, void **out, unsigned version, unsigned long long flags, int *status, bool per_thread)
{
	enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };
	enum driver_query answer;
	if (flags == PER_THREAD_STREAM)
		per_thread = true;
	else if (flags == LEGACY_STREAM)
		per_thread = false;
	if (!symbol || !GUARD_OUT(out) || !GUARD_OUT_OR_NULL(status) || flags > PER_THREAD_STREAM || !driver_query(out, &answer, symbol, (int)version, per_thread))
		return cudaErrorInvalidValue;
	if (status)
		*status = answer;
	return *out || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

#define ENTRY_POINT_11 (const char *symbol, void **out, unsigned long long flags)
#define ENTRY_POINT_12 (const char *symbol, void **out, unsigned long long flags, int *status)
VERSION_DEVICE(cudaGetDriverEntryPoint, entry_point_11, ENTRY_POINT_11,
               entry_point(symbol, out, 11080, flags, NULL, false))
VERSION_DEVICE(cudaGetDriverEntryPoint, entry_point_12, ENTRY_POINT_12,
               entry_point(symbol, out, CUDA_VERSION_REPORTED, flags, status, false))
VERSION_DEVICE(cudaGetDriverEntryPoint, entry_point_11_ptsz, ENTRY_POINT_11,
               entry_point(symbol, out, 11080, flags, NULL, true))
VERSION_DEVICE(cudaGetDriverEntryPoint, entry_point_12_ptsz, ENTRY_POINT_12,
               entry_point(symbol, out, CUDA_VERSION_REPORTED, flags, status, true))
RELEASE_11(entry_point_11, cudaGetDriverEntryPoint);
RELEASE_12(entry_point_12, cudaGetDriverEntryPoint);
RELEASE_13(entry_point_12, cudaGetDriverEntryPoint);
RELEASE_11(entry_point_11_ptsz, cudaGetDriverEntryPoint_ptsz);
RELEASE_12(entry_point_12_ptsz, cudaGetDriverEntryPoint_ptsz);
RELEASE_13(entry_point_12_ptsz, cudaGetDriverEntryPoint_ptsz);

#define ENTRY_POINT_BY_VERSION \
	(const char *symbol, void **out, unsigned version, unsigned long long flags, int *status)
API_DEVICE(cudaGetDriverEntryPointByVersion, ENTRY_POINT_BY_VERSION,
           entry_point(symbol, out, version, flags, status, false))
API_DEVICE_AS(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz, ENTRY_POINT_BY_VERSION,
              entry_point(symbol, out, version, flags, status, true))

// Texture objects. _v2 is what 11.8 calls the form with all fields that 12 has.
#define CREATE_TEXTURE                                                                                       \
	(uint64_t *out, const struct cudaResourceDesc *resource, const struct cudaTextureDesc *sampling, \
	 const struct cudaResourceViewDesc *view)
#define CREATE_TEXTURE_SIZES(resource_size, sampling_size, view_size) \
	texture_object_create(out, resource, resource_size, sampling, sampling_size, view, view_size)
#define CREATE_TEXTURE_11(sampling_size) \
	CREATE_TEXTURE_SIZES(RESOURCE_DESC_SIZE_11, sampling_size, RESOURCE_VIEW_DESC_SIZE_11)
VERSION(cudaCreateTextureObject, create_texture_9, CREATE_TEXTURE, CREATE_TEXTURE_11(TEXTURE_DESC_SIZE_9))
VERSION(cudaCreateTextureObject, create_texture_11, CREATE_TEXTURE, CREATE_TEXTURE_11(TEXTURE_DESC_SIZE_11))
VERSION(cudaCreateTextureObject, create_texture_12, CREATE_TEXTURE, CREATE_TEXTURE_11(sizeof *sampling))
VERSION(cudaCreateTextureObject, create_texture_13, CREATE_TEXTURE,
           CREATE_TEXTURE_SIZES(sizeof *resource, sizeof *sampling, sizeof *view))
RELEASES_9(create_texture_9, cudaCreateTextureObject);
RELEASES_10(create_texture_9, cudaCreateTextureObject);
RELEASE_11(create_texture_11, cudaCreateTextureObject);
RELEASE_12(create_texture_12, cudaCreateTextureObject);
RELEASE_13(create_texture_13, cudaCreateTextureObject);
API(cudaCreateTextureObject_v2, CREATE_TEXTURE, CREATE_TEXTURE_11(sizeof *sampling))

VERSION(cudaGetTextureObjectTextureDesc, texture_sampling_9, (void *out, uint64_t object),
           texture_object_sampling(out, TEXTURE_DESC_SIZE_9, object))
VERSION(cudaGetTextureObjectTextureDesc, texture_sampling_11, (void *out, uint64_t object),
           texture_object_sampling(out, TEXTURE_DESC_SIZE_11, object))
VERSION(cudaGetTextureObjectTextureDesc, texture_sampling_12, (void *out, uint64_t object),
           texture_object_sampling(out, sizeof(struct cudaTextureDesc), object))
RELEASES_9(texture_sampling_9, cudaGetTextureObjectTextureDesc);
RELEASES_10(texture_sampling_9, cudaGetTextureObjectTextureDesc);
RELEASE_11(texture_sampling_11, cudaGetTextureObjectTextureDesc);
RELEASE_12(texture_sampling_12, cudaGetTextureObjectTextureDesc);
RELEASE_13(texture_sampling_12, cudaGetTextureObjectTextureDesc);
API(cudaGetTextureObjectTextureDesc_v2, (void *out, uint64_t object),
    texture_object_sampling(out, sizeof(struct cudaTextureDesc), object))

VERSION(cudaGetTextureObjectResourceDesc, texture_resource_11, (void *out, uint64_t object),
           texture_object_resource(out, RESOURCE_DESC_SIZE_11, object, false))
VERSION(cudaGetTextureObjectResourceDesc, texture_resource_13, (void *out, uint64_t object),
           texture_object_resource(out, sizeof(struct cudaResourceDesc), object, false))
RELEASES_9(texture_resource_11, cudaGetTextureObjectResourceDesc);
RELEASES_10(texture_resource_11, cudaGetTextureObjectResourceDesc);
RELEASE_11(texture_resource_11, cudaGetTextureObjectResourceDesc);
RELEASE_12(texture_resource_11, cudaGetTextureObjectResourceDesc);
RELEASE_13(texture_resource_13, cudaGetTextureObjectResourceDesc);

#define CREATE_SURFACE (uint64_t *out, const struct cudaResourceDesc *resource)
VERSION(cudaCreateSurfaceObject, create_surface_11, CREATE_SURFACE, surface_object_create(out, resource, RESOURCE_DESC_SIZE_11))
VERSION(cudaCreateSurfaceObject, create_surface_13, CREATE_SURFACE, surface_object_create(out, resource, sizeof *resource))
RELEASES_9(create_surface_11, cudaCreateSurfaceObject);
RELEASES_10(create_surface_11, cudaCreateSurfaceObject);
RELEASE_11(create_surface_11, cudaCreateSurfaceObject);
RELEASE_12(create_surface_11, cudaCreateSurfaceObject);
RELEASE_13(create_surface_13, cudaCreateSurfaceObject);

VERSION(cudaGetSurfaceObjectResourceDesc, surface_resource_11, (void *out, uint64_t object),
           texture_object_resource(out, RESOURCE_DESC_SIZE_11, object, true))
VERSION(cudaGetSurfaceObjectResourceDesc, surface_resource_13, (void *out, uint64_t object),
           texture_object_resource(out, sizeof(struct cudaResourceDesc), object, true))
RELEASES_9(surface_resource_11, cudaGetSurfaceObjectResourceDesc);
RELEASES_10(surface_resource_11, cudaGetSurfaceObjectResourceDesc);
RELEASE_11(surface_resource_11, cudaGetSurfaceObjectResourceDesc);
RELEASE_12(surface_resource_11, cudaGetSurfaceObjectResourceDesc);
RELEASE_13(surface_resource_13, cudaGetSurfaceObjectResourceDesc);

VERSION(cudaGetTextureObjectResourceViewDesc, texture_view_11, (void *out, uint64_t object),
           texture_object_view(out, RESOURCE_VIEW_DESC_SIZE_11, object))
VERSION(cudaGetTextureObjectResourceViewDesc, texture_view_13, (void *out, uint64_t object),
           texture_object_view(out, sizeof(struct cudaResourceViewDesc), object))
RELEASES_9(texture_view_11, cudaGetTextureObjectResourceViewDesc);
RELEASES_10(texture_view_11, cudaGetTextureObjectResourceViewDesc);
RELEASE_11(texture_view_11, cudaGetTextureObjectResourceViewDesc);
RELEASE_12(texture_view_11, cudaGetTextureObjectResourceViewDesc);
RELEASE_13(texture_view_13, cudaGetTextureObjectResourceViewDesc);

// --- graphs

#define INSTANTIATE_11 (struct graph_exec **out, struct graph *graph, struct node **bad, char *log, size_t size)
#define INSTANTIATE_12 (struct graph_exec **out, struct graph *graph, unsigned long long flags)
VERSION(cudaGraphInstantiate, graph_instantiate_11, INSTANTIATE_11, exec_instantiate_logged(out, graph_find(graph), bad, log, size))
VERSION(cudaGraphInstantiate, graph_instantiate_12, INSTANTIATE_12, exec_instantiate(out, graph_find(graph), flags))
RELEASE_11(graph_instantiate_11, cudaGraphInstantiate);
RELEASE_12(graph_instantiate_12, cudaGraphInstantiate);
RELEASE_13(graph_instantiate_12, cudaGraphInstantiate);

#define UPDATE_11 (struct graph_exec *exec, struct graph *graph, struct node **bad, int *result)
#define UPDATE_12 (struct graph_exec *exec, struct graph *graph, struct update_info *info)
VERSION(cudaGraphExecUpdate, graph_exec_update_11, UPDATE_11, exec_update_to(graph_exec_find(exec), graph_find(graph), NULL, bad, result))
VERSION(cudaGraphExecUpdate, graph_exec_update_12, UPDATE_12, exec_update_to(graph_exec_find(exec), graph_find(graph), info, NULL, NULL))
RELEASE_11(graph_exec_update_11, cudaGraphExecUpdate);
RELEASE_12(graph_exec_update_12, cudaGraphExecUpdate);
RELEASE_13(graph_exec_update_12, cudaGraphExecUpdate);

#define ADD_NODE_12 (struct node **out, struct graph *graph, struct node *const *after, size_t n, struct node_params *params)
#define ADD_NODE_13                                                                                                 \
	(struct node **out, struct graph *graph, struct node *const *after, const struct edge_data *data, size_t n, \
	 struct node_params *params)
VERSION(cudaGraphAddNode, graph_add_node_12, ADD_NODE_12, graph_add_node(out, graph, after, NULL, n, params))
VERSION(cudaGraphAddNode, graph_add_node_13, ADD_NODE_13, graph_add_node(out, graph, after, data, n, params))
RELEASE_12(graph_add_node_12, cudaGraphAddNode);
RELEASE_13(graph_add_node_13, cudaGraphAddNode);

// Until CUDA 13 edges had no data by these names.
#define EDGES_RELEASES(name, old, new) \
	RELEASE_11(old, name);         \
	RELEASE_12(old, name);         \
	RELEASE_13(new, name)

#define PAIRS struct graph *graph, struct node *const *from, struct node *const *to
VERSION(cudaGraphAddDependencies, graph_connect_11, (PAIRS, size_t n), graph_connect(graph_find(graph), from, to, NULL, n))
VERSION(cudaGraphAddDependencies, graph_connect_13, (PAIRS, const struct edge_data *data, size_t n),
        graph_connect(graph_find(graph), from, to, data, n))
VERSION(cudaGraphRemoveDependencies, graph_disconnect_11, (PAIRS, size_t n), graph_disconnect(graph_find(graph), from, to, NULL, n))
VERSION(cudaGraphRemoveDependencies, graph_disconnect_13, (PAIRS, const struct edge_data *data, size_t n),
        graph_disconnect(graph_find(graph), from, to, data, n))
EDGES_RELEASES(cudaGraphAddDependencies, graph_connect_11, graph_connect_13);
EDGES_RELEASES(cudaGraphRemoveDependencies, graph_disconnect_11, graph_disconnect_13);

#define EDGES struct graph *graph, struct node **from, struct node **to
VERSION(cudaGraphGetEdges, graph_edges_11, (EDGES, size_t *n), graph_edges(graph_find(graph), from, to, NULL, n, false))
VERSION(cudaGraphGetEdges, graph_edges_13, (EDGES, struct edge_data *data, size_t *n),
        graph_edges(graph_find(graph), from, to, data, n, true))
EDGES_RELEASES(cudaGraphGetEdges, graph_edges_11, graph_edges_13);

#define NEIGHBOURS_11 (struct node *node, struct node **out, size_t *n)
#define NEIGHBOURS_13 (struct node *node, struct node **out, struct edge_data *data, size_t *n)
VERSION(cudaGraphNodeGetDependencies, graph_before_11, NEIGHBOURS_11, node_neighbours(node_find(node), true, out, NULL, n, false))
VERSION(cudaGraphNodeGetDependencies, graph_before_13, NEIGHBOURS_13, node_neighbours(node_find(node), true, out, data, n, true))
VERSION(cudaGraphNodeGetDependentNodes, graph_after_11, NEIGHBOURS_11, node_neighbours(node_find(node), false, out, NULL, n, false))
VERSION(cudaGraphNodeGetDependentNodes, graph_after_13, NEIGHBOURS_13, node_neighbours(node_find(node), false, out, data, n, true))
EDGES_RELEASES(cudaGraphNodeGetDependencies, graph_before_11, graph_before_13);
EDGES_RELEASES(cudaGraphNodeGetDependentNodes, graph_after_11, graph_after_13);

// --- capture

#define INFO_11 (cudaStream_t stream, int *status, unsigned long long *id)
#define INFO_13                                                                                                                     \
	(cudaStream_t stream, int *status, unsigned long long *id, struct graph **graph, struct node *const **nodes,                \
	 const struct edge_data **data, size_t *n)
#define GET_INFO_11(stream) capture_get_info(stream, &(struct capture_info){.status = status, .id = id})
#define GET_INFO_13(stream) capture_get_info(stream, &(struct capture_info){status, id, graph, nodes, data, n})
VERSION(cudaStreamGetCaptureInfo, capture_info_11, INFO_11, GET_INFO_11(stream))
VERSION(cudaStreamGetCaptureInfo, capture_info_11_ptsz, INFO_11, GET_INFO_11(own(stream)))
VERSION(cudaStreamGetCaptureInfo, capture_info_13, INFO_13, GET_INFO_13(stream))
VERSION(cudaStreamGetCaptureInfo, capture_info_13_ptsz, INFO_13, GET_INFO_13(own(stream)))
EDGES_RELEASES(cudaStreamGetCaptureInfo, capture_info_11, capture_info_13);
EDGES_RELEASES(cudaStreamGetCaptureInfo_ptsz, capture_info_11_ptsz, capture_info_13_ptsz);

#define UPDATE_CAPTURE_11 (cudaStream_t stream, struct node *const *nodes, size_t n, unsigned flags)
#define UPDATE_CAPTURE_13 (cudaStream_t stream, struct node *const *nodes, const struct edge_data *data, size_t n, unsigned flags)
VERSION(cudaStreamUpdateCaptureDependencies, capture_update_11, UPDATE_CAPTURE_11, capture_update(stream, nodes, NULL, n, flags))
VERSION(cudaStreamUpdateCaptureDependencies, capture_update_11_ptsz, UPDATE_CAPTURE_11, capture_update(own(stream), nodes, NULL, n, flags))
VERSION(cudaStreamUpdateCaptureDependencies, capture_update_13, UPDATE_CAPTURE_13, capture_update(stream, nodes, data, n, flags))
VERSION(cudaStreamUpdateCaptureDependencies, capture_update_13_ptsz, UPDATE_CAPTURE_13, capture_update(own(stream), nodes, data, n, flags))
EDGES_RELEASES(cudaStreamUpdateCaptureDependencies, capture_update_11, capture_update_13);
EDGES_RELEASES(cudaStreamUpdateCaptureDependencies_ptsz, capture_update_11_ptsz, capture_update_13_ptsz);

__attribute__((constructor)) static void start(void) { patch_static_runtime(); }

// The runtime's own version is that of the program's runtime, as far as it can be told.
CUDA_EXPORT cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version)
{
	int release = patch_static_release();
	if (!GUARD_OUT(version))
		return cu_remember(cudaErrorInvalidValue, CU_CALLER);
	*version = release == 11 ? 11080 : release == 12 ? 12080 : CUDA_VERSION_REPORTED;
	return cudaSuccess;
}
