// Launches of kernels: whether they can go ahead, and what the GPU gets.
#ifndef LIBCUDA_CODE_LAUNCH_H
#define LIBCUDA_CODE_LAUNCH_H

#include "libcuda/code/cluster.h"

enum { MAX_PARAM_BYTES = 32764 }; // of a kernel, by PTX ISA 8.1 on; older releases had 4096

// cudaLaunchAttributeID.
enum {
	LAUNCH_WINDOW = 1, LAUNCH_COOPERATIVE, LAUNCH_SYNC_POLICY, LAUNCH_CLUSTER, LAUNCH_CLUSTER_POLICY, LAUNCH_PRIORITY = 8, LAUNCH_DOMAIN_MAP,
	LAUNCH_DOMAIN, LAUNCH_PREFERRED_CLUSTER, LAUNCH_DEVICE_UPDATABLE = 13, LAUNCH_NVLINK = 16
};

// A launch as a program asks for it.
struct launch_request {
	struct dim3 grid, block;
	size_t shared;            // bytes of dynamic shared memory
	cudaStream_t stream;
	bool cooperative;
	void **args;              // point to the arguments one by one
	const void *block_of_args; // or NULL: holds them as the kernel sees them, `block_size` bytes
	size_t block_size;
	struct dim3 cluster;      // that an attribute asks for; all 0: none
	bool programmatic;        // programmatic stream serialization: may begin when the blocks of a kernel in front of it allow that
};

// The arguments as one block, behind the markers of the array `extra` (NULL: not given so). cudaErrorInvalidValue if r has arguments
// already, or the array is no good.
cudaError_t launch_read_extra(struct launch_request *r, void **extra);

// Launches the kernel with that handle: the address of its host function, a CUfunction, or a CUkernel. Every error of a launch, with
// its message.
cudaError_t launch_submit(const void *handle, const struct launch_request *r);

// Whether a cooperative launch on `n` devices with CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_ flags may be: there is one device. Such a
// launch may not go to a default stream.
bool launch_multi_ok(unsigned n, unsigned flags);
bool stream_is_default(cudaStream_t stream);

// The launch itself, checked, with its arguments, for an operation; op_free_launch frees it.
cudaError_t launch_make(struct kernel_launch **out, const struct kernel *k, const struct launch_request *r);

// A launch of k, for op_free_launch; its parameters, k->info.param_bytes of them, stand behind it.
struct kernel_launch *launch_new(const struct kernel *k, struct dim3 grid, struct dim3 block, uint32_t shared);

// What a launch of k has in kernel_launch.prefers.
uint8_t launch_preference(const struct kernel *k);

// The most dynamic shared memory a launch of `k` may ask for, in bytes.
uint32_t launch_max_dynamic_shared(const struct kernel *k);

// Checks what cluster_shape gave; the error a launch gives, with a message if `tell`.
cudaError_t launch_check(const struct kernel *k, const struct launch_shape *s, size_t shared, bool tell);

#endif
