// Texture references bound to arrays and pitched memory: point and linear filtering, clamp, wrap, mirror and border
// addressing, normalised coordinates, one to three dimensions.
// needs: clang
#include "check.h"
#include "texture.h"

texture<float, 2, cudaReadModeElementType> plane;
texture<float, 1, cudaReadModeElementType> line;
texture<float, 3, cudaReadModeElementType> volume;
texture<uchar4, 2, cudaReadModeNormalizedFloat> picture;

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
	fill(v, c);
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

	const int n = 60;
	float2 at[n], unit[n];
	places(at, unit, n);
	float2 *dat = to_device(at, n), *dunit = to_device(unit, n);
	float *d = device_alloc<float>(4 * n), h[4][n];
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
