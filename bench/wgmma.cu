// Products of halves by a warp group: wgmma [iterations] prints PASS if all of them are right. Every group adds up the same product, of
// whole numbers, from matrices in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { M = 64, N = 256, K = 16, THREADS = 128, BLOCKS = 4, SUMS = N / 2 };

// Where an element stands: 8 x 8 blocks, behind each other down the rows and then along k.
static __host__ __device__ int place(int row, int k, int rows) { return k / 8 * rows * 8 + row / 8 * 64 + row % 8 * 8 + k % 8; }

__global__ void __launch_bounds__(THREADS) products(const unsigned short *a, const unsigned short *b, float *out, int n)
{
	__shared__ __align__(128) unsigned short sa[M * K], sb[N * K];
	for (int i = threadIdx.x; i < M * K; i += THREADS)
		sa[i] = a[i];
	for (int i = threadIdx.x; i < N * K; i += THREADS)
		sb[i] = b[i];
	const unsigned long long rows = (unsigned long long)(128 / 16) << 32;
	const unsigned long long da = (unsigned long long)__cvta_generic_to_shared(sa) / 16 | (unsigned long long)M << 16 | rows;
	const unsigned long long db = (unsigned long long)__cvta_generic_to_shared(sb) / 16 | (unsigned long long)N << 16 | rows;
	float d[SUMS];
	for (int i = 0; i < SUMS; i++)
		d[i] = 0;
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
	for (int i = 0; i < n; i++) {
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
			"{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
			"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
			"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
			"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
			"%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
			"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
			"%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
			"%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
			"%128, %129, 1, 1, 1, 0, 0;"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
			  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
			  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
			  "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
			  "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
			  "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
			  "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
			  "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),
			  "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
			  "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]),
			  "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]),
			  "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
			  "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
			  "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
			  "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
			  "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
			: "l"(da), "l"(db) : "memory");
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	}
	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	for (int i = 0; i < SUMS; i++)
		out[(blockIdx.x * M + warp * 16 + lane / 4 + i / 2 % 2 * 8) * N + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

// A small whole number as a half.
static unsigned short half_of(int v)
{
	float f = (float)v;
	unsigned u;
	memcpy(&u, &f, sizeof u);
	return v ? (unsigned short)((u >> 16 & 0x8000) | (((u & 0x7fffffff) >> 13) - (112 << 10))) : 0;
}

static int a_at(int row, int k) { return (row * K + k) % 7 - 3; }
static int b_at(int column, int k) { return (column * K + k) % 5 - 2; }

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000, wrong = 0;
	unsigned short *a, *b;
	float *d;
	cudaMallocManaged(&a, M * K * sizeof *a);
	cudaMallocManaged(&b, N * K * sizeof *b);
	cudaMallocManaged(&d, sizeof(float) * M * N * BLOCKS);
	for (int k = 0; k < K; k++) {
		for (int i = 0; i < M; i++)
			a[place(i, k, M)] = half_of(a_at(i, k));
		for (int i = 0; i < N; i++)
			b[place(i, k, N)] = half_of(b_at(i, k));
	}
	products<<<BLOCKS, THREADS>>>(a, b, d, n);
	cudaDeviceSynchronize();
	for (int i = 0; i < M * N * BLOCKS; i++) {
		int sum = 0;
		for (int k = 0; k < K; k++)
			sum += a_at(i / N % M, k) * b_at(i % N, k);
		wrong += d[i] != (float)sum * (float)n;
	}
	puts(wrong ? "FAIL" : "PASS");
	return wrong != 0;
}
