// Every atomic and type through the whole PTX pipeline.
#include "tests/unit/ops_mem.h"

OPS_MAIN("ptx ops: atom", ops_atom)
