#include "cuda-sim/trace/tracez.h"

#include "base/mem.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
	BLOCK = 1 << 16,         // bytes of the file read at once
	MAX_DICTIONARY = 1 << 26, // Accel-Sim's have 64 KiB at most
	MAX_HEADER = 1 << 28,
	INDEX_TAIL = 8,          // where the index begins
};

// A place in the file with bytes read ahead.
struct view {
	uint64_t at;             // of the next byte
	uint64_t from;           // of held[0]
	size_t n;                // bytes held
	uint8_t *held;
};

struct block {
	uint32_t id[3], cluster[3], place[3], rank, warps;
};

struct warp {
	uint32_t insts, parts;
	uint64_t at;
};

// What is to be given next.
enum state { HEADER, BLOCK_HEAD, WARP_HEAD, PART, BLOCK_END, END };

struct tracez {
	int fd;
	const uint8_t *bytes;    // in memory instead
	uint64_t size, index;    // of the file; where its index begins
	uint64_t header;         // bytes of header text left
	struct view data, list;  // parts; index
	ZSTD_DDict *dictionary;
	ZSTD_DCtx *frame;
	uint32_t n_blocks, n_block; // of the file; those passed
	uint32_t n_warp, n_part; // of the block, of the warp: those passed
	uint64_t left;           // bytes of the part's frame
	bool in_part, in_frame;
	uint32_t max_cluster[3]; // largest place in a cluster
	struct block block;
	struct warp warp;
	enum state state;
	char last;               // character given
	VEC(char) text;          // made, and not yet given
	size_t given;
	char error[240];
};

bool tracez_is_name(const char *path)
{
	const char end[] = ".tracez";
	const size_t n = strlen(path), m = sizeof end - 1;
	return n > m && !strcmp(path + n - m, end);
}

static bool fail(struct tracez *z, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct tracez *z, const char *fmt, ...)
{
	va_list ap;
	if (z->error[0])
		return false;
	va_start(ap, fmt);
	vsnprintf(z->error, sizeof z->error, fmt, ap);
	va_end(ap);
	return false;
}

static bool fail_part(struct tracez *z, const char *what)
{
	const uint32_t *id = z->block.id;
	return fail(z, "thread block %u,%u,%u, warp %u, part %u: %s", id[0], id[1], id[2], z->n_warp, z->n_part, what);
}

// --- bytes

static bool fill(struct tracez *z, struct view *v)
{
	if (!v->held)
		v->held = mem_alloc(BLOCK);
	const uint64_t left = z->size - v->at;
	size_t n = left < BLOCK ? (size_t)left : BLOCK, done = z->bytes ? n : 0;
	if (z->bytes)
		memcpy(v->held, z->bytes + v->at, n);
	while (done < n) {
		const ssize_t k = pread(z->fd, v->held + done, n - done, (off_t)(v->at + done));
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return fail(z, "%s", k ? strerror(errno) : "the file became shorter while it was read");
		done += (size_t)k;
	}
	v->from = v->at;
	v->n = n;
	return true;
}

// The bytes that are there behind v->at without reading more than a block; none at an error, and at the end of the file.
static size_t more(struct tracez *z, struct view *v, const uint8_t **p)
{
	if (v->at >= z->size)
		return 0;
	if ((!v->n || v->at < v->from || v->at - v->from >= v->n) && !fill(z, v))
		return 0;
	*p = v->held + (v->at - v->from);
	return v->n - (size_t)(v->at - v->from);
}

// A number before byte `end` of the file.
static bool number(struct tracez *z, struct view *v, uint64_t end, unsigned bytes, uint64_t *out)
{
	*out = 0;
	if (v->at > end || end - v->at < bytes)
		return false;
	for (unsigned k = 0; k < bytes; k++) {
		const uint8_t *p;
		if (!more(z, v, &p))
			return false;
		*out |= (uint64_t)*p << 8 * k;
		v->at++;
	}
	return true;
}

static bool small(struct tracez *z, struct view *v, uint64_t end, uint32_t *out)
{
	uint64_t n;
	const bool ok = number(z, v, end, 4, &n);
	*out = (uint32_t)n;
	return ok;
}

