// The binary interface of the CUDA runtime: structures as programs lay them out and pass them, and values of its
// enumerations. Own text; sizes and offsets were checked against the headers of CUDA 11.8, 12.9 and 13.0. Where a
// structure changed with a release, its name ends in the first release that has that layout.
#ifndef LIBCUDA_CONTEXT_CUDA_ABI_H
#define LIBCUDA_CONTEXT_CUDA_ABI_H

#include <stdint.h>
#include <stddef.h>

typedef int cudaError_t;

enum {
#define CUDA_ERROR(code, name, text) name = code,
#include "libcuda/context/errors.def"
#undef CUDA_ERROR
};

typedef struct stream *cudaStream_t;
typedef struct event *cudaEvent_t;
typedef struct array *cudaArray_t;
typedef struct mipmap *cudaMipmappedArray_t;
typedef struct mempool *cudaMemPool_t;

#define STREAM_LEGACY ((cudaStream_t)1)
#define STREAM_PER_THREAD ((cudaStream_t)2)

struct dim3 {
	uint32_t x, y, z;
};

struct cudaExtent {
	size_t width, height, depth;
};

struct cudaPos {
	size_t x, y, z;
};

struct cudaPitchedPtr {
	void *ptr;
	size_t pitch, xsize, ysize;
};

enum cudaMemcpyKind {
	COPY_HOST_TO_HOST, COPY_HOST_TO_DEVICE, COPY_DEVICE_TO_HOST, COPY_DEVICE_TO_DEVICE, COPY_DEFAULT
};

struct cudaMemcpy3DParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	struct cudaExtent extent;
	int kind;
};

struct cudaMemcpy3DPeerParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	int srcDevice;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	int dstDevice;
	struct cudaExtent extent;
};

// cudaChannelFormatKind. Of normalised integers there is one for each width (8, 16) and number of channels (1, 2, 4), from
// UNSIGNED_8X1 to SIGNED_16X4.
enum {
	CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT, CHANNEL_NONE, CHANNEL_NV12, CHANNEL_UNSIGNED_8X1, CHANNEL_SIGNED_8X1 = 11,
	CHANNEL_SIGNED_16X4 = 16, CHANNEL_BC1, CHANNEL_BC7_SRGB = 30, CHANNEL_1010102
};

struct cudaChannelFormatDesc {
	int x, y, z, w; // bits
	int f;
};

struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
	int maxDynamicSharedSizeBytes, preferredShmemCarveout;
	// CUDA 12 and newer
	int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
	int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
	int reserved[16];
};

enum { FUNC_ATTRIBUTES_SIZE_11 = 56 };

// CUDA 9 has no `type`; both have the kind of memory (host or device) first and a flag for managed memory last.
struct cudaPointerAttributes_9 {
	int memoryType, device;
	void *devicePointer, *hostPointer;
	int isManaged;
};

struct cudaPointerAttributes_10 {
	int memoryType, type, device;
	void *devicePointer, *hostPointer;
	int isManaged;
};

struct cudaPointerAttributes {
	int type, device;
	void *devicePointer, *hostPointer;
	long reserved[8]; // CUDA 13
};

enum { POINTER_ATTRIBUTES_SIZE_11 = 24 };

enum { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE, MEMORY_MANAGED };

struct cudaLaunchAttribute {
	int id;
	int pad;
	union {
		int cooperative;
		struct dim3 cluster;
		char bytes[64];
	} val;
};

struct cudaLaunchConfig {
	struct dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	struct cudaLaunchAttribute *attrs;
	unsigned numAttrs;
};

struct cudaMemLocation {
	int type, id;
};

struct cudaMemAccessDesc {
	struct cudaMemLocation location;
	int flags;
};

struct cudaMemPoolProps {
	int allocType, handleTypes;
	struct cudaMemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
};

// CUDA 11 and older; the first 68 bytes are what every release has.
struct textureReference {
	int normalized;
	int filterMode;
	int addressMode[3];
	struct cudaChannelFormatDesc channelDesc;
	int sRGB;
	unsigned maxAnisotropy;
	int mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization;
	int reserved[14];
};

enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED_ARRAY, RESOURCE_LINEAR, RESOURCE_PITCH2D }; // cudaResourceType

struct cudaResourceDesc {
	int resType;
	union {
		cudaArray_t array;
		cudaMipmappedArray_t mipmap;
		struct {
			void *devPtr;
			struct cudaChannelFormatDesc desc;
			size_t sizeInBytes;
		} linear;
		struct {
			void *devPtr;
			struct cudaChannelFormatDesc desc;
			size_t width, height, pitchInBytes;
		} pitch2D;
		int reserved[32]; // CUDA 13
	} res;
	unsigned flags; // CUDA 13
};

struct cudaTextureDesc {
	int addressMode[3];
	int filterMode, readMode, sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned maxAnisotropy;
	int mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization; // CUDA 11
	int seamlessCubemap;              // CUDA 12, and the functions of 11.8 whose names end in _v2
};

struct cudaResourceViewDesc {
	int format;
	size_t width, height, depth;
	unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
	unsigned reserved[16]; // CUDA 13
};

// Bytes of these structures in older releases; the fields they have are at the same places.
enum {
	RESOURCE_DESC_SIZE_11 = 64, TEXTURE_DESC_SIZE_9 = 64, TEXTURE_DESC_SIZE_11 = 68, RESOURCE_VIEW_DESC_SIZE_11 = 48
};

struct surfaceReference {
	struct cudaChannelFormatDesc channelDesc;
};

struct cudaArrayMemoryRequirements {
	size_t size, alignment;
	unsigned reserved[4];
};

struct cudaArraySparseProperties {
	unsigned tile_width, tile_height, tile_depth, miptailFirstLevel;
	unsigned long long miptailSize;
	unsigned flags, reserved[4];
};

