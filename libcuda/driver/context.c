// Contexts: made, destroyed, current, and what is set for them. All contexts share one GPU.
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/life/contexts.h"
#include "libcuda/life/device.h"
#include "libcuda/work/stream.h"
#include "libcuda/work/stream_calls.h"
#include "libcuda/work/wait.h"

enum {
	SCHEDULE_MASK = 7, MAP_HOST = 8, FLAGS_ALLOWED = 0xff, // CUctx_flags
	API_VERSION = 3020 // of contexts since CUDA 3.2
};

static bool good_flags(unsigned flags)
{
	unsigned schedule = flags & SCHEDULE_MASK;
	return !(flags & ~(unsigned)FLAGS_ALLOWED) && !(schedule & (schedule - 1));
}

// --- the primary context

static cudaError_t retain(struct cu_context **out, CUdevice device)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	struct cu_context *c = context_primary();
	c->active = true;
	c->retains++;
	*out = c;
	return cudaSuccess;
}

static cudaError_t release(CUdevice device)
{
	if (device)
		return cudaErrorInvalidDevice;
	struct cu_context *c = context_primary();
	if (!c->retains)
		return cudaErrorDeviceUninitialized;
	return --c->retains || c->runtime ? cudaSuccess : context_primary_reset();
}

static cudaError_t reset(CUdevice device) { return device ? cudaErrorInvalidDevice : context_primary_reset(); }

static cudaError_t set_flags(CUdevice device, unsigned flags)
{
	if (device)
		return cudaErrorInvalidDevice;
	if (!good_flags(flags))
		return cudaErrorInvalidValue;
	cu.device_flags = flags;
	return cudaSuccess;
}

static cudaError_t get_state(CUdevice device, unsigned *flags, int *active)
{
	if (!GUARD_OUT(flags) || !GUARD_OUT(active))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*flags = cu.device_flags;
	*active = context_primary()->active;
	return cudaSuccess;
}

DRIVER_DEVICE(cuDevicePrimaryCtxRetain, (struct cu_context * *context, CUdevice device), retain(context, device))
DRIVER_DEVICE(cuDevicePrimaryCtxRelease, (CUdevice device), release(device))
DRIVER_DEVICE(cuDevicePrimaryCtxRelease_v2, (CUdevice device), release(device))
DRIVER_DEVICE(cuDevicePrimaryCtxReset, (CUdevice device), reset(device))
DRIVER_DEVICE(cuDevicePrimaryCtxReset_v2, (CUdevice device), reset(device))
DRIVER_DEVICE(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags), set_flags(device, flags))
DRIVER_DEVICE(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags), set_flags(device, flags))
DRIVER_DEVICE(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active), get_state(device, flags, active))

// --- contexts of the program

static cudaError_t create(struct cu_context **out, unsigned flags, CUdevice device)
{
	if (!GUARD_OUT(out) || !good_flags(flags))
		return cudaErrorInvalidValue;
	if (device)
		return cudaErrorInvalidDevice;
	*out = context_new(flags);
	context_push(*out);
	return cudaSuccess;
}

struct exec_affinity {
	int type;
	unsigned sm_count;
};

// Shares of the SMs are for processes under MPS.
static cudaError_t create_with_affinity(struct cu_context **out, const struct exec_affinity *params, int n, unsigned flags, CUdevice device)
{
	if (n < 0 || (n && !params))
		return cudaErrorInvalidValue;
	return n ? cudaErrorUnsupportedExecAffinity : create(out, flags, device);
}

struct create_params {
	const struct exec_affinity *affinity;
	int n_affinity;
	const void *cig;
};

static cudaError_t create_with(struct cu_context **out, const struct create_params *given, unsigned flags, CUdevice device)
{
	struct create_params p = {0};
	if (given && !guard_read(&p, given, sizeof p))
		return cudaErrorInvalidValue;
	return p.cig ? cudaErrorNotSupported : create_with_affinity(out, p.affinity, p.n_affinity, flags, device);
}

static cudaError_t destroy(struct cu_context *c)
{
	if (!c)
		return cudaErrorInvalidValue;
	if (!context_valid(c))
		return cudaErrorDeviceUninitialized;
	return c->primary ? cudaErrorDeviceUninitialized : context_destroy(c);
}

DRIVER_DEVICE(cuCtxCreate_v2, (struct cu_context * *context, unsigned flags, CUdevice device), create(context, flags, device))
DRIVER_DEVICE(cuCtxCreate_v3,
              (struct cu_context * *context, const struct exec_affinity *params, int n, unsigned flags, CUdevice device),
              create_with_affinity(context, params, n, flags, device))
DRIVER_DEVICE(cuCtxCreate_v4, (struct cu_context * *context, const struct create_params *params, unsigned flags, CUdevice device),
              create_with(context, params, flags, device))
DRIVER_DEVICE(cuCtxDestroy, (struct cu_context * context), destroy(context))
DRIVER_DEVICE(cuCtxDestroy_v2, (struct cu_context * context), destroy(context))

// --- which one is current

static cudaError_t push(struct cu_context *c)
{
	if (!context_valid(c))
		return c ? cudaErrorDeviceUninitialized : cudaErrorInvalidValue;
	context_push(c);
	return cudaSuccess;
}

