// A sub-partition: requests from the network wait out the ROP delay, enter L2, and go on to DRAM (partition_dram.c) or back
// as answers.
#include "gpgpu-sim/memory/partition_halves.h"

#include <stdio.h>

static void ask_dram(struct slice *s, struct mem_req *r)
{
	port_push(&s->to_dram, r);
	s->ch->n_asking++;
	wake_channel(s->ch);
}

static void send_answer(struct slice *s, struct mem_req *r)
{
	if (r->l2_way == L2_VISIT) {
		halves_answer_copy(s, r);
		return;
	}
	if (s->told >> MEMORY_SUBPARTITION & 1)
		partition_note(s, MEMORY_SUBPARTITION, r, "is answered");
	r->reply = true;
	port_push(&s->to_icnt, r);
	if (!s->m->together)
		set_bit(s->m->answers, s->id);
}

// --- The side of the interconnect ---

static bool full_room(const struct slice *s) { return port_room(&s->from_icnt) >= s->m->room; }

bool memory_has_room(const struct memory *m, unsigned sub) { return full_room(&m->slice[sub]); }

unsigned memory_n_full(const struct memory *m) { return m->n_full; }

static void from_icnt_changed(struct slice *s)
{
	bool full = !full_room(s);
	if (s->m->together)
		s->ch->more_full += (int32_t)full - (int32_t)s->full;
	else
		s->m->n_full += (uint32_t)full - (uint32_t)s->full;
	s->full = full;
}

static unsigned sector_of(uint64_t addr) { return 1u << addr % MEM_MAX_LINE / MEM_SECTOR; }

// Which sectors a request is split into; 0: it goes as it is. The constant cache asks for half lines and names no sectors.
static unsigned parts_of(const struct memory *m, const struct mem_req *r)
{
	unsigned all = (1u << MEM_LINE_SECTORS) - 1, named = r->sectors & all;
	if (!m->split || (r->bytes <= MEM_SECTOR && !(named & (named - 1))))
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
	struct mem_req *p = mem_req_copy(s->ch->pool, r);
	p->addr = r->addr / MEM_MAX_LINE * MEM_MAX_LINE + sector * MEM_SECTOR;
	p->bytes = MEM_SECTOR;
	p->sectors = 1u << sector;
	keep_sector(&p->mask, sector);
	p->atomic = r->atomic && last;
	p->created = now;
	p->origin = r->write ? NULL : r;
	addr_map_in_line(m->map, r->addr, p->addr, &p->place);
	p->place.channel = s->ch->id;
	p->place.sub = s->id;
	return p;
}

// Textures pass the ROP by, unless they were split: GPGPU-Sim forgets what a part is for.
static void enter(struct slice *s, struct mem_req *r, bool texture, uint64_t now)
{
	struct memory *m = s->m;
	s->ch->inside++;
	s->ch->awaited++;
	mem_req_moved(r, MEM_IN_PARTITION, now);
	if (s->told >> MEMORY_SUBPARTITION & 1)
		partition_note(s, MEMORY_SUBPARTITION, r, "arrives");
	if (texture && !port_full(&s->from_icnt)) {
		port_push(&s->from_icnt, r);
		from_icnt_changed(s);
		wake_slice(s, 0);
		return;
	}
	if (r->l2_way == L2_FROM_FAR) {
		halves_enter_from_far(s, r, now);
		return;
	}
	delay_push(&s->rop, r);
	wake_slice(s, now + m->rop_latency);
}

static bool is_texture(const struct memory *m, const struct mem_req *r)
{
	return r->type == TEXTURE_ACC_R && !parts_of(m, r) && !(m->split && r->origin);
}

void memory_push(struct memory *m, unsigned sub, struct mem_req *r, uint64_t now)
{
	struct slice *s = &m->slice[sub];
	HEDDLE_ASSERT(full_room(s) && r->place.sub == sub);
	if (m->latency_stat)
		count_arrival(&s->ch->latency, r, now);
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
		mem_req_free(s->ch->pool, r);
}

void memory_hand(struct memory *m, unsigned sub, struct mem_req *r)
{
	HEDDLE_ASSERT(!m->handed[sub]);
	m->handed[sub] = r;
	call_channel(m, sub >> m->log2_inner);
}

struct mem_req *memory_front(struct memory *m, unsigned sub) { return port_first(&m->slice[sub].to_icnt); }

struct mem_req *memory_pop(struct memory *m, unsigned sub)
{
	struct slice *s = &m->slice[sub];
	if (port_full(&s->to_icnt))
		wake_slice(s, 0);
	struct mem_req *r = port_pop(&s->to_icnt);
	if (port_empty(&s->to_icnt) && !m->together)
		clear_bit(m->answers, sub);
	leave(s->ch, r);
	return r;
}

