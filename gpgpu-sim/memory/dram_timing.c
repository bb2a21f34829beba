#include "gpgpu-sim/memory/dram_timing.h"

#include "base/assert.h"
#include "base/mem.h"

#include <string.h>

static uint32_t minus(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }

void dram_timing_rules(struct dram_timing_config *c, const struct dram_timing_form *f, uint32_t burst, bool no_turnaround)
{
	uint32_t rcdwr = minus(f->RCD, f->WL + 1);
	uint32_t rtw = no_turnaround ? 0 : minus(f->CL + burst + 2, f->WL);
	uint32_t wtr = no_turnaround ? 0 : f->WL + burst + f->CDLR;
	uint32_t wtp = f->WL + burst + f->WR;
	uint32_t trfc = f->RFC;
	const struct dram_rule rows[] = {
		// name   after     before    scope             cycles  window watch             activity
		{"RRD",   DRAM_ACT, DRAM_ACT, DRAM_CHANNEL,     f->RRD, 0, DRAM_WATCH_NONE,  true},
		{"RC",    DRAM_ACT, DRAM_ACT, DRAM_BANK,        f->RC,  0, DRAM_WATCH_NONE,  true},
		{"RCD",   DRAM_ACT, DRAM_RD,  DRAM_BANK,        f->RCD, 0, DRAM_WATCH_RCD,   true},
		{"RCDWR", DRAM_ACT, DRAM_WR,  DRAM_BANK,        rcdwr,  0, DRAM_WATCH_RCDWR, true},
		{"RAS",   DRAM_ACT, DRAM_PRE, DRAM_BANK,        f->RAS, 0, DRAM_WATCH_NONE,  true},
		{"RP",    DRAM_PRE, DRAM_ACT, DRAM_BANK,        f->RP,  0, DRAM_WATCH_NONE,  true},
		{"CCD",   DRAM_RD,  DRAM_RD,  DRAM_CHANNEL,     f->CCD, 0, DRAM_WATCH_CCD,   true},
		{"CCD",   DRAM_RD,  DRAM_WR,  DRAM_CHANNEL,     f->CCD, 0, DRAM_WATCH_CCD,   true},
		{"CCD",   DRAM_WR,  DRAM_RD,  DRAM_CHANNEL,     f->CCD, 0, DRAM_WATCH_CCD,   true},
		{"CCD",   DRAM_WR,  DRAM_WR,  DRAM_CHANNEL,     f->CCD, 0, DRAM_WATCH_CCD,   true},
		{"CCDL",  DRAM_RD,  DRAM_RD,  DRAM_GROUP,       f->CCDL, 0, DRAM_WATCH_CCDL, false},
		{"CCDL",  DRAM_RD,  DRAM_WR,  DRAM_GROUP,       f->CCDL, 0, DRAM_WATCH_CCDL, false},
		{"CCDL",  DRAM_WR,  DRAM_RD,  DRAM_GROUP,       f->CCDL, 0, DRAM_WATCH_CCDL, false},
		{"CCDL",  DRAM_WR,  DRAM_WR,  DRAM_GROUP,       f->CCDL, 0, DRAM_WATCH_CCDL, false},
		{"RTW",   DRAM_RD,  DRAM_WR,  DRAM_CHANNEL,     rtw,    0, DRAM_WATCH_RTW,   true},
		{"WTR",   DRAM_WR,  DRAM_RD,  DRAM_CHANNEL,     wtr,    0, DRAM_WATCH_WTR,   true},
		{"RTP",   DRAM_RD,  DRAM_PRE, DRAM_BANK,        burst,  0, DRAM_WATCH_NONE,  false},
		{"RTPL",  DRAM_RD,  DRAM_PRE, DRAM_GROUP,       f->RTPL, 0, DRAM_WATCH_NONE, false},
		{"WTP",   DRAM_WR,  DRAM_PRE, DRAM_BANK,        wtp,    0, DRAM_WATCH_NONE,  false},
		// Not in GPGPU-Sim: no more than four activates of a rank in a window, a bus turned over to another rank, refresh.
		{"FAW",   DRAM_ACT, DRAM_ACT, DRAM_RANK,        f->FAW, 4, DRAM_WATCH_NONE,  true},
		{"RTRS",  DRAM_RD,  DRAM_RD,  DRAM_OTHER_RANKS, f->RTRS ? burst + f->RTRS : 0, 0, DRAM_WATCH_NONE, true},
		{"RTRS",  DRAM_WR,  DRAM_WR,  DRAM_OTHER_RANKS, f->RTRS ? burst + f->RTRS : 0, 0, DRAM_WATCH_NONE, true},
		{"RFC",   DRAM_REF, DRAM_ACT, DRAM_RANK,        trfc,   0, DRAM_WATCH_NONE,  true},
		{"RFC",   DRAM_REF, DRAM_REF, DRAM_RANK,        trfc,   0, DRAM_WATCH_NONE,  true},
		{"RP",    DRAM_PRE, DRAM_REF, DRAM_RANK,        trfc ? f->RP : 0, 0, DRAM_WATCH_NONE, true},
		{"RC",    DRAM_ACT, DRAM_REF, DRAM_RANK,        trfc ? f->RC : 0, 0, DRAM_WATCH_NONE, true},
	};
	_Static_assert(sizeof rows / sizeof *rows <= DRAM_MAX_RULES, "rules");
	c->banks = f->nbk;
	c->groups = f->nbkgrp;
	c->ranks = f->nrank;
	c->n_rules = 0;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].cycles)
			c->rule[c->n_rules++] = rows[i];
	dram_timing_plan(c);
}

