// The core models that an SM can have, by the configuration.
#ifndef GPGPU_SIM_GPU_CORE_MODELS_H
#define GPGPU_SIM_GPU_CORE_MODELS_H

#include "gpgpu-sim/sm/core_config.h"
#include "gpgpu-sim/sm/core_ops.h"

const struct core_ops *core_model_of(const struct core_config *c);

#endif
