// Surface objects of every geometry: what is read and written inside, and outside by each boundary mode, with elements of 1 to 16
// bytes; formatted stores and reductions; what a texture then finds in the array.
#include "check.h"

enum { W = 12, H = 5, D = 6, ROOM = (W + 2) * (H + 2) * (D + 2) };

enum { LINE, PLANE, VOLUME, LINES, PLANES, CUBE, CUBES, N_GEOMETRIES };

static const struct {
	int width, height, depth;
	unsigned flags;
} shape[N_GEOMETRIES] = {{W, 0, 0, 0}, {W, H, 0, 0}, {W, H, D, 0}, {W, 0, D, cudaArrayLayered}, {W, H, D, cudaArrayLayered},
	{W, W, 6, cudaArrayCubemap}, {W, W, 12, cudaArrayCubemap | cudaArrayLayered}};

template <class T, int G, cudaSurfaceBoundaryMode M>
static __device__ T load(cudaSurfaceObject_t s, int x, int y, int z)
{
	switch (G) {
	case LINE: return surf1Dread<T>(s, x * (int)sizeof(T), M);
	case PLANE: return surf2Dread<T>(s, x * (int)sizeof(T), y, M);
	case VOLUME: return surf3Dread<T>(s, x * (int)sizeof(T), y, z, M);
	case LINES: return surf1DLayeredread<T>(s, x * (int)sizeof(T), z, M);
	case PLANES: return surf2DLayeredread<T>(s, x * (int)sizeof(T), y, z, M);
	case CUBE: return surfCubemapread<T>(s, x * (int)sizeof(T), y, z, M);
	default: return surfCubemapLayeredread<T>(s, x * (int)sizeof(T), y, z, M);
	}
}

template <class T, int G, cudaSurfaceBoundaryMode M>
static __device__ void store(T v, cudaSurfaceObject_t s, int x, int y, int z)
{
	switch (G) {
	case LINE: surf1Dwrite(v, s, x * (int)sizeof(T), M); break;
	case PLANE: surf2Dwrite(v, s, x * (int)sizeof(T), y, M); break;
	case VOLUME: surf3Dwrite(v, s, x * (int)sizeof(T), y, z, M); break;
	case LINES: surf1DLayeredwrite(v, s, x * (int)sizeof(T), z, M); break;
	case PLANES: surf2DLayeredwrite(v, s, x * (int)sizeof(T), y, z, M); break;
	case CUBE: surfCubemapwrite(v, s, x * (int)sizeof(T), y, z, M); break;
	default: surfCubemapLayeredwrite(v, s, x * (int)sizeof(T), y, z, M); break;
	}
}

/* One texel around the surface is asked for too, but below no layer, since layers have no sign. */
template <class T, int G>
__global__ void look(cudaSurfaceObject_t from, cudaSurfaceObject_t to, T *zero, T *clamp, int w, int h, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % (w + 2) - 1, y = i / (w + 2) % (h + 2) - 1, z = i / (w + 2) / (h + 2);
	if (G == VOLUME)
		z--;
	if (z > d)
		return;
	zero[i] = load<T, G, cudaBoundaryModeZero>(from, x, y, z);
	clamp[i] = load<T, G, cudaBoundaryModeClamp>(from, x, y, z);
	store<T, G, cudaBoundaryModeZero>(zero[i], to, x, y, z);
	if (x == w && y == h && z == d)
		store<T, G, cudaBoundaryModeClamp>(clamp[0], to, x, y, z);
}

template <class T, int G> __global__ void inside(cudaSurfaceObject_t s, T *out, int w, int h, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = load<T, G, cudaBoundaryModeTrap>(s, i % w, i / w % h, i / w / h);
}

static cudaSurfaceObject_t surface_of(cudaArray_t a)
{
	cudaResourceDesc r, same;
	cudaSurfaceObject_t s = 0;
	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	OK(cudaCreateSurfaceObject(&s, &r));
	OK(cudaGetSurfaceObjectResourceDesc(&same, s));
	CHECK(same.resType == cudaResourceTypeArray && same.res.array.array == a);
	return s;
}

