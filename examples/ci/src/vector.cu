#include "vector.h"

namespace {

enum { THREADS = 256, BLOCKS = 8 };

__global__ void axpy(float a, const float *x, float *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] += a * x[i];
}

__global__ void add_up(const int *x, int n, int *sum)
{
	__shared__ int part[THREADS];
	int own = 0;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		own += x[i];
	part[threadIdx.x] = own;
	for (int half = THREADS / 2; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		atomicAdd(sum, part[0]);
}

__global__ void count_values(const int *x, int n, int *count, int n_count)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		if (x[i] >= 0 && x[i] < n_count)
			atomicAdd(&count[x[i]], 1);
}

// Memory of the GPU that goes with its scope.
template <typename T> struct on_gpu {
	T *at = nullptr;
	cudaError_t error;
	explicit on_gpu(size_t n) : error(cudaMalloc(&at, n * sizeof(T))) {}
	explicit on_gpu(const std::vector<T> &v) : on_gpu(v.size()) { put(v); }
	on_gpu(const on_gpu &) = delete;
	~on_gpu() { cudaFree(at); }

	void put(const std::vector<T> &v)
	{
		if (!error)
			error = cudaMemcpy(at, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
	}
	cudaError_t get(T *to, size_t n) { return cudaMemcpy(to, at, n * sizeof(T), cudaMemcpyDeviceToHost); }
};

} // namespace

cudaError_t vector_axpy(float a, const std::vector<float> &x, std::vector<float> &y)
{
	on_gpu<float> gx(x), gy(y);
	if (gx.error || gy.error)
		return gx.error ? gx.error : gy.error;
	axpy<<<BLOCKS, THREADS>>>(a, gx.at, gy.at, (int)x.size());
	return gy.get(y.data(), y.size());
}

cudaError_t vector_sum(const std::vector<int> &x, int &sum)
{
	on_gpu<int> gx(x), gsum(std::vector<int>{0});
	if (gx.error || gsum.error)
		return gx.error ? gx.error : gsum.error;
	add_up<<<BLOCKS, THREADS>>>(gx.at, (int)x.size(), gsum.at);
	return gsum.get(&sum, 1);
}

cudaError_t vector_histogram(const std::vector<int> &x, std::vector<int> &count)
{
	on_gpu<int> gx(x), gcount(std::vector<int>(count.size(), 0));
	if (gx.error || gcount.error)
		return gx.error ? gx.error : gcount.error;
	count_values<<<BLOCKS, THREADS>>>(gx.at, (int)x.size(), gcount.at, (int)count.size());
	return gcount.get(count.data(), count.size());
}
