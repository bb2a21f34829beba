// Clusters: CTAs that run at the same time and reach each other's shared memory.
//
// An address of shared memory names a CTA of the cluster in its bits from EXEC_RANK_SHIFT on, and an offset below. In machine code
// these bits are the CTA's rank. In PTX they are the rank plus 1, as mapa makes them, and 0 is the CTA's own memory: so the
// addresses of a CTA's variables are the same for each CTA of a grid. A generic address is SHARED_WINDOW plus such an address; cvta
// gives it the CTA's own rank, so that others can use it.
//
// What a CTA does to another one's memory, its own SM sees like all others at the end of the cycle: such instructions are ordered
// (isa/effects.h). The memory of a CTA of which all threads have exited is gone.
//
// The barrier of the cluster (barrier.cluster): a phase is complete when all threads of the cluster that have not exited have arrived. A
// thread arrives, and waits later; it cannot arrive again before it has waited. A CTA without a cluster has one of its own.
#ifndef CUDA_SIM_EXEC_CLUSTER_H
#define CUDA_SIM_EXEC_CLUSTER_H

#include "cuda-sim/exec/warp.h"

enum { EXEC_RANK_SHIFT = 24 };
#define EXEC_RANK_OFFSET ((1u << EXEC_RANK_SHIFT) - 1)

// uop.x[0] of what the keeper of a warp gives to exec_cluster_step.
enum exec_cluster_op { EXEC_CLUSTER_ARRIVE, EXEC_CLUSTER_WAIT };

// The CTAs that `slots` holds, of ranks 0 to n - 1, which have started and not executed anything, are a cluster from now on.
struct exec_slots;
void exec_cluster_join(struct exec_slots *slots, struct exec_cta *const cta[], uint32_t n);
// A CTA of a cluster has ended.
void exec_cluster_leave(struct exec_slots *slots, struct exec_cta *c);

// Lanes of `mask` arrive at the barrier of the cluster, or wait there. False if they have to wait, in place of a barrier at EXEC_AT_CLUSTER,
// or after a fault.
bool exec_cluster_step(struct warp *w, const struct uop *u, uint32_t mask);
// Lanes of the CTA have exited: others need not wait for them.
void exec_cluster_exits(struct exec_cta *c);

// No warp of the CTA has found anything to do in its last turn, this one's included, and none of its cluster has; or that has been so of
// the CTA alone for long.
bool exec_cluster_idle(const struct exec_cta *c);
// No warp of another CTA of the cluster can run.
bool exec_cluster_waits(const struct exec_cta *c);
// A warp of `by` has let warps of `to`, a CTA of its cluster, go on. Who executes them learns of it from exec_cluster.opened.
void exec_cluster_opened(const struct exec_cta *by, struct exec_cta *to);

// Where the lanes of an access to shared memory, with its window or without, lie in the memory of the cluster: adr[] of the lanes of
// `mask`, `bytes` each; those of others equal that of the first. False after a fault.
bool exec_cluster_access(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, uint32_t bytes, bool write, uint64_t adr[WARP]);

// "waits at the barrier of the cluster (96 of 128 threads have come; missing: block (1,0,0) warp 1)".
void exec_cluster_describe(const struct exec_cta *c, char *buf, size_t len);

// The CTA of that rank; NULL if the cluster has none, or all threads of it have exited.
static inline struct exec_cta *exec_cluster_at(const struct exec_cta *c, uint32_t rank)
{
	struct exec_cta *to = c->cluster ? rank < c->cluster->n ? c->cluster->cta[rank] : NULL : rank ? NULL : (struct exec_cta *)c;
	return to && to->live_threads ? to : NULL;
}

// The ranks of those that there are, a bit each.
static inline uint32_t exec_cluster_ranks(const struct exec_cta *c)
{
	uint32_t there = 0;
	for (uint32_t k = 0; k < EXEC_CLUSTER_MAX; k++)
		there |= (uint32_t)(exec_cluster_at(c, k) != NULL) << k;
	return there;
}

// The CTA whose shared memory an address without window names, and the offset in it. NULL if the cluster has no such CTA, or all threads
// of it have exited.
static inline struct exec_cta *exec_cluster_find(const struct exec_cta *c, uint32_t address, uint32_t *offset)
{
	const uint32_t named = address >> EXEC_RANK_SHIFT;
	*offset = address & EXEC_RANK_OFFSET;
	if (!c->cluster || (!named && !c->bank)) // a CTA of PTX has no constant banks
		return named > 1 || (named && c->bank) ? NULL : (struct exec_cta *)c;
	return exec_cluster_at(c, c->bank ? named : named - 1);
}

// True if an address of shared memory, with its window or without, names a CTA of the cluster of which all threads have exited.
static inline bool exec_cluster_gone(const struct exec_cta *c, uint64_t address)
{
	const uint32_t named = (uint32_t)address >> EXEC_RANK_SHIFT, rank = c->bank ? named : named - 1;
	return c->cluster && (c->bank || named) && rank < c->cluster->n && !exec_cluster_at(c, rank);
}

// The rank that an address without window names; -1: that of the CTA itself.
static inline int exec_cluster_rank(const struct exec_cta *c, uint32_t address)
{
	const uint32_t named = address >> EXEC_RANK_SHIFT;
	const int rank = c->bank ? (int)named : (int)named - 1;
	return rank == (int)c->rank ? -1 : rank;
}

#endif
