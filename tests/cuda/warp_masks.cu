// skip: sass
// .sync instructions whose member masks differ by lane or leave the lane out, as ptxas's code for sm_70 to sm_89 answers
// them: a vote or match is over the lanes that are here and anded with the mask of each; reductions are by mask.
// flags: -arch=sm_80
#include "check.h"

struct result {
	unsigned few, few_all, few_any, few_uni, below, others, odd, tile, match, match_all, same, moved, sum;
};

__global__ void run(result *out)
{
	const int lane = threadIdx.x, bit = lane % 3 == 0;
	const unsigned self = 1u << lane, le = self | (self - 1), half = lane < 16 ? 0xffffu : 0xffff0000u;
	result r = {};
	int same;
	r.few = __ballot_sync(0xff, bit);
	r.few_all = __all_sync(0xff, lane != 20 && lane < 8);
	r.few_any = __any_sync(0xff, lane == 20);
	asm volatile("{ .reg .pred p, q; setp.lt.s32 p, %1, 8; vote.sync.uni.pred q, p, 255; selp.u32 %0, 1, 0, q; }"
		: "=r"(r.few_uni) : "r"(lane));
	r.below = __ballot_sync(le, bit);
	r.others = __ballot_sync(~self, 1);
	if (lane & 1)
		r.odd = __ballot_sync(0xaaaaaaaau & le, 1);
	r.tile = __ballot_sync(half, bit);
	r.match = __match_any_sync(le, lane % 4);
	r.match_all = __match_all_sync(lane < 8 ? 0xffu : ~self, lane < 8, &same);
	r.same = same;
	r.moved = lane * 10;
	// In place, and across the groups of equal masks.
	asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, %2;" : "+r"(r.moved) : "r"(31 - lane), "r"(half | 0x80000001u << lane % 2));
	asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(r.sum) : "r"(lane), "r"(half));
	out[lane] = r;
}

int main()
{
	result *d = device_alloc<result>(32), h[32];
	run<<<1, 32>>>(d);
	LAUNCHED();
	to_host(h, d, 32);
	const unsigned third = 0x49249249u;
	for (int i = 0; i < 32; i++) {
		const result &r = h[i];
		const unsigned self = 1u << i, le = self | (self - 1), half = i < 16 ? 0xffffu : 0xffff0000u;
		CHECK(r.few == (third & 0xff) && r.few_all == 1 && r.few_any == 0 && r.few_uni == 1, "lane %d: %x %u %u %u", i,
			r.few, r.few_all, r.few_any, r.few_uni);
		CHECK(r.below == (third & le) && r.others == ~self, "lane %d: %x %x", i, r.below, r.others);
		CHECK(r.odd == (i & 1 ? 0xaaaaaaaau & le : 0), "lane %d: %x", i, r.odd);
		CHECK(r.tile == (third & half), "lane %d: %x", i, r.tile);
		CHECK(r.match == (0x11111111u << i % 4 & le), "lane %d: %x", i, r.match);
		CHECK(r.same == (i < 8) && r.match_all == (i < 8 ? 0xffu : 0), "lane %d: %u %x", i, r.same, r.match_all);
		CHECK(r.moved == (31 - i) * 10, "lane %d: %u", i, r.moved);
		CHECK(r.sum == (i < 16 ? 120 : 376), "lane %d: %u", i, r.sum);
	}
	return check_done();
}
