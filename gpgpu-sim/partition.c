#include "gpgpu-sim/partition.h"

#include "base/mem.h"
#include "base/option_forms.h"
#include "gpgpu-sim/dram.h"
#include "gpgpu-sim/dram_sched.h"
#include "gpgpu-sim/trace.h"

#include <inttypes.h>
#include <stdio.h>

#define NEVER UINT64_MAX

// Requests that wait a fixed time, in order; chained by mem_req.next.
struct delay {
	struct mem_req *first, *last;
	uint32_t n;
};

struct slice { // a sub-partition
	struct memory *m;
	struct channel *ch;
	uint32_t id, inner;             // of the GPU; of the channel
	struct cache *l2;               // NULL: none
	struct delay rop;
	struct port from_icnt, to_dram, from_dram, to_icnt;
	uint64_t copy_offset;           // GPGPU-Sim lets L2's time run ahead by one for each sector that the host copied
	uint64_t ticked;                // L2 ticks that the L2 has seen
	bool full;                      // counted in memory.n_full
	bool refused;                   // L2 refused the first of from_icnt in the last tick: it is tried and counted in every tick
	uint32_t trace;                 // debug streams that concern it
	char name[40];
};

struct channel {
	struct memory *m;
	uint32_t id;
	struct slice *slice;            // the first of its n_inner
	struct dram dram;
	struct delay to_dram;           // -dram_latency
	// Credits: room in the DRAM's queues that slices may take; each has one for itself, the rest is shared.
	uint32_t *private_credits, shared_credits;
	uint32_t last;                  // slice that took the last one
	uint32_t n_asking;              // requests in to_dram of its slices
	uint64_t dram_wake;             // tick from which the DRAM itself can do something
	char name[24];
};

struct memory {
	struct mem_pool *pool;
	struct addr_map *map;
	struct cache_form l2_form;
	struct dram_config dram;
	uint32_t n_channels, n_inner, n_slices;
	uint32_t shared_limit;          // 0: none
	uint32_t room;                  // free entries that a push needs
	uint32_t rop_latency, dram_latency;
	bool split, texture_only, ideal, simple, host_copies, latency_stat, all;
	uint32_t simple_steps;
	struct slice *slice;
	struct channel *channel;
	uint64_t l2_ticks, dram_ticks;
	uint64_t *answers, *slices_awake, *channels_awake; // bit sets
	// From when on something can move, side by side since every tick looks at them: core cycles and DRAM ticks; 0: at once.
	uint64_t *slice_wake, *channel_wake_core, *channel_wake_tick;
	uint64_t awaited;               // requests inside that somebody waits for
	uint64_t inside;                // all requests inside
	struct memory_latency latency;
	const struct trace *trace;
	uint32_t n_full;                // slices without room for a request that is split, sleeping ones too
	uint64_t now;                   // core cycle of the last tick
	uint64_t *line_bytes;
	uint32_t n_lines;
};

static void set_bit(uint64_t *set, uint32_t i) { set[i / 64] |= 1ull << i % 64; }
static void clear_bit(uint64_t *set, uint32_t i) { set[i / 64] &= ~(1ull << i % 64); }
static uint32_t words(uint32_t bits) { return (bits + 63) / 64; }

static void delay_push(struct delay *q, struct mem_req *r)
{
	r->next = NULL;
	*(q->last ? &q->last->next : &q->first) = r;
	q->last = r;
	q->n++;
}

static struct mem_req *delay_pop(struct delay *q)
{
	struct mem_req *r = q->first;
	q->first = r->next;
	if (!q->first)
		q->last = NULL;
	r->next = NULL;
	q->n--;
	return r;
}

static void wake_slice(struct slice *s, uint64_t at)
{
	if (at < s->m->slice_wake[s->id])
		s->m->slice_wake[s->id] = at;
	set_bit(s->m->slices_awake, s->id);
}

static void wake_channel(struct channel *ch)
{
	ch->m->channel_wake_tick[ch->id] = 0;
	set_bit(ch->m->channels_awake, ch->id);
}

static void ask_dram(struct slice *s, struct mem_req *r)
{
	port_push(&s->to_dram, r);
	s->ch->n_asking++;
	wake_channel(s->ch);
}

static void note(const struct slice *s, enum trace_stream stream, const struct mem_req *r, const char *what)
{
	trace_line(s->m->trace, stream, s->m->now, "%s: request %" PRIu32 ", %s 0x%" PRIx64 " of core %u %s", s->name, r->serial,
	           mem_access_name[r->type], r->addr, (unsigned)r->sm, what);
}

static void send_answer(struct slice *s, struct mem_req *r)
{
	if (s->trace & TRACE_BIT(MEMORY_SUBPARTITION_UNIT))
		note(s, TRACE_MEMORY_SUBPARTITION_UNIT, r, "is answered");
	r->reply = true;
	port_push(&s->to_icnt, r);
	set_bit(s->m->answers, s->id);
}

