// Copies by tensor maps, every rank, swizzle, element stride, interleaved layout and fill, im2col; stores, reductions, prefetches. Each
// is compared with a host loop over single elements. Maps stand in parameters, constants and global memory.
// needs: nvcc
// options: -gpgpu_n_clusters 4
// nvcc-flags: -arch=sm_90a -lcuda
#include "check.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <vector>

typedef unsigned long long u64;
enum { MOST = 32 * 1024, TENSOR = 1 << 20 };
struct Place { int at[5]; unsigned short off[3]; unsigned shift; };

static __constant__ CUtensorMap in_constant;

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

#define LOAD(d, mode, coords, offs, ...) \
	asm volatile("cp.async.bulk.tensor." d "d.shared::cluster.global." mode ".mbarrier::complete_tx::bytes [%0], [%1, " coords "], [%2]" offs ";" \
		:: "r"(at(s)), "l"(m), "r"(at(&bar)), __VA_ARGS__ : "memory")
#define STORE(op, d, mode, coords, ...) \
	asm volatile("cp." op "async.bulk.tensor." d "d.global.shared::cta." mode ".bulk_group [%0, " coords "], [%1];" \
		:: "l"(m), "r"(at(s)), __VA_ARGS__ : "memory")
#define C1 "r"(p.at[0])
#define C2 C1, "r"(p.at[1])
#define C3 C2, "r"(p.at[2])
#define C4 C3, "r"(p.at[3])
#define C5 C4, "r"(p.at[4])

static __device__ void load(const CUtensorMap *m, const Place &p, int rank, bool column, char *s, u64 &bar)
{
	switch (rank + 10 * column) {
	case 1: LOAD("1", "tile", "{%3}", "", C1); break;
	case 2: LOAD("2", "tile", "{%3, %4}", "", C2); break;
	case 3: LOAD("3", "tile", "{%3, %4, %5}", "", C3); break;
	case 4: LOAD("4", "tile", "{%3, %4, %5, %6}", "", C4); break;
	case 5: LOAD("5", "tile", "{%3, %4, %5, %6, %7}", "", C5); break;
	case 13: LOAD("3", "im2col", "{%3, %4, %5}", ", {%6}", C3, "h"(p.off[0])); break;
	case 14: LOAD("4", "im2col", "{%3, %4, %5, %6}", ", {%7, %8}", C4, "h"(p.off[0]), "h"(p.off[1])); break;
	case 15: LOAD("5", "im2col", "{%3, %4, %5, %6, %7}", ", {%8, %9, %10}", C5, "h"(p.off[0]), "h"(p.off[1]), "h"(p.off[2])); break;
	}
}

static __device__ void store(const CUtensorMap *m, const Place &p, int rank, bool column, char *s)
{
	switch (rank + 10 * column) {
	case 1: STORE("", "1", "tile", "{%2}", C1); break;
	case 2: STORE("", "2", "tile", "{%2, %3}", C2); break;
	case 3: STORE("", "3", "tile", "{%2, %3, %4}", C3); break;
	case 4: STORE("", "4", "tile", "{%2, %3, %4, %5}", C4); break;
	case 5: STORE("", "5", "tile", "{%2, %3, %4, %5, %6}", C5); break;
	case 13: STORE("", "3", "im2col_no_offs", "{%2, %3, %4}", C3); break;
	case 14: STORE("", "4", "im2col_no_offs", "{%2, %3, %4, %5}", C4); break;
	case 15: STORE("", "5", "im2col_no_offs", "{%2, %3, %4, %5, %6}", C5); break;
	}
}

static __device__ void prefetch(const CUtensorMap *m, const Place &p, int rank)
{
	asm volatile("prefetch.tensormap [%0];" :: "l"(m) : "memory");
	if (rank == 2)
		asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" :: "l"(m), "r"(p.at[0]), "r"(p.at[1]) : "memory");
}

static __device__ void begin(u64 *b, unsigned bytes)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(b)) : "memory");
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1;\n}" :: "r"(at(b)), "r"(bytes) : "memory");
}

static __device__ void wait(u64 *b)
{
	unsigned p;
	do
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
			: "=r"(p) : "r"(at(b)) : "memory");
	while (!p);
}

