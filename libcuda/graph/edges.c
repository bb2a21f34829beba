// Nodes of graphs and the edges between them.
#include "libcuda/graph/graph.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/event_calls.h"

#include <string.h>

static struct edge *edge_to(const struct node *from, const struct node *to)
{
	for (size_t i = 0; i < to->in.n; i++)
		if (to->in.at[i].node == from)
			return &to->in.at[i];
	return NULL;
}

static void join(struct node *from, struct node *to, struct edge_data data)
{
	VEC_PUSH(&to->in, ((struct edge){from, data}));
	VEC_PUSH(&from->out, ((struct edge){to, data}));
}

static void part(struct node *from, struct node *to)
{
	size_t n = 0;
	for (size_t i = 0; i < to->in.n; i++)
		if (to->in.at[i].node != from)
			to->in.at[n++] = to->in.at[i];
	to->in.n = n;
	n = 0;
	for (size_t i = 0; i < from->out.n; i++)
		if (from->out.at[i].node != to)
			from->out.at[n++] = from->out.at[i];
	from->out.n = n;
}

// Kernels alone have ports, and kernels alone begin before one that they depend on has ended; that must name one of its ports.
static bool good_data(const struct node *from, int to, const struct edge_data *d)
{
	static const uint8_t none[sizeof d->reserved];
	if (memcmp(d->reserved, none, sizeof none) || d->to_port || d->type > EDGE_PROGRAMMATIC || d->from_port > PORT_BEGUN)
		return false;
	return (d->type == EDGE_PROGRAMMATIC) == (d->from_port > 0) && (!d->from_port || (from->p.type == NODE_KERNEL && to == NODE_KERNEL));
}

cudaError_t graph_read_edges(struct edge *out, const struct graph *g, int to, struct node *const *nodes, const struct edge_data *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct node *node;
		out[i].data = (struct edge_data){0};
		if (!guard_read(&node, &nodes[i], sizeof node) || !node_find(node) || node->graph != g ||
		    (data && !guard_read(&out[i].data, &data[i], sizeof *data)) || !good_data(node, to, &out[i].data))
			return cudaErrorInvalidValue;
		out[i].node = node;
	}
	graph_index(g);
	bool *seen = mem_alloc(g->nodes.n + 1), twice = false;
	for (size_t i = 0; i < n; i++) {
		twice |= seen[out[i].node->index];
		seen[out[i].node->index] = true;
	}
	mem_free(seen);
	return twice ? cudaErrorInvalidValue : cudaSuccess;
}

struct node *graph_append(struct graph *g, const struct edge *after, size_t n, struct payload *p)
{
	struct node *node = graph_new_node(g);
	node->p = *p;
	graph_adopt(node);
	for (size_t i = 0; i < n; i++)
		join(after[i].node, node, after[i].data);
	return node;
}

bool graph_allows(const struct graph *g, int type)
{
	for (const struct node *n = g->inside; n; n = n->graph->inside) {
		if (n->p.type == NODE_CONDITIONAL && type != NODE_KERNEL && type != NODE_EMPTY && type != NODE_GRAPH && type != NODE_FILL &&
		    type != NODE_COPY && type != NODE_CONDITIONAL)
			return false;
		if (n->p.type == NODE_GRAPH && n->graph != g && g->moved && (type == NODE_ALLOC || type == NODE_FREE))
			return false;
	}
	return true;
}

cudaError_t graph_add(struct node **out, struct graph *g, struct node *const *after, const struct edge_data *data, size_t n,
                      struct node_params *p)
{
	if (!out || !g || !p || (n && !after) || n > g->nodes.n)
		return cudaErrorInvalidValue;
	if (!graph_allows(g, p->type)) {
		cu_complain("a node of type %d cannot be in the body of a conditional node", p->type);
		return cudaErrorNotSupported;
	}
	struct edge *edges = mem_alloc((n + 1) * sizeof *edges);
	struct payload made;
	struct node *none = NULL;
	cudaError_t e = graph_read_edges(edges, g, p->type, after, data, n);
	if (!e && !guard_read(out, &none, sizeof none))
		e = cudaErrorInvalidValue;
	if (!e && (e = graph_make(&made, g, p)) == cudaSuccess) {
		struct node *node = graph_append(g, edges, n, &made);
		guard_read(out, &node, sizeof node);
	}
	mem_free(edges);
	return e;
}

