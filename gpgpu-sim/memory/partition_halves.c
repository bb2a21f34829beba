#include "gpgpu-sim/memory/partition_halves.h"

void memory_aim(const struct memory *m, struct mem_req *r, bool second)
{
	const uint32_t home = r->place.sub;
	r->l2_way = L2_HOME;
	if (!m->halves || (home >= m->n_slices / 2) == second)
		return;
	if (r->write || r->atomic) {
		r->l2_way = L2_FROM_FAR;
		return;
	}
	r->l2_way = L2_COPY;
	r->place.sub = (uint16_t)partner_of(m, home);
	r->place.channel = (uint16_t)(r->place.sub / m->n_inner);
}

static void stand_in(const struct slice *s, struct mem_req *r, enum l2_way way)
{
	r->l2_way = (uint8_t)way;
	r->place.sub = (uint16_t)s->id;
	r->place.channel = (uint16_t)s->ch->id;
}

static void send(struct slice *to, struct delay *q, struct mem_req *r, uint32_t latency)
{
	mem_req_moved(r, MEM_IN_PARTITION, to->m->now);
	delay_push(q, r);
	wake_slice(to, to->m->now + latency);
}

void halves_enter_from_far(struct slice *s, struct mem_req *r, uint64_t now)
{
	delay_push(&s->from_far, r);
	wake_slice(s, now + s->m->rop_latency + s->m->far_latency);
}

void halves_ask_home(struct slice *s, struct mem_req *r)
{
	struct slice *home = &s->m->slice[partner_of(s->m, s->id)];
	stand_in(home, r, L2_VISIT);
	send(home, &home->visits, r, s->m->far_latency);
}

void halves_answer_copy(struct slice *s, struct mem_req *r)
{
	struct slice *copy = &s->m->slice[partner_of(s->m, s->id)];
	stand_in(copy, r, L2_COPY);
	send(copy, &copy->answered, r, 1);
}

void halves_drop_copy(struct slice *s, const struct mem_req *r)
{
	cache_drop(s->m->slice[partner_of(s->m, s->id)].l2, r->addr, r->place.offset, r->sectors);
}

static bool due(const struct delay *q, uint32_t latency, uint64_t now) { return delay_over(q, latency) <= now; }

bool halves_fill(struct slice *s, uint64_t now)
{
	if (!due(&s->answered, 1, now) || !cache_fill_port_free(s->l2))
		return false;
	cache_fill(s->l2, delay_pop(&s->answered), now + s->copy_offset);
	s->copies--;
	return true;
}

bool halves_from_far_due(const struct slice *s, uint64_t now)
{
	return due(&s->from_far, s->m->rop_latency + s->m->far_latency, now);
}

bool halves_take_visit(struct slice *s, uint64_t now, struct mem_req **past)
{
	unsigned events = 0;
	*past = NULL;
	if (!due(&s->visits, s->m->far_latency, now) || !cache_data_port_free(s->l2))
		return false;
	struct mem_req *r = delay_first(&s->visits);
	const enum cache_status status = cache_access(s->l2, r, now + s->copy_offset, &events);
	if (status == CACHE_RESERVATION_FAIL) {
		if (cache_last_fail(s->l2) != CACHE_LINE_ALLOC_FAIL || port_full(&s->to_dram))
			return false;
		*past = r;
	}
	delay_pop(&s->visits);
	if (!*past && !cache_took(status, false, events))
		halves_answer_copy(s, r);
	return true;
}

static uint64_t sooner(uint64_t next, const struct delay *q, uint32_t latency)
{
	const uint64_t at = delay_over(q, latency);
	return at < next ? at : next;
}

uint64_t halves_next(const struct slice *s)
{
	const struct memory *m = s->m;
	uint64_t next = sooner(NEVER, &s->answered, 1);
	next = sooner(next, &s->visits, m->far_latency);
	return sooner(next, &s->from_far, m->rop_latency + m->far_latency);
}
