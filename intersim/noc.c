// The flit-level network (-network_mode 1): nodes, clock and construction. See noc.h for the order within a cycle.
//
// Between the GPU and the routers lie, per node, an input queue of packets (input_buffer_size flits), and per virtual
// channel an ejection buffer and a boundary buffer (boundary_buffer_size flits) out of which whole packets are popped.
// A packet larger than a queue may enter it when it is empty; GPGPU-Sim would wait for ever.
#include "intersim/noc.h"

#include "base/assert.h"
#include "base/mem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct noc_net *net_of(const struct icnt *i, enum icnt_net net)
{
	struct noc *n = (struct noc *)i;
	return &n->net[n->n_net == 1 ? 0 : net];
}

static unsigned source_node(const struct noc *n, enum icnt_net net, unsigned src)
{
	return net == ICNT_REQUEST ? n->node_of_cluster[src] : n->node_of_mem[src];
}

static unsigned sink_node(const struct noc *n, enum icnt_net net, unsigned dst)
{
	return net == ICNT_REQUEST ? n->node_of_mem[dst] : n->node_of_cluster[dst];
}

static unsigned flits_of(const struct noc *n, unsigned bytes)
{
	unsigned flits = (bytes + n->flit_size - 1) / n->flit_size;
	return flits ? flits : 1;
}

static bool noc_has_room(const struct icnt *i, enum icnt_net net, unsigned src, unsigned bytes)
{
	const struct noc *n = (const struct noc *)i;
	const struct noc_node *node = &net_of(i, net)->node[source_node(n, net, src)];
	return node->q_flits + flits_of(n, bytes) <= n->input_limit || node->queue.n == 0;
}

static unsigned noc_room(const struct icnt *i, enum icnt_net net, unsigned src, unsigned bytes)
{
	const struct noc *n = (const struct noc *)i;
	const struct noc_node *node = &net_of(i, net)->node[source_node(n, net, src)];
	return node->q_flits < n->input_limit ? (n->input_limit - node->q_flits) / flits_of(n, bytes) : 0;
}

static void noc_count_refused(struct icnt *i, enum icnt_net net, uint64_t times)
{
}

static void noc_put(struct icnt *i, enum icnt_net net, unsigned src, unsigned dst, void *packet, unsigned bytes,
                    bool write)
{
	struct noc *n = (struct noc *)i;
	struct noc_node *node = &net_of(i, net)->node[source_node(n, net, src)];
	struct noc_queued q = {
		.packet = packet,
		.dst = sink_node(n, net, dst),
		.flits = flits_of(n, bytes),
		.kind = net == ICNT_REQUEST ? (write ? NOC_WRITE_REQUEST : NOC_READ_REQUEST)
		                            : (write ? NOC_WRITE_REPLY : NOC_READ_REPLY),
	};
	RING_PUSH(&node->queue, q);
	node->q_flits += q.flits;
	node->n_put++;
}

// Packets are numbered as they enter.
static unsigned noc_enter(struct icnt *i, enum icnt_net net, unsigned src, unsigned keep)
{
	struct noc *n = (struct noc *)i;
	struct noc_net *nn = net_of(i, net);
	const unsigned at = source_node(n, net, src);
	struct noc_node *node = &nn->node[at];
	const unsigned entered = node->n_put - keep;
	for (; node->n_put > keep; node->n_put--) {
		struct noc_queued *q = RING_AT(&node->queue, node->queue.n - node->n_put);
		q->id = n->next_flit;
		q->pid = n->next_packet++;
		q->created = n->cycle;
		n->next_flit += q->flits;
		bits_set(nn->nodes_queued, at);
	}
	return entered;
}

static void *noc_peek(const struct icnt *i, enum icnt_net net, unsigned dst)
{
	const struct noc *n = (const struct noc *)i;
	const struct noc_node *node = &net_of(i, net)->node[sink_node(n, net, dst)];
	for (unsigned k = 0; k < n->vcs; k++) {
		const struct noc_eject *e = &node->eject[(node->turn + k) % n->vcs];
		if (e->out.n)
			return RING_FRONT(&e->out)->packet;
	}
	return NULL;
}

static void *noc_take(struct icnt *i, enum icnt_net net, unsigned dst)
{
	const struct noc *n = (const struct noc *)i;
	struct noc_node *node = &net_of(i, net)->node[sink_node(n, net, dst)];
	for (unsigned k = 0; k < n->vcs; k++) {
		unsigned vc = (node->turn + k) % n->vcs;
		struct noc_eject *e = &node->eject[vc];
		if (!e->out.n)
			continue;
		struct noc_out out = RING_TAKE(&e->out);
		e->out_flits -= out.flits;
		node->turn = (vc + 1) % n->vcs;
		node->n_taken++;
		return out.packet;
	}
	return NULL;
}

