#include "gpgpu-sim/sm/ldst.h"

#include "base/mem.h"
#include "gpgpu-sim/sm/sm.h"

#include <stdio.h>
#include <string.h>

bool ldst_network_full(struct sm *m, unsigned bytes)
{
	bool full = m->world->icnt_full(m->world->ctx, m->cluster, bytes);
	m->refused += full;
	return full;
}

bool ldst_below_full(void *ctx, const struct mem_req *r)
{
	struct sm *m = ctx;
	return ldst_network_full(m, mem_packet_bytes(r));
}

void ldst_send(struct sm *m, struct mem_req *r)
{
	struct sm_stats *s = &m->stats;
	switch ((enum mem_access_type)r->type) {
	case GLOBAL_ACC_R: s->mem_read[0]++; break;
	case LOCAL_ACC_R: s->mem_read[1]++; break;
	case GLOBAL_ACC_W:
	case L1_WRBK_ACC: s->mem_write[0]++; break;
	case LOCAL_ACC_W: s->mem_write[1]++; break;
	case CONST_ACC_R: s->mem_const++; break;
	case TEXTURE_ACC_R: s->mem_tex++; break;
	case INST_ACC_R: s->mem_inst++; break;
	default: break;
	}
	s->out_type[r->type]++;
	mem_req_moved(r, MEM_IN_NETWORK, m->now);
	m->world->icnt_push(m->world->ctx, r);
}

static void below_push(void *ctx, struct mem_req *r) { ldst_send(ctx, r); }

static struct cache *new_cache(struct sm *m, const struct cache_form *form, enum cache_role role, const char *what, uint32_t max_ways)
{
	if (!form->present)
		return NULL;
	char *name = m->ldst.cache_name[m->ldst.n_named++];
	snprintf(name, sizeof m->ldst.cache_name[0], "gpu.sm[%u].%s", m->id, what);
	struct cache_config c = {.form = *form, .role = role, .name = name, .max_ways = max_ways};
	if (role == CACHE_L1D) {
		c.write_ratio = m->cfg->l1_write_ratio;
		c.prefetch = m->cfg->l1d_prefetch;
	}
	return cache_new(&c, m->pool, (struct cache_below){.ctx = m, .full = ldst_below_full, .push = below_push});
}

void ldst_init(struct ldst *l, struct sm *m)
{
	const struct core_config *c = m->cfg;
	memset(l, 0, sizeof *l);
	port_init(&l->responses, c->response_buffer + 1);
	RING_INIT(&l->remote, SM_REMOTE_PLACES);
	// With a unified memory L1 can grow to all of it.
	uint32_t ways = c->l1d.ways;
	if (c->adaptive && c->unified_bytes > c->l1d.sets * c->l1d.line * ways)
		ways = c->unified_bytes / (c->l1d.sets * c->l1d.line);
	l->l1d.cache = new_cache(m, &c->l1d, CACHE_L1D, "l1d", ways);
	l->l1c.cache = new_cache(m, &c->l1c, CACHE_INST_CONST, "l1c", 0);
	l->l1t.cache = new_cache(m, &c->l1t, CACHE_TEXTURE, "l1t", 0);
	m->l1i.cache = new_cache(m, &c->l1i, CACHE_INST_CONST, "l1i", 0);
	if (l->l1d.cache) {
		static const char kind[] = {'L', 'X', 'P', 'H', 'C'}; // -gpgpu_l1_banks_hashing_function
		set_index_init(&l->l1_bank, kind[c->l1_bank_hash], c->l1_banks, c->l1_bank_bytes, NULL);
	}
}

void ldst_reshape_l1d(struct sm *m)
{
	struct ldst *l = &m->ldst;
	struct cache_config c = {.form = m->cfg->l1d, .role = CACHE_L1D, .name = cache_name(l->l1d.cache),
	                         .write_ratio = m->cfg->l1_write_ratio, .prefetch = m->cfg->l1d_prefetch};
	lazy_settle(&l->l1d);
	cache_reshape(l->l1d.cache, &c);
}

void ldst_free(struct ldst *l)
{
	cache_free(l->l1d.cache);
	cache_free(l->l1c.cache);
	cache_free(l->l1t.cache);
	port_free(&l->responses);
	RING_FREE(&l->remote);
}

