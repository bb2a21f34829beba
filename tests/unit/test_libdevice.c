#include "cuda-sim/numbers/dmath.h"
#include "cuda-sim/runtime/libdevice.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t f(float x)
{
	return softfp_bits_f32(x);
}

static uint64_t d(double x)
{
	return softfp_bits_f64(x);
}

START_TEST(rows_are_well_formed_and_unique)
{
	unsigned device = 0;
	for (size_t i = 0; i < libdevice_count; i++) {
		const struct libdevice_fn *r = &libdevice_table[i];
		size_t n = strlen(r->signature);
		bool ok = n >= 3 && n - 2 <= LIBDEVICE_MAX_ARGS && r->signature[1] == ':';
		ok &= strchr("hilfdv", r->signature[0]) != NULL;
		unsigned outs = 0;
		for (size_t k = 2; k < n; k++) {
			ok &= strchr("hilfdIFDab", r->signature[k]) && libdevice_size(r->signature[k]);
			outs += strchr("IFD", r->signature[k]) != NULL;
		}
		if (!ok || outs > LIBDEVICE_MAX_OUT || libdevice_find(r->name) != r)
			ck_abort_msg("row %s %s", r->name, r->signature);
		device += strncmp(r->name, "__nv_", 5) == 0;
	}
	ck_assert_uint_eq(device, 349); // functions that libdevice.10.bc of CUDA 13 defines
	ck_assert_ptr_null(libdevice_find("__nv_nonesuch"));
	ck_assert_ptr_null(libdevice_find("brev"));
	ck_assert_ptr_null(libdevice_find(""));
}
END_TEST