static int clamped(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

template <class T, int G> static void all(cudaChannelFormatDesc format)
{
	int w = shape[G].width, h = shape[G].height ? shape[G].height : 1, d = shape[G].depth ? shape[G].depth : 1, n = w * h * d;
	int room = (w + 2) * (h + 2) * (d + 2);
	T *v = new T[n], *got = new T[room], *edge = new T[room];
	for (int i = 0; i < n * (int)sizeof(T); i++)
		((unsigned char *)v)[i] = (unsigned char)(i * 7 + i / 31 + 1);
	cudaExtent extent = make_cudaExtent(shape[G].width, shape[G].height, shape[G].depth);
	cudaArray_t a[2];
	for (int k = 0; k < 2; k++)
		OK(cudaMalloc3DArray(&a[k], &format, extent, shape[G].flags | cudaArraySurfaceLoadStore));
	cudaMemcpy3DParms p;
	memset(&p, 0, sizeof(p));
	p.srcPtr = make_cudaPitchedPtr(v, w * sizeof(T), w, h);
	p.dstArray = a[0];
	p.extent = make_cudaExtent(w, h, d);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	cudaSurfaceObject_t from = surface_of(a[0]), to = surface_of(a[1]);
	T *zero = device_alloc<T>(room), *clamp = device_alloc<T>(room);
	look<T, G><<<(room + 63) / 64, 64>>>(from, to, zero, clamp, w, h, d);
	LAUNCHED();
	to_host(got, zero, room);
	to_host(edge, clamp, room);
	T none;
	memset(&none, 0, sizeof(none));
	for (int i = 0; i < room; i++) {
		int x = i % (w + 2) - 1, y = i / (w + 2) % (h + 2) - 1, z = i / (w + 2) / (h + 2) - (G == VOLUME);
		if (z > d)
			break;
		bool in = x >= 0 && x < w && (!shape[G].height || (y >= 0 && y < h)) && (!shape[G].depth || (z >= 0 && z < d));
		const T *at = &v[(clamped(z, d) * h + clamped(y, h)) * w + clamped(x, w)];
		CHECK(!memcmp(&got[i], in ? at : &none, sizeof(T)), "geometry %d, %d bytes: %d %d %d", G, (int)sizeof(T), x, y, z);
		CHECK(!memcmp(&edge[i], at, sizeof(T)), "geometry %d, %d bytes, clamped: %d %d %d", G, (int)sizeof(T), x, y, z);
	}
	inside<T, G><<<(n + 63) / 64, 64>>>(to, zero, w, h, n);
	LAUNCHED();
	to_host(got, zero, n);
	memcpy(&v[n - 1], &v[0], sizeof(T)); /* the last texel is also what was stored beyond it, clamped: the first one's */
	int wrong = 0;
	for (int i = 0; i < n - 1; i++)
		wrong += memcmp(&got[i], &v[i], sizeof(T)) != 0;
	CHECK(!wrong, "geometry %d, %d bytes: %d of %d texels differ after stores", G, (int)sizeof(T), wrong, n);
	for (int k = 0; k < 2; k++)
		OK(cudaFreeArray(a[k]));
	OK(cudaDestroySurfaceObject(from));
	OK(cudaDestroySurfaceObject(to));
	delete[] v;
	delete[] got;
	delete[] edge;
}

template <class T> static void geometries(void)
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<T>();
	all<T, LINE>(f);
	all<T, PLANE>(f);
	all<T, VOLUME>(f);
	all<T, LINES>(f);
	all<T, PLANES>(f);
	all<T, CUBE>(f);
	all<T, CUBES>(f);
}

/* sust.p converts to the surface's format; sured works on 32 bits in place. */
__global__ void formatted(cudaSurfaceObject_t bytes, cudaSurfaceObject_t shorts, cudaSurfaceObject_t floats)
{
	int i = threadIdx.x;
	asm volatile("sust.p.1d.v4.b32.trap [%0, {%1}], {%2, %3, %4, %5};" : : "l"(bytes), "r"(i), "r"(i), "r"(300), "r"(255), "r"(-1));
	asm volatile("sust.p.1d.v2.b32.zero [%0, {%1}], {%2, %3};" : : "l"(shorts), "r"(i - 4), "r"(-i), "r"(i * 10000));
	asm volatile("sust.p.1d.b32.clamp [%0, {%1}], {%2};" : : "l"(floats), "r"(i), "f"(i / 4.0f));
}

__global__ void reduce(cudaSurfaceObject_t s, cudaSurfaceObject_t u)
{
	int i = threadIdx.x, byte = i % W * 4;
	asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" : : "l"(s), "r"(byte), "r"(0), "r"(i));
	asm volatile("sured.b.max.2d.s32.trap [%0, {%1, %2}], %3;" : : "l"(s), "r"(byte), "r"(1), "r"(i - 40));
	asm volatile("sured.b.and.2d.b32.zero [%0, {%1, %2}], %3;" : : "l"(s), "r"(byte - 16), "r"(2), "r"(~(1 << i / W)));
	asm volatile("sured.b.or.2d.b32.clamp [%0, {%1, %2}], %3;" : : "l"(s), "r"(byte), "r"(70), "r"(1 << i / W));
	asm volatile("sured.p.min.2d.b32.trap [%0, {%1, %2}], %3;" : : "l"(s), "r"(i % W), "r"(3), "r"(20 - i));
	asm volatile("sured.p.min.2d.b32.trap [%0, {%1, %2}], %3;" : : "l"(u), "r"(i % W), "r"(3), "r"(20 - i));
}

