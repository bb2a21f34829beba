#include "cuda-sim/trace/set.h"

#include "base/mem.h"
#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/source.h"
#include "cuda-sim/trace/text.h"
#include "cuda-sim/trace/variant.h"
#include "trace_pb.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 1 << 16, MOST_BYTES = INT32_MAX }; // of a protobuf message

static const char dynamic_name[] = "dynamic_trace.pb";

struct stream {
	int64_t device, id;
	const Pb__Stream *from;
	size_t first_kernel, next; // in set.kernel; event
};

struct reading {
	struct trace_set *set;
	VEC(struct stream) stream;
	char *why;
	size_t n;
};

static bool fail(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct reading *r, const char *fmt, ...)
{
	va_list ap;
	char text[500];
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	snprintf(r->why, r->n, "%s: %s", r->set->file, text);
	return false;
}

// --- files

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool has_file(const char *folder, const char *name)
{
	char path[4096];
	struct stat st;
	return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && stat(path, &st) == 0;
}

bool trace_set_is(const char *path)
{
	size_t n = strlen(path);
	if (is_folder(path))
		return has_file(path, dynamic_name) && !has_file(path, "kernelslist.g");
	return n > 3 && !strcmp(path + n - 3, ".pb");
}

bool trace_set_file(const char *path, struct trace_bytes *to, char *why, size_t n)
{
	char reason[200];
	const char *e = reason;
	struct trace_source *src = trace_source_open(path, reason, sizeof reason);
	if (src) {
		size_t got;
		do {
			VEC_RESERVE(to, to->n + BLOCK);
			got = trace_source_read(src, to->at + to->n, BLOCK);
			to->n += got;
		} while (got && to->n <= MOST_BYTES);
		e = trace_source_error(src);
		if (!e && to->n > MOST_BYTES)
			e = "more than 2 GiB: no protobuf message is as large";
	}
	if (e)
		snprintf(why, n, "%s: %s", path, e);
	trace_source_close(src);
	return !e;
}

static char *beside(struct trace_set *s, const char *name)
{
	const char *slash = strrchr(s->file, '/');
	return arena_printf(&s->strings, "%.*s%s", slash ? (int)(slash + 1 - s->file) : 0, s->file, name);
}

// --- kernels

static void dim_of(int32_t to[3], const Pb__Dim *d)
{
	if (!d)
		return;
	to[0] = d->x;
	to[1] = d->y;
	to[2] = d->z;
}

// The code is the static part's, whole and with its encodings.
static bool add_executed(struct reading *r, struct set_kernel *k, const Pb__Executed *from)
{
	struct trace_set *s = r->set;
	bool whole = from->how.len == k->function->inst.n && from->how.len <= UINT32_MAX;
	if (from->version != TRACE_MACHINE_VERSION)
		return fail(r, "kernel %d (%.60s) was written by another version of heddle run --write-trace", k->id, k->name);
	for (size_t i = 0; whole && i < from->how.len; i++)
		whole = k->function->inst.at[i].encoded && k->function->inst.at[i].pc == i * STATIC_INST_BYTES &&
		        from->how.data[i] < TRACE_MACHINE_N_HOW;
	if (!whole || from->prefers > 2)
		return fail(r, "kernel %d (%.60s) was executed, and its code is not whole in %s", k->id, k->name, s->code->file);
	struct set_executed *e = ARENA_NEW(&s->strings, struct set_executed);
	uint8_t *how = arena_alloc(&s->strings, from->how.len + 1);
	if (from->how.len)
		memcpy(how, from->how.data, from->how.len);
	*e = (struct set_executed){from->code_base, from->local, from->prefers, from->arch, from->number, from->how.len, how};
	k->executed = e;
	return true;
}

