#include "gpgpu-sim/cache/cache.h"

#include "base/mem.h"
#include "gpgpu-sim/cache/mshr.h"
#include "gpgpu-sim/cache/tag_array.h"
#include "gpgpu-sim/cache/tex_cache.h"

#include <stdio.h>
#include <string.h>

struct cache {
	struct tag_array tags;
	struct mshr mshr;
	struct port miss;             // requests that go down, oldest first
	struct cache_counts *counts;  // one per stream
	uint64_t version;             // grows with every change that an access could see
	uint64_t atom_mask;           // of addresses of fetches
	uint32_t atom;                // bytes of a fetch: a sector or a line
	uint8_t port_shift;           // log2 of the bytes a port takes in a cycle; it divides the line, a power of two
	uint32_t data_busy, fill_busy; // cycles for which the ports are taken
	uint32_t answers;             // messages in which a fetch comes back
	enum cache_fail last_fail;
	uint8_t fetch_type, writeback_type;
	bool on_miss;                 // lines are allocated by the access that misses, else by the fill
	bool split;                   // the level below answers in sectors, whose origin is the request
	unsigned n_streams;
	enum cache_role role;
	struct cache_form form;
	struct mem_pool *pool;
	struct cache_below below;
	uint64_t port_available, data_port_busy, fill_port_busy;
	struct tex_cache tex;
	struct cache_sums seen;       // at the last cache_sums_since
	uint64_t seen_rw[4];
	const char *name;
};

// ---- Making one

static const char *wrong_for_role(const struct cache_form *f, enum cache_role role)
{
	bool texture = f->mshr == 'F' || f->mshr == 'T';
	switch (role) {
	case CACHE_TEXTURE:
		if (!texture)
			return "a texture cache has a FIFO for its MSHRs (F or T)";
		if (f->write != 'R' || f->allocate != 'm')
			return "a texture cache is read-only (R) and allocates on miss (m)";
		break;
	case CACHE_INST_CONST:
		if (texture || f->write != 'R')
			return "an instruction or constant cache is read-only (R) and has associative MSHRs (A or S)";
		break;
	default:
		if (texture || f->write == 'R')
			return "a data cache has a write policy (B, T, E or L) and associative MSHRs (A or S)";
	}
	return NULL;
}

const char *cache_config_wrong(const struct cache_config *cfg)
{
	const struct cache_form *f = &cfg->form;
	if (!f->present)
		return "there is none";
	if (f->kind == 'S' && f->line != MEM_MAX_LINE)
		return "a sectored cache has lines of 128 bytes";
	if (cfg->role != CACHE_INST_CONST && cfg->role != CACHE_TEXTURE && f->line > MEM_MAX_LINE)
		return "a data cache has lines of at most 128 bytes";
	if (f->ways > TAG_MAX_WAYS || cfg->max_ways > TAG_MAX_WAYS || (uint64_t)f->sets * (cfg->max_ways > f->ways ? cfg->max_ways : f->ways) > 1u << 30)
		return "there are at most 65534 ways, and 2^30 lines";
	if (f->port_width && f->line % f->port_width)
		return "the port width divides the line";
	if (f->allocate != 'm' && (f->write == 'B' || f->write_allocate == 'F' || f->write_allocate == 'L'))
		return "write-back and the write allocations F and L need allocation on miss (m)";
	if (cfg->role == CACHE_L1D && f->write == 'T' && f->write_allocate == 'F')
		return "write-through with fetch on write (F) never sends a write that covers its sector; W or L does";
	if (!f->mshr_entries || !f->mshr_merges)
		return "MSHR entries and merges are at least 1";
	const char *why = wrong_for_role(f, cfg->role);
	return why ? why : set_index_wrong(f->index, f->sets);
}

