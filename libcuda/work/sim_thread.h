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

struct op;
struct stream;

// Appends an operation from op_new, with `u` set by the caller, and takes it over.
void sim_push(struct stream *s, struct op *op);

#endif
