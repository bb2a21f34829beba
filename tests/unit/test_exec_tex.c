// Texture fetches against the formulas of the CUDA programming guide, computed in double precision.
#include "cuda-sim/exec/texture.h"
#include "tests/unit/exec_mem_fixture.h"

#include <math.h>
#include <stdio.h>

static struct fixture *f;
static enum exec_level level;
static struct texture tex;
static struct texture_operands where;

enum { W = 13, H = 6, D = 3, ROW_HANDLE = 5120 };

static void setup(int level_no, unsigned channels, unsigned bits, enum tex_channel channel)
{
	f = fix_new(1);
	level = (enum exec_level)level_no;
	tex = (struct texture){
		.kind = TEX_ARRAY, .base = f->dev[0], .width = W, .height = H, .channels = (uint8_t)channels,
		.bits = (uint8_t)bits, .channel = channel, .pitch = 256, .slice = 256 * H, .filter = TEX_POINT,
		.address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP}, .border = {5, 6, 7, 8},
	};
	f->range[0].size = 3 * 256 * H;
	f->range[0].end = f->range[0].base + f->range[0].size;
	where = (struct texture_operands){.reference = &tex, .at = {ROW_A, ROW_B, ROW_C}};
	f->uop.imm = (int64_t)(uintptr_t)&where;
	if (channel == TEX_FLOAT && bits == 32)
		for (unsigned i = 0; i < 3 * 256 * H / 4; i++)
			((float *)f->dev[0])[i] = (float)(int)(i * 2654435761u >> 20) / 16 - 100;
}

static double texel(long x, long y, long z, unsigned c)
{
	return ((float *)(f->dev[0] + (uint64_t)y * 256 + (uint64_t)z * 256 * H))[x * tex.channels + c];
}

static long fold(long i, long n, enum tex_address mode)
{
	if (i >= 0 && i < n)
		return i;
	if (mode == TEX_BORDER)
		return -1;
	if (mode == TEX_WRAP)
		return (i % n + n) % n;
	return i < 0 ? 0 : n - 1;
}

static double at(const long *i, unsigned dims, unsigned c)
{
	long n[3] = {W, H, D}, j[3] = {0};

	for (unsigned k = 0; k < dims; k++) {
		j[k] = fold(i[k], n[k], tex.normalized_coords || tex.address[k] >= TEX_MIRROR ? tex.address[k] : TEX_CLAMP);
		if (j[k] < 0)
			return tex.border[c];
	}
	return texel(j[0], j[1], j[2], c);
}

static double model(const float *coord, unsigned dims, unsigned c)
{
	double x[3] = {0}, r = 0;
	long n[3] = {W, H, D}, i[3] = {0};

	for (unsigned k = 0; k < dims; k++) {
		x[k] = coord[k];
		if (tex.normalized_coords) {
			if (tex.address[k] == TEX_WRAP)
				x[k] -= floor(x[k]);
			if (tex.address[k] == TEX_MIRROR)
				x[k] = fmod(floor(x[k]), 2) ? 1 - (x[k] - floor(x[k])) : x[k] - floor(x[k]);
			x[k] *= (double)n[k];
		}
		i[k] = (long)floor(x[k]);
	}
	if (tex.filter == TEX_POINT)
		return at(i, dims, c);
	for (unsigned corner = 0; corner < 8; corner++) {
		double part = 1;

		for (unsigned k = 0; k < 3; k++) {
			double b = x[k] - 0.5, w = floor((b - floor(b)) * 256 + 0.5) / 256;

			if (k >= dims) {
				part *= corner >> k & 1 ? 0 : 1;
				continue;
			}
			i[k] = (long)floor(b) + (corner >> k & 1);
			part *= corner >> k & 1 ? w : 1 - w;
		}
		if (part > 0)
			r += part * at(i, dims, c);
	}
	return r;
}

