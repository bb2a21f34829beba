// The geometry and the formats of texels, by the CUDA C++ Programming Guide and by brute force.
#include "cuda-sim/exec/texture.h"
#include "cuda-sim/numbers/softfp.h"
#include "tests/unit/check_main.h"

#include <math.h>
#include <string.h>

// The direction through (s, t) of a face, both from -1 to 1, which may be beyond an edge: the guide's table the other way round.
static void direction(unsigned face, double s, double t, double d[3])
{
	const double to[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
	memcpy(d, to[face], sizeof to[face]);
}

// The guide's table: the face and place that a direction meets. Ties don't occur in what is asked here.
static unsigned place(const double d[3], double at[2])
{
	const double x = d[0], y = d[1], z = d[2], ax = fabs(x), ay = fabs(y), az = fabs(z);
	const unsigned face = ax > ay && ax > az ? x < 0 : ay > ax && ay > az ? 2 + (y < 0) : 4 + (z < 0);
	const double m[3] = {ax, ay, az}, s[6] = {-z, z, x, x, x, -x}, t[6] = {-y, -y, z, -z, -y, -y};
	at[0] = (s[face] / m[face / 2] + 1) / 2;
	at[1] = (t[face] / m[face / 2] + 1) / 2;
	return face;
}

START_TEST(a_direction_meets_the_face_of_the_table)
{
	for (unsigned face = 0; face < 6; face++)
		for (int i = -9; i <= 9; i++)
			for (int j = -9; j <= 9; j++) {
				double d[3], want[2];
				direction(face, i / 10.0, j / 10.0, d);
				const float f[3] = {(float)d[0] * 3, (float)d[1] * 3, (float)d[2] * 3};
				float at[2];
				ck_assert_uint_eq(place(d, want), face);
				ck_assert_uint_eq(texture_face(f, at), face);
				ck_assert(fabs((double)at[0] - want[0]) < 1e-6 && fabs((double)at[1] - want[1]) < 1e-6);
			}
	// Every direction has a face, also one along an edge and one that is none.
	const float odd[4][3] = {{1, 1, 1}, {-1, 1, -1}, {0, 0, 0}, {NAN, 1, INFINITY}};
	for (unsigned k = 0; k < 4; k++) {
		float at[2];
		ck_assert_uint_lt(texture_face(odd[k], at), TEX_FACES);
	}
}
END_TEST

// The texel beside an edge is the one whose face and place the direction through its centre meets.
START_TEST(across_an_edge_lies_the_texel_that_the_direction_meets)
{
	for (int n = 1; n <= 9; n++)
		for (unsigned face = 0; face < 6; face++)
			for (int along = 0; along < n; along++)
				for (unsigned edge = 0; edge < 4; edge++) {
					const int out = edge & 1 ? n : -1;
					int32_t pos[2] = {edge & 2 ? along : out, edge & 2 ? out : along};
					double d[3], at[2];
					direction(face, (2 * pos[0] + 1.0) / n - 1, (2 * pos[1] + 1.0) / n - 1, d);
					const unsigned want = place(d, at);
					ck_assert_uint_eq(texture_across(face, n, pos), want);
					ck_assert_int_eq(pos[0], (int)floor(at[0] * n));
					ck_assert_int_eq(pos[1], (int)floor(at[1] * n));
				}
}
END_TEST

START_TEST(the_derivatives_on_a_face_are_those_of_the_place)
{
	const float d[3] = {0.3f, -1.7f, 0.9f}, by[3] = {0.02f, 0.01f, -0.03f}, h = 1.0f / 64;
	const float next[3] = {d[0] + h * by[0], d[1] + h * by[1], d[2] + h * by[2]};
	float slope[2], a[2], b[2];
	texture_face_gradient(d, by, slope);
	ck_assert_uint_eq(texture_face(d, a), texture_face(next, b));
	for (unsigned k = 0; k < 2; k++)
		ck_assert(fabsf((b[k] - a[k]) / h - slope[k]) < 1e-3f);
}
END_TEST

START_TEST(levels)
{
	struct texture t = {.levels = 5, .level_filter = TEX_LINEAR_FILTER, .level_min = 0, .level_max = 100};
	static const struct {
		float wanted, bias, least, most;
		unsigned level, mix;
	} cases[] = {
		{0, 0, 0, 100, 0, 0},     {1.25f, 0, 0, 100, 1, 64},     {3.999f, 0, 0, 100, 3, 256}, {4, 0, 0, 100, 4, 0},
		{9, 0, 0, 100, 4, 0},     {-32, 3, 0, 100, 0, 0},        {-32, 3, 1.5f, 100, 1, 128}, {1, 0.5f, 0, 100, 1, 128},
		{1, 0, 0, 0, 0, 0},       {3, 0, 0, 2.25f, 2, 64},       {NAN, 0, 0.5f, 100, 0, 128}, {INFINITY, 0, 0, 100, 4, 0},
		{1, NAN, 0, 100, 0, 0},   {1, 0, NAN, 100, 0, 0},        {2, 0, 0, NAN, 2, 0},        {1, 0, 0, -5, 0, 0},
	};
	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
		uint32_t mix;
		t.level_bias = cases[n].bias;
		t.level_min = cases[n].least;
		t.level_max = cases[n].most;
		ck_assert_msg(texture_level(&t, cases[n].wanted, &mix) == cases[n].level && mix == cases[n].mix, "case %u: mix %u", n, mix);
	}
	t = (struct texture){.levels = 3, .level_max = 100};
	for (int k = -10; k < 60; k++) {
		uint32_t mix;
		const int want = k < 5 ? 0 : k < 15 ? 1 : 2; // to the nearest, upwards from the middle
		ck_assert_int_eq((int)texture_level(&t, (float)k / 10, &mix), want);
		ck_assert_uint_eq(mix, 0);
	}
	const float x[3] = {4, 3, 0}, y[3] = {0, 0, 20}, none[3] = {0};
	ck_assert_float_eq_tol(texture_level_of(x, none, 2), log2f(5), 1e-6f);
	ck_assert_float_eq_tol(texture_level_of(x, y, 3), log2f(20), 1e-6f);
	ck_assert_float_eq_tol(texture_level_of(x, y, 2), log2f(5), 1e-6f);
	ck_assert_float_le(texture_level_of(none, none, 3), -100);
}
END_TEST

