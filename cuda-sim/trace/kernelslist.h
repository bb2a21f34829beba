// kernelslist.g: what a traced program did, a line each: copies to the device and kernels, in order.
#ifndef CUDA_SIM_TRACE_KERNELSLIST_H
#define CUDA_SIM_TRACE_KERNELSLIST_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

#include <stdint.h>

struct list_command {
	enum { LIST_COPY, LIST_KERNEL, LIST_WAIT } kind; // LIST_WAIT: the kernels before have ended
	uint64_t addr, bytes;  // of a copy
	const char *text;      // the line, or the path of a kernel's trace
	unsigned line;
	uint32_t kernel;       // of an extended trace: number + 1 of the kernel; 0: `text` is a file
};

struct kernelslist {
	VEC(struct list_command) command;
	struct arena strings;
};

// Reads a list; the trace file of a single kernel and a folder with a kernelslist.g will do too. False with errors that
// name file and line.
bool kernelslist_read(struct kernelslist *l, const char *path, struct diag *d);
bool kernelslist_parse(struct kernelslist *l, const char *name, const char *text, size_t len, struct diag *d);
void kernelslist_free(struct kernelslist *l);

// True for kernel-1.traceg, kernel-1.traceg.xz, kernel-1.trace and so on, and for SASS text: kernel.sass.
bool kernelslist_is_trace(const char *path);

#endif
