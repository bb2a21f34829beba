// Attributes of launches: cudaLaunchAttribute and CUlaunchAttribute, which are alike.
#ifndef LIBCUDA_CODE_LAUNCH_ATTRIBUTES_H
#define LIBCUDA_CODE_LAUNCH_ATTRIBUTES_H

#include "libcuda/context/context.h"

// What a launch's attributes ask for beyond hints.
struct launch_attributes {
	bool cooperative;
	unsigned n_events;
	cudaEvent_t event[2]; // to be recorded behind the launch
};

// Reads `n` attributes of a launch of `grid`. cudaErrorInvalidValue for what no launch can have, or can't be read,
// cudaErrorInvalidClusterSize, cudaErrorNotSupported for clusters of more than one block; each with a message.
cudaError_t launch_attributes_read(struct launch_attributes *out, const struct cudaLaunchAttribute *attrs, unsigned n,
                                   const struct dim3 *grid);

// Records the events in the stream of the launch.
cudaError_t launch_attributes_record(const struct launch_attributes *a, cudaStream_t stream);

#endif
