// What programs ask about kernels and set for them.
#include "libcuda/runtime/attributes.h"

#include "libcuda/runtime/api.h"
#include "libcuda/code/launch.h"

#include <string.h>

cudaError_t func_attributes(struct cudaFuncAttributes *out, const void *host, size_t size)
{
	cudaError_t e;
	if (!out)
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_get(host, &e);
	if (!k)
		return e;
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
	};
	// As many threads as the registers of a block allow.
	while (a.maxThreadsPerBlock > (int)cu.desc.warp_size &&
	       !gpu_desc_occupancy(&cu.desc, (uint32_t)a.maxThreadsPerBlock, k->info.regs, k->info.static_shared, 0, NULL))
		a.maxThreadsPerBlock -= (int)cu.desc.warp_size;
	memcpy(out, &a, size);
	return cudaSuccess;
}

static cudaError_t set_attribute(const void *host, int attribute, int value)
{
	enum { MAX_DYNAMIC_SHARED = 8, CARVEOUT = 9, CLUSTER_FIRST = 10, CLUSTER_LAST = 15 };
	cudaError_t e;
	struct kernel *k = kernel_get(host, &e);
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
	default:
		return attribute >= CLUSTER_FIRST && attribute <= CLUSTER_LAST ? cudaErrorNotSupported : cudaErrorInvalidValue;
	}
}

API(cudaFuncSetAttribute, (const void *f, int attribute, int value), set_attribute(f, attribute, value))
API(cudaKernelSetAttributeForDevice, (const void *kernel, int attribute, int value, int device),
    device ? cudaErrorInvalidDevice : set_attribute(kernel, attribute, value))

static cudaError_t set_cache_config(const void *host, int config)
{
	enum { LAST_CACHE_CONFIG = 3 };
	cudaError_t e;
	struct kernel *k = kernel_find(host, &e);
	if (!k)
		return e;
	if (config < 0 || config > LAST_CACHE_CONFIG)
		return cudaErrorInvalidValue;
	k->cache_config = config;
	return cudaSuccess;
}

static cudaError_t set_shared_config(const void *host, int config)
{
	enum { LAST_SHARED_CONFIG = 2 };
	cudaError_t e;
	if (!kernel_find(host, &e))
		return e;
	return config < 0 || config > LAST_SHARED_CONFIG ? cudaErrorInvalidValue : cudaSuccess;
}

API(cudaFuncSetCacheConfig, (const void *f, int config), set_cache_config(f, config))
API(cudaFuncSetSharedMemConfig, (const void *f, int config), set_shared_config(f, config))

static cudaError_t get_name(const char **name, const void *host)
{
	cudaError_t e;
	if (!name)
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_find(host, &e);
	if (k)
		*name = k->name;
	return e;
}

static cudaError_t param_info(const void *host, size_t index, size_t *offset, size_t *size)
{
	cudaError_t e;
	struct kernel *k = kernel_get(host, &e);
	if (!k)
		return e;
	if (!offset || index >= k->info.n_params)
		return cudaErrorInvalidValue;
	*offset = k->info.param[index].offset;
	if (size)
		*size = k->info.param[index].size;
	return cudaSuccess;
}

API(cudaFuncGetName, (const char **name, const void *f), get_name(name, f))
API(cudaFuncGetParamInfo, (const void *f, size_t index, size_t *offset, size_t *size),
    param_info(f, index, offset, size))
