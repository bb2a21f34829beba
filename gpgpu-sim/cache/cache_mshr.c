// What kinds with MSHRs have in common: a read that missed waits in an MSHR for its line or sector, the first one goes
// down for it through the queue of misses, and all come back when the data came.
#include "gpgpu-sim/cache/cache_kind.h"

#include <stdio.h>

void cache_mshr_init(struct cache *c)
{
	mshr_init(&c->mshr, c->form.mshr_entries, c->form.mshr_merges);
	// A write miss may need three places; see cache_room_for.
	port_init(&c->miss, (c->form.miss_queue > 3 ? c->form.miss_queue : 3) + 1);
}

void cache_mshr_free(struct cache *c)
{
	mshr_free(&c->mshr);
	port_free(&c->miss);
	prefetch_free(&c->prefetch);
}

// ---- Sending down

void cache_send_write_back(struct cache *c, const struct mem_req *r, const struct tag_victim *v, uint64_t now)
{
	struct mem_req *wb = mem_req_new(c->pool);
	wb->addr = v->addr;
	wb->bytes = v->bytes;
	wb->type = c->writeback_type;
	wb->sectors = v->sectors;
	wb->mask = v->mask;
	wb->incomplete = v->incomplete;
	wb->write = true;
	wb->sm = r->sm;
	wb->lanes = r->lanes;
	wb->stream = r->stream;
	wb->place = r->place;
	wb->created = now;
	port_push(&c->miss, wb);
}

struct mem_req *cache_own_fetch(struct cache *c, uint64_t now)
{
	struct mem_req *f = mem_req_new(c->pool);
	f->bytes = c->atom;
	f->type = c->fetch_type;
	f->l1_allocates = true;
	f->created = now;
	return f;
}

// Which of a request's entries is that of this cache.
static unsigned level(const struct cache *c, const struct mem_req *r)
{
	return c->role != CACHE_L2 ? 0 : r->l2_way == L2_COPY ? 2 : 1;
}

void cache_send_read(struct cache *c, struct mem_req *r, struct mshr_entry *e, const struct access *a, struct tag_victim *victim)
{
	struct tag_at at = a->at;
	tag_use(&c->tags, at, r->addr, r->sectors, a->now, c->on_miss, victim);
	if (e) {
		cache_counts_of(c, r)->n[r->type][CACHE_MSHR_HIT]++;
		// The line was lost while its fetch was under way, so the fetch fills the new one.
		if (c->on_miss && at.status != CACHE_HIT_RESERVED) {
			e->line = at.line;
			if (e->ready)
				tag_fill_line(&c->tags, at.line, r->addr, r->sectors, &r->mask);
		}
		mshr_wait(e, r);
		return;
	}
	uint64_t key = cache_key(c, r);
	e = mshr_add(&c->mshr, key);
	e->sent = r;
	e->offset = (uint16_t)(r->addr - key);
	e->bytes = (uint16_t)r->bytes;
	e->line = c->on_miss ? at.line : NULL;
	e->pending = (uint16_t)c->answers;
	r->entry[level(c, r)] = (uint32_t)(e - c->mshr.entry);
	r->placed &= r->addr == key;
	r->addr = key;
	r->bytes = c->atom;
	port_push(&c->miss, r);
	mshr_wait(e, r);
}

// What is wanted first is fetched, if the cache lacks it and has an MSHR and a line for it; else it is forgotten. It waits
// for room in the miss queue only, which the ticks make. False if it does.
static bool prefetch_one(struct cache *c)
{
	struct prefetch *p = &c->prefetch;
	const struct prefetch_want *w = RING_FRONT(&p->want);
	if (!cache_room_for(c, 1)) // for the fetch and a line that it displaces
		return false;
	struct access a = {.where = c->role == CACHE_L2 ? w->place.offset : w->addr, .now = w->now};
	a.at = tag_probe(&c->tags, w->addr, a.where, w->sectors, false);
	bool lacks = a.at.status == CACHE_MISS || a.at.status == CACHE_SECTOR_MISS;
	if (a.at.status == CACHE_HIT || a.at.status == CACHE_HIT_RESERVED || (lacks && mshr_find(&c->mshr, cache_key_of(c, w->addr)))) {
		p->count.needless++;
	} else if (!lacks || mshr_full(&c->mshr, NULL)) {
		p->count.dropped++;
	} else {
		struct mem_req *f = cache_own_fetch(c, w->now);
		struct tag_victim victim;
		f->prefetch = true;
		f->addr = w->addr;
		f->sectors = w->sectors;
		f->sm = w->sm;
		f->stream = w->stream;
		f->pc_line = w->pc_line;
		f->place = w->place;
		cache_send_read(c, f, NULL, &a, &victim);
		if (cache_must_write_back(c, &victim))
			cache_send_write_back(c, f, &victim, w->now);
		p->count.sent++;
		c->head.version++;
	}
	RING_DROP(&p->want);
	return true;
}

// ---- Time

