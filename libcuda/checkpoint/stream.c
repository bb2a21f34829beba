#include "libcuda/checkpoint/stream.h"

#include "base/mem.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { BUFFER = 1 << 18, MOST_HEAD = 1 << 14, MOST_TEXT = 1 << 16, LEVEL = 1 };

static const char first_line[] = "HEDDLE CHECKPOINT 1\n";

struct ckpt_out {
	char *path, *part;
	FILE *file;
	ZSTD_CCtx *pack;
	int error;
	char raw[BUFFER], packed[BUFFER];
	size_t n;
};

struct ckpt_in {
	FILE *file;
	ZSTD_DCtx *unpack;
	char *head;
	long start; // of the frame
	bool ended, damaged, early;
	char raw[BUFFER], packed[BUFFER];
	size_t n, at; // of raw: bytes, and those that are taken
	ZSTD_inBuffer in;
};

// --- writing

static void flush(struct ckpt_out *o, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = {o->raw, o->n, 0};
	size_t left = 1;
	while (!o->error && (in.pos < in.size || (how == ZSTD_e_end && left))) {
		ZSTD_outBuffer out = {o->packed, BUFFER, 0};
		left = ZSTD_compressStream2(o->pack, &out, &in, how);
		if (ZSTD_isError(left))
			o->error = ENOMEM;
		else if (fwrite(o->packed, 1, out.pos, o->file) != out.pos)
			o->error = errno ? errno : EIO;
	}
	o->n = 0;
}

void ckpt_put(struct ckpt_out *o, const void *p, size_t n)
{
	const char *from = p;
	while (n) {
		size_t k = BUFFER - o->n < n ? BUFFER - o->n : n;
		memcpy(o->raw + o->n, from, k);
		o->n += k;
		from += k;
		n -= k;
		if (o->n == BUFFER)
			flush(o, ZSTD_e_continue);
	}
}

void ckpt_put_tag(struct ckpt_out *o, int tag)
{
	uint8_t byte = (uint8_t)tag;
	ckpt_put(o, &byte, 1);
}

// Seven bits a byte, the lowest first.
void ckpt_put_number(struct ckpt_out *o, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;
	for (; v >= 128; v >>= 7)
		bytes[n++] = (uint8_t)(v | 128);
	bytes[n++] = (uint8_t)v;
	ckpt_put(o, bytes, n);
}

void ckpt_put_text(struct ckpt_out *o, const char *s)
{
	size_t n = strlen(s);
	ckpt_put_number(o, n);
	ckpt_put(o, s, n);
}

