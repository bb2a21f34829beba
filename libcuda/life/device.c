#include "libcuda/life/device.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/context/output.h"
#include "libcuda/work/wait.h"

#include <stdio.h>
#include <string.h>

// Everything that any release's cudaDeviceProp has, from the description of the GPU.
static void fill_properties(struct device_prop *p)
{
	const struct gpu_desc *g = &cu.desc;
	const struct gpu_texture_limits *t = &g->texture;
	memset(p, 0, sizeof *p);
	snprintf(p->name, sizeof p->name, "%s", g->name);
	memcpy(p->uuid, DEVICE_UUID, strlen(DEVICE_UUID));
	p->totalGlobalMem = g->memory_size;
	p->sharedMemPerBlock = g->shared_per_block;
	p->regsPerBlock = (int)g->registers_per_block;
	p->warpSize = (int)g->warp_size;
	p->memPitch = g->max_pitch;
	p->maxThreadsPerBlock = (int)g->max_threads_per_block;
	for (int i = 0; i < 3; i++) {
		p->maxThreadsDim[i] = (int)g->max_block_dim[i];
		p->maxGridSize[i] = (int)g->max_grid_dim[i];
	}
	p->clockRate = (int)g->clock_khz;
	p->totalConstMem = g->const_size;
	p->major = g->major;
	p->minor = g->minor;
	p->textureAlignment = g->texture_alignment;
	p->texturePitchAlignment = g->texture_pitch_alignment;
	p->deviceOverlap = 1;
	p->multiProcessorCount = (int)g->sm_count;
	p->canMapHostMemory = 1;
	p->maxTexture1D = t->tex1d;
	p->maxTexture1DMipmap = t->tex1d_mipmap;
	p->maxTexture1DLinear = t->tex1d_linear;
	memcpy(p->maxTexture2D, t->tex2d, sizeof p->maxTexture2D);
	memcpy(p->maxTexture2DMipmap, t->tex2d_mipmap, sizeof p->maxTexture2DMipmap);
	memcpy(p->maxTexture2DLinear, t->tex2d_linear, sizeof p->maxTexture2DLinear);
	memcpy(p->maxTexture2DGather, t->tex2d_gather, sizeof p->maxTexture2DGather);
	memcpy(p->maxTexture3D, t->tex3d, sizeof p->maxTexture3D);
	memcpy(p->maxTexture3DAlt, t->tex3d_alt, sizeof p->maxTexture3DAlt);
	p->maxTextureCubemap = t->cubemap;
	memcpy(p->maxTexture1DLayered, t->layered1d, sizeof p->maxTexture1DLayered);
	memcpy(p->maxTexture2DLayered, t->layered2d, sizeof p->maxTexture2DLayered);
	memcpy(p->maxTextureCubemapLayered, t->cubemap_layered, sizeof p->maxTextureCubemapLayered);
	p->maxSurface1D = t->surf1d;
	memcpy(p->maxSurface2D, t->surf2d, sizeof p->maxSurface2D);
	memcpy(p->maxSurface3D, t->surf3d, sizeof p->maxSurface3D);
	memcpy(p->maxSurface1DLayered, t->surf1d_layered, sizeof p->maxSurface1DLayered);
	memcpy(p->maxSurface2DLayered, t->surf2d_layered, sizeof p->maxSurface2DLayered);
	p->maxSurfaceCubemap = t->surf_cubemap;
	memcpy(p->maxSurfaceCubemapLayered, t->surf_cubemap_layered, sizeof p->maxSurfaceCubemapLayered);
	p->surfaceAlignment = g->surface_alignment;
	p->concurrentKernels = 1;
	p->pciBusID = DEVICE_PCI_BUS;
	p->asyncEngineCount = 2;
	p->unifiedAddressing = 1;
	p->memoryClockRate = (int)g->memory_clock_khz;
	p->memoryBusWidth = (int)g->memory_bus_bits;
	p->l2CacheSize = (int)g->l2_size;
	p->persistingL2CacheMaxSize = (int)g->l2_persisting;
	p->accessPolicyMaxWindowSize = (int)g->access_window;
	p->maxThreadsPerMultiProcessor = (int)g->max_threads_per_sm;
	p->streamPrioritiesSupported = 1;
	p->globalL1CacheSupported = p->localL1CacheSupported = 1;
	p->sharedMemPerMultiprocessor = g->shared_per_sm;
	p->regsPerMultiprocessor = (int)g->registers_per_sm;
	p->managedMemory = 1;
	// Double precision units per SM by architecture: half rate on the big chips, a fraction elsewhere.
	bool big = (g->major == 6 || g->major == 7 || g->major == 8) ? g->minor == 0 : g->major == 9;
	p->singleToDoublePrecisionPerfRatio = big ? 2 : g->major >= 8 ? 64 : 32;
	p->concurrentManagedAccess = 1;
	p->computePreemptionSupported = 1;
	p->canUseHostPointerForRegisteredMem = 1;
	p->cooperativeLaunch = 1;
	p->clusterLaunch = g->major >= 9;
	p->sharedMemPerBlockOptin = g->shared_per_block_optin;
	p->maxBlocksPerMultiProcessor = (int)g->max_ctas_per_sm;
	p->reservedSharedMemPerBlock = g->shared_reserved;
	p->hostRegisterSupported = 1;
	p->memoryPoolsSupported = 1;
	p->deviceNumaId = -1;
	p->hostNumaId = -1;
}

