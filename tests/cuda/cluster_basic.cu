// Clusters of thread blocks: special registers of every shape, addresses of other blocks' shared memory, and what is loaded, stored and
// changed by atomics there, with and without the space in the instruction.
// flags: -arch=sm_90
// twice
// env: GPGPUSIM_CONFIG=../../../../../configs/SM90_H100/gpgpusim.config
#include "cluster.h"

enum { FACTS = 15 };

#define FACT(n, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(f[n]))

static __global__ void facts(unsigned *out)
{
	unsigned f[FACTS];
	FACT(0, "cluster_ctaid.x"); FACT(1, "cluster_ctaid.y"); FACT(2, "cluster_ctaid.z");
	FACT(3, "cluster_nctaid.x"); FACT(4, "cluster_nctaid.y"); FACT(5, "cluster_nctaid.z");
	FACT(6, "clusterid.x"); FACT(7, "clusterid.y"); FACT(8, "clusterid.z");
	FACT(9, "nclusterid.x"); FACT(10, "nclusterid.y"); FACT(11, "nclusterid.z");
	FACT(12, "cluster_ctarank"); FACT(13, "cluster_nctarank");
	asm volatile("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(f[14]));
	const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	for (int i = threadIdx.x; i < FACTS; i += blockDim.x)
		out[b * FACTS + i] = f[i];
}

static void check_facts(dim3 g, dim3 c, bool clustered)
{
	const unsigned n = g.x * g.y * g.z;
	unsigned *d = device_alloc<unsigned>(n * FACTS), *h = new unsigned[n * FACTS];
	if (clustered)
		OK(launch(facts, g, dim3(32), c, 0, d));
	else
		facts<<<g, 32>>>(d);
	LAUNCHED();
	to_host(h, d, n * FACTS);
	for (unsigned b = 0; b < n; b++) {
		const unsigned x = b % g.x, y = b / g.x % g.y, z = b / g.x / g.y;
		const unsigned want[FACTS] = {x % c.x, y % c.y, z % c.z, c.x, c.y, c.z, x / c.x, y / c.y, z / c.z, g.x / c.x, g.y / c.y, g.z / c.z,
		                              x % c.x + c.x * (y % c.y + c.y * (z % c.z)), c.x * c.y * c.z, clustered};
		for (int i = 0; i < FACTS; i++)
			CHECK(h[b * FACTS + i] == want[i], "(cluster %u,%u,%u, block %u, fact %d: %u, want %u)", c.x, c.y, c.z, b, i, h[b * FACTS + i],
			      want[i]);
	}
	delete[] h;
	OK(cudaFree(d));
}

enum { THREADS = 96 };

// Each block's words tell whose they are.
static __device__ unsigned word(unsigned block, unsigned i) { return block * 1000 + i; }

// The sum of what went wrong, by bits.
static __global__ void neighbours(unsigned *wrong, unsigned *sums)
{
	__shared__ unsigned own[THREADS], got[THREADS], back[THREADS];
	__shared__ __align__(16) unsigned wide[4 * THREADS];
	__shared__ unsigned char bytes[THREADS];
	__shared__ unsigned count, most, lanes;
	__shared__ u64 sum;
	__shared__ unsigned *handed;
	const unsigned t = threadIdx.x, r = cluster_ctarank(), n = cluster_nctarank(), next = (r + 1) % n, last = (r + n - 1) % n;
	const unsigned first = blockIdx.x - r; // of the cluster
	unsigned bad = 0, v[4];

	own[t] = word(blockIdx.x, t);
	bytes[t] = (unsigned char)(3 * r + t);
	for (int i = 0; i < 4; i++)
		wide[4 * t + i] = word(blockIdx.x, 4 * t + i);
	if (!t)
		count = most = lanes = 0, sum = 0;
	cluster_sync();

	// Loads, by address and by pointer, of one block and of a different one in each lane.
	bad |= load(map(&own[t], next)) != word(first + next, t) ? 1 : 0;
	bad |= *(volatile unsigned *)map_generic(&own[t], next) != word(first + next, t) ? 2 : 0;
	bad |= load(map(&own[t], t % n)) != word(first + t % n, t) ? 4 : 0;
	bad |= *(volatile unsigned *)map_generic(&own[THREADS - 1 - t], t % n) != word(first + t % n, THREADS - 1 - t) ? 8 : 0;
	asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(map(&wide[4 * t], last)));
	for (int i = 0; i < 4; i++)
		bad |= v[i] != word(first + last, 4 * t + i) ? 16 : 0;
	bad |= *(volatile unsigned char *)map_generic(&bytes[t], last) != (unsigned char)(3 * last + t) ? 32 : 0;
	bad |= load(map(&own[t], r)) != word(blockIdx.x, t) ? 64 : 0; // its own, by its rank
	bad |= *(volatile unsigned *)map_generic(&own[t], r) != word(blockIdx.x, t) ? 128 : 0;

	// Whose is an address?
	unsigned of, of_own, cluster, cta;
	asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(map(&own[t], next)));
	asm volatile("getctarank.u64 %0, %1;" : "=r"(of_own) : "l"(own));
	bad |= of != next || of_own != r ? 256 : 0;
	asm volatile("{\n.reg .pred p, q;\nisspacep.shared::cluster p, %2;\nisspacep.shared::cta q, %2;\nselp.u32 %0, 1, 0, p;\nselp.u32 %1, 1, 0, q;\n}"
	             : "=r"(cluster), "=r"(cta) : "l"(map_generic(own, next)));
	bad |= !cluster || cta != (next == r) ? 512 : 0;
	asm volatile("{\n.reg .pred p, q;\nisspacep.shared::cluster p, %2;\nisspacep.global q, %2;\nselp.u32 %0, 1, 0, p;\nselp.u32 %1, 1, 0, q;\n}"
	             : "=r"(cluster), "=r"(cta) : "l"(sums));
	bad |= cluster || !cta ? 1024 : 0;

	// Stores: each word of the next block comes from the same thread here, `back` from any block.
	store(map(&got[t], next), word(blockIdx.x, t));
	if (t % n == r)
		for (unsigned k = 0; k < n; k++)
			*(volatile unsigned *)map_generic(&back[t], k) = word(blockIdx.x, t);

	// A pointer of its own for the next block.
	if (!t)
		*(unsigned *volatile *)map_generic(&handed, next) = own;

	// Atomics: all threads of the cluster count in its first block.
	asm volatile("red.shared::cluster.add.u32 [%0], 1;" :: "r"(map(&count, 0)) : "memory");
	atomicMax(map_generic(&most, 0), word(blockIdx.x, t));
	atomicAdd(map_generic(&sum, 0), (u64)t);
	unsigned old;
	asm volatile("atom.shared::cluster.or.b32 %0, [%1], %2;" : "=r"(old) : "r"(map(&lanes, n - 1)), "r"(1u << r) : "memory");
	bad |= old >> n ? 2048 : 0;
	cluster_sync();

	bad |= got[t] != word(first + last, t) ? 4096 : 0;
	bad |= back[t] != word(first + t % n, t) ? 8192 : 0;
	bad |= handed[t] != word(first + last, t) ? 65536 : 0;
	if (!r)
		bad |= count != n * THREADS || most != word(first + n - 1, THREADS - 1) || sum != (u64)n * (THREADS * (THREADS - 1) / 2) ? 16384 : 0;
	if (r == n - 1)
		bad |= lanes != (1u << n) - 1 ? 32768 : 0;
	atomicOr(wrong, bad);
	atomicAdd(sums, load(map(&own[t], next)));
	cluster_sync(); // nobody leaves while others read
}

