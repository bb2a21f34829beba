#include "cuda-sim/trace/source.h"

#include "base/mem.h"
#include "cuda-sim/trace/tracez.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
	BLOCK = 1 << 17,           // compressed bytes read at once
	XZ_MEMORY = 1 << 30,       // what xz -9 needs is 65 MiB; a file that asks for more than this is broken
};

enum packing { PLAIN, GZIP, XZ, ZSTD, TRACEZ };

struct trace_source {
	enum packing packing;
	FILE *file;           // NULL: text in memory
	const char *text;
	size_t text_left;
	uint8_t *block;       // compressed bytes, at[0 .. left-1] not yet used
	const uint8_t *at;
	size_t left;
	bool at_end;          // of the file
	bool in_stream;       // inside a compressed stream: the end of the file would be too early
	z_stream gz;
	lzma_stream xz;
	ZSTD_DStream *zst;
	struct tracez *tracez;
	char error[160];
};

static enum packing packing_of(const uint8_t *p, size_t n)
{
	static const uint8_t gz[] = {0x1f, 0x8b}, xz[] = {0xfd, '7', 'z', 'X', 'Z', 0}, zst[] = {0x28, 0xb5, 0x2f, 0xfd};
	if (n >= sizeof gz && !memcmp(p, gz, sizeof gz))
		return GZIP;
	if (n >= sizeof xz && !memcmp(p, xz, sizeof xz))
		return XZ;
	if (n >= sizeof zst && !memcmp(p, zst, sizeof zst))
		return ZSTD;
	return PLAIN;
}

static void fail(struct trace_source *s, const char *why)
{
	if (!s->error[0])
		snprintf(s->error, sizeof s->error, "%s", why);
}

// More compressed bytes; false at the end of the file.
static bool refill(struct trace_source *s)
{
	if (s->left)
		return true;
	if (s->at_end)
		return false;
	s->at = s->block;
	s->left = fread(s->block, 1, BLOCK, s->file);
	if (s->left < BLOCK) {
		s->at_end = true;
		if (ferror(s->file))
			fail(s, strerror(errno));
	}
	return s->left;
}

