// Virtual memory management: what libcuda/memory/virtual.h does, by the driver's names. No context is needed.
#include "libcuda/memory/virtual.h"

#include "libcuda/driver/driver.h"
#include "libcuda/work/stream.h"

#define DRIVER_MEM(name, params, expr) DRIVER_NEEDS(DRIVER_MEMORY, name, params, expr)

DRIVER_MEM(cuMemAddressReserve, (CUdeviceptr * p, size_t size, size_t align, CUdeviceptr wanted, unsigned long long flags),
           virtual_reserve(p, size, align, wanted, flags))
DRIVER_MEM(cuMemAddressFree, (CUdeviceptr p, size_t size), virtual_free(p, size))
DRIVER_MEM(cuMemCreate, (virtual_handle * h, size_t size, const struct allocation_prop *prop, unsigned long long flags),
           virtual_create(h, size, prop, flags))
DRIVER_MEM(cuMemRelease, (virtual_handle h), virtual_release(h))
DRIVER_MEM(cuMemMap, (CUdeviceptr p, size_t size, size_t offset, virtual_handle h, unsigned long long flags),
           virtual_map(p, size, offset, h, flags))
DRIVER_MEM(cuMemUnmap, (CUdeviceptr p, size_t size), virtual_unmap(p, size))
DRIVER_MEM(cuMemSetAccess, (CUdeviceptr p, size_t size, const struct cudaMemAccessDesc *desc, size_t n),
           virtual_set_access(p, size, desc, n))
DRIVER_MEM(cuMemGetAccess, (unsigned long long *flags, const struct cudaMemLocation *location, CUdeviceptr p),
           virtual_get_access(flags, location, p))
DRIVER_MEM(cuMemGetAllocationGranularity, (size_t * granularity, const struct allocation_prop *prop, int option),
           virtual_granularity(granularity, prop, option))
DRIVER_MEM(cuMemGetAllocationPropertiesFromHandle, (struct allocation_prop * prop, virtual_handle h), virtual_properties(prop, h))
DRIVER_MEM(cuMemRetainAllocationHandle, (virtual_handle * h, void *p), virtual_retain(h, p))
DRIVER_MEM(cuMemExportToShareableHandle, (void *out, virtual_handle h, int type, unsigned long long flags),
           virtual_export(out, h, type, flags))
DRIVER_MEM(cuMemImportFromShareableHandle, (virtual_handle * h, void *os_handle, int type), virtual_import(h, os_handle, type))
