// The subcommands of bin/heddle. Each takes its own name as argv[0] and returns the exit status: 0, 1 for a failure,
// 2 for wrong usage and for a configuration that is refused.
#ifndef TOOLS_TOOLS_H
#define TOOLS_TOOLS_H

#include "libcuda/image/choice.h"
#include "libcuda/image/elf64.h"
#include "libcuda/image/fatbin.h"

int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_fatbin(int argc, char **argv);
int cmd_ptx(int argc, char **argv);
int cmd_sass(int argc, char **argv);
int cmd_latencies(int argc, char **argv);
int cmd_ops(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_smi(int argc, char **argv);
int cmd_python(int argc, char **argv);
int cmd_version(int argc, char **argv);

// Reads all device code of a file: sections .nv_fatbin and __nv_relfatbin of an ELF file, a bare container, a cubin, or
// any of these in an archive. `*found` tells whether there was any place for it. False if something was damaged, with the
// reason in `d`; what could be read is in `out` even then.
bool tool_read_fatbin(struct fatbin *out, const struct elf64_file *file, bool *found, struct diag *d);

// The same by a file's name; false after printing what is wrong. Unmap the file and free `out` in both cases.
bool tool_open_fatbin(const char *path, struct elf64_file *file, struct fatbin *out);

// What keeps a program from reaching Heddle.
struct reach {
	bool impossible; // running it would be pointless
	struct diag why; // errors and notes in plain words
};

// The GPU that it is to run on: 86 for 8.6, 0: not known; and which code.
struct reach_gpu {
	unsigned capability;
	enum execute execute;
};

// Examines the program file at `path`, which is started as `name`; `libraries` is the folder with Heddle's libraries.
struct reach reach_examine(const char *path, const char *name, const char *libraries, const struct reach_gpu *gpu);

#endif
