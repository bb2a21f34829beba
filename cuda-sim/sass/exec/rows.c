// What rows hold before the first instruction: constants, special registers; the constant bank that a launch makes; and the addresses
// that rows of a memory instruction add up to.
#include "cuda-sim/sass/exec/warp.h"

#include <string.h>

// Bytes of bank 0 that code reads, found in the code of kernels that ask for one thing each (docs/machine-code.md), from the newest
// GPUs on. From sm_100 on code looks for some behind -0xa0 times SR_CgaSize, which is 1 here.
enum { NOWHERE = UINT16_MAX, PER_CGA_SIZE = 0xa0, CGA_SIZE_PLACES = 100 };
static const struct layout {
	unsigned from; // sm_
	uint16_t block, grid;
	uint16_t shared_window, local_window; // their generic addresses
	uint16_t stack;                       // R1 at first: the end of local memory, which grows down
	uint16_t dynamic_shared, grid_id, sms;
	uint16_t reserved, reserved_end;      // of shared memory: what the system takes, and where that ends
	uint16_t constants;                   // generic address of bank 3, for code that was not optimised
	uint16_t workspace;                   // of cooperative grids: the upper word comes first
	uint16_t params;                      // generic address of the parameters
	uint16_t clustered;                   // 1: launched with clusters
	uint16_t cluster;                     // blocks of a cluster x, y, z; 1 / each as f32; clusters x, y, z
	uint16_t rank;                        // blocks of a cluster in all
} layouts[] = {
	{100, 0x360, 0x370, NOWHERE, 0x2f8, 0x37c, 0x2ac - PER_CGA_SIZE, 0x140, 0x2d0, 0x16c, 0x278 - PER_CGA_SIZE, 0x120, 0x254 - PER_CGA_SIZE, NOWHERE,
	 0x36c, 0x2a0 - PER_CGA_SIZE, 0x2cc - PER_CGA_SIZE},
	{90, 0x00, 0x0c, 0x18, 0x20, 0x28, 0x2c, 0x30, 0x10c, 0x114, NOWHERE, 0xd0, 0x44, 0x198, 0x140, 0x144, 0x188},
	{80, 0x00, 0x0c, 0x18, 0x20, 0x28, 0x2c, 0x30, 0x10c, 0x114, NOWHERE, 0x50, 0x8c, NOWHERE, NOWHERE, NOWHERE, NOWHERE},
	{0, 0x00, 0x0c, 0x18, 0x20, 0x28, 0x2c, 0x30, 0x10c, NOWHERE, NOWHERE, 0x50, 0x8c, NOWHERE, NOWHERE, NOWHERE, NOWHERE},
};

static void put32(uint8_t *to, uint32_t limit, uint32_t at, uint32_t v)
{
	if (at + 4 <= limit)
		memcpy(to + at, &v, 4);
}

static void put64(uint8_t *to, uint32_t limit, uint32_t at, uint64_t v)
{
	put32(to, limit, at, (uint32_t)v);
	put32(to, limit, at + 4, (uint32_t)(v >> 32));
}

static const struct layout *layout_of(const struct sass_image *m)
{
	const struct layout *at = layouts;
	while (m->arch < at->from)
		at++;
	return at;
}

bool sx_wants_params(const struct sass_kernel *k)
{
	const uint16_t at = layout_of(k->image)->params;
	for (uint32_t i = 0; i < k->n_init[SX_INIT_LAUNCH]; i++) {
		const struct sx_init *r = &k->init[SX_INIT_LAUNCH][i];
		if (r->kind == SX_INIT_BANK && r->bank == BANK_PARAMS && r->bits == at)
			return true;
	}
	return false;
}

// Without clusters each block is one. Code finds the number of a block's cluster by the factor.
static void fill_cluster(uint8_t *to, uint32_t limit, const struct kernel_launch *l, const struct layout *at)
{
	uint32_t rank = 1;
	for (unsigned k = 0; k < 3; k++) {
		const uint32_t n = l->cluster[k] ? l->cluster[k] : 1;
		const float factor = 1.0f / (float)n;
		uint32_t bits;
		memcpy(&bits, &factor, sizeof bits);
		put32(to, limit, at->cluster + 4 * k, n);
		put32(to, limit, at->cluster + 4 * (3 + k), bits);
		put32(to, limit, at->cluster + 4 * (6 + k), l->grid[k] / n);
		rank *= n;
	}
	put32(to, limit, at->clustered, l->cluster[0] != 0);
	put32(to, limit, at->rank, rank);
}

static void fill_system(uint8_t *to, uint32_t limit, const struct kernel_launch *l, const struct sass_image *m, uint32_t local_size, uint64_t params)
{
	const struct layout *at = layout_of(m);
	for (unsigned k = 0; k < 3; k++) {
		put32(to, limit, at->block + 4 * k, l->block[k]);
		put32(to, limit, at->grid + 4 * k, l->grid[k]);
	}
	put64(to, limit, at->shared_window, SHARED_WINDOW);
	put64(to, limit, at->local_window, LOCAL_WINDOW);
	put64(to, limit, at->params, params);
	put32(to, limit, at->stack, local_size);
	put32(to, limit, at->dynamic_shared, l->dynamic_shared);
	put64(to, limit, at->grid_id, l->uid);
	fill_cluster(to, limit, l, at);
	put32(to, limit, at->sms, l->services->n_sm);
	put32(to, limit, at->reserved, m->shared_reserved);
	put32(to, limit, at->reserved_end, m->shared_reserved);
	put64(to, limit, at->constants, (uint64_t)(uintptr_t)m->bank[BANK_CONST].data);
	if (l->grid_workspace)
		put64(to, limit, at->workspace, l->grid_workspace >> 32 | l->grid_workspace << 32);
}

