// Statistics of the flit-level network under BookSim's names and in its number format, and reports of what is inside.
#include "intersim/noc.h"

#include "base/lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void noc_stat_add(struct noc_stat *s, double v)
{
	if (!s->n || v < s->min)
		s->min = v;
	if (!s->n || v > s->max)
		s->max = v;
	s->n++;
	s->sum += v;
}

// BookSim's values where there was no sample: what x86 makes of 0/0 has its sign set, and so has its first maximum.
static double stat_average(const struct noc_stat *s)
{
	return s->n ? s->sum / (double)s->n : copysign(NAN, -1);
}

static double stat_min(const struct noc_stat *s)
{
	return s->n ? s->min : copysign(NAN, 1);
}

static double stat_max(const struct noc_stat *s)
{
	return s->n ? s->max : copysign(NAN, -1);
}

static double ratio(double a, double b)
{
	return b != 0 || a != 0 ? a / b : copysign(NAN, -1);
}

void noc_stats_begin(struct noc *n)
{
	n->started = n->cycle;
	n->packet_latency = n->network_latency = n->flit_latency = n->fragmentation = n->hops = (struct noc_stat){0};
	n->slowest_flit = n->slowest_packet = -1;
	size_t size = n->graph.n_node * sizeof(uint64_t);
	memset(n->sent_packets, 0, size);
	memset(n->sent_flits, 0, size);
	memset(n->taken_packets, 0, size);
	memset(n->taken_flits, 0, size);
}

static void print_latency(struct lines *out, const char *name, const struct noc_stat *s)
{
	lines_say(out, "%s average = %g\n\tminimum = %g\n\tmaximum = %g\n", name, stat_average(s), stat_min(s), stat_max(s));
}

struct rate {
	double sum, min, avg, max; // per cycle; avg also per node
	unsigned min_at, max_at;
};

static struct rate rate_of(const struct noc *n, const uint64_t *count)
{
	struct rate r = {0};
	uint64_t sum = 0;
	double cycles = (double)(n->cycle - n->started);
	for (unsigned i = 0; i < n->graph.n_node; i++) {
		sum += count[i];
		if (count[i] < count[r.min_at])
			r.min_at = i;
		if (count[i] > count[r.max_at])
			r.max_at = i;
	}
	r.sum = (double)sum;
	r.min = ratio((double)count[r.min_at], cycles);
	r.max = ratio((double)count[r.max_at], cycles);
	r.avg = ratio((double)sum, cycles) / (double)n->graph.n_node;
	return r;
}

// `equals` is "= " where BookSim forgot a blank.
static void print_rate(struct lines *out, const char *name, const char *equals, const struct rate *r)
{
	lines_say(out, "%s average%s%g\n\tminimum = %g (at node %u)\n\tmaximum = %g (at node %u)\n", name, equals, r->avg, r->min,
	          r->min_at, r->max, r->max_at);
}

static void add_overall(struct noc_overall *o, double min, double avg, double max)
{
	o->min += min;
	o->avg += avg;
	o->max += max;
}

enum { O_PACKET, O_NETWORK, O_FLIT, O_FRAGMENTATION, O_SENT_PACKETS, O_TAKEN_PACKETS, O_SENT_FLITS, O_TAKEN_FLITS };

static void print_overall(struct lines *out, const struct noc *n)
{
	static const char *const name[] = {
		"Packet latency",       "Network latency",      "Flit latency",       "Fragmentation",
		"Injected packet rate", "Accepted packet rate", "Injected flit rate", "Accepted flit rate",
	};
	double samples = (double)n->samples;
	unsigned long long count = n->samples;
	lines_say(out, "====== Overall Traffic Statistics ======\n====== Traffic class 0 ======\n");
	for (int i = 0; i < 8; i++)
		lines_say(out, "%s average = %g (%llu samples)\n\tminimum = %g (%llu samples)\n\tmaximum = %g (%llu samples)\n",
		          name[i], n->overall[i].avg / samples, count, n->overall[i].min / samples, count,
		          n->overall[i].max / samples, count);
	lines_say(out, "Injected packet size average = %g (%llu samples)\n",
	          ratio(n->overall[O_SENT_FLITS].avg, n->overall[O_SENT_PACKETS].avg), count);
	lines_say(out, "Accepted packet size average = %g (%llu samples)\n",
	          ratio(n->overall[O_TAKEN_FLITS].avg, n->overall[O_TAKEN_PACKETS].avg), count);
	lines_say(out, "Hops average = %g (%llu samples)\n", n->overall_hops / samples, count);
}

