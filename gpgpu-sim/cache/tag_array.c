#include "gpgpu-sim/cache/tag_array.h"

#include "base/mem.h"
#include "gpgpu-sim/cache/replace.h"

#include <string.h>

static uint64_t slot_hash(const struct tag_array *t, uint64_t addr)
{
	return (addr >> t->index.shift) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t slot_home(const struct tag_array *t, uint64_t addr) { return slot_hash(t, addr) >> t->slot_shift; }

// What a slot has of an address's hash: the bits below those of its home.
static uint32_t slot_mark(const struct tag_array *t, uint64_t hash)
{
	return (uint32_t)(hash >> (t->slot_shift - 32)) & ~t->slot_line;
}

static struct tag_line *slot_at(const struct tag_array *t, uint32_t slot) { return &t->line[(slot & t->slot_line) - 1]; }

static void slot_insert(struct tag_array *t, uint32_t line)
{
	uint64_t hash = slot_hash(t, t->line[line].addr);
	uint32_t i = hash >> t->slot_shift;
	while (t->slot[i])
		i = (i + 1) & t->slot_mask;
	t->slot[i] = slot_mark(t, hash) | (line + 1);
}

// Takes a line out, if it is there, and moves up those behind it that the hole would hide.
static void slot_remove(struct tag_array *t, uint32_t line)
{
	uint32_t hole = slot_home(t, t->line[line].addr);
	while ((t->slot[hole] & t->slot_line) != line + 1) {
		if (!t->slot[hole])
			return;
		hole = (hole + 1) & t->slot_mask;
	}
	for (uint32_t i = (hole + 1) & t->slot_mask; t->slot[i]; i = (i + 1) & t->slot_mask) {
		uint32_t from = slot_home(t, slot_at(t, t->slot[i])->addr);
		if (((i - from) & t->slot_mask) >= ((i - hole) & t->slot_mask)) {
			t->slot[hole] = t->slot[i];
			hole = i;
		}
	}
	t->slot[hole] = 0;
}

static struct tag_line *find(const struct tag_array *t, uint64_t addr)
{
	uint64_t hash = slot_hash(t, addr);
	uint32_t mark = slot_mark(t, hash);
	if (!t->slot)
		return NULL;
	for (uint32_t i = hash >> t->slot_shift; t->slot[i]; i = (i + 1) & t->slot_mask)
		if ((t->slot[i] & ~t->slot_line) == mark && slot_at(t, t->slot[i])->addr == addr)
			return slot_at(t, t->slot[i]);
	return NULL;
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

static size_t line_size(const struct tag_array *t) { return (size_t)t->n_sets * t->max_ways * sizeof *t->line; }
static size_t slot_size(const struct tag_array *t) { return ((size_t)t->slot_mask + 1) * sizeof *t->slot; }

void tag_array_init(struct tag_array *t, const struct cache_config *cfg)
{
	const struct cache_form *f = &cfg->form;
	uint32_t max = cfg->max_ways > f->ways ? cfg->max_ways : f->ways;
	*t = (struct tag_array){.n_sets = f->sets, .ways = f->ways, .max_ways = max, .line_bytes = f->line,
	                        .write_ratio = cfg->write_ratio, .sectored = f->kind == 'S', .live_words = (max + 63) / 64};
	t->replace = replace_find(f->replacement);
	set_index_init(&t->index, f->index, f->sets, f->line, cfg->index_of);
	t->set = mem_alloc_dense(f->sets * sizeof *t->set);
	unsigned bits = 2;
	while (UINT64_C(1) << bits < 2 * (uint64_t)f->sets * max)
		bits++;
	t->slot_mask = (UINT64_C(1) << bits) - 1;
	t->slot_shift = 64 - bits;
	t->slot_line = t->slot_mask; // room for every index plus one
	t->live = mem_alloc_dense((size_t)f->sets * t->live_words * sizeof *t->live);
	t->dirty_min = dirty_min(f->sets * f->ways, cfg->write_ratio);
}

void tag_array_free(struct tag_array *t)
{
	mem_free_table(t->line, line_size(t));
	mem_free_dense(t->set, t->n_sets * sizeof *t->set);
	mem_free_table(t->slot, slot_size(t));
	mem_free_dense(t->live, (size_t)t->n_sets * t->live_words * sizeof *t->live);
}

// Brings a line with something in it into the structures that searches use. Only one in its own set can be found.
static void line_enter(struct tag_array *t, uint32_t set, struct tag_line *l, bool own_set)
{
	struct tag_line *row = tag_row(t, set);
	l->set = set;
	if (t->replace->enter)
		t->replace->enter(t, l);
	if (own_set)
		slot_insert(t, l - t->line);
	live_put(t, set, l - row, true);
	t->set[set].n_live++;
	t->set[set].n_reserved += l->reserved != 0;
}

static void line_leave(struct tag_array *t, struct tag_line *l)
{
	struct tag_set *s = &t->set[l->set];
	struct tag_line *row = tag_row(t, l->set);
	if (t->replace->leave)
		t->replace->leave(t, l);
	if (l->prefetched)
		t->unused += __builtin_popcount(l->prefetched);
	l->prefetched = 0;
	slot_remove(t, l - t->line);
	live_put(t, l->set, l - row, false);
	s->n_live--;
	s->n_reserved -= l->reserved != 0;
	l->reserved = l->valid = l->modified = 0;
}

static inline void use(struct tag_array *t, struct tag_line *l, uint64_t now)
{
	if (t->replace->use)
		t->replace->use(t, l, now);
}

// Empty lines are taken from the last way down, as GPGPU-Sim's search ends with the last one it sees.
static struct tag_line *last_empty(const struct tag_array *t, uint32_t set)
{
	const uint64_t *live = &t->live[(size_t)set * t->live_words];
	for (uint32_t i = (t->ways + 63) / 64; i-- > 0;) {
		uint32_t n = t->ways - i * 64;
		uint64_t empty = ~live[i] & (n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0));
		if (empty)
			return &tag_row(t, set)[i * 64 + 63 - __builtin_clzll(empty)];
	}
	return NULL;
}

// Before its first line is taken. Many caches of a GPU never see an access.
static void make_lines(struct tag_array *t)
{
	t->line = mem_alloc_table(line_size(t));
	t->slot = mem_alloc_table(slot_size(t));
}

// The line to replace: never one that waits for a fetch, and a modified one only when enough lines are modified. (Or
// when the set has nothing else; GPGPU-Sim would then wait for other sets, perhaps forever.)
static struct tag_line *victim_of(struct tag_array *t, uint32_t set)
{
	struct tag_set *s = &t->set[set];
	if (!t->line)
		make_lines(t);
	if (s->n_live < t->ways)
		return last_empty(t, set);
	if (s->n_reserved == t->ways)
		return NULL;
	struct tag_line *l = t->replace->victim(t, set, t->dirty >= t->dirty_min);
	return l || s->n_reserved ? l : t->replace->victim(t, set, true);
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

void tag_foresee(const struct tag_array *t, uint64_t addr)
{
	if (t->slot)
		__builtin_prefetch(&t->slot[slot_home(t, addr & ~(uint64_t)(t->line_bytes - 1))]);
}

// The first slot mostly tells the line.
void tag_expect(const struct tag_array *t, uint64_t addr, uint64_t where)
{
	uint64_t hash = slot_hash(t, addr & ~(uint64_t)(t->line_bytes - 1));
	if (!t->slot)
		return;
	uint32_t at = t->slot[hash >> t->slot_shift];
	if (at && (at & ~t->slot_line) == slot_mark(t, hash))
		__builtin_prefetch(slot_at(t, at), 1);
	else
		tag_expect_victim(t, where);
}

void tag_expect_victim(const struct tag_array *t, uint64_t where)
{
	uint32_t set = set_index_of(&t->index, where), first = t->set[set].first;
	if (t->line)
		__builtin_prefetch(&tag_row(t, set)[first ? first - 1 : 0], 1); // the likely one
}

struct tag_at tag_probe(struct tag_array *t, uint64_t addr, uint64_t where, unsigned sectors, bool write)
{
	addr &= ~(uint64_t)(t->line_bytes - 1);
	unsigned s = sector_of(t, sectors);
	struct tag_line *l = find(t, addr);
	if (l)
		return (struct tag_at){l, sector_status(l, s, write)};
	l = victim_of(t, set_index_of(&t->index, where));
	return (struct tag_at){l, l ? CACHE_MISS : CACHE_RESERVATION_FAIL};
}

static void dirty_less(struct tag_array *t)
{
	t->dirty -= t->dirty > 0;
}

// A new line in place of an old one, with one sector reserved.
static void allocate_line(struct tag_array *t, struct tag_line *l, uint64_t addr, unsigned s, uint64_t now)
{
	if (tag_line_live(l)) {
		if (t->replace->replaced)
			t->replace->replaced(t, l);
		line_leave(t, l);
	}
	*l = (struct tag_line){.addr = addr & ~(uint64_t)(t->line_bytes - 1), .stamp = now, .reserved = s, .readable = 0xf};
	line_enter(t, (l - t->line) / t->ways, l, true);
}

// A sector of a line that is there. One that was modified stays so when its missing bytes have come.
static void allocate_sector(struct tag_array *t, struct tag_line *l, unsigned s, uint64_t now)
{
	bool was_modified = l->modified & s;
	t->set[l->set].n_reserved += l->reserved == 0;
	l->valid &= ~s;
	l->modified &= ~s;
	l->reserved |= s;
	l->modified_on_fill = was_modified ? l->modified_on_fill | s : l->modified_on_fill & ~s;
	l->readable_on_fill &= ~s;
	l->readable |= s;
	use(t, l, now);
}

static void describe_victim(const struct tag_array *t, const struct tag_line *l, struct tag_victim *v)
{
	v->modified = true;
	v->addr = l->addr;
	v->mask = l->dirty;
	v->sectors = t->sectored ? l->modified : 0xf;
	v->incomplete = t->sectored ? l->modified & ~l->readable : l->readable ? 0 : 0xf;
	v->bytes = t->sectored ? MEM_SECTOR * __builtin_popcount(l->modified) : t->line_bytes;
}

void tag_use(struct tag_array *t, struct tag_at at, uint64_t addr, unsigned sectors, uint64_t now, bool on_miss,
             struct tag_victim *victim)
{
	unsigned s = sector_of(t, sectors);
	struct tag_line *l = at.line;
	t->used = true;
	victim->modified = false;
	if (at.status == CACHE_HIT || at.status == CACHE_HIT_RESERVED) {
		use(t, l, now);
	} else if (at.status == CACHE_MISS && on_miss) {
		if (l->modified) {
			describe_victim(t, l, victim);
			dirty_less(t);
		}
		allocate_line(t, l, addr, s, now);
	} else if (at.status == CACHE_SECTOR_MISS && on_miss) {
		bool before = l->modified;
		allocate_sector(t, l, s, now);
		if (before && !l->modified)
			dirty_less(t);
	}
}

// The sector gets its data: it is valid, or modified if it was written while it waited.
static void fill_sector(struct tag_array *t, struct tag_line *l, unsigned s, const struct mem_bytes *mask)
{
	bool before = l->modified;
	if (l->reserved == s)
		t->set[l->set].n_reserved--;
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

bool tag_fill_line(struct tag_array *t, struct tag_line *l, uint64_t addr, unsigned sectors, const struct mem_bytes *mask)
{
	if (l->addr != (addr & ~(uint64_t)(t->line_bytes - 1)) || !tag_line_live(l))
		return false;
	fill_sector(t, l, sector_of(t, sectors), mask);
	return true;
}

void tag_fill(struct tag_array *t, uint64_t addr, uint64_t where, unsigned sectors, const struct mem_bytes *mask,
              bool write, uint64_t now)
{
	unsigned s = sector_of(t, sectors);
	struct tag_at at = tag_probe(t, addr, where, sectors, write);
	if (at.status == CACHE_RESERVATION_FAIL)
		return;
	struct tag_line *l = at.line;
	bool before = l->modified;
	if (at.status == CACHE_MISS)
		allocate_line(t, l, addr, s, now);
	else if (at.status == CACHE_SECTOR_MISS)
		allocate_sector(t, l, s, now);
	if (before && !l->modified)
		dirty_less(t);
	fill_sector(t, l, s, mask);
}

void tag_mark_prefetched(struct tag_array *t, uint64_t addr, unsigned sectors)
{
	struct tag_line *l = find(t, addr & ~(uint64_t)(t->line_bytes - 1));
	if (l && l->valid & sector_of(t, sectors))
		l->prefetched |= sector_of(t, sectors);
}

static inline void modify(struct tag_array *t, struct tag_line *l, unsigned s, const struct mem_bytes *mask)
{
	t->dirty += l->modified == 0;
	if (l->reserved == s)
		t->set[l->set].n_reserved--;
	l->reserved &= ~s;
	l->valid &= ~s;
	l->modified |= s;
	l->dirty.w[0] |= mask->w[0];
	l->dirty.w[1] |= mask->w[1];
}

static inline void update_readable(const struct tag_array *t, struct tag_line *l, unsigned s)
{
	if (t->sectored) {
		unsigned i = (unsigned)__builtin_ctz(s);
		if ((uint32_t)(l->dirty.w[i / 2] >> i % 2 * 32) == 0xffffffffu)
			l->readable |= s;
	} else if (mem_bytes_count(&l->dirty) >= t->line_bytes) {
		l->readable |= 1;
	}
}

void tag_modify(struct tag_array *t, struct tag_line *l, unsigned sectors, const struct mem_bytes *mask)
{
	modify(t, l, sector_of(t, sectors), mask);
}

void tag_update_readable(struct tag_array *t, struct tag_line *l, unsigned sectors)
{
	update_readable(t, l, sector_of(t, sectors));
}

void tag_write(struct tag_array *t, struct tag_line *l, unsigned sectors, const struct mem_bytes *mask, uint64_t now)
{
	unsigned s = sector_of(t, sectors);
	t->used = true;
	use(t, l, now);
	modify(t, l, s, mask);
	update_readable(t, l, s);
}

void tag_drop(struct tag_array *t, struct tag_line *l, unsigned sectors)
{
	unsigned s = sector_of(t, sectors);
	if (!((l->reserved | l->valid | l->modified) & ~s)) {
		line_leave(t, l);
		return;
	}
	if (l->reserved == s)
		t->set[l->set].n_reserved--;
	l->reserved &= ~s;
	l->valid &= ~s;
	l->modified &= ~s;
}

static void leave_lines(struct tag_array *t, bool modified_only)
{
	if (!t->used)
		return;
	for (uint32_t set = 0; set < t->n_sets; set++)
		for (uint32_t word = 0; word < t->live_words; word++)
			for (uint64_t left = t->live[(size_t)set * t->live_words + word]; left; left &= left - 1) {
				struct tag_line *l = &tag_row(t, set)[word * 64 + __builtin_ctzll(left)];
				if (!modified_only || l->modified)
					line_leave(t, l);
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
	t->dirty_min = dirty_min(t->n_sets * ways, t->write_ratio);
	if (!t->line)
		return;
	memset(t->set, 0, t->n_sets * sizeof *t->set);
	memset(t->slot, 0, ((size_t)t->slot_mask + 1) * sizeof *t->slot);
	memset(t->live, 0, (size_t)t->n_sets * t->live_words * sizeof *t->live);
	for (uint32_t set = 0; set < t->n_sets; set++)
		for (uint32_t w = 0; w < ways; w++) {
			struct tag_line *l = &tag_row(t, set)[w];
			if (tag_line_live(l))
				line_enter(t, set, l, set_index_of(&t->index, l->addr) == set);
		}
}
