// NVIDIA's management library, as far as programs use it to find a GPU: libnvidia-ml.so.1. It makes no GPU and leaves CUDA as it is, so
// that a program may ask before it forks, as with the real one.
#include "base/mem.h"
#include "base/options.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/life/device.h"
#include "libcuda/life/enter.h"

#include <stdlib.h>
#include <string.h>

// nvmlReturn_t.
enum {
	SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7,
	DRIVER_NOT_LOADED = 9, ARGUMENT_VERSION_MISMATCH = 25
};

typedef int nvml_result;

// The only device; a handle is its address.
struct nvml_device {
	struct gpu_desc desc;
	bool refused; // the configuration makes no GPU
};

static struct {
	pthread_mutex_t lock;
	unsigned users; // calls of nvmlInit without nvmlShutdown
	bool described;
	struct nvml_device device;
} nvml = {.lock = PTHREAD_MUTEX_INITIALIZER};

// What is wrong with a configuration is told by CUDA's first call.
static void describe(void)
{
	struct options *o = mem_alloc(sizeof *o);
	struct diag d = {0};
	nvml.device.refused = !options_find_and_load(o, &d) || !gpu_desc_from_options(&nvml.device.desc, o, &d);
	nvml.described = true;
	diag_free(&d);
	options_free(o);
	mem_free(o);
}

static nvml_result init(void)
{
	pthread_mutex_lock(&nvml.lock);
	if (!nvml.described)
		describe();
	nvml.users += !nvml.device.refused;
	nvml_result r = nvml.device.refused ? DRIVER_NOT_LOADED : SUCCESS;
	pthread_mutex_unlock(&nvml.lock);
	return r;
}

static nvml_result end(void)
{
	pthread_mutex_lock(&nvml.lock);
	nvml_result r = nvml.users ? SUCCESS : UNINITIALIZED;
	nvml.users -= nvml.users > 0;
	pthread_mutex_unlock(&nvml.lock);
	return r;
}

static bool ready(void)
{
	pthread_mutex_lock(&nvml.lock);
	bool is = nvml.users;
	pthread_mutex_unlock(&nvml.lock);
	return is;
}

// Defines an exported function whose result is `expr`, if the library is ready.
#define NVML_ANY(name, params, expr)     \
	CUDA_EXPORT nvml_result name params; \
	nvml_result name params { return expr; }
#define NVML(name, params, expr) NVML_ANY(name, params, !ready() ? UNINITIALIZED : (expr))
// The same of a function whose parameters include `device`.
#define NVML_DEVICE(name, params, expr) NVML(name, params, device != &nvml.device ? INVALID_ARGUMENT : (expr))

NVML_ANY(nvmlInit, (void), init())
NVML_ANY(nvmlInit_v2, (void), init())
NVML_ANY(nvmlInitWithFlags, (unsigned flags), init())
NVML_ANY(nvmlShutdown, (void), end())

CUDA_EXPORT const char *nvmlErrorString(nvml_result r);
const char *nvmlErrorString(nvml_result r)
{
	switch (r) {
	case SUCCESS: return "Success";
	case UNINITIALIZED: return "Uninitialized";
	case INVALID_ARGUMENT: return "Invalid Argument";
	case NOT_SUPPORTED: return "Not Supported";
	case NOT_FOUND: return "Not Found";
	case INSUFFICIENT_SIZE: return "Insufficient Size";
	case DRIVER_NOT_LOADED: return "Driver Not Loaded";
	case ARGUMENT_VERSION_MISMATCH: return "Argument version mismatch";
	default: return "Unknown Error";
	}
}

static nvml_result give(unsigned *out, unsigned value)
{
	if (!GUARD_OUT(out))
		return INVALID_ARGUMENT;
	*out = value;
	return SUCCESS;
}

static nvml_result give_text(char *out, unsigned room, const char *text)
{
	if (!out)
		return INVALID_ARGUMENT;
	if (strlen(text) >= room)
		return INSUFFICIENT_SIZE;
	return guard_write(out, text, strlen(text) + 1) ? SUCCESS : INVALID_ARGUMENT;
}

NVML(nvmlSystemGetDriverVersion, (char *out, unsigned room), give_text(out, room, DRIVER_VERSION_REPORTED))
NVML(nvmlSystemGetNVMLVersion, (char *out, unsigned room), give_text(out, room, "13." DRIVER_VERSION_REPORTED))
NVML(nvmlSystemGetCudaDriverVersion, (int *version), give((unsigned *)version, CUDA_VERSION_REPORTED))
NVML(nvmlSystemGetCudaDriverVersion_v2, (int *version), give((unsigned *)version, CUDA_VERSION_REPORTED))

// --- the device

