#include "base/team.h"

#include "base/assert.h"
#include "base/host_clock.h"
#include "base/mem.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
	LINE = 64,      // bytes of a line of the host's caches: what threads write stands apart
	SPINS = 2000,   // looks for the next call before a thread sleeps, some tens of microseconds
	PATIENCE = 500, // looks for the end of a call before the caller lets others run
	SHARES = 4,     // a thread takes one of so many shares of what is left of a part: the last tasks are taken one by one
	// A thread that has been waited for so long, in nanoseconds, either has a long task or stands in one while the
	// host runs others: its processor time is looked at twice, so far apart. A host that lets it stand has no
	// processor to spare: the caller then goes on alone for so many nanoseconds, for twice as many if it stands again
	// soon. What a long call loses by it is less than going on alone would cost: then one part in so many does not count.
	LONG_WAIT = 150000,
	FIRST_SPELL = HEDDLE_LIMIT(20000, 500000),
	LONGEST_SPELL = HEDDLE_LIMIT(80000, 64000000),
	SOON_AFTER = 20000000, // a spell: beside an endless loop on one of two processors a thread stood again after 7 to 16 ms
	SMALL_PART = 4,
};

// A call and its tasks in one word: `number << 16 | tasks`.
enum { TASK_BITS = 16, TASK_MASK = TEAM_MAX_TASKS };

struct member {
	// The last call in which tasks of its part were taken, and how many of them: `number << 16 | taken`.
	_Alignas(LINE) atomic_uint_least64_t taken;
	atomic_bool busy; // in a call's tasks
	struct team *team;
	unsigned index;
	uint64_t chance; // of team_dawdle
	pthread_t thread;
	uint64_t ran; // nanoseconds of processor time when the caller first looked, 0: it was not busy then
};

struct team {
	_Alignas(LINE) atomic_uint_least64_t call;
	atomic_bool end;
	_Alignas(LINE) atomic_uint left;   // tasks of calls that are not done
	_Alignas(LINE) atomic_uint asleep; // threads, or about to be
	pthread_mutex_t lock;
	pthread_cond_t called;
	// By the last bit of a call's number: who is in the call before the last one may still ask.
	team_task *task[2];
	void *ctx;
	unsigned n;
	atomic_uint dawdle;
	struct member *member;
	// The call that the caller has not joined:
	team_task *begun;
	unsigned n_begun;   // its tasks
	uint64_t word;      // 0: the caller carries it out alone, or there is none
	unsigned open;      // calls that others take part in, not waited for
	uint64_t began;     // when the first of them did
	uint64_t alone_until, spell; // the last time that the caller went on alone: when it ended, how long it was
};

static inline void relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

static void dawdle(struct member *me)
{
	const unsigned seed = atomic_load_explicit(&me->team->dawdle, memory_order_relaxed);
	if (!seed)
		return;
	if (!me->chance)
		me->chance = (uint64_t)seed * 2654435761u + me->index + 1;
	me->chance ^= me->chance << 13, me->chance ^= me->chance >> 7, me->chance ^= me->chance << 17; // xorshift64
	if (me->chance % 64 == 0)
		sched_yield();
	for (unsigned i = me->chance >> 32 & 255; i; i--)
		relax();
}

// The first task of a member's part, of n tasks.
static unsigned part(const struct team *t, unsigned member, unsigned n) { return (unsigned)((uint64_t)n * member / t->n); }

// The i-th task of a part in the order in which they are taken: every second part from its end, so that what neighbours
// take of each other's parts stands where the two meet.
static unsigned in_order(unsigned member, unsigned first, unsigned size, unsigned i)
{
	return member & 1 ? first + size - 1 - i : first + i;
}

