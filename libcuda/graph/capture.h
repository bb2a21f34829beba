// Capture: what a program puts into streams becomes a graph. work/capture.h is what streams and events know of it.
//
// A capture begins in one stream. Others join it by waiting for an event that was recorded in it, and must have come back to the first
// one, by events, when it ends. A call that it does not allow is refused and makes it invalid; it then ends with that.
#ifndef LIBCUDA_GRAPH_CAPTURE_H
#define LIBCUDA_GRAPH_CAPTURE_H

#include "libcuda/graph/graph.h"

#include <stdbool.h>

struct stream;

enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED }; // cudaStreamCaptureMode
enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };     // cudaStreamCaptureStatus

cudaError_t capture_begin(cudaStream_t stream, int mode);
cudaError_t capture_begin_to_graph(cudaStream_t stream, struct graph *g, struct node *const *after, const struct edge_data *data, size_t n,
                                   int mode);
cudaError_t capture_end(cudaStream_t stream, struct graph **out);

cudaError_t capture_status(cudaStream_t stream, int *status);

// What cudaStreamGetCaptureInfo tells; each place may be NULL but `status`. Lists stay until the next call for the stream.
struct capture_info {
	int *status;
	unsigned long long *id;
	struct graph **graph;
	struct node *const **nodes;
	const struct edge_data **data;
	size_t *n;
};
cudaError_t capture_get_info(cudaStream_t stream, const struct capture_info *out);
cudaError_t capture_update(cudaStream_t stream, struct node *const *nodes, const struct edge_data *data, size_t n, unsigned flags);
cudaError_t capture_exchange_mode(int *mode);

// Adds a graph as a child graph: one is launched in a stream that is capturing.
cudaError_t capture_graph(struct stream *s, const struct graph *g);

// What a call of the API may do while some stream is capturing, by its name.
cudaError_t capture_permits(const char *api);

void captures_reset(void);

#endif
