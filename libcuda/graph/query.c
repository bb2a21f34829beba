// What programs ask of graphs and nodes, and what they change in nodes.
#include "libcuda/graph/graph.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"

#include <string.h>

// A list in the program's memory: a NULL list asks for the number of entries.
struct list {
	size_t room, n, total;
	bool failed;
};

static bool begin(struct list *l, const void *out, const size_t *n)
{
	*l = (struct list){0};
	return n && (!out || guard_read(&l->room, n, sizeof l->room));
}

static void put(struct list *l, void *out, const void *entry, size_t size)
{
	if (out && l->n < l->room && !guard_read((char *)out + l->n * size, entry, size))
		l->failed = true;
}

// What is left of the room is NULL. A room beyond all memory fails when it is written.
static cudaError_t end(struct list *l, void *const *outs, const size_t *sizes, unsigned n_outs, size_t *n)
{
	static const char zero[sizeof(struct edge_data)];
	size_t count = outs[0] && l->room < l->total ? l->room : l->total;
	for (size_t i = l->total; outs[0] && i < l->room && !l->failed; i++)
		for (unsigned k = 0; k < n_outs; k++)
			if (outs[k] && !guard_read((char *)outs[k] + i * sizes[k], zero, sizes[k]))
				l->failed = true;
	return !l->failed && guard_read(n, &count, sizeof count) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t list_nodes(struct graph *g, struct node **out, size_t *n, bool roots)
{
	struct list l;
	if (!g || !begin(&l, out, n))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < g->nodes.n; i++) {
		if (roots && g->nodes.at[i]->in.n)
			continue;
		put(&l, out, &g->nodes.at[i], sizeof *out);
		l.n++;
	}
	l.total = l.n;
	return end(&l, (void *[]){out}, (size_t[]){sizeof *out}, 1, n);
}

cudaError_t graph_nodes(struct graph *g, struct node **out, size_t *n) { return list_nodes(g, out, n, false); }

cudaError_t graph_roots(struct graph *g, struct node **out, size_t *n) { return list_nodes(g, out, n, true); }

// Whether an edge says more than a form of the function can tell that has no place for it.
static bool lossy(const struct edge_data *d, const void *data, bool with_data)
{
	static const struct edge_data plain;
	return (!with_data || !data) && memcmp(d, &plain, sizeof plain) != 0;
}

cudaError_t graph_edges(struct graph *g, struct node **from, struct node **to, struct edge_data *data, size_t *n, bool with_data)
{
	struct list l;
	if (!g || !from != !to || (data && !from) || !begin(&l, from, n))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *node = g->nodes.at[i];
		for (size_t k = 0; k < node->out.n; k++, l.n++) {
			if (from && lossy(&node->out.at[k].data, data, with_data))
				return cudaErrorLossyQuery;
			put(&l, from, &g->nodes.at[i], sizeof *from);
			put(&l, to, &node->out.at[k].node, sizeof *to);
			put(&l, data, &node->out.at[k].data, sizeof *data);
		}
	}
	l.total = l.n;
	return end(&l, (void *[]){from, to, data}, (size_t[]){sizeof *from, sizeof *to, sizeof *data}, 3, n);
}

cudaError_t node_neighbours(struct node *node, bool in, struct node **out, struct edge_data *data, size_t *n, bool with_data)
{
	struct list l;
	if (!node || (data && !out) || !begin(&l, out, n))
		return cudaErrorInvalidValue;
	const struct edge *at = in ? node->in.at : node->out.at;
	l.total = in ? node->in.n : node->out.n;
	for (size_t i = 0; i < l.total; i++, l.n++) {
		if (out && lossy(&at[i].data, data, with_data))
			return cudaErrorLossyQuery;
		put(&l, out, &at[i].node, sizeof *out);
		put(&l, data, &at[i].data, sizeof *data);
	}
	return end(&l, (void *[]){out, data}, (size_t[]){sizeof *out, sizeof *data}, 2, n);
}

cudaError_t node_type_of(struct node *n, int *type)
{
	if (!n || !type)
		return cudaErrorInvalidValue;
	int t = n->p.type;
	return guard_read(type, &t, sizeof t) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t node_get(struct node *n, enum node_type type, struct node_params *p)
{
	if (!n || n->p.type != type)
		return cudaErrorInvalidValue;
	payload_params(&n->p, p);
	return cudaSuccess;
}

// Nodes that make something keep what they have made.
bool node_settable(enum node_type type)
{
	return type != NODE_ALLOC && type != NODE_FREE && type != NODE_CONDITIONAL && type != NODE_GRAPH && type != NODE_EMPTY;
}

cudaError_t node_set(struct node *n, struct node_params *p)
{
	struct payload made;
	if (!n || !p || n->p.type != (enum node_type)p->type || !node_settable(n->p.type))
		return cudaErrorInvalidValue;
	cudaError_t e = graph_make(&made, n->graph, p);
	if (e)
		return e;
	if (made.type == NODE_KERNEL)
		payload_copy_attributes(&made, &n->p);
	graph_free_payload(&n->p);
	n->p = made;
	return cudaSuccess;
}

cudaError_t node_child(struct node *n, struct graph **out)
{
	if (!n || n->p.type != NODE_GRAPH || !out)
		return cudaErrorInvalidValue;
	return guard_read(out, &n->p.u.child.graph, sizeof *out) ? cudaSuccess : cudaErrorInvalidValue;
}
