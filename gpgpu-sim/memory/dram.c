#include "gpgpu-sim/memory/dram.h"

#include "base/mem.h"
#include "gpgpu-sim/memory/addr_hash.h"
#include "gpgpu-sim/memory/dram_sched.h"

#include <string.h>

// --- Requests ---

static void grow(struct dram *d)
{
	HEDDLE_ASSERT(d->n_chunk < 20);
	struct dram_req *q = mem_alloc_dense(d->chunk_size * sizeof *q);
	d->req_chunk[d->n_chunk++] = q;
	for (unsigned i = d->chunk_size; i-- > 0;) {
		q[i].next = d->free_req;
		d->free_req = &q[i];
	}
	d->chunk_size *= 2;
}

static void drop(struct dram *d, struct dram_req *q)
{
	q->next = d->free_req;
	d->free_req = q;
}

// Banks of addresses may be more than the chip has.
static unsigned bank_of(const struct dram_config *c, const struct mem_place *p)
{
	unsigned n = c->timing.banks;
	switch (c->bank_indexing) {
	case DRAM_BANKS_XOR:   return addr_hash_xor(p->row, p->bank, n) % n;
	case DRAM_BANKS_IPOLY: return addr_hash_ipoly(p->row, p->bank, n);
	default:          return p->bank % n; // custom is the room for your own, and linear until then
	}
}

// Bytes of sectors that have to be read before the request can be written.
static uint32_t lacking(const struct mem_req *r) { return MEM_SECTOR * __builtin_popcount(r->incomplete); }

static void count_traffic(struct dram *d, const struct mem_req *r)
{
	struct dram_bank_stats *b = &d->stats.bank[r->place.bank % d->stats.n_banks];
	uint64_t bursts = r->bytes / d->cfg->atom;
	*(r->write ? &b->writes : &b->reads) += bursts;
	if (d->cfg->completes)
		b->reads += lacking(r) / d->cfg->atom;
	b->by_type[r->type] += bursts;
}

void dram_push(struct dram *d, struct mem_req *r, uint64_t now)
{
	if (!d->free_req) // never with a bounded queue
		grow(d);
	struct dram_req *q = d->free_req;
	d->free_req = q->next;
	*q = (struct dram_req){.r = r, .row = r->place.row, .bank = bank_of(d->cfg, &r->place), .bytes = r->bytes,
	                       .write = r->write, .since = now};
	if (d->cfg->completes && r->incomplete) {
		q->completes = true;
		q->write = false;
		q->bytes = lacking(r);
	}
	port_push(&d->entry, q);
	d->stats.n_req++;
	// GPGPU-Sim counts the new request here with FIFO only.
	uint32_t n = d->cfg->sched->waiting(d);
	if (n > d->stats.max_mrqs_temp)
		d->stats.max_mrqs_temp = n;
	if (d->cfg->latency_stat)
		count_traffic(d, r);
}

bool dram_full(const struct dram *d, bool write) { return d->cfg->sched->full(d, write); }

// The bank's request finds its row open, from now on or no longer.
static void set_hit(struct dram *d, unsigned bank)
{
	d->hit |= 1ull << bank;
	d->n_hit++;
	d->n_hit_writes += !(d->reads >> bank & 1);
	d->n_hit_groups += !d->group_hits[d->cfg->timing.group[bank]]++;
}

static void clear_hit(struct dram *d, unsigned bank)
{
	if (!(d->hit >> bank & 1))
		return;
	d->hit &= ~(1ull << bank);
	d->n_hit--;
	d->n_hit_writes -= !(d->reads >> bank & 1);
	d->n_hit_groups -= !--d->group_hits[d->cfg->timing.group[bank]];
}

// The command that the bank's request needs next.
static enum dram_command next_command(const struct dram *d, unsigned bank)
{
	uint64_t bit = 1ull << bank;
	if (d->hit & bit)
		return d->reads & bit ? DRAM_RD : DRAM_WR;
	return d->open & bit ? DRAM_PRE : DRAM_ACT;
}

