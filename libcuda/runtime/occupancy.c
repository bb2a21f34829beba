// How many blocks of a kernel fit on an SM.
#include "libcuda/code/occupancy.h"
#include "libcuda/runtime/api.h"

API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, const void *f, int block_size, size_t shared),
    occupancy_blocks(blocks, f, block_size, shared, 0))
API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
    (int *blocks, const void *f, int block_size, size_t shared, unsigned flags),
    occupancy_blocks(blocks, f, block_size, shared, flags))
API(cudaOccupancyAvailableDynamicSMemPerBlock, (size_t * shared, const void *f, int blocks, int block_size),
    occupancy_shared(shared, f, blocks, block_size))
API(cudaOccupancyMaxActiveClusters, (int *clusters, const void *f, const struct cudaLaunchConfig *config),
    occupancy_clusters(clusters, f, config))
API(cudaOccupancyMaxPotentialClusterSize, (int *size, const void *f, const struct cudaLaunchConfig *config),
    occupancy_cluster_size(size, f, config))
