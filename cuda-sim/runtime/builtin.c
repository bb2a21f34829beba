// Calls the simulator answers itself: the device runtime's vprintf, malloc, free, __assertfail, and the mathematics of
// libdevice that clang leaves undefined. Launches are in device_runtime.c.
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/runtime/libdevice.h"

#include <stdio.h>
#include <stdlib.h>

// --- memory as one lane sees it

static uint8_t *byte_at(struct simt_warp *w, unsigned lane, uint64_t addr, bool write)
{
	struct exec_cta *c = &w->cta->x;
	if (addr - LOCAL_WINDOW < WINDOW_SIZE) {
		uint64_t at = addr - LOCAL_WINDOW;
		return at < c->local_size ? w->w.local + ((at / 4) * WARP + lane) * 4 + at % 4 : NULL;
	}
	if (addr - SHARED_WINDOW < WINDOW_SIZE)
		return addr - SHARED_WINDOW < c->shared_size ? c->shared + (addr - SHARED_WINDOW) : NULL;
	if (!devmem_holds(c->launch->mem, &c->hit[0], addr, addr + 1) || (write && c->hit[0].kind == DEVMEM_CONST))
		return NULL;
	return (uint8_t *)(uintptr_t)addr;
}

bool lane_read(struct simt_warp *w, unsigned lane, uint64_t addr, void *to, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const uint8_t *b = byte_at(w, lane, addr + k, false);
		if (!b)
			return false;
		((uint8_t *)to)[k] = *b;
	}
	return true;
}

bool lane_write(struct simt_warp *w, unsigned lane, uint64_t addr, const void *from, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		uint8_t *b = byte_at(w, lane, addr + k, true);
		if (!b)
			return false;
		*b = ((const uint8_t *)from)[k];
	}
	return true;
}

// A NUL-terminated string, cut at len - 1 bytes; false if it can't be read.
static bool lane_string(struct simt_warp *w, unsigned lane, uint64_t addr, char *to, size_t len)
{
	size_t n = 0;
	for (; n + 1 < len; n++) {
		if (!lane_read(w, lane, addr + n, &to[n], 1))
			return false;
		if (!to[n])
			return true;
	}
	to[n] = 0;
	return true;
}

void builtin_bad_pointer(struct builtin_call *c, unsigned lane, uint64_t addr, const char *what)
{
	exec_fault(&c->w->w, c->u, FAULT_ILLEGAL_ADDRESS, lane, addr, "%s at 0x%llx can't be read or written", what,
	           (unsigned long long)addr);
}

// --- printf

struct text {
	char at[8192];
	size_t n;
};

static void put(struct text *t, const char *s, size_t n)
{
	if (n > sizeof t->at - 1 - t->n)
		n = sizeof t->at - 1 - t->n;
	memcpy(t->at + t->n, s, n);
	t->n += n;
}

// One conversion, spec being "%-08.3lld" and the like with its length modifiers removed and `conv` at its end.
static bool convert(struct builtin_call *c, unsigned lane, struct text *t, char *spec, size_t n, char conv, bool wide,
                    uint64_t *args)
{
	char out[1100], str[1024];
	union {
		uint64_t u;
		int64_t s;
		double f;
		uint32_t w;
		int32_t i;
	} v = {0};
	bool eight = wide || strchr("eEfFgGaAps", conv);
	size_t size = eight ? 8 : 4;
	*args = (*args + size - 1) / size * size;
	if (!lane_read(c->w, lane, *args, &v, size)) {
		builtin_bad_pointer(c, lane, *args, "printf's argument");
		return false;
	}
	*args += size;
	int len = 0;
	if (conv == 's') {
		if (!v.u)
			strcpy(str, "(null)");
		else if (!lane_string(c->w, lane, v.u, str, sizeof str)) {
			builtin_bad_pointer(c, lane, v.u, "printf's string");
			return false;
		}
		spec[n] = 's', spec[n + 1] = 0;
		len = snprintf(out, sizeof out, spec, str);
	} else if (conv == 'p') {
		spec[n] = 'p', spec[n + 1] = 0;
		len = snprintf(out, sizeof out, spec, (void *)(uintptr_t)v.u);
	} else if (conv == 'c') {
		spec[n] = 'c', spec[n + 1] = 0;
		len = snprintf(out, sizeof out, spec, v.i);
	} else if (strchr("di", conv)) {
		memcpy(spec + n, "lld", 4);
		len = snprintf(out, sizeof out, spec, (long long)(wide ? v.s : v.i));
	} else if (strchr("uxXo", conv)) {
		spec[n] = 'l', spec[n + 1] = 'l', spec[n + 2] = conv, spec[n + 3] = 0;
		len = snprintf(out, sizeof out, spec, (unsigned long long)(wide ? v.u : v.w));
	} else {
		spec[n] = conv, spec[n + 1] = 0;
		len = snprintf(out, sizeof out, spec, v.f);
	}
	if (len > 0)
		put(t, out, (size_t)len < sizeof out ? (size_t)len : sizeof out - 1);
	return true;
}