static void update_ready(struct dram *d, uint64_t banks)
{
	for (banks &= d->busy; banks; banks &= banks - 1) {
		unsigned b = __builtin_ctzll(banks);
		d->bank_ready[b] = dram_timing_bank_ready(&d->timing, b, next_command(d, b));
	}
}

void dram_serve(struct dram *d, struct dram_req *q)
{
	uint64_t bit = 1ull << q->bank;
	struct dram_bank *b = &d->bank[q->bank];
	HEDDLE_ASSERT(!(d->busy & bit));
	d->stats.bank[q->bank].n_idle += d->tick - b->idle_since;
	b->req = q;
	d->busy |= bit;
	d->n_busy++;
	if (q->write)
		d->reads &= ~bit;
	else
		d->reads |= bit;
	if (d->open & bit && b->row == q->row)
		set_hit(d, q->bank);
	update_ready(d, bit);
}

static void bank_done(struct dram *d, unsigned bank)
{
	d->bank[bank].req = NULL;
	d->bank[bank].idle_since = d->tick;
	d->busy &= ~(1ull << bank);
	d->n_busy--;
	clear_hit(d, bank);
}

// --- Data on the way ---

static void line_push(struct dram_line *l, struct dram_req *q)
{
	uint64_t last = l->advances + l->length; // place behind the last one
	bool taken = l->n && RING_BACK(l)->place + 1 == last;
	if (!l->length || taken || l->length < l->min)
		l->length++;
	else
		last--;
	RING_PUSH(l, (struct dram_on_way){q, last});
}

// Another direction has another latency. Empty places at the end go or come; data keeps its place.
static void line_set_min(struct dram_line *l, uint32_t min)
{
	if (min == l->min)
		return;
	l->min = min;
	uint32_t used = l->n ? RING_BACK(l)->place + 1 - l->advances : 0;
	uint32_t shortest = used > min ? used : min;
	if (l->length < min || l->length > shortest)
		l->length = shortest;
}

static bool line_full(const struct dram_line *l) { return l->length >= l->max; }

static void line_advance(struct dram_line *l, uint64_t n)
{
	l->advances += n;
	l->length = l->length > n + l->min ? l->length - n : l->min;
}

// What the sectors of a write lacked was read: it goes to the scheduler again, as the write that it is.
static void completed(struct dram *d, struct dram_req *q)
{
	q->completes = false;
	q->write = true;
	q->bytes = q->r->bytes;
	q->sent = q->arrived = 0;
	q->next = NULL;
	*(d->completed ? &d->last_completed->next : &d->completed) = q;
	d->last_completed = q;
}

struct dram_req *dram_next_completed(struct dram *d)
{
	struct dram_req *q = d->completed;
	if (q)
		d->completed = q->next;
	return q;
}

static void arrive(struct dram *d, struct dram_req *q)
{
	q->arrived += d->cfg->atom;
	if (q->arrived < q->bytes)
		return;
	struct mem_req *r = q->r;
	if (q->completes) {
		completed(d, q);
		return;
	}
	if (r->type == L1_WRBK_ACC || r->type == L2_WRBK_ACC) {
		d->done(d->ctx, r);
	} else {
		r->reply = true;
		port_push(&d->returns, r);
	}
	drop(d, q);
}

static bool move_data(struct dram *d)
{
	struct dram_line *l = &d->line;
	struct dram_req *q = NULL;
	if (l->n && RING_FRONT(l)->place == l->advances) {
		q = RING_TAKE(l).q;
	}
	line_advance(l, 1);
	if (q)
		arrive(d, q);
	return q;
}

// --- Statistics of ticks ---

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }
// Ticks of [from, to) at which something that runs before `until` runs.
static uint64_t overlap(uint64_t until, uint64_t from, uint64_t to) { return until > from ? least(until, to) - from : 0; }

