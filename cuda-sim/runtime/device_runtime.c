// The device runtime: what kernels call to launch kernels (CUDA programming guide, "CUDA Dynamic Parallelism"). The
// functions have two names: those of the library that CUDA 5 to 11 link, and __cudaCDP2... of CUDA 12 and later. What
// is launched goes to isa/grids.h.
#include "cuda-sim/runtime/builtin.h"

#include "base/diag.h"
#include "base/mem.h"
#include "cuda-sim/runtime/builtin_fault.h"
#include "cuda-sim/runtime/lane_memory.h"
#include "isa/grids.h"

#include <string.h>

// cudaError_t (driver_types.h)
enum {
	E_INVALID_VALUE = 1,
	E_MEMORY = 2,
	E_SYNC_DEPTH = 68,
	E_MAX_DEPTH = 65,
	E_PENDING = 69,
	E_INVALID_FUNCTION = 98,
	E_INVALID_DEVICE = 101,
	E_UNSUPPORTED_LIMIT = 215,
	E_INVALID_HANDLE = 400,
	E_LAUNCH_FAILURE = 719,
	E_NOT_SUPPORTED = 801,
};

// What stands before a parameter buffer, in device memory.
struct header {
	uint64_t magic, function; // function: 0 if it comes with the launch
	uint32_t grid[3], block[3], shared, bytes;
};
enum { HEADER = 64 }; // also what cudaGetParameterBuffer aligns to
#define HEADER_MAGIC 0x68656464706172ull

// One lane of a call.
struct lane_call {
	struct builtin_call *c;
	struct exec_cta *cta;
	unsigned lane;
};

static struct kernel_launch *launch_of(const struct lane_call *l) { return l->cta->launch; }

static struct grid_block *block_of(const struct lane_call *l)
{
	struct exec_cta *cta = l->cta;
	if (!cta->launches)
		cta->launches = grids_block(cta->launch, cta->id, cta->sm);
	return cta->launches;
}

static uint64_t arg(const struct lane_call *l, unsigned k) { return l->c->arg[k][l->lane]; }

// Argument k, a dim3, is the n-th that is larger than 8 bytes.
static void arg_dim3(const struct lane_call *l, unsigned k, unsigned n, uint32_t out[3])
{
	out[0] = (uint32_t)arg(l, k);
	out[1] = (uint32_t)(arg(l, k) >> 32);
	out[2] = (uint32_t)l->c->high[n][l->lane];
}

static void store(const struct lane_call *l, uint64_t addr, const void *value, size_t n)
{
	if (!lane_write(l->c->w, l->lane, addr, value, n))
		builtin_bad_pointer(l->c, l->lane, addr, "a result of the device runtime");
}

static uint32_t thread_of(const struct lane_call *l) { return l->c->w->id * WARP + l->lane; }

static uint64_t last_error(const struct lane_call *l)
{
	return l->cta->last_error ? l->cta->last_error[thread_of(l)] : 0;
}

static void remember(const struct lane_call *l, int error)
{
	struct exec_cta *cta = l->cta;
	if (!error && !cta->last_error)
		return;
	if (!cta->last_error)
		cta->last_error = mem_alloc((size_t)cta->n_warp * WARP * sizeof *cta->last_error);
	cta->last_error[thread_of(l)] = (uint16_t)error;
}

// Runs f for each lane; what it returns is the call's result, and remembered if it is an error.
static void each(struct builtin_call *c, int (*f)(const struct lane_call *l))
{
	struct lane_call l = {c, c->w->cta, 0};
	for (uint32_t m = c->mask; m && !c->w->fault; m &= m - 1) {
		l.lane = (unsigned)__builtin_ctz(m);
		int e = launch_of(&l)->grids ? f(&l) : E_NOT_SUPPORTED;
		c->ret[l.lane] = (uint64_t)e;
		if (e)
			remember(&l, e);
	}
}

// The same for calls that give an address, 0 after an error.
static void each_address(struct builtin_call *c, int (*f)(const struct lane_call *l, uint64_t *out))
{
	struct lane_call l = {c, c->w->cta, 0};
	for (uint32_t m = c->mask; m && !c->w->fault; m &= m - 1) {
		l.lane = (unsigned)__builtin_ctz(m);
		uint64_t address = 0;
		int e = launch_of(&l)->grids ? f(&l, &address) : E_NOT_SUPPORTED;
		c->ret[l.lane] = address;
		if (e)
			remember(&l, e);
	}
}

