// Capture: what libcuda/graph/capture.h does, by the driver's names.
#include "libcuda/graph/capture.h"

#include "libcuda/driver/driver.h"

DRIVER_STREAM(cuStreamBeginCapture, (cudaStream_t stream), capture_begin(stream, CAPTURE_GLOBAL))
DRIVER_STREAM(cuStreamBeginCapture_v2, (cudaStream_t stream, int mode), capture_begin(stream, mode))
DRIVER_STREAM(cuStreamBeginCaptureToGraph,
              (cudaStream_t stream, struct graph *graph, struct node *const *after, const struct edge_data *data, size_t n, int mode),
              capture_begin_to_graph(stream, graph_find(graph), after, data, n, mode))
DRIVER_STREAM(cuStreamEndCapture, (cudaStream_t stream, struct graph **graph), capture_end(stream, graph))
DRIVER_STREAM(cuStreamIsCapturing, (cudaStream_t stream, int *status), capture_status(stream, status))
DRIVER(cuThreadExchangeStreamCaptureMode, (int *mode), capture_exchange_mode(mode))

#define INFO_START cudaStream_t stream, int *status, unsigned long long *id
DRIVER_STREAM(cuStreamGetCaptureInfo, (INFO_START), capture_get_info(stream, &(struct capture_info){.status = status, .id = id}))
DRIVER_STREAM(cuStreamGetCaptureInfo_v2, (INFO_START, struct graph **graph, struct node *const **nodes, size_t *n),
              capture_get_info(stream, &(struct capture_info){status, id, graph, nodes, NULL, n}))
DRIVER_STREAM(cuStreamGetCaptureInfo_v3,
              (INFO_START, struct graph **graph, struct node *const **nodes, const struct edge_data **data, size_t *n),
              capture_get_info(stream, &(struct capture_info){status, id, graph, nodes, data, n}))

#define UPDATE_START cudaStream_t stream, struct node *const *nodes
DRIVER_STREAM(cuStreamUpdateCaptureDependencies, (UPDATE_START, size_t n, unsigned flags), capture_update(stream, nodes, NULL, n, flags))
DRIVER_STREAM(cuStreamUpdateCaptureDependencies_v2, (UPDATE_START, const struct edge_data *data, size_t n, unsigned flags),
              capture_update(stream, nodes, data, n, flags))
