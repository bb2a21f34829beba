// tensormap.replace of every field, in shared and in global memory: the changed map is, byte for byte, the one that the host encodes.
// Then a map that a kernel changed is used for a copy, and one that a kernel made of zeroes.
// needs: nvcc
// nvcc-flags: -arch=sm_90a -lcuda
#include "check.h"

#include <cstdint>
#include <cstring>
#include <cuda.h>

typedef unsigned long long u64;
struct Tensor {
	CUtensorMapDataType type;
	cuuint32_t rank;
	void *address;
	cuuint64_t size[5], stride[4];
	cuuint32_t box[5], step[5];
	CUtensorMapInterleave interleave;
	CUtensorMapSwizzle swizzle;
	CUtensorMapFloatOOBfill fill;
};

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

#define SET(space, reg, where, t)                                                                                                             \
	asm volatile("tensormap.replace.tile.global_address." space ".b1024.b64 [%0], %1;" :: reg(where), "l"(t.address) : "memory");         \
	asm volatile("tensormap.replace.tile.rank." space ".b1024.b32 [%0], %1;" :: reg(where), "r"(t.rank - 1) : "memory");                  \
	DIM(space, reg, where, t, 0) DIM(space, reg, where, t, 1) DIM(space, reg, where, t, 2) DIM(space, reg, where, t, 3) DIM(space, reg, where, t, 4) \
	STRIDE(space, reg, where, t, 0) STRIDE(space, reg, where, t, 1) STRIDE(space, reg, where, t, 2) STRIDE(space, reg, where, t, 3)       \
	asm volatile("tensormap.replace.tile.elemtype." space ".b1024.b32 [%0], 7;" :: reg(where) : "memory");                                \
	asm volatile("tensormap.replace.tile.interleave_layout." space ".b1024.b32 [%0], 1;" :: reg(where) : "memory");                       \
	asm volatile("tensormap.replace.tile.swizzle_mode." space ".b1024.b32 [%0], 2;" :: reg(where) : "memory");                            \
	asm volatile("tensormap.replace.tile.fill_mode." space ".b1024.b32 [%0], 1;" :: reg(where) : "memory");
#define DIM(space, reg, where, t, k)                                                                                                          \
	asm volatile("tensormap.replace.tile.box_dim." space ".b1024.b32 [%0], " #k ", %1;" :: reg(where), "r"(t.box[k]) : "memory");         \
	asm volatile("tensormap.replace.tile.global_dim." space ".b1024.b32 [%0], " #k ", %1;" :: reg(where), "r"((unsigned)t.size[k]) : "memory"); \
	asm volatile("tensormap.replace.tile.element_stride." space ".b1024.b32 [%0], " #k ", %1;" :: reg(where), "r"(t.step[k]) : "memory");
#define STRIDE(space, reg, where, t, k) \
	asm volatile("tensormap.replace.tile.global_stride." space ".b1024.b64 [%0], " #k ", %1;" :: reg(where), "l"(t.stride[k]) : "memory");

static __global__ void in_global(CUtensorMap *m, Tensor t)
{
	if (threadIdx.x == 0) {
		SET("global", "l", m, t)
		asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
	}
}

static __global__ void in_shared(const CUtensorMap *from, CUtensorMap *to, Tensor t)
{
	__shared__ __align__(128) CUtensorMap m;
	((unsigned *)&m)[threadIdx.x] = ((const unsigned *)from)[threadIdx.x];
	__syncwarp();
	if (threadIdx.x == 0) {
		SET("shared::cta", "r", at(&m), t)
	}
	__syncwarp();
	asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
		:: "l"(to), "r"(at(&m)) : "memory");
}

// The box at column 2 and row 1 of a map, when all of it is there.
static __device__ void fetch(const CUtensorMap *own, int (*s)[8], u64 *bar)
{
	if (threadIdx.x == 0) {
		asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], 128;\n}" :: "r"(at(bar)) : "memory");
		asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
			:: "r"(at(s)), "l"(own), "r"(2), "r"(1), "r"(at(bar)) : "memory");
	}
	unsigned p;
	do
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
			: "=r"(p) : "r"(at(bar)) : "memory");
	while (!p);
}

// The second block of a kernel's map: another address, and rows that are longer by one pad.
static __global__ void use(const CUtensorMap *from, CUtensorMap *own, const int *tensor, u64 stride, int *out)
{
	__shared__ __align__(128) CUtensorMap m;
	__shared__ __align__(128) int s[4][8];
	__shared__ u64 bar;
	((unsigned *)&m)[threadIdx.x] = ((const unsigned *)from)[threadIdx.x];
	__syncwarp();
	if (threadIdx.x == 0) {
		asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" :: "r"(at(&m)), "l"(tensor) : "memory");
		asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" :: "r"(at(&m)), "l"(stride) : "memory");
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncwarp();
	asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
		:: "l"(own), "r"(at(&m)) : "memory");
	asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(own) : "memory");
	fetch(own, s, &bar);
	out[threadIdx.x] = s[threadIdx.x / 8][threadIdx.x % 8];
}

