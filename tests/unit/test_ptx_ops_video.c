#include "tests/unit/ops_video.h"

OPS_MAIN("ptx ops: video", ops_video)
