// The built-in crossbar (-network_mode 2): per network one queue per input, one per output, and an arbiter that moves
// whole packets, whatever their size, in one cycle. Behaves as GPGPU-Sim's local interconnect, cycle for cycle:
//
//   iSLIP        outputs choose in ascending order among the inputs whose head is for them, each from its own rotating
//                position. A granted input shows its next head at once, so it may also be granted by a later output.
//   round robin  inputs in rotating order, one position further each cycle; each moves its head if the output has room
//                and took nothing yet.
//
// Cost follows packets: inputs with packets, and per output the inputs that request it, are bit masks.
#include "intersim/bits.h"
#include "intersim/icnt_ops.h"

#include "base/assert.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/ring.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum xbar_arbiter { XBAR_ROUND_ROBIN, XBAR_ISLIP }; // values of -icnt_arbiter_algo

struct xbar_item {
	void *packet;
	uint32_t out;
};

// The queue of a port, in cache lines of the host of its own. An empty ring begins at its first place again, so a short
// queue stands in one line with what is known of it, which is all that a thread has to fetch from another's cache.
struct xbar_ring {
	RING(struct xbar_item);
	uint32_t n_open; // of an input: put that have not entered (icnt_enter); of an output: taken that have not left
	struct xbar_item place[];
};

struct xbar_net {
	_Alignas(64) unsigned n_in, n_out, words; // words of 64 bits per mask
	unsigned in_limit, out_limit;
	size_t in_stride, out_stride; // bytes of a port
	char *in, *out;      // struct xbar_ring of each port
	uint64_t *requests;  // per output `words` words: inputs whose head is for it
	uint64_t *in_mask;   // inputs with packets
	uint32_t *n_asking;  // per output the inputs of its requests
	uint64_t *out_mask;  // outputs that are requested
	uint64_t *full_mask; // outputs without room
	uint8_t *taken;      // packets that an output took this cycle (round robin)
	uint32_t *next;      // iSLIP: per output the input to be looked at first
	unsigned first;      // round robin: the node to be looked at first, of all nodes, sources or not
	unsigned first_base; // node number of input 0 in that rotation
	unsigned n_node;
	unsigned answers, n_cluster_out; // outputs below n_cluster_out, those to clusters, take `answers` packets a cycle, others one
	unsigned burst;                  // packets that an input hands to one output at a time
	struct xbar *xbar;
	uint64_t *arrived, *drained; // the masks of this network in xbar.icnt; NULL: it is shared
	unsigned grant_cycles, grant_left;
	unsigned n_requesting, n_requested, n_full; // bits set in in_mask, out_mask, full_mask
	uint64_t n_in_packets, n_out_packets;
	// statistics
	uint64_t packets, cycles, conflicts, conflicts_util, cycles_util, reqs_util;
	uint64_t out_full, out_util, in_full, in_util;
};

struct xbar {
	struct icnt icnt;
	enum xbar_arbiter arbiter;
	unsigned n_net; // 1: requests and replies share net[0]
	struct xbar_net net[2];
	char *ports;
	size_t port_bytes;
	uint64_t *masks;
};

static struct xbar_net *net_of(struct icnt *n, enum icnt_net net)
{
	struct xbar *x = (struct xbar *)n;
	return &x->net[x->n_net == 1 ? 0 : net];
}

static const struct xbar_net *const_net_of(const struct icnt *n, enum icnt_net net)
{
	const struct xbar *x = (const struct xbar *)n;
	return &x->net[x->n_net == 1 ? 0 : net];
}

// Ports of a shared network are numbered clusters first.
static unsigned in_port(const struct icnt *n, enum icnt_net net, unsigned src)
{
	return ((const struct xbar *)n)->n_net == 1 && net == ICNT_REPLY ? n->n_cluster + src : src;
}

static unsigned out_port(const struct icnt *n, enum icnt_net net, unsigned dst)
{
	return ((const struct xbar *)n)->n_net == 1 && net == ICNT_REQUEST ? n->n_cluster + dst : dst;
}

static inline struct xbar_ring *ring_in(const struct xbar_net *x, unsigned in)
{
	return (struct xbar_ring *)(void *)(x->in + in * x->in_stride);
}

