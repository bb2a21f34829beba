#include "cuda-sim/exec/texture.h"

#include "cuda-sim/exec/warp.h"
#include "cuda-sim/numbers/dmath.h"

#include <stdio.h>
#include <string.h>

// --- cubes

// The axes of a face: which component of a direction is the major one, which become s and t, and their signs.
static const struct face {
	uint8_t major, s, t;
	int8_t major_sign, s_sign, t_sign;
} faces[TEX_FACES] = {
	{0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1}, {1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1}, {2, 0, 1, -1, -1, -1},
};

// Of components of equal size the later axis wins.
static uint32_t face_of(const float d[3])
{
	const float x = d[0] < 0 ? -d[0] : d[0], y = d[1] < 0 ? -d[1] : d[1], z = d[2] < 0 ? -d[2] : d[2];
	const unsigned major = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
	return 2 * major + (d[major] < 0);
}

uint32_t texture_face(const float d[3], float at[2])
{
	const uint32_t n = face_of(d);
	const struct face *f = &faces[n];
	const float m = d[f->major] * f->major_sign;
	at[0] = (d[f->s] * f->s_sign / m + 1) / 2;
	at[1] = (d[f->t] * f->t_sign / m + 1) / 2;
	return n;
}

void texture_face_gradient(const float d[3], const float by[3], float at[2])
{
	const struct face *f = &faces[face_of(d)];
	const float m = d[f->major] * f->major_sign, dm = by[f->major] * f->major_sign;
	at[0] = (by[f->s] * f->s_sign * m - d[f->s] * f->s_sign * dm) / (2 * m * m);
	at[1] = (by[f->t] * f->t_sign * m - d[f->t] * f->t_sign * dm) / (2 * m * m);
}

// In units of half a texel the centre of texel i is at 2 i + 1 - n from the middle of a face, which is n away from the cube's.
uint32_t texture_across(uint32_t face, int32_t n, int32_t pos[2])
{
	const struct face *f = &faces[face];
	int64_t d[3];
	d[f->major] = (int64_t)n * f->major_sign;
	d[f->s] = (2 * (int64_t)pos[0] + 1 - n) * f->s_sign;
	d[f->t] = (2 * (int64_t)pos[1] + 1 - n) * f->t_sign;
	const unsigned major = pos[0] < 0 || pos[0] >= n ? f->s : f->t;
	const uint32_t to = 2 * major + (d[major] < 0);
	const struct face *g = &faces[to];
	const int64_t m = d[major] * g->major_sign;
	pos[0] = (int32_t)((d[g->s] * g->s_sign * n + m * n) / (2 * m));
	pos[1] = (int32_t)((d[g->t] * g->t_sign * n + m * n) / (2 * m));
	return to;
}

// --- levels

float texture_level_of(const float by_x[3], const float by_y[3], unsigned n)
{
	double x = 0, y = 0;
	for (unsigned k = 0; k < n; k++) {
		x += (double)by_x[k] * (double)by_x[k];
		y += (double)by_y[k] * (double)by_y[k];
	}
	const double most = y > x ? y : x;
	return most > 0 ? (float)(dm_log2(most) / 2) : -128;
}

unsigned texture_level(const struct texture *t, float wanted, uint32_t *mix)
{
	const float top = (float)(texture_levels(t) - 1);
	float level = wanted + t->level_bias;
	*mix = 0;
	if (!(level > t->level_min)) // NaN too
		level = t->level_min;
	if (level > t->level_max)
		level = t->level_max;
	if (!(level > 0))
		level = 0;
	if (level > top)
		level = top;
	if (t->level_filter == TEX_POINT)
		return (unsigned)(level + 0.5f);
	const unsigned fine = (unsigned)level;
	*mix = (uint32_t)((level - (float)fine) * 256 + 0.5f);
	return fine;
}

// --- formats

// IEC 61966-2-1
float texture_from_srgb(float v)
{
	const double c = (double)v;
	return (float)(c <= 0.04045 ? c / 12.92 : dm_pow((c + 0.055) / 1.055, 2.4));
}

static int64_t within(int64_t v, int64_t low, int64_t high) { return v < low ? low : v > high ? high : v; }

// A float as an integer of which `most` stands for 1, to nearest even.
static uint32_t from_float(uint32_t bits, bool is_signed, int64_t most)
{
	const float f = softfp_f32(bits), low = is_signed ? -1.0f : 0.0f;
	const float in = f != f ? 0 : f < low ? low : f > 1 ? 1 : f;
	return (uint32_t)(int64_t)dm_rint((double)in * (double)most);
}

// Integers that do not fit become the nearest that do.
static uint32_t encode_channel(const struct texture *t, uint32_t v)
{
	const int64_t most = ((int64_t)1 << (t->bits - (t->channel == TEX_SIGNED))) - 1;
	if (t->channel == TEX_FLOAT)
		return t->bits == 16 ? softfp_f32_to_f16(softfp_f32(v)) : v;
	if (texture_yields_float(t))
		return from_float(v, t->channel == TEX_SIGNED, most);
	if (t->channel == TEX_SIGNED)
		return (uint32_t)within((int32_t)v, -most - 1, most);
	return (uint32_t)within(v, 0, most);
}

