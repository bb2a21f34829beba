// Between SMs and the rest of the GPU: what an SM asks while it is stepped, and what is done when all have been stepped.
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/mem.h"
#include "gpgpu-sim/modern/hazard.h"

static bool world_icnt_full(void *ctx, unsigned cluster, unsigned bytes)
{
	const struct timing *t = ctx;
	return !t->core.perfect_mem && !icnt_has_room_behind(t->icnt, ICNT_REQUEST, cluster, bytes, t->cluster[cluster].held);
}

void timing_count_packet(struct timing *t, unsigned direction, const struct mem_req *r)
{
	unsigned size = (mem_packet_bytes(r) + TRAFFIC_UNIT - 1) / TRAFFIC_UNIT;
	HEDDLE_ASSERT(size < TRAFFIC_SIZES);
	t->stats.traffic[direction][r->atomic && !r->write ? TRAFFIC_ATOMIC : r->type][size]++;
}

static void world_icnt_push(void *ctx, struct mem_req *r)
{
	struct timing *t = ctx;
	struct cluster *c = &t->cluster[r->sm / t->core.cores_per_cluster];
	icnt_hold(t->icnt, mem_packet_bytes(r), &c->held);
	VEC_PUSH(&c->out, r);
}

// A request leaves its cluster.
static void send(struct timing *t, unsigned cluster, struct mem_req *r)
{
	if (t->core.perfect_mem) {
		// Answered at once; nobody waits for a write-back.
		r->reply = true;
		mem_req_moved(r, MEM_ON_WAY_BACK, t->cycle);
		if (r->type == L1_WRBK_ACC)
			mem_req_free(t->pool, r);
		else
			port_push(&t->cluster[cluster].responses, r), timing_bit_set(t->with_responses, cluster);
		return;
	}
	timing_count_packet(t, 0, r);
	addr_map_place(memory_map(t->memory), r->addr, &r->place);
	timing_see_packet(t, r, "enters for sub-partition", r->place.sub);
	(r->write ? icnt_push_write : icnt_push)(t->icnt, ICNT_REQUEST, cluster, r->place.sub, r, mem_packet_bytes(r));
}

static unsigned world_banks_of(void *ctx, const struct mem_req *list)
{
	const struct timing *t = ctx;
	return memory_banks_of(t->memory, list);
}

void timing_make_world(struct timing *t, struct sm_world *out)
{
	*out = (struct sm_world){.ctx = t, .icnt_full = world_icnt_full, .icnt_push = world_icnt_push, .notes = true};
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
		t->stats.ctas_done++;
		t->launch_pass = true;
		if (!k->running && !kernel_run_left(k))
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

// All requests of the cluster leave with the first of its SMs that has news.
static void commit_cluster(struct timing *t, unsigned cluster)
{
	struct cluster *c = &t->cluster[cluster];
	for (size_t k = 0; k < c->out.n; k++)
		send(t, cluster, c->out.at[k]);
	c->out.n = 0;
	c->held = (struct icnt_held){0};
}

// SM by SM: the order in which they were stepped makes no difference.
void timing_commit(struct timing *t)
{
	for (unsigned w = 0; w < (t->core.n_sm + 63) / 64; w++) {
		for (uint64_t s = t->news[w]; s; s &= s - 1) {
			unsigned i = w * 64 + (unsigned)__builtin_ctzll(s);
			commit_cluster(t, t->sm[i].cluster);
			commit_sm(t, &t->sm[i]);
		}
		t->news[w] = 0;
	}
	t->any_news = false;
}
