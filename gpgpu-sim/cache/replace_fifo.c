// The line that came longest ago.
#include "gpgpu-sim/cache/replace.h"

const struct replace_ops replace_fifo = {.name = "FIFO", .victim = order_first, .enter = order_enter, .leave = order_leave};