// --- the index

static bool next_block(struct tracez *z, struct view *v, struct block *b)
{
	const uint64_t end = z->size - INDEX_TAIL;
	bool ok = true;
	for (unsigned k = 0; k < 3; k++)
		ok = ok && small(z, v, end, &b->id[k]);
	for (unsigned k = 0; k < 3; k++)
		ok = ok && small(z, v, end, &b->cluster[k]);
	for (unsigned k = 0; k < 3; k++)
		ok = ok && small(z, v, end, &b->place[k]);
	return ok && small(z, v, end, &b->rank) && small(z, v, end, &b->warps);
}

// With `sum` the instructions of its parts are added up.
static bool next_warp(struct tracez *z, struct view *v, struct warp *w, uint64_t *sum)
{
	const uint64_t end = z->size - INDEX_TAIL;
	uint32_t n;
	if (!small(z, v, end, &w->insts) || !small(z, v, end, &w->parts) || !number(z, v, end, 8, &w->at) ||
	    (uint64_t)w->parts * 4 > end - v->at)
		return false;
	if (!sum)
		v->at += (uint64_t)w->parts * 4;
	for (uint32_t k = 0; sum && k < w->parts; k++) {
		if (!small(z, v, end, &n))
			return false;
		*sum += n;
	}
	return true;
}

static bool check_index(struct tracez *z)
{
	struct view v = {.at = z->list.at};
	struct block b = {0};
	struct warp w;
	for (uint32_t i = 0; i < z->n_blocks && !z->error[0]; i++) {
		if (!next_block(z, &v, &b))
			fail(z, "the index ends in thread block %u of %u: the file is damaged", i, z->n_blocks);
		for (unsigned k = 0; k < 3; k++)
			if (b.place[k] > z->max_cluster[k])
				z->max_cluster[k] = b.place[k];
		for (uint32_t j = 0; j < b.warps && !z->error[0]; j++) {
			uint64_t sum = 0;
			if (!next_warp(z, &v, &w, &sum))
				fail(z, "the index ends in warp %u of %u of thread block %u,%u,%u: the file is damaged", j, b.warps, b.id[0], b.id[1],
				     b.id[2]);
			else if (w.at > z->index || sum != w.insts)
				fail(z, "the index: warp %u of thread block %u,%u,%u has %u instructions from byte %llu on, its parts %llu; the index begins at %llu",
				     j, b.id[0], b.id[1], b.id[2], w.insts, (unsigned long long)w.at, (unsigned long long)sum, (unsigned long long)z->index);
		}
	}
	if (!z->error[0] && v.at != z->size - INDEX_TAIL)
		fail(z, "the index of %u thread blocks ends %llu bytes before the end of the file", z->n_blocks,
		     (unsigned long long)(z->size - INDEX_TAIL - v.at));
	mem_free(v.held);
	return !z->error[0];
}

static bool find_index(struct tracez *z)
{
	if (z->size < INDEX_TAIL)
		return fail(z, "%llu bytes are too few for a .tracez file", (unsigned long long)z->size);
	struct view v = {.at = z->size - INDEX_TAIL};
	const bool ok = number(z, &v, z->size, INDEX_TAIL, &z->index);
	mem_free(v.held);
	if (ok && z->index <= z->size - INDEX_TAIL) {
		z->list.at = z->index;
		if (small(z, &z->list, z->size - INDEX_TAIL, &z->n_blocks))
			return true;
	}
	return fail(z, "no index where the last 8 bytes say (%llu of %llu): the file is no .tracez or incomplete", (unsigned long long)z->index,
	            (unsigned long long)z->size);
}

// --- what stands before the warps

static bool find_header(struct tracez *z)
{
	const uint8_t *p = NULL, *zero = NULL;
	struct view v = {0};
	for (size_t n; z->header < MAX_HEADER && !zero && (n = more(z, &v, &p)); v.at += n) {
		zero = memchr(p, 0, n);
		z->header += zero ? (size_t)(zero - p) : n;
	}
	mem_free(v.held);
	return zero || fail(z, "no byte 0 behind the header: the file is no .tracez or incomplete");
}

