// Routing functions, under BookSim's names: for a packet at a router, the outputs and virtual channels it may take.
//
// Each keeps its network free of deadlock by giving packets whose paths could wait for each other in a circle different
// virtual channels; how many it needs is checked by noc_route_find(). Random numbers are the network's own,
// seeded by `seed`.
#include "intersim/noc.h"

#include "base/assert.h"

#include <string.h>

struct range {
	unsigned lo, hi;
};

static struct range kind_range(const struct noc *n, const struct noc_flit *f)
{
	return (struct range){n->vc0[f->kind], n->vc1[f->kind]};
}

// One of two halves; the first has the channel that is left over. (BookSim gives that one to both.)
static struct range part(struct range r, unsigned i)
{
	unsigned half = (r.hi - r.lo + 1) / 2;
	return i ? (struct range){r.hi - half + 1, r.hi} : (struct range){r.lo, r.hi - half};
}

static void only(struct noc_hops *hops, unsigned port, struct range r)
{
	hops->n = 1;
	hops->at[0] = (struct noc_hop){port, r.lo, r.hi, 0};
}

static void also(struct noc_hops *hops, unsigned port, struct range r, int pri)
{
	HEDDLE_ASSERT(hops->n < NOC_MAX_HOPS);
	hops->at[hops->n++] = (struct noc_hop){port, r.lo, r.hi, pri};
}

// xorshift64*
unsigned noc_random(struct noc_net *net, unsigned max)
{
	net->random ^= net->random >> 12;
	net->random ^= net->random << 25;
	net->random ^= net->random >> 27;
	return (unsigned)((net->random * 0x2545F4914F6CDD1Dull) >> 32) % (max + 1);
}

// Flits that the next router holds for one output: what adaptive routing compares.
static unsigned load(const struct noc_net *net, unsigned router, unsigned port)
{
	return net->router[router].credits[port].total;
}

// At the router that a packet enters: whether it goes by ascending dimension.
static bool ascends_first(struct noc_net *net, unsigned router, unsigned ascending, unsigned descending, bool adaptive)
{
	unsigned a = load(net, router, ascending), b = load(net, router, descending);
	return adaptive && a != b ? a < b : noc_random(net, 1);
}

static unsigned power(unsigned base, unsigned exponent)
{
	unsigned v = 1;
	while (exponent--)
		v *= base;
	return v;
}

// --- fly ---

static void dest_tag_fly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                         struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	unsigned stage = router / g->routers_per_level;
	only(hops, f->dst / power(g->k, g->n - 1 - stage) % g->k, kind_range(n, f));
}

// --- mesh ---

// The output of dimension-order routing, dimension 0 first or, descending, last; router and node numbers are the same.
static unsigned mesh_next(const struct noc_graph *g, unsigned at, unsigned to, bool descending)
{
	unsigned found = g->n, up = 0;
	for (unsigned dim = 0; dim < g->n; dim++) {
		if (at % g->k != to % g->k && (descending || found == g->n)) {
			found = dim;
			up = at % g->k < to % g->k;
		}
		at /= g->k;
		to /= g->k;
	}
	return found == g->n ? 2 * g->n : 2 * found + !up;
}

static void dim_order_mesh(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                           struct noc_hops *hops)
{
	only(hops, mesh_next(&n->graph, router, f->dst, false), kind_range(n, f));
}

// Half of the channels for packets that go by ascending dimension, half for descending; chosen at the first router.
static void two_orders_mesh(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                            struct noc_hops *hops, bool adaptive)
{
	const struct noc_graph *g = &n->graph;
	struct range r = kind_range(n, f);
	if (router == f->dst) {
		only(hops, 2 * g->n, r);
		return;
	}
	unsigned ascending = mesh_next(g, router, f->dst, false), descending = mesh_next(g, router, f->dst, true);
	bool enters = in == 2 * g->n;
	bool up_first = enters ? ascends_first(net, router, ascending, descending, adaptive) : f->vc <= part(r, 0).hi;
	only(hops, up_first ? ascending : descending, part(r, !up_first));
}

static void xy_yx_mesh(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                       struct noc_hops *hops)
{
	two_orders_mesh(n, net, router, f, in, hops, false);
}

static void adaptive_xy_yx_mesh(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f,
                                unsigned in, struct noc_hops *hops)
{
	two_orders_mesh(n, net, router, f, in, hops, true);
}