// --- launches

// The kernel that a launch names: CUDA's error if there is none. Its code is NULL after a fault that says why it can't be executed.
static int kernel_of(const struct lane_call *l, uint64_t function, struct kernel_found *k)
{
	struct diag d = {0};
	bool found = l->cta->kernel_at && l->cta->kernel_at(l->cta, function, k, &d);
	if (found && !k->code)
		exec_fault(l->c->w, l->c->u, FAULT_ILLEGAL_INSTRUCTION, l->lane, function, "kernel '%s' cannot be launched: %s", k->name,
		           d.text ? d.text : "?");
	diag_free(&d);
	return found ? 0 : E_INVALID_FUNCTION;
}

static int buffer_new(const struct lane_call *l, const struct header *h, uint64_t *out)
{
	uint64_t at = devmem_alloc(launch_of(l)->mem, HEADER + h->bytes, 0, DEVMEM_GLOBAL, 0);
	if (!at)
		return E_MEMORY;
	memcpy((void *)(uintptr_t)at, h, sizeof *h);
	*out = at + HEADER;
	return 0;
}

static int get_buffer_v2(const struct lane_call *l, uint64_t *out)
{
	struct header h = {.magic = HEADER_MAGIC, .function = arg(l, 0), .shared = (uint32_t)arg(l, 3)};
	struct kernel_found k;
	int e = kernel_of(l, h.function, &k);
	if (e || !k.code)
		return e;
	arg_dim3(l, 1, 0, h.grid);
	arg_dim3(l, 2, 1, h.block);
	h.bytes = k.info->param_bytes;
	return buffer_new(l, &h, out);
}

static int get_buffer(const struct lane_call *l, uint64_t *out)
{
	enum { MOST = 32764 };
	struct header h = {.magic = HEADER_MAGIC, .bytes = (uint32_t)arg(l, 1)};
	if (arg(l, 0) > HEADER || arg(l, 1) > MOST)
		return E_INVALID_VALUE;
	return buffer_new(l, &h, out);
}

// Takes a parameter buffer back: its header, and a copy of what it holds. False if it is none.
static bool buffer_take(const struct lane_call *l, uint64_t at, struct header *h, uint8_t *params, size_t room)
{
	struct devmem *mem = launch_of(l)->mem;
	const struct devmem_range *r = devmem_find(mem, at - HEADER);
	if (at < HEADER || !r || r->base != at - HEADER || r->kind != DEVMEM_GLOBAL || r->size < HEADER)
		return false;
	memcpy(h, (const void *)(uintptr_t)r->base, sizeof *h);
	if (h->magic != HEADER_MAGIC || h->bytes > r->size - HEADER)
		return false;
	memcpy(params, (const void *)(uintptr_t)at, h->bytes < room ? h->bytes : room);
	memset((void *)(uintptr_t)r->base, 0, sizeof *h);
	devmem_free(mem, r->base);
	memset(l->cta->hit, 0, sizeof l->cta->hit);
	return true;
}

static int launch(const struct lane_call *l, const struct header *h, const uint8_t *params, uint64_t stream)
{
	struct kernel_launch *by = launch_of(l);
	const struct kernel_services *s = by->services;
	struct kernel_found k;
	if (grids_broken(by->grids))
		return E_LAUNCH_FAILURE;
	int e = kernel_of(l, h->function, &k);
	if (e || !k.code)
		return e;
	if (grids_depth(by) >= GRIDS_MAX_DEPTH)
		return E_MAX_DEPTH;
	if (l->c->b->limited && s->pending_launch_limit && grids_pending(by->grids) >= s->pending_launch_limit)
		return E_PENDING;
	struct kernel_launch *child = grids_child(by, k.info, k.code);
	memcpy(child->grid, h->grid, sizeof child->grid);
	memcpy(child->block, h->block, sizeof child->block);
	child->dynamic_shared = h->shared;
	memcpy((uint8_t *)(uintptr_t)child->params, params,
	       k.info->param_bytes < h->bytes ? k.info->param_bytes : h->bytes);
	e = s->child ? s->child(s->ctx, k.function, child) : 0;
	if (!e && !grids_launch(block_of(l), stream, child))
		e = E_INVALID_HANDLE;
	if (e)
		mem_free(child);
	return e;
}

