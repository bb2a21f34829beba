// Every conversion and pair of types through the whole PTX pipeline.
#include "tests/unit/ops_cvt.h"

OPS_MAIN("ptx ops: cvt", ops_cvt)
