// What the library shows of a running GPU besides statistics: reports of deadlocks, debug streams, the progress line, the
// debugger. See docs/debugging.md.
#ifndef LIBCUDA_WATCH_H
#define LIBCUDA_WATCH_H

#include <stdbool.h>

struct diag;

// After the GPU was made: false, with a message, if the options or the environment ask for something that is not there.
bool watch_start(struct diag *d);

#endif
