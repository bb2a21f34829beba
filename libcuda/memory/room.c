#include "libcuda/memory/room.h"

#include "libcuda/context/context.h"

// Real devices keep some memory for themselves, so a program never gets quite all of it.
uint64_t room_usable(void) { return cu.desc.memory_size - cu.desc.memory_size / 64; }

uint64_t room_left(void) { return cu.mem->in_use < room_usable() ? room_usable() - cu.mem->in_use : 0; }