START_TEST(rows_compute)
{
	const struct {
		const char *name, *signature;
		uint64_t a[4], want;
	} t[] = {
		{"__nv_sinf", "f:f", {f(0)}, f(0)},
		{"sinf", "f:f", {f(1)}, f(0x1.aed548p-1f)},
		{"__nv_exp", "d:d", {d(1)}, d(0x1.5bf0a8b145769p+1)},
		{"atan2", "d:dd", {d(1), d(1)}, d(M_PI_4)},
		{"__nv_powf", "f:ff", {f(2), f(-3)}, f(0.125f)},
		{"__nv_powi", "d:di", {d(2), 0xffffffff}, d(0.5)},
		{"__nv_fma", "d:ddd", {d(0x1p1000), d(0x1p24), d(1)}, d(INFINITY)},
		{"__nv_fma_rz", "d:ddd", {d(0x1p1000), d(0x1p24), d(1)}, d(0x1.fffffffffffffp1023)},
		{"__nv_fadd_rn", "f:ff", {f(1), f(0x1p-24f)}, f(1)},
		{"__nv_fadd_ru", "f:ff", {f(1), f(0x1p-24f)}, f(0x1.000002p0f)},
		{"__nv_fsub_rd", "f:ff", {f(1), f(1)}, f(-0.0f)},
		{"__nv_fdiv_rz", "f:ff", {f(2), f(3)}, f(0x1.555554p-1f)},
		{"__nv_frcp_ru", "f:f", {f(3)}, f(0x1.555556p-2f)},
		{"__nv_dsqrt_rd", "d:d", {d(2)}, d(0x1.6a09e667f3bccp0)},
		{"__nv_float2int_rn", "i:f", {f(-2.5f)}, 0xfffffffe},
		{"__nv_float2int_rz", "i:f", {f(NAN)}, 0},
		{"__nv_float2uint_rd", "i:f", {f(-1)}, 0},
		{"__nv_float2ll_rz", "l:f", {f(NAN)}, UINT64_C(1) << 63},
		{"__nv_double2int_ru", "i:d", {d(1e300)}, 0x7fffffff},
		{"__nv_double2int_rz", "i:d", {d(NAN)}, 0x80000000},
		{"__nv_double2ull_rn", "l:d", {d(0x1p63)}, UINT64_C(1) << 63},
		{"__nv_double2float_rz", "f:d", {d(1e300)}, f(0x1.fffffep127f)},
		{"__nv_int2float_rd", "f:i", {0x80000001}, f(-0x1p31f)},
		{"__nv_int2float_ru", "f:i", {0x80000001}, f(-0x1.fffffep30f)},
		{"__nv_ull2double_rn", "d:l", {UINT64_MAX}, d(0x1p64)},
		{"__nv_int2double_rn", "d:i", {0xffffffff}, d(-1)},
		{"__nv_uint2double_rn", "d:i", {0xffffffff}, d(4294967295.0)},
		{"__nv_half2float", "f:h", {0x3c01}, f(0x1.004p0f)},
		{"__nv_float2half_rn", "h:f", {f(1)}, 0x3c00},
		{"__nv_double2hiint", "i:d", {d(1)}, 0x3ff00000},
		{"__nv_hiloint2double", "d:ii", {0x3ff00000, 0}, d(1)},
		{"__nv_fminf", "f:ff", {f(NAN), f(2)}, f(2)},
		{"__nv_fabs", "d:d", {d(-3)}, d(3)},
		{"__nv_saturatef", "f:f", {f(NAN)}, f(0)},
		{"__nv_saturatef", "f:f", {f(1.5f)}, f(1)},
		{"__nv_isnanf", "i:f", {f(NAN)}, 1},
		{"__nv_signbitd", "i:d", {d(-0.0)}, 1},
		{"__nv_finitef", "i:f", {f(INFINITY)}, 0},
		{"__nv_abs", "i:i", {0x80000000}, 0x80000000},
		{"__nv_popc", "i:i", {0xf0f0}, 8},
		{"__nv_popcll", "i:l", {UINT64_MAX}, 64},
		{"__nv_clz", "i:i", {0}, 32},
		{"__nv_clzll", "i:l", {1}, 63},
		{"__nv_ffs", "i:i", {8}, 4},
		{"__nv_ffsll", "i:l", {0}, 0},
		{"__nv_brev", "i:i", {1}, 0x80000000},
		{"__nv_brevll", "l:l", {6}, UINT64_C(0x6000000000000000)},
		{"__nv_byte_perm", "i:iii", {0x33221100, 0x77665544, 0x7250}, 0x77225500},
		{"__nv_mulhi", "i:ii", {0xffffffff, 2}, 0xffffffff},
		{"__nv_umulhi", "i:ii", {0xffffffff, 2}, 1},
		{"__nv_mul64hi", "l:ll", {UINT64_MAX, 2}, UINT64_MAX},
		{"__nv_umul64hi", "l:ll", {UINT64_MAX, 2}, 1},
		{"__nv_mul24", "i:ii", {0x00ffffff, 3}, 0xfffffffd},
		{"__nv_umul24", "i:ii", {0x01ffffff, 2}, 0x1fffffe},
		{"__nv_hadd", "i:ii", {0xffffffff, 0xfffffffe}, 0xfffffffe},
		{"__nv_rhadd", "i:ii", {0xffffffff, 0xfffffffe}, 0xffffffff},
		{"__nv_uhadd", "i:ii", {0xffffffff, 0xffffffff}, 0xffffffff},
		{"__nv_urhadd", "i:ii", {1, 2}, 2},
		{"__nv_sad", "i:iii", {0xffffffff, 4, 10}, 15},
		{"__nv_usad", "i:iii", {1, 4, 10}, 13},
		{"__nv_min", "i:ii", {0xffffffff, 0}, 0xffffffff},
		{"__nv_umin", "i:ii", {0xffffffff, 0}, 0},
		{"__nv_llmax", "l:ll", {UINT64_MAX, 0}, 0},
		{"__nv_llround", "l:d", {d(-0.5)}, UINT64_MAX},
		{"lrintf", "l:f", {f(2.5f)}, 2},
		{"__nv_ilogbf", "i:f", {f(0x1p-149f)}, (uint32_t)-149},
		{"__nv_norm3d", "d:ddd", {d(2), d(3), d(6)}, d(7)},
		{"__nv_rnorm4df", "f:ffff", {f(1), f(1), f(1), f(1)}, f(0.5f)},
		{"__nv_jn", "d:id", {2, d(0)}, d(0)},
		{"__nv_fast_expf", "f:f", {f(0)}, f(1)},
		{"__nv_fast_powf", "f:ff", {f(2), f(10)}, f(1024)},
		{"__nv_fast_fdividef", "f:ff", {f(1), f(4)}, f(0.25f)},
		{"__nv_rcp64h", "d:d", {d(4)}, d(0.25)},
		{"__nv_nanf", "f:l", {0}, SOFTFP_NAN32},
		{"__nvvm_reflect", "i:l", {0}, 0},
	};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		const struct libdevice_fn *r = libdevice_find(t[i].name);
		uint64_t out[LIBDEVICE_MAX_OUT];
		ck_assert_msg(r, "no %s", t[i].name);
		ck_assert_str_eq(r->signature, t[i].signature);
		uint64_t got = r->fn(t[i].a, out);
		ck_assert_msg(got == t[i].want, "%s: %llx", t[i].name, (unsigned long long)got);
	}
}
END_TEST

