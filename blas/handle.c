// Handles, the kernels of each context, and launches.
#include "blas/blas.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// The PTX of blas/ptx, each with a zero behind it, in pages of its own: the driver reads texts whose end it does not know page by page.
#define PTX(letter)                                                                              \
	__asm__(".section blas_ptx,\"a\"\n.balign 4096\n.globl blas_ptx_" #letter "\n.hidden blas_ptx_" #letter "\n"      \
	        "blas_ptx_" #letter ":\n.incbin \"blas/ptx/kernels_" #letter ".ptx\"\n.byte 0\n.balign 4096\n.previous\n"); \
	extern const char blas_ptx_##letter[] __attribute__((visibility("hidden")));
PTX(s) PTX(d) PTX(c) PTX(z) PTX(h) PTX(b) PTX(i) PTX(q)

enum { MODULES = 8 };
static const char *const module_text[MODULES] = {blas_ptx_s, blas_ptx_d, blas_ptx_c, blas_ptx_z, blas_ptx_h, blas_ptx_b, blas_ptx_i,
                                                 blas_ptx_q};

static const struct {
	const char *name;
	int module, size, out_size, scale;
} types[TYPES] = {
	[S] = {"s", 0, 4, 4, R_32F},   [D] = {"d", 1, 8, 8, R_64F},    [C] = {"c", 2, 8, 8, C_32F},  [Z] = {"z", 3, 16, 16, C_64F},
	[H] = {"h", 4, 2, 2, R_32F},   [HS] = {"hs", 4, 2, 4, R_32F},  [B] = {"b", 5, 2, 2, R_32F},  [BS] = {"bs", 5, 2, 4, R_32F},
	[I] = {"i", 6, 1, 4, R_32I},   [IS] = {"is", 6, 1, 4, R_32F},
	[QS] = {"qs", 7, 1, 4, R_32F}, [QH] = {"qh", 7, 1, 2, R_32F},  [QB] = {"qb", 7, 1, 2, R_32F},
};

static const char *const kernel_names[KERNELS] = {
	"gemm_large", "gemm_small", "gemm_forms", "gemv_rows", "gemv_dots", "map", "reduce", "solve", "getrf", "swap_rows", "set_unit",
	"geam", "dgmm", "packed", "relu_mask", "row_sums",
};

// What is loaded in a context. A context that was destroyed takes its modules along; its number does not come again.
struct loaded {
	struct loaded *next;
	unsigned long long context;
	CUmodule module[MODULES];
	CUfunction kernel[KERNELS][TYPES];
};

static struct {
	pthread_mutex_t lock;
	struct handle *handles;
	struct loaded *loaded;
} blas = {.lock = PTHREAD_MUTEX_INITIALIZER};

int type_size(enum type t) { return types[t].size; }
int out_size(enum type t) { return types[t].out_size; }
int scale_of(enum type t) { return types[t].scale; }

status from_driver(int result)
{
	return result == CUDA_SUCCESS ? OK : result == CUDA_ERROR_OUT_OF_MEMORY ? ALLOC_FAILED : EXECUTION_FAILED;
}

status context_ready(void)
{
	CUcontext c = NULL;
	if (cuInit(0))
		return NOT_INITIALIZED;
	if (!cuCtxGetCurrent(&c) && c)
		return OK;
	return cuDevicePrimaryCtxRetain(&c, 0) || cuCtxSetCurrent(c) ? NOT_INITIALIZED : OK;
}

// --- kernels

static struct loaded *loaded_in(unsigned long long context)
{
	for (struct loaded *l = blas.loaded; l; l = l->next)
		if (l->context == context)
			return l;
	struct loaded *l = calloc(1, sizeof *l);
	if (l) {
		l->context = context;
		l->next = blas.loaded;
		blas.loaded = l;
	}
	return l;
}

static status find(enum kernel k, enum type t, CUfunction *out)
{
	unsigned long long context;
	char name[40];
	if (cuCtxGetId(NULL, &context))
		return NOT_INITIALIZED;
	struct loaded *l = loaded_in(context);
	if (!l)
		return ALLOC_FAILED;
	int m = types[t].module;
	snprintf(name, sizeof name, "%s_%s", kernel_names[k], types[t].name);
	if (!l->kernel[k][t] && ((!l->module[m] && cuModuleLoadData(&l->module[m], module_text[m])) ||
	                         cuModuleGetFunction(&l->kernel[k][t], l->module[m], name)))
		return INTERNAL_ERROR;
	*out = l->kernel[k][t];
	return OK;
}

status launch(enum kernel k, enum type t, long long blocks, long long rows, CUstream stream, const void *args)
{
	CUfunction f = NULL;
	void *params[] = {(void *)args};
	if (blocks <= 0 || rows <= 0)
		return OK;
	if (blocks > INT32_MAX)
		return INVALID_VALUE;
	pthread_mutex_lock(&blas.lock);
	status s = find(k, t, &f);
	pthread_mutex_unlock(&blas.lock);
	if (s)
		return s;
	unsigned y = rows < 65535 ? (unsigned)rows : 65535; // the kernels take further ones in turn
	return from_driver(cuLaunchKernel(f, (unsigned)blocks, y, 1, THREADS, 1, 1, 0, stream, params, NULL));
}

// --- handles

bool handle_ok(const struct handle *h)
{
	bool found = false;
	if (!h)
		return false;
	pthread_mutex_lock(&blas.lock);
	for (const struct handle *i = blas.handles; i && !found; i = i->next)
		found = i == h;
	pthread_mutex_unlock(&blas.lock);
	return found;
}

status enter(const struct handle *h)
{
	return handle_ok(h) ? context_ready() : NOT_INITIALIZED;
}

status handle_new(struct handle **out)
{
	status s;
	if (!out)
		return INVALID_VALUE;
	if ((s = context_ready()))
		return s;
	struct handle *h = calloc(1, sizeof *h);
	if (!h)
		return ALLOC_FAILED;
	h->atomics = 0;
	pthread_mutex_lock(&blas.lock);
	h->next = blas.handles;
	blas.handles = h;
	pthread_mutex_unlock(&blas.lock);
	*out = h;
	return OK;
}

status handle_free(struct handle *h)
{
	struct handle **at;
	pthread_mutex_lock(&blas.lock);
	for (at = &blas.handles; *at && *at != h;)
		at = &(*at)->next;
	bool found = h && *at;
	if (found)
		*at = h->next;
	pthread_mutex_unlock(&blas.lock);
	if (!found)
		return NOT_INITIALIZED;
	if (h->scratch)
		cuMemFree_v2(h->scratch); // waits for what uses it
	free(h);
	return OK;
}

status handle_set_stream(struct handle *h, CUstream stream)
{
	// What the old stream has to do still may use the scratch memory.
	if (stream != h->stream && h->scratch_used)
		cuStreamSynchronize(h->stream);
	h->scratch_used &= stream == h->stream;
	h->stream = stream;
	return OK;
}

status handle_scratch(struct handle *h, size_t size, CUdeviceptr *out)
{
	if (size > h->scratch_size) {
		if (h->scratch)
			cuMemFree_v2(h->scratch);
		h->scratch = 0;
		h->scratch_size = 0;
		size = size < 1 << 16 ? 1 << 16 : size;
		if (cuMemAlloc_v2(&h->scratch, size))
			return ALLOC_FAILED;
		h->scratch_size = size;
	}
	h->scratch_used = true;
	*out = h->scratch;
	return OK;
}

status deliver(struct handle *h, void *to, CUdeviceptr from, size_t n)
{
	if (h->pointer_mode == POINTERS_DEVICE)
		return from_driver(cuMemcpyDtoDAsync_v2((uintptr_t)to, from, n, h->stream));
	int e = cuMemcpyDtoHAsync_v2(to, from, n, h->stream);
	return from_driver(e ? e : cuStreamSynchronize(h->stream));
}

// --- scalars

// Reads memory of the program, which need not be there.
static bool read_host(void *to, const void *from, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)from, n};
	ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	if (got == (ssize_t)n)
		return true;
	if (errno == EFAULT)
		return false;
	memcpy(to, from, n); // the call is forbidden here
	return true;
}

