#include "gpgpu-sim/memory/dram.h"
#include "gpgpu-sim/memory/dram_sched.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HBM "nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3"
#define GDDR5 "nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:RTPL=2"
#define RANKS GDDR5 ":nrank=2:FAW=32:RTRS=2:REFI=400:RFC=60"

static struct options o;
static struct diag d;
static struct dram_config cfg;
static struct memory_latency latency;
static struct dram dram;
static struct mem_req pool[4096];
static unsigned n_pool, n_done;
static uint8_t incomplete; // of what is pushed
static uint64_t seed;

static uint64_t draw(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed;
}

static void on_done(void *ctx, struct mem_req *r) { n_done++; }

static void setup(void)
{
	options_defaults(&o);
	seed = 1;
	n_pool = n_done = incomplete = 0;
	o.gpgpu_dram_timing_opt = HBM;
	o.gpgpu_dram_buswidth = 16;
	o.gpgpu_dram_burst_length = 2;
	o.dram_dual_bus_interface = 1;
	o.dram_bnkgrp_indexing_policy = 1;
	o.gpgpu_frfcfs_dram_sched_queue_size = 64;
	o.gpgpu_dram_return_queue_size = 192;
	o.gpgpu_memlatency_stat = 14;
}

static void make(void)
{
	ck_assert_msg(dram_config_init(&cfg, &o, &d), "%s", d.text);
	dram_init(&dram, &cfg, "gpu.dram[0]", &latency);
	dram.done = on_done;
}

static void teardown(void)
{
	dram_free(&dram);
	memset(&dram, 0, sizeof dram);
	options_free(&o);
	diag_free(&d);
}

static struct mem_req *push(unsigned bank, uint32_t row, enum mem_access_type type, uint32_t bytes)
{
	struct mem_req *r = &pool[n_pool++];
	*r = (struct mem_req){.bytes = bytes, .type = type, .write = type == GLOBAL_ACC_W || type == L2_WRBK_ACC,
	                      .incomplete = incomplete, .place = {.bank = bank, .row = row}, .serial = n_pool};
	ck_assert(!dram_full(&dram, r->write));
	dram_push(&dram, r, dram.tick);
	return r;
}

static struct mem_req *read_of(unsigned bank, uint32_t row) { return push(bank, row, GLOBAL_ACC_R, 32); }
static struct mem_req *write_of(unsigned bank, uint32_t row) { return push(bank, row, GLOBAL_ACC_W, 32); }

static void tick(void) { dram_tick(&dram, dram.tick); }

static void run(unsigned n)
{
	while (n--)
		tick();
}

// Ticks from the first in which the request is known until its answer is in the return queue.
static uint64_t time_of(struct mem_req *r)
{
	uint64_t start = dram.tick;
	while (dram_front(&dram) != r) {
		tick();
		ck_assert_uint_lt(dram.tick - start, 1000);
	}
	dram_pop(&dram);
	return dram.tick - 1 - start;
}

// --- Timing rows ---

static unsigned in_scope(const struct dram_timing_config *c, enum dram_scope s, unsigned a, unsigned b)
{
	switch (s) {
	case DRAM_BANK: return a == b;
	case DRAM_GROUP: return dram_timing_group(c, a) == dram_timing_group(c, b);
	case DRAM_RANK: return dram_timing_rank(c, a) == dram_timing_rank(c, b);
	case DRAM_OTHER_RANKS: return dram_timing_rank(c, a) != dram_timing_rank(c, b);
	default: return 1;
	}
}

START_TEST(each_row_holds_its_command_until_its_tick_and_no_longer)
{
	o.gpgpu_dram_timing_opt = RANKS;
	make();
	ck_assert_uint_eq(cfg.timing.n_rules, 26);
	for (unsigned i = 0; i < cfg.timing.n_rules; i++) {
		struct dram_timing_config alone = cfg.timing;
		struct dram_rule r = alone.rule[0] = cfg.timing.rule[i];
		alone.n_rules = 1;
		dram_timing_plan(&alone);
		for (unsigned a = 0; a < alone.banks; a++) {
			struct dram_timing t;
			dram_timing_init(&t, &alone);
			unsigned window = r.window > 1 ? r.window : 1;
			for (unsigned k = 0; k < window; k++)
				dram_timing_issue(&t, a, r.after, 1000 + k);
			for (unsigned b = 0; b < alone.banks; b++)
				for (unsigned c = 0; c < DRAM_N_COMMANDS; c++) {
					bool held = c == r.before && in_scope(&alone, r.scope, a, b);
					uint64_t at = dram_timing_ready(&t, b, c);
					if (at != (held ? 1000 + r.cycles : 0))
						ck_abort_msg("%s: bank %u command %u after bank %u", r.name, b, c, a);
				}
			dram_timing_free(&t);
		}
	}
}
END_TEST