// where: 0 the parameter, 1 the constant, 2 global memory.
static __global__ void loads(const __grid_constant__ CUtensorMap param, const CUtensorMap *global, int where, Place p, int rank, bool column,
                             unsigned bytes, char *out)
{
	extern __shared__ __align__(1024) char room[];
	__shared__ u64 bar;
	char *s = room + p.shift;
	for (int k = threadIdx.x; k < MOST + 1024; k += blockDim.x)
		room[k] = 0x55;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == 0) {
		begin(&bar, bytes);
		const CUtensorMap *m = where == 0 ? &param : where == 1 ? &in_constant : global;
		prefetch(m, p, rank);
		load(m, p, rank, column, s, bar);
	}
	__syncthreads();
	wait(&bar);
	for (int k = threadIdx.x; k < MOST; k += blockDim.x)
		out[k] = s[k];
}

static __global__ void stores(const __grid_constant__ CUtensorMap m, Place p, int rank, bool column, const char *from, int op)
{
	extern __shared__ __align__(1024) char s[];
	for (int k = threadIdx.x; k < MOST; k += blockDim.x)
		s[k] = from[k];
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x)
		return;
	const CUtensorMap *map = &m;
#define RED(n, name) case n: asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." name ".tile.bulk_group [%0, {%2, %3}], [%1];" \
		:: "l"(map), "r"(at(s)), "r"(p.at[0]), "r"(p.at[1]) : "memory"); break
	switch (op) {
	case 0: store(map, p, rank, column, s); break;
	RED(1, "add");
	RED(2, "min");
	RED(3, "max");
	RED(4, "inc");
	RED(5, "dec");
	RED(6, "and");
	RED(7, "or");
	RED(8, "xor");
	}
	asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

// --- the reference: one element after the other

struct Map {
	int rank, unit, type, interleave, swizzle, nan, column;
	cuuint64_t size[5], stride[4];
	cuuint32_t box[5], step[5];
	int lower[3], upper[3];
	unsigned channels, pixels;
	CUtensorMap code;
};

static unsigned place_of(const Map &m, unsigned a)
{
	const unsigned line = a / 128;
	switch (m.swizzle) {
	case 1: return a / 16 % 2 != line % 2 ? (a | 16) : (a & ~16u);
	case 2: return (a & ~0x30u) | ((a / 16 % 4) ^ (line % 4)) * 16;
	case 3: return (a & ~0x70u) | ((a / 16 % 8) ^ (line % 8)) * 16;
	default: return a;
	}
}

// Calls f(index in the box, byte offset in the tensor, or -1 outside) for each element.
template <class F> static unsigned elements(const Map &m, const Place &p, F f)
{
	unsigned n = 0;
	if (m.column) {
		long c[5];
		for (int k = 0; k < m.rank; k++)
			c[k] = p.at[k];
		for (unsigned q = 0; q < m.pixels; q++) {
			for (unsigned e = 0; e < m.channels; e++) {
				long off = (c[0] + e) * m.unit;
				bool in = c[0] + (long)e >= 0 && c[0] + (long)e < (long)m.size[0];
				for (int k = 1; k < m.rank; k++) {
					const long x = c[k] + (k < m.rank - 1 ? p.off[k - 1] : 0);
					in = in && x >= 0 && x < (long)m.size[k];
					off += x * (long)m.stride[k - 1];
				}
				f(n++, in ? off : -1);
			}
			int k = 1;
			for (; k < m.rank - 1; k++) {
				c[k] += m.step[k];
				if (c[k] <= (long)m.size[k] - 1 + m.upper[k - 1])
					break;
				c[k] = m.lower[k - 1];
			}
			if (k == m.rank - 1)
				c[k]++;
		}
		return n;
	}
	unsigned count[5] = {1, 1, 1, 1, 1}, i[5];
	for (int k = 0; k < m.rank; k++)
		count[k] = k || m.interleave ? (m.box[k] + m.step[k] - 1) / m.step[k] : m.box[k];
	for (i[4] = 0; i[4] < count[4]; i[4]++)
		for (i[3] = 0; i[3] < count[3]; i[3]++)
			for (i[2] = 0; i[2] < count[2]; i[2]++)
				for (i[1] = 0; i[1] < count[1]; i[1]++)
					for (i[0] = 0; i[0] < count[0]; i[0]++) {
						long off = 0;
						bool in = true;
						for (int k = 0; k < m.rank; k++) {
							const long x = p.at[k] + (long)i[k] * (k || m.interleave ? (int)m.step[k] : 1);
							in = in && x >= 0 && x < (long)m.size[k];
							off += x * (k ? (long)m.stride[k - 1] : m.interleave ? 16 * m.interleave : m.unit);
						}
						f(n++, in ? off : -1);
					}
	return n;
}

