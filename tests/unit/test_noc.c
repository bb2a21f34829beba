// The flit-level network: every topology, routing function and allocator delivers every packet once; latency and
// bandwidth in closed form; figures that GPGPU-Sim 4.2's intersim2 gives for the same traffic; errors of .icnt files.
#include "intersim/icnt.h"
#include "intersim/noc_alloc.h"

#include "base/assert.h"
#include "base/mem.h"
#include "tests/unit/icnt_drained.h"
#include "tests/unit/put_text.h"
#include "tests/unit/random.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- files ---

static char dir[] = "/tmp/test_noc_XXXXXX";

static const char *file(const char *name, const char *text)
{
	static char path[4][200];
	static unsigned next;
	char *p = path[next++ % 4];
	snprintf(p, sizeof path[0], "%s/%s", dir, name);
	FILE *f = fopen(p, "wb");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	return p;
}

static struct icnt *try_new(const char *path, unsigned n_cluster, unsigned n_mem, struct diag *d)
{
	struct options o = {0};
	options_defaults(&o);
	o.network_mode = 1;
	o.inter_config_file = path;
	struct icnt *n = icnt_new(&o, NULL, n_cluster, n_mem, d);
	options_free(&o);
	return n;
}

static struct icnt *make(const char *text, unsigned n_cluster, unsigned n_mem)
{
	struct diag d = {0};
	struct icnt *n = try_new(file("net.icnt", text), n_cluster, n_mem, &d);
	ck_assert_msg(n != NULL, "%s\n%s", text, d.text ? d.text : "");
	ck_assert_uint_eq(d.warnings + d.errors, 0);
	return n;
}

// What all networks of these tests have.
#define COMMON "use_map = 0; subnets = 2; sim_type = gpgpusim;\n"
#define RANGES(first, last)                                                              \
	"read_request_begin_vc = " first "; read_request_end_vc = " last ";\n"            \
	"write_request_begin_vc = " first "; write_request_end_vc = " last ";\n"          \
	"read_reply_begin_vc = " first "; read_reply_end_vc = " last ";\n"                \
	"write_reply_begin_vc = " first "; write_reply_end_vc = " last ";\n"

// --- random traffic ---

struct item {
	uint32_t net, src, dst, number; // the number-th of its source and destination
	bool arrived;
};

struct traffic {
	unsigned nodes[2]; // clusters, memories
	unsigned cycles, load, drain; // pushes and pops per 1000 and 100 tries
	bool ordered, skip;
};

// Runs until everything has arrived. Returns the cycles it took, and the text of the statistics.
static unsigned run(struct icnt *n, const struct traffic *t, struct text *stats)
{
	size_t most = (size_t)t->cycles * (t->nodes[0] + t->nodes[1]), made = 0, gone = 0;
	struct item *item = mem_alloc(most * sizeof *item);
	unsigned pairs = t->nodes[0] * t->nodes[1];
	uint32_t *sent = mem_alloc(2 * pairs * sizeof *sent), *seen = mem_alloc(2 * pairs * sizeof *seen);
	unsigned cycle = 0, still = 0;
	for (; cycle < t->cycles || icnt_busy(n); cycle++) {
		for (unsigned net = 0; net < 2; net++) {
			unsigned sources = t->nodes[net], sinks = t->nodes[!net];
			for (unsigned dst = 0; dst < sinks; dst++) {
				if (pick(100) >= t->drain)
					continue;
				unsigned arrived = icnt_next_arrived(n, net, dst);
				struct item *peeked = icnt_peek(n, net, dst), *it = icnt_pop(n, net, dst);
				ck_assert(peeked == it);
				ck_assert((arrived == dst) == (it != NULL));
				if (!it)
					continue;
				ck_assert(it->net == net && it->dst == dst && !it->arrived);
				it->arrived = true;
				uint32_t *number = &seen[net * pairs + it->src * sinks + dst];
				if (t->ordered)
					ck_assert(it->number == *number);
				++*number;
				gone++;
			}
			for (unsigned src = 0; src < sources && cycle < t->cycles; src++) {
				unsigned bytes = pick(2) ? 8 : 8 + 32 * pick(5), dst = pick(pick(4) ? sinks : 1 + sinks / 4),
						 write = pick(2);
				if (pick(1000) >= t->load || !icnt_can_push(n, net, src, bytes))
					continue;
				struct item *it = &item[made++];
				*it = (struct item){net, src, dst, sent[net * pairs + src * sinks + dst]++, false};
				icnt_put(n, net, src, dst, it, bytes, write);
				if (pick(2))
					icnt_enter(n, net, src, 0);
			}
			for (unsigned src = 0; src < sources; src++)
				icnt_enter(n, net, src, 0);
		}
		ck_assert((made > gone) == icnt_busy(n));
		if (t->skip && !icnt_moving(n)) {
			icnt_skip(n, 1);
			still = 0;
		} else {
			still = tick_and_look(n, t->nodes[0], t->nodes[1], 8) ? 0 : still + 1;
		}
		if (still > 2000) {
			static struct text report;
			report.len = 0;
			icnt_describe(n, put, &report);
			ck_abort_msg("nothing moves any more:\n%s", report.at);
		}
	}
	ck_assert_uint_eq(made, gone);
	ck_assert_uint_eq(icnt_total(n, ICNT_REQUEST).popped + icnt_total(n, ICNT_REPLY).popped, made);
	if (stats) {
		stats->len = 0;
		icnt_print(n, put, stats);
	}
	mem_free(item);
	mem_free(sent);
	mem_free(seen);
	return cycle;
}