enum { MAX_PARAMS = 32768 };

static int launch_v2(const struct lane_call *l)
{
	struct header h;
	uint8_t params[MAX_PARAMS];
	if (!buffer_take(l, arg(l, 0), &h, params, sizeof params))
		return E_INVALID_VALUE;
	return launch(l, &h, params, arg(l, 1));
}

// cudaLaunchDevice(function, buffer, grid, block, shared, stream)
static int launch_v1(const struct lane_call *l)
{
	struct header h = {0};
	uint8_t params[MAX_PARAMS];
	if (arg(l, 1) && !buffer_take(l, arg(l, 1), &h, params, sizeof params))
		return E_INVALID_VALUE;
	h.function = arg(l, 0);
	arg_dim3(l, 2, 0, h.grid);
	arg_dim3(l, 3, 1, h.block);
	h.shared = (uint32_t)arg(l, 4);
	return launch(l, &h, params, arg(l, 5));
}

static int synchronize(const struct lane_call *l)
{
	uint32_t limit = launch_of(l)->services->sync_depth_limit;
	if (limit && grids_depth(launch_of(l)) >= limit)
		return E_SYNC_DEPTH;
	if (l->cta->launches && grids_wait(l->cta->launches))
		l->c->wait = true;
	return 0;
}

// --- streams and events

enum { STREAM_NON_BLOCKING = 1, EVENT_DISABLE_TIMING = 2 }; // the flags that the device runtime takes

static int stream_create(const struct lane_call *l)
{
	if (arg(l, 1) != STREAM_NON_BLOCKING)
		return E_INVALID_VALUE;
	uint64_t handle = grids_stream_new(block_of(l));
	store(l, arg(l, 0), &handle, sizeof handle);
	return 0;
}

static int stream_destroy(const struct lane_call *l)
{
	return grids_stream_destroy(launch_of(l)->grids, arg(l, 0)) ? 0 : E_INVALID_HANDLE;
}

static int stream_wait_event(const struct lane_call *l)
{
	return grids_stream_wait(block_of(l), arg(l, 0), arg(l, 1)) ? 0 : E_INVALID_HANDLE;
}

static int event_create(const struct lane_call *l)
{
	if (arg(l, 1) != EVENT_DISABLE_TIMING)
		return E_INVALID_VALUE;
	uint64_t handle = grids_event_new(block_of(l));
	store(l, arg(l, 0), &handle, sizeof handle);
	return 0;
}

static int event_record(const struct lane_call *l)
{
	return grids_event_record(block_of(l), arg(l, 0), arg(l, 1)) ? 0 : E_INVALID_HANDLE;
}

static int event_destroy(const struct lane_call *l)
{
	return grids_event_destroy(launch_of(l)->grids, arg(l, 0)) ? 0 : E_INVALID_HANDLE;
}

// --- memory

static bool rows_there(const struct lane_call *l, uint64_t addr, uint64_t pitch, uint64_t width, uint64_t height,
                       bool write)
{
	struct devmem_hit hit = {0};
	for (uint64_t y = 0; y < height; y++, addr += pitch)
		if (addr + width < addr || !devmem_holds(launch_of(l)->mem, &hit, addr, addr + width) ||
		    (write && hit.kind == DEVMEM_CONST))
			return false;
	return true;
}

static int rows(const struct lane_call *l, const struct grids_rows *r, bool copy, uint64_t stream)
{
	if (!r->width || !r->height)
		return 0;
	if (r->height > 1 && (r->dpitch < r->width || (copy && r->spitch < r->width)))
		return E_INVALID_VALUE;
	if (!rows_there(l, r->dst, r->dpitch, r->width, r->height, true) ||
	    (copy && !rows_there(l, r->src, r->spitch, r->width, r->height, false)))
		return E_INVALID_VALUE;
	return grids_rows(block_of(l), stream, r) ? 0 : E_INVALID_HANDLE;
}

