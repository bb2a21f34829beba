// The memory pipeline's place in the modern core.
#include "gpgpu-sim/modern/modern.h"

struct modern_memory_unit *mmem_new(struct sm *m, const struct modern_config *cfg)
{
	static const struct mmem_core core = {modern_sources_read, modern_write, modern_done, front_request_constant, front_constant_back};
	return mmem_new_in(m, cfg, &core);
}
