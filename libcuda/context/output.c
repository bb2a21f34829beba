#include "libcuda/context/output.h"

#include "base/mem.h"
#include "base/output.h"
#include "libcuda/context/context.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void append(struct output *o, const char *text, size_t n)
{
	VEC_RESERVE(&o->text, o->text.n + n);
	memcpy(o->text.at + o->text.n, text, n);
	o->text.n += n;
}

// Into a debug stream on the same standard output, where that is on.
static bool in_order(const char *text, size_t n)
{
	if (!cu.watch.in_order)
		return false;
	fwrite(text, 1, n, cu.watch.trace_out);
	return true;
}

// Takes the text of lost calls out. All of them stand before the others.
static void close_gaps(struct output *o)
{
	size_t to = 0, from = 0;
	for (size_t i = 0; i < o->first; i++) {
		const struct printed *p = &o->calls.at[i];
		memmove(o->text.at + to, o->text.at + from, p->at - from);
		to += p->at - from;
		from = p->at + p->n;
	}
	memmove(o->text.at + to, o->text.at + from, o->text.n - from);
	o->text.n -= from - to;
	size_t n = 0;
	for (size_t i = o->first; i < o->calls.n; i++)
		o->calls.at[n++] = (struct printed){o->calls.at[i].at - (from - to), o->calls.at[i].n};
	o->calls.n = n;
	o->first = o->dropped = 0;
}

void output_print(void *ctx, const char *text, size_t n)
{
	struct output *o = &cu.output;
	if (!n || in_order(text, n))
		return;
	while (o->held && o->held + n > cu.limit[CU_LIMIT_PRINTF]) {
		size_t gone = o->calls.at[o->first++].n;
		o->held -= gone;
		o->dropped += gone;
		o->lost++;
	}
	if (o->dropped > o->text.n / 2)
		close_gaps(o);
	VEC_PUSH(&o->calls, ((struct printed){o->text.n, n}));
	o->held += n;
	append(o, text, n);
}

void output_assertion(void *ctx, const char *text)
{
	cu_flush();
	fputs(text, stderr);
}

void output_put(const char *text, size_t n)
{
	if (!in_order(text, n))
		append(&cu.output, text, n);
}

void output_read_fifo(void)
{
	struct output *o = &cu.output;
	if (o->first)
		close_gaps(o);
	o->calls.n = o->held = 0;
	if (o->lost && !o->told) {
		fprintf(stderr, "heddle: kernels printed more than the %zu bytes of cudaLimitPrintfFifoSize before the program waited "
		        "for them; as on a GPU, the oldest %llu calls of printf are lost (cudaDeviceSetLimit makes the buffer "
		        "larger)\n", cu.limit[CU_LIMIT_PRINTF], (unsigned long long)o->lost);
		o->told = true;
	}
	o->lost = 0;
}

// All that is to be written, with the lock held; NULL if there is nothing.
static char *take(size_t *n)
{
	struct output *o = &cu.output;
	output_read_fifo();
	char *text = o->text.n ? o->text.at : NULL;
	*n = o->text.n;
	if (text)
		memset(&o->text, 0, sizeof o->text);
	return text;
}

// What is lost is said once. Who reads a pipe no more wants no more: the process ends as it would by a write of its own.
static void lost(int error)
{
	if (!atomic_exchange(&cu.output_failed, true))
		fprintf(stderr, "heddle: error: cannot write standard output: %s; statistics or what kernels print is lost\n", output_why(error));
	if (error == EPIPE)
		kill(getpid(), SIGPIPE);
}

// Without the lock: another thread may hold standard output and call us.
static void write_out(char *text, size_t n)
{
	if (!text)
		return;
	if (!output_write_through(stdout, text, n))
		lost(errno);
	mem_free(text);
}

void output_release(void)
{
	cu_flush();
	size_t n;
	char *text = take(&n);
	struct log_delivery *log = log_take(&cu.log);
	pthread_mutex_unlock(&cu.lock);
	write_out(text, n);
	log_deliver(log);
}