bool cache_mshr_tick(struct cache *c)
{
	bool moved = c->head.data_busy | c->head.fill_busy;
	cache_ports_pass(c, 1);
	if (!c->head.sends)
		return moved;
	struct mem_req *r = port_first(&c->miss);
	if (r && !c->below.full(c->below.ctx, r)) {
		port_pop(&c->miss);
		c->below.push(c->below.ctx, r);
		c->head.version++;
		moved = true;
	}
	if (c->prefetches && c->prefetch.want.n)
		moved |= prefetch_one(c);
	cache_mshr_look(c);
	return moved;
}

bool cache_mshr_idle(const struct cache *c) { return !(c->head.sends | c->head.data_busy | c->head.fill_busy); }
bool cache_mshr_quiet(const struct cache *c) { return !(c->mshr.n | c->miss.n | c->prefetch.want.n); }

// ---- Answers

// The entry that has sent r down, NULL if none has.
static struct mshr_entry *entry_of(const struct cache *c, const struct mem_req *r)
{
	const uint32_t i = r->entry[level(c, r)];
	HEDDLE_ASSERT(i < c->mshr.limit);
	struct mshr_entry *e = &c->mshr.entry[i];
	return e->sent == r ? e : NULL;
}

// The entry that r answers; *whole: r is the request itself, not a sector of it.
static struct mshr_entry *entry_for(const struct cache *c, const struct mem_req *r, bool *whole)
{
	struct mshr_entry *e = entry_of(c, r);
	*whole = e;
	return e || !c->split || !r->origin ? e : entry_of(c, r->origin);
}

void cache_mshr_foresee_answer(const struct cache *c, const struct mem_req *r)
{
	if (c->split && r->origin) {
		__builtin_prefetch((const char *)r->origin + 64);
		return;
	}
	__builtin_prefetch(&c->mshr.entry[r->entry[level(c, r)]], 1);
	mshr_foresee(&c->mshr, cache_key(c, r));
}

void cache_mshr_expect_answer(const struct cache *c, const struct mem_req *r)
{
	bool whole;
	const struct mshr_entry *e = entry_for(c, r, &whole);
	if (e && e->line)
		__builtin_prefetch(e->line, 1);
}

bool cache_mshr_waits_for(const struct cache *c, const struct mem_req *r)
{
	bool whole;
	return entry_for(c, r, &whole) != NULL;
}

void cache_mshr_fill(struct cache *c, struct mem_req *r, uint64_t now)
{
	bool whole;
	struct mshr_entry *e = entry_for(c, r, &whole);
	HEDDLE_ASSERT(e);
	if (!whole) {
		mem_req_free(c->pool, r);
		if (--e->pending)
			return;
		r = e->sent;
	}
	r->addr = e->key + e->offset;
	r->bytes = e->bytes;
	if (!e->line)
		tag_fill(&c->tags, e->key, cache_where(c, r), r->sectors, &r->mask, r->write, now);
	else if (tag_fill_line(&c->tags, e->line, e->key, r->sectors, &r->mask) && e->atomic)
		tag_modify(&c->tags, e->line, r->sectors, &r->mask);
	cache_fill_port_take(c, c->atom >> c->port_shift);
	if (!cache_is_prefetch(c, r)) {
		mshr_ready(&c->mshr, e);
		cache_mshr_look(c);
		return;
	}
	// Nobody takes a prefetch as an access.
	if (e->n == 1)
		tag_mark_prefetched(&c->tags, e->key, r->sectors);
	if (mshr_leave(&c->mshr, e))
		mshr_ready(&c->mshr, e);
	cache_mshr_look(c);
	if (c->below.done)
		c->below.done(c->below.ctx, r);
	else
		mem_req_free(c->pool, r);
}

struct mem_req *cache_mshr_next_access(struct cache *c)
{
	struct mem_req *r = mshr_next(&c->mshr);
	cache_mshr_look(c);
	return r;
}

// ---- Looking

static const struct mem_req *oldest_waiter(const struct cache *c)
{
	const struct mem_req *oldest = NULL;
	for (uint32_t i = 0; i < c->mshr.fresh; i++) {
		const struct mem_req *r = c->mshr.entry[i].first;
		if (r && (!oldest || r->created < oldest->created))
			oldest = r;
	}
	return oldest;
}

int cache_mshr_describe(const struct cache *c, char *buf, unsigned len)
{
	int n = snprintf(buf, len, "%s: MSHRs %u/%u%s, miss queue %u/%u%s", c->name, c->mshr.n, c->mshr.limit,
	                 c->mshr.n >= c->mshr.limit ? " full" : "", c->miss.n, c->form.miss_queue,
	                 cache_room_for(c, 0) ? "" : " full");
	const struct mem_req *r = oldest_waiter(c);
	if (r && n >= 0 && n < len)
		n += snprintf(buf + n, len - n, ", oldest waits for 0x%llx (%s, request %u)", (unsigned long long)r->addr,
		              mem_access_name[r->type], r->serial);
	return n;
}
