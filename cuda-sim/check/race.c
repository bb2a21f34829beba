// racecheck: accesses of different threads to the same byte of shared memory, of which one writes, are ordered by a barrier.
//
// For each word of four bytes the last write and the last reads are kept, of two warps; for a word of which parts are accessed
// alone, the same for each byte. A thread that writes what is there already changes nothing and races with nobody who wrote it.
// Nor does a plain read race with atomics if threads go on from it to a compare-and-swap at that place: so loops around one begin
// (and may end at once, if there is nothing to change). Such reads wait until that is known.
#include "cuda-sim/check/clocks.h"
#include "cuda-sim/check/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// One access, or several of lanes of a warp at one time.
struct race_access {
	const struct isa_inst *inst;
	uint32_t time, lanes; // time 0: there was none
	uint8_t warp;
	bool atomic, strong;
};

enum { WHO_WARP = 0xff, WHO_ATOMIC = 0x100, WHO_STRONG = 0x200 };

// Accesses of many cells, so that those side by side are looked at together.
struct race_rows {
	uint32_t *time, *lanes, *who;
	int32_t *inst; // from race_cta.first_inst on: the instructions of a kernel are one array
};

// Of a cell: the last write, and the last reads by two warps, the later one first.
enum { WROTE, READ, READ_BEFORE, N_ROWS };

struct race_cta {
	struct clocks clocks;
	uint32_t size;             // words
	struct race_rows row[N_ROWS]; // cells of words, and behind them those of bytes
	uint32_t n_cell, cap_cell;
	uint32_t *split;           // 0: whole; else the number of its first byte's cell
	const struct isa_inst *first_inst;
	VEC(struct hazard) waiting;
	VEC(const struct isa_inst *) begins; // reads from which threads have gone on to a compare-and-swap
};

static struct race_access load(const struct race_cta *r, unsigned row, uint32_t cell)
{
	const struct race_rows *t = &r->row[row];
	const uint32_t who = t->who[cell];
	return (struct race_access){r->first_inst + t->inst[cell], t->time[cell], t->lanes[cell], who & WHO_WARP, who & WHO_ATOMIC, who & WHO_STRONG};
}

static uint32_t who_of(const struct race_access *a) { return a->warp | (a->atomic ? WHO_ATOMIC : 0) | (a->strong ? WHO_STRONG : 0); }

static void keep(struct race_cta *r, unsigned row, uint32_t cell, const struct race_access *a)
{
	const struct race_rows *t = &r->row[row];
	t->time[cell] = a->time;
	t->lanes[cell] = a->lanes;
	t->who[cell] = who_of(a);
	t->inst[cell] = (int32_t)(a->inst - r->first_inst);
}

static void reserve(struct race_cta *r, uint32_t n)
{
	if (n <= r->cap_cell)
		return;
	const uint32_t had = r->cap_cell, cap = n > 2 * had ? n : 2 * had;
	for (unsigned k = 0; k < N_ROWS; k++) {
		struct race_rows *t = &r->row[k];
		uint32_t **const all[] = {&t->time, &t->lanes, &t->who, (uint32_t **)&t->inst};
		for (unsigned i = 0; i < 4; i++) {
			*all[i] = mem_realloc(*all[i], cap * sizeof **all[i]);
			memset(*all[i] + had, 0, (cap - had) * sizeof **all[i]);
		}
	}
	r->cap_cell = cap;
}

static struct race_cta *race_of(const struct warp *w) { return check_cta_of(w->cta)->race; }

static void cta_new(struct exec_cta *x)
{
	struct race_cta *r = MEM_NEW(struct race_cta);
	r->size = (x->shared_size + 3) / 4;
	r->n_cell = r->size + 1; // number 0 is no first cell of bytes
	reserve(r, r->n_cell);
	r->split = mem_alloc((r->size + 1) * sizeof *r->split);
	clocks_new(&r->clocks, x->n_warp);
	check_cta_of(x)->race = r;
}

static void cta_free(struct exec_cta *x)
{
	struct race_cta *r = check_cta_of(x)->race;
	clocks_free(&r->clocks);
	for (unsigned k = 0; k < N_ROWS; k++) {
		mem_free(r->row[k].time);
		mem_free(r->row[k].lanes);
		mem_free(r->row[k].who);
		mem_free(r->row[k].inst);
	}
	mem_free(r->split);
	VEC_FREE(&r->waiting);
	VEC_FREE(&r->begins);
	mem_free(r);
}

