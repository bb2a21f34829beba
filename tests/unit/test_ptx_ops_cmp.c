// Every comparison and selection instruction and type through the whole PTX pipeline.
#include "tests/unit/ops_cmp.h"

OPS_MAIN("ptx ops: cmp", ops_cmp)
