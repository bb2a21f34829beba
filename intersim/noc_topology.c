// Topologies: how many routers, which port of which router leads where, and how long the links are. Port numbers and
// link lengths are those of BookSim, since routing functions and arbiters go by them.
#include "intersim/noc.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1 << 16, MAX_PORTS = 1 << 14 };

static void add(struct noc_graph *g, int from, int from_port, int to, int to_port, unsigned latency)
{
	if (g->n_link == g->cap_link) {
		g->cap_link = g->cap_link ? 2 * g->cap_link : 256;
		g->link = mem_realloc(g->link, g->cap_link * sizeof *g->link);
	}
	g->link[g->n_link++] = (struct noc_link){from, from_port, to, to_port, latency};
}

// Injection into and ejection from port `port` of a router.
static void add_node(struct noc_graph *g, int node, int router, int port, unsigned latency)
{
	add(g, -1, node, router, port, latency);
	add(g, router, port, -1, node, latency);
}

static bool size_graph(struct noc_graph *g, uint64_t nodes, uint64_t routers, uint64_t ports, struct diag *d)
{
	if (nodes > MAX_NODES || routers > MAX_NODES || ports > MAX_PORTS) {
		diag_add(d, DIAG_ERROR,
		         "the topology has %llu nodes and %llu routers of %llu ports; at most %d nodes and %d ports"
		         " can be simulated",
		         (unsigned long long)nodes, (unsigned long long)routers, (unsigned long long)ports, MAX_NODES,
		         MAX_PORTS);
		return false;
	}
	g->n_node = nodes;
	g->n_router = routers;
	g->n_in = ARENA_ARRAY(g->arena, unsigned, routers);
	g->n_out = ARENA_ARRAY(g->arena, unsigned, routers);
	for (unsigned r = 0; r < routers; r++)
		g->n_in[r] = g->n_out[r] = ports;
	return true;
}

// Saturates above what size_graph() accepts.
static uint64_t power(uint64_t base, unsigned exponent)
{
	uint64_t v = 1;
	while (exponent-- && v <= MAX_NODES)
		v *= base;
	return v;
}

// k-ary n-fly: n stages of k^(n-1) routers; nodes inject into the first stage and receive from the last.
static bool build_fly(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d)
{
	unsigned k = c->k, n = c->n, per_stage = power(k, n - 1);
	if (!size_graph(g, power(k, n), n * (uint64_t)per_stage, k, d))
		return false;
	g->routers_per_level = per_stage;
	for (unsigned r = 0; r < per_stage; r++)
		for (unsigned p = 0; p < k; p++) {
			add(g, -1, r * k + p, r, p, 1);
			add(g, (n - 1) * per_stage + r, p, -1, r * k + p, 1);
		}
	// Stage s exchanges the digit of weight k^(n-s-1) of the router's address with the port.
	for (unsigned s = 1; s < n; s++) {
		unsigned weight = power(k, n - s - 1);
		for (unsigned r = 0; r < per_stage; r++)
			for (unsigned p = 0; p < k; p++) {
				unsigned digit = r / weight % k;
				add(g, (s - 1) * per_stage + r - digit * weight + p * weight, digit, s * per_stage + r, p, 1);
			}
	}
	return true;
}

// k-ary n-cube. Ports 2d and 2d+1 lead up and down in dimension d, port 2n to the node; the ends of a mesh have none.
static bool build_cube(struct noc_graph *g, const struct noc_config *c, bool mesh, struct diag *d)
{
	unsigned k = c->k, n = c->n, latency = !mesh && c->use_noc_latency ? 2 : 1;
	if (!size_graph(g, power(k, n), power(k, n), 2 * n + 1, d))
		return false;
	for (unsigned r = 0, weight; r < g->n_router; r++) {
		weight = 1;
		for (unsigned dim = 0; dim < n; dim++, weight *= k) {
			unsigned at = r / weight % k;
			unsigned up = at == k - 1 ? r - (k - 1) * weight : r + weight;
			unsigned down = at == 0 ? r + (k - 1) * weight : r - weight;
			if (!mesh || at != k - 1)
				add(g, r, 2 * dim, up, 2 * dim + 1, latency);
			if (!mesh || at != 0)
				add(g, r, 2 * dim + 1, down, 2 * dim, latency);
		}
		add_node(g, r, r, 2 * n, 1);
	}
	return true;
}

