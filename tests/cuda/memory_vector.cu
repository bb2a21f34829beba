// Vector loads and stores of 2 and 4 elements, 8 to 64 bits, in global, shared and local memory; cached and streaming
// forms.
#include "check.h"

template <class V> __global__ void through_shared(V *out, const V *in)
{
	__shared__ V s[64];
	s[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	V local[3];
	local[(threadIdx.x + 1) % 3] = s[63 - threadIdx.x];
	out[threadIdx.x] = local[(threadIdx.x + 1) % 3];
}

__global__ void assembly(unsigned *out, const unsigned *in)
{
	const unsigned *p = in + 4 * threadIdx.x;
	unsigned *q = out + 4 * threadIdx.x, a, b, c, d;
	unsigned long long x, y;
	asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
	asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(q), "r"(d), "r"(c), "r"(b), "r"(a) : "memory");
	if (threadIdx.x % 4 == 1) {
		asm volatile("ld.global.nc.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p));
		asm volatile("st.global.v2.u64 [%0], {%1, %2};" :: "l"(q), "l"(y), "l"(x) : "memory");
	} else if (threadIdx.x % 4 == 2) {
		unsigned short h0, h1, h2, h3;
		asm volatile("ld.global.v4.u16 {%0, %1, %2, %3}, [%4+8];" : "=h"(h0), "=h"(h1), "=h"(h2), "=h"(h3) : "l"(p));
		asm volatile("st.global.v4.u16 [%0+0], {%1, %2, %3, %4};"
			:: "l"(q), "h"(h3), "h"(h2), "h"(h1), "h"(h0) : "memory");
	} else if (threadIdx.x % 4 == 3) {
		unsigned b0, b1;
		asm volatile("ld.global.v2.u8 {%0, %1}, [%2+-2];" : "=r"(b0), "=r"(b1) : "l"(p + 1));
		asm volatile("st.global.cs.u32 [%0], %1;" :: "l"(q), "r"(b0 << 8 | b1) : "memory");
		asm volatile("ld.global.cg.s8 %0, [%1];" : "=r"(b0) : "l"(p));
		asm volatile("st.global.wt.u32 [%0], %1;" :: "l"(q + 1), "r"(b0) : "memory");
		asm volatile("ld.volatile.global.s16 %0, [%1];" : "=r"(b0) : "l"(p));
		asm volatile("st.volatile.global.u32 [%0], %1;" :: "l"(q + 2), "r"(b0) : "memory");
		asm volatile("prefetch.global.L2 [%0];" :: "l"(p));
	}
}

template <class V> static void check()
{
	unsigned char a[64 * sizeof(V)], b[64 * sizeof(V)];
	unsigned seed = sizeof(V);
	for (size_t i = 0; i < sizeof(a); i++)
		a[i] = check_random(&seed) & 63; /* no bits of floating point that a copy might change */
	V *in = to_device((V *)a, 64), *out = device_alloc<V>(64);
	through_shared<V><<<1, 64>>>(out, in);
	LAUNCHED();
	to_host((V *)b, out, 64);
	for (int i = 0; i < 64; i++)
		CHECK(memcmp(a + (63 - i) * sizeof(V), b + i * sizeof(V), sizeof(V)) == 0, "size %zu at %d", sizeof(V), i);
}

int main()
{
	check<char2>();
	check<uchar4>();
	check<char3>();
	check<short2>();
	check<ushort4>();
	check<int2>();
	check<uint3>();
	check<int4>();
	check<float2>();
	check<float3>();
	check<float4>();
	check<double2>();
	check<longlong2>();
	check<double3>();
	check<char>();
	check<short>();
	check<long long>();

	unsigned in[128], out[128], seed = 1;
	for (int i = 0; i < 128; i++)
		in[i] = check_random(&seed) * 257;
	unsigned *d = device_alloc<unsigned>(128);
	assembly<<<1, 32>>>(d, to_device(in, 128));
	LAUNCHED();
	to_host(out, d, 128);
	for (int t = 0; t < 32; t++) {
		unsigned *p = in + 4 * t, e[4] = {p[3], p[2], p[1], p[0]};
		if (t % 4 == 1) {
			e[0] = p[2], e[1] = p[3], e[2] = p[0], e[3] = p[1];
		} else if (t % 4 == 2) {
			e[0] = p[3] >> 16 | p[3] << 16;
			e[1] = p[2] >> 16 | p[2] << 16;
		} else if (t % 4 == 3) {
			e[0] = (p[0] >> 16 & 255) << 8 | p[0] >> 24;
			e[1] = (int)(signed char)p[0];
			e[2] = (int)(short)p[0];
		}
		CHECK(memcmp(e, out + 4 * t, sizeof(e)) == 0, "thread %d: %x %x %x %x", t, out[4 * t], out[4 * t + 1],
			out[4 * t + 2], out[4 * t + 3]);
	}
	return check_done();
}