// Made by L2 itself: nobody waits for it.
static bool is_own(const struct mem_req *r) { return r->type == L2_WRBK_ACC || r->type == L2_WR_ALLOC_R; }
static bool is_write_back(const struct mem_req *r) { return r->type == L1_WRBK_ACC || r->type == L2_WRBK_ACC; }

static void leave(struct memory *m, const struct mem_req *r)
{
	m->inside--;
	m->awaited -= !is_own(r);
}

static void finish(struct memory *m, struct mem_req *r)
{
	leave(m, r);
	mem_req_free(m->pool, r);
}

// --- The side of the interconnect ---

static bool full_room(const struct slice *s) { return port_room(&s->from_icnt) >= s->m->room; }

bool memory_has_room(const struct memory *m, unsigned sub) { return full_room(&m->slice[sub]); }

unsigned memory_n_full(const struct memory *m) { return m->n_full; }

static void from_icnt_changed(struct slice *s)
{
	bool full = !full_room(s);
	s->m->n_full += (uint32_t)full - (uint32_t)s->full;
	s->full = full;
}

static unsigned sector_of(uint64_t addr) { return 1u << addr % MEM_MAX_LINE / MEM_SECTOR; }

// Which sectors a request is split into; 0: it goes as it is. The constant cache asks for half lines and names no sectors.
static unsigned parts_of(const struct memory *m, const struct mem_req *r)
{
	unsigned all = (1u << MEM_LINE_SECTORS) - 1, named = r->sectors & all;
	if (!m->split || (r->bytes <= MEM_SECTOR && __builtin_popcount(named) <= 1))
		return 0;
	if (r->bytes == MEM_MAX_LINE)
		return all;
	if (r->bytes == 2 * MEM_SECTOR && (named == all || !named))
		return r->addr % MEM_MAX_LINE ? 0xc : 0x3;
	return named ? named : sector_of(r->addr);
}

unsigned memory_parts(const struct memory *m, const struct mem_req *r)
{
	unsigned p = parts_of(m, r);
	return p ? __builtin_popcount(p) : 1;
}

// Bits 32 i to 32 i + 31 of the bytes of a line.
static void keep_sector(struct mem_bytes *b, unsigned i)
{
	uint64_t half = (i & 1 ? 0xffffffff00000000u : 0xffffffffu) & b->w[i / 2];
	*b = (struct mem_bytes){{0}};
	b->w[i / 2] = half;
}

static struct mem_req *part(struct memory *m, const struct slice *s, struct mem_req *r, unsigned sector, bool last, uint64_t now)
{
	struct mem_req *p = mem_req_new(m->pool);
	uint32_t serial = p->serial;
	*p = *r;
	p->serial = serial;
	p->next = NULL;
	p->addr = r->addr / MEM_MAX_LINE * MEM_MAX_LINE + sector * MEM_SECTOR;
	p->bytes = MEM_SECTOR;
	p->sectors = 1u << sector;
	keep_sector(&p->mask, sector);
	p->atomic = r->atomic && last;
	p->created = now;
	p->origin = r->write ? NULL : r;
	addr_map_place(m->map, p->addr, &p->place);
	p->place.channel = s->ch->id;
	p->place.sub = s->id;
	return p;
}

// Textures pass the ROP by, unless they were split: GPGPU-Sim forgets what a part is for.
static void enter(struct slice *s, struct mem_req *r, bool texture, uint64_t now)
{
	struct memory *m = s->m;
	m->inside++;
	m->awaited++;
	r->t_mem = now;
	if (s->trace & TRACE_BIT(MEMORY_SUBPARTITION_UNIT))
		note(s, TRACE_MEMORY_SUBPARTITION_UNIT, r, "arrives");
	if (texture && !port_full(&s->from_icnt)) {
		port_push(&s->from_icnt, r);
		from_icnt_changed(s);
		wake_slice(s, 0);
		return;
	}
	delay_push(&s->rop, r);
	wake_slice(s, now + m->rop_latency);
}

static bool is_texture(const struct memory *m, const struct mem_req *r)
{
	return r->type == TEXTURE_ACC_R && !parts_of(m, r) && !(m->split && r->origin);
}

static void count_arrival(struct memory *m, const struct mem_req *r, uint64_t now)
{
	struct memory_latency *l = &m->latency;
	uint64_t wait = now - r->created;
	l->tot_icnt2mem += wait;
	l->icnt2mem_table[latency_bin(wait)]++;
	if (wait > l->max_icnt2mem)
		l->max_icnt2mem = wait;
}

