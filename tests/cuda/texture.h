/* A texture of two dimensions as the host reads it, and what the programs sample. */
#ifndef TEXTURE_H
#define TEXTURE_H

static const int W = 8, H = 4, D = 3;
static float border; /* outside, where the address mode asks for it */

static const struct {
	bool normalised, linear;
	cudaTextureAddressMode mode;
} cases[] = {{false, false, cudaAddressModeClamp}, {false, true, cudaAddressModeClamp},
	{false, false, cudaAddressModeBorder}, {false, true, cudaAddressModeBorder},
	{true, false, cudaAddressModeWrap}, {true, true, cudaAddressModeWrap},
	{true, true, cudaAddressModeClamp}, {true, false, cudaAddressModeMirror}, {true, true, cudaAddressModeMirror}};

/* Texels: numbers, and colours. */
static void fill(float v[D][H][W], uchar4 c[H][W])
{
	for (int i = 0; i < D * H * W; i++)
		v[0][0][i] = i * i % 37;
	for (int i = 0; i < H * W; i++)
		c[0][i] = make_uchar4(i, 2 * i, 3 * i, 255 - i);
}

/* Places inside and around, in texels and normalised. Multiples of 1/64 are exact in the hardware's fixed-point weights. */
static void places(float2 *at, float2 *unit, int n)
{
	for (int i = 0; i < n; i++) {
		at[i].x = (i * 7 % 200 - 40) / 16.0f + 1 + 1 / 64.0f;
		at[i].y = (i * 11 % 120 - 30) / 16.0f + 0.25f + 1 / 64.0f;
		unit[i] = make_float2(at[i].x / W, at[i].y / H);
	}
}

/* The index that an address mode makes of i, or -1 for the border. */
static int wrap(int i, int n, cudaTextureAddressMode mode)
{
	if (mode == cudaAddressModeWrap)
		return ((i % n) + n) % n;
	if (mode == cudaAddressModeMirror) {
		int k = ((i % (2 * n)) + 2 * n) % (2 * n);
		return k < n ? k : 2 * n - 1 - k;
	}
	if (mode == cudaAddressModeBorder)
		return i < 0 || i >= n ? -1 : i;
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel(const float *v, int x, int y, cudaTextureAddressMode mode)
{
	int i = wrap(x, W, mode), j = wrap(y, H, mode);
	return i < 0 || j < 0 ? border : v[j * W + i];
}

static double expect2d(const float *v, double x, double y, bool linear, cudaTextureAddressMode mode)
{
	if (!linear)
		return texel(v, (int)floor(x), (int)floor(y), mode);
	x -= 0.5;
	y -= 0.5;
	int i = (int)floor(x), j = (int)floor(y);
	double a = x - i, b = y - j;
	return (1 - a) * (1 - b) * texel(v, i, j, mode) + a * (1 - b) * texel(v, i + 1, j, mode) +
		(1 - a) * b * texel(v, i, j + 1, mode) + a * b * texel(v, i + 1, j + 1, mode);
}

#endif
