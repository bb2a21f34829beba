// User objects: what graphs keep alive for the program. When the last reference is gone the program's function ends them; it runs
// without the lock, at the end of the call that dropped the reference, or of the graph's last launch.
#ifndef LIBCUDA_GRAPH_USER_OBJECT_H
#define LIBCUDA_GRAPH_USER_OBJECT_H

#include "libcuda/context/cuda_abi.h"

struct graph;
struct user_object;

// cudaErrorInvalidValue for counts of 0 or above INT_MAX, what is no object, and references that are not there to be given up.
cudaError_t user_object_create(struct user_object **out, void *p, void (*end)(void *p), unsigned count, unsigned flags);
cudaError_t user_object_retain(struct user_object *o, unsigned count);
cudaError_t user_object_release(struct user_object *o, unsigned count);
cudaError_t user_object_to_graph(struct graph *g, struct user_object *o, unsigned count, unsigned flags);
cudaError_t user_object_from_graph(struct graph *g, struct user_object *o, unsigned count);

void user_object_keep(struct user_object *o, unsigned count); // o is good
void user_object_drop(struct user_object *o, unsigned count);

// Ends those that nobody refers to any more. Gives up the lock meanwhile.
void user_objects_flush(void);

#endif