START_TEST(four_activates_of_a_rank_open_its_window_again)
{
	o.gpgpu_dram_timing_opt = RANKS;
	make();
	struct dram_timing t;
	dram_timing_init(&t, &cfg.timing);
	uint64_t at[6];
	for (unsigned i = 0; i < 6; i++) { // banks of rank 0
		at[i] = dram_timing_ready(&t, i, DRAM_ACT);
		dram_timing_issue(&t, i, DRAM_ACT, at[i]);
	}
	ck_assert_uint_eq(at[3], at[0] + 3 * 6);
	ck_assert_uint_eq(at[4], at[0] + 32);
	ck_assert_uint_eq(at[5], at[1] + 32);
	ck_assert_uint_eq(dram_timing_ready(&t, 8, DRAM_ACT), at[5] + 6); // the other rank: RRD only
	dram_timing_free(&t);
}
END_TEST

START_TEST(derived_rows_have_their_formulas)
{
	make();
	static const struct {
		const char *name;
		uint32_t cycles;
	} want[] = {{"RCDWR", 12 - 3}, {"RTW", 12 + 1 + 2 - 2}, {"WTR", 2 + 1 + 3}, {"WTP", 2 + 1 + 10}, {"RTP", 1}, {"CCDL", 2}, {"RTPL", 3}};
	for (unsigned w = 0; w < sizeof want / sizeof *want; w++) {
		unsigned found = 0;
		for (unsigned i = 0; i < cfg.timing.n_rules; i++)
			if (!strcmp(cfg.timing.rule[i].name, want[w].name)) {
				ck_assert_uint_eq(cfg.timing.rule[i].cycles, want[w].cycles);
				found++;
			}
		ck_assert_msg(found, "%s", want[w].name);
	}
}
END_TEST

// --- Latencies: RCD, CL and so on as in HBM above ---

START_TEST(a_closed_an_open_and_a_wrong_row_cost_what_they_should)
{
	make();
	ck_assert_uint_eq(time_of(read_of(3, 7)), 12 + 12);      // RCD + CL
	ck_assert_uint_eq(time_of(read_of(3, 7)), 12);           // CL
	run(100);
	ck_assert_uint_eq(time_of(read_of(3, 8)), 12 + 12 + 12); // RP + RCD + CL
	run(100);
	ck_assert_uint_eq(time_of(write_of(3, 8)), 2);           // WL
	run(100);
	ck_assert_uint_eq(time_of(write_of(4, 8)), 9 + 2);       // RCDWR + WL
}
END_TEST

START_TEST(a_row_stays_open_for_its_least_time)
{
	make();
	read_of(3, 7); // ACT in tick 0, RD in tick 12
	tick();
	struct mem_req *r = read_of(3, 8);
	while (dram_front(&dram) != r) {
		if (dram_front(&dram))
			dram_pop(&dram);
		tick();
	}
	// PRE not before RAS (28) and RTP (12 + 1), RTPL (12 + 3); ACT not before RC (40) and RP (28 + 12).
	ck_assert_uint_eq(dram.tick - 1, 40 + 12 + 12);
	ck_assert_uint_eq(dram.stats.n_pre, 1);
	ck_assert_uint_eq(dram.stats.n_act, 2);
}
END_TEST

