// An input-queued router with virtual channels, after BookSim's iq_router. A packet's head goes through
//
//   routing (routing_delay; 0: done one router ahead) -> virtual channel allocation (vc_alloc_delay)
//   -> switch allocation (sw_alloc_delay) -> crossbar (st_prepare_delay + st_final_delay) -> output queue -> link
//
// and its other flits from switch allocation on. Each stage keeps its input channels as jobs in the order they entered;
// a job that is refused enters again at the end. All of it is one internal step, of which internal_speedup happen in a
// cycle. A flit that leaves its input frees a credit, which goes back over a wire and waits credit_delay at the sender.
#include "intersim/noc.h"

#include "base/assert.h"

#include <limits.h>

void noc_credits_send(struct noc_credits *c, unsigned vc, bool tail, bool wait_for_tail)
{
	c->used[vc]++;
	c->total++;
	HEDDLE_ASSERT(c->used[vc] <= c->limit);
	if (tail) {
		c->tail_sent |= 1ull << vc;
		if (!wait_for_tail)
			c->taken &= ~(1ull << vc);
	}
}

void noc_credits_back(struct noc_credits *c, uint64_t vcs, bool wait_for_tail)
{
	for (; vcs; vcs &= vcs - 1) {
		unsigned vc = __builtin_ctzll(vcs);
		HEDDLE_ASSERT(c->used[vc] > 0);
		c->used[vc]--;
		c->total--;
		if (wait_for_tail && c->used[vc] == 0 && (c->tail_sent >> vc & 1))
			c->taken &= ~(1ull << vc);
	}
}

static struct noc_vc *vc_at(const struct noc *n, struct noc_router *r, unsigned in, unsigned vc)
{
	return &r->vc[(size_t)in * n->vcs + vc];
}

static struct noc_flit *front(struct noc_net *net, const struct noc_vc *v)
{
	return &net->flit[*RING_FRONT(&v->q)];
}

static void add_job(struct noc_jobs *jobs, unsigned in, unsigned vc)
{
	RING_PUSH(jobs, (struct noc_job){NOC_NOT_STARTED, in, vc, -1});
}

static struct noc_job *job(const struct noc_jobs *jobs, unsigned i)
{
	return RING_AT(jobs, i);
}

static struct noc_job take_job(struct noc_jobs *jobs)
{
	return RING_TAKE(jobs);
}

// The first job is done by `now`.
static bool job_done(const struct noc_jobs *jobs, uint64_t now)
{
	return jobs->n && RING_FRONT(jobs)->when <= now;
}

static int priority(const struct noc *n, struct noc_net *net, const struct noc_vc *v)
{
	switch (n->priority) {
	case NOC_PRI_NONE:
		return 0;
	case NOC_PRI_QUEUE_LENGTH:
		return v->q.n;
	default:
		return front(net, v)->pri;
	}
}

// A head flit is at the front of its channel.
static void begin_packet(struct noc *n, struct noc_router *r, unsigned in, unsigned vc)
{
	struct noc_vc *v = vc_at(n, r, in, vc);
	if (n->config.routing_delay) {
		v->state = NOC_ROUTING;
		add_job(&r->routing, in, vc);
	} else {
		v->state = NOC_VC_ALLOC;
		add_job(&r->vc_jobs, in, vc);
	}
}

void noc_router_flit(struct noc *n, struct noc_net *net, struct noc_router *r, unsigned in, uint32_t flit)
{
	struct noc_flit *f = &net->flit[flit];
	struct noc_vc *v = vc_at(n, r, in, f->vc);
	if (n->priority == NOC_PRI_LOCAL_AGE)
		f->pri = (int32_t)(INT_MAX - n->cycle);
	else if (n->priority == NOC_PRI_HOP_COUNT)
		f->pri = f->hops;
	RING_PUSH(&v->q, flit);
	r->active = true;
	if (v->state == NOC_IDLE) {
		HEDDLE_ASSERT(f->head && v->q.n == 1);
		begin_packet(n, r, in, f->vc);
	} else if (v->state == NOC_ACTIVE && v->q.n == 1) {
		unsigned win = in * n->config.input_speedup + f->vc % n->config.input_speedup;
		add_job(r->hold_vc[win] == f->vc ? &r->held : &r->sw_jobs, in, f->vc);
	}
}

