#include "cuda-sim/tensor/map.h"

#include <string.h>

// Bits of the word at 0x08.
enum { RANK = 4, TYPE = 7, INTERLEAVE = 11, SWIZZLE = 13, FILL = 15, ROUND = 16, PROMOTION = 17, ATOM = 19, LATER = 22 };
enum { FLAGS_AT = 0x08, STRIDE_AT = 0x0c, HIGH_AT = 0x1c, SIZE_AT = 0x20, STEP_AT = 0x34, BOX_AT = 0x38, PIXELS_AT = 0x3c };
enum { UNIT = 16, BOX0 = 24, STEP_BITS = 3 };
// Types as the word has them.
enum { HW_F32 = 7, HW_F32_FTZ = 8, HW_PACKED = 11 };

static uint32_t get(const uint8_t *at)
{
	uint32_t v;
	memcpy(&v, at, sizeof v);
	return v;
}

static void put(uint8_t *at, uint32_t v) { memcpy(at, &v, sizeof v); }

static uint32_t type_bits(uint8_t t)
{
	switch (t) {
	case TENSOR_MAP_TF32: return HW_F32 << TYPE | 1u << ROUND;
	case TENSOR_MAP_TF32_FTZ: return HW_F32_FTZ << TYPE | 1u << ROUND;
	default: return (uint32_t)(t >= TENSOR_MAP_B4 ? HW_PACKED + t - TENSOR_MAP_B4 : t) << TYPE;
	}
}

static uint8_t type_of(uint32_t flags)
{
	const uint32_t t = flags >> TYPE & 15, tf32 = flags >> ROUND & 1;
	if (t >= HW_PACKED)
		return (uint8_t)(t - HW_PACKED + TENSOR_MAP_B4 < TENSOR_MAP_TYPES ? t - HW_PACKED + TENSOR_MAP_B4 : TENSOR_MAP_TYPES);
	if (tf32 && t == HW_F32)
		return TENSOR_MAP_TF32;
	return tf32 && t == HW_F32_FTZ ? TENSOR_MAP_TF32_FTZ : (uint8_t)t;
}

// Bits of a coordinate of a corner, by how many there are.
static unsigned corner_bits(unsigned n) { return n == 1 ? 16 : n == 2 ? 8 : 5; }

static uint32_t pack_corner(const int32_t *c, unsigned n)
{
	const unsigned bits = corner_bits(n);
	uint32_t v = 0;
	for (unsigned k = 0; k < n; k++)
		v |= ((uint32_t)c[k] & ((1u << bits) - 1)) << k * bits;
	return v & 0xffff;
}

static void unpack_corner(uint32_t v, int32_t *c, unsigned n)
{
	const unsigned bits = corner_bits(n);
	for (unsigned k = 0; k < n; k++)
		c[k] = (int32_t)(v >> k * bits << (32 - bits)) >> (32 - bits);
}

unsigned tensor_map_element(const struct tensor_map *m)
{
	static const uint8_t bytes[TENSOR_MAP_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4, 1, 1, 1};
	return m->type < TENSOR_MAP_TYPES ? bytes[m->type] : 1;
}

void tensor_map_encode(const struct tensor_map *m, uint8_t out[TENSOR_MAP_BYTES])
{
	const bool tile = m->mode == TENSOR_MAP_TILE, wide = m->mode > TENSOR_MAP_IM2COL;
	const unsigned spatial = tile ? 0 : wide ? 1 : m->rank - 2u;
	uint32_t high = 0, steps = 0, box = 0;
	memset(out, 0, TENSOR_MAP_BYTES);
	memcpy(out, &m->address, sizeof m->address);
	put(out + FLAGS_AT, (uint32_t)(m->mode - TENSOR_MAP_TILE) | (m->rank - 1u) << RANK | type_bits(m->type) |
	                            (uint32_t)m->interleave << INTERLEAVE | (uint32_t)m->swizzle << SWIZZLE | (uint32_t)m->nan << FILL | (uint32_t)m->promotion << PROMOTION |
	                            (uint32_t)m->atom << ATOM);
	for (unsigned k = 0; k + 1 < m->rank; k++) {
		put(out + STRIDE_AT + 4 * k, (uint32_t)(m->stride[k] / UNIT));
		high |= (uint32_t)(m->stride[k] / UNIT >> 32 & 15) << 4 * k;
	}
	put(out + HIGH_AT, high);
	for (unsigned k = 0; k < m->rank; k++) {
		put(out + SIZE_AT + 4 * k, (uint32_t)(m->size[k] - 1));
		steps |= (m->step[k] - 1) % 8 << STEP_BITS * k;
		if (k && tile)
			box |= (m->box[k] - 1) << 8 * (k - 1);
	}
	put(out + STEP_AT, steps | ((tile ? m->box[0] : m->channels) - 1) << BOX0);
	put(out + BOX_AT, tile ? box : pack_corner(m->lower, spatial) | pack_corner(m->upper, spatial) << 16);
	if (!tile)
		put(out + PIXELS_AT, m->pixels - 1);
}