// By dimension order to f->via, then by dimension order to the destination on the other half of the channels.
static void via_mesh(const struct noc *n, unsigned router, struct noc_flit *f, struct noc_hops *hops)
{
	struct range r = kind_range(n, f);
	if (f->phase == 0 && router == f->via)
		f->phase = 1;
	unsigned port = mesh_next(&n->graph, router, f->phase ? f->dst : f->via, false);
	only(hops, port, router == f->dst && f->phase ? r : part(r, f->phase));
}

static void valiant_mesh(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                         struct noc_hops *hops)
{
	if (in == 2 * n->graph.n) {
		f->phase = 0;
		f->via = noc_random(net, n->graph.n_node - 1);
	}
	via_mesh(n, router, f, hops);
}

// Like valiant, the router between being in the box that source and destination span.
static void romm_mesh(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                      struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	if (in == 2 * g->n) {
		f->phase = 0;
		f->via = 0;
		unsigned from = f->src, to = f->dst, weight = 1;
		for (unsigned dim = 0; dim < g->n; dim++, weight *= g->k) {
			unsigned a = from % g->k, b = to % g->k, lo = a < b ? a : b, hi = a < b ? b : a;
			f->via += weight * (lo + noc_random(net, hi - lo));
			from /= g->k;
			to /= g->k;
		}
	}
	via_mesh(n, router, f, hops);
}

// Any shortest way on all channels but the first, which is the escape by dimension order; who took it stays on it.
static void min_adapt_mesh(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                           struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	struct range r = kind_range(n, f);
	if (router == f->dst) {
		only(hops, 2 * g->n, r);
		return;
	}
	hops->n = 0;
	if (in == 2 * g->n || f->vc != r.lo) {
		unsigned at = router, to = f->dst;
		for (unsigned dim = 0; dim < g->n; dim++) {
			if (at % g->k != to % g->k)
				also(hops, 2 * dim + (at % g->k > to % g->k), (struct range){r.lo + 1, r.hi}, 1);
			at /= g->k;
			to /= g->k;
		}
	}
	also(hops, mesh_next(g, router, f->dst, false), (struct range){r.lo, r.lo}, 0);
}

// --- torus ---

// Dimension order, the shorter way round. A ring is cut where it wraps: packets that cross there use the other half of
// the channels than those that do not, so neither waits in a full circle. Which half it is, is chosen when the packet
// turns into the ring and stays in *half. `balanced` lets packets that cross neither there nor in the middle choose.
static unsigned torus_next(const struct noc_graph *g, struct noc_net *net, unsigned at, unsigned to, unsigned in,
                           unsigned *half, bool balanced)
{
	unsigned dim = 0, k = g->k;
	for (; dim < g->n && at % k == to % k; dim++) {
		at /= k;
		to /= k;
	}
	if (dim == g->n)
		return 2 * g->n;
	if (in / 2 == dim)
		return in ^ 1; // on in the same direction
	at %= k;
	to %= k;
	unsigned up_way = (to + k - at) % k;
	bool up = 2 * up_way < k || (2 * up_way == k && noc_random(net, 1));
	if (!balanced) {
		*half = up ? at > to : to < at;
	} else {
		unsigned middle = (k - 1) / 2;
		if (up ? at > to : at < to)
			*half = 1;
		else if (up ? at <= middle && to > middle : at > middle && to <= middle)
			*half = 0;
		else
			*half = noc_random(net, 1);
	}
	return 2 * dim + !up;
}

static void order_torus(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                        struct noc_hops *hops, bool balanced)
{
	struct range r = kind_range(n, f);
	unsigned half = in == 2 * n->graph.n ? 0 : f->phase;
	unsigned port = torus_next(&n->graph, net, router, f->dst, in, &half, balanced);
	f->phase = half;
	only(hops, port, router == f->dst ? r : part(r, half));
}

static void dim_order_torus(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                            struct noc_hops *hops)
{
	order_torus(n, net, router, f, in, hops, false);
}

static void dim_order_bal_torus(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f,
                                unsigned in, struct noc_hops *hops)
{
	order_torus(n, net, router, f, in, hops, true);
}