static bool start_packing(struct trace_source *s)
{
	switch (s->packing) {
	case GZIP:
		return inflateInit2(&s->gz, 15 + 16) == Z_OK; // 15: largest window; 16: gzip headers
	case XZ:
		return lzma_stream_decoder(&s->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
	case ZSTD:
		return (s->zst = ZSTD_createDStream()) && !ZSTD_isError(ZSTD_initDStream(s->zst));
	default:
		return true;
	}
}

static struct trace_source *of_tracez(struct tracez *z)
{
	if (!z)
		return NULL;
	struct trace_source *s = MEM_NEW(struct trace_source);
	s->packing = TRACEZ;
	s->tracez = z;
	return s;
}

struct trace_source *trace_source_open(const char *path, char *why, size_t n)
{
	if (tracez_is_name(path))
		return of_tracez(tracez_open(path, why, n));
	FILE *f = fopen(path, "rb");
	if (!f) {
		snprintf(why, n, "%s", strerror(errno));
		return NULL;
	}
	struct trace_source *s = MEM_NEW(struct trace_source);
	s->file = f;
	s->block = mem_alloc(BLOCK);
	setvbuf(f, NULL, _IONBF, 0);
	refill(s);
	s->packing = packing_of(s->at, s->left);
	if (s->error[0] || !start_packing(s)) {
		snprintf(why, n, "%s", s->error[0] ? s->error : "the decompressor cannot be started");
		trace_source_close(s);
		return NULL;
	}
	return s;
}

struct trace_source *trace_source_text(const char *text, size_t len)
{
	struct trace_source *s = MEM_NEW(struct trace_source);
	s->text = text;
	s->text_left = len;
	return s;
}

struct trace_source *trace_source_tracez(const void *bytes, size_t len, char *why, size_t n)
{
	return of_tracez(tracez_of(bytes, len, why, n));
}

bool trace_source_cluster(const struct trace_source *s, uint32_t size[3]) { return s->tracez && tracez_cluster(s->tracez, size); }

static void use(struct trace_source *s, size_t left)
{
	s->at += s->left - left;
	s->left = left;
}

static size_t read_gzip(struct trace_source *s, uint8_t *to, size_t n)
{
	s->gz.next_out = to;
	s->gz.avail_out = (uInt)n;
	while (s->gz.avail_out && refill(s)) {
		s->gz.next_in = (Bytef *)(uintptr_t)s->at;
		s->gz.avail_in = (uInt)s->left;
		int r = inflate(&s->gz, Z_NO_FLUSH);
		use(s, s->gz.avail_in);
		s->in_stream = r != Z_STREAM_END;
		if (r == Z_STREAM_END) {
			inflateReset(&s->gz); // another member may follow
		} else if (r != Z_OK) {
			fail(s, "the gzip data is damaged");
			break;
		}
	}
	return n - s->gz.avail_out;
}

static size_t read_xz(struct trace_source *s, uint8_t *to, size_t n)
{
	s->xz.next_out = to;
	s->xz.avail_out = n;
	s->in_stream = false; // the decoder says itself when the end comes early
	while (s->xz.avail_out) {
		refill(s);
		s->xz.next_in = s->at;
		s->xz.avail_in = s->left;
		lzma_ret r = lzma_code(&s->xz, s->left ? LZMA_RUN : LZMA_FINISH);
		use(s, s->xz.avail_in);
		if (r == LZMA_STREAM_END)
			break;
		if (r != LZMA_OK) {
			fail(s, r == LZMA_BUF_ERROR ? "the compressed data ends early" : "the xz data is damaged");
			break;
		}
	}
	return n - s->xz.avail_out;
}

static size_t read_zstd(struct trace_source *s, uint8_t *to, size_t n)
{
	ZSTD_outBuffer out = {to, n, 0};
	while (out.pos < n) {
		bool more = refill(s);
		ZSTD_inBuffer in = {s->at, s->left, 0};
		size_t before = out.pos, r = ZSTD_decompressStream(s->zst, &out, &in);
		use(s, s->left - in.pos);
		if (ZSTD_isError(r)) {
			fail(s, "the Zstandard data is damaged");
			break;
		}
		s->in_stream = r != 0 && (more || s->in_stream);
		if (!more && out.pos == before)
			break;
	}
	return out.pos;
}

static size_t read_plain(struct trace_source *s, uint8_t *to, size_t n)
{
	size_t done = 0;
	if (!s->file) {
		done = n < s->text_left ? n : s->text_left;
		memcpy(to, s->text, done);
		s->text += done;
		s->text_left -= done;
		return done;
	}
	if (s->left) {
		done = n < s->left ? n : s->left;
		memcpy(to, s->at, done);
		use(s, s->left - done);
		return done;
	}
	if (s->at_end)
		return 0;
	done = fread(to, 1, n, s->file); // past the first block the copy is saved
	if (done < n) {
		s->at_end = true;
		if (ferror(s->file))
			fail(s, strerror(errno));
	}
	return done;
}

size_t trace_source_read(struct trace_source *s, void *to, size_t n)
{
	size_t got = 0;
	if (s->error[0])
		return 0;
	switch (s->packing) {
	case PLAIN: got = read_plain(s, to, n); break;
	case GZIP: got = read_gzip(s, to, n); break;
	case XZ: got = read_xz(s, to, n); break;
	case ZSTD: got = read_zstd(s, to, n); break;
	case TRACEZ: return tracez_read(s->tracez, to, n);
	}
	if (!got && s->in_stream)
		fail(s, "the compressed data ends early");
	return got;
}

const char *trace_source_error(const struct trace_source *s)
{
	if (s->tracez)
		return tracez_error(s->tracez);
	return s->error[0] ? s->error : NULL;
}

void trace_source_close(struct trace_source *s)
{
	if (!s)
		return;
	if (s->packing == GZIP)
		inflateEnd(&s->gz);
	if (s->packing == XZ)
		lzma_end(&s->xz);
	ZSTD_freeDStream(s->zst);
	tracez_close(s->tracez);
	if (s->file)
		fclose(s->file);
	mem_free(s->block);
	mem_free(s);
}
