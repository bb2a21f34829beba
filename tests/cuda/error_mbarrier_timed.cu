// The same in the timing model: the report says which warps wait for which barrier, and the kernel ends.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_90
// env: PTX_SIM_MODE_FUNC=0 GPGPUSIM_CONFIG=../../../../../configs/SM7_QV100/gpgpusim.config
#include "error_mbarrier.cu"