void sx_fill_bank0(uint8_t *to, const struct kernel_launch *l, const struct sass_image *m, uint32_t local_size, uint64_t params)
{
	uint32_t limit = m->param_base;
	memset(to, 0, limit);
	fill_system(to, limit, l, m, local_size, params);
	memcpy(to + limit, l->params, l->info->param_bytes);
	for (size_t k = 0; k < m->n_texture; k++)
		memcpy(to + m->texture[k].at, &m->texture[k].handle, sizeof m->texture[k].handle);
}

// Special registers by the number in S2R. X: numbers follow for .Y and .Z.
enum {
	SR_LANEID = 0, SR_VIRTCFG = 2, SR_VIRTID = 3, SR_TID_X = 33, SR_CTAID_X = 37, SR_SWINHI = 47, SR_SMEMSZ = 50,
	SR_EQMASK = 56, SR_LTMASK = 57, SR_LEMASK = 58, SR_GTMASK = 59, SR_GEMASK = 60, SR_VIRTUALSMID = 67, SR_CGACTAID = 136, SR_CGASIZE = 138,
};

static uint32_t special(const struct sx_warp *w, unsigned number, unsigned lane)
{
	const struct exec_cta *c = &w->cta->x;
	const struct kernel_services *s = c->launch->services;
	uint32_t linear = w->w.id * WARP + lane;
	switch (number) {
	case SR_LANEID: return lane;
	case SR_TID_X: return linear % c->block[0];
	case SR_TID_X + 1: return linear / c->block[0] % c->block[1];
	case SR_TID_X + 2: return linear / c->block[0] / c->block[1];
	case SR_CTAID_X: return c->id[0];
	case SR_CTAID_X + 1: return c->id[1];
	case SR_CTAID_X + 2: return c->id[2];
	case SR_EQMASK: return 1u << lane;
	case SR_LTMASK: return (1u << lane) - 1;
	case SR_LEMASK: return (uint32_t)(((uint64_t)2 << lane) - 1);
	case SR_GTMASK: return ~(uint32_t)(((uint64_t)2 << lane) - 1);
	case SR_GEMASK: return ~((1u << lane) - 1);
	case SR_VIRTUALSMID: return c->sm;
	case SR_VIRTID: return w->w.id << 8 | c->sm << 20;
	case SR_VIRTCFG: return s->warps_per_sm << 8 | s->n_sm << 20;
	case SR_SWINHI: return (uint32_t)(SHARED_WINDOW >> 32);
	case SR_SMEMSZ: return (c->shared_size + 127) / 128 * 128;
	case SR_CGACTAID: return c->rank;
	case SR_CGASIZE: return w->cta->kernel->image->arch < CGA_SIZE_PLACES ? isa_cluster_ctas(c->launch) : 1;
	default: return 0;
	}
}

static uint64_t value(const struct sx_warp *w, const struct sx_init *r, unsigned lane)
{
	const struct exec_bank *bank = &w->cta->x.bank[r->bank];
	uint64_t v = 0;
	if (r->kind == SX_INIT_BITS)
		return r->bits;
	if (r->kind == SX_INIT_SPECIAL)
		return special(w, (unsigned)r->bits, lane);
	if (bank->at) // the decoder has seen that it is in the bank
		memcpy(&v, bank->at + r->bits, r->wide ? 8 : 4);
	return v;
}

void sx_fill_rows(struct sx_warp *w)
{
	const struct sass_kernel *k = w->cta->kernel;
	for (uint32_t i = 0; i < k->n_init[SX_INIT_LAUNCH]; i++) {
		const struct sx_init *r = &k->init[SX_INIT_LAUNCH][i];
		uint8_t *row = w->w.fp + r->row;
		if (r->kind != SX_INIT_SPECIAL)
			exec_row_fill(row, r->wide, value(w, r, 0));
		for (unsigned lane = 0; r->kind == SX_INIT_SPECIAL && lane < WARP; lane++)
			((uint32_t *)row)[lane] = (uint32_t)value(w, r, lane);
	}
}

void sx_fill_block_rows(const struct sx_cta *c)
{
	const struct sass_kernel *k = c->kernel;
	for (uint32_t i = 0; i < k->n_init[SX_INIT_CTA]; i++) {
		const struct sx_init *r = &k->init[SX_INIT_CTA][i];
		for (unsigned n = 0; n < c->x.n_warp; n++) {
			const struct sx_warp *w = (const struct sx_warp *)c->x.warp[n];
			exec_row_fill(w->w.fp + r->row, r->wide, value(w, r, 0));
		}
	}
}

void sx_addresses(const struct sx_warp *w, const struct sx_access *from, uint64_t *restrict addr)
{
	const uint8_t *fp = w->w.fp;
	const uint32_t *lo = (const uint32_t *)(fp + from->lo), *hi = (const uint32_t *)(fp + from->hi);
	const uint32_t *u = (const uint32_t *)(fp + from->uniform), *uh = u + WARP;
	const uint64_t base = (uint64_t)from->imm;
	if (from->hi)
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			addr[i] = (lo[i] | (uint64_t)hi[i] << 32) + base;
	else
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			addr[i] = ((uint64_t)lo[i] << from->scale) + base;
	if (from->uniform)
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			addr[i] += from->wide_uniform ? u[i] | (uint64_t)uh[i] << 32 : u[i];
}
