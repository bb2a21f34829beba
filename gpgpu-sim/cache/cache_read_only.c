// Instruction and constant caches: reads alone.
#include "gpgpu-sim/cache/cache_kind.h"

static const char *wrong(const struct cache_config *cfg)
{
	const struct cache_form *f = &cfg->form;
	if (f->mshr == 'F' || f->mshr == 'T' || f->write != 'R')
		return "an instruction or constant cache is read-only (R) and has associative MSHRs (A or S)";
	return NULL;
}

static enum cache_status access(struct cache *c, struct mem_req *r, uint64_t now, unsigned *events)
{
	struct access x = {.r = r, .where = r->addr, .now = now, .events = events}, *a = &x;
	x.at = tag_probe(&c->tags, r->addr, x.where, r->sectors, false);
	struct tag_victim none;
	enum cache_status probe = a->at.status, status = CACHE_MISS;
	if (probe == CACHE_HIT) {
		tag_use(&c->tags, a->at, r->addr, r->sectors, a->now, c->on_miss, &none);
		return cache_count(c, r, probe, CACHE_HIT);
	}
	struct mshr_entry *e = mshr_find(&c->mshr, cache_key(c, r));
	if (probe == CACHE_RESERVATION_FAIL) {
		status = cache_refuse(c, r, CACHE_LINE_ALLOC_FAIL);
	} else if (!cache_room_for(c, 0)) {
		status = cache_refuse(c, r, CACHE_MISS_QUEUE_FULL);
	} else if (mshr_full(&c->mshr, e)) {
		status = cache_refuse(c, r, cache_mshr_fail(e));
	} else {
		cache_send_read(c, r, e, a, &none);
		if (!e)
			*a->events |= CACHE_SENT_READ;
	}
	return cache_count(c, r, probe, status);
}

const struct cache_kind cache_read_only = {.name = "read-only", .wrong = wrong, .access = access, CACHE_MSHR_KIND};
