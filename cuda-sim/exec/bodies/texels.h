// One texel of a texture: where it is, what its channels are worth, and who wants to know that it was read.
#ifndef CUDA_SIM_EXEC_BODIES_TEXELS_H
#define CUDA_SIM_EXEC_BODIES_TEXELS_H

#include "cuda-sim/exec/lanes.h"
#include "cuda-sim/exec/texture.h"
#include "cuda-sim/numbers/softfp.h"

struct texel {
	uint32_t bits[4]; // of an f32 if the texture yields floats, else an integer
};

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
		v.bits[k] = texture_yields_float(t) ? softfp_bits_f32(t->border[k]) : 0;
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

// Where a texel of a tiled array is seen, by its byte in the row, its row and its slice or layer. Arrays lie in rows one behind the
// other here, and in tiles of 64 bytes by 8 rows on a GPU; in a tile sectors are of 16 bytes by 2 rows (block-linear surfaces, Tegra X1
// Technical Reference Manual). Nothing is read at such an address: timing alone sees it.
static uint64_t texture_seen_at(const struct texture_level *m, uint64_t row_bytes, uint64_t x, uint64_t y, uint64_t sheet)
{
	enum { BYTES = 64, ROWS = 8, TILE = BYTES * ROWS };
	const uint64_t tiles = (row_bytes + BYTES - 1) / BYTES, strips = ((uint64_t)m->height + ROWS - 1) / ROWS;
	const uint64_t tile = (sheet * strips + y / ROWS) * tiles + x / BYTES;

	return m->base + tile * TILE + x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
}

// The texel at integer coordinates of a level; those out of range are handled as the texture's address mode says.
static struct texel texel_at(const struct texture *t, const struct texture_level *m, unsigned dims, const int32_t pos[3],
                             uint32_t layer, struct note *note)
{
	const uint32_t size[3] = {extent(m->width), extent(m->height), extent(m->depth)};
	const uint64_t step[3] = {texture_texel_bytes(t), m->pitch, m->slice};
	uint64_t at = m->base + layer * m->slice;
	uint64_t place[3] = {0};
	struct texel v = {{0}};

	for (unsigned k = 0; k < dims; k++) {
		int64_t i = pos[k], n = size[k];

		if (i < 0 || i >= n) {
			if (t->kind == TEX_LINEAR)
				return v;
			if (t->address[k] == TEX_BORDER)
				return border_texel(t);
			if (t->address[k] == TEX_WRAP && t->normalized_coords) {
				i = (i % n + n) % n;
			} else if (t->address[k] == TEX_MIRROR && t->normalized_coords) {
				i = (i % (2 * n) + 2 * n) % (2 * n);
				i = i < n ? i : 2 * n - 1 - i;
			} else {
				i = i < 0 ? 0 : n - 1;
			}
		}
		place[k] = (uint64_t)i;
		at += (uint64_t)i * step[k];
	}
	if (note->out) {
		uint64_t seen = at;

		if (t->tiled && m->height)
			seen = texture_seen_at(m, size[0] * step[0], place[0] * step[0], place[1], layer + place[2]);
		note_texel(note, seen, (unsigned)step[0]);
	}
	for (unsigned k = 0; k < t->channels; k++)
		v.bits[k] = channel_value(t, (const uint8_t *)at + k * (t->bits / 8u));
	for (unsigned k = 0; t->srgb && k < t->channels && k < 3; k++)
		v.bits[k] = softfp_bits_f32(texture_from_srgb(softfp_f32(v.bits[k])));
	return v;
}

// A texel of a cube's face, `layer`, that a filter asks for. Beyond an edge it is that of the next face, and where three faces
// meet the mean of theirs, unless the texture has its address mode at edges.
static struct texel texel_of_cube(const struct texture *t, const struct texture_level *m, const int32_t pos[3], uint32_t layer,
                                  struct note *note)
{
	const int32_t n = (int32_t)extent(m->width);
	const uint32_t face = layer % TEX_FACES, first = layer - face;
	const bool out[2] = {pos[0] < 0 || pos[0] >= n, pos[1] < 0 || pos[1] >= n};
	int32_t in[2] = {pos[0] < 0 ? 0 : pos[0] >= n ? n - 1 : pos[0], pos[1] < 0 ? 0 : pos[1] >= n ? n - 1 : pos[1]};
	struct texel v, beside[2];

	if (!t->seamless || (!out[0] && !out[1]))
		return texel_at(t, m, 2, pos, layer, note);
	for (unsigned k = 0; k < 2; k++) {
		int32_t at[3] = {k ? in[0] : pos[0], k ? pos[1] : in[1], 0};

		if (out[k]) {
			const uint32_t to = texture_across(face, n, at);

			beside[k] = texel_at(t, m, 2, at, first + to, note);
		}
	}
	if (!out[0] || !out[1])
		return beside[out[1]];
	v = texel_at(t, m, 2, (const int32_t[3]){in[0], in[1], 0}, layer, note);
	for (unsigned c = 0; c < 4 && texture_yields_float(t); c++)
		v.bits[c] = softfp_bits_f32(softfp_canon_f32(
			(softfp_f32(v.bits[c]) + softfp_f32(beside[0].bits[c]) + softfp_f32(beside[1].bits[c])) / 3));
	return v;
}

#endif
