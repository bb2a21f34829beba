#include "libcuda/code/kernel_calls.h"

#include "libcuda/code/cluster.h"
#include "libcuda/code/launch.h"
#include "libcuda/context/guard.h"

#include <string.h>

static struct cudaFuncAttributes attributes_of(const struct kernel *k)
{
	struct cudaFuncAttributes a = {
	        .sharedSizeBytes = k->info.machine.shared,
	        .constSizeBytes = k->info.machine.bank[BANK_CONST],
	        .localSizeBytes = k->info.machine.stack,
	        .maxThreadsPerBlock = (int)k->info.max_threads,
	        .numRegs = (int)k->info.regs,
	        .ptxVersion = (int)k->info.target,
	        .binaryVersion = k->info.machine.compiled ? (int)k->info.machine.arch : cu.desc.major * 10 + cu.desc.minor,
	        .maxDynamicSharedSizeBytes = (int)launch_max_dynamic_shared(k),
	        .preferredShmemCarveout = k->carveout,
	        .clusterDimMustBeSet = k->info.explicit_cluster,
	        .requiredClusterWidth = (int)cluster_required(k)[0],
	        .requiredClusterHeight = (int)cluster_required(k)[1],
	        .requiredClusterDepth = (int)cluster_required(k)[2],
	        .clusterSchedulingPolicyPreference = k->cluster_policy,
	        .nonPortableClusterSizeAllowed = k->non_portable_cluster,
	};
	// As many threads as the registers of a block allow.
	while (a.maxThreadsPerBlock > (int)cu.desc.warp_size &&
	       !gpu_desc_occupancy(&cu.desc, (uint32_t)a.maxThreadsPerBlock, k->info.regs, k->info.static_shared, 0, NULL))
		a.maxThreadsPerBlock -= (int)cu.desc.warp_size;
	return a;
}

cudaError_t func_attributes(struct cudaFuncAttributes *out, const void *handle, size_t size)
{
	cudaError_t e;
	if (!out || !guard_writable(out, size))
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_query(handle, &e);
	if (!k)
		return e;
	struct cudaFuncAttributes a = attributes_of(k);
	memcpy(out, &a, size);
	return cudaSuccess;
}

// CUfunction_attribute.
enum {
	MAX_THREADS, SHARED_SIZE, CONST_SIZE, LOCAL_SIZE, NUM_REGS, PTX_VERSION, BINARY_VERSION, CACHE_MODE_CA, MAX_DYNAMIC_SHARED, CARVEOUT,
	CLUSTER_MUST_BE_SET, CLUSTER_WIDTH, CLUSTER_HEIGHT, CLUSTER_DEPTH, NON_PORTABLE_CLUSTER, CLUSTER_POLICY, N_ATTRIBUTES
};

cudaError_t kernel_attribute(int *out, int attribute, const void *handle)
{
	cudaError_t e;
	if (!GUARD_OUT(out) || attribute < 0 || attribute >= N_ATTRIBUTES)
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_query(handle, &e);
	if (!k)
		return e;
	struct cudaFuncAttributes a = attributes_of(k);
	const int value[N_ATTRIBUTES] = {
	        [MAX_THREADS] = a.maxThreadsPerBlock,
	        [SHARED_SIZE] = (int)a.sharedSizeBytes,
	        [CONST_SIZE] = (int)a.constSizeBytes,
	        [LOCAL_SIZE] = (int)a.localSizeBytes,
	        [NUM_REGS] = a.numRegs,
	        [PTX_VERSION] = a.ptxVersion,
	        [BINARY_VERSION] = a.binaryVersion,
	        [CACHE_MODE_CA] = a.cacheModeCA,
	        [MAX_DYNAMIC_SHARED] = a.maxDynamicSharedSizeBytes,
	        [CARVEOUT] = a.preferredShmemCarveout,
	        [CLUSTER_MUST_BE_SET] = a.clusterDimMustBeSet,
	        [CLUSTER_WIDTH] = a.requiredClusterWidth,
	        [CLUSTER_HEIGHT] = a.requiredClusterHeight,
	        [CLUSTER_DEPTH] = a.requiredClusterDepth,
	        [NON_PORTABLE_CLUSTER] = a.nonPortableClusterSizeAllowed,
	        [CLUSTER_POLICY] = a.clusterSchedulingPolicyPreference,
	};
	*out = value[attribute];
	return cudaSuccess;
}