static void shape(struct cache *c, const struct cache_config *cfg)
{
	HEDDLE_ASSERT(!cache_config_wrong(cfg));
	const struct cache_form *f = &cfg->form;
	c->form = *f;
	c->role = cfg->role;
	c->name = cfg->name;
	c->atom = f->kind == 'S' ? MEM_SECTOR : f->line;
	c->atom_mask = ~(uint64_t)(c->atom - 1);
	c->port_shift = __builtin_ctz(f->port_width ? f->port_width : f->line);
	c->on_miss = f->allocate == 'm';
	c->split = f->mshr == 'S';
	c->answers = c->split && f->line > MEM_SECTOR ? f->line / MEM_SECTOR : 1;
	c->fetch_type = cfg->role == CACHE_L2 ? L2_WR_ALLOC_R : L1_WR_ALLOC_R;
	c->writeback_type = cfg->role == CACHE_L2 ? L2_WRBK_ACC : L1_WRBK_ACC;
	c->last_fail = CACHE_N_FAILS;
	tag_array_init(&c->tags, cfg);
	if (cfg->role == CACHE_TEXTURE) {
		tex_cache_init(&c->tex, f, &c->tags);
	} else {
		mshr_init(&c->mshr, f->mshr_entries, f->mshr_merges);
		// A write miss may need three places; see room_for.
		port_init(&c->miss, "miss queue", (f->miss_queue > 3 ? f->miss_queue : 3) + 1);
	}
}

struct cache *cache_new(const struct cache_config *cfg, struct mem_pool *pool, struct cache_below below)
{
	struct cache *c = MEM_NEW(struct cache);
	c->pool = pool;
	c->below = below;
	shape(c, cfg);
	cache_reserve_streams(c, 1);
	return c;
}

static void free_shape(struct cache *c)
{
	if (c->role == CACHE_TEXTURE) {
		tex_cache_free(&c->tex);
	} else {
		mshr_free(&c->mshr);
		port_free(&c->miss);
	}
	tag_array_free(&c->tags);
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	free_shape(c);
	mem_free(c->counts);
	mem_free(c);
}

void cache_reshape(struct cache *c, const struct cache_config *cfg)
{
	HEDDLE_ASSERT(cache_quiet(c));
	free_shape(c);
	shape(c, cfg);
	c->version++;
}

void cache_reserve_streams(struct cache *c, unsigned n)
{
	if (n <= c->n_streams)
		return;
	c->counts = mem_realloc(c->counts, n * sizeof *c->counts);
	memset(&c->counts[c->n_streams], 0, (n - c->n_streams) * sizeof *c->counts);
	c->n_streams = n;
}

// ---- Counting

static struct cache_counts *counts_of(struct cache *c, const struct mem_req *r)
{
	HEDDLE_ASSERT(r->stream < c->n_streams && r->type < MEM_N_ACCESS_TYPES);
	return &c->counts[r->stream];
}

static enum cache_status refuse(struct cache *c, const struct mem_req *r, enum cache_fail why)
{
	c->last_fail = why;
	counts_of(c, r)->fail[r->type][why]++;
	return CACHE_RESERVATION_FAIL;
}

// An accepted access counts as what its tags said if the line was on its way or lacked the sector, else as its outcome.
static enum cache_status count(struct cache *c, const struct mem_req *r, enum cache_status probe, enum cache_status access)
{
	enum cache_status as = access;
	if (probe == CACHE_HIT_RESERVED && access != CACHE_RESERVATION_FAIL)
		as = probe;
	else if (probe == CACHE_SECTOR_MISS && access == CACHE_MISS)
		as = probe;
	counts_of(c, r)->n[r->type][as]++;
	c->version += access != CACHE_RESERVATION_FAIL;
	return access;
}

// ---- Sending down

// Room for `n` misses besides the one that a place must be left for. A queue so short that GPGPU-Sim would wait forever
// takes them when it is empty.
static bool room_for(const struct cache *c, uint32_t n)
{
	uint32_t size = c->form.miss_queue > n ? c->form.miss_queue : n + 1;
	return c->miss.n + n < size;
}

