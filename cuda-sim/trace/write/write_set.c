// An extended trace: messages of thread blocks, a file each, while kernels run; at the end the list of what ran, the static code and
// a line for each kernel of how much it ran.
#include "cuda-sim/trace/write/store.h"

#include "base/mem.h"
#include "base/output.h"
#include "cuda-sim/sass/exec/code.h"
#include "cuda-sim/trace/machine.h"
#include "cuda-sim/trace/variant.h"
#include "cuda-sim/trace/write/write_pb.h"
#include "isa/devmem.h"
#include "trace_pb.pb-c.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { TRACER_VERSION = 4, WAIT = -1 }; // WAIT: see trace_pb.proto

static const char list_name[] = "dynamic_trace.pb", static_folder[] = "extra_info", static_name[] = "extra_info/enhanced_execution_info.json",
                  stats_name[] = "stats.csv";

// Code that is in the static part, to be recognised.
struct set_function {
	const char *name;
	uint64_t base;
	const uint8_t *code;
	size_t size;
};

// A line of stats.csv.
struct set_ran {
	int64_t stream;
	int32_t id;
	const char *name;
	uint32_t grid[3], block[3];
	uint64_t insts; // of warps
};

struct set_stream {
	int64_t id;
	VEC(Pb__Kernel *) kernel;
	VEC(char *) event;
};

struct set_store {
	struct trace_store s;
	VEC(struct set_stream) stream;
	VEC(int64_t) order;       // see trace_pb.proto
	VEC(char *) copy;         // events behind the last kernel: readers need none that no kernel follows
	VEC(struct set_function) function;
	VEC(struct set_ran) ran;
	yajl_gen text;            // of the static part
	struct arena arena;
	uint32_t arch;            // of the first kernel
};

struct store_kernel {
	struct set_store *set;
	size_t ran;               // its number in set->ran
	char prefix[200];         // of the files of thread blocks
};

static struct set_store *set_of(struct trace_store *s) { return (struct set_store *)s; }

// --- what ran

static struct set_stream *stream_of(struct set_store *s, int64_t id)
{
	size_t i = 0;
	while (i < s->stream.n && s->stream.at[i].id < id)
		i++;
	if (i < s->stream.n && s->stream.at[i].id == id)
		return &s->stream.at[i];
	VEC_PUSH(&s->stream, (struct set_stream){.id = id});
	memmove(&s->stream.at[i + 1], &s->stream.at[i], (s->stream.n - 1 - i) * sizeof *s->stream.at);
	s->stream.at[i] = (struct set_stream){.id = id};
	return &s->stream.at[i];
}

static void event(struct set_store *s, int64_t stream, char *text)
{
	VEC_PUSH(&stream_of(s, stream)->event, text);
	VEC_PUSH(&s->order, stream);
}

static void copy(struct trace_store *store, uint64_t addr, uint64_t bytes)
{
	struct set_store *s = set_of(store);
	if (trace_store_waited(store))
		VEC_PUSH(&s->copy, NULL); // a wait
	VEC_PUSH(&s->copy, arena_printf(&s->arena, "MemcpyHtoD,0x%016llx,%llu", (unsigned long long)addr, (unsigned long long)bytes));
}

// A copy belongs to no stream here; it stands in that of the kernel behind it.
static void put_copies(struct set_store *s, int64_t stream)
{
	for (size_t i = 0; i < s->copy.n; i++) {
		if (s->copy.at[i])
			event(s, stream, s->copy.at[i]);
		else
			VEC_PUSH(&s->order, WAIT);
	}
	s->copy.n = 0;
	if (trace_store_waited(&s->s))
		VEC_PUSH(&s->order, WAIT);
}

// --- kernels

static int32_t function_of(struct set_store *s, struct pb_form *f, const struct kernel_launch *l)
{
	const struct sass_image *m = f->kernel->image;
	f->variant = 0;
	for (size_t i = 0; i < s->function.n; i++) {
		const struct set_function *k = &s->function.at[i];
		bool named = !strcmp(k->name, l->info->name);
		if (named && k->base == l->info->code_base && k->size == m->size && !memcmp(k->code, m->code, k->size))
			return (int32_t)i + 1;
		f->variant += named;
	}
	uint8_t *code = arena_alloc(&s->arena, m->size ? m->size : 1);
	memcpy(code, m->code, m->size);
	struct set_function k = {arena_strdup(&s->arena, l->info->name), l->info->code_base, code, m->size};
	VEC_PUSH(&s->function, k);
	f->function = (int32_t)s->function.n;
	write_static(s->text, f, l);
	return f->function;
}

