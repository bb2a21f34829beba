// The life of the process-wide state: how it is made, emptied by cudaDeviceReset, and ended. Above all else in this folder.
//
// A configuration that makes no GPU ends the process at the first call that needs a device, with its message and status 1:
// a program that went on would fail in each call, or find no error and report results that are not there.
//
// Nothing happens before the first call that needs a device: registering kernels only records them, so that shells and
// children of a preloaded program are unharmed and a program may fork before its first CUDA call. After that a forked
// child gets cudaErrorInitializationError from every call, as with the real runtime.
#ifndef LIBCUDA_LIFE_LIFE_H
#define LIBCUDA_LIFE_LIFE_H

#include "libcuda/context/context.h"

enum cu_need {
	CU_DEVICE,  // the description of the GPU; works after a failed kernel too
	CU_CONTEXT, // the GPU itself
};

// Makes what is needed and not there yet. As for the others, with the lock held.
void life_need(enum cu_need need);

// Once: what is done when the process forks and when it exits.
void life_handlers(void);

// Throws everything away but the registered programs; all work must be complete.
void life_reset(void);

// Throws away what belongs to one context, and the error of a failed kernel; all work must be complete.
void life_release(uint32_t owner);

#endif