static inline struct xbar_ring *ring_out(const struct xbar_net *x, unsigned out)
{
	return (struct xbar_ring *)(void *)(x->out + out * x->out_stride);
}

static inline void add_request(struct xbar_net *x, unsigned in)
{
	const struct xbar_ring *q = ring_in(x, in);
	unsigned out = RING_FRONT(q)->out;
	if (!x->n_asking[out]++) {
		bits_set(x->out_mask, out);
		x->n_requested++;
	}
	bits_set(x->requests + (size_t)out * x->words, in);
}

static inline void drop_request(struct xbar_net *x, unsigned in, unsigned out)
{
	bits_clear(x->requests + (size_t)out * x->words, in);
	if (!--x->n_asking[out]) {
		bits_clear(x->out_mask, out);
		x->n_requested--;
	}
}

// Of a network that is shared: the ports of clusters come first.
static void arrive_shared(struct icnt *n, unsigned out)
{
	if (out < n->n_cluster)
		icnt_arrive(n, ICNT_REPLY, out);
	else
		icnt_arrive(n, ICNT_REQUEST, out - n->n_cluster);
}

static void drain_shared(struct icnt *n, unsigned in)
{
	if (in < n->n_cluster)
		icnt_drain(n, ICNT_REQUEST, in);
	else
		icnt_drain(n, ICNT_REPLY, in - n->n_cluster);
}

// Moves the head of an input to its output, which has room.
static inline __attribute__((always_inline)) void move_head(struct xbar_net *x, unsigned in)
{
	struct xbar_ring *q = ring_in(x, in);
	const struct xbar_item it = RING_TAKE(q);
	struct xbar_ring *to = ring_out(x, it.out);
	drop_request(x, in, it.out);
	if (q->n > q->n_open) {
		add_request(x, in);
	} else {
		bits_clear(x->in_mask, in);
		x->n_requesting--;
	}
	RING_PUSH(to, it);
	if (to->n == x->out_limit) {
		bits_set(x->full_mask, it.out);
		x->n_full++;
	}
	if (x->arrived) {
		bits_set(x->arrived, it.out);
		bits_set(x->drained, in);
	} else {
		arrive_shared(&x->xbar->icnt, it.out);
		drain_shared(&x->xbar->icnt, in);
	}
}

// The head and those behind it for the same output that have entered, such as the sectors of a line, as long as there is room; how many.
static inline __attribute__((always_inline)) unsigned move_burst(struct xbar_net *x, unsigned in)
{
	const struct xbar_ring *q = ring_in(x, in);
	const unsigned out = RING_FRONT(q)->out;
	unsigned moved = 0;
	do {
		move_head(x, in);
		moved++;
	} while (moved < x->burst && q->n > q->n_open && RING_FRONT(q)->out == out && ring_out(x, out)->n < x->out_limit);
	return moved;
}

static bool xbar_has_room(const struct icnt *n, enum icnt_net net, unsigned src, unsigned bytes)
{
	const struct xbar_net *x = const_net_of(n, net);
	return ring_in(x, in_port(n, net, src))->n < x->in_limit;
}

static unsigned xbar_room(const struct icnt *n, enum icnt_net net, unsigned src, unsigned bytes)
{
	const struct xbar_net *x = const_net_of(n, net);
	return x->in_limit - ring_in(x, in_port(n, net, src))->n;
}

static void xbar_count_refused(struct icnt *n, enum icnt_net net, uint64_t times) { net_of(n, net)->in_full += times; }

static void xbar_put(struct icnt *n, enum icnt_net net, unsigned src, unsigned dst, void *packet, unsigned bytes,
                     bool write)
{
	struct xbar_ring *q = ring_in(net_of(n, net), in_port(n, net, src));
	RING_PUSH(q, (struct xbar_item){.packet = packet, .out = out_port(n, net, dst)});
	q->n_open++;
}

static unsigned xbar_enter(struct icnt *n, enum icnt_net net, unsigned src, unsigned keep)
{
	struct xbar_net *x = net_of(n, net);
	const unsigned in = in_port(n, net, src);
	struct xbar_ring *q = ring_in(x, in);
	const unsigned entered = q->n_open - keep;
	q->n_open = keep;
	x->packets += entered;
	x->n_in_packets += entered;
	if (entered && q->n == entered + keep) {
		bits_set(x->in_mask, in);
		x->n_requesting++;
		add_request(x, in);
	}
	return entered;
}

