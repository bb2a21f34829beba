// Texture objects over arrays and pitched memory: one to three dimensions, layers, filters, address modes, the border's
// colour, normalised coordinates, gathers. Every lane of a warp may have an object of its own.
#include "check.h"
#include "texture.h"

struct Objects {
	cudaTextureObject_t plane, line, volume, lines, planes, picture;
};

enum { PLANE, LINE, VOLUME, LINES, PLANES, PICTURE, LOD, N_VALUES };

__global__ void sample(float *out, float4 *corners, Objects t, const float2 *at, int n)
{
	int i = threadIdx.x;
	if (i >= n)
		return;
	float x = at[i].x, y = at[i].y;
	out[PLANE * n + i] = tex2D<float>(t.plane, x, y);
	out[LINE * n + i] = tex1D<float>(t.line, x);
	out[VOLUME * n + i] = tex3D<float>(t.volume, x, y, 1.5f);
	out[LINES * n + i] = tex1DLayered<float>(t.lines, x, i % 5 - 1);
	tex2DLayered(&out[PLANES * n + i], t.planes, x, y, i % 5 - 1);
	float4 c = tex2D<float4>(t.picture, x, y);
	out[PICTURE * n + i] = c.x + 10 * c.y + 100 * c.z + 1000 * c.w;
	out[LOD * n + i] = tex2DLod<float>(t.plane, x, y, 0);
	corners[2 * i] = tex2Dgather<float4>(t.plane, x, y);
	corners[2 * i + 1] = tex2Dgather<float4>(t.picture, x, y, 2);
}

__global__ void pick(float *out, const cudaTextureObject_t *t, int n)
{
	int i = threadIdx.x;
	out[i] = tex2D<float>(t[i % n], i % W + 0.5f, i / 2 % H + 0.5f);
}

/* Queries, and a fetch that says whether its texels are in memory, as they always are here. */
__global__ void query(int *out, cudaTextureObject_t t)
{
	float4 c;
	int resident, width, height;
	asm volatile("{.reg .pred p; tex.2d.v4.f32.f32 {%0, %1, %2, %3}|p, [%5, {%6, %6}]; selp.s32 %4, 1, 0, p;}"
		: "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w), "=r"(resident) : "l"(t), "f"(1.5f));
	asm volatile("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(t));
	asm volatile("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(t));
	out[0] = resident;
	out[1] = c.x;
	out[2] = width;
	out[3] = height;
}

/* By whole numbers, of which several fetches share some: compilers spread them over registers that do not follow each other. */
__global__ void whole(float *out, cudaTextureObject_t plane, cudaTextureObject_t planes)
{
	int i = threadIdx.x, x = i % W, y = i / W % H, z = i % D;
	float v[3], unused[3];
	asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
		: "=f"(v[0]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2]) : "l"(plane), "r"(x), "r"(y));
	asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
		: "=f"(v[1]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2]) : "l"(plane), "r"(x), "r"(z));
	asm volatile("tex.a2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
		: "=f"(v[2]), "=f"(unused[0]), "=f"(unused[1]), "=f"(unused[2]) : "l"(planes), "r"(z), "r"(y), "r"(x % H));
	for (int k = 0; k < 3; k++)
		out[k * 64 + i] = v[k];
}

static cudaResourceDesc resource(cudaArray_t a)
{
	cudaResourceDesc r;
	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	return r;
}

static cudaTextureObject_t object(const cudaResourceDesc &r, cudaTextureDesc t, bool normalised_float = false)
{
	cudaTextureObject_t o = 0;
	if (normalised_float)
		t.readMode = cudaReadModeNormalizedFloat;
	OK(cudaCreateTextureObject(&o, &r, &t, 0));
	CHECK(o != 0);
	return o;
}

static cudaArray_t array3d(const float *v, cudaExtent e, unsigned flags)
{
	cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
	cudaArray_t a = 0;
	OK(cudaMalloc3DArray(&a, &real, e, flags));
	cudaMemcpy3DParms p;
	memset(&p, 0, sizeof(p));
	p.srcPtr = make_cudaPitchedPtr((void *)v, W * sizeof(float), W, e.height ? e.height : 1);
	p.dstArray = a;
	p.extent = make_cudaExtent(e.width, e.height ? e.height : 1, e.depth);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	return a;
}

