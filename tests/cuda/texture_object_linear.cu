// Texture objects over linear memory: tex1Dfetch of several types, outside the texture, of an object chosen by lane.
#include "check.h"

struct Objects {
	cudaTextureObject_t reals, pairs, colours, words, bytes, raw;
};

enum { N_VALUES = 10 };

__global__ void fetch(float *out, Objects t, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float *o = out + N_VALUES * i;
	o[0] = tex1Dfetch<float>(t.reals, i);
	int2 p = tex1Dfetch<int2>(t.pairs, n - 1 - i);
	o[1] = p.x;
	o[2] = p.y;
	float4 c = tex1Dfetch<float4>(t.colours, i);
	o[3] = c.x + c.y;
	o[4] = c.z - c.w;
	o[5] = tex1Dfetch<unsigned short>(t.words, i / 2);
	o[6] = tex1Dfetch<signed char>(t.bytes, i);
	o[7] = tex1Dfetch<float>(t.reals, n + 1000000) + tex1Dfetch<float>(t.reals, -1); /* outside: zero */
	uchar4 r;
	tex1Dfetch(&r, t.raw, i);
	o[8] = r.w;
	o[9] = tex1Dfetch<float>(i % 3 ? t.reals : t.bytes, i);
}

template <class T> static cudaResourceDesc linear(const T *h, int n)
{
	cudaResourceDesc r;
	memset(&r, 0, sizeof(r));
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = to_device(h, n);
	r.res.linear.desc = cudaCreateChannelDesc<T>();
	r.res.linear.sizeInBytes = n * sizeof(T);
	return r;
}

static cudaTextureObject_t object(const cudaResourceDesc &r, cudaTextureReadMode mode = cudaReadModeElementType)
{
	cudaTextureDesc t;
	memset(&t, 0, sizeof(t));
	t.readMode = mode;
	cudaTextureObject_t o = 0;
	OK(cudaCreateTextureObject(&o, &r, &t, 0));
	return o;
}

int main()
{
	const int n = 200;
	float f[n], h[n][N_VALUES];
	int2 p[n];
	uchar4 c[n];
	unsigned short w[n];
	signed char b[n];
	for (int i = 0; i < n; i++) {
		f[i] = i * 0.5f;
		p[i] = make_int2(i, -i);
		c[i] = make_uchar4(i, 255 - i, 255, i / 2);
		w[i] = 60000 + i;
		b[i] = i - 100;
	}
	cudaResourceDesc bytes = linear((char *)b, n), colours = linear(c, n);
	Objects t = {object(linear(f, n)), object(linear(p, n)), object(colours, cudaReadModeNormalizedFloat),
		object(linear(w, n)), object(bytes), object(colours)};
	Objects mixed = t;
	mixed.bytes = object(bytes, cudaReadModeNormalizedFloat);
	float *d = device_alloc<float>(n * N_VALUES);
	for (int k = 0; k < 2; k++) {
		fetch<<<2, 128>>>(d, k ? mixed : t, n);
		LAUNCHED();
		to_host(h[0], d, n * N_VALUES);
		for (int i = 0; i < n; i++) {
			int j = n - 1 - i;
			float e[N_VALUES] = {i * 0.5f, (float)j, (float)-j, i / 255.0f + (255 - i) / 255.0f, 1 - (i / 2) / 255.0f,
				60000.0f + i / 2, i - 100.0f, 0, (float)(i / 2), i * 0.5f};
			if (k)
				e[9] = i % 3 ? i * 0.5f : (i - 100) / 127.0f;
			for (int q = 0; q < N_VALUES; q++) {
				if (k ? q == 6 : q == 9 && i % 3 == 0)
					continue; /* integers as floats, or the other way round */
				CHECK(fabsf(h[i][q] - e[q]) < 1e-6f, "run %d element %d value %d: %g, not %g", k, i, q, h[i][q], e[q]);
			}
		}
	}

	/* A part of the memory, by size. */
	cudaResourceDesc few = linear(f, n);
	few.res.linear.sizeInBytes = 10 * sizeof(float);
	OK(cudaDestroyTextureObject(t.reals));
	t.reals = object(few);
	fetch<<<2, 128>>>(d, t, n);
	LAUNCHED();
	to_host(h[0], d, n * N_VALUES);
	for (int i = 0; i < n; i++)
		CHECK(h[i][0] == (i < 10 ? f[i] : 0), "element %d: %g", i, h[i][0]);
	return check_done();
}
