// Between SMs and the rest of the GPU: what an SM asks while it is stepped, and what is done when all have been stepped.
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/hazard.h"

#include <string.h>

static bool world_icnt_full(void *ctx, unsigned cluster, unsigned bytes)
{
	const struct timing *t = ((const struct step_share *)ctx)->timing;
	return !t->core.perfect_mem && !icnt_has_room(t->icnt, ICNT_REQUEST, cluster, bytes);
}

// The network learns of it when all SMs have been stepped.
static void world_icnt_push(void *ctx, struct mem_req *r)
{
	struct step_share *s = ctx;
	struct timing *t = s->timing;
	const unsigned cluster = r->sm / t->core.cores_per_cluster;
	if (t->sm[r->sm].now > t->cycle) {
		RING_PUSH(&t->cluster[cluster].later, t->sm[r->sm].now);
	} else {
		timing_bit_set(s->sent, r->sm);
		s->any_sent = true;
	}
	if (r->type != L1_WRBK_ACC)
		sm_sent(&t->sm[r->sm], r, t->core.perfect_mem ? 1 : memory_parts(t->memory, r));
	if (t->core.perfect_mem || t->observer.wants & TIMING_SEES_PACKETS)
		VEC_PUSH(&t->cluster[cluster].out, r);
	if (t->core.perfect_mem)
		return;
	timing_count_packet(s, 0, r);
	if (!r->placed)
		addr_map_place(memory_map(t->memory), r->addr, &r->place);
	memory_aim(t->memory, r, 2 * cluster >= t->core.n_clusters);
	icnt_put(t->icnt, ICNT_REQUEST, cluster, r->place.sub, r, mem_packet_bytes(r), r->write);
}

// Perfect memory answers at once; nobody waits for a write-back.
static void answer_at_once(struct timing *t, unsigned cluster, struct mem_req *r)
{
	r->reply = true;
	mem_req_moved(r, MEM_ON_WAY_BACK, t->cycle);
	if (r->type == L1_WRBK_ACC)
		mem_req_free(t->pool, r);
	else
		port_push(&t->cluster[cluster].responses, r), timing_bit_set(t->with_responses, cluster);
}

static unsigned world_banks_of(void *ctx, struct mem_req *list)
{
	const struct step_share *s = ctx;
	return memory_banks_of(s->timing->memory, list);
}

void timing_make_world(const struct timing *t, struct sm_world *out)
{
	*out = (struct sm_world){.icnt_full = world_icnt_full, .icnt_push = world_icnt_push, .notes = true};
	if (t->opt->gpgpu_memlatency_stat & 2)
		out->banks_of = world_banks_of;
}

// --- what SMs have done in a cycle, when all have been stepped

void timing_note(struct timing *t, const char *line)
{
	if (t->observer.note)
		t->observer.note(t->observer.ctx, line);
	else if (t->say)
		t->say(t->say_ctx, line);
}

static void failed(struct timing *t, struct kernel_run *k)
{
	t->failures = true;
	k->next_cta = k->n_cta;
	if (!k->failed)
		k->failed = t->cycle + 1;
}

static void take_message(struct timing *t, const struct sm_message *e)
{
	struct kernel_run *k = e->k;
	switch ((enum sm_message_kind)e->kind) {
	case SM_CTA_DONE:
		k->launch->fe->cta_end(e->cta.fe);
		k->free_slot[k->n_free_slot++] = e->cta.fe_slot;
		k->running--;
		k->owing += e->owes;
		t->stats.ctas_done++;
		t->launch_pass = true;
		if (kernel_run_over(k))
			timing_finish(t, k);
		break;
	case SM_ROOM:
		t->launch_pass = true;
		break;
	case SM_STORED:
		k->owing--;
		if (kernel_run_over(k))
			timing_finish(t, k);
		break;
	case SM_PARKED:
		VEC_PUSH(&k->parked, e->cta);
		k->running--;
		t->launch_pass = true;
		break;
	case SM_COPY_DONE:
		if (k->launch->fe->copy_done(e->cta.fe, e->token) == FE_FAULT)
			failed(t, k);
		else
			timing_wake_cluster(t, k, e->cta.cluster);
		break;
	case SM_FAULT: // the other SMs learn of it when all have come equally far
		failed(t, k);
		break;
	case SM_CLUSTER:
		timing_wake_cluster(t, k, e->cta.cluster);
		break;
	case SM_NOTE:
		if (hazard_first_told(k->modern->told, e->about[0], e->about[1]))
			timing_note(t, e->text);
		mem_free(e->text);
		break;
	}
}

static void commit_sm(struct timing *t, struct sm *m)
{
	if (m->at_end)
		timing_wake(t, m->id);
	sm_commit(m);
	if (m->alarm < t->next_alarm)
		t->next_alarm = m->alarm;
	m->alarm = UINT64_MAX;
	for (size_t i = 0; i < m->message.n; i++)
		take_message(t, &m->message.at[i]);
	m->message.n = 0;
}

// All requests of the cluster leave with the first of its SMs that has sent some or has news, but those of later cycles.
static void commit_cluster(struct timing *t, unsigned cluster)
{
	struct cluster *c = &t->cluster[cluster];
	const size_t n = c->out.n < c->later.n ? 0 : c->out.n - c->later.n;
	for (size_t k = 0; k < n; k++) {
		if (t->core.perfect_mem)
			answer_at_once(t, cluster, c->out.at[k]);
		else
			timing_see_packet(t, c->out.at[k], "enters for sub-partition", c->out.at[k]->place.sub);
	}
	if (n)
		memmove(c->out.at, c->out.at + n, (c->out.n -= n) * sizeof *c->out.at);
	icnt_enter(t->icnt, ICNT_REQUEST, cluster, t->core.perfect_mem ? 0 : c->later.n);
}

// SM by SM: the order in which they were stepped makes no difference.
void timing_commit(struct timing *t)
{
	const unsigned per = t->core.cores_per_cluster;
	for (unsigned w = 0; w < (t->core.n_sm + 63) / 64; w++) {
		for (uint64_t news = t->news[w], s = news | t->sent[w]; s; s &= s - 1) {
			unsigned i = w * 64 + (unsigned)__builtin_ctzll(s);
			commit_cluster(t, i / per);
			if (news & s & -s)
				commit_sm(t, &t->sm[i]);
		}
		t->news[w] = t->sent[w] = 0;
	}
	t->any_news = t->any_sent = false;
}