static unsigned noc_leave(struct icnt *i, enum icnt_net net, unsigned dst)
{
	struct noc_node *node = &net_of(i, net)->node[sink_node((struct noc *)i, net, dst)];
	const unsigned taken = node->n_taken;
	node->n_taken = 0;
	if (taken && !noc_peek(i, net, dst))
		icnt_empty(i, net, dst);
	return taken;
}

// --- flits ---

static uint32_t new_flit(struct noc_net *net)
{
	uint32_t flit = net->free_flit;
	if (flit == NOC_NO_FLIT) {
		HEDDLE_ASSERT(net->flits_made < net->n_flit);
		flit = net->flits_made++;
	} else {
		net->free_flit = net->flit[flit].next_free;
	}
	net->flits_inside++;
	return flit;
}

static void free_flit(struct noc_net *net, uint32_t flit)
{
	net->flit[flit].next_free = net->free_flit;
	net->free_flit = flit;
	net->flits_inside--;
}

static bool pipe_ready(const struct noc_pipe *p, uint64_t now)
{
	return RING_FRONT(p)->when <= now;
}

static uint64_t pipe_take(struct noc_pipe *p)
{
	return RING_TAKE(p).item;
}

// --- one cycle ---

// Flits and credits that reach nodes, and from the ejection buffers into the boundary buffers. A node gives back one
// credit a cycle.
static void eject(struct noc *n, struct noc_net *net)
{
	unsigned total = net->n_link_in + n->graph.n_node;
	BITS_EACH (link, net->links_busy, net->n_link_in, total) {
		struct noc_pipe *p = &net->link[link];
		if (!pipe_ready(p, n->cycle))
			continue;
		unsigned at = link - net->n_link_in;
		uint32_t flit = pipe_take(p);
		if (!p->n)
			bits_clear(net->links_busy, link);
		RING_PUSH(&net->node[at].eject[net->flit[flit].vc].q, flit);
		bits_set(net->nodes_ejecting, at);
		n->moved++;
	}
	net->n_retired = 0;
	BITS_EACH (at, net->nodes_ejecting, 0, n->graph.n_node) {
		struct noc_node *node = &net->node[at];
		bool more = false;
		for (unsigned vc = 0; vc < n->vcs; vc++) {
			struct noc_eject *e = &node->eject[vc];
			if (!e->q.n)
				continue;
			if (e->out_flits < n->boundary_limit || !e->out.n) {
				uint32_t flit = noc_ring_pop(&e->q);
				const struct noc_flit *f = &net->flit[flit];
				e->out_flits++;
				e->partial++;
				if (f->tail) {
					RING_PUSH(&e->out, (struct noc_out){f->packet, e->partial});
					e->partial = 0;
					uint32_t sink = n->sink_of_node[at];
					icnt_arrive(&n->icnt, sink & 1 ? ICNT_REPLY : ICNT_REQUEST, sink / 2);
				}
				RING_PUSH(&node->done, flit);
				n->moved++;
			}
			more |= e->q.n > 0;
		}
		if (node->done.n) {
			net->retired[net->n_retired++] = at;
			more |= node->done.n > 1;
		}
		if (!more)
			bits_clear(net->nodes_ejecting, at);
	}
	total = net->n_wire_in + n->graph.n_node;
	BITS_EACH (wire, net->wires_busy, net->n_wire_in, total) {
		struct noc_pipe *p = &net->wire[wire];
		if (!pipe_ready(p, n->cycle))
			continue;
		uint64_t vcs = pipe_take(p);
		if (!p->n)
			bits_clear(net->wires_busy, wire);
		noc_credits_back(&net->node[wire - net->n_wire_in].credits, vcs, n->config.wait_for_tail_credit);
		net->credits_inside -= __builtin_popcountll(vcs);
		n->moved++;
	}
}

// Flits and credits that reach routers.
static void receive(struct noc *n, struct noc_net *net)
{
	BITS_EACH (link, net->links_busy, 0, net->n_link_in) {
		struct noc_pipe *p = &net->link[link];
		if (!pipe_ready(p, n->cycle))
			continue;
		uint32_t flit = pipe_take(p);
		if (!p->n)
			bits_clear(net->links_busy, link);
		unsigned r = net->router_of_in[link];
		noc_router_flit(n, net, &net->router[r], net->port_of_in[link], flit);
		bits_set(net->routers_busy, r);
		n->moved++;
	}
	BITS_EACH (wire, net->wires_busy, 0, net->n_wire_in) {
		struct noc_pipe *p = &net->wire[wire];
		if (!pipe_ready(p, n->cycle))
			continue;
		uint64_t vcs = pipe_take(p);
		if (!p->n)
			bits_clear(net->wires_busy, wire);
		unsigned r = net->router_of_out[wire];
		noc_router_credit(n, &net->router[r], net->port_of_out[wire], vcs);
		bits_set(net->routers_busy, r);
		n->moved++;
	}
}