static bool find_dictionary(struct tracez *z)
{
	uint32_t bytes, part;
	struct view v = {.at = z->header + 1};
	bool ok = small(z, &v, z->index, &bytes) && small(z, &v, z->index, &part) && bytes <= z->index - v.at && bytes <= MAX_DICTIONARY;
	if (!ok)
		fail(z, "no dictionary behind the header: the file is no .tracez or damaged");
	uint8_t *d = ok && bytes ? mem_alloc(bytes) : NULL;
	const uint8_t *p;
	for (size_t done = 0, n; d && done < bytes && (n = more(z, &v, &p)); done += n, v.at += n) {
		if (n > bytes - done)
			n = bytes - done;
		memcpy(d + done, p, n);
	}
	if (d && !z->error[0] && !(z->dictionary = ZSTD_createDDict(d, bytes)))
		fail(z, "the dictionary is damaged");
	mem_free(d);
	mem_free(v.held);
	return !z->error[0];
}

static struct tracez *begin(struct tracez *z, char *why, size_t n)
{
	if (find_index(z) && find_header(z) && find_dictionary(z) && check_index(z)) {
		z->frame = ZSTD_createDCtx();
		if (z->frame && !ZSTD_isError(ZSTD_DCtx_refDDict(z->frame, z->dictionary)))
			return z;
		fail(z, "the decompressor cannot be started");
	}
	snprintf(why, n, "%s", z->error);
	tracez_close(z);
	return NULL;
}

