// cudaMallocPitch, cudaMemcpy2D and cudaMemset2D, also the asynchronous forms.
#include "check.h"

__global__ void add_position(int *p, size_t pitch, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		((int *)((char *)p + y * pitch))[x] += 1000 * y + x;
}

int main()
{
	const int w = 37, h = 19;
	static int a[h][w], b[h][w + 3];
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			a[y][x] = x * y;
	int *d;
	size_t pitch;
	OK(cudaMallocPitch(&d, &pitch, w * sizeof(int), h));
	CHECK(pitch >= w * sizeof(int) && pitch % 32 == 0, "%zu", pitch);
	OK(cudaMemset2D(d, pitch, 0x11, w * sizeof(int), h));
	OK(cudaMemcpy2D(b, sizeof(b[0]), d, pitch, w * sizeof(int), h, cudaMemcpyDeviceToHost));
	for (int y = 0; y < h; y++) {
		for (int x = 0; x < w; x++)
			CHECK(b[y][x] == 0x11111111, "at %d %d", x, y);
		CHECK(b[y][w] == 0, "outside the rectangle");
	}
	OK(cudaMemcpy2D(d, pitch, a, sizeof(a[0]), w * sizeof(int), h, cudaMemcpyHostToDevice));
	add_position<<<dim3(2, 3), dim3(32, 8)>>>(d, pitch, w, h);
	LAUNCHED();
	OK(cudaMemcpy2DAsync(b, sizeof(b[0]), d, pitch, w * sizeof(int), h, cudaMemcpyDeviceToHost));
	OK(cudaDeviceSynchronize());
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			CHECK(b[y][x] == x * y + 1000 * y + x, "at %d %d", x, y);

	/* A window of the device rectangle, and device to device with another pitch. */
	int *e = device_alloc<int>(5 * 4), c[4][5];
	OK(cudaMemcpy2D(e, 5 * sizeof(int), (char *)d + 7 * pitch + 3 * sizeof(int), pitch, 5 * sizeof(int), 4,
		cudaMemcpyDeviceToDevice));
	OK(cudaMemset2DAsync(e, 5 * sizeof(int), 0, 2 * sizeof(int), 1));
	to_host(&c[0][0], e, 20);
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 5; x++)
			CHECK(c[y][x] == (y == 0 && x < 2 ? 0 : (x + 3) * (y + 7) + 1000 * (y + 7) + x + 3), "at %d %d", x, y);
	EXPECT(cudaErrorInvalidPitchValue, cudaMemcpy2D(d, 4, a, sizeof(a[0]), w * sizeof(int), h, cudaMemcpyHostToDevice));
	OK(cudaFree(d));
	OK(cudaFree(e));
	cudaGetLastError();
	return check_done();
}
