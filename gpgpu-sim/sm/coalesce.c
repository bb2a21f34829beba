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
	bool descended; // not in the order of their blocks
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

static unsigned line_offset(uint64_t addr) { return (unsigned)(addr & (MEM_MAX_LINE - 1)); }

// One more segment; NULL: there are too many.
static struct part *new_part(struct parts *p, uint64_t block)
{
	if (p->n == MAX_PARTS)
		return NULL;
	struct part *t = &p->at[p->n++];
	*t = (struct part){.block = block};
	p->descended |= p->n > 1 && t[-1].block > block;
	return t;
}

// While blocks ascend, one behind the last is new.
static inline bool is_new(const struct parts *p, uint64_t block)
{
	return !p->n || (!p->descended && block > p->at[p->n - 1].block);
}

// The segment at `block`, which is mostly the last one found: lanes come in order.
static struct part *part_of(struct parts *p, uint64_t block)
{
	for (uint32_t i = is_new(p, block) ? 0 : p->n; i-- > 0;)
		if (p->at[i].block == block)
			return &p->at[i];
	return new_part(p, block);
}

// The first one in which nobody touches these bytes: atomics of two lanes on the same bytes need two requests.
static struct part *part_apart(struct parts *p, uint64_t block, const struct mem_bytes *mine)
{
	for (uint32_t i = is_new(p, block) ? p->n : 0; i < p->n; i++)
		if (p->at[i].block == block && !bytes_meet(&p->at[i].bytes, mine))
			return &p->at[i];
	return new_part(p, block);
}

// Bytes that `lanes` touch in one segment.
static void add(struct parts *p, uint64_t addr, unsigned bytes, uint32_t segment, uint32_t lanes, bool apart)
{
	uint64_t block = addr & ~(uint64_t)(segment - 1);
	struct mem_bytes mine = {{0, 0}};
	bytes_set(&mine, line_offset(addr), bytes);
	struct part *t = apart ? part_apart(p, block, &mine) : part_of(p, block);
	if (!t)
		return;
	t->lanes |= lanes;
	t->chunks |= (uint8_t)(1u << line_offset(addr) / MEM_SECTOR);
	t->bytes.w[0] |= mine.w[0];
	t->bytes.w[1] |= mine.w[1];
}

// The usual case: a word in the segment found last, or in one behind all others. False: not so, nothing done.
static inline bool add_near(struct parts *p, uint64_t addr, unsigned bytes, uint32_t segment, unsigned lane)
{
	const uint64_t block = addr & ~(uint64_t)(segment - 1);
	unsigned at = line_offset(addr), bit = at % 64;
	if ((addr & (segment - 1)) + bytes > segment || bit + bytes > 64 || bytes > 16)
		return false;
	struct part *t = is_new(p, block) ? new_part(p, block) : &p->at[p->n - 1];
	if (!t || t->block != block)
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
		add(p, addr, n, segment, 1u << lane, apart);
		addr += n;
		bytes -= n;
	}
}

// --- the usual patterns of a whole warp, told without looking at each lane

// Lanes lie in two rows of 16 with the same step from lane to lane: one run of 32, or rows of a thread block 16 wide.
enum { ROW = 16 };
struct rows {
	uint64_t first, step, apart; // lane 0; from one lane to the next; from row to row
};

static bool in_rows(const struct fe_access *a, struct rows *out)
{
	const uint64_t *x = a->addr;
	const uint64_t step = x[1] - x[0], apart = x[ROW] - x[0];
	uint64_t at = x[0], off = 0;
	if (a->mask != UINT32_MAX || x[2] - x[1] != step || x[ROW + 1] - x[1] != apart)
		return false;
	for (unsigned i = 0; i < ROW; i++, at += step)
		off |= (x[i] ^ at) | (x[ROW + i] ^ (at + apart));
	*out = (struct rows){x[0], step, apart};
	return !off;
}

