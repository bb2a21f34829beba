#include "libcuda/code/kernel_calls.h"

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
	struct kernel *k = kernel_get(handle, &e);
	if (!k)
		return e;
	struct cudaFuncAttributes a = attributes_of(k);
	memcpy(out, &a, size);
	return cudaSuccess;
}

// CUfunction_attribute. Of clusters, which no launch can have here, kernels ask nothing.
enum {
	MAX_THREADS, SHARED_SIZE, CONST_SIZE, LOCAL_SIZE, NUM_REGS, PTX_VERSION, BINARY_VERSION, CACHE_MODE_CA, MAX_DYNAMIC_SHARED, CARVEOUT,
	CLUSTER_FIRST, CLUSTER_LAST = 15, N_ATTRIBUTES
};

cudaError_t kernel_attribute(int *out, int attribute, const void *handle)
{
	cudaError_t e;
	if (!GUARD_OUT(out) || attribute < 0 || attribute >= N_ATTRIBUTES)
		return cudaErrorInvalidValue;
	struct kernel *k = kernel_get(handle, &e);
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
	};
	*out = value[attribute];
	return cudaSuccess;
}

cudaError_t kernel_set_attribute(const void *handle, int attribute, int value)
{
	cudaError_t e;
	struct kernel *k = kernel_get(handle, &e);
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
	struct kernel *k = kernel_get(handle, &e);
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
	kernel_get(handle, &e);
	return e;
}