void noc_router_credit(struct noc *n, struct noc_router *r, unsigned out, uint64_t vcs)
{
	r->active = true;
	RING_PUSH(&r->late, (struct noc_late_credit){n->cycle + n->config.credit_delay, vcs, out});
}

static void use_late_credits(struct noc *n, struct noc_net *net, struct noc_router *r)
{
	while (r->late.n && RING_FRONT(&r->late)->when <= n->cycle) {
		const struct noc_late_credit *c = RING_FRONT(&r->late);
		noc_credits_back(&r->credits[c->out], c->vcs, n->config.wait_for_tail_credit);
		net->credits_inside -= __builtin_popcountll(c->vcs);
		RING_DROP(&r->late);
		n->moved++;
	}
}

// --- routing ---

static void start_routing(struct noc *n, struct noc_router *r)
{
	for (unsigned i = r->routing.n; i-- > 0;) { // those not started are the last
		struct noc_job *j = job(&r->routing, i);
		if (j->when != NOC_NOT_STARTED)
			break;
		j->when = n->cycle + n->config.routing_delay - 1;
	}
}

static void end_routing(struct noc *n, struct noc_net *net, struct noc_router *r)
{
	while (job_done(&r->routing, n->cycle)) {
		struct noc_job j = take_job(&r->routing);
		struct noc_vc *v = vc_at(n, r, j.in, j.vc);
		struct noc_flit *f = front(net, v);
		n->route(n, net, r->id, f, j.in, &f->route);
		v->state = NOC_VC_ALLOC;
		add_job(&r->vc_jobs, j.in, j.vc);
		n->moved++;
	}
}

// --- virtual channel allocation ---

static unsigned vc_requester(const struct noc *n, const struct noc_router *r, const struct noc_job *j)
{
	return n->config.vc_shuffle_requests ? j->vc * r->n_in + j->in : j->in * n->vcs + j->vc;
}

static void request_vcs(struct noc *n, struct noc_net *net, struct noc_router *r, const struct noc_job *j)
{
	struct noc_vc *v = vc_at(n, r, j->in, j->vc);
	const struct noc_flit *f = front(net, v);
	int out_pri = priority(n, net, v);
	for (unsigned h = 0; h < f->route.n; h++) {
		const struct noc_hop *hop = &f->route.at[h];
		const struct noc_credits *c = &r->credits[hop->port];
		for (unsigned vc = hop->vc0; vc <= hop->vc1; vc++) {
			if (c->taken >> vc & 1 || (n->config.vc_busy_when_full && noc_full(c, vc)))
				continue;
			int in_pri = hop->pri;
			if (n->config.vc_prioritize_empty && c->used[vc])
				in_pri += INT_MIN;
			noc_alloc_add(r->vc_alloc, vc_requester(n, r, j), hop->port * n->vcs + vc, 0, in_pri, out_pri);
		}
	}
}

static void start_vc_alloc(struct noc *n, struct noc_net *net, struct noc_router *r)
{
	unsigned first = r->vc_jobs.n;
	while (first && job(&r->vc_jobs, first - 1)->when == NOC_NOT_STARTED)
		first--;
	for (unsigned i = first; i < r->vc_jobs.n; i++)
		request_vcs(n, net, r, job(&r->vc_jobs, i));
	noc_alloc_run(r->vc_alloc);
	for (unsigned i = first; i < r->vc_jobs.n; i++) {
		struct noc_job *j = job(&r->vc_jobs, i);
		j->when = n->cycle + n->config.vc_alloc_delay - 1;
		j->result = r->vc_alloc->in_match[vc_requester(n, r, j)];
	}
	noc_alloc_clear(r->vc_alloc);
	if (n->config.vc_alloc_delay <= 1)
		return;
	// What was free when it was granted may be taken by now.
	for (unsigned i = 0; i < r->vc_jobs.n && job(&r->vc_jobs, i)->when <= n->cycle; i++) {
		struct noc_job *j = job(&r->vc_jobs, i);
		if (j->result < 0)
			continue;
		const struct noc_credits *c = &r->credits[j->result / n->vcs];
		unsigned vc = j->result % n->vcs;
		if (c->taken >> vc & 1 || (n->config.vc_busy_when_full && noc_full(c, vc)))
			j->result = -1;
	}
}