START_TEST(floats)
{
	static const char *const keys[] = {"tex.1d.v4.f32.f32", "tex.2d.v4.f32.f32", "tex.3d.v4.f32.f32"};

	for (unsigned n = 0; n < 3 * 2 * 2 * 4 * 3; n++) {
		unsigned dims = n % 3 + 1, channels = 1u << n / 48 % 3;
		int32_t row[3] = {ROW_A, ROW_B, ROW_C};
		uint64_t seed = n;
		uint32_t mask = fix_masks[n % FIX_MASKS];
		float c[WARP][3];

		setup(_i, channels, 32, TEX_FLOAT);
		tex.depth = dims == 3 ? D : 0;
		tex.height = dims >= 2 ? H : 0;
		tex.filter = n / 3 % 2 ? TEX_LINEAR_FILTER : TEX_POINT;
		tex.normalized_coords = n / 6 % 2;
		for (unsigned k = 0; k < 3; k++)
			tex.address[k] = (enum tex_address)((n / 12 + k) % 4);
		for (unsigned i = 0; i < WARP; i++) {
			for (unsigned k = 0; k < 3; k++) {
				// Multiples of 1/8 texel, about three times the range.
				static const unsigned size[] = {W, H, D};
				float v = (float)((int)(fix_random(&seed) % (24 * size[k])) - 8 * (int)size[k]) / 8 + 0.0625f;

				c[i][k] = tex.normalized_coords ? v / (float)size[k] : v;
				memcpy(f->frame + row[k] + 4 * i, &c[i][k], 4);
			}
		}
		fix_run(f, level, keys[dims - 1], mask);
		ck_assert(!f->warp->fault);
		for (unsigned i = 0; i < WARP; i++) {
			if (!(mask >> i & 1))
				continue;
			for (unsigned k = 0; k < channels; k++) {
				double want = model(c[i], dims, k), got = ((float *)(f->frame + f->uop.x[k]))[i];

				// Normalised coordinates are rounded: a weight may differ by one step of 1/256.
				ck_assert_msg(fabs(want - got) <= (tex.normalized_coords ? 4.0 : 1e-4),
				              "%s case %u lane %u channel %u: %g, expected %g", keys[dims - 1], n, i, k, got, want);
			}
		}
		free(f);
	}
}
END_TEST

START_TEST(formats)
{
	static const struct {
		unsigned bits;
		enum tex_channel channel;
		bool normalized;
		uint32_t raw, want;
	} cases[] = {
		{8, TEX_UNSIGNED, false, 0xfe, 0xfe},
		{8, TEX_SIGNED, false, 0xfe, 0xfffffffe},
		{16, TEX_UNSIGNED, false, 0xfffe, 0xfffe},
		{16, TEX_SIGNED, false, 0xfffe, 0xfffffffe},
		{32, TEX_UNSIGNED, false, 0xdeadbeef, 0xdeadbeef},
		{32, TEX_SIGNED, false, 0xdeadbeef, 0xdeadbeef},
		{8, TEX_UNSIGNED, true, 0xff, 0x3f800000},
		{8, TEX_SIGNED, true, 0x80, 0xbf800000},
		{8, TEX_SIGNED, true, 0x7f, 0x3f800000},
		{16, TEX_UNSIGNED, true, 0xffff, 0x3f800000},
		{16, TEX_SIGNED, true, 0x8000, 0xbf800000},
		{16, TEX_FLOAT, false, 0x3e00, 0x3fc00000},
		{16, TEX_FLOAT, false, 0x0001, 0x33800000},
		{16, TEX_FLOAT, false, 0xfc00, 0xff800000},
	};

	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
		for (unsigned channels = 1; channels <= 4; channels *= 2) {
			uint32_t *out;

			setup(_i, channels, cases[n].bits, cases[n].channel);
			tex.read_normalized = cases[n].normalized;
			for (unsigned k = 0; k < channels; k++)
				memcpy((uint8_t *)f->dev[0] + 256 + (3 * channels + k) * (cases[n].bits / 8), &cases[n].raw,
				       cases[n].bits / 8);
			((uint32_t *)(f->frame + ROW_A))[5] = 3;
			((uint32_t *)(f->frame + ROW_B))[5] = 1;
			fix_run(f, level, cases[n].normalized ? "tex.2d.v4.f32.s32" : "tex.2d.v4.u32.s32", 1u << 5);
			ck_assert(!f->warp->fault);
			for (unsigned k = 0; k < 4; k++) {
				out = (uint32_t *)(f->frame + f->uop.x[k]);
				ck_assert_uint_eq(out[5], k < channels ? cases[n].want : 0);
			}
			if (cases[n].want == 0x3f800000) { // 1.0 as f16
				fix_run(f, level, "tex.2d.v4.f16.s32", 1u << 5);
				ck_assert_uint_eq(*(uint16_t *)(f->frame + f->uop.x[0] + 4 * 5), 0x3c00);
			}
			free(f);
		}
	}
}
END_TEST

