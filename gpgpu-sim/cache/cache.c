#include "gpgpu-sim/cache/cache_kind.h"

#include "base/mem.h"

#include <string.h>

static const struct cache_kind *const kinds[] = {
	[CACHE_INST_CONST] = &cache_read_only,
	[CACHE_L1D] = &cache_data,
	[CACHE_L2] = &cache_data,
	[CACHE_TEXTURE] = &cache_texture,
};

// ---- Making one

const char *cache_config_wrong(const struct cache_config *cfg)
{
	const struct cache_form *f = &cfg->form;
	if (!f->present)
		return "there is none";
	if (f->kind == 'S' && f->line != MEM_MAX_LINE)
		return "a sectored cache has lines of 128 bytes";
	if (f->ways > TAG_MAX_WAYS || cfg->max_ways > TAG_MAX_WAYS || (uint64_t)f->sets * (cfg->max_ways > f->ways ? cfg->max_ways : f->ways) > 1u << 30)
		return "there are at most 65534 ways, and 2^30 lines";
	if (f->port_width && f->line % f->port_width)
		return "the port width divides the line";
	if (f->allocate != 'm' && (f->write == 'B' || f->write_allocate == 'F' || f->write_allocate == 'L'))
		return "write-back and the write allocations F and L need allocation on miss (m)";
	if (!f->mshr_entries || !f->mshr_merges)
		return "MSHR entries and merges are at least 1";
	const char *why = kinds[cfg->role]->wrong(cfg);
	return why ? why : set_index_wrong(f->index, f->sets);
}

static void shape(struct cache *c, const struct cache_config *cfg)
{
	HEDDLE_ASSERT(!cache_config_wrong(cfg));
	const struct cache_form *f = &cfg->form;
	c->form = *f;
	c->role = cfg->role;
	c->kind = kinds[cfg->role];
	c->name = cfg->name;
	c->atom = f->kind == 'S' ? MEM_SECTOR : f->line;
	c->port_shift = __builtin_ctz(f->port_width ? f->port_width : f->line);
	c->on_miss = f->allocate == 'm';
	c->split = f->mshr == 'S' || f->mshr == 'T';
	c->answers = c->split && f->line > MEM_SECTOR ? f->line / MEM_SECTOR : 1;
	c->fetch_type = cfg->role == CACHE_L2 ? L2_WR_ALLOC_R : L1_WR_ALLOC_R;
	c->writeback_type = cfg->role == CACHE_L2 ? L2_WRBK_ACC : L1_WRBK_ACC;
	c->head.last_fail = CACHE_N_FAILS;
	tag_array_init(&c->tags, cfg);
	prefetch_init(&c->prefetch, &cfg->prefetch, f->line);
	c->prefetches = c->prefetch.ops;
	c->prefetch.locate = c->below.locate;
	c->prefetch.ctx = c->below.ctx;
	c->kind->init(c);
}

struct cache *cache_new(const struct cache_config *cfg, struct mem_pool *pool, struct cache_below below)
{
	struct cache *c = mem_alloc_dense(sizeof *c);
	c->pool = pool;
	c->below = below;
	shape(c, cfg);
	cache_reserve_streams(c, 1);
	return c;
}

static void free_shape(struct cache *c)
{
	c->kind->free(c);
	tag_array_free(&c->tags);
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	free_shape(c);
	mem_free(c->counts);
	mem_free_dense(c, sizeof *c);
}

void cache_reshape(struct cache *c, const struct cache_config *cfg)
{
	HEDDLE_ASSERT(cache_quiet(c));
	uint64_t unused = c->tags.unused;
	free_shape(c);
	shape(c, cfg);
	c->tags.unused = unused;
	c->head.version++;
}

void cache_reserve_streams(struct cache *c, unsigned n)
{
	if (n <= c->n_streams)
		return;
	c->counts = mem_realloc(c->counts, n * sizeof *c->counts);
	memset(&c->counts[c->n_streams], 0, (n - c->n_streams) * sizeof *c->counts);
	c->n_streams = n;
}

void cache_add_counts(struct cache_counts *to, const struct cache_counts *more)
{
	for (unsigned t = 0; t < MEM_N_ACCESS_TYPES; t++) {
		for (unsigned s = 0; s < CACHE_N_STATUSES; s++)
			to->n[t][s] += more->n[t][s];
		for (unsigned f = 0; f < CACHE_N_FAILS; f++)
			to->fail[t][f] += more->fail[t][f];
	}
}

void cache_retire_stream(struct cache *c, unsigned stream, struct cache_counts *to)
{
	struct cache_counts *k = &c->counts[stream];

	HEDDLE_ASSERT(stream < c->n_streams);
	cache_add_counts(to, k);
	cache_add_counts(&c->past, k);
	*k = (struct cache_counts){0};
}

void cache_count_fails(struct cache *c, const struct mem_req *r, enum cache_fail why, uint64_t n)
{
	if (why == CACHE_N_FAILS)
		return;
	struct cache_counts *k = cache_counts_of(c, r);
	k->fail[r->type][why] += n;
	k->n[r->type][CACHE_RESERVATION_FAIL] += n;
}

// ---- An access and its answer

bool cache_would_hit(struct cache *c, uint64_t addr) { return tag_probe(&c->tags, addr, addr, 0, false).status == CACHE_HIT; }

void cache_foresee(const struct cache *c, uint64_t addr) { tag_foresee(&c->tags, addr); }