// A quarter of the channels for each of: way to the random router or from it, half of the ring.
static void valiant_torus(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                          struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	struct range r = kind_range(n, f);
	unsigned phase = f->phase / 2, half = f->phase % 2;
	if (in == 2 * g->n) {
		phase = half = 0;
		f->via = noc_random(net, g->n_node - 1);
	}
	if (phase == 0 && router == f->via) {
		phase = 1;
		in = 2 * g->n; // as if injected here
	}
	unsigned port = torus_next(g, net, router, phase ? f->dst : f->via, in, &half, false);
	f->phase = 2 * phase + half;
	only(hops, port, port == 2 * g->n ? r : part(part(r, half), phase));
}

// Any shortest way on all channels but the first two, which are the escape by dimension order.
static void min_adapt_torus(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                            struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	struct range r = kind_range(n, f);
	if (router == f->dst) {
		only(hops, 2 * g->n, r);
		return;
	}
	hops->n = 0;
	unsigned half = f->phase;
	bool escaped = in != 2 * g->n && f->vc < r.lo + 2u;
	if (!escaped) {
		unsigned at = router, to = f->dst;
		for (unsigned dim = 0; dim < g->n; dim++) {
			unsigned up_way = (to % g->k + g->k - at % g->k) % g->k;
			if (up_way)
				also(hops, 2 * dim + (2 * up_way > g->k), (struct range){r.lo + 2, r.hi}, 1);
			at /= g->k;
			to /= g->k;
		}
		in = 2 * g->n;
		half = 0;
	}
	unsigned port = torus_next(g, net, router, f->dst, in, &half, false);
	f->phase = half;
	also(hops, port, (struct range){r.lo + half, r.lo + half}, 0);
}

// --- fat tree: up to a common ancestor, then down ---

static void tree_fattree(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f,
                         struct noc_hops *hops, bool adaptive)
{
	const struct noc_graph *g = &n->graph;
	unsigned level = router / g->routers_per_level, pos = router % g->routers_per_level;
	unsigned below = power(g->k, g->n - level); // nodes of this subtree
	unsigned first = pos / power(g->k, g->n - 1 - level) * below, port;
	if (f->dst >= first && f->dst < first + below) {
		port = (f->dst - first) / (below / g->k);
	} else if (adaptive) {
		unsigned a = g->k + noc_random(net, g->k - 1), b = g->k + noc_random(net, g->k - 1);
		port = load(net, router, a) > load(net, router, b) ? b : a;
	} else {
		port = g->k + noc_random(net, g->k - 1);
	}
	only(hops, port, kind_range(n, f));
}

static void nca_fattree(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                        struct noc_hops *hops)
{
	tree_fattree(n, net, router, f, hops, false);
}

static void anca_fattree(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                         struct noc_hops *hops)
{
	tree_fattree(n, net, router, f, hops, true);
}

// --- flattened butterfly ---

// Nodes are numbered along the rows of the chip; here they count router by router.
static unsigned fly_client(const struct noc_graph *g, unsigned node)
{
	unsigned width = g->xcount * g->xrouter;
	unsigned column = node % width, row = node / width;
	unsigned router = row / g->yrouter * g->xcount + column / g->xrouter;
	return router * g->c + g->xrouter * (row % g->yrouter) + column % g->xrouter;
}

static unsigned flatfly_next(const struct noc_graph *g, unsigned router, unsigned client, bool descending)
{
	unsigned to = client / g->c, port = client % g->c;
	if (to == router)
		return port;
	for (unsigned dim = 0, at = router; dim < g->n; dim++) {
		unsigned a = at % g->k, b = to % g->k;
		if (a != b) {
			port = g->c + (g->k - 1) * dim + (b > a ? b - 1 : b);
			if (!descending)
				return port;
		}
		at /= g->k;
		to /= g->k;
	}
	return port;
}

static void ran_min_flatfly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                            struct noc_hops *hops)
{
	only(hops, flatfly_next(&n->graph, router, fly_client(&n->graph, f->dst), false), kind_range(n, f));
}

static void two_orders_flatfly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f,
                               unsigned in, struct noc_hops *hops, bool adaptive)
{
	const struct noc_graph *g = &n->graph;
	struct range r = kind_range(n, f);
	unsigned client = fly_client(g, f->dst);
	unsigned ascending = flatfly_next(g, router, client, false), descending = flatfly_next(g, router, client, true);
	if (ascending < g->c) {
		only(hops, ascending, r);
		return;
	}
	bool enters = in < g->c;
	bool up_first = enters ? ascends_first(net, router, ascending, descending, adaptive) : f->vc <= part(r, 0).hi;
	only(hops, up_first ? ascending : descending, part(r, !up_first));
}

