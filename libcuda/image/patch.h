// Programs linked with the static CUDA runtime (nvcc's default) never look for libcudart.so. Their copy of the runtime
// is found through the symbol table of the executable or shared object that holds it, and the entry of every function
// that this library exports too is overwritten with a jump to ours. NVIDIA's code then no longer runs.
//
// Must happen before the program's constructors run, since those register its kernels. For what the loader maps at the
// start, this library's constructor is early enough (it is linked with -z initfirst); for dlopen, the loader's debugger
// hook is used, which is called when new objects are mapped and before their constructors.
// That early, before the C library's own constructor, getenv finds nothing; stdio, malloc and files work.
//
// Left out: objects that were stripped (the user is told once), objects opened by dlopen while a debugger has its
// breakpoint in the loader's hook, and processors other than x86-64.
#ifndef LIBCUDA_IMAGE_PATCH_H
#define LIBCUDA_IMAGE_PATCH_H

// Redirects every static runtime in the process and, from now on, those in objects that are opened later. Where the
// library exports a function in several versions, a static runtime gets the one of its release's node. To be called
// once, from the library's constructor; silent and cheap in programs without CUDA.
void patch_static_runtime(void);

// The release of the static runtime that was redirected first: 13, 12, 11 (any older one); 0 if there was none.
int patch_static_release(void);

// Static runtimes beyond these share what belongs to the first of the numbers.
enum { PATCH_COPIES = 32 };

// Which copy of the runtime the code at `caller` calls: 1 and up for that of an object with a static runtime of its own, 0 for the
// shared one. A process with a single static runtime has no other: there all code calls 0. For any thread; no lock is taken.
unsigned patch_copy_of(const void *caller);

#endif