START_TEST(linear_memory)
{
	static const char *const keys[] = {"tex.1d.v4.f32.s32", "tex.1d.v4.u32.s32", "tex.1d.v4.s32.s32"};

	for (unsigned channels = 1; channels <= 4; channels *= 2) {
		setup(_i, channels, 32, TEX_UNSIGNED);
		tex.kind = TEX_LINEAR;
		tex.width = 50;
		tex.height = 0;
		f->uop.x[2] = ROW_A; // in place
		for (unsigned i = 0; i < WARP; i++)
			((int32_t *)(f->frame + ROW_A))[i] = (int)i * 2 - 4;
		fix_run(f, level, keys[channels % 3], FULL_MASK);
		ck_assert(!f->warp->fault);
		for (unsigned i = 0; i < WARP; i++)
			for (unsigned k = 0; k < 4; k++) {
				uint32_t got = ((uint32_t *)(f->frame + f->uop.x[k]))[i];
				bool in = i >= 2 && i < 27 && k < channels;

				ck_assert_uint_eq(got, in ? ((uint32_t *)f->dev[0])[(i * 2 - 4) * channels + k] : 0);
			}
		free(f);
	}
}
END_TEST

START_TEST(layers)
{
	setup(_i, 1, 32, TEX_FLOAT);
	tex.layers = 3;
	where.layer = ROW_A;
	where.at[0] = ROW_B;
	where.at[1] = ROW_C;
	for (unsigned i = 0; i < WARP; i++) {
		float x = 2.5f, y = 3.5f;

		((int32_t *)(f->frame + ROW_A))[i] = (int)i % 6 - 1;
		memcpy(f->frame + ROW_B + 4 * i, &x, 4);
		memcpy(f->frame + ROW_C + 4 * i, &y, 4);
	}
	fix_run(f, level, "tex.a2d.v4.f32.f32", FULL_MASK);
	for (int i = 0; i < WARP; i++) {
		int z = i % 6 - 1;

		ck_assert_float_eq(((float *)(f->frame + f->uop.x[0]))[i], (float)texel(2, 3, z < 0 || z > 2 ? 2 : z, 0));
	}
	free(f);
}
END_TEST

// Machine code fetches from a texture of one dimension with two coordinates, the second 0: the border is not mixed in.
START_TEST(second_coordinate)
{
	setup(_i, 1, 32, TEX_FLOAT);
	tex.height = 0;
	tex.filter = TEX_LINEAR_FILTER;
	tex.address[0] = tex.address[1] = TEX_BORDER;
	tex.normalized_coords = true;
	for (unsigned i = 0; i < WARP; i++) {
		float x = ((float)i + 0.75f) / 32, y = 0;

		memcpy(f->frame + ROW_A + 4 * i, &x, 4);
		memcpy(f->frame + ROW_B + 4 * i, &y, 4);
	}
	fix_run(f, level, "tex.2d.v4.f32.f32", FULL_MASK);
	for (unsigned i = 0; i < WARP; i++) {
		float x = ((float)i + 0.75f) / 32;

		ck_assert(fabs(((float *)(f->frame + f->uop.x[0]))[i] - model(&x, 1, 0)) < 1e-3);
	}
	free(f);
}
END_TEST

