// redux.sync: reductions over the lanes of a mask.
// flags: -arch=sm_80
#include "check.h"

#define REDUX(op, type) \
	asm volatile("redux.sync." op "." type " %0, %1, %2;" : "=r"(o[k++]) : "r"(v), "r"(mask))

__global__ void run(int *out, unsigned odd)
{
	int i = threadIdx.x, v = (i * 2654435761u) >> 3 ^ (i << 28);
	int *o = out + i * 8, k = 0;
	unsigned mask = i & 1 ? odd : ~odd;
	if (i & 1) {
		REDUX("add", "s32");
		REDUX("min", "s32");
		REDUX("max", "s32");
		REDUX("min", "u32");
		REDUX("max", "u32");
		REDUX("and", "b32");
		REDUX("or", "b32");
		REDUX("xor", "b32");
	} else {
		REDUX("add", "u32");
		REDUX("min", "s32");
		REDUX("max", "s32");
		REDUX("min", "u32");
		REDUX("max", "u32");
		REDUX("and", "b32");
		REDUX("or", "b32");
		REDUX("xor", "b32");
	}
}

int main()
{
	int *d = device_alloc<int>(256), h[32][8];
	run<<<1, 32>>>(d, 0xaaaaaaaau);
	LAUNCHED();
	to_host(h[0], d, 256);
	for (int half = 0; half < 2; half++) {
		unsigned sum = 0, lo = ~0u, hi = 0, all = ~0u, any = 0, parity = 0;
		int least = 2147483647, most = -2147483647 - 1;
		for (unsigned i = half; i < 32; i += 2) {
			int v = (i * 2654435761u) >> 3 ^ (i << 28);
			unsigned u = v;
			sum += u;
			least = v < least ? v : least;
			most = v > most ? v : most;
			lo = u < lo ? u : lo;
			hi = u > hi ? u : hi;
			all &= u;
			any |= u;
			parity ^= u;
		}
		int e[8] = {(int)sum, least, most, (int)lo, (int)hi, (int)all, (int)any, (int)parity};
		for (int i = half; i < 32; i += 2)
			for (int k = 0; k < 8; k++)
				CHECK(h[i][k] == e[k], "lane %d operation %d: %x, not %x", i, k, h[i][k], e[k]);
	}
	return check_done();
}
