// The flit-level network: shared declarations of noc*.c.
//
//   noc_config.c    the .icnt file
//   noc_topology.c  routers, ports and links of each topology
//   noc_route.c     routing functions
//   noc_alloc.c     allocators of virtual channels and of the switch
//   noc_router.c    the pipeline of an input-queued router
//   noc.c           injection, ejection, the clock; the functions of icnt.h
//   noc_stats.c     statistics and reports
//
// One cycle: flits that arrive at nodes are put into ejection buffers and from there, as room allows, into the boundary
// buffers that icnt_pop() empties; routers receive flits and credits; each node injects at most one flit; routers run
// (internal_speedup times) and send. What is sent in cycle t over a link of latency L is received in cycle t + 1 + L.
#ifndef INTERSIM_NOC_H
#define INTERSIM_NOC_H

#include "base/ring.h"
#include "intersim/bits.h"
#include "intersim/icnt_ops.h"
#include "intersim/noc_alloc.h"
#include "intersim/noc_config.h"

enum { NOC_MAX_DIMENSIONS = 8, NOC_MAX_HOPS = NOC_MAX_DIMENSIONS + 1 };
enum noc_kind { NOC_READ_REQUEST, NOC_WRITE_REQUEST, NOC_READ_REPLY, NOC_WRITE_REPLY, NOC_KINDS };
enum noc_priority {
	NOC_PRI_NONE, // also "class" and "sequence": all of the GPU's packets are alike there
	NOC_PRI_AGE,
	NOC_PRI_NETWORK_AGE,
	NOC_PRI_LOCAL_AGE,
	NOC_PRI_QUEUE_LENGTH,
	NOC_PRI_HOP_COUNT,
};

// Where a packet may go next: an output and a range of virtual channels on its link.
struct noc_hop {
	int16_t port;
	uint8_t vc0, vc1;
	int16_t pri; // higher is better
};
struct noc_hops {
	unsigned n;
	struct noc_hop at[NOC_MAX_HOPS];
};

struct noc_flit {
	void *packet;
	uint64_t id, pid;
	uint64_t created, injected; // cycles
	uint32_t src, dst;          // nodes
	uint32_t via;               // node or router between, for routing in two phases
	int32_t pri;
	uint32_t next_free;
	uint16_t hops;
	uint8_t vc, kind;
	int8_t phase;
	bool head, tail;
	struct noc_hops route; // head: at the router that it is in or, with look-ahead routing, goes to
};

struct noc_ring { // of flits
	RING(uint32_t);
};

// A link, or the wire of its credits: things in flight with the cycle in which they are received.
struct noc_pipe_item {
	uint64_t when, item; // a flit, or a mask of virtual channels
};
struct noc_pipe {
	RING(struct noc_pipe_item);
	uint32_t latency;
	uint64_t sent; // statistics
};

// What a sender knows of the buffers at the other end of its link.
struct noc_credits {
	uint32_t *used; // per virtual channel
	uint32_t total;
	uint32_t limit; // per virtual channel
	uint64_t taken; // virtual channels held by a packet
	uint64_t tail_sent;
};

enum noc_vc_state { NOC_IDLE, NOC_ROUTING, NOC_VC_ALLOC, NOC_ACTIVE };
struct noc_vc {
	struct noc_ring q; // flits
	enum noc_vc_state state;
	int16_t out_port, out_vc;
};

struct noc_job {
	uint64_t when; // cycle in which it is done; NOC_NOT_STARTED before
	uint16_t in, vc;
	int32_t result; // -1: nothing granted
};
#define NOC_NOT_STARTED UINT64_MAX
struct noc_jobs {
	RING(struct noc_job);
};

struct noc_crossing {
	uint64_t when;
	uint32_t flit, out;
};

struct noc_late_credit {
	uint64_t when, vcs;
	uint32_t out;
};

