// Mipmapped arrays: their levels as arrays, textures that read them by a level or by derivatives, filters between levels, bias and
// bounds, views of some levels, texels by whole numbers with offsets, and what the functions refuse.
#include "check.h"

enum { W = 16, H = 8, D = 4, LEVELS = 5, N = 48 };

static float texel(int level, int x, int y, int z) { return 64 * level + x + 0.5f * y + 0.25f * z; }

enum { LOD, GRAD, PLAIN, LINE, VOLUME, SHEETS, WHOLE, N_VALUES };

struct Objects {
	cudaTextureObject_t plane, line, volume, sheets;
};

/* The finest level is that of the array or of the view. */
__global__ void sample(float *out, Objects t, const float2 *at, const float *level, int finest)
{
	int i = threadIdx.x;
	float x = at[i].x, y = at[i].y, l = level[i], step = exp2f(l + finest);
	float4 v;
	out[LOD * N + i] = tex2DLod<float>(t.plane, x, y, l);
	out[GRAD * N + i] = tex2DGrad<float>(t.plane, x, y, make_float2(step / W, 0), make_float2(0, 0.5f * step / H));
	out[PLAIN * N + i] = tex2D<float>(t.plane, x, y);
	out[LINE * N + i] = tex1DLod<float>(t.line, x, l);
	out[VOLUME * N + i] = tex3DLod<float>(t.volume, x, y, 0.5f, l);
	out[SHEETS * N + i] = tex2DLayeredLod<float>(t.sheets, x, y, i % 3, l);
	asm volatile("tex.level.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7, {1, -1};"
		: "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t.plane), "r"(i % 4), "r"(i % 3 + 1), "r"(i % 3));
	out[WHOLE * N + i] = v.x;
}

static cudaResourceDesc mipmap(cudaExtent e, unsigned flags)
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	cudaResourceDesc r;
	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypeMipmappedArray;
	OK(cudaMallocMipmappedArray(&r.res.mipmap.mipmap, &f, e, LEVELS, flags));
	for (int k = 0; k < LEVELS; k++) {
		cudaArray_t a = 0;
		cudaExtent got;
		unsigned got_flags;
		bool sheets = flags & cudaArrayLayered;
		size_t w = e.width >> k ? e.width >> k : 1, h = e.height >> k ? e.height >> k : 1, d = sheets ? e.depth : e.depth >> k ? e.depth >> k : 1;
		OK(cudaGetMipmappedArrayLevel(&a, r.res.mipmap.mipmap, k));
		OK(cudaArrayGetInfo(&f, &got, &got_flags, a));
		CHECK(got.width == w && got.height == (e.height ? h : 0) && got.depth == (e.depth ? d : 0) && got_flags == flags, "level %d", k);
		float *v = new float[w * h * d];
		for (size_t i = 0; i < w * h * d; i++)
			v[i] = texel(k, (int)(i % w), (int)(i / w % h), (int)(i / w / h));
		cudaMemcpy3DParms p;
		memset(&p, 0, sizeof(p));
		p.srcPtr = make_cudaPitchedPtr(v, w * sizeof(float), w, h);
		p.dstArray = a;
		p.extent = make_cudaExtent(w, h, d);
		p.kind = cudaMemcpyHostToDevice;
		OK(cudaMemcpy3D(&p));
		delete[] v;
	}
	return r;
}

static int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* A level at normalised coordinates, addresses clamped. */
static double at_level(int level, double x, double y, int z, int dims, bool linear)
{
	int w = W >> level ? W >> level : 1, h = H >> level ? H >> level : 1;
	if (!linear)
		return texel(level, clamped((int)floor(x * w), w), dims > 1 ? clamped((int)floor(y * h), h) : 0, z);
	double a = x * w - 0.5, b = dims > 1 ? y * h - 0.5 : 0, sum = 0;
	int i = (int)floor(a), j = (int)floor(b);
	a -= i;
	b -= j;
	for (int k = 0; k < 4; k++)
		sum += (k & 1 ? a : 1 - a) * (k & 2 ? b : 1 - b) *
			texel(level, clamped(i + (k & 1), w), dims > 1 ? clamped(j + (k >> 1), h) : 0, z);
	return sum;
}

/* Between the levels first and last of the array, which the texture calls 0 and so on. */
static double expect(double level, double x, double y, int z, int dims, const cudaTextureDesc &how, int first, int last)
{
	bool linear = how.filterMode == cudaFilterModeLinear;
	level += how.mipmapLevelBias;
	level = level < how.minMipmapLevelClamp ? how.minMipmapLevelClamp : level;
	level = level > how.maxMipmapLevelClamp ? how.maxMipmapLevelClamp : level;
	level = level < 0 ? 0 : level > last - first ? last - first : level;
	if (how.mipmapFilterMode == cudaFilterModePoint)
		return at_level(first + (int)floor(level + 0.5), x, y, z, dims, linear);
	int fine = (int)floor(level);
	double part = level - fine;
	return (1 - part) * at_level(first + fine, x, y, z, dims, linear) +
		(part > 0 ? part * at_level(first + fine + 1, x, y, z, dims, linear) : 0);
}