static void print_links(struct lines *out, const struct noc *n)
{
	double cycles = (double)n->cycle;
	for (unsigned k = 0; k < n->n_net; k++) {
		const struct noc_net *net = &n->net[k];
		for (size_t i = 0; i < n->graph.n_link; i++) {
			const struct noc_link *l = &n->graph.link[i];
			unsigned link = l->to < 0 ? net->n_link_in + l->to_port : net->router[l->to].in_link + l->to_port;
			char from[40], to[40];
			if (l->from < 0)
				snprintf(from, sizeof from, "node %d", l->from_port);
			else
				snprintf(from, sizeof from, "router %d.%d", l->from, l->from_port);
			if (l->to < 0)
				snprintf(to, sizeof to, "node %d", l->to_port);
			else
				snprintf(to, sizeof to, "router %d.%d", l->to, l->to_port);
			unsigned long long sent = net->link[link].sent;
			if (sent)
				lines_say(out, "Link network %u %s -> %s: %llu flits, utilization = %g\n", k, from, to, sent,
				          ratio((double)sent, cycles));
		}
	}
}

void noc_stats_print(struct noc *n, void (*put)(void *, const char *), void *ctx)
{
	struct lines out = {.put = put, .ctx = ctx};
	struct rate sent_packets = rate_of(n, n->sent_packets), taken_packets = rate_of(n, n->taken_packets);
	struct rate sent_flits = rate_of(n, n->sent_flits), taken_flits = rate_of(n, n->taken_flits);
	uint64_t inside = 0;
	for (unsigned k = 0; k < n->n_net; k++) {
		inside += n->net[k].flits_inside;
		for (unsigned i = 0; i < n->graph.n_node; i++)
			inside += n->net[k].node[i].q_flits;
	}
	lines_say(&out, "Class 0:\n");
	print_latency(&out, "Packet latency", &n->packet_latency);
	print_latency(&out, "Network latency", &n->network_latency);
	lines_say(&out, "Slowest packet = %lld\n", (long long)n->slowest_packet);
	print_latency(&out, "Flit latency", &n->flit_latency);
	lines_say(&out, "Slowest flit = %lld\n", (long long)n->slowest_flit);
	print_latency(&out, "Fragmentation", &n->fragmentation);
	print_rate(&out, "Injected packet rate", " = ", &sent_packets);
	print_rate(&out, "Accepted packet rate", " = ", &taken_packets);
	print_rate(&out, "Injected flit rate", " = ", &sent_flits);
	print_rate(&out, "Accepted flit rate", "= ", &taken_flits);
	lines_say(&out, "Injected packet length average = %g\n", ratio(sent_flits.sum, sent_packets.sum));
	lines_say(&out, "Accepted packet length average = %g\n", ratio(taken_flits.sum, taken_packets.sum));
	lines_say(&out, "Total in-flight flits = %llu (%llu measured)\n", (unsigned long long)inside, (unsigned long long)inside);
	if (n->config.enable_link_stats)
		print_links(&out, n);

	const struct noc_stat *stat[] = {&n->packet_latency, &n->network_latency, &n->flit_latency, &n->fragmentation};
	const struct rate *rate[] = {&sent_packets, &taken_packets, &sent_flits, &taken_flits};
	for (int i = 0; i < 4; i++)
		add_overall(&n->overall[i], stat_min(stat[i]), stat_average(stat[i]), stat_max(stat[i]));
	for (int i = 0; i < 4; i++)
		add_overall(&n->overall[O_SENT_PACKETS + i], rate[i]->min, rate[i]->avg, rate[i]->max);
	n->overall_hops += stat_average(&n->hops);
	n->samples++;
	print_overall(&out, n);
}