void memory_push(struct memory *m, unsigned sub, struct mem_req *r, uint64_t now)
{
	struct slice *s = &m->slice[sub];
	HEDDLE_ASSERT(full_room(s) && r->place.sub == sub);
	if (m->latency_stat)
		count_arrival(m, r, now);
	unsigned sectors = parts_of(m, r);
	if (!sectors) {
		if (m->split && !r->sectors)
			r->sectors = sector_of(r->addr);
		enter(s, r, is_texture(m, r), now);
		return;
	}
	for (unsigned i = 0; i < MEM_LINE_SECTORS; i++)
		if (sectors >> i & 1)
			enter(s, part(m, s, r, i, !(sectors >> (i + 1)), now), false, now);
	if (r->write)
		mem_req_free(m->pool, r);
}

struct mem_req *memory_front(struct memory *m, unsigned sub) { return port_first(&m->slice[sub].to_icnt); }

struct mem_req *memory_pop(struct memory *m, unsigned sub)
{
	struct slice *s = &m->slice[sub];
	if (port_full(&s->to_icnt))
		wake_slice(s, 0);
	struct mem_req *r = port_pop(&s->to_icnt);
	if (port_empty(&s->to_icnt))
		clear_bit(m->answers, sub);
	leave(m, r);
	return r;
}

// --- A sub-partition's cycle ---

static bool below_full(void *ctx, const struct mem_req *r) { return port_full(&((struct slice *)ctx)->to_dram); }

// L2 sends down reads that missed, and requests of its own, which have no place yet.
static void below_push(void *ctx, struct mem_req *r)
{
	struct slice *s = ctx;
	if (is_own(r)) {
		addr_map_place(s->m->map, r->addr, &r->place);
		r->place.channel = s->ch->id;
		r->place.sub = s->id;
		s->m->inside++;
	}
	ask_dram(s, r);
}

// What L2 is done with is answered; nobody waits for a write-back.
static void answer(struct slice *s, struct mem_req *r)
{
	if (r->type == L1_WRBK_ACC)
		finish(s->m, r);
	else
		send_answer(s, r);
}

// Misses whose data came go back as answers.
static bool answer_filled(struct slice *s)
{
	if (!cache_access_ready(s->l2) || port_full(&s->to_icnt))
		return false;
	struct mem_req *r = cache_next_access(s->l2);
	if (r->type != L2_WR_ALLOC_R) {
		send_answer(s, r);
		return true;
	}
	if (r->origin)
		answer(s, r->origin);
	// One that found its sector on the way already never left L2.
	if (r->reply)
		finish(s->m, r);
	else
		mem_req_free(s->m->pool, r);
	return true;
}

static bool take_from_dram(struct slice *s, uint64_t now)
{
	struct mem_req *r = port_first(&s->from_dram);
	if (!r)
		return false;
	if (s->l2 && cache_waits_for(s->l2, r)) {
		if (!cache_fill_port_free(s->l2))
			return false;
		cache_fill(s->l2, r, now + s->copy_offset);
	} else {
		if (port_full(&s->to_icnt))
			return false;
		send_answer(s, r);
	}
	port_pop(&s->from_dram);
	wake_channel(s->ch);
	return true;
}

static bool is_for_l2(const struct slice *s, const struct mem_req *r)
{
	return s->l2 && (!s->m->texture_only || is_texture(s->m, r));
}

static const char *const status_text[] = {
#define X(name) "in L2: " #name,
	CACHE_STATUSES(X)
#undef X
};

static bool access_l2(struct slice *s, struct mem_req *r, uint64_t now)
{
	unsigned events = 0;
	if (port_full(&s->to_icnt))
		return false;
	if (s->m->ideal) {
		answer(s, r);
		return true;
	}
	if (!cache_data_port_free(s->l2))
		return false;
	enum cache_status status = cache_access(s->l2, r, now + s->copy_offset, &events);
	s->refused = status == CACHE_RESERVATION_FAIL;
	if (s->trace & TRACE_BIT(MEMORY_SUBPARTITION_UNIT))
		note(s, TRACE_MEMORY_SUBPARTITION_UNIT, r, status_text[status]);
	if (!s->refused && !cache_took(status, r->write, events))
		answer(s, r);
	return !s->refused;
}

static bool take_request(struct slice *s, uint64_t now)
{
	struct mem_req *r = port_first(&s->from_icnt);
	if (!r || port_full(&s->to_dram))
		return false;
	if (is_for_l2(s, r)) {
		if (!access_l2(s, r, now))
			return false;
	} else {
		ask_dram(s, r);
	}
	port_pop(&s->from_icnt);
	from_icnt_changed(s);
	return true;
}

static bool leave_rop(struct slice *s, uint64_t now)
{
	struct mem_req *r = s->rop.first;
	if (!r || now < r->t_mem + s->m->rop_latency || port_full(&s->from_icnt))
		return false;
	port_push(&s->from_icnt, delay_pop(&s->rop));
	from_icnt_changed(s);
	return true;
}

