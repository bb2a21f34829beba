#include "cuda-sim/trace/write/store.h"

#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <zlib.h>

void trace_store_fail(struct trace_store *s, const char *file)
{
	if (!s->error[0])
		snprintf(s->error, sizeof s->error, "--write-trace: %s/%s: %s", s->folder, file, output_why(errno ? errno : EIO));
}

bool trace_store_waited(struct trace_store *s)
{
	bool waited = !s->running && s->ran;
	s->ran &= s->running != 0;
	return waited;
}

bool store_file_open(struct store_file *f, struct trace_store *s, const char *name, bool packed)
{
	char path[4400];
	*f = (struct store_file){0};
	snprintf(path, sizeof path, "%s/%s", s->folder, name);
	errno = 0;
	int fd = output_open_fd(path, false);
	if (fd >= 0 && packed)
		f->packed = gzdopen(fd, "wb1");
	else if (fd >= 0)
		f->plain = fdopen(fd, "wb");
	if (!f->plain && !f->packed)
		trace_store_fail(s, name);
	return f->plain || f->packed;
}

bool store_file_write(struct store_file *f, const void *at, size_t n)
{
	const size_t most = (size_t)1 << 30;
	const char *p = at;
	for (size_t k; n; p += k, n -= k) {
		k = n < most ? n : most;
		if (f->packed ? gzwrite(f->packed, p, (unsigned)k) != (int)k : fwrite(p, 1, k, f->plain) != k)
			return false;
	}
	return true;
}

bool store_file_close(struct store_file *f)
{
	bool ok = !f->packed || gzclose(f->packed) == Z_OK;
	if (f->plain && fclose(f->plain))
		ok = false;
	*f = (struct store_file){0};
	return ok;
}
