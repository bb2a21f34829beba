/* Old programs include this name; everything comes with cuda_runtime.h. */
#include "cuda_runtime.h"