START_TEST(turning_the_bus_around_takes_rtw_and_wtr)
{
	make();
	time_of(read_of(0, 0));
	time_of(read_of(1, 0));
	run(100);
	uint64_t start = dram.tick;
	read_of(0, 0);
	tick(); // RD
	struct mem_req *w = write_of(1, 0);
	while (dram_front(&dram) != w) {
		if (dram_front(&dram))
			dram_pop(&dram);
		tick();
	}
	ck_assert_uint_eq(dram.tick - 1 - start, 13 + 2); // RTW, WL
	dram_pop(&dram);
	run(100);
	start = dram.tick;
	write_of(0, 0);
	tick(); // WR
	struct mem_req *r = read_of(1, 0);
	while (dram_front(&dram) != r) {
		if (dram_front(&dram))
			dram_pop(&dram);
		tick();
	}
	ck_assert_uint_eq(dram.tick - 1 - start, 6 + 12); // WTR, CL
}
END_TEST

START_TEST(a_large_request_takes_a_column_command_for_each_burst)
{
	make();
	struct mem_req *r = push(3, 7, GLOBAL_ACC_R, 128);
	ck_assert_uint_eq(time_of(r), 12 + 3 * 2 + 12); // RCD, three CCDL, CL
	ck_assert_uint_eq(dram.stats.n_rd, 4);
	ck_assert_uint_eq(dram.stats.n_req, 1);
	ck_assert_uint_eq(dram.stats.bank[3].reads, 4);
}
END_TEST

// --- Scheduling ---

// Serial numbers in the order of their answers.
static void drain_order(unsigned *order, unsigned n)
{
	for (unsigned k = 0; k < n;) {
		tick();
		ck_assert_uint_lt(dram.tick, 10000);
		while (dram_front(&dram))
			order[k++] = dram_pop(&dram)->serial;
	}
}

static void push_when_possible(unsigned bank, uint32_t row, enum mem_access_type type)
{
	while (port_full(&dram.entry))
		tick();
	push(bank, row, type, 32);
}

START_TEST(frfcfs_serves_the_open_row_first_and_then_the_oldest)
{
	static const uint32_t rows[] = {5, 6, 5, 7, 6, 5};
	static const unsigned want[] = {1, 3, 6, 2, 5, 4};
	unsigned order[6];
	o.gpgpu_frfcfs_dram_sched_queue_size = 8;
	make();
	for (unsigned i = 0; i < 6; i++)
		push_when_possible(2, rows[i], GLOBAL_ACC_R);
	drain_order(order, 6);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(order[i], want[i]);
	ck_assert_uint_eq(dram.stats.access_num, 6);
	ck_assert_uint_eq(dram.stats.hits_num, 3);
	ck_assert_uint_eq(dram.stats.bank[2].n_activate, 3);
	ck_assert_uint_eq(dram.stats.bank[2].row_access, 6);
}
END_TEST

START_TEST(fifo_serves_in_the_order_of_arrival)
{
	static const uint32_t rows[] = {5, 6, 5, 7, 6, 5};
	unsigned order[6];
	unsigned k = 0;
	o.gpgpu_dram_scheduler = 0;
	make();
	for (unsigned i = 0; i < 6; i++) {
		while (dram_full(&dram, false)) {
			tick();
			while (dram_front(&dram))
				order[k++] = dram_pop(&dram)->serial;
		}
		read_of(2, rows[i]);
	}
	drain_order(order + k, 6 - k);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(order[i], i + 1);
}
END_TEST

START_TEST(every_scheduler_serves_each_request_once)
{
	for (unsigned s = 0; s < dram_n_schedulers; s++) {
		o.gpgpu_dram_scheduler = s;
		make();
		n_pool = 0;
		bool seen[600] = {false};
		unsigned got = 0;
		while (got < 500) {
			if (n_pool < 500 && !dram_full(&dram, false) && !port_full(&dram.entry) && draw() % 3)
				push(draw() % 16, draw() % 4, draw() % 3 ? GLOBAL_ACC_R : GLOBAL_ACC_W, 32 << draw() % 2);
			tick();
			ck_assert(dram.tick < 100000);
			while (dram_front(&dram)) {
				struct mem_req *r = dram_pop(&dram);
				ck_assert(!seen[r->serial] && r->reply);
				seen[r->serial] = true;
				got++;
			}
		}
		ck_assert(dram_empty(&dram));
		dram_free(&dram);
	}
	make();
}
END_TEST

