// Texture and surface objects: the driver's descriptions as those of libcuda/texture/texture_object.h, and back.
#include "libcuda/texture/texture_object.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/driver/format.h"
#include "libcuda/memory/array.h"

#include <string.h>

struct resource_desc { // own text; the layout is CUDA_RESOURCE_DESC's
	int type;          // as cudaResourceType
	union {
		cudaArray_t array;
		cudaMipmappedArray_t mipmap;
		struct {
			CUdeviceptr p;
			int format;
			unsigned channels;
			size_t size;
		} linear;
		struct {
			CUdeviceptr p;
			int format;
			unsigned channels;
			size_t width, height, pitch;
		} pitch2d;
		int reserved[32];
	} u;
	unsigned flags;
};

struct texture_desc { // CUDA_TEXTURE_DESC's
	int address[3], filter;
	unsigned flags, anisotropy;
	int level_filter;
	float bias, min, max, border[4];
	int reserved[12];
};

enum { READ_AS_INTEGER = 1, NORMALIZED = 2, SRGB = 0x10, NO_TRILINEAR = 0x20, SEAMLESS = 0x40, FLAGS_ALLOWED = 0x73 };

_Static_assert(sizeof(struct resource_desc) == 144 && sizeof(struct texture_desc) == 104, "13.0");

static cudaError_t read_resource(struct cudaResourceDesc *out, const struct resource_desc *given)
{
	struct resource_desc d;
	if (!given || !guard_read(&d, given, sizeof d))
		return cudaErrorInvalidValue;
	*out = (struct cudaResourceDesc){.resType = d.type, .flags = d.flags};
	switch (d.type) {
	case RESOURCE_ARRAY: out->res.array = d.u.array; return cudaSuccess;
	case RESOURCE_MIPMAPPED_ARRAY: out->res.mipmap = d.u.mipmap; return cudaSuccess;
	case RESOURCE_LINEAR:
		out->res.linear.devPtr = (void *)(uintptr_t)d.u.linear.p;
		out->res.linear.sizeInBytes = d.u.linear.size;
		return format_channels(&out->res.linear.desc, d.u.linear.format, d.u.linear.channels);
	case RESOURCE_PITCH2D:
		out->res.pitch2D.devPtr = (void *)(uintptr_t)d.u.pitch2d.p;
		out->res.pitch2D.width = d.u.pitch2d.width;
		out->res.pitch2D.height = d.u.pitch2d.height;
		out->res.pitch2D.pitchInBytes = d.u.pitch2d.pitch;
		return format_channels(&out->res.pitch2D.desc, d.u.pitch2d.format, d.u.pitch2d.channels);
	default: return cudaErrorInvalidValue;
	}
}

static struct resource_desc write_resource(const struct cudaResourceDesc *r)
{
	struct resource_desc d = {.type = r->resType, .flags = r->flags};
	switch (r->resType) {
	case RESOURCE_ARRAY: d.u.array = r->res.array; break;
	case RESOURCE_MIPMAPPED_ARRAY: d.u.mipmap = r->res.mipmap; break;
	case RESOURCE_LINEAR:
		d.u.linear.p = (CUdeviceptr)(uintptr_t)r->res.linear.devPtr;
		d.u.linear.size = r->res.linear.sizeInBytes;
		format_of_channels(&d.u.linear.format, &d.u.linear.channels, &r->res.linear.desc);
		break;
	default:
		d.u.pitch2d.p = (CUdeviceptr)(uintptr_t)r->res.pitch2D.devPtr;
		d.u.pitch2d.width = r->res.pitch2D.width;
		d.u.pitch2d.height = r->res.pitch2D.height;
		d.u.pitch2d.pitch = r->res.pitch2D.pitchInBytes;
		format_of_channels(&d.u.pitch2d.format, &d.u.pitch2d.channels, &r->res.pitch2D.desc);
		break;
	}
	return d;
}

// Integers of 32 bits stay integers whatever the flags say. Those of an array are known when the object is made.
static int read_mode(const struct cudaResourceDesc *r, unsigned flags)
{
	int bits = 0;
	if (r->resType == RESOURCE_ARRAY && array_find(r->res.array))
		bits = array_find(r->res.array)->desc.x;
	else if (r->resType == RESOURCE_MIPMAPPED_ARRAY && mipmap_find(r->res.mipmap))
		bits = mipmap_find(r->res.mipmap)->desc.x;
	else if (r->resType == RESOURCE_LINEAR)
		bits = r->res.linear.desc.x;
	else if (r->resType == RESOURCE_PITCH2D)
		bits = r->res.pitch2D.desc.x;
	return !(flags & READ_AS_INTEGER) && bits < 32;
}

