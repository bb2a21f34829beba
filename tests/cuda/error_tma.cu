// Wrong tensor copies: places, maps, regions that are not there. And what cuTensorMapEncode refuses, however it was found.
// needs: nvcc
// nvcc-flags: -arch=sm_90a -lcuda
#include "fatal.h"

#include <cstdint>
#include <cstring>
#include <cuda.h>
#include <cudaTypedefs.h>

typedef unsigned long long u64;
static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

static __global__ void copy(const __grid_constant__ CUtensorMap m, unsigned shift, int rank, int x, bool store)
{
	extern __shared__ __align__(1024) char s[];
	__shared__ u64 bar;
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
	asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 512;\n}" :: "r"(at(&bar)) : "memory");
	if (store)
		asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" :: "l"(&m), "r"(x), "r"(0), "r"(at(s) + shift) : "memory");
	else if (rank == 2)
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
			:: "r"(at(s) + shift), "l"(&m), "r"(x), "r"(0), "r"(at(&bar)) : "memory");
	else
		asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %3}], [%4];"
			:: "r"(at(s) + shift), "l"(&m), "r"(x), "r"(0), "r"(at(&bar)) : "memory");
}

static const cuuint64_t size[] = {64, 32, 4}, stride[] = {256, 8192};
static const cuuint32_t box[] = {32, 4, 2}, step[] = {1, 1, 1};

static CUtensorMap make(void *address)
{
	CUtensorMap m;
	CUresult e = cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
	                                    CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	CHECK(!e, "encoding gives %d", e);
	return m;
}

static void fails(const char *what, cudaError_t want, CUtensorMap m, unsigned shift, int rank, int x, bool store)
{
	copy<<<1, 1, 4096>>>(m, shift, rank, x, store);
	OK(cudaGetLastError());
	cudaError_t e = cudaDeviceSynchronize();
	CHECK(e == want, "%s: %s", what, cudaGetErrorName(e));
	if (want)
		fatal_lasts_until_reset(e);
}

#define REFUSED(type, rank, address, size, stride, box, step, interleave, swizzle, promotion, fill)                                    \
	do {                                                                                                                           \
		const cuuint64_t size_[] = size, stride_[] = stride;                                                                   \
		const cuuint32_t box_[] = box, step_[] = step;                                                                         \
		CUresult e_ = encode(&m, (CUtensorMapDataType)(type), rank, (void *)(address), size_, stride_, box_, step_,            \
		                     (CUtensorMapInterleave)(interleave), (CUtensorMapSwizzle)(swizzle), (CUtensorMapL2promotion)(promotion), \
		                     (CUtensorMapFloatOOBfill)(fill));                                                                 \
		CHECK(e_ == CUDA_ERROR_INVALID_VALUE, "line %d: %d", __LINE__, e_);                                                    \
	} while (0)
#define A(...) {__VA_ARGS__}

static void refusals(PFN_cuTensorMapEncodeTiled_v12000 encode)
{
	static CUtensorMap m;
	const cuuint64_t big = (cuuint64_t)1 << 32, far = (cuuint64_t)1 << 40;
	CHECK(!encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, (void *)4096, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_32B,
	              CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE), "encoding");
	REFUSED(-1, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(16, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(13, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 0, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 6, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 2, 4104, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 3, 4112, A(64, 32, 4), A(256, 512), A(32, 4, 1), A(1, 1, 1), 2, 1, 0, 0);
	REFUSED(7, 2, 4096, A(0, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, big + 1), A(256), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(248), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(far), A(32, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 3, 4096, A(64, 32, 4), A(272, 512), A(32, 4, 1), A(1, 1, 1), 2, 1, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 0), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 257), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(31, 4), A(1, 1), 0, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(64, 4), A(1, 1), 0, 3, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 0), 0, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 9), 0, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 1, 0, 0, 0);
	REFUSED(7, 3, 4096, A(64, 32, 4), A(256, 512), A(32, 4, 1), A(1, 1, 1), 2, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 3, 0, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 7, 0, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 4, 0);
	REFUSED(7, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 2);
	REFUSED(2, 2, 4096, A(64, 32), A(256), A(32, 4), A(1, 1), 0, 0, 0, 1);
	CUtensorMap *off = (CUtensorMap *)((char *)&m + 8), *none = NULL;
	const cuuint64_t *nowhere = NULL;
	CHECK(encode(off, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)4096, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
	             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE, "a map off 64 bytes");
	CHECK(encode(none, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)4096, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
	             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE, "no map");
	CHECK(encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)4096, size, nowhere, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
	             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE, "no strides");
	CHECK(!encode(&m, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, (void *)4096, size, nowhere, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
	              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE), "one dimension has no strides");
}

int main()
{
	void *entry = NULL;
	cudaDriverEntryPointQueryResult found;
	float *d;
	OK(cudaMalloc(&d, 64 * 32 * 4));
	CUtensorMap good = make(d), bad;
	OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
	CHECK(entry && found == cudaDriverEntryPointSuccess, "the entry point is not found");
	if (entry)
		refusals((PFN_cuTensorMapEncodeTiled_v12000)entry);
	refusals(cuTensorMapEncodeTiled);
	fails("a good copy", cudaSuccess, good, 0, 2, 60, false);
	fails("a good store", cudaSuccess, good, 0, 2, 60, true);
	fails("an address off 128 bytes", cudaErrorMisalignedAddress, good, 64, 2, 0, false);
	fails("shared memory ends", cudaErrorIllegalAddress, make(device_alloc<float>(64 * 32)), 8192, 2, 0, false);
	fails("another rank", cudaErrorLaunchFailure, make(device_alloc<float>(64 * 32)), 0, 3, 0, false);
	memset(&bad, 0, sizeof bad);
	fails("a map of zeroes", cudaErrorLaunchFailure, bad, 0, 2, 0, false);
	memset(&bad, 0x5a, sizeof bad);
	fails("garbage", cudaErrorLaunchFailure, bad, 0, 2, 0, false);
	fails("no such memory", cudaErrorIllegalAddress, make((void *)0x10), 0, 2, 0, false);
	fails("a store to no memory", cudaErrorIllegalAddress, make((void *)0x10), 0, 2, 0, true);
	return check_done();
}
