/* threadIdx and its kin come with cuda_runtime.h. */
#include "cuda_runtime.h"
