// Five-point stencil over several steps, with a halo in shared memory.
// twice
#include "check.h"

enum { B = 16 };

__global__ void step(float *to, const float *from, int w, int h)
{
	__shared__ float s[B + 2][B + 2];
	int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
	int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
#define AT(x, y) ((x) >= 0 && (x) < w && (y) >= 0 && (y) < h ? from[(y) * w + (x)] : 0.0f)
	s[ty][tx] = AT(x, y);
	if (tx == 1)
		s[ty][0] = AT(x - 1, y);
	if (tx == B)
		s[ty][B + 1] = AT(x + 1, y);
	if (ty == 1)
		s[0][tx] = AT(x, y - 1);
	if (ty == B)
		s[B + 1][tx] = AT(x, y + 1);
	__syncthreads();
	if (x < w && y < h)
		to[y * w + x] = 0.5f * s[ty][tx] + 0.125f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}

int main()
{
	const int w = 83, h = 61, steps = 6;
	static float a[h][w], b[h][w], got[h][w];
	for (int i = 0; i < w * h; i++)
		a[0][i] = i * 37 % 101;
	float *d = to_device(a[0], w * h), *e = device_alloc<float>(w * h);
	for (int s = 0; s < steps; s++) {
		step<<<dim3((w + B - 1) / B, (h + B - 1) / B), dim3(B, B)>>>(e, d, w, h);
		float *t = d;
		d = e;
		e = t;
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++) {
				float l = x ? a[y][x - 1] : 0, r = x < w - 1 ? a[y][x + 1] : 0;
				float u = y ? a[y - 1][x] : 0, v = y < h - 1 ? a[y + 1][x] : 0;
				b[y][x] = 0.5f * a[y][x] + 0.125f * (l + r + u + v);
			}
		memcpy(a, b, sizeof(a));
	}
	LAUNCHED();
	to_host(got[0], d, w * h);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			CHECK(fabsf(got[y][x] - a[y][x]) < 1e-4f, "at %d %d: %g, not %g", x, y, got[y][x], a[y][x]);
	return check_done();
}
