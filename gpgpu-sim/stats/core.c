// Tables of the SMs, their caches and the network.
#include "gpgpu-sim/stats/stats.h"

#include "base/option_forms.h"

#include <stdlib.h>
#include <string.h>

static const char *const status_name[] = {
#define X(name) #name,
	CACHE_STATUSES(X)
#undef X
};

static const char *const fail_name[] = {
#define X(name) #name,
	CACHE_FAILS(X)
#undef X
};

static struct cache *data_cache(const struct sm *m) { return m->ldst.l1d.cache; }

void stat_l1d_cores(struct stat_out *o, const struct stat_view *v)
{
	const struct core_config *c = &v->t->core;
	stat_open(o, '[');
	for (unsigned i = 0; i < c->n_clusters; i++) {
		struct cache_sums sum = {0}, one;
		for (unsigned k = 0; k < c->cores_per_cluster; k++) {
			cache_sums(data_cache(&v->t->sm[i * c->cores_per_cluster + k]), &one);
			sum.accesses += one.accesses;
			sum.misses += one.misses;
			sum.pending_hits += one.pending_hits;
			sum.reservation_fails += one.reservation_fails;
		}
		stat_say(o, "\tL1D_cache_core[%u]: ", i);
		stat_sums(o, &sum);
	}
	stat_close(o, ']');
}

void stat_sums(struct stat_out *o, const struct cache_sums *s)
{
	stat_open(o, '{');
	stat_key(o, "Access");
	stat_cell(o, "Access = %llu, ", s->accesses);
	stat_key(o, "Miss");
	stat_cell(o, "Miss = %llu, ", s->misses);
	stat_key(o, "Miss_rate");
	stat_cell_real(o, "Miss_rate = %.3f, ", stat_ratio(s->misses, s->accesses));
	stat_key(o, "Pending_hits");
	stat_cell(o, "Pending_hits = %llu, ", s->pending_hits);
	stat_key(o, "Reservation_fails");
	stat_cell(o, "Reservation_fails = %llu\n", s->reservation_fails);
	stat_close(o, '}');
}

static uint64_t total_access(const struct cache_counts *c, unsigned type)
{
	uint64_t n = 0;
	for (unsigned s = 0; s < CACHE_N_STATUSES; s++)
		if (s != CACHE_RESERVATION_FAIL && s != CACHE_MSHR_HIT)
			n += c->n[type][s];
	return n;
}

static void breakdown_cell(struct stat_out *o, const char *name, unsigned type, const char *what, uint64_t n)
{
	const char *const head[] = {"\t", name, "[", mem_access_name[type], "][", what, "] = "};
	for (unsigned i = 0; i < sizeof head / sizeof *head; i++)
		stat_puts(o, head[i]);
	stat_key(o, "%s", what);
	stat_cell(o, "%llu\n", n);
}

// Totals stand behind all types in the text, with their type in JSON.
void stat_breakdown(struct stat_out *o, const char *name, const struct cache_counts *c)
{
	stat_open(o, '{');
	for (unsigned t = 0; t < MEM_N_ACCESS_TYPES; t++) {
		stat_key(o, "%s", mem_access_name[t]);
		stat_open(o, '{');
		for (unsigned s = 0; s < CACHE_N_STATUSES; s++)
			breakdown_cell(o, name, t, status_name[s], c->n[t][s]);
		if (o->json)
			breakdown_cell(o, name, t, "TOTAL_ACCESS", total_access(c, t));
		stat_close(o, '}');
	}
	for (unsigned t = 0; !o->json && t < MEM_N_ACCESS_TYPES; t++)
		if (total_access(c, t))
			breakdown_cell(o, name, t, "TOTAL_ACCESS", total_access(c, t));
	stat_close(o, '}');
}

