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
	c->used = 0;
}

bool func_interrupted(const struct functional_run *r)
{
	const atomic_int *flag = r->launch->services->interrupt;
	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

enum turn func_cta_turn(const struct functional_run *r, struct cta_slot *c, uint64_t budget, uint64_t *used)
{
	const struct frontend_ops *fe = r->launch->fe;
	unsigned idle = 0; // warps in a row that waited, polled or were done
	bool moved = false, polled = false;
	if (budget > CTA_TURN)
		budget = CTA_TURN;
	while (*used < budget && idle < c->n_warp && !func_interrupted(r)) {
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