static void end_vc_alloc(struct noc *n, struct noc_router *r)
{
	while (job_done(&r->vc_jobs, n->cycle)) {
		struct noc_job j = take_job(&r->vc_jobs);
		struct noc_vc *v = vc_at(n, r, j.in, j.vc);
		unsigned out = j.result / (int)n->vcs, out_vc = j.result % (int)n->vcs;
		// Two steps of one cycle may have granted the same channel when vc_alloc_delay is over 1.
		if (j.result < 0 || r->credits[out].taken >> out_vc & 1) {
			add_job(&r->vc_jobs, j.in, j.vc);
			continue;
		}
		noc_credits_take(&r->credits[out], out_vc);
		v->out_port = out;
		v->out_vc = out_vc;
		v->state = NOC_ACTIVE;
		add_job(&r->sw_jobs, j.in, j.vc);
		n->moved++;
	}
}

// --- switch ---

static unsigned wide_in(const struct noc *n, unsigned in, unsigned vc)
{
	return in * n->config.input_speedup + vc % n->config.input_speedup;
}

static unsigned wide_out(const struct noc *n, unsigned out, unsigned in)
{
	return out * n->config.output_speedup + in % n->config.output_speedup;
}

static bool output_queue_full(const struct noc *n, const struct noc_router *r, unsigned out)
{
	return n->config.output_buffer_size >= 0 && r->out_queue[out].n >= (unsigned)n->config.output_buffer_size;
}

static bool can_leave(const struct noc *n, const struct noc_router *r, const struct noc_vc *v)
{
	return !noc_full(&r->credits[v->out_port], v->out_vc);
}

// Removes the flit at the front of an active channel and puts it into the crossbar. True if more flits of its packet
// are there.
static bool cross(struct noc *n, struct noc_net *net, struct noc_router *r, unsigned in, unsigned vc)
{
	struct noc_vc *v = vc_at(n, r, in, vc);
	uint32_t flit = noc_ring_pop(&v->q);
	struct noc_flit *f = &net->flit[flit];
	unsigned out = v->out_port;
	f->hops++;
	f->vc = v->out_vc;
	if (f->head && !n->config.routing_delay) {
		uint32_t link = net->link_of_out[r->out_base + out];
		if (link < net->n_link_in)
			n->route(n, net, net->router_of_in[link], f, net->port_of_in[link], &f->route);
	}
	noc_credits_send(&r->credits[out], f->vc, f->tail, n->config.wait_for_tail_credit);

	RING_PUSH(&r->crossing, (struct noc_crossing){NOC_NOT_STARTED, flit, out});
	r->step_credits[in] |= 1ull << vc;
	bits_set(r->freed_inputs, in);
	n->moved++;

	if (f->tail) {
		v->state = NOC_IDLE;
		if (v->q.n)
			begin_packet(n, r, in, vc);
		return false;
	}
	return v->q.n > 0;
}

static void release_hold(struct noc_router *r, unsigned in)
{
	r->hold_out[r->hold_in[in]] = -1;
	r->hold_vc[in] = r->hold_in[in] = -1;
}

