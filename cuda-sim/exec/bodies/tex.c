// Texture fetches and queries through texture references and objects. Filtering and addressing follow the appendix
// "Texture Fetching" of the CUDA C++ Programming Guide; weights of the linear filter have 8 bits of fraction.
//
// u->imm points to the texture of a reference; for objects (UOP_OBJECT) it is the row of their 64-bit handles, which
// may differ from lane to lane. a, b and c are the coordinates (the layer first if there are layers), x[0..3] get the
// channels. Mipmaps do not exist, so levels and gradients are not looked at.
#include "cuda-sim/exec/lanes.h"
#include "cuda-sim/numbers/softfp.h"
#include "isa/texture.h"

#include <stdio.h>

struct fetch {
	uint8_t dims;
	bool layered, real; // real: f32 coordinates
};

struct texel {
	uint32_t bits[4]; // of an f32 if the texture yields floats, else an integer
};

// True if what a fetch gives are floats, to which filters apply.
static inline bool yields_float(const struct texture *t)
{
	return t->channel == TEX_FLOAT || (t->read_normalized && t->bits < 32);
}

static inline uint32_t channel_value(const struct texture *t, const uint8_t *p)
{
	uint32_t v;

	switch (t->bits) {
	case 8: v = t->channel == TEX_SIGNED ? (uint32_t)(int8_t)*p : *p; break;
	case 16: v = t->channel == TEX_SIGNED ? (uint32_t) * (const int16_t *)p : *(const uint16_t *)p; break;
	default: return *(const uint32_t *)p;
	}
	if (t->channel == TEX_FLOAT)
		return softfp_bits_f32(softfp_f16_to_f32((uint16_t)v));
	if (!t->read_normalized)
		return v;
	if (t->channel == TEX_UNSIGNED)
		return softfp_bits_f32((float)v / (t->bits == 8 ? 255.0f : 65535.0f));

	const float f = (float)(int32_t)v / (t->bits == 8 ? 127.0f : 32767.0f);

	return softfp_bits_f32(f < -1.0f ? -1.0f : f); // the most negative number is -1 too
}

static inline uint32_t extent(uint32_t n)
{
	return n ? n : 1;
}

static struct texel border_texel(const struct texture *t)
{
	struct texel v;

	for (unsigned k = 0; k < 4; k++)
		v.bits[k] = yields_float(t) ? softfp_bits_f32(t->border[k]) : 0;
	return v;
}

// Who wants to know which texels a lane reads, and how many it has read.
struct note {
	struct fe_result *out; // NULL: nobody
	uint32_t lane, n;
};

// Access n of the result is the n-th texel of each lane. Lanes with different textures share it:
// the wider texel counts.
static void note_texel(struct note *note, uint64_t addr, unsigned bytes)
{
	struct fe_result *out = note->out;

	if (note->n == FE_MAX_ACCESS)
		return;

	struct fe_access *a = &out->access[note->n];

	if (note->n++ == out->n_access) {
		out->n_access++;
		a->space = SPACE_TEX;
		a->bytes = 0;
		a->write = a->atomic = false;
		a->mask = 0;
	}
	if (bytes > a->bytes)
		a->bytes = (uint8_t)bytes;
	a->mask |= 1u << note->lane;
	a->addr[note->lane] = addr;
}

// The texel at integer coordinates; those out of range are handled as the texture's address mode says.
static struct texel texel_at(const struct texture *t, const struct fetch *how, const int32_t pos[3], uint32_t layer,
                             struct note *note)
{
	const uint32_t size[3] = {extent(t->width), extent(t->height), extent(t->depth)};
	const uint64_t step[3] = {(uint64_t)t->channels * t->bits / 8, t->pitch, t->slice};
	uint64_t at = t->base + (how->layered ? layer * t->slice : 0);
	struct texel v = {{0}};