START_TEST(writes_wait_for_the_high_watermark_and_drain_to_the_low_one)
{
	o.dram_seperate_write_queue_enable = true;
	o.dram_write_queue_size = "16:8:3";
	make();
	for (unsigned i = 0; i < 7; i++) {
		push(i, 0, L2_WRBK_ACC, 32);
		tick();
	}
	run(300);
	ck_assert_uint_eq(dram.stats.n_wr_wb, 0);
	push(7, 0, L2_WRBK_ACC, 32);
	run(300);
	// Served until fewer than 3 are left.
	ck_assert_uint_eq(dram.stats.n_wr_wb, 6);
	ck_assert_uint_eq(n_done, 6);
	ck_assert_uint_eq(time_of(read_of(0, 0)), 12);
	ck_assert_uint_eq(dram.stats.n_wr_wb, 6);
}
END_TEST

START_TEST(a_write_that_is_waited_for_does_not_wait_for_ever)
{
	o.dram_seperate_write_queue_enable = true;
	make();
	struct mem_req *w = write_of(0, 0);
	ck_assert_uint_eq(time_of(w), 9 + 2);
}
END_TEST

// A write-back that lacks bytes is a read first, and a write when what it lacks has come; one that lacks none is a write.
START_TEST(sectors_that_lack_bytes_are_read_before_they_are_written)
{
	o.dram_completes_sectors = true;
	for (unsigned s = 0; s < dram_n_schedulers; s++) {
		o.gpgpu_dram_scheduler = s;
		n_pool = n_done = 0;
		make();
		incomplete = 0x5;
		push(0, 0, L2_WRBK_ACC, 96); // of three sectors two
		incomplete = 0;
		run(12 + 12);
		ck_assert_uint_eq(dram.stats.n_wr_wb, 0);
		ck_assert_uint_eq(dram.stats.n_rd, 2);
		ck_assert(!dram_empty(&dram));
		run(60);
		ck_assert_uint_eq(dram.stats.n_wr_wb, 3);
		ck_assert_uint_eq(n_done, 1);
		ck_assert_uint_eq(dram.stats.bank[0].reads, 2);
		ck_assert_uint_eq(dram.stats.bank[0].writes, 3);
		ck_assert(dram_empty(&dram));
		push(0, 0, L2_WRBK_ACC, 32);
		run(60);
		ck_assert_uint_eq(dram.stats.n_rd, 2);
		ck_assert_uint_eq(n_done, 2);
		dram_free(&dram);
	}
	make();
}
END_TEST

// --- Bandwidth ---

START_TEST(row_hits_over_groups_use_every_tick_of_the_bus)
{
	make();
	for (unsigned b = 0; b < 4; b++)
		time_of(read_of(b, 0)); // one bank of each group
	run(100);
	struct dram_stats before = dram.stats;
	unsigned got = 0, pushed = 0;
	uint64_t first = 0, last = 0;
	while (got < 256) {
		if (pushed < 256)
			read_of(pushed++ % 4, 0);
		tick();
		while (dram_front(&dram)) {
			dram_pop(&dram);
			first = first ? first : dram.tick;
			last = dram.tick;
			got++;
		}
	}
	ck_assert_uint_eq(last - first, 255); // CCD 1: 32 bytes a tick
	ck_assert_uint_eq(dram.stats.bwutil - before.bwutil, 256);
	ck_assert_uint_eq(dram.stats.util_bw - before.util_bw, 256);
	ck_assert_uint_eq(dram.stats.n_act, before.n_act);
}
END_TEST

START_TEST(row_hits_in_one_group_wait_for_ccdl)
{
	make();
	time_of(read_of(0, 0));
	time_of(read_of(4, 0)); // the same group
	run(100);
	struct dram_stats before = dram.stats;
	unsigned got = 0, pushed = 0;
	uint64_t first = 0, last = 0;
	while (got < 64) {
		if (pushed < 64)
			read_of(pushed++ % 2 * 4, 0);
		tick();
		while (dram_front(&dram)) {
			dram_pop(&dram);
			first = first ? first : dram.tick;
			last = dram.tick;
			got++;
		}
	}
	ck_assert_uint_eq(last - first, 2 * 63); // CCDL 2
	ck_assert_uint_ge(dram.stats.ccdl_limit - before.ccdl_limit, 62);
}
END_TEST