static void cta_start(struct exec_cta *x)
{
	check_cta_of(x)->race->waiting.n = 0;
	clocks_start(&check_cta_of(x)->race->clocks);
}

static const char *verb(const struct race_access *a, bool writes) { return a->atomic ? "Atomic" : writes ? "Write" : "Read"; }

// What one lane does to `bytes` bytes at `at`, and whom it meets there.
struct meeting {
	struct warp *warp;
	const struct exec_touch *touch;
	unsigned lane;
	uint32_t at, bytes;
};

// A hazard: what somebody did before, and what lane `lane` of warp `warp` does at `bytes` bytes at `at`.
struct hazard {
	struct race_access old, now;
	bool old_writes, writes;
	uint8_t lane;
	uint32_t at, bytes;
	uint8_t reader_warp; // while it waits: the warp whose plain read it is
};

static void complain(struct exec_cta *x, const struct hazard *h)
{
	struct check *c = check_cta_of(x)->check;
	const bool error = h->old.warp != h->now.warp;
	char key[160];
	snprintf(key, sizeof key, "race %p %p %p %d%d", (const void *)x->launch->info, (const void *)h->old.inst, (const void *)h->now.inst,
	         h->old_writes, h->writes);
	struct report *r = report_find(c, key);
	if (!r) {
		struct check_where from, to;
		char text[2600], signature[1600];
		const char *what = verb(&h->old, h->old_writes), *then = verb(&h->now, h->writes);
		uint32_t a[3], b[3];
		unsigned other = (unsigned)__builtin_ctz(error ? h->old.lanes : h->old.lanes & ~(1u << h->lane));
		check_where(c, x->launch, h->old.inst, &from);
		check_where(c, x->launch, h->now.inst, &to);
		check_thread(x, h->old.warp, other, a);
		check_thread(x, h->now.warp, h->lane, b);
		snprintf(signature, sizeof signature, "racecheck: Race reported between %s access at %s and %s access at %s", what, from.name, then,
		         to.name);
		snprintf(text, sizeof text,
		         "Race reported between %s access at %s%s\n"
		         "    and %s access at %s%s [# hazards]\n"
		         "    first as %s by thread (%u,%u,%u) and thread (%u,%u,%u) in block (%u,%u,%u) at __shared__ 0x%x\n",
		         what, from.at, from.call, then, to.at, to.call, !h->old_writes ? "write after read" : h->writes ? "write after write" : "read after write", a[0], a[1],
		         a[2], b[0], b[1], b[2], x->id[0], x->id[1], x->id[2], h->at);
		r = report_add(c, key, signature, text);
		r->race = true;
	}
	r->race_error |= error;
	report_again(c, r, h->bytes);
}

static bool begins_swap(const struct race_cta *r, const struct isa_inst *read)
{
	for (size_t i = 0; i < r->begins.n; i++)
		if (r->begins.at[i] == read)
			return true;
	return false;
}

// Lanes are about to compare and swap: a plain read at that place that they did before is where their loop begins.
static void note_begins(struct race_cta *r, const struct warp *w, const struct exec_touch *t)
{
	for (uint32_t m = t->mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (t->addr[i] / 4 >= r->size)
			continue;
		for (unsigned k = READ; k <= READ_BEFORE; k++) {
			const struct race_access a = load(r, k, (uint32_t)(t->addr[i] / 4));
			if (a.warp == w->id && a.lanes >> i & 1 && !a.atomic && !begins_swap(r, a.inst))
				VEC_PUSH(&r->begins, a.inst);
		}
	}
}

// Those that wait are told, or turn out to be none: of one warp, or of all.
static void tell_waiting(struct exec_cta *x, unsigned warp)
{
	struct race_cta *r = check_cta_of(x)->race;
	size_t left = 0;
	for (size_t i = 0; i < r->waiting.n; i++) {
		const struct hazard *h = &r->waiting.at[i];
		if (warp != WARP && h->reader_warp != warp)
			r->waiting.at[left++] = *h;
		else if (!begins_swap(r, h->old.atomic ? h->now.inst : h->old.inst))
			complain(x, h);
	}
	r->waiting.n = left;
}

