#include "base/lines.h"

#include <stdarg.h>
#include <stdio.h>

void lines_say(struct lines *to, const char *fmt, ...)
{
	char text[LINES_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	to->put(to->ctx, text);
	to->n++;
}
