// SIGINT (Ctrl-C) and SIGTERM during a simulation: the process ends by the signal, but first it writes the statistics of what
// has finished and of what was under way. Programs that handle or ignore these signals themselves are left alone.
#ifndef LIBCUDA_WORK_INTERRUPT_H
#define LIBCUDA_WORK_INTERRUPT_H

#include <stdbool.h>

struct kernel_launch;

// When the GPU has been made, with the lock held.
void interrupt_start(void);
// The simulation thread, with the lock held: whether it looks at interrupt_seen from time to time from now on. While it does
// not, a signal ends the process as if we were not there: all that has been printed is out.
void interrupt_look(bool on);
// A signal has come.
bool interrupt_seen(void);
// Whether what gpu_run gave is no kernel that ended by itself.
bool interrupt_takes(const struct kernel_launch *l);
// Ends the process; `l` is a launch that was interrupted, or NULL. On the simulation thread, with the lock held.
_Noreturn void interrupt_end(struct kernel_launch *l);

#endif
