// Where a recorder (writer.c) puts what programs execute: a list with a text file for each kernel (write_list.c), or an extended
// trace (write_set.c).
#ifndef CUDA_SIM_TRACE_WRITE_STORE_H
#define CUDA_SIM_TRACE_WRITE_STORE_H

#include "base/diag.h"
#include "cuda-sim/trace/write/form.h"
#include "cuda-sim/trace/write/writer.h"

// What every store begins with.
struct trace_store {
	const struct trace_store_ops *ops;
	char *folder;
	struct trace_writing how;
	unsigned running;  // kernels
	bool ran;          // a kernel has begun since nothing ran
	char error[300];   // the first; nothing is written from then on
};

struct store_kernel;

// A warp of a thread block that has ended: what trace_form.inst put, and how often.
struct store_warp {
	struct put records;
	uint64_t insts;
};

struct trace_store_ops {
	const struct trace_form *ptx, *sass; // how kernels are written, by front end
	struct trace_store *(*open)(const char *folder, const struct trace_writing *how, struct diag *d);
	void (*close)(struct trace_store *s); // and frees it but for trace_store
	void (*copy)(struct trace_store *s, uint64_t addr, uint64_t bytes);
	// `made` is of the kernel's form. Blocks come as they end.
	struct store_kernel *(*begin)(struct trace_store *s, const struct kernel_launch *l, const struct trace_form *form, void *made);
	void (*block)(struct store_kernel *k, const uint32_t id[3], const struct store_warp *w, unsigned n);
	void (*end)(struct store_kernel *k);
};

extern const struct trace_store_ops trace_store_list, trace_store_set;

// By errno: this file of the folder could not be written.
void trace_store_fail(struct trace_store *s, const char *file);
// Has everything ended that ran since the last question?
bool trace_store_waited(struct trace_store *s);

// A file of the folder, packed if the store packs.
struct store_file {
	void *packed, *plain;
};
bool store_file_open(struct store_file *f, struct trace_store *s, const char *name, bool packed);
bool store_file_write(struct store_file *f, const void *at, size_t n);
bool store_file_close(struct store_file *f);

#endif
