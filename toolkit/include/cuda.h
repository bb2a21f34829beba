/*
 * Marks this folder as a CUDA installation for clang, which reads the version from this very line.
 * 11.5 is the newest that clang-14 knows; it selects PTX ISA 7.5 and the 11.x way of registering and launching.
 */
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H
#define CUDA_VERSION 11050

#include <stdint.h>

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;

/* Of the driver API only what runtime programs compare error codes with. */
typedef enum cudaError_enum {
	CUDA_SUCCESS = 0
} CUresult;

#endif
