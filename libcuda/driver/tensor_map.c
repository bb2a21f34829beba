// Tensor maps: cuTensorMapEncodeTiled, -Im2col, -Im2colWide, cuTensorMapReplaceAddress. The rules are those of tensor_map_wrong.
#include "cuda-sim/tensor/map.h"
#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"

#include <string.h>

// CUtensorMapDataType differs from the order of tensormap.replace in these.
enum { DATA_F64 = 8, DATA_BF16 = 9, DATA_F32_FTZ = 10 };
enum { MAX_INTERLEAVE = 2, MAX_SWIZZLE = 6, MAX_PROMOTION = 3, MAX_FILL = 1 };

static unsigned arch(void) { return (unsigned)(cu.desc.major * 10 + cu.desc.minor); }

// What all three have: the tensor.
struct tensor {
	int type;
	uint32_t rank;
	void *address;
	const uint64_t *size, *stride;
	const uint32_t *step;
	int interleave, swizzle, promotion, fill;
};

static bool take_tensor(const struct tensor *t, struct tensor_map *m)
{
	static const uint8_t type[] = {[DATA_F64] = TENSOR_MAP_F64, [DATA_BF16] = TENSOR_MAP_BF16, [DATA_F32_FTZ] = TENSOR_MAP_F32_FTZ};
	if (t->type < 0 || t->type >= TENSOR_MAP_TYPES || !t->rank || t->rank > TENSOR_MAP_RANK)
		return false;
	if (t->interleave < 0 || t->interleave > MAX_INTERLEAVE || t->swizzle < 0 || t->swizzle > MAX_SWIZZLE || t->promotion < 0 ||
	    t->promotion > MAX_PROMOTION || t->fill < 0 || t->fill > MAX_FILL)
		return false;
	m->type = (uint8_t)(t->type >= DATA_F64 && t->type <= DATA_F32_FTZ ? type[t->type] : t->type);
	m->rank = (uint8_t)t->rank;
	m->interleave = (uint8_t)t->interleave;
	m->swizzle = (uint8_t)(t->swizzle > TENSOR_MAP_128B ? TENSOR_MAP_128B : t->swizzle);
	m->atom = (uint8_t)(t->swizzle > TENSOR_MAP_128B ? t->swizzle - TENSOR_MAP_128B : 0);
	m->promotion = (uint8_t)t->promotion;
	m->nan = t->fill;
	m->address = (uint64_t)(uintptr_t)t->address;
	return t->size && t->step && guard_read(m->size, t->size, t->rank * sizeof *m->size) && guard_read(m->step, t->step, t->rank * sizeof *m->step) &&
	       (t->rank == 1 || (t->stride && guard_read(m->stride, t->stride, (t->rank - 1) * sizeof *m->stride)));
}

// Without an interleaved layout the first element stride counts for nothing.
static cudaError_t give(void *out, struct tensor_map *m)
{
	uint8_t bytes[TENSOR_MAP_BYTES];
	if (!m->interleave)
		m->step[0] = 1;
	if (!out || (uintptr_t)out % TENSOR_MAP_ALIGN || !guard_writable(out, sizeof bytes) || tensor_map_wrong(m, arch()))
		return cudaErrorInvalidValue;
	tensor_map_encode(m, bytes);
	return guard_write(out, bytes, sizeof bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

static bool supported(unsigned from) { return arch() >= from; }

static cudaError_t tiled(void *out, const struct tensor *t, const uint32_t *box)
{
	struct tensor_map m = {.mode = TENSOR_MAP_TILE};
	if (!supported(90))
		return cudaErrorNotSupported;
	if (!take_tensor(t, &m) || !box || !guard_read(m.box, box, t->rank * sizeof *box))
		return cudaErrorInvalidValue;
	return give(out, &m);
}

static cudaError_t im2col(void *out, const struct tensor *t, const int *lower, const int *upper, uint32_t channels, uint32_t pixels)
{
	struct tensor_map m = {.mode = TENSOR_MAP_IM2COL, .channels = channels, .pixels = pixels};
	if (!supported(90))
		return cudaErrorNotSupported;
	if (!take_tensor(t, &m) || t->rank < 3 || !lower || !upper || !guard_read(m.lower, lower, (t->rank - 2) * sizeof *lower) ||
	    !guard_read(m.upper, upper, (t->rank - 2) * sizeof *upper))
		return cudaErrorInvalidValue;
	return give(out, &m);
}

static cudaError_t im2col_wide(void *out, const struct tensor *t, int lower, int upper, uint32_t channels, uint32_t pixels, int mode)
{
	struct tensor_map m = {.mode = mode ? TENSOR_MAP_IM2COL_W128 : TENSOR_MAP_IM2COL_W, .channels = channels, .pixels = mode ? 128 : pixels};
	if (!supported(100))
		return cudaErrorNotSupported;
	if (mode < 0 || mode > 1 || !take_tensor(t, &m))
		return cudaErrorInvalidValue;
	m.lower[0] = lower;
	m.upper[0] = upper;
	return give(out, &m);
}

static cudaError_t replace_address(void *map, void *address)
{
	uint8_t bytes[TENSOR_MAP_BYTES];
	struct tensor_map m;
	if (!supported(90))
		return cudaErrorNotSupported;
	if (!map || (uintptr_t)map % TENSOR_MAP_ALIGN || !guard_read(bytes, map, sizeof bytes))
		return cudaErrorInvalidValue;
	tensor_map_decode(bytes, &m);
	m.address = (uint64_t)(uintptr_t)address;
	return give(map, &m);
}

#define TENSOR (&(struct tensor){type, rank, address, size, stride, step, interleave, swizzle, promotion, fill})

DRIVER(cuTensorMapEncodeTiled,
       (void *map, int type, uint32_t rank, void *address, const uint64_t *size, const uint64_t *stride, const uint32_t *box,
        const uint32_t *step, int interleave, int swizzle, int promotion, int fill),
       tiled(map, TENSOR, box))

DRIVER(cuTensorMapEncodeIm2col,
       (void *map, int type, uint32_t rank, void *address, const uint64_t *size, const uint64_t *stride, const int *lower, const int *upper,
        uint32_t channels, uint32_t pixels, const uint32_t *step, int interleave, int swizzle, int promotion, int fill),
       im2col(map, TENSOR, lower, upper, channels, pixels))

DRIVER(cuTensorMapEncodeIm2colWide,
       (void *map, int type, uint32_t rank, void *address, const uint64_t *size, const uint64_t *stride, int lower, int upper,
        uint32_t channels, uint32_t pixels, const uint32_t *step, int interleave, int mode, int swizzle, int promotion, int fill),
       im2col_wide(map, TENSOR, lower, upper, channels, pixels, mode))

DRIVER(cuTensorMapReplaceAddress, (void *map, void *address), replace_address(map, address))
