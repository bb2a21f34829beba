#include "libcuda/graph/pair.h"

#include "base/mem.h"

struct pairing {
	struct node **pair, **back; // by the index of the new node, and of the old
	struct node **queue;        // new nodes that are paired
	size_t n;
};

static void join(struct pairing *p, struct node *old, struct node *new)
{
	p->pair[new->index] = old;
	p->back[old->index] = new;
	p->queue[p->n++] = new;
}

static struct node *next_end(const struct graph *g, size_t *at)
{
	while (*at < g->nodes.n)
		if (!g->nodes.at[(*at)++]->out.n)
			return g->nodes.at[*at - 1];
	return NULL;
}

static bool join_ends(struct pairing *p, const struct graph *was, const struct graph *now, struct node **bad)
{
	size_t a = 0, b = 0;
	struct node *old, *new;
	while ((new = next_end(now, &b))) {
		if (!(old = next_end(was, &a))) {
			*bad = new;
			return false;
		}
		join(p, old, new);
	}
	return true;
}

static bool join_dependencies(struct pairing *p, const struct node *old, struct node *new, struct node **bad, struct node **from)
{
	bool same = old->in.n == new->in.n;
	for (size_t i = 0; i < new->in.n && same; i++) {
		struct node *a = old->in.at[i].node, *b = new->in.at[i].node;
		if (!p->pair[b->index] && !p->back[a->index])
			join(p, a, b);
		same = p->pair[b->index] == a;
		*from = same ? NULL : b;
	}
	*bad = same ? NULL : new;
	return same;
}

bool graph_pair(struct node **pair, const struct graph *was, const struct graph *now, struct node **bad, struct node **from)
{
	*bad = *from = NULL;
	if (was->nodes.n != now->nodes.n)
		return false;
	graph_index(was);
	graph_index(now);
	size_t n = now->nodes.n;
	struct pairing p = {.pair = pair, .back = mem_alloc((n + 1) * sizeof *p.back), .queue = mem_alloc((n + 1) * sizeof *p.queue)};
	for (size_t i = 0; i < n; i++)
		p.pair[i] = p.back[i] = NULL;
	bool same = join_ends(&p, was, now, bad);
	for (size_t i = 0; i < p.n && same; i++)
		same = join_dependencies(&p, pair[p.queue[i]->index], p.queue[i], bad, from);
	mem_free(p.back);
	mem_free(p.queue);
	return same; // every node is before one that none follows, so all are paired
}
