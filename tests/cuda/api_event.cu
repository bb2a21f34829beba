// Events: recording, waiting across streams, elapsed time, and the errors of misuse.
#include "check.h"

__global__ void spin(int *out, int rounds)
{
	int x = threadIdx.x;
	for (int i = 0; i < rounds; i++)
		x = x * 1103515245 + 12345;
	out[threadIdx.x] = x;
}

__global__ void copy(int *to, const int *from)
{
	to[threadIdx.x] = from[threadIdx.x];
}

int main()
{
	cudaEvent_t start, stop, plain;
	OK(cudaEventCreate(&start));
	OK(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));
	OK(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
	int *a = device_alloc<int>(32), *b = device_alloc<int>(32), h[32];
	float ms = -1;
	EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, stop));
	cudaGetLastError();
	/* An event never recorded counts as done. */
	OK(cudaEventQuery(plain));
	OK(cudaEventSynchronize(plain));

	OK(cudaEventRecord(start));
	spin<<<1, 32>>>(a, 2000);
	OK(cudaEventRecord(stop, 0));
	OK(cudaEventSynchronize(stop));
	OK(cudaEventQuery(stop));
	OK(cudaEventElapsedTime(&ms, start, stop));
	CHECK(ms >= 0, "%g", ms);

	/* t must not copy before s has computed. */
	cudaStream_t s, t;
	OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	OK(cudaMemset(a, 0, sizeof(h)));
	OK(cudaDeviceSynchronize());
	spin<<<1, 32, 0, s>>>(a, 3000);
	OK(cudaEventRecord(plain, s));
	OK(cudaStreamWaitEvent(t, plain, 0));
	copy<<<1, 32, 0, t>>>(b, a);
	OK(cudaStreamSynchronize(t));
	to_host(h, b, 32);
	for (int i = 0; i < 32; i++) {
		int x = i;
		for (int k = 0; k < 3000; k++)
			x = (int)((unsigned)x * 1103515245u + 12345u);
		CHECK(h[i] == x, "at %d", i);
	}
	OK(cudaEventRecord(plain, s));
	OK(cudaEventSynchronize(plain));
	EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, plain));
	cudaGetLastError();
	OK(cudaEventDestroy(start));
	OK(cudaEventDestroy(stop));
	OK(cudaEventDestroy(plain));
	OK(cudaStreamDestroy(s));
	OK(cudaStreamDestroy(t));
	return check_done();
}
