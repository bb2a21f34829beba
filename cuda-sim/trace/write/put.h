// Text and bytes that grow, for what is written as traces.
#ifndef CUDA_SIM_TRACE_WRITE_PUT_H
#define CUDA_SIM_TRACE_WRITE_PUT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct put {
	VEC(char) t;
};

void put_bytes(struct put *to, const void *s, size_t n);
void put_string(struct put *to, const char *s);
void put_format(struct put *to, const char *fmt, ...) __attribute__((format(printf, 2, 3))); // up to 4 KB
void put_hex(struct put *to, uint64_t v, unsigned digits);                                   // at least so many
void put_decimal(struct put *to, int64_t v);
void put_char(struct put *to, char c);

// The addresses of the lanes of a mask as tracers write them: " 1 BASE STRIDE" where lanes without a gap have even
// distances, else " 2 BASE DIFFERENCE ...". `lone_stride`: a lane alone has a stride too, 0.
void put_addresses(struct put *to, uint32_t mask, const uint64_t addr[32], bool lone_stride);
// " 0 ADDRESS ..."
void put_address_list(struct put *to, uint32_t mask, const uint64_t addr[32]);

// Do the lanes of the mask follow each other, at even distances?
bool put_is_even(uint32_t mask, const uint64_t addr[32], uint64_t *stride);

#endif