START_TEST(queries_and_faults)
{
	static const struct {
		const char *key;
		uint32_t want;
	} cases[] = {{"txq.width.b32", W}, {"txq.height.b32", H}, {"txq.depth.b32", 0}, {"txq.array_size.b32", 0},
	             {"txq.normalized_coords.b32", 0}, {"txq.channel_data_type.b32", 0x10de}, // CL_FLOAT
	             {"txq.channel_order.b32", 0x10b2}, {"txq.num_mipmap_levels.b32", 1}, {"txq.num_samples.b32", 1}};
	static const uint32_t wild[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x80000000, 1};

	setup(_i, 2, 32, TEX_FLOAT);
	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
		fix_run(f, level, cases[n].key, 1u << 7);
		ck_assert_uint_eq(((uint32_t *)(f->frame + ROW_D))[7], cases[n].want);
	}
	// Coordinates that are no numbers stay inside the texture.
	for (unsigned n = 0; n < 4 * 2 * 2; n++) {
		tex.normalized_coords = n & 1;
		tex.filter = n & 2 ? TEX_LINEAR_FILTER : TEX_POINT;
		tex.address[0] = tex.address[1] = (enum tex_address)(n / 4);
		for (unsigned i = 0; i < WARP; i++) {
			((uint32_t *)(f->frame + ROW_A))[i] = wild[i % 7];
			((uint32_t *)(f->frame + ROW_B))[i] = wild[(i + n) % 5];
		}
		fix_run(f, level, "tex.2d.v4.f32.f32", FULL_MASK);
		ck_assert(!f->warp->fault);
	}
	tex.base += 512;
	fix_run(f, level, "tex.level.2d.v4.f32.f32", FULL_MASK);
	ck_assert_int_eq(f->warp->fault, 0); // still inside
	tex.base += 4096;
	fix_run(f, level, "tex.2d.v4.f32.f32", FULL_MASK);
	ck_assert_int_eq(f->warp->fault, FAULT_ILLEGAL_ADDRESS);
	tex.kind = TEX_NONE;
	fix_run(f, level, "tex.2d.v4.f32.f32", FULL_MASK);
	ck_assert_int_eq(f->warp->fault, FAULT_LAUNCH);
	free(f);
}
END_TEST

static struct texture objects[3];

// The handles are 0x100, 0x101, 0x102.
static const struct texture *object(void *ctx, uint64_t handle)
{
	ck_assert_ptr_eq(ctx, objects);
	return handle - 0x100 < 3 ? &objects[handle - 0x100] : NULL;
}

static struct kernel_services services = {.ctx = objects, .texture = object};

static void setup_objects(int level_no, unsigned mixed)
{
	setup(level_no, 2, 32, TEX_FLOAT);
	for (unsigned k = 0; k < 3; k++) {
		objects[k] = tex;
		objects[k].base += 256 * k; // row y of object k is row y + k of object 0
		objects[k].height = H - k;
		objects[k].address[0] = objects[k].address[1] = TEX_BORDER;
	}
	f->launch.services = &services;
	where.reference = NULL;
	where.handle = ROW_HANDLE;
	where.wide_handle = true;
	for (unsigned i = 0; i < WARP; i++) {
		((uint64_t *)(f->frame + ROW_HANDLE))[i] = 0x100 + (mixed ? i % mixed : 1);
		((float *)(f->frame + ROW_A))[i] = (float)(int)(i % 16) - 0.5f;
		((float *)(f->frame + ROW_B))[i] = 2.5f;
	}
}

START_TEST(handles)
{
	for (unsigned n = 0; n < 3 * FIX_MASKS; n++) {
		unsigned mixed = n / FIX_MASKS;
		uint32_t mask = fix_masks[n % FIX_MASKS];

		setup_objects(_i, mixed);
		f->uop.x[1] = ROW_A; // in place
		memset(f->frame + ROW_X, 0xee, 512);
		fix_run(f, level, "tex.2d.v4.f32.f32", mask);
		ck_assert(!f->warp->fault);
		for (unsigned i = 0; i < WARP; i++) {
			long x = (long)(i % 16) - 1, k = mixed ? i % mixed : 1;
			float *got = (float *)(f->frame + ROW_X) + i;

			if (mask >> i & 1)
				ck_assert_float_eq(*got, (float)(x < 0 || x >= W ? tex.border[0] : texel(x, 2 + k, 0, 0)));
			else
				ck_assert_uint_eq(*(uint32_t *)got, 0xeeeeeeee);
		}
		fix_run(f, level, "txq.height.b32", mask);
		for (unsigned i = 0; i < WARP; i++)
			if (mask >> i & 1)
				ck_assert_uint_eq(((uint32_t *)(f->frame + ROW_D))[i], H - (mixed ? i % mixed : 1));
		free(f);
	}
}
END_TEST

