// What goes to the program's standard output: what its kernels print and, without -stats_file, their statistics, in order.
//
// As on a GPU, kernels print into a buffer of cudaLimitPrintfFifoSize bytes that is read when a kernel of the program
// starts and when a call of the program ends that waited; until then the newest text overwrites the oldest. A call of
// printf takes as many bytes as it prints (on a GPU: its format's address and its arguments). Statistics never give way.
#ifndef LIBCUDA_CONTEXT_OUTPUT_H
#define LIBCUDA_CONTEXT_OUTPUT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

// No call of printf is longer, so any fits.
enum { PRINTF_FIFO_LEAST = 8192 };

struct printed {
	size_t at, n; // of output.text
};

struct output {
	VEC(char) text;
	VEC(struct printed) calls;     // of printf, since the buffer was read
	size_t first;                  // those before it are lost
	size_t held, dropped;          // bytes of those that are not lost, and of those whose text is still there
	uint64_t lost;                 // calls since the buffer was read
	bool told;
};

// kernel_services.print. Into a debug stream on standard output, where that is on: then nothing is lost.
void output_print(void *ctx, const char *text, size_t n);
// kernel_services.assert_failed: to standard error.
void output_assertion(void *ctx, const char *text);
// Statistics.
void output_put(const char *text, size_t n);

// The buffer is read.
void output_read_fifo(void);

// Releases the lock, writes out what kernels printed and statistics, and gives callbacks of the log what is new.
void output_release(void);

#endif
