// The built-in crossbar against a plain model of it that looks at every port each cycle, and closed forms.
#include "intersim/icnt.h"

#include "base/assert.h"
#include "base/mem.h"
#include "tests/unit/icnt_drained.h"
#include "tests/unit/put_text.h"
#include "tests/unit/random.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct icnt *make_wide(unsigned n_cluster, unsigned n_mem, unsigned in, unsigned out, unsigned arbiter,
                              unsigned grant, unsigned answers, unsigned burst)
{
	struct options o = {0};
	struct diag d = {0};
	options_defaults(&o);
	o.network_mode = 2;
	o.icnt_in_buffer_limit = in;
	o.icnt_out_buffer_limit = out;
	o.icnt_arbiter_algo = arbiter;
	o.icnt_grant_cycles = grant;
	o.icnt_answers = answers;
	o.icnt_burst = burst;
	struct icnt *n = icnt_new(&o, NULL, n_cluster, n_mem, &d);
	ck_assert_ptr_nonnull(n);
	options_free(&o);
	return n;
}

static struct icnt *make(unsigned n_cluster, unsigned n_mem, unsigned in, unsigned out, unsigned arbiter, unsigned grant)
{
	return make_wide(n_cluster, n_mem, in, out, arbiter, grant, 1, 1);
}

// The model: what section "network_mode 2" of the GPGPU-Sim manual and its source describe, port by port.
enum { NODES = 40, DEPTH = 20 };
struct model_queue {
	struct {
		void *p;
		unsigned out;
	} at[DEPTH];
	unsigned n;
};
struct model {
	unsigned base_in, n_in, base_out, n_out, total, in_limit, out_limit, grant, left, rotate;
	unsigned next[NODES];
	struct model_queue in[NODES], out[NODES];
	unsigned long long packets, cycles, conflicts, conflicts_util, cycles_util, reqs, out_full, out_util, in_full,
		in_util;
};

static void model_take(struct model_queue *q)
{
	memmove(&q->at[0], &q->at[1], sizeof q->at - sizeof q->at[0]);
	q->n--;
}

static void model_move(struct model *m, unsigned in)
{
	unsigned out = m->in[in].at[0].out;
	m->out[out].at[m->out[out].n++] = m->in[in].at[0];
	model_take(&m->in[in]);
}

static void model_tick(struct model *m, bool islip)
{
	unsigned conflicts = 0, sent = 0;
	bool active = false, seen[NODES] = {0};
	if (islip) {
		for (unsigned i = 0; i < m->total; i++)
			if (m->in[i].n) {
				active = true;
				conflicts += seen[m->in[i].at[0].out];
				seen[m->in[i].at[0].out] = true;
			}
		for (unsigned o = 0; o < m->total; o++) {
			if (m->out[o].n >= m->out_limit) {
				m->out_full++;
				continue;
			}
			for (unsigned j = 0; j < m->total; j++) {
				unsigned i = (j + m->next[o]) % m->total;
				if (m->in[i].n && m->in[i].at[0].out == o) {
					model_move(m, i);
					if (m->left == 1)
						m->next[o] = (i + 1) % m->total;
					sent++;
					break;
				}
			}
		}
		if (active)
			m->left = m->left == 1 ? m->grant : m->left - 1;
	} else {
		for (unsigned j = 0; j < m->total; j++) {
			unsigned i = (j + m->rotate) % m->total;
			if (!m->in[i].n)
				continue;
			active = true;
			unsigned o = m->in[i].at[0].out;
			if (m->out[o].n >= m->out_limit) {
				m->out_full++;
				conflicts += seen[o];
			} else if (seen[o]) {
				conflicts++;
			} else {
				seen[o] = true;
				model_move(m, i);
				sent++;
			}
		}
		m->rotate = (m->rotate + 1) % m->total;
	}
	m->conflicts += conflicts;
	if (active) {
		m->conflicts_util += conflicts;
		m->cycles_util++;
		m->reqs += sent;
	}
	for (unsigned i = 0; i < m->total; i++) {
		m->in_util += m->in[i].n;
		m->out_util += m->out[i].n;
	}
	m->cycles++;
}