	for (unsigned k = 0; k < how->dims; k++) {
		int64_t i = pos[k], n = size[k];

		if (i < 0 || i >= n) {
			if (t->kind == TEX_LINEAR)
				return v;
			if (t->address[k] == TEX_BORDER)
				return border_texel(t);
			if (t->address[k] == TEX_WRAP && t->normalized_coords) {
				i = (i % n + n) % n;
			} else {
				i = i < 0 ? 0 : n - 1;
			}
		}
		at += (uint64_t)i * step[k];
	}
	if (note->out)
		note_texel(note, at, (unsigned)step[0]);
	for (unsigned k = 0; k < t->channels; k++)
		v.bits[k] = channel_value(t, (const uint8_t *)at + k * (t->bits / 8u));
	return v;
}

static inline int32_t floor_f32(float x)
{
	const int32_t i = (int32_t)x;

	return i - ((float)i > x);
}

// A coordinate in texels. Numbers far out and NaN are brought to where an int32_t can hold them.
static float coordinate(const struct texture *t, float x, unsigned k, uint32_t n)
{
	const float far = 0x1p30f;

	if (!(x > -far))
		x = x == x ? -far : 0;
	if (x > far)
		x = far;
	if (!t->normalized_coords)
		return x;
	if (t->address[k] == TEX_WRAP || t->address[k] == TEX_MIRROR) {
		const int32_t whole = floor_f32(x);

		x -= (float)whole;
		if (t->address[k] == TEX_MIRROR && whole & 1)
			x = 1.0f - x;
	}
	x *= (float)n;
	return x < -far ? -far : x > far ? far : x;
}

static struct texel fetch_linear(const struct texture *t, const struct fetch *how, const float x[3], uint32_t layer,
                                 struct note *note)
{
	struct texel v = {{0}};
	int32_t low[3];
	float weight[3], sum[4] = {0};

	for (unsigned k = 0; k < how->dims; k++) {
		const float b = x[k] - 0.5f;

		low[k] = floor_f32(b);
		weight[k] = (float)(int32_t)((b - (float)low[k]) * 256.0f + 0.5f) / 256.0f;
	}
	for (unsigned corner = 0; corner < 1u << how->dims; corner++) {
		int32_t pos[3];
		float part = 1.0f;

		for (unsigned k = 0; k < how->dims; k++) {
			const bool high = corner >> k & 1;

			pos[k] = low[k] + high;
			part *= high ? weight[k] : 1.0f - weight[k];
		}

		const struct texel one = texel_at(t, how, pos, layer, note);

		for (unsigned c = 0; part != 0 && c < 4; c++)
			sum[c] += part * softfp_f32(one.bits[c]);
	}
	for (unsigned c = 0; c < 4; c++)
		v.bits[c] = softfp_bits_f32(softfp_canon_f32(sum[c]));
	return v;
}

// The texture in words, for messages.
static const char *describe(const struct texture *t, const struct uop *u, uint64_t handle, char *buf, size_t len)
{
	if (u->flags & UOP_OBJECT && !t->name) // machine code has handles of references too
		snprintf(buf, len, "texture object 0x%llx", (unsigned long long)handle);
	else
		snprintf(buf, len, "texture reference '%s'", t->name ? t->name : "?");
	return buf;
}

// False, with a fault, if the texture has no memory (any more).
static bool usable(const struct texture *t, const struct uop *u, uint32_t mask, struct warp *w, uint64_t handle)
{
	const uint64_t slices = t->layers ? t->layers : extent(t->depth), texel = (uint64_t)t->channels * t->bits / 8;
	const uint64_t end = t->base + (slices - 1) * t->slice + (extent(t->height) - 1) * t->pitch + t->width * texel;
	const unsigned lane = (unsigned)__builtin_ctz(mask);
	char name[128];

	if (t->kind == TEX_NONE) {
		exec_fault(w, u, FAULT_LAUNCH, lane, 0,
		           "%s is not bound; cudaBindTexture or cudaBindTextureToArray binds it",
		           describe(t, u, handle, name, sizeof name));
		return false;
	}
	if (t->width && !devmem_holds(w->cta->launch->mem, exec_hit(w, u), t->base, end)) {
		exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, t->base, "%s refers to memory that is not allocated (any more)",
		           describe(t, u, handle, name, sizeof name));
		return false;
	}
	return true;
}

