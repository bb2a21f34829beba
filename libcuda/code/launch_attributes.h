// Attributes of launches: cudaLaunchAttribute and CUlaunchAttribute, which are alike.
#ifndef LIBCUDA_CODE_LAUNCH_ATTRIBUTES_H
#define LIBCUDA_CODE_LAUNCH_ATTRIBUTES_H

#include "libcuda/context/context.h"

// What a launch's attributes ask for beyond hints.
struct launch_attributes {
	bool cooperative;
	struct dim3 cluster; // all 0: none is asked for
	bool programmatic;
	unsigned n_events;
	struct launch_event {
		cudaEvent_t event; // to be recorded behind the launch
		unsigned flags, port; // as event_record_from has them
	} event[2];
};

// Reads `n` attributes of a launch. cudaErrorInvalidValue for what no launch can have, or can't be read, cudaErrorInvalidClusterSize for
// a cluster that can't be; each with a message. Whether the kernel can have the cluster is seen when it is launched.
cudaError_t launch_attributes_read(struct launch_attributes *out, const struct cudaLaunchAttribute *attrs, unsigned n);

// Records the events in the stream of the launch.
cudaError_t launch_attributes_record(const struct launch_attributes *a, cudaStream_t stream);

#endif
