#include "gpgpu-sim/gpu/functional_internal.h"

#include "base/mem.h"
#include "isa/grids.h"

#include <stdio.h>
#include <string.h>

enum {
	BATCH_INSTS = HEDDLE_LIMIT(400, 1 << 20), // that a batch is to have, as far as CTAs are alike
	BATCH_GROWS = 4,                          // times the one before at most, and one more
	WAIT_CYCLES = 1024,                       // that are passed by first when all wait for time
	WAIT_PART = 16,                           // then this part of what has been passed by, so no wait is longer by more
};

struct functional_run *functional_new(struct kernel_launch *launch, uint32_t resident, struct func_team *team)
{
	struct functional_run *r = MEM_NEW(struct functional_run);
	r->team = team;
	r->launch = launch;
	r->total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	r->cluster = isa_cluster_ctas(launch);
	r->max_resident = resident > r->cluster ? resident / r->cluster * r->cluster : r->cluster;
	if (r->max_resident > r->total)
		r->max_resident = (uint32_t)r->total;
	r->clean = r->batches = launch->fe->apart && !launch->cluster[0] && !launch->grid_workspace && launch->fe->apart(launch);
	r->border = r->batches ? 0 : r->total;
	if (team)
		func_team_begin(team, launch);
	r->slots = launch->fe->slots_new(launch, r->max_resident + (r->batches ? func_team_slots(team) : 0));
	r->slot = mem_alloc(r->max_resident * sizeof *r->slot);
	r->tells_from = UINT64_MAX;
	return r;
}

void functional_free(struct functional_run *r)
{
	r->launch->fe->slots_free(r->slots);
	mem_free(r->slot);
	mem_free(r->result);
	mem_free(r);
}

void func_no_batches(struct functional_run *r)
{
	r->batches = false;
	r->border = r->total;
}

static void start_cta(struct functional_run *r, uint32_t s)
{
	func_cta_start(r, &r->slot[s], s, r->next++, NULL, &r->launch->counts);
	r->n_resident++;
	r->launch->counts.ctas++;
}

// The CTA of a slot has ended, or never been: the next one starts there. All of a cluster start when the last one of those in their
// slots has ended. False if none starts.
static bool start(struct functional_run *r, uint32_t s)
{
	const uint32_t first = s / r->cluster * r->cluster;
	struct fe_cta *cta[ISA_CLUSTER_MAX];
	for (uint32_t k = 0; k < r->cluster; k++)
		if (r->slot[first + k].cta)
			return false;
	for (uint32_t k = 0; k < r->cluster; k++)
		start_cta(r, first + k);
	if (!r->launch->cluster[0] || !r->launch->fe->cluster_join)
		return true;
	for (uint32_t k = 0; k < r->cluster; k++)
		cta[k] = r->slot[first + k].cta;
	r->launch->fe->cluster_join(r->slots, cta, r->cluster);
	return true;
}

static void deadlock(struct functional_run *r)
{
	struct fault *f = &r->launch->fault;
	f->kind = FAULT_TIMEOUT;
	int n = snprintf(f->text, sizeof f->text,
	                 "kernel '%s': no warp can ever move again: a barrier waits for threads that will not come",
	                 r->launch->info->name);
	enum { TAIL = 40 }; // for the line that tells of the others
	unsigned more = 0;
	for (uint32_t s = 0; s < r->n_slot; s++) {
		struct cta_slot *c = &r->slot[s];
		for (unsigned w = 0; c->cta && w < c->n_warp && n > 0; w++) {
			char state[400], line[500];
			r->launch->fe->describe(c->cta, w, state, sizeof state);
			int m = snprintf(line, sizeof line, "\n  block (%u,%u,%u) warp %u: %s", c->id[0], c->id[1], c->id[2], w, state);
			if (!state[0])
				continue;
			if (more || (size_t)n + (size_t)m >= sizeof f->text - TAIL)
				more++;
			else
				n += snprintf(f->text + n, sizeof f->text - (size_t)n, "%s", line);
		}
	}
	if (more)
		snprintf(f->text + n, sizeof f->text - (size_t)n, "\n  and %u more warps", more);
}

void func_begin_at(struct functional_run *r, uint64_t cta) { r->next = cta; }

void func_tell(struct functional_run *r, uint64_t cta, func_access *access, void *ctx)
{
	r->tells_from = cta;
	r->access = access;
	r->access_ctx = ctx;
	r->result = MEM_NEW(struct fe_result);
	func_no_batches(r); // which one thread executes a budget at a time, and several whole
}

void func_be_exact(struct functional_run *r, bool exact) { r->exact = exact; }

void func_stop_at_ctas(struct functional_run *r) { r->stop_at_ctas = true; }