static void model_line(struct text *t, const char *name, const char *gap, float v, const char *end)
{
	char line[200];
	if (isnan(v))
		v = copysignf(v, -1);
	snprintf(line, sizeof line, "%s =%s%12.4f%s\n", name, gap, v, end);
	put(t, line);
}

static void model_print(struct text *t, const struct model *m, bool reply)
{
	char name[80];
	snprintf(name, sizeof name, "%s_Network_injected_packets_num = %llu\n", reply ? "Reply" : "Req", m->packets);
	put(t, name);
	snprintf(name, sizeof name, "%s_Network_cycles = %llu\n", reply ? "Reply" : "Req", m->cycles);
	put(t, name);
#define LINE(what, gap, v, end) \
	snprintf(name, sizeof name, "%s_%s", reply ? "Reply" : "Req", what), model_line(t, name, gap, v, end)
	float cycles = m->cycles, util = m->cycles_util;
	LINE("Network_injected_packets_per_cycle", reply ? "  " : " ", m->packets / cycles, reply ? "" : " ");
	LINE("Network_conflicts_per_cycle", reply ? "  " : " ", m->conflicts / cycles, "");
	LINE("Network_conflicts_per_cycle_util", " ", m->conflicts_util / util, "");
	LINE("Bank_Level_Parallism", " ", m->reqs / util, "");
	LINE("Network_in_buffer_full_per_cycle", " ", m->in_full / cycles, "");
	LINE("Network_in_buffer_avg_util", " ", m->in_util / cycles / m->n_in, "");
	LINE("Network_out_buffer_full_per_cycle", " ", m->out_full / cycles, "");
	LINE("Network_out_buffer_avg_util", " ", m->out_util / cycles / m->n_out, "");
}

static void compare_with_model(unsigned n_cluster, unsigned n_mem, unsigned in, unsigned out, unsigned arbiter,
                               unsigned grant, bool skip)
{
	static struct model m[2];
	static struct text got, want;
	struct icnt *n = make(n_cluster, n_mem, in, out, arbiter, grant);
	memset(m, 0, sizeof m);
	for (int net = 0; net < 2; net++) {
		m[net].total = n_cluster + n_mem;
		m[net].n_in = net ? n_mem : n_cluster;
		m[net].n_out = net ? n_cluster : n_mem;
		m[net].base_in = net ? n_cluster : 0;
		m[net].base_out = net ? 0 : n_cluster;
		m[net].in_limit = in;
		m[net].out_limit = out;
		m[net].grant = m[net].left = grant;
	}
	uintptr_t serial = 1;
	unsigned load = 1, drain = 1, stood_still = 0;
	for (unsigned cycle = 0; cycle < 4000; cycle++) {
		if (cycle % 200 == 0) {
			load = pick(3) ? pick(10) : 0;
			drain = pick(3) ? 1 + pick(10) : 0;
		}
		for (int net = 0; net < 2; net++) {
			for (unsigned o = 0; o < m[net].n_out; o++) {
				struct model_queue *q = &m[net].out[m[net].base_out + o];
				ck_assert((icnt_next_arrived(n, net, o) == o) == (q->n > 0));
				ck_assert(icnt_peek(n, net, o) == (q->n ? q->at[0].p : NULL));
				if (pick(10) < drain) {
					ck_assert(icnt_pop(n, net, o) == (q->n ? q->at[0].p : NULL));
					if (q->n)
						model_take(q);
				}
			}
			for (unsigned i = 0; i < m[net].n_in; i++) {
				if (pick(10) >= load)
					continue;
				struct model_queue *q = &m[net].in[m[net].base_in + i];
				bool room = q->n < in;
				ck_assert(icnt_can_push(n, net, i, 40) == room);
				if (!room) {
					m[net].in_full++;
					continue;
				}
				unsigned to = pick(pick(2) ? m[net].n_out : 1 + m[net].n_out / 4);
				bool later = pick(2);
				if (later)
					icnt_put(n, net, i, to, (void *)serial, 40, false);
				else
					icnt_push(n, net, i, to, (void *)serial, 40);
				ck_assert(icnt_has_room(n, net, i, 40) == (q->n + 1 < in));
				q->at[q->n].p = (void *)serial++;
				q->at[q->n++].out = m[net].base_out + to;
				m[net].packets++;
			}
			for (unsigned i = 0; i < m[net].n_in; i++)
				icnt_enter(n, net, i, 0);
		}
		bool busy = false;
		for (int net = 0; net < 2; net++)
			for (unsigned i = 0; i < m[net].total; i++)
				busy |= m[net].in[i].n || m[net].out[i].n;
		ck_assert(icnt_busy(n) == busy);
		bool moving = icnt_moving(n);
		unsigned ticks = 1;
		if (!moving && skip) {
			ticks = pick(20);
			icnt_skip(n, ticks);
			stood_still += ticks;
		} else {
			ck_assert(tick_and_look(n, n_cluster, n_mem, 40) == moving);
		}
		for (; ticks; ticks--)
			for (int net = 0; net < 2; net++)
				model_tick(&m[net], arbiter == 1);
	}
	if (skip)
		ck_assert_uint_gt(stood_still, 0);
	got.len = want.len = 0;
	icnt_print(n, put, &got);
	model_print(&want, &m[0], false);
	put(&want, "\n");
	model_print(&want, &m[1], true);
	ck_assert_str_eq(got.at, want.at);
	icnt_free(n);
}

