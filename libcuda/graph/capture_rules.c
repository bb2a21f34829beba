#include "libcuda/graph/capture_rules.h"

#include <string.h>

static const struct {
	const char *api;
	enum capture_rule rule;
} rules[] = {
        {"cuArray3DCreate_v2", CAPTURE_UNSAFE},
        {"cuArrayCreate_v2", CAPTURE_UNSAFE},
        {"cuArrayDestroy", CAPTURE_UNSAFE},
        {"cuCtxSynchronize", CAPTURE_NEVER},
        {"cuCtxSynchronize_v2", CAPTURE_NEVER},
        {"cuEventQuery", CAPTURE_UNSAFE},
        {"cuEventSynchronize", CAPTURE_UNSAFE},
        {"cuMemAllocHost_v2", CAPTURE_UNSAFE},
        {"cuMemAllocManaged", CAPTURE_UNSAFE},
        {"cuMemAllocPitch_v2", CAPTURE_UNSAFE},
        {"cuMemAlloc_v2", CAPTURE_UNSAFE},
        {"cuMemFreeHost", CAPTURE_UNSAFE},
        {"cuMemFree_v2", CAPTURE_UNSAFE},
        {"cuMemHostAlloc", CAPTURE_UNSAFE},
        {"cuMemHostRegister_v2", CAPTURE_UNSAFE},
        {"cuMemHostUnregister", CAPTURE_UNSAFE},
        {"cuMipmappedArrayCreate", CAPTURE_UNSAFE},
        {"cuMipmappedArrayDestroy", CAPTURE_UNSAFE},
        {"cuModuleUnload", CAPTURE_UNSAFE},
        {"cudaDeviceSynchronize", CAPTURE_NEVER},
        {"cudaEventQuery", CAPTURE_UNSAFE},
        {"cudaEventSynchronize", CAPTURE_UNSAFE},
        {"cudaFree", CAPTURE_UNSAFE},
        {"cudaFreeArray", CAPTURE_UNSAFE},
        {"cudaFreeHost", CAPTURE_UNSAFE},
        {"cudaFreeMipmappedArray", CAPTURE_UNSAFE},
        {"cudaHostAlloc", CAPTURE_UNSAFE},
        {"cudaHostRegister", CAPTURE_UNSAFE},
        {"cudaHostUnregister", CAPTURE_UNSAFE},
        {"cudaMalloc", CAPTURE_UNSAFE},
        {"cudaMalloc3D", CAPTURE_UNSAFE},
        {"cudaMalloc3DArray", CAPTURE_UNSAFE},
        {"cudaMallocArray", CAPTURE_UNSAFE},
        {"cudaMallocHost", CAPTURE_UNSAFE},
        {"cudaMallocManaged", CAPTURE_UNSAFE},
        {"cudaMallocMipmappedArray", CAPTURE_UNSAFE},
        {"cudaMallocPitch", CAPTURE_UNSAFE},
        {"cudaThreadSynchronize", CAPTURE_NEVER},
};

enum capture_rule capture_rule(const char *api)
{
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (!strcmp(rules[i].api, api))
			return rules[i].rule;
	return CAPTURE_SAFE;
}
