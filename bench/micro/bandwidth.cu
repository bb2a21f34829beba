// Bytes a cycle of an SM when a block on each reads one set again and again, by the size of the set, which is in L1,
// in L2 or in neither. Bytes a cycle of the GPU in streams from and to DRAM, by the threads that an SM holds. Cycles
// of a load of one warp by the stride between its threads.
// bandwidth [KILOBYTES of the largest set] [ELEMENTS that each thread's place streams]
// On a real GPU the streams must be larger than L2 (4096 elements); on a simulator, whose memory is cold, 32 do.
#include "micro.h"

enum { THREADS = 256, UNROLLED = 8, STRIDED = 64 };

// Of words of 8 bytes, as the streams.
__global__ void sets(const uint2 *from, int elements, int rounds, long long *took, unsigned *out)
{
	unsigned sum = 0;
	for (int i = threadIdx.x; i < elements; i += THREADS)
		sum ^= from[i].x;
	__syncthreads();
	long long start = clock64();
	for (int r = 0; r < rounds; r++)
		for (int i = threadIdx.x; i < elements; i += THREADS * UNROLLED)
#pragma unroll
			for (int u = 0; u < UNROLLED; u++) {
				uint2 v = from[i + u * THREADS];
				sum ^= v.x ^ v.y;
			}
	if (sum == 1)
		out[0] = sum;
	__syncthreads();
	took[blockIdx.x] = clock64() - start;
}

struct span {
	unsigned sm;
	long long begin, end;
};

static __device__ void note(span *spans, long long begin)
{
	unsigned sm;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	__syncthreads();
	if (threadIdx.x == 0)
		spans[blockIdx.x] = span{sm, begin, clock64()};
}

// Streams of one element a thread. A block asks for all shared memory of the SM, which keeps others away.
__global__ void stream_read(const double *from, double *to, span *spans)
{
	long long begin = clock64();
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (from[i] == 1)
		to[0] = 1;
	note(spans, begin);
}

__global__ void stream_write(const double *, double *to, span *spans)
{
	long long begin = clock64();
	to[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = 1;
	note(spans, begin);
}

__global__ void stream_scale(const double *from, double *to, span *spans)
{
	long long begin = clock64();
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	to[i] = from[i] * 1.2;
	note(spans, begin);
}

__global__ void strided(const float *from, int stride, long long *took, float *out)
{
	float sum = 0;
	const volatile float *own = from + threadIdx.x * stride;
	for (int i = 0; i < 32; i++)
		sum += own[i & 1];
	long long start = clock64();
#pragma unroll
	for (int i = 0; i < STRIDED; i++)
		sum += own[i & 1];
	if (sum == 1)
		out[0] = sum;
	took[0] = clock64() - start;
}

typedef void stream(const double *, double *, span *);

// Cycles of the SM that was busy longest. Clocks of different SMs are not compared.
static double longest(const span *device, int blocks)
{
	enum { SMS = 1024 };
	static long long begin[SMS], end[SMS];
	span *spans = (span *)malloc(blocks * sizeof *spans);
	must(cudaMemcpy(spans, device, blocks * sizeof *spans, cudaMemcpyDeviceToHost), "cudaMemcpy");
	long long most = 1;
	memset(begin, 0, sizeof begin), memset(end, 0, sizeof end);
	for (int i = 0; i < blocks; i++) {
		unsigned sm = spans[i].sm % SMS;
		if (!end[sm] || spans[i].begin < begin[sm])
			begin[sm] = spans[i].begin;
		if (spans[i].end > end[sm])
			end[sm] = spans[i].end;
		if (end[sm] - begin[sm] > most)
			most = end[sm] - begin[sm];
	}
	free(spans);
	return (double)most;
}

static void streams(const char *curve, stream *kernel, int sms, int elements, int directions)
{
	int all_shared = 48 * 1024;
	must(cudaDeviceGetAttribute(&all_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "cudaDeviceGetAttribute");
	must(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, all_shared),
	     "cudaFuncSetAttribute");
	for (int threads = 32; threads <= 1024; threads *= 2) {
		size_t all = (size_t)sms * threads * elements;
		double *from = on_device<double>(all), *to = on_device<double>(all);
		int blocks = sms * elements;
		span *spans = on_device<span>(blocks);
		kernel<<<blocks, threads, all_shared>>>(from, to, spans);
		finish();
		point(curve, threads, (double)all * sizeof(double) * directions / longest(spans, blocks));
		cudaFree(from), cudaFree(to), cudaFree(spans);
	}
}

int main(int argc, char **argv)
{
	int sms = sm_count(), largest = (int)number(argc, argv, 1, 4096), elements = (int)number(argc, argv, 2, 4096);
	long long *took = on_device<long long>(sms);
	unsigned *out = on_device<unsigned>(1);
	for (int kilobytes = 16; kilobytes <= largest; kilobytes *= 2) {
		int count = kilobytes * 1024 / (int)sizeof(uint2), rounds = kilobytes < 256 ? 512 / kilobytes : 2;
		uint2 *from = on_device<uint2>(count);
		sets<<<sms, THREADS>>>(from, count, rounds, took, out);
		finish();
		point("bandwidth", kilobytes, (double)rounds * kilobytes * 1024 / slowest(took, sms));
		cudaFree(from);
	}
	streams("dram_read", stream_read, sms, elements, 1);
	streams("dram_write", stream_write, sms, elements, 1);
	streams("dram_scale", stream_scale, sms, elements, 2);
	float *from = on_device<float>(32 * 64 + 2);
	for (int stride = 1; stride <= 64; stride *= 2) {
		strided<<<1, 32>>>(from, stride, took, (float *)out);
		finish();
		point("stride", stride, slowest(took, 1) / STRIDED);
	}
}