// cudaDeviceProp in declaration order: P(first release, last release, type, name, elements). In release 12 the layout
// is that of cudaGetDeviceProperties_v2. The layouts of 9 and 10 are from the documentation of those releases.
#define DEVICE_PROP_FIELDS(P) \
	P(9, 13, char, name, [256]) P(10, 13, char, uuid, [16]) P(10, 13, char, luid, [8]) \
	P(10, 13, unsigned, luidDeviceNodeMask, ) P(9, 13, size_t, totalGlobalMem, ) \
	P(9, 13, size_t, sharedMemPerBlock, ) P(9, 13, int, regsPerBlock, ) P(9, 13, int, warpSize, ) \
	P(9, 13, size_t, memPitch, ) P(9, 13, int, maxThreadsPerBlock, ) P(9, 13, int, maxThreadsDim, [3]) \
	P(9, 13, int, maxGridSize, [3]) P(9, 12, int, clockRate, ) P(9, 13, size_t, totalConstMem, ) \
	P(9, 13, int, major, ) P(9, 13, int, minor, ) P(9, 13, size_t, textureAlignment, ) \
	P(9, 13, size_t, texturePitchAlignment, ) P(9, 12, int, deviceOverlap, ) \
	P(9, 13, int, multiProcessorCount, ) P(9, 12, int, kernelExecTimeoutEnabled, ) \
	P(9, 13, int, integrated, ) P(9, 13, int, canMapHostMemory, ) P(9, 12, int, computeMode, ) \
	P(9, 13, int, maxTexture1D, ) P(9, 13, int, maxTexture1DMipmap, ) \
	P(9, 12, int, maxTexture1DLinear, ) P(9, 13, int, maxTexture2D, [2]) \
	P(9, 13, int, maxTexture2DMipmap, [2]) P(9, 13, int, maxTexture2DLinear, [3]) \
	P(9, 13, int, maxTexture2DGather, [2]) P(9, 13, int, maxTexture3D, [3]) \
	P(9, 13, int, maxTexture3DAlt, [3]) P(9, 13, int, maxTextureCubemap, ) \
	P(9, 13, int, maxTexture1DLayered, [2]) P(9, 13, int, maxTexture2DLayered, [3]) \
	P(9, 13, int, maxTextureCubemapLayered, [2]) P(9, 13, int, maxSurface1D, ) \
	P(9, 13, int, maxSurface2D, [2]) P(9, 13, int, maxSurface3D, [3]) \
	P(9, 13, int, maxSurface1DLayered, [2]) P(9, 13, int, maxSurface2DLayered, [3]) \
	P(9, 13, int, maxSurfaceCubemap, ) P(9, 13, int, maxSurfaceCubemapLayered, [2]) \
	P(9, 13, size_t, surfaceAlignment, ) P(9, 13, int, concurrentKernels, ) \
	P(9, 13, int, ECCEnabled, ) P(9, 13, int, pciBusID, ) P(9, 13, int, pciDeviceID, ) \
	P(9, 13, int, pciDomainID, ) P(9, 13, int, tccDriver, ) P(9, 13, int, asyncEngineCount, ) \
	P(9, 13, int, unifiedAddressing, ) P(9, 12, int, memoryClockRate, ) \
	P(9, 13, int, memoryBusWidth, ) P(9, 13, int, l2CacheSize, ) \
	P(11, 13, int, persistingL2CacheMaxSize, ) P(9, 13, int, maxThreadsPerMultiProcessor, ) \
	P(9, 13, int, streamPrioritiesSupported, ) P(9, 13, int, globalL1CacheSupported, ) \
	P(9, 13, int, localL1CacheSupported, ) P(9, 13, size_t, sharedMemPerMultiprocessor, ) \
	P(9, 13, int, regsPerMultiprocessor, ) P(9, 13, int, managedMemory, ) \
	P(9, 13, int, isMultiGpuBoard, ) P(9, 13, int, multiGpuBoardGroupID, ) \
	P(9, 13, int, hostNativeAtomicSupported, ) P(9, 12, int, singleToDoublePrecisionPerfRatio, ) \
	P(9, 13, int, pageableMemoryAccess, ) P(9, 13, int, concurrentManagedAccess, ) \
	P(9, 13, int, computePreemptionSupported, ) P(9, 13, int, canUseHostPointerForRegisteredMem, ) \
	P(9, 13, int, cooperativeLaunch, ) P(9, 12, int, cooperativeMultiDeviceLaunch, ) \
	P(9, 13, size_t, sharedMemPerBlockOptin, ) \
	P(10, 13, int, pageableMemoryAccessUsesHostPageTables, ) \
	P(10, 13, int, directManagedMemAccessFromHost, ) P(11, 13, int, maxBlocksPerMultiProcessor, ) \
	P(11, 13, int, accessPolicyMaxWindowSize, ) P(11, 13, size_t, reservedSharedMemPerBlock, ) \
	P(12, 13, int, hostRegisterSupported, ) P(12, 13, int, sparseCudaArraySupported, ) \
	P(12, 13, int, hostRegisterReadOnlySupported, ) \
	P(12, 13, int, timelineSemaphoreInteropSupported, ) P(12, 13, int, memoryPoolsSupported, ) \
	P(12, 13, int, gpuDirectRDMASupported, ) P(12, 13, unsigned, gpuDirectRDMAFlushWritesOptions, ) \
	P(12, 13, int, gpuDirectRDMAWritesOrdering, ) \
	P(12, 13, unsigned, memoryPoolSupportedHandleTypes, ) \
	P(12, 13, int, deferredMappingCudaArraySupported, ) P(12, 13, int, ipcEventSupported, ) \
	P(12, 13, int, clusterLaunch, ) P(12, 13, int, unifiedFunctionPointers, ) \
	P(13, 13, int, deviceNumaConfig, ) P(13, 13, int, deviceNumaId, ) P(13, 13, int, mpsEnabled, ) \
	P(13, 13, int, hostNumaId, ) P(13, 13, unsigned, gpuPciDeviceID, ) \
	P(13, 13, unsigned, gpuPciSubsystemID, ) P(13, 13, int, hostNumaMultinodeIpcSupported, )