// The next texture to use and, in *mask, the lanes of *left that use it; they are taken out of *left. NULL if no lane
// is left or, with a fault, if the texture cannot be used.
static const struct texture *next_texture(const uint8_t *fp, const struct uop *u, struct warp *w, uint32_t *left,
                                          uint32_t *mask)
{
	const struct kernel_services *s = w->cta->launch->services;
	const struct texture *t = (const struct texture *)(uintptr_t)u->imm;
	uint64_t handle = 0;

	if (!*left)
		return NULL;
	*mask = *left;
	if (u->flags & UOP_OBJECT) {
		const uint64_t *row = ROW(const uint64_t, u->imm);
		const unsigned lane = (unsigned)__builtin_ctz(*left);

		handle = row[lane];
		*mask &= MASK_OF(row[i] == handle);
		t = s && s->texture ? s->texture(s->ctx, handle) : NULL;
		if (!t) {
			exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, handle,
			           "0x%llx is not the handle of a texture object, or the object is destroyed",
			           (unsigned long long)handle);
			return NULL;
		}
	}
	*left &= ~*mask;
	return usable(t, u, *mask, w, handle) ? t : NULL;
}

// tex1Dfetch from linear memory with 32-bit channels, by far the most frequent fetch.
static void fetch_words(uint8_t *fp, const struct uop *u, uint32_t mask, const struct texture *t, struct fe_result *out)
{
	const uint32_t *texel = (const uint32_t *)(uintptr_t)t->base;

	EACH(i) {
		const uint32_t at = ROW(const uint32_t, u->a)[i];
		uint32_t v[4] = {0};

		if (out && at < t->width)
			note_texel(&(struct note){out, i, 0}, t->base + (uint64_t)at * t->channels * 4, t->channels * 4u);
		for (unsigned k = 0; at < t->width && k < t->channels; k++)
			v[k] = texel[(uint64_t)at * t->channels + k];
		for (unsigned k = 0; k < 4; k++)
			ROW(uint32_t, u->x[k])[i] = v[k];
	}
}

// The layer that is read where layer `c` is asked for: an unsigned number, of which ptxas hands on the lesser of it and 65535.
static uint32_t layer_of(const struct texture *t, uint32_t c)
{
	const uint32_t top = extent(t->layers) - 1;

	return c > top ? top : c;
}

// The result of every lane of the mask into x[0..3]; to f16 if `half`.
static void fetch_from(const struct texture *t, uint8_t *fp, const struct uop *u, uint32_t mask, struct fetch how,
                       bool half, struct fe_result *out)
{
	const int32_t source[4] = {u->a, u->b, u->c, 0};
	const uint32_t size[3] = {extent(t->width), extent(t->height), extent(t->depth)};
	const bool linear = how.real && t->filter == TEX_LINEAR_FILTER && t->kind != TEX_LINEAR && yields_float(t);

	// Compilers make a fetch of two dimensions, at y = 0, of tex.1d, so that a texture of one cannot have looked at it.
	if (how.dims == 2 && !t->height)
		how.dims = 1;
	if (t->kind == TEX_LINEAR && t->bits == 32 && how.dims == 1 && !how.real && !half) {
		fetch_words(fp, u, mask, t, out);
		return;
	}
	EACH(i) {
		const uint32_t layer = how.layered ? layer_of(t, ROW(const uint32_t, u->a)[i]) : 0;
		struct note note = {out, i, 0};
		struct texel v = {{0}};
		float x[3] = {0};
		int32_t pos[3] = {0};

		for (unsigned k = 0; k < how.dims; k++) {
			const uint32_t c = ROW(const uint32_t, source[k + how.layered])[i];

			if (how.real) {
				x[k] = coordinate(t, softfp_f32(c), k, size[k]);
				pos[k] = floor_f32(x[k]);
			} else {
				pos[k] = (int32_t)c;
			}
		}
		if (t->width)
			v = linear ? fetch_linear(t, &how, x, layer, &note) : texel_at(t, &how, pos, layer, &note);
		for (unsigned k = 0; k < 4; k++)
			ROW(uint32_t, u->x[k])[i] = half ? softfp_f32_to_f16(softfp_f32(v.bits[k])) : v.bits[k];
	}
}