static bool build_mesh(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d)
{
	return build_cube(g, c, true, d);
}

static bool build_torus(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d)
{
	return build_cube(g, c, false, d);
}

// k-ary n-tree: level 0 is the top. Ports 0..k-1 lead down (at the last level to nodes), k..2k-1 up.
static bool build_fattree(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d)
{
	unsigned k = c->k, n = c->n, per_level = power(k, n - 1);
	if (!size_graph(g, power(k, n), n * (uint64_t)per_level, 2 * k, d))
		return false;
	g->routers_per_level = per_level;
	for (unsigned r = 0; r < per_level; r++) {
		g->n_in[r] = g->n_out[r] = k;
		for (unsigned p = 0; p < k; p++)
			add_node(g, r * k + p, (n - 1) * per_level + r, p, 1);
	}
	for (unsigned level = 0; level + 1 < n; level++) {
		unsigned branch = power(k, n - 2 - level); // routers of the next level below one port
		for (unsigned pos = 0; pos < per_level; pos++) {
			unsigned tree = pos / (branch * k), in_tree = pos % (branch * k);
			unsigned upper = level * per_level + pos;
			for (unsigned p = 0; p < k; p++) {
				unsigned child = (level + 1) * per_level + tree * branch * k + p * branch + in_tree % branch;
				unsigned child_port = k + in_tree / branch;
				add(g, upper, p, child, child_port, 1);
				add(g, child, child_port, upper, p, 1);
			}
		}
	}
	return true;
}

// Distance in router pitches of the i-th of `count` clients in a row from the middle, where there is none; at least 1.
static unsigned client_offset(int i, int count)
{
	int at = -(count / 2) + i;
	if (count % 2 == 0 && at >= 0)
		at++;
	return abs(at) > 1 ? abs(at) : 1;
}

// Flattened butterfly on a chip: k routers in each of n dimensions, each linked to all others of its rows; c clients a
// router. Ports 0..c-1 are clients, then k-1 per dimension.
static bool build_flatfly(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d)
{
	unsigned k = c->k, n = c->n;
	if (c->c != c->xr * c->yr || c->xr != c->yr || c->x != c->y || power(k, n) != (uint64_t)c->x * c->y || n > 4) {
		diag_add(d, DIAG_ERROR,
		         "topology flatfly needs c = xr * yr, xr = yr, x = y, x * y = k^n and n up to 4; here c = %d,"
		         " xr = %d, yr = %d, x = %d, y = %d, k = %d, n = %d",
		         c->c, c->xr, c->yr, c->x, c->y, k, n);
		return false;
	}
	if (!size_graph(g, power(k, n) * c->c, power(k, n), c->c + (k - 1) * n, d))
		return false;
	g->xcount = c->x;
	g->xrouter = c->xr;
	g->yrouter = c->yr;
	unsigned *next_in = mem_alloc(g->n_router * sizeof *next_in);
	for (unsigned r = 0; r < g->n_router; r++) {
		unsigned row = r / c->x, column = r % c->x;
		next_in[r] = c->c;
		for (int y = 0; y < c->yr; y++)
			for (int x = 0; x < c->xr; x++) {
				unsigned node = c->x * c->xr * (c->yr * row + y) + c->xr * column + x;
				unsigned length = client_offset(x, c->xr) + client_offset(y, c->yr) - 1;
				add_node(g, node, r, y * c->xr + x, c->use_noc_latency ? length : 1);
			}
	}
	for (unsigned r = 0; r < g->n_router; r++) {
		unsigned out = c->c, weight = 1;
		for (unsigned dim = 0; dim < n; dim++, weight *= k)
			for (unsigned i = 0; i < k; i++) {
				unsigned other = r + (i - r / weight % k) * weight;
				if (other == r)
					continue;
				int dx = (int)(r % c->x) - (int)(other % c->x), dy = (int)(r / c->x) - (int)(other / c->x);
				unsigned length = c->xr * abs(dx) + c->yr * abs(dy);
				add(g, r, out++, other, next_in[other]++, c->use_noc_latency ? length : 1);
			}
	}
	mem_free(next_in);
	return true;
}

