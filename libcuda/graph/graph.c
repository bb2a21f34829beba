#include "libcuda/graph/graph.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/graph/conditional.h"
#include "libcuda/graph/user_object.h"
#include "libcuda/memory/graph_memory.h"

// --- handles

struct graph *graph_new(void)
{
	cu.graphs.size = sizeof(struct graph);
	struct graph *g = handle_new(&cu.graphs);
	g->owner = cu_thread.owner;
	g->uid = ++cu.next_node;
	return g;
}

struct graph *graph_find(const void *handle)
{
	struct graph *g = (struct graph *)handle;
	return g && handle_valid(&cu.graphs, g) && !g->private && !g->dropped ? g : NULL;
}

struct node *node_find(const void *handle)
{
	struct node *n = (struct node *)handle;
	return n && handle_valid(&cu.nodes, n) && !n->graph->private && !n->graph->dropped ? n : NULL;
}

struct node *graph_new_node(struct graph *g)
{
	cu.nodes.size = sizeof(struct node);
	struct node *n = handle_new(&cu.nodes);
	n->graph = g;
	n->uid = ++cu.next_node;
	VEC_PUSH(&g->nodes, n);
	return n;
}

// Graphs inside know the node that they are in.
void graph_adopt(struct node *n)
{
	if (n->p.type == NODE_GRAPH)
		n->p.u.child.graph->inside = n;
	for (unsigned i = 0; n->p.type == NODE_CONDITIONAL && i < n->p.u.conditional.size; i++)
		n->p.u.conditional.body[i]->inside = n;
}

static void free_inside(struct payload *p)
{
	if (p->type == NODE_GRAPH)
		graph_free(p->u.child.graph);
	if (p->type != NODE_CONDITIONAL)
		return;
	for (unsigned i = 0; i < p->u.conditional.size; i++)
		graph_free(p->u.conditional.body[i]);
	mem_free(p->u.conditional.body);
	conditional_release(p->u.conditional.c);
}

void graph_free_payload(struct payload *p)
{
	free_inside(p);
	payload_free(p);
}

void graph_free_node(struct node *n)
{
	graph_free_payload(&n->p);
	VEC_FREE(&n->in);
	VEC_FREE(&n->out);
	handle_free(&cu.nodes, n);
}

void graph_free(struct graph *g)
{
	if (g->runs) {
		g->dropped = true;
		return;
	}
	for (size_t i = 0; i < g->nodes.n; i++)
		graph_free_node(g->nodes.at[i]);
	for (size_t i = 0; i < g->conditionals.n; i++)
		conditional_release(g->conditionals.at[i]);
	for (size_t i = 0; i < g->objects.n; i++)
		user_object_drop(g->objects.at[i].object, g->objects.at[i].count);
	VEC_FREE(&g->nodes);
	VEC_FREE(&g->conditionals);
	VEC_FREE(&g->objects);
	mem_free(g->order);
	handle_free(&cu.graphs, g);
}

cudaError_t graph_create(struct graph **out, unsigned flags)
{
	if (!out || flags)
		return cudaErrorInvalidValue;
	struct graph *g = graph_new();
	if (guard_read(out, &g, sizeof g))
		return cudaSuccess;
	graph_free(g);
	return cudaErrorInvalidValue;
}

cudaError_t graph_destroy(struct graph *g)
{
	if (!g || g->inside || g->captures)
		return cudaErrorInvalidValue;
	graph_free(g);
	user_objects_flush();
	return cudaSuccess;
}

// --- copies

void graph_index(const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->index = (unsigned)i;
}

void graph_copy_payload(struct payload *to, const struct payload *from)
{
	payload_copy(to, from);
	if (from->type == NODE_GRAPH)
		to->u.child.graph = graph_copy(from->u.child.graph);
	if (from->type != NODE_CONDITIONAL)
		return;
	to->u.conditional.c->refs++;
	to->u.conditional.body = mem_alloc(from->u.conditional.size * sizeof(struct graph *));
	for (unsigned i = 0; i < from->u.conditional.size; i++)
		to->u.conditional.body[i] = graph_copy(from->u.conditional.body[i]);
}

struct graph *graph_copy(const struct graph *g)
{
	struct graph *c = graph_new();
	c->origin = g->uid;
	c->owner = g->owner;
	VEC_RESERVE(&c->nodes, g->nodes.n);
	graph_index(g);
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct node *n = graph_new_node(c);
		n->origin = g->nodes.at[i]->uid;
		n->disabled = g->nodes.at[i]->disabled;
		graph_copy_payload(&n->p, &g->nodes.at[i]->p);
		graph_adopt(n);
	}
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *from = g->nodes.at[i];
		struct node *n = c->nodes.at[i];
		for (size_t k = 0; k < from->in.n; k++)
			VEC_PUSH(&n->in, ((struct edge){c->nodes.at[from->in.at[k].node->index], from->in.at[k].data}));
		for (size_t k = 0; k < from->out.n; k++)
			VEC_PUSH(&n->out, ((struct edge){c->nodes.at[from->out.at[k].node->index], from->out.at[k].data}));
	}
	for (size_t i = 0; i < g->conditionals.n; i++) {
		g->conditionals.at[i]->refs++;
		VEC_PUSH(&c->conditionals, g->conditionals.at[i]);
	}
	for (size_t i = 0; i < g->objects.n; i++) {
		user_object_keep(g->objects.at[i].object, g->objects.at[i].count);
		VEC_PUSH(&c->objects, g->objects.at[i]);
	}
	return c;
}

cudaError_t graph_clone(struct graph **out, struct graph *g)
{
	if (!out || !g || graph_has_memory(g) || graph_has(g, NODE_CONDITIONAL))
		return cudaErrorInvalidValue;
	struct graph *c = graph_copy(g);
	if (guard_read(out, &c, sizeof c))
		return cudaSuccess;
	graph_free(c);
	return cudaErrorInvalidValue;
}

