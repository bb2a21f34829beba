// Video instructions as PTX writes them: their names, suffixes and selectors (.b0, .h10) become a struct video.
#ifndef CUDA_SIM_PTX_VIDEO_OPS_H
#define CUDA_SIM_PTX_VIDEO_OPS_H

#include "cuda-sim/exec/video.h"
#include "cuda-sim/ptx/ptx.h"

// Whether the instruction is one of these.
bool video_is(const struct ptx_op *op);

// Takes suffixes and operands apart; `text` is the module's text. NULL, or what is wrong with operand number *at.
const char *video_read(const struct ptx_inst *i, const char *text, struct video *out, unsigned *at);

#endif
