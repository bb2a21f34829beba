// Arrays: allocation, their channel description, copies to, from and between them.
#include "check.h"

int main()
{
	const int w = 21, h = 6;
	static float a[h][w], b[h][w];
	for (int i = 0; i < w * h; i++)
		a[0][i] = i * 0.25f;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat), got;
	cudaArray_t x, y;
	OK(cudaMallocArray(&x, &desc, w, h));
	OK(cudaMallocArray(&y, &desc, w, h));
	OK(cudaGetChannelDesc(&got, x));
	CHECK(got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindFloat);
	cudaExtent extent;
	unsigned flags = 1;
	OK(cudaArrayGetInfo(&got, &extent, &flags, x));
	CHECK(extent.width == w && extent.height == h && extent.depth == 0 && flags == 0);

	OK(cudaMemcpy2DToArray(x, 0, 0, a, sizeof(a[0]), sizeof(a[0]), h, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DFromArray(b, sizeof(b[0]), x, 0, 0, sizeof(b[0]), h, cudaMemcpyDeviceToHost));
	CHECK(memcmp(a, b, sizeof(a)) == 0);

	OK(cudaMemcpy2DArrayToArray(y, 0, 0, x, 0, 0, sizeof(a[0]), h));
	float patch[2][3] = {{-1, -2, -3}, {-4, -5, -6}};
	OK(cudaMemcpy2DToArray(y, 4 * sizeof(float), 2, patch, sizeof(patch[0]), sizeof(patch[0]), 2,
		cudaMemcpyHostToDevice));
	OK(cudaMemcpy2DFromArrayAsync(b, sizeof(b[0]), y, 0, 0, sizeof(b[0]), h, cudaMemcpyDeviceToHost));
	OK(cudaDeviceSynchronize());
	for (int r = 0; r < h; r++)
		for (int c = 0; c < w; c++) {
			bool in = r >= 2 && r < 4 && c >= 4 && c < 7;
			CHECK(b[r][c] == (in ? patch[r - 2][c - 4] : a[r][c]), "at %d %d: %g", c, r, b[r][c]);
		}

	/* One row needs no pitch; several do, and one that is given must be as wide as a row. */
	OK(cudaMemcpy2DToArray(y, 0, 1, a[3], 0, sizeof(a[0]), 1, cudaMemcpyHostToDevice));
	memset(b, 0, sizeof(b));
	OK(cudaMemcpy2DFromArray(b, 0, y, 0, 1, sizeof(b[0]), 1, cudaMemcpyDeviceToHost));
	CHECK(memcmp(a[3], b[0], sizeof(a[3])) == 0);
	CHECK(cudaMemcpy2DToArray(y, 0, 1, a[3], 0, sizeof(a[0]), 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
	CHECK(cudaMemcpy2DToArray(y, 0, 1, a[3], 4, sizeof(a[0]), 1, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
	CHECK(cudaMemcpy2DFromArray(b, 0, y, 0, 1, sizeof(a[0]), 2, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
	CHECK(cudaMemcpy2DFromArray(b, 4, y, 0, 1, sizeof(a[0]), 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
	cudaGetLastError();

	/* Through device memory, and with the three-dimensional call. */
	float *d = device_alloc<float>(w * h);
	OK(cudaMemcpy2DFromArray(d, w * sizeof(float), x, 0, 0, w * sizeof(float), h, cudaMemcpyDeviceToDevice));
	memset(b, 0, sizeof(b));
	to_host(b[0], d, w * h);
	CHECK(memcmp(a, b, sizeof(a)) == 0);
	cudaArray_t v;
	extent = make_cudaExtent(w, h / 2, 2);
	OK(cudaMalloc3DArray(&v, &desc, extent));
	cudaMemcpy3DParms p;
	memset(&p, 0, sizeof(p));
	p.srcPtr = make_cudaPitchedPtr(a, sizeof(a[0]), w, h / 2);
	p.dstArray = v;
	p.extent = extent;
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	memset(&p, 0, sizeof(p));
	memset(b, 0, sizeof(b));
	p.srcArray = v;
	p.dstPtr = make_cudaPitchedPtr(b, sizeof(b[0]), w, h / 2);
	p.extent = extent;
	p.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&p));
	CHECK(memcmp(a, b, sizeof(a)) == 0);
	OK(cudaFreeArray(x));
	OK(cudaFreeArray(y));
	OK(cudaFreeArray(v));
	OK(cudaFree(d));
	return check_done();
}