// The virtual channel for the first packet of a node: the first free one after that of the packet before. After a
// packet of other channels only the first is tried, as in BookSim.
static void choose_vc(struct noc *n, struct noc_net *net, struct noc_node *node)
{
	unsigned lo, hi;
	noc_route_inject(n, net, RING_FRONT(&node->queue)->kind, &lo, &hi);
	bool inside = node->last_vc >= (int)lo && node->last_vc <= (int)hi;
	for (unsigned k = 1; k <= hi - lo + 1; k++) {
		unsigned vc = inside ? lo + (node->last_vc - lo + k) % (hi - lo + 1) : lo;
		if (!(node->credits.taken >> vc & 1) && !noc_full(&node->credits, vc)) {
			node->vc = vc;
			return;
		}
	}
}

// A node is a cluster, which sends requests, or a memory node.
static void drain(struct noc *n, unsigned node)
{
	uint32_t peer = n->sink_of_node[node];
	icnt_drain(&n->icnt, peer & 1 ? ICNT_REQUEST : ICNT_REPLY, peer / 2);
}

static void inject(struct noc *n, struct noc_net *net)
{
	BITS_EACH (at, net->nodes_queued, 0, n->graph.n_node) {
		struct noc_node *node = &net->node[at];
		struct noc_queued *q = RING_FRONT(&node->queue);
		if (node->vc < 0)
			choose_vc(n, net, node);
		if (node->vc < 0 || noc_full(&node->credits, node->vc))
			continue;
		uint32_t flit = new_flit(net), link = net->inject_link[at];
		struct noc_flit *f = &net->flit[flit];
		*f = (struct noc_flit){
			.packet = q->packet,
			.id = q->id + q->sent,
			.pid = q->pid,
			.created = q->created,
			.injected = n->cycle,
			.src = at,
			.dst = q->dst,
			.vc = node->vc,
			.kind = q->kind,
			.head = q->sent == 0,
			.tail = q->sent + 1 == q->flits,
		};
		if (n->priority == NOC_PRI_AGE)
			f->pri = (int32_t)(INT_MAX - q->created);
		else if (n->priority == NOC_PRI_NETWORK_AGE)
			f->pri = (int32_t)(INT_MAX - n->cycle);
		if (f->head) {
			if (!n->config.routing_delay)
				n->route(n, net, net->router_of_in[link], f, net->port_of_in[link], &f->route);
			noc_credits_take(&node->credits, f->vc);
			node->last_vc = f->vc;
			n->sent_packets[at]++;
		}
		noc_credits_send(&node->credits, f->vc, f->tail, n->config.wait_for_tail_credit);
		n->sent_flits[at]++;
		noc_pipe_send(&net->link[link], n->cycle, flit);
		bits_set(net->links_busy, link);
		n->moved++;
		node->q_flits--;
		drain(n, at);
		q->sent++;
		if (f->tail) {
			node->vc = -1;
			RING_DROP(&node->queue);
			if (node->queue.n == node->n_put)
				bits_clear(net->nodes_queued, at);
		}
	}
}

// Statistics of a flit that leaves, as BookSim keeps them.
static void count_flit(struct noc *n, struct noc_node *node, const struct noc_flit *f)
{
	struct noc_eject *e = &node->eject[f->vc];
	double flit_latency = (double)(n->cycle - f->injected);
	if (n->slowest_flit < 0 || !n->flit_latency.n || n->flit_latency.max < flit_latency)
		n->slowest_flit = (int64_t)f->id;
	noc_stat_add(&n->flit_latency, flit_latency);
	if (f->head) {
		e->head_at = n->cycle;
		e->head_injected = f->injected;
		e->head_created = f->created;
		e->head_id = f->id;
	}
	if (!f->tail)
		return;
	double network = (double)(n->cycle - e->head_injected);
	noc_stat_add(&n->hops, f->hops);
	if (n->slowest_packet < 0 || !n->packet_latency.n || n->packet_latency.max < network)
		n->slowest_packet = (int64_t)f->pid;
	noc_stat_add(&n->packet_latency, (double)(n->cycle - e->head_created));
	noc_stat_add(&n->network_latency, network);
	noc_stat_add(&n->fragmentation, (double)(n->cycle - e->head_at) - (double)(f->id - e->head_id));
}