struct ckpt_out *ckpt_create(const char *path, const char *head)
{
	struct ckpt_out *o = MEM_NEW(struct ckpt_out);
	size_t n = strlen(path);
	o->path = mem_strdup(path);
	o->part = mem_alloc(n + 6);
	memcpy(o->part, path, n);
	memcpy(o->part + n, ".part", 6);
	int fd = output_open_fd(o->part, false);
	o->file = fd < 0 ? NULL : fdopen(fd, "wb");
	o->pack = ZSTD_createCCtx();
	if (!o->file || !o->pack) {
		int error = o->file ? ENOMEM : errno;
		ckpt_drop(o);
		errno = error;
		return NULL;
	}
	ZSTD_CCtx_setParameter(o->pack, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(o->pack, ZSTD_c_checksumFlag, 1);
	if (fprintf(o->file, "%s%s\n", first_line, head) < 0)
		o->error = errno;
	ckpt_put_text(o, head);
	return o;
}

static void free_out(struct ckpt_out *o)
{
	if (o->file)
		fclose(o->file);
	ZSTD_freeCCtx(o->pack);
	mem_free(o->path);
	mem_free(o->part);
	mem_free(o);
}

void ckpt_drop(struct ckpt_out *o)
{
	if (!o)
		return;
	if (o->file)
		unlink(o->part);
	free_out(o);
}

// The name is on disk when its folder is.
static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", path);
	int fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int ckpt_commit(struct ckpt_out *o)
{
	flush(o, ZSTD_e_end);
	if (!o->error && (fflush(o->file) || fsync(fileno(o->file)) || rename(o->part, o->path)))
		o->error = errno;
	int error = o->error;
	if (error) {
		ckpt_drop(o);
		return error;
	}
	sync_folder(o->path);
	free_out(o);
	return 0;
}

// --- reading

// The next bytes of the frame. False at its end and where it is damaged.
static bool fill(struct ckpt_in *in)
{
	in->n = in->at = 0;
	while (!in->n && !in->ended && !in->damaged) {
		bool last = false;
		if (in->in.pos == in->in.size) {
			in->in = (ZSTD_inBuffer){in->packed, fread(in->packed, 1, BUFFER, in->file), 0};
			last = !in->in.size;
		}
		ZSTD_outBuffer out = {in->raw, BUFFER, 0};
		size_t left = ZSTD_decompressStream(in->unpack, &out, &in->in);
		in->n = out.pos;
		in->damaged = ZSTD_isError(left) || (last && left && !in->n);
		in->ended = !in->damaged && !left;
	}
	return in->n;
}

static void rewind_frame(struct ckpt_in *in)
{
	fseek(in->file, in->start, SEEK_SET);
	ZSTD_DCtx_reset(in->unpack, ZSTD_reset_session_only);
	in->n = in->at = 0;
	in->in = (ZSTD_inBuffer){0};
	in->ended = in->damaged = in->early = false;
}

bool ckpt_get(struct ckpt_in *in, void *p, size_t n)
{
	char *to = p;
	while (n) {
		if (in->at == in->n && !fill(in)) {
			memset(to, 0, n);
			in->early = true;
			return false;
		}
		size_t k = in->n - in->at < n ? in->n - in->at : n;
		memcpy(to, in->raw + in->at, k);
		in->at += k;
		to += k;
		n -= k;
	}
	return true;
}

uint64_t ckpt_get_number(struct ckpt_in *in)
{
	uint64_t v = 0;
	uint8_t byte = 128;
	for (unsigned shift = 0; byte & 128 && shift < 64 && ckpt_get(in, &byte, 1); shift += 7)
		v |= (uint64_t)(byte & 127) << shift;
	return v;
}

char *ckpt_get_text(struct ckpt_in *in)
{
	uint64_t n = ckpt_get_number(in);
	if (n > MOST_TEXT) {
		in->early = true;
		n = 0;
	}
	char *s = mem_alloc(n + 1);
	ckpt_get(in, s, n);
	return s;
}

bool ckpt_ended_early(const struct ckpt_in *in) { return in->early; }
const char *ckpt_head(const struct ckpt_in *in) { return in->head; }

// The lines up to the empty one. False if it does not begin as a checkpoint of this version does.
static bool read_head(struct ckpt_in *in)
{
	char line[1024];
	size_t n = 0;
	if (!fgets(line, sizeof line, in->file) || strcmp(line, first_line))
		return false;
	in->head = mem_alloc(MOST_HEAD);
	while (fgets(line, sizeof line, in->file) && strcmp(line, "\n")) {
		size_t k = strlen(line);
		if (n + k >= MOST_HEAD)
			return false;
		memcpy(in->head + n, line, k + 1);
		n += k;
	}
	in->start = ftell(in->file);
	return true;
}

// The text in the frame is that before it, and the frame is whole and the last thing in the file.
static bool sound(struct ckpt_in *in)
{
	rewind_frame(in);
	char *again = ckpt_get_text(in);
	bool same = !strcmp(again, in->head);
	mem_free(again);
	while (fill(in))
		;
	return same && in->ended && in->in.pos == in->in.size && fgetc(in->file) == EOF;
}

static bool regular(FILE *f)
{
	struct stat st;
	return !fstat(fileno(f), &st) && S_ISREG(st.st_mode);
}

struct ckpt_in *ckpt_open(const char *path, char *why, size_t room)
{
	struct ckpt_in *in = MEM_NEW(struct ckpt_in);
	in->file = fopen(path, "rbe");
	in->unpack = ZSTD_createDCtx();
	*why = 0;
	if (!in->file)
		snprintf(why, room, "%s", strerror(errno));
	else if (!regular(in->file) || !read_head(in))
		snprintf(why, room, "it is no checkpoint that this version of Heddle writes");
	else if (!sound(in))
		snprintf(why, room, "it is damaged or not whole; write it again");
	if (*why) {
		ckpt_close(in);
		return NULL;
	}
	rewind_frame(in);
	mem_free(ckpt_get_text(in));
	return in;
}

void ckpt_close(struct ckpt_in *in)
{
	if (!in)
		return;
	if (in->file)
		fclose(in->file);
	ZSTD_freeDCtx(in->unpack);
	mem_free(in->head);
	mem_free(in);
}