static cudaTextureObject_t object(const cudaResourceDesc &r, const cudaTextureDesc &how, const cudaResourceViewDesc *view)
{
	cudaTextureObject_t t = 0;
	OK(cudaCreateTextureObject(&t, &r, &how, view));
	return t;
}

static void look(const cudaResourceDesc r[4], const cudaTextureDesc &how, const cudaResourceViewDesc *view)
{
	int first = view ? (int)view->firstMipmapLevel : 0, last = view ? (int)view->lastMipmapLevel : LEVELS - 1;
	float2 at[N];
	float level[N];
	static const float levels[] = {-2, 0, 0.375f, 0.625f, 1, 1.25f, 1.75f, 2.25f, 3, 3.5f, 4, 20};
	for (int i = 0; i < N; i++) {
		at[i] = make_float2((i * 7 % 40 - 4 + 0.375f) / 32, (i * 5 % 20 - 2 + 0.625f) / 16);
		level[i] = levels[i % 12];
	}
	Objects t = {object(r[0], how, view), object(r[1], how, NULL), object(r[2], how, NULL), object(r[3], how, NULL)};
	float *d = device_alloc<float>(N_VALUES * N), h[N_VALUES][N];
	sample<<<1, N>>>(d, t, to_device(at, N), to_device(level, N), first);
	LAUNCHED();
	to_host(h[0], d, N_VALUES * N);
	for (int i = 0; i < N; i++) {
		double x = at[i].x, y = at[i].y, l = level[i], e = expect(l, x, y, 0, 2, how, first, last);
		CHECK(fabs(h[LOD][i] - e) < 0.1, "level %g at %g %g: %g, not %g", l, x, y, h[LOD][i], e);
		if (how.mipmapFilterMode == cudaFilterModeLinear || fabs(l + how.mipmapLevelBias - floor(l + how.mipmapLevelBias) - 0.5) > 0.05)
			CHECK(fabs(h[GRAD][i] - e) < 0.3, "derivatives of level %g at %g %g: %g, not %g", l, x, y, h[GRAD][i], e);
		e = expect(-32, x, y, 0, 2, how, first, last);
		CHECK(fabs(h[PLAIN][i] - e) < 0.1, "no level at %g %g: %g, not %g", x, y, h[PLAIN][i], e);
		e = expect(l, x, y, 0, 1, how, 0, LEVELS - 1);
		CHECK(fabs(h[LINE][i] - e) < 0.1, "line, level %g at %g: %g, not %g", l, x, h[LINE][i], e);
		e = expect(l, x, y, i % 3, 2, how, 0, LEVELS - 1);
		CHECK(fabs(h[SHEETS][i] - e) < 0.1, "sheet %d, level %g at %g %g: %g, not %g", i % 3, l, x, y, h[SHEETS][i], e);
		int k = i % 3 < last - first ? i % 3 : last - first;
		e = texel(first + k, clamped(i % 4 + 1, W >> (first + k)), clamped(i % 3, H >> (first + k)), 0);
		CHECK(h[WHOLE][i] == e, "texel %d: %g, not %g", i, h[WHOLE][i], e);
		if (how.mipmapFilterMode == cudaFilterModePoint && how.filterMode == cudaFilterModePoint) {
			/* Half way up a volume: the texel above the middle, of a level of one the only one. */
			double z0 = expect(l, x, y, 0, 2, how, 0, LEVELS - 1);
			int level_of = (int)((z0 + 0.01) / 64), depth = D >> level_of ? D >> level_of : 1;
			e = z0 + 0.25 * (depth / 2);
			CHECK(fabs(h[VOLUME][i] - e) < 0.1, "volume, level %g at %g %g: %g, not %g", l, x, y, h[VOLUME][i], e);
		}
	}
	OK(cudaDestroyTextureObject(t.plane));
	OK(cudaDestroyTextureObject(t.line));
	OK(cudaDestroyTextureObject(t.volume));
	OK(cudaDestroyTextureObject(t.sheets));
}

