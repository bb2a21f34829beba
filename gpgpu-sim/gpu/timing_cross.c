// What crosses at the beginning of a step between the network and its neighbours: answers into the SMs, answers into
// the network, requests into the memory side. With a team each cluster and each sub-partition takes and sends its own,
// just before it is ticked; the network learns of that when all have been (timing_move_answers).
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/team.h"

#include <string.h>

// An answer goes from the cluster into its SM. False: there is none, or no room for it.
static bool sm_take(struct timing *t, struct step_share *own, struct cluster *c)
{
	struct mem_req *r = port_first(&c->responses);
	struct sm *m = r ? &t->sm[r->sm] : NULL;
	if (!r || (r->type != INST_ACC_R && sm_response_full(m)))
		return false;
	port_pop(&c->responses);
	sm_answered(m, r);
	m->world = &own->world;
	if (r->type == INST_ACC_R) {
		sm_catch_up(m, t->cycle);
		sm_accept_fetch(m, r, t->cycle);
	} else {
		memory_count_answer(t->memory, own->number, r, t->cycle);
		sm_accept_data(m, r, t->cycle);
	}
	timing_bit_set(own->woken, m->id);
	t->wake_at[m->id] = timing_wake_at(t, m->id);
	return true;
}

bool timing_cluster_take(struct timing *t, struct step_share *own, unsigned index)
{
	struct cluster *c = &t->cluster[index];
	struct mem_req *r;
	uint32_t left = t->core.answers;
	while (left && sm_take(t, own, c))
		left--;
	for (uint32_t n = t->core.perfect_mem ? 0 : t->core.answers; n && !port_full(&c->responses); n--) {
		if (!(r = icnt_take(t->icnt, ICNT_REPLY, index)))
			break;
		timing_see_packet(t, r, "arrives at cluster", index);
		timing_count_packet(own, 1, r);
		port_push(&c->responses, r);
		sm_expect_data(&t->sm[r->sm], r);
	}
	timing_bit_set(port_empty(&c->responses) ? own->emptied : own->filled, index);
	return left < t->core.answers;
}

void timing_clusters_take(struct timing *t)
{
	const uint64_t *arrived = icnt_arrived(t->icnt, ICNT_REPLY);
	struct step_share *own = &t->share[0];
	bool any = false, woken = false;
	for (unsigned w = 0; w < (t->core.n_clusters + 63) / 64; w++) {
		for (uint64_t s = t->with_responses[w] | arrived[w]; s; s &= s - 1) {
			const unsigned i = w * 64 + (unsigned)__builtin_ctzll(s);
			woken |= timing_cluster_take(t, own, i);
			icnt_leave(t->icnt, ICNT_REPLY, i);
			any = true;
		}
	}
	if (any)
		timing_take_share(t, own);
	if (woken)
		t->soonest = 0;
}

void timing_answer(struct timing *t, struct step_share *own, unsigned sub)
{
	struct mem_req *r = memory_front(t->memory, sub);
	if (!r)
		return;
	if (!icnt_has_room(t->icnt, ICNT_REPLY, sub, mem_packet_bytes(r))) {
		own->refused_answers++;
		return;
	}
	memory_pop(t->memory, sub);
	mem_req_moved(r, MEM_ON_WAY_BACK, t->cycle);
	timing_see_packet(t, r, "enters as an answer of sub-partition", sub);
	icnt_put(t->icnt, ICNT_REPLY, sub, r->sm / t->core.cores_per_cluster, r, mem_packet_bytes(r), r->write);
	own->answers++;
}

void timing_answers_into_network(struct timing *t)
{
	const uint64_t *set = memory_answers(t->memory);
	struct step_share *own = &t->share[0];
	for (unsigned w = 0; w < (memory_n_sub(t->memory) + 63) / 64; w++) {
		for (uint64_t s = set[w]; s; s &= s - 1) {
			const unsigned sub = w * 64 + (unsigned)__builtin_ctzll(s);
			timing_answer(t, own, sub);
			icnt_enter(t->icnt, ICNT_REPLY, sub, 0);
		}
	}
}

// The network of answers learns what clusters have taken from it, and sub-partitions have put into it; then answers move.
static void move_answers(void *ctx, unsigned thread, unsigned task)
{
	struct timing *t = ctx;
	const struct timing_answers *a = &t->answers;
	const uint64_t *arrived = icnt_arrived(t->icnt, ICNT_REPLY);
	for (unsigned w = 0; a->move && w < (memory_n_sub(t->memory) + 63) / 64; w++)
		for (uint64_t s = a->sent[w]; s; s &= s - 1)
			icnt_enter(t->icnt, ICNT_REPLY, w * 64 + (unsigned)__builtin_ctzll(s), 0);
	for (unsigned w = 0; a->taken && w < (t->core.n_clusters + 63) / 64; w++)
		for (uint64_t s = arrived[w]; s; s &= s - 1)
			icnt_leave(t->icnt, ICNT_REPLY, w * 64 + (unsigned)__builtin_ctzll(s));
	if (a->move)
		icnt_step(t->icnt, ICNT_REPLY, t->tick_all);
}

static unsigned count_bits(const uint64_t *set, unsigned n)
{
	unsigned sum = 0;
	for (unsigned w = 0; w < (n + 63) / 64; w++)
		sum += (unsigned)__builtin_popcountll(set[w]);
	return sum;
}

void timing_move_answers(struct timing *t, bool move, bool taken, bool team)
{
	enum { PAYS = 4 }; // ports are taken to be as much work as to have another thread do it: an estimate
	const unsigned subs = memory_n_sub(t->memory);
	HEDDLE_ASSERT(!t->answers.open);
	t->answers.move = move;
	t->answers.taken = taken;
	if (move)
		memcpy(t->answers.sent, memory_answers(t->memory), (subs + 63) / 64 * sizeof *t->answers.sent);
	const unsigned ports = (move ? count_bits(t->answers.sent, subs) : 0) +
	                       (taken ? count_bits(icnt_arrived(t->icnt, ICNT_REPLY), t->core.n_clusters) : 0);
	t->answers.open = team && ports >= PAYS;
	if (t->answers.open)
		team_begin(t->team, move_answers, 1);
	else
		move_answers(t, 0, 0);
}

void timing_answers_moved(struct timing *t)
{
	if (!t->answers.open)
		return;
	team_join(t->team);
	team_wait(t->team);
	t->answers.open = false;
}

void timing_requests_into_memory(struct timing *t, bool hand)
{
	const uint64_t *arrived = icnt_arrived(t->icnt, ICNT_REQUEST);
	unsigned taken = 0, full = memory_n_full(t->memory);
	t->stats.stall_dramfull += full;
	for (unsigned w = 0; w < (memory_n_sub(t->memory) + 63) / 64; w++) {
		for (uint64_t s = arrived[w]; s; s &= s - 1) {
			unsigned sub = w * 64 + (unsigned)__builtin_ctzll(s);
			if (full && !memory_has_room(t->memory, sub))
				continue;
			struct mem_req *r = icnt_pop(t->icnt, ICNT_REQUEST, sub);
			if (!r)
				continue;
			timing_see_packet(t, r, "arrives at sub-partition", sub);
			if (hand)
				memory_hand(t->memory, sub, r);
			else
				memory_push(t->memory, sub, r, t->cycle);
			taken++;
		}
	}
	t->stats.parallel_requests += taken;
	if (taken) {
		t->stats.parallel_util_requests += taken;
		t->stats.parallel_util_cycles++;
	}
}
