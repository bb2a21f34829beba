// The kernels whose statistics tests/golden keeps. kernels.ptx is made from this file by
//   toolkit/heddlecc -arch=sm_70 -ptx -O2 -o tests/golden/kernels.ptx tests/golden/kernels.cu
// and checked in, so that figures do not depend on the compiler. All take input, output and a size.
#define KERNEL extern "C" __global__ void

KERNEL triad(const float *in, float *out, long long n)
{
	for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = in[i] + 3.0f * in[n + i];
}

// Five points of a field n wide.
KERNEL stencil(const float *in, float *out, long long n)
{
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, w = (int)n;
	if (x > 0 && y > 0 && x < w - 1 && y < w - 1)
		out[y * w + x] = 0.2f * (in[y * w + x] + in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}

KERNEL matmul(const float *in, float *out, long long n)
{
	__shared__ float a[16][16], b[16][16];
	const float *left = in, *right = in + n * n;
	int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
	float sum = 0;
	for (int t = 0; t < n; t += 16) {
		a[y][x] = left[row * n + t + x];
		b[y][x] = right[(t + y) * n + col];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < 16; k++)
			sum += a[y][k] * b[k][x];
		__syncthreads();
	}
	out[row * n + col] = sum;
}

KERNEL reduce(const unsigned *in, unsigned *out, long long n)
{
	__shared__ unsigned part[256];
	unsigned sum = 0;
	for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += in[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int step = 128; step; step /= 2) {
		if (threadIdx.x < step)
			part[threadIdx.x] += part[threadIdx.x + step];
		__syncthreads();
	}
	if (!threadIdx.x)
		atomicAdd(out, part[0]);
}

KERNEL histogram(const unsigned *in, unsigned *out, long long n)
{
	for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&out[in[i] & 1 ? in[i] & 6 : in[i] & 255], 1u);
}

// Each lane follows its own chain.
KERNEL chase(const unsigned *in, unsigned *out, long long n)
{
	unsigned at = threadIdx.x * 37 + blockIdx.x * 1001;
	for (int i = 0; i < 24; i++)
		at = in[at % n] + i;
	out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

// Breadth-first search in a graph of n nodes with edges i -> in[i], i/2, 2i+1; distances in out, by one block.
KERNEL bfs(const unsigned *in, unsigned *out, long long n)
{
	__shared__ int more;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		out[i] = i ? 0xffffffffu : 0;
	for (unsigned level = 0;; level++) {
		__syncthreads();
		more = 0;
		__syncthreads();
		for (int i = threadIdx.x; i < n; i += blockDim.x) {
			if (out[i] != level)
				continue;
			unsigned to[3] = {in[i] % (unsigned)n, i / 2u, 2u * i + 1};
			for (int k = 0; k < 3; k++)
				if (to[k] < n && out[to[k]] == 0xffffffffu) {
					out[to[k]] = level + 1;
					more = 1;
				}
		}
		__syncthreads();
		if (!more)
			break;
	}
}

KERNEL fp64(const double *in, double *out, long long n)
{
	long long i = blockIdx.x * blockDim.x + threadIdx.x;
	double x = (double)(((const long long *)in)[i] & 0xffff) + 1, y = 1;
	for (int k = 0; k < 6; k++)
		y = y * x + 2 / (x + k);
	if (i < n)
		out[i] = y;
}

// Columns are written with a stride of n.
KERNEL transpose(const unsigned *in, unsigned *out, long long n)
{
	int x = blockIdx.x * 32 + threadIdx.x;
	for (int y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += 8)
		out[x * n + y] = in[y * n + x];
}

KERNEL scan(const unsigned *in, unsigned *out, long long n)
{
	__shared__ unsigned warp[32];
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, v = in[i] & 0xff;
	for (unsigned d = 1; d < 32; d *= 2) {
		unsigned other = __shfl_up_sync(~0u, v, d);
		v += lane >= d ? other : 0;
	}
	if (lane == 31)
		warp[threadIdx.x / 32] = v;
	__syncthreads();
	for (unsigned w = 0; w < threadIdx.x / 32; w++)
		v += warp[w];
	out[i] = v;
}

static __device__ __noinline__ unsigned ackermann_like(unsigned a, unsigned b)
{
	return b == 0 ? a + 1 : a & 1 ? ackermann_like(a + b, b - 1) : ackermann_like(a / 2 + 7, b - 1) * 3;
}

// Arrays that registers cannot hold, recursion, special functions.
KERNEL locals(const unsigned *in, unsigned *out, long long n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mine[32], sum = 0;
	for (int k = 0; k < 32; k++)
		mine[(k * 7 + in[i]) % 32] = in[(i + k) % n];
	for (int k = 0; k < 32; k++)
		sum += mine[(sum + k) % 32];
	float f = __sinf((float)(sum & 255)) + rsqrtf((float)(i + 1));
	out[i] = sum + ackermann_like(i & 63, i % 7) + (unsigned)(f * 100);
}

__constant__ unsigned table[1024] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

KERNEL constants(const unsigned *in, unsigned *out, long long n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
	for (int k = 0; k < 16; k++)
		sum += table[k] * in[(i + k) % n] + table[in[(i + k) % n] % 1024];
	out[i] = sum;
}