START_TEST(row_misses_in_one_bank_come_every_row_cycle)
{
	make();
	unsigned got = 0, pushed = 0;
	uint64_t first = 0, last = 0;
	while (got < 16) {
		if (pushed < 16)
			read_of(3, pushed++);
		tick();
		while (dram_front(&dram)) {
			dram_pop(&dram);
			first = first ? first : dram.tick;
			last = dram.tick;
			got++;
		}
	}
	ck_assert_uint_eq(last - first, 15 * 40); // RC
}
END_TEST

// --- Legality of random traffic, by a checker that knows the timing string only ---

struct seen {
	uint64_t tick;
	enum dram_command c;
	unsigned bank;
	uint32_t row;
};

static struct seen trace[60000];
static unsigned n_trace;

static void look(void *ctx, const char *name, uint64_t t, enum dram_command c, unsigned bank, uint32_t row)
{
	ck_assert(!strcmp(name, "gpu.dram[0]") && n_trace < sizeof trace / sizeof *trace);
	trace[n_trace++] = (struct seen){t, c, bank, row};
}

static bool is_column(enum dram_command c) { return c == DRAM_RD || c == DRAM_WR; }

// Least distance that the timing string asks for between two commands.
static uint64_t distance(const struct dram_timing_form *f, uint32_t burst, const struct seen *a, const struct seen *b)
{
	bool bank = a->bank == b->bank, group = a->bank % f->nbkgrp == b->bank % f->nbkgrp;
	bool rank = a->bank / (f->nbk / f->nrank) == b->bank / (f->nbk / f->nrank);
	uint64_t need = 0;
#define NEED(cond, cycles)                           \
	if ((cond) && (uint64_t)(cycles) > need)     \
		need = (cycles)
	NEED(a->c == DRAM_ACT && b->c == DRAM_ACT, f->RRD);
	NEED(a->c == DRAM_ACT && b->c == DRAM_ACT && bank, f->RC);
	NEED(a->c == DRAM_ACT && b->c == DRAM_RD && bank, f->RCD);
	NEED(a->c == DRAM_ACT && b->c == DRAM_WR && bank, f->RCD - f->WL - 1);
	NEED(a->c == DRAM_ACT && b->c == DRAM_PRE && bank, f->RAS);
	NEED(a->c == DRAM_PRE && b->c == DRAM_ACT && bank, f->RP);
	NEED(is_column(a->c) && is_column(b->c), f->CCD);
	NEED(is_column(a->c) && is_column(b->c) && group, f->CCDL);
	NEED(a->c == DRAM_RD && b->c == DRAM_WR, f->CL + burst + 2 - f->WL);
	NEED(a->c == DRAM_WR && b->c == DRAM_RD, f->WL + burst + f->CDLR);
	NEED(a->c == DRAM_WR && b->c == DRAM_PRE && bank, f->WL + burst + f->WR);
	NEED(a->c == DRAM_RD && b->c == DRAM_PRE && bank, burst);
	NEED(a->c == DRAM_RD && b->c == DRAM_PRE && group, f->RTPL);
	NEED(a->c == b->c && is_column(a->c) && !rank && f->RTRS, burst + f->RTRS);
	NEED(a->c == DRAM_REF && (b->c == DRAM_ACT || b->c == DRAM_REF) && rank, f->RFC);
	NEED(a->c == DRAM_PRE && b->c == DRAM_REF && rank, f->RP);
#undef NEED
	return need;
}