struct tracez *tracez_open(const char *path, char *why, size_t n)
{
	struct stat st;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		snprintf(why, n, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	struct tracez *z = MEM_NEW(struct tracez);
	z->fd = fd;
	z->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return begin(z, why, n);
}

struct tracez *tracez_of(const void *bytes, size_t len, char *why, size_t n)
{
	struct tracez *z = MEM_NEW(struct tracez);
	z->fd = -1;
	z->bytes = bytes;
	z->size = len;
	return begin(z, why, n);
}

void tracez_close(struct tracez *z)
{
	if (!z)
		return;
	if (z->fd >= 0)
		close(z->fd);
	ZSTD_freeDCtx(z->frame);
	ZSTD_freeDDict(z->dictionary);
	VEC_FREE(&z->text);
	mem_free(z->data.held);
	mem_free(z->list.held);
	mem_free(z);
}

const char *tracez_error(const struct tracez *z) { return z->error[0] ? z->error : NULL; }

bool tracez_cluster(const struct tracez *z, uint32_t size[3])
{
	uint64_t n = 1;
	for (unsigned k = 0; k < 3; k++) {
		size[k] = z->max_cluster[k] + 1;
		n *= size[k] ? size[k] : 2;
	}
	return n > 1;
}

// --- the text

static void say(struct tracez *z, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct tracez *z, const char *fmt, ...)
{
	char line[400];
	va_list ap;
	va_start(ap, fmt);
	const int n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	VEC_RESERVE(&z->text, z->text.n + (size_t)n);
	memcpy(z->text.at + z->text.n, line, (size_t)n);
	z->text.n += (size_t)n;
}

static size_t give_header(struct tracez *z, char *to, size_t n)
{
	const uint8_t *p;
	size_t k = more(z, &z->data, &p);
	k = k < n ? k : n;
	k = k < z->header ? k : (size_t)z->header;
	if (k)
		memcpy(to, p, k);
	z->data.at += k;
	z->header -= k;
	return k;
}

static bool begin_warp(struct tracez *z)
{
	uint32_t insts, parts;
	if (!next_warp(z, &z->list, &z->warp, NULL))
		return fail(z, "the index changed while it was read");
	z->data.at = z->warp.at;
	z->n_part = 0;
	z->left = 0;
	if (!small(z, &z->data, z->index, &insts) || !small(z, &z->data, z->index, &parts) || insts != z->warp.insts ||
	    parts != z->warp.parts)
		return fail(z, "thread block %u,%u,%u, warp %u: byte %llu does not begin %u instructions in %u parts, as the index says",
		            z->block.id[0], z->block.id[1], z->block.id[2], z->n_warp, (unsigned long long)z->warp.at, z->warp.insts,
		            z->warp.parts);
	say(z, "\nwarp = %u\ninsts = %u\n", z->n_warp, insts);
	return true;
}

static bool begin_part(struct tracez *z)
{
	uint32_t bytes;
	if (!small(z, &z->data, z->index, &bytes) || bytes > z->index - z->data.at)
		return fail_part(z, "it does not end before the index");
	z->left = bytes;
	z->in_part = z->in_frame = true;
	ZSTD_DCtx_reset(z->frame, ZSTD_reset_session_only);
	return true;
}

// Bytes of the part; 0 at its end, or at an error.
static size_t give_part(struct tracez *z, char *to, size_t n)
{
	ZSTD_outBuffer out = {to, n, 0};
	while (!out.pos && z->in_frame) {
		const uint8_t *p = NULL;
		size_t k = z->left ? more(z, &z->data, &p) : 0;
		if (z->error[0])
			return 0;
		k = k < z->left ? k : (size_t)z->left;
		ZSTD_inBuffer in = {p, k, 0};
		const size_t r = ZSTD_decompressStream(z->frame, &out, &in);
		z->data.at += in.pos;
		z->left -= in.pos;
		if (ZSTD_isError(r)) {
			fail_part(z, "the Zstandard data is damaged");
			return 0;
		}
		z->in_frame = r != 0;
		if (z->in_frame && !k && !out.pos) {
			fail_part(z, "the Zstandard data ends early");
			return 0;
		}
	}
	if (!out.pos && z->left)
		fail_part(z, "there is more behind the Zstandard frame");
	return out.pos;
}

static void end_part(struct tracez *z)
{
	if (z->last != '\n')
		say(z, "\n");
	z->in_part = false;
	z->n_part++;
}

// Makes more text, or says what comes next. False at an error.
static bool advance(struct tracez *z)
{
	const struct block *b = &z->block;
	switch (z->state) {
	case HEADER:
		if (z->last && z->last != '\n')
			say(z, "\n");
		z->state = z->n_blocks ? BLOCK_HEAD : END;
		return true;
	case BLOCK_HEAD:
		if (!next_block(z, &z->list, &z->block))
			return fail(z, "the index changed while it was read");
		say(z, "\n#BEGIN_TB\n\nthread block = %u,%u,%u\ncluster id = %u,%u,%u\ncluster cta = %u,%u,%u\ncluster rank = %u\n", b->id[0],
		    b->id[1], b->id[2], b->cluster[0], b->cluster[1], b->cluster[2], b->place[0], b->place[1], b->place[2], b->rank);
		z->n_warp = 0;
		z->state = b->warps ? WARP_HEAD : BLOCK_END;
		return true;
	case WARP_HEAD:
		z->state = PART;
		return begin_warp(z);
	case PART:
		if (z->n_part < z->warp.parts)
			return begin_part(z);
		z->state = ++z->n_warp < b->warps ? WARP_HEAD : BLOCK_END;
		return true;
	case BLOCK_END:
		say(z, "\n#END_TB\n");
		z->state = ++z->n_block < z->n_blocks ? BLOCK_HEAD : END;
		return true;
	case END:
		return true;
	}
	return true;
}

static size_t give_text(struct tracez *z, char *to, size_t n)
{
	const size_t left = z->text.n - z->given, k = left < n ? left : n;
	memcpy(to, z->text.at + z->given, k);
	z->given += k;
	if (z->given == z->text.n)
		z->given = z->text.n = 0;
	return k;
}

size_t tracez_read(struct tracez *z, void *to, size_t n)
{
	char *at = to;
	size_t k = 0;
	while (!k && !z->error[0]) {
		if (z->text.n) {
			k = give_text(z, at, n);
		} else if (z->state == HEADER && z->header) {
			k = give_header(z, at, n);
			if (!k)
				break;
		} else if (z->in_part) {
			k = give_part(z, at, n);
			if (!k && !z->error[0])
				end_part(z);
		} else if (z->state == END) {
			break;
		} else {
			advance(z);
		}
	}
	if (k)
		z->last = at[k - 1];
	return k;
}