// IN_<first>_<last>_<release>(x) is x if the field exists in the release.
#define FIELD_YES(...) __VA_ARGS__
#define FIELD_NO(...)
#define IN_9_12_9 FIELD_YES
#define IN_9_12_10 FIELD_YES
#define IN_9_12_11 FIELD_YES
#define IN_9_12_12 FIELD_YES
#define IN_9_12_13 FIELD_NO
#define IN_9_13_9 FIELD_YES
#define IN_9_13_10 FIELD_YES
#define IN_9_13_11 FIELD_YES
#define IN_9_13_12 FIELD_YES
#define IN_9_13_13 FIELD_YES
#define IN_10_13_9 FIELD_NO
#define IN_10_13_10 FIELD_YES
#define IN_10_13_11 FIELD_YES
#define IN_10_13_12 FIELD_YES
#define IN_10_13_13 FIELD_YES
#define IN_11_13_9 FIELD_NO
#define IN_11_13_10 FIELD_NO
#define IN_11_13_11 FIELD_YES
#define IN_11_13_12 FIELD_YES
#define IN_11_13_13 FIELD_YES
#define IN_12_13_9 FIELD_NO
#define IN_12_13_10 FIELD_NO
#define IN_12_13_11 FIELD_NO
#define IN_12_13_12 FIELD_YES
#define IN_12_13_13 FIELD_YES
#define IN_13_13_9 FIELD_NO
#define IN_13_13_10 FIELD_NO
#define IN_13_13_11 FIELD_NO
#define IN_13_13_12 FIELD_NO
#define IN_13_13_13 FIELD_YES

struct cudaDeviceProp_9 {
#define P(first, last, type, name, elements) IN_##first##_##last##_9(type name elements;)
	DEVICE_PROP_FIELDS(P)
#undef P
};

struct cudaDeviceProp_10 {
#define P(first, last, type, name, elements) IN_##first##_##last##_10(type name elements;)
	DEVICE_PROP_FIELDS(P)
#undef P
};

struct cudaDeviceProp_11 {
#define P(first, last, type, name, elements) IN_##first##_##last##_11(type name elements;)
	DEVICE_PROP_FIELDS(P)
#undef P
};

struct cudaDeviceProp_12 {
#define P(first, last, type, name, elements) IN_##first##_##last##_12(type name elements;)
	DEVICE_PROP_FIELDS(P)
#undef P
	int reserved[63];
};

struct cudaDeviceProp_13 {
#define P(first, last, type, name, elements) IN_##first##_##last##_13(type name elements;)
	DEVICE_PROP_FIELDS(P)
#undef P
	int reserved[56];
};

// Every field of every release: what Heddle fills before it copies the fields that a release has.
struct device_prop {
#define P(first, last, type, name, elements) type name elements;
	DEVICE_PROP_FIELDS(P)
#undef P
};

_Static_assert(sizeof(struct cudaDeviceProp_11) == 728, "11.8");
_Static_assert(sizeof(struct cudaDeviceProp_12) == 1032, "12.9");
_Static_assert(sizeof(struct cudaDeviceProp_13) == 1008, "13.0");
_Static_assert(offsetof(struct cudaDeviceProp_11, multiProcessorCount) == 388, "11.8");
_Static_assert(offsetof(struct cudaDeviceProp_13, multiProcessorCount) == 384, "13.0");
_Static_assert(sizeof(struct cudaFuncAttributes) == 144, "13.0");
_Static_assert(sizeof(struct cudaPointerAttributes) == 88, "13.0");
_Static_assert(sizeof(struct cudaLaunchConfig) == 56, "13.0");
_Static_assert(sizeof(struct cudaLaunchAttribute) == 72, "13.0");
_Static_assert(sizeof(struct cudaMemcpy3DParms) == 160, "13.0");
_Static_assert(sizeof(struct cudaMemPoolProps) == 88, "13.0");
_Static_assert(sizeof(struct textureReference) == 124, "11.8");
_Static_assert(sizeof(struct cudaResourceDesc) == 144, "13.0");
_Static_assert(sizeof(struct cudaTextureDesc) == 72, "13.0");
_Static_assert(sizeof(struct cudaResourceViewDesc) == 112, "13.0");

#endif
