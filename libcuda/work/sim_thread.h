// The simulation thread. API calls append operations to streams; it takes them.
//
// Order: operations are numbered as they are issued. An operation may start when it is the first of its stream and, for
// the legacy stream, when no operation of a blocking stream with a lower number is left; in a blocking stream, when no
// lower one of the legacy stream is left. Of those that may start the lowest number goes first. So the order depends
// on the order of API calls only.
//
// The simulation thread moves only while a host thread waits in a call, and stops at the step that ends the wait.
#ifndef LIBCUDA_WORK_SIM_THREAD_H
#define LIBCUDA_WORK_SIM_THREAD_H

#include "libcuda/context/cuda_abi.h"

struct op;
struct op_run;
struct stream;

// Appends an operation from op_new, with `u` set by the caller, and takes it over. While the stream is capturing it goes into the
// graph instead. The error of a capture that does not allow it.
cudaError_t sim_push(struct stream *s, struct op *op);

// On the simulation thread, for a graph that runs: begins parts one after another, for which `part_of` is set; and the run is over.
void sim_push_parts(struct op **ops, unsigned n);
void sim_end_run(struct op_run *r);

#endif
