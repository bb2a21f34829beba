#include "gpgpu-sim/tag_array.h"

#include "base/mem.h"

#include <string.h>

static inline bool line_live(const struct tag_line *l)
{
	return l->reserved | l->valid | l->modified;
}

struct tag_line *tag_line_at(const struct tag_array *t, uint32_t set, uint32_t way)
{
	return &t->line[(size_t)set * t->ways + way];
}

static uint16_t key_of(const struct tag_array *t, uint64_t addr)
{
	uint64_t n = addr >> t->index.shift;
	return (n ^ n >> 15 ^ n >> 30) | 0x8000; // never 0
}

static void key_put(struct tag_array *t, uint32_t set, uint32_t way, uint16_t key)
{
	uint64_t *w = &t->key[(size_t)set * t->key_words + way / 4];
	unsigned at = way % 4 * 16;
	*w = (*w & ~(UINT64_C(0xffff) << at)) | (uint64_t)key << at;
}

static void live_put(struct tag_array *t, uint32_t set, uint32_t way, bool live)
{
	uint64_t *w = &t->live[(size_t)set * t->live_words + way / 64];
	uint64_t bit = UINT64_C(1) << way % 64;
	*w = live ? *w | bit : *w & ~bit;
}

// The smallest number of modified lines whose share of all lines, computed as GPGPU-Sim computes it, reaches the ratio.
static uint32_t dirty_min(uint32_t lines, uint32_t ratio)
{
	uint32_t lo = 0, hi = lines + 1;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if ((float)mid / lines * 100 >= ratio)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void tag_array_init(struct tag_array *t, const struct cache_config *cfg)
{
	const struct cache_form *f = &cfg->form;
	uint32_t max = cfg->max_ways > f->ways ? cfg->max_ways : f->ways;
	*t = (struct tag_array){.n_sets = f->sets, .ways = f->ways, .max_ways = max, .line_bytes = f->line,
	                        .write_ratio = cfg->write_ratio, .sectored = f->kind == 'S', .fifo = f->replacement == 'F',
	                        .key_words = (max + 3) / 4, .live_words = (max + 63) / 64};
	set_index_init(&t->index, f->index, f->sets, f->line, cfg->index_of);
	t->line = mem_alloc((size_t)f->sets * max * sizeof *t->line);
	t->set = mem_alloc(f->sets * sizeof *t->set);
	t->key = mem_alloc((size_t)f->sets * t->key_words * sizeof *t->key);
	t->live = mem_alloc((size_t)f->sets * t->live_words * sizeof *t->live);
	t->dirty_min = dirty_min(f->sets * f->ways, cfg->write_ratio);
}

void tag_array_free(struct tag_array *t)
{
	mem_free(t->line);
	mem_free(t->set);
	mem_free(t->key);
	mem_free(t->live);
}

// The order of replacement: a list by stamp, then way. Stamps hardly ever run backwards, so the place is at its end.
static void order_insert(struct tag_array *t, uint32_t set, uint32_t way)
{
	struct tag_set *s = &t->set[set];
	struct tag_line *row = tag_line_at(t, set, 0), *l = &row[way];
	uint32_t before = s->last;
	while (before && (row[before - 1].stamp > l->stamp || (row[before - 1].stamp == l->stamp && before - 1 > way)))
		before = row[before - 1].prev;
	l->prev = before;
	l->next = before ? row[before - 1].next : s->first;
	*(before ? &row[before - 1].next : &s->first) = way + 1;
	*(l->next ? &row[l->next - 1].prev : &s->last) = way + 1;
}

static void order_remove(struct tag_array *t, uint32_t set, uint32_t way)
{
	struct tag_set *s = &t->set[set];
	struct tag_line *row = tag_line_at(t, set, 0), *l = &row[way];
	*(l->prev ? &row[l->prev - 1].next : &s->first) = l->next;
	*(l->next ? &row[l->next - 1].prev : &s->last) = l->prev;
}

static void touch(struct tag_array *t, uint32_t set, uint32_t way, uint64_t now)
{
	struct tag_line *l = tag_line_at(t, set, way);
	if (t->fifo || l->stamp == now)
		return;
	bool last = t->set[set].last == way + 1;
	if (last && now > l->stamp) {
		l->stamp = now;
		return;
	}
	order_remove(t, set, way);
	l->stamp = now;
	order_insert(t, set, way);
}

// Brings a line that was live or not into the structures that searches use.
static void line_enter(struct tag_array *t, uint32_t set, uint32_t way)
{
	struct tag_line *l = tag_line_at(t, set, way);
	order_insert(t, set, way);
	key_put(t, set, way, key_of(t, l->addr));
	live_put(t, set, way, true);
	t->set[set].n_live++;
	t->set[set].n_reserved += l->reserved != 0;
}

static void line_leave(struct tag_array *t, uint32_t set, uint32_t way)
{
	struct tag_line *l = tag_line_at(t, set, way);
	order_remove(t, set, way);
	key_put(t, set, way, 0);
	live_put(t, set, way, false);
	t->set[set].n_live--;
	t->set[set].n_reserved -= l->reserved != 0;
	l->reserved = l->valid = l->modified = 0;
}

static struct tag_line *find(struct tag_array *t, uint32_t set, uint64_t addr, uint32_t *way)
{
	const uint64_t *key = &t->key[(size_t)set * t->key_words];
	const uint64_t ones = UINT64_C(0x0001000100010001);
	uint64_t all = ones * key_of(t, addr);
	struct tag_line *row = tag_line_at(t, set, 0);
	for (uint32_t w = 0; w < t->ways; w += 4) {
		uint64_t x = key[w / 4] ^ all;
		// High bit of each 16-bit lane that is zero; a lane above one may be there in error, which the line shows.
		uint64_t zero = (x - ones) & ~x & ones << 15;
		for (; zero; zero &= zero - 1) {
			*way = w + __builtin_ctzll(zero) / 16;
			if (*way < t->ways && row[*way].addr == addr && line_live(&row[*way]))
				return &row[*way];
		}
	}
	return NULL;
}

// Empty lines are taken from the last way down, as GPGPU-Sim's search ends with the last one it sees.
static uint32_t last_empty(const struct tag_array *t, uint32_t set)
{
	const uint64_t *live = &t->live[(size_t)set * t->live_words];
	for (uint32_t i = (t->ways + 63) / 64; i-- > 0;) {
		uint32_t n = t->ways - i * 64;
		uint64_t empty = ~live[i] & (n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0));
		if (empty)
			return i * 64 + 63 - __builtin_clzll(empty);
	}
	return TAG_NO_WAY;
}

