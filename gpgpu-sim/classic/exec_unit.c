#include "gpgpu-sim/classic/exec_unit.h"

#include "base/mem.h"

// The longest latency of instructions that go to a pipe. Products of warp groups may go to any that an option names for tensors.
static uint32_t longest(const struct core_config *c, unsigned pipe)
{
	uint32_t n = EXEC_BESIDE;
	if (pipe >= PIPE_SPEC && c->spec[pipe - PIPE_SPEC].latency > n)
		n = c->spec[pipe - PIPE_SPEC].latency;
	for (unsigned machine = 0; machine < 2; machine++) {
		if (pipe >= PIPE_SPEC && c->unit_cost[machine][pipe - PIPE_SPEC].latency > n)
			n = c->unit_cost[machine][pipe - PIPE_SPEC].latency;
		for (unsigned k = 0; k < ISA_N_CLASSES; k++)
			if (c->cost[machine][k].pipe == pipe && c->cost[machine][k].latency > n)
				n = c->cost[machine][k].latency;
	}
	return n;
}

// Of a ring of cycles in which results leave that enter now.
static uint32_t ring_size(uint32_t latency)
{
	uint32_t size = 4;
	while (size < latency + 2)
		size *= 2;
	return size;
}

void exec_units_init(struct exec_units *u, const struct core_config *cfg)
{
	uint32_t n = 0, size = 0;
	for (unsigned p = 0; p < PIPE_N; p++)
		if (p != PIPE_MEM)
			u->n += cfg->n_units[p];
	HEDDLE_ASSERT(u->n <= 64);
	u->width = (uint8_t)cfg->ex_wb_width;
	u->unit = mem_alloc_dense(u->n * sizeof *u->unit);
	for (unsigned p = 0; p < PIPE_N; p++) {
		uint32_t own = ring_size(longest(cfg, p));
		u->first[p] = (uint8_t)n;
		for (unsigned k = 0; p != PIPE_MEM && k < cfg->n_units[p]; k++) {
			size = size < own ? own : size;
			u->unit[n++] = (struct exec_unit){.pipe = (uint8_t)p, .id = (uint8_t)k, .ring_mask = own - 1,
			                                  .ring = mem_alloc_dense(own * sizeof(struct winst *))};
		}
	}
	u->leave_mask = size - 1;
	u->leave = mem_alloc_dense(size * sizeof *u->leave);
}

void exec_units_free(struct exec_units *u)
{
	for (unsigned i = 0; i < u->n; i++)
		mem_free_dense(u->unit[i].ring, (u->unit[i].ring_mask + 1) * sizeof *u->unit[i].ring);
	mem_free_dense(u->unit, u->n * sizeof *u->unit);
	mem_free_dense(u->leave, (u->leave_mask + 1) * sizeof *u->leave);
}