static bool all_zero(const uint8_t in[TENSOR_MAP_BYTES])
{
	static const uint8_t none[TENSOR_MAP_BYTES];
	return !memcmp(in, none, TENSOR_MAP_BYTES);
}

void tensor_map_decode(const uint8_t in[TENSOR_MAP_BYTES], struct tensor_map *m)
{
	const uint32_t flags = get(in + FLAGS_AT), steps = get(in + STEP_AT), box = get(in + BOX_AT);
	*m = (struct tensor_map){.mode = (uint8_t)((flags & 15) + TENSOR_MAP_TILE),
	                         .type = type_of(flags), .rank = (uint8_t)((flags >> RANK & 7) + 1),
	                         .interleave = flags >> INTERLEAVE & 3, .swizzle = flags >> SWIZZLE & 3, .atom = flags >> ATOM & 7,
	                         .promotion = flags >> PROMOTION & 3, .nan = flags >> FILL & 1};
	if (flags >> LATER & 1 || all_zero(in))
		m->mode = TENSOR_MAP_NONE;
	memcpy(&m->address, in, sizeof m->address);
	for (unsigned k = 0; k + 1 < TENSOR_MAP_RANK; k++)
		m->stride[k] = (get(in + STRIDE_AT + 4 * k) | (uint64_t)(get(in + HIGH_AT) >> 4 * k & 15) << 32) * UNIT;
	for (unsigned k = 0; k < TENSOR_MAP_RANK; k++) {
		m->size[k] = (uint64_t)get(in + SIZE_AT + 4 * k) + 1;
		m->step[k] = (steps >> STEP_BITS * k & 7) + 1;
		m->box[k] = (k ? box >> 8 * (k - 1) & 255 : steps >> BOX0) + 1;
	}
	if (m->mode < TENSOR_MAP_IM2COL || m->rank < 3 || m->rank > TENSOR_MAP_RANK)
		return;
	const unsigned spatial = m->mode == TENSOR_MAP_IM2COL ? m->rank - 2u : 1;
	unpack_corner(box & 0xffff, m->lower, spatial);
	unpack_corner(box >> 16, m->upper, spatial);
	m->channels = m->box[0];
	m->pixels = get(in + PIXELS_AT) + 1;
}

// --- rules

static bool packed(const struct tensor_map *m) { return m->type >= TENSOR_MAP_B4; }
static bool by_32(const struct tensor_map *m) { return m->interleave == 2 || m->type == TENSOR_MAP_B4_P64 || m->type == TENSOR_MAP_B6; }

