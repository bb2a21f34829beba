// Halves of a warp that vote, shuffle and reduce with masks of their own, together and after they have parted.
// nvcc-flags: -arch=sm_80
// needs: nvcc
#include "check.h"

struct result {
	unsigned tile, moved, sum, parted, parted_sum, any;
};

__global__ void run(result *out)
{
	unsigned lane = threadIdx.x, half = lane < 16 ? 0xffffu : 0xffff0000u;
	result r = {};
	r.tile = __ballot_sync(half, lane % 3 == 0);
	r.moved = __shfl_sync(half, lane * 10, lane ^ 3);
	r.sum = __reduce_add_sync(half, lane);
	if (lane % 4 == 1) {
		unsigned mask = 0x2222u << (lane & 16);
		r.parted = __ballot_sync(mask, lane & 8);
		r.parted_sum = __reduce_add_sync(mask, lane);
	} else {
		r.any = __any_sync(0xddddddddu, lane == 30);
	}
	out[lane] = r;
}

int main()
{
	result *d = device_alloc<result>(32), h[32];
	run<<<1, 32>>>(d);
	LAUNCHED();
	to_host(h, d, 32);
	for (unsigned i = 0; i < 32; i++) {
		const result &r = h[i];
		const unsigned half = i < 16 ? 0xffffu : 0xffff0000u, base = i & 16, odd = i % 4 == 1;
		CHECK(r.tile == (0x49249249u & half), "lane %u: %x", i, r.tile);
		CHECK(r.moved == (i ^ 3) * 10, "lane %u: %u", i, r.moved);
		CHECK(r.sum == 120 + base * 16, "lane %u: %u", i, r.sum);
		CHECK(r.parted == (odd ? 0x2200u << base : 0), "lane %u: %x", i, r.parted);
		CHECK(r.parted_sum == (odd ? 28 + 4 * base : 0), "lane %u: %u", i, r.parted_sum);
		CHECK(r.any == !odd, "lane %u: %u", i, r.any);
	}
	return check_done();
}
