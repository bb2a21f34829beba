// Shuffles, votes, matches and reductions through the whole PTX pipeline.
#include "tests/unit/ops_warp.h"

OPS_MAIN("ptx ops: warp", ops_warp)
