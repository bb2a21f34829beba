#include "libcuda/code/launch_attributes.h"

#include "libcuda/context/guard.h"
#include "libcuda/work/event_calls.h"

#include <string.h>

// cudaLaunchAttributeID. Those that a launch can have and that are not below are hints, or ask for what is always so here.
enum {
	COOPERATIVE = 2, SYNC_POLICY = 3, CLUSTER = 4, PROGRAMMATIC_EVENT = 7, COMPLETION_EVENT = 12, UPDATABLE_NODE = 13, NO_ATTRIBUTE = 15,
	LAST_ATTRIBUTE = 16
};

static bool of_launches(int id) { return id >= 0 && id <= LAST_ATTRIBUTE && id != SYNC_POLICY && id != NO_ATTRIBUTE; }

static cudaError_t check_cluster(const struct dim3 *d, const struct dim3 *grid)
{
	if (!d->x || !d->y || !d->z || grid->x % d->x || grid->y % d->y || grid->z % d->z) {
		cu_complain("a cluster of (%u,%u,%u) blocks does not divide the grid (%u,%u,%u)", d->x, d->y, d->z, grid->x, grid->y,
		            grid->z);
		return cudaErrorInvalidClusterSize;
	}
	if (d->x == 1 && d->y == 1 && d->z == 1)
		return cudaSuccess;
	cu_complain("thread block clusters of more than one block are not supported by this version");
	return cudaErrorNotSupported;
}

// An event that may complete when the blocks have begun, or reached a point, completes with the launch here: later, but never too early.
static cudaError_t take_event(struct launch_attributes *out, const struct cudaLaunchAttribute *a)
{
	if (out->n_events == 2)
		return cudaErrorInvalidValue;
	memcpy(&out->event[out->n_events++], a->val.bytes, sizeof *out->event);
	return cudaSuccess;
}

cudaError_t launch_attributes_read(struct launch_attributes *out, const struct cudaLaunchAttribute *attrs, unsigned n,
                                   const struct dim3 *grid)
{
	cudaError_t e = cudaSuccess;
	memset(out, 0, sizeof *out);
	if (n && !attrs)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < n && !e; i++) {
		struct cudaLaunchAttribute a;
		if (!guard_read(&a, &attrs[i], sizeof a) || !of_launches(a.id)) {
			cu_complain("attribute %u of %u at %p is none that a launch can have", i + 1, n, (void *)&attrs[i]);
			return cudaErrorInvalidValue;
		}
		switch (a.id) {
		case COOPERATIVE: out->cooperative = a.val.cooperative; break;
		case CLUSTER: e = check_cluster(&a.val.cluster, grid); break;
		case PROGRAMMATIC_EVENT:
		case COMPLETION_EVENT: e = take_event(out, &a); break;
		case UPDATABLE_NODE: e = a.val.cooperative ? cudaErrorNotSupported : cudaSuccess; break; // kernels change no graphs
		}
	}
	return e;
}

cudaError_t launch_attributes_record(const struct launch_attributes *a, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;
	for (unsigned i = 0; i < a->n_events && !e; i++)
		e = event_record(a->event[i], stream, 0);
	return e;
}
