#include "base/pack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum pack pack_of(const char *path)
{
	static const struct {
		const char *end;
		enum pack pack;
	} form[] = {{".gz", PACK_GZIP}, {".zst", PACK_ZSTD}};
	size_t n = strlen(path);
	for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
		size_t len = strlen(form[i].end);
		if (n > len && path[n - len - 1] != '/' && !strcmp(path + n - len, form[i].end))
			return form[i].pack;
	}
	return PACK_NONE;
}

static size_t gzip(void *to, size_t room, const void *bytes, size_t n)
{
	z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)n, .next_out = to, .avail_out = (uInt)room};
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return 0;
	bool done = deflate(&z, Z_FINISH) == Z_STREAM_END;
	deflateEnd(&z);
	return done ? z.total_out : 0;
}

void *pack_bytes(enum pack how, const void *bytes, size_t n, size_t *size)
{
	size_t room = how == PACK_GZIP ? compressBound(n) + 64 : how == PACK_ZSTD ? ZSTD_compressBound(n) : n;
	void *to = malloc(room ? room : 1);
	if (!to)
		return NULL;
	*size = n;
	if (how == PACK_GZIP)
		*size = gzip(to, room, bytes, n);
	else if (how == PACK_ZSTD)
		*size = ZSTD_compress(to, room, bytes, n, ZSTD_CLEVEL_DEFAULT);
	else if (n)
		memcpy(to, bytes, n);
	if (how == PACK_NONE || (*size && !(how == PACK_ZSTD && ZSTD_isError(*size))))
		return to;
	free(to);
	errno = ENOMEM;
	return NULL;
}
