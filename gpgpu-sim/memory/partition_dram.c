// The way between L2 and DRAM of one channel: credits, arbitration among its slices, the DRAM's latency, answers.
#include "gpgpu-sim/memory/partition_state.h"

#include "base/mem.h"

#include <stdio.h>

enum { CHANNEL_POOL = 64 }; // requests that a channel begins with: most programs need no more

static bool is_write_back(const struct mem_req *r) { return r->type == L1_WRBK_ACC || r->type == L2_WRBK_ACC; }

static bool has_credit(const struct channel *ch, uint32_t inner)
{
	return !ch->private_credits[inner] || !ch->m->shared_limit || ch->shared_credits < ch->m->shared_limit;
}

static void take_credit(struct channel *ch, uint32_t inner)
{
	if (!ch->private_credits[inner])
		ch->private_credits[inner] = 1;
	else
		ch->shared_credits++;
	ch->last = inner;
}

static void return_credit(struct channel *ch, uint32_t inner)
{
	if (ch->private_credits[inner])
		ch->private_credits[inner] = 0;
	else
		ch->shared_credits--;
}

// A write-back has reached DRAM.
static void written_back(void *ctx, struct mem_req *r)
{
	struct channel *ch = ctx;
	return_credit(ch, r->place.sub - ch->slice->id);
	finish(ch, r);
}

static bool return_one(struct channel *ch, struct mem_req *r)
{
	struct slice *s = &ch->m->slice[r->place.sub];
	if (port_full(&s->from_dram))
		return false;
	port_push(&s->from_dram, r);
	if (s->l2)
		cache_expect_answer(s->l2, r);
	if (s->told >> MEMORY_PARTITION & 1)
		partition_note(s, MEMORY_PARTITION, r, "comes back from DRAM");
	return_credit(ch, s->inner);
	wake_slice(s, 0);
	return true;
}

// One request a tick goes from the slices to the DRAM, round robin among those with a request, a credit and room for the
// answer. A full DRAM ends the search. True if one goes, or with `ask` would go.
static bool arbitrate(struct channel *ch, uint64_t now, bool ask)
{
	struct memory *m = ch->m;
	for (uint32_t i = ch->n_asking ? 0 : m->n_inner, k = ch->last; i < m->n_inner; i++) {
		k = k + 1 == m->n_inner ? 0 : k + 1;
		struct slice *s = &ch->slice[k];
		struct mem_req *r = port_first(&s->to_dram);
		if (!r || port_full(&s->from_dram) || !has_credit(ch, k))
			continue;
		if (!m->simple && dram_full(&ch->dram, r->write))
			return false;
		if (ask)
			return true;
		if (port_full(&s->to_dram))
			wake_slice(s, 0);
		port_pop(&s->to_dram);
		ch->n_asking--;
		mem_req_moved(r, MEM_AT_DRAM, now);
		if (s->told >> MEMORY_PARTITION & 1)
			partition_note(s, MEMORY_PARTITION, r, "goes to DRAM");
		delay_push(&ch->to_dram, r);
		take_credit(ch, k);
		return true;
	}
	return false;
}

static bool is_due(const struct channel *ch, uint64_t now)
{
	return delay_over(&ch->to_dram, ch->m->dram_latency) <= now;
}

static bool feed_dram(struct channel *ch, uint64_t tick, uint64_t now)
{
	struct memory *m = ch->m;
	if (!is_due(ch, now) || dram_full(&ch->dram, delay_first(&ch->to_dram)->write))
		return false;
	struct mem_req *r = delay_pop(&ch->to_dram);
	if (ch->line_bytes && r->pc_line < m->n_lines)
		ch->line_bytes[r->pc_line] += r->bytes;
	dram_catch_up(&ch->dram, tick + 1);
	dram_push(&ch->dram, r, now);
	ch->dram_wake = 0;
	return true;
}

// -gpgpu_simple_dram_model: -dram_latency, then one answer a tick.
static bool simple_step(struct channel *ch, uint64_t now)
{
	bool moved = false;
	if (is_due(ch, now)) {
		struct mem_req *r = delay_first(&ch->to_dram);
		r->reply = !is_write_back(r);
		if (is_write_back(r)) {
			written_back(ch, delay_pop(&ch->to_dram));
			moved = true;
		} else if (!port_full(&ch->m->slice[r->place.sub].from_dram)) {
			moved = return_one(ch, delay_pop(&ch->to_dram));
		}
	}
	return arbitrate(ch, now, false) || moved;
}

// The first answer of the DRAM, if its slice has room for it.
static struct mem_req *deliverable(const struct channel *ch)
{
	struct mem_req *r = dram_front(&ch->dram);
	return r && !port_full(&ch->m->slice[r->place.sub].from_dram) ? r : NULL;
}

// The host is asked for what the next answer will touch in its L2.
static void foresee_return(const struct channel *ch)
{
	const struct mem_req *r = dram_front(&ch->dram);
	if (r && ch->m->slice[r->place.sub].l2)
		cache_foresee_answer(ch->m->slice[r->place.sub].l2, r);
}