struct noc_router {
	unsigned id, n_in, n_out;
	uint32_t in_link, out_base; // of input 0: its link; of output 0: its credit wire
	struct noc_vc *vc;          // [n_in][num_vcs]
	struct noc_credits *credits; // [n_out]
	struct noc_alloc *vc_alloc, *sw_alloc;
	struct noc_jobs routing, vc_jobs, sw_jobs, held;
	RING(struct noc_crossing) crossing;
	struct noc_ring *out_queue; // [n_out] flits
	struct noc_credit_queue {
		RING(uint64_t);
	} *credit_queue;            // [n_in] masks of virtual channels
	uint64_t *step_credits;     // [n_in] virtual channels freed in this step
	uint64_t *freed_inputs;     // mask of inputs of step_credits
	uint64_t *outs_waiting;     // mask of outputs with flits queued
	uint64_t *ins_waiting;      // mask of inputs with credits queued
	RING(struct noc_late_credit) late; // credits in their credit_delay
	uint32_t *sw_offset;        // [n_in * input_speedup] virtual channel to prefer
	int32_t *hold_vc, *hold_in, *hold_out; // switch connections held for a packet
	bool active;
};

// A topology, before and while it is built into a net. Port numbers are those that routing functions use.
struct noc_graph {
	unsigned n_node, n_router;
	unsigned *n_in, *n_out; // ports per router
	struct noc_link {
		int32_t from, from_port; // router -1: node from_port injects
		int32_t to, to_port;     // router -1: node to_port receives
		uint32_t latency;
	} *link;
	size_t n_link, cap_link;
	// for routing functions
	unsigned k, n, c, xcount, xrouter, yrouter;
	unsigned groups, group_routers; // dragonfly
	unsigned routers_per_level;     // fat tree, and routers per stage of a fly
	uint16_t *table;                // anynet: [router][node] output
	struct arena *arena;
};

struct noc_stat {
	uint64_t n;
	double sum, min, max;
};

struct noc;
struct noc_net;
typedef void noc_route_fn(const struct noc *, struct noc_net *, unsigned router, struct noc_flit *, unsigned in_port,
                          struct noc_hops *);

struct noc_queued {
	void *packet;
	uint64_t id, pid, created; // id: of the first flit
	uint32_t dst, flits, sent;
	uint8_t kind;
};

struct noc_out {
	void *packet;
	uint32_t flits;
};

struct noc_node {
	// injection
	RING(struct noc_queued) queue; // packets; the first may be partly injected
	uint32_t n_put;    // packets at the end of the queue that have not entered (icnt_put)
	uint32_t n_taken;  // that have not left (icnt_take)
	uint32_t q_flits;  // not yet injected
	int32_t vc;        // of the packet being injected, or -1
	int32_t last_vc;
	struct noc_credits credits; // of the first router's input
	// ejection, per virtual channel
	struct noc_eject {
		struct noc_ring q; // flits that arrived
		RING(struct noc_out) out; // complete packets in the boundary buffer
		uint32_t out_flits; // in the boundary buffer, of the packet still arriving too
		uint32_t partial;
		uint64_t head_at, head_injected, head_created, head_id; // of the packet that is being taken out
	} *eject;
	struct noc_ring done; // flits in the boundary buffer whose credit has not gone back
	uint32_t turn;        // virtual channel for icnt_pop to look at first
};

struct noc_net {
	struct noc_node *node;
	struct noc_router *router;
	struct noc_pipe *link;     // [n_link_in] to router inputs, then one to each node
	struct noc_pipe *wire;     // [n_wire_in] credits to router outputs, then one to each node
	uint32_t *link_of_out;     // per output: index of its link
	uint32_t *wire_of_in;      // per input: index of its credit wire
	uint32_t *router_of_in, *port_of_in;   // per router input
	uint32_t *router_of_out, *port_of_out; // per router output
	uint32_t *inject_link, *eject_wire;    // per node
	unsigned n_link_in, n_wire_in;         // router inputs, router outputs
	uint64_t *links_busy, *wires_busy, *nodes_queued, *nodes_ejecting, *routers_busy; // masks
	struct noc_flit *flit;
	uint32_t n_flit, flits_made, free_flit; // pool; flits_made were ever used
	uint32_t *retired; // flits taken out in this cycle, by node
	uint32_t n_retired;
	uint64_t flits_inside, credits_inside; // in the network; being sent back
	uint64_t random;
};

