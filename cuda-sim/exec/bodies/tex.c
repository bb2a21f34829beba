// Texture fetches and queries through texture references and objects. Filtering and addressing follow the appendix
// "Texture Fetching" of the CUDA C++ Programming Guide; weights of the linear filters have 8 bits of fraction.
//
// u->imm points to where the operands stand (texture_operands); x[0..3] get the channels. Textures are filtered alike in
// all directions: cudaTextureDesc.maxAnisotropy changes nothing.
#include "cuda-sim/exec/bodies/texels.h"

struct fetch {
	uint8_t dims; // of a cube 3: a direction
	bool layered, cube, real; // real: f32 coordinates
};

#define FOLDED static inline __attribute__((always_inline)) // into bodies, where the geometry is a constant

static inline const struct texture_operands *operands(const struct uop *u)
{
	return (const struct texture_operands *)(uintptr_t)u->imm;
}

static inline int32_t floor_f32(float x)
{
	const int32_t i = (int32_t)x;

	return i - ((float)i > x);
}

// A coordinate in texels. Numbers far out and NaN are brought to where an int32_t can hold them. With an offset a mirrored one is
// left where texel_at mirrors it, so that the offset goes the right way.
FOLDED float coordinate(const struct texture *t, float x, unsigned k, uint32_t n, bool offset)
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
			x = offset ? 1.0f + x : 1.0f - x;
	}
	x *= (float)n;
	return x < -far ? -far : x > far ? far : x;
}

// What a lane asks for.
struct spot {
	float x[3];        // real coordinates; of a cube the direction, and once that is found where on its face, from 0 to 1
	int32_t pos[3];    // whole ones
	int32_t offset[3];
	uint32_t layer;    // of a cube the face's
	bool on_face, has_offset;
};

// Coordinate k in texels of a level.
FOLDED float in_texels(const struct texture *t, const struct spot *s, unsigned k, uint32_t n)
{
	return s->on_face ? s->x[k] * (float)n : coordinate(t, s->x[k], k, n, s->has_offset);
}

FOLDED struct texel fetch_linear(const struct texture *t, const struct texture_level *m, unsigned dims, const struct spot *s,
                                 struct note *note)
{
	const uint32_t size[3] = {extent(m->width), extent(m->height), extent(m->depth)};
	struct texel v = {{0}};
	int32_t low[3];
	float weight[3], sum[4] = {0};

	for (unsigned k = 0; k < dims; k++) {
		const float b = in_texels(t, s, k, size[k]) - 0.5f;

		low[k] = floor_f32(b);
		weight[k] = (float)(int32_t)((b - (float)low[k]) * 256.0f + 0.5f) / 256.0f;
		low[k] += s->offset[k];
	}
	for (unsigned corner = 0; corner < 1u << dims; corner++) {
		int32_t pos[3];
		float part = 1.0f;

		for (unsigned k = 0; k < dims; k++) {
			const bool high = corner >> k & 1;

			pos[k] = low[k] + high;
			part *= high ? weight[k] : 1.0f - weight[k];
		}

		const struct texel one = s->on_face ? texel_of_cube(t, m, pos, s->layer, note)
		                                    : texel_at(t, m, dims, pos, s->layer, note);

		for (unsigned c = 0; part != 0 && c < 4; c++)
			sum[c] += part * softfp_f32(one.bits[c]);
	}
	for (unsigned c = 0; c < 4; c++)
		v.bits[c] = softfp_bits_f32(softfp_canon_f32(sum[c]));
	return v;
}

FOLDED struct texel fetch_point(const struct texture *t, const struct texture_level *m, unsigned dims, const struct spot *s,
                                bool real, struct note *note)
{
	const uint32_t size[3] = {extent(m->width), extent(m->height), extent(m->depth)};
	int32_t pos[3];

	for (unsigned k = 0; k < dims; k++) {
		pos[k] = real ? floor_f32(in_texels(t, s, k, size[k])) : s->pos[k];
		pos[k] += s->offset[k];
		if (s->on_face && pos[k] >= (int32_t)size[k]) // the far edge belongs to it
			pos[k] = (int32_t)size[k] - 1;
	}
	return texel_at(t, m, dims, pos, s->layer, note);
}