static Pb__Dim *dim(struct set_store *s, const uint32_t d[3])
{
	Pb__Dim *to = ARENA_NEW(&s->arena, Pb__Dim);
	pb__dim__init(to);
	to->x = (int32_t)d[0];
	to->y = (int32_t)d[1];
	to->z = (int32_t)d[2];
	return to;
}

static Pb__Executed *executed(struct set_store *s, const struct pb_form *f, const struct kernel_launch *l)
{
	Pb__Executed *e = ARENA_NEW(&s->arena, Pb__Executed);
	pb__executed__init(e);
	e->version = TRACE_MACHINE_VERSION;
	e->code_base = l->info->code_base;
	e->local = l->info->local;
	e->prefers = l->prefers;
	e->arch = f->kernel->image->arch;
	e->how.len = f->kernel->n;
	e->how.data = arena_alloc(&s->arena, e->how.len ? e->how.len : 1);
	memcpy(e->how.data, f->how, e->how.len);
	e->number = l->uid;
	return e;
}

// Kernels are counted by stream: the N-th event of that kind names the N-th kernel, and readers look for nothing else.
static int32_t add_kernel(struct set_store *s, struct pb_form *f, const struct kernel_launch *l)
{
	struct set_stream *stream = stream_of(s, (int64_t)l->stream);
	Pb__Kernel *k = ARENA_NEW(&s->arena, Pb__Kernel);
	char name[4096];
	pb__kernel__init(k);
	f->function = function_of(s, f, l);
	trace_variant_name(name, sizeof name, l->info->name, f->variant);
	k->id = (int32_t)stream->kernel.n + 1;
	k->name = arena_strdup(&s->arena, name);
	k->function_unique_id = f->function;
	k->size_shared_memory = (int32_t)(l->info->static_shared + l->dynamic_shared);
	k->number_of_registers = (int32_t)l->info->regs;
	k->shared_memory_base_address = (int64_t)SHARED_WINDOW;
	k->local_memory_base_address = (int64_t)LOCAL_WINDOW;
	k->grid_dim = dim(s, l->grid);
	k->block_dim = dim(s, l->block);
	k->executed = executed(s, f, l);
	VEC_PUSH(&stream->kernel, k);
	if (!s->arch)
		s->arch = k->executed->arch;
	event(s, (int64_t)l->stream, arena_printf(&s->arena, "kernel-%d.trace", k->id));
	struct set_ran ran = {.stream = (int64_t)l->stream, .id = k->id, .name = arena_strdup(&s->arena, l->info->name)};
	memcpy(ran.grid, l->grid, sizeof ran.grid);
	memcpy(ran.block, l->block, sizeof ran.block);
	VEC_PUSH(&s->ran, ran);
	return k->id;
}

static bool make_folder(struct set_store *s, const char *name)
{
	char path[4400];
	snprintf(path, sizeof path, "%s/%s", s->s.folder, name);
	for (char *end = path + strlen(s->s.folder); end;) {
		end = strchr(end + 1, '/');
		if (end)
			*end = 0;
		if (mkdir(path, 0777) && errno != EEXIST) {
			trace_store_fail(&s->s, name);
			return false;
		}
		if (end)
			*end = '/';
	}
	return true;
}

static struct store_kernel *begin(struct trace_store *store, const struct kernel_launch *l, const struct trace_form *form, void *made)
{
	struct set_store *s = set_of(store);
	struct store_kernel *k = MEM_NEW(struct store_kernel);
	char folder[150];
	unsigned long long stream = l->stream;
	k->set = s;
	if (store->error[0])
		return k;
	if (form != &trace_form_pb) {
		snprintf(store->error, sizeof store->error, "--write-trace --extended: kernel '%.100s' runs as PTX, and an extended trace "
		         "holds machine code; ask for that (--code sass) or leave --extended out", l->info->name);
		return k;
	}
	put_copies(s, (int64_t)l->stream);
	int32_t id = add_kernel(s, made, l);
	k->ran = s->ran.n - 1;
	snprintf(folder, sizeof folder, "threadblocks/device_0/stream_%llu/kernel_%d", stream, id);
	snprintf(k->prefix, sizeof k->prefix, "%s/d_0_s_%llu_k_%d_", folder, stream, id);
	make_folder(s, folder);
	return k;
}