static float of_half(uint16_t h)
{
	uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
	float f = exponent ? (float)(1024 + fraction) : (float)fraction;
	for (int e = exponent ? (int)exponent : 1; e > 25; e--)
		f *= 2;
	for (int e = exponent ? (int)exponent : 1; e < 25; e++)
		f /= 2;
	if (exponent == 31)
		f = fraction ? __builtin_nanf("") : __builtin_inff();
	return h >> 15 ? -f : f;
}

bool take_scalar(struct blas_scalar *s, const void *p, int scale, int pointer_mode)
{
	union {
		float f[2];
		double d[2];
		int32_t i;
		uint16_t h;
	} v = {0};
	static const size_t sizes[] = {[R_32F] = 4, [R_64F] = 8, [R_16F] = 2, [C_32F] = 8, [C_64F] = 16, [R_32I] = 4};
	*s = (struct blas_scalar){0};
	if (!p)
		return false;
	if (pointer_mode == POINTERS_DEVICE) {
		s->at = (uintptr_t)p;
		s->stored = scale == R_16F ? STORED_HALF : STORED_AS_USED;
		return true;
	}
	if (!read_host(&v, p, sizes[scale]))
		return false;
	switch (scale) {
	case R_32F: s->re = v.f[0]; break;
	case C_32F: s->re = v.f[0]; s->im = v.f[1]; break;
	case R_64F: s->re = v.d[0]; break;
	case C_64F: s->re = v.d[0]; s->im = v.d[1]; break;
	case R_16F: s->re = of_half(v.h); break;
	case R_32I: s->re = v.i; break;
	}
	return true;
}

bool take_real(struct blas_scalar *s, const void *p, enum type t, int pointer_mode)
{
	bool ok = take_scalar(s, p, types[t].scale == C_32F ? R_32F : types[t].scale == C_64F ? R_64F : types[t].scale, pointer_mode);
	s->stored = STORED_REAL;
	return ok;
}

bool scalar_is(const struct blas_scalar *s, double value)
{
	return !s->at && s->re == value && s->im == 0;
}