void stat_fails(struct stat_out *o, const char *name, const struct cache_counts *c)
{
	stat_open(o, '{');
	for (unsigned t = 0; t < MEM_N_ACCESS_TYPES; t++) {
		uint64_t any = 0;
		for (unsigned f = 0; f < CACHE_N_FAILS; f++)
			any |= c->fail[t][f];
		if (!any)
			continue;
		stat_key(o, "%s", mem_access_name[t]);
		stat_open(o, '{');
		for (unsigned f = 0; f < CACHE_N_FAILS; f++)
			if (c->fail[t][f])
				breakdown_cell(o, name, t, fail_name[f], c->fail[t][f]);
		stat_close(o, '}');
	}
	stat_close(o, '}');
}

// --- issue

// Slots up to the highest that has issued.
void stat_issue_distro(struct stat_out *o, const struct stat_view *v)
{
	const struct timing *t = v->t;
	int which = t->opt->gpgpu_warp_issue_shader;
	if (which < 0 || (uint32_t)which >= t->core.n_sm)
		which = 0;
	const uint64_t *n = t->sm[which].stats.issued_by_slot;
	unsigned slots = CORE_MAX_WARPS;
	while (slots && !n[slots - 1])
		slots--;
	stat_say(o, "Shader %d warp_id issue ditsribution:\nwarp_id:\n", which);
	for (unsigned i = 0; i < slots; i++)
		stat_say(o, "%u, ", i);
	stat_say(o, "\ndistro:\n");
	stat_open(o, '[');
	for (unsigned i = 0; i < slots; i++)
		stat_cell(o, "%llu, ", n[i]);
	stat_close(o, ']');
	stat_say(o, "\n");
}

void stat_warp_occupancy(struct stat_out *o, const struct stat_view *v)
{
	enum { IDLE, SCOREBOARD, STALL };
	const struct timing *t = v->t;
	int which = t->opt->gpgpu_warpdistro_shader;
	const uint64_t *d = which >= 0 && (uint32_t)which < t->core.n_sm ? t->sm[which].stats.distro : v->sm.distro;
	stat_say(o, "Warp Occupancy Distribution:\n");
	stat_open(o, '{');
	stat_key(o, "Stall");
	stat_cell(o, "Stall:%llu", d[STALL]);
	stat_key(o, "W0_Idle");
	stat_cell(o, "\tW0_Idle:%llu", d[IDLE]);
	stat_key(o, "W0_Scoreboard");
	stat_cell(o, "\tW0_Scoreboard:%llu", d[SCOREBOARD]);
	for (unsigned i = 1; i <= t->core.warp_size; i++) {
		stat_say(o, "\tW%u:", i);
		stat_key(o, "W%u", i);
		stat_cell(o, "%llu", d[STALL + i]);
	}
	stat_close(o, '}');
	stat_say(o, "\n");
}

void stat_issue_nums(struct stat_out *o, const struct stat_view *v, const char *name, const uint64_t *n)
{
	stat_say(o, "%s: ", name);
	stat_open(o, '[');
	for (unsigned i = 0; i < v->t->core.n_schedulers; i++) {
		stat_say(o, "WS%u:", i);
		stat_cell(o, "%llu\t", n[i]);
	}
	stat_close(o, ']');
	stat_say(o, "\n");
}

void stat_issue_slots(struct stat_out *o, const struct stat_view *v)
{
	static const char *const name[] = {
#define X(id, text) #id,
		SM_SLOT_REASONS(X)
#undef X
	};
	uint64_t async = 0;
	for (unsigned i = 0; i < v->t->core.n_schedulers; i++)
		async += v->sm.slot[i][SM_SLOT_ASYNC];
	stat_say(o, "\n========= Issue slots =========\n");
	stat_open(o, '[');
	for (unsigned i = 0; i < v->t->core.n_schedulers; i++) {
		uint64_t all = 0;
		stat_open(o, '{');
		for (unsigned r = 0; r < SM_N_SLOT_REASONS; r++) {
			if (!(v->t->sm[0].core->slots >> r & 1) || (r == SM_SLOT_ASYNC && !async))
				continue;
			uint64_t n = v->sm.slot[i][r];
			all += n;
			stat_say(o, "issue_slots[WS%u][%s] = ", i, name[r]);
			stat_key(o, "%s", name[r]);
			stat_cell(o, "%llu\n", n);
		}
		stat_say(o, "issue_slots[WS%u][TOTAL] = ", i);
		stat_key(o, "TOTAL");
		stat_cell(o, "%llu\n", all);
		stat_close(o, '}');
	}
	stat_close(o, ']');
}

