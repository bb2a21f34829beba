// cp.async: every size, with fewer bytes than that, with a predicate, in groups, and through a pipeline of several stages.
// flags: -std=c++17
// clang-flags: -arch=sm_80
// nvcc-flags: -arch=sm_80
#include "check.h"

#include <cstdint>

enum { LANES = 32, SLOT = 16, FORMS = 12 };

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group %0;" :: "n"(n) : "memory")
#define WAIT_ALL() asm volatile("cp.async.wait_all;" ::: "memory")

// Form f of each lane goes to its slot of 16 bytes, which 0xee fills.
static __global__ void forms(const uint8_t *from, uint8_t *out, int n)
{
	__shared__ __align__(16) uint8_t s[FORMS][LANES][SLOT];
	const int i = threadIdx.x;
	for (int f = 0; f < FORMS; f++)
		for (int k = 0; k < SLOT; k++)
			s[f][i][k] = 0xee;
	const uint8_t *g = from + i * SLOT;
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(s[0][i])), "l"(g) : "memory");
	asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(at(s[1][i])), "l"(g) : "memory");
	asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at(s[2][i])), "l"(g) : "memory");
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(s[3][i])), "l"(g) : "memory");
	asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" :: "r"(at(s[4][i])), "l"(g), "r"(i % 17) : "memory");
	asm volatile("cp.async.ca.shared.global.L2::64B [%0], [%1], 8, %2;" :: "r"(at(s[5][i])), "l"(g), "r"(i % 9) : "memory");
	asm volatile("cp.async.ca.shared.global [%0+4], [%1+8], 4, %2;" :: "r"(at(s[6][i])), "l"(g), "r"(i % 5) : "memory");
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 5;" :: "r"(at(s[7][i])), "l"(g) : "memory");
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 0;" :: "r"(at(s[8][i])), "l"(g) : "memory");
	if (i % 3)
		asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at(s[9][i])), "l"(from + n - SLOT - i * SLOT) : "memory");
	asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\ncp.async.ca.shared.global [%0], [%1], 8, p;\n}"
		:: "r"(at(s[10][i])), "l"(g), "r"(i & 1) : "memory");
	asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" :: "r"(at(s[11][i])), "l"(g), "r"(12) : "memory");
	COMMIT();
	WAIT(0);
	for (int f = 0; f < FORMS; f++)
		for (int k = 0; k < SLOT; k++)
			out[(f * LANES + i) * SLOT + k] = s[f][i][k];
}

// With a policy for the cache. The address is the kernel's: ptxas 13.0 for sm_90 names a wrong uniform register where it finds a
// part of it in one.
static __global__ void hinted(const int4 *from, int4 *out, unsigned base)
{
	extern __shared__ int4 s[];
	const unsigned to = base + threadIdx.x * 16;
	asm volatile("{\n.reg .b64 hint;\ncreatepolicy.fractional.L2::evict_last.b64 hint, 1.0;\n"
		"cp.async.cg.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2, hint;\n"
		"cp.async.ca.shared.global.L2::cache_hint [%0+1024], [%1], 16, hint;\n}"
		:: "r"(to), "l"(from + threadIdx.x), "r"(12) : "memory");
	WAIT_ALL();
	out[threadIdx.x] = s[threadIdx.x];
	out[threadIdx.x + LANES] = s[threadIdx.x + 64];
	if (!threadIdx.x)
		out[2 * LANES].x = at(s);
}

static int wanted(const uint8_t *from, int n, int f, int i, int k)
{
	static const int size[FORMS] = { 4, 8, 16, 16, 16, 8, 4, 16, 16, 16, 8, 16 };
	const int first = f == 6 ? 4 : 0, offset = f == 6 ? 8 : 0;
	const int read = f == 4 ? i % 17 : f == 5 ? i % 9 : f == 6 ? i % 5 : f == 7 ? 5 : f == 8 ? 0 : f == 10 ? (i & 1 ? 0 : 8) : f == 11 ? 12 : size[f];
	if (k < first || k >= first + size[f] || (f == 9 && i % 3 == 0))
		return 0xee;
	const int b = k - first;
	if (b >= read)
		return 0;
	return f == 9 ? from[n - SLOT - i * SLOT + b] : from[i * SLOT + offset + b];
}

