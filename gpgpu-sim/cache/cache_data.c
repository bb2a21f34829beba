// L1 data caches and L2 slices: what reads, writes and atomics do, by the letters of the cache string.
#include "gpgpu-sim/cache/cache_kind.h"

static const char *wrong(const struct cache_config *cfg)
{
	const struct cache_form *f = &cfg->form;
	if (f->line > MEM_MAX_LINE)
		return "a data cache has lines of at most 128 bytes";
	if (cfg->role == CACHE_L1D && f->write == 'T' && f->write_allocate == 'F')
		return "write-through with fetch on write (F) never sends a write that covers its sector; W or L does";
	if (f->mshr == 'F' || f->mshr == 'T' || f->write == 'R')
		return "a data cache has a write policy (B, T, E or L) and associative MSHRs (A or S)";
	return NULL;
}

// ---- Sending down

static void write_back(struct cache *c, const struct access *a, const struct tag_victim *v)
{
	if (!cache_must_write_back(c, v))
		return;
	cache_send_write_back(c, a->r, v, a->now);
	*a->events |= CACHE_SENT_WRITEBACK;
}

// The fetch that a write needs to complete its line; `origin` is the write if it waits for that.
static struct mem_req *fetch_for(struct cache *c, const struct mem_req *r, struct mem_req *origin, uint64_t now)
{
	struct mem_req *f = cache_own_fetch(c, now);
	f->addr = r->addr;
	f->sectors = r->sectors;
	f->mask = r->mask;
	f->sm = r->sm;
	f->warp = r->warp;
	f->lanes = r->lanes;
	f->stream = r->stream;
	f->place = r->place;
	f->origin = origin;
	return f;
}

// ---- Prefetching

static void tell_prefetcher(struct cache *c, const struct access *a, bool miss, bool first_use)
{
	struct prefetch *p = &c->prefetch;
	if (c->prefetches)
		p->ops->seen(p, &(struct prefetch_seen){.r = a->r, .now = a->now, .miss = miss, .first_use = first_use});
}

// An access uses what it hit.
static void found(struct cache *c, const struct access *a)
{
	if (!a->at.line->prefetched || !tag_first_use(a->at.line, a->r->sectors, c->tags.sectored))
		return;
	c->prefetch.count.useful++;
	tell_prefetcher(c, a, false, true);
}

// ---- What an access does

static enum cache_status read_hit(struct cache *c, const struct access *a)
{
	struct tag_victim none;
	found(c, a);
	tag_use(&c->tags, a->at, a->r->addr, a->r->sectors, a->now, c->on_miss, &none);
	if (a->r->atomic) // its read is also a write
		tag_modify(&c->tags, a->at.line, a->r->sectors, &a->r->mask);
	return CACHE_HIT;
}

static enum cache_status read_miss(struct cache *c, const struct access *a)
{
	struct mem_req *r = a->r;
	if (!cache_room_for(c, 1))
		return cache_refuse(c, r, CACHE_MISS_QUEUE_FULL);
	struct mshr_entry *e = mshr_find(&c->mshr, cache_key(c, r));
	if (mshr_full(&c->mshr, e))
		return cache_refuse(c, r, cache_mshr_fail(e));
	struct tag_victim victim;
	// Seen before it is sent: from then on its address is that of the fetch.
	bool late = e && cache_is_prefetch(c, e->sent) && e->n == 1;
	if (late)
		c->prefetch.count.late++;
	tell_prefetcher(c, a, !e, late);
	cache_send_read(c, r, e, a, &victim);
	if (!e)
		*a->events |= CACHE_SENT_READ;
	write_back(c, a, &victim);
	return CACHE_MISS;
}

static enum cache_status write_here(struct cache *c, const struct access *a)
{
	found(c, a);
	tag_write(&c->tags, a->at.line, a->r->sectors, &a->r->mask, a->now);
	return CACHE_HIT;
}

static void send_write(struct cache *c, const struct access *a)
{
	port_push(&c->miss, a->r);
	*a->events |= CACHE_SENT_WRITE;
}

static enum cache_status write_hit(struct cache *c, const struct access *a)
{
	bool evict = c->form.write == 'E' || (c->form.write == 'L' && a->r->type == GLOBAL_ACC_W);
	if (c->form.write == 'B' || (c->form.write == 'L' && !evict))
		return write_here(c, a);
	if (!cache_room_for(c, 0))
		return cache_refuse(c, a->r, CACHE_MISS_QUEUE_FULL);
	found(c, a);
	if (evict)
		tag_drop(&c->tags, a->at.line, a->r->sectors);
	else
		write_here(c, a);
	send_write(c, a);
	return CACHE_HIT;
}

// A line that a write displaced goes down, and reading it out takes the data port. (One that a read displaces takes
// none in GPGPU-Sim.)
static void write_back_for_write(struct cache *c, const struct access *a, const struct tag_victim *v)
{
	if (!cache_must_write_back(c, v))
		return;
	write_back(c, a, v);
	cache_data_port_take(c, v->bytes >> c->port_shift);
}