static void send_write_back(struct cache *c, const struct mem_req *r, const struct tag_victim *v, uint64_t now,
                            unsigned *events)
{
	struct mem_req *wb = mem_req_new(c->pool);
	wb->addr = v->addr;
	wb->bytes = v->bytes;
	wb->type = c->writeback_type;
	wb->sectors = v->sectors;
	wb->mask = v->mask;
	wb->write = true;
	wb->sm = r->sm;
	wb->lanes = r->lanes;
	wb->stream = r->stream;
	wb->place = r->place;
	wb->created = now;
	port_push(&c->miss, wb);
	*events |= CACHE_SENT_WRITEBACK;
}

static bool must_write_back(const struct cache *c, const struct tag_victim *v)
{
	return v->modified && c->form.write != 'T';
}

// The fetch that a write needs to complete its line. It takes part in nothing but this: no lanes wait for it.
static struct mem_req *fetch_for(struct cache *c, const struct mem_req *r, struct mem_req *origin, uint64_t now)
{
	struct mem_req *f = mem_req_new(c->pool);
	f->addr = r->addr;
	f->bytes = c->atom;
	f->type = c->fetch_type;
	f->sectors = r->sectors;
	f->mask = r->mask;
	f->l1_allocates = true;
	f->sm = r->sm;
	f->warp = r->warp;
	f->lanes = r->lanes;
	f->stream = r->stream;
	f->place = r->place;
	f->origin = origin;
	f->created = now;
	return f;
}

static enum cache_fail mshr_fail(const struct mshr_entry *e)
{
	return e ? CACHE_MSHR_MERGE_ENRTY_FAIL : CACHE_MSHR_ENRTY_FAIL;
}

// r waits for its line: behind others that do, or by going down for it. The caller has seen that there is room.
static void send_read(struct cache *c, struct mem_req *r, struct mshr_entry *e, uint64_t key, struct tag_at at,
                      uint64_t where, uint64_t now, struct tag_victim *victim)
{
	tag_use(&c->tags, at, r->addr, r->sectors, now, c->on_miss, victim);
	if (e) {
		counts_of(c, r)->n[r->type][CACHE_MSHR_HIT]++;
		// The line was lost while its fetch was under way, so the fetch fills the new one.
		if (c->on_miss && at.status != CACHE_HIT_RESERVED) {
			e->line = at.line;
			if (e->ready)
				tag_fill_line(&c->tags, at.line, r->addr, r->sectors, &r->mask);
		}
		mshr_wait(e, r);
		return;
	}
	e = mshr_add(&c->mshr, key);
	e->sent = r;
	e->addr = r->addr;
	e->bytes = r->bytes;
	e->line = c->on_miss ? at.line : NULL;
	e->where = where;
	e->pending = c->answers;
	r->addr = key;
	r->bytes = c->atom;
	port_push(&c->miss, r);
	mshr_wait(e, r);
}

// ---- What an access does

// One access on its way through a data cache.
struct access {
	struct mem_req *r;
	struct tag_at at;
	uint64_t where;    // what the set hash takes
	uint64_t now;
	unsigned *events;
};

static enum cache_status read_hit(struct cache *c, const struct access *a)
{
	struct tag_victim none;
	tag_use(&c->tags, a->at, a->r->addr, a->r->sectors, a->now, c->on_miss, &none);
	if (a->r->atomic) // performed here: the line is written
		tag_modify(&c->tags, a->at.line, a->r->sectors, &a->r->mask);
	return CACHE_HIT;
}

static enum cache_status read_miss(struct cache *c, const struct access *a)
{
	struct mem_req *r = a->r;
	if (!room_for(c, 1))
		return refuse(c, r, CACHE_MISS_QUEUE_FULL);
	uint64_t key = r->addr & c->atom_mask;
	struct mshr_entry *e = mshr_find(&c->mshr, key);
	if (mshr_full(&c->mshr, e))
		return refuse(c, r, mshr_fail(e));
	struct tag_victim victim;
	send_read(c, r, e, key, a->at, a->where, a->now, &victim);
	if (!e)
		*a->events |= CACHE_SENT_READ;
	if (must_write_back(c, &victim))
		send_write_back(c, r, &victim, a->now, a->events);
	return CACHE_MISS;
}