static void found(const struct meeting *m, const struct race_access *old, bool old_writes)
{
	enum { MOST = 4096 };
	struct exec_cta *x = m->warp->cta;
	struct race_cta *r = check_cta_of(x)->race;
	const struct exec_touch *t = m->touch;
	struct hazard h = {.old = *old, .now = {.inst = t->inst, .warp = (uint8_t)m->warp->id, .atomic = t->atomic}, .old_writes = old_writes,
	                   .writes = t->write, .lane = (uint8_t)m->lane, .at = m->at, .bytes = m->bytes};
	if (!old->atomic && !t->atomic) {
		complain(x, &h);
		return;
	}
	if ((old->atomic ? t->write : old_writes) || r->waiting.n >= MOST) { // the other one writes
		complain(x, &h);
		return;
	}
	h.reader_warp = old->atomic ? (uint8_t)m->warp->id : old->warp;
	VEC_PUSH(&r->waiting, h);
}

// The value of a store's lane, in the order of memory; false if it is not known.
static bool value_of(const struct exec_touch *t, unsigned lane, uint8_t out[16])
{
	const unsigned bytes = t->n_row ? t->bytes / t->n_row : 0;
	if (!bytes || t->bytes > 16 || bytes > t->row_bytes)
		return false;
	for (unsigned k = 0; k < t->n_row; k++)
		memcpy(out + k * bytes, t->row[k] + (size_t)lane * t->row_bytes, bytes);
	return true;
}

// The lane stores what stands there.
static bool stores_the_same(const struct meeting *m)
{
	uint8_t value[16];
	const uint32_t begin = (uint32_t)m->touch->addr[m->lane];
	return !m->touch->atomic && value_of(m->touch, m->lane, value) &&
	       !memcmp(m->warp->cta->shared + m->at, value + (m->at - begin), m->bytes);
}

// Two lanes of one instruction store the same.
static bool store_alike(const struct meeting *m, unsigned other)
{
	uint8_t a[16], b[16];
	const uint32_t begin = (uint32_t)m->touch->addr[m->lane], begin_other = (uint32_t)m->touch->addr[other];
	return value_of(m->touch, m->lane, a) && value_of(m->touch, other, b) && begin == begin_other &&
	       !memcmp(a + (m->at - begin), b + (m->at - begin), m->bytes);
}

static bool excused(const struct meeting *m, const struct race_access *old)
{
	return (old->atomic && m->touch->atomic) || (old->strong && m->touch->strong);
}

static bool meets(const struct meeting *m, const struct clocks *k, const struct race_access *old)
{
	return old->time >= k->base && !clocks_ordered(k, m->warp->id, m->lane, old->warp, old->lanes, old->time) && !excused(m, old);
}

static void take_read(struct race_cta *r, uint32_t cell, const struct race_access *now)
{
	struct race_access last = load(r, READ, cell);
	if (last.warp == now->warp && last.time == now->time) {
		r->row[READ].lanes[cell] |= now->lanes;
		r->row[READ].inst[cell] = (int32_t)(now->inst - r->first_inst);
		return;
	}
	if (last.warp != now->warp)
		keep(r, READ_BEFORE, cell, &last);
	keep(r, READ, cell, now);
}

static void take_write(const struct meeting *m, struct race_cta *r, uint32_t cell, const struct race_access *now)
{
	const struct race_access old = load(r, WROTE, cell);
	if (meets(m, &r->clocks, &old)) {
		bool here = old.inst == now->inst && old.warp == now->warp && old.time == now->time && old.lanes & m->touch->mask;
		bool alike = here ? store_alike(m, (unsigned)__builtin_ctz(old.lanes & m->touch->mask)) : !old.atomic && stores_the_same(m);
		if (!alike)
			found(m, &old, true);
	}
	for (unsigned i = READ; i <= READ_BEFORE; i++) {
		const struct race_access reader = load(r, i, cell);
		if (meets(m, &r->clocks, &reader))
			found(m, &reader, false);
		r->row[i].time[cell] = 0;
	}
	keep(r, WROTE, cell, now);
}

static void meet(const struct meeting *m, struct race_cta *r, uint32_t cell, const struct race_access *now)
{
	if (m->touch->write) {
		take_write(m, r, cell, now);
		return;
	}
	const struct race_access old = load(r, WROTE, cell);
	struct meeting by = *m;
	// Of lanes that read one place, one that did not write it itself stands for all.
	if (old.warp == now->warp && now->lanes & ~old.lanes)
		by.lane = (unsigned)__builtin_ctz(now->lanes & ~old.lanes);
	if (meets(&by, &r->clocks, &old))
		found(&by, &old, true);
	take_read(r, cell, now);
}

static void split(struct race_cta *r, uint32_t word)
{
	reserve(r, r->n_cell + 4);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned k = 0; k < N_ROWS; k++) {
			struct race_access a = load(r, k, word);
			keep(r, k, r->n_cell + i, &a);
		}
	r->split[word] = r->n_cell;
	r->n_cell += 4;
}

