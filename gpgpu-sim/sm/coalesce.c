// Coalescing by generation, as in GPGPU-Sim's memory_coalescing_arch, after the CUDA programming guide's rules for global
// memory: from compute capability 4.0 in the option's numbering on in sectors of 32 bytes, before in segments of up to 128.
#include "gpgpu-sim/sm/coalesce.h"

#include "gpgpu-sim/sm/sm.h"

#include <string.h>

#define LOCAL_BASE ((uint64_t)1 << 46) // timing addresses of local memory: above all device memory

enum { MAX_PARTS = 512 };

struct part {
	uint64_t block; // first byte of the segment
	uint32_t lanes;
	uint8_t chunks; // 32-byte pieces of the 128-byte line
	struct mem_bytes bytes;
};

struct parts {
	struct part at[MAX_PARTS];
	uint32_t n;
};

static void bytes_set(struct mem_bytes *b, unsigned from, unsigned n)
{
	unsigned end = from + n > MEM_MAX_LINE ? MEM_MAX_LINE : from + n;
	for (unsigned w = 0; w < 2; w++) {
		unsigned lo = from > w * 64 ? from - w * 64 : 0, hi = end > w * 64 ? end - w * 64 : 0;
		if (hi > 64)
			hi = 64;
		if (lo < hi)
			b->w[w] |= (hi - lo == 64 ? ~(uint64_t)0 : (((uint64_t)1 << (hi - lo)) - 1)) << lo;
	}
}

static bool bytes_meet(const struct mem_bytes *a, const struct mem_bytes *b) { return a->w[0] & b->w[0] || a->w[1] & b->w[1]; }

// The lane's bytes in one segment. Lanes come in order, so the segment is mostly the last one found. `apart`: atomics of
// two lanes on the same bytes need two requests.
static void add(struct parts *p, uint64_t addr, unsigned bytes, uint32_t segment, unsigned lane, bool apart)
{
	uint64_t block = addr & ~(uint64_t)(segment - 1);
	struct mem_bytes mine = {{0, 0}};
	bytes_set(&mine, (unsigned)(addr & (MEM_MAX_LINE - 1)), bytes);
	struct part *t = NULL;
	if (apart) {
		for (uint32_t i = 0; i < p->n && !t; i++)
			if (p->at[i].block == block && !bytes_meet(&p->at[i].bytes, &mine))
				t = &p->at[i];
	} else {
		for (uint32_t i = p->n; i-- > 0 && !t;)
			if (p->at[i].block == block)
				t = &p->at[i];
	}
	if (!t) {
		if (p->n == MAX_PARTS)
			return;
		t = &p->at[p->n++];
		*t = (struct part){.block = block};
	}
	t->lanes |= 1u << lane;
	t->chunks |= (uint8_t)(1u << (addr & (MEM_MAX_LINE - 1)) / MEM_SECTOR);
	t->bytes.w[0] |= mine.w[0];
	t->bytes.w[1] |= mine.w[1];
}

// The usual case: a word in the segment found last. False: not so, nothing done.
static inline bool add_near(struct parts *p, uint64_t addr, unsigned bytes, uint32_t segment, unsigned lane)
{
	if (!p->n)
		return false;
	struct part *t = &p->at[p->n - 1];
	unsigned at = (unsigned)(addr & (MEM_MAX_LINE - 1)), bit = at % 64;
	if (t->block != (addr & ~(uint64_t)(segment - 1)) || (addr & (segment - 1)) + bytes > segment || bit + bytes > 64 || bytes > 16)
		return false;
	t->lanes |= 1u << lane;
	t->chunks |= (uint8_t)(1u << at / MEM_SECTOR);
	t->bytes.w[at / 64] |= (((uint64_t)1 << bytes) - 1) << bit;
	return true;
}

static void add_split(struct parts *p, uint64_t addr, unsigned bytes, uint32_t segment, unsigned lane, bool apart)
{
	if (!apart && add_near(p, addr, bytes, segment, lane))
		return;
	while (bytes) {
		unsigned room = segment - (unsigned)(addr & (segment - 1)), n = bytes < room ? bytes : room;
		add(p, addr, n, segment, lane, apart);
		addr += n;
		bytes -= n;
	}
}

// By ascending address; requests of one address keep their order.
static void sort(struct parts *p, uint32_t from)
{
	for (uint32_t i = from + 1; i < p->n; i++) {
		if (p->at[i - 1].block <= p->at[i].block)
			continue;
		struct part t = p->at[i];
		uint32_t k = i;
		for (; k > from && p->at[k - 1].block > t.block; k--)
			p->at[k] = p->at[k - 1];
		p->at[k] = t;
	}
}