// Before commands are issued: n ticks with the present requests in the banks.
static void count_banks(struct dram *d, uint64_t n)
{
	struct dram_stats *s = &d->stats;
	s->ave_mrqs += n * d->cfg->sched->waiting(d);
	if (!d->busy)
		return;
	s->banks_1time += n * d->n_busy;
	s->banks_access_total += n;
	if (!d->hit)
		return;
	s->banks_time_rw += n * d->n_hit;
	s->banks_access_rw_total += n;
	if (d->n_hit_writes)
		s->write_share += n * ((((uint64_t)d->n_hit_writes << 32) + d->n_hit / 2) / d->n_hit);
	s->bkgrp_parallel_rw += n * d->n_hit_groups;
}

// What banks with an open row wait for in ticks [from, to), in which no data command could go.
static void count_limits(struct dram *d, uint64_t from, uint64_t to)
{
	struct dram_stats *s = &d->stats;
	// Turning the bus over holds back all reads, or all writes.
	uint64_t wtr = overlap(dram_timing_until(&d->timing, 0, DRAM_CHANNEL, DRAM_WATCH_WTR), from, to);
	uint64_t rtw = overlap(dram_timing_until(&d->timing, 0, DRAM_CHANNEL, DRAM_WATCH_RTW), from, to);
	for (uint64_t left = d->hit; left; left &= left - 1) {
		unsigned b = __builtin_ctzll(left);
		bool read = d->reads >> b & 1;
		uint64_t row = dram_timing_until(&d->timing, b, DRAM_BANK, read ? DRAM_WATCH_RCD : DRAM_WATCH_RCDWR);
		uint64_t in_group = overlap(dram_timing_until(&d->timing, b, DRAM_GROUP, DRAM_WATCH_CCDL), from, to);
		uint64_t in_turn = read ? wtr : rtw, both = least(in_group, in_turn);
		*(read ? &s->rcd_limit : &s->rcdwr_limit) += overlap(row, from, to);
		*(read ? &s->wtr_limit : &s->rtw_limit) += in_turn;
		*(read ? &s->wtr_limit_alone : &s->rtw_limit_alone) += in_turn - both;
		s->ccdl_limit += in_group;
		s->ccdl_limit_alone += in_group - both;
	}
	if (line_full(&d->line))
		s->rwq_limit += (to - from) * d->n_hit;
}

// After commands were issued: where the data bus was in ticks [from, to); `data`: a column command went in the first.
static void count_bus(struct dram *d, uint64_t from, uint64_t to, bool data)
{
	struct dram_stats *s = &d->stats;
	s->n_cmd += to - from;
	uint64_t moving = overlap(dram_timing_until(&d->timing, 0, DRAM_CHANNEL, DRAM_WATCH_CCD), from, to);
	if (data && !moving)
		moving = 1;
	s->util_bw += moving;
	uint64_t rest = to - from - moving;
	if (!rest)
		return;
	if (d->hit) {
		s->wasted_bw_col += rest;
		count_limits(d, from + moving, to);
	} else if (d->busy) {
		s->wasted_bw_row += rest;
	} else {
		s->idle_bw += rest;
	}
}

// --- Commands ---

// The first bank of a set that is not empty, from `turn` on.
static unsigned first_from(uint64_t set, unsigned turn)
{
	uint64_t upper = set >> turn << turn;
	return __builtin_ctzll(upper ? upper : set);
}

static void issue(struct dram *d, unsigned bank, enum dram_command c)
{
	dram_timing_issue(&d->timing, bank, c, d->tick);
	if (d->watch)
		d->watch(d->watch_ctx, d->name, d->tick, c, bank, c == DRAM_REF ? 0 : d->bank[bank].row);
}