static void retire(struct noc *n, struct noc_net *net)
{
	for (unsigned i = 0; i < net->n_retired; i++) {
		unsigned at = net->retired[i];
		struct noc_node *node = &net->node[at];
		uint32_t flit = noc_ring_pop(&node->done), wire = net->eject_wire[at];
		const struct noc_flit *f = &net->flit[flit];
		n->taken_flits[at]++;
		n->taken_packets[at] += f->tail;
		noc_pipe_send(&net->wire[wire], n->cycle, 1ull << f->vc);
		bits_set(net->wires_busy, wire);
		net->credits_inside++;
		n->moved++;
		count_flit(n, node, f);
		free_flit(net, flit);
	}
}

static bool noc_tick(struct icnt *i, enum icnt_net both)
{
	struct noc *n = (struct noc *)i;
	n->moved = 0;
	n->phase += n->speedup;
	unsigned steps = (unsigned)(n->phase >> 32);
	n->phase &= 0xFFFFFFFFu;
	for (unsigned k = 0; k < n->n_net; k++) {
		eject(n, &n->net[k]);
		receive(n, &n->net[k]);
	}
	for (unsigned k = 0; k < n->n_net; k++)
		inject(n, &n->net[k]);
	for (unsigned k = 0; k < n->n_net; k++) {
		struct noc_net *net = &n->net[k];
		retire(n, net);
		BITS_EACH (r, net->routers_busy, 0, n->graph.n_router) {
			struct noc_router *router = &net->router[r];
			for (unsigned s = 0; s < steps; s++)
				noc_router_step(n, net, router);
			bool more = noc_router_send(n, net, router);
			if (!more && !router->active)
				bits_clear(net->routers_busy, r);
		}
	}
	n->cycle++;
	return n->moved > 0;
}

static bool noc_moving(const struct icnt *i, enum icnt_net both)
{
	const struct noc *n = (const struct noc *)i;
	for (unsigned k = 0; k < n->n_net; k++) {
		const struct noc_net *net = &n->net[k];
		if (net->flits_inside || net->credits_inside)
			return true;
		for (unsigned w = 0; w < (n->graph.n_node + 63) / 64; w++)
			if (net->nodes_queued[w])
				return true;
	}
	return false;
}

static void noc_skip(struct icnt *i, enum icnt_net both, uint64_t cycles)
{
	struct noc *n = (struct noc *)i;
	n->cycle += cycles;
	n->phase = (n->phase + cycles * n->speedup) & 0xFFFFFFFFu;
}

static void noc_begin(struct icnt *i)
{
	noc_stats_begin((struct noc *)i);
}

static void noc_print(struct icnt *i, void (*put)(void *, const char *), void *ctx)
{
	noc_stats_print((struct noc *)i, put, ctx);
}

static void noc_describe(const struct icnt *i, void (*put)(void *, const char *), void *ctx)
{
	noc_stats_describe((const struct noc *)i, put, ctx);
}

static void noc_free(struct icnt *i)
{
	struct noc *n = (struct noc *)i;
	for (unsigned k = 0; k < 2; k++)
		mem_free(n->net[k].flit);
	mem_free(n->graph.link);
	arena_free(&n->arena);
	mem_free(n);
}

static const struct icnt_ops noc_ops = {
	.free = noc_free,
	.has_room = noc_has_room,
	.room = noc_room,
	.count_refused = noc_count_refused,
	.put = noc_put,
	.enter = noc_enter,
	.peek = noc_peek,
	.take = noc_take,
	.leave = noc_leave,
	.tick = noc_tick,
	.skip = noc_skip,
	.moving = noc_moving,
	.begin = noc_begin,
	.print = noc_print,
	.describe = noc_describe,
};

// --- construction ---

static void pipe(struct noc_pipe *p, unsigned latency, struct arena *a)
{
	p->latency = latency;
	RING_USE(p, ARENA_ARRAY(a, struct noc_pipe_item, latency + 2), latency + 2);
}

static void credits(struct noc_credits *c, unsigned limit, unsigned vcs, struct arena *a)
{
	c->limit = limit;
	c->used = ARENA_ARRAY(a, uint32_t, vcs);
}

static unsigned channel_depth(const struct noc *n)
{
	return n->config.buf_size > 0 ? n->config.buf_size / n->vcs : n->config.vc_buf_size;
}

