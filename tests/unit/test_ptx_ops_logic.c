// Every logic and shift instruction and type through the whole PTX pipeline.
#include "tests/unit/ops_logic.h"

OPS_MAIN("ptx ops: logic", ops_logic)
