// Texture and surface references of a module, as the driver API binds them.
// Its code is PTX that it loads as it runs.
// skip: sass
// needs: nvcc
// nvcc-flags: -lcuda -Wno-deprecated-declarations
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)
#define INVALID(call) EXPECT((call) == CUDA_ERROR_INVALID_VALUE)

static const char code[] = R"(
.version 6.4
.target sm_50
.address_size 64
.visible .global .texref image;
.visible .global .surfref canvas;
.visible .entry read(.param .u64 out, .param .f32 x, .param .f32 y)
{
	.reg .f32 %f<7>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	ld.param.f32 %f1, [x];
	ld.param.f32 %f2, [y];
	tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, {%f1, %f2}];
	st.global.f32 [%d1], %f3;
	ret;
}
.visible .entry fetch(.param .u64 out, .param .s32 x)
{
	.reg .b32 %r<6>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	ld.param.s32 %r1, [x];
	tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [image, {%r1}];
	st.global.u32 [%d1], %r2;
	ret;
}
)";

static CUfunction read_2d, fetch;
static CUdeviceptr out;

static float read(float x, float y)
{
	float v = -1;
	void *args[] = {&out, &x, &y};
	OK(cuLaunchKernel(read_2d, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL));
	OK(cuMemcpyDtoH(&v, out, 4));
	return v;
}

static unsigned read_texel(int x)
{
	unsigned v = ~0u;
	void *args[] = {&out, &x};
	OK(cuLaunchKernel(fetch, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL));
	OK(cuMemcpyDtoH(&v, out, 4));
	return v;
}

