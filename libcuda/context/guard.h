// Reads and writes of the program's own memory at addresses that it gave. Where that is not mapped, or may not be written,
// the call fails, not the process. It costs some nanoseconds: nothing is asked beforehand, the processor's fault is caught.
//
// SIGSEGV and SIGBUS that come from anywhere else go to whoever had them before. A program that takes these signals after
// its first CUDA call gets them for our accesses too.
#ifndef LIBCUDA_CONTEXT_GUARD_H
#define LIBCUDA_CONTEXT_GUARD_H

#include <stdbool.h>
#include <stddef.h>

// Takes the signals. The functions below do it too, so that calls before anything else are guarded.
void guard_start(void);

// Calls f(arg), which may take no lock and allocate nothing. False if it touched memory that it could not; *where, unless
// NULL, is the address then.
bool guard_run(void (*f)(void *arg), void *arg, const void **where);

// Copies n bytes of the program's; false if they can't be read.
bool guard_read(void *to, const void *from, size_t n);

// Writes n bytes to the program; false if they can't be written.
bool guard_write(void *to, const void *from, size_t n);

// Copies a text of the program's with its NUL; false if it can't be read or does not fit into `room` bytes.
bool guard_read_text(char *to, size_t room, const char *from);

// How long a text of the program's is, without its NUL; SIZE_MAX if it can't be read or none of its first `most` bytes is a NUL.
size_t guard_text_length(const char *from, size_t most);

// Whether every page of [p, p + n) can be written. Changes nothing, also while other threads write there.
bool guard_writable(void *p, size_t n);

// Whether there is a place behind a pointer of the program's where a value shall go. NULL is none.
#define GUARD_OUT(p) ((p) && guard_writable((p), sizeof *(p)))
// The same where NULL says that the value is not wanted.
#define GUARD_OUT_OR_NULL(p) (!(p) || guard_writable((p), sizeof *(p)))

// Copies a value that the program gives by pointer; false for NULL and what can't be read.
#define GUARD_IN(to, from) ((from) && guard_read(&(to), (from), sizeof(to)))

// Whether all of [p, p + n) is mapped.
bool guard_mapped(const void *p, size_t n);

#endif