static bool channel_step(struct channel *ch, uint64_t tick, uint64_t now)
{
	struct dram *d = &ch->dram;
	bool moved = false;
	struct mem_req *r = deliverable(ch);
	if (r) {
		if (port_full(&d->returns)) { // data behind it stood still until now
			dram_catch_up(d, tick);
			ch->dram_wake = 0;
		}
		return_one(ch, r);
		dram_pop(d);
		moved = true;
	}
	if (ch->dram_wake <= tick || ch->m->all) {
		dram_catch_up(d, tick);
		moved |= dram_tick(d, now);
		foresee_return(ch);
		ch->dram_wake = dram_next(d);
	}
	moved |= arbitrate(ch, now, false);
	moved |= feed_dram(ch, tick, now);
	return moved;
}

static void channel_sleep(struct channel *ch, uint64_t now)
{
	struct memory *m = ch->m;
	const struct mem_req *r = delay_first(&ch->to_dram);
	bool due = is_due(ch, now), soon;
	if (m->simple)
		soon = due && (is_write_back(r) || !port_full(&m->slice[r->place.sub].from_dram));
	else
		soon = deliverable(ch) || (due && !dram_full(&ch->dram, r->write));
	soon |= arbitrate(ch, now, true);
	uint64_t tick = soon ? 0 : m->simple ? NEVER : ch->dram_wake, core = due ? NEVER : delay_over(&ch->to_dram, m->dram_latency);
	m->channel_wake_tick[ch->id] = tick;
	m->channel_wake_core[ch->id] = core;
	if (tick == NEVER && core == NEVER && !m->together)
		clear_bit(m->channels_awake, ch->id);
}

static bool tick_once(struct channel *ch, uint64_t tick, uint64_t now)
{
	bool moved = false;
	if (ch->m->simple)
		for (uint32_t i = 0; i < ch->m->simple_steps; i++)
			moved |= simple_step(ch, now);
	else
		moved = channel_step(ch, tick, now);
	channel_sleep(ch, now);
	return moved;
}

bool channel_tick(struct channel *ch, uint32_t ticks, uint64_t now)
{
	const struct memory *m = ch->m;
	bool moved = false;
	for (uint64_t i = m->dram_ticks; i < m->dram_ticks + ticks; i++)
		if (m->all || channel_due(m, ch->id, i, now))
			moved |= tick_once(ch, i, now);
	return moved;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

bool memory_tick_dram(struct memory *m, uint32_t ticks, uint64_t now)
{
	bool moved = false;
	m->now = now;
	if (m->all)
		for (uint32_t i = 0; i < m->n_channels; i++)
			wake_channel(&m->channel[i]);
	if (m->dram_wake_tick < m->dram_ticks + ticks || m->dram_wake_core <= now) {
		m->dram_wake_tick = m->dram_wake_core = NEVER;
		if (m->awake_unknown)
			find_awake(m);
		for (uint32_t w = 0; w < words(m->n_channels); w++)
			for (uint64_t left = m->channels_awake[w]; left; left &= left - 1) {
				uint32_t i = w * 64 + __builtin_ctzll(left);
				moved |= channel_tick(&m->channel[i], ticks, now);
				m->dram_wake_tick = least(m->channel_wake_tick[i], m->dram_wake_tick);
				m->dram_wake_core = least(m->channel_wake_core[i], m->dram_wake_core);
			}
	}
	m->dram_ticks += ticks;
	return moved;
}

uint64_t memory_next_dram(const struct memory *m, uint64_t *core)
{
	uint64_t next = m->dram_wake_tick;
	*core = m->dram_wake_core;
	if (next == NEVER)
		return NEVER;
	return next <= m->dram_ticks ? 1 : next - m->dram_ticks + 1;
}

void memory_skip_dram(struct memory *m, uint64_t ticks) { m->dram_ticks += ticks; }

void channel_init(struct channel *ch, struct memory *m, uint32_t id)
{
	ch->m = m;
	ch->id = id;
	ch->pool = mem_pool_beside(m->pool, CHANNEL_POOL);
	ch->slice = &m->slice[id * m->n_inner];
	ch->private_credits = mem_alloc(m->n_inner * sizeof *ch->private_credits);
	ch->last = m->n_inner - 1;
	m->channel_wake_core[id] = NEVER;
	snprintf(ch->name, sizeof ch->name, "gpu.dram[%" PRIu32 "]", id);
	dram_init(&ch->dram, &m->dram, ch->name, &ch->latency);
	ch->dram.done = written_back;
	ch->dram.ctx = ch;
	wake_channel(ch);
}

void channel_free(struct channel *ch)
{
	dram_free(&ch->dram);
	mem_free(ch->private_credits);
	delay_free(&ch->to_dram);
	mem_free(ch->line_bytes);
}
