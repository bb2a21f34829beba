// Texture references bound to linear memory: tex1Dfetch of several types, offsets, rebinding, the unbound case.
// needs: clang
#include "check.h"

texture<float, 1, cudaReadModeElementType> reals;
texture<int2> pairs;
texture<uchar4, 1, cudaReadModeNormalizedFloat> colours;
texture<unsigned short> words;
texture<signed char> bytes;

__global__ void fetch(float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float *o = out + 8 * i;
	o[0] = tex1Dfetch(reals, i);
	int2 p = tex1Dfetch(pairs, n - 1 - i);
	o[1] = p.x;
	o[2] = p.y;
	float4 c = tex1Dfetch(colours, i);
	o[3] = c.x + c.y;
	o[4] = c.z - c.w;
	o[5] = tex1Dfetch(words, i / 2);
	o[6] = tex1Dfetch(bytes, i);
	o[7] = tex1Dfetch(reals, n + 1000000); /* outside: zero */
}

int main()
{
	const int n = 200;
	float f[n], h[n][8];
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
	float *df = to_device(f, n);
	size_t offset = 99;
	OK(cudaBindTexture(&offset, reals, df, n * sizeof(float)));
	CHECK(offset == 0);
	OK(cudaBindTexture(0, pairs, to_device(p, n), sizeof(p)));
	OK(cudaBindTexture(0, colours, to_device(c, n), cudaCreateChannelDesc<uchar4>(), sizeof(c)));
	OK(cudaBindTexture(0, words, to_device(w, n), sizeof(w)));
	OK(cudaBindTexture(0, bytes, to_device(b, n)));
	float *d = device_alloc<float>(n * 8);
	fetch<<<2, 128>>>(d, n);
	LAUNCHED();
	to_host(h[0], d, n * 8);
	for (int i = 0; i < n; i++) {
		int j = n - 1 - i;
		float e[8] = {i * 0.5f, (float)j, (float)-j, i / 255.0f + (255 - i) / 255.0f, 1 - (i / 2) / 255.0f,
			60000.0f + i / 2, i - 100.0f, 0};
		for (int k = 0; k < 8; k++)
			CHECK(fabsf(h[i][k] - e[k]) < 1e-6f, "element %d value %d: %g, not %g", i, k, h[i][k], e[k]);
	}

	/* The same texture elsewhere; the reference found by its symbol. */
	float g[n];
	for (int i = 0; i < n; i++)
		g[i] = -i;
	OK(cudaUnbindTexture(reals));
	const textureReference *by_symbol;
	OK(cudaGetTextureReference(&by_symbol, &reals));
	cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	OK(cudaBindTexture(&offset, by_symbol, to_device(g, n), &desc, sizeof(g)));
	OK(cudaGetTextureAlignmentOffset(&offset, by_symbol));
	CHECK(offset == 0);
	fetch<<<2, 128>>>(d, n);
	LAUNCHED();
	to_host(h[0], d, n * 8);
	for (int i = 0; i < n; i++)
		CHECK(h[i][0] == -i, "element %d: %g", i, h[i][0]);
	return check_done();
}
