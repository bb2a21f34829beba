// Batches of CTAs by several threads of the host.
#include "gpgpu-sim/gpu/functional_internal.h"

#include "base/mem.h"
#include "base/team.h"
#include "base/vec.h"

#include <pthread.h>
#include <string.h>

enum {
	WORTH = HEDDLE_LIMIT(0, 4000), // instructions below which waking threads is not worth it
	MOST_TRIES = 8,                // of a batch, each with an allocation more that is known to be written
	MOST_PATIENCE = 1 << 12,       // launches of a kernel by one thread after batches have failed
};

// What a thread has for itself.
struct worker {
	struct claims claims;
	struct effects effects;
	struct kernel_counts counts;
	uint64_t used;
};

// A kernel of which batches have failed.
struct trouble {
	const void *code;
	uint32_t times, left; // launches before it is tried again
};

struct func_team {
	unsigned n;
	unsigned dawdle;
	const struct devmem *mem;
	struct claims_board *board; // NULL until a batch is tried
	bool no_board;              // there is no room for one
	struct team *team;
	struct worker *worker;
	struct claims **claims;
	pthread_mutex_t ends;       // CTAs end one by one
	VEC(struct trouble) trouble;
	bool alone;                 // the kernel that runs is run by one thread
	struct functional_run *run; // of the call
	struct func_team_counts counts;
};

struct func_team *func_team_new(unsigned threads)
{
	struct func_team *t = MEM_NEW(struct func_team);
	HEDDLE_ASSERT(threads >= 1 && threads <= TEAM_MAX_THREADS);
	t->n = threads;
	pthread_mutex_init(&t->ends, NULL);
	return t;
}

static void forget_memory(struct func_team *t)
{
	for (unsigned i = 0; t->board && i < t->n; i++)
		claims_free(&t->worker[i].claims);
	claims_board_free(t->board);
	t->board = NULL;
}

void func_team_free(struct func_team *t)
{
	if (!t)
		return;
	forget_memory(t);
	team_free(t->team);
	pthread_mutex_destroy(&t->ends);
	VEC_FREE(&t->trouble);
	mem_free(t->worker);
	mem_free(t->claims);
	mem_free(t);
}

void func_team_dawdle(struct func_team *t, unsigned seed)
{
	t->dawdle = seed;
	if (t->team)
		team_dawdle(t->team, seed);
}

const struct func_team_counts *func_team_counts(const struct func_team *t) { return &t->counts; }

uint32_t func_team_slots(const struct func_team *t) { return t && t->n > 1 ? t->n : 0; }

static struct trouble *trouble_of(struct func_team *t, const void *code)
{
	for (size_t i = 0; i < t->trouble.n; i++)
		if (t->trouble.at[i].code == code)
			return &t->trouble.at[i];
	return NULL;
}

void func_team_begin(struct func_team *t, const struct kernel_launch *l)
{
	struct trouble *k = trouble_of(t, l->code);
	t->alone = k && k->left;
	if (t->alone)
		k->left--;
	if (t->board)
		claims_forget(t->board);
}

static void note_trouble(struct func_team *t, const void *code)
{
	struct trouble *k = trouble_of(t, code);
	if (!k) {
		VEC_PUSH(&t->trouble, ((struct trouble){.code = code}));
		k = &t->trouble.at[t->trouble.n - 1];
	}
	k->left = 1u << k->times;
	k->times += k->left < MOST_PATIENCE;
	t->alone = true;
}

// --- the threads

static bool gives_up(const struct func_team *t, const struct functional_run *r)
{
	return claims_failed(t->board) || func_interrupted(r);
}

// All of the CTA. False if that is not possible, or its order might show.
static bool run_cta(struct func_team *t, struct worker *w, struct cta_slot *c)
{
	const struct functional_run *r = t->run;
	for (;;) {
		uint64_t n = 0;
		const enum turn end = func_cta_turn(r, c, CTA_TURN, &n);
		c->used += n;
		w->used += n;
		if (end == TURN_DONE)
			return true;
		if (end != TURN_MOVED || n < CTA_TURN || c->used > CTA_LIMIT || gives_up(t, r))
			return false;
	}
}

static void task(void *ctx, unsigned thread, unsigned k)
{
	struct func_team *t = ctx;
	struct worker *w = &t->worker[thread];
	const struct functional_run *r = t->run;
	struct cta_slot c = {0};
	if (gives_up(t, r)) {
		claims_give_up(&w->claims);
		return;
	}
	w->claims.cta = k + 1;
	func_cta_start(r, &c, r->max_resident + thread, r->next + k, &w->effects, &w->counts);
	if (!run_cta(t, w, &c)) {
		claims_give_up(&w->claims);
		return;
	}
	pthread_mutex_lock(&t->ends);
	r->launch->fe->cta_end(c.cta);
	pthread_mutex_unlock(&t->ends);
}

static bool ready(struct func_team *t, const struct devmem *mem)
{
	if (t->board && t->mem != mem)
		forget_memory(t);
	if (!t->team) {
		t->team = team_new(t->n, t);
		team_dawdle(t->team, t->dawdle);
		t->worker = mem_alloc_lines(t->n * sizeof *t->worker);
		t->claims = mem_alloc(t->n * sizeof(struct claims *));
		for (unsigned i = 0; i < t->n; i++)
			t->claims[i] = &t->worker[i].claims;
	}
	if (t->board)
		return true;
	t->mem = mem;
	t->board = claims_board_new(mem);
	t->no_board = !t->board;
	for (unsigned i = 0; t->board && i < t->n; i++) {
		claims_init(&t->worker[i].claims, t->board);
		effects_claim(&t->worker[i].effects, &t->worker[i].claims);
	}
	return t->board;
}

static enum claims_end try(struct func_team *t, struct functional_run *r)
{
	const unsigned n = (unsigned)(r->border - r->next);
	claims_begin(t->board, t->claims, t->n);
	for (unsigned i = 0; i < t->n; i++) {
		t->worker[i].counts = (struct kernel_counts){0};
		t->worker[i].used = 0;
	}
	t->run = r;
	t->counts.tries++;
	team_call(t->team, task, n);
	return claims_finish(t->board, t->claims, t->n);
}

bool func_batch_run(struct functional_run *r, uint64_t *used)
{
	struct func_team *t = r->team;
	struct kernel_launch *l = r->launch;
	const struct kernel_services *s = l->services;
	const uint64_t n = r->border - r->next, allowed = l->allowed;
	if (t->n < 2 || t->alone || t->no_board || n < 2 || s->log || s->checker || l->counts.warp_insts / r->next * n < WORTH)
		return false;
	if (!ready(t, l->mem))
		return false;
	enum claims_end end = CLAIMS_LEARNED;
	for (unsigned i = 0; i < MOST_TRIES && end == CLAIMS_LEARNED && !func_interrupted(r); i++) {
		end = try(t, r);
		if (end != CLAIMS_FINE)
			l->allowed = allowed;
	}
	if (end != CLAIMS_FINE) {
		t->counts.failed++;
		if (!func_interrupted(r))
			note_trouble(t, l->code);
		return false;
	}
	for (unsigned i = 0; i < t->n; i++) {
		kernel_counts_add(&l->counts, &t->worker[i].counts);
		*used += t->worker[i].used;
	}
	l->counts.ctas += n;
	t->counts.ctas += n;
	r->next = r->border;
	return true;
}