static void check_trace(const struct dram_timing_form *f, uint32_t burst)
{
	uint32_t open[64] = {0};
	bool is_open[64] = {false};
	for (unsigned i = 0; i < n_trace; i++) {
		const struct seen *b = &trace[i];
		for (unsigned k = i; k-- > 0 && b->tick - trace[k].tick < 200;)
			if (b->tick - trace[k].tick < distance(f, burst, &trace[k], b))
				ck_abort_msg("command %u: %d of bank %u at %u, then %d of bank %u at %u", i, trace[k].c, trace[k].bank,
				             (unsigned)trace[k].tick, b->c, b->bank, (unsigned)b->tick);
		if (b->c == DRAM_ACT) {
			ck_assert(!is_open[b->bank]);
			is_open[b->bank] = true;
			open[b->bank] = b->row;
		} else if (b->c == DRAM_PRE) {
			ck_assert(is_open[b->bank]);
			is_open[b->bank] = false;
		} else if (b->c == DRAM_REF) {
			for (unsigned x = b->bank; x < b->bank + f->nbk / f->nrank; x++)
				ck_assert(!is_open[x]);
		} else {
			ck_assert(is_open[b->bank] && open[b->bank] == b->row);
		}
		if (b->c == DRAM_ACT && f->FAW) { // not five activates of a rank within the window
			unsigned acts = 1;
			for (unsigned k = i; k-- > 0 && b->tick - trace[k].tick < f->FAW;)
				acts += trace[k].c == DRAM_ACT && trace[k].bank / (f->nbk / f->nrank) == b->bank / (f->nbk / f->nrank);
			ck_assert(acts <= 4);
		}
	}
}

START_TEST(random_traffic_never_breaks_a_timing)
{
	static const char *const timing[] = {HBM, GDDR5, RANKS};
	o.gpgpu_dram_timing_opt = timing[_i % 3];
	o.dram_dual_bus_interface = _i / 3 % 2;
	o.gpgpu_dram_scheduler = _i / 6 % 2;
	o.dram_seperate_write_queue_enable = _i / 12 % 2;
	o.dram_completes_sectors = _i / 24;
	make();
	seed = 5 + _i;
	n_trace = 0;
	dram.watch = look;
	unsigned pushed = 0;
	for (unsigned t = 0; t < 20000; t++) {
		bool write = draw() % 3 == 0, burst = t / 500 % 3 != 2;
		if (t < 17000 && burst && n_pool < 4096 && !dram_full(&dram, write) && !port_full(&dram.entry)) {
			incomplete = write && _i / 24 && draw() % 2;
			push(draw() % 16, draw() % 3, write ? GLOBAL_ACC_W : GLOBAL_ACC_R, 32);
			pushed += 1 + incomplete;
		}
		tick();
		while (dram_front(&dram))
			dram_pop(&dram);
	}
	ck_assert(dram_empty(&dram));
	const struct dram_stats *s = &dram.stats;
	ck_assert_uint_eq(s->n_rd + s->n_wr, pushed);
	ck_assert_uint_eq(s->util_bw + s->wasted_bw_col + s->wasted_bw_row + s->idle_bw, s->n_cmd);
	ck_assert_uint_eq(s->n_nop + s->issued_total, s->n_cmd);
	ck_assert_uint_eq(s->issued_total_col + s->issued_total_row - s->issued_two, s->issued_total);
	ck_assert_uint_gt(n_trace, pushed);
	check_trace(&cfg.form, cfg.burst);
	if (cfg.form.REFI) { // each rank once an interval
		ck_assert_uint_ge(s->n_ref, 2 * (20000 / 400 - 1));
		ck_assert_uint_le(s->n_ref, 2 * (20000 / 400));
	}
}
END_TEST

START_TEST(commands_on_two_buses_pair_up_and_on_one_bus_they_seldom_do)
{
	for (int dual = 0; dual < 2; dual++) {
		o.dram_dual_bus_interface = dual;
		make();
		n_pool = 0;
		for (unsigned t = 0; t < 3000; t++) {
			if (!dram_full(&dram, false) && !port_full(&dram.entry) && n_pool < 4096)
				read_of(draw() % 16, draw() % 8);
			tick();
			while (dram_front(&dram))
				dram_pop(&dram);
		}
		if (dual)
			ck_assert_uint_gt(dram.stats.issued_two, 0);
		dram_free(&dram);
	}
	make();
}
END_TEST

START_TEST(a_full_return_queue_stops_data_and_loses_none)
{
	o.gpgpu_dram_return_queue_size = 1;
	make();
	for (unsigned i = 0; i < 40; i++) {
		read_of(i % 8, 0);
		tick();
	}
	run(500);
	unsigned got = 0;
	for (unsigned t = 0; t < 2000; t++) {
		if (t % 7 == 0 && dram_front(&dram)) {
			dram_pop(&dram);
			got++;
		}
		tick();
	}
	ck_assert_uint_eq(got, 40);
	ck_assert_uint_gt(dram.stats.rwq_limit, 0);
}
END_TEST

