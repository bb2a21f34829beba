// max(min(a + b, c), 0) and its kin: one instruction on sm_90.
// needs: nvcc
#include "check.h"

__global__ void clamp(int *out, const int *in, int limit)
{
	int v = in[threadIdx.x];
	out[threadIdx.x] = max(min(v + 1, limit), 0);
	out[32 + threadIdx.x] = max(max(v + limit, -5), 0);
	out[64 + threadIdx.x] = __viaddmin_s32_relu(v, 7, limit);
	out[96 + threadIdx.x] = __viaddmax_s32_relu(v, -7, limit - 30);
}

int main()
{
	int h[128], in[32];
	for (int i = 0; i < 32; i++)
		in[i] = i * 3 - 40;
	int *d = device_alloc<int>(32), *out = device_alloc<int>(128);
	OK(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
	int limit = 20;
	clamp<<<1, 32>>>(out, d, limit);
	OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++) {
		int v = in[i], low = v + 1 < limit ? v + 1 : limit, high = v + limit > -5 ? v + limit : -5;
		int a = v + 7 < limit ? v + 7 : limit, b = v - 7 > limit - 30 ? v - 7 : limit - 30;
		CHECK(h[i] == (low > 0 ? low : 0) && h[32 + i] == (high > 0 ? high : 0), "%d: %d %d", i, h[i], h[32 + i]);
		CHECK(h[64 + i] == (a > 0 ? a : 0) && h[96 + i] == (b > 0 ? b : 0), "%d: %d %d", i, h[64 + i], h[96 + i]);
	}
	return check_done();
}