// The line to replace: never one that waits for a fetch; a modified one only when enough lines are.
static uint32_t victim_way(const struct tag_array *t, uint32_t set)
{
	const struct tag_set *s = &t->set[set];
	if (s->n_live < t->ways)
		return last_empty(t, set);
	if (s->n_reserved == t->ways)
		return TAG_NO_WAY;
	const struct tag_line *row = tag_line_at(t, set, 0);
	bool modified_too = t->dirty >= t->dirty_min;
	for (uint32_t w = s->first; w; w = row[w - 1].next)
		if (!row[w - 1].reserved && (modified_too || !row[w - 1].modified))
			return w - 1;
	return TAG_NO_WAY;
}

static enum cache_status sector_status(const struct tag_line *l, unsigned s, bool write)
{
	if (l->reserved & s)
		return CACHE_HIT_RESERVED;
	if (l->valid & s)
		return CACHE_HIT;
	if (l->modified & s)
		return write || l->readable & s ? CACHE_HIT : CACHE_SECTOR_MISS;
	return CACHE_SECTOR_MISS;
}

static unsigned sector_of(const struct tag_array *t, unsigned sectors)
{
	HEDDLE_ASSERT(!t->sectored || __builtin_popcount(sectors) == 1);
	return t->sectored ? sectors : 1;
}

