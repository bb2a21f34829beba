// cudaMalloc3D, cudaMemcpy3D and cudaMemset3D with positions and extents.
#include "check.h"

static const int W = 13, H = 7, D = 5;

__global__ void negate(cudaPitchedPtr p, int w, int h, int depth)
{
	int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
	if (x < w && y < h && z < depth) {
		float *row = (float *)((char *)p.ptr + p.pitch * (z * p.ysize + y));
		row[x] = -row[x];
	}
}

int main()
{
	static float a[D][H][W], b[D][H][W];
	for (int i = 0; i < D * H * W; i++)
		a[0][0][i] = i + 1;
	cudaPitchedPtr p;
	cudaExtent all = make_cudaExtent(W * sizeof(float), H, D);
	OK(cudaMalloc3D(&p, all));
	CHECK(p.pitch >= W * sizeof(float) && p.ysize == (size_t)H);
	OK(cudaMemset3D(p, 0, all));
	cudaMemcpy3DParms c;
	memset(&c, 0, sizeof(c));
	c.srcPtr = make_cudaPitchedPtr(a, W * sizeof(float), W, H);
	c.dstPtr = p;
	c.extent = all;
	c.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&c));
	negate<<<1, dim3(16, 8, 8)>>>(p, W, H, D);
	LAUNCHED();
	memset(&c, 0, sizeof(c));
	c.srcPtr = p;
	c.dstPtr = make_cudaPitchedPtr(b, W * sizeof(float), W, H);
	c.extent = all;
	c.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3DAsync(&c));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < D * H * W; i++)
		CHECK(b[0][0][i] == -(i + 1), "at %d: %g", i, b[0][0][i]);

	/* A box inside the volume; x counts bytes for pitched pointers. */
	memset(b, 0, sizeof(b));
	c.srcPos = make_cudaPos(2 * sizeof(float), 3, 1);
	c.dstPos = make_cudaPos(0, 1, 2);
	c.extent = make_cudaExtent(4 * sizeof(float), 3, 2);
	OK(cudaMemcpy3D(&c));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++) {
				bool in = x < 4 && y >= 1 && y < 4 && z >= 2 && z < 4;
				float e = in ? -a[z - 1][y + 2][x + 2] : 0;
				CHECK(b[z][y][x] == e, "at %d %d %d: %g", x, y, z, b[z][y][x]);
			}
	OK(cudaFree(p.ptr));
	return check_done();
}
