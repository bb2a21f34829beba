// Votes, matches, the active mask, lane masks and __syncwarp, in whole and in part-filled warps.
#include "check.h"

struct result {
	unsigned ballot, part, active, even, any, all, uni, match, match64, match_all, none;
	unsigned lt, le, eq, ge, gt, lane, warp, elected;
	int same, not_same, exchanged;
};

__global__ void run(result *out)
{
	__shared__ volatile int s[96];
	int t = threadIdx.x, lane = t & 31;
	result r;
	memset(&r, 0, sizeof(r));
	unsigned mask = blockDim.x - (t & ~31) >= 32 ? 0xffffffffu : (1u << (blockDim.x & 31)) - 1;
	r.ballot = __ballot_sync(mask, lane % 3 == 0);
	r.any = __any_sync(mask, lane == 7);
	r.all = __all_sync(mask, lane < 32) + 2 * __all_sync(mask, lane != 7);
	asm volatile("{ .reg .pred p, q; setp.eq.s32 p, %1, 0; vote.sync.uni.pred q, p, %2; selp.u32 %0, 1, 0, q; }"
		: "=r"(r.uni) : "r"(lane & 32), "r"(mask));
	r.active = __activemask();
	if (lane & 1) {
		r.part = __ballot_sync(mask & 0xaaaaaaaau, lane > 10);
		r.even = __activemask();
	}
	__syncwarp(mask);
	r.match = __match_any_sync(mask, lane / 5);
	r.match64 = __match_any_sync(mask, (unsigned long long)(lane % 4) << 40);
	r.match_all = __match_all_sync(mask, 42, &r.same);
	r.none = __match_all_sync(mask, lane == 3, &r.not_same);
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r.lt));
	asm("mov.u32 %0, %%lanemask_le;" : "=r"(r.le));
	asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r.eq));
	asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r.ge));
	asm("mov.u32 %0, %%lanemask_gt;" : "=r"(r.gt));
	asm("mov.u32 %0, %%laneid;" : "=r"(r.lane));
	r.warp = t >> 5;
	r.elected = __popc(r.ballot & r.lt);
	s[t] = t * 2;
	__syncwarp(mask);
	r.exchanged = s[t ^ 1];
	out[t] = r;
}

int main()
{
	const int n = 80;
	result *d = device_alloc<result>(n), h[n];
	run<<<1, n>>>(d);
	LAUNCHED();
	to_host(h, d, n);
	for (int t = 0; t < n; t++) {
		int lane = t & 31, lanes = t < 64 ? 32 : 16;
		unsigned mask = lanes == 32 ? 0xffffffffu : 0xffffu, third = 0, high = 0, group = 0, quad = 0;
		for (int i = 0; i < lanes; i++) {
			third |= (unsigned)(i % 3 == 0) << i;
			high |= (unsigned)(i % 2 && i > 10) << i;
			group |= (unsigned)(i / 5 == lane / 5) << i;
			quad |= (unsigned)(i % 4 == lane % 4) << i;
		}
		const result &r = h[t];
		unsigned bit = 1u << lane;
		CHECK(r.ballot == third && r.any == 1 && r.all == 1 && r.uni == 1, "thread %d: %x %u %u %u", t, r.ballot, r.any,
			r.all, r.uni);
		CHECK(r.active == mask, "thread %d: %x", t, r.active);
		if (lane & 1)
			CHECK(r.part == high && r.even == (mask & 0xaaaaaaaau), "thread %d: %x %x", t, r.part, r.even);
		CHECK(r.match == group && r.match64 == quad, "thread %d: %x %x", t, r.match, r.match64);
		CHECK(r.match_all == mask && r.same == 1 && r.none == 0 && r.not_same == 0, "thread %d: %x %x", t, r.match_all,
			r.none);
		CHECK(r.lt == bit - 1 && r.le == (bit | (bit - 1)) && r.eq == bit, "thread %d", t);
		CHECK(r.ge == ~(bit - 1) && r.gt == ~(bit | (bit - 1)) && (int)r.lane == lane, "thread %d", t);
		CHECK((int)r.elected == (lane + 2) / 3, "thread %d: %u", t, r.elected);
		CHECK(r.exchanged == (t ^ 1) * 2, "thread %d: %d", t, r.exchanged);
	}
	return check_done();
}
