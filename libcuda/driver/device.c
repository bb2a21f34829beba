// What programs ask about the device, and limits.
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/driver/format.h"
#include "libcuda/life/contexts.h"
#include "libcuda/life/device.h"
#include "libcuda/work/stream.h"

#include <string.h>

static cudaError_t give(int *out, int value)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	*out = value;
	return cudaSuccess;
}

static cudaError_t get(CUdevice *device, int ordinal)
{
	return !GUARD_OUT(device) ? cudaErrorInvalidValue : ordinal ? cudaErrorInvalidDevice : give(device, 0);
}

DRIVER_DEVICE(cuDeviceGet, (CUdevice * device, int ordinal), get(device, ordinal))
DRIVER_DEVICE(cuDeviceGetCount, (int *count), give(count, 1))

static cudaError_t get_name(char *name, int len, CUdevice device)
{
	if (!name || len <= 0)
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	size_t n = strlen(cu.desc.name), room = (size_t)len - 1;
	n = n < room ? n : room;
	return guard_write(name, cu.desc.name, n) && guard_write(name + n, "", 1) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER_DEVICE(cuDeviceGetName, (char *name, int len, CUdevice device), get_name(name, len, device))

static cudaError_t get_uuid(char uuid[16], CUdevice device)
{
	const char bytes[16] = DEVICE_UUID;
	if (!uuid)
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	return guard_write(uuid, bytes, sizeof bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER_DEVICE(cuDeviceGetUuid, (char *uuid, CUdevice device), get_uuid(uuid, device))
DRIVER_DEVICE(cuDeviceGetUuid_v2, (char *uuid, CUdevice device), get_uuid(uuid, device))

// Only Windows has such a name of a device.
DRIVER_DEVICE(cuDeviceGetLuid, (char *luid, unsigned *mask, CUdevice device),
              !luid || !mask ? cudaErrorInvalidValue : device ? cudaErrorInvalidDevice : cudaErrorNotSupported)

static cudaError_t total_memory(size_t *bytes, CUdevice device)
{
	if (!GUARD_OUT(bytes))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*bytes = cu.desc.memory_size;
	return cudaSuccess;
}

DRIVER_DEVICE(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), total_memory(bytes, device))
DRIVER_DEVICE(cuDeviceGetAttribute, (int *value, int attribute, CUdevice device), device_attribute(value, attribute, device))

static cudaError_t capability(int *major, int *minor, CUdevice device)
{
	if (!GUARD_OUT(major) || !GUARD_OUT(minor))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*major = cu.desc.major;
	*minor = cu.desc.minor;
	return cudaSuccess;
}

DRIVER_DEVICE(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device), capability(major, minor, device))

// Own text; the fields and their order are CUdevprop's.
struct properties {
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory, SIMDWidth, memPitch,
	        regsPerBlock, clockRate, textureAlign;
};

static cudaError_t get_properties(struct properties *out, CUdevice device)
{
	const struct gpu_desc *g = &cu.desc;
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*out = (struct properties){
	        .maxThreadsPerBlock = (int)g->max_threads_per_block,
	        .sharedMemPerBlock = (int)g->shared_per_block,
	        .totalConstantMemory = (int)g->const_size,
	        .SIMDWidth = (int)g->warp_size,
	        .memPitch = (int)g->max_pitch,
	        .regsPerBlock = (int)g->registers_per_block,
	        .clockRate = (int)g->clock_khz,
	        .textureAlign = (int)g->texture_alignment,
	};
	for (int i = 0; i < 3; i++) {
		out->maxThreadsDim[i] = (int)g->max_block_dim[i];
		out->maxGridSize[i] = (int)g->max_grid_dim[i];
	}
	return cudaSuccess;
}

DRIVER_DEVICE(cuDeviceGetProperties, (struct properties * out, CUdevice device), get_properties(out, device))
DRIVER_DEVICE(cuDeviceGetPCIBusId, (char *out, int len, CUdevice device), device_bus_id(out, len, device))
DRIVER_DEVICE(cuDeviceGetByPCIBusId, (CUdevice * device, const char *id), device_by_bus_id(device, id))

static cudaError_t linear_width(size_t *width, int format, unsigned channels, CUdevice device)
{
	struct cudaChannelFormatDesc desc;
	if (!GUARD_OUT(width) || format_channels(&desc, format, channels))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*width = (size_t)cu.desc.texture.tex1d_linear;
	return cudaSuccess;
}

DRIVER_DEVICE(cuDeviceGetTexture1DLinearMaxWidth, (size_t * width, int format, unsigned channels, CUdevice device),
              linear_width(width, format, channels, device))

static cudaError_t exec_affinity(int *supported, int type, CUdevice device)
{
	enum { SM_COUNT = 0, N_TYPES };
	if (!GUARD_OUT(supported) || type < SM_COUNT || type >= N_TYPES)
		return cudaErrorInvalidValue;
	return device ? cudaErrorInvalidDevice : give(supported, 0);
}

DRIVER_DEVICE(cuDeviceGetExecAffinitySupport, (int *supported, int type, CUdevice device), exec_affinity(supported, type, device))
