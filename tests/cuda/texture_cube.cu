// Cube maps, alone and in layers: which texel a direction meets, by the CUDA C++ Programming Guide's table of faces; filters on a
// face; levels; gathers.
#include "check.h"

enum { N = 8, CUBES = 2, LEVELS = 3, DIRECTIONS = 6 * N * N };

/* The direction through place (s, t) of a face, of 0 to 1. */
static float3 towards(int face, float s, float t, float scale)
{
	float u = (2 * s - 1) * scale, v = (2 * t - 1) * scale, m = scale;
	switch (face) {
	case 0: return make_float3(m, -v, -u);
	case 1: return make_float3(-m, -v, u);
	case 2: return make_float3(u, m, v);
	case 3: return make_float3(u, -m, -v);
	case 4: return make_float3(u, -v, m);
	default: return make_float3(-u, -v, -m);
	}
}

static float texel(int level, int cube, int face, int x, int y) { return 1000 * level + 100 * cube + 20 * face + x + 1.5f * y; }

__global__ void sample(float *out, cudaTextureObject_t one, cudaTextureObject_t many, cudaTextureObject_t levels, const float3 *at)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float3 d = at[i];
	float4 g;
	out[i] = texCubemap<float>(one, d.x, d.y, d.z);
	out[DIRECTIONS + i] = texCubemapLayered<float>(many, d.x, d.y, d.z, i % 3);
	out[2 * DIRECTIONS + i] = texCubemapLod<float>(levels, d.x, d.y, d.z, i % 4);
	asm volatile("tld4.r.cube.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
		: "=f"(g.x), "=f"(g.y), "=f"(g.z), "=f"(g.w) : "l"(one), "f"(d.x), "f"(d.y), "f"(d.z));
	out[3 * DIRECTIONS + i] = g.x + 1000 * g.z;
	out[4 * DIRECTIONS + i] = g.y + 1000 * g.w;
}

static void fill(cudaArray_t a, int level, int faces)
{
	int n = N >> level;
	float *v = new float[faces * n * n];
	for (int i = 0; i < faces * n * n; i++)
		v[i] = texel(level, i / n / n / 6, i / n / n % 6, i % n, i / n % n);
	cudaMemcpy3DParms p;
	memset(&p, 0, sizeof(p));
	p.srcPtr = make_cudaPitchedPtr(v, n * sizeof(float), n, n);
	p.dstArray = a;
	p.extent = make_cudaExtent(n, n, faces);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	delete[] v;
}

static cudaTextureObject_t object(cudaResourceDesc r, bool linear)
{
	cudaTextureDesc how;
	cudaTextureObject_t t = 0;
	memset(&how, 0, sizeof(how));
	how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
	how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	how.normalizedCoords = 1;
	how.maxMipmapLevelClamp = LEVELS;
	OK(cudaCreateTextureObject(&t, &r, &how, 0));
	return t;
}

static int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static float expect(int level, int cube, int face, float s, float t, bool linear)
{
	int n = N >> level;
	float x = s * n, y = t * n;
	if (!linear)
		return texel(level, cube, face, clamped((int)x, n), clamped((int)y, n));
	x -= 0.5f;
	y -= 0.5f;
	int i = (int)floorf(x), j = (int)floorf(y);
	float sum = 0;
	for (int k = 0; k < 4; k++)
		sum += (k & 1 ? x - i : 1 - (x - i)) * (k & 2 ? y - j : 1 - (y - j)) *
			texel(level, cube, face, clamped(i + (k & 1), n), clamped(j + (k >> 1), n));
	return sum;
}

