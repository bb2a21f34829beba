// A cache with a level below that keeps what it is sent until the test answers. Requests are sent a cycle apart:
//
//	make("N:4:128:2,L:L:m:N:L,A:4:4,4", CACHE_L1D);
//	ck_assert_int_eq(get(0x1000), CACHE_MISS);
//	settle(); // what was missing has come
//	ck_assert_int_eq(get(0x1000), CACHE_HIT);
//	done();
#ifndef TESTS_CACHE_HARNESS_H
#define TESTS_CACHE_HARNESS_H

#include "gpgpu-sim/cache/cache.h"

#include <check.h>
#include <string.h>

static struct mem_pool *pool;
static struct cache *c;
static enum cache_role role;
static struct mem_req *down[256];
static unsigned n_down, room = 256;
static bool split;
static unsigned line_bytes;
static uint64_t now;
static unsigned events;

static inline bool below_full(void *ctx, const struct mem_req *r) { return n_down >= room; }
static inline void below_push(void *ctx, struct mem_req *r) { down[n_down++] = r; }

static inline struct cache_config config(const char *text, enum cache_role as)
{
	struct cache_config k = {.role = as, .name = "test"};
	struct form_error e;
	ck_assert_msg(form_cache(text, &k.form, &e), "%s: %s", text, e.why);
	return k;
}

static inline void make_from(struct cache_config k)
{
	ck_assert_msg(!cache_config_wrong(&k), "%s", cache_config_wrong(&k));
	role = k.role;
	split = k.form.mshr == 'S' || k.form.mshr == 'T';
	line_bytes = k.form.line;
	n_down = 0;
	room = 256;
	now = 1;
	pool = mem_pool_new(16);
	c = cache_new(&k, pool, (struct cache_below){.full = below_full, .push = below_push});
}

static inline void make(const char *text, enum cache_role as) { make_from(config(text, as)); }

// Every request of the test must be gone.
static inline void done(void)
{
	ck_assert_uint_eq(mem_pool_live(pool), 0);
	cache_free(c);
	mem_pool_free(pool);
}

static inline struct mem_req *request(enum mem_access_type type, uint64_t addr, uint32_t bytes)
{
	struct mem_req *r = mem_req_new(pool);
	r->type = type;
	r->write = type == GLOBAL_ACC_W || type == LOCAL_ACC_W || type == L1_WRBK_ACC;
	r->addr = r->place.offset = addr;
	r->bytes = bytes;
	r->sectors = 1u << (addr / MEM_SECTOR & 3);
	for (unsigned i = addr & 127; i < (addr & 127) + bytes && i < 128; i++)
		r->mask.w[i / 64] |= UINT64_C(1) << i % 64;
	return r;
}

// One access a cycle; a request that the cache does not take is freed.
static inline enum cache_status use(struct mem_req *r)
{
	bool write = r->write;
	enum cache_status s = cache_access(c, r, ++now, &events);
	if (!cache_took(s, write, events))
		mem_req_free(pool, r);
	return s;
}

static inline enum cache_status get(uint64_t addr) { return use(request(GLOBAL_ACC_R, addr, 32)); }
static inline enum cache_status put(uint64_t addr, uint32_t bytes) { return use(request(GLOBAL_ACC_W, addr, bytes)); }

static inline void tick(unsigned n)
{
	while (n--)
		cache_tick(c);
}

// Answers what was sent first; writes just end.
static inline void answer(void)
{
	tick(8);
	ck_assert_uint_gt(n_down, 0);
	struct mem_req *r = down[0];
	memmove(down, down + 1, --n_down * sizeof *down);
	if (r->write) {
		mem_req_free(pool, r);
		return;
	}
	ck_assert(cache_waits_for(c, r));
	if (!split) {
		cache_fill(c, r, ++now);
		return;
	}
	for (unsigned i = 0; i < line_bytes / MEM_SECTOR; i++) {
		struct mem_req *s = mem_req_new(pool);
		s->addr = r->addr + i * MEM_SECTOR;
		s->origin = r;
		ck_assert(cache_waits_for(c, s));
		cache_fill(c, s, ++now);
	}
}

// Takes all answers; returns how many.
static inline unsigned collect(void)
{
	unsigned n = 0;
	for (; cache_access_ready(c); n++) {
		struct mem_req *r = cache_next_access(c);
		if ((r->type == L1_WR_ALLOC_R || r->type == L2_WR_ALLOC_R) && r->origin)
			mem_req_free(pool, r->origin);
		mem_req_free(pool, r);
	}
	return n;
}

static inline unsigned settle(void)
{
	unsigned n = 0;
	do {
		tick(64);
		while (n_down)
			answer();
		n += collect();
	} while (!cache_idle(c) || n_down);
	return n;
}

static inline void load(uint64_t addr)
{
	ck_assert_int_eq(get(addr), CACHE_MISS);
	settle();
}

static inline uint64_t counted(enum mem_access_type t, enum cache_status s) { return cache_counts(c, 0)->n[t][s]; }
static inline uint64_t failed(enum mem_access_type t, enum cache_fail f) { return cache_counts(c, 0)->fail[t][f]; }

#endif