static void touch_word(struct race_cta *r, struct meeting m, uint32_t word, uint32_t lo, uint32_t hi, const struct race_access *now)
{
	if (hi - lo < 4 && !r->split[word])
		split(r, word);
	m.at = 4 * word + lo;
	m.bytes = hi - lo;
	if (!r->split[word]) {
		meet(&m, r, word, now);
		return;
	}
	m.bytes = 1;
	for (; lo < hi; lo++, m.at++)
		meet(&m, r, r->split[word] + lo, now);
}

// The lanes now->lanes, of which `lane` is one, at the place of that.
static void touch_place(struct race_cta *r, struct warp *w, const struct exec_touch *t, unsigned lane, const struct race_access *now)
{
	const uint64_t addr = t->addr[lane], end = addr + t->bytes;
	const struct meeting m = {.warp = w, .touch = t, .lane = lane};
	if (end > (uint64_t)r->size * 4 || end < addr)
		return;
	for (uint32_t word = (uint32_t)(addr / 4); word < (end + 3) / 4; word++) {
		uint32_t lo = word == addr / 4 ? (uint32_t)(addr % 4) : 0, hi = end - 4u * word < 4 ? (uint32_t)(end - 4u * word) : 4;
		touch_word(r, m, word, lo, hi, now);
	}
}

// --- the quick way: whole words side by side that meet nobody

// Words of consecutive lanes, or of one place that several lanes read. lanes: of each word.
struct run {
	uint32_t word, n;
	uint32_t lanes[4 * WARP];
};

// Of an access whose time is not safely past: it is by another than these lanes.
static inline uint32_t met(const struct race_rows *t, uint32_t cell, uint32_t safe, uint32_t warp, uint32_t lanes)
{
	return (uint32_t)(t->time[cell] >= safe) & (uint32_t)!(((t->who[cell] & WHO_WARP) == warp) & (t->lanes[cell] == lanes));
}

static bool quick(struct race_cta *r, const struct run *run, bool write, const struct race_access *now)
{
	const uint32_t safe = r->clocks.warp[now->warp].safe, warp = now->warp, who = who_of(now), time = now->time, from = run->word;
	const int32_t inst = (int32_t)(now->inst - r->first_inst);
	const struct race_rows wrote = r->row[WROTE], read = r->row[READ], before = r->row[READ_BEFORE];
	uint32_t bad = 0;
	if (from + run->n > r->size)
		return false;
	for (uint32_t j = 0; j < run->n; j++)
		bad |= r->split[from + j] | met(&wrote, from + j, safe, warp, run->lanes[j]);
	if (write)
		for (uint32_t j = 0; j < run->n; j++)
			bad |= met(&read, from + j, safe, warp, run->lanes[j]) | met(&before, from + j, safe, warp, run->lanes[j]);
	if (bad)
		return false;
	if (write) {
		EXEC_VECTOR for (uint32_t j = 0; j < run->n; j++) {
			wrote.time[from + j] = time;
			wrote.lanes[from + j] = run->lanes[j];
			wrote.who[from + j] = who;
			wrote.inst[from + j] = inst;
			read.time[from + j] = 0;
			before.time[from + j] = 0;
		}
		return true;
	}
	EXEC_VECTOR for (uint32_t j = 0; j < run->n; j++) { // see take_read
		const uint32_t c = from + j;
		const bool other = (read.who[c] & WHO_WARP) != warp, again = !other & (read.time[c] == time);
		before.time[c] = other ? read.time[c] : before.time[c];
		before.lanes[c] = other ? read.lanes[c] : before.lanes[c];
		before.who[c] = other ? read.who[c] : before.who[c];
		before.inst[c] = other ? read.inst[c] : before.inst[c];
		read.lanes[c] = run->lanes[j] | (again ? read.lanes[c] : 0);
		read.time[c] = time;
		read.who[c] = who;
		read.inst[c] = inst;
	}
	return true;
}

