// Arrays, mipmapped arrays, texture and surface objects of the driver API, and the errors of each.
// needs: nvcc
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)
#define INVALID(call) EXPECT((call) == CUDA_ERROR_INVALID_VALUE)

__global__ void read_2d(cudaTextureObject_t t, float *out, float x, float y)
{
	*out = tex2D<float>(t, x, y);
}

__global__ void read_integer(cudaTextureObject_t t, unsigned *out, int x)
{
	*out = tex1Dfetch<unsigned>(t, x);
}

__global__ void read_level(cudaTextureObject_t t, float *out, float level)
{
	*out = tex2DLod<float>(t, 0.5f, 0.5f, level);
}

__global__ void write_surface(cudaSurfaceObject_t s)
{
	surf2Dwrite((float)(threadIdx.x * 10 + threadIdx.y), s, threadIdx.x * 4, threadIdx.y);
}

static float *out;

static float result()
{
	float v = -1;
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH(&v, (CUdeviceptr)out, 4));
	return v;
}

static void arrays()
{
	CUarray a, b;
	CUDA_ARRAY_DESCRIPTOR d = {16, 4, CU_AD_FORMAT_FLOAT, 2}, got;
	CUDA_ARRAY3D_DESCRIPTOR d3 = {8, 4, 3, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_LAYERED}, got3;
	OK(cuArrayCreate(&a, &d));
	OK(cuArrayGetDescriptor(&got, a));
	EXPECT(got.Width == 16 && got.Height == 4 && got.Format == CU_AD_FORMAT_FLOAT && got.NumChannels == 2);
	OK(cuArray3DCreate(&b, &d3));
	OK(cuArray3DGetDescriptor(&got3, b));
	EXPECT(got3.Width == 8 && got3.Depth == 3 && got3.Flags == CUDA_ARRAY3D_LAYERED && got3.Format == CU_AD_FORMAT_UNSIGNED_INT8 &&
	       got3.NumChannels == 4);
	INVALID(cuArrayCreate(NULL, &d));
	INVALID(cuArrayCreate(&b, NULL));
	d.NumChannels = 3;
	INVALID(cuArrayCreate(&b, &d));
	d.NumChannels = 1;
	d.Format = (CUarray_format)0x77;
	INVALID(cuArrayCreate(&b, &d));
	d.Format = CU_AD_FORMAT_HALF;
	d.Width = 0;
	INVALID(cuArrayCreate(&b, &d));
	d.Width = (size_t)1 << 40;
	INVALID(cuArrayCreate(&b, &d));
	CUarray plane;
	INVALID(cuArrayGetPlane(&plane, a, 0));
	OK(cuArrayDestroy(a));
	EXPECT(cuArrayDestroy(a) == CUDA_ERROR_INVALID_HANDLE && cuArrayDestroy(NULL) == CUDA_ERROR_INVALID_HANDLE);
	EXPECT(cuArrayGetDescriptor(&got, a) == CUDA_ERROR_INVALID_HANDLE);

	CUmipmappedArray m;
	d3 = {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
	OK(cuMipmappedArrayCreate(&m, &d3, 3));
	float level[3][64];
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 64; i++)
			level[k][i] = (float)(k + 1);
	for (unsigned k = 0; k < 3; k++) {
		OK(cuMipmappedArrayGetLevel(&a, m, k));
		OK(cuArray3DGetDescriptor(&got3, a));
		EXPECT(got3.Width == 8u >> k && got3.Height == 8u >> k);
		CUDA_MEMCPY2D c = {};
		c.srcMemoryType = CU_MEMORYTYPE_HOST;
		c.srcHost = level[k];
		c.srcPitch = c.WidthInBytes = (8 >> k) * 4;
		c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
		c.dstArray = a;
		c.Height = 8 >> k;
		OK(cuMemcpy2D(&c));
	}
	EXPECT(cuArrayDestroy(a) == CUDA_ERROR_INVALID_HANDLE); // a level
	INVALID(cuMipmappedArrayGetLevel(&a, m, 3));
	CUDA_RESOURCE_DESC r = {};
	CUDA_TEXTURE_DESC t = {};
	CUtexObject object;
	r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
	r.res.mipmap.hMipmappedArray = m;
	t.flags = CU_TRSF_NORMALIZED_COORDINATES;
	t.maxMipmapLevelClamp = 9;
	OK(cuTexObjectCreate(&object, &r, &t, NULL));
	read_level<<<1, 1>>>(object, out, 1);
	EXPECT(result() == 2);
	read_level<<<1, 1>>>(object, out, 2);
	EXPECT(result() == 3);
	OK(cuTexObjectDestroy(object));
	OK(cuMipmappedArrayDestroy(m));
	EXPECT(cuMipmappedArrayDestroy(m) == CUDA_ERROR_INVALID_HANDLE);
}

