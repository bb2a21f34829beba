#include "isa/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *place_name(const char *name, char buf[PLACE_NAME_SHOWN + 4])
{
	if (strlen(name) <= PLACE_NAME_SHOWN)
		return name;
	snprintf(buf, PLACE_NAME_SHOWN + 4, "%.*s...", PLACE_NAME_SHOWN, name);
	return buf;
}

void place_print(const struct fe_place *p, uint64_t pc, char *buf, size_t len)
{
	int n;
	char shown[PLACE_NAME_SHOWN + 4];
	const char *name = place_name(p->function, shown);
	if (p->line)
		n = snprintf(buf, len, "%s:%u in %s: %s", p->file, p->line, name, p->text);
	else
		n = snprintf(buf, len, "pc 0x%" PRIx64 " in %s of %s: %s", pc, name, p->file, p->text);
	if (p->source && n > 0 && (size_t)n < len)
		snprintf(buf + n, len - (size_t)n, " (%s:%u)", p->source, p->source_line);
}

void place_line(const struct fe_place *p, uint32_t number, char *file, size_t len, uint32_t *line)
{
	*line = p->line ? p->line : p->source ? p->source_line : number;
	if (p->line || p->source)
		snprintf(file, len, "%s", p->line ? p->file : p->source);
	else
		snprintf(file, len, "%.200s of %s", p->function, p->file);
}
