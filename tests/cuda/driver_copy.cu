// Copies and fills of the driver API: between host and device, rows, boxes, arrays, and the errors of each.
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

enum { W = 40, H = 6, D = 3, PITCH = 64, N = PITCH * H * D };
static unsigned char host[N], back[N];
static CUcontext context;
static CUstream stream;

static void pattern()
{
	for (int i = 0; i < N; i++)
		host[i] = (unsigned char)(i * 7 + i / 251);
	memset(back, 0xee, sizeof back);
}

static void rows()
{
	CUdeviceptr p, q;
	unsigned char *pinned;
	CUstream wild = (CUstream)0x1234560;
	pattern();
	OK(cuMemAlloc(&p, N));
	OK(cuMemAlloc(&q, N));
	OK(cuMemHostAlloc((void **)&pinned, N, 0));
	OK(cuMemcpyHtoD(p, host, N));
	OK(cuMemcpyDtoD(q, p, N));
	OK(cuMemcpyDtoH(back, q, N));
	EXPECT(!memcmp(host, back, N));
	OK(cuMemcpy((CUdeviceptr)(size_t)back, p + 1, 10));
	EXPECT(!memcmp(host + 1, back, 10));
	OK(cuMemcpyPeer(q, context, p + 16, context, 16));
	OK(cuMemcpyDtoHAsync(pinned, q, 16, stream));
	OK(cuStreamSynchronize(stream));
	EXPECT(!memcmp(host + 16, pinned, 16));
	memcpy(pinned, host, N);
	OK(cuMemcpyHtoDAsync(q, pinned, N, stream));
	OK(cuMemcpyDtoDAsync(p + N / 2, q, N / 2, stream));
	OK(cuMemcpyAsync((CUdeviceptr)(size_t)pinned, p, N, stream));
	OK(cuStreamSynchronize(stream));
	EXPECT(!memcmp(host, pinned, N / 2) && !memcmp(host, pinned + N / 2, N / 2));
	INVALID(cuMemcpyHtoD(p, host, N + 256));
	INVALID(cuMemcpyHtoD(0, host, 1));
	INVALID(cuMemcpyHtoD(p, NULL, 1));
	INVALID(cuMemcpyDtoH((void *)8, p, 1));
	INVALID(cuMemcpyDtoD(p, (CUdeviceptr)(size_t)host, 1));
	OK(cuMemcpyDtoD(p, q, 0));
	EXPECT(cuMemcpyHtoDAsync(p, host, 1, wild) == CUDA_ERROR_INVALID_HANDLE);
	EXPECT(cuMemcpyPeer(q, NULL, p, context, 16) == CUDA_ERROR_INVALID_CONTEXT);
	OK(cuMemFree(p));
	OK(cuMemFree(q));
	OK(cuMemFreeHost(pinned));
}

static bool rect_is(const unsigned char *at, size_t pitch, const unsigned char *is, size_t is_pitch, size_t w, size_t h)
{
	for (size_t y = 0; y < h; y++)
		if (memcmp(at + y * pitch, is + y * is_pitch, w))
			return false;
	return true;
}