static bool add_kernel(struct reading *r, const struct stream *st, const Pb__Kernel *from)
{
	struct trace_set *s = r->set;
	struct set_kernel k = {.device = st->device, .stream = st->id, .id = from->id, .shared = from->size_shared_memory,
	                       .regs = from->number_of_registers, .shared_base = (uint64_t)from->shared_memory_base_address,
	                       .local_base = (uint64_t)from->local_memory_base_address};
	long long d = st->device, i = st->id;
	dim_of(k.grid, from->grid_dim);
	dim_of(k.block, from->block_dim);
	k.name = arena_printf(&s->strings, "%.*s", (int)trace_variant_cut(from->name), from->name);
	k.function = trace_static_function(s->code, from->function_unique_id);
	if (!k.function)
		return fail(r, "kernel %d (%.60s) is function %d, which is not in %s", from->id, from->name,
		            from->function_unique_id, s->code->file);
	if (from->executed && !add_executed(r, &k, from->executed))
		return false;
	char folder[128];
	snprintf(folder, sizeof folder, "threadblocks/device_%lld/stream_%lld/kernel_%d", d, i, from->id);
	snprintf(k.prefix, sizeof k.prefix, "d_%lld_s_%lld_k_%d_", d, i, from->id);
	k.folder = beside(s, folder);
	VEC_PUSH(&s->kernel, k);
	return true;
}

// --- events

// kernel-N.trace is the N-th kernel of its stream; where the streams of a device count together, the one with that id.
static bool kernel_event(struct reading *r, struct stream *st, const char *text, bool *is)
{
	const char *p = text + 7, *end = text + strlen(text);
	uint64_t v;
	const Pb__Stream *f = st->from;
	*is = !strncmp(text, "kernel-", 7) && text_decimal(&p, end, &v) && !strcmp(p, ".trace");
	if (!*is)
		return true;
	size_t k = v && v <= f->n_kernels && f->kernels[v - 1]->id == (int64_t)v ? v - 1 : 0;
	while (k < f->n_kernels && f->kernels[k]->id != (int64_t)v)
		k++;
	if (k == f->n_kernels)
		return fail(r, "event '%s' of device %lld, stream %lld: there is no kernel with that id among its %zu", text,
		            (long long)st->device, (long long)st->id, f->n_kernels);
	struct list_command c = {.kind = LIST_KERNEL, .kernel = (uint32_t)(st->first_kernel + k + 1)};
	c.text = r->set->kernel.at[c.kernel - 1].folder;
	VEC_PUSH(&r->set->command, c);
	return true;
}

static bool copy_event(struct reading *r, const char *text)
{
	const char *end = text + strlen(text), *q = strchr(text, ',');
	struct list_command c = {.kind = LIST_COPY};
	bool ok = q && !strncmp(text, "MemcpyHtoD,", 11) && (q++, text_hex(&q, end, &c.addr)) && *q++ == ',' &&
	          text_decimal(&q, end, &c.bytes) && q == end;
	if (!ok)
		return fail(r, "event '%.80s': expected MemcpyHtoD,ADDRESS,BYTES or kernel-N.trace", text);
	c.text = arena_strdup(&r->set->strings, text);
	VEC_PUSH(&r->set->command, c);
	return true;
}

// The next event of a stream; *kernel: it is one.
static bool next_event(struct reading *r, struct stream *st, bool *kernel)
{
	const char *text = st->from->ordered_cuda_events[st->next++];
	return kernel_event(r, st, text, kernel) && (*kernel || copy_event(r, text));
}

// As Heddle tells it.
static bool read_in_order(struct reading *r, const Pb__Trace *t)
{
	enum { WAIT = -1 };
	bool kernel;
	for (size_t i = 0; i < t->n_order; i++) {
		struct stream *st = NULL;
		if (t->order[i] == WAIT) {
			VEC_PUSH(&r->set->command, ((struct list_command){.kind = LIST_WAIT, .text = ""}));
			continue;
		}
		for (size_t k = 0; k < r->stream.n && !st; k++)
			if (r->stream.at[k].id == t->order[i])
				st = &r->stream.at[k];
		if (!st || st->next == st->from->n_ordered_cuda_events)
			return fail(r, "event %zu is one more of stream %lld than there are", i, (long long)t->order[i]);
		if (!next_event(r, st, &kernel))
			return false;
	}
	return true;
}

