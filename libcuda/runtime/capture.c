// Capture: what libcuda/graph/capture.h does, by the runtime's names.
#include "libcuda/graph/capture.h"

#include "libcuda/runtime/api.h"

API_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, int mode), capture_begin(stream, mode))
API_STREAM(cudaStreamBeginCaptureToGraph,
           (cudaStream_t stream, struct graph *graph, struct node *const *after, const struct edge_data *data, size_t n, int mode),
           capture_begin_to_graph(stream, graph_find(graph), after, data, n, mode))
API_STREAM(cudaStreamEndCapture, (cudaStream_t stream, struct graph **graph), capture_end(stream, graph))
API_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, int *status), capture_status(stream, status))
API(cudaThreadExchangeStreamCaptureMode, (int *mode), capture_exchange_mode(mode))

// The forms of CUDA 11.3 and 12.3, by the names of these releases.
API_STREAM(cudaStreamGetCaptureInfo_v2,
           (cudaStream_t stream, int *status, unsigned long long *id, struct graph **graph, struct node *const **nodes, size_t *n),
           capture_get_info(stream, &(struct capture_info){status, id, graph, nodes, NULL, n}))
API_STREAM(cudaStreamGetCaptureInfo_v3,
           (cudaStream_t stream, int *status, unsigned long long *id, struct graph **graph, struct node *const **nodes,
            const struct edge_data **data, size_t *n),
           capture_get_info(stream, &(struct capture_info){status, id, graph, nodes, data, n}))
API_STREAM(cudaStreamUpdateCaptureDependencies_v2,
           (cudaStream_t stream, struct node *const *nodes, const struct edge_data *data, size_t n, unsigned flags),
           capture_update(stream, nodes, data, n, flags))
