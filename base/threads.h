// How many threads a run takes: what the user says, or what this process was given of the machine.
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/diag.h"

// For -threads `asked` and a GPU of n_sm SMs. HEDDLE_THREADS=N, if it is set, stands above the option. 0 asks for as many as the process
// has processors (team_processors), an SM_SHARE-th of the SMs and OMP_NUM_THREADS at most; where a batch system tells its allotment, as
// many as that; and one where another layer runs processes side by side: make -j, pytest-xdist. A warning if HEDDLE_THREADS is no number
// that the option takes.
enum { THREADS_SM_SHARE = 8 };
int threads_wanted(int asked, unsigned n_sm, struct diag *d);

#endif
