// -stats_json FILE: one array with an object for each kernel. What stands in the file is a whole document after every
// kernel: the next one is written over the closing bracket with one write.
#include "gpgpu-sim/stats/stats.h"
#include "gpgpu-sim/stats/sample.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ending[] = "\n]\n";

void stats_json_open(struct stats *st)
{
	const char *name = st->opt->stats_json;
	st->json_fd = -1;
	if (!name || !*name)
		return;
	st->json_fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (st->json_fd < 0)
		fprintf(stderr, "heddle: cannot write -stats_json %s: %s\n", name, strerror(errno));
	else if (write(st->json_fd, "[\n]\n", 4) == 4)
		st->json_end = 1;
}

void stats_json_close(struct stats *st)
{
	if (st->json_fd >= 0)
		close(st->json_fd);
	st->json_fd = -1;
}

static void append(struct stats *st, const char *text, size_t len)
{
	while (len) {
		ssize_t n = pwrite(st->json_fd, text, len, (off_t)st->json_end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fprintf(stderr, "heddle: -stats_json %s: %s; no more is written to it\n", st->opt->stats_json, strerror(errno));
			stats_json_close(st);
			return;
		}
		st->json_end += (uint64_t)n;
		text += n;
		len -= (size_t)n;
	}
	st->json_end -= sizeof ending - 1;
}

void stats_json_kernel(struct stats *st, const struct kernel_launch *l, void (*rows)(struct stat_out *o, void *ctx), void *ctx)
{
	char *text = NULL;
	size_t len = 0;
	if (st->json_fd < 0)
		return;
	struct stat_out o = {.json = open_memstream(&text, &len)};
	if (!o.json)
		mem_fail(0);
	fputs(st->json_end > 1 ? ",\n" : "\n", o.json);
	stat_open(&o, '{');
	stat_key(&o, "name");
	stat_text(&o, "%s", l->info->name);
	stat_key(&o, "uid");
	stat_cell(&o, "", l->uid);
	stat_key(&o, "stream");
	stat_cell(&o, "", l->stream);
	stat_key(&o, "statistics");
	stat_open(&o, '[');
	rows(&o, ctx);
	fputc('\n', o.json);
	stat_close(&o, ']');
	stat_close(&o, '}');
	fputs(ending, o.json);
	fclose(o.json);
	append(st, text, len);
	free(text);
}
