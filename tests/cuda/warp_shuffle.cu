// Shuffles in four modes, all widths, with their in-range predicate, inactive source lanes excluded.
#include "check.h"

__global__ void run(int *out, int width)
{
	int i = threadIdx.x, *o = out + i * 12;
	int v = i * 10 + 1;
	unsigned all = 0xffffffffu;
	o[0] = __shfl_sync(all, v, i + 5, width);
	o[1] = __shfl_up_sync(all, v, 3, width);
	o[2] = __shfl_down_sync(all, v, 2, width);
	o[3] = __shfl_xor_sync(all, v, 5, width);
	double d = __shfl_down_sync(all, i * 0.5, 1, width);
	o[4] = (int)(d * 2);
	long long l = __shfl_xor_sync(all, (long long)i << 33, 1, width);
	o[5] = (int)(l >> 33);
	float f = __shfl_sync(all, (float)i, 3, width);
	o[6] = (int)f;
	/* The predicate tells whether the source lane lies inside the segment. */
	int p, q;
	int c = (32 - width) << 8;
	asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 4, %3, -1; selp.s32 %1, 1, 0, p; }" : "=r"(q), "=r"(p) : "r"(v), "r"(c));
	o[7] = q * 2 + p;
	asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 4, %3, -1; selp.s32 %1, 1, 0, p; }" : "=r"(q), "=r"(p)
		: "r"(v), "r"(c | 31));
	o[8] = q * 2 + p;
	asm volatile("{ .reg .pred p; shfl.sync.bfly.b32 %0|p, %2, 6, %3, -1; selp.s32 %1, 1, 0, p; }" : "=r"(q), "=r"(p)
		: "r"(v), "r"(c | 31));
	o[9] = q * 2 + p;
	/* Half of the warp only. */
	o[10] = o[11] = -1;
	if (i & 1)
		o[10] = __shfl_sync(0xaaaaaaaau, v, (i + 2) & 31);
	else
		o[11] = __shfl_down_sync(0x55555555u, v, 2);
}

/* The last step of many reductions: the first lanes alone, with a tree for a whole warp. Of lanes 8 and up, which are not
   members, it counts on 0; PTX leaves undefined what they give. */
__global__ void sum_of_few(int *out)
{
	int v = threadIdx.x + 100;
	unsigned few = __ballot_sync(0xffffffffu, threadIdx.x < 8);
	if (threadIdx.x < 8)
		for (int step = 16; step > 0; step /= 2)
			v += __shfl_down_sync(few, v, step);
	out[threadIdx.x] = v;
}

int main()
{
	int *d = device_alloc<int>(32 * 12), h[32][12];
	for (int width = 2; width <= 32; width *= 2) {
		run<<<1, 32>>>(d, width);
		LAUNCHED();
		to_host(h[0], d, 32 * 12);
		for (int i = 0; i < 32; i++) {
			int base = i / width * width, end = base + width;
#define FROM(lane) ((lane) * 10 + 1)
			CHECK(h[i][0] == FROM(base + (i + 5) % width), "width %d lane %d: %d", width, i, h[i][0]);
			CHECK(h[i][1] == FROM(i - 3 >= base ? i - 3 : i), "width %d lane %d: %d", width, i, h[i][1]);
			CHECK(h[i][2] == FROM(i + 2 < end ? i + 2 : i), "width %d lane %d: %d", width, i, h[i][2]);
			/* A butterfly may read an earlier segment, not a later one. */
			CHECK(h[i][3] == FROM((i ^ 5) < end ? i ^ 5 : i), "width %d lane %d: %d", width, i, h[i][3]);
			CHECK(h[i][4] == (i + 1 < end ? i + 1 : i), "width %d lane %d: %d", width, i, h[i][4]);
			CHECK(h[i][5] == (i ^ 1), "width %d lane %d: %d", width, i, h[i][5]);
			CHECK(h[i][6] == base + 3 % width, "width %d lane %d: %d", width, i, h[i][6]);
			bool up = i - 4 >= base, down = i + 4 < end, fly = (i ^ 6) < end;
			CHECK(h[i][7] == FROM(up ? i - 4 : i) * 2 + up, "width %d lane %d: %d", width, i, h[i][7]);
			CHECK(h[i][8] == FROM(down ? i + 4 : i) * 2 + down, "width %d lane %d: %d", width, i, h[i][8]);
			CHECK(h[i][9] == FROM(fly ? i ^ 6 : i) * 2 + fly, "width %d lane %d: %d", width, i, h[i][9]);
			if (i & 1)
				CHECK(h[i][10] == FROM((i + 2) & 31), "lane %d: %d", i, h[i][10]);
			else
				CHECK(h[i][11] == (i < 30 ? FROM(i + 2) : FROM(i)), "lane %d: %d", i, h[i][11]);
		}
	}
	sum_of_few<<<1, 32>>>(d);
	LAUNCHED();
	to_host(h[0], d, 32);
	for (int i = 0; i < 32; i++) {
		int sum = 0;
		for (int lane = i; lane < (i < 8 ? 8 : i + 1); lane++)
			sum += lane + 100;
		if (i == 0 || i >= 8)
			CHECK(h[0][i] == sum, "sum of few, lane %d: %d", i, h[0][i]);
	}
	return check_done();
}