int main()
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	cudaResourceDesc one, many, levels;
	memset(&one, 0, sizeof(one));
	memset(&many, 0, sizeof(many));
	memset(&levels, 0, sizeof(levels));
	one.resType = many.resType = cudaResourceTypeArray;
	levels.resType = cudaResourceTypeMipmappedArray;
	OK(cudaMalloc3DArray(&one.res.array.array, &f, make_cudaExtent(N, N, 6), cudaArrayCubemap));
	OK(cudaMalloc3DArray(&many.res.array.array, &f, make_cudaExtent(N, N, 6 * CUBES), cudaArrayCubemap | cudaArrayLayered));
	OK(cudaMallocMipmappedArray(&levels.res.mipmap.mipmap, &f, make_cudaExtent(N, N, 6), LEVELS, cudaArrayCubemap));
	fill(one.res.array.array, 0, 6);
	fill(many.res.array.array, 0, 6 * CUBES);
	for (int k = 0; k < LEVELS; k++) {
		cudaArray_t a;
		OK(cudaGetMipmappedArrayLevel(&a, levels.res.mipmap.mipmap, k));
		fill(a, k, 6);
	}
	static float3 at[DIRECTIONS];
	static float2 on[DIRECTIONS];
	for (int i = 0; i < DIRECTIONS; i++) {
		on[i] = make_float2((i % N + 0.3f + i % 5 * 0.09f) / N, (i / N % N + 0.7f - i % 3 * 0.19f) / N);
		at[i] = towards(i / N / N, on[i].x, on[i].y, i % 7 * 0.4f + 0.1f);
	}
	float3 *dat = to_device(at, DIRECTIONS);
	float *d = device_alloc<float>(5 * DIRECTIONS);
	static float h[5][DIRECTIONS];
	for (int linear = 0; linear < 2; linear++) {
		sample<<<6, N * N>>>(d, object(one, linear), object(many, linear), object(levels, linear), dat);
		LAUNCHED();
		to_host(h[0], d, 5 * DIRECTIONS);
		for (int i = 0; i < DIRECTIONS; i++) {
			int face = i / N / N, layer = i % 3 < CUBES ? i % 3 : CUBES - 1, level = i % 4 < LEVELS ? i % 4 : LEVELS - 1;
			float e = expect(0, 0, face, on[i].x, on[i].y, linear);
			CHECK(fabsf(h[0][i] - e) < 0.02f, "filter %d, direction %d: %g, not %g", linear, i, h[0][i], e);
			e = expect(0, layer, face, on[i].x, on[i].y, linear);
			CHECK(fabsf(h[1][i] - e) < 0.02f, "filter %d, direction %d of cube %d: %g, not %g", linear, i, layer, h[1][i], e);
			e = expect(level, 0, face, on[i].x, on[i].y, linear);
			float got = h[2][i];
			if (linear || (fabsf(on[i].x * (N >> level) - floorf(on[i].x * (N >> level) + 0.5f)) > 1e-3f &&
				fabsf(on[i].y * (N >> level) - floorf(on[i].y * (N >> level) + 0.5f)) > 1e-3f))
				CHECK(fabsf(got - e) < 0.02f, "filter %d, direction %d, level %d: %g, not %g", linear, i, level, got, e);
			int x = (int)floorf(on[i].x * N - 0.5f), y = (int)floorf(on[i].y * N - 0.5f);
			float c[4];
			for (int k = 0; k < 4; k++)
				c[k] = texel(0, 0, face, clamped(x + (k == 1 || k == 2), N), clamped(y + (k < 2), N));
			CHECK(h[3][i] == c[0] + 1000 * c[2] && h[4][i] == c[1] + 1000 * c[3], "gather %d: %g %g", i, h[3][i], h[4][i]);
		}
	}
	EXPECT(cudaErrorInvalidValue, cudaMalloc3DArray(&one.res.array.array, &f, make_cudaExtent(N, N + 1, 6), cudaArrayCubemap));
	EXPECT(cudaErrorInvalidValue, cudaMalloc3DArray(&one.res.array.array, &f, make_cudaExtent(N, N, 5), cudaArrayCubemap));
	EXPECT(cudaErrorInvalidValue, cudaMalloc3DArray(&one.res.array.array, &f, make_cudaExtent(N, N, 12), cudaArrayCubemap));
	EXPECT(cudaErrorInvalidValue,
		cudaMalloc3DArray(&one.res.array.array, &f, make_cudaExtent(N, N, 13), cudaArrayCubemap | cudaArrayLayered));
	return check_done();
}
