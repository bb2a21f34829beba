#include "libcuda/graph/exec.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/graph/capture.h"
#include "libcuda/graph/conditional.h"
#include "libcuda/graph/pair.h"
#include "libcuda/graph/run.h"
#include "libcuda/graph/user_object.h"
#include "libcuda/memory/graph_memory.h"
#include "libcuda/work/sim_thread.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/wait.h"

#include <string.h>

struct graph_exec *graph_exec_find(const void *handle)
{
	return handle && handle_valid(&cu.graph_execs, handle) ? (struct graph_exec *)handle : NULL;
}

// --- made

static cudaError_t check(struct graph *g, struct node **bad, enum instantiate_result *result)
{
	for (size_t i = 0; i < g->conditionals.n; i++)
		if (!g->conditionals.at[i]->used) {
			*result = INSTANTIATE_CONDITION;
			return cudaErrorInvalidValue;
		}
	struct node **order = graph_order(g, bad);
	if (!order) {
		*result = INSTANTIATE_STRUCTURE;
		return cudaErrorInvalidValue;
	}
	mem_free(order);
	cudaError_t e = cudaSuccess;
	for (size_t i = 0; i < g->nodes.n && !e; i++) {
		struct graph *const *parts;
		for (unsigned k = 0, n = node_parts(g->nodes.at[i], &parts); k < n && !e; k++)
			e = check(parts[k], bad, result);
	}
	return e;
}

// From now on the program has no handle of it.
static void seal(struct graph *g)
{
	struct node *none;
	g->private = true;
	g->order = graph_order(g, &none);
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct graph *const *parts;
		for (unsigned k = 0, n = node_parts(g->nodes.at[i], &parts); k < n; k++)
			seal(parts[k]);
	}
}

cudaError_t exec_make(struct graph_exec **out, struct graph *g, uint64_t flags, struct node **bad, enum instantiate_result *result)
{
	*bad = NULL;
	*result = INSTANTIATE_ERROR;
	if (!g || flags & ~(uint64_t)INSTANTIATE_FLAGS || g->moved || g->captures || (g->inside && g->inside->p.type == NODE_CONDITIONAL) ||
	    (flags & INSTANTIATE_AUTO_FREE && flags & INSTANTIATE_DEVICE_LAUNCH))
		return cudaErrorInvalidValue;
	if (flags & INSTANTIATE_DEVICE_LAUNCH) {
		cu_complain("graphs that kernels launch are not supported by this version");
		*result = INSTANTIATE_OPERATION;
		return cudaErrorNotSupported;
	}
	cudaError_t e = check(g, bad, result);
	if (e)
		return e;
	bool memory = graph_has_memory(g);
	if (g->execs && (memory || graph_has(g, NODE_CONDITIONAL)))
		return cudaErrorInvalidValue;
	cu.graph_execs.size = sizeof(struct graph_exec);
	struct graph_exec *x = handle_new(&cu.graph_execs);
	*x = (struct graph_exec){cu_thread.owner, flags & ~(uint64_t)INSTANTIATE_UPLOAD, graph_copy(g), g, g->uid, memory};
	seal(x->graph);
	g->execs++;
	*result = INSTANTIATE_SUCCESS;
	*out = x;
	return cudaSuccess;
}

static cudaError_t give(struct graph_exec **out, struct graph_exec *x)
{
	if (guard_read(out, &x, sizeof x))
		return cudaSuccess;
	exec_destroy(x);
	return cudaErrorInvalidValue;
}

cudaError_t exec_instantiate(struct graph_exec **out, struct graph *g, uint64_t flags)
{
	struct graph_exec *x;
	struct node *bad;
	enum instantiate_result result;
	if (!out || flags & INSTANTIATE_UPLOAD) // only where there is a stream for it
		return cudaErrorInvalidValue;
	cudaError_t e = exec_make(&x, g, flags, &bad, &result);
	return e ? e : give(out, x);
}

cudaError_t exec_instantiate_logged(struct graph_exec **out, struct graph *g, struct node **to, char *log, size_t size)
{
	static const char *const why[] = {"", "the graph is no good\n", "the dependencies of the graph have a circle\n", "", "",
	                                  "a conditional handle has no conditional node\n"};
	struct graph_exec *x;
	struct node *bad;
	enum instantiate_result result;
	if (!out)
		return cudaErrorInvalidValue;
	cudaError_t e = exec_make(&x, g, 0, &bad, &result);
	char end = 0;
	size_t n = strlen(why[result]);
	if (to)
		guard_read(to, &bad, sizeof bad);
	if (log && size && guard_read(log, why[result], n < size ? n : size - 1))
		guard_read(log + (n < size ? n : size - 1), &end, 1);
	return e ? e : give(out, x);
}