// What a router may send to a node. GPGPU-Sim goes by the depth of router buffers and stops with an assertion where
// ejection_buffer_size is less.
static unsigned eject_depth(const struct noc *n)
{
	unsigned depth = channel_depth(n), limit = n->config.ejection_buffer_size;
	return limit && limit < depth ? limit : depth;
}

static void make_node(struct noc *n, struct noc_net *net, unsigned at)
{
	struct noc_node *node = &net->node[at];
	struct arena *a = &n->arena;
	unsigned depth = eject_depth(n);
	RING_USE(&node->queue, ARENA_ARRAY(a, struct noc_queued, n->input_limit), n->input_limit); // packets have at least one flit
	node->vc = node->last_vc = -1;
	credits(&node->credits, channel_depth(n), n->vcs, a);
	node->eject = ARENA_ARRAY(a, struct noc_eject, n->vcs);
	for (unsigned vc = 0; vc < n->vcs; vc++) {
		struct noc_eject *e = &node->eject[vc];
		RING_USE(&e->q, ARENA_ARRAY(a, uint32_t, depth), depth);
		RING_USE(&e->out, ARENA_ARRAY(a, struct noc_out, n->boundary_limit), n->boundary_limit);
	}
	RING_USE(&node->done, ARENA_ARRAY(a, uint32_t, depth * n->vcs), depth * n->vcs);
}

static void make_net(struct noc *n, struct noc_net *net, unsigned index)
{
	const struct noc_graph *g = &n->graph;
	struct arena *a = &n->arena;
	unsigned ins = 0, outs = 0, nodes = g->n_node;
	uint64_t flits = 0;
	net->random = 0x9E3779B97F4A7C15ull * ((uint32_t)n->config.seed * 2ull + index + 1);
	net->router = ARENA_ARRAY(a, struct noc_router, g->n_router);
	for (unsigned r = 0; r < g->n_router; r++) {
		struct noc_router *router = &net->router[r];
		router->id = r;
		router->n_in = g->n_in[r];
		router->n_out = g->n_out[r];
		router->in_link = ins;
		router->out_base = outs;
		ins += g->n_in[r];
		outs += g->n_out[r];
		router->credits = ARENA_ARRAY(a, struct noc_credits, router->n_out);
	}
	net->n_link_in = ins;
	net->n_wire_in = outs;
	net->link = ARENA_ARRAY(a, struct noc_pipe, ins + nodes);
	net->wire = ARENA_ARRAY(a, struct noc_pipe, outs + nodes);
	net->link_of_out = ARENA_ARRAY(a, uint32_t, outs);
	net->router_of_out = ARENA_ARRAY(a, uint32_t, outs);
	net->port_of_out = ARENA_ARRAY(a, uint32_t, outs);
	net->wire_of_in = ARENA_ARRAY(a, uint32_t, ins);
	net->router_of_in = ARENA_ARRAY(a, uint32_t, ins);
	net->port_of_in = ARENA_ARRAY(a, uint32_t, ins);
	net->inject_link = ARENA_ARRAY(a, uint32_t, nodes);
	net->eject_wire = ARENA_ARRAY(a, uint32_t, nodes);
	net->links_busy = ARENA_ARRAY(a, uint64_t, (ins + nodes + 63) / 64);
	net->wires_busy = ARENA_ARRAY(a, uint64_t, (outs + nodes + 63) / 64);
	net->nodes_queued = ARENA_ARRAY(a, uint64_t, (nodes + 63) / 64);
	net->nodes_ejecting = ARENA_ARRAY(a, uint64_t, (nodes + 63) / 64);
	net->routers_busy = ARENA_ARRAY(a, uint64_t, (g->n_router + 63) / 64);
	net->retired = ARENA_ARRAY(a, uint32_t, nodes);
	net->node = ARENA_ARRAY(a, struct noc_node, nodes);
	for (unsigned at = 0; at < nodes; at++)
		make_node(n, net, at);

	for (unsigned r = 0; r < g->n_router; r++)
		for (unsigned p = 0; p < g->n_in[r]; p++) {
			net->router_of_in[net->router[r].in_link + p] = r;
			net->port_of_in[net->router[r].in_link + p] = p;
		}
	for (unsigned r = 0; r < g->n_router; r++)
		for (unsigned p = 0; p < g->n_out[r]; p++) {
			net->router_of_out[net->router[r].out_base + p] = r;
			net->port_of_out[net->router[r].out_base + p] = p;
			credits(&net->router[r].credits[p], 0, n->vcs, a); // outputs that lead nowhere stay so
		}
	for (size_t i = 0; i < g->n_link; i++) {
		const struct noc_link *l = &g->link[i];
		unsigned link = l->to < 0 ? ins + l->to_port : net->router[l->to].in_link + l->to_port;
		unsigned wire = l->from < 0 ? outs + l->from_port : net->router[l->from].out_base + l->from_port;
		unsigned depth = l->to < 0 ? eject_depth(n) : channel_depth(n);
		pipe(&net->link[link], l->latency, a);
		pipe(&net->wire[wire], l->latency, a);
		if (l->from < 0)
			net->inject_link[l->from_port] = link;
		else {
			net->link_of_out[wire] = link;
			net->router[l->from].credits[l->from_port].limit = depth;
		}
		if (l->to < 0)
			net->eject_wire[l->to_port] = wire;
		else
			net->wire_of_in[link] = wire;
		flits += (uint64_t)depth * n->vcs;
	}
	for (unsigned r = 0; r < g->n_router; r++)
		noc_router_init(n, net, &net->router[r]);
	// Each flit holds a buffer at the end of some link, so there are never more. Untouched ones cost no memory.
	net->n_flit = flits;
	net->free_flit = NOC_NO_FLIT;
}

