#include "cuda-sim/decode/cfg.h"

#include <string.h>

static void find_blocks(struct cfg *g, struct arena *a, const struct cfg_flow *flow)
{
	uint32_t n = g->n_inst;
	bool *leader = arena_alloc(a, n + 1);
	leader[0] = true;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t t = 0; t < flow[i].n_target; t++)
			leader[flow[i].target[t]] = true;
		if (flow[i].n_target || !flow[i].falls)
			leader[i + 1] = true;
	}
	for (uint32_t i = 0; i < n; i++)
		g->n_block += leader[i];
	g->block = ARENA_ARRAY(a, struct cfg_block, g->n_block + 1);
	g->block_of = ARENA_ARRAY(a, uint32_t, n + 1);
	uint32_t b = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (leader[i] && i)
			b++;
		if (leader[i])
			g->block[b].first = i;
		g->block[b].last = i;
		g->block_of[i] = b;
	}
}

static void add_succ(struct cfg_block *b, uint32_t to)
{
	for (uint32_t i = 0; i < b->n_succ; i++)
		if (b->succ[i] == to)
			return;
	b->succ[b->n_succ++] = to;
}

static void find_edges(struct cfg *g, struct arena *a, const struct cfg_flow *flow)
{
	for (uint32_t b = 0; b < g->n_block; b++) {
		struct cfg_block *k = &g->block[b];
		const struct cfg_flow *f = &flow[k->last];
		k->succ = ARENA_ARRAY(a, uint32_t, f->n_target + 1);
		if (f->falls && k->last + 1 < g->n_inst)
			add_succ(k, b + 1);
		for (uint32_t t = 0; t < f->n_target; t++)
			add_succ(k, g->block_of[f->target[t]]);
		for (uint32_t s = 0; s < k->n_succ; s++)
			g->block[k->succ[s]].n_pred++;
	}
	for (uint32_t b = 0; b < g->n_block; b++) {
		g->block[b].pred = ARENA_ARRAY(a, uint32_t, g->block[b].n_pred);
		g->block[b].n_pred = 0;
	}
	for (uint32_t b = 0; b < g->n_block; b++)
		for (uint32_t s = 0; s < g->block[b].n_succ; s++) {
			struct cfg_block *to = &g->block[g->block[b].succ[s]];
			to->pred[to->n_pred++] = b;
		}
}

// A graph to find dominators in: the flow, or the flow reversed with a virtual node after all exits.
struct dom_graph {
	uint32_t n, root;
	uint32_t *n_out, *n_in;
	uint32_t **out, **in;
	uint32_t *order; // node -> postorder number + 1, 0 unreached
	uint32_t *post;  // postorder number -> node
	uint32_t n_post;
};

static void walk(struct dom_graph *d, uint32_t root, struct arena *a)
{
	// Depth first with an explicit stack: PTX functions may have very many blocks.
	uint32_t *stack = ARENA_ARRAY(a, uint32_t, d->n), *at = ARENA_ARRAY(a, uint32_t, d->n), n = 0;
	bool *seen = arena_alloc(a, d->n);
	for (uint32_t i = 0; i < d->n_post; i++)
		seen[d->post[i]] = true;
	stack[n++] = root;
	seen[root] = true;
	while (n) {
		uint32_t v = stack[n - 1];
		if (at[v] < d->n_out[v]) {
			uint32_t s = d->out[v][at[v]++];
			if (!seen[s]) {
				seen[s] = true;
				stack[n++] = s;
			}
		} else {
			d->post[d->n_post++] = v;
			d->order[v] = d->n_post;
			n--;
		}
	}
}

static uint32_t meet(const struct dom_graph *d, const int32_t *dom, uint32_t x, uint32_t y)
{
	while (x != y) {
		while (d->order[x] < d->order[y])
			x = (uint32_t)dom[x];
		while (d->order[y] < d->order[x])
			y = (uint32_t)dom[y];
	}
	return x;
}

// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm" (2001).
static int32_t *dominators(struct dom_graph *d, struct arena *a)
{
	int32_t *dom = ARENA_ARRAY(a, int32_t, d->n);
	for (uint32_t i = 0; i < d->n; i++)
		dom[i] = CFG_NONE;
	dom[d->root] = (int32_t)d->root;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t p = d->n_post; p-- > 0;) {
			uint32_t v = d->post[p];
			if (v == d->root)
				continue;
			int32_t best = CFG_NONE;
			for (uint32_t i = 0; i < d->n_in[v]; i++) {
				uint32_t u = d->in[v][i];
				if (dom[u] == CFG_NONE)
					continue;
				best = best == CFG_NONE ? (int32_t)u : (int32_t)meet(d, dom, u, (uint32_t)best);
			}
			if (best != dom[v]) {
				dom[v] = best;
				changed = true;
			}
		}
	}
	return dom;
}

static struct dom_graph dom_graph_new(uint32_t n, struct arena *a)
{
	return (struct dom_graph){
		.n = n,
		.n_out = ARENA_ARRAY(a, uint32_t, n), .n_in = ARENA_ARRAY(a, uint32_t, n),
		.out = ARENA_ARRAY(a, uint32_t *, n), .in = ARENA_ARRAY(a, uint32_t *, n),
		.order = ARENA_ARRAY(a, uint32_t, n), .post = ARENA_ARRAY(a, uint32_t, n),
	};
}