// A segment of which only a half or a quarter is touched becomes a smaller request.
static void shrink(const struct part *t, uint32_t segment, uint64_t *addr, uint32_t *bytes)
{
	unsigned q = t->chunks, half = 0;
	*addr = t->block;
	*bytes = segment;
	if (segment == 128) {
		if (q & 3 && !(q & 12)) {
			*bytes = 64;
			half = q & 3;
		} else if (!(q & 3)) {
			*bytes = 64;
			*addr += 64;
			half = q >> 2;
		}
	} else if (segment == 64) {
		half = *addr & 64 ? q >> 2 : q & 3;
	}
	if (*bytes == 64 && half == 1) {
		*bytes = 32;
	} else if (*bytes == 64 && half == 2) {
		*bytes = 32;
		*addr += 32;
	}
}

static struct mem_req *request(struct sm *m, struct winst *w, enum mem_access_type type, uint64_t addr, uint32_t bytes,
                               const struct part *t)
{
	struct mem_req *r = mem_req_new(m->pool);
	r->addr = addr;
	r->bytes = bytes;
	r->type = (uint8_t)type;
	r->cache_op = w->st->cache_op;
	r->write = w->store;
	r->atomic = w->atomic;
	r->sm = (uint16_t)m->id;
	r->warp = w->warp;
	r->inst = w->index;
	r->lanes = t->lanes;
	r->mask = t->bytes;
	r->stream = m->warp[w->warp].k->stream;
	r->pc_line = w->line;
	r->created = m->now;
	// The last one of the list goes first, as from GPGPU-Sim's queue.
	r->next = w->access;
	w->access = r;
	w->n_access++;
	return r;
}

static uint32_t segment_size(const struct core_config *c, const struct winst *w, unsigned bytes)
{
	bool sectors = c->coalesce_arch >= 40;
	if (c->coalesce_arch >= 20 && c->coalesce_arch < 39)
		sectors = c->skip_l1d || w->st->cache_op == ISA_CACHE_CG || w->atomic;
	if (bytes == 1 || sectors)
		return 32;
	return bytes == 2 ? 64 : 128;
}

// Local memory of all threads lies interleaved word by word, so that lanes which touch the same variable touch neighbours.
static uint64_t local_address(const struct sm *m, const struct winst *w, unsigned lane, uint64_t offset)
{
	const struct core_config *c = m->cfg;
	uint64_t thread = (uint64_t)w->warp * c->warp_size + lane, base, all;
	if (c->local_map) {
		uint64_t padded = m->local_padded, ctas = m->local_max_ctas;
		base = 4 * (padded * (m->id + c->n_sm * (thread / padded)) + thread % padded);
		all = padded * ctas * c->n_sm;
	} else {
		base = 4 * ((uint64_t)c->max_threads * m->id + thread);
		all = (uint64_t)c->n_sm * c->max_threads;
	}
	return LOCAL_BASE + offset / 4 * all * 4 + base + offset % 4;
}

static void memory_parts(struct sm *m, struct winst *w, const struct fe_access *a)
{
	struct parts p;
	bool local = a->space == SPACE_LOCAL;
	unsigned size = local && a->bytes > 4 ? 4 : a->bytes;
	uint32_t segment = segment_size(m->cfg, w, a->bytes), per = m->cfg->warp_size / m->cfg->shared_warp_parts;
	enum mem_access_type type = local ? (w->store ? LOCAL_ACC_W : LOCAL_ACC_R) : w->store ? GLOBAL_ACC_W : GLOBAL_ACC_R;
	// Parts of a warp are coalesced each by itself; the last one found goes out first.
	for (unsigned sub = 0; sub < m->cfg->shared_warp_parts; sub++) {
		p.n = 0;
		uint32_t lanes = a->mask & (per >= 32 ? UINT32_MAX : ((1u << per) - 1) << sub * per);
		for (; lanes; lanes &= lanes - 1) {
			unsigned lane = (unsigned)__builtin_ctz(lanes);
			for (unsigned at = 0; at < a->bytes; at += size) {
				uint64_t addr = local ? local_address(m, w, lane, a->addr[lane] + at) : a->addr[lane] + at;
				add_split(&p, addr, size, segment, lane, w->atomic);
			}
		}
		sort(&p, 0);
		for (uint32_t i = 0; i < p.n; i++) {
			uint64_t addr;
			uint32_t bytes;
			shrink(&p.at[i], segment, &addr, &bytes);
			request(m, w, type, addr, bytes, &p.at[i])->sectors = p.at[i].chunks;
		}
	}
}