// After a command to the bank: banks that it holds back look at the registers again.
static void command_done(struct dram *d, unsigned bank, bool column)
{
	const struct dram_timing_config *c = &d->cfg->timing;
	update_ready(d, c->ranks_matter ? UINT64_MAX : column ? c->group_banks[c->group[bank]] : 1ull << bank);
}

// Which busy banks of a set may have their next command, which is `c` for all of them, now.
static uint64_t allowed(const struct dram *d, uint64_t set, enum dram_command c)
{
	uint64_t out = 0;
	if (!set || dram_timing_channel_ready(&d->timing, c) > d->tick)
		return 0;
	for (; set; set &= set - 1)
		if (d->bank_ready[__builtin_ctzll(set)] <= d->tick)
			out |= set & -set;
	return out;
}

// When the first bank of such a set may have it; UINT64_MAX if the set is empty.
static uint64_t first_ready(const struct dram *d, uint64_t set, enum dram_command c)
{
	uint64_t first = UINT64_MAX;
	if (!set)
		return first;
	for (; set; set &= set - 1)
		first = least(first, d->bank_ready[__builtin_ctzll(set)]);
	return most(first, dram_timing_channel_ready(&d->timing, c));
}

static uint64_t columns_ready(const struct dram *d)
{
	uint64_t set = d->hit & ~d->refreshing;
	if (!set || line_full(&d->line))
		return 0;
	return allowed(d, set & d->reads, DRAM_RD) | allowed(d, set & ~d->reads, DRAM_WR);
}

static uint64_t rows_ready(const struct dram *d)
{
	uint64_t set = d->busy & ~d->hit & ~d->refreshing;
	return allowed(d, set & d->open, DRAM_PRE) | allowed(d, set & ~d->open, DRAM_ACT);
}

static void count_column(struct dram *d, const struct dram_req *q)
{
	struct dram_stats *s = &d->stats;
	if (q->write)
		*(q->r->type == L2_WRBK_ACC ? &s->n_wr_wb : &s->n_wr) += 1;
	else
		*(q->r->type == L2_WR_ALLOC_R ? &s->n_rd_l2_a : &s->n_rd) += 1;
	s->bwutil += d->cfg->burst;
	if (!q->write) // GPGPU-Sim's "bkN: Na" counts reads only
		s->bank[q->bank].n_access++;
}

static void issue_column(struct dram *d, unsigned bank)
{
	struct dram_req *q = d->bank[bank].req;
	if (d->writing != q->write) {
		d->writing = q->write;
		line_set_min(&d->line, q->write ? d->cfg->WL : d->cfg->CL);
	}
	line_push(&d->line, q);
	issue(d, bank, q->write ? DRAM_WR : DRAM_RD);
	count_column(d, q);
	q->sent += d->cfg->atom;
	if (q->sent >= q->bytes)
		bank_done(d, bank);
	command_done(d, bank, true);
}

static void open_row(struct dram *d, unsigned bank)
{
	d->bank[bank].row = d->bank[bank].req->row;
	d->open |= 1ull << bank;
	set_hit(d, bank);
	issue(d, bank, DRAM_ACT);
	command_done(d, bank, false);
	d->stats.n_act++;
}

static void close_row(struct dram *d, unsigned bank)
{
	d->open &= ~(1ull << bank);
	clear_hit(d, bank);
	issue(d, bank, DRAM_PRE);
	command_done(d, bank, false);
	d->stats.n_pre++;
}

static void issue_row(struct dram *d, unsigned bank)
{
	if (d->open >> bank & 1)
		close_row(d, bank);
	else
		open_row(d, bank);
	d->turn = bank + 1 == d->cfg->timing.banks ? 0 : bank + 1;
}

// HBM: a row command and a column command in one tick.
static void issue_two_buses(struct dram *d, uint64_t columns, bool *row, bool *column)
{
	if ((*column = columns))
		issue_column(d, first_from(columns, d->turn));
	uint64_t rows = *row ? 0 : rows_ready(d);
	if (rows) {
		issue_row(d, first_from(rows, d->turn));
		*row = true;
	}
}