static unsigned seed = 1;
static int pick(int lo, int hi) { return seed = seed * 1103515245 + 12345, lo + (int)(seed / 65536 % (unsigned)(hi - lo + 1)); }

static const struct { CUtensorMapDataType type; int unit; bool real; } types[] = {
	{CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, false}, {CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, false}, {CU_TENSOR_MAP_DATA_TYPE_INT32, 4, false},
	{CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, false}, {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, true}, {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, true},
	{CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, true}, {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, true}};

// A map of small sizes in which coordinates go out on every side. False: the box does not fit.
static bool make(Map &m, Place &p, int rank, bool column, void *tensor)
{
	const auto &t = types[pick(0, 7)];
	m = Map();
	m.rank = rank, m.unit = t.unit, m.type = t.type, m.column = column;
	m.interleave = rank > 2 && !column && pick(0, 3) == 0 ? pick(1, 2) : 0;
	m.swizzle = m.interleave == 2 ? 1 : pick(0, 3);
	m.nan = t.real && pick(0, 1);
	const int row = m.interleave ? 16 * m.interleave : m.swizzle ? 16 << m.swizzle : 16 * pick(1, 4);
	unsigned total = m.interleave ? row : 1;
	for (int k = 0; k < rank; k++) {
		m.size[k] = k || m.interleave ? pick(1, 9) : pick(row / m.unit / 2 + 1, row * 3 / m.unit);
		m.step[k] = k || m.interleave ? pick(1, 3) : 1;
		m.box[k] = k || m.interleave ? pick(1, 6) : row / m.unit;
		total *= k || m.interleave ? (m.box[k] + m.step[k] - 1) / m.step[k] : row;
		p.at[k] = pick(-4, 6);
	}
	cuuint64_t pitch = m.interleave ? m.size[0] * row : (m.size[0] * m.unit + 31) / 32 * 32;
	for (int k = 0; k + 1 < rank; k++) {
		m.stride[k] = pitch + 32 * pick(0, 2);
		pitch = m.stride[k] * m.size[k + 1];
	}
	for (int k = 0; k < 3; k++)
		p.off[k] = pick(0, 3);
	p.shift = pick(0, 3) * 128;
	CUresult e;
	if (column) {
		m.channels = row / m.unit;
		m.pixels = pick(1, 40);
		total = m.pixels * row;
		for (int k = 1; k < rank - 1; k++) {
			m.lower[k - 1] = pick(-3, 1);
			m.upper[k - 1] = pick(-2, 2);
			if ((long)m.size[k] + m.upper[k - 1] <= m.lower[k - 1])
				m.upper[k - 1] = m.lower[k - 1] + 1;
			p.at[k] = pick(m.lower[k - 1], (int)m.size[k] - 1 + m.upper[k - 1]);
		}
	}
	if (total > MOST || pitch > TENSOR)
		return false;
	if (column)
		e = cuTensorMapEncodeIm2col(&m.code, t.type, rank, tensor, m.size, m.stride, m.lower, m.upper, m.channels, m.pixels, m.step,
		                            CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapSwizzle)m.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
		                            (CUtensorMapFloatOOBfill)m.nan);
	else
		e = cuTensorMapEncodeTiled(&m.code, t.type, rank, tensor, m.size, m.stride, m.box, m.step, (CUtensorMapInterleave)m.interleave,
		                           (CUtensorMapSwizzle)m.swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, (CUtensorMapFloatOOBfill)m.nan);
	CHECK(e == CUDA_SUCCESS, "rank %d: encoding gives %d", rank, e);
	return e == CUDA_SUCCESS;
}

static char *tensor, *out, *from;
static CUtensorMap *global_map;
static std::vector<char> host(TENSOR), got(TENSOR), image(MOST + 1024);