// The next texture to use and, in *mask, the lanes of *left that use it; they are taken out of *left. NULL if no lane
// is left or, with a fault, if the texture cannot be used.
static const struct texture *next_texture(const uint8_t *fp, const struct uop *u, struct warp *w, uint32_t *left,
                                          uint32_t *mask)
{
	const struct texture_operands *o = operands(u);
	unsigned lane;

	if (!*left)
		return NULL;
	*mask = *left;
	lane = (unsigned)__builtin_ctz(*left);
	if (!o->reference) {
		const uint64_t *wide = ROW(const uint64_t, o->handle);
		const uint32_t *row = ROW(const uint32_t, o->handle);

		*mask &= o->wide_handle ? MASK_OF(wide[i] == wide[lane]) : MASK_OF(row[i] == row[lane]);
	}
	*left &= ~*mask;

	const struct texture *t = texture_of_lane(w, o, lane);

	return texture_usable(w, u, t, lane) ? t : NULL;
}

// tex1Dfetch from linear memory with 32-bit channels, by far the most frequent fetch.
static void fetch_words(uint8_t *fp, const struct uop *u, uint32_t mask, const struct texture *t, struct fe_result *out)
{
	const uint32_t *texel = (const uint32_t *)(uintptr_t)t->base, *x = ROW(const uint32_t, operands(u)->at[0]);

	EACH(i) {
		const uint32_t at = x[i];
		uint32_t v[4] = {0};

		if (out && at < t->width)
			note_texel(&(struct note){out, i, 0}, t->base + (uint64_t)at * t->channels * 4, t->channels * 4u);
		for (unsigned k = 0; at < t->width && k < t->channels; k++)
			v[k] = texel[(uint64_t)at * t->channels + k];
		for (unsigned k = 0; k < 4; k++)
			ROW(uint32_t, u->x[k])[i] = v[k];
	}
}

// The layer, or of cubes the first face of the layer, that a lane reads: where there are fewer, the last. It is an unsigned number,
// of which ptxas hands on the lesser of it and 65535.
static uint32_t layer_of(const struct texture *t, const uint8_t *fp, const struct texture_operands *o, bool cube, uint32_t i)
{
	const uint32_t faces = cube && t->cube ? TEX_FACES : 1, n = t->layers > faces ? t->layers / faces : 1;
	const uint32_t c = o->layer ? ROW(const uint32_t, o->layer)[i] : 0;

	return (c < n ? c : n - 1) * faces;
}

// PTX has each offset in a row; machine code packs them.
static int32_t offset_of(const uint8_t *fp, const struct texture_operands *o, unsigned k, uint32_t i)
{
	if (!o->packed)
		return o->offset[k] ? ROW(const int32_t, o->offset[k])[i] : 0;

	const unsigned used = o->packed == 4 ? 4 : 6;
	const uint32_t v = ROW(const uint32_t, o->offset[0])[i] >> k * o->packed;

	return (int32_t)(v << (32 - used)) >> (32 - used);
}

// The lane's coordinates; a direction becomes a place on a face.
FOLDED struct spot spot_of(const struct texture *t, const uint8_t *fp, const struct uop *u, struct fetch how, uint32_t i)
{
	const struct texture_operands *o = operands(u);
	struct spot s = {.has_offset = o->offset[0] != 0};

	if (how.layered || how.cube)
		s.layer = layer_of(t, fp, o, how.cube, i);
	for (unsigned k = 0; k < how.dims; k++) {
		const uint32_t c = ROW(const uint32_t, o->at[k])[i];

		if (how.real)
			s.x[k] = softfp_f32(c);
		else
			s.pos[k] = (int32_t)c;
		if (s.has_offset)
			s.offset[k] = offset_of(fp, o, k, i);
	}
	return s;
}

static void onto_face(const struct texture *t, struct spot *s)
{
	float at[2];
	const uint32_t face = texture_face(s->x, at);

	s->on_face = t->cube;
	s->layer += t->cube ? face : 0;
	for (unsigned k = 0; k < 2; k++)
		s->x[k] = at[k] > 0 ? at[k] < 1 ? at[k] : 1 : 0; // 0 if it is no number
}

