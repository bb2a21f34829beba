#include "base/option_forms.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A place in a value. Blanks between fields are skipped: values that span lines are joined with blanks.
struct cursor {
	const char *text, *p;
	struct form_error *err;
};

static struct cursor start(const char *text, struct form_error *err)
{
	return (struct cursor){text, text, err};
}

__attribute__((format(printf, 2, 3))) static bool wrong(struct cursor *c, const char *fmt, ...)
{
	c->err->at = c->p - c->text;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(c->err->why, sizeof c->err->why, fmt, ap);
	va_end(ap);
	return false;
}

static char peek(struct cursor *c)
{
	while (*c->p == ' ' || *c->p == '\t')
		c->p++;
	return *c->p;
}

static bool take(struct cursor *c, char want)
{
	if (peek(c) != want)
		return false;
	c->p++;
	return true;
}

static bool expect(struct cursor *c, char want, const char *before)
{
	return take(c, want) || wrong(c, "'%c' expected before the %s", want, before);
}

static bool at_end(struct cursor *c)
{
	return !peek(c) || wrong(c, "the value should end here");
}

static bool number(struct cursor *c, const char *what, uint64_t max, uint64_t *out)
{
	if (!isdigit((unsigned char)peek(c)))
		return wrong(c, "a number expected: %s", what);
	const char *begin = c->p;
	uint64_t v = 0;
	for (; isdigit((unsigned char)*c->p); c->p++) {
		v = v * 10 + (*c->p - '0');
		if (v > max) {
			c->p = begin;
			return wrong(c, "%s is at most %llu", what, (unsigned long long)max);
		}
	}
	*out = v;
	return true;
}

static bool number32(struct cursor *c, const char *what, uint32_t max, uint32_t *out)
{
	uint64_t v;
	if (!number(c, what, max, &v))
		return false;
	*out = v;
	return true;
}

static bool letter(struct cursor *c, const char *what, const char *allowed, char *out)
{
	char have = peek(c);
	if (!have || !strchr(allowed, have))
		return wrong(c, "the %s is one of the letters %s", what, allowed);
	*out = *c->p++;
	return true;
}

static bool cache_geometry(struct cursor *c, struct cache_form *f)
{
	f->kind = 'N';
	if (isalpha((unsigned char)peek(c)) && (!letter(c, "kind of cache", "NS", &f->kind) || !expect(c, ':', "sets")))
		return false;
	if (!number32(c, "sets", 1 << 20, &f->sets) || !expect(c, ':', "line size"))
		return false;
	const char *line = c->p;
	if (!number32(c, "line size", 4096, &f->line) || !expect(c, ':', "ways") ||
	    !number32(c, "ways", 1 << 16, &f->ways))
		return false;
	if (!f->sets || !f->ways || f->line < 4 || (f->line & (f->line - 1))) {
		c->p = line;
		return wrong(c, "sets and ways are at least 1, the line size a power of two from 4 to 4096");
	}
	return true;
}

// Letters of enum cache_replacement, in its order.
static const char replacements[] = {[REPLACE_LRU] = 'L', [REPLACE_FIFO] = 'F', [REPLACE_RANDOM] = 'R', [REPLACE_SRRIP] = 'S', 0};

static bool cache_policy(struct cursor *c, struct cache_form *f)
{
	f->write_allocate = 'N';
	f->index = 'L';
	char replacement;
	if (!expect(c, ',', "replacement policy") || !letter(c, "replacement policy", replacements, &replacement))
		return false;
	f->replacement = strchr(replacements, replacement) - replacements;
	if (!expect(c, ':', "write policy") || !letter(c, "write policy", "RBTEL", &f->write) ||
	    !expect(c, ':', "allocation policy"))
		return false;
	const char *allocate = c->p;
	if (!letter(c, "allocation policy", "mfs", &f->allocate))
		return false;
	if (take(c, ':') && !letter(c, "write allocation policy", "NWFL", &f->write_allocate))
		return false;
	if (take(c, ':') && !letter(c, "set index", "LXHPC", &f->index))
		return false;
	c->p = allocate;
	// A write-back cache needs its line when it is written, before any fill; GPGPU-Sim refuses these as well.
	if (f->write == 'B' && f->allocate != 'm')
		return wrong(c, "a write-back cache allocates on miss (m)");
	if (f->allocate == 'f' && (f->write_allocate == 'F' || f->write_allocate == 'L'))
		return wrong(c, "write allocation F or L needs allocation on miss (m)");
	while (*c->p && *c->p != ',')
		c->p++;
	return true;
}