static cudaError_t read_sampling(struct cudaTextureDesc *out, const struct texture_desc *given, const struct cudaResourceDesc *r)
{
	struct texture_desc d;
	if (!given || !guard_read(&d, given, sizeof d) || d.flags & ~(unsigned)FLAGS_ALLOWED)
		return cudaErrorInvalidValue;
	*out = (struct cudaTextureDesc){
	        .addressMode = {d.address[0], d.address[1], d.address[2]},
	        .filterMode = d.filter,
	        .readMode = read_mode(r, d.flags),
	        .sRGB = (d.flags & SRGB) != 0,
	        .normalizedCoords = (d.flags & NORMALIZED) != 0,
	        .maxAnisotropy = d.anisotropy,
	        .mipmapFilterMode = d.level_filter,
	        .mipmapLevelBias = d.bias,
	        .minMipmapLevelClamp = d.min,
	        .maxMipmapLevelClamp = d.max,
	        .disableTrilinearOptimization = (d.flags & NO_TRILINEAR) != 0,
	        .seamlessCubemap = (d.flags & SEAMLESS) != 0,
	};
	memcpy(out->borderColor, d.border, sizeof d.border);
	return cudaSuccess;
}

static struct texture_desc write_sampling(const struct cudaTextureDesc *s)
{
	struct texture_desc d = {
	        .address = {s->addressMode[0], s->addressMode[1], s->addressMode[2]},
	        .filter = s->filterMode,
	        .flags = (s->readMode ? 0u : READ_AS_INTEGER) | (s->normalizedCoords ? NORMALIZED : 0u) | (s->sRGB ? SRGB : 0u) |
	                 (s->disableTrilinearOptimization ? NO_TRILINEAR : 0u) | (s->seamlessCubemap ? SEAMLESS : 0u),
	        .anisotropy = s->maxAnisotropy,
	        .level_filter = s->mipmapFilterMode,
	        .bias = s->mipmapLevelBias,
	        .min = s->minMipmapLevelClamp,
	        .max = s->maxMipmapLevelClamp,
	};
	memcpy(d.border, s->borderColor, sizeof d.border);
	return d;
}

static cudaError_t create(uint64_t *out, const struct resource_desc *resource, const struct texture_desc *sampling,
                          const struct cudaResourceViewDesc *view)
{
	struct cudaResourceDesc r;
	struct cudaTextureDesc s;
	struct cudaResourceViewDesc v;
	cudaError_t e = read_resource(&r, resource);
	e = e ? e : read_sampling(&s, sampling, &r);
	if (!e && view && !guard_read(&v, view, sizeof v))
		e = cudaErrorInvalidValue;
	return e ? e : texture_object_create(out, &r, sizeof r, &s, sizeof s, view ? &v : NULL, sizeof v);
}

static cudaError_t create_surface(uint64_t *out, const struct resource_desc *resource)
{
	struct cudaResourceDesc r;
	cudaError_t e = read_resource(&r, resource);
	return e ? e : surface_object_create(out, &r, sizeof r);
}

static cudaError_t get_resource(struct resource_desc *out, uint64_t handle, bool surface)
{
	struct cudaResourceDesc r;
	cudaError_t e = out ? texture_object_resource(&r, sizeof r, handle, surface) : cudaErrorInvalidValue;
	if (e)
		return e;
	struct resource_desc d = write_resource(&r);
	return guard_write(out, &d, sizeof d) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t get_sampling(struct texture_desc *out, uint64_t handle)
{
	struct cudaTextureDesc s;
	cudaError_t e = out ? texture_object_sampling(&s, sizeof s, handle) : cudaErrorInvalidValue;
	if (e)
		return e;
	struct texture_desc d = write_sampling(&s);
	return guard_write(out, &d, sizeof d) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER(cuTexObjectCreate,
       (uint64_t * object, const struct resource_desc *resource, const struct texture_desc *sampling, const struct cudaResourceViewDesc *view),
       create(object, resource, sampling, view))
DRIVER(cuTexObjectDestroy, (uint64_t object), texture_object_destroy(object, false))
DRIVER(cuTexObjectGetResourceDesc, (struct resource_desc * out, uint64_t object), get_resource(out, object, false))
DRIVER(cuTexObjectGetTextureDesc, (struct texture_desc * out, uint64_t object), get_sampling(out, object))
DRIVER(cuTexObjectGetResourceViewDesc, (struct cudaResourceViewDesc * out, uint64_t object),
       texture_object_view(out, sizeof *out, object))
DRIVER(cuSurfObjectCreate, (uint64_t * object, const struct resource_desc *resource), create_surface(object, resource))
DRIVER(cuSurfObjectDestroy, (uint64_t object), texture_object_destroy(object, true))
DRIVER(cuSurfObjectGetResourceDesc, (struct resource_desc * out, uint64_t object), get_resource(out, object, true))
