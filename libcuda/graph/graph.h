// Graphs: nodes, and edges that say which nodes end before others begin. A graph is what a program builds or captures; what it launches
// is a copy of it, exec.h.
//
// Functions that take handles of the program take any pointer: cudaErrorInvalidValue for what is no graph, or no node of it.
#ifndef LIBCUDA_GRAPH_GRAPH_H
#define LIBCUDA_GRAPH_GRAPH_H

#include "base/vec.h"
#include "libcuda/graph/params.h"
#include "libcuda/graph/payload.h"

struct edge {
	struct node *node;
	struct edge_data data;
};

struct node {
	struct graph *graph;
	uint64_t uid, origin;  // counts nodes; uid of the node that it is a copy of, 0: none
	bool disabled;         // of an executable graph
	unsigned index;        // place in graph->nodes, while it is being looked through
	VEC(struct edge) in, out;
	struct payload p;
};

struct held_object {
	struct user_object *object;
	unsigned count;
};

struct graph {
	uint32_t owner;        // of the context that it was made in
	uint64_t uid, origin;  // as for nodes
	struct node *inside;   // the node whose child or body it is; NULL: none
	bool private;          // part of an executable graph: no handle of the program
	bool moved;            // a child graph that was handed over
	unsigned captures;     // under way into it
	unsigned runs;         // launches of it under way
	bool dropped;          // goes when they have ended
	unsigned execs;        // executable graphs that were made of it
	struct node **order;   // of part of an executable graph: from graph_order
	VEC(struct node *) nodes;                  // in order of creation
	VEC(struct conditional *) conditionals;    // handles made for it
	VEC(struct held_object) objects;
};

struct graph *graph_new(void);
struct graph *graph_find(const void *handle); // NULL if it is none of the program's
struct node *node_find(const void *handle);

// For graphs of the program.
cudaError_t graph_create(struct graph **out, unsigned flags);
cudaError_t graph_destroy(struct graph *g);
cudaError_t graph_clone(struct graph **out, struct graph *g);
cudaError_t graph_find_in_clone(struct node **out, struct node *original, struct graph *clone);

// A copy whose nodes know what they are copies of. Memory and conditions of graphs are the same in both.
struct graph *graph_copy(const struct graph *g);
void graph_free(struct graph *g); // with all in it; when its launches have ended

// Parts of these for the other files here. graph_make checks parameters for a node of g and makes a payload of them, and writes back what
// the node makes; the functions for payloads know graphs inside; graph_adopt lets these know their node; graph_index sets each node's index
// to its place.
struct node *graph_new_node(struct graph *g);
void graph_free_node(struct node *n);
cudaError_t graph_make(struct payload *out, struct graph *g, struct node_params *p);
void graph_copy_payload(struct payload *to, const struct payload *from);
void graph_free_payload(struct payload *p);
void graph_adopt(struct node *n);
void graph_index(const struct graph *g);

// The node that is a copy of `n`, in g or a graph inside it; NULL if none is.
struct node *graph_copy_of(const struct graph *g, const struct node *n);

// The graphs inside a node; how many there are.
unsigned node_parts(const struct node *n, struct graph *const **out);

// Whether there is a node of a type in the graph or in graphs inside it. graph_has_memory: one that allocates or frees.
bool graph_has(const struct graph *g, enum node_type type);
bool graph_has_memory(const struct graph *g);

// Whether a node of the type may be in g: the body of a condition cannot hold all.
bool graph_allows(const struct graph *g, int type);

// Adds a node after `n` others. What it makes is written to *p: the address of an allocation, the bodies of a condition.
cudaError_t graph_add(struct node **out, struct graph *g, struct node *const *after, const struct edge_data *data, size_t n,
                      struct node_params *p);
// The same, of things that are known to be good. Takes over what is in p.
struct node *graph_append(struct graph *g, const struct edge *after, size_t n, struct payload *p);
cudaError_t graph_remove(struct node *n);
cudaError_t graph_connect(struct graph *g, struct node *const *from, struct node *const *to, const struct edge_data *data, size_t n);
cudaError_t graph_disconnect(struct graph *g, struct node *const *from, struct node *const *to, const struct edge_data *data, size_t n);

// Reads `n` handles of nodes of g and their edges' data (NULL: none) out of the program's memory; the edges go to a node of type `to`.
// No node twice.
cudaError_t graph_read_edges(struct edge *out, const struct graph *g, int to, struct node *const *nodes, const struct edge_data *data, size_t n);

// Lists. Where `out` is NULL *n is how many there are; else it is the room, and then how many were written; what is left is NULL.
cudaError_t graph_nodes(struct graph *g, struct node **out, size_t *n);
cudaError_t graph_roots(struct graph *g, struct node **out, size_t *n);
// `with_data`: `data` counts. Without it edges that have any are cudaErrorLossyQuery.
cudaError_t graph_edges(struct graph *g, struct node **from, struct node **to, struct edge_data *data, size_t *n, bool with_data);
cudaError_t node_neighbours(struct node *node, bool in, struct node **out, struct edge_data *data, size_t *n, bool with_data);

cudaError_t node_type_of(struct node *n, int *type);
cudaError_t node_get(struct node *n, enum node_type type, struct node_params *p); // cudaErrorInvalidValue: another type
bool node_settable(enum node_type type); // its parameters can be changed
cudaError_t node_set(struct node *n, struct node_params *p);                      // p->type is that of the node
cudaError_t node_child(struct node *n, struct graph **out);

// All nodes in an order in which each comes after those that it depends on; NULL if there is a circle, and one of its nodes in *bad.
// For mem_free. Sets their index to their place in g->nodes.
struct node **graph_order(struct graph *g, struct node **bad);

void graphs_reset(void);
void graphs_release(uint32_t owner);

#endif
