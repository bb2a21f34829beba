#include "libcuda/graph/capture.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/graph/capture_rules.h"
#include "libcuda/work/capture.h"
#include "libcuda/work/event.h"
#include "libcuda/work/event_calls.h"
#include "libcuda/work/op.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/stream_values.h"

#include <string.h>

struct capture {
	unsigned long long id;
	int mode;
	const void *thread;    // that began it: its cu_thread
	struct stream *origin;
	struct graph *graph;
	bool own;              // the graph is made by the capture
	bool invalid;
	VEC(struct captured_stream *) streams; // the origin first
};

// What the next node of a stream depends on.
struct captured_stream {
	struct capture *c;
	struct stream *s;           // NULL: it was destroyed
	VEC(struct edge) after;
	VEC(struct node *) nodes;   // of `after`, as the program was told
	VEC(struct edge_data) data;
};

// What an event stands for that was recorded in a capture.
struct capture_point {
	unsigned long long id;
	size_t n;
	struct edge after[];
};

static VEC(struct capture *) captures; // under way
static unsigned long long last_id;

static const struct capture_calls calls;

static struct capture *find(unsigned long long id)
{
	for (size_t i = 0; i < captures.n; i++)
		if (captures.at[i]->id == id)
			return captures.at[i];
	return NULL;
}

// --- streams of a capture

static struct captured_stream *join(struct capture *c, struct stream *s)
{
	struct captured_stream *cs = MEM_NEW(struct captured_stream);
	cs->c = c;
	cs->s = s;
	s->capture = cs;
	VEC_PUSH(&c->streams, cs);
	return cs;
}

static void leave(struct captured_stream *cs)
{
	struct capture *c = cs->c;
	size_t n = 0;
	for (size_t i = 0; i < c->streams.n; i++)
		if (c->streams.at[i] != cs)
			c->streams.at[n++] = c->streams.at[i];
	c->streams.n = n;
	if (cs->s)
		cs->s->capture = NULL;
	VEC_FREE(&cs->after);
	VEC_FREE(&cs->nodes);
	VEC_FREE(&cs->data);
	mem_free(cs);
}

// The capture is over; its graph is left to the caller.
static void finish(struct capture *c)
{
	size_t n = 0;
	while (c->streams.n)
		leave(c->streams.at[0]);
	for (size_t i = 0; i < captures.n; i++)
		if (captures.at[i] != c)
			captures.at[n++] = captures.at[i];
	captures.n = n;
	if (!n)
		cu.capture = NULL;
	c->graph->captures--;
	VEC_FREE(&c->streams);
	mem_free(c);
}

static void discard(struct capture *c)
{
	struct graph *g = c->own ? c->graph : NULL;
	finish(c);
	if (g)
		graph_free(g);
}

void captures_reset(void)
{
	while (captures.n)
		discard(captures.at[0]);
}

static cudaError_t invalidate(struct capture *c, cudaError_t e)
{
	c->invalid = true;
	return e;
}

// The legacy stream waits for blocking streams, and they for it, so it cannot be used while one of them is capturing.
static bool implicit(const struct stream *s, bool spoil)
{
	bool found = false;
	for (size_t i = 0; i < captures.n && s == cu.legacy; i++)
		for (size_t k = 0; k < captures.at[i]->streams.n; k++)
			if (captures.at[i]->streams.at[k]->s && captures.at[i]->streams.at[k]->s->blocking) {
				found = true;
				captures.at[i]->invalid |= spoil;
			}
	return found;
}

// --- nodes

// A kernel alone can begin before a kernel that it depends on has ended. `programmatic`: it may do so with all that it depends on.
static void set_edges(struct captured_stream *cs, const struct payload *p, bool programmatic)
{
	for (size_t i = 0; i < cs->after.n; i++) {
		struct edge *e = &cs->after.at[i];
		if (p->type != NODE_KERNEL)
			e->data = (struct edge_data){0};
		else if (programmatic && e->node->p.type == NODE_KERNEL && !e->data.from_port)
			e->data = (struct edge_data){.from_port = PORT_PROGRAMMATIC, .type = EDGE_PROGRAMMATIC};
	}
}

