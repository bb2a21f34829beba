#include "cuda-sim/exec/dependents.h"

#include "cuda-sim/exec/tries.h"

void exec_dependents_allow(struct exec_cta *c)
{
	c->launch->allowed += !c->allowed;
	c->allowed = true;
}

bool exec_dependents_step(struct warp *w, const struct uop *u)
{
	struct exec_cta *c = w->cta;
	exec_try_anew(w);
	if (u->x[0] == EXEC_DEPENDENTS_ALLOW) {
		exec_dependents_allow(c);
		return true;
	}
	c->at_children |= c->launch->behind != NULL;
	return !c->launch->behind;
}
