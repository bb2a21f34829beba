/* clang's __clang_cuda_intrinsics.h includes this name; what it stands for is in device_warp.h. */