static const char ring_of_routers[] = "router 0 node 0 node 1 node 2 router 1 3\n"
                                      "router 1 node 3 node 4 2 router 2\n"
                                      "node 5 router 2\n"
                                      "router 2 router 3 2\n"
                                      "router 3 node 6 node 7 5\n";

static const struct shape {
	const char *keys;
	unsigned nodes;
} shapes[] = {
	{"topology = fly; k = 12; n = 1; routing_function = dest_tag;", 12},
	{"topology = fly; k = 3; n = 3; routing_function = dest_tag;", 27},
	{"topology = fly; k = 2; n = 4; routing_function = dest_tag;", 16},
	{"topology = mesh; k = 4; n = 2; routing_function = dor;", 16},
	{"topology = mesh; k = 3; n = 3; routing_function = dim_order;", 27},
	{"topology = mesh; k = 4; n = 2; routing_function = xy_yx;", 16},
	{"topology = mesh; k = 4; n = 2; routing_function = adaptive_xy_yx;", 16},
	{"topology = mesh; k = 4; n = 2; routing_function = romm;", 16},
	{"topology = mesh; k = 4; n = 2; routing_function = valiant;", 16},
	{"topology = mesh; k = 4; n = 2; routing_function = min_adapt;", 16},
	{"topology = torus; k = 4; n = 2; routing_function = dim_order;", 16},
	{"topology = torus; k = 5; n = 2; routing_function = dim_order_bal;", 25},
	{"topology = torus; k = 4; n = 2; routing_function = valiant;", 16},
	{"topology = torus; k = 4; n = 2; routing_function = min_adapt;", 16},
	{"topology = fattree; k = 4; n = 2; routing_function = nca;", 16},
	{"topology = fattree; k = 3; n = 3; routing_function = anca;", 27},
	{"topology = flatfly; k = 4; n = 2; c = 1; x = 4; y = 4; xr = 1; yr = 1; routing_function = ran_min;", 16},
	{"topology = flatfly; k = 2; n = 2; c = 4; x = 2; y = 2; xr = 2; yr = 2; routing_function = xyyx;", 16},
	{"topology = flatfly; k = 2; n = 2; c = 4; x = 2; y = 2; xr = 2; yr = 2; routing_function = adaptive_xyyx;", 16},
	{"topology = flatfly; k = 3; n = 2; c = 4; x = 3; y = 3; xr = 2; yr = 2; routing_function = valiant;", 36},
	{"topology = flatfly; k = 3; n = 2; c = 4; x = 3; y = 3; xr = 2; yr = 2; routing_function = ugal;", 36},
	{"topology = dragonflynew; k = 1; n = 1; routing_function = min;", 6},
	{"topology = dragonflynew; k = 2; n = 1; routing_function = min;", 72},
	{"topology = dragonflynew; k = 1; n = 1; routing_function = ugal;", 6},
	{"topology = anynet; network_file = ring.any; routing_function = min;", 8},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static const char *const allocators[] = {
	"islip", "islip(3)", "separable_input_first", "separable_output_first", "separable_input_first(matrix)",
	"separable_output_first(matrix)", "wavefront", "rr_wavefront",
};
enum { N_ALLOCATORS = sizeof allocators / sizeof allocators[0] };

// Topology, allocators, and the rest by chance. Packets cannot close a ring of one lane in an anynet, which has a tree.
static const char *some_network(char *out, size_t size, const struct shape *s, unsigned vc_alloc, unsigned sw_alloc,
                                unsigned vcs, bool tiny)
{
	static const char *const speedup[] = {"1.0", "1.5", "2.0", "1"};
	static const char *const priority[] = {"none", "age", "network_age", "local_age", "queue_length", "hop_count"};
	char last[8];
	snprintf(last, sizeof last, "%u", vcs - 1);
	int at = snprintf(
		out, size,
		COMMON "%s\nnum_vcs = %u; vc_buf_size = %u; input_buffer_size = %u; boundary_buffer_size = %u;\n"
			   "vc_allocator = %s; sw_allocator = %s; wait_for_tail_credit = %u; hold_switch_for_packet = %u;\n"
			   "routing_delay = %u; vc_alloc_delay = %u; sw_alloc_delay = %u; st_prepare_delay = %u;\n"
			   "credit_delay = %u; input_speedup = %u; output_speedup = %u; internal_speedup = %s;\n"
			   "priority = %s; vc_busy_when_full = %u; vc_prioritize_empty = %u; output_buffer_size = %d;\n"
			   "flit_size = %u;\n",
		s->keys, vcs, tiny ? 1 : 1 + pick(8), tiny ? 1 : pick(20), tiny ? 1 : 1 + pick(20), allocators[vc_alloc],
		allocators[sw_alloc], pick(2), pick(2), pick(3), 1 + pick(2), 1 + pick(2), pick(2), pick(3), 1 + pick(2),
		1 + pick(2), speedup[pick(4)], priority[pick(6)], pick(2), pick(2), pick(3) ? -1 : 2, 16u << pick(3));
	for (unsigned k = 0; k < 4; k++)
		at += snprintf(out + at, size - at, "%s_begin_vc = 0; %s_end_vc = %s;\n",
		               (const char *[]){"read_request", "write_request", "read_reply", "write_reply"}[k],
		               (const char *[]){"read_request", "write_request", "read_reply", "write_reply"}[k], last);
	return out;
}

static void conserve(const struct shape *s, unsigned vc_alloc, unsigned sw_alloc, unsigned vcs, bool tiny)
{
	char text[4000];
	some_network(text, sizeof text, s, vc_alloc, sw_alloc, vcs, tiny);
	unsigned clusters = 1 + pick(s->nodes - 1);
	struct icnt *n = make(text, clusters, s->nodes - clusters);
	struct traffic t = {{clusters, s->nodes - clusters}, 200, 1 + pick(1000), 20 + pick(81), false, pick(2)};
	run(n, &t, NULL);
	icnt_free(n);
}

START_TEST(every_topology_and_allocator_delivers_every_packet_once)
{
	seed = 11;
	file("ring.any", ring_of_routers);
	for (unsigned s = 0; s < N_SHAPES; s++)
		for (unsigned a = 0; a < N_ALLOCATORS; a++)
			conserve(&shapes[s], a, pick(N_ALLOCATORS), 4, false);
}
END_TEST

START_TEST(buffers_of_one_flit_delay_but_lose_nothing)
{
	seed = 12;
	file("ring.any", ring_of_routers);
	for (unsigned s = 0; s < N_SHAPES; s++)
		for (unsigned vcs = 4; vcs < 8; vcs += 3)
			conserve(&shapes[s], pick(N_ALLOCATORS), pick(N_ALLOCATORS), vcs, true);
}
END_TEST

START_TEST(what_is_put_early_takes_room_and_enters_later)
{
	char text[4000];
	const struct shape *s = &shapes[0];
	const unsigned sources = s->nodes / 2;
	struct icnt *n = make(some_network(text, sizeof text, s, 0, 0, 4, false), sources, s->nodes - sources);
	int packet[2];
	const unsigned room = icnt_room(n, ICNT_REQUEST, 0, 8);
	for (unsigned i = 0; i < 2; i++)
		icnt_put(n, ICNT_REQUEST, 0, 0, &packet[i], 8, false);
	ck_assert_uint_lt(icnt_room(n, ICNT_REQUEST, 0, 8), room);
	for (unsigned i = 0; i < 2; i++) {
		icnt_enter(n, ICNT_REQUEST, 0, 1 - i);
		ck_assert_uint_eq(icnt_total(n, ICNT_REQUEST).pushed, i + 1);
		for (unsigned k = 0; k < 1000 && icnt_moving(n); k++)
			icnt_tick(n);
		ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, 0), &packet[i]);
		ck_assert(!icnt_busy(n));
	}
	icnt_free(n);
}
END_TEST

