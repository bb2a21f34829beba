// Events of a whole context: cuCtxRecordEvent is done when all its streams are, and what comes after cuCtxWaitEvent waits, also in
// streams that are made later.
// nvcc-flags: -lcuda
// The kernel waits for the host, so how far the GPU gets depends on how fast the host is.
// skip: timed hostile (few operations may wait, and here one waits for what comes after many)
#include "check.h"

#include <cuda.h>

// Not in every compiler's headers.
extern "C" {
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxRecordEvent(CUcontext context, CUevent event);
CUresult cuCtxWaitEvent(CUcontext context, CUevent event);
}

#define GIVES(code, call) CHECK((call) == (code), "%s", #call)

__global__ void hold(volatile int *go, int *out, int v)
{
	while (!*go)
		;
	*out = v;
}

int main()
{
	CUcontext c, other;
	CUevent e, foreign;
	cudaStream_t s, t, u;
	int *p, *go, *h;
	OK(cudaHostAlloc(&go, 2 * sizeof *go, cudaHostAllocMapped));
	h = go + 1;
	*go = *h = 0;
	p = device_alloc<int>(2);
	OK(cudaMemset(p, 0, 8));
	GIVES(CUDA_SUCCESS, cuCtxGetCurrent(&c));
	GIVES(CUDA_SUCCESS, cuEventCreate(&e, 0));
	OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	GIVES(CUDA_SUCCESS, cuCtxRecordEvent(c, e)); // of nothing
	GIVES(CUDA_SUCCESS, cuEventSynchronize(e));

	hold<<<1, 1, 0, s>>>(go, p, 7);
	hold<<<1, 1, 0, t>>>(go, p + 1, 8);
	GIVES(CUDA_SUCCESS, cuCtxRecordEvent(c, e));
	GIVES(CUDA_ERROR_NOT_READY, cuEventQuery(e));
	GIVES(CUDA_SUCCESS, cuCtxWaitEvent(c, e));
	OK(cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking)); // later
	OK(cudaMemcpyAsync(h, p + 1, 4, cudaMemcpyDeviceToHost, u));
	EXPECT(cudaErrorNotReady, cudaStreamQuery(u));
	*(volatile int *)go = 1;
	OK(cudaStreamSynchronize(u));
	CHECK(*h == 8);
	GIVES(CUDA_SUCCESS, cuEventQuery(e));
	GIVES(CUDA_SUCCESS, cuCtxWaitEvent(c, e)); // it is done
	OK(cudaStreamSynchronize(u));

	// Captures are spoilt.
	cudaGraph_t g;
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuCtxRecordEvent(c, e));
	EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	GIVES(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuCtxWaitEvent(c, e));
	EXPECT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &g));

	// An event of another context can be waited for, not recorded.
	GIVES(CUDA_SUCCESS, cuCtxCreate_v2(&other, 0, 0));
	GIVES(CUDA_SUCCESS, cuEventCreate(&foreign, 0));
	GIVES(CUDA_ERROR_INVALID_HANDLE, cuCtxRecordEvent(c, foreign));
	GIVES(CUDA_SUCCESS, cuCtxRecordEvent(other, foreign));
	GIVES(CUDA_SUCCESS, cuCtxWaitEvent(c, foreign));
	GIVES(CUDA_SUCCESS, cuCtxDestroy(other));
	GIVES(CUDA_ERROR_INVALID_CONTEXT, cuCtxWaitEvent(other, e));
	OK(cudaDeviceSynchronize());
	return check_done();
}