struct tag_at tag_probe(struct tag_array *t, uint64_t addr, uint64_t where, unsigned sectors, bool write)
{
	addr &= ~(uint64_t)(t->line_bytes - 1);
	unsigned s = sector_of(t, sectors);
	struct tag_at at = {CACHE_MISS, t->last_set, t->last_way};
	struct tag_line *l = tag_line_at(t, at.set, at.way);
	if (l->addr != addr || !line_live(l)) {
		at.set = set_index_of(&t->index, where);
		l = find(t, at.set, addr, &at.way);
	}
	if (l) {
		t->last_set = at.set;
		t->last_way = at.way;
		at.status = sector_status(l, s, write);
		return at;
	}
	at.way = victim_way(t, at.set);
	if (at.way == TAG_NO_WAY)
		at.status = CACHE_RESERVATION_FAIL;
	return at;
}

static void dirty_less(struct tag_array *t)
{
	t->dirty -= t->dirty > 0;
}

// A new line in place of an old one, with one sector reserved.
static void allocate_line(struct tag_array *t, struct tag_at at, uint64_t addr, unsigned s, uint64_t now)
{
	struct tag_line *l = tag_line_at(t, at.set, at.way);
	if (line_live(l))
		line_leave(t, at.set, at.way);
	*l = (struct tag_line){.addr = addr & ~(uint64_t)(t->line_bytes - 1), .stamp = now, .reserved = s, .readable = 0xf};
	line_enter(t, at.set, at.way);
}

// A sector of a line that is there. One that was modified stays so when its missing bytes have come.
static void allocate_sector(struct tag_array *t, struct tag_at at, unsigned s, uint64_t now)
{
	struct tag_line *l = tag_line_at(t, at.set, at.way);
	bool was_modified = l->modified & s;
	t->set[at.set].n_reserved += l->reserved == 0;
	l->valid &= ~s;
	l->modified &= ~s;
	l->reserved |= s;
	l->modified_on_fill = was_modified ? l->modified_on_fill | s : l->modified_on_fill & ~s;
	l->readable_on_fill &= ~s;
	l->readable |= s;
	touch(t, at.set, at.way, now);
}

static void describe_victim(const struct tag_array *t, const struct tag_line *l, struct tag_victim *v)
{
	v->modified = true;
	v->addr = l->addr;
	v->mask = l->dirty;
	v->sectors = t->sectored ? l->modified : 0xf;
	v->bytes = t->sectored ? MEM_SECTOR * __builtin_popcount(l->modified) : t->line_bytes;
}

void tag_use(struct tag_array *t, struct tag_at at, uint64_t addr, unsigned sectors, uint64_t now, bool on_miss,
             struct tag_victim *victim)
{
	unsigned s = sector_of(t, sectors);
	t->used = true;
	victim->modified = false;
	if (at.status == CACHE_HIT || at.status == CACHE_HIT_RESERVED) {
		touch(t, at.set, at.way, now);
	} else if (at.status == CACHE_MISS && on_miss) {
		struct tag_line *l = tag_line_at(t, at.set, at.way);
		if (l->modified) {
			describe_victim(t, l, victim);
			dirty_less(t);
		}
		allocate_line(t, at, addr, s, now);
	} else if (at.status == CACHE_SECTOR_MISS && on_miss) {
		struct tag_line *l = tag_line_at(t, at.set, at.way);
		bool before = l->modified;
		allocate_sector(t, at, s, now);
		if (before && !l->modified)
			dirty_less(t);
	}
}

// The sector gets its data: it is valid, or modified if it was written while it waited.
static void fill_sector(struct tag_array *t, uint32_t set, struct tag_line *l, unsigned s, const struct mem_bytes *mask)
{
	bool before = l->modified;
	t->set[set].n_reserved -= l->reserved == s;
	l->reserved &= ~s;
	l->valid &= ~s;
	l->modified &= ~s;
	*(l->modified_on_fill & s ? &l->modified : &l->valid) |= s;
	l->readable |= l->readable_on_fill & s;
	l->readable_on_fill &= ~s;
	if (l->dirty_on_fill && mask) {
		l->dirty.w[0] |= mask->w[0];
		l->dirty.w[1] |= mask->w[1];
	}
	if (l->modified && !before)
		t->dirty++;
}

bool tag_fill_at(struct tag_array *t, uint32_t set, uint32_t way, uint64_t addr, unsigned sectors,
                 const struct mem_bytes *mask)
{
	struct tag_line *l = tag_line_at(t, set, way);
	if (l->addr != (addr & ~(uint64_t)(t->line_bytes - 1)) || !line_live(l))
		return false;
	fill_sector(t, set, l, sector_of(t, sectors), mask);
	return true;
}