// A width or precision beyond reason would only fill the buffer.
static bool too_wide(const char *spec)
{
	for (const char *p = spec; *(p += strcspn(p, "0123456789"));) {
		char *end;
		if (strtoul(p, &end, 10) > 1000)
			return true;
		p = end;
	}
	return false;
}

// The CUDA programming guide, "Formatted Output": flags, width, precision, size (h l ll), type (cdiouxXpeEfgGaAs%).
static bool format(struct builtin_call *c, unsigned lane, const char *f, uint64_t args, struct text *t,
                   uint64_t *n_args)
{
	while (*f) {
		if (*f != '%') {
			size_t n = strcspn(f, "%");
			put(t, f, n);
			f += n;
			continue;
		}
		if (f[1] == '%') {
			put(t, "%", 1);
			f += 2;
			continue;
		}
		char spec[64] = "%";
		size_t n = 1;
		const char *p = f + 1;
		while (*p && strchr("-+ #0123456789.*", *p) && n < 24) {
			if (*p == '*') {
				int32_t width;
				args = (args + 3) / 4 * 4;
				if (!lane_read(c->w, lane, args, &width, 4)) {
					builtin_bad_pointer(c, lane, args, "printf's argument");
					return false;
				}
				args += 4;
				if (width > 1000)
					width = 1000;
				if (width < -1000)
					width = -1000;
				n += (size_t)snprintf(spec + n, 8, "%d", width);
			} else {
				spec[n++] = *p;
			}
			p++;
		}
		unsigned longs = 0;
		for (; *p && strchr("hlLqjzt", *p); p++)
			longs += *p == 'h' ? 0 : 1;
		if (!*p || !strchr("cdiuoxXpeEfFgGaAs", *p)) {
			put(t, f, (size_t)(p - f));
			f = p;
			continue;
		}
		if (too_wide(spec))
			n = 1;
		if (!convert(c, lane, t, spec, n, *p, longs > 0, &args))
			return false;
		++*n_args;
		f = p + 1;
	}
	return true;
}

static void do_vprintf(struct builtin_call *c)
{
	struct kernel_services *s = c->w->cta->x.launch->services;
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		char fmt[4096];
		struct text t;
		t.n = 0;
		c->ret[lane] = 0;
		if (!lane_string(c->w, lane, c->arg[0][lane], fmt, sizeof fmt)) {
			builtin_bad_pointer(c, lane, c->arg[0][lane], "printf's format");
			return;
		}
		if (!format(c, lane, fmt, c->arg[1][lane], &t, &c->ret[lane]))
			return;
		s->print(s->ctx, t.at, t.n);
	}
}

// --- the heap, assertions

static void do_malloc(struct builtin_call *c)
{
	struct kernel_services *s = c->w->cta->x.launch->services;
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		c->ret[lane] = s->heap_alloc(s->ctx, c->arg[0][lane]);
	}
}

static void do_free(struct builtin_call *c)
{
	struct kernel_services *s = c->w->cta->x.launch->services;
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t addr = c->arg[0][lane];
		if (addr && !s->heap_free(s->ctx, addr)) {
			exec_fault(&c->w->w, c->u, FAULT_LAUNCH, lane, addr,
			           "free(0x%llx): no block of the device heap begins there, or it was freed before",
			           (unsigned long long)addr);
			return;
		}
		// What was cached as accessible may be gone.
		memset(c->w->cta->x.hit, 0, sizeof c->w->cta->x.hit);
	}
}

