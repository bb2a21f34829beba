// ldmatrix, stmatrix and movmatrix: 8 x 8 matrices between shared memory and the registers of a warp.
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_90
#include "check.h"

#include <cstdint>

enum { SIDE = 8, MATRICES = 4, LANES = 32 };
// Rows of 16 bytes in shared memory, far from each other and out of order.
enum { PITCH = 48, ROWS = MATRICES * SIDE };

static __device__ unsigned row_at(unsigned row) { return (row * 5 + 3) % ROWS * PITCH; }

// The shape may stand before or behind the number; CUTLASS writes it behind.
template <int N, bool TRANS> static __device__ void load(uint32_t *d, unsigned at)
{
	if (N == 1 && !TRANS)
		asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d[0]) : "r"(at));
	if (N == 1 && TRANS)
		asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(d[0]) : "r"(at));
	if (N == 2 && !TRANS)
		asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(at));
	if (N == 2 && TRANS)
		asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(at));
	if (N == 4 && !TRANS)
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			: "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at));
	if (N == 4 && TRANS)
		asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
			: "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at));
}

// stmatrix is of sm_90; clang hands over what it doesn't know.
#if defined(__clang__) || __CUDA_ARCH__ >= 900
enum { STORES = true };
template <int N, bool TRANS> static __device__ void store(unsigned at, const uint32_t *s)
{
	if (N == 1 && !TRANS)
		asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(at), "r"(s[0]) : "memory");
	if (N == 1 && TRANS)
		asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" :: "r"(at), "r"(s[0]) : "memory");
	if (N == 2 && !TRANS)
		asm volatile("stmatrix.sync.aligned.x2.m8n8.shared.b16 [%0], {%1, %2};" :: "r"(at), "r"(s[0]), "r"(s[1]) : "memory");
	if (N == 2 && TRANS)
		asm volatile("stmatrix.sync.aligned.x2.trans.m8n8.shared.b16 [%0], {%1, %2};" :: "r"(at), "r"(s[0]), "r"(s[1]) : "memory");
	if (N == 4 && !TRANS)
		asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
			:: "r"(at), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]) : "memory");
	if (N == 4 && TRANS)
		asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
			:: "r"(at), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]) : "memory");
}

#else
enum { STORES = false };
template <int N, bool TRANS> static __device__ void store(unsigned, const uint32_t *) {}
#endif

struct out {
	int stores;
	uint32_t loaded[LANES][MATRICES], moved[LANES];
	uint16_t stored[ROWS * PITCH / 2];
};

// Element (r, c) of matrix q is 256 q + 16 r + c.
template <int N, bool TRANS> __global__ void run(out *o)
{
	__shared__ __align__(16) char memory[ROWS * PITCH], other[ROWS * PITCH];
	const unsigned lane = threadIdx.x;
	o->stores = STORES;
	uint32_t d[MATRICES] = {0};
	for (unsigned i = lane; i < ROWS * SIDE; i += LANES)
		*(uint16_t *)(memory + row_at(i / SIDE) + i % SIDE * 2) = (uint16_t)(i / 64 * 256 + i / SIDE % SIDE * 16 + i % SIDE);
	for (unsigned i = lane; i < sizeof other / 2; i += LANES)
		((uint16_t *)other)[i] = 0xffff;
	__syncwarp();
	// Lanes whose address is not used have one far outside.
	const bool used = lane < N * SIDE;
	load<N, TRANS>(d, used ? (unsigned)__cvta_generic_to_shared(memory + row_at(lane)) : 0x7ffffff0);
	for (int q = 0; q < N; q++)
		o->loaded[lane][q] = d[q];
	store<N, TRANS>(used ? (unsigned)__cvta_generic_to_shared(other + row_at(lane)) : 0x7ffffff0, d);
	asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(o->moved[lane]) : "r"(d[0]));
	__syncwarp();
	for (unsigned i = lane; i < sizeof other / 2; i += LANES)
		o->stored[i] = ((uint16_t *)other)[i];
}

static unsigned element(int q, int r, int c) { return q * 256 + r * 16 + c; }
static unsigned pair(int q, int r, int c, bool trans)
{
	return trans ? element(q, c, r) | element(q, c + 1, r) << 16 : element(q, r, c) | element(q, r, c + 1) << 16;
}

template <int N, bool TRANS> static void test(out *o)
{
	memset(o, 0, sizeof *o);
	run<N, TRANS><<<1, LANES>>>(o);
	LAUNCHED();
	for (int lane = 0; lane < LANES; lane++) {
		const int r = lane / 4, c = lane % 4 * 2;
		for (int q = 0; q < N; q++)
			CHECK(o->loaded[lane][q] == pair(q, r, c, TRANS), "x%d trans %d lane %d matrix %d: %#x", N, TRANS, lane, q, o->loaded[lane][q]);
		CHECK(o->moved[lane] == pair(0, r, c, !TRANS), "x%d trans %d lane %d moved: %#x", N, TRANS, lane, o->moved[lane]);
	}
	static uint16_t want[ROWS * PITCH / 2];
	memset(want, 0xff, sizeof want);
	for (int q = 0; q < N; q++)
		for (int r = 0; r < SIDE; r++)
			for (int c = 0; c < SIDE; c++)
				want[((q * SIDE + r) * 5 + 3) % ROWS * PITCH / 2 + c] = (uint16_t)element(q, r, c);
	CHECK(!o->stores || !memcmp(want, o->stored, sizeof want), "x%d trans %d stored", N, TRANS);
}

int main()
{
	out *o;
	OK(cudaMallocManaged(&o, sizeof *o));
	test<1, false>(o);
	test<1, true>(o);
	test<2, false>(o);
	test<2, true>(o);
	test<4, false>(o);
	test<4, true>(o);
	return check_done();
}
