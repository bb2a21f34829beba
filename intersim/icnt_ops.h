// What a kind of network provides: one constant table each (xbar.c, noc.c), chosen in icnt.c. The meaning of each entry
// is that of the function of the same name in icnt.h.
#ifndef INTERSIM_ICNT_OPS_H
#define INTERSIM_ICNT_OPS_H

#include "intersim/icnt.h"

#include "base/mem.h"

struct icnt_ops {
	void (*free)(struct icnt *);
	bool (*has_room)(const struct icnt *, enum icnt_net, unsigned src, unsigned bytes);
	unsigned (*room)(const struct icnt *, enum icnt_net, unsigned src, unsigned bytes);
	void (*count_refused)(struct icnt *, enum icnt_net, uint64_t times);
	void (*put)(struct icnt *, enum icnt_net, unsigned src, unsigned dst, void *packet, unsigned bytes, bool write);
	unsigned (*enter)(struct icnt *, enum icnt_net, unsigned src, unsigned keep); // returns how many entered
	void *(*peek)(const struct icnt *, enum icnt_net, unsigned dst);
	void *(*take)(struct icnt *, enum icnt_net, unsigned dst);
	// Returns how many were taken; calls icnt_empty() if nothing is left.
	unsigned (*leave)(struct icnt *, enum icnt_net, unsigned dst);
	// Of that network; without icnt.apart of both, and asked for ICNT_REQUEST alone.
	bool (*tick)(struct icnt *, enum icnt_net);
	void (*skip)(struct icnt *, enum icnt_net, uint64_t cycles);
	bool (*moving)(const struct icnt *, enum icnt_net);
	void (*begin)(struct icnt *);
	void (*print)(struct icnt *, void (*put)(void *, const char *), void *ctx);
	void (*describe)(const struct icnt *, void (*put)(void *, const char *), void *ctx);
};

// The first member of every network.
struct icnt {
	const struct icnt_ops *ops;
	bool apart;      // see icnt_apart()
	unsigned n_cluster, n_mem;
	// Per network: both may be told of packets at the same time, if they are apart.
	struct {
		_Alignas(64) struct icnt_count count;
	} total[2];
	uint64_t *arrived[2]; // per network a mask of sinks with a packet to pop, see icnt_arrive() and icnt_empty()
	uint64_t *drained[2]; // per network a mask of sources, see icnt_drained()
};

// Makes the masks, once the numbers of nodes are there.
static inline void icnt_init(struct icnt *n)
{
	n->arrived[ICNT_REQUEST] = mem_alloc_lines((n->n_mem + 63) / 64 * sizeof(uint64_t));
	n->arrived[ICNT_REPLY] = mem_alloc_lines((n->n_cluster + 63) / 64 * sizeof(uint64_t));
	n->drained[ICNT_REQUEST] = mem_alloc_lines((n->n_cluster + 63) / 64 * sizeof(uint64_t));
	n->drained[ICNT_REPLY] = mem_alloc_lines((n->n_mem + 63) / 64 * sizeof(uint64_t));
}

// A packet has arrived at a sink.
static inline void icnt_arrive(struct icnt *n, enum icnt_net net, unsigned dst)
{
	n->arrived[net][dst / 64] |= 1ull << (dst % 64);
}

// The last packet at a sink has left.
static inline void icnt_empty(struct icnt *n, enum icnt_net net, unsigned dst)
{
	n->arrived[net][dst / 64] &= ~(1ull << (dst % 64));
}

// Something has left the input of a source.
static inline void icnt_drain(struct icnt *n, enum icnt_net net, unsigned src)
{
	n->drained[net][src / 64] |= 1ull << (src % 64);
}

struct icnt *xbar_new(const struct options *o, unsigned n_cluster, unsigned n_mem, struct diag *d);
// `path` names the .icnt file.
struct icnt *noc_new(const char *path, unsigned n_cluster, unsigned n_mem, struct diag *d);

#endif
