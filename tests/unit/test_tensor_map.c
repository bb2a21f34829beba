// Tensor maps: that the 128 bytes are those which machine code of tensormap.replace changes, the rules of cuTensorMapEncode, and which
// bytes a copy moves, against a loop over single elements.
#include "cuda-sim/tensor/tile.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct tensor_map example(void)
{
	return (struct tensor_map){.mode = TENSOR_MAP_TILE, .type = TENSOR_MAP_F16, .rank = 4, .swizzle = TENSOR_MAP_128B, .nan = true, .promotion = 2,
	                           .address = 0x7f0012345670, .size = {200, 31, 7, (uint64_t)1 << 32}, .stride = {416, 0x1234567890, 32},
	                           .box = {64, 8, 256, 2}, .step = {1, 2, 8, 5}};
}

static uint32_t word(const uint8_t *map, unsigned at)
{
	uint32_t v;
	memcpy(&v, map + at, sizeof v);
	return v;
}

// What code of ptxas 13.0 for sm_90a computes with. Kernels that set every field of zeroes leave the mode of tiles 0.
START_TEST(bytes_are_those_of_machine_code)
{
	struct tensor_map m = example();
	uint8_t b[TENSOR_MAP_BYTES];
	tensor_map_encode(&m, b);
	ck_assert_uint_eq(word(b, 0), 0x12345670);
	ck_assert_uint_eq(word(b, 4), 0x7f00);
	ck_assert_uint_eq(word(b, 8) & 0x19ffff, 3u << 4 | 6u << 7 | 3u << 13 | 1u << 15);
	ck_assert_uint_eq(word(b, 12), 416 / 16);
	ck_assert_uint_eq(word(b, 16), 0x23456789);
	ck_assert_uint_eq(word(b, 20), 2);
	ck_assert_uint_eq(word(b, 0x1c), 0x10);
	ck_assert_uint_eq(word(b, 0x20), 199);
	ck_assert_uint_eq(word(b, 0x24), 30);
	ck_assert_uint_eq(word(b, 0x2c), 0xffffffff);
	ck_assert_uint_eq(word(b, 0x34), 63u << 24 | 1 << 3 | 7 << 6 | 4 << 9);
	ck_assert_uint_eq(word(b, 0x38), 7 | 255 << 8 | 1 << 16);
}
END_TEST

static void there_and_back(const struct tensor_map *m)
{
	uint8_t b[TENSOR_MAP_BYTES], c[TENSOR_MAP_BYTES];
	struct tensor_map back;
	tensor_map_encode(m, b);
	tensor_map_decode(b, &back);
	ck_assert_ptr_null(tensor_map_wrong(&back, 100));
	tensor_map_encode(&back, c);
	ck_assert_mem_eq(b, c, sizeof b);
	ck_assert_int_eq(back.type, m->type);
	ck_assert_int_eq(back.rank, m->rank);
	ck_assert_mem_eq(back.size, m->size, m->rank * sizeof *m->size);
	ck_assert_mem_eq(back.stride, m->stride, (m->rank - 1u) * sizeof *m->stride);
	ck_assert_int_eq(back.mode, m->mode);
	if (m->mode != TENSOR_MAP_TILE) {
		ck_assert_mem_eq(back.lower, m->lower, sizeof m->lower);
		ck_assert_mem_eq(back.upper, m->upper, sizeof m->upper);
		ck_assert_uint_eq(back.pixels, m->pixels);
		ck_assert_uint_eq(back.channels, m->channels);
	}
}

START_TEST(maps_go_there_and_back)
{
	struct tensor_map m = example();
	there_and_back(&m);
	for (m.type = TENSOR_MAP_F16; m.type <= TENSOR_MAP_TF32_FTZ; m.type++) {
		m.box[0] = 16;
		there_and_back(&m);
	}
	m = example();
	m.mode = TENSOR_MAP_IM2COL;
	m.size[3] = 9;
	m.channels = 64;
	m.pixels = 1024;
	for (m.rank = 3; m.rank <= 5; m.rank++) {
		const int limit = m.rank == 3 ? 32768 : m.rank == 4 ? 128 : 16;
		m.size[4] = m.step[4] = 3;
		m.stride[3] = 64;
		for (unsigned k = 0; k < m.rank - 2u; k++)
			m.lower[k] = -limit, m.upper[k] = limit - 1;
		there_and_back(&m);
		m.lower[0] = -limit - 1;
		ck_assert_ptr_nonnull(tensor_map_wrong(&m, 90));
	}
}
END_TEST