bool form_cache(const char *text, struct cache_form *out, struct form_error *err)
{
	struct cursor c = start(text, err);
	*out = (struct cache_form){0};
	if (!strcmp(text, "none"))
		return true;
	out->present = true;
	if (!cache_geometry(&c, out) || !cache_policy(&c, out))
		return false;
	if (!expect(&c, ',', "MSHR kind") || !letter(&c, "MSHR kind", "ASFT", &out->mshr) ||
	    !expect(&c, ':', "MSHR entries") || !number32(&c, "MSHR entries", 1 << 20, &out->mshr_entries) ||
	    !expect(&c, ':', "MSHR merges") || !number32(&c, "MSHR merges", 1 << 20, &out->mshr_merges))
		return false;
	if (take(&c, ',') && !number32(&c, "miss queue", 1 << 20, &out->miss_queue))
		return false;
	if (take(&c, ':') && !number32(&c, "result FIFO", 1 << 20, &out->result_fifo))
		return false;
	if (take(&c, ',') && !number32(&c, "port width", 4096, &out->port_width))
		return false;
	return at_end(&c);
}

bool form_clocks(const char *text, uint64_t hz[CLOCKS_N], struct form_error *err)
{
	static const char *const what[CLOCKS_N] = {"core clock", "interconnect clock", "L2 clock", "DRAM clock"};
	struct cursor c = start(text, err);
	for (int i = 0; i < CLOCKS_N; i++) {
		if (i && !expect(&c, ':', what[i]))
			return false;
		const char *begin = c.p;
		if (!number(&c, what[i], 100000, &hz[i]))
			return false;
		hz[i] *= 1000000;
		if (*c.p == '.') {
			c.p++;
			for (uint64_t unit = 100000; isdigit((unsigned char)*c.p); c.p++, unit /= 10)
				hz[i] += unit * (*c.p - '0');
		}
		if (!hz[i]) {
			c.p = begin;
			return wrong(&c, "the %s is above 0 MHz", what[i]);
		}
	}
	return at_end(&c);
}

bool form_numbers(const char *text, char separator, int64_t *out, size_t max, size_t *n, struct form_error *err)
{
	struct cursor c = start(text, err);
	*n = 0;
	do {
		uint64_t v;
		if (*n == max)
			return wrong(&c, "at most %zu numbers", max);
		if (!number(&c, "list entry", INT64_MAX / 10, &v))
			return false;
		out[(*n)++] = v;
	} while (take(&c, separator));
	return at_end(&c);
}