unsigned texture_encode(const struct texture *t, const uint32_t channel[4], uint8_t *to)
{
	const unsigned bytes = t->bits / 8u;
	for (unsigned k = 0; k < t->channels; k++) {
		const uint32_t v = encode_channel(t, channel[k]);
		memcpy(to + k * bytes, &v, bytes); // hosts are little-endian, as the device is
	}
	return t->channels * bytes;
}

// --- which texture, and whether it can be used

const struct texture *texture_of_lane(const struct warp *w, const struct texture_operands *o, unsigned lane)
{
	const struct kernel_services *s = w->cta->launch->services;
	if (o->reference)
		return o->reference;
	return s && s->texture ? s->texture(s->ctx, texture_handle(w->fp, o, lane)) : NULL;
}

// The texture in words, for messages. Machine code has handles of references too.
static const char *describe(const struct warp *w, const struct texture *t, const struct texture_operands *o, unsigned lane, char *buf, size_t len)
{
	const char *what = t->surface ? "surface" : "texture";
	if (!o->reference && !t->name)
		snprintf(buf, len, "%s object 0x%llx", what, (unsigned long long)texture_handle(w->fp, o, lane));
	else
		snprintf(buf, len, "%s reference '%s'", what, t->name ? t->name : "?");
	return buf;
}

static uint32_t at_least_1(uint32_t n) { return n ? n : 1; }

bool texture_usable(struct warp *w, const struct uop *u, const struct texture *t, unsigned lane)
{
	const struct texture_operands *o = (const struct texture_operands *)(uintptr_t)u->imm;
	const struct texture_level *last = t ? &t->level[texture_levels(t) - 1] : NULL;
	char name[128];
	if (!t) {
		const unsigned long long handle = texture_handle(w->fp, o, lane);
		exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, handle,
		           "0x%llx is not the handle of a %s object, or the object is destroyed", handle, o->dims ? "surface" : "texture");
		return false;
	}
	if (t->kind == TEX_NONE) {
		exec_fault(w, u, FAULT_LAUNCH, lane, 0, "%s is not bound; %s binds it", describe(w, t, o, lane, name, sizeof name),
		           o->dims ? "cudaBindSurfaceToArray" : "cudaBindTexture or cudaBindTextureToArray");
		return false;
	}
	if (o->dims && !t->surface) {
		exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, 0, "%s is used as a surface", describe(w, t, o, lane, name, sizeof name));
		return false;
	}
	const uint64_t slices = t->layers ? t->layers : at_least_1(last->depth);
	const uint64_t end = last->base + (slices - 1) * last->slice + (at_least_1(last->height) - 1) * last->pitch +
	                     (uint64_t)last->width * texture_texel_bytes(t);
	if (t->width && !devmem_holds(w->cta->launch->mem, exec_hit(w, u), t->base, end)) {
		exec_fault(w, u, FAULT_ILLEGAL_ADDRESS, lane, t->base, "%s refers to memory that is not allocated (any more)",
		           describe(w, t, o, lane, name, sizeof name));
		return false;
	}
	return true;
}

// --- surfaces

enum surface_place texture_surface_at(const uint8_t *fp, const struct texture_operands *o, const struct texture *t, unsigned lane, uint64_t *addr)
{
	const unsigned texel = texture_texel_bytes(t), unit = o->formatted ? texel : 1, bytes = o->formatted ? texel : o->bytes;
	// Rows of a surface of one dimension are asked for at y = 0 by code that compilers make.
	const int64_t size[3] = {(int64_t)t->width * texel, at_least_1(t->height), at_least_1(t->depth)};
	const uint64_t step[3] = {unit, t->pitch, t->slice};
	*addr = t->base;
	for (unsigned k = 0; k < o->dims; k++) {
		int64_t i = ((const int32_t *)(fp + o->at[k]))[lane], most = size[k] - 1;
		if (k == 0) {
			if (!o->formatted && (uint64_t)i % bytes)
				return SURFACE_MISALIGNED;
			most = (size[0] - bytes) / unit;
		}
		if (i < 0 || i > most) {
			if (o->outside != SURFACE_CLAMP || most < 0)
				return SURFACE_OUTSIDE;
			i = i < 0 ? 0 : most;
		}
		*addr += (uint64_t)i * step[k];
	}
	if (o->layer) {
		uint32_t layer = ((const uint32_t *)(fp + o->layer))[lane], top = at_least_1(t->layers) - 1;
		if (layer > top && o->outside != SURFACE_CLAMP)
			return SURFACE_OUTSIDE;
		*addr += (layer > top ? top : layer) * t->slice;
	}
	return SURFACE_INSIDE;
}

void texture_surface_addresses(const struct warp *w, const struct texture_operands *o, uint32_t mask, uint64_t addr[WARP], unsigned *bytes)
{
	*bytes = o->bytes;
	for (unsigned i = 0; i < WARP; i++) {
		const struct texture *t = mask >> i & 1 ? texture_of_lane(w, o, i) : NULL;
		uint64_t at;
		addr[i] = 0;
		if (!t || !t->surface || t->kind == TEX_NONE || texture_surface_at(w->fp, o, t, i, &at) != SURFACE_INSIDE)
			continue;
		addr[i] = at;
		if (o->formatted && texture_texel_bytes(t) > *bytes)
			*bytes = texture_texel_bytes(t);
	}
}