static void errors(cudaResourceDesc r)
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), integers = cudaCreateChannelDesc<int>();
	cudaMipmappedArray_t m = r.res.mipmap.mipmap, other = 0;
	cudaArray_t a = 0, level = 0;
	EXPECT(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&a, m, LEVELS));
	EXPECT(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(0, m, 0));
	EXPECT(cudaErrorInvalidResourceHandle, cudaGetMipmappedArrayLevel(&a, 0, 0));
	OK(cudaGetMipmappedArrayLevel(&level, m, 1));
	EXPECT(cudaErrorInvalidResourceHandle, cudaFreeArray(level)); /* it goes with the others */
	cudaResourceDesc plain;
	cudaSurfaceObject_t s = 0;
	memset(&plain, 0, sizeof(plain));
	plain.resType = cudaResourceTypeArray;
	plain.res.array.array = level;
	OK(cudaCreateSurfaceObject(&s, &plain)); /* without cudaArraySurfaceLoadStore, which a level may lack */
	OK(cudaDestroySurfaceObject(s));
	OK(cudaMallocMipmappedArray(&other, &f, make_cudaExtent(5, 9, 0), 100, 0)); /* 9, 4, 2, 1: four levels */
	OK(cudaGetMipmappedArrayLevel(&a, other, 3));
	EXPECT(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&a, other, 4));
	OK(cudaFreeMipmappedArray(other));
	EXPECT(cudaErrorInvalidResourceHandle, cudaFreeMipmappedArray(other));
	EXPECT(cudaErrorInvalidResourceHandle, cudaGetMipmappedArrayLevel(&a, other, 0));
	EXPECT(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(&f, 0, 0, a)); /* its levels went with it */
	OK(cudaFreeMipmappedArray(0));
	EXPECT(cudaErrorInvalidValue, cudaMallocMipmappedArray(0, &f, make_cudaExtent(4, 4, 0), 1, 0));
	EXPECT(cudaErrorInvalidValue, cudaMallocMipmappedArray(&other, 0, make_cudaExtent(4, 4, 0), 1, 0));
	EXPECT(cudaErrorInvalidValue, cudaMallocMipmappedArray(&other, &f, make_cudaExtent(0, 4, 0), 1, 0));
	EXPECT(cudaErrorInvalidValue, cudaMallocMipmappedArray(&other, &f, make_cudaExtent(1 << 20, 4, 0), 1, 0));
	EXPECT(cudaErrorNotSupported, cudaMallocMipmappedArray(&other, &f, make_cudaExtent(4, 4, 0), 1, cudaArraySparse));
	cudaChannelFormatDesc blocks = {8, 8, 8, 8, (cudaChannelFormatKind)17 /* BC1 */};
	EXPECT(cudaErrorNotSupported, cudaMallocMipmappedArray(&other, &blocks, make_cudaExtent(4, 4, 0), 1, 0));

	cudaTextureDesc how;
	cudaTextureObject_t t;
	memset(&how, 0, sizeof(how));
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &how, 0)); /* coordinates must be normalised */
	how.normalizedCoords = 1;
	cudaResourceViewDesc view;
	memset(&view, 0, sizeof(view));
	view.width = W;
	view.height = H;
	view.firstMipmapLevel = 3;
	view.lastMipmapLevel = 2;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &how, &view));
	view.lastMipmapLevel = LEVELS;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &how, &view));
	how.mipmapFilterMode = cudaFilterModeLinear;
	OK(cudaMallocMipmappedArray(&r.res.mipmap.mipmap, &integers, make_cudaExtent(4, 4, 0), 2, 0));
	EXPECT(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&t, &r, &how, 0));
	OK(cudaFreeMipmappedArray(r.res.mipmap.mipmap));
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &how, 0));

	cudaArrayMemoryRequirements need;
	cudaArraySparseProperties sparse;
	EXPECT(cudaErrorInvalidValue, cudaArrayGetPlane(&a, level, 0)); /* it has none */
	EXPECT(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(&need, level, 0)); /* of deferred mapping only */
	EXPECT(cudaErrorInvalidValue, cudaMipmappedArrayGetMemoryRequirements(&need, m, 0));
	EXPECT(cudaErrorInvalidValue, cudaArrayGetSparseProperties(&sparse, level));
	EXPECT(cudaErrorInvalidValue, cudaMipmappedArrayGetSparseProperties(&sparse, m));
	OK(cudaFreeMipmappedArray(m));
	EXPECT(cudaErrorInvalidResourceHandle, cudaArrayGetPlane(&a, level, 0));
	cudaGetLastError();
}

int main()
{
	cudaResourceDesc r[4] = {mipmap(make_cudaExtent(W, H, 0), 0), mipmap(make_cudaExtent(W, 0, 0), 0),
		mipmap(make_cudaExtent(W, H, D), 0), mipmap(make_cudaExtent(W, H, 3), cudaArrayLayered)};
	cudaTextureDesc how;
	memset(&how, 0, sizeof(how));
	how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
	how.normalizedCoords = 1;
	how.maxMipmapLevelClamp = LEVELS - 1;
	for (int k = 0; k < 4; k++) {
		how.filterMode = k & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
		how.mipmapFilterMode = k & 2 ? cudaFilterModeLinear : cudaFilterModePoint;
		look(r, how, NULL);
	}
	how.mipmapLevelBias = 0.75f;
	look(r, how, NULL);
	how.minMipmapLevelClamp = 1.25f;
	how.maxMipmapLevelClamp = 2.5f;
	look(r, how, NULL);
	how.mipmapLevelBias = how.minMipmapLevelClamp = 0;
	how.maxMipmapLevelClamp = 8;
	cudaResourceViewDesc view;
	memset(&view, 0, sizeof(view));
	view.width = W;
	view.height = H;
	view.firstMipmapLevel = 1;
	view.lastMipmapLevel = 3;
	look(r, how, &view);
	errors(r[0]);
	return check_done();
}
