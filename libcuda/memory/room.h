// How much memory programs can have.
#ifndef LIBCUDA_MEMORY_ROOM_H
#define LIBCUDA_MEMORY_ROOM_H

#include <stdint.h>

uint64_t room_usable(void); // bytes of the device
uint64_t room_left(void);   // of them not in use

#endif