// A map of 8 x 4 of the integers of W x H, of bytes that were zero, as Triton makes maps.
static __global__ void make(CUtensorMap *own, const int *tensor, unsigned w, unsigned h, int *out)
{
	__shared__ __align__(128) CUtensorMap m;
	__shared__ __align__(128) int s[4][8];
	__shared__ u64 bar;
	((unsigned *)&m)[threadIdx.x] = 0;
	__syncwarp();
	if (threadIdx.x == 0) {
		Tensor t = {};
		t.address = (void *)tensor;
		t.rank = 2;
		t.size[0] = w, t.size[1] = h;
		t.box[0] = 8, t.box[1] = 4;
		t.step[0] = t.step[1] = 1;
		t.stride[0] = w * 4;
		asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" :: "r"(at(&m)), "l"(t.address) : "memory");
		asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" :: "r"(at(&m)) : "memory");
		DIM("shared::cta", "r", at(&m), t, 0) DIM("shared::cta", "r", at(&m), t, 1)
		STRIDE("shared::cta", "r", at(&m), t, 0)
		asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 3;" :: "r"(at(&m)) : "memory");
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	__syncwarp();
	asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
		:: "l"(own), "r"(at(&m)) : "memory");
	asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(own) : "memory");
	fetch(own, s, &bar);
	out[threadIdx.x] = s[threadIdx.x / 8][threadIdx.x % 8];
}

static CUresult encode(CUtensorMap *m, const Tensor &t)
{
	return cuTensorMapEncodeTiled(m, t.type, t.rank, t.address, t.size, t.stride, t.box, t.step, t.interleave, t.swizzle,
	                              CU_TENSOR_MAP_L2_PROMOTION_L2_256B, t.fill);
}

int main()
{
	static CUtensorMap before, want, got;
	CUtensorMap *a, *b;
	Tensor one = {CU_TENSOR_MAP_DATA_TYPE_UINT8, 5, (void *)0x1000, {64, 2, 3, 4, 5}, {64, 128, 384, 1536}, {32, 1, 2, 3, 4}, {1, 1, 2, 1, 2},
	              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
	Tensor two = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 5, (void *)0x7f1234567890, {0xfffffff0u, 0x80000000u, 77, 1, 9}, {0x1000, 0x123456780, 0xfffffffff0, 16},
	              {256, 2, 100, 7, 255}, {8, 7, 1, 3, 5}, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_64B,
	              CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA};
	OK(cudaMalloc(&a, 128));
	OK(cudaMalloc(&b, 128));
	CHECK(!encode(&before, one) && !encode(&want, two), "encoding");
	OK(cudaMemcpy(a, &before, 128, cudaMemcpyHostToDevice));
	in_shared<<<1, 32>>>(a, b, two);
	OK(cudaMemcpy(&got, b, 128, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(&got, &want, 128), "a map changed in shared memory");
	in_global<<<1, 32>>>(a, two);
	OK(cudaMemcpy(&got, a, 128, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(&got, &want, 128), "a map changed in global memory");
	CHECK(!cuTensorMapReplaceAddress(&before, (void *)0x2000), "cuTensorMapReplaceAddress");
	one.address = (void *)0x2000;
	CHECK(!encode(&want, one) && !memcmp(&before, &want, 128), "a map with another address");

	enum { W = 16, H = 8, PAD = 20 };
	static int host[PAD * H], out[32];
	int *tensor, *device;
	for (int k = 0; k < PAD * H; k++)
		host[k] = k * 7;
	OK(cudaMalloc(&tensor, sizeof host));
	OK(cudaMalloc(&device, sizeof out));
	OK(cudaMemcpy(tensor, host, sizeof host, cudaMemcpyHostToDevice));
	Tensor t = {CU_TENSOR_MAP_DATA_TYPE_INT32, 2, (void *)16, {W, H}, {W * 4}, {8, 4}, {1, 1}};
	CHECK(!encode(&before, t), "encoding");
	OK(cudaMemcpy(a, &before, 128, cudaMemcpyHostToDevice));
	use<<<1, 32>>>(a, b, tensor, PAD * 4, device);
	OK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
	for (int k = 0; k < 32; k++)
		CHECK(out[k] == host[(k / 8 + 1) * PAD + k % 8 + 2], "element %d is %d", k, out[k]);
	make<<<1, 32>>>(b, tensor, PAD, H, device);
	OK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
	for (int k = 0; k < 32; k++)
		CHECK(out[k] == host[(k / 8 + 1) * PAD + k % 8 + 2], "element %d of a map that a kernel made is %d", k, out[k]);
	return check_done();
}
