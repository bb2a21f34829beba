// Copies and fills as they are carried out: bytes are moved, L2 and those who look on are told.
#ifndef LIBCUDA_WORK_COPY_OP_H
#define LIBCUDA_WORK_COPY_OP_H

#include "libcuda/work/op.h"

// On the simulation thread. Memory of the program that cannot be read or written ends it early: c->bad says where, or a message does.
void copy_run_op(struct copy_op *c);
void fill_run_op(struct fill_op *f);

// The message that `what` ends early at `where`: the program may have unmapped memory that it had registered, or protected it.
void copy_left_out(const char *what, const void *where);

#endif
