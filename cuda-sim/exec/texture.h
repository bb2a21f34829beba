// Texture and surface instructions: where their operands stand, and the geometry and formats of texels, in calculations that give
// the same on every host.
#ifndef CUDA_SIM_EXEC_TEXTURE_H
#define CUDA_SIM_EXEC_TEXTURE_H

#include "cuda-sim/exec/uop.h"
#include "isa/texture.h"

struct fe_result;
struct warp;

// What uop.imm of a texture or surface instruction points to. A row of 0: there is no such operand.
struct texture_operands {
	const struct texture *reference; // NULL: each lane has the handle of an object
	int32_t handle;                  // row of the handles
	bool wide_handle;                // they have 8 bytes a lane, else 4
	uint8_t packed;                  // offset[0] holds all offsets, so many bits apart: 4, or 8 of which the lower 6 count
	int32_t at[3];                   // coordinates
	int32_t layer;
	int32_t level;                   // of a mipmap: a number of the type that the coordinates have
	int32_t gradient[2][3];          // derivatives of the coordinates, by the screen's x and y; both or none
	int32_t offset[3];               // in texels, integers

	// Surfaces. Coordinates are integers, x counts bytes or, if `formatted`, texels.
	uint8_t dims;
	uint8_t outside;                 // enum surface_outside
	uint8_t bytes;                   // of an access, unless `formatted`
	bool formatted;
	exec_fn *access;                 // what is done to memory at the addresses in row uop.a: see bodies/surf.c
	exec_fn *access_signed;          // the same for surfaces of signed integers
};

enum surface_outside { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };

static inline uint64_t texture_handle(const uint8_t *fp, const struct texture_operands *o, unsigned lane)
{
	return o->wide_handle ? ((const uint64_t *)(fp + o->handle))[lane] : ((const uint32_t *)(fp + o->handle))[lane];
}

static inline unsigned texture_texel_bytes(const struct texture *t) { return t->channels * t->bits / 8u; }

// True if what a fetch gives are floats, to which filters apply.
static inline bool texture_yields_float(const struct texture *t)
{
	return t->channel == TEX_FLOAT || (t->read_normalized && t->bits < 32);
}

// The face of a cube that direction d goes through, and where on it, from 0 to 1 (CUDA C++ Programming Guide, "Cubemap Textures").
uint32_t texture_face(const float d[3], float at[2]);

// The derivatives of where on the face a direction goes through it, of those of the direction.
void texture_face_gradient(const float d[3], const float by[3], float at[2]);

// The texel beside a face, `pos` of it being out of the range [0, n) in one dimension: the face that it lies on, and `pos` there.
uint32_t texture_across(uint32_t face, int32_t n, int32_t pos[2]);

// The level whose texels are as far apart as the steps of `n` coordinates, which are in texels of the finest level.
float texture_level_of(const float by_x[3], const float by_y[3], unsigned n);

// The level to fetch from: `wanted` with the texture's bias, and within its bounds. If the texture mixes two levels, *mix is the
// part of the next one in units of 1/256, else 0.
unsigned texture_level(const struct texture *t, float wanted, uint32_t *mix);

float texture_from_srgb(float v); // of [0,1], to [0,1]

// A texel as memory has it, at most 16 bytes, of four channels as sust.p gives them. Returns how many bytes.
unsigned texture_encode(const struct texture *t, const uint32_t channel[4], uint8_t *to);

// Where each lane of `mask` goes in its surface; the lanes that go nowhere, as they are outside or have no surface, get 0. *bytes:
// of an access. Nothing is reported.
void texture_surface_addresses(const struct warp *w, const struct texture_operands *o, uint32_t mask, uint64_t addr[WARP], unsigned *bytes);

// The surface or texture of a lane; NULL if there is none. Not checked.
const struct texture *texture_of_lane(const struct warp *w, const struct texture_operands *o, unsigned lane);

// True if a texture or surface may be used; else the fault has been recorded at `lane`.
bool texture_usable(struct warp *w, const struct uop *u, const struct texture *t, unsigned lane);

enum surface_place { SURFACE_INSIDE, SURFACE_OUTSIDE, SURFACE_MISALIGNED };

// Where a lane goes in surface t.
enum surface_place texture_surface_at(const uint8_t *fp, const struct texture_operands *o, const struct texture *t, unsigned lane, uint64_t *addr);

#endif