static cudaArray_t array2d(const float *v, int height)
{
	cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
	cudaArray_t a = 0;
	OK(cudaMallocArray(&a, &real, W, height, height ? cudaArrayTextureGather : 0));
	OK(cudaMemcpy2DToArray(
		a, 0, 0, v, W * sizeof(float), W * sizeof(float), height ? height : 1, cudaMemcpyHostToDevice));
	return a;
}

int main()
{
	border = 7.5f;
	static float v[D][H][W];
	static uchar4 c[H][W];
	fill(v, c);
	cudaResourceDesc flat = resource(array2d(v[0][0], H)), row = resource(array2d(v[0][0], 0)),
		cube = resource(array3d(v[0][0], make_cudaExtent(W, H, D), 0)),
		rows = resource(array3d(v[0][0], make_cudaExtent(W, 0, D), cudaArrayLayered)),
		sheets = resource(array3d(v[0][0], make_cudaExtent(W, H, D), cudaArrayLayered)), pitched;
	memset(&pitched, 0, sizeof(pitched));
	pitched.resType = cudaResourceTypePitch2D;
	pitched.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
	pitched.res.pitch2D.width = W;
	pitched.res.pitch2D.height = H;
	OK(cudaMallocPitch(&pitched.res.pitch2D.devPtr, &pitched.res.pitch2D.pitchInBytes, W * sizeof(uchar4), H));
	OK(cudaMemcpy2D(pitched.res.pitch2D.devPtr, pitched.res.pitch2D.pitchInBytes, c, sizeof(c[0]), sizeof(c[0]), H,
		cudaMemcpyHostToDevice));

	const int n = 60;
	float2 at[n], unit[n];
	places(at, unit, n);
	float2 *dat = to_device(at, n), *dunit = to_device(unit, n);
	float *d = device_alloc<float>(N_VALUES * n), h[N_VALUES][n];
	float4 *dcorners = device_alloc<float4>(2 * n), corners[n][2];
	for (unsigned k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		bool normalised = cases[k].normalised, linear = cases[k].linear;
		cudaTextureAddressMode mode = cases[k].mode;
		cudaTextureDesc how;
		memset(&how, 0, sizeof(how));
		how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
		how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
		how.normalizedCoords = normalised;
		for (int i = 0; i < 4; i++)
			how.borderColor[i] = border;
		cudaTextureDesc point = how;
		point.filterMode = cudaFilterModePoint;
		Objects t = {object(flat, how), object(row, how), object(cube, how), object(rows, how), object(sheets, how),
			object(pitched, point, true)};
		sample<<<1, 64>>>(d, dcorners, t, normalised ? dunit : dat, n);
		LAUNCHED();
		to_host(h[0], d, N_VALUES * n);
		to_host(corners[0], dcorners, 2 * n);
		for (int i = 0; i < n; i++) {
			double x = at[i].x, y = at[i].y;
			double e = expect2d(v[0][0], x, y, linear, mode);
			CHECK(fabs(h[PLANE][i] - e) < 1e-3, "case %u plane %g %g: %g, not %g", k, x, y, h[PLANE][i], e);
			CHECK(h[LOD][i] == h[PLANE][i], "case %u level 0 %g %g: %g", k, x, y, h[LOD][i]);
			e = expect2d(v[0][0], x, linear ? 0.5 : 0, linear, mode);
			CHECK(fabs(h[LINE][i] - e) < 1e-3, "case %u line %g: %g, not %g", k, x, h[LINE][i], e);
			if (!normalised) { /* 1.5 is the middle of the second layer */
				e = expect2d(v[1][0], x, y, linear, mode);
				CHECK(fabs(h[VOLUME][i] - e) < 1e-3, "case %u volume %g %g: %g, not %g", k, x, y, h[VOLUME][i], e);
			}
			int layer = wrap(i % 5 - 1, D, cudaAddressModeClamp); /* compilers make 65535 of a negative one */
			layer = i % 5 ? layer : D - 1;
			e = expect2d(v[0][layer], x, linear ? 0.5 : 0, linear, mode);
			CHECK(fabs(h[LINES][i] - e) < 1e-3, "case %u lines %g, %d: %g, not %g", k, x, layer, h[LINES][i], e);
			e = expect2d(v[layer][0], x, y, linear, mode);
			CHECK(
				fabs(h[PLANES][i] - e) < 1e-3, "case %u planes %g %g, %d: %g, not %g", k, x, y, layer, h[PLANES][i], e);
			int tx = wrap((int)floor(x), W, mode), ty = wrap((int)floor(y), H, mode);
			if (tx < 0 || ty < 0) {
				e = 1111 * border;
			} else {
				uchar4 q = c[ty][tx];
				e = (q.x + 10 * q.y + 100 * q.z + 1000 * q.w) / 255.0;
			}
			CHECK(fabs(h[PICTURE][i] - e) < 1e-2, "case %u picture %g %g: %g, not %g", k, x, y, h[PICTURE][i], e);
			if (mode == cudaAddressModeMirror)
				continue; /* the four are those around the reflected place, in the order of its neighbourhood */
			int left = (int)floor(x - 0.5), top = (int)floor(y - 0.5);
			const float *got = &corners[i][0].x, *third = &corners[i][1].x;
			for (int q = 0; q < 4; q++) {
				int px = left + (q == 1 || q == 2), py = top + (q < 2);
				e = texel(v[0][0], px, py, mode);
				CHECK(got[q] == e, "case %u gather %d at %g %g: %g, not %g", k, q, x, y, got[q], e);
				px = wrap(px, W, mode);
				py = wrap(py, H, mode);
				e = px < 0 || py < 0 ? border : c[py][px].z / 255.0;
				CHECK(
					fabs(third[q] - e) < 1e-6, "case %u gather %d of z at %g %g: %g, not %g", k, q, x, y, third[q], e);
			}
		}
		OK(cudaDestroyTextureObject(t.plane));
		OK(cudaDestroyTextureObject(t.line));
		OK(cudaDestroyTextureObject(t.volume));
		OK(cudaDestroyTextureObject(t.lines));
		OK(cudaDestroyTextureObject(t.planes));
		OK(cudaDestroyTextureObject(t.picture));
	}

	/* Objects in an array, one for each lane. */
	cudaTextureDesc plain;
	memset(&plain, 0, sizeof(plain));
	cudaTextureObject_t many[D];
	cudaArray_t sheet[D];
	for (int k = 0; k < D; k++) {
		sheet[k] = array2d(v[k][0], H);
		many[k] = object(resource(sheet[k]), plain);
	}
	float lanes[64];
	pick<<<1, 64>>>(d, to_device(many, D), D);
	LAUNCHED();
	to_host(lanes, d, 64);
	for (int i = 0; i < 64; i++)
		CHECK(lanes[i] == v[i % D][i / 2 % H][i % W], "lane %d: %g", i, lanes[i]);
	cudaTextureObject_t all = object(sheets, plain);
	float found[3][64];
	whole<<<1, 64>>>(d, many[1], all);
	LAUNCHED();
	to_host(found[0], d, 3 * 64);
	for (int i = 0; i < 64; i++) {
		int x = i % W, y = i / W % H, z = i % D;
		CHECK(found[0][i] == v[1][y][x] && found[1][i] == v[1][z][x] && found[2][i] == v[z][x % H][y], "lane %d: %g %g %g", i,
			found[0][i], found[1][i], found[2][i]);
	}
	OK(cudaDestroyTextureObject(all));
	int *answers = device_alloc<int>(4), a[4];
	query<<<1, 1>>>(answers, many[1]);
	LAUNCHED();
	to_host(a, answers, 4);
	CHECK(a[0] == 1 && a[1] == v[1][1][1] && a[2] == W && a[3] == H, "%d %d %d %d", a[0], a[1], a[2], a[3]);
	for (int k = 0; k < D; k++) {
		OK(cudaDestroyTextureObject(many[k]));
		OK(cudaFreeArray(sheet[k]));
	}
	return check_done();
}