#define DEFINE_PROPERTIES(release)                                                                    \
	cudaError_t device_properties_##release(struct cudaDeviceProp_##release *out, int device)     \
	{                                                                                             \
		struct device_prop p;                                                                 \
		if (!GUARD_OUT(out))                                                                             \
			return cudaErrorInvalidValue;                                                 \
		if (device)                                                                           \
			return cudaErrorInvalidDevice;                                                \
		fill_properties(&p);                                                                  \
		memset(out, 0, sizeof *out);                                                          \
		DEVICE_PROP_FIELDS(P)                                                                 \
		return cudaSuccess;                                                                   \
	}
#define COPY_FIELD(name) memcpy(&out->name, &p.name, sizeof out->name);

#define P(first, last, type, name, elements) IN_##first##_##last##_9(COPY_FIELD(name))
DEFINE_PROPERTIES(9)
#undef P
#define P(first, last, type, name, elements) IN_##first##_##last##_10(COPY_FIELD(name))
DEFINE_PROPERTIES(10)
#undef P
#define P(first, last, type, name, elements) IN_##first##_##last##_11(COPY_FIELD(name))
DEFINE_PROPERTIES(11)
#undef P
#define P(first, last, type, name, elements) IN_##first##_##last##_12(COPY_FIELD(name))
DEFINE_PROPERTIES(12)
#undef P
#define P(first, last, type, name, elements) IN_##first##_##last##_13(COPY_FIELD(name))
DEFINE_PROPERTIES(13)
#undef P

