// Which instructions CTAs may execute side by side on several threads of the host (frontend_ops.apart).
#ifndef CUDA_SIM_EXEC_APART_H
#define CUDA_SIM_EXEC_APART_H

#include "cuda-sim/exec/uop.h"
#include "isa/inst.h"

enum { EXEC_CLEAN_LOCAL = 512 }; // bytes of local variables that a thread may have: they are cleared for each CTA

// Of an instruction and the flags of one of its micro-ops. What is ordered (isa/effects.h) is so for CTAs too, but for calls, which
// refuse when they are made (exec_refuses); textures and surfaces do not ask for what they read; who polls waits for others, unless
// it is for those of its own CTA; with system scope host threads look on.
static inline bool exec_apart(const struct isa_inst *i, uint16_t flags)
{
	const bool own = i->space == SPACE_SHARED || i->space == SPACE_LOCAL;
	if ((i->ordered && i->cls != ISA_CALL) || i->service || i->surface || i->cls == ISA_TEXTURE || flags & UOP_SYSTEM)
		return false;
	return own || !(i->is_volatile || flags & UOP_POLL);
}

#endif