START_TEST(one_way_and_one_channel_keep_the_order_of_a_pair)
{
	static const unsigned one_way[] = {0, 1, 2, 3, 4, 16, 24};
	char text[4000];
	seed = 13;
	file("ring.any", ring_of_routers);
	for (unsigned i = 0; i < sizeof one_way / sizeof one_way[0]; i++)
		for (unsigned a = 0; a < N_ALLOCATORS; a++) {
			const struct shape *s = &shapes[one_way[i]];
			struct icnt *n = make(some_network(text, sizeof text, s, a, pick(N_ALLOCATORS), 1, false), s->nodes / 2,
			                      s->nodes - s->nodes / 2);
			struct traffic t = {{s->nodes / 2, s->nodes - s->nodes / 2}, 300, 400, 60, true, false};
			run(n, &t, NULL);
			icnt_free(n);
		}
}
END_TEST

START_TEST(two_runs_are_equal_and_skipping_equals_ticking)
{
	static struct text first, second;
	char text[4000];
	file("ring.any", ring_of_routers);
	for (unsigned s = 0; s < N_SHAPES; s++)
		for (unsigned load = 1; load < 300; load *= 17) {
			struct text *to[] = {&first, &second};
			unsigned cycles[2];
			for (unsigned k = 0; k < 2; k++) {
				seed = 14 + s;
				struct icnt *n = make(some_network(text, sizeof text, &shapes[s], 2, 0, 4, false), shapes[s].nodes / 2,
				                      shapes[s].nodes / 2);
				struct traffic t = {{shapes[s].nodes / 2, shapes[s].nodes / 2}, 300, load, 50, false, k == 1};
				cycles[k] = run(n, &t, to[k]);
				icnt_free(n);
			}
			ck_assert_uint_eq(cycles[0], cycles[1]);
			ck_assert_str_eq(first.at, second.at);
		}
}
END_TEST

// Ticks from the push of a packet to the first cycle in which it can be popped.
static unsigned latency_of(struct icnt *n, enum icnt_net net, unsigned src, unsigned dst, unsigned bytes)
{
	int packet;
	unsigned ticks = 0;
	ck_assert(icnt_can_push(n, net, src, bytes));
	icnt_push(n, net, src, dst, &packet, bytes);
	while (!icnt_peek(n, net, dst) && ticks < 100000) {
		ck_assert(icnt_moving(n));
		icnt_tick(n);
		ticks++;
	}
	ck_assert_ptr_eq(icnt_pop(n, net, dst), &packet);
	while (icnt_moving(n)) // credits
		icnt_tick(n);
	return ticks;
}