START_TEST(results_through_pointers)
{
	uint64_t out[LIBDEVICE_MAX_OUT];
	libdevice_find("__nv_sincospif")->fn((uint64_t[]){f(0.5f), 0, 0}, out);
	ck_assert(out[0] == f(1) && out[1] == f(0));
	libdevice_find("sincos")->fn((uint64_t[]){d(1), 0, 0}, out);
	ck_assert(out[0] == d(dm_sin(1)) && out[1] == d(dm_cos(1)));
	ck_assert_uint_eq(libdevice_find("__nv_frexp")->fn((uint64_t[]){d(-12), 0}, out), d(-0.75));
	ck_assert_uint_eq(out[0], 4);
	ck_assert_uint_eq(libdevice_find("modff")->fn((uint64_t[]){f(-2.5f), 0}, out), f(-0.5f));
	ck_assert_uint_eq(out[0], f(-2));
	ck_assert_uint_eq(libdevice_find("__nv_remquo")->fn((uint64_t[]){d(-7), d(2), 0}, out), d(1));
	ck_assert_uint_eq(out[0], (uint32_t)-4);
	double v[2] = {3, 4};
	ck_assert_uint_eq(libdevice_find("__nv_norm")->fn((uint64_t[]){2, (uintptr_t)v}, out), d(5));
	ck_assert_uint_eq(libdevice_find("__nv_norm")->fn((uint64_t[]){(uint32_t)-1, 0}, out), d(0));
}
END_TEST

// No argument does harm, and what is returned fits the type. Odd patterns, limits and NaNs in every place.
START_TEST(any_bits_are_safe)
{
	static const uint64_t odd[] = {
		0, 1, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7f800000, 0xff800000, 0x7fc00001, 0x3f800000, 0x7ff0000000000000,
		0xfff0000000000000, 0x7ff8000000000001, 0x8000000000000000, 0x7fefffffffffffff, 0xffffffffffffffff,
		0x4340000000000000, 0x000fffffffffffff, 0xc340000000000001, 0x4070000000000001, 0xbfe8000000000000,
		0xff7fffff, 0x4b000001,
	};
	enum { N = sizeof odd / sizeof *odd };
	for (size_t i = 0; i < libdevice_count; i++) {
		const struct libdevice_fn *r = &libdevice_table[i];
		for (unsigned k = 0; k < N * N; k++) {
			uint64_t a[LIBDEVICE_MAX_ARGS] = {odd[k % N], odd[k / N], odd[(k + k / N) % N], odd[k * 7 % N]};
			uint64_t out[LIBDEVICE_MAX_OUT];
			for (size_t p = 2; r->signature[p]; p++) {
				unsigned size = libdevice_size(r->signature[p]);
				if (strchr("ab", r->signature[p]))
					a[0] = 0; // no elements
				if (size < 8)
					a[p - 2] &= (UINT64_C(1) << (8 * size)) - 1;
			}
			uint64_t got = r->fn(a, out);
			unsigned size = libdevice_size(r->signature[0]);
			if (size < 8 && got >> (8 * size))
				ck_abort_msg("%s returns %llx", r->name, (unsigned long long)got);
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("libdevice");
	TCase *t = tcase_create("libdevice");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, rows_are_well_formed_and_unique);
	tcase_add_test(t, rows_compute);
	tcase_add_test(t, results_through_pointers);
	tcase_add_test(t, any_bits_are_safe);
	suite_add_tcase(s, t);
	return check_main(s);
}