#define REFUSED(change)                                                  \
	do {                                                             \
		struct tensor_map m = example();                         \
		ck_assert_ptr_null(tensor_map_wrong(&m, 90));            \
		change;                                                  \
		ck_assert_msg(tensor_map_wrong(&m, 90) != NULL, #change); \
	} while (0)

START_TEST(rules_are_kept)
{
	REFUSED(m.address += 8);
	REFUSED(m.rank = 0);
	REFUSED(m.rank = 6);
	REFUSED(m.size[2] = 0);
	REFUSED(m.size[2] = ((uint64_t)1 << 32) + 1);
	REFUSED(m.stride[1] = 24);
	REFUSED(m.stride[1] = (uint64_t)1 << 40);
	REFUSED(m.box[1] = 0);
	REFUSED(m.box[1] = 257);
	REFUSED(m.box[0] = 60);
	REFUSED(m.box[0] = 72);
	REFUSED(m.step[1] = 0);
	REFUSED(m.step[1] = 9);
	REFUSED(m.swizzle = TENSOR_MAP_64B);
	REFUSED(m.atom = TENSOR_MAP_ATOM_32B);
	REFUSED(m.interleave = 2);
	REFUSED(m.interleave = 3);
	REFUSED((m.interleave = 1, m.rank = 2));
	REFUSED(m.type = TENSOR_MAP_U32);
	REFUSED((m.nan = false, m.type = TENSOR_MAP_B4));
	REFUSED(m.mode = TENSOR_MAP_NONE);
	REFUSED((m.mode = TENSOR_MAP_IM2COL_W, m.channels = 64, m.pixels = 1));
	REFUSED((m.mode = TENSOR_MAP_IM2COL, m.channels = 64, m.pixels = 1025));
	REFUSED((m.mode = TENSOR_MAP_IM2COL, m.channels = 0, m.pixels = 1));
	REFUSED((m.mode = TENSOR_MAP_IM2COL, m.channels = 64, m.pixels = 1, m.lower[0] = 31));
	uint8_t zeroes[TENSOR_MAP_BYTES] = {0};
	struct tensor_map m;
	tensor_map_decode(zeroes, &m);
	ck_assert_ptr_nonnull(tensor_map_wrong(&m, 90));
}
END_TEST

static uint32_t seed = 7;
static int pick(int lo, int hi)
{
	seed = seed * 1664525 + 1013904223;
	return lo + (int)((seed >> 8) % (uint32_t)(hi - lo + 1));
}

enum { PLACES = 1 << 16 };
static uint64_t got[PLACES], want[PLACES]; // by byte of the box: its global address, 0 outside

static bool note(void *ctx, const struct tensor_row *r)
{
	(void)ctx;
	for (uint32_t k = 0; k < r->inside; k++)
		got[r->at + r->before + k] = r->global + k;
	return true;
}

START_TEST(tiles_are_loops_over_elements)
{
	for (unsigned round = 0; round < 300; round++) {
		struct tensor_map m = {.mode = TENSOR_MAP_TILE, .type = (uint8_t)pick(0, 7), .address = 0x10000, .rank = (uint8_t)pick(1, 5)};
		struct tensor_place p = {0};
		uint32_t n[5] = {1, 1, 1, 1, 1}, i[5], at = 0;
		m.interleave = (uint8_t)(m.rank > 2 ? pick(0, 2) : 0);
		const unsigned unit = m.interleave ? 16u * m.interleave : tensor_map_element(&m);
		for (unsigned k = 0; k < m.rank; k++) {
			m.size[k] = (uint64_t)pick(1, 12);
			m.step[k] = (uint32_t)pick(1, 4);
			m.box[k] = (uint32_t)pick(1, k || m.interleave ? 5 : 16);
			p.at[k] = pick(-5, 13);
			n[k] = k || m.interleave ? (m.box[k] + m.step[k] - 1) / m.step[k] : m.box[k];
		}
		for (unsigned k = 0; k < 4; k++)
			m.stride[k] = 16u * (uint64_t)pick(1, 5000);
		memset(want, 0, sizeof want);
		memset(got, 0, sizeof got);
		for (i[4] = 0; i[4] < n[4]; i[4]++)
		for (i[3] = 0; i[3] < n[3]; i[3]++)
		for (i[2] = 0; i[2] < n[2]; i[2]++)
		for (i[1] = 0; i[1] < n[1]; i[1]++)
		for (i[0] = 0; i[0] < n[0]; i[0]++, at += unit) {
			uint64_t a = m.address;
			bool in = true;
			for (unsigned k = 0; k < m.rank; k++) {
				const int64_t c = p.at[k] + (int64_t)i[k] * (k || m.interleave ? m.step[k] : 1);
				in = in && c >= 0 && c < (int64_t)m.size[k];
				a += (uint64_t)c * (k ? m.stride[k - 1] : unit);
			}
			for (unsigned b = 0; in && b < unit; b++)
				want[at + b] = a + b;
		}
		ck_assert_uint_eq(tensor_tile_bytes(&m), at);
		ck_assert(tensor_tile_rows(&m, &p, note, NULL));
		ck_assert_mem_eq(got, want, at * sizeof *got);
	}
}
END_TEST

// Chunks of 16 bytes, or atoms of 32 or 64, are exchanged within 32, 64 or 128 bytes by the number of the line of 128.
START_TEST(swizzles_exchange_chunks)
{
	struct tensor_map m = example();
	for (uint32_t a = 0; a < 4096; a++) {
		const uint32_t line = a / 128, chunk = a / 16;
		m.swizzle = TENSOR_MAP_LINEAR;
		ck_assert_uint_eq(tensor_tile_swizzle(&m, a), a);
		m.swizzle = TENSOR_MAP_32B;
		ck_assert_uint_eq(tensor_tile_swizzle(&m, a), (chunk / 2 * 2 + (chunk % 2 ^ line % 2)) * 16 + a % 16);
		m.swizzle = TENSOR_MAP_64B;
		ck_assert_uint_eq(tensor_tile_swizzle(&m, a), (chunk / 4 * 4 + (chunk % 4 ^ line % 4)) * 16 + a % 16);
		m.swizzle = TENSOR_MAP_128B;
		ck_assert_uint_eq(tensor_tile_swizzle(&m, a), (chunk / 8 * 8 + (chunk % 8 ^ line % 8)) * 16 + a % 16);
	}
}
END_TEST

static uint32_t converted(uint8_t type, uint32_t v)
{
	const struct tensor_map m = {.type = type};
	tensor_tile_convert(&m, (uint8_t *)&v, sizeof v);
	return v;
}

START_TEST(numbers_are_converted)
{
	ck_assert_uint_eq(converted(TENSOR_MAP_F32, 0x3f801fff), 0x3f801fff);
	ck_assert_uint_eq(converted(TENSOR_MAP_F32_FTZ, 0x80000001), 0x80000000);
	ck_assert_uint_eq(converted(TENSOR_MAP_F32_FTZ, 0x00800001), 0x00800001);
	ck_assert_uint_eq(converted(TENSOR_MAP_TF32, 0x3f800fff), 0x3f800000);
	ck_assert_uint_eq(converted(TENSOR_MAP_TF32, 0x3f801000), 0x3f800000); // a tie goes to the even one
	ck_assert_uint_eq(converted(TENSOR_MAP_TF32, 0x3f803000), 0x3f804000);
	ck_assert_uint_eq(converted(TENSOR_MAP_TF32, 0x3f801001), 0x3f802000);
	ck_assert_uint_eq(converted(TENSOR_MAP_TF32, 0x7f800000), 0x7f800000);
	ck_assert_uint_eq(converted(TENSOR_MAP_TF32, 0x7f7fffff), 0x7f800000);
	ck_assert_uint_eq(converted(TENSOR_MAP_TF32_FTZ, 0x00000fff), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tensor maps");
	TCase *t = tcase_create("maps");
	tcase_add_test(t, bytes_are_those_of_machine_code);
	tcase_add_test(t, maps_go_there_and_back);
	tcase_add_test(t, rules_are_kept);
	tcase_add_test(t, tiles_are_loops_over_elements);
	tcase_add_test(t, swizzles_exchange_chunks);
	tcase_add_test(t, numbers_are_converted);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