static void fetch(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, struct fetch how, bool half)
{
	const struct texture *t;
	uint32_t left = mask;

	while ((t = next_texture(fp, u, w, &left, &mask)))
		fetch_from(t, fp, u, mask, how, half, w->texels);
}

// tld4: one channel of the four texels that a linear filter would weigh, against the clock from the lower left.
static void gather(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, bool layered, unsigned channel)
{
	static const int8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	const struct fetch how = {2, layered, true};
	const int32_t source[3] = {u->a, u->b, u->c};
	const struct texture *t;
	uint32_t left = mask;

	while ((t = next_texture(fp, u, w, &left, &mask)))
		EACH(i) {
			const uint32_t layer = layered ? layer_of(t, ROW(const uint32_t, u->a)[i]) : 0;
			const uint32_t size[2] = {extent(t->width), extent(t->height)};
			struct note note = {w->texels, i, 0};
			int32_t low[2];

			for (unsigned k = 0; k < 2; k++) {
				const uint32_t c = ROW(const uint32_t, source[k + layered])[i];

				low[k] = floor_f32(coordinate(t, softfp_f32(c), k, size[k]) - 0.5f);
			}
			for (unsigned n = 0; n < 4; n++) {
				const int32_t pos[3] = {low[0] + corner[n][0], low[1] + corner[n][1]};
				const struct texel v = t->width ? texel_at(t, &how, pos, layer, &note) : (struct texel){{0}};

				ROW(uint32_t, u->x[n])[i] = v.bits[channel];
			}
		}
}

// X(geometry, dimensions, layered)
#define GEOMETRIES(X) X(1d, 1, false) X(2d, 2, false) X(3d, 3, false) X(a1d, 1, true) X(a2d, 2, true)

#define FETCH(name, dims, layered, real, half) \
	BODY(name) { fetch(fp, u, mask, w, (struct fetch){dims, layered, real}, half); }