// The next batch, whose size depends on what CTAs have executed, and not on threads.
static void draw_border(struct functional_run *r)
{
	const uint64_t each = r->next ? r->launch->counts.warp_insts / r->next + 1 : BATCH_INSTS;
	uint64_t n = BATCH_INSTS / each + 1, most = r->next ? (uint64_t)r->batch * BATCH_GROWS + 1 : 1;
	n = n < most ? n : most;
	n = n < CLAIMS_MOST_CTAS ? n : CLAIMS_MOST_CTAS;
	r->batch = (uint32_t)(n < r->total - r->next ? n : r->total - r->next);
	r->border = r->next + r->batch;
}

// CTAs of the batch that have had their turns do not end. True if they may wait for CTAs behind it, which then start.
static bool dissolve(struct functional_run *r)
{
	bool waits = !r->worked;
	for (uint32_t s = 0; s < r->n_slot; s++)
		waits |= r->slot[s].cta && r->slot[s].used > CTA_LIMIT;
	if (waits)
		func_no_batches(r);
	return waits;
}

// All that is resident waits for time, of which some passes, `most` cycles at most: as if they had gone on reading clocks for so many
// instructions. How long they will wait is not known, so the steps grow with what they have waited.
static uint64_t pass_time(struct functional_run *r, uint64_t most)
{
	const uint64_t n = r->waited / WAIT_PART + WAIT_CYCLES;
	r->waited += n < most ? n : most;
	return n < most ? n : most;
}

static void next_slot(struct functional_run *r) { r->current = r->current + 1 == r->n_slot ? 0 : r->current + 1; }

bool functional_step(struct functional_run *r, uint64_t budget, uint64_t *used)
{
	*used = 0;
	if (r->next == r->total && !r->n_resident)
		return true;
	if (r->batches && !r->n_slot) {
		draw_border(r);
		if (r->team && func_batch_run(r, used))
			return r->next == r->total;
	}
	if (!r->n_slot) {
		r->n_slot = r->cluster;
		r->current = r->idle_turns = r->stuck_turns = 0;
		r->worked = false;
		start(r, 0);
		if (r->stop_at_ctas)
			return false;
	}
	while (*used < budget && !func_interrupted(r)) {
		struct cta_slot *c = &r->slot[r->current];
		uint64_t n = 0;
		enum turn t = TURN_STUCK;
		if (c->cta)
			t = func_cta_turn(r, c, budget - *used, &n);
		*used += n;
		c->used += n;
		r->worked |= c->cta && c->turn >= CTA_TURN;
		if ((t == TURN_MOVED || t == TURN_CLOCK) && func_interrupted(r))
			return false;
		r->clock_turns = t == TURN_CLOCK || t == TURN_STUCK ? r->clock_turns + 1 : 0;
		r->waited = r->clock_turns ? r->waited : 0;
		switch (t) {
		case TURN_FAULT:
			return true;
		case TURN_DONE:
			r->launch->fe->cta_end(c->cta);
			c->cta = NULL;
			r->n_resident--;
			r->idle_turns = r->stuck_turns = 0;
			if (r->next < r->border) {
				if (start(r, r->current) && r->stop_at_ctas)
					return false;
				continue;
			}
			if (!r->n_resident) {
				r->n_slot = 0;
				return r->next == r->total;
			}
			if (r->stop_at_ctas)
				return false;
			continue;
		case TURN_STUCK:
			r->stuck_turns++;
			break;
		case TURN_MOVED:
		case TURN_CLOCK:
			r->stuck_turns = 0;
			break;
		case TURN_GOES_ON:
			return false;
		}
		// Every resident CTA has had a turn and none finished: they may wait for one that has not begun.
		if (++r->idle_turns >= r->n_slot) {
			r->idle_turns = 0;
			const bool waits = r->border < r->total && r->next == r->border && dissolve(r);
			r->worked = false;
			if (r->next < r->border && r->n_slot < r->max_resident) {
				start(r, r->n_slot);
				r->n_slot += r->cluster;
				r->stuck_turns = 0;
				if (r->stop_at_ctas)
					return false;
			} else if (r->stuck_turns >= r->n_slot && !waits) {
				if (grids_waits(r->launch)) { // the kernels that it launched go first
					next_slot(r);
					return false;
				}
				deadlock(r);
				return true;
			} else if (r->clock_turns >= r->n_slot && r->stuck_turns < r->n_slot && *used < budget) {
				*used += pass_time(r, budget - *used);
				next_slot(r);
				return false; // the clock that kernels read goes on with what is returned
			}
		}
		next_slot(r);
	}
	return false;
}

uint32_t functional_resident(const struct functional_run *r) { return r->n_resident; }