static nvml_result by_index(unsigned index, struct nvml_device **out)
{
	if (!GUARD_OUT(out) || index)
		return INVALID_ARGUMENT;
	*out = &nvml.device;
	return SUCCESS;
}

// "GPU-" and the 16 bytes of cudaDeviceProp.uuid.
static void write_uuid(char out[64])
{
	unsigned char id[16] = {0};
	memcpy(id, DEVICE_UUID, strlen(DEVICE_UUID));
	char *p = out + sprintf(out, "GPU-");
	for (int i = 0; i < 16; i++)
		p += sprintf(p, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
}

static nvml_result by_uuid(const char *uuid, struct nvml_device **out)
{
	char own[64], given[sizeof own];
	write_uuid(own);
	if (!uuid || !GUARD_OUT(out))
		return INVALID_ARGUMENT;
	return !guard_read_text(given, sizeof given, uuid) || strcmp(given, own) ? NOT_FOUND : by_index(0, out);
}

static nvml_result by_bus_id(const char *id, struct nvml_device **out)
{
	int ordinal;
	if (!id || !GUARD_OUT(out))
		return INVALID_ARGUMENT;
	return device_by_bus_id(&ordinal, id) ? NOT_FOUND : by_index(0, out);
}

NVML(nvmlDeviceGetCount, (unsigned *count), give(count, 1))
NVML(nvmlDeviceGetCount_v2, (unsigned *count), give(count, 1))
NVML(nvmlDeviceGetHandleByIndex, (unsigned index, struct nvml_device **out), by_index(index, out))
NVML(nvmlDeviceGetHandleByIndex_v2, (unsigned index, struct nvml_device **out), by_index(index, out))
NVML(nvmlDeviceGetHandleByUUID, (const char *uuid, struct nvml_device **out), by_uuid(uuid, out))
NVML(nvmlDeviceGetHandleByPciBusId, (const char *id, struct nvml_device **out), by_bus_id(id, out))
NVML(nvmlDeviceGetHandleByPciBusId_v2, (const char *id, struct nvml_device **out), by_bus_id(id, out))

static nvml_result uuid_of(char *out, unsigned room)
{
	char own[64];
	write_uuid(own);
	return give_text(out, room, own);
}

NVML_DEVICE(nvmlDeviceGetName, (struct nvml_device * device, char *out, unsigned room), give_text(out, room, device->desc.name))
NVML_DEVICE(nvmlDeviceGetIndex, (struct nvml_device * device, unsigned *index), give(index, 0))
NVML_DEVICE(nvmlDeviceGetMinorNumber, (struct nvml_device * device, unsigned *number), give(number, 0))
NVML_DEVICE(nvmlDeviceGetUUID, (struct nvml_device * device, char *out, unsigned room), uuid_of(out, room))

// nvmlPciInfo_t; releases before the third have what is up to pci_subsystem, then 16 reserved bytes.
struct pci_info {
	char bus_id_legacy[16];
	unsigned domain, bus, device, pci_device, pci_subsystem;
	char bus_id[32];
};

static nvml_result pci(struct pci_info *out, bool whole)
{
	if (!out)
		return INVALID_ARGUMENT;
	struct pci_info p = {.bus = DEVICE_PCI_BUS};
	snprintf(p.bus_id_legacy, sizeof p.bus_id_legacy, "0000:%02X:00.0", DEVICE_PCI_BUS);
	snprintf(p.bus_id, sizeof p.bus_id, "00000000:%02X:00.0", DEVICE_PCI_BUS);
	return guard_write(out, &p, whole ? sizeof p : offsetof(struct pci_info, bus_id)) ? SUCCESS : INVALID_ARGUMENT;
}

NVML_DEVICE(nvmlDeviceGetPciInfo, (struct nvml_device * device, struct pci_info *out), pci(out, false))
NVML_DEVICE(nvmlDeviceGetPciInfo_v2, (struct nvml_device * device, struct pci_info *out), pci(out, false))
NVML_DEVICE(nvmlDeviceGetPciInfo_v3, (struct nvml_device * device, struct pci_info *out), pci(out, true))

struct memory {
	unsigned long long total, free, used; // bytes
};
struct memory_v2 {
	unsigned version;
	unsigned long long total, reserved, free, used;
};
#define MEMORY_V2 ((unsigned)sizeof(struct memory_v2) | 2u << 24)

// What this process has allocated.
static uint64_t used(void)
{
	pthread_mutex_lock(&cu.lock);
	uint64_t n = cu.mem && !atomic_load(&cu.forked) ? cu.mem->in_use : 0;
	pthread_mutex_unlock(&cu.lock);
	return n;
}

static nvml_result memory(const struct nvml_device *d, struct memory *out)
{
	if (!GUARD_OUT(out))
		return INVALID_ARGUMENT;
	uint64_t n = used(), all = d->desc.memory_size;
	*out = (struct memory){all, n < all ? all - n : 0, n};
	return SUCCESS;
}

static nvml_result memory_v2(const struct nvml_device *d, struct memory_v2 *out)
{
	struct memory m;
	if (!GUARD_OUT(out))
		return INVALID_ARGUMENT;
	if (out->version != MEMORY_V2)
		return ARGUMENT_VERSION_MISMATCH;
	memory(d, &m);
	*out = (struct memory_v2){MEMORY_V2, m.total, 0, m.free, m.used};
	return SUCCESS;
}

NVML_DEVICE(nvmlDeviceGetMemoryInfo, (struct nvml_device * device, struct memory *out), memory(device, out))
NVML_DEVICE(nvmlDeviceGetMemoryInfo_v2, (struct nvml_device * device, struct memory_v2 *out), memory_v2(device, out))

static nvml_result capability(const struct nvml_device *d, int *major, int *minor)
{
	if (!GUARD_OUT(major) || !GUARD_OUT(minor))
		return INVALID_ARGUMENT;
	*major = d->desc.major;
	*minor = d->desc.minor;
	return SUCCESS;
}

NVML_DEVICE(nvmlDeviceGetCudaComputeCapability, (struct nvml_device * device, int *major, int *minor), capability(device, major, minor))

static nvml_result max_clock(const struct nvml_device *d, int which, unsigned *mhz)
{
	enum { GRAPHICS, SM, MEMORY, VIDEO };
	if (which < GRAPHICS || which > VIDEO)
		return INVALID_ARGUMENT;
	return which == VIDEO ? NOT_SUPPORTED : give(mhz, (which == MEMORY ? d->desc.memory_clock_khz : d->desc.clock_khz) / 1000);
}

NVML_DEVICE(nvmlDeviceGetMaxClockInfo, (struct nvml_device * device, int which, unsigned *mhz), max_clock(device, which, mhz))
NVML_DEVICE(nvmlDeviceGetMemoryBusWidth, (struct nvml_device * device, unsigned *bits), give(bits, device->desc.memory_bus_bits))
NVML_DEVICE(nvmlDeviceGetComputeMode, (struct nvml_device * device, unsigned *mode), give(mode, 0))
NVML_DEVICE(nvmlDeviceGetPersistenceMode, (struct nvml_device * device, unsigned *mode), give(mode, 0))

// nvmlGpuP2PStatus_t of two devices, of which there is but one.
NVML_DEVICE(nvmlDeviceGetP2PStatus, (struct nvml_device * device, struct nvml_device *other, int capability, unsigned *status),
            other != device ? INVALID_ARGUMENT : give(status, 0))

// There are no partitions, no sensors, no links to other devices, and no other processes.
NVML_DEVICE(nvmlDeviceGetNvLinkState, (struct nvml_device * device, unsigned link, unsigned *on), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetNvLinkVersion, (struct nvml_device * device, unsigned link, unsigned *version), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetNvLinkCapability, (struct nvml_device * device, unsigned link, int which, unsigned *has), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetNvLinkRemotePciInfo, (struct nvml_device * device, unsigned link, void *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetNvLinkRemotePciInfo_v2, (struct nvml_device * device, unsigned link, void *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetNvLinkRemoteDeviceType, (struct nvml_device * device, unsigned link, unsigned *type), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetFieldValues, (struct nvml_device * device, int count, void *values), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetGpuFabricInfo, (struct nvml_device * device, void *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetGpuFabricInfoV, (struct nvml_device * device, void *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetPlatformInfo, (struct nvml_device * device, void *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetCurrPcieLinkWidth, (struct nvml_device * device, unsigned *width), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetCurrPcieLinkGeneration, (struct nvml_device * device, unsigned *generation), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetPcieLinkMaxSpeed, (struct nvml_device * device, unsigned *speed), NOT_SUPPORTED)
NVML(nvmlSystemGetConfComputeState, (void *out), NOT_SUPPORTED)
NVML(nvmlSystemGetConfComputeSettings, (void *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetMigMode, (struct nvml_device * device, unsigned *current, unsigned *pending), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetUtilizationRates, (struct nvml_device * device, void *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetTemperature, (struct nvml_device * device, int sensor, unsigned *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetPowerUsage, (struct nvml_device * device, unsigned *out), NOT_SUPPORTED)
NVML_DEVICE(nvmlDeviceGetComputeRunningProcesses, (struct nvml_device * device, unsigned *count, void *infos), give(count, 0))
NVML_DEVICE(nvmlDeviceGetComputeRunningProcesses_v2, (struct nvml_device * device, unsigned *count, void *infos), give(count, 0))
NVML_DEVICE(nvmlDeviceGetComputeRunningProcesses_v3, (struct nvml_device * device, unsigned *count, void *infos), give(count, 0))
