// What programs ask about the device and set for it.
#include "libcuda/runtime/device.h"

#include "libcuda/context/guard.h"
#include "libcuda/runtime/api.h"
#include "libcuda/life/contexts.h"
#include "libcuda/life/device.h"
#include "libcuda/work/wait.h"

#include <stdio.h>
#include <string.h>

enum { FLAGS_ALLOWED = 31, SCHEDULE_MASK = 7 };

API_DEVICE_AS(cudaGetDeviceProperties, cudaGetDeviceProperties_v2, (struct cudaDeviceProp_12 * prop, int device),
              device_properties_12(prop, device))

// There is one device, so the one that suits best is known.
cudaError_t device_choose(int *device, const void *prop)
{
	char name[256]; // what the structure of every release begins with
	if (!GUARD_OUT(device) || !GUARD_IN(name, (const char (*)[sizeof name])prop))
		return cudaErrorInvalidValue;
	*device = 0;
	return cudaSuccess;
}

API_DEVICE(cudaDeviceGetAttribute, (int *value, int attribute, int device), device_attribute(value, attribute, device))

static cudaError_t give(int *out, int value)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	*out = value;
	return cudaSuccess;
}

static cudaError_t device_only(int device) { return device ? cudaErrorInvalidDevice : cudaSuccess; }

API_DEVICE(cudaGetDeviceCount, (int *count), give(count, 1))
API_DEVICE(cudaGetDevice, (int *device), give(device, 0))

static cudaError_t valid_devices(const int *devices, int n)
{
	if (n < 0 || (n && !devices))
		return cudaErrorInvalidValue;
	for (int i = 0; i < n; i++) {
		int device;
		if (!GUARD_IN(device, &devices[i]))
			return cudaErrorInvalidValue;
		if (device)
			return cudaErrorInvalidDevice;
	}
	return cudaSuccess;
}

API_DEVICE(cudaSetValidDevices, (int *devices, int n), valid_devices(devices, n))

// Versions are asked for before anything else and need no device.
CUDA_EXPORT cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaDriverGetVersion(int *version) { return cu_remember(give(version, CUDA_VERSION_REPORTED), CU_CALLER); }

static cudaError_t set_flags(unsigned flags)
{
	if (flags & ~FLAGS_ALLOWED || (flags & SCHEDULE_MASK && (flags & SCHEDULE_MASK) & ((flags & SCHEDULE_MASK) - 1)))
		return cudaErrorInvalidValue;
	cu.device_flags = flags;
	return cudaSuccess;
}

static cudaError_t get_flags(unsigned *flags)
{
	if (!GUARD_OUT(flags))
		return cudaErrorInvalidValue;
	*flags = cu.device_flags | 8; // cudaDeviceMapHost: always so with unified addresses
	return cudaSuccess;
}

// The device's primary context is there at once, and current.
static cudaError_t set_device(int device)
{
	cudaError_t e = device_only(device);
	if (!e)
		context_bind_primary();
	return e;
}

// The primary context is there, but not made current.
static cudaError_t init_device(int device, unsigned device_flags, unsigned flags)
{
	enum { FLAGS_ARE_VALID = 1 };
	if (device)
		return cudaErrorInvalidDevice;
	if (flags & ~(unsigned)FLAGS_ARE_VALID)
		return cudaErrorInvalidValue;
	cudaError_t e = flags ? set_flags(device_flags) : cudaSuccess;
	if (!e)
		context_start_primary();
	return e;
}

API_DEVICE(cudaSetDevice, (int device), set_device(device))
API_DEVICE(cudaInitDevice, (int device, unsigned device_flags, unsigned flags), init_device(device, device_flags, flags))
API_DEVICE(cudaSetDeviceFlags, (unsigned flags), set_flags(flags))
API_DEVICE(cudaGetDeviceFlags, (unsigned *flags), get_flags(flags))

API_DEVICE(cudaDeviceGetPCIBusId, (char *out, int len, int device), device_bus_id(out, len, device))
API_DEVICE(cudaDeviceGetByPCIBusId, (int *device, const char *id), device_by_bus_id(device, id))

API(cudaDeviceSetLimit, (int limit, size_t value), device_set_limit(limit, value))
API(cudaDeviceGetLimit, (size_t * value, int limit), device_get_limit(value, limit))
API(cudaThreadSetLimit, (int limit, size_t value), device_set_limit(limit, value))
API(cudaThreadGetLimit, (size_t * value, int limit), device_get_limit(value, limit))

API(cudaDeviceSetCacheConfig, (int config), device_set_cache_config(config))
API(cudaDeviceGetCacheConfig, (int *config), give(config, cu.cache_config))
API(cudaThreadSetCacheConfig, (int config), device_set_cache_config(config))
API(cudaThreadGetCacheConfig, (int *config), give(config, cu.cache_config))
API(cudaDeviceSetSharedMemConfig, (int config), device_set_shared_config(config))
API(cudaDeviceGetSharedMemConfig, (int *config), give(config, SHARED_BANK_FOUR_BYTES))
API(cudaCtxResetPersistingL2Cache, (void), cudaSuccess)

API(cudaDeviceSynchronize, (void), wait_all())
API(cudaThreadSynchronize, (void), wait_all())

static cudaError_t reset(void)
{
	context_primary_reset();
	memset(cu_thread.last, 0, sizeof cu_thread.last); // what failed before is gone with the context
	return cudaSuccess;
}

API_DEVICE(cudaDeviceReset, (void), reset())
API_DEVICE(cudaThreadExit, (void), reset())

static cudaError_t linear_width(size_t *width, const struct cudaChannelFormatDesc *desc, int device)
{
	struct cudaChannelFormatDesc d;
	if (!GUARD_OUT(width) || !GUARD_IN(d, desc))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*width = (size_t)cu.desc.texture.tex1d_linear;
	return cudaSuccess;
}

API_DEVICE(cudaDeviceGetTexture1DLinearMaxWidth,
           (size_t * width, const struct cudaChannelFormatDesc *desc, int device), linear_width(width, desc, device))

// Profilers: nothing to switch on or off.
API_DEVICE(cudaProfilerStart, (void), cudaSuccess)
API_DEVICE(cudaProfilerStop, (void), cudaSuccess)
API_DEVICE(cudaProfilerInitialize, (const char *config, const char *output, int mode), cudaErrorNotSupported)

// For GPUs without double precision, which there are no more.
API_DEVICE(cudaSetDoubleForDevice, (double *d), d ? cudaSuccess : cudaErrorInvalidValue)
API_DEVICE(cudaSetDoubleForHost, (double *d), d ? cudaSuccess : cudaErrorInvalidValue)
