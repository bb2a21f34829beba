#include "libcuda/context/context.h"

#include "base/mem.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_COMPLAINTS = 50 };

struct context cu = {
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .work = PTHREAD_COND_INITIALIZER,
        .turn = PTHREAD_COND_INITIALIZER,
};

_Thread_local struct cu_thread cu_thread;

void cu_lock(void)
{
	atomic_fetch_add(&cu.wanting, 1);
	pthread_mutex_lock(&cu.lock);
	if (atomic_fetch_sub(&cu.wanting, 1) == 1)
		pthread_cond_signal(&cu.turn);
}

void cu_flush(void)
{
	if (cu.watch.progress.shown)
		fputs("\r\033[K", stderr);
	cu.watch.progress.shown = false;
	if (cu.watch.trace_out)
		fflush(cu.watch.trace_out);
}

// A function of the driver has the number of its form behind the name that programs use: cuMemFree_v2.
static size_t name_length(const char *api)
{
	size_t n = strlen(api);
	return n > 3 && api[n - 3] == '_' && api[n - 2] == 'v' ? n - 3 : n;
}

static const char *call_name(void) { return cu_thread.api ? cu_thread.api : "CUDA"; }

static void add_to_log(const char *about, const char *fmt, va_list ap)
{
	log_add(&cu.log, LOG_ERROR, about, about ? (int)name_length(about) : 0, fmt, ap);
	cu_thread.logged = true;
}

void cu_log(bool call, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	add_to_log(call ? call_name() : NULL, fmt, ap);
	va_end(ap);
}

void cu_log_failure(const char *name, const char *text)
{
	if (!cu_thread.logged)
		cu_log(true, "%s (%s)", text, name);
}

void cu_complain(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	add_to_log(call_name(), fmt, ap);
	va_end(ap);
	if (cu.complaints++ >= MAX_COMPLAINTS)
		return;
	va_start(ap, fmt);
	cu_flush();
	fprintf(stderr, "heddle: %.*s: ", (int)name_length(call_name()), call_name());
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	if (cu.complaints == MAX_COMPLAINTS)
		fputs("heddle: further messages about API calls are left out\n", stderr);
	va_end(ap);
}

// What is worth knowing about the run stands at the head of its statistics.
static void take_remarks(struct diag *d)
{
	if (cu.gpu)
		gpu_take_remarks(cu.gpu, d);
	for (const char *s = d->remarks, *end; s && *s; s = end + 1) {
		end = strchr(s, '\n');
		diag_remark(&cu.remarks, "%.*s", (int)(end - s), s);
	}
	mem_free(d->remarks);
	d->remarks = NULL;
}

void cu_print_diag(struct diag *d)
{
	if (!d->errors)
		take_remarks(d);
	diag_print(d);
	diag_free(d);
}