static cudaError_t pop(struct cu_context **out)
{
	struct cu_context *c = context_current();
	if (!c)
		return cudaErrorDeviceUninitialized;
	if (!GUARD_OUT_OR_NULL(out))
		return cudaErrorInvalidValue;
	if (out)
		*out = c;
	context_pop();
	return cudaSuccess;
}

static cudaError_t set(struct cu_context *c)
{
	if (c && !context_valid(c))
		return cudaErrorDeviceUninitialized;
	context_set(c);
	return cudaSuccess;
}

static cudaError_t get(struct cu_context **out)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	*out = context_current();
	return cudaSuccess;
}

DRIVER_DEVICE(cuCtxPushCurrent, (struct cu_context * context), push(context))
DRIVER_DEVICE(cuCtxPushCurrent_v2, (struct cu_context * context), push(context))
DRIVER_DEVICE(cuCtxPopCurrent, (struct cu_context * *context), pop(context))
DRIVER_DEVICE(cuCtxPopCurrent_v2, (struct cu_context * *context), pop(context))
DRIVER_DEVICE(cuCtxSetCurrent, (struct cu_context * context), set(context))
DRIVER_DEVICE(cuCtxGetCurrent, (struct cu_context * *context), get(context))

// --- what is asked of the one that is current

static cudaError_t give(unsigned *out, unsigned value)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	*out = value;
	return cudaSuccess;
}

static cudaError_t get_device(CUdevice *device, struct cu_context *c)
{
	if (!GUARD_OUT(device))
		return cudaErrorInvalidValue;
	if (c && !context_valid(c))
		return cudaErrorDeviceUninitialized;
	*device = 0;
	return cudaSuccess;
}

static unsigned flags_of(const struct cu_context *c) { return (c->primary ? cu.device_flags : c->flags) | MAP_HOST; }

static cudaError_t set_own_flags(unsigned flags)
{
	if (!good_flags(flags))
		return cudaErrorInvalidValue;
	*(context_current()->primary ? &cu.device_flags : &context_current()->flags) = flags;
	return cudaSuccess;
}

static cudaError_t get_id(struct cu_context *c, unsigned long long *id)
{
	if (!GUARD_OUT(id))
		return cudaErrorInvalidValue;
	if (c && !context_valid(c))
		return cudaErrorContextIsDestroyed;
	*id = (c ? c : context_current())->owner + 1ull;
	return cudaSuccess;
}

static cudaError_t api_version(struct cu_context *c, unsigned *version)
{
	if (!GUARD_OUT(version))
		return cudaErrorInvalidValue;
	return c && !context_valid(c) ? cudaErrorDeviceUninitialized : give(version, API_VERSION);
}

DRIVER(cuCtxGetDevice, (CUdevice * device), get_device(device, NULL))
DRIVER(cuCtxGetDevice_v2, (CUdevice * device, struct cu_context *context), get_device(device, context))
DRIVER(cuCtxGetFlags, (unsigned *flags), give(flags, flags_of(context_current())))
DRIVER(cuCtxSetFlags, (unsigned flags), set_own_flags(flags))
DRIVER(cuCtxGetId, (struct cu_context * context, unsigned long long *id), get_id(context, id))
DRIVER(cuCtxGetApiVersion, (struct cu_context * context, unsigned *version), api_version(context, version))

static cudaError_t synchronize(struct cu_context *c)
{
	return c && !context_valid(c) ? cudaErrorDeviceUninitialized : wait_all();
}

DRIVER(cuCtxSynchronize, (void), wait_all())
DRIVER(cuCtxSynchronize_v2, (struct cu_context * context), synchronize(context))

DRIVER(cuCtxSetLimit, (int limit, size_t value), device_set_limit(limit, value))
DRIVER(cuCtxGetLimit, (size_t * value, int limit), device_get_limit(value, limit))

DRIVER(cuCtxSetCacheConfig, (int config), device_set_cache_config(config))
DRIVER(cuCtxGetCacheConfig, (int *config), give((unsigned *)config, (unsigned)cu.cache_config))
DRIVER(cuCtxSetSharedMemConfig, (int config), device_set_shared_config(config))
DRIVER(cuCtxGetSharedMemConfig, (int *config), give((unsigned *)config, SHARED_BANK_FOUR_BYTES))
DRIVER(cuCtxResetPersistingL2Cache, (void), cudaSuccess)

DRIVER(cuCtxGetStreamPriorityRange, (int *least, int *greatest), stream_priority_range(least, greatest))

static cudaError_t affinity(struct exec_affinity *out, int type)
{
	return !out || type ? cudaErrorInvalidValue : cudaErrorUnsupportedExecAffinity;
}

DRIVER(cuCtxGetExecAffinity, (struct exec_affinity * out, int type), affinity(out, type))

// Counted uses of a context, of before CUDA 4.
static cudaError_t attach(struct cu_context **out, unsigned flags)
{
	if (!GUARD_OUT(out) || flags)
		return cudaErrorInvalidValue;
	*out = context_current();
	return cudaSuccess;
}

DRIVER(cuCtxAttach, (struct cu_context * *context, unsigned flags), attach(context, flags))
DRIVER(cuCtxDetach, (struct cu_context * context), context_valid(context) ? cudaSuccess : cudaErrorDeviceUninitialized)
