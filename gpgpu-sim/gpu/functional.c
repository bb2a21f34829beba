#include "gpgpu-sim/gpu/functional.h"

#include "base/assert.h"
#include "base/mem.h"
#include "isa/grids.h"

#include <stdio.h>
#include <string.h>

enum {
	// Instructions of a warp before the next warp of its CTA. Twice as many make nothing faster; half as many make a loop
	// of fma two per cent slower.
	WARP_TURN = HEDDLE_LIMIT(3, 512),
	CTA_TURN = HEDDLE_LIMIT(7, 1 << 20),  // instructions of a CTA before the next CTA; one that polls gives way at once
};

struct cta_slot {
	struct fe_cta *cta; // NULL: free
	unsigned n_warp, next_warp;
	uint32_t id[3];
};

struct functional_run {
	struct kernel_launch *launch;
	void *slots;
	struct cta_slot *slot;
	uint32_t n_slot, n_resident; // slots 0 .. n_slot-1 exist, n_resident of them hold a CTA
	uint32_t max_resident, current;
	uint32_t cluster;            // CTAs of a cluster, which start together in slots side by side; 1 without clusters
	uint64_t next, total;        // CTAs started, CTAs of the grid
	uint32_t idle_turns;         // CTAs in a row that ended their turn without finishing
	uint32_t stuck_turns;        // CTAs in a row that could not move at all
	bool exact, stop_at_ctas;
};

struct functional_run *functional_new(struct kernel_launch *launch, uint32_t resident)
{
	struct functional_run *r = MEM_NEW(struct functional_run);
	r->launch = launch;
	r->total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	r->cluster = isa_cluster_ctas(launch);
	r->max_resident = resident > r->cluster ? resident / r->cluster * r->cluster : r->cluster;
	if (r->max_resident > r->total)
		r->max_resident = (uint32_t)r->total;
	r->slots = launch->fe->slots_new(launch, r->max_resident);
	r->slot = mem_alloc(r->max_resident * sizeof *r->slot);
	return r;
}

void functional_free(struct functional_run *r)
{
	r->launch->fe->slots_free(r->slots);
	mem_free(r->slot);
	mem_free(r);
}

static void start_cta(struct functional_run *r, uint32_t s)
{
	struct cta_slot *c = &r->slot[s];
	uint64_t n = r->next++;
	isa_cta_id(r->launch, n, c->id);
	// CTAs are dealt to the SMs in turn.
	uint32_t n_sm = r->launch->services->n_sm ? r->launch->services->n_sm : 1;
	struct fe_sm sm = {.id = (uint32_t)(n % n_sm), .counts = &r->launch->counts};
	c->cta = r->launch->fe->cta_start(r->slots, s, c->id, &sm);
	c->n_warp = r->launch->fe->cta_warps(c->cta);
	c->next_warp = 0;
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

static bool interrupted(const struct functional_run *r)
{
	const atomic_int *flag = r->launch->services->interrupt;
	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

enum turn { TURN_DONE, TURN_MOVED, TURN_STUCK, TURN_FAULT };

// One CTA runs until it is done, polls, has had its turn, or cannot move.
static enum turn cta_turn(struct functional_run *r, struct cta_slot *c, uint64_t budget, uint64_t *used)
{
	const struct frontend_ops *fe = r->launch->fe;
	unsigned idle = 0; // warps in a row that waited, polled or were done
	bool moved = false, polled = false;
	if (budget > CTA_TURN)
		budget = CTA_TURN;
	while (*used < budget && idle < c->n_warp && !interrupted(r)) {
		unsigned w = c->next_warp;
		uint64_t n;
		uint64_t left = budget - *used;
		enum fe_status st = fe->run(c->cta, w, r->exact && left < WARP_TURN ? left : WARP_TURN, &n);
		*used += n;
		moved |= n > 0;
		if (st == FE_FAULT)
			return TURN_FAULT;
		c->next_warp = w + 1 == c->n_warp ? 0 : w + 1;
		if (st == FE_YIELD) {
			idle++;
			polled = true;
		} else if (n || st == FE_OK) { // a turn may end before its first instruction, see simt_run
			idle = 0;
			polled = false;
		} else {
			idle++;
		}
	}
	if (idle == c->n_warp && fe->hopeless && fe->hopeless(c->cta) && !fe->unstick(c->cta))
		return TURN_STUCK;
	if (idle < c->n_warp || polled) // or interrupted
		return TURN_MOVED;
	for (unsigned w = 0; w < c->n_warp; w++)
		if (fe->peek(c->cta, w))
			return TURN_MOVED;
	for (unsigned w = 0; w < c->n_warp; w++) {
		char line[64];
		fe->describe(c->cta, w, line, sizeof line);
		if (line[0])
			return moved ? TURN_MOVED : TURN_STUCK;
	}
	return TURN_DONE;
}

void func_be_exact(struct functional_run *r, bool exact) { r->exact = exact; }

void func_stop_at_ctas(struct functional_run *r) { r->stop_at_ctas = true; }

bool functional_step(struct functional_run *r, uint64_t budget, uint64_t *used)
{
	*used = 0;
	if (!r->total)
		return true;
	if (!r->n_slot) {
		r->n_slot = r->cluster;
		start(r, 0);
		if (r->stop_at_ctas)
			return false;
	}
	while (*used < budget && !interrupted(r)) {
		struct cta_slot *c = &r->slot[r->current];
		uint64_t n = 0;
		enum turn t = TURN_STUCK;
		if (c->cta)
			t = cta_turn(r, c, budget - *used, &n);
		*used += n;
		switch (t) {
		case TURN_FAULT:
			return true;
		case TURN_DONE:
			r->launch->fe->cta_end(c->cta);
			c->cta = NULL;
			r->n_resident--;
			r->idle_turns = r->stuck_turns = 0;
			if (r->next < r->total) {
				if (start(r, r->current) && r->stop_at_ctas)
					return false;
				continue;
			}
			if (!r->n_resident)
				return true;
			if (r->stop_at_ctas)
				return false;
			continue;
		case TURN_STUCK:
			r->stuck_turns++;
			break;
		case TURN_MOVED:
			r->stuck_turns = 0;
			break;
		}
		// Every resident CTA has had a turn and none finished: they may wait for one that has not begun.
		if (++r->idle_turns >= r->n_slot) {
			r->idle_turns = 0;
			if (r->next < r->total && r->n_slot < r->max_resident) {
				start(r, r->n_slot);
				r->n_slot += r->cluster;
				r->stuck_turns = 0;
				if (r->stop_at_ctas)
					return false;
			} else if (r->stuck_turns >= r->n_slot) {
				if (grids_waits(r->launch)) { // the kernels that it launched go first
					r->current = r->current + 1 == r->n_slot ? 0 : r->current + 1;
					return false;
				}
				deadlock(r);
				return true;
			}
		}
		r->current = r->current + 1 == r->n_slot ? 0 : r->current + 1;
	}
	return false;
}

uint32_t functional_resident(const struct functional_run *r) { return r->n_resident; }