static const struct {
	const char *name;
	enum noc_priority priority;
} priorities[] = {
	{"none", NOC_PRI_NONE},           {"class", NOC_PRI_NONE},
	{"sequence", NOC_PRI_NONE},       {"age", NOC_PRI_AGE},
	{"network_age", NOC_PRI_NETWORK_AGE}, {"local_age", NOC_PRI_LOCAL_AGE},
	{"queue_length", NOC_PRI_QUEUE_LENGTH}, {"hop_count", NOC_PRI_HOP_COUNT},
};

static bool choose_priority(struct noc *n, const char *path, struct diag *d)
{
	for (unsigned i = 0; i < sizeof priorities / sizeof priorities[0]; i++)
		if (!strcmp(priorities[i].name, n->config.priority)) {
			n->priority = priorities[i].priority;
			return true;
		}
	diag_add(d, DIAG_ERROR, "%s: priority '%s' is not one of none, class, sequence, age, network_age, local_age,"
	         " queue_length, hop_count", path, n->config.priority);
	return false;
}

// Virtual channels of each kind of packet. BookSim's defaults go with its default of 16 channels; with another number
// and no range given, all kinds use all channels, or halves of them where requests and replies share a network.
static bool choose_vcs(struct noc *n, const char *path, struct diag *d)
{
	static const char *const kind_name[] = {"read_request", "write_request", "read_reply", "write_reply"};
	const struct noc_config *c = &n->config;
	const int given[NOC_KINDS][2] = {
		{c->read_request_begin_vc, c->read_request_end_vc},
		{c->write_request_begin_vc, c->write_request_end_vc},
		{c->read_reply_begin_vc, c->read_reply_end_vc},
		{c->write_reply_begin_vc, c->write_reply_end_vc},
	};
	int vcs = n->vcs;
	bool own = !c->vcs_given && vcs != 16;
	for (int kind = 0; kind < NOC_KINDS; kind++) {
		bool reply = kind >= NOC_READ_REPLY;
		int lo = given[kind][0], hi = given[kind][1];
		if (own && n->n_net == 2) {
			lo = 0;
			hi = vcs - 1;
		} else {
			if (own || lo < 0)
				lo = reply ? vcs / 2 : 0;
			if (own || hi < 0)
				hi = reply ? vcs - 1 : vcs / 2 - 1;
		}
		if (lo > hi || hi >= vcs) {
			diag_add(d, DIAG_ERROR, "%s: %s_begin_vc .. %s_end_vc is %d .. %d; num_vcs is %d", path, kind_name[kind],
			         kind_name[kind], lo, hi, vcs);
			return false;
		}
		n->vc0[kind] = lo;
		n->vc1[kind] = hi;
	}
	if (n->n_net == 1) {
		uint64_t mask[NOC_KINDS];
		for (int kind = 0; kind < NOC_KINDS; kind++)
			mask[kind] = (~0ull >> (63 - (n->vc1[kind] - n->vc0[kind]))) << n->vc0[kind];
		if (((mask[0] | mask[1]) & (mask[2] | mask[3])) || n->graph.groups) {
			diag_add(d, DIAG_ERROR,
			         "%s: with subnets = 1, requests and replies must use different virtual channels, or they"
			         " can wait for each other for ever%s",
			         path, n->graph.groups ? "; topology dragonflynew cannot" : "");
			return false;
		}
	}
	return true;
}

