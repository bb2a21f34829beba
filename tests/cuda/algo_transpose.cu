// Transposition through a padded tile, for several element types.
#include "check.h"

template <class T> __global__ void transpose(T *out, const T *in, int w, int h)
{
	__shared__ T tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
	for (int k = 0; k < 32; k += 8)
		if (x < w && y + k < h)
			tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int k = 0; k < 32; k += 8)
		if (x < h && y + k < w)
			out[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
}

template <class T> static void check(int w, int h)
{
	T *a = (T *)malloc(w * h * sizeof(T)), *b = (T *)malloc(w * h * sizeof(T));
	for (int i = 0; i < w * h; i++)
		a[i] = (T)(i * 3 + 1);
	T *da = to_device(a, w * h), *db = device_alloc<T>(w * h);
	transpose<T><<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 8)>>>(db, da, w, h);
	LAUNCHED();
	to_host(b, db, w * h);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			CHECK(b[x * h + y] == a[y * w + x], "size %zu at %d %d", sizeof(T), x, y);
	free(a);
	free(b);
}

int main()
{
	check<float>(100, 75);
	check<double>(33, 64);
	check<unsigned char>(95, 31);
	check<short>(1, 100);
	return check_done();
}
