// Every load and store, space and type through the whole PTX pipeline.
#include "tests/unit/ops_mem.h"

OPS_MAIN("ptx ops: mem", ops_mem)
