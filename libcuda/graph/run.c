#include "libcuda/graph/run.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/graph/conditional.h"
#include "libcuda/graph/user_object.h"
#include "libcuda/work/event.h"
#include "libcuda/work/op.h"
#include "libcuda/work/sim_thread.h"

enum { WIDTH = HEDDLE_LIMIT(3, 64) }; // nodes under way at once; more wait for their turn

// A graph, or a graph inside one, that is under way.
struct level {
	struct graph *g;
	struct level *up; // NULL: the launched graph
	struct node *at;  // the node of `up` that this is
	size_t remaining; // nodes that are not complete
	size_t began;     // operations of the run when it began
	size_t left[];    // for each node, how many that it depends on are not complete
};

struct task {
	struct level *level;
	struct node *node;
	unsigned ops; // that are not complete
};

// What an event node waits for or sets.
struct event_record {
	const struct node *node;
	struct record *record;
};

struct run {
	struct op_run base;
	struct graph *graph;
	VEC(struct task) ready; // first in, first out
	size_t next;            // of ready
	VEC(struct task) late;  // conditions that are looked at last
	unsigned active;        // nodes under way
	size_t ops;             // operations begun
	VEC(struct event_record) records;
	VEC(struct level *) levels; // under way
};

static struct level *begin_level(struct run *r, struct graph *g, struct level *up, struct node *at)
{
	struct level *l = mem_alloc(sizeof *l + g->nodes.n * sizeof *l->left);
	*l = (struct level){.g = g, .up = up, .at = at, .remaining = g->nodes.n, .began = r->ops};
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct node *n = g->order[i];
		l->left[n->index] = n->in.n;
		if (!n->in.n)
			VEC_PUSH(&r->ready, ((struct task){l, n, 0}));
	}
	VEC_PUSH(&r->levels, l);
	return l;
}

static void end_level(struct run *r, struct level *l)
{
	size_t n = 0;
	for (size_t i = 0; i < r->levels.n; i++)
		if (r->levels.at[i] != l)
			r->levels.at[n++] = r->levels.at[i];
	r->levels.n = n;
	mem_free(l);
}

// The body to run for the condition's value, NULL: none.
static struct graph *body_of(const struct node *n)
{
	unsigned value = conditional_value(n->p.u.conditional.c), size = n->p.u.conditional.size;
	switch (n->p.u.conditional.kind) {
	case CONDITION_SWITCH: return value < size ? n->p.u.conditional.body[value] : NULL;
	case CONDITION_IF: return value ? n->p.u.conditional.body[0] : size > 1 ? n->p.u.conditional.body[1] : NULL;
	default: return value ? n->p.u.conditional.body[0] : NULL;
	}
}

// A loop that has no operations changes nothing, so it never ends.
static bool endless(const struct run *r, const struct level *l)
{
	return l->at && l->at->p.type == NODE_CONDITIONAL && l->at->p.u.conditional.kind == CONDITION_WHILE && l->began == r->ops;
}

static void fail(cudaError_t e, const char *why)
{
	if (cu.sticky)
		return;
	cu.sticky = e;
	cu.faulted = true;
	cu_flush();
	fprintf(stderr, "heddle: a graph that runs cannot go on: %s\n", why);
}

// The node is complete; so are the graphs that end with it.
static void complete_node(struct run *r, struct level *l, struct node *n)
{
	for (;;) {
		for (size_t i = 0; i < n->out.n; i++) {
			struct node *to = n->out.at[i].node;
			if (!--l->left[to->index])
				VEC_PUSH(&r->ready, ((struct task){l, to, 0}));
		}
		if (--l->remaining)
			return;
		struct level *up = l->up;
		struct node *at = l->at;
		bool stuck = endless(r, l);
		end_level(r, l);
		if (!up)
			return;
		if (at->p.type == NODE_CONDITIONAL && at->p.u.conditional.kind == CONDITION_WHILE && body_of(at)) {
			if (stuck)
				fail(cudaErrorLaunchTimeout, "the body of a while node has no work, so its condition never changes");
			else
				begin_level(r, body_of(at), up, at);
			return;
		}
		l = up;
		n = at;
	}
}

static struct op *event_op(struct run *r, const struct node *n)
{
	for (size_t i = 0; i < r->records.n; i++) {
		struct record *record = r->records.at[i].record;
		if (r->records.at[i].node != n || !record)
			continue;
		struct op *op = op_new(n->p.type == NODE_RECORD ? OP_RECORD : OP_WAIT);
		op->u.record = record;
		record->refs++;
		return op;
	}
	return NULL;
}

static unsigned make_ops(struct run *r, const struct node *n, struct op **out)
{
	unsigned count = 0;
	if (n->disabled)
		return 0;
	if (n->p.type == NODE_WAIT || n->p.type == NODE_RECORD) {
		out[0] = event_op(r, n);
		return out[0] ? 1 : 0;
	}
	cudaError_t e = payload_ops(&n->p, out, &count);
	if (e)
		fail(e, "one of its nodes is no good any more");
	return count;
}