unsigned node_parts(const struct node *n, struct graph *const **out)
{
	switch (n->p.type) {
	case NODE_GRAPH: *out = &n->p.u.child.graph; return 1;
	case NODE_CONDITIONAL: *out = n->p.u.conditional.body; return n->p.u.conditional.size;
	default: return 0;
	}
}

struct node *graph_copy_of(const struct graph *g, const struct node *n)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct node *at = g->nodes.at[i];
		struct graph *const *inside = NULL;
		if (at->origin == n->uid)
			return at;
		for (unsigned k = 0, m = node_parts(at, &inside); k < m; k++) {
			struct node *found = graph_copy_of(inside[k], n);
			if (found)
				return found;
		}
	}
	return NULL;
}

cudaError_t graph_find_in_clone(struct node **out, struct node *original, struct graph *clone)
{
	if (!out || !original || !clone)
		return cudaErrorInvalidValue;
	struct node *n = graph_copy_of(clone, original);
	return n && guard_read(out, &n, sizeof n) ? cudaSuccess : cudaErrorInvalidValue;
}

bool graph_has(const struct graph *g, enum node_type type)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct graph *const *inside = NULL;
		if (g->nodes.at[i]->p.type == type)
			return true;
		for (unsigned k = 0, m = node_parts(g->nodes.at[i], &inside); k < m; k++)
			if (graph_has(inside[k], type))
				return true;
	}
	return false;
}

bool graph_has_memory(const struct graph *g) { return graph_has(g, NODE_ALLOC) || graph_has(g, NODE_FREE); }

// --- what nodes are made of that have to do with their graph

static bool is_around(const struct graph *g, const struct graph *inner)
{
	while (inner && inner != g)
		inner = inner->inside ? inner->inside->graph : NULL;
	return inner;
}

static cudaError_t make_child(struct payload *out, struct graph *g, const struct child_node_params *p)
{
	struct graph *child = graph_find(p->graph);
	if (!child || is_around(child, g) || (p->ownership != CHILD_CLONE && p->ownership != CHILD_MOVE) || child->captures)
		return cudaErrorInvalidValue;
	if (graph_has(child, NODE_CONDITIONAL) || (p->ownership == CHILD_CLONE && graph_has_memory(child))) {
		cu_complain("a graph with conditional nodes cannot be a child graph, and one with memory nodes only if it is moved");
		return cudaErrorInvalidValue;
	}
	if (p->ownership == CHILD_MOVE && (child->inside || child->execs))
		return cudaErrorInvalidValue;
	child->moved |= p->ownership == CHILD_MOVE;
	out->u.child.graph = child->moved && p->ownership == CHILD_MOVE ? child : graph_copy(child);
	out->u.child.ownership = p->ownership;
	return cudaSuccess;
}

enum { MOST_BODIES = 65536 };

static cudaError_t make_conditional(struct payload *out, struct graph *g, struct conditional_node_params *p)
{
	struct conditional *c = conditional_of(g, p->handle);
	unsigned most = p->kind == CONDITION_IF ? 2 : p->kind == CONDITION_WHILE ? 1 : MOST_BODIES;
	if (!c || c->used || p->kind < CONDITION_IF || p->kind > CONDITION_SWITCH || !p->size || p->size > most)
		return cudaErrorInvalidValue;
	c->used = true;
	c->refs++;
	out->u.conditional.c = c;
	out->u.conditional.kind = p->kind;
	out->u.conditional.size = p->size;
	out->u.conditional.body = mem_alloc(p->size * sizeof(struct graph *));
	for (unsigned i = 0; i < p->size; i++)
		out->u.conditional.body[i] = graph_new();
	p->body = out->u.conditional.body;
	return cudaSuccess;
}

// An allocation is freed once in the graph that makes it, or in others.
static cudaError_t make_free(struct payload *out, struct graph *g, const void *at)
{
	struct graph_memory *m = graph_memory_find((uint64_t)(uintptr_t)at);
	if (!m)
		return cudaErrorInvalidValue;
	bool own = false;
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct payload *p = &g->nodes.at[i]->p;
		if (p->type == NODE_FREE && p->u.freed == m)
			return cudaErrorInvalidValue;
		own |= p->type == NODE_ALLOC && p->u.alloc.memory == m;
	}
	if (m->freed_inside || (own && m->freed_elsewhere))
		return cudaErrorInvalidValue;
	*(own ? &m->freed_inside : &m->freed_elsewhere) = true;
	m->refs++;
	out->u.freed = m;
	return cudaSuccess;
}

cudaError_t graph_make(struct payload *out, struct graph *g, struct node_params *p)
{
	*out = (struct payload){.type = (enum node_type)p->type};
	switch (p->type) {
	case NODE_GRAPH: return make_child(out, g, &p->u.child);
	case NODE_CONDITIONAL: return make_conditional(out, g, &p->u.conditional);
	case NODE_FREE: return make_free(out, g, p->u.freed);
	default: return payload_make(out, p);
	}
}

// --- ends

struct ending {
	const uint32_t *owner; // NULL: all
	bool any;
};

static void end_graph(void *graph, void *arg)
{
	const struct ending *e = arg;
	struct graph *g = graph;
	if (!g->inside && !g->private && !g->dropped && (!e->owner || g->owner == *e->owner))
		graph_free(g);
}

void graphs_reset(void)
{
	struct ending e = {0};
	handle_each(&cu.graphs, end_graph, &e);
	user_objects_flush();
}

void graphs_release(uint32_t owner)
{
	struct ending e = {.owner = &owner};
	handle_each(&cu.graphs, end_graph, &e);
}