bool form_sampling(const char *text, struct sampling_form *out, struct form_error *err)
{
	struct cursor c = start(text, err);
	*out = (struct sampling_form){0};
	if (!number(&c, "the sampling interval", INT64_MAX / 10, &out->interval))
		return false;
	if (!take(&c, ':'))
		return at_end(&c);
	if (peek(&c) == '0' && (c.p[1] == 'x' || c.p[1] == 'X'))
		c.p += 2;
	if (!isxdigit((unsigned char)*c.p))
		return wrong(&c, "a hex number expected: what to print at each sampling point");
	for (; isxdigit((unsigned char)*c.p); c.p++) {
		if (out->flags >> 28)
			return wrong(&c, "flags have at most eight hex digits");
		int digit = tolower((unsigned char)*c.p);
		out->flags = out->flags << 4 | (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
	}
	return at_end(&c);
}

static const struct {
	const char *key;
	size_t offset;
	bool required;
} timing_keys[] = {
#define KEY(name, required) {#name, offsetof(struct dram_timing_form, name), required}
	KEY(nbk, true), KEY(CCD, true),     KEY(RRD, true),   KEY(RCD, true),   KEY(RAS, true),
	KEY(RP, true),  KEY(RC, true),      KEY(CL, true),    KEY(WL, true),    KEY(CDLR, true),
	KEY(WR, true),  KEY(nbkgrp, false), KEY(CCDL, false), KEY(RTPL, false),
	KEY(nrank, false), KEY(FAW, false), KEY(RTRS, false), KEY(REFI, false), KEY(RFC, false),
#undef KEY
};
enum { TIMING_KEYS = sizeof timing_keys / sizeof *timing_keys };

// The index of the key at the cursor, which moves behind its '='.
static int timing_key(struct cursor *c)
{
	size_t len = strcspn(c->p, "=: \t");
	for (int i = 0; i < TIMING_KEYS; i++) {
		if (strlen(timing_keys[i].key) != len || memcmp(timing_keys[i].key, c->p, len))
			continue;
		c->p += len;
		return expect(c, '=', "value of the timing key") ? i : -1;
	}
	wrong(c, "no such timing key; they are nbk CCD RRD RCD RAS RP RC CL WL CDLR WR nbkgrp CCDL RTPL "
	         "nrank FAW RTRS REFI RFC");
	return -1;
}

bool form_dram_timing(const char *text, struct dram_timing_form *out, struct form_error *err)
{
	struct cursor c = start(text, err);
	uint32_t seen = 0;
	*out = (struct dram_timing_form){.nbkgrp = 1, .nrank = 1};
	bool named = isalpha((unsigned char)peek(&c));
	int next = 0;
	do {
		peek(&c);
		int k = named ? timing_key(&c) : next++;
		if (k < 0)
			return false;
		if (k == TIMING_KEYS)
			return wrong(&c, "at most %d numbers", TIMING_KEYS);
		if (!number32(&c, timing_keys[k].key, 100000, (uint32_t *)((char *)out + timing_keys[k].offset)))
			return false;
		seen |= 1u << k;
	} while (take(&c, ':'));
	for (int i = 0; i < TIMING_KEYS; i++)
		if (timing_keys[i].required && !(seen & 1u << i))
			return wrong(&c, "%s is missing", timing_keys[i].key);
	if (!out->nbk || !out->nbkgrp || out->nbk % out->nbkgrp)
		return wrong(&c, "nbk is a multiple of nbkgrp, both at least 1");
	if (!out->nrank || out->nbk % out->nrank)
		return wrong(&c, "nbk is a multiple of nrank, at least 1");
	if (!out->REFI != !out->RFC || (out->REFI && out->REFI <= out->RFC))
		return wrong(&c, "REFI is more than RFC, and both are given or none");
	return at_end(&c);
}

bool form_address_map(const char *text, struct address_map_form *out, struct form_error *err)
{
	struct cursor c = start(text, err);
	*out = (struct address_map_form){.channel_bit = -1};
	if (!*text)
		return true;
	if (!strncmp(c.p, "dramid@", 7)) {
		uint64_t bit;
		c.p += 7;
		if (!number(&c, "channel bit", 63, &bit) || !expect(&c, ';', "address bits"))
			return false;
		out->channel_bit = bit;
	}
	int bit = 63;
	for (; *c.p; c.p++) {
		char bit_letter = toupper((unsigned char)*c.p);
		if (strchr("._| \t", bit_letter))
			continue;
		if (bit < 0)
			return wrong(&c, "more than 64 address bits");
		uint64_t mask = 1ull << bit--;
		switch (bit_letter) {
		case '0': break;
		case 'D': out->channel |= mask; break;
		case 'B': out->bank |= mask; break;
		case 'R': out->row |= mask; break;
		case 'C': out->column |= mask; break;
		case 'S': out->column |= mask, out->burst |= mask; break;
		default: return wrong(&c, "an address bit is one of D (channel) B R C S 0");
		}
	}
	if (bit >= 0)
		return wrong(&c, "%d of 64 address bits are missing", bit + 1);
	return true;
}

// Each scheduler with the numbers that follow its name.
static const char *const schedulers[] = {
	[SCHEDULER_LRR] = "lrr",
	[SCHEDULER_GTO] = "gto",
	[SCHEDULER_OLD] = "old",
	[SCHEDULER_RRR] = "rrr",
	[SCHEDULER_TWO_LEVEL] = "two_level_active:N:INNER:OUTER",
	[SCHEDULER_SWL] = "warp_limiting:PRIO:N",
};
enum { N_SCHEDULERS = sizeof schedulers / sizeof *schedulers };

// Which of `n` forms the value has, by its name; `n` and an error if none. The cursor stands behind the name.
static size_t find_name(struct cursor *c, const char *what, const char *const *forms, size_t n)
{
	size_t len = strcspn(c->text, ":"), k = 0;
	while (k < n && (strcspn(forms[k], ":") != len || memcmp(forms[k], c->text, len)))
		k++;
	if (k < n) {
		c->p += len;
		return k;
	}
	char known[sizeof c->err->why] = "";
	for (size_t i = 0, at = 0; i < n && at < sizeof known; i++)
		at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", forms[i]);
	wrong(c, "%s are %s", what, known);
	return n;
}

bool form_scheduler(const char *text, struct scheduler_form *out, struct form_error *err)
{
	struct cursor c = start(text, err);
	*out = (struct scheduler_form){0};
	size_t k = find_name(&c, "schedulers", schedulers, N_SCHEDULERS);
	if (k == N_SCHEDULERS)
		return false;
	out->kind = k;
	uint32_t *arg = out->arg;
	for (const char *p = schedulers[k]; *p; p++)
		if (*p == ':' &&
		    (!expect(&c, ':', "scheduler's next number") || !number32(&c, "scheduler number", 1 << 16, arg++)))
			return false;
	if (!at_end(&c))
		return false;
	// With no warp that it may choose, a scheduler would never issue.
	if (k == SCHEDULER_TWO_LEVEL && !out->arg[0])
		return wrong(&c, "two_level_active:N:INNER:OUTER keeps N warps active, at least 1");
	if (k == SCHEDULER_SWL && !out->arg[1])
		return wrong(&c, "warp_limiting:PRIO:N lets N warps run, at least 1");
	return true;
}

static const char *const prefetchers[] = {
	[PREFETCH_NONE] = "none",
	[PREFETCH_NEXT_LINE] = "next_line:DEGREE",
	[PREFETCH_TAGGED] = "tagged:DEGREE",
};
enum { N_PREFETCHERS = sizeof prefetchers / sizeof *prefetchers, MAX_DEGREE = 64 };

bool form_prefetch(const char *text, struct prefetch_form *out, struct form_error *err)
{
	struct cursor c = start(text, err);
	*out = (struct prefetch_form){0};
	size_t k = find_name(&c, "prefetchers", prefetchers, N_PREFETCHERS);
	if (k == N_PREFETCHERS)
		return false;
	out->policy = k;
	if (k == PREFETCH_NONE)
		return at_end(&c);
	if (!expect(&c, ':', "lines to fetch ahead"))
		return false;
	const char *begin = c.p;
	if (!number32(&c, "the number of lines to fetch ahead", MAX_DEGREE, &out->degree))
		return false;
	if (!out->degree) {
		c.p = begin;
		return wrong(&c, "at least 1 line is fetched ahead; none turns prefetching off");
	}
	return at_end(&c);
}

bool form_unit(const char *text, struct unit_form *out, struct form_error *err)
{
	struct cursor c = start(text, err);
	*out = (struct unit_form){0};
	uint32_t enabled;
	if (!number32(&c, "enabled", 1, &enabled) || !expect(&c, ',', "count") ||
	    !number32(&c, "count", 64, &out->count) || !expect(&c, ',', "latency") ||
	    !number32(&c, "latency", 100000, &out->latency) || !expect(&c, ',', "issue width") ||
	    !number32(&c, "issue width", 64, &out->issue_width) || !expect(&c, ',', "execute width") ||
	    !number32(&c, "execute width", 64, &out->execute_width) || !expect(&c, ',', "name"))
		return false;
	out->enabled = enabled;
	size_t len = strlen(c.p);
	if (!len || len >= sizeof out->name)
		return wrong(&c, "the name of the unit has 1 to %zu letters", sizeof out->name - 1);
	memcpy(out->name, c.p, len + 1);
	return true;
}

bool form_execute(const char *text, enum execute *out, struct form_error *err)
{
	static const char *const name[] = {
	        [EXECUTE_DEFAULT] = "default", [EXECUTE_PTX] = "ptx", [EXECUTE_SASS] = "sass", [EXECUTE_AUTO] = "auto"};
	struct cursor c = start(text, err);
	for (unsigned k = 0; k < sizeof name / sizeof *name; k++)
		if (!strcmp(text, name[k])) {
			*out = (enum execute)k;
			return true;
		}
	return wrong(&c, "the code to execute is ptx, sass (machine code), auto or default");
}

bool form_numerics(const char *text, bool *plain, struct form_error *err)
{
	struct cursor c = start(text, err);
	*plain = !strcmp(text, "plain");
	return *plain || !strcmp(text, "gpu") || wrong(&c, "matrix products add up as those of the gpu, or plain");
}

bool form_stats(const char *text, bool *brief, struct form_error *err)
{
	struct cursor c = start(text, err);
	*brief = !strcmp(text, "short");
	return *brief || !strcmp(text, "full") || wrong(&c, "the statistics of a kernel are full, or short");
}