static cudaError_t add(struct captured_stream *cs, struct payload *p, bool programmatic)
{
	if (!graph_allows(cs->c->graph, p->type)) {
		graph_free_payload(p);
		return invalidate(cs->c, cudaErrorStreamCaptureUnsupported);
	}
	set_edges(cs, p, programmatic);
	struct node *n = graph_append(cs->c->graph, cs->after.at, cs->after.n, p);
	cs->after.n = 0;
	VEC_PUSH(&cs->after, ((struct edge){.node = n}));
	return cudaSuccess;
}

static cudaError_t add_made(struct captured_stream *cs, struct node_params *p)
{
	struct payload made;
	cudaError_t e = graph_make(&made, cs->c->graph, p);
	return e ? e : add(cs, &made, false);
}

static cudaError_t add_value(struct captured_stream *cs, const struct op *op)
{
	bool waits = op->kind == OP_WAIT_VALUE, wide = op->u.value.bytes == 8;
	struct mem_op_params v = {.operation = waits ? (wide ? MEM_OP_WAIT_64 : MEM_OP_WAIT_32) : (wide ? MEM_OP_WRITE_64 : MEM_OP_WRITE_32),
	                          .address = op->u.value.addr,
	                          .value = op->u.value.value,
	                          .flags = waits ? op->u.value.compare : 0};
	struct node_params p = {.type = NODE_MEM_OPS};
	p.u.mem_ops = (struct mem_ops_node_params){.count = 1, .ops = &v};
	return add_made(cs, &p);
}

// Takes op over if it makes a node.
static cudaError_t take(struct captured_stream *cs, struct op *op)
{
	struct node_params p = {.type = NODE_FREE};
	struct payload made;
	bool programmatic;
	cudaError_t e;
	switch (op->kind) {
	case OP_KERNEL:
	case OP_COPY:
	case OP_FILL:
	case OP_HOST:
		programmatic = op->programmatic;
		payload_of_op(&made, op);
		return add(cs, &made, programmatic);
	case OP_FREE:
		p.u.freed = (void *)(uintptr_t)op->u.free.addr;
		e = add_made(cs, &p);
		break;
	case OP_WAIT_VALUE:
	case OP_WRITE_VALUE: e = add_value(cs, op); break;
	default: e = invalidate(cs->c, cudaErrorStreamCaptureUnsupported); break;
	}
	op_free(op);
	return e;
}

static bool push(struct stream *s, struct op *op, cudaError_t *e)
{
	struct captured_stream *cs = s->capture;
	if (cs && !cs->c->invalid) {
		*e = take(cs, op);
		return true;
	}
	if (!cs && !implicit(s, true))
		return false;
	*e = cs ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureImplicit;
	op_free(op);
	return true;
}

cudaError_t capture_graph(struct stream *s, const struct graph *g)
{
	struct captured_stream *cs = s->capture;
	if (cs->c->invalid)
		return cudaErrorStreamCaptureInvalidated;
	if (graph_has_memory(g) || graph_has(g, NODE_CONDITIONAL))
		return invalidate(cs->c, cudaErrorStreamCaptureUnsupported);
	struct payload p = {.type = NODE_GRAPH};
	p.u.child.graph = graph_copy(g);
	return add(cs, &p, false);
}

static bool alloc(struct stream *s, size_t size, void **out, cudaError_t *e)
{
	enum { PINNED_TYPE = 1, ON_DEVICE = 1 };
	struct node_params p = {.type = NODE_ALLOC};
	struct payload made;
	if (!s->capture) {
		*e = cudaErrorStreamCaptureImplicit;
		return implicit(s, true);
	}
	*e = s->capture->c->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
	p.u.alloc.props = (struct cudaMemPoolProps){.allocType = PINNED_TYPE, .location = {ON_DEVICE, 0}};
	p.u.alloc.size = size;
	if (!*e && !(*e = graph_make(&made, s->capture->c->graph, &p)) && !(*e = add(s->capture, &made, false)))
		*out = p.u.alloc.p;
	return true;
}