// The block's message; bytes are messages again.
static void put_block(struct put *to, const uint32_t id[3], const struct store_warp *w, unsigned n)
{
	Pb__Dim at = PB__DIM__INIT;
	Pb__ThreadBlock b = PB__THREAD_BLOCK__INIT;
	at.x = (int32_t)id[0];
	at.y = (int32_t)id[1];
	at.z = (int32_t)id[2];
	b.block_id = &at;
	put_message(to, &b.base);
	for (unsigned k = 0; k < n; k++) {
		struct put warp = {0}, entry = {0};
		Pb__Warp head = PB__WARP__INIT;
		Pb__WarpEntry e = PB__WARP_ENTRY__INIT;
		ProtobufCBinaryData field;
		head.id = e.key = (int32_t)k;
		put_message(&warp, &head.base);
		put_bytes(&warp, w[k].records.t.at, w[k].records.t.n);
		e.value = (ProtobufCBinaryData){warp.t.n, (uint8_t *)warp.t.at};
		put_message(&entry, &e.base);
		field = (ProtobufCBinaryData){entry.t.n, (uint8_t *)entry.t.at};
		pb__thread_block__init(&b);
		b.n_warps = 1;
		b.warps = &field;
		put_message(to, &b.base);
		VEC_FREE(&warp.t);
		VEC_FREE(&entry.t);
	}
}

static bool write_file(struct set_store *s, const char *name, const void *at, size_t n, bool packed)
{
	struct store_file f;
	if (s->s.error[0] || !store_file_open(&f, &s->s, name, packed))
		return false;
	errno = 0;
	bool ok = store_file_write(&f, at, n);
	ok = store_file_close(&f) && ok;
	if (!ok)
		trace_store_fail(&s->s, name);
	return ok;
}

static void block(struct store_kernel *k, const uint32_t id[3], const struct store_warp *w, unsigned n)
{
	char name[280];
	struct put t = {0};
	put_block(&t, id, w, n);
	snprintf(name, sizeof name, "%s%u,%u,%u.pb", k->prefix, id[0], id[1], id[2]);
	write_file(k->set, name, t.t.at, t.t.n, k->set->s.how.gzip);
	VEC_FREE(&t.t);
	for (unsigned i = 0; i < n; i++)
		k->set->ran.at[k->ran].insts += w[i].insts;
}

static void end(struct store_kernel *k) { mem_free(k); }

// --- the whole

static void write_list(struct set_store *s)
{
	struct put t = {0};
	Pb__Trace trace = PB__TRACE__INIT;
	Pb__Device device = PB__DEVICE__INIT;
	Pb__DeviceEntry entry = PB__DEVICE_ENTRY__INIT, *entries[1] = {&entry};
	Pb__StreamEntry **streams = ARENA_ARRAY(&s->arena, Pb__StreamEntry *, s->stream.n + 1);
	for (size_t i = 0; i < s->stream.n; i++) {
		struct set_stream *from = &s->stream.at[i];
		streams[i] = ARENA_NEW(&s->arena, Pb__StreamEntry);
		pb__stream_entry__init(streams[i]);
		streams[i]->key = from->id;
		streams[i]->value = ARENA_NEW(&s->arena, Pb__Stream);
		pb__stream__init(streams[i]->value);
		streams[i]->value->id = from->id;
		streams[i]->value->n_kernels = from->kernel.n;
		streams[i]->value->kernels = from->kernel.at;
		streams[i]->value->n_ordered_cuda_events = from->event.n;
		streams[i]->value->ordered_cuda_events = from->event.at;
	}
	device.n_streams = s->stream.n;
	device.streams = streams;
	entry.value = &device;
	trace.name = "heddle";
	trace.nvbit_version = "none";
	trace.binary_version = (int32_t)s->arch;
	trace.accelsim_version = TRACER_VERSION;
	trace.n_gpu_device = 1;
	trace.gpu_device = entries;
	trace.n_order = s->order.n;
	trace.order = s->order.at;
	put_message(&t, &trace.base);
	write_file(s, list_name, t.t.at, t.t.n, false);
	VEC_FREE(&t.t);
}

static void write_code(struct set_store *s)
{
	const unsigned char *text;
	size_t n;
	yajl_gen_array_close(s->text);
	yajl_gen_map_close(s->text);
	yajl_gen_get_buf(s->text, &text, &n);
	write_file(s, static_name, text, n, false);
}