static void *xbar_peek(const struct icnt *n, enum icnt_net net, unsigned dst)
{
	const struct xbar_ring *q = ring_out(const_net_of(n, net), out_port(n, net, dst));
	return q->n ? RING_FRONT(q)->packet : NULL;
}

static void *xbar_take(struct icnt *n, enum icnt_net net, unsigned dst)
{
	struct xbar_ring *q = ring_out(net_of(n, net), out_port(n, net, dst));
	if (!q->n)
		return NULL;
	q->n_open++;
	return RING_TAKE(q).packet;
}

static unsigned xbar_leave(struct icnt *n, enum icnt_net net, unsigned dst)
{
	struct xbar_net *x = net_of(n, net);
	const unsigned out = out_port(n, net, dst);
	struct xbar_ring *q = ring_out(x, out);
	const unsigned left = q->n_open;
	q->n_open = 0;
	x->n_out_packets -= left;
	if (left && q->n + left == x->out_limit) {
		bits_clear(x->full_mask, out);
		x->n_full--;
	}
	if (left && !q->n)
		icnt_empty(n, net, dst);
	return left;
}

static unsigned takes(const struct xbar_net *x, unsigned out) { return out < x->n_cluster_out ? x->answers : 1; }

// Of the inputs that request an output, of which there are some, the first from `from` on, and then from 0.
static inline unsigned first_asking(const struct xbar_net *x, const uint64_t *requests, unsigned from)
{
	unsigned w = from / 64;
	uint64_t m = requests[w] >> from % 64 << from % 64;
	while (!m) {
		w = w + 1 == x->words ? 0 : w + 1;
		m = requests[w];
	}
	return w * 64 + (unsigned)__builtin_ctzll(m);
}

// Returns how many packets moved.
static unsigned tick_islip(struct xbar_net *x)
{
	unsigned conflicts = x->n_requesting - x->n_requested, moved = 0;
	bool active = x->n_requesting > 0;
	x->conflicts += conflicts;
	x->out_full += x->n_full;
	if (!active)
		return 0;
	x->conflicts_util += conflicts;
	x->cycles_util++;
	for (unsigned w = 0; w < x->words; w++) {
		// Outputs behind this one may be requested by then.
		for (uint64_t m = x->out_mask[w] & ~x->full_mask[w]; m;) {
			const unsigned bit = (unsigned)__builtin_ctzll(m), out = w * 64 + bit;
			const uint64_t *r = x->requests + (size_t)out * x->words;
			unsigned n = takes(x, out);
			do {
				const unsigned in = first_asking(x, r, x->next[out]);
				moved += move_burst(x, in);
				if (x->grant_left == 1)
					x->next[out] = in + 1 == x->n_in ? 0 : in + 1;
			} while (--n && x->n_asking[out] && !(x->full_mask[w] >> bit & 1));
			m = x->out_mask[w] & ~x->full_mask[w] & ~(uint64_t)1 << bit;
		}
	}
	x->reqs_util += moved;
	x->grant_left = x->grant_left == 1 ? x->grant_cycles : x->grant_left - 1;
	return moved;
}

static unsigned tick_round_robin(struct xbar_net *x)
{
	unsigned conflicts = 0, moved = 0;
	if (x->n_requesting) {
		memset(x->taken, 0, x->n_out);
		unsigned start = x->first < x->first_base || x->first - x->first_base >= x->n_in ? 0 : x->first - x->first_base;
		// Each input is looked at once, from `start` to the last, then from 0; moving a head changes only its own bit.
		for (unsigned part = 0; part < 2; part++) {
			unsigned end = part ? start : x->n_in;
			BITS_EACH (in, x->in_mask, part ? 0 : start, end) {
				unsigned out = RING_FRONT(ring_in(x, in))->out;
				if (bits_has(x->full_mask, out)) {
					x->out_full++;
					conflicts += x->taken[out] > 0;
				} else if (x->taken[out] == takes(x, out)) {
					conflicts++;
				} else {
					moved += move_burst(x, in);
					x->taken[out]++;
				}
			}
		}
		x->conflicts += conflicts;
		x->conflicts_util += conflicts;
		x->cycles_util++;
		x->reqs_util += moved;
	}
	x->first = x->first + 1 == x->n_node ? 0 : x->first + 1;
	return moved;
}