// --- events

static bool record(struct event *ev, struct stream *s, bool external, unsigned port, cudaError_t *e)
{
	struct captured_stream *cs = s->capture;
	if (!cs)
		return false;
	*e = cs->c->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
	if (*e)
		return true;
	if (external) {
		struct payload p = {.type = NODE_RECORD};
		p.u.event = ev;
		*e = add(cs, &p, false);
		return true;
	}
	struct capture_point *at = mem_alloc(sizeof *at + cs->after.n * sizeof *at->after);
	at->id = cs->c->id;
	at->n = cs->after.n;
	if (at->n)
		memcpy(at->after, cs->after.at, at->n * sizeof *at->after);
	for (size_t i = 0; port && i < at->n; i++)
		if (at->after[i].node->p.type == NODE_KERNEL)
			at->after[i].data = (struct edge_data){.from_port = (uint8_t)port, .type = EDGE_PROGRAMMATIC};
	mem_free(ev->captured);
	ev->captured = at;
	return true;
}

static void depend(struct captured_stream *cs, const struct edge *on)
{
	for (size_t i = 0; i < cs->after.n; i++)
		if (cs->after.at[i].node == on->node) {
			if (!on->data.from_port)
				cs->after.at[i].data = on->data; // its end counts
			return;
		}
	VEC_PUSH(&cs->after, *on);
}

static cudaError_t wait_captured(struct stream *s, const struct capture_point *at)
{
	struct captured_stream *cs = s->capture;
	struct capture *c = find(at->id);
	if (!c)
		return cs ? invalidate(cs->c, cudaErrorStreamCaptureIsolation) : cudaErrorCapturedEvent;
	if (s == cu.legacy)
		return invalidate(c, cudaErrorStreamCaptureImplicit);
	if (cs && cs->c != c) {
		c->invalid = true;
		return invalidate(cs->c, cudaErrorStreamCaptureMerge);
	}
	if (c->invalid)
		return cudaErrorStreamCaptureInvalidated;
	cs = cs ? cs : join(c, s);
	for (size_t i = 0; i < at->n; i++)
		depend(cs, &at->after[i]);
	return cudaSuccess;
}

static bool wait(struct stream *s, struct event *ev, bool external, cudaError_t *e)
{
	struct captured_stream *cs = s->capture;
	if (ev->captured && !external) {
		*e = wait_captured(s, ev->captured);
		return true;
	}
	if (!cs)
		return false;
	if (cs->c->invalid) {
		*e = cudaErrorStreamCaptureInvalidated;
	} else if (external) {
		struct payload p = {.type = NODE_WAIT};
		p.u.event = ev;
		*e = add(cs, &p, false);
	} else {
		*e = ev->last ? invalidate(cs->c, cudaErrorStreamCaptureIsolation) : cudaSuccess;
	}
	return true;
}

// --- refusals