void cache_expect(const struct cache *c, uint64_t addr, uint64_t where)
{
	tag_expect(&c->tags, addr, where);
	if (c->mshr.limit)
		mshr_foresee(&c->mshr, cache_key_of(c, addr));
}

void cache_foresee_answer(const struct cache *c, const struct mem_req *r)
{
	if (c->kind->foresee_answer)
		c->kind->foresee_answer(c, r);
}

void cache_expect_answer(const struct cache *c, const struct mem_req *r)
{
	if (c->kind->expect_answer)
		c->kind->expect_answer(c, r);
}

void cache_expect_fill(const struct cache *c, uint64_t addr, uint64_t where)
{
	tag_foresee(&c->tags, addr);
	tag_expect_victim(&c->tags, where);
}

enum cache_status cache_access(struct cache *c, struct mem_req *r, uint64_t now, unsigned *events)
{
	*events = 0;
	return c->kind->access(c, r, now, events);
}

bool cache_tick(struct cache *c) { return c->kind->tick(c); }
bool cache_idle(const struct cache *c) { return c->kind->idle(c); }

void cache_skip(struct cache *c, uint64_t n)
{
	if (c->kind->ports)
		cache_ports_pass(c, n);
}

bool cache_waits_for(const struct cache *c, const struct mem_req *r) { return c->kind->waits_for(c, r); }

void cache_fill(struct cache *c, struct mem_req *r, uint64_t now)
{
	c->head.version++;
	c->kind->fill(c, r, now);
}

struct mem_req *cache_next_access(struct cache *c)
{
	c->head.version++;
	return c->kind->next_access(c);
}

// ---- From outside

void cache_fill_direct(struct cache *c, uint64_t addr, uint64_t where, uint32_t sector_mask, uint64_t now)
{
	static const struct mem_bytes none;
	c->head.version++;
	if (!c->tags.sectored) {
		tag_fill(&c->tags, addr, where, 1, &none, true, now);
		return;
	}
	for (unsigned i = 0; i < MEM_LINE_SECTORS; i++)
		if (sector_mask >> i & 1)
			tag_fill(&c->tags, addr, where, 1u << i, &none, true, now);
}

void cache_modify_direct(struct cache *c, uint64_t addr, uint64_t where, uint32_t sector_mask, uint64_t now)
{
	for (unsigned i = 0; i < MEM_LINE_SECTORS; i++) {
		if (!(sector_mask >> i & 1))
			continue;
		const unsigned part = c->tags.sectored ? 1u << i : 1;
		const struct tag_at at = tag_probe(&c->tags, addr, where, part, true);
		struct mem_bytes all = {.w = {0}};
		if (at.status != CACHE_HIT)
			continue;
		all.w[i / 2] = (uint64_t)UINT32_MAX << i % 2 * 32;
		c->head.version++;
		tag_write(&c->tags, at.line, part, &all, now);
	}
}

void cache_drop(struct cache *c, uint64_t addr, uint64_t where, uint32_t sector)
{
	const struct tag_at at = tag_probe(&c->tags, addr, where, 1, false);
	const unsigned part = c->tags.sectored ? sector : 1;
	if (at.status == CACHE_RESERVATION_FAIL || at.status == CACHE_MISS || !(at.line->valid & part))
		return;
	c->head.version++;
	tag_drop(&c->tags, at.line, part);
}

void cache_flush(struct cache *c)
{
	c->head.version++;
	tag_flush(&c->tags);
}

void cache_invalidate(struct cache *c)
{
	c->head.version++;
	tag_invalidate(&c->tags);
}

void cache_prefetches(const struct cache *c, struct prefetch_counts *out)
{
	*out = c->prefetch.count;
	out->unused = c->tags.unused;
}

const char *cache_name(const struct cache *c) { return c->name; }
uint32_t cache_line(const struct cache *c) { return c->form.line; }

bool cache_quiet(const struct cache *c) { return c->kind->quiet(c); }

void cache_set_ways(struct cache *c, uint32_t ways)
{
	HEDDLE_ASSERT(c->mshr.n == 0);
	c->head.version++;
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

// Of stream s, and for s = n_streams of those that were retired.
static const struct cache_counts *counts_at(const struct cache *c, unsigned s)
{
	return s < c->n_streams ? &c->counts[s] : &c->past;
}

void cache_sums(const struct cache *c, struct cache_sums *out)
{
	*out = (struct cache_sums){.port_available = c->port_available,
	                           .data_port_busy = c->data_port_busy - c->head.data_busy,
	                           .fill_port_busy = c->fill_port_busy - c->head.fill_busy};
	for (unsigned s = 0; s <= c->n_streams; s++)
		for (unsigned t = 0; t < MEM_N_ACCESS_TYPES; t++) {
			const uint64_t *n = counts_at(c, s)->n[t];
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
	for (unsigned s = 0; s <= c->n_streams; s++)
		for (unsigned t = 0; t < MEM_N_ACCESS_TYPES; t++) {
			bool read = t == GLOBAL_ACC_R || t == CONST_ACC_R || t == INST_ACC_R;
			if (!read && t != GLOBAL_ACC_W)
				continue;
			const uint64_t *n = counts_at(c, s)->n[t];
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

int cache_describe(const struct cache *c, char *buf, unsigned len) { return c->kind->describe(c, buf, len); }