// Nodes of memory partitions for the GPUs that GPGPU-Sim has a placement for, on a mesh.
static const struct placement {
	unsigned n_cluster, n_mem;
	unsigned node[11];
} placements[] = {
	{8, 8, {1, 3, 4, 6, 9, 11, 12, 14}},
	{28, 8, {3, 7, 10, 12, 23, 25, 28, 32}},
	{56, 8, {3, 15, 17, 29, 36, 47, 49, 61}},
	{110, 11, {12, 20, 25, 28, 57, 60, 63, 92, 95, 100, 108}},
};

// memory_node_map = {1,3,...}: as many nodes as there are memory partitions.
static bool read_map(struct noc *n, const char *path, struct diag *d)
{
	const char *s = n->config.memory_node_map;
	unsigned count = 0;
	while (*s) {
		char *end;
		if (*s == '{' || *s == '}' || *s == ',' || *s == '(' || *s == ')' || *s == ' ') {
			s++;
			continue;
		}
		unsigned long v = strtoul(s, &end, 10);
		if (end == s || v >= n->graph.n_node) {
			diag_add(d, DIAG_ERROR, "%s: memory_node_map: '%s' is not a node below %u", path, s, n->graph.n_node);
			return false;
		}
		if (count < n->icnt.n_mem)
			n->node_of_mem[count] = v;
		count++;
		s = end;
	}
	if (count != n->icnt.n_mem) {
		diag_add(d, DIAG_ERROR, "%s: memory_node_map has %u nodes; the GPU has %u memory partitions", path, count,
		         n->icnt.n_mem);
		return false;
	}
	return true;
}

static bool place_nodes(struct noc *n, const char *path, struct diag *d)
{
	unsigned clusters = n->icnt.n_cluster, mems = n->icnt.n_mem, nodes = n->graph.n_node;
	if (clusters + mems > nodes) {
		diag_add(d, DIAG_ERROR,
		         "%s: the topology has %u nodes; the GPU needs %u, for %u clusters and %u memory partitions", path,
		         nodes, clusters + mems, clusters, mems);
		return false;
	}
	n->node_of_cluster = ARENA_ARRAY(&n->arena, uint32_t, clusters);
	n->node_of_mem = ARENA_ARRAY(&n->arena, uint32_t, mems);
	for (unsigned m = 0; m < mems; m++)
		n->node_of_mem[m] = clusters + m;
	if (n->config.use_map) {
		const struct placement *found = NULL;
		for (unsigned i = 0; i < sizeof placements / sizeof placements[0]; i++)
			if (placements[i].n_cluster == clusters && placements[i].n_mem == mems)
				found = &placements[i];
		if (n->config.memory_node_map[0]) {
			if (!read_map(n, path, d))
				return false;
		} else if (found) {
			for (unsigned m = 0; m < mems; m++)
				n->node_of_mem[m] = found->node[m];
		} else {
			diag_add(d, DIAG_ERROR,
			         "%s: use_map = 1, but there is no placement for %u clusters and %u memory partitions;"
			         " give memory_node_map or set use_map = 0",
			         path, clusters, mems);
			return false;
		}
	}
	bool *taken = mem_alloc(nodes * sizeof *taken), ok = true;
	for (unsigned m = 0; m < mems && ok; m++) {
		if (n->node_of_mem[m] >= nodes || taken[n->node_of_mem[m]]) {
			diag_add(d, DIAG_ERROR, "%s: node %u cannot be memory partition %u: %s", path, n->node_of_mem[m], m,
			         n->node_of_mem[m] >= nodes ? "there is no such node" : "it is one already");
			ok = false;
		} else {
			taken[n->node_of_mem[m]] = true;
		}
	}
	for (unsigned c = 0, node = 0; c < clusters && ok; c++, node++) {
		while (taken[node])
			node++;
		n->node_of_cluster[c] = node;
	}
	mem_free(taken);
	n->sink_of_node = ARENA_ARRAY(&n->arena, uint32_t, nodes);
	for (unsigned m = 0; m < mems && ok; m++)
		n->sink_of_node[n->node_of_mem[m]] = 2 * m;
	for (unsigned c = 0; c < clusters && ok; c++)
		n->sink_of_node[n->node_of_cluster[c]] = 2 * c + 1;
	return ok;
}

static bool check_allocator(const char *path, const char *key, const char *name, struct diag *d)
{
	if (noc_alloc_known(name))
		return true;
	diag_add(d, DIAG_ERROR, "%s: %s '%s' is not one of islip, separable_input_first, separable_output_first, wavefront,"
	         " rr_wavefront", path, key, name);
	return false;
}