// The next lanes of *left whose words are one run; they are taken out. Lanes that write one place are not.
static uint32_t next_run(const struct exec_touch *t, uint32_t *left, struct run *run)
{
	const uint32_t per_lane = t->bytes / 4u;
	unsigned i = (unsigned)__builtin_ctz(*left);
	uint32_t lanes = 1u << i;
	const uint64_t first = t->addr[i];
	*left &= *left - 1;
	run->word = (uint32_t)(first / 4);
	run->n = 0;
	bool same = *left && !t->write && t->addr[__builtin_ctz(*left)] == first;
	for (uint32_t k = 0; k < per_lane; k++)
		run->lanes[run->n++] = 1u << i;
	while (*left) {
		i = (unsigned)__builtin_ctz(*left);
		if (t->addr[i] != (same ? first : first + 4 * (uint64_t)run->n))
			break;
		lanes |= 1u << i;
		*left &= *left - 1;
		for (uint32_t k = 0; k < (same ? 0 : per_lane); k++)
			run->lanes[run->n++] = 1u << i;
	}
	for (uint32_t k = 0; same && k < per_lane; k++)
		run->lanes[k] = lanes;
	return lanes;
}

static void touch_lanes(struct race_cta *r, struct warp *w, const struct exec_touch *t, uint32_t lanes, struct race_access *now)
{
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		now->lanes = 1u << i;
		touch_place(r, w, t, i, now);
	}
}

static void touch(struct warp *w, const struct uop *u, const struct exec_touch *t)
{
	struct race_cta *r = race_of(w);
	if (t->space != SPACE_SHARED)
		return;
	struct race_access now = {.inst = t->inst, .time = r->clocks.warp[w->id].now, .warp = (uint8_t)w->id, .atomic = t->atomic, .strong = t->strong};
	if (!r->first_inst)
		r->first_inst = t->inst;
	if (t->swaps)
		note_begins(r, w, t);
	uint64_t bits = t->bytes;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		bits |= t->addr[i];
	uint32_t left = t->mask;
	while (!(bits & 3) && !(bits >> 32) && t->bytes <= 16 && left) {
		struct run run;
		uint32_t lanes = next_run(t, &left, &run);
		if (quick(r, &run, t->write, &now))
			continue;
		now.lanes = lanes;
		if (!t->write && run.n == t->bytes / 4u)
			touch_place(r, w, t, (unsigned)__builtin_ctz(lanes), &now);
		else
			touch_lanes(r, w, t, lanes, &now);
	}
	touch_lanes(r, w, t, left, &now);
	if (!t->atomic && !t->strong)
		return;
	for (uint32_t m = t->mask; m; m &= m - 1) {
		uint64_t addr = t->addr[__builtin_ctz(m)];
		if (!t->write || t->atomic)
			clocks_flag_read(&r->clocks, w->id, addr);
		if (t->write)
			clocks_flag_written(&r->clocks, w->id, addr);
	}
}

static void warpsync(struct warp *w, uint32_t mask, const uint32_t *members) { clocks_warpsync(&race_of(w)->clocks, w, mask, members); }

static void arrive(struct warp *w, uint32_t mask, uint32_t id, bool waits, bool aligned)
{
	tell_waiting(w->cta, w->id);
	clocks_arrive(&race_of(w)->clocks, w, mask, id < EXEC_BARRIERS ? id : EXEC_BARRIERS, waits);
}

static void open(struct exec_cta *x, uint32_t id)
{
	clocks_open(&check_cta_of(x)->race->clocks, x, id < EXEC_BARRIERS ? id : EXEC_BARRIERS);
}
static void cta_end(struct exec_cta *x) { tell_waiting(x, WARP); }
static void fence(struct warp *w, uint32_t mask, bool proxy) { clocks_fence(&race_of(w)->clocks, w->id); }

// An mbarrier puts what its threads did before they arrived before what those do who have waited for it.
static void signalled(struct warp *w, uint32_t mask, const uint32_t *at)
{
	struct clocks *c = &race_of(w)->clocks;
	clocks_fence(c, w->id);
	for (uint32_t m = mask; m; m &= m - 1)
		clocks_flag_written(c, w->id, at[__builtin_ctz(m)]);
}

static void awaited(struct warp *w, uint32_t mask, const uint32_t *at)
{
	struct clocks *c = &race_of(w)->clocks;
	for (uint32_t m = mask; m; m &= m - 1)
		clocks_flag_read(c, w->id, at[__builtin_ctz(m)]);
	clocks_fence(c, w->id);
	clocks_meet(c, w, mask);
}

const struct check_tool check_races = {
	.bit = CHECK_RACECHECK, .cta_new = cta_new, .cta_free = cta_free, .cta_start = cta_start, .cta_end = cta_end,
	.touch = touch, .warpsync = warpsync, .arrive = arrive, .open = open, .fence = fence, .signalled = signalled, .awaited = awaited,
};
