// Rows that no instruction writes: immediates, kernel parameters, special registers.
#include "cuda-sim/simt/simt.h"

#include <string.h>

static void put(uint8_t *row, bool wide, unsigned lane, uint64_t v)
{
	if (wide)
		((uint64_t *)row)[lane] = v;
	else
		((uint32_t *)row)[lane] = (uint32_t)v;
}

static uint64_t param_value(const struct kernel_launch *l, const struct row_init *r)
{
	uint64_t v = 0;
	if (r->bits <= l->info->param_bytes && r->bytes <= l->info->param_bytes - r->bits)
		memcpy(&v, l->params + r->bits, r->bytes);
	unsigned shift = 64 - r->bytes * 8;
	return r->sign ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

// Special registers of which every lane of the warp has its own value.
static bool lane_value(const struct simt_warp *w, const struct row_init *r, unsigned lane, uint64_t *v)
{
	const uint32_t *block = w->cta->x.block;
	uint32_t linear = w->w.id * WARP + lane;
	switch ((enum ptx_sreg)r->sreg) {
	case PTX_SR_TID:
		*v = r->comp == 0   ? linear % block[0]
		     : r->comp == 1 ? linear / block[0] % block[1]
		     : r->comp == 2 ? linear / block[0] / block[1]
		                    : 0;
		return true;
	case PTX_SR_LANEID:
		*v = lane;
		return true;
	case PTX_SR_LANEMASK_EQ:
		*v = 1u << lane;
		return true;
	case PTX_SR_LANEMASK_LE:
		*v = (2u << lane) - 1;
		return true;
	case PTX_SR_LANEMASK_LT:
		*v = (1u << lane) - 1;
		return true;
	case PTX_SR_LANEMASK_GE:
		*v = (uint32_t)~((1u << lane) - 1);
		return true;
	case PTX_SR_LANEMASK_GT:
		*v = (uint32_t)~((2u << lane) - 1);
		return true;
	default:
		return false;
	}
}

static uint64_t comp3(const uint32_t *v, unsigned comp, uint32_t fourth) { return comp < 3 ? v[comp] : fourth; }

// Blocks of a cluster; 1 without clusters.
static uint32_t of_cluster(const struct kernel_launch *l, unsigned dim) { return l->cluster[0] ? l->cluster[dim] : 1; }

static uint64_t cluster_value(const struct exec_cta *c, const struct row_init *r)
{
	const struct kernel_launch *l = c->launch;
	const uint32_t n = r->comp < 3 ? of_cluster(l, r->comp) : 1;
	switch ((enum ptx_sreg)r->sreg) {
	case PTX_SR_CLUSTERID:
		return r->comp < 3 ? c->id[r->comp] / n : 0;
	case PTX_SR_NCLUSTERID:
		return r->comp < 3 ? l->grid[r->comp] / n : 1;
	case PTX_SR_CLUSTER_CTAID:
		return r->comp < 3 ? c->id[r->comp] % n : 0;
	case PTX_SR_CLUSTER_NCTAID:
		return n;
	case PTX_SR_CLUSTER_CTARANK:
		return c->rank;
	case PTX_SR_CLUSTER_NCTARANK:
		return of_cluster(l, 0) * of_cluster(l, 1) * of_cluster(l, 2);
	case PTX_SR_IS_EXPLICIT_CLUSTER:
		return l->cluster[0] ? FULL_MASK : 0;
	default:
		return 0;
	}
}

static uint64_t warp_value(const struct simt_warp *w, const struct row_init *r)
{
	const struct simt_cta *c = w->cta;
	const struct kernel_launch *l = c->x.launch;
	const uint32_t *id = c->x.id, *grid = l->grid;
	switch ((enum ptx_sreg)r->sreg) {
	case PTX_SR_NTID:
		return comp3(c->x.block, r->comp, 1);
	case PTX_SR_CTAID:
		return comp3(id, r->comp, 0);
	case PTX_SR_NCTAID:
		return comp3(grid, r->comp, 1);
	case PTX_SR_CLUSTERID:
	case PTX_SR_NCLUSTERID:
	case PTX_SR_CLUSTER_CTAID:
	case PTX_SR_CLUSTER_NCTAID:
	case PTX_SR_CLUSTER_CTARANK:
	case PTX_SR_CLUSTER_NCTARANK:
	case PTX_SR_IS_EXPLICIT_CLUSTER:
		return cluster_value(&c->x, r);
	case PTX_SR_WARPID:
		return w->w.id;
	case PTX_SR_NWARPID:
		return l->services->warps_per_sm;
	case PTX_SR_SMID:
		return c->x.sm;
	case PTX_SR_NSMID:
		return l->services->n_sm;
	case PTX_SR_GRIDID:
		return l->uid;
	case PTX_SR_DYNAMIC_SMEM_SIZE:
		return l->dynamic_shared;
	case PTX_SR_TOTAL_SMEM_SIZE:
	case PTX_SR_AGGR_SMEM_SIZE: // in units of at least 128 bytes: PTX ISA, "%total_smem_size"
		return (c->x.shared_size + 127) / 128 * 128;
	case PTX_SR_ENVREG: // nvcc takes the address of the grid's workspace from these two
		return r->comp == 1 ? l->grid_workspace >> 32 : r->comp == 2 ? (uint32_t)l->grid_workspace : 0;
	default:
		return 0;
	}
}

// What all lanes of the warp have alike; `sp` is the stack pointer of the activation.
static uint64_t common_value(const struct simt_warp *w, const struct row_init *r, uint32_t sp)
{
	switch ((enum row_kind)r->kind) {
	case ROW_CONST: return r->bits;
	case ROW_PARAM: return param_value(w->cta->x.launch, r);
	case ROW_PARAM_ADDR: return w->cta->x.param_addr + r->bits;
	case ROW_SP: return sp + r->bits;
	case ROW_SREG: return warp_value(w, r);
	}
	return 0;
}

void rows_fill(struct simt_warp *w, const struct code *code, enum row_group group, uint8_t *fp, uint32_t sp)
{
	for (uint32_t k = 0; k < code->n_init[group]; k++) {
		const struct row_init *r = &code->init[group][k];
		uint64_t v;
		if (r->kind != ROW_SREG || !lane_value(w, r, 0, &v)) {
			exec_row_fill(fp + r->off, r->wide, common_value(w, r, sp));
			continue;
		}
		for (unsigned i = 0; i < WARP; i++) {
			lane_value(w, r, i, &v);
			put(fp + r->off, r->wide, i, v);
		}
	}
}

void rows_fill_block(const struct exec_cta *c, const struct code *code)
{
	for (uint32_t k = 0; k < code->n_init[ROWS_CTA]; k++) {
		const struct row_init *r = &code->init[ROWS_CTA][k];
		const uint64_t v = common_value((const struct simt_warp *)c->warp[0], r, 0);
		for (unsigned n = 0; n < c->n_warp; n++)
			exec_row_fill(((const struct simt_warp *)c->warp[n])->rows + r->off, r->wide, v);
	}
}
