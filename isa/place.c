#include "isa/place.h"

#include <inttypes.h>

void place_print(const struct fe_place *p, uint64_t pc, char *buf, size_t len)
{
	int n;
	if (p->line)
		n = snprintf(buf, len, "%s:%u in %s: %s", p->file, p->line, p->function, p->text);
	else
		n = snprintf(buf, len, "pc 0x%" PRIx64 " in %s of %s: %s", pc, p->function, p->file, p->text);
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