// Sums of rows through STAGES buffers, of which all but one are under way.
enum { STAGES = 4, THREADS = 64, ROUNDS = 23 };
static __global__ void pipeline(const int4 *from, int *sum)
{
	__shared__ int4 s[STAGES][THREADS];
	const int i = threadIdx.x;
	int total = 0;
	for (int k = 0; k < STAGES - 1; k++) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(&s[k][i])), "l"(from + k * THREADS + i) : "memory");
		COMMIT();
	}
	for (int k = 0; k < ROUNDS; k++) {
		WAIT(STAGES - 2);
		__syncthreads();
		const int4 v = s[k % STAGES][THREADS - 1 - i];
		total = total * 3 + v.x + v.y * 5 + v.z * 7 + v.w * 11;
		const int next = k + STAGES - 1;
		if (next < ROUNDS)
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(&s[next % STAGES][i])), "l"(from + next * THREADS + i) : "memory");
		COMMIT();
	}
	WAIT_ALL();
	sum[i] = total;
}

int main(void)
{
	enum { N = LANES * SLOT * 2 };
	static uint8_t from[N], got[FORMS * LANES * SLOT];
	static int4 rows[ROUNDS * THREADS];
	int sums[THREADS], *sum;
	uint8_t *d, *out;
	int4 *r;
	for (int k = 0; k < N; k++)
		from[k] = (uint8_t)(k * 37 + k / 256 + 1);
	for (int k = 0; k < ROUNDS * THREADS; k++)
		rows[k] = make_int4(k, k * 3 + 1, k ^ 0x55, -k);
	OK(cudaMalloc(&d, N));
	OK(cudaMalloc(&out, sizeof got));
	OK(cudaMalloc(&r, sizeof rows));
	OK(cudaMalloc(&sum, sizeof sums));
	OK(cudaMemcpy(d, from, N, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(r, rows, sizeof rows, cudaMemcpyHostToDevice));
	forms<<<1, LANES>>>(d, out, N);
	pipeline<<<3, THREADS>>>(r, sum);
	LAUNCHED();
	OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(sums, sum, sizeof sums, cudaMemcpyDeviceToHost));
	// The first launch tells where shared memory begins.
	int4 pair[2 * LANES + 1];
	for (unsigned k = 0, base = 1024; k < 2; k++) {
		hinted<<<1, LANES, 4096>>>(r, (int4 *)out, base);
		LAUNCHED();
		OK(cudaMemcpy(pair, out, sizeof pair, cudaMemcpyDeviceToHost));
		if (base == (unsigned)pair[2 * LANES].x)
			break;
		base = pair[2 * LANES].x;
	}
	for (int i = 0; i < LANES; i++) {
		const int4 a = pair[i], b = pair[i + LANES], c = rows[i];
		CHECK(a.x == c.x && a.y == c.y && a.z == c.z && a.w == 0 && b.x == c.x && b.w == c.w, "policy, lane %d: %d %d", i, a.x, b.x);
	}
	for (int f = 0; f < FORMS; f++)
		for (int i = 0; i < LANES; i++)
			for (int k = 0; k < SLOT; k++)
				CHECK(got[(f * LANES + i) * SLOT + k] == wanted(from, N, f, i, k), "form %d lane %d byte %d: %02x, not %02x", f, i, k,
					got[(f * LANES + i) * SLOT + k], wanted(from, N, f, i, k));
	for (int i = 0; i < THREADS; i++) {
		unsigned total = 0;
		for (int k = 0; k < ROUNDS; k++) {
			const int4 v = rows[k * THREADS + THREADS - 1 - i];
			total = total * 3 + (unsigned)(v.x + v.y * 5 + v.z * 7 + v.w * 11);
		}
		CHECK(sums[i] == (int)total, "thread %d: %d, not %d", i, sums[i], (int)total);
	}
	return check_done();
}
