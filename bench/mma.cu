// Products of halves: mma [iterations] prints PASS if all of them are right. Every warp adds up the same product, of whole numbers.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { SIDE = 16, WARPS = 4, BLOCKS = 8 };

__global__ void products(const unsigned short *a, const unsigned short *b, float *d, int n)
{
	float *to = d + (blockIdx.x * WARPS + threadIdx.x / 32) * SIDE * SIDE;
	unsigned x[8], y[8];
	float s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
	asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
		: "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7]) : "l"(a));
	asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], 16;"
		: "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3]), "=r"(y[4]), "=r"(y[5]), "=r"(y[6]), "=r"(y[7]) : "l"(b));
	for (int i = 0; i < n; i++)
		asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "
			"{%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"
			: "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]), "+f"(s[4]), "+f"(s[5]), "+f"(s[6]), "+f"(s[7])
			: "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
			  "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
	asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, 16;"
		:: "l"(to), "f"(s[0]), "f"(s[1]), "f"(s[2]), "f"(s[3]), "f"(s[4]), "f"(s[5]), "f"(s[6]), "f"(s[7]) : "memory");
}

// A small whole number as a half.
static unsigned short half_of(int v)
{
	float f = (float)v;
	unsigned u;
	memcpy(&u, &f, sizeof u);
	return v ? (unsigned short)((u >> 16 & 0x8000) | (((u & 0x7fffffff) >> 13) - (112 << 10))) : 0;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000, wrong = 0;
	unsigned short *a, *b;
	float *d;
	cudaMallocManaged(&a, SIDE * SIDE * sizeof *a);
	cudaMallocManaged(&b, SIDE * SIDE * sizeof *b);
	cudaMallocManaged(&d, SIDE * SIDE * WARPS * BLOCKS * sizeof *d);
	for (int i = 0; i < SIDE * SIDE; i++)
		a[i] = half_of(i % 7 - 3), b[i] = half_of(i % 5 - 2);
	products<<<BLOCKS, 32 * WARPS>>>(a, b, d, n);
	cudaDeviceSynchronize();
	for (int i = 0; i < SIDE * SIDE * WARPS * BLOCKS; i++) {
		int row = i / SIDE % SIDE, column = i % SIDE, sum = 0;
		for (int k = 0; k < SIDE; k++)
			sum += ((row * SIDE + k) % 7 - 3) * ((column * SIDE + k) % 5 - 2);
		wrong += d[i] != (float)sum * (float)n;
	}
	puts(wrong ? "FAIL" : "PASS");
	return wrong != 0;
}