// cudaDeviceGetAttribute: X(number, value), with `p` the properties. Numbers are those of cudaDevAttr...
#define ATTRIBUTES(X)                                                                                                \
	X(1, p.maxThreadsPerBlock) X(2, p.maxThreadsDim[0]) X(3, p.maxThreadsDim[1]) X(4, p.maxThreadsDim[2])        \
	X(5, p.maxGridSize[0]) X(6, p.maxGridSize[1]) X(7, p.maxGridSize[2]) X(8, p.sharedMemPerBlock)               \
	X(9, p.totalConstMem) X(10, p.warpSize) X(11, p.memPitch) X(12, p.regsPerBlock) X(13, p.clockRate)           \
	X(14, p.textureAlignment) X(15, p.deviceOverlap) X(16, p.multiProcessorCount)                                \
	X(17, p.kernelExecTimeoutEnabled) X(18, p.integrated) X(19, p.canMapHostMemory) X(20, p.computeMode)         \
	X(21, p.maxTexture1D) X(22, p.maxTexture2D[0]) X(23, p.maxTexture2D[1]) X(24, p.maxTexture3D[0])             \
	X(25, p.maxTexture3D[1]) X(26, p.maxTexture3D[2]) X(27, p.maxTexture2DLayered[0])                            \
	X(28, p.maxTexture2DLayered[1]) X(29, p.maxTexture2DLayered[2]) X(30, p.surfaceAlignment)                    \
	X(31, p.concurrentKernels) X(32, p.ECCEnabled) X(33, p.pciBusID) X(34, p.pciDeviceID) X(35, p.tccDriver)     \
	X(36, p.memoryClockRate) X(37, p.memoryBusWidth) X(38, p.l2CacheSize) X(39, p.maxThreadsPerMultiProcessor)   \
	X(40, p.asyncEngineCount) X(41, p.unifiedAddressing) X(42, p.maxTexture1DLayered[0])                         \
	X(43, p.maxTexture1DLayered[1]) X(44, 1) X(45, p.maxTexture2DGather[0]) X(46, p.maxTexture2DGather[1])       \
	X(47, p.maxTexture3DAlt[0]) X(48, p.maxTexture3DAlt[1]) X(49, p.maxTexture3DAlt[2]) X(50, p.pciDomainID)     \
	X(51, p.texturePitchAlignment) X(52, p.maxTextureCubemap) X(53, p.maxTextureCubemapLayered[0])               \
	X(54, p.maxTextureCubemapLayered[1]) X(55, p.maxSurface1D) X(56, p.maxSurface2D[0])                          \
	X(57, p.maxSurface2D[1]) X(58, p.maxSurface3D[0]) X(59, p.maxSurface3D[1]) X(60, p.maxSurface3D[2])          \
	X(61, p.maxSurface1DLayered[0]) X(62, p.maxSurface1DLayered[1]) X(63, p.maxSurface2DLayered[0])              \
	X(64, p.maxSurface2DLayered[1]) X(65, p.maxSurface2DLayered[2]) X(66, p.maxSurfaceCubemap)                   \
	X(67, p.maxSurfaceCubemapLayered[0]) X(68, p.maxSurfaceCubemapLayered[1]) X(69, p.maxTexture1DLinear)        \
	X(70, p.maxTexture2DLinear[0]) X(71, p.maxTexture2DLinear[1]) X(72, p.maxTexture2DLinear[2])                 \
	X(73, p.maxTexture2DMipmap[0]) X(74, p.maxTexture2DMipmap[1]) X(75, p.major) X(76, p.minor)                  \
	X(77, p.maxTexture1DMipmap) X(78, p.streamPrioritiesSupported) X(79, p.globalL1CacheSupported)               \
	X(80, p.localL1CacheSupported) X(81, p.sharedMemPerMultiprocessor) X(82, p.regsPerMultiprocessor)            \
	X(83, p.managedMemory) X(84, p.isMultiGpuBoard) X(85, p.multiGpuBoardGroupID)                                \
	X(86, p.hostNativeAtomicSupported) X(87, p.singleToDoublePrecisionPerfRatio) X(88, p.pageableMemoryAccess)   \
	X(89, p.concurrentManagedAccess) X(90, p.computePreemptionSupported)                                         \
	X(91, p.canUseHostPointerForRegisteredMem) X(92, 1) X(93, 1) X(94, 1) X(95, p.cooperativeLaunch)             \
	X(96, p.cooperativeMultiDeviceLaunch) X(97, p.sharedMemPerBlockOptin) X(98, 0)                               \
	X(99, p.hostRegisterSupported) X(100, p.pageableMemoryAccessUsesHostPageTables)                              \
	X(101, p.directManagedMemAccessFromHost) X(102, 1) X(103, 1) X(104, 0) X(105, 0) X(106, p.maxBlocksPerMultiProcessor) X(107, 0) X(110, 0)                                \
	X(108, p.persistingL2CacheMaxSize) X(109, p.accessPolicyMaxWindowSize) X(111, p.reservedSharedMemPerBlock)   \
	X(112, p.sparseCudaArraySupported) X(113, p.hostRegisterReadOnlySupported)                                   \
	X(114, p.timelineSemaphoreInteropSupported) X(115, p.memoryPoolsSupported) X(116, p.gpuDirectRDMASupported)  \
	X(117, p.gpuDirectRDMAFlushWritesOptions) X(118, p.gpuDirectRDMAWritesOrdering)                              \
	X(119, p.memoryPoolSupportedHandleTypes) X(120, p.clusterLaunch)                                             \
	X(121, p.deferredMappingCudaArraySupported) X(122, 1) X(123, 1) X(124, 0) X(125, p.ipcEventSupported)        \
	X(126, 1) X(127, 0) X(128, 0) X(129, p.unifiedFunctionPointers) X(130, p.deviceNumaConfig)                   \
	X(131, p.deviceNumaId) X(132, 0) X(133, p.mpsEnabled) X(134, p.hostNumaId) X(135, 0) X(136, 0) X(137, 0) X(138, 0)               \
	X(139, p.gpuPciDeviceID) X(140, p.gpuPciSubsystemID) X(141, 1) X(142, 0)                                     \
	X(143, p.hostNumaMultinodeIpcSupported) X(144, 0) X(145, 1) X(147, 0)

