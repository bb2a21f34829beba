// Error names and texts; what cudaGetLastError and cudaPeekAtLastError remember.
#include "check.h"

int main()
{
	CHECK(!strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess"));
	CHECK(!strcmp(cudaGetErrorString(cudaSuccess), "no error"));
	CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"));
	CHECK(!strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
	CHECK(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
	CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
	CHECK(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
	CHECK(!strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered"));
	CHECK(!strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady"));
	CHECK(!strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument"));
	CHECK(!strcmp(cudaGetErrorName(cudaErrorAssert), "cudaErrorAssert"));
	CHECK(!strcmp(cudaGetErrorName(cudaErrorTextureNotBound), "cudaErrorTextureNotBound"));
	CHECK(!strcmp(cudaGetErrorName(cudaErrorMapBufferObjectFailed), "cudaErrorMapBufferObjectFailed"));
	CHECK(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"));
	CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"));

	EXPECT(cudaSuccess, cudaGetLastError());
	EXPECT(cudaErrorInvalidDevice, cudaSetDevice(1000));
	EXPECT(cudaErrorInvalidDevice, cudaPeekAtLastError());
	/* A good call does not erase it. */
	OK(cudaSetDevice(0));
	EXPECT(cudaErrorInvalidDevice, cudaPeekAtLastError());
	EXPECT(cudaErrorInvalidDevice, cudaGetLastError());
	EXPECT(cudaSuccess, cudaGetLastError());
	EXPECT(cudaSuccess, cudaPeekAtLastError());
	return check_done();
}
