// Fills with elements of 1, 2 and 4 bytes.
#include "libcuda/memory/copy.h"

#include "libcuda/driver/driver.h"

static cudaError_t fill(CUdeviceptr p, size_t pitch, uint32_t value, unsigned element, size_t width, size_t height, cudaStream_t stream,
                        bool async)
{
	struct fill_request r = {(char *)(uintptr_t)p, pitch, pitch * height, value, element, width, height, 1};
	return fill_submit(&r, stream, async);
}

#define ROW(type) CUdeviceptr p, type value, size_t n
#define ROWS(type) CUdeviceptr p, size_t pitch, type value, size_t width, size_t height

DRIVER_SYNC(cuMemsetD8_v2, (ROW(uint8_t)), fill(p, n, value, 1, n, 1, stream, false))
DRIVER_SYNC(cuMemsetD16_v2, (ROW(uint16_t)), fill(p, n, value, 2, n, 1, stream, false))
DRIVER_SYNC(cuMemsetD32_v2, (ROW(uint32_t)), fill(p, n, value, 4, n, 1, stream, false))
DRIVER_SYNC(cuMemsetD2D8_v2, (ROWS(uint8_t)), fill(p, pitch, value, 1, width, height, stream, false))
DRIVER_SYNC(cuMemsetD2D16_v2, (ROWS(uint16_t)), fill(p, pitch, value, 2, width, height, stream, false))
DRIVER_SYNC(cuMemsetD2D32_v2, (ROWS(uint32_t)), fill(p, pitch, value, 4, width, height, stream, false))
DRIVER_STREAM(cuMemsetD8Async, (ROW(uint8_t), cudaStream_t stream), fill(p, n, value, 1, n, 1, stream, true))
DRIVER_STREAM(cuMemsetD16Async, (ROW(uint16_t), cudaStream_t stream), fill(p, n, value, 2, n, 1, stream, true))
DRIVER_STREAM(cuMemsetD32Async, (ROW(uint32_t), cudaStream_t stream), fill(p, n, value, 4, n, 1, stream, true))
DRIVER_STREAM(cuMemsetD2D8Async, (ROWS(uint8_t), cudaStream_t stream), fill(p, pitch, value, 1, width, height, stream, true))
DRIVER_STREAM(cuMemsetD2D16Async, (ROWS(uint16_t), cudaStream_t stream), fill(p, pitch, value, 2, width, height, stream, true))
DRIVER_STREAM(cuMemsetD2D32Async, (ROWS(uint32_t), cudaStream_t stream), fill(p, pitch, value, 4, width, height, stream, true))
