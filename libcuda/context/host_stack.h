// Where in the program a call to the library came from: its return addresses, and what people call them.
#ifndef LIBCUDA_CONTEXT_HOST_STACK_H
#define LIBCUDA_CONTEXT_HOST_STACK_H

#include <stdbool.h>
#include <stddef.h>

// The innermost return addresses outside of this library, up to `most` of them. Costs a microsecond or two.
unsigned host_stack(void **at, unsigned most);

// "main [0x8f0d] in a.out": function (if the file names it), place in the file, file. "" for what stands between the program and the
// library, and for what is behind main. *last: nothing outside is the program's.
void host_stack_name(const void *at, char *buf, size_t len, bool *last);

// A function's name as its source has it, "k(int*)"; the name itself if it is none of C++ or nobody here can tell. Until the next call.
const char *host_plain_name(const char *name);

#endif
