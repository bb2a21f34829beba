// Checks of kernels while they run without timing, as compute-sanitizer makes them on a GPU (docs/check.md): memcheck (bounds,
// alignment, freed memory, leaks), racecheck (shared memory), initcheck (global memory that nobody wrote), synccheck (barriers).
//
// Front ends tell what warps do by exec/checker.h; whoever owns memory and launches tells the rest by the functions below. What
// is found is a report: the first of its kind and place is kept with its words, others are counted with it. Not thread safe: all
// calls come with the library's lock held.
#ifndef CUDA_SIM_CHECK_CHECK_H
#define CUDA_SIM_CHECK_CHECK_H

#include "isa/frontend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check;
struct exec_checker;

enum check_tool_bit { CHECK_MEMCHECK = 1, CHECK_RACECHECK = 2, CHECK_INITCHECK = 4, CHECK_SYNCCHECK = 8, CHECK_ALL = 15 };

// The bit of a tool by its name, CHECK_ALL for "all", 0: there is no such tool.
unsigned check_tool_of(const char *name, size_t len);

// Where the program was when it called the library.
struct check_stack {
	unsigned n;
	void *at[16];
	const char *api; // the function it called; NULL: none
};

// What came of a run.
struct check_counts {
	_Atomic uint64_t reports;            // kinds and places, those that were not printed too
	_Atomic uint64_t races, race_errors; // of them, racecheck's; and those between warps
	_Atomic uint64_t leaks, leaked;      // allocations, bytes
	_Atomic uint64_t unprinted;          // over the limit
	_Atomic uint64_t suppressed;
	_Atomic uint64_t refused;            // exit status if the program was not started
	_Atomic uint64_t started;            // processes in which kernels could be checked
};

struct check_setup {
	unsigned tools;           // enum check_tool_bit
	bool leaks;               // allocations that are never freed
	uint64_t limit;           // reports that are printed; 0: all
	struct devmem *mem;
	struct check_counts *counts;
	void *ctx;
	void (*put)(void *ctx, const char *text);                             // a report, whole lines
	void (*save)(void *ctx, const char *line);                            // what would suppress it; NULL: nobody asks
	const char *(*plain)(void *ctx, const char *name);                    // a function's name as in the source; until the next call
	void (*frame)(void *ctx, const void *at, char *buf, size_t len, bool *last); // "main [0x8f0d] in a.out"; "": not shown
};

struct check *check_new(const struct check_setup *s);
void check_free(struct check *c);

// A line of a file with suppressions: a report that it matches is not told. NULL, or what is wrong with the line, in words. Empty
// lines and those that begin with '#' suppress nothing.
const char *check_suppress(struct check *c, const char *line);
// The same without keeping it.
const char *check_suppression_wrong(const char *line);

// For kernel_services.checker.
struct exec_checker *check_as_checker(struct check *c);

// A launch has been asked for by the program, at `where`. It has ended: its reports are put; true if they say why it failed.
void check_launch(struct check *c, const struct kernel_launch *l, const struct check_stack *where);
bool check_launched(struct check *c, const struct kernel_launch *l);

// Memory has been allocated, or is about to be freed.
void check_allocated(struct check *c, const struct devmem_range *r, const struct check_stack *where);
void check_freed(struct check *c, const struct devmem_range *r, const struct check_stack *where);
// Bytes have been written by a copy or a fill. src: a copy within the device; 0: from elsewhere.
void check_written(struct check *c, uint64_t dst, uint64_t src, uint64_t bytes);
// A kernel's free() of addr was refused: nothing of its heap begins there.
void check_heap_refused(struct check *c, uint64_t addr);

// A call of the program failed with error `number`.
void check_api_error(struct check *c, const char *api, const char *name, const char *text, int number, const struct check_stack *where);

// Memory of the program is about to go: what is left of it has leaked. owner: of that context alone; CHECK_ALL_OWNERS: of all.
#define CHECK_ALL_OWNERS UINT32_MAX
void check_leaks(struct check *c, uint32_t owner);
// Code is about to be freed: other instructions may come to stand where its own do.
void check_code_goes(struct check *c);
// The program ends: counts of reports that came again after they had been put.
void check_end(struct check *c);

#endif