// --- A sub-partition's cycle ---

static bool below_full(void *ctx, const struct mem_req *r)
{
	return r->l2_way != L2_COPY && port_full(&((struct slice *)ctx)->to_dram);
}

// L2 sends down reads that missed, and requests of its own, which have no place yet.
static void below_push(void *ctx, struct mem_req *r)
{
	struct slice *s = ctx;
	if (r->l2_way == L2_COPY) {
		halves_ask_home(s, r);
		return;
	}
	if (is_own(r)) {
		addr_map_place(s->m->map, r->addr, &r->place);
		r->place.channel = s->ch->id;
		r->place.sub = s->id;
		s->ch->inside++;
	}
	ask_dram(s, r);
}

// A slice fetches ahead only what lies in it.
static bool below_locate(void *ctx, uint64_t addr, struct mem_place *out)
{
	struct slice *s = ctx;
	addr_map_place(s->m->map, addr, out);
	return out->sub == s->id;
}

static void below_done(void *ctx, struct mem_req *r) { finish(((struct slice *)ctx)->ch, r); }

// What L2 is done with is answered; nobody waits for a write-back.
static void answer(struct slice *s, struct mem_req *r)
{
	if (r->type == L1_WRBK_ACC)
		finish(s->ch, r);
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
		finish(s->ch, r);
	else
		mem_req_free(s->ch->pool, r);
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

// The access itself has taken a cycle.
static void work_on_words(struct slice *s, const struct mem_req *r)
{
	const uint32_t words = mem_bytes_count(&r->mask) / 4, n = s->m->atomic_words;
	if (words > n)
		cache_hold_data_port(s->l2, (words + n - 1) / n - 1);
}

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
	if (s->told >> MEMORY_SUBPARTITION & 1)
		partition_note(s, MEMORY_SUBPARTITION, r, status_text[status]);
	if (s->refused)
		return false;
	if (s->m->halves && (r->write || r->atomic))
		halves_drop_copy(s, r);
	if (s->m->atomic_words && (r->atomic || (r->origin && r->origin->atomic)))
		work_on_words(s, r);
	s->copies += r->l2_way == L2_COPY && events & CACHE_SENT_READ;
	if (!cache_took(status, r->write, events))
		answer(s, r);
	return true;
}