static cudaError_t refuse(struct stream *s)
{
	if (s->capture)
		return invalidate(s->capture->c, cudaErrorStreamCaptureUnsupported);
	return implicit(s, true) ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

static void forget(struct stream *s)
{
	struct captured_stream *cs = s->capture;
	if (cs->c->origin == s) {
		discard(cs->c);
	} else {
		s->capture = NULL; // what it has done is still to be joined
		cs->s = NULL;
	}
}

static const struct capture_calls calls = {push, record, wait, alloc, refuse, forget};

// A capture that is not relaxed keeps its thread from unsafe calls; a global one all threads that do not say otherwise.
static bool forbids(const struct capture *c)
{
	if (cu_thread.capture_mode == CAPTURE_RELAXED)
		return false;
	return c->thread == &cu_thread ? c->mode != CAPTURE_RELAXED
	                               : c->mode == CAPTURE_GLOBAL && cu_thread.capture_mode == CAPTURE_GLOBAL;
}

cudaError_t capture_permits(const char *api)
{
	cudaError_t e = cudaSuccess;
	enum capture_rule rule = capture_rule(api);
	for (size_t i = 0; i < captures.n && rule != CAPTURE_SAFE; i++)
		if (rule == CAPTURE_NEVER || forbids(captures.at[i]))
			e = invalidate(captures.at[i], cudaErrorStreamCaptureUnsupported);
	if (e)
		cu_complain("not permitted while a stream is capturing; the capture is invalid now");
	return e;
}

// --- what programs call

static cudaError_t missing(void)
{
	cu_complain("the stream was not created, or is destroyed already");
	return cudaErrorInvalidResourceHandle;
}

static cudaError_t begin(cudaStream_t handle, struct graph *g, const struct edge *after, size_t n, int mode)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return missing();
	if (mode < CAPTURE_GLOBAL || mode > CAPTURE_RELAXED)
		return cudaErrorInvalidValue;
	if (s == cu.legacy)
		return cudaErrorStreamCaptureUnsupported;
	if (s->capture)
		return cudaErrorIllegalState;
	struct capture *c = MEM_NEW(struct capture);
	*c = (struct capture){.id = ++last_id, .mode = mode, .thread = &cu_thread, .origin = s, .graph = g ? g : graph_new(), .own = !g};
	c->graph->captures++;
	VEC_PUSH(&captures, c);
	struct captured_stream *cs = join(c, s);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(&cs->after, after[i]);
	cu.capture = &calls;
	return cudaSuccess;
}

cudaError_t capture_begin(cudaStream_t stream, int mode) { return begin(stream, NULL, NULL, 0, mode); }

cudaError_t capture_begin_to_graph(cudaStream_t stream, struct graph *g, struct node *const *after, const struct edge_data *data, size_t n,
                                   int mode)
{
	if (!g || n > g->nodes.n || (n && !after))
		return cudaErrorInvalidValue;
	struct edge *edges = mem_alloc((n + 1) * sizeof *edges);
	cudaError_t e = graph_read_edges(edges, g, NODE_KERNEL, after, data, n);
	e = e ? e : begin(stream, g, edges, n, mode);
	mem_free(edges);
	return e;
}

// Marks all that a node depends on.
static void mark(const struct graph *g, const struct edge *after, size_t n, bool *seen)
{
	VEC(struct node *) todo = {0};
	for (size_t i = 0; i < g->nodes.n; i++)
		g->nodes.at[i]->index = (unsigned)i;
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(&todo, after[i].node);
	while (todo.n) {
		const struct node *at = todo.at[--todo.n];
		if (seen[at->index])
			continue;
		seen[at->index] = true;
		for (size_t i = 0; i < at->in.n; i++)
			VEC_PUSH(&todo, at->in.at[i].node);
	}
	VEC_FREE(&todo);
}

// Whether all that other streams have done comes before the end of the first.
static bool joined(const struct capture *c)
{
	bool *seen = mem_alloc(c->graph->nodes.n + 1), all = true;
	mark(c->graph, c->streams.at[0]->after.at, c->streams.at[0]->after.n, seen);
	for (size_t i = 1; i < c->streams.n; i++)
		for (size_t k = 0; k < c->streams.at[i]->after.n; k++)
			all &= seen[c->streams.at[i]->after.at[k].node->index];
	mem_free(seen);
	return all;
}

