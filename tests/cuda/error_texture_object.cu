// A fetch through a texture object that is destroyed, or never was: cudaErrorIllegalAddress.
#include "fatal.h"

__global__ void fetch(float *p, cudaTextureObject_t t)
{
	p[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}

static void expect_fault(float *d, cudaTextureObject_t t)
{
	fetch<<<1, 32>>>(d, t);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == cudaErrorIllegalAddress, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
}

int main()
{
	cudaResourceDesc r;
	cudaTextureDesc how;
	cudaTextureObject_t t = 0;
	float *d = device_alloc<float>(64);
	memset(&r, 0, sizeof(r));
	memset(&how, 0, sizeof(how));
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = d;
	r.res.linear.desc = cudaCreateChannelDesc<float>();
	r.res.linear.sizeInBytes = 64 * sizeof(float);
	OK(cudaCreateTextureObject(&t, &r, &how, 0));
	fetch<<<1, 32>>>(d, t);
	LAUNCHED();
	OK(cudaDestroyTextureObject(t));
	expect_fault(d, t);

	/* The reset took the memory, and would have taken the object. */
	d = device_alloc<float>(64);
	expect_fault(d, 0x7fff12345678);
	EXPECT(cudaErrorInvalidValue, cudaDestroyTextureObject(t));
	cudaGetLastError();

	/* The memory goes, the object stays. */
	d = device_alloc<float>(64);
	r.res.linear.devPtr = device_alloc<float>(1 << 20);
	OK(cudaCreateTextureObject(&t, &r, &how, 0));
	OK(cudaFree(r.res.linear.devPtr));
	expect_fault(d, t);
	return check_done();
}