static void xyyx_flatfly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                         struct noc_hops *hops)
{
	two_orders_flatfly(n, net, router, f, in, hops, false);
}

static void adaptive_xyyx_flatfly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f,
                                  unsigned in, struct noc_hops *hops)
{
	two_orders_flatfly(n, net, router, f, in, hops, true);
}

// Phase 0 is the way to the client f->via, phase 1 the way to the destination.
static void via_flatfly(const struct noc *n, unsigned router, struct noc_flit *f, struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	struct range r = kind_range(n, f);
	unsigned client = fly_client(g, f->dst);
	if (f->via / g->c == router || client / g->c == router)
		f->phase = 1;
	unsigned port = flatfly_next(g, router, f->phase ? client : f->via, false);
	only(hops, port, port < g->c ? r : part(r, f->phase));
}

static void valiant_flatfly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                            struct noc_hops *hops)
{
	if (in < n->graph.c) {
		f->phase = 0;
		f->via = noc_random(net, n->graph.n_node - 1);
	}
	via_flatfly(n, router, f, hops);
}

// The detour if, at the first router, its queue times its hops is the shorter by more than a threshold (BookSim's 2).
static void ugal_flatfly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                         struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	if (in < g->c) {
		unsigned client = fly_client(g, f->dst), direct = 0, detour = 0, weight = g->c;
		unsigned at = router, to = client / g->c;
		f->via = noc_random(net, g->c - 1);
		for (unsigned dim = 0; dim < g->n; dim++, weight *= g->k) {
			unsigned a = at % g->k, b = to % g->k, v = a;
			if (a != b) {
				v = noc_random(net, g->k - 1);
				direct++;
				detour += (v != a) + (v != b);
			}
			f->via += v * weight;
			at /= g->k;
			to /= g->k;
		}
		f->phase = 1;
		if (f->via / g->c != router && client / g->c != router)
			f->phase = direct * load(net, router, flatfly_next(g, router, client, false)) <=
			           detour * load(net, router, flatfly_next(g, router, f->via, false)) + 2;
	}
	via_flatfly(n, router, f, hops);
}

// --- dragonfly ---

static unsigned dragonfly_next(const struct noc_graph *g, unsigned router, unsigned node)
{
	unsigned p = g->k, a = g->group_routers, group = router / a, to_group = node / (a * p), to;
	if (node / p == router)
		return node % p;
	if (to_group == group) {
		to = node / p % a;
	} else {
		unsigned slot = group > to_group ? to_group : to_group - 1;
		to = slot / p;
		if (to == router % a)
			return p + a - 1 + slot % p;
	}
	return p + (to > router % a ? to - 1 : to);
}

static bool is_global(const struct noc_graph *g, unsigned port)
{
	return port >= g->k + g->group_routers - 1;
}

// Channel 0 up to the link between groups, channel 1 from there on; a node injects into any.
static void min_dragonfly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                          struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	if (in < g->k)
		f->phase = 0;
	unsigned port = dragonfly_next(g, router, f->dst);
	if (is_global(g, port))
		f->phase = 1;
	only(hops, port, (struct range){f->phase, f->phase});
}

// Through a random group if the direct way's queue is more than twice as long and 30 (BookSim's figures). Channel 0 on
// the way to that group, 1 from there or from home, 2 from the last link between groups on. BookSim stays on channel 0
// up to a random router of that group, which lets two groups wait for each other.
static void ugal_dragonfly(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                           struct noc_hops *hops)
{
	const struct noc_graph *g = &n->graph;
	unsigned a = g->group_routers, nodes = a * g->k;
	if (in < g->k) {
		f->phase = 1;
		if (f->dst / nodes == router / a) {
			f->phase = 2;
		} else {
			f->via = noc_random(net, g->n_node - 1);
			if (f->via / nodes != router / a && load(net, router, dragonfly_next(g, router, f->dst)) >
			                                        2 * load(net, router, dragonfly_next(g, router, f->via)) + 30)
				f->phase = 0;
		}
	}
	if (f->phase == 0 && f->via / nodes == router / a)
		f->phase = 1;
	unsigned port = dragonfly_next(g, router, f->phase ? f->dst : f->via);
	if (f->phase == 1 && is_global(g, port))
		f->phase = 2;
	only(hops, port, (struct range){f->phase, f->phase});
}