static struct graph *inside(const struct node *n)
{
	return n->p.type == NODE_GRAPH ? n->p.u.child.graph : n->p.type == NODE_CONDITIONAL ? body_of(n) : NULL;
}

static void begin_node(struct run *r, struct task t)
{
	struct op *ops[PAYLOAD_OPS];
	struct graph *g = inside(t.node);
	if (g && g->nodes.n) {
		begin_level(r, g, t.level, t.node);
		return;
	}
	if (g && t.node->p.type == NODE_CONDITIONAL && t.node->p.u.conditional.kind == CONDITION_WHILE) {
		fail(cudaErrorLaunchTimeout, "the body of a while node is empty, so its condition never changes");
		return;
	}
	t.ops = make_ops(r, t.node, ops);
	if (!t.ops) {
		complete_node(r, t.level, t.node);
		return;
	}
	struct task *task = MEM_NEW(struct task);
	*task = t;
	r->active++;
	r->ops += t.ops;
	for (unsigned i = 0; i < t.ops; i++) {
		ops[i]->part_of = &r->base;
		ops[i]->part = task;
	}
	sim_push_parts(ops, t.ops);
}

// A condition without a value of its own that depends on no node is looked at when nothing else can go on: any order is right, and
// NVIDIA's sample graphConditionalNodes needs this one, where a kernel beside the condition sets it.
static bool waits_for_value(const struct node *n)
{
	return n->p.type == NODE_CONDITIONAL && !n->in.n && !(n->p.u.conditional.c->flags & CONDITION_ASSIGN_DEFAULT);
}

// Begins what can begin; ends the run if nothing is left.
static void pump(struct run *r)
{
	while (!cu.sticky && r->active < WIDTH && (r->next < r->ready.n || (!r->active && r->late.n))) {
		if (r->next == r->ready.n) {
			begin_node(r, r->late.at[--r->late.n]);
			continue;
		}
		struct task t = r->ready.at[r->next++];
		if (r->next == r->ready.n)
			r->next = r->ready.n = 0;
		if (waits_for_value(t.node))
			VEC_PUSH(&r->late, t);
		else
			begin_node(r, t);
	}
	if (!r->active)
		sim_end_run(&r->base);
}

static void start(struct op_run *base)
{
	struct run *r = (struct run *)base;
	if (r->graph->nodes.n)
		begin_level(r, r->graph, NULL, NULL);
	pump(r);
}

static void done(struct op_run *base, struct op *part)
{
	struct run *r = (struct run *)base;
	struct task *t = part->part;
	if (--t->ops)
		return;
	r->active--;
	if (!cu.sticky)
		complete_node(r, t->level, t->node);
	mem_free(t);
	pump(r);
}

// After a failure nobody waits for events any more.
static void free_run(struct op_run *base)
{
	struct run *r = (struct run *)base;
	for (size_t i = 0; i < r->records.n; i++) {
		struct record *record = r->records.at[i].record;
		if (record && r->records.at[i].node->p.type == NODE_RECORD)
			record->done = true;
		record_release(record);
	}
	while (r->levels.n)
		end_level(r, r->levels.at[0]);
	VEC_FREE(&r->ready);
	VEC_FREE(&r->late);
	VEC_FREE(&r->records);
	VEC_FREE(&r->levels);
	if (!--r->graph->runs && r->graph->dropped)
		graph_free(r->graph);
	mem_free(r);
	user_objects_flush();
}

// An event node of a graph counts as the call would at the time of the launch.
static void take_events(struct run *r, const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->order[i];
		struct graph *const *parts;
		r->base.hosts |= n->p.type == NODE_HOST;
		for (unsigned k = 0, m = node_parts(n, &parts); k < m; k++)
			take_events(r, parts[k]);
		if (n->p.type == NODE_CONDITIONAL)
			conditional_begin(n->p.u.conditional.c);
		if ((n->p.type != NODE_RECORD && n->p.type != NODE_WAIT) || !event_valid(n->p.u.event))
			continue;
		struct event *e = n->p.u.event;
		if (n->p.type == NODE_RECORD)
			event_renew(e);
		if (e->last)
			e->last->refs++;
		VEC_PUSH(&r->records, ((struct event_record){n, e->last}));
	}
}

struct op *run_make(struct graph *g)
{
	struct run *r = MEM_NEW(struct run);
	struct op *op = op_new(OP_GRAPH);
	r->base = (struct op_run){.op = op, .start = start, .done = done, .free = free_run};
	r->graph = g;
	g->runs++;
	take_events(r, g);
	op->u.run = &r->base;
	return op;
}