cudaError_t capture_end(cudaStream_t handle, struct graph **out)
{
	struct stream *s = stream_find(handle);
	struct graph *g = NULL;
	if (!s)
		return missing();
	if (out && !guard_read(out, &g, sizeof g))
		return cudaErrorInvalidValue;
	if (!s->capture)
		return cudaErrorIllegalState;
	struct capture *c = s->capture->c;
	if (!out && c->own) // who captures into a graph has it already
		return cudaErrorInvalidValue;
	if (c->mode != CAPTURE_RELAXED && c->thread != &cu_thread)
		return invalidate(c, cudaErrorStreamCaptureWrongThread);
	if (c->origin != s)
		return invalidate(c, cudaErrorStreamCaptureUnmatched);
	cudaError_t e = c->invalid ? cudaErrorStreamCaptureInvalidated : joined(c) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
	if (e) {
		discard(c);
		return e;
	}
	g = c->graph;
	finish(c);
	if (out)
		guard_read(out, &g, sizeof g);
	return cudaSuccess;
}

static int status_of(const struct stream *s)
{
	return !s->capture ? CAPTURE_NONE : s->capture->c->invalid ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
}

cudaError_t capture_status(cudaStream_t handle, int *status)
{
	return capture_get_info(handle, &(struct capture_info){.status = status});
}

cudaError_t capture_get_info(cudaStream_t handle, const struct capture_info *out)
{
	struct stream *s = stream_find(handle);
	if (!s)
		return missing();
	if (!out->status)
		return cudaErrorInvalidValue;
	if (implicit(s, false))
		return cudaErrorStreamCaptureImplicit;
	int status = status_of(s);
	if (!guard_read(out->status, &status, sizeof status))
		return cudaErrorInvalidValue;
	struct captured_stream *cs = s->capture;
	if (status != CAPTURE_ACTIVE)
		return cudaSuccess;
	cs->nodes.n = cs->data.n = 0;
	bool plain = true;
	for (size_t i = 0; i < cs->after.n; i++) {
		static const struct edge_data none;
		plain &= !memcmp(&cs->after.at[i].data, &none, sizeof none);
		VEC_PUSH(&cs->nodes, cs->after.at[i].node);
		VEC_PUSH(&cs->data, cs->after.at[i].data);
	}
	struct node *const *nodes = cs->nodes.at;
	const struct edge_data *data = plain ? NULL : cs->data.at;
	if (out->nodes && !out->data && !plain)
		return cudaErrorLossyQuery;
	bool ok = (!out->id || guard_read(out->id, &cs->c->id, sizeof cs->c->id)) &&
	          (!out->graph || guard_read(out->graph, &cs->c->graph, sizeof cs->c->graph)) &&
	          (!out->nodes || guard_read(out->nodes, &nodes, sizeof nodes)) && (!out->data || guard_read(out->data, &data, sizeof data)) &&
	          (!out->n || guard_read(out->n, &cs->after.n, sizeof cs->after.n));
	return ok ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t capture_update(cudaStream_t handle, struct node *const *nodes, const struct edge_data *data, size_t n, unsigned flags)
{
	enum { ADD, SET }; // cudaStreamUpdateCaptureDependenciesFlags
	struct stream *s = stream_find(handle);
	if (!s)
		return missing();
	if (flags > SET || (n && !nodes))
		return cudaErrorInvalidValue;
	struct captured_stream *cs = s->capture;
	if (!cs || cs->c->invalid)
		return cs ? cudaErrorStreamCaptureInvalidated : cudaErrorIllegalState;
	if (n > cs->c->graph->nodes.n)
		return cudaErrorInvalidValue;
	struct edge *edges = mem_alloc((n + 1) * sizeof *edges);
	cudaError_t e = graph_read_edges(edges, cs->c->graph, NODE_KERNEL, nodes, data, n);
	if (!e && flags == SET)
		cs->after.n = 0;
	for (size_t i = 0; i < n && !e; i++)
		depend(cs, &edges[i]);
	mem_free(edges);
	return e;
}

cudaError_t capture_exchange_mode(int *mode)
{
	int now = cu_thread.capture_mode, wanted;
	if (!mode || !guard_read(&wanted, mode, sizeof wanted) || wanted < CAPTURE_GLOBAL || wanted > CAPTURE_RELAXED ||
	    !guard_read(mode, &now, sizeof now))
		return cudaErrorInvalidValue;
	cu_thread.capture_mode = wanted;
	return cudaSuccess;
}
