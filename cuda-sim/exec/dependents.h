// Programmatic dependent launch, as PTX ISA describes griddepcontrol: a grid can be launched before the one in front of it has ended
// (kernel_launch.behind). launch_dependents: the block has no objection any more; when all blocks have none, or have ended, those of the
// grid behind it begin. wait: until the grid in front of it is complete and what it has written can be seen. Without a grid in front
// neither does anything. Who runs grids tells when the one in front is complete, between two instructions.
#ifndef CUDA_SIM_EXEC_DEPENDENTS_H
#define CUDA_SIM_EXEC_DEPENDENTS_H

#include "cuda-sim/exec/warp.h"

// uop.x[0] of what the keeper of a warp gives to exec_dependents_step. ALLOW is ordered: other SMs' blocks count too.
enum exec_dependents_op { EXEC_DEPENDENTS_ALLOW, EXEC_DEPENDENTS_WAIT };

// Some lanes of the warp execute it. False: they have to wait, in place of a barrier at EXEC_CHILDREN.
bool exec_dependents_step(struct warp *w, const struct uop *u);

// The block has no objection to grids behind its own, or has ended.
void exec_dependents_allow(struct exec_cta *c);

#endif