// One bus, as GPGPU-Sim has it: banks are visited from the priority pointer on. A column command that comes first in that
// order is the only command. After a row command the pointer moves in the middle of the visit, so that the rest of it jumps
// ahead by as many banks as were visited; a column command found there still goes in the same tick, and the banks left out
// or visited twice are counted idle so often.
static void issue_one_bus(struct dram *d, uint64_t columns, bool *row, bool *column)
{
	uint64_t rows = *row ? 0 : rows_ready(d);
	if (*row || !(columns | rows))
		return;
	unsigned n = d->cfg->timing.banks, start = d->turn, b = first_from(columns | rows, start);
	if (columns >> b & 1) {
		issue_column(d, b);
		*column = true;
		return;
	}
	uint64_t idle = ~d->busy;
	issue_row(d, b);
	*row = true;
	unsigned at = (b + n - start) % n; // visits before this one
	for (unsigned i = at + 1; i < n; i++) {
		unsigned left_out = (start + i) % n, visited = (d->turn + i) % n;
		if (columns >> visited & 1 && !*column) {
			issue_column(d, visited);
			*column = true;
		}
		d->stats.bank[left_out].n_idle -= idle >> left_out & 1;
		d->stats.bank[visited].n_idle += idle >> visited & 1;
	}
}

// A rank whose refresh is due closes its rows and opens none until it is done. True if a command was issued.
static bool refresh(struct dram *d)
{
	const struct dram_timing_config *c = &d->cfg->timing;
	unsigned per = c->banks / c->ranks;
	for (unsigned k = 0; k < c->ranks; k++) {
		if (d->refresh_due[k] > d->tick)
			continue;
		uint64_t banks = (per == 64 ? UINT64_MAX : (1ull << per) - 1) << k * per;
		d->refreshing |= banks;
		for (uint64_t left = banks & d->open; left; left &= left - 1) {
			unsigned b = __builtin_ctzll(left);
			if (dram_timing_ready(&d->timing, b, DRAM_PRE) <= d->tick) {
				close_row(d, b);
				return true;
			}
		}
		if (!(banks & d->open) && dram_timing_ready(&d->timing, k * per, DRAM_REF) <= d->tick) {
			issue(d, k * per, DRAM_REF);
			command_done(d, k * per, false);
			d->stats.n_ref++;
			d->refresh_due[k] += d->cfg->form.REFI;
			d->refreshing &= ~banks;
			return true;
		}
	}
	return false;
}

static void count_issue(struct dram_stats *s, bool row, bool column)
{
	if (!row && !column) {
		s->n_nop++;
		return;
	}
	s->issued_total++;
	s->issued_two += row && column;
	s->issued_total_row += row;
	s->issued_total_col += column;
}

bool dram_tick(struct dram *d, uint64_t now)
{
	struct dram_stats *s = &d->stats;
	bool moved = false, row = false, column = false;
	if (!port_full(&d->returns))
		moved |= move_data(d);
	moved |= d->cfg->sched->tick(d, now);
	uint32_t n = d->cfg->sched->waiting(d);
	if (n > s->max_mrqs)
		s->max_mrqs = n;
	count_banks(d, 1);
	if (d->cfg->form.REFI)
		row = refresh(d);
	uint64_t ready = columns_ready(d);
	s->banks_access_ready_total += ready != 0;
	for (uint64_t left = ready; left; left &= left - 1)
		s->banks_time_ready++;
	(d->cfg->dual_bus ? issue_two_buses : issue_one_bus)(d, ready, &row, &column);
	count_issue(s, row, column);
	s->n_activity += row || column || d->busy || d->timing.active_until > d->tick;
	count_bus(d, d->tick, d->tick + 1, column);
	d->tick++;
	return moved || row || column;
}