#define X(geom, dims, layered)                                  \
	FETCH(tex_##geom##_real, dims, layered, true, false)    \
	FETCH(tex_##geom##_int, dims, layered, false, false)    \
	FETCH(tex_##geom##_real_half, dims, layered, true, true) \
	FETCH(tex_##geom##_int_half, dims, layered, false, true)
GEOMETRIES(X)
#undef X

#define GATHER(geom, layered, name, channel) \
	BODY(tld4_##geom##_##name) { gather(fp, u, mask, w, layered, channel); }
#define X(geom, layered)             \
	GATHER(geom, layered, r, 0)  \
	GATHER(geom, layered, g, 1)  \
	GATHER(geom, layered, b, 2)  \
	GATHER(geom, layered, a, 3)
X(2d, false)
X(a2d, true)
#undef X

// txq. The numbers of formats are those of OpenCL (PTX ISA, txq).
static uint32_t channel_data_type(const struct texture *t)
{
	enum { SNORM8 = 0x10d0, SNORM16, UNORM8, UNORM16, INT8 = 0x10d7, INT16, INT32, UINT8, UINT16, UINT32, HALF, FLOAT };
	const bool small = t->bits == 8;

	if (t->channel == TEX_FLOAT)
		return t->bits == 16 ? HALF : FLOAT;
	if (yields_float(t)) {
		if (t->channel == TEX_SIGNED)
			return small ? SNORM8 : SNORM16;
		return small ? UNORM8 : UNORM16;
	}
	if (t->channel == TEX_SIGNED)
		return small ? INT8 : t->bits == 16 ? INT16 : INT32;
	return small ? UINT8 : t->bits == 16 ? UINT16 : UINT32;
}

static uint32_t channel_order(const struct texture *t)
{
	enum { R = 0x10b0, RG = 0x10b2, RGBA = 0x10b5 };

	return t->channels == 1 ? R : t->channels == 2 ? RG : RGBA;
}

#define QUERY(name, value)                                                                    \
	BODY(txq_##name)                                                                      \
	{                                                                                     \
		const struct texture *t;                                                      \
		uint32_t *rd = ROW(uint32_t, u->d), left = mask;                              \
		while ((t = next_texture(fp, u, w, &left, &mask)))                            \
			LANES(uint32_t, rd, (value));                                         \
	}
QUERY(width, t->width)
QUERY(height, t->height)
QUERY(depth, t->depth)
QUERY(array_size, t->layers)
QUERY(normalized_coords, t->normalized_coords)
QUERY(channel_data_type, channel_data_type(t))
QUERY(channel_order, channel_order(t))
QUERY(one, 1)

#define WORDS(prefix, geom, real, integer)                       \
	{prefix #geom ".v4.f32.f32", real},                      \
	{prefix #geom ".v4.u32.f32", real},                      \
	{prefix #geom ".v4.s32.f32", real},                      \
	{prefix #geom ".v4.f32.s32", integer},                   \
	{prefix #geom ".v4.u32.s32", integer},                   \
	{prefix #geom ".v4.s32.s32", integer},
#define HALVES(prefix, geom)                                     \
	{prefix #geom ".v4.f16.f32", tex_##geom##_real_half},    \
	{prefix #geom ".v4.f16.s32", tex_##geom##_int_half},
#define ROWS(geom, dims, layered)                                \
	WORDS("tex.", geom, tex_##geom##_real, tex_##geom##_int) \
	WORDS("tex.base.", geom, tex_##geom##_real, tex_##geom##_int) \
	WORDS("tex.level.", geom, tex_##geom##_real, tex_##geom##_int) \
	WORDS("tex.grad.", geom, tex_##geom##_real, tex_##geom##_int) \
	HALVES("tex.", geom)                                     \
	HALVES("tex.base.", geom)                                \
	HALVES("tex.level.", geom)                               \
	HALVES("tex.grad.", geom)

#define GATHER_ROWS(name, geom)                                  \
	{"tld4." #name "." #geom ".v4.f32.f32", tld4_##geom##_##name}, \
	{"tld4." #name "." #geom ".v4.u32.f32", tld4_##geom##_##name}, \
	{"tld4." #name "." #geom ".v4.s32.f32", tld4_##geom##_##name},

const struct exec_body EXEC_TABLE(tex)[] = {
	GEOMETRIES(ROWS)
	GATHER_ROWS(r, 2d) GATHER_ROWS(g, 2d) GATHER_ROWS(b, 2d) GATHER_ROWS(a, 2d)
	GATHER_ROWS(r, a2d) GATHER_ROWS(g, a2d) GATHER_ROWS(b, a2d) GATHER_ROWS(a, a2d)
	{"txq.width.b32", txq_width},
	{"txq.height.b32", txq_height},
	{"txq.depth.b32", txq_depth},
	{"txq.array_size.b32", txq_array_size},
	{"txq.normalized_coords.b32", txq_normalized_coords},
	{"txq.channel_data_type.b32", txq_channel_data_type},
	{"txq.channel_order.b32", txq_channel_order},
	{"txq.num_mipmap_levels.b32", txq_one},
	{"txq.num_samples.b32", txq_one},
	{0},
};
