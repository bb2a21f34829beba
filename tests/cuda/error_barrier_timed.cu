// The same in the timing model: the report says which warps wait where, and the kernel ends.
// env: PTX_SIM_MODE_FUNC=0
#include "error_barrier.cu"