// --- anynet ---

static void min_anynet(const struct noc *n, struct noc_net *net, unsigned router, struct noc_flit *f, unsigned in,
                       struct noc_hops *hops)
{
	only(hops, n->graph.table[(size_t)router * n->graph.n_node + f->dst], kind_range(n, f));
}

static const struct routing {
	const char *topology, *name;
	noc_route_fn *fn;
	unsigned vcs;  // channels that each kind of packet needs
	bool one_way;  // packets between two nodes all take the same links
} routings[] = {
	{"fly", "dest_tag", dest_tag_fly, 1, true},
	{"mesh", "dor", dim_order_mesh, 1, true},
	{"mesh", "dim_order", dim_order_mesh, 1, true},
	{"mesh", "xy_yx", xy_yx_mesh, 2, false},
	{"mesh", "adaptive_xy_yx", adaptive_xy_yx_mesh, 2, false},
	{"mesh", "romm", romm_mesh, 2, false},
	{"mesh", "valiant", valiant_mesh, 2, false},
	{"mesh", "min_adapt", min_adapt_mesh, 2, false},
	{"torus", "dor", dim_order_torus, 2, false},
	{"torus", "dim_order", dim_order_torus, 2, false},
	{"torus", "dim_order_bal", dim_order_bal_torus, 2, false},
	{"torus", "valiant", valiant_torus, 4, false},
	{"torus", "min_adapt", min_adapt_torus, 3, false},
	{"fattree", "nca", nca_fattree, 1, false},
	{"fattree", "anca", anca_fattree, 1, false},
	{"flatfly", "ran_min", ran_min_flatfly, 1, true},
	{"flatfly", "xyyx", xyyx_flatfly, 2, false},
	{"flatfly", "adaptive_xyyx", adaptive_xyyx_flatfly, 2, false},
	{"flatfly", "valiant", valiant_flatfly, 2, false},
	{"flatfly", "ugal", ugal_flatfly, 2, false},
	{"dragonflynew", "min", min_dragonfly, 2, false},
	{"dragonflynew", "ugal", ugal_dragonfly, 3, false},
	{"anynet", "min", min_anynet, 1, true},
};
enum { N_ROUTINGS = sizeof routings / sizeof routings[0] };

noc_route_fn *noc_route_find(struct noc *n, struct diag *d)
{
	const char *topology = strcmp(n->config.topology, "dragonfly") ? n->config.topology : "dragonflynew";
	char names[200] = "";
	bool dragonfly = !strcmp(topology, "dragonflynew");
	for (int i = 0; i < N_ROUTINGS; i++) {
		const struct routing *r = &routings[i];
		if (strcmp(r->topology, topology))
			continue;
		if (strcmp(r->name, n->config.routing_function)) {
			strncat(names, names[0] ? ", " : "", sizeof names - strlen(names) - 1);
			strncat(names, r->name, sizeof names - strlen(names) - 1);
			continue;
		}
		for (unsigned kind = 0; kind < NOC_KINDS; kind++) {
			unsigned have = dragonfly ? n->vcs : n->vc1[kind] - n->vc0[kind] + 1u;
			if (have < r->vcs) {
				diag_add(d, DIAG_ERROR,
				         "routing_function %s of topology %s needs %u virtual channels for each kind of packet"
				         " to be free of deadlock, and has %u",
				         r->name, topology, r->vcs, have);
				return NULL;
			}
		}
		n->in_order = r->one_way;
		for (unsigned kind = 0; kind < NOC_KINDS; kind++)
			n->in_order &= n->vc0[kind] == n->vc1[kind];
		return r->fn;
	}
	diag_add(d, DIAG_ERROR, "routing_function '%s' is not one of topology %s: %s", n->config.routing_function, topology,
	         names);
	return NULL;
}

void noc_route_inject(const struct noc *n, struct noc_net *net, unsigned kind, unsigned *vc0, unsigned *vc1)
{
	*vc0 = n->vc0[kind];
	*vc1 = n->vc1[kind];
	if (n->graph.groups)
		*vc0 = *vc1 = noc_random(net, n->vcs - 1);
}