// Links take 1 + L cycles; a router its stages, one cycle each or more, of which the last sends in its own cycle.
START_TEST(unloaded_latency_is_that_of_links_stages_and_flits)
{
	char text[2000];
	for (unsigned routing = 0; routing < 3; routing++)
		for (unsigned vc = 1; vc < 3; vc++)
			for (unsigned sw = 1; sw < 4; sw++)
				for (unsigned st = 1; st < 3; st++)
					for (unsigned flits = 1; flits < 5; flits += 3) {
						unsigned router = routing + vc + sw + st - 1;
						snprintf(text, sizeof text,
						         COMMON RANGES("0", "1") "topology = fly; k = 3; n = 2; routing_function = dest_tag;\n"
						         "num_vcs = 2; vc_buf_size = 16; flit_size = 32; routing_delay = %u; "
						         "vc_alloc_delay = %u;\n"
						         "sw_alloc_delay = %u; st_final_delay = %u;\n", routing, vc, sw, st);
						struct icnt *n = make(text, 5, 4);
						// three links of length 1, two routers, and the cycle in which the node takes it; with more
						// than one cycle of switch allocation, a flit asks when the one before it has gone
						unsigned want = 3 * 2 + 2 * router + 1 + (flits - 1) * sw;
						ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 4, 3, 32 * flits), want);
						ck_assert_uint_eq(latency_of(n, ICNT_REPLY, 0, 2, 32 * flits), want);
						icnt_free(n);
					}
}
END_TEST

START_TEST(unloaded_latency_grows_with_the_distance)
{
	struct icnt *n = make(COMMON RANGES("0", "1") "topology = mesh; k = 4; n = 2; routing_function = dor; "
		"num_vcs = 2;\n"
	                      "routing_delay = 0; flit_size = 32;", 15, 1);
	// Memory is node 15, at (3, 3). Every router takes 2 cycles, every link 2.
	for (unsigned c = 0; c < 15; c++) {
		unsigned hops = 3 - c % 4 + 3 - c / 4;
		ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, c, 0, 8), 2 * (hops + 2) + 2 * (hops + 1) + 1);
	}
	icnt_free(n);
	n = make(COMMON RANGES("0", "1") "topology = torus; k = 5; n = 1; routing_function = dim_order; num_vcs = 2;\n"
	         "routing_delay = 0; flit_size = 32;", 1, 4);
	// Links of a torus are 2 long.
	for (unsigned m = 0; m < 4; m++) {
		unsigned hops = m < 2 ? m + 1 : 4 - m;
		ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, m, 8), 3 * hops + 2 * 2 + 2 * (hops + 1) + 1);
	}
	icnt_free(n);
	n = make(COMMON RANGES("0", "1") "topology = dragonflynew; k = 2; n = 1; routing_function = min; num_vcs = 2;\n"
	         "routing_delay = 0; vc_buf_size = 8;", 1, 71);
	// To the same router, to the same group (a link of 10), and through the link of 100 that group 0 has to group 1 at
	// its first router and group 1 to group 0 at its first.
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, 0, 8), 4 + 2 + 1);
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, 1, 8), 4 + 11 + 4 + 1);
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, 7, 8), 4 + 101 + 4 + 1);
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, 9, 8), 4 + 101 + 11 + 6 + 1);
	icnt_free(n);
	file("ring.any", ring_of_routers);
	n = make(COMMON RANGES("0", "0") "topology = anynet; network_file = ring.any; routing_function = min; "
	                                 "num_vcs = 1;\n"
	         "routing_delay = 0;", 1, 7);
	// Node 0 to node 4 of the file: links 1, 3 and 2 long; to node 7: 1, 3, 1, 2 and 5.
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, 3, 8), 2 + 4 + 3 + 2 * 2 + 1);
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, 6, 8), 2 + 4 + 2 + 3 + 6 + 4 * 2 + 1);
	// The way back of the link of router 0 to 1 is not mentioned and 1 long.
	ck_assert_uint_eq(latency_of(n, ICNT_REPLY, 3, 0, 8), 3 + 2 + 2 + 2 * 2 + 1);
	icnt_free(n);
}
END_TEST

#define FERMI                                                                                                             \
	"//15 SMs and 12 memory sub-partitions\n" COMMON RANGES("0", "0") "flit_size = 40; \n\nnetwork_count = 2;\n"         \
	"topology = fly;\nk = 27;\nn = 1;\n\nrouting_function = dest_tag;\nnum_vcs     = 1;\nvc_buf_size = 64;\n"            \
	"wait_for_tail_credit = 0;\nvc_allocator = islip; //separable_input_first;\nsw_allocator = islip;\n"                 \
	"alloc_iters  = 1;\ncredit_delay   = 0;\nrouting_delay  = 0;\nvc_alloc_delay = 1;\nsw_alloc_delay = 1;\n"            \
	"input_speedup     = 1;\noutput_speedup    = 1;\ninternal_speedup  = 2.0;\ntraffic                = uniform;\n"      \
	"packet_size ={{1,2,3,4},{10,20}};\npacket_size_rate={{1,1,1,1},{2,1}};\ninjection_rate = 0.1;\n"                    \
	"read_request_subnet = 0;\nread_reply_subnet = 1; // no newline at the end"