static enum cache_status write_here(struct cache *c, const struct access *a)
{
	struct tag_victim none;
	tag_use(&c->tags, a->at, a->r->addr, a->r->sectors, a->now, c->on_miss, &none);
	tag_modify(&c->tags, a->at.line, a->r->sectors, &a->r->mask);
	tag_update_readable(&c->tags, a->at.line, a->r->sectors);
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
	if (!room_for(c, 0))
		return refuse(c, a->r, CACHE_MISS_QUEUE_FULL);
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
	if (!must_write_back(c, v))
		return;
	send_write_back(c, a->r, v, a->now, a->events);
	c->data_busy += v->bytes >> c->port_shift;
}

static bool writes_all(const struct cache *c, const struct mem_req *r)
{
	return (uint32_t)(__builtin_popcountll(r->mask.w[0]) + __builtin_popcountll(r->mask.w[1])) == c->atom;
}

// N: the write goes down, the cache keeps nothing of it.
static enum cache_status write_around(struct cache *c, const struct access *a)
{
	if (!room_for(c, 0))
		return refuse(c, a->r, CACHE_MISS_QUEUE_FULL);
	send_write(c, a);
	return CACHE_MISS;
}

// W: the write goes down and so does a read of its line. F: the write waits for the read of its line.
static enum cache_status write_and_fetch(struct cache *c, const struct access *a, bool waits)
{
	struct mem_req *r = a->r;
	uint64_t key = r->addr & c->atom_mask;
	struct mshr_entry *e = mshr_find(&c->mshr, key);
	if (!room_for(c, waits ? 1 : 2))
		return refuse(c, r, CACHE_MISS_QUEUE_FULL);
	if (mshr_full(&c->mshr, e))
		return refuse(c, r, mshr_fail(e));
	if (!waits)
		send_write(c, a);
	struct tag_victim victim;
	send_read(c, fetch_for(c, r, waits ? r : NULL, a->now), e, key, a->at, a->where, a->now, &victim);
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
	if (!room_for(c, 0))
		return refuse(c, a->r, CACHE_MISS_QUEUE_FULL);
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
	if (!room_for(c, 0))
		return refuse(c, r, CACHE_MISS_QUEUE_FULL);
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

static enum cache_status data_access(struct cache *c, const struct access *a)
{
	enum cache_status probe = a->at.status, status;
	bool write = a->r->write;
	if (probe == CACHE_HIT)
		status = write ? write_hit(c, a) : read_hit(c, a);
	else if (probe == CACHE_RESERVATION_FAIL && !(write && c->form.write_allocate == 'N'))
		status = refuse(c, a->r, CACHE_LINE_ALLOC_FAIL);
	else
		status = write ? write_miss(c, a) : read_miss(c, a);
	if (status == CACHE_HIT)
		c->data_busy += (a->r->bytes + (1u << c->port_shift) - 1) >> c->port_shift;
	return count(c, a->r, probe, status);
}

static enum cache_status read_only_access(struct cache *c, const struct access *a)
{
	struct mem_req *r = a->r;
	struct tag_victim none;
	enum cache_status probe = a->at.status, status = CACHE_MISS;
	uint64_t key = r->addr & c->atom_mask;
	if (probe == CACHE_HIT) {
		tag_use(&c->tags, a->at, r->addr, r->sectors, a->now, c->on_miss, &none);
		return count(c, r, probe, CACHE_HIT);
	}
	struct mshr_entry *e = mshr_find(&c->mshr, key);
	if (probe == CACHE_RESERVATION_FAIL) {
		status = refuse(c, r, CACHE_LINE_ALLOC_FAIL);
	} else if (!room_for(c, 0)) {
		status = refuse(c, r, CACHE_MISS_QUEUE_FULL);
	} else if (mshr_full(&c->mshr, e)) {
		status = refuse(c, r, mshr_fail(e));
	} else {
		send_read(c, r, e, key, a->at, a->where, a->now, &none);
		if (!e)
			*a->events |= CACHE_SENT_READ;
	}
	return count(c, r, probe, status);
}

static enum cache_status texture_access(struct cache *c, struct mem_req *r, uint64_t now, unsigned *events)
{
	enum cache_status status = tex_cache_access(&c->tex, r, now);
	c->last_fail = CACHE_N_FAILS;
	if (status == CACHE_RESERVATION_FAIL)
		return status; // not counted
	if (status == CACHE_MISS)
		*events |= CACHE_SENT_READ;
	counts_of(c, r)->n[r->type][status]++;
	c->version++;
	return status;
}

enum cache_status cache_access(struct cache *c, struct mem_req *r, uint64_t now, unsigned *events)
{
	*events = 0;
	if (c->role == CACHE_TEXTURE)
		return texture_access(c, r, now, events);
	struct access a = {.r = r, .where = c->role == CACHE_L2 ? r->place.offset : r->addr, .now = now, .events = events};
	a.at = tag_probe(&c->tags, r->addr, a.where, r->sectors, r->write);
	return c->role == CACHE_INST_CONST ? read_only_access(c, &a) : data_access(c, &a);
}

enum cache_fail cache_last_fail(const struct cache *c) { return c->last_fail; }
uint64_t cache_version(const struct cache *c) { return c->version; }

void cache_count_fails(struct cache *c, const struct mem_req *r, enum cache_fail why, uint64_t n)
{
	if (why == CACHE_N_FAILS)
		return;
	struct cache_counts *k = counts_of(c, r);
	k->fail[r->type][why] += n;
	k->n[r->type][CACHE_RESERVATION_FAIL] += n;
}

// ---- Time

bool cache_tick(struct cache *c)
{
	bool moved = false;
	if (c->role == CACHE_TEXTURE) {
		moved = tex_cache_tick(&c->tex, &c->below);
		c->version += moved;
		return moved;
	}
	if (c->miss.n) {
		struct mem_req *r = port_first(&c->miss);
		if (!c->below.full(c->below.ctx, r)) {
			port_pop(&c->miss);
			c->below.push(c->below.ctx, r);
			c->version++;
			moved = true;
		}
	}
	moved |= c->data_busy || c->fill_busy;
	cache_skip(c, 1);
	return moved;
}

bool cache_sends(const struct cache *c) { return c->role == CACHE_TEXTURE ? !tex_cache_idle(&c->tex) : c->miss.n > 0; }

bool cache_idle(const struct cache *c)
{
	if (c->role == CACHE_TEXTURE)
		return tex_cache_idle(&c->tex);
	return !(c->miss.n | c->data_busy | c->fill_busy);
}

static uint64_t pass(uint32_t *busy, uint64_t n)
{
	uint64_t d = *busy < n ? *busy : n;
	*busy -= d;
	return d;
}

void cache_skip(struct cache *c, uint64_t n)
{
	if (c->role == CACHE_TEXTURE)
		return; // has no ports to sample
	c->port_available += n;
	c->data_port_busy += pass(&c->data_busy, n);
	c->fill_port_busy += pass(&c->fill_busy, n);
}

bool cache_data_port_free(const struct cache *c) { return !c->data_busy; }
bool cache_fill_port_free(const struct cache *c) { return !c->fill_busy; }

// ---- Answers

// The entry that r answers; *whole: r is the request itself, not a sector of it.
static struct mshr_entry *entry_for(const struct cache *c, const struct mem_req *r, bool *whole)
{
	struct mshr_entry *e = mshr_find(&c->mshr, r->addr & c->atom_mask);
	*whole = e && e->sent == r;
	if (*whole || !c->split || !r->origin)
		return *whole ? e : NULL;
	e = mshr_find(&c->mshr, r->origin->addr & c->atom_mask);
	return e && e->sent == r->origin ? e : NULL;
}

bool cache_waits_for(const struct cache *c, const struct mem_req *r)
{
	bool whole;
	return c->role == CACHE_TEXTURE ? tex_cache_waits_for(&c->tex, r) : entry_for(c, r, &whole) != NULL;
}

void cache_fill(struct cache *c, struct mem_req *r, uint64_t now)
{
	c->version++;
	if (c->role == CACHE_TEXTURE) {
		tex_cache_fill(&c->tex, r, c->pool);
		return;
	}
	bool whole;
	struct mshr_entry *e = entry_for(c, r, &whole);
	HEDDLE_ASSERT(e);
	if (!whole) {
		mem_req_free(c->pool, r);
		if (--e->pending)
			return;
		r = e->sent;
	}
	r->addr = e->addr;
	r->bytes = e->bytes;
	if (!e->line)
		tag_fill(&c->tags, e->key, e->where, r->sectors, &r->mask, r->write, now);
	else if (tag_fill_line(&c->tags, e->line, e->key, r->sectors, &r->mask) && e->atomic)
		tag_modify(&c->tags, e->line, r->sectors, &r->mask);
	mshr_ready(&c->mshr, e);
	c->fill_busy += c->atom >> c->port_shift;
}

bool cache_access_ready(const struct cache *c)
{
	return c->role == CACHE_TEXTURE ? !port_empty(&c->tex.result) : mshr_has_ready(&c->mshr);
}

struct mem_req *cache_next_access(struct cache *c)
{
	c->version++;
	return c->role == CACHE_TEXTURE ? port_pop(&c->tex.result) : mshr_next(&c->mshr);
}

// ---- From outside

void cache_fill_direct(struct cache *c, uint64_t addr, uint64_t where, uint32_t sector_mask, uint64_t now)
{
	static const struct mem_bytes none;
	c->version++;
	if (!c->tags.sectored) {
		tag_fill(&c->tags, addr, where, 1, &none, true, now);
		return;
	}
	for (unsigned i = 0; i < MEM_LINE_SECTORS; i++)
		if (sector_mask >> i & 1)
			tag_fill(&c->tags, addr, where, 1u << i, &none, true, now);
}

void cache_flush(struct cache *c)
{
	c->version++;
	tag_flush(&c->tags);
}

void cache_invalidate(struct cache *c)
{
	c->version++;
	tag_invalidate(&c->tags);
}

const char *cache_name(const struct cache *c) { return c->name; }
uint32_t cache_line(const struct cache *c) { return c->form.line; }

bool cache_quiet(const struct cache *c)
{
	return c->role == CACHE_TEXTURE ? c->tex.rob.n == 0 : c->mshr.n == 0 && c->miss.n == 0;
}

void cache_set_ways(struct cache *c, uint32_t ways)
{
	HEDDLE_ASSERT(c->role == CACHE_TEXTURE || c->mshr.n == 0);
	c->version++;
	tag_set_ways(&c->tags, ways);
}

void cache_set_allocate_on_miss(struct cache *c, bool on_miss)
{
	HEDDLE_ASSERT(c->mshr.n == 0);
	if (c->form.allocate == 's')
		c->on_miss = on_miss;
}

// ---- Looking

const struct cache_counts *cache_counts(const struct cache *c, unsigned stream)
{
	return stream < c->n_streams ? &c->counts[stream] : NULL;
}

void cache_sums(const struct cache *c, struct cache_sums *out)
{
	*out = (struct cache_sums){.port_available = c->port_available, .data_port_busy = c->data_port_busy,
	                           .fill_port_busy = c->fill_port_busy};
	for (unsigned s = 0; s < c->n_streams; s++)
		for (unsigned t = 0; t < MEM_N_ACCESS_TYPES; t++) {
			const uint64_t *n = c->counts[s].n[t];
			out->accesses += n[CACHE_HIT] + n[CACHE_MISS] + n[CACHE_SECTOR_MISS] + n[CACHE_HIT_RESERVED];
			out->misses += n[CACHE_MISS] + n[CACHE_SECTOR_MISS];
			out->pending_hits += n[CACHE_HIT_RESERVED];
			out->reservation_fails += n[CACHE_RESERVATION_FAIL];
		}
}

// Reads are global, constant and instruction reads, writes global writes: what the log of GPGPU-Sim counts.
static void read_write_sums(const struct cache *c, uint64_t rw[4])
{
	memset(rw, 0, 4 * sizeof *rw);
	for (unsigned s = 0; s < c->n_streams; s++)
		for (unsigned t = 0; t < MEM_N_ACCESS_TYPES; t++) {
			bool read = t == GLOBAL_ACC_R || t == CONST_ACC_R || t == INST_ACC_R;
			if (!read && t != GLOBAL_ACC_W)
				continue;
			const uint64_t *n = c->counts[s].n[t];
			rw[read ? 0 : 2] += n[CACHE_HIT];
			rw[read ? 1 : 3] += n[CACHE_MISS] + n[CACHE_SECTOR_MISS];
		}
}

void cache_sums_since(struct cache *c, struct cache_sums *out, uint64_t rw[4])
{
	struct cache_sums all, old = c->seen;
	uint64_t rw_all[4];
	cache_sums(c, &all);
	read_write_sums(c, rw_all);
	for (int i = 0; i < 4; i++) {
		rw[i] = rw_all[i] - c->seen_rw[i];
		c->seen_rw[i] = rw_all[i];
	}
	c->seen = all;
	*out = (struct cache_sums){
		.accesses = all.accesses - old.accesses,
		.misses = all.misses - old.misses,
		.pending_hits = all.pending_hits - old.pending_hits,
		.reservation_fails = all.reservation_fails - old.reservation_fails,
		.port_available = all.port_available - old.port_available,
		.data_port_busy = all.data_port_busy - old.data_port_busy,
		.fill_port_busy = all.fill_port_busy - old.fill_port_busy,
	};
}

uint32_t cache_hash_index(const struct cache *c, uint64_t addr)
{
	return set_index_of(&c->tags.index, addr);
}

static const struct mem_req *oldest_waiter(const struct cache *c)
{
	const struct mem_req *oldest = NULL;
	for (uint32_t i = 0; i < c->mshr.fresh; i++) {
		const struct mem_req *r = c->mshr.entry[i].first;
		if (r && (!oldest || r->serial < oldest->serial))
			oldest = r;
	}
	return oldest;
}

int cache_describe(const struct cache *c, char *buf, unsigned len)
{
	if (c->role == CACHE_TEXTURE) {
		const struct tex_cache *t = &c->tex;
		return snprintf(buf, len, "%s: fragments %u/%u, reorder buffer %u/%u, requests %u/%u, results %u/%u", c->name,
		                t->fragments.n, t->fragments.size, t->rob.n, t->rob.size, t->request.n, t->request.size,
		                t->result.n, t->result.size);
	}
	int n = snprintf(buf, len, "%s: MSHRs %u/%u%s, miss queue %u/%u%s", c->name, c->mshr.n, c->mshr.limit,
	                 c->mshr.n >= c->mshr.limit ? " full" : "", c->miss.n, c->form.miss_queue,
	                 room_for(c, 0) ? "" : " full");
	const struct mem_req *r = oldest_waiter(c);
	if (r && n >= 0 && n < len)
		n += snprintf(buf + n, len - n, ", oldest waits for 0x%llx (%s, request %u)", (unsigned long long)r->addr,
		              mem_access_name[r->type], r->serial);
	return n;
}