// The level that the lane's derivatives ask for.
static float level_of_gradient(const struct texture *t, const uint8_t *fp, const struct uop *u, unsigned given, const struct spot *s,
                               uint32_t i)
{
	const struct texture_operands *o = operands(u);
	const uint32_t size[3] = {extent(t->width), extent(t->height), extent(t->depth)};
	const unsigned dims = s->on_face ? 2 : given;
	float by[2][3] = {{0}};

	for (unsigned n = 0; n < 2; n++) {
		for (unsigned k = 0; k < given; k++)
			by[n][k] = o->gradient[n][k] ? softfp_f32(ROW(const uint32_t, o->gradient[n][k])[i]) : 0;
		if (s->on_face)
			texture_face_gradient(s->x, (const float[3]){by[n][0], by[n][1], by[n][2]}, by[n]);
		for (unsigned k = 0; k < dims; k++)
			by[n][k] *= t->normalized_coords || s->on_face ? (float)size[k] : 1.0f;
	}
	return texture_level_of(by[0], by[1], dims);
}

// The level that a lane reads, and how much of the next one. Without anything that says so it is the finest that the texture
// allows: that is what a level of -32 gives, with which ptxas says it.
static unsigned level_for(const struct texture *t, const uint8_t *fp, const struct uop *u, struct fetch how, const struct spot *s,
                          uint32_t i, uint32_t *mix)
{
	const struct texture_operands *o = operands(u);
	const uint32_t top = texture_levels(t) - 1;

	*mix = 0;
	if (!top)
		return 0;
	if (!how.real) {
		const uint32_t wanted = o->level ? ROW(const uint32_t, o->level)[i] : 0;

		return wanted < top ? wanted : top;
	}
	return texture_level(t, o->gradient[0][0] ? level_of_gradient(t, fp, u, how.dims, s, i)
	                        : o->level ? softfp_f32(ROW(const uint32_t, o->level)[i])
	                                   : -32, mix);
}

// The result of every lane of the mask into x[0..3]; to f16 if `half`.
FOLDED void fetch_lanes(const struct texture *t, uint8_t *fp, const struct uop *u, uint32_t mask, struct fetch how, bool half,
                        struct fe_result *out)
{
	const bool linear = how.real && t->filter == TEX_LINEAR_FILTER && t->kind != TEX_LINEAR && texture_yields_float(t);
	const unsigned dims = how.cube ? 2 : how.dims;

	EACH(i) {
		struct note note = {out, i, 0};
		struct texel v[2] = {{{0}}};
		struct spot s = spot_of(t, fp, u, how, i);
		uint32_t mix = 0;
		unsigned level = 0;

		if (texture_levels(t) > 1) {
			struct spot direction = s;

			direction.on_face = how.cube && t->cube;
			level = level_for(t, fp, u, how, &direction, i, &mix);
		}
		if (how.cube)
			onto_face(t, &s);
		for (unsigned n = 0; t->width && n < 1 + (mix != 0); n++) {
			const struct texture_level *m = &t->level[level + n];

			v[n] = linear ? fetch_linear(t, m, dims, &s, &note) : fetch_point(t, m, dims, &s, how.real, &note);
		}
		for (unsigned k = 0; mix && k < 4; k++) {
			const float part = (float)mix / 256.0f;
			const float sum = softfp_f32(v[0].bits[k]) * (1.0f - part) + softfp_f32(v[1].bits[k]) * part;

			v[0].bits[k] = texture_yields_float(t) ? softfp_bits_f32(softfp_canon_f32(sum)) : v[mix >= 128].bits[k];
		}
		for (unsigned k = 0; k < 4; k++)
			ROW(uint32_t, u->x[k])[i] = half ? softfp_f32_to_f16(softfp_f32(v[0].bits[k])) : v[0].bits[k];
	}
}