static bool xbar_tick(struct icnt *n, enum icnt_net net)
{
	struct xbar_net *x = net_of(n, net);
	unsigned moved = x->xbar->arbiter == XBAR_ISLIP ? tick_islip(x) : tick_round_robin(x);
	x->n_in_packets -= moved;
	x->n_out_packets += moved;
	x->in_util += x->n_in_packets;
	x->out_util += x->n_out_packets;
	x->cycles++;
	return moved > 0;
}

// Nothing can move: every requested output is full, so the counters of a tick are the same each time.
static void xbar_skip(struct icnt *n, enum icnt_net net, uint64_t cycles)
{
	struct xbar_net *x = net_of(n, net);
	bool active = x->n_requesting > 0;
	if (active)
		x->cycles_util += cycles;
	if (x->xbar->arbiter == XBAR_ISLIP) {
		uint64_t conflicts = x->n_requesting - x->n_requested;
		x->conflicts += conflicts * cycles;
		x->conflicts_util += conflicts * cycles;
		x->out_full += x->n_full * cycles;
		if (active) { // counts down from grant_cycles to 1 and starts again
			uint64_t left = cycles % x->grant_cycles;
			x->grant_left = left < x->grant_left ? x->grant_left - left : x->grant_left + x->grant_cycles - left;
		}
	} else {
		x->out_full += x->n_requesting * cycles;
		x->first = (x->first + cycles) % x->n_node;
	}
	x->in_util += x->n_in_packets * cycles;
	x->out_util += x->n_out_packets * cycles;
	x->cycles += cycles;
}

static bool xbar_moving(const struct icnt *n, enum icnt_net net)
{
	const struct xbar_net *x = const_net_of(n, net);
	for (unsigned w = 0; w < x->words; w++)
		if (x->out_mask[w] & ~x->full_mask[w])
			return true;
	return false;
}

static void xbar_begin(struct icnt *n)
{
}

// GPGPU-Sim divides in single precision; 0/0 reads "-nan" on the x86 it runs on.
static void put_ratio(struct lines *to, const char *name, const char *before, uint64_t a, uint64_t b,
                      unsigned per, const char *after)
{
	float v = b ? (float)a / (float)b / (float)per : copysignf(NAN, -1);
	lines_say(to, "%s =%s%12.4f%s\n", name, before, v, after);
}

static void put_count(struct lines *to, const char *name, uint64_t v)
{
	lines_say(to, "%s = %llu\n", name, (unsigned long long)v);
}

// The odd blanks are GPGPU-Sim's.
static void xbar_print(struct icnt *n, void (*put)(void *, const char *), void *ctx)
{
	const struct xbar *xb = (const struct xbar *)n;
	struct lines to = {.put = put, .ctx = ctx};
	const struct xbar_net *x = &xb->net[0];
	put_count(&to, "Req_Network_injected_packets_num", x->packets);
	put_count(&to, "Req_Network_cycles", x->cycles);
	put_ratio(&to, "Req_Network_injected_packets_per_cycle", " ", x->packets, x->cycles, 1, " ");
	put_ratio(&to, "Req_Network_conflicts_per_cycle", " ", x->conflicts, x->cycles, 1, "");
	put_ratio(&to, "Req_Network_conflicts_per_cycle_util", " ", x->conflicts_util, x->cycles_util, 1, "");
	put_ratio(&to, "Req_Bank_Level_Parallism", " ", x->reqs_util, x->cycles_util, 1, "");
	put_ratio(&to, "Req_Network_in_buffer_full_per_cycle", " ", x->in_full, x->cycles, 1, "");
	put_ratio(&to, "Req_Network_in_buffer_avg_util", " ", x->in_util, x->cycles, x->n_in, "");
	put_ratio(&to, "Req_Network_out_buffer_full_per_cycle", " ", x->out_full, x->cycles, 1, "");
	put_ratio(&to, "Req_Network_out_buffer_avg_util", " ", x->out_util, x->cycles, x->n_out, "");
	if (xb->n_net == 1)
		return;
	put(ctx, "\n");
	x = &xb->net[1];
	put_count(&to, "Reply_Network_injected_packets_num", x->packets);
	put_count(&to, "Reply_Network_cycles", x->cycles);
	put_ratio(&to, "Reply_Network_injected_packets_per_cycle", "  ", x->packets, x->cycles, 1, "");
	put_ratio(&to, "Reply_Network_conflicts_per_cycle", "  ", x->conflicts, x->cycles, 1, "");
	put_ratio(&to, "Reply_Network_conflicts_per_cycle_util", " ", x->conflicts_util, x->cycles_util, 1, "");
	put_ratio(&to, "Reply_Bank_Level_Parallism", " ", x->reqs_util, x->cycles_util, 1, "");
	put_ratio(&to, "Reply_Network_in_buffer_full_per_cycle", " ", x->in_full, x->cycles, 1, "");
	put_ratio(&to, "Reply_Network_in_buffer_avg_util", " ", x->in_util, x->cycles, x->n_in, "");
	put_ratio(&to, "Reply_Network_out_buffer_full_per_cycle", " ", x->out_full, x->cycles, 1, "");
	put_ratio(&to, "Reply_Network_out_buffer_avg_util", " ", x->out_util, x->cycles, x->n_out, "");
}

