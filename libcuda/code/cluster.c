#include "libcuda/code/cluster.h"

#include "libcuda/code/refuse.h"

#include <string.h>

// A cluster of PORTABLE blocks runs on every GPU that has clusters; sm_90 takes twice as many from kernels that allow it.
enum { PORTABLE = 8, MOST = 16 };

static bool is_none(const uint32_t n[3]) { return !n[0] && !n[1] && !n[2]; }

uint32_t cluster_blocks(const uint32_t n[3])
{
	const uint64_t blocks = (uint64_t)n[0] * n[1];
	if (is_none(n))
		return 1;
	return blocks > UINT16_MAX || blocks * n[2] > UINT32_MAX ? UINT32_MAX : (uint32_t)(blocks * n[2]);
}

const uint32_t *cluster_required(const struct kernel *k) { return is_none(k->info.cluster) ? k->cluster : k->info.cluster; }

uint32_t cluster_most(const struct kernel *k)
{
	uint32_t most = cu.desc.major < CLUSTERS_SINCE ? 1 : k->non_portable_cluster ? MOST : PORTABLE;
	return k->info.max_cluster && k->info.max_cluster < most ? k->info.max_cluster : most;
}

// The kernel's grid counts clusters, and its block's size is compiled in: the program gives none, which <<<>>> makes 1.
static cudaError_t count_blocks(struct launch_shape *s, const struct kernel *k, bool tell)
{
	const struct kernel_info *i = &k->info;
	const uint32_t *most = cu.desc.max_grid_dim;
	const uint64_t n[3] = {(uint64_t)s->grid.x * i->cluster[0], (uint64_t)s->grid.y * i->cluster[1], (uint64_t)s->grid.z * i->cluster[2]};
	if (n[0] > most[0] || n[1] > most[1] || n[2] > most[2])
		return launch_refuse(tell, k, cudaErrorInvalidConfiguration,
		                     "(%u,%u,%u) clusters of (%u,%u,%u) blocks are more than a grid can have, (%u,%u,%u) blocks", s->grid.x, s->grid.y,
		                     s->grid.z, i->cluster[0], i->cluster[1], i->cluster[2], most[0], most[1], most[2]);
	s->grid = (struct dim3){(unsigned)n[0], (unsigned)n[1], (unsigned)n[2]};
	if (s->block.x == 1 && s->block.y == 1 && s->block.z == 1)
		s->block = (struct dim3){i->reqntid[0], i->reqntid[1], i->reqntid[2]};
	return cudaSuccess;
}

static cudaError_t check(const struct kernel *k, const struct launch_shape *s, bool tell)
{
	const uint32_t *c = s->cluster, grid[3] = {s->grid.x, s->grid.y, s->grid.z}, blocks = cluster_blocks(c);
	if (cu.desc.major < CLUSTERS_SINCE)
		return launch_refuse(tell, k, cudaErrorNotSupported, "clusters of (%u,%u,%u) blocks, and this GPU, sm_%d%d, has none; sm_90 has", c[0], c[1],
		                     c[2], cu.desc.major, cu.desc.minor);
	if (!c[0] || !c[1] || !c[2])
		return launch_refuse(tell, k, cudaErrorInvalidClusterSize, "a cluster of (%u,%u,%u) blocks may have no 0", c[0], c[1], c[2]);
	if (blocks > cluster_most(k))
		return launch_refuse(tell, k, cudaErrorInvalidClusterSize,
		                     blocks > MOST || k->non_portable_cluster || cluster_most(k) < PORTABLE
		                             ? "a cluster of (%u,%u,%u) blocks has more than %u"
		                             : "a cluster of (%u,%u,%u) blocks has more than %u; up to 16 after cudaFuncSetAttribute("
		                               "cudaFuncAttributeNonPortableClusterSizeAllowed)",
		                     c[0], c[1], c[2], cluster_most(k));
	for (unsigned n = 0; n < 3; n++)
		if (grid[n] % c[n])
			return launch_refuse(tell, k, cudaErrorInvalidClusterSize, "a cluster of (%u,%u,%u) blocks does not divide the grid (%u,%u,%u)", c[0],
			                     c[1], c[2], grid[0], grid[1], grid[2]);
	return cudaSuccess;
}

cudaError_t cluster_shape(struct launch_shape *out, const struct kernel *k, struct dim3 grid, struct dim3 block, struct dim3 asked, bool tell)
{
	const uint32_t *required = cluster_required(k), ask[3] = {asked.x, asked.y, asked.z};
	*out = (struct launch_shape){.grid = grid, .block = block};
	cudaError_t e = k->info.blocks_are_clusters ? count_blocks(out, k, tell) : cudaSuccess;
	if (e)
		return e;
	if (!is_none(required) && !is_none(ask) && memcmp(required, ask, sizeof ask))
		return launch_refuse(tell, k, cudaErrorInvalidClusterSize, "its clusters have (%u,%u,%u) blocks, and the launch asks for (%u,%u,%u)",
		                     required[0], required[1], required[2], ask[0], ask[1], ask[2]);
	memcpy(out->cluster, is_none(ask) ? required : ask, sizeof out->cluster);
	if (is_none(out->cluster) && k->info.explicit_cluster)
		return launch_refuse(tell, k, cudaErrorInvalidClusterSize,
		                     "it is compiled for clusters of a size that the launch says (cudaLaunchAttributeClusterDimension), and this one does "
		                     "not");
	if (is_none(out->cluster))
		return cudaSuccess;
	// One block is a cluster on every GPU.
	if (cu.desc.major < CLUSTERS_SINCE && cluster_blocks(out->cluster) == 1 && out->cluster[0]) {
		memset(out->cluster, 0, sizeof out->cluster);
		return cudaSuccess;
	}
	return check(k, out, tell);
}
