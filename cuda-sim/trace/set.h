// An extended trace: dynamic_trace.pb, which lists what a program did, the static code beside it, and a folder with a
// file for every thread block. Section "The extended format" of docs/traces.md describes them.
#ifndef CUDA_SIM_TRACE_SET_H
#define CUDA_SIM_TRACE_SET_H

#include "cuda-sim/trace/kernelslist.h"
#include "cuda-sim/trace/static.h"

// Of a kernel that Heddle executed: see machine.h.
struct set_executed {
	uint64_t code_base;
	uint32_t local, prefers, arch;
	uint32_t number;    // of the launch; 0: not told
	size_t n;           // instructions
	const uint8_t *how; // enum trace_machine_how
};

struct set_kernel {
	int64_t device, stream;
	int32_t id, grid[3], block[3], shared, regs; // as in the file: not looked at yet
	uint64_t shared_base, local_base;
	const char *name, *folder;                   // of its thread blocks
	char prefix[64];                             // of their names
	const struct static_function *function;
	const struct set_executed *executed;         // NULL: a tracer wrote it
};

struct trace_set {
	char *file;
	uint32_t binary_version, version;
	struct trace_static *code;
	VEC(struct set_kernel) kernel;
	VEC(struct list_command) command;            // kernel: number + 1 in `kernel`
	struct arena strings;
};

// True for the name of such a file, and of a folder that has one and no kernelslist.g.
bool trace_set_is(const char *path);

// Reads the list and the static code. NULL with "FILE: ..." in `why`.
struct trace_set *trace_set_open(const char *path, char *why, size_t n);
void trace_set_free(struct trace_set *s);

// What the program did, as a list. The set must outlive it.
void trace_set_list(const struct trace_set *s, struct kernelslist *l);

// A whole file, unpacked if it is compressed, behind what `to` holds. False with "FILE: ..." in `why`.
struct trace_bytes { uint8_t *at; size_t n, cap; };
bool trace_set_file(const char *path, struct trace_bytes *to, char *why, size_t n);

#endif