uint64_t dram_next(const struct dram *d)
{
	uint64_t next = UINT64_MAX;
	const struct dram_line *l = &d->line;
	if (d->cfg->sched->ready(d))
		return d->tick;
	if (l->n && !port_full(&d->returns))
		next = d->tick + (RING_FRONT(l)->place - l->advances);
	uint64_t columns = d->hit & ~d->refreshing, rows = d->busy & ~d->hit & ~d->refreshing;
	if (!line_full(l) || !port_full(&d->returns)) { // a full line moves on first, unless it stands still
		next = least(next, first_ready(d, columns & d->reads, DRAM_RD));
		next = least(next, first_ready(d, columns & ~d->reads, DRAM_WR));
	}
	next = least(next, first_ready(d, rows & d->open, DRAM_PRE));
	next = least(next, first_ready(d, rows & ~d->open, DRAM_ACT));
	if (d->cfg->form.REFI)
		for (unsigned k = 0; k < d->cfg->timing.ranks; k++)
			next = least(next, d->refresh_due[k] > d->tick ? d->refresh_due[k] : d->tick);
	return most(next, d->tick);
}

void dram_catch_up(struct dram *d, uint64_t tick)
{
	if (tick <= d->tick)
		return;
	uint64_t n = tick - d->tick;
	if (!port_full(&d->returns))
		line_advance(&d->line, n);
	count_banks(d, n);
	d->stats.n_nop += n;
	d->stats.n_activity += d->busy ? n : overlap(d->timing.active_until, d->tick, tick);
	count_bus(d, d->tick, tick, false);
	d->tick = tick;
}

void dram_settle(struct dram *d)
{
	for (unsigned b = 0; b < d->cfg->timing.banks; b++)
		if (!(d->busy >> b & 1)) {
			d->stats.bank[b].n_idle += d->tick - d->bank[b].idle_since;
			d->bank[b].idle_since = d->tick;
		}
}

bool dram_empty(const struct dram *d)
{
	return !d->busy && !d->line.n && port_empty(&d->returns) && !d->completed && !d->cfg->sched->pending(d);
}

// --- Making ---

static unsigned requests_at_most(const struct dram_config *c)
{
	unsigned queue = c->queue ? c->queue + (c->write_split ? c->write_queue : 0) : 64;
	return queue + 2 + c->timing.banks + (c->CL > c->WL ? c->CL : c->WL) + 1;
}

void dram_init(struct dram *d, const struct dram_config *cfg, const char *name, struct memory_latency *latency)
{
	*d = (struct dram){.cfg = cfg, .name = name, .latency = latency};
	dram_timing_init(&d->timing, &cfg->timing);
	d->stats.n_banks = cfg->timing.banks;
	d->stats.bank = mem_alloc_dense(cfg->timing.banks * sizeof *d->stats.bank);
	port_init(&d->entry, 2);
	port_init(&d->returns, cfg->returns);
	struct dram_line *l = &d->line;
	l->min = l->length = cfg->CL;
	l->max = (cfg->CL > cfg->WL ? cfg->CL : cfg->WL) + 1;
	RING_INIT(l, l->max);
	d->chunk_size = requests_at_most(cfg);
	grow(d);
	d->sched = cfg->sched->make ? cfg->sched->make(cfg) : NULL;
	for (unsigned k = 0; k < cfg->timing.ranks; k++)
		d->refresh_due[k] = cfg->form.REFI;
}

void dram_free(struct dram *d)
{
	for (unsigned i = 0; i < d->n_chunk; i++)
		mem_free_dense(d->req_chunk[i], ((size_t)requests_at_most(d->cfg) << i) * sizeof(struct dram_req));
	dram_timing_free(&d->timing);
	mem_free_dense(d->stats.bank, d->stats.n_banks * sizeof *d->stats.bank);
	port_free(&d->entry);
	port_free(&d->returns);
	RING_FREE(&d->line);
	if (d->cfg->sched->free)
		d->cfg->sched->free(d->sched);
}