// Compilers make a fetch of two dimensions, at y = 0, of tex.1d, so that a texture of one cannot have looked at it.
FOLDED void fetch(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, struct fetch how, bool half)
{
	const struct texture *t;
	uint32_t left = mask;

	while ((t = next_texture(fp, u, w, &left, &mask))) {
		const bool line = how.dims == 1 || (how.dims == 2 && !t->height);

		if (line && t->kind == TEX_LINEAR && t->bits == 32 && !how.real && !half && !operands(u)->offset[0])
			fetch_words(fp, u, mask, t, w->touched);
		else if (line)
			fetch_lanes(t, fp, u, mask, (struct fetch){1, how.layered, false, how.real}, half, w->touched);
		else
			fetch_lanes(t, fp, u, mask, how, half, w->touched);
	}
}

// tld4: one channel of the four texels that a linear filter would weigh, against the clock from the lower left.
static void gather(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, struct fetch how, unsigned channel)
{
	static const int8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	const struct texture *t;
	uint32_t left = mask;

	while ((t = next_texture(fp, u, w, &left, &mask)))
		EACH(i) {
			const uint32_t size[2] = {extent(t->width), extent(t->height)};
			struct note note = {w->touched, i, 0};
			struct spot s = spot_of(t, fp, u, how, i);
			int32_t low[2];

			if (how.cube)
				onto_face(t, &s);
			for (unsigned k = 0; k < 2; k++)
				low[k] = floor_f32(in_texels(t, &s, k, size[k]) - 0.5f) + s.offset[k];
			for (unsigned n = 0; n < 4; n++) {
				const int32_t pos[3] = {low[0] + corner[n][0], low[1] + corner[n][1]};
				struct texel v = {{0}};

				if (t->width)
					v = s.on_face ? texel_of_cube(t, t->level, pos, s.layer, &note)
					              : texel_at(t, t->level, 2, pos, s.layer, &note);
				ROW(uint32_t, u->x[n])[i] = v.bits[channel];
			}
		}
}

// X(geometry, dimensions, layered)
#define GRIDS(X) X(1d, 1, false) X(2d, 2, false) X(3d, 3, false) X(a1d, 1, true) X(a2d, 2, true)
#define CUBES(X) X(cube, 3, false) X(acube, 3, true)

#define FETCH(name, dims, layered, cube, real, half) \
	BODY(name) { fetch(fp, u, mask, w, (struct fetch){dims, layered, cube, real}, half); }