// "cluster 3" or "memory 7": what the port of a network belongs to.
static const char *port_name(const struct xbar *xb, unsigned net, bool input, unsigned port, char buf[32])
{
	bool cluster = xb->n_net == 1 ? port < xb->icnt.n_cluster : input == (net == ICNT_REQUEST);
	unsigned node = xb->n_net == 1 && !cluster ? port - xb->icnt.n_cluster : port;
	snprintf(buf, 32, "%s %u", cluster ? "cluster" : "memory", node);
	return buf;
}

static void xbar_describe(const struct icnt *n, void (*put)(void *, const char *), void *ctx)
{
	static const char *const net_name[] = {"request", "reply"};
	const struct xbar *xb = (const struct xbar *)n;
	struct lines to = {.put = put, .ctx = ctx};
	char a[32], b[32];
	for (unsigned i = 0; i < xb->n_net; i++) {
		const struct xbar_net *x = &xb->net[i];
		for (unsigned in = 0; in < x->n_in; in++) {
			const struct xbar_ring *q = ring_in(x, in);
			if (!q->n)
				continue;
			unsigned out = RING_FRONT(q)->out;
			lines_say(&to, "icnt.%s input of %s: %u of %u packets%s, the first for %s%s\n",
			          xb->n_net == 1 ? "shared" : net_name[i], port_name(xb, i, true, in, a), q->n, x->in_limit,
			          q->n == x->in_limit ? " (full)" : "", port_name(xb, i, false, out, b),
			          ring_out(x, out)->n == x->out_limit ? ", which is full" : "");
		}
		for (unsigned out = 0; out < x->n_out; out++) {
			const struct xbar_ring *q = ring_out(x, out);
			if (!q->n)
				continue;
			lines_say(&to, "icnt.%s output to %s: %u of %u packets%s, waiting to be taken\n",
			          xb->n_net == 1 ? "shared" : net_name[i], port_name(xb, i, false, out, a), q->n, x->out_limit,
			          q->n == x->out_limit ? " (full)" : "");
		}
	}
}

static void xbar_free(struct icnt *n)
{
	struct xbar *xb = (struct xbar *)n;
	for (unsigned i = 0; i < xb->n_net; i++) {
		mem_free(xb->net[i].next);
		mem_free(xb->net[i].n_asking);
		mem_free(xb->net[i].taken);
	}
	mem_free_dense(xb->ports, xb->port_bytes);
	mem_free(xb->masks);
	mem_free(xb);
}

static const struct icnt_ops xbar_ops = {
	.free = xbar_free,
	.has_room = xbar_has_room,
	.room = xbar_room,
	.count_refused = xbar_count_refused,
	.put = xbar_put,
	.enter = xbar_enter,
	.peek = xbar_peek,
	.take = xbar_take,
	.leave = xbar_leave,
	.tick = xbar_tick,
	.skip = xbar_skip,
	.moving = xbar_moving,
	.begin = xbar_begin,
	.print = xbar_print,
	.describe = xbar_describe,
};

