// Contexts of the driver API, and which of them is current in a thread. With the lock held, as everywhere.
#ifndef LIBCUDA_LIFE_CONTEXTS_H
#define LIBCUDA_LIFE_CONTEXTS_H

#include "libcuda/context/context.h"

// Whether a handle of the program is a context; any pointer will do. The primary one is also while it is not active.
bool context_valid(const struct cu_context *c);

// The context that is current in this thread; NULL: none.
struct cu_context *context_current(void);

// Makes c (NULL: none) the one on top of this thread's stack.
void context_set(struct cu_context *c);
void context_push(struct cu_context *c);

// Takes the top off this thread's stack; NULL if it is empty.
struct cu_context *context_pop(void);

// A context made by the program; it is not current yet.
struct cu_context *context_new(unsigned flags);

// Ends a context of the program's after its work: streams, events, modules, memory and arrays that belong to it go, and where it is
// current in this thread it is popped. Other threads find it destroyed.
cudaError_t context_destroy(struct cu_context *c);

// The device's own context, active or not.
struct cu_context *context_primary(void);

// Makes the primary context active because the runtime uses it;
void context_start_primary(void);

// and current in a thread that has none;
void context_use_primary(void);

// and current in this thread, in place of another that is (cudaSetDevice).
void context_bind_primary(void);

// Ends the primary context after its work; its handle stays good.
cudaError_t context_primary_reset(void);

// The context with that number; NULL if it is destroyed.
struct cu_context *context_of_owner(uint32_t owner);

#endif
