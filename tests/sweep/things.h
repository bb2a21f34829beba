// What the sweep's arguments are made of: memory and texts of the program, structures, and things of CUDA by kind.
#ifndef TESTS_SWEEP_THINGS_H
#define TESTS_SWEEP_THINGS_H

#include "tests/sweep/values.h"

#include <stddef.h>

enum { PAGE = 4096, ROOM = 2 * PAGE, DEVICE_BYTES = 65536 };

#define P(x) ((uint64_t)(uintptr_t)(x))

// Makes a thing that a good argument needs; without it the sweep is wrong, and ends.
#define NEED(name, a, b, c, d, e, f) need(api(name, a, b, c, d, e, f), name)
void need(int error, const char *what);

// The address of a function of the library, for those that api() cannot call.
void *api_address(const char *name);

// PTX with kernels "add" and "fault", variables "counter" and "shared_value", a texture reference "image" and a surface reference "canvas".
// The same are registered, by the addresses that follow.
enum { CODE_BYTES = 640 };
extern const char thing_code[CODE_BYTES];
void host_add(void);
extern char host_counter[256];
extern uint8_t host_image[256], host_canvas[256];
extern uint64_t registered; // the handle that __cudaRegisterFatBinary gave
extern bool of_runtime;     // it is a function of the runtime that is called

void on_call(void); // a function of the program for CUDA to call

// `size` bytes before a page that is not there, or two pages for 0.
char *program_memory(size_t size, int prot);

// A structure of structs.def, in a page of its own before one that is not there, and its size.
uint64_t struct_good(const char *name);
size_t struct_size(const char *name);

uint64_t text_good(const char *which);

// A handle or pointer of a kind, and one that was good once.
uint64_t thing_good(const char *kind, const char *which);
uint64_t thing_stale(const char *kind, const char *which);

#endif
