#include "libcuda/work/wait.h"

#include "libcuda/context/context.h"
#include "libcuda/work/event.h"
#include "libcuda/work/op.h"
#include "libcuda/work/stream.h"

bool wait_check(void)
{
	for (struct waiter **p = &cu.waiters; *p;) {
		struct waiter *w = *p;
		if (cu.sticky || w->satisfied(w->arg)) {
			*p = w->next;
			w->done = true;
			atomic_fetch_add(&cu.wanting, 1); // it goes before the next turn of the GPU
			pthread_cond_signal(&w->wake);
		} else {
			p = &w->next;
		}
	}
	return cu.waiters;
}

cudaError_t wait_until(bool (*satisfied)(void *arg), void *arg)
{
	if (cu.sticky || satisfied(arg) || cu_thread.in_host_function)
		return cu.sticky;
	struct waiter w = {.satisfied = satisfied, .arg = arg, .wake = PTHREAD_COND_INITIALIZER};
	w.next = cu.waiters;
	cu.waiters = &w;
	pthread_cond_signal(&cu.work);
	while (!w.done)
		pthread_cond_wait(&w.wake, &cu.lock);
	if (atomic_fetch_sub(&cu.wanting, 1) == 1)
		pthread_cond_signal(&cu.turn);
	clock_gettime(CLOCK_MONOTONIC, &cu.last_call);
	return cu.sticky;
}

static bool up_to(const struct stream *s, uint64_t seq) { return !s->first || s->first->seq > seq; }

struct stream_wait {
	const struct stream *s;
	uint64_t seq;
};

static bool stream_reached(void *arg)
{
	const struct stream_wait *w = arg;
	return up_to(w->s, w->seq);
}

cudaError_t wait_stream(struct stream *s)
{
	struct stream_wait w = {s, s->last_seq};
	return wait_until(stream_reached, &w);
}

// The legacy stream's work ends after that of the blocking streams before it.
cudaError_t wait_stream_now(struct stream *s)
{
	if (s == cu.legacy)
		for (size_t i = 0; i < cu.all_streams.n; i++) {
			struct stream *o = cu.all_streams.at[i];
			cudaError_t e = o->blocking ? wait_stream(o) : cudaSuccess;
			if (e)
				return e;
		}
	return wait_stream(s);
}

static bool all_reached(void *arg)
{
	for (size_t i = 0; i < cu.all_streams.n; i++)
		if (!up_to(cu.all_streams.at[i], *(uint64_t *)arg))
			return false;
	return true;
}

cudaError_t wait_all(void)
{
	uint64_t seq = cu.next_seq;
	return wait_until(all_reached, &seq);
}

static bool record_done(void *arg) { return ((struct record *)arg)->done; }

cudaError_t wait_record(struct record *r)
{
	r->refs++;
	cudaError_t e = wait_until(record_done, r);
	record_release(r);
	return e;
}

struct grant {
	bool (*satisfied)(void *arg);
	void *arg;
	uint64_t slices;
};

static bool grant_used(void *arg)
{
	const struct grant *g = arg;
	return cu.slices >= g->slices || !cu.pending || g->satisfied(g->arg);
}

void wait_grant(bool (*satisfied)(void *arg), void *arg)
{
	struct grant g = {satisfied, arg, cu.slices + 1};
	wait_until(grant_used, &g);
}