// Brings the statistics of an L2 that slept up to the present: its ports, and an access refused in every tick.
static void settle(struct slice *s)
{
	uint64_t n = s->m->l2_ticks - s->ticked;
	if (!s->l2 || s->ticked >= s->m->l2_ticks)
		return;
	cache_skip(s->l2, n);
	if (s->refused)
		cache_count_fails(s->l2, port_first(&s->from_icnt), cache_last_fail(s->l2), n);
	s->ticked = s->m->l2_ticks;
}

// From when on the slice can do something by itself. What a pop or push at either end allows, wakes it then.
static uint64_t slice_next(const struct slice *s, uint64_t now, bool moved)
{
	const struct mem_req *r = s->rop.first;
	uint64_t rop = r ? r->t_mem + s->m->rop_latency : NEVER;
	if (rop <= now)
		rop = port_full(&s->from_icnt) ? NEVER : 0;
	if (!moved)
		return rop;
	bool out = !port_full(&s->to_icnt);
	if (s->l2 && (!cache_idle(s->l2) || (out && cache_access_ready(s->l2))))
		return 0;
	if (!port_empty(&s->from_dram) && (out || s->l2))
		return 0;
	const struct mem_req *first = port_first(&s->from_icnt);
	if (first && !port_full(&s->to_dram) && !s->refused && (out || !is_for_l2(s, first)))
		return 0;
	return rop;
}

static bool slice_tick(struct slice *s, uint64_t now)
{
	bool moved = false;
	struct memory *m = s->m;
	settle(s);
	s->refused = false;
	s->ticked = m->l2_ticks + 1;
	if (s->l2)
		moved |= answer_filled(s);
	moved |= take_from_dram(s, now);
	if (s->l2)
		moved |= cache_tick(s->l2);
	moved |= take_request(s, now);
	moved |= leave_rop(s, now);
	m->slice_wake[s->id] = slice_next(s, now, moved);
	if (m->slice_wake[s->id] == NEVER)
		clear_bit(m->slices_awake, s->id);
	return moved;
}

bool memory_tick_l2(struct memory *m, uint64_t now)
{
	bool moved = false;
	m->now = now;
	if (m->all)
		for (uint32_t i = 0; i < m->n_slices; i++)
			wake_slice(&m->slice[i], 0);
	for (uint32_t w = 0; w < words(m->n_slices); w++)
		for (uint64_t left = m->slices_awake[w]; left; left &= left - 1) {
			uint32_t i = w * 64 + __builtin_ctzll(left);
			if (m->slice_wake[i] <= now)
				moved |= slice_tick(&m->slice[i], now);
		}
	m->l2_ticks++;
	return moved;
}

uint64_t memory_next_l2(const struct memory *m, uint64_t now)
{
	uint64_t next = NEVER;
	for (uint32_t w = 0; w < words(m->n_slices); w++)
		for (uint64_t left = m->slices_awake[w]; left; left &= left - 1) {
			uint64_t at = m->slice_wake[w * 64 + __builtin_ctzll(left)];
			next = at < next ? at : next;
		}
	return next;
}

void memory_skip_l2(struct memory *m, uint64_t ticks) { m->l2_ticks += ticks; }

// --- A channel's tick ---

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
	finish(ch->m, r);
}

static bool return_one(struct channel *ch, struct mem_req *r)
{
	struct slice *s = &ch->m->slice[r->place.sub];
	if (port_full(&s->from_dram))
		return false;
	port_push(&s->from_dram, r);
	if (s->trace & TRACE_BIT(MEMORY_PARTITION_UNIT))
		note(s, TRACE_MEMORY_PARTITION_UNIT, r, "comes back from DRAM");
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
		r->t_dram = now;
		if (s->trace & TRACE_BIT(MEMORY_PARTITION_UNIT))
			note(s, TRACE_MEMORY_PARTITION_UNIT, r, "goes to DRAM");
		delay_push(&ch->to_dram, r);
		take_credit(ch, k);
		return true;
	}
	return false;
}

static bool is_due(const struct channel *ch, uint64_t now)
{
	return ch->to_dram.first && now >= ch->to_dram.first->t_dram + ch->m->dram_latency;
}

static bool feed_dram(struct channel *ch, uint64_t now)
{
	struct memory *m = ch->m;
	if (!is_due(ch, now) || dram_full(&ch->dram, ch->to_dram.first->write))
		return false;
	struct mem_req *r = delay_pop(&ch->to_dram);
	if (m->line_bytes && r->pc_line < m->n_lines)
		m->line_bytes[r->pc_line] += r->bytes;
	dram_catch_up(&ch->dram, m->dram_ticks + 1);
	dram_push(&ch->dram, r, now);
	ch->dram_wake = 0;
	return true;
}

