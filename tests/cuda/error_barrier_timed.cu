// The same in the timing model: the report says which warps wait where, and the kernel ends.
// env: PTX_SIM_MODE_FUNC=0 GPGPUSIM_CONFIG=../../../../../configs/SM7_QV100/gpgpusim.config
#include "error_barrier.cu"
