// What a texture or surface reference is bound to, and what the handle of a texture or surface object stands for.
#ifndef ISA_TEXTURE_H
#define ISA_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum tex_kind { TEX_NONE, TEX_LINEAR, TEX_PITCH2D, TEX_ARRAY };           // TEX_NONE: nothing bound
enum tex_address { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER };         // order of cudaTextureAddressMode
enum tex_filter { TEX_POINT, TEX_LINEAR_FILTER };                         // order of cudaTextureFilterMode
enum tex_channel { TEX_SIGNED, TEX_UNSIGNED, TEX_FLOAT };                 // order of cudaChannelFormatKind

enum {
	TEX_MAX_LEVELS = 16, // of 32768 texels, the most that a dimension of a mipmap has
	TEX_FACES = 6,       // of a cube, in the order +x -x +y -y +z -z
};

struct texture_level {
	uint64_t base;                  // device address of texel 0
	uint32_t width, height, depth;  // in texels; height and depth 0 where the dimension does not exist
	uint64_t pitch, slice;          // bytes from row to row, from slice (or layer) to slice
};

struct texture {
	const char *name;               // of the reference, for messages; NULL of objects
	enum tex_kind kind;
	union {
		struct { // the finest level
			uint64_t base;
			uint32_t width, height, depth;
			uint64_t pitch, slice;
		};
		struct texture_level level[TEX_MAX_LEVELS]; // each half as large as the one before it
	};
	uint8_t levels;                 // of a mipmap; 0 and 1: the finest alone
	uint32_t layers;                // 0 unless layered; of cubes the faces of all
	bool cube;
	bool tiled;                     // an array whose texels have addresses of tiles: texture_seen_at
	bool surface;                   // it can be written, by coordinates that are whole numbers
	uint8_t channels;               // 1, 2, 4
	uint8_t bits;                   // 8, 16, 32 per channel
	enum tex_channel channel;
	bool normalized_coords;
	bool read_normalized;           // integer texels become floats in [0,1] or [-1,1]
	bool srgb;                      // and the first three channels of them are made linear
	bool seamless;                  // a cube is filtered across its edges
	enum tex_filter filter, level_filter;
	float level_bias, level_min, level_max; // added to the level; between these it stays
	enum tex_address address[3];
	float border[4];
};

static inline unsigned texture_levels(const struct texture *t) { return t->levels ? t->levels : 1; }

#endif