START_TEST(bad_handles)
{
	static const uint64_t bad[] = {0, 0xff, 0x103, 0x100000100, UINT64_MAX};

	setup_objects(_i, 3);
	for (unsigned n = 0; n < sizeof bad / sizeof *bad; n++) {
		((uint64_t *)(f->frame + ROW_HANDLE))[9] = bad[n];
		fix_run(f, level, "tex.2d.v4.f32.f32", 0xff); // nobody asks for it
		ck_assert(!f->warp->fault);
		fix_run(f, level, "tex.2d.v4.f32.f32", FULL_MASK);
		ck_assert_int_eq(f->warp->fault, FAULT_ILLEGAL_ADDRESS);
		ck_assert_uint_eq(f->launch.fault.thread[0], 9);
		ck_assert_ptr_nonnull(strstr(f->launch.fault.text, "is not the handle of a texture object"));
		fix_run(f, level, "txq.width.b32", FULL_MASK);
		ck_assert_int_eq(f->warp->fault, FAULT_ILLEGAL_ADDRESS);
	}
	((uint64_t *)(f->frame + ROW_HANDLE))[9] = 0x100;
	objects[2].base += 1 << 20;
	fix_run(f, level, "tld4.r.2d.v4.f32.f32", FULL_MASK);
	ck_assert_int_eq(f->warp->fault, FAULT_ILLEGAL_ADDRESS);
	ck_assert_ptr_nonnull(strstr(f->launch.fault.text, "texture object 0x102 refers to memory"));
	f->launch.services = NULL;
	fix_run(f, level, "tex.2d.v4.f32.f32", FULL_MASK);
	ck_assert_int_eq(f->warp->fault, FAULT_ILLEGAL_ADDRESS);
	free(f);
}
END_TEST

START_TEST(gathers)
{
	static const long corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};

	setup(_i, 2, 32, TEX_FLOAT);
	for (unsigned i = 0; i < WARP; i++) {
		((float *)(f->frame + ROW_A))[i] = (float)i / 2 - 1.25f;
		((float *)(f->frame + ROW_B))[i] = 1.75f;
	}
	fix_run(f, level, "tld4.g.2d.v4.f32.f32", 0x7fffffff);
	ck_assert(!f->warp->fault);
	for (unsigned i = 0; i < WARP - 1; i++) {
		long low = (long)floor((double)i / 2 - 1.75);

		for (unsigned k = 0; k < 4; k++) {
			long x = fold(low + corner[k][0], W, TEX_CLAMP);

			ck_assert_float_eq(((float *)(f->frame + f->uop.x[k]))[i], (float)texel(x, 1 + corner[k][1], 0, 1));
		}
	}
	fix_run(f, level, "tld4.a.2d.v4.f32.f32", 1);
	ck_assert_float_eq(*(float *)(f->frame + ROW_X), 0); // there is no such channel
	free(f);
}
END_TEST

enum { ROW_OFFSET_X = 6144, ROW_OFFSET_Y = 6656, ROW_PACKED = 7168, ROW_LEVEL = 7680 };

// The index that an address mode makes of any whole number; -1: the border.
static long fold_far(long i, long n, enum tex_address mode)
{
	if (mode != TEX_MIRROR)
		return fold(i, n, mode);
	i = (i % (2 * n) + 2 * n) % (2 * n);
	return i < n ? i : 2 * n - 1 - i;
}

static double offset_texel(long x, long y)
{
	const enum tex_address mode = tex.normalized_coords || tex.address[0] == TEX_BORDER ? tex.address[0] : TEX_CLAMP;
	const long i = fold_far(x, W, mode), j = fold_far(y, H, mode);

	return i < 0 || j < 0 ? (double)tex.border[0] : texel(i, j, 0, 0);
}

