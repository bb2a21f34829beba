#include "cuda-sim/trace/write/tracez_file.h"

#include "base/mem.h"

#include <string.h>
#include <zstd.h>

// PART and LEVEL: as in Accel-Sim's post-processing.
enum { PART = 2048, LEVEL = 3, DICTIONARY = 32 << 10, SAMPLED = 8 };

struct tracez_file {
	struct store_file file;
	uint64_t at;            // bytes written
	struct put index;
	uint32_t n_blocks;
	bool begun, failed;
	ZSTD_CCtx *frame;
	ZSTD_CDict *dictionary; // NULL: none
	struct put packed;
};

static void put_little(struct put *to, uint64_t v, unsigned bytes)
{
	for (unsigned k = 0; k < bytes; k++)
		put_char(to, (char)(v >> 8 * k));
}

static void out(struct tracez_file *f, const void *at, size_t n)
{
	f->failed = f->failed || !store_file_write(&f->file, at, n);
	f->at += n;
}

static void out_number(struct tracez_file *f, uint64_t v, unsigned bytes)
{
	struct put t = {0};
	put_little(&t, v, bytes);
	out(f, t.t.at, t.t.n);
	VEC_FREE(&t.t);
}

struct tracez_file *tracez_file_new(struct store_file file, const char *header, size_t n)
{
	struct tracez_file *f = MEM_NEW(struct tracez_file);
	f->file = file;
	f->frame = ZSTD_createCCtx();
	out(f, header, n);
	out(f, "", 1);
	return f;
}

// The dictionary is text itself, some lines of the first thread block; where they are few there is none.
static void begin(struct tracez_file *f, const struct store_warp *w, unsigned n)
{
	struct put d = {0};
	for (unsigned k = 0; k < n && d.t.n < DICTIONARY; k++) {
		const char *p = w[k].records.t.at, *end = p ? p + w[k].records.t.n : p;
		for (unsigned line = 0; p < end && d.t.n < DICTIONARY; line++) {
			const char *next = memchr(p, '\n', (size_t)(end - p));
			next = next ? next + 1 : end;
			if (line % SAMPLED == 0)
				put_bytes(&d, p, (size_t)(next - p));
			p = next;
		}
	}
	const size_t got = d.t.n < DICTIONARY ? 0 : d.t.n;
	out_number(f, got, 4);
	out_number(f, PART, 4);
	if (got)
		out(f, d.t.at, got);
	if (got)
		f->dictionary = ZSTD_createCDict(d.t.at, got, LEVEL);
	f->failed |= got && !f->dictionary;
	VEC_FREE(&d.t);
	f->begun = true;
}

static void part(struct tracez_file *f, const char *p, size_t n)
{
	const size_t room = ZSTD_compressBound(n);
	VEC_RESERVE(&f->packed.t, room);
	const size_t got = f->dictionary ? ZSTD_compress_usingCDict(f->frame, f->packed.t.at, room, p, n, f->dictionary)
	                                 : ZSTD_compressCCtx(f->frame, f->packed.t.at, room, p, n, LEVEL);
	f->failed |= ZSTD_isError(got) != 0;
	out_number(f, f->failed ? 0 : got, 4);
	out(f, f->packed.t.at, f->failed ? 0 : got);
}

static void warp(struct tracez_file *f, const struct store_warp *w)
{
	const uint32_t insts = (uint32_t)w->insts, parts = (insts + PART - 1) / PART;
	const char *p = w->records.t.at, *end = p ? p + w->records.t.n : p;
	put_little(&f->index, insts, 4);
	put_little(&f->index, parts, 4);
	put_little(&f->index, f->at, 8);
	out_number(f, insts, 4);
	out_number(f, parts, 4);
	for (uint32_t done = 0; done < insts;) {
		const char *from = p;
		const uint32_t n = insts - done < PART ? insts - done : PART;
		for (uint32_t k = 0; k < n && p < end; k++) {
			p = memchr(p, '\n', (size_t)(end - p));
			p = p ? p + 1 : end;
		}
		put_little(&f->index, n, 4);
		part(f, from, (size_t)(p - from) - (p > from)); // the last line has no end
		done += n;
	}
}

bool tracez_file_block(struct tracez_file *f, const struct tracez_block *b, const struct store_warp *w, unsigned n)
{
	if (!f->begun)
		begin(f, w, n);
	for (unsigned k = 0; k < 3; k++)
		put_little(&f->index, b->id[k], 4);
	for (unsigned k = 0; k < 3; k++)
		put_little(&f->index, b->cluster[k], 4);
	for (unsigned k = 0; k < 3; k++)
		put_little(&f->index, b->place[k], 4);
	put_little(&f->index, b->rank, 4);
	put_little(&f->index, n, 4);
	for (unsigned k = 0; k < n; k++)
		warp(f, &w[k]);
	f->n_blocks++;
	return !f->failed;
}

bool tracez_file_end(struct tracez_file *f)
{
	if (!f->begun)
		begin(f, NULL, 0);
	const uint64_t index = f->at;
	out_number(f, f->n_blocks, 4);
	out(f, f->index.t.at, f->index.t.n);
	out_number(f, index, 8);
	const bool ok = store_file_close(&f->file) && !f->failed;
	ZSTD_freeCCtx(f->frame);
	ZSTD_freeCDict(f->dictionary);
	VEC_FREE(&f->index.t);
	VEC_FREE(&f->packed.t);
	mem_free(f);
	return ok;
}
