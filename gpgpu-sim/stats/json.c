// -stats_json FILE: one array with an object for each kernel. What stands in the file is a whole document after every
// kernel: the next one is written over the closing brackets with one write. A pipe or a terminal gets them at the end only.
// Where the name asks for packed bytes, the brackets are packed by themselves.
#include "gpgpu-sim/stats/stats.h"
#include "gpgpu-sim/stats/record.h"
#include "gpgpu-sim/stats/sample.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/output.h"
#include "base/pack.h"
#include "base/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stat_json {
	int fd;          // -1: not opened yet
	bool seeks;      // what was written can be written over
	bool failed;
	enum pack pack;
	uint64_t end;    // where the next kernel is written
	uint64_t n;      // kernels in the file
};

static const char ending[] = "}\n]\n";

void stats_json_init(struct stats *st)
{
	const char *name = st->opt->stats_json;
	if (!name || !*name)
		return;
	st->json = MEM_NEW(struct stat_json);
	st->json->fd = -1;
	st->json->pack = pack_of(name);
}

static void fail(struct stats *st, int error)
{
	if (!st->json->failed)
		fprintf(stderr, "heddle: error: -stats_json %s: %s; no more is written to it\n", st->opt->stats_json, output_why(error));
	st->json->failed = st->output_failed = true;
}

static bool opened(struct stats *st)
{
	struct stat_json *j = st->json;
	if (j->fd >= 0 || j->failed)
		return !j->failed;
	j->fd = output_open_fd(st->opt->stats_json, false);
	if (j->fd < 0) {
		fail(st, errno);
		return false;
	}
	j->seeks = !output_is_open_already(st->opt->stats_json) && lseek(j->fd, 0, SEEK_CUR) >= 0;
	return true;
}

// Writes at the end, which moves up to `tail` bytes before what was written.
static void append_bytes(struct stats *st, const char *text, size_t len, size_t tail)
{
	struct stat_json *j = st->json;
	struct output_hold h;
	ssize_t n = 0;
	output_hold_signal(&h);
	for (; len && n >= 0; text += n, len -= (size_t)n) {
		do
			n = j->seeks ? pwrite(j->fd, text, len, (off_t)j->end) : write(j->fd, text, len);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			break;
		j->end += (uint64_t)n;
	}
	output_drop_signal(&h);
	if (n < 0)
		fail(st, errno);
	else
		j->end -= tail;
}

// Text, and behind it what only stands there until more is written.
static void append(struct stats *st, const char *text, size_t len, const char *after)
{
	const size_t n[2] = {len, strlen(after)};
	const char *const part[2] = {text, after};
	size_t size[2] = {0};
	char *packed[2] = {0}, *all = NULL;
	bool ok = true;
	for (int i = 0; i < 2; i++)
		if (n[i])
			ok &= (packed[i] = pack_bytes(st->json->pack, part[i], n[i], &size[i])) != NULL;
	ok = ok && (all = realloc(packed[0], size[0] + size[1] + 1));
	if (!ok) {
		fail(st, errno);
	} else {
		packed[0] = NULL;
		if (size[1])
			memcpy(all + size[0], packed[1], size[1]);
		append_bytes(st, all, size[0] + size[1], size[1]);
	}
	free(all);
	free(packed[0]);
	free(packed[1]);
}

static void put_provenance(struct stat_out *o, struct stats *st)
{
	stat_key(o, "provenance");
	stat_open(o, '{');
	stat_key(o, "version");
	stat_text(o, "%s", heddle_version);
	stat_key(o, "commit");
	stat_text(o, "%s", heddle_commit);
	stat_key(o, "options");
	stat_text(o, "%016llx", (unsigned long long)options_hash(st->opt));
	stat_key(o, "gpu");
	stat_text(o, "%s", st->gpu_name);
	stat_close(o, '}');
}

static void put_estimate(struct stat_out *o, const struct stat_estimate *e)
{
	stat_key(o, "estimate");
	stat_open(o, '{');
	stat_key(o, "cycles");
	stat_cell(o, "", (unsigned long long)(e->whole.cycles + 0.5));
	stat_key(o, "error");
	stat_cell(o, "", (unsigned long long)(e->whole.error + 0.5));
	stat_key(o, "ctas_timed");
	stat_cell(o, "", e->ctas);
	stat_close(o, '}');
}

void stats_json_kernel(struct stats *st, const struct kernel_launch *l, void (*rows)(struct stat_out *o, void *ctx), void *ctx)
{
	char *text = NULL;
	size_t len = 0;
	struct stat_json *j = st->json;
	if (!j || !opened(st))
		return;
	struct stat_out o = {.json = open_memstream(&text, &len)};
	if (!o.json)
		mem_fail(0);
	fputs(j->n++ ? "},\n{" : "[\n{", o.json);
	stat_key(&o, "name");
	stat_text(&o, "%s", l->info->name);
	stat_key(&o, "uid");
	stat_cell(&o, "", l->uid);
	stat_key(&o, "stream");
	stat_cell(&o, "", l->stream);
	put_provenance(&o, st);
	if (st->estimate.made)
		put_estimate(&o, &st->estimate);
	stat_key(&o, "statistics");
	stat_open(&o, '[');
	rows(&o, ctx);
	fputc('\n', o.json);
	stat_close(&o, ']');
	if (!l->untimed)
		stats_record_kernel(st, &o, l);
	fclose(o.json);
	append(st, text, len, j->seeks ? ending : "");
	free(text);
}

void stats_json_end(struct stats *st, const char *how)
{
	char text[400];
	struct stat_json *j = st->json;
	if (!j || !opened(st))
		return;
	struct estimate_sum e = st->estimates ? estimates_sum(st->estimates) : (struct estimate_sum){0};
	char whole[120] = "";
	if (st->estimates)
		snprintf(whole, sizeof whole, ",\n \"heddle_estimate\":{\"cycles\":%.0f,\"error\":%.0f}", e.whole.cycles, e.whole.error);
	if (j->n)
		snprintf(text, sizeof text, "%s,\n \"heddle_run\":\"%s\"%s", whole, how, ending);
	else
		strcpy(text, "[\n]\n");
	append(st, text, strlen(text), "");
	if (close(j->fd))
		fail(st, errno);
	j->fd = -1;
	j->failed = true; // nothing comes after it
}

void stats_json_free(struct stats *st)
{
	if (!st->json)
		return;
	if (st->json->fd >= 0)
		close(st->json->fd);
	mem_free(st->json);
	st->json = NULL;
}
