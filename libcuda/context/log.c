#include "libcuda/context/log.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 25600 };

static _Thread_local bool in_callback; // what a callback does wrong is logged, but not told to it

// --- messages

static void drop_oldest(struct log *l)
{
	l->bytes -= l->kept.at[0].n + 1;
	free(l->kept.at[0].text);
	memmove(l->kept.at, l->kept.at + 1, --l->kept.n * sizeof *l->kept.at);
}

const char *log_prefix(enum log_level level) { return level == LOG_ERROR ? "[CUDA][E] " : "[CUDA][W] "; }

void log_add(struct log *l, enum log_level level, const char *about, int about_length, const char *fmt, va_list ap)
{
	struct log_message m = {.level = level};
	FILE *f = open_memstream(&m.text, &m.n);
	fputs(log_prefix(level), f);
	if (about)
		fprintf(f, "%.*s: ", about_length, about);
	vfprintf(f, fmt, ap);
	fclose(f);
	VEC_PUSH(&l->kept, m);
	l->bytes += m.n + 1;
	l->next++;
	while (l->bytes > MOST_BYTES && l->kept.n > 1)
		drop_oldest(l);
}

// --- callbacks

struct log_delivery {
	VEC(struct log_callback) to;
	VEC(struct log_message) messages;
};

static void take_callback(void *callback, void *delivery)
{
	struct log_delivery *d = delivery;
	VEC_PUSH(&d->to, *(struct log_callback *)callback);
}

struct log_delivery *log_take(struct log *l)
{
	if (l->told == l->next)
		return NULL;
	uint32_t fresh = l->next - l->told, kept = (uint32_t)l->kept.n;
	l->told = l->next;
	if (!l->callbacks.live || in_callback)
		return NULL;
	struct log_delivery *d = MEM_NEW(struct log_delivery);
	handle_each(&l->callbacks, take_callback, d);
	for (uint32_t i = fresh < kept ? kept - fresh : 0; i < kept; i++) {
		struct log_message m = l->kept.at[i];
		m.text = memcpy(mem_alloc(m.n + 1), m.text, m.n + 1);
		VEC_PUSH(&d->messages, m);
	}
	return d;
}

void log_deliver(struct log_delivery *d)
{
	if (!d)
		return;
	in_callback = true;
	for (size_t i = 0; i < d->messages.n; i++) {
		struct log_message *m = &d->messages.at[i];
		for (size_t k = 0; k < d->to.n; k++)
			d->to.at[k].f(d->to.at[k].data, m->level, m->text, m->n);
		mem_free(m->text);
	}
	in_callback = false;
	VEC_FREE(&d->to);
	VEC_FREE(&d->messages);
	mem_free(d);
}
