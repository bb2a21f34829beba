#include "gpgpu-sim/gpu/core_models.h"

#include "gpgpu-sim/classic/classic.h"
#include "gpgpu-sim/modern/modern.h"

const struct core_ops *core_model_of(const struct core_config *c) { return c->modern ? &core_modern : &core_classic; }