static void boxes()
{
	CUdeviceptr p;
	size_t pitch;
	pattern();
	OK(cuMemAllocPitch(&p, &pitch, W, H * D, 4));
	EXPECT(pitch >= W && pitch % 16 == 0);
	CUDA_MEMCPY2D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_HOST;
	c.srcHost = host;
	c.srcPitch = PITCH;
	c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	c.dstDevice = p;
	c.dstPitch = pitch;
	c.WidthInBytes = W;
	c.Height = H * D;
	OK(cuMemcpy2D(&c));
	CUDA_MEMCPY2D r = {};
	r.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
	r.srcDevice = p;
	r.srcPitch = pitch;
	r.srcXInBytes = 3;
	r.srcY = 2;
	r.dstMemoryType = CU_MEMORYTYPE_HOST;
	r.dstHost = back;
	r.dstPitch = PITCH;
	r.dstXInBytes = 1;
	r.dstY = 1;
	r.WidthInBytes = 20;
	r.Height = 4;
	OK(cuMemcpy2DUnaligned(&r));
	EXPECT(rect_is(back + PITCH + 1, PITCH, host + 2 * PITCH + 3, PITCH, 20, 4) && back[PITCH] == 0xee && back[1] == 0xee);
	memset(back, 0, sizeof back);
	OK(cuMemcpy2DAsync(&r, stream));
	OK(cuStreamSynchronize(stream));
	EXPECT(rect_is(back + PITCH + 1, PITCH, host + 2 * PITCH + 3, PITCH, 20, 4));
	INVALID(cuMemcpy2D(NULL));
	INVALID(cuMemcpy2D((CUDA_MEMCPY2D *)8));
	CUDA_MEMCPY2D bad = c;
	bad.dstPitch = W - 1;
	INVALID(cuMemcpy2D(&bad));
	bad = c;
	bad.srcXInBytes = PITCH - W + 1;
	INVALID(cuMemcpy2D(&bad));
	bad = c;
	bad.srcMemoryType = (CUmemorytype)5;
	INVALID(cuMemcpy2D(&bad));
	bad = c;
	bad.Height = ~(size_t)0;
	INVALID(cuMemcpy2D(&bad));
	bad = c;
	bad.Height = 0;
	OK(cuMemcpy2D(&bad));
	bad = c;
	bad.dstDevice = (CUdeviceptr)(size_t)host;
	INVALID(cuMemcpy2D(&bad));

	// A box inside, from one pitch and height to others.
	CUDA_MEMCPY3D b = {};
	b.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	b.srcDevice = p;
	b.srcPitch = pitch;
	b.srcHeight = H;
	b.srcXInBytes = 4;
	b.srcY = 1;
	b.srcZ = 1;
	b.dstMemoryType = CU_MEMORYTYPE_HOST;
	b.dstHost = back;
	b.dstPitch = 32;
	b.dstHeight = 5;
	b.WidthInBytes = 16;
	b.Height = 3;
	b.Depth = 2;
	memset(back, 0, sizeof back);
	OK(cuMemcpy3D(&b));
	for (int z = 0; z < 2; z++)
		EXPECT(rect_is(back + z * 5 * 32, 32, host + (z + 1) * H * PITCH + PITCH + 4, PITCH, 16, 3));
	memset(back, 0, sizeof back);
	OK(cuMemcpy3DAsync(&b, stream));
	OK(cuStreamSynchronize(stream));
	EXPECT(rect_is(back + 5 * 32, 32, host + 2 * H * PITCH + PITCH + 4, PITCH, 16, 3));
	CUDA_MEMCPY3D wrong = b;
	wrong.srcLOD = 1;
	INVALID(cuMemcpy3D(&wrong));
	wrong = b;
	wrong.dstHeight = 2;
	INVALID(cuMemcpy3D(&wrong));
	wrong = b;
	wrong.reserved0 = back;
	INVALID(cuMemcpy3D(&wrong));
	wrong = b;
	wrong.srcZ = 2;
	INVALID(cuMemcpy3D(&wrong)); // ends behind the allocation
	CUDA_MEMCPY3D_PEER peer;
	memcpy(&peer, &b, sizeof b);
	EXPECT(cuMemcpy3DPeer(&peer) == CUDA_ERROR_INVALID_CONTEXT);
	peer.srcContext = peer.dstContext = context;
	OK(cuMemcpy3DPeer(&peer));
	OK(cuMemFree(p));
	INVALID(cuMemAllocPitch(&p, &pitch, W, H, 5));
	INVALID(cuMemAllocPitch(&p, &pitch, 0, H, 4));
	INVALID(cuMemAllocPitch(NULL, &pitch, W, H, 4));
}