// Connections that a packet holds need no allocation. Started and done within the step.
static void use_held(struct noc *n, struct noc_net *net, struct noc_router *r, bool starting)
{
	if (starting) {
		for (unsigned i = 0; i < r->held.n; i++) {
			struct noc_job *j = job(&r->held, i);
			j->when = n->cycle;
			j->result = can_leave(n, r, vc_at(n, r, j->in, j->vc)) ? 0 : -1;
		}
		return;
	}
	while (job_done(&r->held, n->cycle)) {
		struct noc_job j = take_job(&r->held);
		unsigned win = wide_in(n, j.in, j.vc);
		const struct noc_vc *v = vc_at(n, r, j.in, j.vc);
		if (j.result < 0 || output_queue_full(n, r, v->out_port)) {
			release_hold(r, win);
			add_job(&r->sw_jobs, j.in, j.vc);
		} else if (cross(n, net, r, j.in, j.vc)) {
			add_job(&r->held, j.in, j.vc);
		} else {
			release_hold(r, win);
		}
	}
}

// In a round robin over `size` that starts at `offset`, whether `a` goes before `b`.
static bool goes_before(unsigned a, int a_pri, unsigned b, int b_pri, unsigned offset, unsigned size)
{
	if (a_pri != b_pri)
		return a_pri > b_pri;
	return (a + size - offset) % size < (b + size - offset) % size;
}

static void request_switch(struct noc *n, struct noc_net *net, struct noc_router *r, const struct noc_job *j)
{
	const struct noc_vc *v = vc_at(n, r, j->in, j->vc);
	if (!can_leave(n, r, v) || output_queue_full(n, r, v->out_port))
		return;
	unsigned in = wide_in(n, j->in, j->vc), out = wide_out(n, v->out_port, j->in);
	if (r->hold_in[in] >= 0 || r->hold_out[out] >= 0)
		return;
	int pri = priority(n, net, v);
	const struct noc_request *q = noc_alloc_request(r->sw_alloc, in, out);
	if (q->label < 0 || goes_before(j->vc, pri, q->label, q->in_pri, r->sw_offset[in], n->vcs))
		noc_alloc_add(r->sw_alloc, in, out, j->vc, pri, pri);
}

static void start_switch(struct noc *n, struct noc_net *net, struct noc_router *r)
{
	unsigned first = r->sw_jobs.n;
	while (first && job(&r->sw_jobs, first - 1)->when == NOC_NOT_STARTED)
		first--;
	for (unsigned i = first; i < r->sw_jobs.n; i++)
		request_switch(n, net, r, job(&r->sw_jobs, i));
	noc_alloc_run(r->sw_alloc);
	for (unsigned i = first; i < r->sw_jobs.n; i++) {
		struct noc_job *j = job(&r->sw_jobs, i);
		unsigned in = wide_in(n, j->in, j->vc);
		int out = r->sw_alloc->in_match[in];
		j->when = n->cycle + n->config.sw_alloc_delay - 1;
		j->result = -1;
		if (out >= 0 && noc_alloc_request(r->sw_alloc, in, out)->label == j->vc) {
			r->sw_offset[in] = (j->vc + n->config.input_speedup) % n->vcs;
			j->result = out;
		}
	}
	noc_alloc_clear(r->sw_alloc);
	if (n->config.sw_alloc_delay <= 1)
		return;
	for (unsigned i = 0; i < r->sw_jobs.n && job(&r->sw_jobs, i)->when <= n->cycle; i++) {
		struct noc_job *j = job(&r->sw_jobs, i);
		if (j->result >= 0 && (r->hold_in[wide_in(n, j->in, j->vc)] >= 0 || r->hold_out[j->result] >= 0 ||
		                       !can_leave(n, r, vc_at(n, r, j->in, j->vc))))
			j->result = -1;
	}
}

