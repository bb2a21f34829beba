#include "gpgpu-sim/classic/exec_unit.h"

#include "base/mem.h"

void exec_unit_init(struct exec_unit *u, enum pipe pipe, unsigned id, uint32_t max_latency)
{
	uint32_t size = 4;
	while (size < max_latency + 2)
		size *= 2;
	*u = (struct exec_unit){.pipe = (uint8_t)pipe, .id = (uint8_t)id, .ring_mask = size - 1};
	u->ring = mem_alloc(size * sizeof *u->ring);
	u->taken = mem_alloc(size * sizeof *u->taken);
}

void exec_unit_free(struct exec_unit *u)
{
	mem_free(u->ring);
	mem_free(u->taken);
}
