#include "gpgpu-sim/look/debug_streams.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const struct dbg_info dbg_table[DBG_N_STREAMS] = {
#define DBG_STREAM(name, level, sampled, help) {#name, help, #sampled, level},
#include "gpgpu-sim/look/debug_streams.def"
};

static uint32_t sampled(char by)
{
	uint32_t mask = 0;
	for (unsigned s = 0; s < DBG_N_STREAMS; s++)
		if (dbg_table[s].sampled[0] == by)
			mask |= 1u << s;
	return mask;
}

static void unknown(const char *name, size_t n, struct diag *d)
{
	char all[512] = "";
	for (unsigned s = 0; s < DBG_N_STREAMS; s++) {
		size_t at = strlen(all);
		snprintf(all + at, sizeof all - at, "%s%s", s ? ", " : "", dbg_table[s].name);
	}
	diag_add(d, DIAG_ERROR, "option '-trace_components': there is no debug stream '%.*s'; there are %s, and ALL", (int)n, name, all);
}

static bool add_streams(struct dbg_streams *t, const char *list, struct diag *d)
{
	bool ok = true;
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, ", \t");
		unsigned s = 0;
		while (s < DBG_N_STREAMS && (strlen(dbg_table[s].name) != n || strncasecmp(dbg_table[s].name, p, n)))
			s++;
		if (s < DBG_N_STREAMS) {
			t->mask |= 1u << s;
		} else if (n == 3 && !strncasecmp(p, "ALL", 3)) {
			t->mask = (1u << DBG_N_STREAMS) - 1;
		} else if (n && !(n == 4 && !strncmp(p, "none", 4))) {
			unknown(p, n, d);
			ok = false;
		}
		p += n + (p[n] != 0);
	}
	return ok;
}

bool dbg_init(struct dbg_streams *t, const struct options *o, const char *debug_level, struct diag *d)
{
	char *end = NULL;
	long level = debug_level ? strtol(debug_level, &end, 10) : 0;
	if (end && *end) {
		diag_add(d, DIAG_ERROR, "PTX_SIM_DEBUG is a level from 0 to 8 (docs/debugging.md lists them), not '%.60s'", debug_level);
		return false;
	}
	t->mask = 0;
	t->core = o->trace_sampling_core;
	t->partition = o->trace_sampling_memory_partition;
	for (unsigned s = 0; s < DBG_N_STREAMS; s++)
		if (level >= dbg_table[s].level)
			t->mask |= 1u << s;
	return !o->trace_enabled || add_streams(t, o->trace_components, d);
}

static uint32_t mask_for(const struct dbg_streams *t, int32_t only, unsigned unit, char by)
{
	return t && (only < 0 || (unsigned)only == unit) ? t->mask & sampled(by) : 0;
}

uint32_t dbg_core_mask(const struct dbg_streams *t, unsigned core) { return mask_for(t, t ? t->core : 0, core, 'C'); }
uint32_t dbg_partition_mask(const struct dbg_streams *t, unsigned channel) { return mask_for(t, t ? t->partition : 0, channel, 'P'); }
uint32_t dbg_other_mask(const struct dbg_streams *t) { return mask_for(t, -1, 0, 'A'); }

void dbg_format(char line[DBG_LINE], enum dbg_stream s, uint64_t cycle, const char *fmt, va_list ap)
{
	int n = snprintf(line, DBG_LINE, "GPGPU-Sim Cycle %llu: %s - ", (unsigned long long)cycle, dbg_table[s].name);
	int m = vsnprintf(line + n, DBG_LINE - (size_t)n - 1, fmt, ap);
	n += m < 0 ? 0 : m;
	if (n > DBG_LINE - 2)
		n = DBG_LINE - 2;
	line[n] = '\n';
	line[n + 1] = 0;
}

void dbg_line(const struct dbg_streams *t, enum dbg_stream s, uint64_t cycle, const char *fmt, ...)
{
	char line[DBG_LINE];
	va_list ap;
	va_start(ap, fmt);
	dbg_format(line, s, cycle, fmt, ap);
	va_end(ap);
	t->put(t->ctx, line);
}