static int memcpy_async(const struct lane_call *l)
{
	struct grids_rows r = {.dst = arg(l, 0), .src = arg(l, 1), .width = arg(l, 2), .height = 1};
	return rows(l, &r, true, arg(l, 4));
}

static int memcpy_2d_async(const struct lane_call *l)
{
	struct grids_rows r = {arg(l, 0), arg(l, 2), arg(l, 1), arg(l, 3), arg(l, 4), arg(l, 5), 0};
	return rows(l, &r, true, arg(l, 7));
}

static int memset_async(const struct lane_call *l)
{
	struct grids_rows r = {.dst = arg(l, 0), .value = (uint8_t)arg(l, 1), .width = arg(l, 2), .height = 1};
	return rows(l, &r, false, arg(l, 3));
}

static int memset_2d_async(const struct lane_call *l)
{
	struct grids_rows r = {
		.dst = arg(l, 0), .dpitch = arg(l, 1), .value = (uint8_t)arg(l, 2), .width = arg(l, 3), .height = arg(l, 4)};
	return rows(l, &r, false, arg(l, 5));
}

static int heap_malloc(const struct lane_call *l)
{
	const struct kernel_services *s = launch_of(l)->services;
	uint64_t p = s->heap_alloc(s->ctx, arg(l, 1));
	store(l, arg(l, 0), &p, sizeof p);
	return p ? 0 : E_MEMORY;
}

static int heap_free(const struct lane_call *l)
{
	const struct kernel_services *s = launch_of(l)->services;
	if (arg(l, 0) && !s->heap_free(s->ctx, arg(l, 0)))
		return E_INVALID_VALUE;
	memset(l->cta->hit, 0, sizeof l->cta->hit);
	return 0;
}

// --- questions

static int get_device(const struct lane_call *l)
{
	int32_t v = 0;
	store(l, arg(l, 0), &v, sizeof v);
	return 0;
}

static int get_device_count(const struct lane_call *l)
{
	int32_t v = 1;
	store(l, arg(l, 0), &v, sizeof v);
	return 0;
}

static int get_attribute(const struct lane_call *l)
{
	const struct kernel_services *s = launch_of(l)->services;
	int v = 0, e = !s->attribute ? E_NOT_SUPPORTED : arg(l, 2) ? E_INVALID_DEVICE : 0;
	if (!e)
		e = s->attribute(s->ctx, (int)arg(l, 1), &v);
	if (!e)
		store(l, arg(l, 0), &v, sizeof v);
	return e;
}

static int get_limit(const struct lane_call *l)
{
	enum { STACK_SIZE = 0, SYNC_DEPTH = 3, PENDING_LAUNCHES = 4 };
	const struct kernel_services *s = launch_of(l)->services;
	uint64_t v;
	switch (arg(l, 1)) {
	case STACK_SIZE: v = s->stack_limit; break;
	case SYNC_DEPTH: v = s->sync_depth_limit; break;
	case PENDING_LAUNCHES: v = s->pending_launch_limit; break;
	default: return E_UNSUPPORTED_LIMIT;
	}
	store(l, arg(l, 0), &v, sizeof v);
	return 0;
}

static int error_text(const struct lane_call *l, uint64_t *out, bool name)
{
	const struct kernel_services *s = launch_of(l)->services;
	*out = s->error_text ? s->error_text(s->ctx, (int)arg(l, 0), name) : 0;
	return 0;
}

static int error_string(const struct lane_call *l, uint64_t *out) { return error_text(l, out, false); }
static int error_name(const struct lane_call *l, uint64_t *out) { return error_text(l, out, true); }

static void do_peek_error(struct builtin_call *c)
{
	struct lane_call l = {c, c->w->cta, 0};
	for (uint32_t m = c->mask; m; m &= m - 1) {
		l.lane = (unsigned)__builtin_ctz(m);
		c->ret[l.lane] = last_error(&l);
	}
}

static void do_last_error(struct builtin_call *c)
{
	struct lane_call l = {c, c->w->cta, 0};
	do_peek_error(c);
	for (uint32_t m = c->mask; m; m &= m - 1) {
		l.lane = (unsigned)__builtin_ctz(m);
		remember(&l, 0);
	}
}