static bool take_request(struct slice *s, uint64_t now)
{
	struct mem_req *r = port_first(&s->from_icnt), *past;
	if (s->m->halves && halves_take_visit(s, now, &past)) {
		if (past)
			ask_dram(s, past);
		return true;
	}
	if (!r || port_full(&s->to_dram) || (r->l2_way == L2_COPY && too_many_copies(s)))
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

// The first of q goes to L2, if there is room.
static bool admit(struct slice *s, struct delay *q)
{
	if (port_full(&s->from_icnt))
		return false;
	struct mem_req *r = delay_pop(q);
	port_push(&s->from_icnt, r);
	const struct mem_req *next = delay_first(q), *behind = delay_at(q, 1);
	if (s->l2) {
		cache_expect(s->l2, r->addr, r->place.offset);
		if (next)
			cache_foresee(s->l2, next->addr);
	}
	if (behind) {
		__builtin_prefetch(behind);
		__builtin_prefetch((const char *)behind + 64);
	}
	from_icnt_changed(s);
	return true;
}

static bool leave_rop(struct slice *s, uint64_t now)
{
	return delay_over(&s->rop, s->m->rop_latency) <= now && admit(s, &s->rop);
}

// What passed while it slept: the time of its ports, and an access refused in every tick.
void slice_settle(struct slice *s)
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
	uint64_t rop = delay_over(&s->rop, s->m->rop_latency);
	if (rop <= now)
		rop = port_full(&s->from_icnt) ? NEVER : 0;
	if (s->m->halves) {
		const uint64_t far = halves_next(s);
		rop = far < rop ? far : rop;
	}
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

bool slice_tick(struct slice *s, uint64_t now)
{
	bool moved = false;
	struct memory *m = s->m;
	slice_settle(s);
	s->refused = false;
	s->ticked = m->l2_ticks + 1;
	if (s->l2)
		moved |= answer_filled(s);
	moved |= take_from_dram(s, now);
	if (s->l2)
		moved |= cache_tick(s->l2);
	moved |= take_request(s, now);
	moved |= leave_rop(s, now);
	if (m->halves) {
		moved |= halves_fill(s, now);
		moved |= halves_from_far_due(s, now) && admit(s, &s->from_far);
	}
	m->slice_wake[s->id] = slice_next(s, now, moved);
	if (m->slice_wake[s->id] == NEVER && !m->together)
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
	if (m->l2_wake <= now) {
		m->l2_wake = NEVER;
		if (m->awake_unknown)
			find_awake(m);
		for (uint32_t w = 0; w < words(m->n_slices); w++)
			for (uint64_t left = m->slices_awake[w]; left; left &= left - 1) {
				uint32_t i = w * 64 + __builtin_ctzll(left);
				if (m->slice_wake[i] <= now)
					moved |= slice_tick(&m->slice[i], now);
				m->l2_wake = m->slice_wake[i] < m->l2_wake ? m->slice_wake[i] : m->l2_wake;
			}
	}
	m->l2_ticks++;
	return moved;
}

uint64_t memory_next_l2(const struct memory *m) { return m->l2_wake; }
void memory_skip_l2(struct memory *m, uint64_t ticks) { m->l2_ticks += ticks; }

// --- Host copies, flushes ---

static void put_sector(struct memory *m, uint64_t addr, const struct mem_place *p, bool modified, uint64_t now)
{
	struct slice *s = &m->slice[p->sub];
	slice_settle(s);
	wake_slice(s, 0);
	cache_fill_direct(s->l2, addr, p->offset, sector_of(addr), now + s->copy_offset++);
	if (modified)
		cache_modify_direct(s->l2, addr, p->offset, sector_of(addr), now + s->copy_offset);
}

void memory_touch(struct memory *m, uint64_t addr, bool written, uint64_t now)
{
	struct mem_place place;
	if (!m->l2_form.present)
		return;
	addr -= addr % MEM_SECTOR;
	addr_map_slice(m->map, addr, &place);
	put_sector(m, addr, &place, written, now);
}

void memory_host_copy(struct memory *m, uint64_t addr, uint64_t bytes, bool written, uint64_t now)
{
	enum { AHEAD = 16 }; // sectors that the host is asked for before their turn
	struct mem_place place[AHEAD];
	if (!m->host_copies || !m->l2_form.present)
		return;
	uint64_t n = (bytes + MEM_SECTOR - 1) / MEM_SECTOR;
	for (uint64_t i = 0; i < n + AHEAD; i++) {
		struct mem_place *p = &place[i % AHEAD];
		if (i >= AHEAD)
			put_sector(m, addr + (i - AHEAD) * MEM_SECTOR, p, written && m->copies_modify, now);
		uint64_t a = addr + i * MEM_SECTOR;
		if (i < n)
			addr_map_slice(m->map, a, p);
		if (i < n && a % MEM_MAX_LINE < MEM_SECTOR)
			cache_expect_fill(m->slice[p->sub].l2, a, p->offset);
	}
}

static void empty_l2(struct memory *m, void (*how)(struct cache *c))
{
	for (uint32_t i = 0; i < m->n_slices; i++) {
		if (!m->slice[i].l2)
			continue;
		slice_settle(&m->slice[i]);
		wake_slice(&m->slice[i], 0);
		how(m->slice[i].l2);
	}
}

void memory_flush_l2(struct memory *m) { empty_l2(m, cache_flush); }
void memory_invalidate_l2(struct memory *m) { empty_l2(m, cache_invalidate); }

// --- Making ---

void slice_init(struct slice *s, struct channel *ch, uint32_t id, const int64_t queues[4])
{
	struct memory *m = ch->m;
	s->m = m;
	s->ch = ch;
	s->id = (uint16_t)id;
	s->inner = (uint16_t)(id % m->n_inner);
	m->slice_wake[id] = NEVER;
	snprintf(s->name, sizeof s->name, "gpu.l2[%" PRIu32 "]", id);
	port_init(&s->from_icnt, queues[0]);
	port_init(&s->to_dram, queues[1]);
	port_init(&s->from_dram, queues[2]);
	port_init(&s->to_icnt, queues[3]);
	if (!m->l2_form.present)
		return;
	struct cache_config c = {.form = m->l2_form, .role = CACHE_L2, .name = s->name, .prefetch = m->l2_prefetch};
	s->l2 = cache_new(&c, ch->pool, (struct cache_below){s, below_full, below_push, below_locate, below_done});
}

void slice_free(struct slice *s)
{
	if (s->l2)
		cache_free(s->l2);
	port_free(&s->from_icnt);
	port_free(&s->to_dram);
	port_free(&s->from_dram);
	port_free(&s->to_icnt);
	delay_free(&s->rop);
	delay_free(&s->from_far);
	delay_free(&s->visits);
	delay_free(&s->answered);
}