START_TEST(packets_and_statistics_equal_those_of_the_port_by_port_model)
{
	seed = 1;
	for (unsigned round = 0; round < 12; round++)
		for (unsigned arbiter = 0; arbiter < 2; arbiter++)
			compare_with_model(1 + pick(20), 1 + pick(20), 1 + pick(DEPTH - 1), 1 + pick(DEPTH - 1), arbiter,
			                   1 + pick(4), false);
}
END_TEST

START_TEST(skipping_cycles_equals_ticking_them)
{
	seed = 2;
	for (unsigned round = 0; round < 12; round++)
		for (unsigned arbiter = 0; arbiter < 2; arbiter++)
			compare_with_model(1 + pick(20), 1 + pick(20), 1 + pick(DEPTH - 1), 1 + pick(DEPTH - 1), arbiter,
			                   1 + pick(4), true);
}
END_TEST

START_TEST(queues_of_one_packet_work)
{
	seed = 3;
	for (unsigned arbiter = 0; arbiter < 2; arbiter++) {
		compare_with_model(1, 1, 1, 1, arbiter, 1, true);
		compare_with_model(7, 5, 1, 1, arbiter, 3, true);
	}
}
END_TEST

START_TEST(an_empty_crossbar_delivers_after_one_cycle)
{
	struct icnt *n = make(80, 64, 512, 512, 1, 1);
	int packet;
	ck_assert(icnt_can_push(n, ICNT_REQUEST, 79, 136));
	icnt_push(n, ICNT_REQUEST, 79, 63, &packet, 136);
	ck_assert_ptr_null(icnt_peek(n, ICNT_REQUEST, 63));
	ck_assert(icnt_tick(n));
	ck_assert(!icnt_moving(n));
	ck_assert(icnt_busy(n));
	ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, 63), &packet);
	ck_assert(!icnt_busy(n));
	ck_assert_ptr_null(icnt_pop(n, ICNT_REQUEST, 63));
	icnt_free(n);
}
END_TEST