START_TEST(the_next_tick_is_never_announced_too_late)
{
	static const char *const timing[] = {HBM, GDDR5, RANKS};
	o.gpgpu_dram_timing_opt = timing[_i % 3];
	o.dram_dual_bus_interface = _i / 3 % 2;
	o.gpgpu_dram_scheduler = _i / 6 % 2;
	make();
	seed = 9 + _i;
	uint64_t promised = 0;
	for (unsigned t = 0; t < 20000; t++) {
		bool moved = dram_tick(&dram, dram.tick);
		if (moved && dram.tick - 1 < promised)
			ck_abort_msg("moved in tick %u, announced for %llu", (unsigned)dram.tick - 1, (unsigned long long)promised);
		promised = moved ? 0 : dram_next(&dram);
		if (draw() % 40 == 0 && n_pool < 4096 && !dram_full(&dram, false) && !port_full(&dram.entry)) {
			push(draw() % 16, draw() % 3, draw() % 3 ? GLOBAL_ACC_R : GLOBAL_ACC_W, 32);
			promised = 0;
		}
		if (dram_front(&dram) && draw() % 3) {
			dram_pop(&dram);
			promised = 0;
		}
	}
}
END_TEST

START_TEST(a_configuration_that_cannot_be_is_refused)
{
	static const struct {
		const char *timing, *write_queue;
		unsigned indexing;
	} bad[] = {{"nbk=128:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10", "32:28:16", 0},
	           {"nbk=8:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10", "32:28:16", 2},
	           {HBM ":REFI=100", "32:28:16", 0},
	           {HBM ":nrank=3", "32:28:16", 0},
	           {HBM, "32:28", 0}};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		o.gpgpu_dram_timing_opt = bad[i].timing;
		o.dram_write_queue_size = bad[i].write_queue;
		o.dram_bnk_indexing_policy = bad[i].indexing;
		ck_assert(!dram_config_init(&cfg, &o, &d));
		ck_assert_uint_eq(d.errors, i + 1);
	}
	o.gpgpu_dram_timing_opt = HBM;
	o.dram_write_queue_size = "32:28:16";
	o.dram_bnk_indexing_policy = 0;
	make();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dram");
	TCase *t = tcase_create("dram");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, each_row_holds_its_command_until_its_tick_and_no_longer);
	tcase_add_test(t, four_activates_of_a_rank_open_its_window_again);
	tcase_add_test(t, derived_rows_have_their_formulas);
	tcase_add_test(t, a_closed_an_open_and_a_wrong_row_cost_what_they_should);
	tcase_add_test(t, a_row_stays_open_for_its_least_time);
	tcase_add_test(t, turning_the_bus_around_takes_rtw_and_wtr);
	tcase_add_test(t, a_large_request_takes_a_column_command_for_each_burst);
	tcase_add_test(t, frfcfs_serves_the_open_row_first_and_then_the_oldest);
	tcase_add_test(t, fifo_serves_in_the_order_of_arrival);
	tcase_add_test(t, every_scheduler_serves_each_request_once);
	tcase_add_test(t, writes_wait_for_the_high_watermark_and_drain_to_the_low_one);
	tcase_add_test(t, a_write_that_is_waited_for_does_not_wait_for_ever);
	tcase_add_test(t, sectors_that_lack_bytes_are_read_before_they_are_written);
	tcase_add_test(t, row_hits_over_groups_use_every_tick_of_the_bus);
	tcase_add_test(t, row_hits_in_one_group_wait_for_ccdl);
	tcase_add_test(t, row_misses_in_one_bank_come_every_row_cycle);
	tcase_add_loop_test(t, random_traffic_never_breaks_a_timing, 0, 48);
	tcase_add_test(t, commands_on_two_buses_pair_up_and_on_one_bus_they_seldom_do);
	tcase_add_test(t, a_full_return_queue_stops_data_and_loses_none);
	tcase_add_loop_test(t, the_next_tick_is_never_announced_too_late, 0, 12);
	tcase_add_test(t, a_configuration_that_cannot_be_is_refused);
	suite_add_tcase(s, t);
	return check_main(s);
}