START_TEST(a_permutation_runs_at_one_flit_a_node_and_cycle)
{
	struct icnt *n = make(FERMI, 13, 14);
	int packet;
	unsigned popped = 0;
	for (unsigned cycle = 0; cycle < 1100; cycle++) {
		for (unsigned i = 0; i < 13; i++) {
			popped += icnt_pop(n, ICNT_REQUEST, (i * 5 + 1) % 13) != NULL && cycle >= 100;
			if (icnt_can_push(n, ICNT_REQUEST, i, 40 * 4))
				icnt_push(n, ICNT_REQUEST, i, (i * 5 + 1) % 13, &packet, 40 * 4);
		}
		icnt_tick(n);
	}
	ck_assert_uint_ge(popped, 13 * 1000 / 4 - 13);
	ck_assert_uint_le(popped, 13 * 1000 / 4 + 13);
	icnt_free(n);
}
END_TEST

START_TEST(every_allocator_serves_the_sources_of_one_sink_equally)
{
	char text[3000];
	for (unsigned a = 0; a < N_ALLOCATORS; a++) {
		snprintf(text, sizeof text,
		         COMMON RANGES("0", "0") "topology = fly; k = 8; n = 1; routing_function = dest_tag; num_vcs = 1; "
		                                 "vc_buf_size = 4;\n"
		         "vc_allocator = %s; sw_allocator = %s; routing_delay = 0; internal_speedup = 2.0;", allocators[a],
		         allocators[a]);
		struct icnt *n = make(text, 7, 1);
		int id[7];
		unsigned served[7] = {0}, all = 0;
		for (unsigned cycle = 0; cycle < 7100; cycle++) {
			int *p = icnt_pop(n, ICNT_REQUEST, 0);
			if (p && cycle >= 100) {
				served[p - id]++;
				all++;
			}
			for (unsigned i = 0; i < 7; i++)
				if (icnt_can_push(n, ICNT_REQUEST, i, 8))
					icnt_push(n, ICNT_REQUEST, i, 0, &id[i], 8);
			icnt_tick(n);
		}
		ck_assert_uint_ge(all, 6990); // the sink takes a flit a cycle
		// The first diagonal of a wavefront that hits a request wins,
		// so the source behind the unused input is served twice.
		for (unsigned i = 0; i < 7; i++)
			ck_assert_msg(strstr(allocators[a], "wavefront") ? served[i] >= 870 : abs((int)served[i] - 1000) <= 5,
			              "%s: source %u was served %u times of 7000", allocators[a], i, served[i]);
		icnt_free(n);
	}
}
END_TEST

// What intersim2 of GPGPU-Sim 4.2 prints for this traffic.
#define FERMI_STATISTICS \
	"Class 0:\n" \
	"Packet latency average = 6.47056\n" \
	"\tminimum = 5\n" \
	"\tmaximum = 23\n" \
	"Network latency average = 6.2225\n" \
	"\tminimum = 5\n" \
	"\tmaximum = 23\n" \
	"Slowest packet = 534\n" \
	"Flit latency average = 5.50062\n" \
	"\tminimum = 5\n" \
	"\tmaximum = 23\n" \
	"Slowest flit = 936\n" \
	"Fragmentation average = 0\n" \
	"\tminimum = 0\n" \
	"\tmaximum = 0\n" \
	"Injected packet rate average = 0.112278\n" \
	"\tminimum = 0.0955 (at node 8)\n" \
	"\tmaximum = 0.127 (at node 13)\n" \
	"Accepted packet rate average = 0.112278\n" \
	"\tminimum = 0.0805 (at node 12)\n" \
	"\tmaximum = 0.1475 (at node 26)\n" \
	"Injected flit rate average = 0.194056\n" \
	"\tminimum = 0.161 (at node 17)\n" \
	"\tmaximum = 0.2335 (at node 13)\n" \
	"Accepted flit rate average= 0.194056\n" \
	"\tminimum = 0.133 (at node 12)\n" \
	"\tmaximum = 0.2705 (at node 26)\n" \
	"Injected packet length average = 1.72835\n" \
	"Accepted packet length average = 1.72835\n" \
	"Total in-flight flits = 0 (0 measured)\n" \
	"====== Overall Traffic Statistics ======\n" \
	"====== Traffic class 0 ======\n" \
	"Packet latency average = 6.47056 (1 samples)\n" \
	"\tminimum = 5 (1 samples)\n" \
	"\tmaximum = 23 (1 samples)\n" \
	"Network latency average = 6.2225 (1 samples)\n" \
	"\tminimum = 5 (1 samples)\n" \
	"\tmaximum = 23 (1 samples)\n" \
	"Flit latency average = 5.50062 (1 samples)\n" \
	"\tminimum = 5 (1 samples)\n" \
	"\tmaximum = 23 (1 samples)\n" \
	"Fragmentation average = 0 (1 samples)\n" \
	"\tminimum = 0 (1 samples)\n" \
	"\tmaximum = 0 (1 samples)\n" \
	"Injected packet rate average = 0.112278 (1 samples)\n" \
	"\tminimum = 0.0955 (1 samples)\n" \
	"\tmaximum = 0.127 (1 samples)\n" \
	"Accepted packet rate average = 0.112278 (1 samples)\n" \
	"\tminimum = 0.0805 (1 samples)\n" \
	"\tmaximum = 0.1475 (1 samples)\n" \
	"Injected flit rate average = 0.194056 (1 samples)\n" \
	"\tminimum = 0.161 (1 samples)\n" \
	"\tmaximum = 0.2335 (1 samples)\n" \
	"Accepted flit rate average = 0.194056 (1 samples)\n" \
	"\tminimum = 0.133 (1 samples)\n" \
	"\tmaximum = 0.2705 (1 samples)\n" \
	"Injected packet size average = 1.72835 (1 samples)\n" \
	"Accepted packet size average = 1.72835 (1 samples)\n" \
	"Hops average = 1 (1 samples)\n"