static void end_switch(struct noc *n, struct noc_net *net, struct noc_router *r)
{
	while (job_done(&r->sw_jobs, n->cycle)) {
		struct noc_job j = take_job(&r->sw_jobs);
		unsigned in = wide_in(n, j.in, j.vc);
		// With sw_alloc_delay over 1, two grants made in different cycles may have used the last credit or the hold.
		bool stale = j.result >= 0 && n->config.sw_alloc_delay > 1 &&
		             (!can_leave(n, r, vc_at(n, r, j.in, j.vc)) || r->hold_in[in] >= 0 || r->hold_out[j.result] >= 0);
		if (j.result < 0 || stale) {
			add_job(&r->sw_jobs, j.in, j.vc);
		} else if (cross(n, net, r, j.in, j.vc)) {
			if (n->config.hold_switch_for_packet) {
				r->hold_vc[in] = j.vc;
				r->hold_in[in] = j.result;
				r->hold_out[j.result] = in;
				add_job(&r->held, j.in, j.vc);
			} else {
				add_job(&r->sw_jobs, j.in, j.vc);
			}
		}
	}
}

// --- crossbar ---

static void start_crossing(struct noc *n, struct noc_router *r)
{
	for (unsigned i = r->crossing.n; i-- > 0;) {
		struct noc_crossing *c = RING_AT(&r->crossing, i);
		if (c->when != NOC_NOT_STARTED)
			break;
		c->when = n->cycle + n->crossbar_delay - 1;
	}
}

static void end_crossing(struct noc *n, struct noc_router *r)
{
	while (r->crossing.n && RING_FRONT(&r->crossing)->when <= n->cycle) {
		const struct noc_crossing *c = RING_FRONT(&r->crossing);
		RING_PUSH(&r->out_queue[c->out], c->flit);
		bits_set(r->outs_waiting, c->out);
		RING_DROP(&r->crossing);
		n->moved++;
	}
}

static void queue_credits(struct noc_net *net, struct noc_router *r)
{
	BITS_EACH (in, r->freed_inputs, 0, r->n_in) {
		struct noc_credit_queue *q = &r->credit_queue[in];
		RING_PUSH(q, r->step_credits[in]);
		net->credits_inside += __builtin_popcountll(r->step_credits[in]);
		r->step_credits[in] = 0;
		bits_clear(r->freed_inputs, in);
		bits_set(r->ins_waiting, in);
	}
}

// Each stage first looks at the state that the step began with (start), then all of them change it (end), so that a
// flit spends at least one step in each.
void noc_router_step(struct noc *n, struct noc_net *net, struct noc_router *r)
{
	if (!r->active)
		return;
	use_late_credits(n, net, r);
	if (r->routing.n)
		start_routing(n, r);
	if (r->vc_jobs.n)
		start_vc_alloc(n, net, r);
	if (r->held.n)
		use_held(n, net, r, true);
	if (r->sw_jobs.n)
		start_switch(n, net, r);
	if (r->crossing.n)
		start_crossing(n, r);

	if (r->routing.n)
		end_routing(n, net, r);
	if (r->vc_jobs.n)
		end_vc_alloc(n, r);
	if (r->held.n)
		use_held(n, net, r, false);
	if (r->sw_jobs.n)
		end_switch(n, net, r);
	if (r->crossing.n)
		end_crossing(n, r);
	queue_credits(net, r);
	r->active = r->late.n || r->routing.n || r->vc_jobs.n || r->held.n || r->sw_jobs.n || r->crossing.n;
}

bool noc_router_send(struct noc *n, struct noc_net *net, struct noc_router *r)
{
	bool more = false;
	BITS_EACH (out, r->outs_waiting, 0, r->n_out) {
		uint32_t link = net->link_of_out[r->out_base + out];
		noc_pipe_send(&net->link[link], n->cycle, noc_ring_pop(&r->out_queue[out]));
		bits_set(net->links_busy, link);
		n->moved++;
		if (r->out_queue[out].n)
			more = true;
		else
			bits_clear(r->outs_waiting, out);
	}
	BITS_EACH (in, r->ins_waiting, 0, r->n_in) {
		struct noc_credit_queue *q = &r->credit_queue[in];
		uint32_t wire = net->wire_of_in[r->in_link + in];
		noc_pipe_send(&net->wire[wire], n->cycle, *RING_FRONT(q));
		bits_set(net->wires_busy, wire);
		RING_DROP(q);
		if (q->n)
			more = true;
		else
			bits_clear(r->ins_waiting, in);
	}
	return more;
}