struct noc {
	struct icnt icnt;
	struct arena arena;
	struct noc_config config;
	struct noc_graph graph;
	enum noc_priority priority;
	noc_route_fn *route;
	bool in_order; // packets of a pair of nodes arrive in the order of their injection
	unsigned n_net, vcs;
	struct noc_net net[2];
	uint8_t vc0[NOC_KINDS], vc1[NOC_KINDS];
	uint32_t *node_of_cluster, *node_of_mem;
	uint32_t *sink_of_node; // 2 * number, plus 1 for a cluster
	uint32_t input_limit, boundary_limit, flit_size;
	unsigned crossbar_delay;
	uint64_t speedup, phase; // internal cycles per cycle and the part left over, in 2^-32
	uint64_t cycle, moved;
	// statistics of the kernels since icnt_begin()
	uint64_t next_flit, next_packet, started;
	struct noc_stat packet_latency, network_latency, flit_latency, fragmentation, hops;
	int64_t slowest_flit, slowest_packet;
	uint64_t *sent_packets, *sent_flits, *taken_packets, *taken_flits; // per node
	struct noc_overall {
		double min, avg, max;
	} overall[8];
	double overall_hops;
	uint64_t samples;
};

enum { NOC_NO_FLIT = UINT32_MAX };

// noc_topology.c. Errors name the topology's parameters; `dir` is where a network_file may lie (NULL: only here).
bool noc_topology_build(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d);

// noc_route.c: the function, or NULL after an error; also sets noc.in_order.
noc_route_fn *noc_route_find(struct noc *n, struct diag *d);
// What a node may inject into: the virtual channels of the kind.
void noc_route_inject(const struct noc *n, struct noc_net *net, unsigned kind, unsigned *vc0, unsigned *vc1);
// 0..max
unsigned noc_random(struct noc_net *net, unsigned max);

// noc_router.c
void noc_router_init(struct noc *n, struct noc_net *net, struct noc_router *r);
void noc_router_flit(struct noc *n, struct noc_net *net, struct noc_router *r, unsigned in, uint32_t flit);
void noc_router_credit(struct noc *n, struct noc_router *r, unsigned out, uint64_t vcs);
void noc_router_step(struct noc *n, struct noc_net *net, struct noc_router *r);
bool noc_router_send(struct noc *n, struct noc_net *net, struct noc_router *r); // true if more waits

// noc_stats.c
void noc_stat_add(struct noc_stat *s, double v);
void noc_stats_begin(struct noc *n);
void noc_stats_print(struct noc *n, void (*put)(void *, const char *), void *ctx);
void noc_stats_describe(const struct noc *n, void (*put)(void *, const char *), void *ctx);

// Small things that all use.

static inline uint32_t noc_ring_pop(struct noc_ring *r)
{
	return RING_TAKE(r);
}

static inline void noc_pipe_send(struct noc_pipe *p, uint64_t now, uint64_t item)
{
	RING_PUSH(p, (struct noc_pipe_item){now + 1 + p->latency, item});
	p->sent++;
}

static inline bool noc_full(const struct noc_credits *c, unsigned vc)
{
	return c->used[vc] >= c->limit;
}

static inline void noc_credits_take(struct noc_credits *c, unsigned vc)
{
	c->taken |= 1ull << vc;
	c->tail_sent &= ~(1ull << vc);
}

void noc_credits_send(struct noc_credits *c, unsigned vc, bool tail, bool wait_for_tail);
void noc_credits_back(struct noc_credits *c, uint64_t vcs, bool wait_for_tail);

#endif