cudaError_t exec_instantiate_params(struct graph_exec **out, struct graph *g, struct instantiate_params *given)
{
	struct graph_exec *x;
	struct instantiate_params p;
	enum instantiate_result result;
	if (!out || !given || !guard_read(&p, given, sizeof p))
		return cudaErrorInvalidValue;
	if (p.flags & INSTANTIATE_UPLOAD && !stream_find(p.upload))
		return cudaErrorInvalidResourceHandle;
	cudaError_t e = exec_make(&x, g, p.flags, &p.bad, &result);
	p.result = result;
	if (!guard_read(given, &p, sizeof p) && !e) {
		exec_destroy(x);
		return cudaErrorInvalidValue;
	}
	return e ? e : give(out, x);
}

static void free_exec(struct graph_exec *x)
{
	if (handle_valid(&cu.graphs, x->source) && x->source->uid == x->source_uid)
		x->source->execs--;
	graph_free(x->graph);
	handle_free(&cu.graph_execs, x);
}

cudaError_t exec_destroy(struct graph_exec *x)
{
	if (!x)
		return cudaErrorInvalidValue;
	free_exec(x);
	user_objects_flush();
	return cudaSuccess;
}

cudaError_t exec_flags(struct graph_exec *x, uint64_t *flags)
{
	return x && flags && guard_read(flags, &x->flags, sizeof *flags) ? cudaSuccess : cudaErrorInvalidValue;
}

// --- launched

static cudaError_t check_memory(const struct graph_exec *x, const struct graph *g)
{
	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct payload *p = &g->nodes.at[i]->p;
		struct graph *const *parts;
		if (p->type == NODE_ALLOC && p->u.alloc.memory->in_use && !(x->flags & INSTANTIATE_AUTO_FREE)) {
			cu_complain("the memory at %p, which the graph allocates, is allocated already: it was not freed since the last launch",
			            (void *)(uintptr_t)p->u.alloc.memory->addr);
			return cudaErrorInvalidValue;
		}
		if (p->type == NODE_FREE && !p->u.freed->in_use && !p->u.freed->freed_inside) {
			cu_complain("the memory at %p, which the graph frees, is not allocated", (void *)(uintptr_t)p->u.freed->addr);
			return cudaErrorInvalidValue;
		}
		for (unsigned k = 0, n = node_parts(g->nodes.at[i], &parts); k < n; k++) {
			cudaError_t e = check_memory(x, parts[k]);
			if (e)
				return e;
		}
	}
	return cudaSuccess;
}

static cudaError_t use_memory(const struct graph *g)
{
	cudaError_t e = cudaSuccess;
	for (size_t i = 0; i < g->nodes.n && !e; i++) {
		const struct payload *p = &g->order[i]->p;
		struct graph *const *parts;
		if (p->type == NODE_ALLOC) {
			graph_memory_end(p->u.alloc.memory); // INSTANTIATE_AUTO_FREE
			e = graph_memory_begin(p->u.alloc.memory);
		}
		if (p->type == NODE_FREE)
			graph_memory_end(p->u.freed);
		for (unsigned k = 0, n = node_parts(g->order[i], &parts); k < n && !e; k++)
			e = use_memory(parts[k]);
	}
	return e;
}

cudaError_t exec_launch(struct graph_exec *x, cudaStream_t handle)
{
	struct stream *s = stream_find(handle);
	if (!x)
		return cudaErrorInvalidValue;
	if (!s) {
		cu_complain("the stream was not created, or is destroyed already");
		return cudaErrorInvalidResourceHandle;
	}
	if (s->capture)
		return capture_graph(s, x->graph);
	cudaError_t e = x->has_memory ? check_memory(x, x->graph) : cudaSuccess;
	e = !e && x->has_memory ? use_memory(x->graph) : e;
	if (e)
		return e;
	e = sim_push(s, run_make(x->graph));
	return !e && cu.launch_blocking ? wait_stream(s) : e;
}