START_TEST(statistics_are_those_of_intersim2_for_the_same_traffic)
{
	static struct text t;
	struct icnt *n = make(FERMI, 15, 12);
	seed = 12345;
	long id = 0;
	for (unsigned cycle = 0; cycle < 2000; cycle++) {
		for (unsigned net = 0; net < 2; net++) {
			for (unsigned d = 0; d < (net ? 15 : 12); d++)
				icnt_pop(n, net, d);
			for (unsigned s = 0; s < (net ? 12 : 15) && cycle < 1500; s++) {
				if (pick(100) >= 15)
					continue;
				unsigned bytes = pick(2) ? 8 : 8 + 32 * (1 + pick(4)), d = pick(net ? 15 : 12);
				if (icnt_can_push(n, net, s, bytes))
					icnt_push(n, net, s, d, (void *)++id, bytes);
			}
		}
		icnt_tick(n);
	}
	ck_assert(!icnt_busy(n));
	icnt_print(n, put, &t);
	ck_assert_str_eq(t.at, FERMI_STATISTICS);
	icnt_begin(n);
	t.len = 0;
	icnt_print(n, put, &t);
	ck_assert_ptr_nonnull(strstr(t.at, "Class 0:\nPacket latency average = -nan\n\tminimum = nan\n\tmaximum = -nan\n"));
	ck_assert_ptr_nonnull(strstr(t.at, "Slowest packet = -1\n"));
	icnt_free(n);
}
END_TEST

START_TEST(link_statistics_name_links_and_their_use)
{
	static struct text t;
	struct icnt *n = make(COMMON RANGES("0", "0") "topology = fly; k = 2; n = 2; routing_function = dest_tag; "
		"num_vcs = 1;\n"
	                      "routing_delay = 0; flit_size = 8; enable_link_stats = 1;", 2, 2);
	int packet;
	icnt_push(n, ICNT_REQUEST, 0, 1, &packet, 24);
	for (unsigned i = 0; i < 30; i++)
		icnt_tick(n);
	ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, 1), &packet);
	icnt_print(n, put, &t);
	ck_assert_ptr_nonnull(strstr(t.at, "Link network 0 node 0 -> router 0.0: 3 flits, utilization = 0.1\n"
	                                   "Link network 0 router 3.1 -> node 3: 3 flits, utilization = 0.1\n"
	                                   "Link network 0 router 0.1 -> router 3.0: 3 flits, utilization = 0.1\n"));
	icnt_free(n);
}
END_TEST

START_TEST(a_report_says_what_each_queue_waits_for)
{
	static struct text t;
	struct icnt *n = make(COMMON RANGES("0", "0") "topology = fly; k = 2; n = 1; routing_function = dest_tag; "
		"num_vcs = 1;\n"
	                      "vc_buf_size = 2; input_buffer_size = 2; boundary_buffer_size = 1; flit_size = 8; "
	                      "routing_delay = 0;", 1, 1);
	int packet;
	for (unsigned i = 0; i < 50; i++) {
		while (icnt_can_push(n, ICNT_REQUEST, 0, 8))
			icnt_push(n, ICNT_REQUEST, 0, 0, &packet, 8);
		icnt_tick(n);
	}
	ck_assert(!icnt_tick(n));
	icnt_describe(n, put, &t);
	ck_assert_str_eq(t.at,
	                 "icnt.net0 input of cluster 0 (node 0): 2 packets, 2 of 2 flits (full); "
	                 "the first, for node 1, waits for a"
	                 " virtual channel\n"
	                 "icnt.net0 output to memory 0 (node 1) channel 0: 1 packets and 1 of 1 flits to be taken "
	                 "(full), 2 flits behind\n"
	                 "icnt.net0 router 0 input 0 channel 0: 2 of 2 flits (full), the first, to node 1, "
	                 "waits for a credit of output 1"
	                 " channel 0\n");
	icnt_free(n);
}
END_TEST

START_TEST(subnetworks_can_be_one)
{
	seed = 15;
	struct icnt *n = make(
		"use_map = 0; subnets = 1; topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 4;", 8, 8);
	struct traffic t = {{8, 8}, 500, 300, 60, false, true};
	run(n, &t, NULL);
	icnt_free(n);
}
END_TEST