// __assertfail(message, file, line, function, char size)
static void do_assert(struct builtin_call *c)
{
	unsigned lane = (unsigned)__builtin_ctz(c->mask);
	char msg[256] = "?", file[256] = "?", func[128] = "?";
	lane_string(c->w, lane, c->arg[0][lane], msg, sizeof msg);
	lane_string(c->w, lane, c->arg[1][lane], file, sizeof file);
	lane_string(c->w, lane, c->arg[3][lane], func, sizeof func);
	exec_fault(&c->w->w, c->u, FAULT_ASSERT, lane, 0, "%s:%u: %s: Assertion `%s' failed", file,
	           (unsigned)c->arg[2][lane], func, msg);
}

static const struct builtin runtime[] = {
	{.name = "vprintf", .run = do_vprintf, .n_arg = 2},
	{.name = "malloc", .run = do_malloc, .n_arg = 1},
	{.name = "free", .run = do_free, .n_arg = 1},
	{.name = "__assertfail", .run = do_assert, .n_arg = 5},
	{.name = "__assert_fail", .run = do_assert, .n_arg = 4},
};

// --- mathematics: every function of libdevice is a builtin whose name lies inside its table's row

// Norms of vectors read an array: it is copied out of the lane's memory. Longer ones than this are cut.
enum { MAX_VECTOR = 1024 };

static bool vector_arg(struct builtin_call *c, unsigned lane, unsigned k, char type, void *copy, uint64_t *arg)
{
	int32_t n = (int32_t)arg[0];
	size_t bytes = n > 0 ? (size_t)(n < MAX_VECTOR ? n : MAX_VECTOR) * libdevice_size(type) : 0;
	if (n > MAX_VECTOR)
		arg[0] = MAX_VECTOR;
	if (!lane_read(c->w, lane, arg[k], copy, bytes)) {
		builtin_bad_pointer(c, lane, arg[k], "a vector");
		return false;
	}
	arg[k] = (uint64_t)(uintptr_t)copy;
	return true;
}

static void do_libdevice(const struct libdevice_fn *f, struct builtin_call *c)
{
	const char *param = f->signature + 2;
	unsigned n_param = (unsigned)strlen(param);
	if (c->n_arg < n_param) {
		exec_fault(&c->w->w, c->u, FAULT_INVALID_PC, (unsigned)__builtin_ctz(c->mask), 0, "'%s' takes %u arguments",
		           f->name, n_param);
		return;
	}
	for (uint32_t m = c->mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t arg[LIBDEVICE_MAX_ARGS], out[LIBDEVICE_MAX_OUT];
		double vector[MAX_VECTOR];
		for (unsigned k = 0; k < n_param; k++)
			arg[k] = c->arg[k][lane];
		for (unsigned k = 0; k < n_param; k++)
			if ((param[k] == 'a' || param[k] == 'b') && !vector_arg(c, lane, k, param[k], vector, arg))
				return;
		c->ret[lane] = f->fn(arg, out);
		for (unsigned k = 0, n = 0; k < n_param; k++) {
			if (!strchr("IFD", param[k]))
				continue;
			if (!lane_write(c->w, lane, c->arg[k][lane], &out[n++], libdevice_size(param[k]))) {
				builtin_bad_pointer(c, lane, c->arg[k][lane], "a result");
				return;
			}
		}
	}
}

static bool is_libdevice(const struct builtin *b)
{
	const struct libdevice_fn *f = (const struct libdevice_fn *)b;
	return f >= libdevice_table && f < libdevice_table + libdevice_count;
}

const struct builtin *builtin_find(const char *name)
{
	for (size_t k = 0; k < sizeof runtime / sizeof *runtime; k++)
		if (strcmp(runtime[k].name, name) == 0)
			return &runtime[k];
	const struct builtin *b = device_runtime_find(name);
	return b ? b : (const struct builtin *)libdevice_find(name);
}

enum isa_service builtin_service(const struct builtin *b) { return is_libdevice(b) ? ISA_SERVICE_NONE : b->service; }

void builtin_call(const struct builtin *b, struct builtin_call *c)
{
	if (is_libdevice(b)) {
		do_libdevice((const struct libdevice_fn *)b, c);
		return;
	}
	if (c->n_arg < b->n_arg) {
		exec_fault(&c->w->w, c->u, FAULT_INVALID_PC, (unsigned)__builtin_ctz(c->mask), 0, "'%s' takes %u arguments",
		           b->name, b->n_arg);
		return;
	}
	c->b = b;
	b->run(c);
}