// --- the network

// Types in the order of their names, as GPGPU-Sim's map has them.
static const char *traffic_name(unsigned type)
{
	return type == TRAFFIC_ATOMIC ? "GLOBAL_ATOMIC" : mem_access_name[type];
}

void stat_traffic(struct stat_out *o, const struct stat_view *v, const char *name, unsigned direction)
{
	uint8_t order[TRAFFIC_TYPES];
	for (unsigned i = 0; i < TRAFFIC_TYPES; i++) {
		unsigned at = i;
		while (at && strcmp(traffic_name(order[at - 1]), traffic_name(i)) > 0) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = (uint8_t)i;
	}
	stat_open(o, '{');
	for (unsigned i = 0; i < TRAFFIC_TYPES; i++) {
		const uint64_t *n = v->t->stats.traffic[direction][order[i]];
		uint64_t bytes = 0;
		for (unsigned s = 0; s < TRAFFIC_SIZES; s++)
			bytes += n[s] * s * TRAFFIC_UNIT;
		if (!bytes)
			continue;
		stat_say(o, "traffic_breakdown_%s[%s] = ", name, traffic_name(order[i]));
		stat_key(o, "%s", traffic_name(order[i]));
		stat_open(o, '{');
		stat_key(o, "bytes");
		stat_cell(o, "%llu {", bytes);
		for (unsigned s = 0; s < TRAFFIC_SIZES; s++) {
			if (!n[s])
				continue;
			stat_say(o, "%u:", s * TRAFFIC_UNIT);
			stat_key(o, "%u", s * TRAFFIC_UNIT);
			stat_cell(o, "%llu,", n[s]);
		}
		stat_say(o, "}\n");
		stat_close(o, '}');
	}
	stat_close(o, '}');
}

// A line "name = value" of what the network printed, for JSON. Lines that begin with a blank go with the one before.
static void icnt_line(struct stat_out *o, const char *line, size_t len, char head[80])
{
	const char *eq = memchr(line, '=', len);
	char *end;
	if (!eq)
		return;
	double value = strtod(eq + 1, &end);
	size_t n = (size_t)(eq - line), skip = 0;
	while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	while (skip < n && (line[skip] == ' ' || line[skip] == '\t'))
		skip++;
	if (end == eq + 1)
		return;
	if (!skip)
		snprintf(head, 80, "%.*s", (int)n, line);
	stat_open(o, '{');
	stat_key(o, "name");
	if (skip)
		stat_text(o, "%s, %.*s", head, (int)(n - skip), line + skip);
	else
		stat_text(o, "%s", head);
	stat_key(o, "value");
	stat_cell_real(o, "", value);
	stat_close(o, '}');
}

void stat_icnt(struct stat_out *o, const struct stat_view *v)
{
	char head[80] = "";
	if (!o->json) {
		stat_say(o, "----------------------------Interconnect-DETAILS--------------------------------\n");
		stat_puts(o, v->icnt_text);
		stat_say(o, "----------------------------END-of-Interconnect-DETAILS-------------------------\n");
		return;
	}
	stat_open(o, '[');
	for (const char *s = v->icnt_text; *s;) {
		size_t len = strcspn(s, "\n");
		icnt_line(o, s, len, head);
		s += len + (s[len] == '\n');
	}
	stat_close(o, ']');
}