static const char *wrong_kind(const struct tensor_map *m, unsigned arch)
{
	const bool tile = m->mode == TENSOR_MAP_TILE, wide = m->mode > TENSOR_MAP_IM2COL;
	const bool is_float = m->type >= TENSOR_MAP_F16 && m->type <= TENSOR_MAP_TF32_FTZ;
	if (m->mode == TENSOR_MAP_NONE || m->mode >= TENSOR_MAP_MODES)
		return "it is no tensor map";
	if (m->type >= TENSOR_MAP_TYPES || (packed(m) && arch < 100))
		return "the GPU has no such type of elements";
	if (wide && arch < 100)
		return "the GPU has no such mode";
	if (!m->rank || m->rank > TENSOR_MAP_RANK || ((!tile || m->interleave) && m->rank < 3))
		return "its rank is from 1 to 5, from 3 with an interleaved layout or im2col";
	if (m->interleave > 2 || (m->interleave && (wide || m->type == TENSOR_MAP_B6)))
		return "there is no such interleaved layout";
	if (m->interleave == 2 && m->swizzle != TENSOR_MAP_32B)
		return "pixels of 32 bytes have the swizzle of 32 bytes";
	if (m->atom > TENSOR_MAP_ATOM_64B || (m->atom && (m->swizzle != TENSOR_MAP_128B || arch < 100)))
		return "the GPU has no such swizzle";
	if (wide && m->swizzle < TENSOR_MAP_64B)
		return "this mode has swizzles of 64 and 128 bytes only";
	if (m->nan && !is_float)
		return "only floating-point numbers can be filled with NaN";
	return NULL;
}

static const char *wrong_place(const struct tensor_map *m)
{
	const unsigned unit = by_32(m) ? 32 : UNIT;
	if (m->address % unit)
		return unit == UNIT ? "its address is no multiple of 16" : "its address is no multiple of 32";
	for (unsigned k = 0; k < m->rank; k++)
		if (!m->size[k] || m->size[k] > (uint64_t)1 << 32)
			return "the size of a dimension is from 1 to 2^32";
	if (packed(m) && m->size[0] % (m->type == TENSOR_MAP_B4 ? 2 : 128))
		return "the first dimension holds no whole packs";
	for (unsigned k = 0; k + 1 < m->rank; k++)
		if (m->stride[k] % unit || m->stride[k] >> 40)
			return "a stride is a multiple of 16 bytes, or 32, below 2^40";
	for (unsigned k = 0; k < m->rank; k++)
		if ((k || m->interleave) && (!m->step[k] || m->step[k] > 8))
			return "an element stride is from 1 to 8";
	return NULL;
}

// Bytes of the innermost dimension of a box.
static uint32_t inner(const struct tensor_map *m, uint32_t elements)
{
	return m->type == TENSOR_MAP_B4 ? elements / 2 : packed(m) ? elements : elements * tensor_map_element(m);
}

static const char *wrong_inner(const struct tensor_map *m, uint32_t elements)
{
	if ((m->type == TENSOR_MAP_B4_P64 || m->type == TENSOR_MAP_B6) && elements != 128)
		return "a box of these packs has 128 elements in a row";
	if (m->interleave)
		return NULL;
	if (inner(m, elements) % UNIT)
		return "a row of the box is no multiple of 16 bytes";
	if (m->swizzle && inner(m, elements) > 16u << m->swizzle)
		return "a row of the box is longer than the swizzle";
	return NULL;
}

static const char *wrong_pixels(const struct tensor_map *m)
{
	const unsigned spatial = m->mode == TENSOR_MAP_IM2COL ? m->rank - 2u : 1;
	const int32_t limit = 1 << (corner_bits(spatial) - 1);
	const unsigned first = m->interleave ? 0 : 1;
	if (!m->channels || m->channels > 256)
		return "a pixel has 1 to 256 channels";
	if (m->mode != TENSOR_MAP_IM2COL_W128 && (!m->pixels || m->pixels > 1024))
		return "a column has 1 to 1024 pixels";
	for (unsigned k = 0; k < spatial; k++) {
		if (m->lower[k] < -limit || m->lower[k] >= limit || m->upper[k] < -limit || m->upper[k] >= limit)
			return "a corner is too far off";
		if ((int64_t)m->size[first + k] + m->upper[k] - m->lower[k] <= 0)
			return "the box of pixels is empty";
	}
	return wrong_inner(m, m->channels);
}

const char *tensor_map_wrong(const struct tensor_map *m, unsigned arch)
{
	const char *why = wrong_kind(m, arch);
	if (!why)
		why = wrong_place(m);
	if (why)
		return why;
	if (m->mode != TENSOR_MAP_TILE)
		return wrong_pixels(m);
	for (unsigned k = 0; k < m->rank; k++)
		if (!m->box[k] || m->box[k] > 256)
			return "the size of a box is from 1 to 256";
	return wrong_inner(m, m->box[0]);
}
