// Every half precision instruction and type through the whole PTX pipeline.
#include "tests/unit/ops_float.h"

OPS_MAIN("ptx ops: half", ops_half)