#define X(geom, dims, layered)                                  \
	FETCH(tex_##geom##_real, dims, layered, false, true, false)    \
	FETCH(tex_##geom##_int, dims, layered, false, false, false)    \
	FETCH(tex_##geom##_real_half, dims, layered, false, true, true) \
	FETCH(tex_##geom##_int_half, dims, layered, false, false, true)
GRIDS(X)
#undef X
#define X(geom, dims, layered)                                  \
	FETCH(tex_##geom##_real, dims, layered, true, true, false)    \
	FETCH(tex_##geom##_real_half, dims, layered, true, true, true)
CUBES(X)
#undef X

#define GATHER(geom, dims, layered, cube, name, channel) \
	BODY(tld4_##geom##_##name) { gather(fp, u, mask, w, (struct fetch){dims, layered, cube, true}, channel); }
#define X(geom, dims, layered, cube)             \
	GATHER(geom, dims, layered, cube, r, 0)  \
	GATHER(geom, dims, layered, cube, g, 1)  \
	GATHER(geom, dims, layered, cube, b, 2)  \
	GATHER(geom, dims, layered, cube, a, 3)
X(2d, 2, false, false)
X(a2d, 2, true, false)
X(cube, 3, false, true)
X(acube, 3, true, true)
#undef X

// txq. The numbers of formats are those of OpenCL (PTX ISA, txq).
static uint32_t channel_data_type(const struct texture *t)
{
	enum { SNORM8 = 0x10d0, SNORM16, UNORM8, UNORM16, INT8 = 0x10d7, INT16, INT32, UINT8, UINT16, UINT32, HALF, FLOAT };
	const bool small = t->bits == 8;

	if (t->channel == TEX_FLOAT)
		return t->bits == 16 ? HALF : FLOAT;
	if (texture_yields_float(t)) {
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

// The level that a query names; one without names none.
static const struct texture_level *queried(const struct texture *t, const uint8_t *fp, const struct uop *u, uint32_t i)
{
	const uint32_t n = operands(u)->level ? ROW(const uint32_t, operands(u)->level)[i] : 0;

	return n < texture_levels(t) ? &t->level[n] : NULL;
}

#define QUERY(name, value)                                                                    \
	BODY(txq_##name)                                                                      \
	{                                                                                     \
		const struct texture *t;                                                      \
		uint32_t *rd = ROW(uint32_t, u->d), left = mask;                              \
		while ((t = next_texture(fp, u, w, &left, &mask)))                            \
			EACH(i)                                                               \
				rd[i] = (value);                                              \
	}
#define QUERY_LEVEL(name) QUERY(name, (queried(t, fp, u, i) ? queried(t, fp, u, i)->name : 0))
QUERY_LEVEL(width)
QUERY_LEVEL(height)
QUERY_LEVEL(depth)
QUERY(array_size, t->cube ? t->layers / TEX_FACES : t->layers)
QUERY(normalized_coords, t->normalized_coords)
QUERY(channel_data_type, channel_data_type(t))
QUERY(channel_order, channel_order(t))
QUERY(num_mipmap_levels, texture_levels(t))
QUERY(one, 1)
// suq: whether its texels lie as in linear memory.
QUERY(memory_layout, t->kind == TEX_LINEAR ? 1 : 0)

#define REAL_WORDS(prefix, geom)                                 \
	{prefix #geom ".v4.f32.f32", tex_##geom##_real},         \
	{prefix #geom ".v4.u32.f32", tex_##geom##_real},         \
	{prefix #geom ".v4.s32.f32", tex_##geom##_real},         \
	{prefix #geom ".v4.f16.f32", tex_##geom##_real_half},
#define WHOLE_WORDS(prefix, geom)                                \
	{prefix #geom ".v4.f32.s32", tex_##geom##_int},          \
	{prefix #geom ".v4.u32.s32", tex_##geom##_int},          \
	{prefix #geom ".v4.s32.s32", tex_##geom##_int},          \
	{prefix #geom ".v4.f16.s32", tex_##geom##_int_half},
#define PREFIXES(words, geom) words("tex.", geom) words("tex.base.", geom) words("tex.level.", geom) words("tex.grad.", geom)
#define REAL_ROWS(geom, dims, layered)  PREFIXES(REAL_WORDS, geom)
#define WHOLE_ROWS(geom, dims, layered) PREFIXES(WHOLE_WORDS, geom)

#define GATHER_ROWS(name, geom)                                  \
	{"tld4." #name "." #geom ".v4.f32.f32", tld4_##geom##_##name}, \
	{"tld4." #name "." #geom ".v4.u32.f32", tld4_##geom##_##name}, \
	{"tld4." #name "." #geom ".v4.s32.f32", tld4_##geom##_##name},
#define GATHERS(geom) GATHER_ROWS(r, geom) GATHER_ROWS(g, geom) GATHER_ROWS(b, geom) GATHER_ROWS(a, geom)

const struct exec_body EXEC_TABLE(tex)[] = {
	GRIDS(REAL_ROWS) GRIDS(WHOLE_ROWS) CUBES(REAL_ROWS)
	GATHERS(2d) GATHERS(a2d) GATHERS(cube) GATHERS(acube)
	{"txq.width.b32", txq_width},
	{"txq.height.b32", txq_height},
	{"txq.depth.b32", txq_depth},
	{"txq.level.width.b32", txq_width},
	{"txq.level.height.b32", txq_height},
	{"txq.level.depth.b32", txq_depth},
	{"txq.array_size.b32", txq_array_size},
	{"txq.normalized_coords.b32", txq_normalized_coords},
	{"txq.channel_data_type.b32", txq_channel_data_type},
	{"txq.channel_order.b32", txq_channel_order},
	{"txq.num_mipmap_levels.b32", txq_num_mipmap_levels},
	{"txq.num_samples.b32", txq_one},
	{"suq.width.b32", txq_width},
	{"suq.height.b32", txq_height},
	{"suq.depth.b32", txq_depth},
	{"suq.array_size.b32", txq_array_size},
	{"suq.channel_data_type.b32", txq_channel_data_type},
	{"suq.channel_order.b32", txq_channel_order},
	{"suq.memory_layout.b32", txq_memory_layout},
	{0},
};
