// The table in docs/statistics.md, from the rows of stats.def.
#include "gpgpu-sim/stats/stats.h"

static void put_name(FILE *to, const char *name)
{
	name += *name == '\t';
	fprintf(to, "| `%s", name);
}

static void put_row(FILE *to, const char *name, const char *shape, const char *unit, const char *kind, const char *help)
{
	put_name(to, name);
	fprintf(to, "`%s%s | %s | %s | %s |", *shape ? " " : "", shape, unit, kind, help);
}

void stats_doc_print(FILE *to)
{
	bool brief = true;
	fputs("| Name | Unit | Kind | Meaning | `-stats short` |\n|---|---|---|---|---|\n", to);
#define ROW(name, shape, unit, kind, description)                        \
	put_row(to, name, shape, unit, STAT_KIND_##kind, description);   \
	fputs(brief ? " yes |\n" : " |\n", to);
#define STAT_INT(name, before, after, unit, kind, value, description) ROW(name, "", unit, kind, description)
#define STAT_REAL(name, before, format, after, unit, kind, value, description) ROW(name, "", unit, kind, description)
#define STAT_TABLE(name, shape, unit, kind, call, description) ROW(name, shape, unit, kind, description)
#define STAT_LONG brief = false;
#define STAT_LONG_END brief = true;
#include "gpgpu-sim/stats/stats.def"
	fputs("\nOf each DRAM channel (`Memory Partition N`); in JSON each is an array over channels.\n\n"
	      "| Name | Unit | Kind | Meaning |\n|---|---|---|---|\n", to);
#define CHANNEL_ROW(name, shape, unit, kind, description)                \
	put_row(to, name, shape, unit, STAT_KIND_##kind, description);   \
	fputc('\n', to);
#define STAT_CHANNEL_INT(name, before, after, unit, kind, value, description) CHANNEL_ROW(name, "", unit, kind, description)
#define STAT_CHANNEL_REAL(name, before, format, after, unit, kind, value, description) \
	CHANNEL_ROW(name, "", unit, kind, description)
#define STAT_CHANNEL_AGAIN(name, before, after, value)
#define STAT_CHANNEL_TABLE(name, shape, unit, kind, call, description) CHANNEL_ROW(name, shape, unit, kind, description)
#define STAT_CHANNEL_SAY(text)
#define STAT_CHANNEL_IF(condition)
#define STAT_CHANNEL_ENDIF
#include "gpgpu-sim/stats/stats.def"
	fputs("\nWhy a scheduler issued nothing in a cycle (`issue_slots`):\n\n| Reason | Meaning |\n|---|---|\n", to);
#define X(id, text) fprintf(to, "| `%s` | %s |\n", #id, text);
	SM_SLOT_REASONS(X)
#undef X
}
