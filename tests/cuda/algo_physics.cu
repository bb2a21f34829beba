// N bodies with a tile of positions in shared memory; Black-Scholes prices; escape times of the Mandelbrot set.
#include "check.h"

__global__ void forces(const float4 *body, float4 *out, int n)
{
	__shared__ float4 tile[64];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float4 me = body[i], f = make_float4(0, 0, 0, 0);
	for (int t = 0; t < n; t += blockDim.x) {
		tile[threadIdx.x] = body[t + threadIdx.x];
		__syncthreads();
		for (int k = 0; k < blockDim.x; k++) {
			float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
			float r2 = dx * dx + dy * dy + dz * dz + 0.01f, r = rsqrtf(r2), s = tile[k].w * r * r * r;
			f.x += dx * s;
			f.y += dy * s;
			f.z += dz * s;
		}
		__syncthreads();
	}
	out[i] = f;
}

__global__ void call_price(const float *s, const float *k, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float t = 0.5f, r = 0.02f, v = 0.3f, root = sqrtf(t);
	float d1 = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t) / (v * root), d2 = d1 - v * root;
	out[i] = s[i] * 0.5f * erfcf(-d1 * 0.70710678f) - k[i] * expf(-r * t) * 0.5f * erfcf(-d2 * 0.70710678f);
}

static __host__ __device__ int escape(int px, int py)
{
	/* Fixed point, so that host and device agree to the bit. */
	int cx = px * 96 - 8192, cy = py * 96 - 3072, x = 0, y = 0, i;
	for (i = 0; i < 200; i++) {
		long long xx = (long long)x * x >> 12, yy = (long long)y * y >> 12, xy = (long long)x * y >> 11;
		if (xx + yy > 4 << 12)
			break;
		x = (int)(xx - yy) + cx;
		y = (int)xy + cy;
	}
	return i;
}

__global__ void mandelbrot(int *out, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < w && y < h)
		out[y * w + x] = escape(x, y);
}

int main()
{
	const int n = 256;
	static float4 body[n], f[n];
	static float s[n], k[n], p[n];
	unsigned seed = 6;
	for (int i = 0; i < n; i++) {
		body[i] = make_float4(check_random(&seed) % 1000 / 100.0f, check_random(&seed) % 1000 / 100.0f,
			check_random(&seed) % 1000 / 100.0f, 1 + i % 3);
		s[i] = 20 + i % 50;
		k[i] = 15 + i % 70;
	}
	float4 *df = device_alloc<float4>(n);
	forces<<<n / 64, 64>>>(to_device(body, n), df, n);
	float *dp = device_alloc<float>(n);
	call_price<<<2, 128>>>(to_device(s, n), to_device(k, n), dp, n);
	const int w = 100, h = 64;
	int *dm = device_alloc<int>(w * h), m[h][w];
	mandelbrot<<<dim3(4, 16), dim3(32, 4)>>>(dm, w, h);
	LAUNCHED();
	to_host(f, df, n);
	to_host(p, dp, n);
	to_host(m[0], dm, w * h);
	for (int i = 0; i < n; i++) {
		double x = 0, y = 0, z = 0, size = 0;
		for (int j = 0; j < n; j++) {
			double dx = body[j].x - body[i].x, dy = body[j].y - body[i].y, dz = body[j].z - body[i].z;
			double r2 = dx * dx + dy * dy + dz * dz + 0.01, c = body[j].w / (r2 * sqrt(r2));
			x += dx * c;
			y += dy * c;
			z += dz * c;
			size += fabs(dx * c) + fabs(dy * c) + fabs(dz * c);
		}
		double off = fabs(f[i].x - x) + fabs(f[i].y - y) + fabs(f[i].z - z);
		CHECK(off < 2e-5 * size, "body %d: off by %g of %g", i, off, size);
		double v = 0.3 * sqrt(0.5), d1 = (log((double)s[i] / k[i]) + (0.02 + 0.045) * 0.5) / v, d2 = d1 - v;
		double price = s[i] * 0.5 * erfc(-d1 * M_SQRT1_2) - k[i] * exp(-0.01) * 0.5 * erfc(-d2 * M_SQRT1_2);
		CHECK(fabs(p[i] - price) < 1e-3, "option %d: %g, not %g", i, p[i], price);
	}
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			CHECK(m[y][x] == escape(x, y), "at %d %d: %d, not %d", x, y, m[y][x], escape(x, y));
	return check_done();
}