static bool configure(struct noc *n, const char *path, struct diag *d)
{
	struct noc_config *c = &n->config;
	size_t len;
	char *text = noc_read_file(path, &len, d);
	if (!text)
		return false;
	struct src_text src = {path, text, len};
	bool ok = noc_config_read(c, &src, &n->arena, d);
	mem_free(text);
	if (!ok)
		return false;
	n->vcs = c->num_vcs;
	n->n_net = c->subnets;
	n->flit_size = c->flit_size;
	n->input_limit = c->input_buffer_size ? c->input_buffer_size : 9; // GPGPU-Sim's
	n->boundary_limit = c->boundary_buffer_size;
	n->crossbar_delay = c->st_prepare_delay + c->st_final_delay;
	n->speedup = (uint64_t)llround(ldexp(c->internal_speedup, 32));
	const char *slash = strrchr(path, '/');
	const char *dir = slash ? arena_strndup(&n->arena, path, slash - path) : NULL;
	n->graph.arena = &n->arena;
	if (n->crossbar_delay < 1) {
		diag_add(d, DIAG_ERROR, "%s: st_prepare_delay + st_final_delay must be at least 1", path);
		return false;
	}
	if (c->buf_size >= 0 && c->buf_size < c->num_vcs) {
		diag_add(d, DIAG_ERROR, "%s: buf_size %d is less than one flit for each of %d virtual channels", path,
		         c->buf_size, c->num_vcs);
		return false;
	}
	if (strcmp(c->arb_type, "round_robin") && strcmp(c->arb_type, "matrix")) {
		diag_add(d, DIAG_ERROR, "%s: arb_type '%s' is not one of round_robin, matrix", path, c->arb_type);
		return false;
	}
	if (!check_allocator(path, "vc_allocator", c->vc_allocator, d) ||
	    !check_allocator(path, "sw_allocator", c->sw_allocator, d) || !choose_priority(n, path, d) ||
	    !noc_topology_build(&n->graph, c, dir, d) || !choose_vcs(n, path, d) || !place_nodes(n, path, d))
		return false;
	n->route = noc_route_find(n, d);
	return n->route != NULL;
}

// Bytes of the larger tables, so that a slip in the file is an error and not the end of the host's memory.
static double memory_needed(const struct noc *n)
{
	double bytes = 0, vcs = n->vcs, depth = channel_depth(n) * vcs;
	for (unsigned r = 0; r < n->graph.n_router; r++) {
		double ins = n->graph.n_in[r], outs = n->graph.n_out[r];
		bool has_matrix = n->config.arb_type[0] == 'm' || strstr(n->config.vc_allocator, "matrix");
		double matrix = has_matrix ? (ins + outs) * vcs / 4 : 0;
		bytes += ins * vcs * outs * vcs * (sizeof(struct noc_request) + sizeof(struct wave) + matrix);
		bytes += ins * depth * 12 + outs * depth * 4;
	}
	bytes += (double)n->graph.n_link * depth * sizeof(struct noc_flit);
	bytes += n->graph.n_node *
	         (n->input_limit * sizeof(struct noc_queued) + vcs * n->boundary_limit * sizeof(struct noc_out));
	return bytes * n->n_net;
}

struct icnt *noc_new(const char *path, unsigned n_cluster, unsigned n_mem, struct diag *d)
{
	struct noc *n = mem_alloc_lines(sizeof *n);
	n->icnt = (struct icnt){.ops = &noc_ops, .n_cluster = n_cluster, .n_mem = n_mem};
	if (!configure(n, path, d)) {
		noc_free(&n->icnt);
		return NULL;
	}
	double bytes = memory_needed(n);
	if (bytes > 8e9) {
		diag_add(d, DIAG_ERROR,
		         "%s: a network of %u routers with %u virtual channels and these buffers needs about %.0f GB", path,
		         n->graph.n_router, n->vcs, bytes / 1e9);
		noc_free(&n->icnt);
		return NULL;
	}
	unsigned nodes = n->graph.n_node;
	n->sent_packets = ARENA_ARRAY(&n->arena, uint64_t, nodes);
	n->sent_flits = ARENA_ARRAY(&n->arena, uint64_t, nodes);
	n->taken_packets = ARENA_ARRAY(&n->arena, uint64_t, nodes);
	n->taken_flits = ARENA_ARRAY(&n->arena, uint64_t, nodes);
	for (unsigned k = 0; k < n->n_net; k++) {
		struct noc_net *net = &n->net[k];
		make_net(n, net, k);
		net->flit = mem_try_alloc((size_t)net->n_flit * sizeof *net->flit);
		if (!net->flit) {
			diag_add(d, DIAG_ERROR, "%s: no memory for buffers of %u flits", path, net->n_flit);
			noc_free(&n->icnt);
			return NULL;
		}
	}
	noc_stats_begin(n);
	icnt_init(&n->icnt);
	return &n->icnt;
}
