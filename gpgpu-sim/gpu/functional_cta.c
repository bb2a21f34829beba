// One CTA of a functional run.
#include "gpgpu-sim/gpu/functional_internal.h"

void func_cta_start(const struct functional_run *r, struct cta_slot *c, uint32_t s, uint64_t n, struct effects *effects,
                    struct kernel_counts *counts)
{
	isa_cta_id(r->launch, n, c->id);
	// CTAs are dealt to the SMs in turn.
	uint32_t n_sm = r->launch->services->n_sm ? r->launch->services->n_sm : 1;
	struct fe_sm sm = {.id = (uint32_t)(n % n_sm), .effects = effects, .counts = counts, .clean = r->clean};
	c->cta = r->launch->fe->cta_start(r->slots, s, c->id, &sm);
	c->n_warp = r->launch->fe->cta_warps(c->cta);
	c->next_warp = 0;
	c->used = c->done = 0;
	c->goes_on = false;
	c->tells = n >= r->tells_from;
}

// As frontend_ops.run does, instruction by instruction.
static enum fe_status run_and_tell(const struct functional_run *r, struct cta_slot *c, unsigned warp, uint64_t most, uint64_t *used)
{
	const struct frontend_ops *fe = r->launch->fe;
	struct fe_result *out = r->result;
	for (*used = 0; *used < most && fe->ready(c->cta, warp) && fe->peek(c->cta, warp);) {
		fe->execute(c->cta, warp, out);
		for (uint32_t k = 0; k < out->n_access; k++)
			r->access(r->access_ctx, &out->access[k]);
		++*used;
		if (out->status != FE_OK)
			return out->status;
	}
	return *used ? FE_OK : fe->run(c->cta, warp, 1, used);
}

bool func_interrupted(const struct functional_run *r)
{
	const atomic_int *flag = r->launch->services->interrupt;
	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

// All warps have ended within their turn, of a CTA without a cluster: nothing is left to be asked.
static bool has_ended(const struct functional_run *r, const struct cta_slot *c, uint64_t most)
{
	const uint64_t all = ((uint64_t)1 << c->n_warp) - 1; // a CTA has 32 warps at most
	return c->done == all && c->turn < most && !r->launch->cluster[0];
}

enum turn func_cta_turn(const struct functional_run *r, struct cta_slot *c, uint64_t budget, uint64_t *used)
{
	const struct frontend_ops *fe = r->launch->fe;
	const uint64_t most = r->batches || budget > CTA_TURN ? CTA_TURN : budget;
	if (!c->goes_on) {
		c->turn = c->idle = 0;
		c->moved = c->polled = c->asked = false;
	}
	c->goes_on = false;
	while (c->turn < most && c->idle < c->n_warp && !func_interrupted(r)) {
		if (*used >= budget) {
			c->goes_on = true;
			return TURN_GOES_ON;
		}
		unsigned w = c->next_warp;
		uint64_t n;
		uint64_t left = budget - *used;
		const uint64_t most_of_warp = r->exact && left < WARP_TURN ? left : WARP_TURN;
		enum fe_status st = c->tells ? run_and_tell(r, c, w, most_of_warp, &n) : fe->run(c->cta, w, most_of_warp, &n);
		*used += n;
		c->turn += n;
		c->moved |= n > 0;
		if (st == FE_FAULT)
			return TURN_FAULT;
		if (st == FE_DONE) {
			c->done |= (uint64_t)1 << w;
			if (has_ended(r, c, most))
				return TURN_DONE;
		}
		c->next_warp = w + 1 == c->n_warp ? 0 : w + 1;
		if (st == FE_YIELD || st == FE_CLOCK) {
			c->idle++;
			c->polled = true;
			c->asked |= st == FE_YIELD;
		} else if (n || st == FE_OK) { // a turn may end before its first instruction, see simt_run
			c->idle = 0;
			c->polled = c->asked = false;
		} else {
			c->idle++;
		}
	}
	if (c->idle == c->n_warp && fe->hopeless && fe->hopeless(c->cta) && !fe->unstick(c->cta))
		return TURN_STUCK;
	if (c->idle < c->n_warp || c->polled) // or interrupted
		return c->idle < c->n_warp || c->asked ? TURN_MOVED : TURN_CLOCK;
	for (unsigned w = 0; w < c->n_warp; w++)
		if (fe->peek(c->cta, w))
			return TURN_MOVED;
	for (unsigned w = 0; w < c->n_warp; w++) {
		char line[64];
		fe->describe(c->cta, w, line, sizeof line);
		if (line[0])
			return c->moved ? TURN_MOVED : TURN_STUCK;
	}
	return TURN_DONE;
}