// --- reports ---

static void describe_node(struct lines *out, const struct noc *n, unsigned k, unsigned at, const char *who)
{
	const struct noc_node *node = &n->net[k].node[at];
	if (node->queue.n) {
		const struct noc_queued *q = RING_FRONT(&node->queue);
		const char *why = "moves on";
		if (node->vc < 0)
			why = "waits for a virtual channel";
		else if (noc_full(&node->credits, node->vc))
			why = "waits for a credit of the first router";
		lines_say(out, "icnt.net%u input of %s (node %u): %u packets, %u of %u flits%s; the first, for node %u, %s\n", k, who,
		          at, node->queue.n, node->q_flits, n->input_limit, node->q_flits >= n->input_limit ? " (full)" : "", q->dst,
		          why);
	}
	for (unsigned vc = 0; vc < n->vcs; vc++) {
		const struct noc_eject *e = &node->eject[vc];
		if (e->q.n || e->out_flits)
			lines_say(out,
			          "icnt.net%u output to %s (node %u) channel %u: %u packets and %u of %u flits to be taken%s,"
			          " %u flits behind\n",
			          k, who, at, vc, e->out.n, e->out_flits, n->boundary_limit,
			          e->out_flits >= n->boundary_limit ? " (full)" : "", e->q.n);
	}
}

static void describe_router(struct lines *to, const struct noc *n, unsigned k, const struct noc_router *r)
{
	for (unsigned in = 0; in < r->n_in; in++)
		for (unsigned vc = 0; vc < n->vcs; vc++) {
			const struct noc_vc *v = &r->vc[in * n->vcs + vc];
			if (!v->q.n)
				continue;
			const struct noc_flit *f = &n->net[k].flit[*RING_FRONT(&v->q)];
			char why[100];
			if (v->state == NOC_ACTIVE)
				snprintf(why, sizeof why, "%s output %d channel %d",
				         noc_full(&r->credits[v->out_port], v->out_vc) ? "waits for a credit of"
				                                                       : "asks the switch for",
				         v->out_port, v->out_vc);
			else if (v->state == NOC_VC_ALLOC)
				snprintf(why, sizeof why, "waits for a channel of output %d", f->route.at[0].port);
			else
				snprintf(why, sizeof why, "is being routed");
			lines_say(to, "icnt.net%u router %u input %u channel %u: %u of %u flits%s, the first, to node %u, %s\n", k, r->id,
			          in, vc, v->q.n, v->q.size, v->q.n == v->q.size ? " (full)" : "", f->dst, why);
		}
	for (unsigned out = 0; out < r->n_out; out++)
		if (r->out_queue[out].n)
			lines_say(to, "icnt.net%u router %u output %u: %u flits to be sent\n", k, r->id, out, r->out_queue[out].n);
}

void noc_stats_describe(const struct noc *n, void (*put)(void *, const char *), void *ctx)
{
	struct lines out = {.put = put, .ctx = ctx};
	char who[40];
	for (unsigned k = 0; k < n->n_net; k++) {
		for (unsigned c = 0; c < n->icnt.n_cluster; c++) {
			snprintf(who, sizeof who, "cluster %u", c);
			describe_node(&out, n, k, n->node_of_cluster[c], who);
		}
		for (unsigned m = 0; m < n->icnt.n_mem; m++) {
			snprintf(who, sizeof who, "memory %u", m);
			describe_node(&out, n, k, n->node_of_mem[m], who);
		}
		for (unsigned r = 0; r < n->graph.n_router; r++)
			describe_router(&out, n, k, &n->net[k].router[r]);
	}
}