START_TEST(memories_can_be_placed)
{
	struct icnt *n = make("subnets = 2; topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 1; "
	                      "routing_delay = 0;\n"
	                      "memory_node_map = {0,15};", 14, 2);
	// Cluster 0 is node 1, beside memory 0; cluster 13 is node 14, beside memory 1.
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, 0, 8), 2 * 3 + 2 * 2 + 1);
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 13, 1, 8), 2 * 3 + 2 * 2 + 1);
	icnt_free(n);
	n = make("subnets = 2; topology = mesh; k = 4; n = 2; routing_function = dor; num_vcs = 1; routing_delay = 0;", 8,
	         8);
	ck_assert_uint_eq(latency_of(n, ICNT_REQUEST, 0, 0, 8),
	                  2 * 3 + 2 * 2 + 1); // node 0 and node 1 of the built-in placement
	icnt_free(n);
}
END_TEST

static void refused(const char *text, unsigned n_cluster, unsigned n_mem, const char *why)
{
	struct diag d = {0};
	struct icnt *n = try_new(file("bad.icnt", text), n_cluster, n_mem, &d);
	ck_assert_msg(!n && d.errors && d.text && strstr(d.text, why), "%s\n%s\nwanted: %s", text, d.text ? d.text : "",
	              why);
	diag_free(&d);
}

START_TEST(errors_name_line_key_and_what_would_do)
{
#define FLY "topology = fly; routing_function = dest_tag; k = 4; n = 1; num_vcs = 1; use_map = 0;\n"
	refused("k = 8;\n\nvc_buffer_size = 8;", 1, 1,
	        "bad.icnt:3:1: error: unknown key 'vc_buffer_size'; did you mean 'vc_buf_size'?");
	refused("qqqqqqqqqqqqqq = 8;", 1, 1, "unknown key 'qqqqqqqqqqqqqq'\n");
	refused("k = 8\nn = 2;", 1, 1, "bad.icnt:1:5: error: no ';' after the value of k");
	refused("k = ;", 1, 1, "k wants a whole number");
	refused("k 8;", 1, 1, "expected key = value;");
	refused("k = 1.5;", 1, 1, "k wants a whole number");
	refused("k = 0;", 1, 1, "k must lie between 1 and 4096");
	refused("internal_speedup = fast;", 1, 1, "internal_speedup wants a number");
	refused("speculative = 1;", 1, 1, "speculative can only be '0': speculative switch allocation is not modelled");
	refused(FLY "subnets = 2;", 3, 2, "the topology has 4 nodes; the GPU needs 5");
	refused("topology = cube;", 1, 1, "topology 'cube' is not one of fly, mesh");
	refused("topology = mesh; use_map = 0; num_vcs = 1; subnets = 2;", 1, 1,
	        "routing_function 'none' is not one of topology mesh: dor, dim_order, xy_yx");
	refused("topology = torus; use_map = 0; num_vcs = 1; subnets = 2; routing_function = dim_order;", 1, 1,
	        "needs 2 virtual channels for each kind of packet to be free of deadlock, and has 1");
	refused(FLY "subnets = 2; read_reply_end_vc = 3;", 1, 1,
	        "read_request_begin_vc .. read_request_end_vc is 0 .. 5; num_vcs is 1");
	refused("topology = fly; routing_function = dest_tag; k = 4; n = 1; num_vcs = 2; use_map = 0; subnets = 1;\n" RANGES("0", "1"),
	        2, 2, "with subnets = 1, requests and replies must use different virtual channels");
	refused("topology = fly; routing_function = dest_tag; k = 4; n = 1; num_vcs = 1; subnets = 2;", 2, 2,
	        "use_map = 1, but there is no placement");
	refused("topology = fly; routing_function = dest_tag; k = 4; n = 1; num_vcs = 1; subnets = 2; "
	        "memory_node_map = {1,1};", 2, 2,
	        "it is one already");
	refused("topology = fly; routing_function = dest_tag; k = 4; n = 1; num_vcs = 1; subnets = 2; "
	        "memory_node_map = {1,7};", 2, 2,
	        "is not a node below 4");
	refused(FLY "subnets = 2; vc_allocator = pim;", 1, 1, "vc_allocator 'pim' is not one of islip");
	refused(FLY "subnets = 2; arb_type = tree;", 1, 1, "arb_type 'tree' is not one of round_robin, matrix");
	refused(FLY "subnets = 2; priority = rank;", 1, 1, "priority 'rank' is not one of none");
	refused(FLY "subnets = 2; st_final_delay = 0;", 1, 1, "must be at least 1");
	refused("topology = mesh; k = 4096; n = 8;", 1, 1, "at most");
	refused("topology = fly; routing_function = dest_tag; k = 4096; n = 1; num_vcs = 16; use_map = 0; subnets = 2;", 1,
	        1, "needs about");
	refused("topology = flatfly; k = 4; n = 2; c = 3;", 1, 1, "topology flatfly needs c = xr * yr");
	refused("topology = dragonflynew; k = 2; n = 2;", 1, 1, "topology dragonflynew needs n = 1");
	refused("topology = anynet;", 1, 1, "topology anynet needs network_file");
	refused("topology = anynet; network_file = nowhere.any;", 1, 1, "nowhere.any");
	struct diag d = {0};
	ck_assert_ptr_null(try_new("/nowhere/at_all.icnt", 1, 1, &d));
	ck_assert_ptr_nonnull(strstr(d.text, "-inter_config_file /nowhere/at_all.icnt: no such file"));
	diag_free(&d);
}
END_TEST

