// kernelslist.g and a text file for each kernel.
#include "cuda-sim/trace/write/tracez_file.h"

#include "base/mem.h"
#include "base/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef unsigned long long ull;

struct list_store {
	struct trace_store s;
	FILE *list;
	bool begun;       // a kernel is written; the list waits for that in its buffer
	bool machine;     // the last kernel was of machine code
	struct put lines; // of the list, behind kernels of machine code: Accel-Sim takes no copy that no kernel follows
};

// A thread block that has ended: its lines, those of a warp behind those of the one before.
struct done_cta {
	uint64_t number;
	uint32_t id[3];
	struct store_warp *warp;
	unsigned n;
};

struct store_kernel {
	struct list_store *list;
	uint32_t grid[3];
	struct store_file file;
	struct tracez_file *tracez; // which has the file
	uint64_t next;             // block to be written; those that ended before their turn are kept
	VEC(struct done_cta) done;
};

static struct list_store *list_of(struct trace_store *s) { return (struct list_store *)s; }

static void list_line(struct list_store *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void list_line(struct list_store *l, const char *fmt, ...)
{
	char line[128];
	va_list ap;
	if (trace_store_waited(&l->s))
		put_string(&l->lines, "#wait\n");
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	put_string(&l->lines, line);
}

static void write_list(struct list_store *l)
{
	if (l->lines.t.n && fwrite(l->lines.t.at, 1, l->lines.t.n, l->list) != l->lines.t.n)
		trace_store_fail(&l->s, "kernelslist.g");
	l->lines.t.n = 0;
	if (l->begun && fflush(l->list))
		trace_store_fail(&l->s, "kernelslist.g");
}

static void copy(struct trace_store *s, uint64_t addr, uint64_t bytes)
{
	struct list_store *l = list_of(s);
	list_line(l, "MemcpyHtoD,0x%016llx,%llu\n", (ull)addr, (ull)bytes);
	if (!l->machine)
		write_list(l);
}

// --- kernels

static void done_free(struct done_cta *d)
{
	for (unsigned i = 0; i < d->n; i++)
		VEC_FREE(&d->warp[i].records.t);
	mem_free(d->warp);
}

static void write_out(struct store_kernel *k, struct put *t)
{
	if (t->t.n && !k->list->s.error[0] && !store_file_write(&k->file, t->t.at, t->t.n))
		trace_store_fail(&k->list->s, "kernel");
	VEC_FREE(&t->t);
}

static struct store_kernel *begin(struct trace_store *s, const struct kernel_launch *l, const struct trace_form *form, void *made)
{
	struct list_store *list = list_of(s);
	struct store_kernel *k = MEM_NEW(struct store_kernel);
	char name[64];
	k->list = list;
	memcpy(k->grid, l->grid, sizeof k->grid);
	snprintf(name, sizeof name, "kernel-%u.trace%s", l->uid, s->how.tracez ? "z" : s->how.gzip ? "g.gz" : "g");
	if (s->error[0] || !store_file_open(&k->file, s, name, s->how.gzip))
		return k;
	list->begun = true;
	list->machine = form == &trace_form_sass;
	list_line(list, "%s\n", name);
	write_list(list);
	struct put t = {0};
	form->header(made, l, &t);
	if (s->how.tracez) {
		k->tracez = tracez_file_new(k->file, t.t.at, t.t.n);
		VEC_FREE(&t.t);
	} else {
		write_out(k, &t);
	}
	return k;
}

static void put_block(struct put *t, const uint32_t id[3], const struct store_warp *w, unsigned n)
{
	put_format(t, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", id[0], id[1], id[2]);
	for (unsigned k = 0; k < n; k++) {
		put_format(t, "warp = %u\ninsts = %llu\n", k, (ull)w[k].insts);
		if (w[k].records.t.n)
			put_bytes(t, w[k].records.t.at, w[k].records.t.n);
		put_string(t, "\n");
	}
	put_string(t, "#END_TB\n\n");
}

static void write_block(struct store_kernel *k, struct done_cta *d)
{
	if (k->tracez) {
		if (!k->list->s.error[0] && !tracez_file_block(k->tracez, &(struct tracez_block){.id = {d->id[0], d->id[1], d->id[2]}}, d->warp, d->n))
			trace_store_fail(&k->list->s, "kernel");
	} else {
		struct put t = {0};
		put_block(&t, d->id, d->warp, d->n);
		write_out(k, &t);
	}
	done_free(d);
}

static void block(struct store_kernel *k, const uint32_t id[3], const struct store_warp *w, unsigned n)
{
	struct done_cta d = {.number = ((uint64_t)id[2] * k->grid[1] + id[1]) * k->grid[0] + id[0], .n = n};
	memcpy(d.id, id, sizeof d.id);
	d.warp = mem_alloc(n * sizeof *d.warp);
	for (unsigned i = 0; i < n; i++) {
		d.warp[i].insts = w[i].insts;
		put_bytes(&d.warp[i].records, w[i].records.t.at, w[i].records.t.n);
	}
	VEC_PUSH(&k->done, d);
	for (size_t i = 0; i < k->done.n;) {
		if (k->done.at[i].number != k->next) {
			i++;
			continue;
		}
		write_block(k, &k->done.at[i]);
		k->done.at[i] = k->done.at[--k->done.n];
		k->next++;
		i = 0;
	}
}

static void end(struct store_kernel *k)
{
	errno = 0;
	if (k->tracez ? !tracez_file_end(k->tracez) : !store_file_close(&k->file))
		trace_store_fail(&k->list->s, "kernel");
	for (size_t i = 0; i < k->done.n; i++)
		done_free(&k->done.at[i]);
	VEC_FREE(&k->done);
	mem_free(k);
}

// --- the whole

static struct trace_store *open_list(const char *folder, const struct trace_writing *how, struct diag *d)
{
	char path[4200];
	struct list_store *l = MEM_NEW(struct list_store);
	l->s = (struct trace_store){.ops = &trace_store_list, .how = *how, .folder = mem_strdup(folder)};
	snprintf(path, sizeof path, "%s/kernelslist.g", folder);
	int error = mkdir(folder, 0777) && errno != EEXIST ? errno : output_check(path);
	if (!error && (l->list = output_open_later(path))) {
		setvbuf(l->list, NULL, _IOFBF, 1 << 16);
		output_empty(path);
		return &l->s;
	}
	diag_add(d, DIAG_ERROR, "--write-trace: %s cannot be written: %s", path, output_why(error ? error : ENOMEM));
	mem_free(l->s.folder);
	mem_free(l);
	return NULL;
}

static void close_list(struct trace_store *s)
{
	struct list_store *l = list_of(s);
	if (fclose(l->list))
		trace_store_fail(s, "kernelslist.g");
	VEC_FREE(&l->lines.t);
}

const struct trace_store_ops trace_store_list = {&trace_form_ptx, &trace_form_sass, open_list, close_list, copy, begin, block, end};
