// Texture references bound to arrays and pitched memory: point and linear filtering, clamp, wrap, mirror and border
// addressing, normalised coordinates, one to three dimensions.
// needs: clang
#include "check.h"

texture<float, 2, cudaReadModeElementType> plane;
texture<float, 1, cudaReadModeElementType> line;
texture<float, 3, cudaReadModeElementType> volume;
texture<uchar4, 2, cudaReadModeNormalizedFloat> picture;

static const int W = 8, H = 4, D = 3;

__global__ void sample(float *out, const float2 *at, int n)
{
	int i = threadIdx.x;
	if (i >= n)
		return;
	out[i] = tex2D(plane, at[i].x, at[i].y);
	out[n + i] = tex1D(line, at[i].x);
	out[2 * n + i] = tex3D(volume, at[i].x, at[i].y, 1.5f);
	float4 c = tex2D(picture, at[i].x, at[i].y);
	out[3 * n + i] = c.x + 10 * c.y + 100 * c.z + 1000 * c.w;
}

/* The index that an address mode makes of i, or -1 for the border. */
static int wrap(int i, int n, cudaTextureAddressMode mode)
{
	if (mode == cudaAddressModeWrap)
		return ((i % n) + n) % n;
	if (mode == cudaAddressModeMirror) {
		int k = ((i % (2 * n)) + 2 * n) % (2 * n);
		return k < n ? k : 2 * n - 1 - k;
	}
	if (mode == cudaAddressModeBorder)
		return i < 0 || i >= n ? -1 : i;
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel(const float *v, int x, int y, cudaTextureAddressMode mode)
{
	int i = wrap(x, W, mode), j = wrap(y, H, mode);
	return i < 0 || j < 0 ? 0 : v[j * W + i];
}

static double expect2d(const float *v, double x, double y, bool linear, cudaTextureAddressMode mode)
{
	if (!linear)
		return texel(v, (int)floor(x), (int)floor(y), mode);
	x -= 0.5;
	y -= 0.5;
	int i = (int)floor(x), j = (int)floor(y);
	double a = x - i, b = y - j;
	return (1 - a) * (1 - b) * texel(v, i, j, mode) + a * (1 - b) * texel(v, i + 1, j, mode) +
		(1 - a) * b * texel(v, i, j + 1, mode) + a * b * texel(v, i + 1, j + 1, mode);
}

template <class T> static void set(T &t, bool normalised, bool linear, cudaTextureAddressMode mode)
{
	t.normalized = normalised;
	t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
	t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = mode;
}

int main()
{
	static float v[D][H][W];
	static uchar4 c[H][W];
	for (int i = 0; i < D * H * W; i++)
		v[0][0][i] = i * i % 37;
	for (int i = 0; i < H * W; i++)
		c[0][i] = make_uchar4(i, 2 * i, 3 * i, 255 - i);
	cudaArray_t flat, row, cube;
	cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
	OK(cudaMallocArray(&flat, &real, W, H));
	OK(cudaMemcpyToArray(flat, 0, 0, v, W * H * sizeof(float), cudaMemcpyHostToDevice));
	OK(cudaMallocArray(&row, &real, W));
	OK(cudaMemcpyToArray(row, 0, 0, v, W * sizeof(float), cudaMemcpyHostToDevice));
	cudaExtent extent = make_cudaExtent(W, H, D);
	OK(cudaMalloc3DArray(&cube, &real, extent));
	cudaMemcpy3DParms p;
	memset(&p, 0, sizeof(p));
	p.srcPtr = make_cudaPitchedPtr(v, W * sizeof(float), W, H);
	p.dstArray = cube;
	p.extent = extent;
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	uchar4 *pitched;
	size_t pitch, offset;
	OK(cudaMallocPitch(&pitched, &pitch, W * sizeof(uchar4), H));
	OK(cudaMemcpy2D(pitched, pitch, c, sizeof(c[0]), sizeof(c[0]), H, cudaMemcpyHostToDevice));

	/* Multiples of 1/64 are exact in the hardware's fixed-point weights. */
	const int n = 60;
	float2 at[n], unit[n];
	for (int i = 0; i < n; i++) {
		at[i] = make_float2((i * 7 % 200 - 40) / 16.0f + 1 + 1 / 64.0f, (i * 11 % 120 - 30) / 16.0f + 0.25f + 1 / 64.0f);
		unit[i] = make_float2(at[i].x / W, at[i].y / H);
	}
	float2 *dat = to_device(at, n), *dunit = to_device(unit, n);
	float *d = device_alloc<float>(4 * n), h[4][n];
	static const struct {
		bool normalised, linear;
		cudaTextureAddressMode mode;
	} cases[] = {{false, false, cudaAddressModeClamp}, {false, true, cudaAddressModeClamp}, {false, false, cudaAddressModeBorder},
		{false, true, cudaAddressModeBorder}, {true, false, cudaAddressModeWrap}, {true, true, cudaAddressModeWrap},
		{true, true, cudaAddressModeClamp}, {true, false, cudaAddressModeMirror}, {true, true, cudaAddressModeMirror}};
	for (unsigned k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		bool normalised = cases[k].normalised, linear = cases[k].linear;
		cudaTextureAddressMode mode = cases[k].mode;
		set(plane, normalised, linear, mode);
		set(line, normalised, linear, mode);
		set(volume, normalised, linear, mode);
		set(picture, normalised, false, mode);
		OK(cudaBindTextureToArray(plane, flat));
		OK(cudaBindTextureToArray(line, row, real));
		OK(cudaBindTextureToArray(volume, cube));
		OK(cudaBindTexture2D(&offset, picture, pitched, W, H, pitch));
		sample<<<1, 64>>>(d, normalised ? dunit : dat, n);
		LAUNCHED();
		to_host(h[0], d, 4 * n);
		for (int i = 0; i < n; i++) {
			double x = at[i].x, y = at[i].y;
			double e = expect2d(v[0][0], x, y, linear, mode);
			CHECK(fabs(h[0][i] - e) < 1e-3, "case %u plane %g %g: %g, not %g", k, x, y, h[0][i], e);
			e = expect2d(v[0][0], x, linear ? 0.5 : 0, linear, mode);
			CHECK(fabs(h[1][i] - e) < 1e-3, "case %u line %g: %g, not %g", k, x, h[1][i], e);
			if (!normalised) { /* 1.5 is the middle of the second layer */
				e = expect2d(v[1][0], x, y, linear, mode);
				CHECK(fabs(h[2][i] - e) < 1e-3, "case %u volume %g %g: %g, not %g", k, x, y, h[2][i], e);
			}
			int tx = wrap((int)floor(x), W, mode), ty = wrap((int)floor(y), H, mode);
			uchar4 q = tx < 0 || ty < 0 ? make_uchar4(0, 0, 0, 0) : c[ty][tx];
			e = (q.x + 10 * q.y + 100 * q.z + 1000 * q.w) / 255.0;
			CHECK(fabs(h[3][i] - e) < 1e-2, "case %u picture %g %g: %g, not %g", k, x, y, h[3][i], e);
		}
	}
	OK(cudaUnbindTexture(plane));
	OK(cudaFreeArray(flat));
	OK(cudaFreeArray(row));
	OK(cudaFreeArray(cube));
	return check_done();
}
