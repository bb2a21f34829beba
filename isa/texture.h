// What a texture reference is bound to, and what the handle of a texture object stands for.
#ifndef ISA_TEXTURE_H
#define ISA_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

enum tex_kind { TEX_NONE, TEX_LINEAR, TEX_PITCH2D, TEX_ARRAY };           // TEX_NONE: nothing bound
enum tex_address { TEX_WRAP, TEX_CLAMP, TEX_MIRROR, TEX_BORDER };         // order of cudaTextureAddressMode
enum tex_filter { TEX_POINT, TEX_LINEAR_FILTER };                         // order of cudaTextureFilterMode
enum tex_channel { TEX_SIGNED, TEX_UNSIGNED, TEX_FLOAT };                 // order of cudaChannelFormatKind

struct texture {
	const char *name;               // of the texture reference, for messages; NULL of texture objects
	enum tex_kind kind;
	uint64_t base;                  // device address of texel 0
	uint32_t width, height, depth;  // in texels; height and depth 0 where the dimension does not exist
	uint32_t layers;                // 0 unless layered
	uint64_t pitch, slice;          // bytes from row to row, from slice (or layer) to slice
	uint8_t channels;               // 1, 2, 4
	uint8_t bits;                   // 8, 16, 32 per channel
	enum tex_channel channel;
	bool normalized_coords;
	bool read_normalized;           // integer texels become floats in [0,1] or [-1,1]
	enum tex_filter filter;
	enum tex_address address[3];
	float border[4];
};

#endif