START_TEST(errors_of_network_files_name_line_and_reason)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"router 0 node 0\nswitch 1", "bad.any:2:1: error: expected router or node"},
		{"router 0 node x", "bad.any:1:15: error: expected a number"},
		{"node 0 node 1", "a node can only be linked with a router"},
		{"router 0 node 0 node 1 router 1 0", "a link takes at least 1 cycle"},
		{"router 0 node 0\nrouter 1 node 0", "node 0 is linked with router 0 and router 1"},
		{"router 0 node 0 node 2", "nodes must be numbered from 0 without gaps"},
		{"router 0 node 0 router 2\nrouter 2 node 1", "there is no router 1"},
		{"router 0 node 0\nrouter 1 node 1", "not every router can be reached from router 0"},
		{"router 0 router 1", "no node is linked with a router"},
		{"", "no node is linked with a router"},
	};
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		file("bad.any", bad[i].text);
		refused("topology = anynet; network_file = bad.any; routing_function = min; use_map = 0; subnets = 2; "
		        "num_vcs = 1;", 1, 1,
		        bad[i].why);
	}
}
END_TEST

START_TEST(the_file_is_looked_for_beside_the_configuration)
{
	struct options o = {0};
	struct diag d = {0};
	file("near.icnt", FERMI);
	options_defaults(&o);
	o.network_mode = 1;
	o.inter_config_file = "near.icnt";
	ck_assert_ptr_null(icnt_new(&o, NULL, 15, 12, &d));
	struct icnt *n = icnt_new(&o, dir, 15, 12, &d);
	ck_assert_ptr_nonnull(n);
	icnt_free(n);
	options_free(&o);
	diag_free(&d);
}
END_TEST

START_TEST(allocators_match_what_was_requested_and_leave_no_pair_unmatched)
{
	seed = 16;
	for (unsigned a = 0; a < N_ALLOCATORS; a++) {
		struct arena arena = {0};
		unsigned n_in = 1 + pick(90), n_out = 1 + pick(90);
		struct noc_alloc *al = noc_alloc_new(allocators[a], "round_robin", 1, n_in, n_out, &arena);
		for (unsigned round = 0; round < 300; round++) {
			unsigned requests = 1 + pick(n_in * 2), matched = 0;
			for (unsigned i = 0; i < requests; i++)
				noc_alloc_add(al, pick(n_in), pick(n_out), pick(4), pick(3), pick(3));
			noc_alloc_run(al);
			for (unsigned in = 0; in < n_in; in++) {
				int out = al->in_match[in];
				if (out < 0)
					continue;
				matched++;
				ck_assert(al->out_match[out] == (int)in);
				ck_assert(noc_alloc_request(al, in, out)->label >= 0);
			}
			ck_assert_uint_gt(matched, 0);
			if (strstr(allocators[a], "wavefront")) // a maximal matching
				for (unsigned in = 0; in < n_in; in++)
					for (unsigned out = 0; out < n_out; out++)
						ck_assert(noc_alloc_request(al, in, out)->label < 0 || al->in_match[in] >= 0 ||
						          al->out_match[out] >= 0);
			noc_alloc_clear(al);
			for (unsigned in = 0; in < n_in; in++)
				ck_assert(al->in_match[in] < 0);
		}
		arena_free(&arena);
	}
}
END_TEST

static void make_dir(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void remove_dir(void)
{
	static const char *const names[] = {"net.icnt", "bad.icnt", "near.icnt", "ring.any", "bad.any"};
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		char path[200];
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
}

int main(void)
{
	Suite *s = suite_create("noc");
	TCase *c = tcase_create("noc");
	tcase_set_timeout(c, 300);
	tcase_add_checked_fixture(c, make_dir, remove_dir);
	tcase_add_test(c, every_topology_and_allocator_delivers_every_packet_once);
	tcase_add_test(c, buffers_of_one_flit_delay_but_lose_nothing);
	tcase_add_test(c, what_is_put_early_takes_room_and_enters_later);
	tcase_add_test(c, one_way_and_one_channel_keep_the_order_of_a_pair);
	tcase_add_test(c, two_runs_are_equal_and_skipping_equals_ticking);
	tcase_add_test(c, unloaded_latency_is_that_of_links_stages_and_flits);
	tcase_add_test(c, unloaded_latency_grows_with_the_distance);
	tcase_add_test(c, a_permutation_runs_at_one_flit_a_node_and_cycle);
	tcase_add_test(c, every_allocator_serves_the_sources_of_one_sink_equally);
	tcase_add_test(c, statistics_are_those_of_intersim2_for_the_same_traffic);
	tcase_add_test(c, link_statistics_name_links_and_their_use);
	tcase_add_test(c, a_report_says_what_each_queue_waits_for);
	tcase_add_test(c, subnetworks_can_be_one);
	tcase_add_test(c, memories_can_be_placed);
	tcase_add_test(c, errors_name_line_key_and_what_would_do);
	tcase_add_test(c, errors_of_network_files_name_line_and_reason);
	tcase_add_test(c, the_file_is_looked_for_beside_the_configuration);
	tcase_add_test(c, allocators_match_what_was_requested_and_leave_no_pair_unmatched);
	suite_add_tcase(s, c);
	return check_main(s);
}