static void ring(struct noc_ring *q, unsigned cap, struct arena *a)
{
	RING_USE(q, ARENA_ARRAY(a, uint32_t, cap), cap);
}

static void jobs(struct noc_jobs *j, unsigned cap, struct arena *a)
{
	RING_USE(j, ARENA_ARRAY(a, struct noc_job, cap), cap);
}

// n_in, n_out, id, in_link, out_base and the limits of the credits are set.
void noc_router_init(struct noc *n, struct noc_net *net, struct noc_router *r)
{
	const struct noc_config *c = &n->config;
	struct arena *a = &n->arena;
	unsigned depth = c->buf_size > 0 ? c->buf_size / n->vcs : c->vc_buf_size, channels = r->n_in * n->vcs;
	unsigned steps = (unsigned)((n->speedup + 0xFFFFFFFFu) >> 32); // at most, in a cycle
	r->vc = ARENA_ARRAY(a, struct noc_vc, channels);
	for (unsigned i = 0; i < channels; i++)
		ring(&r->vc[i].q, depth, a);
	jobs(&r->routing, channels, a);
	jobs(&r->vc_jobs, channels, a);
	jobs(&r->sw_jobs, channels, a);
	jobs(&r->held, channels, a);
	r->vc_alloc = noc_alloc_new(c->vc_allocator, c->arb_type, c->alloc_iters, channels, r->n_out * n->vcs, a);
	unsigned wide_ins = r->n_in * c->input_speedup, wide_outs = r->n_out * c->output_speedup;
	r->sw_alloc = noc_alloc_new(c->sw_allocator, c->arb_type, c->alloc_iters, wide_ins, wide_outs, a);
	r->sw_offset = ARENA_ARRAY(a, uint32_t, wide_ins);
	r->hold_vc = ARENA_ARRAY(a, int32_t, wide_ins);
	r->hold_in = ARENA_ARRAY(a, int32_t, wide_ins);
	r->hold_out = ARENA_ARRAY(a, int32_t, wide_outs);
	for (unsigned i = 0; i < wide_ins; i++) {
		r->sw_offset[i] = i % c->input_speedup;
		r->hold_vc[i] = r->hold_in[i] = -1;
	}
	for (unsigned i = 0; i < wide_outs; i++)
		r->hold_out[i] = -1;
	// Every flit from the crossbar on has a buffer at the other end of its link.
	unsigned crossing = (n->crossbar_delay + 1) * steps * wide_outs;
	RING_USE(&r->crossing, ARENA_ARRAY(a, struct noc_crossing, crossing), crossing);
	r->out_queue = ARENA_ARRAY(a, struct noc_ring, r->n_out);
	for (unsigned i = 0; i < r->n_out; i++)
		ring(&r->out_queue[i], r->credits[i].limit * n->vcs, a);
	r->credit_queue = ARENA_ARRAY(a, struct noc_credit_queue, r->n_in);
	for (unsigned i = 0; i < r->n_in; i++)
		RING_USE(&r->credit_queue[i], ARENA_ARRAY(a, uint64_t, depth * n->vcs), depth * n->vcs);
	r->step_credits = ARENA_ARRAY(a, uint64_t, r->n_in);
	r->freed_inputs = ARENA_ARRAY(a, uint64_t, (r->n_in + 63) / 64);
	r->ins_waiting = ARENA_ARRAY(a, uint64_t, (r->n_in + 63) / 64);
	r->outs_waiting = ARENA_ARRAY(a, uint64_t, (r->n_out + 63) / 64);
	unsigned late = r->n_out * (c->credit_delay + 2);
	RING_USE(&r->late, ARENA_ARRAY(a, struct noc_late_credit, late), late);
}