cudaError_t device_attribute(int *value, int attribute, int device)
{
	struct device_prop p;
	if (!GUARD_OUT(value))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	fill_properties(&p);
	switch (attribute) {
#define X(number, expr) \
	case number: *value = (int)(expr); return cudaSuccess;
		ATTRIBUTES(X)
#undef X
	}
	return cudaErrorInvalidValue;
}

cudaError_t device_bus_id(char *out, int len, int device)
{
	char id[32];
	if (!out || len <= 0)
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	int n = snprintf(id, sizeof id, "0000:%02x:00.0", DEVICE_PCI_BUS);
	return n < len && guard_write(out, id, (size_t)n + 1) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t device_by_bus_id(int *device, const char *given)
{
	unsigned domain = 0, bus = 0, slot = 0;
	char id[64];
	if (!GUARD_OUT(device) || !guard_read_text(id, sizeof id, given))
		return cudaErrorInvalidValue;
	if (sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3) {
		domain = 0;
		if (sscanf(id, "%x:%x", &bus, &slot) != 2)
			return cudaErrorInvalidValue;
	}
	if (domain || bus != DEVICE_PCI_BUS || slot)
		return cudaErrorInvalidDevice;
	*device = 0;
	return cudaSuccess;
}

// A limit may be set to something else than what was asked for: "the driver is free to modify the requested value".
cudaError_t device_set_limit(int limit, size_t value)
{
	if (limit < 0 || limit >= CU_N_LIMITS)
		return cudaErrorUnsupportedLimit;
	if (limit == CU_LIMIT_STACK && value > cu.desc.local_per_thread)
		return cudaErrorInvalidValue;
	if ((limit == CU_LIMIT_HEAP || limit == CU_LIMIT_PRINTF) && value > cu.desc.memory_size)
		return cudaErrorMemoryAllocation; // both lie in device memory
	if (limit == CU_LIMIT_PRINTF && value < PRINTF_FIFO_LEAST)
		value = PRINTF_FIFO_LEAST;
	if (limit == CU_LIMIT_PERSISTING && value && !cu.desc.l2_persisting)
		return cudaErrorUnsupportedLimit;
	if (limit == CU_LIMIT_PERSISTING && value > cu.desc.l2_persisting)
		value = cu.desc.l2_persisting; // "can be ignored or clamped": cuCtxSetLimit
	cudaError_t e = wait_all();
	cu.limit[limit] = value;
	return e;
}

cudaError_t device_get_limit(size_t *value, int limit)
{
	if (!GUARD_OUT(value))
		return cudaErrorInvalidValue;
	if (limit < 0 || limit >= CU_N_LIMITS)
		return cudaErrorUnsupportedLimit;
	*value = cu.limit[limit];
	return cudaSuccess;
}

static cudaError_t set_config(int *where, int value, int last)
{
	if (value < 0 || value > last)
		return cudaErrorInvalidValue;
	*where = value;
	return cudaSuccess;
}

enum { LAST_CACHE_CONFIG = 3, LAST_SHARED_CONFIG = 2 };

cudaError_t device_set_cache_config(int config) { return set_config(&cu.cache_config, config, LAST_CACHE_CONFIG); }
cudaError_t device_set_shared_config(int config) { return set_config(&cu.shared_config, config, LAST_SHARED_CONFIG); }