int main()
{
	CUcontext context;
	CUmodule module;
	CUtexref t, none;
	CUsurfref s;
	CUarray a, got;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuModuleLoadData(&module, code));
	OK(cuModuleGetFunction(&read_2d, module, "read"));
	OK(cuModuleGetFunction(&fetch, module, "fetch"));
	OK(cuMemAlloc(&out, 16));
	EXPECT(cuModuleGetTexRef(&none, module, "canvas") == CUDA_ERROR_NOT_FOUND);
	EXPECT(cuModuleGetTexRef(&none, module, "no_such") == CUDA_ERROR_NOT_FOUND);
	INVALID(cuModuleGetTexRef(NULL, module, "image"));
	OK(cuModuleGetTexRef(&t, module, "image"));
	OK(cuModuleGetSurfRef(&s, module, "canvas"));

	// An array of floats.
	CUDA_ARRAY_DESCRIPTOR d = {4, 2, CU_AD_FORMAT_FLOAT, 1};
	float texels[8] = {0, 1, 2, 3, 10, 11, 12, 13};
	OK(cuArrayCreate(&a, &d));
	CUDA_MEMCPY2D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = texels;
	c.srcPitch = c.WidthInBytes = 16;
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c.dstArray = a;
	c.Height = 2;
	OK(cuMemcpy2D(&c));
	INVALID(cuTexRefGetArray(&got, t));
	INVALID(cuTexRefSetArray(t, a, 0));
	OK(cuTexRefSetArray(t, a, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetArray(&got, t));
	EXPECT(got == a && read(2.5f, 1.5f) == 12);
	OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
	EXPECT(read(1, 1) == 5.5f);
	OK(cuTexRefSetFlags(t, CU_TRSF_NORMALIZED_COORDINATES));
	OK(cuTexRefSetAddressMode(t, 0, CU_TR_ADDRESS_MODE_WRAP));
	OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));
	EXPECT(read(1.375f, 0.75f) == 11);
	unsigned flags = 0;
	CUaddress_mode mode;
	OK(cuTexRefGetFlags(&flags, t));
	OK(cuTexRefGetAddressMode(&mode, t, 0));
	EXPECT(flags == CU_TRSF_NORMALIZED_COORDINATES && mode == CU_TR_ADDRESS_MODE_WRAP);
	INVALID(cuTexRefSetFlags(t, 4));
	INVALID(cuTexRefSetAddressMode(t, 3, CU_TR_ADDRESS_MODE_WRAP));
	INVALID(cuTexRefSetFilterMode(t, (CUfilter_mode)2));

	// Bytes with a pitch become floats from 0 to 1 unless they are read as integers; then they cannot be filtered.
	CUdeviceptr p, at = 0;
	unsigned char bytes[1024];
	for (int i = 0; i < 1024; i++)
		bytes[i] = (unsigned char)i;
	OK(cuMemAlloc(&p, 1024));
	OK(cuMemcpyHtoD(p, bytes, 1024));
	d = {100, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1};
	OK(cuTexRefSetFlags(t, 0));
	OK(cuTexRefSetAddress2D(t, &d, p, 256));
	OK(cuTexRefGetAddress(&at, t));
	EXPECT(at == p && read(51, 1) == 51 / 255.0f);
	INVALID(cuTexRefGetArray(&got, t));
	INVALID(cuTexRefSetAddress2D(t, &d, p, 99));
	OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_LINEAR));
	INVALID(cuTexRefSetFlags(t, CU_TRSF_READ_AS_INTEGER));
	OK(cuTexRefSetFilterMode(t, CU_TR_FILTER_MODE_POINT));

	// A line of words, that begins inside an allocation.
	size_t offset = 99;
	CUarray_format format;
	int channels = 0;
	OK(cuTexRefSetFormat(t, CU_AD_FORMAT_UNSIGNED_INT32, 1));
	OK(cuTexRefGetFormat(&format, &channels, t));
	EXPECT(format == CU_AD_FORMAT_UNSIGNED_INT32 && channels == 1);
	OK(cuTexRefSetAddress(&offset, t, p, 1024));
	EXPECT(offset == 0 && read_texel(3) == 0x0f0e0d0cu);
	OK(cuTexRefSetAddress(&offset, t, p + 16, 512));
	EXPECT(offset == 16 && read_texel((int)offset / 4 + 1) == 0x17161514u);
	INVALID(cuTexRefSetAddress(NULL, t, p + 16, 512));
	INVALID(cuTexRefSetAddress(&offset, t, p, 2048));
	INVALID(cuTexRefSetFormat(t, (CUarray_format)0x77, 1));

	// Surfaces are for arrays made so; and handles that are none.
	INVALID(cuSurfRefSetArray(s, a, 0));
	INVALID(cuTexRefSetArray((CUtexref)s, a, CU_TRSA_OVERRIDE_FORMAT));
	INVALID(cuTexRefSetFlags((CUtexref)16, 0));
	INVALID(cuTexRefSetFlags(NULL, 0));
	CUDA_ARRAY3D_DESCRIPTOR d3 = {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
	CUarray canvas;
	OK(cuArray3DCreate(&canvas, &d3));
	OK(cuSurfRefSetArray(s, canvas, 0));
	OK(cuSurfRefGetArray(&got, s));
	EXPECT(got == canvas);
	OK(cuArrayDestroy(canvas));
	INVALID(cuSurfRefGetArray(&got, s));

	// A reference of no module keeps what it is given; a kernel reads those of its own module, and is told so in vain.
	CUtexref made;
	OK(cuTexRefCreate(&made));
	OK(cuTexRefSetFilterMode(made, CU_TR_FILTER_MODE_LINEAR));
	CUfilter_mode filter;
	OK(cuTexRefGetFilterMode(&filter, made));
	EXPECT(filter == CU_TR_FILTER_MODE_LINEAR);
	OK(cuTexRefSetArray(made, a, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetArray(&got, made));
	EXPECT(got == a);
	OK(cuParamSetTexRef(read_2d, CU_PARAM_TR_DEFAULT, t));
	INVALID(cuParamSetTexRef(read_2d, 0, t));
	INVALID(cuParamSetTexRef(read_2d, CU_PARAM_TR_DEFAULT, made));
	OK(cuArrayDestroy(a));
	INVALID(cuTexRefGetArray(&got, made));
	INVALID(cuTexRefDestroy(t));
	OK(cuTexRefDestroy(made));
	INVALID(cuTexRefDestroy(made));
	INVALID(cuTexRefSetFlags(made, 0));
	OK(cuModuleUnload(module));
	INVALID(cuTexRefSetFlags(t, 0));
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
