// The threads that step SMs together, and what each has for itself.
#include "gpgpu-sim/gpu/timing_internal.h"

#include "base/mem.h"
#include "base/team.h"

#include <string.h>

unsigned timing_shares(const struct timing *t)
{
	const unsigned n = t->opt->threads > 1 ? (unsigned)t->opt->threads : 1;
	HEDDLE_ASSERT(n <= TEAM_MAX_THREADS); // the option's range
	return n < t->core.n_clusters ? n : t->core.n_clusters;
}

void timing_share_out(struct timing *t, const struct sm_world *world)
{
	const unsigned n = timing_shares(t), words = (t->core.n_sm + 63) / 64;
	t->share = mem_alloc_lines(n * sizeof *t->share);
	for (unsigned i = 0; i < n; i++) {
		struct step_share *s = &t->share[i];
		uint64_t **set[] = {&s->news, &s->sent, &s->at_network, &s->woken, &s->asleep, &s->filled, &s->emptied};
		uint64_t *sets = mem_alloc_lines(sizeof set / sizeof *set * words * sizeof *sets);
		s->timing = t;
		s->number = i;
		s->soonest = UINT64_MAX;
		for (unsigned k = 0; k < sizeof set / sizeof *set; k++)
			*set[k] = sets + k * words;
		s->world = *world;
		s->world.ctx = s;
	}
	if (n > 1)
		t->drawn = mem_alloc(t->core.n_clusters * sizeof *t->drawn);
	if (n > 1)
		t->due = mem_alloc(t->core.n_clusters * sizeof *t->due);
	if (n > 1)
		t->answers.sent = mem_alloc((memory_n_sub(t->memory) + 63) / 64 * sizeof *t->answers.sent);
	if (n > 1)
		t->due_channel = mem_alloc(memory_n_channels(t->memory) * sizeof *t->due_channel);
	memory_count_apart(t->memory, n);
}

static void take_bits(uint64_t *from, uint64_t *to, unsigned words)
{
	for (unsigned w = 0; w < words; w++) {
		to[w] |= from[w];
		from[w] = 0;
	}
}

// The bits of `on` are set in `set`, then those of `off` are cleared.
static void change_bits(uint64_t *set, uint64_t *on, uint64_t *off, unsigned words)
{
	for (unsigned w = 0; w < words; w++) {
		set[w] = (set[w] | on[w]) & ~off[w];
		on[w] = off[w] = 0;
	}
}

void timing_take_counts(struct timing *t, struct step_share *s)
{
	for (unsigned dir = 0; dir < 2; dir++)
		for (unsigned type = 0; type < TRAFFIC_TYPES; type++)
			for (unsigned size = 0; size < TRAFFIC_SIZES; size++)
				t->stats.traffic[dir][type][size] += s->traffic[dir][type][size];
	memset(s->traffic, 0, sizeof s->traffic);
	t->stats.parallel_replies += s->answers;
	t->stats.stall_icnt2sh += s->refused_answers;
	icnt_count_refused(t->icnt, ICNT_REPLY, s->refused_answers);
	s->answers = s->refused_answers = 0;
}

void timing_take_share(struct timing *t, struct step_share *s)
{
	const unsigned words = (t->core.n_sm + 63) / 64;
	t->ticks += s->ticks;
	t->calls += s->calls;
	s->ticks = s->calls = 0;
	if (s->soonest < t->soonest)
		t->soonest = s->soonest;
	s->soonest = UINT64_MAX;
	if (s->any_news)
		take_bits(s->news, t->news, words);
	if (s->any_sent)
		take_bits(s->sent, t->sent, words);
	t->any_news |= s->any_news;
	t->any_sent |= s->any_sent;
	s->any_news = s->any_sent = false;
	take_bits(s->at_network, t->at_network, words);
	change_bits(t->awake, s->woken, s->asleep, words);
	change_bits(t->with_responses, s->filled, s->emptied, (t->core.n_clusters + 63) / 64);
}

void timing_team_up(struct timing *t)
{
	if (t->team || !t->due)
		return;
	t->team = team_new(timing_shares(t), t);
	team_dawdle(t->team, t->dawdle);
	mem_pool_apart(t->pool, true);
}

void timing_share_free(struct timing *t)
{
	team_free(t->team);
	for (unsigned i = 0; t->share && i < timing_shares(t); i++) {
		mem_free(t->share[i].news);
		mem_free(t->share[i].world.lines);
	}
	mem_free(t->share);
	mem_free(t->due);
	mem_free(t->due_channel);
	mem_free(t->answers.sent);
	mem_free(t->drawn);
}

void timing_dawdle(struct timing *t, unsigned seed)
{
	t->dawdle = seed;
	if (t->team)
		team_dawdle(t->team, seed);
}

void timing_count_lines(struct timing *t, uint32_t n)
{
	for (unsigned i = 0; i < timing_shares(t); i++) {
		struct sm_world *w = &t->share[i].world;
		w->lines = mem_realloc(w->lines, n * sizeof *w->lines);
		memset(w->lines + t->n_lines, 0, (n - t->n_lines) * sizeof *w->lines);
	}
	t->n_lines = n;
}

struct sm_line timing_line(const struct timing *t, uint32_t entry)
{
	struct sm_line sum = {{0}};
	for (unsigned i = 0; i < timing_shares(t); i++)
		for (unsigned k = 0; k < SM_N_LINE_COUNTERS; k++)
			sum.n[k] += t->share[i].world.lines[entry].n[k];
	return sum;
}