// Everything is where it must be already.
cudaError_t exec_upload(struct graph_exec *x, cudaStream_t handle)
{
	if (!x)
		return cudaErrorInvalidValue;
	return stream_find(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

// --- changed

static void same_origins(struct graph *c, const struct graph *g)
{
	c->origin = g->origin;
	for (size_t i = 0; i < g->nodes.n; i++) {
		struct graph *const *from, *const *to;
		c->nodes.at[i]->origin = g->nodes.at[i]->origin;
		node_parts(c->nodes.at[i], &to);
		for (unsigned k = 0, n = node_parts(g->nodes.at[i], &from); k < n; k++)
			same_origins(to[k], from[k]);
	}
}

// Launches that are under way keep the graph as it was.
static struct graph *writable(struct graph_exec *x)
{
	if (!x->graph->runs)
		return x->graph;
	struct graph *c = graph_copy(x->graph);
	same_origins(c, x->graph);
	seal(c);
	graph_free(x->graph);
	return x->graph = c;
}

static bool one_row(const struct copy_op *c) { return c->height == 1 && c->depth == 1; }

static int place_of(const void *p)
{
	const struct devmem_range *r = devmem_find(cu.mem, (uint64_t)(uintptr_t)p);
	return r ? (int)r->kind : -1;
}

// A copy keeps what kind of memory it is between; host memory of all kinds is one.
static bool same_memory(const void *a, const void *b)
{
	int x = place_of(a), y = place_of(b);
	bool host_x = x < 0 || x == DEVMEM_HOST || x == DEVMEM_REGISTERED, host_y = y < 0 || y == DEVMEM_HOST || y == DEVMEM_REGISTERED;
	return host_x == host_y && (x == DEVMEM_ARRAY) == (y == DEVMEM_ARRAY);
}

// Whether an executable graph's node can change so. `exact`: copies of more than one row cannot change at all.
static enum update_result can_change(const struct payload *was, const struct payload *now, bool exact)
{
	switch (was->type) {
	case NODE_KERNEL: return payload_cooperative(was) == payload_cooperative(now) ? UPDATE_SUCCESS : UPDATE_ATTRIBUTES;
	case NODE_COPY:
		if (exact && (!one_row(&was->u.copy.op) || !one_row(&now->u.copy.op)))
			return UPDATE_PARAMETERS;
		return same_memory(was->u.copy.op.dst, now->u.copy.op.dst) && same_memory(was->u.copy.op.src, now->u.copy.op.src)
		               ? UPDATE_SUCCESS
		               : UPDATE_PARAMETERS;
	case NODE_FILL: {
		const struct fill_op *a = &was->u.fill.op, *b = &now->u.fill.op;
		bool rows = a->height > 1 || b->height > 1;
		bool same = a->width == b->width && a->height == b->height && a->pitch == b->pitch && a->element == b->element;
		return same_memory(a->dst, b->dst) && (!rows || same) ? UPDATE_SUCCESS : UPDATE_PARAMETERS;
	}
	case NODE_ALLOC: return was->u.alloc.memory == now->u.alloc.memory ? UPDATE_SUCCESS : UPDATE_UNSUPPORTED;
	case NODE_FREE: return was->u.freed == now->u.freed ? UPDATE_SUCCESS : UPDATE_UNSUPPORTED;
	case NODE_CONDITIONAL:
		return was->u.conditional.kind == now->u.conditional.kind && was->u.conditional.size == now->u.conditional.size
		               ? UPDATE_SUCCESS
		               : UPDATE_PARAMETERS;
	default: return UPDATE_SUCCESS;
	}
}

cudaError_t exec_set(struct graph_exec *x, struct node *n, struct node_params *p)
{
	struct node *at = x && n && p ? graph_copy_of(x->graph, n) : NULL;
	struct payload made;
	if (!at || at->p.type != (enum node_type)p->type)
		return cudaErrorInvalidValue;
	if (p->type == NODE_GRAPH)
		return exec_set_child(x, n, graph_find(p->u.child.graph));
	if (!node_settable(at->p.type))
		return cudaErrorInvalidValue;
	cudaError_t e = graph_make(&made, at->graph, p);
	if (e)
		return e;
	if (made.type == NODE_KERNEL)
		payload_copy_attributes(&made, &at->p);
	if (can_change(&at->p, &made, true) != UPDATE_SUCCESS) {
		graph_free_payload(&made);
		return cudaErrorInvalidValue;
	}
	at = graph_copy_of(writable(x), n);
	graph_free_payload(&at->p);
	at->p = made;
	return cudaSuccess;
}

static bool can_disable(const struct node *n) { return n->p.type == NODE_KERNEL || n->p.type == NODE_COPY || n->p.type == NODE_FILL; }

cudaError_t exec_enable(struct graph_exec *x, struct node *n, unsigned on)
{
	struct node *at = x && n ? graph_copy_of(x->graph, n) : NULL;
	if (!at || !can_disable(at) || on > 1)
		return cudaErrorInvalidValue;
	if (at->disabled == !on)
		return cudaSuccess;
	graph_copy_of(writable(x), n)->disabled = !on;
	return cudaSuccess;
}

cudaError_t exec_enabled(struct graph_exec *x, struct node *n, unsigned *on)
{
	const struct node *at = x && n ? graph_copy_of(x->graph, n) : NULL;
	unsigned now = at && !at->disabled;
	return at && can_disable(at) && on && guard_read(on, &now, sizeof now) ? cudaSuccess : cudaErrorInvalidValue;
}

static enum update_result blame(struct update_info *info, struct node *n, struct node *from, enum update_result result)
{
	info->node = n;
	info->from = from;
	return result;
}

static enum update_result compare(const struct graph *was, const struct graph *now, struct update_info *info);

static enum update_result compare_nodes(const struct node *was, struct node *now, struct update_info *info)
{
	struct graph *const *old, *const *new;
	if (was->p.type != now->p.type)
		return blame(info, now, NULL, UPDATE_TYPE);
	enum update_result r = can_change(&was->p, &now->p, false);
	if (r != UPDATE_SUCCESS)
		return blame(info, now, NULL, r);
	node_parts(was, &old);
	for (unsigned k = 0, n = node_parts(now, &new); k < n && r == UPDATE_SUCCESS; k++)
		r = compare(old[k], new[k], info);
	return r;
}

static enum update_result compare(const struct graph *was, const struct graph *now, struct update_info *info)
{
	struct node **pair = mem_alloc((now->nodes.n + 1) * sizeof *pair), *bad, *from;
	enum update_result r = UPDATE_SUCCESS;
	if (!graph_pair(pair, was, now, &bad, &from))
		r = blame(info, bad, from, UPDATE_TOPOLOGY);
	for (size_t i = 0; i < now->nodes.n && r == UPDATE_SUCCESS; i++)
		r = compare_nodes(pair[i], now->nodes.at[i], info);
	mem_free(pair);
	return r;
}

// The graphs are alike.
static void take_over(struct graph *to, const struct graph *from)
{
	struct node **pair = mem_alloc((from->nodes.n + 1) * sizeof *pair), *bad, *before;
	graph_pair(pair, to, from, &bad, &before);
	for (size_t i = 0; i < from->nodes.n; i++) {
		struct node *a = pair[i];
		const struct node *b = from->nodes.at[i];
		struct graph *const *old, *const *new;
		node_parts(b, &new);
		unsigned n = node_parts(a, &old);
		for (unsigned k = 0; k < n; k++)
			take_over(old[k], new[k]);
		if (n)
			continue;
		graph_free_payload(&a->p);
		graph_copy_payload(&a->p, &b->p);
	}
	mem_free(pair);
}

cudaError_t exec_set_child(struct graph_exec *x, struct node *n, struct graph *child)
{
	struct node *at = x && n && child ? graph_copy_of(x->graph, n) : NULL;
	struct update_info info;
	if (!at || at->p.type != NODE_GRAPH || compare(at->p.u.child.graph, child, &info) != UPDATE_SUCCESS)
		return cudaErrorInvalidValue;
	at = graph_copy_of(writable(x), n);
	take_over(at->p.u.child.graph, child);
	return cudaSuccess;
}

cudaError_t exec_update(struct graph_exec *x, struct graph *g, struct update_info *info)
{
	struct node *bad;
	enum instantiate_result result;
	*info = (struct update_info){.result = UPDATE_ERROR};
	if (!x || !g || g->moved || g->captures)
		return cudaErrorInvalidValue;
	if (check(g, &bad, &result))
		return cudaErrorInvalidValue;
	info->result = compare(x->graph, g, info);
	if (info->result != UPDATE_SUCCESS)
		return cudaErrorGraphExecUpdateFailure;
	take_over(writable(x), g);
	return cudaSuccess;
}

cudaError_t exec_update_to(struct graph_exec *x, struct graph *g, struct update_info *to, struct node **bad, int *result)
{
	struct update_info info;
	bool old = bad || result;
	if (!to && !old)
		return cudaErrorInvalidValue;
	cudaError_t e = exec_update(x, g, &info);
	bool told = (!to || guard_read(to, &info, sizeof info)) && (!bad || guard_read(bad, &info.node, sizeof info.node)) &&
	            (!result || guard_read(result, &info.result, sizeof info.result));
	return told || e ? e : cudaErrorInvalidValue;
}

// --- ends

static void end_exec(void *exec, void *owner)
{
	struct graph_exec *x = exec;
	if (!owner || x->owner == *(const uint32_t *)owner)
		free_exec(x);
}

void execs_reset(void) { handle_each(&cu.graph_execs, end_exec, NULL); }

void execs_release(uint32_t owner) { handle_each(&cu.graph_execs, end_exec, &owner); }