// Offsets in rows, as PTX has them, and packed, as machine code has them; in fetches of both filters, and in gathers.
START_TEST(offsets)
{
	static const char *const keys[] = {"tex.2d.v4.f32.f32", "tex.2d.v4.f32.f32", "tld4.r.2d.v4.f32.f32"};

	for (unsigned n = 0; n < 4 * 2 * 3 * 2; n++) {
		const enum tex_address mode = (enum tex_address)(n % 4);
		const unsigned what = n / 8 % 3, packed = n / 24; // what: point, linear, gather
		uint64_t seed = n;
		float c[WARP][2];
		int off[WARP][2];

		setup(_i, 1, 32, TEX_FLOAT);
		tex.normalized_coords = n / 4 % 2;
		tex.filter = what == 1 ? TEX_LINEAR_FILTER : TEX_POINT;
		tex.address[0] = tex.address[1] = mode;
		where.offset[0] = packed ? ROW_PACKED : ROW_OFFSET_X;
		where.offset[1] = packed ? 0 : ROW_OFFSET_Y;
		where.packed = packed ? what == 2 ? 8 : 4 : 0;
		for (unsigned i = 0; i < WARP; i++) {
			for (unsigned k = 0; k < 2; k++) {
				const long size = k ? H : W;

				// Sixteenths of a texel off the places where filters change texels.
				c[i][k] = (float)(int)((long)(fix_random(&seed) % (uint64_t)(6 * size)) - 2 * size) + 0.1875f;
				off[i][k] = what == 2 ? (int)(fix_random(&seed) % 64) - 32 : (int)(fix_random(&seed) % 16) - 8;

				const float v = tex.normalized_coords ? c[i][k] / (float)size : c[i][k];

				memcpy(f->frame + (k ? ROW_B : ROW_A) + 4 * i, &v, 4);
				memcpy(f->frame + (k ? ROW_OFFSET_Y : ROW_OFFSET_X) + 4 * i, &off[i][k], 4);
			}
			((uint32_t *)(f->frame + ROW_PACKED))[i] =
				what == 2 ? ((uint32_t)off[i][0] & 63) | ((uint32_t)off[i][1] & 63) << 8
				          : ((uint32_t)off[i][0] & 15) | ((uint32_t)off[i][1] & 15) << 4;
		}
		fix_run(f, level, keys[what], FULL_MASK);
		ck_assert(!f->warp->fault);
		for (unsigned i = 0; i < WARP; i++) {
			const double x = (double)c[i][0] - (what ? 0.5 : 0), y = (double)c[i][1] - (what ? 0.5 : 0);
			const long l = (long)floor(x) + off[i][0], m = (long)floor(y) + off[i][1];
			const double a = x - floor(x), b = y - floor(y);
			double want = what == 1 ? (1 - a) * (1 - b) * offset_texel(l, m) + a * (1 - b) * offset_texel(l + 1, m) +
			                                  (1 - a) * b * offset_texel(l, m + 1) + a * b * offset_texel(l + 1, m + 1)
			                        : offset_texel(l, what == 2 ? m + 1 : m);
			const double got = (double)((float *)(f->frame + f->uop.x[0]))[i];

			// Normalised coordinates are rounded: a weight may differ by one step of 1/256.
			ck_assert_msg(fabs(want - got) <= (what == 1 && tex.normalized_coords ? 4 : 1e-4),
			              "case %u lane %u: %g, expected %g", n, i, got, want);
			if (what == 2)
				ck_assert_float_eq(((float *)(f->frame + f->uop.x[1]))[i], (float)offset_texel(l + 1, m + 1));
		}
		free(f);
	}
}
END_TEST

// The texel of a cube of 4 x 4 x 6 that direction d meets, by the guide's table.
static double cube_texel(const double d[3])
{
	const double x = d[0], y = d[1], z = d[2], ax = fabs(x), ay = fabs(y), az = fabs(z);
	const unsigned face = ax > ay && ax > az ? x < 0 : ay > ax && ay > az ? 2 + (y < 0) : 4 + (z < 0);
	const double m[3] = {ax, ay, az}, s[6] = {-z, z, x, x, x, -x}, t[6] = {-y, -y, z, -z, -y, -y};
	const long i = (long)((s[face] / m[face / 2] + 1) / 2 * 4), j = (long)((t[face] / m[face / 2] + 1) / 2 * 4);

	return ((float *)(f->dev[0] + face * tex.slice + (uint64_t)j * tex.pitch))[i];
}