START_TEST(what_is_put_early_takes_room_and_enters_later)
{
	for (unsigned arbiter = 0; arbiter < 2; arbiter++) {
		struct icnt *n = make(2, 2, 4, 4, arbiter, 1);
		int packet[3];
		for (unsigned i = 0; i < 3; i++)
			icnt_put(n, ICNT_REQUEST, 1, i % 2, &packet[i], 40, false);
		ck_assert_uint_eq(icnt_room(n, ICNT_REQUEST, 1, 40), 1);
		for (unsigned i = 0; i < 3; i++) {
			icnt_enter(n, ICNT_REQUEST, 1, 2 - i);
			ck_assert_uint_eq(icnt_total(n, ICNT_REQUEST).pushed, i + 1);
			ck_assert(icnt_tick(n));
			ck_assert(!icnt_moving(n));
			ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, i % 2), &packet[i]);
			ck_assert(!icnt_busy(n));
		}
		ck_assert_uint_eq(icnt_room(n, ICNT_REQUEST, 1, 40), 4);
		icnt_free(n);
	}
}
END_TEST

START_TEST(islip_serves_all_inputs_of_one_output_equally)
{
	for (unsigned grant = 1; grant <= 3; grant++) {
		struct icnt *n = make(10, 1, 4, 4, 1, grant);
		unsigned served[10] = {0};
		int id[10];
		for (unsigned cycle = 0; cycle < 3000; cycle++) {
			int *p = icnt_pop(n, ICNT_REQUEST, 0);
			if (p)
				served[p - id]++;
			for (unsigned i = 0; i < 10; i++)
				while (icnt_can_push(n, ICNT_REQUEST, i, 8))
					icnt_push(n, ICNT_REQUEST, i, 0, &id[i], 8);
			icnt_tick(n);
		}
		for (unsigned i = 0; i < 10; i++)
			ck_assert_uint_le(abs((int)served[i] - 300), 3);
		icnt_free(n);
	}
}
END_TEST

START_TEST(a_permutation_runs_at_one_packet_a_port_and_cycle)
{
	for (unsigned arbiter = 0; arbiter < 2; arbiter++) {
		struct icnt *n = make(70, 70, 2, 2, arbiter, 1);
		unsigned popped = 0;
		int packet;
		for (unsigned cycle = 0; cycle < 101; cycle++) {
			for (unsigned i = 0; i < 70; i++) {
				popped += icnt_pop(n, ICNT_REPLY, i) != NULL;
				ck_assert(icnt_can_push(n, ICNT_REPLY, i, 8));
				icnt_push(n, ICNT_REPLY, i, (i * 3 + 1) % 70, &packet, 8);
			}
			icnt_tick(n);
		}
		ck_assert_uint_eq(popped, 7000);
		ck_assert_uint_eq(icnt_total(n, ICNT_REPLY).popped, 7000);
		icnt_free(n);
	}
}
END_TEST

// Ten packets for one node, each from another: clusters take `answers` of them a cycle, sub-partitions one.
START_TEST(a_cluster_takes_as_many_answers_a_cycle_as_it_is_given)
{
	for (unsigned arbiter = 0; arbiter < 2; arbiter++)
		for (unsigned answers = 1; answers <= 3; answers++)
			for (unsigned net = 0; net < 2; net++) {
				struct icnt *n = make_wide(10, 10, 4, 4, arbiter, 1, answers, 1);
				const unsigned most = net == ICNT_REPLY ? answers : 1;
				int packet;
				for (unsigned i = 0; i < 10; i++)
					icnt_push(n, net, i, 3, &packet, 8);
				for (unsigned left = 10; left;) {
					unsigned got = 0;
					icnt_tick(n);
					while (icnt_pop(n, net, 3))
						got++;
					ck_assert_uint_eq(got, left < most ? left : most);
					left -= got;
				}
				ck_assert(!icnt_busy(n));
				icnt_free(n);
			}
}
END_TEST

