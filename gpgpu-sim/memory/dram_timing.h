// DRAM timing as rows of data: after command A, command B in the same bank, group, rank or channel waits so many ticks.
// Each bank, group, rank and channel keeps, per command, the first tick at which it is allowed again; issuing a command
// moves those registers, asking whether one is allowed reads four of them.
#ifndef GPGPU_SIM_MEMORY_DRAM_TIMING_H
#define GPGPU_SIM_MEMORY_DRAM_TIMING_H

#include "base/option_forms.h"

#include <stdbool.h>
#include <stdint.h>

enum dram_command { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_REF, DRAM_N_COMMANDS };
enum dram_scope { DRAM_BANK, DRAM_GROUP, DRAM_RANK, DRAM_CHANNEL, DRAM_N_SCOPES, DRAM_OTHER_RANKS = DRAM_N_SCOPES };

// Rows whose running time statistics ask for.
enum dram_watch { DRAM_WATCH_NONE, DRAM_WATCH_CCD, DRAM_WATCH_CCDL, DRAM_WATCH_RCD, DRAM_WATCH_RCDWR, DRAM_WATCH_WTR, DRAM_WATCH_RTW, DRAM_N_WATCHES };

enum { DRAM_MAX_BANKS = 64, DRAM_MAX_RULES = 32 };

struct dram_rule {
	const char *name;
	enum dram_command after, before;
	enum dram_scope scope;
	uint32_t cycles;
	uint32_t window;  // counts from the window-th last `after`; 0 and 1: the last
	enum dram_watch watch;
	bool activity;    // while it runs, the channel counts as active (n_activity)
};

// A row of one unit that counts from the last `after`, as issuing needs it.
struct dram_effect {
	uint8_t scope, before, slot; // slot: of dram_node.until, DRAM_N_SLOTS: nobody asks
	uint32_t cycles;
};

struct dram_timing_config {
	uint32_t banks, groups, ranks;
	bool low_group_bits;           // -dram_bnkgrp_indexing_policy 1
	struct dram_rule rule[DRAM_MAX_RULES];
	unsigned n_rules;
	// What issuing needs of all that, made by dram_timing_plan; the same for all channels.
	uint8_t group[DRAM_MAX_BANKS];        // of a bank
	uint64_t group_banks[DRAM_MAX_BANKS]; // by group
	bool ranks_matter;             // a command of one bank holds back others of its rank, or of other ranks
	uint16_t path[DRAM_MAX_BANKS][DRAM_N_SCOPES]; // nodes of a bank
	// Rows by their `after`: those that are effects, and the others, by index.
	struct dram_effect effect[DRAM_N_COMMANDS][DRAM_MAX_RULES];
	uint8_t other[DRAM_N_COMMANDS][DRAM_MAX_RULES];
	uint8_t n_effects[DRAM_N_COMMANDS], n_others[DRAM_N_COMMANDS];
	uint32_t active[DRAM_N_COMMANDS]; // the longest effect with `activity`
};

// The rows of a timing string: GPGPU-Sim's own, and those of ranks, activate window and refresh where the string has them.
// burst: command ticks that a burst takes on the data bus. no_turnaround: -dram_elimnate_rw_turnaround.
void dram_timing_rules(struct dram_timing_config *c, const struct dram_timing_form *f, uint32_t burst, bool no_turnaround);
void dram_timing_plan(struct dram_timing_config *c); // after any change of the rest, which dram_timing_rules has planned

enum { DRAM_N_SLOTS = 3 };
// A row's place in dram_node.until. Those that are of the same scope have places of their own.
static inline unsigned dram_slot(enum dram_watch w) { return w == DRAM_WATCH_NONE ? DRAM_N_SLOTS : (w - 1) % DRAM_N_SLOTS; }

// A cache line of the host.
struct dram_node {
	_Alignas(64) uint64_t ready[DRAM_N_COMMANDS]; // first tick at which the command is allowed
	uint64_t until[DRAM_N_SLOTS];     // a row that is watched runs in ticks before this one
};
_Static_assert(sizeof(struct dram_node) == 64, "a cache line");

struct dram_timing {
	const struct dram_timing_config *cfg;
	struct dram_node *node;           // channel, ranks, groups, banks
	uint64_t active_until;            // rows with `activity` run in ticks before this one
	uint64_t *past[DRAM_MAX_RULES];   // of windowed rows: for each node, issues so far and the ticks of the last ones by number modulo
};

void dram_timing_init(struct dram_timing *t, const struct dram_timing_config *cfg);
void dram_timing_free(struct dram_timing *t);
void dram_timing_issue(struct dram_timing *t, unsigned bank, enum dram_command c, uint64_t tick);

// First tick at which the channel as a whole may take `c`.
static inline uint64_t dram_timing_channel_ready(const struct dram_timing *t, enum dram_command c) { return t->node[0].ready[c]; }

// First tick at which the bank, its group and its rank allow `c`.
static inline uint64_t dram_timing_bank_ready(const struct dram_timing *t, unsigned bank, enum dram_command c)
{
	const uint16_t *p = t->cfg->path[bank];
	uint64_t r = t->node[p[DRAM_BANK]].ready[c], group = t->node[p[DRAM_GROUP]].ready[c], rank = t->node[p[DRAM_RANK]].ready[c];
	r = r > group ? r : group;
	return r > rank ? r : rank;
}

// First tick at which `c` may be issued to the bank.
static inline uint64_t dram_timing_ready(const struct dram_timing *t, unsigned bank, enum dram_command c)
{
	uint64_t channel = dram_timing_channel_ready(t, c), r = dram_timing_bank_ready(t, bank, c);
	return r > channel ? r : channel;
}

static inline uint64_t dram_timing_until(const struct dram_timing *t, unsigned bank, enum dram_scope s, enum dram_watch w)
{
	return t->node[t->cfg->path[bank][s]].until[dram_slot(w)];
}

// Somebody who looks at each command as it is issued. The row is the one that the bank has open, or opens; 0 with a
// refresh, which is of the whole rank of the bank.
typedef void dram_watcher(void *ctx, const char *dram, uint64_t tick, enum dram_command c, unsigned bank, uint32_t row);

unsigned dram_timing_group(const struct dram_timing_config *c, unsigned bank);
unsigned dram_timing_rank(const struct dram_timing_config *c, unsigned bank);

#endif