cudaError_t graph_remove(struct node *n)
{
	if (!n || graph_has_memory(n->graph) || n->graph->captures)
		return cudaErrorInvalidValue;
	struct graph *g = n->graph;
	while (n->in.n)
		part(n->in.at[0].node, n);
	while (n->out.n)
		part(n, n->out.at[0].node);
	size_t k = 0;
	for (size_t i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i] != n)
			g->nodes.at[k++] = g->nodes.at[i];
	g->nodes.n = k;
	graph_free_node(n);
	return cudaSuccess;
}

struct pair {
	struct node *from, *to;
	struct edge_data data;
};

// Reads pairs of nodes of g; the program's memory first, so that all or nothing is done.
static cudaError_t read_pairs(struct pair **out, const struct graph *g, struct node *const *from, struct node *const *to,
                              const struct edge_data *data, size_t n)
{
	enum { MOST = 1 << 24 };
	if (!g || n > MOST || (n && (!from || !to)))
		return cudaErrorInvalidValue;
	struct pair *p = *out = mem_alloc((n + 1) * sizeof *p);
	for (size_t i = 0; i < n; i++)
		if (!guard_read(&p[i].from, &from[i], sizeof *from) || !guard_read(&p[i].to, &to[i], sizeof *to) ||
		    !node_find(p[i].from) || !node_find(p[i].to) || p[i].from->graph != g || p[i].to->graph != g || p[i].from == p[i].to ||
		    (data && !guard_read(&p[i].data, &data[i], sizeof *data)) || !good_data(p[i].from, p[i].to->p.type, &p[i].data)) {
			mem_free(p);
			return cudaErrorInvalidValue;
		}
	return cudaSuccess;
}

cudaError_t graph_connect(struct graph *g, struct node *const *from, struct node *const *to, const struct edge_data *data, size_t n)
{
	struct pair *p;
	cudaError_t e = read_pairs(&p, g, from, to, data, n);
	if (e)
		return e;
	size_t done = 0;
	for (; done < n && !edge_to(p[done].from, p[done].to); done++)
		join(p[done].from, p[done].to, p[done].data);
	if (done < n) {
		e = cudaErrorInvalidValue; // it is there already
		while (done-- > 0)
			part(p[done].from, p[done].to);
	}
	mem_free(p);
	return e;
}

cudaError_t graph_disconnect(struct graph *g, struct node *const *from, struct node *const *to, const struct edge_data *data, size_t n)
{
	struct pair *p;
	cudaError_t e = read_pairs(&p, g, from, to, data, n);
	if (e)
		return e;
	if (n && graph_has_memory(g))
		e = cudaErrorInvalidValue;
	for (size_t i = 0; i < n && !e; i++) {
		const struct edge *at = edge_to(p[i].from, p[i].to);
		if (!at || memcmp(&at->data, &p[i].data, sizeof at->data))
			e = cudaErrorInvalidValue;
	}
	for (size_t i = 0; i < n && !e; i++)
		part(p[i].from, p[i].to);
	mem_free(p);
	return e;
}

// --- order

struct node **graph_order(struct graph *g, struct node **bad)
{
	struct node **order = mem_alloc((g->nodes.n + 1) * sizeof(struct node *));
	size_t *left = mem_alloc((g->nodes.n + 1) * sizeof *left), n = 0;
	graph_index(g);
	for (size_t i = 0; i < g->nodes.n; i++)
		if (!(left[i] = g->nodes.at[i]->in.n))
			order[n++] = g->nodes.at[i];
	for (size_t at = 0; at < n; at++)
		for (size_t k = 0; k < order[at]->out.n; k++) {
			struct node *to = order[at]->out.at[k].node;
			if (!--left[to->index])
				order[n++] = to;
		}
	if (n < g->nodes.n) {
		for (size_t i = 0; i < g->nodes.n; i++)
			if (left[i])
				*bad = g->nodes.at[i];
		mem_free(order);
		order = NULL;
	}
	mem_free(left);
	return order;
}

