// Texture and surface references of modules: what libcuda/code/texref_calls.h does, by the driver's names.
#include "libcuda/code/texref_calls.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"
#include "libcuda/driver/format.h"
#include "libcuda/memory/array.h"

enum { LONGEST_NAME = 1024, OVERRIDE_FORMAT = 1, LAST_ADDRESS_MODE = 3, MOST_ANISOTROPY = 16 };

static cudaError_t find(struct texref **out, struct module *m, const char *name, bool surface)
{
	char copy[LONGEST_NAME];
	cudaError_t e;
	if (!GUARD_OUT(out) || !name)
		return cudaErrorInvalidValue;
	if (!module_is_own(m) && !module_is_registered(m))
		return m ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	if (!guard_read_text(copy, sizeof copy, name))
		return guard_mapped(name, sizeof copy) ? cudaErrorSymbolNotFound : cudaErrorInvalidValue;
	struct texref *t = module_texref(m, copy, surface, &e);
	if (!t)
		return e;
	*out = t;
	return cudaSuccess;
}

DRIVER(cuModuleGetTexRef, (struct texref * *ref, struct module *module, const char *name), find(ref, module, name, false))
DRIVER(cuModuleGetSurfRef, (struct texref * *ref, struct module *module, const char *name), find(ref, module, name, true))

static cudaError_t create(struct texref **out)
{
	if (!GUARD_OUT(out))
		return cudaErrorInvalidValue;
	*out = texref_new();
	return cudaSuccess;
}

// Those of modules go with them.
static cudaError_t destroy(struct texref *t)
{
	if (!texref_is_loose(t))
		return cudaErrorInvalidValue;
	texref_free(t);
	return cudaSuccess;
}

DRIVER(cuTexRefCreate, (struct texref * *ref), create(ref))
DRIVER(cuTexRefDestroy, (struct texref * ref), destroy(ref))