static size_t mask_words(const struct xbar_net *x)
{
	return ((size_t)x->words * (x->n_out + 3) + 7) & ~(size_t)7; // whole lines
}

// In whole lines.
static size_t port_bytes(size_t limit)
{
	const size_t line = 64, bytes = sizeof(struct xbar_ring) + limit * sizeof(struct xbar_item);
	return (bytes + line - 1) / line * line;
}

struct icnt *xbar_new(const struct options *o, unsigned n_cluster, unsigned n_mem, struct diag *d)
{
	struct xbar *xb = mem_alloc_lines(sizeof *xb);
	xb->icnt = (struct icnt){.ops = &xbar_ops, .n_cluster = n_cluster, .n_mem = n_mem};
	xb->arbiter = o->icnt_arbiter_algo;
	xb->n_net = o->icnt_subnets == 1 ? 1 : 2;
	xb->icnt.apart = xb->n_net == 2;
	unsigned in_limit = o->icnt_in_buffer_limit, out_limit = o->icnt_out_buffer_limit;
	size_t bytes = 0, words = 0;
	for (unsigned i = 0; i < xb->n_net; i++) {
		struct xbar_net *x = &xb->net[i];
		x->xbar = xb;
		x->n_node = n_cluster + n_mem;
		x->n_in = xb->n_net == 1 ? x->n_node : i == ICNT_REQUEST ? n_cluster : n_mem;
		x->n_out = xb->n_net == 1 ? x->n_node : i == ICNT_REQUEST ? n_mem : n_cluster;
		x->first_base = xb->n_net == 2 && i == ICNT_REPLY ? n_cluster : 0;
		x->words = ((x->n_in > x->n_out ? x->n_in : x->n_out) + 63) / 64;
		x->answers = o->icnt_answers;
		x->burst = o->icnt_burst;
		x->n_cluster_out = xb->n_net == 1 || i == ICNT_REPLY ? n_cluster : 0;
		x->in_limit = in_limit;
		x->out_limit = out_limit;
		x->grant_cycles = x->grant_left = o->icnt_grant_cycles;
		x->in_stride = port_bytes(in_limit);
		x->out_stride = port_bytes(out_limit);
		bytes += x->n_in * x->in_stride + x->n_out * x->out_stride;
		words += mask_words(x);
	}
	xb->port_bytes = bytes;
	xb->ports = mem_try_alloc_dense(bytes);
	if (!xb->ports) {
		diag_add(d, DIAG_ERROR, "no memory for a crossbar with buffers of %u and %u packets at %u nodes"
		         " (-icnt_in_buffer_limit, -icnt_out_buffer_limit)", in_limit, out_limit, n_cluster + n_mem);
		mem_free(xb);
		return NULL;
	}
	xb->masks = mem_alloc_lines(words * sizeof *xb->masks);
	icnt_init(&xb->icnt);
	char *port = xb->ports;
	uint64_t *mask = xb->masks;
	for (unsigned i = 0; i < xb->n_net; i++) {
		struct xbar_net *x = &xb->net[i];
		x->in = port;
		x->out = x->in + x->n_in * x->in_stride;
		port = x->out + x->n_out * x->out_stride;
		x->next = mem_alloc(x->n_out * sizeof *x->next);
		x->taken = mem_alloc(x->n_out);
		x->n_asking = mem_alloc(x->n_out * sizeof *x->n_asking);
		for (unsigned p = 0; p < x->n_in; p++)
			RING_USE(ring_in(x, p), ring_in(x, p)->place, in_limit);
		for (unsigned p = 0; p < x->n_out; p++)
			RING_USE(ring_out(x, p), ring_out(x, p)->place, out_limit);
		if (xb->icnt.apart) {
			x->arrived = xb->icnt.arrived[i];
			x->drained = xb->icnt.drained[i];
		}
		x->requests = mask;
		x->in_mask = mask + (size_t)x->words * x->n_out;
		x->out_mask = x->in_mask + x->words;
		x->full_mask = x->out_mask + x->words;
		mask += mask_words(x);
	}
	return &xb->icnt;
}
