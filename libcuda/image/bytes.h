// Little-endian numbers in the bytes of a program, at any address.
#ifndef LIBCUDA_IMAGE_BYTES_H
#define LIBCUDA_IMAGE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t get16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint32_t get32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t get64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

#endif