// Lanes from `lane` on that touch n words side by side, each at a multiple of its size.
static void add_run(struct parts *p, uint64_t addr, unsigned bytes, uint32_t segment, unsigned lane, unsigned n)
{
	const unsigned shift = (unsigned)__builtin_ctz(bytes);
	const uint64_t end = addr + ((uint64_t)n << shift);
	for (uint64_t from = addr, to; from < end; from = to) {
		const uint64_t block = from & ~(uint64_t)(segment - 1);
		to = block + segment < end ? block + segment : end;
		struct part *t = part_of(p, block);
		if (!t)
			return;
		t->lanes |= (uint32_t)(((1ull << ((to - from) >> shift)) - 1) << (lane + (unsigned)((from - addr) >> shift)));
		t->chunks |= (uint8_t)((2u << line_offset(to - 1) / MEM_SECTOR) - (1u << line_offset(from) / MEM_SECTOR));
		bytes_set(&t->bytes, line_offset(from), (unsigned)(to - from));
	}
}

// Rows of words side by side. False: not so, nothing done.
static bool add_rows(struct parts *p, const struct fe_access *a, uint32_t segment, bool apart)
{
	struct rows w;
	const unsigned bytes = a->bytes, row = ROW * bytes;
	if (a->addr[1] - a->addr[0] != bytes || (bytes & (bytes - 1)) || !in_rows(a, &w) || ((w.first | w.apart) & (bytes - 1)))
		return false;
	if (apart && w.apart + row < 2 * row && w.apart != row) // the rows meet
		return false;
	if (w.apart == row) {
		add_run(p, w.first, bytes, segment, 0, 2 * ROW);
		return true;
	}
	add_run(p, w.first, bytes, segment, 0, ROW);
	add_run(p, w.first + w.apart, bytes, segment, ROW, ROW);
	return true;
}

// All lanes touch the same bytes, of one segment. False: not so, nothing done.
static bool add_one(struct parts *p, const struct fe_access *a, uint32_t segment)
{
	if (!a->mask || !a->bytes)
		return false;
	const uint64_t addr = a->addr[__builtin_ctz(a->mask)];
	uint64_t off = 0;
	if (a->addr[31 - __builtin_clz(a->mask)] != addr || (addr & (segment - 1)) + a->bytes > segment)
		return false;
	if (a->mask == UINT32_MAX)
		for (unsigned i = 0; i < 32; i++)
			off |= a->addr[i] ^ addr;
	else
		for (uint32_t lanes = a->mask; lanes; lanes &= lanes - 1)
			off |= a->addr[__builtin_ctz(lanes)] ^ addr;
	if (off)
		return false;
	add(p, addr, a->bytes, segment, a->mask, false);
	return true;
}

// --- requests

