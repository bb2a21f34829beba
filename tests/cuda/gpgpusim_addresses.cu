// Device addresses on request as in GPGPU-Sim: from 0xC0000000 up, 256 bytes apart, freed ones not given out again.
// options: -gpgpusim_addresses 1
// skip: asan tsan
#include "check.h"

__device__ int variable[64];

__global__ void fill(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = i + variable[i % 64];
}

// Textures may lie wherever allocations do.
static void make_texture(int *p)
{
	cudaResourceDesc r = {};
	cudaTextureDesc t = {};
	cudaTextureObject_t o = 0;
	cudaDeviceProp prop;
	OK(cudaGetDeviceProperties(&prop, 0));
	CHECK(prop.textureAlignment == 256, "%zu", prop.textureAlignment);
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = p;
	r.res.linear.desc = cudaCreateChannelDesc<int>();
	r.res.linear.sizeInBytes = 4096;
	OK(cudaCreateTextureObject(&o, &r, &t, 0));
	OK(cudaDestroyTextureObject(o));
}

int main()
{
	int *a, *b, *c, *v, h[64];
	OK(cudaMalloc(&a, 1000));
	OK(cudaMalloc(&b, 1));
	CHECK((size_t)a == 0xC0000000 && (size_t)b == 0xC0000400, "%p %p", (void *)a, (void *)b);
	OK(cudaFree(a));
	OK(cudaMalloc(&c, 1 << 20));
	CHECK((size_t)c == 0xC0000500, "%p", (void *)c);
	make_texture(c);
	OK(cudaGetSymbolAddress((void **)&v, variable));
	CHECK((size_t)v > 0xC0000500 + (1 << 20), "%p", (void *)v);
	for (int i = 0; i < 64; i++)
		h[i] = 100 * i;
	OK(cudaMemcpyToSymbol(variable, h, sizeof h));
	fill<<<(1 << 18) / 256, 256>>>(c, 1 << 18);
	OK(cudaMemcpy(h, c + (1 << 18) - 64, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 64; i++)
		CHECK(h[i] == (1 << 18) - 64 + i + 100 * i, "%d: %d", i, h[i]);
	OK(cudaFree(b));
	OK(cudaFree(c));
	return check_done();
}
