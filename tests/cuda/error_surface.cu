// Surface accesses that end a kernel: outside with the boundary mode trap, which is the default, at an x that is no multiple of the
// element, and through an object that is destroyed or is a texture.
#include "fatal.h"

enum { W = 16 };

__global__ void store(cudaSurfaceObject_t s, int x) { surf1Dwrite(1.0f, s, x); }
__global__ void load(cudaSurfaceObject_t s, int x, float *out) { *out = surf1Dread<float>(s, x, cudaBoundaryModeZero); }

static void expect_fault(cudaError_t what)
{
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == what, "%s", cudaGetErrorName(e));
	fatal_lasts_until_reset(e);
}

static cudaResourceDesc line(void)
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	cudaResourceDesc r;
	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypeArray;
	OK(cudaMallocArray(&r.res.array.array, &f, W, 0, cudaArraySurfaceLoadStore));
	return r;
}

static cudaSurfaceObject_t surface_of(const cudaResourceDesc &r)
{
	cudaSurfaceObject_t s = 0;
	OK(cudaCreateSurfaceObject(&s, &r));
	return s;
}

int main()
{
	store<<<1, 1>>>(surface_of(line()), 4 * W);
	expect_fault(cudaErrorLaunchFailure);
	store<<<1, 1>>>(surface_of(line()), -4);
	expect_fault(cudaErrorLaunchFailure);
	load<<<1, 1>>>(surface_of(line()), 2, device_alloc<float>(1));
	expect_fault(cudaErrorMisalignedAddress);
	cudaSurfaceObject_t s = surface_of(line());
	OK(cudaDestroySurfaceObject(s));
	store<<<1, 1>>>(s, 0);
	expect_fault(cudaErrorIllegalAddress);

	cudaTextureDesc how;
	cudaTextureObject_t t = 0;
	cudaResourceDesc r = line();
	memset(&how, 0, sizeof(how));
	OK(cudaCreateTextureObject(&t, &r, &how, 0));
	store<<<1, 1>>>(t, 0);
	expect_fault(cudaErrorIllegalAddress);
	return check_done();
}