// A filter near an edge weighs the texels that lie behind it on the next face, and in a corner the mean of three.
START_TEST(seamless_cubes)
{
	setup(_i, 1, 32, TEX_FLOAT);
	tex.width = tex.height = 4;
	tex.pitch = 32;
	tex.slice = 128;
	tex.layers = 6;
	tex.cube = tex.seamless = tex.normalized_coords = true;
	tex.filter = TEX_LINEAR_FILTER;
	for (unsigned face = 0; face < 6; face++)
		for (unsigned n = 0; n < 8; n++) {
			double want[WARP];

			for (unsigned i = 0; i < WARP; i++) {
				const double s = (i % 8 + 0.25) / 8, t = (n + 0.75) / 8, u = s * 4 - 0.5, v = t * 4 - 0.5;
				double sum = 0;

				for (unsigned k = 0; k < 4; k++) {
					const double cu = floor(u) + (k & 1), cv = floor(v) + (k >> 1);
					const double part = (k & 1 ? u - floor(u) : 1 - u + floor(u)) * (k >> 1 ? v - floor(v) : 1 - v + floor(v));
					const bool corner = (cu < 0 || cu > 3) && (cv < 0 || cv > 3);
					double one = 0;

					for (unsigned q = 0; q < (corner ? 3 : 1); q++) {
						const double iu = cu < 0 ? 0 : 3, iv = cv < 0 ? 0 : 3;
						const double a = ((corner && q != 1 ? iu : cu) * 2 + 1) / 4 - 1, b = ((corner && q != 2 ? iv : cv) * 2 + 1) / 4 - 1;
						const double to[6][3] = {{1, -b, -a}, {-1, -b, a}, {a, 1, b}, {a, -1, -b}, {a, -b, 1}, {-a, -b, -1}};

						one += cube_texel(to[face]);
					}
					sum += part * one / (corner ? 3 : 1);
				}
				want[i] = sum;

				const double a = 2 * s - 1, b = 2 * t - 1;
				const float to[6][3] = {{1, (float)-b, (float)-a}, {-1, (float)-b, (float)a}, {(float)a, 1, (float)b},
				                        {(float)a, -1, (float)-b}, {(float)a, (float)-b, 1}, {(float)-a, (float)-b, -1}};

				memcpy(f->frame + ROW_A + 4 * i, &to[face][0], 4);
				memcpy(f->frame + ROW_B + 4 * i, &to[face][1], 4);
				memcpy(f->frame + ROW_C + 4 * i, &to[face][2], 4);
			}
			fix_run(f, level, "tex.cube.v4.f32.f32", FULL_MASK);
			ck_assert(!f->warp->fault);
			for (unsigned i = 0; i < WARP; i++) {
				const double got = (double)((float *)(f->frame + f->uop.x[0]))[i];

				ck_assert_msg(fabs(got - want[i]) < 1e-3, "face %u, %u %u: %g, not %g", face, i, n, got, want[i]);
			}
		}
	free(f);
}
END_TEST

// Bytes of colours: red, green and blue are made linear, what lies behind them is not.
START_TEST(srgb)
{
	setup(_i, 4, 8, TEX_UNSIGNED);
	tex.read_normalized = tex.srgb = true;
	for (unsigned i = 0; i < 13 * 4; i++)
		((uint8_t *)f->dev[0])[i] = (uint8_t)(i * 5);
	for (unsigned i = 0; i < WARP; i++) {
		((int32_t *)(f->frame + ROW_A))[i] = (int)i % 13;
		((int32_t *)(f->frame + ROW_B))[i] = 0;
	}
	fix_run(f, level, "tex.2d.v4.f32.s32", FULL_MASK);
	for (unsigned i = 0; i < WARP; i++)
		for (unsigned k = 0; k < 4; k++) {
			const double c = ((uint8_t *)f->dev[0])[i % 13 * 4 + k] / 255.0, linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);

			ck_assert(fabs((double)((float *)(f->frame + f->uop.x[k]))[i] - (k < 3 ? linear : c)) < 1e-6);
		}
	free(f);
}
END_TEST

START_TEST(queries_of_levels)
{
	static const struct {
		const char *key;
		uint32_t want[3]; // of levels 0, 1 and 2, of which the last is not there
	} cases[] = {{"txq.level.width.b32", {W, W / 2, 0}}, {"txq.level.height.b32", {H, H / 2, 0}}, {"txq.num_mipmap_levels.b32", {2, 2, 2}},
	             {"suq.width.b32", {W, W / 2, 0}}, {"suq.array_size.b32", {2, 2, 2}}, {"suq.memory_layout.b32", {0, 0, 0}},
	             {"suq.channel_order.b32", {0x10b0, 0x10b0, 0x10b0}}, {"suq.channel_data_type.b32", {0x10de, 0x10de, 0x10de}}};

	setup(_i, 1, 32, TEX_FLOAT);
	tex.levels = 2;
	tex.level[1] = (struct texture_level){tex.base, W / 2, H / 2, 0, 256, 0};
	tex.layers = 12;
	tex.cube = true;
	tex.slice = 0;
	where.level = ROW_LEVEL;
	for (unsigned i = 0; i < WARP; i++)
		((uint32_t *)(f->frame + ROW_LEVEL))[i] = i % 3;
	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
		fix_run(f, level, cases[n].key, FULL_MASK);
		for (unsigned i = 0; i < WARP; i++)
			ck_assert_uint_eq(((uint32_t *)(f->frame + ROW_D))[i], cases[n].want[i % 3]);
	}
	free(f);
}
END_TEST