// Constants and texels go by whole cache lines.
static void line_parts(struct sm *m, struct winst *w, const struct fe_result *r, uint32_t line, enum mem_access_type type)
{
	struct parts p;
	p.n = 0;
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		for (uint32_t lanes = a->mask; lanes; lanes &= lanes - 1) {
			unsigned lane = (unsigned)__builtin_ctz(lanes);
			if (!add_near(&p, a->addr[lane], a->bytes, line, lane))
				add(&p, a->addr[lane], a->bytes, line, lane, false);
		}
	}
	sort(&p, 0);
	for (uint32_t i = 0; i < p.n; i++)
		request(m, w, type, p.at[i].block, line, &p.at[i]);
}

// Each bank is asked for one word at most: the usual case. False tells nothing.
static bool conflict_free(const struct core_config *c, const struct fe_access *a)
{
	uint64_t word[64], used = 0;
	uint32_t banks = c->shared_banks;
	if (c->shared_limited_broadcast || c->shared_warp_parts != 1)
		return false;
	bool power = !(banks & (banks - 1));
	for (uint32_t lanes = a->mask; lanes; lanes &= lanes - 1) {
		uint64_t v = a->addr[__builtin_ctz(lanes)] / 4;
		unsigned b = (unsigned)(power ? v & (banks - 1) : v % banks);
		if (used >> b & 1 && word[b] != v)
			return false;
		used |= (uint64_t)1 << b;
		word[b] = v;
	}
	return true;
}

uint32_t coalesce_bank_passes(const struct core_config *c, const struct fe_access *a)
{
	if (conflict_free(c, a))
		return 1;
	uint32_t total = 0, per = c->warp_size / c->shared_warp_parts;
	for (unsigned sub = 0; sub < c->shared_warp_parts; sub++) {
		uint64_t word[32];
		uint32_t users[32], n = 0, passes = 0;
		uint32_t lanes = a->mask & (per >= 32 ? UINT32_MAX : ((1u << per) - 1) << sub * per);
		for (; lanes; lanes &= lanes - 1) {
			uint64_t v = a->addr[__builtin_ctz(lanes)] / 4;
			uint32_t i = n;
			while (i-- > 0 && word[i] != v)
				;
			if (i != UINT32_MAX) {
				users[i]++;
			} else {
				word[n] = v;
				users[n++] = 1;
			}
		}
		// Banks take one word a pass; every lane that wants that word gets it, or, with limited broadcast, only the lanes
		// of one word of the warp do.
		uint64_t broadcast = UINT64_MAX;
		if (c->shared_limited_broadcast) {
			for (uint32_t i = 0; i < n; i++) {
				uint64_t b = word[i] % c->shared_banks, best = broadcast == UINT64_MAX ? 0 : broadcast % c->shared_banks;
				if (users[i] > 1 && (broadcast == UINT64_MAX || b < best || (b == best && word[i] < broadcast)))
					broadcast = word[i];
			}
		}
		uint32_t load[64] = {0};
		for (uint32_t i = 0; i < n; i++) {
			uint32_t *l = &load[word[i] % c->shared_banks];
			*l += c->shared_limited_broadcast && word[i] != broadcast ? users[i] : 1;
			if (*l > passes)
				passes = *l;
		}
		total += passes;
	}
	return total ? total : 1;
}

void coalesce(struct sm *m, struct winst *w, const struct fe_result *r)
{
	uint32_t passes = 0;
	w->space = SPACE_NONE;
	w->cycles = 1;
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		switch ((enum isa_space)a->space) {
		case SPACE_SHARED:
			// A generic access may touch shared memory beside others; then the others decide where it goes.
			if (w->space == SPACE_CLUSTER)
				break;
			passes += coalesce_bank_passes(m->cfg, a);
			w->cycles = (uint16_t)passes;
			if (w->space == SPACE_NONE)
				w->space = SPACE_SHARED;
			break;
		case SPACE_CLUSTER: // and where lanes go here and there, the others decide before their own shared memory
			if (w->space == SPACE_NONE || w->space == SPACE_SHARED) {
				w->space = SPACE_CLUSTER;
				w->cycles = (uint16_t)remote_bytes(a);
			}
			break;
		case SPACE_CONST:
		case SPACE_PARAM:
			w->space = a->space;
			line_parts(m, w, r, m->ldst.l1c.cache ? cache_line(m->ldst.l1c.cache) : 64, CONST_ACC_R);
			return;
		case SPACE_TEX:
			w->space = SPACE_TEX;
			line_parts(m, w, r, m->cfg->l1t.present ? m->cfg->l1t.line : 128, TEXTURE_ACC_R);
			return;
		case SPACE_GLOBAL:
		case SPACE_LOCAL:
			if (w->space != SPACE_GLOBAL)
				w->space = a->space;
			memory_parts(m, w, a);
			break;
		default:
			break;
		}
	}
	if (m->world->banks_of && w->access)
		m->stats.banks_accessed[m->world->banks_of(m->world->ctx, w->access)]++;
}