// By ascending address; requests of one address keep their order.
static void sort(struct parts *p)
{
	for (uint32_t i = p->descended ? 1 : p->n; i < p->n; i++) {
		if (p->at[i - 1].block <= p->at[i].block)
			continue;
		struct part t = p->at[i];
		uint32_t k = i;
		for (; k > 0 && p->at[k - 1].block > t.block; k--)
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

// What all requests of an instruction have in common.
static struct mem_req request_of(const struct sm *m, const struct winst *w, enum mem_access_type type)
{
	return (struct mem_req){
		.type = (uint8_t)type, .cache_op = w->st->cache_op, .write = w->store, .atomic = w->atomic, .sm = (uint16_t)m->id,
		.warp = w->warp, .inst = w->index, .stream = m->warp[w->warp].k->stream, .pc_line = w->line, .created = m->now,
	};
}

static void request(struct sm *m, struct winst *w, const struct mem_req *like, uint64_t addr, uint32_t bytes, const struct part *t)
{
	struct mem_req *r = mem_req_copy(m->pool, like);
	r->addr = addr;
	r->bytes = bytes;
	r->lanes = t->lanes;
	r->mask = t->bytes;
	// The last one of the list goes first, as from GPGPU-Sim's queue.
	r->next = w->access;
	w->access = r;
	w->n_access++;
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

// Of some lanes, each looked at by itself.
static void lane_parts(struct sm *m, const struct winst *w, const struct fe_access *a, uint32_t lanes, uint32_t segment, struct parts *p)
{
	bool local = a->space == SPACE_LOCAL;
	unsigned size = local && a->bytes > 4 ? 4 : a->bytes;
	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctz(lanes);
		for (unsigned at = 0; at < a->bytes; at += size) {
			uint64_t addr = local ? local_address(m, w, lane, a->addr[lane] + at) : a->addr[lane] + at;
			add_split(p, addr, size, segment, lane, w->atomic);
		}
	}
}

static void memory_parts(struct sm *m, struct winst *w, const struct fe_access *a)
{
	struct parts p;
	bool local = a->space == SPACE_LOCAL, whole = m->cfg->shared_warp_parts == 1 && !local;
	uint32_t segment = segment_size(m->cfg, w, a->bytes), per = m->cfg->warp_size / m->cfg->shared_warp_parts;
	enum mem_access_type type = local ? (w->store ? LOCAL_ACC_W : LOCAL_ACC_R) : w->store ? GLOBAL_ACC_W : GLOBAL_ACC_R;
	struct mem_req like = request_of(m, w, type);
	// Parts of a warp are coalesced each by itself; the last one found goes out first.
	for (unsigned sub = 0; sub < m->cfg->shared_warp_parts; sub++) {
		p.n = 0;
		p.descended = false;
		uint32_t lanes = a->mask & (per >= 32 ? UINT32_MAX : ((1u << per) - 1) << sub * per);
		if (!(whole && (add_rows(&p, a, segment, w->atomic) || (!w->atomic && add_one(&p, a, segment)))))
			lane_parts(m, w, a, lanes, segment, &p);
		sort(&p);
		for (uint32_t i = 0; i < p.n; i++) {
			uint64_t addr;
			uint32_t bytes;
			shrink(&p.at[i], segment, &addr, &bytes);
			like.sectors = p.at[i].chunks;
			request(m, w, &like, addr, bytes, &p.at[i]);
		}
	}
}

// Constants and texels go by whole cache lines.
static void line_parts(struct sm *m, struct winst *w, const struct fe_result *r, uint32_t line, enum mem_access_type type)
{
	struct parts p;
	p.n = 0;
	p.descended = false;
	for (uint32_t k = 0; k < r->n_access; k++) {
		const struct fe_access *a = &r->access[k];
		for (uint32_t lanes = add_one(&p, a, line) ? 0 : a->mask; lanes; lanes &= lanes - 1) {
			unsigned lane = (unsigned)__builtin_ctz(lanes);
			if (!add_near(&p, a->addr[lane], a->bytes, line, lane))
				add(&p, a->addr[lane], a->bytes, line, 1u << lane, false);
		}
	}
	sort(&p);
	struct mem_req like = request_of(m, w, type);
	for (uint32_t i = 0; i < p.n; i++)
		request(m, w, &like, p.at[i].block, line, &p.at[i]);
}

// --- banks of shared memory

// Rows of one word each or of words side by side, whose words lie in different banks or are the same. False tells nothing.
static bool rows_free(const struct core_config *c, const struct fe_access *a)
{
	enum { BANKS = 32, WORD = 4 };
	struct rows w;
	if (c->shared_banks != BANKS || c->shared_limited_broadcast || c->shared_warp_parts != 1 || !in_rows(a, &w))
		return false;
	if ((w.first | w.step | w.apart) & (WORD - 1) || (w.step && w.step != WORD))
		return false;
	uint64_t banks = w.apart / WORD & (BANKS - 1);
	return !w.apart || (w.step ? banks == ROW : banks);
}

enum { MAX_WORDS = 64 };

// What `lanes` want of `words` words each, at their addresses and behind.
static uint32_t passes_of(const struct core_config *c, const struct fe_access *a, uint32_t lanes, unsigned words)
{
	uint64_t word[MAX_WORDS];
	uint32_t users[MAX_WORDS], n = 0, passes = 0, banks = c->shared_banks;
	uint8_t bank[MAX_WORDS], first[64] = {0}, next[MAX_WORDS]; // the words of a bank are chained: number plus one, 0 none
	bool power = !(banks & (banks - 1));
	for (; lanes; lanes &= lanes - 1) {
		uint64_t v = a->addr[__builtin_ctz(lanes)] / 4, end = v + words;
		for (; v < end; v++) {
			uint8_t b = (uint8_t)(power ? v & (banks - 1) : v % banks), i = first[b];
			while (i && word[i - 1] != v)
				i = next[i - 1];
			if (i) {
				users[i - 1]++;
				continue;
			}
			word[n] = v;
			bank[n] = b;
			users[n] = 1;
			next[n] = first[b];
			first[b] = (uint8_t)++n;
		}
	}
	// Banks take one word a pass; every lane that wants that word gets it, or, with limited broadcast, only the lanes
	// of one word of the warp do.
	uint64_t broadcast = UINT64_MAX;
	if (c->shared_limited_broadcast) {
		for (uint32_t i = 0; i < n; i++) {
			uint64_t best = broadcast == UINT64_MAX ? 0 : broadcast % banks;
			if (users[i] > 1 && (broadcast == UINT64_MAX || bank[i] < best || (bank[i] == best && word[i] < broadcast)))
				broadcast = word[i];
		}
	}
	uint32_t load[64] = {0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *l = &load[bank[i]];
		*l += c->shared_limited_broadcast && word[i] != broadcast ? users[i] : 1;
		if (*l > passes)
			passes = *l;
	}
	return passes;
}

// `lanes` lanes at a time, each `words` words.
static uint32_t passes_by(const struct core_config *c, const struct fe_access *a, unsigned lanes, unsigned words)
{
	uint32_t total = 0;
	for (unsigned from = 0; from < c->warp_size; from += lanes)
		total += passes_of(c, a, a->mask & (lanes >= 32 ? UINT32_MAX : ((1u << lanes) - 1) << from), words);
	return total ? total : 1;
}

// Whether the lanes n and n ^ `by` that are on want the same.
static bool in_pairs(const struct fe_access *a, unsigned by)
{
	uint64_t off = 0;
	for (unsigned i = 0; i < 32; i++)
		off |= a->mask >> i & a->mask >> (i ^ by) & 1 ? a->addr[i] ^ a->addr[i ^ by] : 0;
	return !off;
}

// Lanes side by side, each aligned to its own words.
static bool in_a_row(const struct fe_access *a)
{
	struct rows w;
	return in_rows(a, &w) && w.step == a->bytes && w.apart == (uint64_t)ROW * a->bytes && !(w.first & (a->bytes - 1u));
}

// A pass brings 32 words, so half of the warp's accesses of 8 bytes, a quarter of those of 16: with 32 banks these phases are what
// can conflict ("Programming Tensor Cores: Native Volta Tensor Cores with CUTLASS", GTC 2019, S9593: 64 bits in two phases, 128 in
// four). Loads in which all lanes n and n ^ 1 want the same, or all n and n ^ 2, are packed into half as many (an NVIDIA engineer in
// "Unexpected shared memory bank conflict", the forum's thread 77228, of compute capability 7.0 to 7.5).
static uint32_t phases(const struct core_config *c, const struct fe_access *a)
{
	unsigned words = a->bytes / 4u, at_once = c->warp_size / words;
	if (c->shared_banks == 32 && !c->shared_limited_broadcast && in_a_row(a))
		return words;
	if (!a->write && !a->atomic && (in_pairs(a, 1) || in_pairs(a, 2)))
		at_once *= 2;
	return passes_by(c, a, at_once, words);
}

uint32_t coalesce_bank_passes(const struct core_config *c, const struct fe_access *a)
{
	if (c->shared_wide_phases && (a->bytes == 8 || a->bytes == 16))
		return phases(c, a);
	return rows_free(c, a) ? 1 : passes_by(c, a, c->warp_size / c->shared_warp_parts, 1);
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
			if (m->cfg->l1_conflicts && a->space == SPACE_GLOBAL) // the words of a thread's local variables lie side by side
				w->cycles = (uint16_t)coalesce_bank_passes(m->cfg, a);
			memory_parts(m, w, a);
			break;
		default:
			break;
		}
	}
	if (m->world->banks_of && w->access)
		m->stats.banks_accessed[m->world->banks_of(m->world->ctx, w->access)]++;
}