static void test_load(int rank, bool column)
{
	Map m;
	Place p = {};
	if (!make(m, p, rank, column, tensor))
		return;
	const int where = pick(0, 2), unit = m.interleave ? 16 * m.interleave : m.unit;
	memset(image.data(), 0x55, image.size());
	const unsigned n = elements(m, p, [&](unsigned i, long off) {
		for (int b = 0; b < unit; b++) {
			const char outside = !m.nan ? 0 : b % 2 ? 0x7f : (char)0xf7; // NaN: 0x7ff7 in every two bytes
			image[place_of(m, p.shift + i * unit + b)] = off >= 0 ? host[off + b] : outside;
		}
	});
	OK(cudaMemcpy(global_map, &m.code, sizeof m.code, cudaMemcpyHostToDevice));
	OK(cudaMemcpyToSymbol(in_constant, &m.code, sizeof m.code));
	loads<<<1, 64, MOST + 1024>>>(m.code, global_map, where, p, rank, column, n * unit, out);
	OK(cudaMemcpy(got.data(), out, MOST, cudaMemcpyDeviceToHost));
	int bad = -1;
	for (unsigned k = 0; k < n * unit && bad < 0; k++)
		if (got[k] != image[p.shift + k])
			bad = (int)k;
	CHECK(bad < 0, "load of rank %d%s, swizzle %d, interleave %d, unit %d: byte %d is %02x, not %02x", rank, column ? " im2col" : "", m.swizzle,
	      m.interleave, m.unit, bad, got[bad] & 255, image[p.shift + bad] & 255);
}

static void test_store(int rank, bool column)
{
	Map m;
	Place p = {};
	if (!make(m, p, rank, column, tensor))
		return;
	const int unit = m.interleave ? 16 * m.interleave : m.unit;
	std::vector<char> want = host, data(MOST);
	for (auto &c : data)
		c = (char)pick(0, 255);
	memset(p.off, 0, sizeof p.off);
	elements(m, p, [&](unsigned i, long off) {
		for (int b = 0; b < unit && off >= 0; b++)
			want[off + b] = data[place_of(m, i * unit + b)];
	});
	OK(cudaMemcpy(from, data.data(), MOST, cudaMemcpyHostToDevice));
	stores<<<1, 64, MOST>>>(m.code, p, rank, column, from, 0);
	OK(cudaMemcpy(got.data(), tensor, TENSOR, cudaMemcpyDeviceToHost));
	CHECK(got == want, "store of rank %d%s, swizzle %d, interleave %d, unit %d", rank, column ? " im2col" : "", m.swizzle, m.interleave, m.unit);
	host = got;
}

static void test_reduce(int op)
{
	static CUtensorMap code;
	enum { W = 24, H = 10 };
	const cuuint64_t size[] = {W, H}, stride[] = {W * 4};
	const cuuint32_t box[] = {8, 4}, step[] = {1, 1};
	Place p = {{20, 7}, {}, 0};
	std::vector<uint32_t> a(W * H), b(32), want;
	for (auto &v : a)
		v = (uint32_t)pick(0, 9);
	for (auto &v : b)
		v = (uint32_t)pick(0, 9);
	want = a;
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 8; x++) {
			if (p.at[0] + x >= W || p.at[1] + y >= H)
				continue;
			uint32_t &o = want[(p.at[1] + y) * W + p.at[0] + x], v = b[y * 8 + x];
			switch (op) {
			case 1: o += v; break;
			case 2: o = v < o ? v : o; break;
			case 3: o = v > o ? v : o; break;
			case 4: o = o >= v ? 0 : o + 1; break;
			case 5: o = o == 0 || o > v ? v : o - 1; break;
			case 6: o &= v; break;
			case 7: o |= v; break;
			case 8: o ^= v; break;
			}
		}
	CHECK(!cuTensorMapEncodeTiled(&code, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, tensor, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
	                              CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE), "encoding");
	OK(cudaMemcpy(tensor, a.data(), W * H * 4, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(from, b.data(), 128, cudaMemcpyHostToDevice));
	stores<<<1, 64, MOST>>>(code, p, 2, false, from, op);
	OK(cudaMemcpy(a.data(), tensor, W * H * 4, cudaMemcpyDeviceToHost));
	CHECK(a == want, "reduction %d", op);
}

int main()
{
	OK(cudaFuncSetAttribute(loads, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST + 1024));
	OK(cudaMalloc(&tensor, TENSOR));
	OK(cudaMalloc(&out, MOST));
	OK(cudaMalloc(&from, MOST));
	OK(cudaMalloc(&global_map, sizeof *global_map));
	for (auto &c : host)
		c = (char)pick(0, 255);
	OK(cudaMemcpy(tensor, host.data(), TENSOR, cudaMemcpyHostToDevice));
	for (int round = 0; round < 8; round++) {
		for (int rank = 1; rank <= 5; rank++) {
			test_load(rank, false);
			test_store(rank, false);
		}
		for (int rank = 3; rank <= 5; rank++) {
			test_load(rank, true);
			test_store(rank, true);
		}
	}
	for (int op = 1; op <= 8; op++)
		test_reduce(op);
	return check_done();
}
