// What `heddle check` looks for while the program runs (docs/check.md): the library's side of cuda-sim/check/. With the lock held.
#ifndef LIBCUDA_CONTEXT_CHECKS_H
#define LIBCUDA_CONTEXT_CHECKS_H

#include "base/diag.h"
#include "libcuda/context/cuda_abi.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct check;
struct check_counts;
struct devmem_range;
struct kernel_launch;

struct checks {
	struct check *check; // NULL: nobody asks
	struct check_counts *counts;
	FILE *log, *save;    // NULL: standard output; nothing is saved
	FILE *aside;         // what goes to standard output where that is not the one of heddle check; NULL: there is none
	unsigned long long device, inode; // of the standard output of heddle check
	bool api_errors;
	bool kernel_only;    // a kernel that fails ends alone: --destroy-on-device-error kernel
	bool leaving;        // memory goes because the program or its context ends
};

// HEDDLE_CHECK holds what `heddle check` asks for, a line for each. False, with a message, if that makes no sense here.
bool checks_start(struct diag *d);
void checks_end(void);

// The program asks for a launch. It has ended: true if a report says why it failed.
void checks_launch(const struct kernel_launch *l);
bool checks_launched(const struct kernel_launch *l);

// Bytes that a copy or a fill has written; src 0: a fill.
void checks_written(uint64_t dst, uint64_t src, uint64_t bytes);
// The device's free() was refused.
void checks_heap_refused(uint64_t addr);

// The call of the program that is in progress fails. name, text: of the error.
void checks_api_error(const char *name, const char *text, int number);

// A context is about to go with all its memory (owner: as devmem knows it, UINT32_MAX: all), and has gone.
void checks_context_ends(uint32_t owner);
void checks_context_ended(void);
// Code is about to be freed.
void checks_code_goes(void);

#endif