// Dragonfly of one local dimension: p = k nodes a router, groups of 2p routers, each group linked once to every other.
// Ports 0..p-1 are nodes, then 2p-1 within the group, then p to other groups. Lengths 10 and 100 are BookSim's.
static bool build_dragonfly(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d)
{
	unsigned p = c->k, a = 2 * p, groups = a * p + 1;
	if (c->n != 1) {
		diag_add(d, DIAG_ERROR, "topology dragonflynew needs n = 1, not %d", c->n);
		return false;
	}
	if (!size_graph(g, (uint64_t)a * p * groups, (uint64_t)a * groups, 4 * p - 1, d))
		return false;
	g->groups = groups;
	g->group_routers = a;
	for (unsigned r = 0; r < g->n_router; r++) {
		unsigned group = r / a, local = r % a;
		for (unsigned i = 0; i < p; i++)
			add_node(g, r * p + i, r, i, 1);
		for (unsigned i = 0; i < a - 1; i++) {
			unsigned other = i < local ? i : i + 1;
			add(g, r, p + i, group * a + other, p + (local < other ? local : local - 1), 10);
		}
		for (unsigned i = 0; i < p; i++) {
			unsigned slot = local * p + i, other = slot < group ? slot : slot + 1;
			unsigned back = group < other ? group : group - 1;
			add(g, r, p + a - 1 + i, other * a + back / p, p + a - 1 + back % p, 100);
		}
	}
	return true;
}

// --- anynet: lines of "router 0 node 0 node 1 router 1 15", a number behind an end being the length of that link ---

struct any_end {
	unsigned router, other, latency;
	bool node;    // `other` is a node, not a router
	bool implied; // the way back, of a line that does not mention it
};

struct any {
	struct any_end *end;
	size_t n, cap;
	struct diag *d;
	struct src_text src;
};

static struct any_end *any_find(struct any *a, unsigned router, unsigned other, bool node)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->end[i].router == router && a->end[i].other == other && a->end[i].node == node)
			return &a->end[i];
	return NULL;
}

static void any_add(struct any *a, unsigned router, unsigned other, bool node, bool implied)
{
	struct any_end *e = any_find(a, router, other, node);
	if (e) {
		if (!implied)
			e->implied = false;
		return;
	}
	if (a->n == a->cap) {
		a->cap = a->cap ? 2 * a->cap : 64;
		a->end = mem_realloc(a->end, a->cap * sizeof *a->end);
	}
	a->end[a->n++] = (struct any_end){router, other, 1, node, implied};
}

static size_t any_word(const struct src_text *s, size_t *at, size_t end)
{
	while (*at < end && (s->text[*at] == ' ' || s->text[*at] == '\t' || s->text[*at] == '\r'))
		++*at;
	size_t start = *at;
	while (start < end && s->text[start] != ' ' && s->text[start] != '\t' && s->text[start] != '\r')
		start++;
	return start - *at;
}

static bool any_number(struct any *a, size_t at, size_t len, unsigned limit, unsigned *v)
{
	*v = 0;
	for (size_t i = 0; i < len; i++) {
		char ch = a->src.text[at + i];
		if (ch < '0' || ch > '9' || *v > limit) {
			*v = limit + 1;
			break;
		}
		*v = *v * 10 + (ch - '0');
	}
	if (len && *v <= limit)
		return true;
	diag_at(a->d, DIAG_ERROR, &a->src, at, len ? len : 1, "expected a number up to %u", limit);
	return false;
}