// -gpgpu_simple_dram_model: -dram_latency, then one answer a tick.
static bool simple_step(struct channel *ch, uint64_t now)
{
	bool moved = false;
	if (is_due(ch, now)) {
		struct mem_req *r = ch->to_dram.first;
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

static bool channel_step(struct channel *ch, uint64_t now)
{
	struct memory *m = ch->m;
	struct dram *d = &ch->dram;
	bool moved = false;
	struct mem_req *r = deliverable(ch);
	if (r) {
		if (port_full(&d->returns)) { // data behind it stood still until now
			dram_catch_up(d, m->dram_ticks);
			ch->dram_wake = 0;
		}
		return_one(ch, r);
		dram_pop(d);
		moved = true;
	}
	if (ch->dram_wake <= m->dram_ticks || m->all) {
		dram_catch_up(d, m->dram_ticks);
		moved |= dram_tick(d, now);
		ch->dram_wake = dram_next(d);
	}
	moved |= arbitrate(ch, now, false);
	moved |= feed_dram(ch, now);
	return moved;
}

static void channel_sleep(struct channel *ch, uint64_t now)
{
	struct memory *m = ch->m;
	const struct mem_req *r = ch->to_dram.first;
	bool due = is_due(ch, now), soon;
	if (m->simple)
		soon = due && (is_write_back(r) || !port_full(&m->slice[r->place.sub].from_dram));
	else
		soon = deliverable(ch) || (due && !dram_full(&ch->dram, r->write));
	soon |= arbitrate(ch, now, true);
	uint64_t tick = soon ? 0 : m->simple ? NEVER : ch->dram_wake, core = r && !due ? r->t_dram + m->dram_latency : NEVER;
	m->channel_wake_tick[ch->id] = tick;
	m->channel_wake_core[ch->id] = core;
	if (tick == NEVER && core == NEVER)
		clear_bit(m->channels_awake, ch->id);
}

static bool channel_tick(struct channel *ch, uint64_t now)
{
	bool moved = false;
	if (ch->m->simple)
		for (uint32_t i = 0; i < ch->m->simple_steps; i++)
			moved |= simple_step(ch, now);
	else
		moved = channel_step(ch, now);
	channel_sleep(ch, now);
	return moved;
}

bool memory_tick_dram(struct memory *m, uint64_t now)
{
	bool moved = false;
	m->now = now;
	if (m->all)
		for (uint32_t i = 0; i < m->n_channels; i++)
			wake_channel(&m->channel[i]);
	for (uint32_t w = 0; w < words(m->n_channels); w++)
		for (uint64_t left = m->channels_awake[w]; left; left &= left - 1) {
			uint32_t i = w * 64 + __builtin_ctzll(left);
			if (m->channel_wake_tick[i] <= m->dram_ticks || m->channel_wake_core[i] <= now)
				moved |= channel_tick(&m->channel[i], now);
		}
	m->dram_ticks++;
	return moved;
}

uint64_t memory_next_dram(const struct memory *m, uint64_t *core)
{
	uint64_t next = NEVER;
	*core = NEVER;
	for (uint32_t w = 0; w < words(m->n_channels); w++)
		for (uint64_t left = m->channels_awake[w]; left; left &= left - 1) {
			uint32_t i = w * 64 + __builtin_ctzll(left);
			next = m->channel_wake_tick[i] < next ? m->channel_wake_tick[i] : next;
			*core = m->channel_wake_core[i] < *core ? m->channel_wake_core[i] : *core;
		}
	if (next == NEVER)
		return NEVER;
	return next <= m->dram_ticks ? 1 : next - m->dram_ticks + 1;
}

void memory_skip_dram(struct memory *m, uint64_t ticks) { m->dram_ticks += ticks; }

void memory_tick_all(struct memory *m, bool on) { m->all = on; }

const uint64_t *memory_answers(const struct memory *m) { return m->answers; }
bool memory_busy(const struct memory *m) { return m->awaited; }
bool memory_drained(const struct memory *m) { return !m->inside; }

// --- Host copies, flushes ---

void memory_host_copy(struct memory *m, uint64_t addr, uint64_t bytes, uint64_t now)
{
	struct mem_place p;
	if (!m->host_copies || !m->l2_form.present)
		return;
	for (uint64_t a = addr; a - addr < bytes; a += MEM_SECTOR) {
		addr_map_place(m->map, a, &p);
		struct slice *s = &m->slice[p.sub];
		settle(s);
		wake_slice(s, 0);
		cache_fill_direct(s->l2, a, p.offset, sector_of(a), now + s->copy_offset++);
	}
}

static void empty_l2(struct memory *m, void (*how)(struct cache *c))
{
	for (uint32_t i = 0; i < m->n_slices; i++) {
		if (!m->slice[i].l2)
			continue;
		settle(&m->slice[i]);
		wake_slice(&m->slice[i], 0);
		how(m->slice[i].l2);
	}
}

void memory_flush_l2(struct memory *m) { empty_l2(m, cache_flush); }
void memory_invalidate_l2(struct memory *m) { empty_l2(m, cache_invalidate); }

// --- Making ---

static bool refuse(struct diag *d, const char *what)
{
	diag_add(d, DIAG_ERROR, "%s", what);
	return false;
}

static bool read_options(struct memory *m, const struct options *o, int64_t queues[4], struct diag *d)
{
	struct form_error err;
	size_t n;
	if (!form_cache(o->gpgpu_cache_dl2, &m->l2_form, &err)) {
		diag_add(d, DIAG_ERROR, "-gpgpu_cache:dl2: %s", err.why);
		return false;
	}
	if (!form_numbers(o->gpgpu_dram_partition_queues, ':', queues, 4, &n, &err) || n != 4)
		return refuse(d, "-gpgpu_dram_partition_queues: four numbers, icnt->L2:L2->DRAM:DRAM->L2:L2->icnt");
	for (int i = 0; i < 4; i++)
		if (queues[i] < 1 || queues[i] > 65536)
			return refuse(d, "-gpgpu_dram_partition_queues: each queue has 1 to 65536 entries");
	struct cache_config l2 = {.form = m->l2_form, .role = CACHE_L2, .name = "gpu.l2"};
	const char *wrong = m->l2_form.present ? cache_config_wrong(&l2) : NULL;
	if (wrong) {
		diag_add(d, DIAG_ERROR, "-gpgpu_cache:dl2: %s", wrong);
		return false;
	}
	m->n_channels = o->gpgpu_n_mem;
	m->n_inner = o->gpgpu_n_sub_partition_per_mchannel;
	m->n_slices = m->n_channels * m->n_inner;
	// GPGPU-Sim always asks for four entries and stands still with fewer.
	m->room = queues[0] < MEM_LINE_SECTORS ? queues[0] : MEM_LINE_SECTORS;
	m->split = m->l2_form.present && m->l2_form.kind == 'S';
	m->rop_latency = o->gpgpu_l2_rop_latency;
	m->dram_latency = o->dram_latency;
	m->texture_only = o->gpgpu_cache_dl2_texture_only;
	m->ideal = o->l2_ideal;
	m->simple = o->gpgpu_simple_dram_model;
	m->simple_steps = o->gpgpu_simple_dram_clock_multiplier;
	m->host_copies = o->gpgpu_perf_sim_memcpy;
	m->latency_stat = o->gpgpu_memlatency_stat;
	if (!dram_config_init(&m->dram, o, d))
		return false;
	int64_t shared = (int64_t)o->gpgpu_frfcfs_dram_sched_queue_size + o->gpgpu_dram_return_queue_size - (m->n_inner - 1);
	if (m->dram.write_split)
		shared += m->dram.write_queue;
	if (!o->gpgpu_frfcfs_dram_sched_queue_size || !o->gpgpu_dram_return_queue_size)
		shared = 0;
	m->shared_limit = shared > 0 ? shared : 0;
	return true;
}

static void slice_init(struct slice *s, struct channel *ch, uint32_t id, const int64_t queues[4])
{
	struct memory *m = ch->m;
	s->m = m;
	s->ch = ch;
	s->id = id;
	s->inner = id % m->n_inner;
	m->slice_wake[id] = NEVER;
	snprintf(s->name, sizeof s->name, "gpu.l2[%" PRIu32 "]", id);
	port_init(&s->from_icnt, "icnt-to-L2", queues[0]);
	port_init(&s->to_dram, "L2-to-dram", queues[1]);
	port_init(&s->from_dram, "dram-to-L2", queues[2]);
	port_init(&s->to_icnt, "L2-to-icnt", queues[3]);
	if (!m->l2_form.present)
		return;
	struct cache_config c = {.form = m->l2_form, .role = CACHE_L2, .name = s->name};
	s->l2 = cache_new(&c, m->pool, (struct cache_below){s, below_full, below_push});
}

static void channel_init(struct memory *m, uint32_t id)
{
	struct channel *ch = &m->channel[id];
	ch->m = m;
	ch->id = id;
	ch->slice = &m->slice[id * m->n_inner];
	ch->private_credits = mem_alloc(m->n_inner * sizeof *ch->private_credits);
	ch->last = m->n_inner - 1;
	m->channel_wake_core[id] = NEVER;
	snprintf(ch->name, sizeof ch->name, "gpu.dram[%" PRIu32 "]", id);
	dram_init(&ch->dram, &m->dram, ch->name, &m->latency);
	ch->dram.done = written_back;
	ch->dram.ctx = ch;
	wake_channel(ch);
}

struct memory *memory_new(const struct options *o, struct mem_pool *pool, struct diag *d)
{
	int64_t queues[4];
	struct memory *m = MEM_NEW(struct memory);
	m->pool = pool;
	m->map = addr_map_new(o, d);
	if (!m->map || !read_options(m, o, queues, d)) {
		memory_free(m);
		return NULL;
	}
	m->answers = mem_alloc(words(m->n_slices) * sizeof(uint64_t));
	m->slices_awake = mem_alloc(words(m->n_slices) * sizeof(uint64_t));
	m->channels_awake = mem_alloc(words(m->n_channels) * sizeof(uint64_t));
	m->slice_wake = mem_alloc(m->n_slices * sizeof(uint64_t));
	m->channel_wake_core = mem_alloc(m->n_channels * sizeof(uint64_t));
	m->channel_wake_tick = mem_alloc(m->n_channels * sizeof(uint64_t));
	m->slice = mem_alloc(m->n_slices * sizeof *m->slice);
	m->channel = mem_alloc(m->n_channels * sizeof *m->channel);
	for (uint32_t i = 0; i < m->n_channels; i++)
		channel_init(m, i);
	for (uint32_t i = 0; i < m->n_slices; i++)
		slice_init(&m->slice[i], &m->channel[i / m->n_inner], i, queues);
	return m;
}

void memory_free(struct memory *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->slice && i < m->n_slices; i++) {
		struct slice *s = &m->slice[i];
		if (s->l2)
			cache_free(s->l2);
		port_free(&s->from_icnt);
		port_free(&s->to_dram);
		port_free(&s->from_dram);
		port_free(&s->to_icnt);
	}
	for (uint32_t i = 0; m->channel && i < m->n_channels; i++) {
		dram_free(&m->channel[i].dram);
		mem_free(m->channel[i].private_credits);
	}
	mem_free(m->slice);
	mem_free(m->channel);
	mem_free(m->answers);
	mem_free(m->slice_wake);
	mem_free(m->channel_wake_core);
	mem_free(m->channel_wake_tick);
	mem_free(m->slices_awake);
	mem_free(m->channels_awake);
	addr_map_free(m->map);
	mem_free(m);
}

const struct addr_map *memory_map(const struct memory *m) { return m->map; }
unsigned memory_n_sub(const struct memory *m) { return m->n_slices; }
unsigned memory_n_channels(const struct memory *m) { return m->n_channels; }

void memory_reserve_streams(struct memory *m, unsigned n)
{
	for (uint32_t i = 0; i < m->n_slices; i++)
		if (m->slice[i].l2)
			cache_reserve_streams(m->slice[i].l2, n);
}

// --- Statistics ---

const struct dram_stats *memory_dram_stats(struct memory *m, unsigned channel)
{
	struct dram *d = &m->channel[channel].dram;
	if (!m->simple) {
		dram_catch_up(d, m->dram_ticks);
		dram_settle(d);
	}
	return &d->stats;
}

void memory_dram_facts(const struct memory *m, struct dram_facts *out)
{
	const struct dram_config *c = &m->dram;
	*out = (struct dram_facts){
		.n_banks = c->form.nbk, .bus_bytes = c->bus_bytes, .burst_length = c->burst_length, .CL = c->form.CL,
		.RRD = c->form.RRD, .CCD = c->form.CCD, .RCD = c->form.RCD, .RAS = c->form.RAS, .RP = c->form.RP, .RC = c->form.RC,
		.frfcfs = c->sched == &dram_frfcfs,
	};
}

const struct memory_latency *memory_latency(const struct memory *m) { return &m->latency; }
void memory_restart_max_mrqs(struct memory *m, unsigned channel) { m->channel[channel].dram.stats.max_mrqs_temp = 0; }
bool memory_has_l2(const struct memory *m) { return m->l2_form.present; }

static struct cache *present_l2(struct memory *m, unsigned sub)
{
	settle(&m->slice[sub]);
	return m->slice[sub].l2;
}

const struct cache_counts *memory_l2_counts(struct memory *m, unsigned sub, unsigned stream)
{
	struct cache *c = present_l2(m, sub);
	return c ? cache_counts(c, stream) : NULL;
}

void memory_l2_sums(struct memory *m, unsigned sub, struct cache_sums *out)
{
	struct cache *c = present_l2(m, sub);
	*out = (struct cache_sums){0};
	if (c)
		cache_sums(c, out);
}

void memory_l2_sums_since(struct memory *m, unsigned sub, struct cache_sums *out, uint64_t rw[4])
{
	struct cache *c = present_l2(m, sub);
	*out = (struct cache_sums){0};
	rw[0] = rw[1] = rw[2] = rw[3] = 0;
	if (c)
		cache_sums_since(c, out, rw);
}

void memory_count_answer(struct memory *m, const struct mem_req *r, uint64_t now)
{
	if (!m->latency_stat)
		return;
	struct memory_latency *l = &m->latency;
	struct dram_stats *s = &m->channel[r->place.channel].dram.stats;
	struct dram_bank_stats *b = &s->bank[r->place.bank % s->n_banks];
	uint64_t all = now - r->created, back = now - r->t_reply;
	l->window_num++;
	l->window_total += all;
	l->mf_table[latency_bin(all)]++;
	if (all > l->max_mf)
		l->max_mf = all;
	b->mf_total_latency += all;
	if (all > b->mf_max_latency)
		b->mf_max_latency = all;
	l->tot_icnt2sh += back;
	l->icnt2sh_table[latency_bin(back)]++;
	if (back > l->max_icnt2sh)
		l->max_icnt2sh = back;
}

void memory_sample_latency(struct memory *m)
{
	struct memory_latency *l = &m->latency;
	if (!l->window_num)
		return;
	l->mf_total += l->window_total;
	l->num_mfs += l->window_num;
	l->mf_pw_table[latency_bin(l->window_total / l->window_num)]++;
	l->window_total = l->window_num = 0;
}

void memory_count_lines(struct memory *m, uint64_t *bytes, uint32_t n)
{
	m->line_bytes = bytes;
	m->n_lines = n;
}

// --- Reports ---

void memory_watch_dram(struct memory *m, dram_watcher *watch, void *ctx)
{
	for (uint32_t i = 0; i < m->n_channels; i++) {
		m->channel[i].dram.watch = watch;
		m->channel[i].dram.watch_ctx = ctx;
	}
}

struct reporter {
	void (*put)(void *ctx, const char *line);
	void *ctx;
	int n;
};

static void report(struct reporter *to, const char *line)
{
	to->put(to->ctx, line);
	to->n++;
}

static void describe_req(char *buf, size_t len, const struct mem_req *r)
{
	if (!r) {
		*buf = 0;
		return;
	}
	snprintf(buf, len, "; first: #%" PRIu32 " %s 0x%" PRIx64 " of SM %u", r->serial, mem_access_name[r->type], r->addr, (unsigned)r->sm);
}

static void describe_port(struct reporter *to, const char *owner, const struct port *p)
{
	char what[64], first[96], line[256];
	if (port_empty(p))
		return;
	port_describe(p, what, sizeof what);
	describe_req(first, sizeof first, port_first(p));
	snprintf(line, sizeof line, "%s: %s%s%s", owner, what, port_full(p) ? " full" : "", first);
	report(to, line);
}

static void describe_slice(struct reporter *to, const struct slice *s)
{
	char first[96], line[256];
	if (s->rop.n) {
		describe_req(first, sizeof first, s->rop.first);
		snprintf(line, sizeof line, "%s: ROP delay holds %" PRIu32 "%s", s->name, s->rop.n, first);
		report(to, line);
	}
	describe_port(to, s->name, &s->from_icnt);
	describe_port(to, s->name, &s->to_dram);
	describe_port(to, s->name, &s->from_dram);
	describe_port(to, s->name, &s->to_icnt);
	if (s->l2 && !cache_idle(s->l2)) {
		char text[160];
		cache_describe(s->l2, text, sizeof text);
		snprintf(line, sizeof line, "%s: %s", s->name, text);
		report(to, line);
	}
}

static void describe_channel(struct reporter *to, const struct channel *ch)
{
	const struct dram *d = &ch->dram;
	char first[96], line[256];
	if (ch->to_dram.n) {
		describe_req(first, sizeof first, ch->to_dram.first);
		snprintf(line, sizeof line, "%s: latency queue holds %" PRIu32 "%s", ch->name, ch->to_dram.n, first);
		report(to, line);
	}
	if (dram_empty(d))
		return;
	snprintf(line, sizeof line, "%s: %" PRIu32 " requests wait for banks, %" PRIu32 " bursts on their way, %" PRIu32 " of %" PRIu32 " answers wait, shared credits %" PRIu32 "/%" PRIu32,
	         ch->name, d->cfg->sched->pending(d), d->line.n, d->returns.n, d->returns.size, ch->shared_credits, ch->m->shared_limit);
	report(to, line);
	for (uint64_t left = d->busy; left; left &= left - 1) {
		unsigned b = __builtin_ctzll(left);
		describe_req(first, sizeof first, d->bank[b].req->r);
		snprintf(line, sizeof line, "%s: bank %u serves row %" PRIu32 "%s", ch->name, b, d->bank[b].req->row, first);
		report(to, line);
	}
}

void memory_watch(struct memory *m, const struct trace *t)
{
	m->trace = t;
	for (uint32_t i = 0; i < m->n_slices; i++)
		m->slice[i].trace = trace_partition_mask(t, m->slice[i].ch->id);
}

int memory_describe(const struct memory *m, void (*put)(void *ctx, const char *line), void *ctx)
{
	struct reporter to = {put, ctx, 0};
	for (uint32_t i = 0; i < m->n_slices; i++)
		describe_slice(&to, &m->slice[i]);
	for (uint32_t i = 0; i < m->n_channels; i++)
		describe_channel(&to, &m->channel[i]);
	return to.n;
}
