// Multicast of tensor copies: each block of a cluster loads its part of a tile and all, or every second one, get it, each at its own
// mbarrier; with swizzles, in a ring of buffers that the readers give back to all loaders, as matrix products on Hopper do.
// needs: nvcc
// nvcc-flags: -arch=sm_90a -lcuda
// env: GPGPUSIM_CONFIG=../../../../../configs/SM90_H100/gpgpusim.config
#include "cluster.h"

#include <cuda.h>

enum { COLUMNS = 32, ROWS = 64, STEPS = 6, STAGES = 2, THREADS = 128, TILE = COLUMNS * ROWS }; // of words: a row has 128 bytes

static __device__ void wait(u64 *b, unsigned parity)
{
	unsigned done = 0;
	while (!done)
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
		             : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
}

// Block r brings the rows from r * ROWS / n on, in each of STEPS tiles side by side. mask: bit of each block that takes part. swizzle: of
// 16-byte units by the row.
static __global__ void tiles(const __grid_constant__ CUtensorMap shape, const unsigned *tensor, unsigned mask, unsigned swizzle, unsigned *wrong)
{
	extern __shared__ __align__(1024) unsigned room[];
	__shared__ u64 full[STAGES], empty[STAGES];
	const unsigned r = cluster_ctarank(), n = cluster_nctarank(), t = threadIdx.x, takes = mask >> r & 1, part = ROWS / n;
	unsigned bad = 0;
	if (!t) {
		for (int s = 0; s < STAGES; s++) {
			asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&full[s])) : "memory");
			asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(&empty[s])), "r"((unsigned)__popc(mask)) : "memory");
		}
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	cluster_sync();
	if (t == 96) { // the loader
		for (unsigned k = 0; k < STEPS; k++) {
			const unsigned s = k % STAGES;
			wait(&empty[s], (k / STAGES & 1) ^ 1);
			if (takes)
				asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1;\n}" :: "r"(at(&full[s])), "r"(TILE * 4) : "memory");
			asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
			             :: "r"(at(room + s * TILE + r * part * COLUMNS)), "l"(&shape), "r"(k * COLUMNS), "r"(r * part), "r"(at(&full[s])),
			                "h"((unsigned short)mask) : "memory");
		}
	} else if (t < 96 && takes) {
		for (unsigned k = 0; k < STEPS; k++) {
			const unsigned s = k % STAGES;
			wait(&full[s], k / STAGES & 1);
			for (unsigned i = t; i < TILE; i += 96) {
				const unsigned row = i / COLUMNS, column = i % COLUMNS, unit = column / 4 ^ (row & swizzle);
				bad |= room[s * TILE + row * COLUMNS + unit * 4 + column % 4] != tensor[row * STEPS * COLUMNS + k * COLUMNS + column];
			}
			asm volatile("bar.sync 1, 96;" ::: "memory");
			if (t < n) // the loader of each block may write here again
				asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(map(&empty[s], t)) : "memory");
		}
	}
	atomicOr(wrong, bad);
	cluster_sync();
}

static void check_tiles(unsigned n, unsigned mask, CUtensorMapSwizzle how, unsigned swizzle)
{
	const cuuint64_t size[] = {STEPS * COLUMNS, ROWS}, stride[] = {STEPS * COLUMNS * 4};
	const cuuint32_t box[] = {COLUMNS, ROWS / n}, step[] = {1, 1};
	static unsigned h[STEPS * TILE];
	unsigned state = n, zero = 0, wrong;
	for (unsigned i = 0; i < STEPS * TILE; i++)
		h[i] = check_random(&state);
	unsigned *d = to_device(h, STEPS * TILE), *w = to_device(&zero, 1);
	CUtensorMap map;
	CHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, d, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, how,
	                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
	OK(launch(tiles, dim3(2 * n), dim3(THREADS), dim3(n), STAGES * TILE * 4, map, (const unsigned *)d, mask, swizzle, w));
	LAUNCHED();
	to_host(&wrong, w, 1);
	CHECK(!wrong, "(cluster of %u, mask 0x%x, swizzle %u)", n, mask, swizzle);
	OK(cudaFree(d));
	OK(cudaFree(w));
}

int main(void)
{
	OK(cudaFree(0));
	check_tiles(1, 1, CU_TENSOR_MAP_SWIZZLE_NONE, 0);
	check_tiles(2, 3, CU_TENSOR_MAP_SWIZZLE_NONE, 0);
	check_tiles(2, 3, CU_TENSOR_MAP_SWIZZLE_128B, 7);
	check_tiles(4, 0xf, CU_TENSOR_MAP_SWIZZLE_128B, 7);
	check_tiles(4, 5, CU_TENSOR_MAP_SWIZZLE_NONE, 0);
	check_tiles(8, 0xff, CU_TENSOR_MAP_SWIZZLE_128B, 7);
	return check_done();
}