// One line: the subject, then what it is linked with.
static bool any_line(struct any *a, size_t at, size_t end)
{
	const char *text = a->src.text;
	bool subject_is_node = false;
	unsigned subject = 0;
	struct any_end *last = NULL;
	for (unsigned field = 0;; field++) {
		size_t len = any_word(&a->src, &at, end);
		if (!len)
			return true;
		bool node = len == 4 && !memcmp(text + at, "node", 4), router = len == 6 && !memcmp(text + at, "router", 6);
		if (last && !node && !router) {
			if (!any_number(a, at, len, 65535, &last->latency))
				return false;
			if (!last->latency) {
				diag_at(a->d, DIAG_ERROR, &a->src, at, len, "a link takes at least 1 cycle");
				return false;
			}
			at += len;
			last = NULL;
			continue;
		}
		if (!node && !router) {
			diag_at(a->d, DIAG_ERROR, &a->src, at, len, "expected router or node");
			return false;
		}
		at += len;
		unsigned id;
		size_t id_len = any_word(&a->src, &at, end);
		if (!any_number(a, at, id_len, MAX_NODES - 1, &id))
			return false;
		if (field == 0) {
			subject = id;
			subject_is_node = node;
		} else if (subject_is_node && node) {
			diag_at(a->d, DIAG_ERROR, &a->src, at, id_len, "a node can only be linked with a router");
			return false;
		} else if (node || subject_is_node) {
			any_add(a, node ? subject : id, node ? id : subject, true, false);
			last = any_find(a, node ? subject : id, node ? id : subject, true);
		} else {
			any_add(a, subject, id, false, false);
			any_add(a, id, subject, false, true);
			last = any_find(a, subject, id, false);
		}
		at += id_len;
	}
}

static int any_order(const void *x, const void *y)
{
	const struct any_end *a = x, *b = y;
	if (a->router != b->router)
		return a->router < b->router ? -1 : 1;
	if (a->node != b->node)
		return a->node ? -1 : 1;
	return a->other < b->other ? -1 : a->other > b->other;
}

// Shortest paths in cycles from every router, with the lower router number first among equals.
static bool any_routes(struct noc_graph *g, const struct any *a, const unsigned *out_of, struct diag *d)
{
	unsigned n = g->n_router;
	uint32_t *distance = mem_alloc(n * sizeof *distance), *from = mem_alloc(n * sizeof *from);
	bool *known = mem_alloc(n * sizeof *known), ok = true;
	size_t *first = mem_alloc((n + 1) * sizeof *first);
	for (size_t i = a->n; i-- > 0;)
		first[a->end[i].router] = i;
	first[n] = a->n;
	g->table = ARENA_ARRAY(g->arena, uint16_t, (size_t)n * g->n_node);
	for (unsigned start = 0; start < n && ok; start++) {
		for (unsigned r = 0; r < n; r++) {
			distance[r] = UINT32_MAX;
			known[r] = false;
		}
		distance[start] = 0;
		for (unsigned round = 0; round < n; round++) {
			unsigned best = n;
			for (unsigned r = 0; r < n; r++)
				if (!known[r] && distance[r] != UINT32_MAX && (best == n || distance[r] < distance[best]))
					best = r;
			if (best == n) {
				diag_add(d, DIAG_ERROR, "network_file: not every router can be reached from router %u", start);
				ok = false;
				break;
			}
			known[best] = true;
			for (size_t i = first[best]; i < a->n && a->end[i].router == best; i++) {
				const struct any_end *e = &a->end[i];
				if (e->node) {
					// The first output on the way from `start` to this router.
					unsigned r = best, port = out_of[i];
					while (r != start) {
						unsigned before = from[r];
						for (size_t j = first[before]; a->end[j].router == before; j++)
							if (!a->end[j].node && a->end[j].other == r) {
								port = out_of[j];
								break;
							}
						r = before;
					}
					g->table[(size_t)start * g->n_node + e->other] = port;
				} else if (distance[best] + e->latency < distance[e->other]) {
					distance[e->other] = distance[best] + e->latency;
					from[e->other] = best;
				}
			}
		}
	}
	mem_free(distance);
	mem_free(from);
	mem_free(known);
	mem_free(first);
	return ok;
}

