// Fetch and decode: one warp a step gets the next instructions from the instruction cache into its buffer; on the way the
// fetch unit lets go of warps that are done.
#include "gpgpu-sim/classic/classic.h"
#include "gpgpu-sim/sm/observer.h"

// Timing address of code: above what the address maps of small GPUs give to data. GPGPU-Sim's PROGRAM_MEM_START.
#define CODE_BASE ((uint64_t)0xF0000000)

enum { FETCH_BYTES = 16 }; // two PTX instructions; with those of 16 bytes the second comes along, as in Accel-Sim

static void decode(struct sm *m)
{
	struct classic *c = m->classic;
	struct sm_warp *w = &m->warp[c->fetched_warp];
	uint64_t pc = c->fetched_pc;
	c->fetched = false;
	if (m->done >> c->fetched_warp & 1)
		return;
	const struct frontend_ops *fe = w->k->launch->fe;
	struct classic_warp *b = &c->warp[c->fetched_warp];
	b->ib_pc = pc;
	b->ib_n = 1;
	sm_see_fetch(m, c->fetched_warp, pc, "is decoded");
	if (fe->path ? fe->path(w->fe, w->fe_warp, &pc) > 1 : fe->inst_at(w->k->launch->code, pc + fe->inst_bytes) != NULL)
		b->ib_n = CLASSIC_IBUFFER;
	classic_refresh(m, c->fetched_warp);
}

static void fetch_warp(struct sm *m, unsigned warp, uint64_t now)
{
	struct classic *c = m->classic;
	struct sm_warp *w = &m->warp[warp];
	const struct frontend_ops *fe = w->k->launch->fe;
	if (fe->path)
		fe->path(w->fe, w->fe_warp, &c->warp[warp].fetch_pc);
	uint64_t pc = c->warp[warp].fetch_pc, addr = CODE_BASE + w->k->code_base + pc;
	c->last_fetched = (uint8_t)warp;
	m->stats.fetches++;
	if (m->cfg->perfect_inst_const || !m->l1i.cache) {
		c->fetched = true;
		c->fetched_warp = (uint8_t)warp;
		c->fetched_pc = pc;
		return;
	}
	uint32_t line = m->cfg->l1i.line, bytes = FETCH_BYTES, at = (uint32_t)(addr & (line - 1));
	if (at + bytes > line)
		bytes = line - at;
	struct mem_req *r = mem_req_new(m->pool);
	r->addr = addr;
	r->bytes = bytes;
	r->type = INST_ACC_R;
	r->sm = (uint16_t)m->id;
	r->warp = (uint16_t)warp;
	r->stream = w->k->stream;
	r->created = now;
	unsigned events = 0;
	lazy_touch(&m->l1i);
	enum cache_status status = cache_access(m->l1i.cache, r, now, &events);
	sm_see_fetch(m, warp, pc, status == CACHE_HIT ? "hits" : status == CACHE_RESERVATION_FAIL ? "is refused" : "misses");
	switch (status) {
	case CACHE_HIT:
		c->fetched = true;
		c->fetched_warp = (uint8_t)warp;
		c->fetched_pc = pc;
		mem_req_free(m->pool, r);
		break;
	case CACHE_RESERVATION_FAIL:
		mem_req_free(m->pool, r);
		break;
	default:
		c->imiss |= (uint64_t)1 << warp;
		m->stats.fetch_misses++;
		break;
	}
}

// Warps whose buffers are empty and that nothing is on its way to.
static uint64_t wanted(const struct sm *m) { return m->resident & ~m->done & ~m->classic->imiss & m->classic->ib_empty; }

// Slots in the order in which fetch looks at them: behind the one fetched last, going round.
static uint64_t rotate(uint64_t set, unsigned by) { return by ? set >> by | set << (64 - by) : set; }

static void fetch(struct sm *m, uint64_t now)
{
	struct classic *c = m->classic;
	if (m->l1i.busy && cache_access_ready(m->l1i.cache)) {
		struct mem_req *r = cache_next_access(m->l1i.cache);
		c->imiss &= ~((uint64_t)1 << r->warp);
		c->fetched = true;
		c->fetched_warp = (uint8_t)r->warp;
		c->fetched_pc = c->warp[r->warp].fetch_pc;
		mem_req_free(m->pool, r);
		sm_see_fetch(m, c->fetched_warp, c->fetched_pc, "has come");
		return;
	}
	uint64_t want = wanted(m);
	if (!(want | m->leaving))
		return;
	unsigned first = (c->last_fetched + 1) & 63;
	uint64_t w = rotate(want, first), gone = rotate(m->leaving, first);
	if (w)
		gone &= (w & -w) * 2 - 1; // up to the one that is fetched for, it too
	for (; gone; gone &= gone - 1) {
		unsigned i = ((unsigned)__builtin_ctzll(gone) + first) & 63;
		classic_look(c, i);
		sm_warp_leaves(m, i);
	}
	if (w)
		fetch_warp(m, ((unsigned)__builtin_ctzll(w) + first) & 63, now);
}

// There is something to decode, to fetch or to let go of.
static bool fetch_works(const struct sm *m)
{
	const struct classic *c = m->classic;
	return c->fetched || m->l1i.busy || m->leaving || wanted(m);
}

void classic_fetch(struct sm *m, uint64_t now)
{
	struct classic *c = m->classic;
	unsigned left = m->cfg->fetch_throughput;
	for (; left && fetch_works(m); left--) {
		if (c->fetched)
			decode(m);
		if (!c->fetched)
			fetch(m, now);
		lazy_tick(&m->l1i);
	}
	m->l1i.skipped += left;
}

void classic_drain_fetch(struct sm *m)
{
	struct classic *c = m->classic;
	while (cache_access_ready(m->l1i.cache)) {
		struct mem_req *r = cache_next_access(m->l1i.cache);
		c->imiss &= ~((uint64_t)1 << r->warp);
		mem_req_free(m->pool, r);
	}
	lazy_tick(&m->l1i);
}