// Five packets for one node and one for another: with a burst of 4 four go in the first cycle, and no more than the
// output has room for.
START_TEST(an_input_hands_over_packets_for_one_output_together)
{
	char packet[6];
	for (unsigned arbiter = 0; arbiter < 2; arbiter++)
		for (unsigned room = 3; room <= 8; room += 5) {
			struct icnt *n = make_wide(2, 2, 8, room, arbiter, 1, 1, 4);
			const unsigned first = room < 4 ? room : 4;
			for (unsigned i = 0; i < 6; i++)
				icnt_push(n, ICNT_REQUEST, 0, i == 5, &packet[i], 8);
			icnt_tick(n);
			for (unsigned i = 0; i < first; i++)
				ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, 0), &packet[i]);
			ck_assert_ptr_null(icnt_pop(n, ICNT_REQUEST, 0));
			icnt_tick(n);
			for (unsigned i = first; i < 5; i++)
				ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, 0), &packet[i]);
			icnt_free(n);
		}
}
END_TEST

START_TEST(one_shared_network_carries_requests_and_replies)
{
	struct options o = {0};
	struct diag d = {0};
	options_defaults(&o);
	o.network_mode = 2;
	o.icnt_subnets = 1;
	struct icnt *n = icnt_new(&o, NULL, 3, 2, &d);
	int request[3], reply[2];
	for (int i = 0; i < 3; i++)
		icnt_push(n, ICNT_REQUEST, i, i % 2, &request[i], 8);
	for (int i = 0; i < 2; i++)
		icnt_push(n, ICNT_REPLY, i, 2, &reply[i], 8);
	icnt_tick(n);
	ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, 0), &request[0]);
	ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, 1), &request[1]);
	ck_assert_ptr_eq(icnt_pop(n, ICNT_REPLY, 2), &reply[0]);
	icnt_tick(n);
	ck_assert_ptr_eq(icnt_pop(n, ICNT_REQUEST, 0), &request[2]);
	ck_assert_ptr_eq(icnt_pop(n, ICNT_REPLY, 2), &reply[1]);
	ck_assert(!icnt_busy(n));
	icnt_free(n);
	options_free(&o);
}
END_TEST

START_TEST(a_report_names_every_queue_that_holds_something)
{
	static struct text t;
	struct icnt *n = make(3, 2, 2, 1, 1, 1);
	int packet;
	icnt_push(n, ICNT_REQUEST, 2, 1, &packet, 8);
	icnt_tick(n);
	icnt_push(n, ICNT_REQUEST, 2, 1, &packet, 8);
	icnt_push(n, ICNT_REQUEST, 2, 0, &packet, 8);
	t.len = 0;
	icnt_describe(n, put, &t);
	ck_assert_str_eq(t.at, "icnt.request input of cluster 2: 2 of 2 packets (full), the first for memory 1, "
	                       "which is full\n"
	                       "icnt.request output to memory 1: 1 of 1 packets (full), waiting to be taken\n");
	icnt_free(n);
}
END_TEST

START_TEST(a_gpu_without_nodes_is_refused)
{
	struct options o = {0};
	struct diag d = {0};
	options_defaults(&o);
	ck_assert_ptr_null(icnt_new(&o, NULL, 0, 4, &d));
	ck_assert_uint_eq(d.errors, 1);
	diag_free(&d);
	options_free(&o);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("xbar");
	TCase *c = tcase_create("xbar");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, packets_and_statistics_equal_those_of_the_port_by_port_model);
	tcase_add_test(c, skipping_cycles_equals_ticking_them);
	tcase_add_test(c, queues_of_one_packet_work);
	tcase_add_test(c, an_empty_crossbar_delivers_after_one_cycle);
	tcase_add_test(c, what_is_put_early_takes_room_and_enters_later);
	tcase_add_test(c, islip_serves_all_inputs_of_one_output_equally);
	tcase_add_test(c, a_permutation_runs_at_one_packet_a_port_and_cycle);
	tcase_add_test(c, a_cluster_takes_as_many_answers_a_cycle_as_it_is_given);
	tcase_add_test(c, an_input_hands_over_packets_for_one_output_together);
	tcase_add_test(c, one_shared_network_carries_requests_and_replies);
	tcase_add_test(c, a_report_names_every_queue_that_holds_something);
	tcase_add_test(c, a_gpu_without_nodes_is_refused);
	suite_add_tcase(s, c);
	return check_main(s);
}
