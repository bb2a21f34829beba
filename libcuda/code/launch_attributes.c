#include "libcuda/code/launch_attributes.h"

#include "libcuda/code/cluster.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/event_calls.h"

#include <string.h>

// cudaLaunchAttributeID. Those that a launch can have and that are not below are hints, or ask for what is always so here.
enum {
	COOPERATIVE = 2, SYNC_POLICY = 3, CLUSTER = 4, CLUSTER_POLICY = 5, PROGRAMMATIC_SERIALIZATION = 6, PROGRAMMATIC_EVENT = 7,
	PREFERRED_CLUSTER = 11, COMPLETION_EVENT = 12, UPDATABLE_NODE = 13, NO_ATTRIBUTE = 15, LAST_ATTRIBUTE = 16
};

static bool of_launches(int id) { return id >= 0 && id <= LAST_ATTRIBUTE && id != SYNC_POLICY && id != NO_ATTRIBUTE; }

static cudaError_t take_cluster(struct launch_attributes *out, const struct dim3 *d)
{
	if (!d->x || !d->y || !d->z) {
		cu_complain("a cluster of (%u,%u,%u) blocks may have no 0", d->x, d->y, d->z);
		return cudaErrorInvalidClusterSize;
	}
	out->cluster = *d;
	return cudaSuccess;
}

// A hint, of which nothing comes here: a size that clusters of the usual size make up whole.
static cudaError_t check_preferred(const struct launch_attributes *a, const struct dim3 *d)
{
	const struct dim3 *c = &a->cluster;
	if (!c->x || (d->x && d->y && d->z && d->x % c->x == 0 && d->y % c->y == 0 && d->z == c->z))
		return cudaSuccess;
	cu_complain("preferred clusters of (%u,%u,%u) blocks are not made up of clusters of (%u,%u,%u)", d->x, d->y, d->z, c->x, c->y, c->z);
	return cudaErrorInvalidClusterSize;
}

// An event that may complete when the blocks have begun, or reached a point, completes with the launch here: later, but never too early.
static cudaError_t take_event(struct launch_attributes *out, const struct cudaLaunchAttribute *a)
{
	struct {
		cudaEvent_t event;
		int flags, at_start; // at_start: of PROGRAMMATIC_EVENT only
	} given;
	if (out->n_events == 2)
		return cudaErrorInvalidValue;
	memcpy(&given, a->val.bytes, sizeof given);
	const bool begun = a->id == COMPLETION_EVENT || given.at_start;
	out->event[out->n_events++] = (struct launch_event){given.event, (unsigned)given.flags, begun ? PORT_BEGUN : PORT_PROGRAMMATIC};
	return cudaSuccess;
}

cudaError_t launch_attributes_read(struct launch_attributes *out, const struct cudaLaunchAttribute *attrs, unsigned n)
{
	cudaError_t e = cudaSuccess;
	struct dim3 preferred = {0};
	bool prefers = false;
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
		case CLUSTER: e = take_cluster(out, &a.val.cluster); break;
		case CLUSTER_POLICY: e = cluster_policy_ok(a.val.cooperative) ? cudaSuccess : cudaErrorInvalidValue; break;
		case PREFERRED_CLUSTER: preferred = a.val.cluster, prefers = true; break;
		case PROGRAMMATIC_SERIALIZATION: out->programmatic = a.val.cooperative; break;
		case PROGRAMMATIC_EVENT:
		case COMPLETION_EVENT: e = take_event(out, &a); break;
		case UPDATABLE_NODE: e = a.val.cooperative ? cudaErrorNotSupported : cudaSuccess; break; // kernels change no graphs
		}
	}
	return !e && prefers ? check_preferred(out, &preferred) : e;
}

cudaError_t launch_attributes_record(const struct launch_attributes *a, cudaStream_t stream)
{
	cudaError_t e = cudaSuccess;
	for (unsigned i = 0; i < a->n_events && !e; i++)
		e = event_record_from(a->event[i].event, stream, a->event[i].flags, a->event[i].port);
	return e;
}
