// A kernel with more bytes of parameters than fit where machine code up to Ada has those of others, and what is asked about it.
#include "check.h"

struct large {
	int v[8000];
};

__global__ void sum(large p, int *out, int first)
{
	int s = 0;
	for (int i = first; i < 8000; i++)
		s += p.v[i] * (i & 15);
	out[0] = s;
	out[1] = p.v[threadIdx.x + 7999];
	out[2] = p.v[17];
}

int main()
{
	static large p;
	int want = 0;
	for (int i = 0; i < 8000; i++) {
		p.v[i] = i * 7 + 3;
		if (i >= 5)
			want += p.v[i] * (i & 15);
	}
	int *out = device_alloc<int>(3), h[3];
	sum<<<1, 1>>>(p, out, 5);
	OK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	CHECK(h[0] == want && h[1] == p.v[7999] && h[2] == p.v[17], "%d %d %d", h[0], h[1], h[2]);
	return check_done();
}
