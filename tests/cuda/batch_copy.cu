// Batches of copies, prefetches and discards, of the runtime and of the driver, and what is wrong with a batch.
// needs: nvcc
// nvcc-flags: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == cudaSuccess)
#define INVALID(call) EXPECT((call) == cudaErrorInvalidValue)

int main()
{
#if CUDART_VERSION >= 13000
	enum { N = 256 };
	static unsigned char host[N], back[N];
	unsigned char *a, *b, *m;
	cudaStream_t s;
	for (int i = 0; i < N; i++)
		host[i] = (unsigned char)(i * 3);
	OK(cudaStreamCreate(&s));
	OK(cudaMalloc(&a, N));
	OK(cudaMalloc(&b, N));
	OK(cudaMallocManaged(&m, 3 * 4096));

	// Two with one set of attributes, one with another.
	const void *src[] = {host, host + 100, host + 200};
	void *dst[] = {a, a + 100, a + 200};
	size_t sizes[] = {100, 50, 56}, first[] = {0, 2};
	cudaMemcpyAttributes attributes[2];
	memset(attributes, 0, sizeof attributes);
	attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
	OK(cudaMemcpyBatchAsync(dst, src, sizes, 3, attributes, first, 2, s));
	OK(cudaMemcpyAsync(back, a, N, cudaMemcpyDefault, s));
	OK(cudaStreamSynchronize(s));
	EXPECT(!memcmp(back, host, 150) && back[150] == 0 && !memcmp(back + 200, host + 200, 56));
	INVALID(cudaMemcpyBatchAsync(dst, src, sizes, 0, attributes, first, 1, s));
	INVALID(cudaMemcpyBatchAsync(dst, src, sizes, 3, attributes, first, 0, s));
	INVALID(cudaMemcpyBatchAsync(dst, src, sizes, 3, attributes, first, 4, s));
	INVALID(cudaMemcpyBatchAsync((void **)NULL, src, sizes, 3, attributes, first, 2, s));
	INVALID(cudaMemcpyBatchAsync((void **)16, src, sizes, 3, attributes, first, 2, s));
	INVALID(cudaMemcpyBatchAsync(dst, src, sizes, 3, attributes, first, 2, NULL)); // the legacy stream
	EXPECT(cudaMemcpyBatchAsync(dst, src, sizes, 3, attributes, first, 2, (cudaStream_t)0x990) == cudaErrorInvalidResourceHandle);
	size_t wrong[] = {1, 2}, falling[] = {0, 0};
	INVALID(cudaMemcpyBatchAsync(dst, src, sizes, 3, attributes, wrong, 2, s));
	INVALID(cudaMemcpyBatchAsync(dst, src, sizes, 3, attributes, falling, 2, s));
	attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
	INVALID(cudaMemcpyBatchAsync(dst, src, sizes, 3, attributes, first, 2, s));

	// All or nothing.
	attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
	const void *from_b[] = {b, b, b};
	sizes[2] = 1000;
	INVALID(cudaMemcpyBatchAsync(dst, from_b, sizes, 3, attributes, first, 2, s));
	OK(cudaMemcpy(back, a, N, cudaMemcpyDefault));
	EXPECT(!memcmp(back, host, 150));

	// The driver's forms; that of CUDA 12.8 tells which entry is wrong.
	typedef CUresult (*old_form)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, size_t *, CUstream);
	void *f = NULL;
	size_t fail = 99;
	EXPECT(cuGetProcAddress("cuMemcpyBatchAsync", &f, 12080, 0, NULL) == CUDA_SUCCESS && f);
	if (f) {
		EXPECT(((old_form)f)((CUdeviceptr *)dst, (CUdeviceptr *)from_b, sizes, 3, (CUmemcpyAttributes *)attributes, first, 2, &fail,
		                     (CUstream)s) == CUDA_ERROR_INVALID_VALUE);
		EXPECT(fail == 2);
		EXPECT(((old_form)f)((CUdeviceptr *)dst, (CUdeviceptr *)from_b, sizes, 0, (CUmemcpyAttributes *)attributes, first, 2, &fail,
		                     (CUstream)s) == CUDA_ERROR_INVALID_VALUE);
		EXPECT(fail == (size_t)-1);
	}
	sizes[2] = 56;
	EXPECT(cuMemcpyBatchAsync((CUdeviceptr *)dst, (CUdeviceptr *)from_b, sizes, 3, (CUmemcpyAttributes *)attributes, first, 2,
	                          (CUstream)s) == CUDA_SUCCESS);
	OK(cudaStreamSynchronize(s));
	OK(cudaMemcpy(back, a, N, cudaMemcpyDefault));
	EXPECT(back[3] == 0 && back[101] == 0 && back[255] == 0);

	// Boxes: from rows of 8 bytes to rows of 4, and to an array of 2-byte texels and back.
	cudaArray_t array;
	cudaChannelFormatDesc d = cudaCreateChannelDesc<unsigned short>();
	OK(cudaMallocArray(&array, &d, 16, 4));
	cudaMemcpy3DBatchOp ops[2];
	memset(ops, 0, sizeof ops);
	ops[0].src.type = ops[0].dst.type = cudaMemcpyOperandTypePointer;
	ops[0].src.op.ptr.ptr = host;
	ops[0].src.op.ptr.rowLength = 8;
	ops[0].dst.op.ptr.ptr = b;
	ops[0].extent = make_cudaExtent(4, 3, 1);
	ops[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	ops[1].src.type = cudaMemcpyOperandTypePointer;
	ops[1].src.op.ptr.ptr = host;
	ops[1].dst.type = cudaMemcpyOperandTypeArray;
	ops[1].dst.op.array.array = array;
	ops[1].dst.op.array.offset.x = 2;
	ops[1].dst.op.array.offset.y = 1;
	ops[1].extent = make_cudaExtent(6, 2, 1);
	ops[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
	OK(cudaMemcpy3DBatchAsync(2, ops, 0, s));
	OK(cudaMemcpyAsync(back, b, 12, cudaMemcpyDefault, s));
	OK(cudaMemcpy2DFromArrayAsync(back + 16, 12, array, 4, 1, 12, 2, cudaMemcpyDefault, s));
	OK(cudaStreamSynchronize(s));
	EXPECT(!memcmp(back, host, 4) && !memcmp(back + 4, host + 8, 4) && !memcmp(back + 8, host + 16, 4));
	EXPECT(!memcmp(back + 16, host, 24));
	ops[1].extent.width = 0;
	INVALID(cudaMemcpy3DBatchAsync(2, ops, 0, s));
	ops[1].extent.width = 15;
	INVALID(cudaMemcpy3DBatchAsync(2, ops, 0, s));
	ops[1].extent.width = 6;
	INVALID(cudaMemcpy3DBatchAsync(2, ops, 1, s));
	INVALID(cudaMemcpy3DBatchAsync(0, ops, 0, s));
	INVALID(cudaMemcpy3DBatchAsync(2, NULL, 0, s));
	ops[0].src.op.ptr.rowLength = 3;
	INVALID(cudaMemcpy3DBatchAsync(2, ops, 0, s));

	// Managed memory.
	void *parts[] = {m, m + 4096, m + 8192};
	size_t each[] = {4096, 4096, 4096}, where[] = {0, 2};
	cudaMemLocation places[2] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
	int at = 9;
	OK(cudaMemPrefetchBatchAsync(parts, each, 3, places, where, 2, 0, s));
	OK(cudaMemRangeGetAttribute(&at, sizeof at, cudaMemRangeAttributeLastPrefetchLocation, m, 8192));
	EXPECT(at == 0);
	OK(cudaMemRangeGetAttribute(&at, sizeof at, cudaMemRangeAttributeLastPrefetchLocation, m + 8192, 4096));
	EXPECT(at == cudaCpuDeviceId);
	OK(cudaMemDiscardAndPrefetchBatchAsync(parts, each, 3, places, where, 2, 0, s));
	OK(cudaMemDiscardBatchAsync(parts, each, 3, 0, s));
	INVALID(cudaMemPrefetchBatchAsync(parts, each, 3, places, where, 2, 1, s));
	INVALID(cudaMemDiscardBatchAsync(parts, each, 0, 0, s));
	parts[1] = a;
	INVALID(cudaMemDiscardBatchAsync(parts, each, 3, 0, s));
	OK(cudaFreeArray(array));
	cudaGetLastError();
#endif
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