static void arrays()
{
	cudaArray_t made, other;
	cudaChannelFormatDesc d = {16, 0, 0, 0, cudaChannelFormatKindUnsigned};
	pattern();
	EXPECT(cudaMallocArray(&made, &d, 20, 8) == cudaSuccess && cudaMallocArray(&other, &d, 20, 8) == cudaSuccess);
	CUarray a = (CUarray)made, b = (CUarray)other;
	CUdeviceptr p;
	OK(cuMemAlloc(&p, 400));
	OK(cuMemcpyHtoA(a, 0, host, 320));
	OK(cuMemcpyAtoA(b, 40, a, 10, 100));
	OK(cuMemcpyAtoD(p, b, 40, 100));
	OK(cuMemcpyDtoH(back, p, 100));
	EXPECT(!memcmp(back, host + 10, 100));
	OK(cuMemcpyDtoA(b, 0, p, 100));
	OK(cuMemcpyAtoH(back, b, 2, 98));
	EXPECT(!memcmp(back, host + 12, 98));
	CUDA_MEMCPY2D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	c.srcArray = a;
	c.srcXInBytes = 4;
	c.srcY = 3;
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = back;
	c.dstPitch = 20;
	c.WidthInBytes = 20;
	c.Height = 5;
	OK(cuMemcpy2D(&c));
	EXPECT(rect_is(back, 20, host + 3 * 40 + 4, 40, 20, 5));
	c.Height = 6;
	INVALID(cuMemcpy2D(&c));
	c.Height = 5;
	c.srcXInBytes = 3; // no whole texel
	INVALID(cuMemcpy2D(&c));
	INVALID(cuMemcpyAtoH(back, b, 300, 21));
	INVALID(cuMemcpyAtoH(back, NULL, 0, 1));
	EXPECT(cudaFreeArray(other) == cudaSuccess);
	EXPECT(cuMemcpyAtoH(back, b, 0, 1) == CUDA_ERROR_INVALID_HANDLE);
	EXPECT(cudaFreeArray(made) == cudaSuccess);
	OK(cuMemFree(p));
}

static void fills()
{
	CUdeviceptr p;
	unsigned words[64];
	unsigned short *shorts = (unsigned short *)words;
	OK(cuMemAlloc(&p, sizeof words));
	OK(cuMemsetD8(p, 0, sizeof words));
	OK(cuMemsetD32(p + 8, 0x12345678, 3));
	OK(cuMemsetD16(p + 2, 0xabcd, 2));
	OK(cuMemsetD8(p + 21, 0x5a, 2));
	OK(cuMemcpyDtoH(words, p, sizeof words));
	EXPECT(shorts[0] == 0 && shorts[1] == 0xabcd && shorts[2] == 0xabcd && shorts[3] == 0 && words[2] == 0x12345678 &&
	       words[4] == 0x12345678 && words[5] == 0x005a5a00);
	OK(cuMemsetD2D32(p, 32, 7, 3, 4));
	OK(cuMemsetD2D16(p + 16, 32, 8, 3, 4));
	OK(cuMemsetD2D8(p + 24, 32, 9, 3, 4));
	OK(cuMemcpyDtoH(words, p, sizeof words));
	for (int y = 0; y < 4; y++)
		EXPECT(words[y * 8] == 7 && words[y * 8 + 2] == 7 && words[y * 8 + 4] == 0x00080008 && (words[y * 8 + 5] & 0xffff) == 8 &&
		       words[y * 8 + 6] == 0x00090909);
	OK(cuMemsetD32Async(p, 1, 64, stream));
	OK(cuMemsetD16Async(p, 2, 2, stream));
	OK(cuMemsetD8Async(p, 3, 1, stream));
	OK(cuMemsetD2D32Async(p + 8, 16, 4, 1, 2, stream));
	OK(cuStreamSynchronize(stream));
	OK(cuMemcpyDtoH(words, p, sizeof words));
	EXPECT(words[0] == 0x00020003 && words[1] == 1 && words[2] == 4 && words[6] == 4 && words[63] == 1);
	INVALID(cuMemsetD32(p + 2, 1, 1));
	INVALID(cuMemsetD16(p + 1, 1, 1));
	INVALID(cuMemsetD32(p, 1, 65));
	INVALID(cuMemsetD8(0, 1, 1));
	INVALID(cuMemsetD2D32(p, 30, 1, 1, 2));
	INVALID(cuMemsetD8((CUdeviceptr)(size_t)words, 1, 1));
	OK(cuMemsetD8(p, 1, 0));
	OK(cuMemFree(p));
}

int main()
{
	OK(cuInit(0));
	EXPECT(cuMemsetD8(8, 0, 1) == CUDA_ERROR_INVALID_CONTEXT);
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	rows();
	boxes();
	arrays();
	fills();
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