// X(name after the prefix, body, signature, ISA_SERVICE_*)
#define EACH_CALLS(X)                                         \
	X(LaunchDevice, launch_v1, "i:ll33il", LAUNCH)        \
	X(LaunchDeviceV2, launch_v2, "i:ll", LAUNCH)          \
	X(DeviceSynchronize, synchronize, "i:", WAIT)         \
	X(StreamCreateWithFlags, stream_create, "i:li", STREAM)\
	X(StreamDestroy, stream_destroy, "i:l", NONE)         \
	X(StreamWaitEvent, stream_wait_event, "i:lli", NONE)  \
	X(EventCreateWithFlags, event_create, "i:li", NONE)   \
	X(EventRecord, event_record, "i:ll", NONE)            \
	X(EventRecordWithFlags, event_record, "i:lli", NONE)  \
	X(EventDestroy, event_destroy, "i:l", NONE)           \
	X(Malloc, heap_malloc, "i:ll", NONE)                  \
	X(Free, heap_free, "i:l", NONE)                       \
	X(MemcpyAsync, memcpy_async, "i:lllil", NONE)         \
	X(Memcpy2DAsync, memcpy_2d_async, "i:llllllil", NONE) \
	X(MemsetAsync, memset_async, "i:lill", NONE)          \
	X(Memset2DAsync, memset_2d_async, "i:llilll", NONE)   \
	X(GetDevice, get_device, "i:l", NONE)                 \
	X(GetDeviceCount, get_device_count, "i:l", NONE)      \
	X(DeviceGetAttribute, get_attribute, "i:lii", NONE)   \
	X(DeviceGetLimit, get_limit, "i:li", NONE)
#define ADDRESS_CALLS(X)                                      \
	X(GetParameterBuffer, get_buffer, "l:ll", PARAMS)     \
	X(GetParameterBufferV2, get_buffer_v2, "l:l33i", PARAMS)\
	X(GetErrorString, error_string, "l:i", NONE)          \
	X(GetErrorName, error_name, "l:i", NONE)

#define X(name, f, types, service) \
	static void do_##name(struct builtin_call *c) { each(c, f); }
EACH_CALLS(X)
#undef X
#define X(name, f, types, service) \
	static void do_##name(struct builtin_call *c) { each_address(c, f); }
ADDRESS_CALLS(X)
#undef X

#define ALL_CALLS(X) EACH_CALLS(X) ADDRESS_CALLS(X) X(PeekAtLastError, 0, "i:", NONE) X(GetLastError, 0, "i:", NONE)
#define do_PeekAtLastError do_peek_error
#define do_GetLastError    do_last_error

#define X(call, f, types, kind) \
	{.name = "cuda" #call, .signature = types, .run = do_##call, .service = ISA_SERVICE_##kind, .always = true},
static const struct builtin first_names[] = {
	ALL_CALLS(X)
	// Of CUDA 11.6 and later.
	{.name = "__cudaDeviceSynchronizeDeprecationAvoidance", .signature = "i:", .run = do_DeviceSynchronize,
	 .service = ISA_SERVICE_WAIT, .always = true},
};
#undef X
#define X(call, f, types, kind) \
	{.name = "__cudaCDP2" #call, .signature = types, .run = do_##call, .service = ISA_SERVICE_##kind, .always = true, \
	 .limited = true},
static const struct builtin second_names[] = {ALL_CALLS(X)};
#undef X

static const struct builtin *find(const struct builtin *b, size_t n_row, const char *name, size_t n)
{
	for (size_t k = 0; k < n_row; k++)
		if (strncmp(b[k].name, name, n) == 0 && !b[k].name[n])
			return &b[k];
	return NULL;
}

// With --default-stream per-thread names end so; a kernel's default stream is its block's all the same.
static const char per_thread[] = "_ptsz";

const struct builtin *device_runtime_find(const char *name)
{
	size_t n = strlen(name), end = sizeof per_thread - 1;
	if (n > end && strcmp(name + n - end, per_thread) == 0)
		n -= end;
	const struct builtin *b = find(first_names, sizeof first_names / sizeof *first_names, name, n);
	return b ? b : find(second_names, sizeof second_names / sizeof *second_names, name, n);
}
