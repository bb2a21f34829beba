// Clusters of CTAs: all of one start together, on the SMs of one GPC, and wake each other. (Elsewhere here a cluster is one of SMs, which
// share a way into the network.)
#include "gpgpu-sim/gpu/timing_internal.h"

uint32_t timing_cluster_ctas(const struct timing *t, const struct kernel_launch *l, uint32_t most)
{
	const uint32_t n = isa_cluster_ctas(l);
	const uint64_t clusters = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] / n;
	uint32_t least = most;
	if (!l->cluster[0] || !gpu_desc_clusters(&t->desc, most, n))
		return l->cluster[0] ? 0 : most;
	while (least > 1 && gpu_desc_clusters(&t->desc, least - 1, n) >= clusters)
		least--;
	return least;
}

// CTAs of k that SM i could take.
static uint32_t room(const struct timing *t, unsigned i, const struct kernel_run *k)
{
	const struct sm *m = &t->sm[i];
	const bool other = !t->core.concurrent_kernels && m->kernel != k && (kernel_run_more(m->kernel) || m->threads);
	return other ? 0 : sm_room(m, k);
}

// Of the SMs [from, to) one with room that has the fewest CTAs, the first from `sm` on.
static unsigned emptiest(const struct timing *t, unsigned from, unsigned to, unsigned sm, const struct kernel_run *k)
{
	unsigned best = to;
	for (unsigned n = 0; n < to - from; n++) {
		const unsigned i = from + (sm - from + n) % (to - from);
		if (room(t, i, k) && (best == to || t->sm[i].n_cta < t->sm[best].n_cta))
			best = i;
	}
	return best;
}

bool timing_launch_cluster(struct timing *t, unsigned sm, struct kernel_run *k)
{
	const unsigned from = sm / t->desc.sms_per_gpc * t->desc.sms_per_gpc, end = from + t->desc.sms_per_gpc;
	const unsigned to = end < t->core.n_sm ? end : t->core.n_sm;
	const uint32_t n = isa_cluster_ctas(k->launch);
	struct fe_cta *cta[ISA_CLUSTER_MAX];
	uint64_t places = 0;
	for (unsigned i = from; i < to; i++)
		places += room(t, i, k);
	if (places < n || k->n_free_slot < n)
		return false;
	for (uint32_t r = 0; r < n; r++) {
		const unsigned i = emptiest(t, from, to, sm, k);
		HEDDLE_ASSERT(i < to);
		timing_bind(t, i, k);
		cta[r] = timing_start_cta(t, i, k)->fe;
	}
	if (k->launch->fe->cluster_join)
		k->launch->fe->cluster_join(k->slots, cta, n);
	return true;
}

void timing_wake_cluster(struct timing *t, const struct kernel_run *k, uint32_t cluster)
{
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct sm *m = &t->sm[i];
		for (unsigned c = 0; m->n_cta && c < CORE_MAX_CTAS; c++) {
			if (!m->cta[c].threads_left || m->cta[c].k != k || m->cta[c].cluster != cluster)
				continue;
			sm_catch_up(m, t->cycle + 1);
			sm_cta_warps_moved(m, c);
			timing_wake(t, i);
		}
	}
}
