// What cudaCreateTextureObject refuses, what the descriptions say afterwards, views of arrays, handles made anew.
#include "check.h"

__global__ void first(unsigned *out, cudaTextureObject_t t)
{
	*out = tex2DLayered<unsigned>(t, 0.5f, 0.5f, 0);
}

int main()
{
	cudaResourceDesc r, none, got;
	cudaTextureDesc t, got_t;
	cudaTextureObject_t o = 0, old;
	float *d = device_alloc<float>(4096);
	memset(&none, 0, sizeof(none));
	memset(&t, 0, sizeof(t));
	r = none;
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = d;
	r.res.linear.desc = cudaCreateChannelDesc<float>();
	r.res.linear.sizeInBytes = 4096;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(0, &r, &t, 0));
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, 0, &t, 0));
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, 0, 0));
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &none, &t, 0));
	r.res.linear.devPtr = d + 1;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));
	r.res.linear.devPtr = &r;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));
	r.res.linear.devPtr = d;
	r.res.linear.sizeInBytes = 0;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));
	r.res.linear.sizeInBytes = (size_t)1 << 40;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));
	r.res.linear.sizeInBytes = 4096;
	r.res.linear.desc.y = 3;
	EXPECT(cudaErrorInvalidChannelDescriptor, cudaCreateTextureObject(&o, &r, &t, 0));
	r.res.linear.desc.y = 0;
	cudaResourceViewDesc view, got_view;
	memset(&view, 0, sizeof(view));
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, &view)); /* for arrays only */
	CHECK(o == 0);
	t.borderColor[2] = 5;
	t.maxAnisotropy = 3;
	OK(cudaCreateTextureObject(&o, &r, &t, 0));
	memset(&got, 0xff, sizeof(got));
	memset(&got_t, 0xff, sizeof(got_t));
	OK(cudaGetTextureObjectResourceDesc(&got, o));
	CHECK(got.resType == r.resType && got.res.linear.devPtr == d && got.res.linear.sizeInBytes == 4096);
	CHECK(got.res.linear.desc.x == 32 && got.res.linear.desc.f == cudaChannelFormatKindFloat);
	OK(cudaGetTextureObjectTextureDesc(&got_t, o));
	CHECK(memcmp(&t, &got_t, sizeof(t)) == 0);
	EXPECT(cudaErrorInvalidValue, cudaGetTextureObjectResourceViewDesc(&got_view, o));
	EXPECT(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(0, o));
	EXPECT(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(&got_t, o + 1));
	old = o;
	OK(cudaDestroyTextureObject(o));
	EXPECT(cudaErrorInvalidValue, cudaDestroyTextureObject(o));
	EXPECT(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&got, o));
	OK(cudaCreateTextureObject(&o, &r, &t, 0));
	CHECK(o != old);
	OK(cudaDestroyTextureObject(o));

	/* Pitched memory. */
	r = none;
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = d;
	r.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
	r.res.pitch2D.width = 8;
	r.res.pitch2D.height = 4;
	r.res.pitch2D.pitchInBytes = 33; /* not a multiple of texturePitchAlignment */
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));
	r.res.pitch2D.pitchInBytes = 0;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));
	r.res.pitch2D.pitchInBytes = 32;
	t.filterMode = cudaFilterModeLinear; /* of integers */
	EXPECT(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&o, &r, &t, 0));
	t.readMode = cudaReadModeNormalizedFloat;
	OK(cudaCreateTextureObject(&o, &r, &t, 0));
	OK(cudaDestroyTextureObject(o));
	r.res.pitch2D.height = 4096;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));
	r.res.pitch2D.height = 4;
	t.addressMode[1] = (cudaTextureAddressMode)9;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));
	memset(&t, 0, sizeof(t));
	r.resType = cudaResourceTypeMipmappedArray;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0));

	/* A view takes some layers, and reads floats as what their bits are. */
	cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
	r = none;
	r.resType = cudaResourceTypeArray;
	OK(cudaMalloc3DArray(&r.res.array.array, &real, make_cudaExtent(4, 4, 3), cudaArrayLayered));
	static float v[3][4][4];
	v[2][0][0] = 1.5f;
	cudaMemcpy3DParms p;
	memset(&p, 0, sizeof(p));
	p.srcPtr = make_cudaPitchedPtr(v, 4 * sizeof(float), 4, 4);
	p.dstArray = r.res.array.array;
	p.extent = make_cudaExtent(4, 4, 3);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	view.format = cudaResViewFormatUnsignedInt1;
	view.width = view.height = 4;
	view.depth = 3;
	view.firstLayer = 2;
	view.lastLayer = 3;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, &view)); /* beyond the last */
	view.lastLayer = 2;
	view.format = cudaResViewFormatUnsignedInt2;
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, &view)); /* another size */
	view.format = cudaResViewFormatUnsignedInt1;
	OK(cudaCreateTextureObject(&o, &r, &t, &view));
	OK(cudaGetTextureObjectResourceViewDesc(&got_view, o));
	CHECK(got_view.format == view.format && got_view.width == 4 && got_view.firstLayer == 2 && got_view.lastLayer == 2);
	unsigned *bits = device_alloc<unsigned>(1), h = 0;
	cudaGetLastError();
	first<<<1, 1>>>(bits, o);
	LAUNCHED();
	to_host(&h, bits, 1);
	CHECK(h == 0x3fc00000, "%x", h);

	/* However often one is made, its handle has no more than the 32 bits that machine code looks at. */
	for (int i = 0; i < 5000; i++) {
		OK(cudaDestroyTextureObject(o));
		OK(cudaCreateTextureObject(&o, &r, &t, &view));
		CHECK(o && o >> 32 == 0, "%llx", (unsigned long long)o);
	}
	OK(cudaMemset(bits, 0, sizeof(*bits)));
	first<<<1, 1>>>(bits, o);
	LAUNCHED();
	to_host(&h, bits, 1);
	CHECK(h == 0x3fc00000, "%x", h);
	OK(cudaDestroyTextureObject(o));
	OK(cudaFreeArray(r.res.array.array));
	EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&o, &r, &t, 0)); /* no array any more */
	return check_done();
}