static void check_neighbours(unsigned n, unsigned clusters)
{
	unsigned zero[2] = {0, 0}, *d = to_device(zero, 2), h[2], want = 0;
	OK(launch(neighbours, dim3(n * clusters), dim3(THREADS), dim3(n), 0, d, d + 1));
	LAUNCHED();
	to_host(h, d, 2);
	for (unsigned b = 0; b < n * clusters; b++)
		for (unsigned t = 0; t < THREADS; t++)
			want += b * 1000 + t;
	CHECK(h[0] == 0, "(cluster of %u: 0x%x)", n, h[0]);
	CHECK(h[1] == want, "(cluster of %u: %u, want %u)", n, h[1], want);
	OK(cudaFree(d));
}

// Dynamic shared memory, and a block whose threads are no whole warp.
static __global__ void turn(unsigned *out)
{
	extern __shared__ unsigned every[];
	const unsigned n = cluster_nctarank(), r = cluster_ctarank();
	every[threadIdx.x] = 0;
	cluster_sync();
	for (unsigned k = 1; k < n; k++) {
		const unsigned to = (r + k) % n;
		store(map(&every[r * blockDim.x + threadIdx.x], to), word(blockIdx.x, threadIdx.x));
	}
	every[r * blockDim.x + threadIdx.x] = word(blockIdx.x, threadIdx.x);
	cluster_sync();
	for (unsigned i = threadIdx.x; i < n * blockDim.x; i += blockDim.x)
		out[blockIdx.x * n * blockDim.x + i] = every[i];
}

static void check_turn(unsigned n)
{
	enum { ODD = 41 };
	const unsigned words = 2 * n * n * ODD;
	unsigned *d = device_alloc<unsigned>(words), *h = new unsigned[words];
	OK(launch(turn, dim3(2 * n), dim3(ODD), dim3(n), n * ODD * sizeof(unsigned), d));
	LAUNCHED();
	to_host(h, d, words);
	for (unsigned b = 0; b < 2 * n; b++)
		for (unsigned i = 0; i < n * ODD; i++)
			CHECK(h[b * n * ODD + i] == (b / n * n + i / ODD) * 1000 + i % ODD, "(cluster of %u, block %u, word %u)", n, b, i);
	delete[] h;
	OK(cudaFree(d));
}

int main(void)
{
	const dim3 shapes[] = {dim3(1), dim3(2), dim3(4), dim3(8), dim3(2, 2, 2), dim3(1, 3, 2), dim3(1, 1, 4), dim3(16)};
	check_facts(dim3(16, 6, 4), dim3(1), false);
	for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
		check_facts(dim3(16, 6, 4), shapes[i], true);
	for (unsigned n = 1; n <= 8; n++)
		check_neighbours(n, 3);
	check_neighbours(16, 1);
	check_turn(2);
	check_turn(5);
	check_turn(16);
	return check_done();
}
