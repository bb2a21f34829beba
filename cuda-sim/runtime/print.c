// printf of kernels: the format is gone through by the simulator, with arguments out of the lane's memory.
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/runtime/builtin_fault.h"
#include "cuda-sim/runtime/lane_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void builtin_vprintf(struct builtin_call *c)
{
	struct kernel_services *s = c->w->cta->launch->services;
	for (uint32_t m = c->mask; m && !builtin_interrupted(c); m &= m - 1) {
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