// A kernel reads the references of its module without being told.
static cudaError_t set_for_kernel(const void *f, int unit, const struct texref *t)
{
	enum { DEFAULT_UNIT = -1 };
	cudaError_t e;
	if (!kernel_find(f, &e))
		return e;
	return unit == DEFAULT_UNIT && texref_known(t, false) && !texref_is_loose(t) ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER(cuParamSetTexRef, (const void *f, int unit, struct texref *ref), set_for_kernel(f, unit, ref))

// --- what a reference is bound to

#define ON(ref, expr) (texref_known(ref, false) ? (expr) : cudaErrorInvalidValue)
#define SURFACE(ref, expr) (texref_known(ref, true) ? (expr) : cudaErrorInvalidValue)

struct plane_desc { // CUDA_ARRAY_DESCRIPTOR
	size_t width, height;
	int format;
	unsigned channels;
};

static cudaError_t set_plane(struct texref *t, const struct plane_desc *given, CUdeviceptr p, size_t pitch)
{
	struct plane_desc d;
	struct cudaChannelFormatDesc c;
	if (!given || !guard_read(&d, given, sizeof d))
		return cudaErrorInvalidValue;
	cudaError_t e = format_channels(&c, d.format, d.channels);
	return e ? e : texref_on_plane(t, &c, d.width, d.height, p, pitch);
}

DRIVER(cuTexRefSetArray, (struct texref * ref, cudaArray_t array, unsigned flags),
       flags != OVERRIDE_FORMAT ? cudaErrorInvalidValue : ON(ref, texref_on_array(ref, array)))
DRIVER(cuTexRefSetMipmappedArray, (struct texref * ref, cudaMipmappedArray_t mipmap, unsigned flags),
       flags != OVERRIDE_FORMAT ? cudaErrorInvalidValue : ON(ref, texref_on_mipmap(ref, mipmap)))
DRIVER(cuTexRefSetAddress_v2, (size_t * offset, struct texref *ref, CUdeviceptr p, size_t size),
       ON(ref, texref_on_line(ref, offset, p, size)))
DRIVER(cuTexRefSetAddress2D_v2, (struct texref * ref, const struct plane_desc *desc, CUdeviceptr p, size_t pitch),
       ON(ref, set_plane(ref, desc, p, pitch)))
DRIVER(cuTexRefSetAddress2D_v3, (struct texref * ref, const struct plane_desc *desc, CUdeviceptr p, size_t pitch),
       ON(ref, set_plane(ref, desc, p, pitch)))
DRIVER(cuSurfRefSetArray, (struct texref * ref, cudaArray_t array, unsigned flags),
       flags ? cudaErrorInvalidValue : SURFACE(ref, surfref_on_array(ref, array)))

// --- settings, each by itself

#define SETTING(name, type, good, field)                                   \
	static cudaError_t name(struct texref *t, type v)                  \
	{                                                                  \
		struct texref_choice c = t->choice;                        \
		c.field = v;                                               \
		return good ? texref_choose(t, &c) : cudaErrorInvalidValue; \
	}
SETTING(set_filter, int, (v == 0 || v == 1), filter)
SETTING(set_level_filter, int, (v == 0 || v == 1), level_filter)
SETTING(set_bias, float, true, bias)
SETTING(set_anisotropy, unsigned, v <= MOST_ANISOTROPY, anisotropy)
SETTING(set_flags, unsigned, !(v & ~(unsigned)TEXREF_FLAGS), flags)

static cudaError_t set_address(struct texref *t, int dim, int mode)
{
	struct texref_choice c = t->choice;
	if (dim < 0 || dim > 2 || mode < 0 || mode > LAST_ADDRESS_MODE)
		return cudaErrorInvalidValue;
	c.address[dim] = mode;
	return texref_choose(t, &c);
}

static cudaError_t set_format(struct texref *t, int format, int channels)
{
	struct texref_choice c = t->choice;
	cudaError_t e = format_channels(&c.format, format, (unsigned)channels);
	if (!e && texref_choose(t, &c))
		t->choice.format = c.format; // it does not suit what is bound, but may suit what will be
	return e;
}

static cudaError_t set_clamp(struct texref *t, float min, float max)
{
	struct texref_choice c = t->choice;
	c.min = min;
	c.max = max;
	return texref_choose(t, &c);
}

static cudaError_t set_border(struct texref *t, const float *colour)
{
	struct texref_choice c = t->choice;
	return colour && guard_read(c.border, colour, sizeof c.border) ? texref_choose(t, &c) : cudaErrorInvalidValue;
}

DRIVER(cuTexRefSetFormat, (struct texref * ref, int format, int channels), ON(ref, set_format(ref, format, channels)))
DRIVER(cuTexRefSetAddressMode, (struct texref * ref, int dim, int mode),
       ON(ref, set_address(ref, dim, mode)))
DRIVER(cuTexRefSetFilterMode, (struct texref * ref, int mode), ON(ref, set_filter(ref, mode)))
DRIVER(cuTexRefSetMipmapFilterMode, (struct texref * ref, int mode), ON(ref, set_level_filter(ref, mode)))
DRIVER(cuTexRefSetMipmapLevelBias, (struct texref * ref, float bias), ON(ref, set_bias(ref, bias)))
DRIVER(cuTexRefSetMipmapLevelClamp, (struct texref * ref, float min, float max), ON(ref, set_clamp(ref, min, max)))
DRIVER(cuTexRefSetMaxAnisotropy, (struct texref * ref, unsigned most), ON(ref, set_anisotropy(ref, most)))
DRIVER(cuTexRefSetBorderColor, (struct texref * ref, const float *colour), ON(ref, set_border(ref, colour)))
DRIVER(cuTexRefSetFlags, (struct texref * ref, unsigned flags), ON(ref, set_flags(ref, flags)))

// --- asked about

static cudaError_t give(void *out, const void *value, size_t size)
{
	return out && guard_write(out, value, size) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t get_address(CUdeviceptr *out, const struct texref *t)
{
	bool memory = t->bound.kind == TEX_LINEAR || t->bound.kind == TEX_PITCH2D;
	return memory ? give(out, &t->choice.p, sizeof *out) : cudaErrorInvalidValue;
}

static cudaError_t get_array(cudaArray_t *out, const struct texref *t)
{
	return t->array && !t->choice.mipmap ? give(out, &t->array, sizeof *out) : cudaErrorInvalidValue;
}

static cudaError_t get_mipmap(cudaMipmappedArray_t *out, const struct texref *t)
{
	return t->array && t->choice.mipmap ? give(out, &t->choice.mipmap, sizeof *out) : cudaErrorInvalidValue;
}

static cudaError_t get_format(int *format, int *channels, const struct texref *t)
{
	unsigned n;
	int f;
	format_of_channels(&f, &n, t->array ? &t->array->desc : &t->choice.format);
	cudaError_t e = give(format, &f, sizeof f);
	return e || !channels ? e : give(channels, &n, sizeof n);
}

static cudaError_t get_clamp(float *min, float *max, const struct texref *t)
{
	cudaError_t e = give(min, &t->choice.min, sizeof *min);
	return e ? e : give(max, &t->choice.max, sizeof *max);
}

#define GET(field) ON(ref, give(out, &ref->choice.field, sizeof ref->choice.field))

DRIVER(cuTexRefGetAddress_v2, (CUdeviceptr * out, struct texref *ref), ON(ref, get_address(out, ref)))
DRIVER(cuTexRefGetArray, (cudaArray_t * out, struct texref *ref), ON(ref, get_array(out, ref)))
DRIVER(cuTexRefGetMipmappedArray, (cudaMipmappedArray_t * out, struct texref *ref), ON(ref, get_mipmap(out, ref)))
DRIVER(cuTexRefGetFormat, (int *format, int *channels, struct texref *ref), ON(ref, get_format(format, channels, ref)))
DRIVER(cuTexRefGetAddressMode, (int *out, struct texref *ref, int dim), dim < 0 || dim > 2 ? cudaErrorInvalidValue : GET(address[dim]))
DRIVER(cuTexRefGetFilterMode, (int *out, struct texref *ref), GET(filter))
DRIVER(cuTexRefGetMipmapFilterMode, (int *out, struct texref *ref), GET(level_filter))
DRIVER(cuTexRefGetMipmapLevelBias, (float *out, struct texref *ref), GET(bias))
DRIVER(cuTexRefGetMipmapLevelClamp, (float *min, float *max, struct texref *ref), ON(ref, get_clamp(min, max, ref)))
DRIVER(cuTexRefGetMaxAnisotropy, (unsigned *out, struct texref *ref), GET(anisotropy))
DRIVER(cuTexRefGetBorderColor, (float *out, struct texref *ref), GET(border))
DRIVER(cuTexRefGetFlags, (unsigned *out, struct texref *ref), GET(flags))
DRIVER(cuSurfRefGetArray, (cudaArray_t * out, struct texref *ref), SURFACE(ref, get_array(out, ref)))