void ldst_count(struct sm *m, const struct winst *w)
{
	unsigned n = fe_lanes(w->mask);
	struct sm_stats *s = &m->stats;
	s->unit_issued[PIPE_MEM]++;
	if (!n)
		return;
	switch ((enum isa_space)w->space) {
	case SPACE_SHARED:
	case SPACE_CLUSTER: s->n_shared += n; break;
	case SPACE_CONST: s->n_const += n; break;
	case SPACE_PARAM: s->n_param += n; break;
	case SPACE_TEX: s->n_tex += n; break;
	case SPACE_GLOBAL:
	case SPACE_LOCAL: *(w->store ? &s->n_store : &s->n_load) += n; break;
	default: break;
	}
}

unsigned ldst_acks_of(const struct sm *m, const struct mem_req *r)
{
	return m->cfg->sector_acks && r->bytes > MEM_SECTOR ? r->bytes / MEM_SECTOR : 1;
}

void ldst_own_store_ack(struct sm *m, struct mem_req *r)
{
	for (unsigned n = ldst_acks_of(m, r); n; n--)
		sm_store_ack(m, r);
}

// The line that a store waited for is there (fetch on write).
void ldst_end_write_fetch(struct sm *m, struct mem_req *fetch)
{
	if (fetch->origin) {
		ldst_own_store_ack(m, fetch->origin);
		mem_req_free(m->pool, fetch->origin);
	}
	mem_req_free(m->pool, fetch);
}

// --- answers from the network

bool ldst_passes_l1d(const struct sm *m, const struct mem_req *r)
{
	if (r->cache_op == ISA_CACHE_CG || r->atomic || !m->ldst.l1d.cache)
		return true;
	return (r->type == GLOBAL_ACC_R || r->type == GLOBAL_ACC_W) && m->cfg->skip_l1d && r->cache_op != ISA_CACHE_NC;
}

// A sectored L2 answers sector by sector; the request itself comes back with the last one, else NULL.
struct mem_req *ldst_whole_answer(struct sm *m, struct mem_req *r)
{
	struct mem_req *o = r->origin;
	if (!o)
		return r;
	o->bytes -= r->bytes < o->bytes ? r->bytes : o->bytes;
	mem_req_free(m->pool, r);
	return o->bytes ? NULL : o;
}

bool ldst_fill(struct lazy_cache *c, struct mem_req *r, uint64_t now)
{
	lazy_touch(c);
	if (!cache_fill_port_free(c->cache))
		return false;
	cache_fill(c->cache, r, now);
	return true;
}

// --- L1D

bool ldst_access_l1d(struct sm *m, struct mem_req *r, uint64_t now, struct winst **hit)
{
	struct ldst *l = &m->ldst;
	const struct cache_form *f = &m->cfg->l1d;
	bool store = r->write;
	struct winst *w = store ? NULL : m->inst[r->inst];
	unsigned events = 0;
	*hit = NULL;
	lazy_touch(&l->l1d);
	enum cache_status st = cache_access(l->l1d.cache, r, now, &events);
	if (st == CACHE_RESERVATION_FAIL)
		return false;
	if (st == CACHE_HIT) {
		bool sent = events & CACHE_SENT_WRITE;
		*hit = w;
		if (store && !sent)
			ldst_own_store_ack(m, r);
		if (!sent)
			mem_req_free(m->pool, r);
		return true;
	}
	bool fetches = f->write_allocate == 'F' || f->write_allocate == 'L';
	if (store && f->write != 'T' && fetches && !(events & CACHE_SENT_ALLOCATE))
		ldst_own_store_ack(m, r);
	if (!cache_took(st, store, events))
		mem_req_free(m->pool, r);
	return true;
}

unsigned ldst_l1_bank(const struct sm *m, uint64_t addr)
{
	return set_index_of(&m->ldst.l1_bank, addr);
}

bool ldst_bypasses(const struct sm *m, const struct winst *w)
{
	if (w->st->cache_op == ISA_CACHE_CG || w->atomic || !m->ldst.l1d.cache)
		return true;
	return w->space == SPACE_GLOBAL && m->cfg->skip_l1d && w->st->cache_op != ISA_CACHE_NC;
}

void ldst_skip(struct ldst *l, uint64_t cycles)
{
	l->l1d.skipped += cycles;
	l->l1c.skipped += cycles;
	l->l1t.skipped += cycles;
}