static cudaError_t set_cluster_attribute(struct kernel *k, int attribute, int value)
{
	if (cu.desc.major < CLUSTERS_SINCE)
		return cudaErrorNotSupported;
	if (attribute == NON_PORTABLE_CLUSTER || attribute == CLUSTER_POLICY) {
		if (attribute == CLUSTER_POLICY ? !cluster_policy_ok(value) : value < 0 || value > 1)
			return cudaErrorInvalidValue;
		if (attribute == CLUSTER_POLICY)
			k->cluster_policy = value;
		else
			k->non_portable_cluster = value;
		return cudaSuccess;
	}
	if (k->info.cluster[0]) {
		cu_complain("kernel %s was compiled for clusters of (%u,%u,%u) blocks, and that stays so", k->name, k->info.cluster[0],
		            k->info.cluster[1], k->info.cluster[2]);
		return cudaErrorNotPermitted;
	}
	if (value < 0)
		return cudaErrorInvalidValue;
	k->cluster[attribute - CLUSTER_WIDTH] = (uint32_t)value;
	return cudaSuccess;
}

cudaError_t kernel_set_attribute(const void *handle, int attribute, int value)
{
	cudaError_t e;
	struct kernel *k = kernel_query(handle, &e);
	if (!k)
		return e;
	switch (attribute) {
	case MAX_DYNAMIC_SHARED:
		if (value < 0 || (uint64_t)value + k->info.static_shared > cu.desc.shared_per_block_optin) {
			cu_complain("kernel %s: %d bytes of dynamic and %u of static shared memory are more than the %u a block "
			            "can have",
			            k->name, value, k->info.static_shared, cu.desc.shared_per_block_optin);
			return cudaErrorInvalidValue;
		}
		k->max_dynamic_shared = value;
		return cudaSuccess;
	case CARVEOUT:
		if (value < -1 || value > 100)
			return cudaErrorInvalidValue;
		k->carveout = value;
		return cudaSuccess;
	case CLUSTER_WIDTH:
	case CLUSTER_HEIGHT:
	case CLUSTER_DEPTH:
	case NON_PORTABLE_CLUSTER:
	case CLUSTER_POLICY: return set_cluster_attribute(k, attribute, value);
	default: return cudaErrorInvalidValue;
	}
}

cudaError_t kernel_set_cache_config(const void *handle, int config)
{
	enum { LAST_CACHE_CONFIG = 3 };
	cudaError_t e;
	struct kernel *k = kernel_find(handle, &e);
	if (!k)
		return e;
	if (config < 0 || config > LAST_CACHE_CONFIG)
		return cudaErrorInvalidValue;
	k->cache_config = config;
	return cudaSuccess;
}

cudaError_t kernel_set_shared_config(const void *handle, int config)
{
	enum { LAST_SHARED_CONFIG = 2 };
	cudaError_t e;
	if (!kernel_find(handle, &e))
		return e;
	return config < 0 || config > LAST_SHARED_CONFIG ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t kernel_get_name(const char **name, const void *handle)
{
	cudaError_t e;
	if (!GUARD_OUT(name))
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_find(handle, &e);
	if (k)
		*name = k->name;
	return e;
}

cudaError_t kernel_param_info(const void *handle, size_t index, size_t *offset, size_t *size)
{
	cudaError_t e;
	struct kernel *k = kernel_query(handle, &e);
	if (!k)
		return e;
	if (!GUARD_OUT(offset) || !GUARD_OUT_OR_NULL(size) || index >= k->info.n_params)
		return cudaErrorInvalidValue;
	*offset = k->info.param[index].offset;
	if (size)
		*size = k->info.param[index].size;
	return cudaSuccess;
}

cudaError_t kernel_get_module(struct module **out, const void *handle, bool library)
{
	cudaError_t e;
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_find(handle, &e);
	if (!k)
		return e;
	if (library && !module_is_library(k->module))
		return cudaErrorSymbolNotFound;
	*out = k->module;
	return cudaSuccess;
}

cudaError_t kernel_is_loaded(int *state, const void *handle)
{
	enum { UNLOADED, LOADED }; // CUfunctionLoadingState
	cudaError_t e;
	if (!GUARD_OUT(state))
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_find(handle, &e);
	if (k)
		*state = k->state == KERNEL_READY ? LOADED : UNLOADED;
	return e;
}

cudaError_t kernel_load_now(const void *handle)
{
	cudaError_t e;
	kernel_query(handle, &e);
	return e;
}
