// The log of errors that cuLogs... and cudaLogs... give to the program: what Heddle says about calls and kernels, and for a call that
// fails without a word its error. Messages are numbered from 0; the newest 25600 bytes are kept, as the driver does.
//
//   [CUDA][E] cudaMalloc: out of memory (cudaErrorMemoryAllocation)
//
// There are no times in it: two runs give the same log. All but log_deliver are called with the lock held. What programs do with it is in
// log_calls.h.
#ifndef LIBCUDA_CONTEXT_LOG_H
#define LIBCUDA_CONTEXT_LOG_H

#include "base/vec.h"
#include "libcuda/context/handle.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARNING }; // CUlogLevel

typedef void (*log_function)(void *data, int level, char *message, size_t length);

struct log_message {
	char *text; // without a newline; from open_memstream
	size_t n;
	enum log_level level;
};

struct log {
	VEC(struct log_message) kept;
	size_t bytes;      // of those with their newlines
	uint32_t next;     // number of the message that comes next
	uint32_t told;     // number of the first that no callback has got
	struct handle_pool callbacks;
};

struct log_callback {
	log_function f;
	void *data;
};

// Adds a message; `about`, unless NULL, stands before it.
void log_add(struct log *l, enum log_level level, const char *about, int about_length, const char *fmt, va_list ap);

// What messages of a level begin with.
const char *log_prefix(enum log_level level);

// Messages that the callbacks have not got; NULL if there are none, or no callbacks. log_deliver, without the lock, calls them.
struct log_delivery *log_take(struct log *l);
void log_deliver(struct log_delivery *d);

#endif