void tag_fill(struct tag_array *t, uint64_t addr, uint64_t where, unsigned sectors, const struct mem_bytes *mask,
              bool write, uint64_t now)
{
	unsigned s = sector_of(t, sectors);
	struct tag_at at = tag_probe(t, addr, where, sectors, write);
	if (at.status == CACHE_RESERVATION_FAIL)
		return;
	struct tag_line *l = tag_line_at(t, at.set, at.way);
	bool before = l->modified;
	if (at.status == CACHE_MISS)
		allocate_line(t, at, addr, s, now);
	else if (at.status == CACHE_SECTOR_MISS)
		allocate_sector(t, at, s, now);
	if (before && !l->modified)
		dirty_less(t);
	fill_sector(t, at.set, l, s, mask);
}

void tag_modify(struct tag_array *t, struct tag_at at, unsigned sectors, const struct mem_bytes *mask)
{
	unsigned s = sector_of(t, sectors);
	struct tag_line *l = tag_line_at(t, at.set, at.way);
	t->dirty += l->modified == 0;
	t->set[at.set].n_reserved -= l->reserved == s;
	l->reserved &= ~s;
	l->valid &= ~s;
	l->modified |= s;
	l->dirty.w[0] |= mask->w[0];
	l->dirty.w[1] |= mask->w[1];
}

void tag_drop(struct tag_array *t, struct tag_at at, unsigned sectors)
{
	unsigned s = sector_of(t, sectors);
	struct tag_line *l = tag_line_at(t, at.set, at.way);
	if (!((l->reserved | l->valid | l->modified) & ~s)) {
		line_leave(t, at.set, at.way);
		return;
	}
	t->set[at.set].n_reserved -= l->reserved == s;
	l->reserved &= ~s;
	l->valid &= ~s;
	l->modified &= ~s;
}

void tag_update_readable(struct tag_array *t, struct tag_at at, unsigned sectors)
{
	struct tag_line *l = tag_line_at(t, at.set, at.way);
	if (!t->sectored) {
		if (__builtin_popcountll(l->dirty.w[0]) + __builtin_popcountll(l->dirty.w[1]) >= t->line_bytes)
			l->readable |= 1;
		return;
	}
	for (unsigned i = 0; i < MEM_LINE_SECTORS; i++)
		if (sectors >> i & 1 && (uint32_t)(l->dirty.w[i / 2] >> i % 2 * 32) == 0xffffffffu)
			l->readable |= 1u << i;
}

static void leave_lines(struct tag_array *t, bool modified_only)
{
	if (!t->used)
		return;
	for (uint32_t set = 0; set < t->n_sets; set++)
		for (uint32_t w = t->set[set].first, next; w; w = next) {
			struct tag_line *l = tag_line_at(t, set, w - 1);
			next = l->next;
			if (!modified_only || l->modified)
				line_leave(t, set, w - 1);
		}
	t->dirty = 0;
	t->used = false;
}

void tag_flush(struct tag_array *t) { leave_lines(t, true); }
void tag_invalidate(struct tag_array *t) { leave_lines(t, false); }

// GPGPU-Sim reads its array of lines as rows of the new length, whatever they hold; so do we.
void tag_set_ways(struct tag_array *t, uint32_t ways)
{
	HEDDLE_ASSERT(ways >= 1 && ways <= t->max_ways);
	if (ways == t->ways)
		return;
	t->ways = ways;
	t->last_set = t->last_way = 0;
	t->dirty_min = dirty_min(t->n_sets * ways, t->write_ratio);
	memset(t->set, 0, t->n_sets * sizeof *t->set);
	memset(t->key, 0, (size_t)t->n_sets * t->key_words * sizeof *t->key);
	memset(t->live, 0, (size_t)t->n_sets * t->live_words * sizeof *t->live);
	for (uint32_t set = 0; set < t->n_sets; set++)
		for (uint32_t w = 0; w < ways; w++)
			if (line_live(tag_line_at(t, set, w)))
				line_enter(t, set, w);
}