START_TEST(colours_become_linear)
{
	for (int i = 0; i < 256; i++) {
		const double c = i / 255.0, want = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
		ck_assert(fabs((double)texture_from_srgb((float)i / 255) - want) < 1e-7);
	}
	ck_assert_float_eq(texture_from_srgb(0), 0);
	ck_assert_float_eq(texture_from_srgb(1), 1);
}
END_TEST

START_TEST(texels_are_made_of_channels)
{
	static const struct {
		unsigned bits;
		enum tex_channel channel;
		bool normalized;
		uint32_t value, want;
	} cases[] = {
		{8, TEX_UNSIGNED, false, 255, 255},          {8, TEX_UNSIGNED, false, 256, 255},        {8, TEX_UNSIGNED, false, 0xffffffff, 255},
		{8, TEX_SIGNED, false, 127, 127},            {8, TEX_SIGNED, false, 200, 127},          {8, TEX_SIGNED, false, (uint32_t)-128, 0x80},
		{8, TEX_SIGNED, false, (uint32_t)-500, 0x80}, {16, TEX_UNSIGNED, false, 70000, 65535},  {16, TEX_SIGNED, false, (uint32_t)-40000, 0x8000},
		{32, TEX_UNSIGNED, false, 0xdeadbeef, 0xdeadbeef}, {32, TEX_SIGNED, false, 0x80000000, 0x80000000}, {32, TEX_FLOAT, false, 0x7fc12345, 0x7fc12345},
		{16, TEX_FLOAT, false, 0x3fc00000, 0x3e00},  {16, TEX_FLOAT, false, 0x7f800000, 0x7c00}, {8, TEX_UNSIGNED, true, 0x3f800000, 255},
		{8, TEX_UNSIGNED, true, 0x3f000000, 128},    {8, TEX_UNSIGNED, true, 0xbf800000, 0},    {8, TEX_UNSIGNED, true, 0x7fc00000, 0},
		{8, TEX_SIGNED, true, 0xbf800000, 0x81},     {8, TEX_SIGNED, true, 0xc0000000, 0x81},   {16, TEX_UNSIGNED, true, 0x3f800000, 65535},
		{16, TEX_SIGNED, true, 0x3f800000, 0x7fff},
	};
	for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++)
		for (unsigned channels = 1; channels <= 4; channels *= 2) {
			const struct texture t = {.channels = (uint8_t)channels, .bits = (uint8_t)cases[n].bits, .channel = cases[n].channel,
			                          .read_normalized = cases[n].normalized};
			const uint32_t v[4] = {cases[n].value, cases[n].value, cases[n].value, cases[n].value};
			uint8_t got[16] = {0};
			ck_assert_uint_eq(texture_encode(&t, v, got), channels * cases[n].bits / 8);
			for (unsigned k = 0; k < channels; k++) {
				uint32_t one = 0;
				memcpy(&one, got + k * cases[n].bits / 8, cases[n].bits / 8);
				ck_assert_msg(one == cases[n].want, "case %u: %x, not %x", n, one, cases[n].want);
			}
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("texture");
	TCase *t = tcase_create("texture");
	tcase_add_test(t, a_direction_meets_the_face_of_the_table);
	tcase_add_test(t, across_an_edge_lies_the_texel_that_the_direction_meets);
	tcase_add_test(t, the_derivatives_on_a_face_are_those_of_the_place);
	tcase_add_test(t, levels);
	tcase_add_test(t, colours_become_linear);
	tcase_add_test(t, texels_are_made_of_channels);
	suite_add_tcase(s, t);
	return check_main(s);
}
