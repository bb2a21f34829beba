// Moves, address spaces, control and barriers through the whole PTX pipeline.
#include "tests/unit/ops_warp.h"

OPS_MAIN("ptx ops: mov", ops_mov)
