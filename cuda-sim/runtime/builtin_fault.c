#include "cuda-sim/runtime/builtin_fault.h"

void builtin_bad_pointer(struct builtin_call *c, unsigned lane, uint64_t addr, const char *what)
{
	exec_fault(c->w, c->u, FAULT_ILLEGAL_ADDRESS, lane, addr, "%s at 0x%llx can't be read or written", what,
	           (unsigned long long)addr);
}

bool builtin_interrupted(struct builtin_call *c)
{
	const atomic_int *flag = c->w->cta->launch->services->interrupt;
	if (!flag || !atomic_load_explicit(flag, memory_order_relaxed))
		return false;
	exec_fault(c->w, c->u, FAULT_INTERRUPTED, (unsigned)__builtin_ctz(c->mask), 0, "the simulation ends");
	return true;
}
