// Every integer instruction and type through the whole PTX pipeline.
#include "tests/unit/ops_int.h"

OPS_MAIN("ptx ops: int", ops_int)