static void find_dominators(struct cfg *g, struct arena *a)
{
	struct dom_graph d = dom_graph_new(g->n_block, a);
	for (uint32_t b = 0; b < g->n_block; b++) {
		d.out[b] = g->block[b].succ, d.n_out[b] = g->block[b].n_succ;
		d.in[b] = g->block[b].pred, d.n_in[b] = g->block[b].n_pred;
	}
	walk(&d, 0, a);
	int32_t *dom = dominators(&d, a);
	for (uint32_t b = 0; b < g->n_block; b++)
		g->block[b].idom = b ? dom[b] : CFG_NONE;
}

static void find_post_dominators(struct cfg *g, struct arena *a)
{
	uint32_t n = g->n_block + 1, exit = g->n_block;
	struct dom_graph d = dom_graph_new(n, a);
	d.root = exit;
	d.out[exit] = ARENA_ARRAY(a, uint32_t, n);
	for (uint32_t b = 0; b < g->n_block; b++) {
		struct cfg_block *k = &g->block[b];
		d.out[b] = k->pred, d.n_out[b] = k->n_pred;
		d.in[b] = ARENA_ARRAY(a, uint32_t, k->n_succ + 1);
		memcpy(d.in[b], k->succ, k->n_succ * sizeof *k->succ);
		d.n_in[b] = k->n_succ;
		if (!k->n_succ) {
			d.in[b][d.n_in[b]++] = exit;
			d.out[exit][d.n_out[exit]++] = b;
		}
	}
	walk(&d, exit, a);
	// Blocks from which no exit can be reached are endless loops: the last of each is tied to the exit.
	if (d.n_post < n) {
		for (uint32_t b = g->n_block; b-- > 0;) {
			if (d.order[b])
				continue;
			d.in[b][d.n_in[b]++] = exit;
			d.out[exit][d.n_out[exit]++] = b;
			d.n_post--; // the exit is numbered last, again
			d.order[exit] = 0;
			walk(&d, b, a);
			d.post[d.n_post++] = exit;
			d.order[exit] = d.n_post;
		}
	}
	int32_t *dom = dominators(&d, a);
	for (uint32_t b = 0; b < g->n_block; b++)
		g->block[b].ipdom = dom[b] == (int32_t)exit ? CFG_NONE : dom[b];
}

struct cfg *cfg_build(struct arena *a, uint32_t n_inst, const struct cfg_flow *flow)
{
	struct cfg *g = ARENA_NEW(a, struct cfg);
	g->n_inst = n_inst;
	if (!n_inst)
		return g;
	find_blocks(g, a, flow);
	find_edges(g, a, flow);
	// The walks' scratch arrays are many when endless loops are: give them an arena of their own.
	struct arena tmp = {0};
	find_dominators(g, &tmp);
	find_post_dominators(g, &tmp);
	arena_free(&tmp);
	return g;
}

int64_t cfg_reconvergence(const struct cfg *g, uint32_t inst)
{
	int32_t p = g->block[g->block_of[inst]].ipdom;
	return p == CFG_NONE ? -1 : (int64_t)g->block[p].first;
}

void cfg_print(const struct cfg *g, FILE *out, void (*label)(void *ctx, uint32_t inst, FILE *out), void *ctx)
{
	for (uint32_t b = 0; b < g->n_block; b++) {
		const struct cfg_block *k = &g->block[b];
		fprintf(out, "bb%u [%u..%u] idom %d ipdom %d ->", b, k->first, k->last, k->idom, k->ipdom);
		for (uint32_t s = 0; s < k->n_succ; s++)
			fprintf(out, " bb%u", k->succ[s]);
		fputc('\n', out);
		for (uint32_t i = k->first; label && i <= k->last; i++)
			label(ctx, i, out);
	}
}

void cfg_print_dot(const struct cfg *g, const char *name, unsigned number, FILE *out,
                   void (*label)(void *ctx, uint32_t inst, FILE *out), void *ctx)
{
	fprintf(out, "\tsubgraph cluster_%u {\n\t\tlabel=\"%s\";\n", number, name);
	for (uint32_t b = 0; b < g->n_block; b++) {
		const struct cfg_block *k = &g->block[b];
		fprintf(out, "\t\tf%u_bb%u [label=\"bb%u\\l", number, b, b);
		for (uint32_t i = k->first; label && i <= k->last; i++)
			label(ctx, i, out);
		fputs("\"];\n", out);
		for (uint32_t s = 0; s < k->n_succ; s++)
			fprintf(out, "\t\tf%u_bb%u -> f%u_bb%u;\n", number, b, number, k->succ[s]);
		if (k->n_succ > 1 && k->ipdom != CFG_NONE)
			fprintf(out, "\t\tf%u_bb%u -> f%u_bb%d [style=dashed, constraint=false];\n", number, b, number, k->ipdom);
	}
	fputs("\t}\n", out);
}