// Where timing sees the texels of an array in tiles: a line of 128 bytes has 32 bytes of each of four rows. What is read stays the same.
START_TEST(tiles)
{
	uint64_t seen[H][W];

	for (unsigned tiled = 0; tiled < 2; tiled++) {
		setup(_i, 1, 32, TEX_FLOAT);
		tex.tiled = tiled;
		for (unsigned first = 0; first < W * H; first += WARP) {
			struct fe_result out = {0};

			for (unsigned i = 0; i < WARP; i++) {
				((int32_t *)(f->frame + ROW_A))[i] = (int32_t)((first + i) % W);
				((int32_t *)(f->frame + ROW_B))[i] = (int32_t)((first + i) / W % H);
			}
			f->warp->touched = &out;
			fix_run(f, level, "tex.2d.v4.f32.s32", FULL_MASK);
			f->warp->touched = NULL;
			ck_assert_uint_eq(out.n_access, 1);
			ck_assert_int_eq(out.access[0].space, SPACE_TEX);
			for (unsigned i = 0; i < WARP; i++) {
				const unsigned x = (first + i) % W, y = (first + i) / W % H;

				seen[y][x] = out.access[0].addr[i] - tex.base;
				ck_assert(((float *)(f->frame + f->uop.x[0]))[i] == (float)texel(x, y, 0, 0));
			}
		}
		for (unsigned a = 0; a < W * H; a++)
			for (unsigned b = 0; b < W * H; b++) {
				const unsigned x = a % W, y = a / W, u = b % W, v = b / W;
				const bool same_line = seen[y][x] / 128 == seen[v][u] / 128, near = x / 8 == u / 8 && y / 4 == v / 4;

				ck_assert(a == b || seen[y][x] != seen[v][u]);
				ck_assert_int_eq(same_line, tiled ? near : y == v && x / 32 == u / 32);
			}
		free(f);
	}
}
END_TEST

// Slices follow each other as they do in rows: no two texels are at one place.
START_TEST(tiles_of_slices)
{
	uint64_t seen[D * H * W];
	struct fe_result out;

	setup(_i, 1, 32, TEX_FLOAT);
	tex.tiled = true;
	tex.depth = D;
	for (unsigned n = 0; n < D * H * W; n++) {
		((int32_t *)(f->frame + ROW_A))[0] = (int32_t)(n % W);
		((int32_t *)(f->frame + ROW_B))[0] = (int32_t)(n / W % H);
		((int32_t *)(f->frame + ROW_C))[0] = (int32_t)(n / W / H);
		out = (struct fe_result){0};
		f->warp->touched = &out;
		fix_run(f, level, "tex.3d.v4.f32.s32", 1);
		f->warp->touched = NULL;
		ck_assert_uint_eq(out.n_access, 1);
		seen[n] = out.access[0].addr[0];
		for (unsigned k = 0; k < n; k++)
			ck_assert_uint_ne(seen[k], seen[n]);
	}
	free(f);
}
END_TEST

// A row by itself has no tiles.
START_TEST(rows_are_not_tiled)
{
	struct fe_result out = {0};

	setup(_i, 1, 32, TEX_FLOAT);
	tex.tiled = true;
	tex.height = 0;
	for (unsigned i = 0; i < WARP; i++)
		((int32_t *)(f->frame + ROW_A))[i] = (int32_t)(i % W);
	f->warp->touched = &out;
	fix_run(f, level, "tex.1d.v4.f32.s32", FULL_MASK);
	f->warp->touched = NULL;
	for (unsigned i = 0; i < WARP; i++)
		ck_assert_uint_eq(out.access[0].addr[i], tex.base + i % W * 4);
	free(f);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {floats, formats, linear_memory, layers, second_coordinate, queries_and_faults,
	                                     handles, bad_handles, gathers, offsets, seamless_cubes, srgb, queries_of_levels, tiles,
	                                     tiles_of_slices, rows_are_not_tiled};

	return fix_main("exec_tex", tests, sizeof tests / sizeof *tests);
}