unsigned dram_timing_group(const struct dram_timing_config *c, unsigned bank)
{
	if (c->low_group_bits)
		return bank & (c->groups - 1);
	unsigned per = c->banks / c->groups; // GPGPU-Sim shifts, so that a group is a power of two banks
	return (bank >> (31 - __builtin_clz(per))) % c->groups;
}

unsigned dram_timing_rank(const struct dram_timing_config *c, unsigned bank) { return bank / (c->banks / c->ranks); }

// Nodes lie as: the channel, ranks, groups, banks.
static unsigned n_nodes(const struct dram_timing_config *c) { return 1 + c->ranks + c->groups + c->banks; }

void dram_timing_plan(struct dram_timing_config *c)
{
	memset(c->n_effects, 0, sizeof c->n_effects);
	memset(c->n_others, 0, sizeof c->n_others);
	memset(c->active, 0, sizeof c->active);
	memset(c->group_banks, 0, sizeof c->group_banks);
	c->ranks_matter = false;
	for (unsigned i = 0; i < c->n_rules; i++) {
		const struct dram_rule *r = &c->rule[i];
		c->ranks_matter |= r->scope == DRAM_RANK || r->scope == DRAM_OTHER_RANKS;
		if (r->window > 1 || r->scope == DRAM_OTHER_RANKS) {
			c->other[r->after][c->n_others[r->after]++] = i;
			continue;
		}
		c->effect[r->after][c->n_effects[r->after]++] = (struct dram_effect){r->scope, r->before, dram_slot(r->watch), r->cycles};
		if (r->activity && r->cycles > c->active[r->after])
			c->active[r->after] = r->cycles;
	}
	for (unsigned b = 0; b < c->banks; b++) {
		c->group[b] = (uint8_t)dram_timing_group(c, b);
		c->group_banks[c->group[b]] |= UINT64_C(1) << b;
		c->path[b][DRAM_CHANNEL] = 0;
		c->path[b][DRAM_RANK] = 1 + dram_timing_rank(c, b);
		c->path[b][DRAM_GROUP] = 1 + c->ranks + c->group[b];
		c->path[b][DRAM_BANK] = 1 + c->ranks + c->groups + b;
	}
}

void dram_timing_init(struct dram_timing *t, const struct dram_timing_config *cfg)
{
	*t = (struct dram_timing){.cfg = cfg};
	t->node = mem_alloc_dense(n_nodes(cfg) * sizeof *t->node);
	for (unsigned i = 0; i < cfg->n_rules; i++)
		if (cfg->rule[i].window > 1)
			t->past[i] = mem_alloc((size_t)(cfg->rule[i].window + 1) * n_nodes(cfg) * sizeof *t->past[i]);
}

void dram_timing_free(struct dram_timing *t)
{
	mem_free_dense(t->node, n_nodes(t->cfg) * sizeof *t->node);
	for (unsigned i = 0; i < DRAM_MAX_RULES; i++)
		mem_free(t->past[i]);
}

static void hold(struct dram_timing *t, unsigned node, const struct dram_rule *r, uint64_t until)
{
	struct dram_node *n = &t->node[node];
	if (until > n->ready[r->before])
		n->ready[r->before] = until;
	if (r->watch)
		n->until[dram_slot(r->watch)] = until;
	if (r->activity && until > t->active_until)
		t->active_until = until;
}

// The tick of the window-th last issue in this unit, counting this one; UINT64_MAX if there were fewer.
static uint64_t windowed(uint64_t *ring, uint32_t window, uint64_t tick)
{
	uint64_t n = (*ring++)++; // issues before this one
	ring[n % window] = tick;
	return n + 1 >= window ? ring[(n + 1) % window] : UINT64_MAX;
}

void dram_timing_issue(struct dram_timing *t, unsigned bank, enum dram_command c, uint64_t tick)
{
	HEDDLE_ASSERT(dram_timing_ready(t, bank, c) <= tick);
	const struct dram_timing_config *cfg = t->cfg;
	for (unsigned k = 0; k < cfg->n_effects[c]; k++) {
		const struct dram_effect *e = &cfg->effect[c][k];
		struct dram_node *n = &t->node[cfg->path[bank][e->scope]];
		uint64_t until = tick + e->cycles;
		if (until > n->ready[e->before])
			n->ready[e->before] = until;
		if (e->slot < DRAM_N_SLOTS)
			n->until[e->slot] = until;
	}
	if (tick + cfg->active[c] > t->active_until)
		t->active_until = tick + cfg->active[c];
	for (unsigned k = 0; k < cfg->n_others[c]; k++) {
		unsigned i = cfg->other[c][k];
		const struct dram_rule *r = &cfg->rule[i];
		if (r->scope == DRAM_OTHER_RANKS) {
			for (unsigned n = 1; n <= cfg->ranks; n++)
				if (n != cfg->path[bank][DRAM_RANK])
					hold(t, n, r, tick + r->cycles);
			continue;
		}
		unsigned node = cfg->path[bank][r->scope];
		uint64_t from = windowed(t->past[i] + (size_t)(r->window + 1) * node, r->window, tick);
		if (from != UINT64_MAX)
			hold(t, node, r, from + r->cycles);
	}
}