static bool any_build(struct noc_graph *g, struct any *a)
{
	unsigned routers = 0, nodes = 0, ports = 0, run = 0;
	if (a->n)
		qsort(a->end, a->n, sizeof *a->end, any_order); // keys are unique
	for (size_t i = 0; i < a->n; i++) {
		const struct any_end *e = &a->end[i];
		run = i && a->end[i - 1].router == e->router ? run + 1 : 1;
		ports = run > ports ? run : ports;
		routers = e->router >= routers ? e->router + 1 : routers;
		nodes += e->node;
	}
	if (!nodes) {
		diag_add(a->d, DIAG_ERROR, "%s: no node is linked with a router", a->src.name);
		return false;
	}
	if (!size_graph(g, nodes, routers, ports, a->d))
		return false;
	unsigned *router_of = mem_alloc(nodes * sizeof *router_of), *out_of = mem_alloc(a->n * sizeof *out_of);
	unsigned *next_in = mem_alloc(routers * sizeof *next_in);
	bool ok = true;
	for (unsigned r = 0; r < routers; r++)
		g->n_in[r] = g->n_out[r] = 0;
	for (size_t i = 0; i < a->n && ok; i++) {
		const struct any_end *e = &a->end[i];
		out_of[i] = g->n_out[e->router]++;
		g->n_in[e->router]++;
		if (e->node && e->other >= nodes) {
			diag_add(a->d, DIAG_ERROR, "%s: nodes must be numbered from 0 without gaps; there are %u and a node %u",
			         a->src.name, nodes, e->other);
			ok = false;
		} else if (e->node && router_of[e->other]) {
			diag_add(a->d, DIAG_ERROR, "%s: node %u is linked with router %u and router %u", a->src.name, e->other,
			         router_of[e->other] - 1, e->router);
			ok = false;
		} else if (e->node) {
			router_of[e->other] = e->router + 1;
			add_node(g, e->other, e->router, out_of[i], e->latency);
			next_in[e->router] = out_of[i] + 1;
		}
	}
	for (size_t i = 0; i < a->n && ok; i++) {
		const struct any_end *e = &a->end[i];
		if (!e->node)
			add(g, e->router, out_of[i], e->other, next_in[e->other]++, e->latency);
	}
	for (unsigned r = 0; r < routers && ok; r++)
		if (!g->n_in[r]) {
			diag_add(a->d, DIAG_ERROR, "%s: routers must be numbered from 0 without gaps; there is no router %u",
			         a->src.name, r);
			ok = false;
		}
	ok = ok && any_routes(g, a, out_of, a->d);
	mem_free(router_of);
	mem_free(out_of);
	mem_free(next_in);
	return ok;
}

static bool build_anynet(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d)
{
	struct any a = {.d = d};
	if (!c->network_file[0]) {
		diag_add(d, DIAG_ERROR, "topology anynet needs network_file");
		return false;
	}
	const char *path = c->network_file;
	if (dir && path[0] != '/') {
		struct diag quiet = {0};
		size_t len;
		char *here = noc_read_file(path, &len, &quiet);
		diag_free(&quiet);
		if (!here)
			path = arena_printf(g->arena, "%s/%s", dir, c->network_file);
		mem_free(here);
	}
	size_t len;
	char *text = noc_read_file(path, &len, d);
	if (!text)
		return false;
	a.src = (struct src_text){path, text, len};
	bool ok = true;
	for (size_t at = 0; at < len && ok;) {
		const char *newline = memchr(text + at, '\n', len - at);
		size_t end = newline ? (size_t)(newline - text) : len;
		ok = any_line(&a, at, end);
		at = end + 1;
	}
	ok = ok && any_build(g, &a);
	mem_free(a.end);
	mem_free(text);
	return ok;
}

static const struct topology {
	const char *name;
	bool (*build)(struct noc_graph *, const struct noc_config *, const char *dir, struct diag *);
} topologies[] = {
	{"fly", build_fly},         {"mesh", build_mesh},       {"torus", build_torus},
	{"fattree", build_fattree}, {"flatfly", build_flatfly}, {"dragonflynew", build_dragonfly},
	{"dragonfly", build_dragonfly}, {"anynet", build_anynet},
};

bool noc_topology_build(struct noc_graph *g, const struct noc_config *c, const char *dir, struct diag *d)
{
	g->k = c->k;
	g->n = c->n;
	g->c = c->c;
	for (unsigned i = 0; i < sizeof topologies / sizeof topologies[0]; i++)
		if (!strcmp(topologies[i].name, c->topology))
			return topologies[i].build(g, c, dir, d);
	diag_add(d, DIAG_ERROR, "topology '%s' is not one of fly, mesh, torus, fattree, flatfly, dragonflynew, anynet",
	         c->topology);
	return false;
}