static void textures()
{
	CUarray a;
	CUDA_ARRAY_DESCRIPTOR d = {4, 2, CU_AD_FORMAT_FLOAT, 1};
	float texels[8] = {0, 1, 2, 3, 10, 11, 12, 13};
	CUDA_RESOURCE_DESC r = {}, got;
	CUDA_TEXTURE_DESC t = {}, told;
	CUtexObject object, linear, plane;
	OK(cuArrayCreate(&a, &d));
	CUDA_MEMCPY2D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = texels;
	c.srcPitch = c.WidthInBytes = 16;
	c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	c.dstArray = a;
	c.Height = 2;
	OK(cuMemcpy2D(&c));
	r.resType = CU_RESOURCE_TYPE_ARRAY;
	r.res.array.hArray = a;
	t.filterMode = CU_TR_FILTER_MODE_LINEAR;
	t.addressMode[0] = t.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
	t.borderColor[0] = 7;
	OK(cuTexObjectCreate(&object, &r, &t, NULL));
	read_2d<<<1, 1>>>(object, out, 1.0f, 1.0f);
	EXPECT(result() == (0 + 1 + 10 + 11) / 4.0f);
	read_2d<<<1, 1>>>(object, out, -5.0f, 0.5f);
	EXPECT(result() == 7);
	OK(cuTexObjectGetResourceDesc(&got, object));
	EXPECT(got.resType == CU_RESOURCE_TYPE_ARRAY && got.res.array.hArray == a);
	OK(cuTexObjectGetTextureDesc(&told, object));
	EXPECT(told.filterMode == CU_TR_FILTER_MODE_LINEAR && told.addressMode[1] == CU_TR_ADDRESS_MODE_BORDER && told.borderColor[0] == 7);
	CUDA_RESOURCE_VIEW_DESC view = {};
	INVALID(cuTexObjectGetResourceViewDesc(&view, object)); // made without one

	// Bytes in a row, as integers and as floats from 0 to 1, and rows with a pitch.
	CUdeviceptr p;
	unsigned char bytes[512];
	unsigned n = 0;
	for (int i = 0; i < 512; i++)
		bytes[i] = (unsigned char)i;
	OK(cuMemAlloc(&p, 512));
	OK(cuMemcpyHtoD(p, bytes, 512));
	memset(&r, 0, sizeof r);
	memset(&t, 0, sizeof t);
	r.resType = CU_RESOURCE_TYPE_LINEAR;
	r.res.linear.devPtr = p;
	r.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
	r.res.linear.numChannels = 1;
	r.res.linear.sizeInBytes = 512;
	t.flags = CU_TRSF_READ_AS_INTEGER;
	OK(cuTexObjectCreate(&linear, &r, &t, NULL));
	read_integer<<<1, 1>>>(linear, (unsigned *)out, 200);
	OK(cuMemcpyDtoH(&n, (CUdeviceptr)out, 4));
	EXPECT(n == 200);
	OK(cuTexObjectGetResourceDesc(&got, linear));
	EXPECT(got.res.linear.devPtr == p && got.res.linear.format == CU_AD_FORMAT_UNSIGNED_INT8 && got.res.linear.sizeInBytes == 512);
	memset(&r, 0, sizeof r);
	r.resType = CU_RESOURCE_TYPE_PITCH2D;
	r.res.pitch2D.devPtr = p;
	r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
	r.res.pitch2D.numChannels = 1;
	r.res.pitch2D.width = 100;
	r.res.pitch2D.height = 2;
	r.res.pitch2D.pitchInBytes = 256;
	t.flags = 0;
	OK(cuTexObjectCreate(&plane, &r, &t, NULL));
	read_2d<<<1, 1>>>(plane, out, 51, 0);
	EXPECT(result() == 51 / 255.0f);

	INVALID(cuTexObjectCreate(NULL, &r, &t, NULL));
	INVALID(cuTexObjectCreate(&object, NULL, &t, NULL));
	INVALID(cuTexObjectCreate(&object, &r, NULL, NULL));
	INVALID(cuTexObjectCreate(&object, (CUDA_RESOURCE_DESC *)8, &t, NULL));
	t.flags = 8;
	INVALID(cuTexObjectCreate(&object, &r, &t, NULL));
	t.flags = 0;
	r.res.pitch2D.pitchInBytes = 99;
	INVALID(cuTexObjectCreate(&object, &r, &t, NULL));
	r.resType = (CUresourcetype)4;
	INVALID(cuTexObjectCreate(&object, &r, &t, NULL));
	OK(cuTexObjectDestroy(linear));
	INVALID(cuTexObjectDestroy(linear));
	OK(cuTexObjectDestroy(plane));
	OK(cuMemFree(p));
	OK(cuArrayDestroy(a));
}

static void surfaces()
{
	CUarray a, plain;
	CUDA_ARRAY3D_DESCRIPTOR d = {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
	CUDA_RESOURCE_DESC r = {};
	CUsurfObject object;
	float texels[16];
	OK(cuArray3DCreate(&a, &d));
	d.Flags = 0;
	OK(cuArray3DCreate(&plain, &d));
	r.resType = CU_RESOURCE_TYPE_ARRAY;
	r.res.array.hArray = a;
	OK(cuSurfObjectCreate(&object, &r));
	write_surface<<<1, dim3(4, 4)>>>(object);
	CUDA_MEMCPY2D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	c.srcArray = a;
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = texels;
	c.dstPitch = c.WidthInBytes = 16;
	c.Height = 4;
	OK(cuMemcpy2D(&c));
	EXPECT(texels[0] == 0 && texels[2 * 4 + 3] == 32);
	CUDA_RESOURCE_DESC got;
	OK(cuSurfObjectGetResourceDesc(&got, object));
	EXPECT(got.res.array.hArray == a);
	INVALID(cuTexObjectDestroy((CUtexObject)object));
	OK(cuSurfObjectDestroy(object));
	INVALID(cuSurfObjectDestroy(object));
	r.res.array.hArray = plain;
	INVALID(cuSurfObjectCreate(&object, &r));
	r.resType = CU_RESOURCE_TYPE_LINEAR;
	INVALID(cuSurfObjectCreate(&object, &r));
	OK(cuArrayDestroy(a));
	OK(cuArrayDestroy(plain));
}

int main()
{
	CUcontext context;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuMemAlloc((CUdeviceptr *)&out, 16));
	arrays();
	textures();
	surfaces();
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
