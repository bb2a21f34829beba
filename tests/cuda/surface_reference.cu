// Surface references, as programs up to CUDA 11 have them: binding, reading, writing, and what a freed array leaves behind.
// needs: clang
#include "check.h"

enum { W = 20, H = 6, D = 3 };

surface<void, cudaSurfaceType2D> from, to;
surface<void, cudaSurfaceType2DLayered> layers;
surface<void, cudaSurfaceType1D> unused;

__global__ void transpose_bytes(void)
{
	int x = threadIdx.x, y = threadIdx.y;
	uchar4 c = surf2Dread<uchar4>(from, x * 4, y);
	surf2Dwrite(make_uchar4(c.w, c.z, c.y, c.x), to, x * 4, y);
	surf2DLayeredwrite(x + 100 * y, layers, x * 4, y, x % D);
}

static cudaArray_t array(cudaExtent e, unsigned flags, cudaChannelFormatDesc f)
{
	cudaArray_t a = 0;
	OK(cudaMalloc3DArray(&a, &f, e, flags | cudaArraySurfaceLoadStore));
	return a;
}

int main()
{
	cudaChannelFormatDesc colour = cudaCreateChannelDesc<uchar4>(), number = cudaCreateChannelDesc<int>();
	cudaArray_t a = array(make_cudaExtent(W, H, 0), 0, colour), b = array(make_cudaExtent(W, H, 0), 0, colour),
		c = array(make_cudaExtent(W, H, D), cudaArrayLayered, number), plain = 0;
	unsigned char v[H][W][4], got[H][W][4];
	static int sheets[D][H][W];
	for (int i = 0; i < (int)sizeof(v); i++)
		v[0][0][i] = (unsigned char)(i * 3);
	OK(cudaMemcpy2DToArray(a, 0, 0, v, sizeof(v[0]), sizeof(v[0]), H, cudaMemcpyHostToDevice));
	OK(cudaBindSurfaceToArray(from, a));
	OK(cudaBindSurfaceToArray(to, b));
	OK(cudaBindSurfaceToArray(layers, c));
	transpose_bytes<<<1, dim3(W, H)>>>();
	LAUNCHED();
	OK(cudaMemcpy2DFromArray(got, sizeof(got[0]), b, 0, 0, sizeof(got[0]), H, cudaMemcpyDeviceToHost));
	for (int i = 0; i < (int)sizeof(v); i++)
		CHECK(got[0][i / 4][i % 4] == v[0][i / 4][3 - i % 4], "%d", i);
	cudaMemcpy3DParms p;
	memset(&p, 0, sizeof(p));
	p.srcArray = c;
	p.dstPtr = make_cudaPitchedPtr(sheets, W * sizeof(int), W, H);
	p.extent = make_cudaExtent(W, H, D);
	p.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&p));
	for (int i = 0; i < H * W; i++)
		CHECK(sheets[i % W % D][i / W][i % W] == i % W + 100 * (i / W), "%d", i);

	const surfaceReference *found = 0;
	OK(cudaGetSurfaceReference(&found, &from));
	CHECK(found == (const surfaceReference *)&from);
	EXPECT(cudaErrorInvalidSurface, cudaGetSurfaceReference(&found, &p));
	EXPECT(cudaErrorInvalidValue, cudaGetSurfaceReference(0, &from));
	const textureReference *wrong = 0;
	EXPECT(cudaErrorInvalidTexture, cudaGetTextureReference(&wrong, &from));
	OK(cudaMallocArray(&plain, &colour, W, H));
	EXPECT(cudaErrorInvalidValue, cudaBindSurfaceToArray(from, plain)); /* without cudaArraySurfaceLoadStore */
	EXPECT(cudaErrorInvalidValue, cudaBindSurfaceToArray((const surfaceReference *)&from, 0, &colour));
	cudaChannelFormatDesc wide = cudaCreateChannelDesc<float4>();
	EXPECT(cudaErrorInvalidChannelDescriptor, cudaBindSurfaceToArray((const surfaceReference *)&from, a, &wide));
	EXPECT(cudaErrorInvalidSurface, cudaBindSurfaceToArray((const surfaceReference *)&p, a, &colour));
	OK(cudaFreeArray(a));
	EXPECT(cudaErrorInvalidResourceHandle, cudaBindSurfaceToArray((const surfaceReference *)&from, a, &colour));
	transpose_bytes<<<1, 1>>>(); /* `from` is bound no longer */
	EXPECT(cudaErrorLaunchFailure, cudaDeviceSynchronize());
	return check_done();
}
