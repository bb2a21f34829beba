// Flush to zero, saturation, testp, and the approximate functions within their documented error.
#include "check.h"

struct result {
	float add_ftz, mul_ftz, fma_ftz, add_sat, mul_sat, fma_sat, ex2, lg2, sine, cosine, rcp, rsqrt, sqrt, div;
	float fast[6];
	int finite, infinite, number, notanumber, normal, subnormal;
	double rcp64, rsqrt64;
};

__global__ void run(const float *v, int n, result *out)
{
	float a = v[blockIdx.x], b = v[threadIdx.x];
	result r;
	asm("add.rn.ftz.f32 %0, %1, %2;" : "=f"(r.add_ftz) : "f"(a), "f"(b));
	asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(r.mul_ftz) : "f"(a), "f"(b));
	asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(r.fma_ftz) : "f"(a), "f"(b), "f"(a));
	asm("add.rn.sat.f32 %0, %1, %2;" : "=f"(r.add_sat) : "f"(a), "f"(b));
	asm("mul.rn.sat.f32 %0, %1, %2;" : "=f"(r.mul_sat) : "f"(a), "f"(b));
	asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(r.fma_sat) : "f"(a), "f"(b), "f"(a));
	asm("ex2.approx.f32 %0, %1;" : "=f"(r.ex2) : "f"(a));
	asm("lg2.approx.f32 %0, %1;" : "=f"(r.lg2) : "f"(a));
	asm("sin.approx.f32 %0, %1;" : "=f"(r.sine) : "f"(a));
	asm("cos.approx.f32 %0, %1;" : "=f"(r.cosine) : "f"(a));
	asm("rcp.approx.f32 %0, %1;" : "=f"(r.rcp) : "f"(a));
	asm("rsqrt.approx.f32 %0, %1;" : "=f"(r.rsqrt) : "f"(a));
	asm("sqrt.approx.f32 %0, %1;" : "=f"(r.sqrt) : "f"(a));
	asm("div.full.f32 %0, %1, %2;" : "=f"(r.div) : "f"(a), "f"(b));
	asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r.rcp64) : "d"((double)a));
	asm("rsqrt.approx.f64 %0, %1;" : "=d"(r.rsqrt64) : "d"((double)a));
#define TEST(field, kind) \
	asm("{ .reg .pred p; testp." kind ".f32 p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(r.field) : "f"(a))
	TEST(finite, "finite");
	TEST(infinite, "infinite");
	TEST(number, "number");
	TEST(notanumber, "notanumber");
	TEST(normal, "normal");
	TEST(subnormal, "subnormal");
	r.fast[0] = __expf(a);
	r.fast[1] = __logf(a);
	r.fast[2] = __sinf(a);
	r.fast[3] = __cosf(a);
	r.fast[4] = __fdividef(a, b);
	r.fast[5] = __saturatef(a);
	out[blockIdx.x * n + threadIdx.x] = r;
}

static float flush(float a)
{
	return std::fpclassify(a) == FP_SUBNORMAL ? copysignf(0, a) : a;
}

static float saturate(float a)
{
	return a > 0 ? (a < 1 ? a : 1) : 0;
}

static bool same(float a, float b)
{
	return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b;
}

static bool near_to(double a, double b, double relative, double absolute)
{
	return a == b || (a != a && b != b) || fabs(a - b) <= absolute + relative * fabs(b);
}

int main()
{
	const float v[] = {0.0f, -0.0f, 1, -1, 0.5f, 0.25f, 0.7f, 3, -2.5f, 1e-20f, 1.5e-38f, 1e-39f, -1e-42f, INFINITY,
		-INFINITY, NAN, 100, 0.1f, 2, 10.5f};
	const int n = sizeof(v) / sizeof(v[0]);
	static result all[n][n];
	result *d = device_alloc<result>(n * n);
	run<<<n, n>>>(to_device(v, n), n, d);
	LAUNCHED();
	to_host(all[0], d, n * n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			const result &r = all[i][j];
			float a = v[i], b = v[j], fa = flush(a), fb = flush(b);
			CHECK(same(r.add_ftz, flush(fa + fb)), "%a %a: %a", a, b, r.add_ftz);
			CHECK(same(r.mul_ftz, flush(fa * fb)), "%a %a: %a", a, b, r.mul_ftz);
			CHECK(same(r.fma_ftz, flush(fmaf(fa, fb, fa))), "%a %a: %a", a, b, r.fma_ftz);
			CHECK(r.add_sat == saturate(a + b) && r.mul_sat == saturate(a * b), "%a %a: %a %a", a, b, r.add_sat,
				r.mul_sat);
			CHECK(r.fma_sat == saturate(fmaf(a, b, a)) && r.fast[5] == saturate(a), "%a %a: %a", a, b, r.fma_sat);
			CHECK(near_to(r.ex2, exp2(a), 3e-7, 1e-44), "%a: %a", a, r.ex2);
			CHECK(a < 0 ? r.lg2 != r.lg2 : near_to(r.lg2, log2(a), 3e-7, 3e-7), "%a: %a", a, r.lg2);
			if (fabsf(a) <= 3.2f || a != a || std::isinf(a)) {
				CHECK(near_to(r.sine, sin(a), 0, 1e-6) && near_to(r.cosine, cos(a), 0, 1e-6), "%a: %a %a", a, r.sine,
					r.cosine);
				CHECK(near_to(r.fast[2], sin(a), 0, 1e-6) && near_to(r.fast[3], cos(a), 0, 1e-6), "%a", a);
			}
			CHECK(near_to(r.rcp, 1.0f / a, 2e-7, 0), "%a: %a", a, r.rcp);
			CHECK(near_to(r.rsqrt, 1.0 / sqrt(a), 3e-7, 0), "%a: %a", a, r.rsqrt);
			CHECK(near_to(r.sqrt, sqrt(a), 3e-7, 0), "%a: %a", a, r.sqrt);
			float big = fabsf(b);
			if (big >= 1.2e-38f && big < 8e37f)
				CHECK(near_to(r.div, a / b, 4e-7, 3e-45), "%a %a: %a", a, b, r.div);
			CHECK(near_to(r.rcp64, 1 / (double)a, 1e-5, 0) || a == 0, "%a: %a", a, r.rcp64);
			CHECK(near_to(r.rsqrt64, 1 / sqrt((double)a), 1e-7, 0), "%a: %a", a, r.rsqrt64);
			CHECK(near_to(r.fast[0], (float)exp((double)a), 1e-6 * (2 + (std::isinf(a) ? 0 : fabs(a))), 1e-44),
				"%a: %a", a, r.fast[0]);
			CHECK(a < 0 ? r.fast[1] != r.fast[1] : near_to(r.fast[1], log(a), 5e-7, 5e-7), "%a: %a", a, r.fast[1]);
			CHECK(r.finite == !!std::isfinite(a) && r.infinite == !!std::isinf(a), "%a", a);
			CHECK(r.number == (a == a) && r.notanumber == (a != a), "%a", a);
			CHECK(r.subnormal == (std::fpclassify(a) == FP_SUBNORMAL), "%a", a);
			CHECK(r.normal == (a == 0 || std::fpclassify(a) == FP_NORMAL), "%a", a);
		}
	return check_done();
}