// Takes some of `size` tasks of a member's part; the first of them goes to *from. 0: there are none for this call.
static unsigned take(struct member *of, uint64_t call, unsigned size, unsigned *from)
{
	const uint64_t number = call >> TASK_BITS;
	uint64_t seen = atomic_load_explicit(&of->taken, memory_order_relaxed);
	for (;;) {
		// A thread that comes late finds the word of a later call, or all of its own call's tasks taken.
		const unsigned at = seen >> TASK_BITS == number ? (unsigned)(seen & TASK_MASK) : 0;
		if (seen >> TASK_BITS > number || at >= size)
			return 0;
		const unsigned n = (size - at + SHARES - 1) / SHARES;
		if (atomic_compare_exchange_weak_explicit(&of->taken, &seen, number << TASK_BITS | (at + n), memory_order_relaxed,
		                                          memory_order_relaxed)) {
			*from = at;
			return n;
		}
	}
}

static void work(struct member *me, uint64_t call)
{
	struct team *t = me->team;
	const unsigned n = (unsigned)(call & TASK_MASK), which = call >> TASK_BITS & 1;
	unsigned done = 0;
	atomic_store_explicit(&me->busy, true, memory_order_relaxed);
	dawdle(me);
	for (unsigned k = 0; k < t->n; k++) {
		const unsigned whose = (me->index + k) % t->n, first = part(t, whose, n), size = part(t, whose + 1, n) - first;
		for (unsigned from, got; (got = take(&t->member[whose], call, size, &from)); done += got)
			for (unsigned i = 0; i < got; i++)
				t->task[which](t->ctx, me->index, in_order(whose, first, size, from + i));
	}
	atomic_store_explicit(&me->busy, false, memory_order_relaxed);
	if (done)
		atomic_fetch_sub_explicit(&t->left, done, memory_order_release);
}

// The call after the one with the word `seen`; the same word: the team has ended.
static uint64_t next_call(struct team *t, uint64_t seen)
{
	uint64_t call;
	for (unsigned i = 0; i < SPINS; i++) {
		call = atomic_load_explicit(&t->call, memory_order_acquire);
		if (call != seen)
			return call;
		relax();
	}
	pthread_mutex_lock(&t->lock);
	// Either the caller sees that somebody sleeps, or the sleeper the caller's word: both are written before the other is read.
	atomic_fetch_add(&t->asleep, 1);
	while ((call = atomic_load(&t->call)) == seen && !atomic_load(&t->end))
		pthread_cond_wait(&t->called, &t->lock);
	atomic_fetch_sub(&t->asleep, 1);
	pthread_mutex_unlock(&t->lock);
	return call;
}

static void *member_main(void *arg)
{
	struct member *me = arg;
	uint64_t seen = 0, call;
	while ((call = next_call(me->team, seen)) != seen)
		work(me, seen = call);
	return NULL;
}

static void wake(struct team *t)
{
	pthread_mutex_lock(&t->lock);
	pthread_cond_broadcast(&t->called);
	pthread_mutex_unlock(&t->lock);
}

struct team *team_new(unsigned n, void *ctx)
{
	HEDDLE_ASSERT(n >= 1 && n <= TEAM_MAX_THREADS);
	struct team *t = mem_alloc_lines(sizeof *t);
	t->ctx = ctx;
	t->member = mem_alloc_lines(n * sizeof *t->member);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->called, NULL);
	t->n = n;
	for (unsigned i = 0; i < n; i++)
		t->member[i].team = t, t->member[i].index = i;
	// Signals are for the program's own threads.
	sigset_t all, before;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV), sigdelset(&all, SIGBUS), sigdelset(&all, SIGFPE), sigdelset(&all, SIGILL);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 1; i < t->n; i++)
		if (pthread_create(&t->member[i].thread, NULL, member_main, &t->member[i]))
			t->n = i; // those that began look at it with the first call
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return t;
}

void team_free(struct team *t)
{
	if (!t)
		return;
	atomic_store(&t->end, true);
	wake(t);
	for (unsigned i = 1; i < t->n; i++)
		pthread_join(t->member[i].thread, NULL);
	pthread_cond_destroy(&t->called);
	pthread_mutex_destroy(&t->lock);
	mem_free(t->member);
	mem_free(t);
}

unsigned team_threads(const struct team *t) { return t->n; }

void team_dawdle(struct team *t, unsigned seed) { atomic_store(&t->dawdle, seed); }