// Streams take turns, up to a kernel each: what they did at the same time is not known, and one after the other would
// never let their kernels run side by side.
static bool read_events(struct reading *r)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < r->stream.n; i++) {
			struct stream *st = &r->stream.at[i];
			bool kernel = false;
			while (!kernel && st->next < st->from->n_ordered_cuda_events) {
				more = true;
				if (!next_event(r, st, &kernel))
					return false;
			}
		}
	}
	return true;
}

static int in_order(const void *a, const void *b)
{
	const struct stream *x = a, *y = b;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static bool read_streams(struct reading *r, const Pb__Trace *t)
{
	for (size_t i = 0; i < t->n_gpu_device; i++) {
		const Pb__Device *d = t->gpu_device[i]->value;
		for (size_t k = 0; d && k < d->n_streams; k++) {
			struct stream st = {
				.device = t->gpu_device[i]->key, .id = d->streams[k]->key, .from = d->streams[k]->value};
			if (st.from)
				VEC_PUSH(&r->stream, st);
		}
	}
	if (r->stream.n)
		qsort(r->stream.at, r->stream.n, sizeof *r->stream.at, in_order);
	for (size_t i = 0; i < r->stream.n; i++) {
		struct stream *st = &r->stream.at[i];
		if (i && !in_order(st - 1, st))
			return fail(r, "device %lld, stream %lld comes twice", (long long)st->device, (long long)st->id);
		st->first_kernel = r->set->kernel.n;
		for (size_t k = 0; k < st->from->n_kernels; k++)
			if (!add_kernel(r, st, st->from->kernels[k]))
				return false;
	}
	return true;
}

static bool read_trace(struct reading *r, const Pb__Trace *t)
{
	struct trace_set *s = r->set;
	if (t->binary_version < 0 || t->accelsim_version < 0)
		return fail(r, "binary version %d, tracer version %d: expected no negative numbers", t->binary_version,
		            t->accelsim_version);
	s->binary_version = (uint32_t)t->binary_version;
	s->version = (uint32_t)t->accelsim_version;
	if (!read_streams(r, t) || !(t->n_order ? read_in_order(r, t) : read_events(r)))
		return false;
	return s->command.n || fail(r, "no kernel and no copy is in it");
}

static void *message_alloc(void *ctx, size_t n) { return mem_alloc(n ? n : 1); }
static void message_free(void *ctx, void *p) { mem_free(p); }

struct trace_set *trace_set_open(const char *path, char *why, size_t n)
{
	struct trace_set *s = MEM_NEW(struct trace_set);
	struct reading r = {.set = s, .why = why, .n = n};
	struct trace_bytes bytes = {0};
	ProtobufCAllocator mem = {message_alloc, message_free, NULL};
	Pb__Trace *t = NULL;
	bool ok = false;
	s->file = is_folder(path) ? mem_strdup(arena_printf(&s->strings, "%s/%s", path, dynamic_name)) : mem_strdup(path);
	if (trace_set_file(s->file, &bytes, why, n)) {
		t = pb__trace__unpack(&mem, bytes.n, bytes.at);
		if (!t)
			fail(&r, "no extended trace, or damaged: the protobuf message ends early or cannot be understood");
		s->code = t ? trace_static_open(beside(s, "extra_info/enhanced_execution_info.json"), why, n) : NULL;
		ok = s->code && read_trace(&r, t);
	}
	pb__trace__free_unpacked(t, &mem);
	mem_free(bytes.at);
	VEC_FREE(&r.stream);
	if (ok)
		return s;
	trace_set_free(s);
	return NULL;
}

void trace_set_free(struct trace_set *s)
{
	if (!s)
		return;
	trace_static_free(s->code);
	VEC_FREE(&s->kernel);
	VEC_FREE(&s->command);
	arena_free(&s->strings);
	mem_free(s->file);
	mem_free(s);
}

void trace_set_list(const struct trace_set *s, struct kernelslist *l)
{
	for (size_t i = 0; i < s->command.n; i++)
		VEC_PUSH(&l->command, s->command.at[i]);
}