__global__ void sizes(cudaSurfaceObject_t s, int *out)
{
	asm volatile("suq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(s));
	asm volatile("suq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(s));
}

template <class T> static cudaArray_t array_of(int w, int h)
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<T>();
	cudaArray_t a = 0;
	OK(cudaMallocArray(&a, &f, w, h, cudaArraySurfaceLoadStore));
	return a;
}

static void operations(void)
{
	cudaArray_t bytes = array_of<uchar4>(W, 0), shorts = array_of<short2>(W, 0), floats = array_of<float>(W, 0);
	formatted<<<1, W>>>(surface_of(bytes), surface_of(shorts), surface_of(floats));
	LAUNCHED();
	uchar4 b[W];
	short2 s[W];
	float f[W];
	OK(cudaMemcpy2DFromArray(b, sizeof(b), bytes, 0, 0, sizeof(b), 1, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy2DFromArray(s, sizeof(s), shorts, 0, 0, sizeof(s), 1, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy2DFromArray(f, sizeof(f), floats, 0, 0, sizeof(f), 1, cudaMemcpyDeviceToHost));
	for (int i = 0; i < W; i++) {
		CHECK(b[i].x == i && b[i].y == 255 && b[i].z == 255 && b[i].w == 255, "%d: %d %d %d %d", i, b[i].x, b[i].y, b[i].z, b[i].w);
		int from = i + 4;
		if (from < W)
			CHECK(s[i].x == -from && s[i].y == (from * 10000 > 32767 ? 32767 : from * 10000), "%d: %d %d", i, s[i].x, s[i].y);
		CHECK(f[i] == i / 4.0f, "%d: %g", i, f[i]);
	}

	cudaArray_t signs = array_of<int>(W, H), plain = array_of<unsigned>(W, H);
	int start[H][W], got[H][W], plain_got[H][W];
	for (int i = 0; i < H * W; i++)
		start[0][i] = i / W == 2 ? 255 : 0;
	OK(cudaMemcpy2DToArray(signs, 0, 0, start, sizeof(start[0]), sizeof(start[0]), H, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DToArray(plain, 0, 0, start, sizeof(start[0]), sizeof(start[0]), H, cudaMemcpyHostToDevice));
	reduce<<<1, 4 * W>>>(surface_of(signs), surface_of(plain));
	LAUNCHED();
	OK(cudaMemcpy2DFromArray(got, sizeof(got[0]), signs, 0, 0, sizeof(got[0]), H, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy2DFromArray(plain_got, sizeof(got[0]), plain, 0, 0, sizeof(got[0]), H, cudaMemcpyDeviceToHost));
	for (int x = 0; x < W; x++) {
		CHECK(got[0][x] == 4 * x + 6 * W, "add %d: %d", x, got[0][x]);
		CHECK(got[1][x] == (x + 3 * W - 40 > 0 ? x + 3 * W - 40 : 0), "max %d: %d", x, got[1][x]);
		CHECK(got[2][x] == (x + 4 < W ? 0xf0 : 0xff), "and %d: %x", x, got[2][x]);
		CHECK(got[4][x] == 15, "or %d: %x", x, got[4][x]);
		CHECK(got[3][x] == 20 - x - 3 * W, "min of signed %d: %d", x, got[3][x]);
		CHECK(plain_got[3][x] == 0, "min of unsigned %d: %d", x, plain_got[3][x]);
	}
	int *out = device_alloc<int>(2), size[2];
	sizes<<<1, 1>>>(surface_of(plain), out);
	LAUNCHED();
	to_host(size, out, 2);
	CHECK(size[0] == W && size[1] == H, "%d x %d", size[0], size[1]);
}

static void errors(void)
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	cudaArray_t plain, made;
	cudaSurfaceObject_t s = 0;
	cudaResourceDesc r;
	memset(&r, 0, sizeof(r));
	OK(cudaMallocArray(&plain, &f, W, H));
	OK(cudaMallocArray(&made, &f, W, H, cudaArraySurfaceLoadStore));
	r.resType = cudaResourceTypeArray;
	r.res.array.array = plain;
	EXPECT(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, &r)); /* without cudaArraySurfaceLoadStore */
	r.res.array.array = made;
	EXPECT(cudaErrorInvalidValue, cudaCreateSurfaceObject(0, &r));
	EXPECT(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, 0));
	OK(cudaCreateSurfaceObject(&s, &r));
	EXPECT(cudaErrorInvalidValue, cudaGetSurfaceObjectResourceDesc(0, s));
	EXPECT(cudaErrorInvalidValue, cudaGetSurfaceObjectResourceDesc(&r, s + 1));
	EXPECT(cudaErrorInvalidValue, cudaDestroyTextureObject(s)); /* it is none */
	OK(cudaDestroySurfaceObject(s));
	EXPECT(cudaErrorInvalidValue, cudaDestroySurfaceObject(s));
	OK(cudaDestroySurfaceObject(0));
	r.res.array.array = 0;
	EXPECT(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, &r));
	r.res.array.array = made;
	OK(cudaFreeArray(made));
	EXPECT(cudaErrorInvalidResourceHandle, cudaCreateSurfaceObject(&s, &r));
	r.resType = cudaResourceTypeLinear;
	EXPECT(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, &r));
	cudaGetLastError();
}

int main()
{
	geometries<unsigned char>();
	geometries<short>();
	geometries<float>();
	geometries<int2>();
	geometries<float4>();
	operations();
	errors();
	return check_done();
}
