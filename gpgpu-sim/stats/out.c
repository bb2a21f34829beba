// The two forms in which figures leave: text and JSON.
#include "gpgpu-sim/stats/stats.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void stat_put(stat_buffer *to, const char *text, size_t n)
{
	VEC_RESERVE(to, to->n + n);
	memcpy(to->at + to->n, text, n);
	to->n += n;
}

void stat_puts(struct stat_out *o, const char *text)
{
	if (!o->json)
		stat_put(o->text, text, strlen(text));
}

const char *stat_text_end(stat_buffer *b)
{
	VEC_RESERVE(b, b->n + 1);
	b->at[b->n] = 0;
	return b->at;
}

void stat_say(struct stat_out *o, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	if (o->json)
		return;
	if (!strchr(fmt, '%')) {
		stat_puts(o, fmt);
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	stat_puts(o, text);
}

static void quoted(FILE *f, const char *s)
{
	fputc('"', f);
	s += *s == '\t'; // names that stand indented
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20)
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

static void comma(struct stat_out *o)
{
	if (o->comma)
		fputc(',', o->json);
	o->comma = true;
}

void stat_begin(struct stat_out *o, const char *name, const char *unit, const char *kind, const char *help)
{
	if (!o->json)
		return;
	comma(o);
	fputs("\n  {\"name\":", o->json);
	quoted(o->json, name);
	fputs(",\"unit\":", o->json);
	quoted(o->json, unit);
	fputs(",\"kind\":", o->json);
	quoted(o->json, kind);
	fputs(",\"description\":", o->json);
	quoted(o->json, help);
	fputs(",\"value\":", o->json);
	o->comma = false;
}

void stat_end(struct stat_out *o)
{
	if (!o->json)
		return;
	fputc('}', o->json);
	o->comma = true;
}

void stat_open(struct stat_out *o, char bracket)
{
	if (!o->json)
		return;
	comma(o);
	fputc(bracket, o->json);
	o->comma = false;
}

void stat_close(struct stat_out *o, char bracket)
{
	if (!o->json)
		return;
	fputc(bracket, o->json);
	o->comma = true;
}

void stat_key(struct stat_out *o, const char *fmt, ...)
{
	char name[160];
	va_list ap;
	if (!o->json)
		return;
	va_start(ap, fmt);
	vsnprintf(name, sizeof name, fmt, ap);
	va_end(ap);
	comma(o);
	quoted(o->json, name);
	fputc(':', o->json);
	o->comma = false;
}

void stat_text(struct stat_out *o, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	if (!o->json)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	comma(o);
	quoted(o->json, text);
}

static void json_real(struct stat_out *o, double v)
{
	comma(o);
	if (isfinite(v))
		fprintf(o->json, "%.9g", v);
	else
		fputs("null", o->json);
}

// Statistics of a kernel have some ten thousand cells, nearly all "%llu" with a width, which printf takes its time for. False if fmt is
// anything else, or does not fit.
static bool plain_cell(char *to, size_t room, const char *fmt, uint64_t value)
{
	char digits[20];
	size_t width = 0, n = sizeof digits;
	char *end = to + room - 1;
	while (*fmt && *fmt != '%' && to < end)
		*to++ = *fmt++;
	if (*fmt++ != '%')
		return false;
	if (*fmt == '0')
		return false;
	while (*fmt >= '0' && *fmt <= '9')
		width = width * 10 + (size_t)(*fmt++ - '0');
	if (strncmp(fmt, "llu", 3))
		return false;
	do
		digits[--n] = (char)('0' + value % 10);
	while (value /= 10);
	size_t len = sizeof digits - n, rest = strlen(fmt += 3);
	if (strchr(fmt, '%') || (width > len ? width : len) + rest > (size_t)(end - to))
		return false;
	for (; width > len; width--)
		*to++ = ' ';
	memcpy(to, digits + n, len);
	memcpy(to + len, fmt, rest + 1);
	return true;
}

void stat_cell(struct stat_out *o, const char *fmt, uint64_t value)
{
	char text[80];
	if (o->json) {
		comma(o);
		fprintf(o->json, "%llu", (unsigned long long)value);
		return;
	}
	if (!plain_cell(text, sizeof text, fmt, value))
		snprintf(text, sizeof text, fmt, (unsigned long long)value);
	stat_puts(o, text);
}

void stat_cell_real(struct stat_out *o, const char *fmt, double value)
{
	char text[80];
	if (o->json) {
		json_real(o, value);
		return;
	}
	snprintf(text, sizeof text, fmt, value);
	stat_puts(o, text);
}

void stat_int(struct stat_out *o, const char *name, const char *before, const char *after, const char *unit, const char *kind,
              uint64_t value, const char *help)
{
	stat_begin(o, name, unit, kind, help);
	if (!o->json) {
		stat_puts(o, name);
		stat_puts(o, before);
		stat_cell(o, "%llu", value);
		stat_puts(o, after);
	}
	if (o->json)
		stat_cell(o, "", value);
	stat_end(o);
}

void stat_real(struct stat_out *o, const char *name, const char *before, const char *fmt, const char *after, const char *unit,
               const char *kind, double value, const char *help)
{
	stat_begin(o, name, unit, kind, help);
	stat_puts(o, name);
	stat_puts(o, before);
	stat_cell_real(o, fmt, value);
	stat_puts(o, after);
	stat_end(o);
}

double stat_ratio(double a, double b)
{
	float x = (float)a, y = (float)b;
	if (y != 0)
		return (double)(x / y);
	return x != 0 ? (double)INFINITY : copysign((double)NAN, -1);
}

double stat_share(const struct cache_sums *s) { return s->accesses ? (double)s->misses / (double)s->accesses : 0; }
double stat_port(uint64_t busy, const struct cache_sums *s) { return s->port_available ? stat_ratio(busy, s->port_available) : 0; }
uint64_t stat_rate(uint64_t n, double seconds) { return (uint64_t)(n / (seconds > 1e-3 ? seconds : 1e-3)); }

double stats_seconds(const struct stats *st)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - st->start.tv_sec) + (double)(now.tv_nsec - st->start.tv_nsec) * 1e-9;
}