static bool writes_all(const struct cache *c, const struct mem_req *r)
{
	return mem_bytes_count(&r->mask) == c->atom;
}

// N: the write goes down, the cache keeps nothing of it.
static enum cache_status write_around(struct cache *c, const struct access *a)
{
	if (!cache_room_for(c, 0))
		return cache_refuse(c, a->r, CACHE_MISS_QUEUE_FULL);
	send_write(c, a);
	return CACHE_MISS;
}

// W: the write goes down and so does a read of its line. F: the write waits for the read of its line.
static enum cache_status write_and_fetch(struct cache *c, const struct access *a, bool waits)
{
	struct mem_req *r = a->r;
	struct mshr_entry *e = mshr_find(&c->mshr, cache_key(c, r));
	if (!cache_room_for(c, waits ? 1 : 2))
		return cache_refuse(c, r, CACHE_MISS_QUEUE_FULL);
	if (mshr_full(&c->mshr, e))
		return cache_refuse(c, r, cache_mshr_fail(e));
	if (!waits)
		send_write(c, a);
	struct tag_victim victim;
	cache_send_read(c, fetch_for(c, r, waits ? r : NULL, a->now), e, a, &victim);
	if (waits) {
		struct tag_line *l = a->at.line;
		l->modified_on_fill |= c->tags.sectored ? r->sectors : 1;
		l->dirty_on_fill = true;
	}
	*a->events |= CACHE_SENT_ALLOCATE;
	write_back_for_write(c, a, &victim);
	return CACHE_MISS;
}

// F with a whole sector or line: nothing to fetch.
static enum cache_status write_whole(struct cache *c, const struct access *a)
{
	if (!cache_room_for(c, 0))
		return cache_refuse(c, a->r, CACHE_MISS_QUEUE_FULL);
	struct tag_victim victim;
	tag_use(&c->tags, a->at, a->r->addr, a->r->sectors, a->now, c->on_miss, &victim);
	tag_modify(&c->tags, a->at.line, a->r->sectors, &a->r->mask);
	write_back_for_write(c, a, &victim);
	return CACHE_MISS;
}

// L: the bytes are written, and what else the sector lacks is fetched when it is read.
static enum cache_status write_lazily(struct cache *c, const struct access *a)
{
	struct mem_req *r = a->r;
	if (!cache_room_for(c, 0))
		return cache_refuse(c, r, CACHE_MISS_QUEUE_FULL);
	if (c->form.write == 'T')
		send_write(c, a);
	struct tag_victim victim;
	tag_use(&c->tags, a->at, r->addr, r->sectors, a->now, c->on_miss, &victim);
	tag_modify(&c->tags, a->at.line, r->sectors, &r->mask);
	struct tag_line *l = a->at.line;
	unsigned s = c->tags.sectored ? r->sectors : 1;
	bool whole = writes_all(c, r);
	if (a->at.status == CACHE_HIT_RESERVED) { // a fetch is under way and will complete the sector
		l->modified_on_fill |= s;
		l->dirty_on_fill = true;
		if (!whole)
			l->readable_on_fill |= s;
	}
	l->readable = whole ? l->readable | s : l->readable & ~s;
	tag_update_readable(&c->tags, a->at.line, r->sectors);
	write_back_for_write(c, a, &victim);
	return CACHE_MISS;
}

static enum cache_status write_miss(struct cache *c, const struct access *a)
{
	switch (c->form.write_allocate) {
	case 'W':
		return write_and_fetch(c, a, false);
	case 'F':
		return writes_all(c, a->r) ? write_whole(c, a) : write_and_fetch(c, a, true);
	case 'L':
		return write_lazily(c, a);
	default:
		return write_around(c, a);
	}
}

static enum cache_status access(struct cache *c, struct mem_req *r, uint64_t now, unsigned *events)
{
	struct access x = {.r = r, .where = cache_where(c, r), .now = now, .events = events}, *a = &x;
	x.at = tag_probe(&c->tags, r->addr, x.where, r->sectors, r->write);
	enum cache_status probe = a->at.status, status;
	bool write = a->r->write;
	if (probe == CACHE_HIT)
		status = write ? write_hit(c, a) : read_hit(c, a);
	else if (probe == CACHE_RESERVATION_FAIL && !(write && c->form.write_allocate == 'N'))
		status = cache_refuse(c, a->r, CACHE_LINE_ALLOC_FAIL);
	else
		status = write ? write_miss(c, a) : read_miss(c, a);
	if (status == CACHE_HIT)
		cache_data_port_take(c, (a->r->bytes + (1u << c->port_shift) - 1) >> c->port_shift);
	return cache_count(c, a->r, probe, status);
}

const struct cache_kind cache_data = {.name = "data", .wrong = wrong, .access = access, CACHE_MSHR_KIND};

void cache_hold_data_port(struct cache *c, uint32_t cycles) { cache_data_port_take(c, cycles); }
