// The end of a run from the simulation thread: all that was written so far is out before the process ends.
#ifndef LIBCUDA_WORK_END_H
#define LIBCUDA_WORK_END_H

// Prints how often what was told once has happened.
void end_strays(void);

// What the library and the program have written so far goes out; no API call does anything from now on. With the lock held,
// which it releases.
void end_output(void);

// Ends the process as GPGPU-Sim does when a limit of the run is reached: exit status 1, after everything that the
// library and the program have written so far is out. The lock is held; on the simulation thread.
_Noreturn void end_at_limit(void);

// Ends the process with status 1 after a message: what the run was told cannot be done. The lock is held.
_Noreturn void end_at_error(void);

#endif