// Nanoseconds of processor time that a member has had, 0 if it is in no task.
static uint64_t ran(const struct member *of)
{
	clockid_t clock;
	const bool busy = atomic_load_explicit(&of->busy, memory_order_relaxed);
	return busy && !pthread_getcpuclockid(of->thread, &clock) ? host_clock_ns(clock) : 0;
}

static void look_at_members(struct team *t)
{
	for (unsigned i = 1; i < t->n; i++)
		t->member[i].ran = ran(&t->member[i]);
}

// True if a member was in a task then and is now, and had a processor for less than half of the nanoseconds between.
static bool stands(const struct team *t, uint64_t between)
{
	for (unsigned i = 1; i < t->n; i++) {
		const uint64_t then = t->member[i].ran, now = then ? ran(&t->member[i]) : 0;
		if (now && now - then < between / 2)
			return true;
	}
	return false;
}

// Until all tasks of all calls are done. True if the host let a thread stand meanwhile, for more than a small part of the
// time since they began; *end: when they were done.
static bool wait_for_end(struct team *t, uint64_t *end)
{
	enum { SOON, LONG, LOOKED } state = SOON;
	uint64_t first = 0, since = 0;
	bool stood = false;
	for (unsigned i = 0; atomic_load_explicit(&t->left, memory_order_acquire); i++) {
		if (i < PATIENCE) {
			relax();
			continue;
		}
		sched_yield();
		if (state == LOOKED)
			continue;
		const uint64_t now = host_clock_ns(CLOCK_MONOTONIC);
		if (!first)
			first = since = now;
		if (now - since < LONG_WAIT)
			continue;
		if (state == SOON)
			look_at_members(t), state = LONG;
		else
			stood = stands(t, now - since), state = LOOKED;
		since = now;
	}
	if (!stood)
		return false;
	*end = host_clock_ns(CLOCK_MONOTONIC);
	return (*end - first) * SMALL_PART > *end - t->began;
}

static void go_on_alone(struct team *t, uint64_t now)
{
	if (!t->spell || now - t->alone_until >= SOON_AFTER)
		t->spell = FIRST_SPELL;
	else if (t->spell < LONGEST_SPELL)
		t->spell *= 2;
	t->alone_until = now + t->spell;
}

void team_begin(struct team *t, team_task *task, unsigned n_tasks)
{
	HEDDLE_ASSERT(n_tasks <= TEAM_MAX_TASKS && !t->n_begun && t->open < 2);
	t->begun = task;
	t->n_begun = n_tasks;
	t->word = 0;
	if (!n_tasks)
		return;
	if (!t->open) {
		t->began = host_clock_ns(CLOCK_MONOTONIC);
		if (t->began < t->alone_until)
			return;
	}
	const uint64_t number = (atomic_load_explicit(&t->call, memory_order_relaxed) >> TASK_BITS) + 1;
	t->word = number << TASK_BITS | n_tasks;
	t->open++;
	t->task[number & 1] = task;
	atomic_fetch_add_explicit(&t->left, n_tasks, memory_order_relaxed);
	atomic_store(&t->call, t->word);
	if (atomic_load(&t->asleep))
		wake(t);
}

void team_join(struct team *t)
{
	if (t->word)
		work(&t->member[0], t->word);
	else
		for (unsigned i = 0; i < t->n_begun; i++)
			t->begun(t->ctx, 0, i);
	t->n_begun = 0;
}

bool team_waits(const struct team *t)
{
	if (!t->word)
		return false; // nobody is to help
	for (unsigned i = 0; i < t->n; i++)
		if (!atomic_load_explicit(&t->member[i].busy, memory_order_relaxed))
			return true;
	return false;
}

void team_wait(struct team *t)
{
	HEDDLE_ASSERT(!t->n_begun);
	if (!t->open)
		return;
	uint64_t end;
	const bool stood = wait_for_end(t, &end);
	t->open = 0;
	t->word = 0;
	if (stood && !atomic_load_explicit(&t->dawdle, memory_order_relaxed)) // else on purpose
		go_on_alone(t, end);
}

void team_call(struct team *t, team_task *task, unsigned n_tasks)
{
	team_begin(t, task, n_tasks);
	team_join(t);
	team_wait(t);
}
