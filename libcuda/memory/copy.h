// Copies and fills in all their forms. Each is reduced to two sides with a pitch, checked, and put into a stream.
//
// A call returns when CUDA says it may: copies that involve pageable host memory once they are done (small ones to the
// device once the source has been read), copies inside the device and asynchronous ones on pinned memory at once.
#ifndef LIBCUDA_MEMORY_COPY_H
#define LIBCUDA_MEMORY_COPY_H

#include "libcuda/memory/array.h"
#include "libcuda/work/op.h"

enum place { PAGEABLE, PINNED, MANAGED, DEVICE };

// One side of a copy.
struct side {
	char *p;             // first byte
	size_t pitch, slice; // bytes
	struct array *array; // bounds are checked already
	enum place place;    // found out when the copy is made, as
	bool sync;           // synchronous calls wait for what they do with this memory
	const char *what;    // "source", "destination"
};

struct side side_linear(const void *p, size_t n);
struct side side_pitched(const void *p, size_t pitch, size_t height);

// A box of an array: x and width in bytes, the rest in rows and slices. cudaErrorInvalidValue if the array does not hold it.
cudaError_t side_array(struct side *out, cudaArray_t handle, size_t x, size_t y, size_t z, size_t width, size_t height, size_t depth);

// Copies `depth` times `height` rows of `width` bytes in a stream; `kind` is a cudaMemcpyKind. `async`: the program asked not to wait.
// cudaErrorInvalidResourceHandle, cudaErrorInvalidMemcpyDirection, cudaErrorInvalidValue.
cudaError_t copy_submit(struct side dst, struct side src, size_t width, size_t height, size_t depth, int kind, cudaStream_t handle,
                        bool async);
cudaError_t copy_linear(void *dst, const void *src, size_t n, int kind, cudaStream_t stream, bool async);

// The operation of such a copy, for a graph: checked, its source read when it is carried out. *out is NULL if nothing is copied.
cudaError_t copy_make(struct op **out, struct side dst, struct side src, size_t width, size_t height, size_t depth, int kind);

// 3D copies, whose sides are arrays or pitched pointers.
cudaError_t copy_3d(const struct cudaMemcpy3DParms *given, cudaStream_t stream, bool async);
cudaError_t copy_3d_make(struct op **out, const struct cudaMemcpy3DParms *given);

// Between arrays and rows, and between arrays; and the same of `n` bytes from there on, row by row.
cudaError_t copy_2d_to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width, size_t height, int kind,
                             cudaStream_t stream, bool async);
cudaError_t copy_2d_from_array(void *dst, size_t dpitch, cudaArray_t src, size_t x, size_t y, size_t width, size_t height, int kind,
                               cudaStream_t stream, bool async);
cudaError_t copy_2d_arrays(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t width, size_t height,
                           int kind, cudaStream_t stream);
cudaError_t copy_run(cudaArray_t handle, size_t x, size_t y, char *p, size_t n, bool to_array, int kind, cudaStream_t stream, bool async);
cudaError_t copy_arrays(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src, size_t sx, size_t sy, size_t n, int kind,
                        cudaStream_t stream);

// Fills rows of `width` elements of 1, 2 or 4 bytes with `value`. cudaErrorInvalidValue: not all device memory, or a pitch or an
// address that is no multiple of an element.
struct fill_request {
	char *p;
	size_t pitch, slice; // bytes
	uint32_t value;
	unsigned element;    // bytes
	size_t width, height, depth;
};
cudaError_t fill_submit(const struct fill_request *r, cudaStream_t handle, bool async);
cudaError_t fill_make(struct op **out, const struct fill_request *r); // as copy_make
cudaError_t fill_3d(const struct cudaPitchedPtr *p, int value, const struct cudaExtent *e, cudaStream_t stream, bool async);

#endif
