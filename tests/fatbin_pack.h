// Packs fat binaries for tests: the writing side of libcuda/image/fatbin.h.
#ifndef TESTS_FATBIN_PACK_H
#define TESTS_FATBIN_PACK_H

#include "libcuda/image/fatbin.h"

#include <lz4.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

struct pack {
	_Alignas(8) uint8_t data[16384];
	size_t size;
};

static inline void pack_put(struct pack *p, size_t at, const void *value, size_t len)
{
	memcpy(p->data + at, value, len);
}

static inline void pack_u16(struct pack *p, size_t at, uint16_t v) { pack_put(p, at, &v, sizeof v); }
static inline void pack_u32(struct pack *p, size_t at, uint32_t v) { pack_put(p, at, &v, sizeof v); }
static inline void pack_u64(struct pack *p, size_t at, uint64_t v) { pack_put(p, at, &v, sizeof v); }

// Starts an empty container.
static inline void pack_start(struct pack *p)
{
	memset(p, 0, sizeof *p);
	p->size = 16;
	pack_u32(p, 0, 0xba55ed50);
	pack_u16(p, 4, 1);
	pack_u16(p, 6, 16);
}

// Adds an entry. `flags` choose the compression; `options` may be NULL. Returns the entry's offset in the container.
static inline size_t pack_entry(struct pack *p, unsigned kind, unsigned arch, uint64_t flags, const char *options,
                                const void *payload, size_t len)
{
	size_t at = p->size, header = options ? 72 + (strlen(options) + 8) / 8 * 8 : 64, stored = len;
	uint8_t *to = p->data + at + header;
	int room = (int)(sizeof p->data - at - header);
	if (flags & FATBIN_ZSTD)
		stored = ZSTD_compress(to, (size_t)room, payload, len, 3);
	else if (flags & FATBIN_LZ4)
		stored = (size_t)LZ4_compress_default(payload, (char *)to, (int)len, room);
	else
		memcpy(to, payload, len);
	bool packed = flags & (FATBIN_ZSTD | FATBIN_LZ4);
	size_t padded = (stored + 7) / 8 * 8;
	pack_u16(p, at, (uint16_t)kind);
	pack_u16(p, at + 2, 0x0101);
	pack_u32(p, at + 4, (uint32_t)header);
	pack_u64(p, at + 8, padded);
	pack_u32(p, at + 16, packed ? (uint32_t)stored : 0);
	if (options) {
		pack_u32(p, at + 20, 64);
		pack_u32(p, at + 64, 72);
		pack_u32(p, at + 68, (uint32_t)strlen(options));
		pack_put(p, at + 72, options, strlen(options));
	}
	pack_u16(p, at + 24, 5);
	pack_u16(p, at + 26, 8);
	pack_u32(p, at + 28, arch);
	pack_u64(p, at + 40, flags | FATBIN_64BIT | FATBIN_LINUX);
	pack_u64(p, at + 56, packed ? len : 0);
	p->size = at + header + padded;
	pack_u64(p, 8, p->size - 16);
	return at;
}

#endif