// Instructions are those of warps; all of them are in the trace. A kernel's name has no commas: it is mangled.
static void write_stats(struct set_store *s)
{
	VEC(char) text = {0};
	static const char head[] = "device_id, stream_id, kernel id, kernel mangled name, grid_dimX, grid_dimY, grid_dimZ, #blocks, "
	                           "block_dimX, block_dimY, block_dimZ, #threads, total_insts, total_reported_insts\n";
	VEC_RESERVE(&text, sizeof head);
	text.n = strlen(strcpy(text.at, head));
	for (size_t i = 0; i < s->ran.n; i++) {
		enum { NUMBERS = 400 };
		const struct set_ran *r = &s->ran.at[i];
		const uint32_t *g = r->grid, *b = r->block;
		unsigned long long blocks = (unsigned long long)g[0] * g[1] * g[2], insts = r->insts;
		size_t most = strlen(r->name) + NUMBERS;
		VEC_RESERVE(&text, text.n + most);
		text.n += (size_t)snprintf(text.at + text.n, most, "0, %lld, kernel-%d.trace, %s, %u, %u, %u, %llu, %u, %u, %u, %u, %llu,%llu\n",
		                           (long long)r->stream, r->id, r->name, g[0], g[1], g[2], blocks, b[0], b[1], b[2], b[0] * b[1] * b[2],
		                           insts, insts);
	}
	write_file(s, stats_name, text.at, text.n, false);
	VEC_FREE(&text);
}

static void *yajl_new(void *ctx, size_t n) { return mem_alloc(n); }
static void *yajl_more(void *ctx, void *p, size_t n) { return mem_realloc(p, n); }
static void yajl_drop(void *ctx, void *p) { mem_free(p); }

static struct trace_store *open_set(const char *folder, const struct trace_writing *how, struct diag *d)
{
	static const yajl_alloc_funcs memory = {yajl_new, yajl_more, yajl_drop, NULL};
	char path[4200];
	struct set_store *s = MEM_NEW(struct set_store);
	s->s = (struct trace_store){.ops = &trace_store_set, .how = *how, .folder = mem_strdup(folder)};
	snprintf(path, sizeof path, "%s/%s", folder, list_name);
	int error = mkdir(folder, 0777) && errno != EEXIST ? errno : output_check(path);
	if (!error && make_folder(s, static_folder)) {
		output_empty(path);
		s->text = yajl_gen_alloc(&memory);
		yajl_gen_map_open(s->text);
		yajl_gen_string(s->text, (const unsigned char *)"benchmark_name", strlen("benchmark_name"));
		yajl_gen_string(s->text, (const unsigned char *)"heddle", strlen("heddle"));
		yajl_gen_string(s->text, (const unsigned char *)"kernels", strlen("kernels"));
		yajl_gen_array_open(s->text);
		return &s->s;
	}
	if (error)
		diag_add(d, DIAG_ERROR, "--write-trace: %s cannot be written: %s", path, output_why(error));
	else
		diag_add(d, DIAG_ERROR, "%s", s->s.error);
	mem_free(s->s.folder);
	mem_free(s);
	return NULL;
}

static void close_set(struct trace_store *store)
{
	struct set_store *s = set_of(store);
	write_code(s);
	write_list(s);
	write_stats(s);
	yajl_gen_free(s->text);
	for (size_t i = 0; i < s->stream.n; i++) {
		VEC_FREE(&s->stream.at[i].kernel);
		VEC_FREE(&s->stream.at[i].event);
	}
	VEC_FREE(&s->stream);
	VEC_FREE(&s->order);
	VEC_FREE(&s->copy);
	VEC_FREE(&s->function);
	VEC_FREE(&s->ran);
	arena_free(&s->arena);
}

// A kernel of PTX is refused when it begins: its instructions go nowhere.
static void *nothing(const struct kernel_launch *l, const struct frontend_ops *fe) { return NULL; }
static void end_nothing(void *form) {}
static void no_inst(const void *form, const struct fe_result *r, const struct trace_look *look, enum trace_meets meets, const struct isa_inst *next, struct put *to) {}
static const struct trace_form form_ptx = {nothing, end_nothing, NULL, no_inst, NULL};

const struct trace_store_ops trace_store_set = {&form_ptx, &trace_form_pb, open_set, close_set, copy, begin, block, end};
