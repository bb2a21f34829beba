#include "cuda-sim/trace/stream.h"

#include "base/ring.h"

#include <pthread.h>
#include <signal.h>

enum {
	AHEAD_CTAS = HEDDLE_LIMIT(1, 64),        // read ahead at most
	AHEAD_BYTES = HEDDLE_LIMIT(1, 4 << 20),  // and no further CTA beyond so many packed bytes
	KEEP_SPARE = 16,                         // CTAs whose memory is kept for the next ones
};

struct trace_stream {
	struct trace_feed feed;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t room, filled;
	RING(struct trace_cta *) ahead; // read, and not taken
	size_t bytes;                   // of them
	struct trace_cta *spare;
	unsigned n_spare;
	bool threaded, stop, ended, failed;
};

static struct trace_cta *take_spare(struct trace_stream *s)
{
	struct trace_cta *c = s->spare;
	if (!c)
		return MEM_NEW(struct trace_cta);
	s->spare = c->next;
	s->n_spare--;
	return c;
}

static void put_spare(struct trace_stream *s, struct trace_cta *c)
{
	if (s->n_spare == KEEP_SPARE) {
		trace_cta_free(c);
		return;
	}
	c->next = s->spare;
	s->spare = c;
	s->n_spare++;
}

// One CTA into the queue. Called and left with the lock held; reading goes on without it.
static bool read_one(struct trace_stream *s)
{
	struct trace_cta *c = take_spare(s);
	pthread_mutex_unlock(&s->lock);
	enum trace_read got = s->feed.ops->next(s->feed.reader, c);
	pthread_mutex_lock(&s->lock);
	if (got == TRACE_CTA) {
		RING_PUSH(&s->ahead, c);
		s->bytes += c->data.n;
		return true;
	}
	trace_cta_free(c);
	s->ended = true;
	s->failed = got == TRACE_ERROR;
	return false;
}

static void *read_ahead(void *arg)
{
	struct trace_stream *s = arg;
	pthread_mutex_lock(&s->lock);
	while (!s->stop && !s->ended) {
		if (RING_FULL(&s->ahead) || (s->ahead.n && s->bytes >= AHEAD_BYTES)) {
			pthread_cond_wait(&s->room, &s->lock);
			continue;
		}
		read_one(s);
		if (s->ahead.n == 1 || s->ended)
			pthread_cond_signal(&s->filled);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

struct trace_stream *trace_stream_start(struct trace_feed feed)
{
	struct trace_stream *s = MEM_NEW(struct trace_stream);
	s->feed = feed;
	RING_INIT(&s->ahead, AHEAD_CTAS);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->room, NULL);
	pthread_cond_init(&s->filled, NULL);
	sigset_t all, old; // signals are for the program's own threads
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	s->threaded = pthread_create(&s->thread, NULL, read_ahead, s) == 0; // else the simulation reads for itself
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return s;
}

void trace_stream_stop(struct trace_stream *s)
{
	if (!s)
		return;
	if (s->threaded) {
		pthread_mutex_lock(&s->lock);
		s->stop = true;
		pthread_cond_signal(&s->room);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
	}
	while (s->ahead.n)
		trace_cta_free(RING_TAKE(&s->ahead));
	RING_FREE(&s->ahead);
	for (struct trace_cta *c; (c = s->spare);) {
		s->spare = c->next;
		trace_cta_free(c);
	}
	trace_feed_free(&s->feed);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->room);
	pthread_cond_destroy(&s->filled);
	mem_free(s);
}

struct trace_cta *trace_stream_take(struct trace_stream *s)
{
	pthread_mutex_lock(&s->lock);
	while (!s->ahead.n && !s->ended) {
		if (s->threaded)
			pthread_cond_wait(&s->filled, &s->lock);
		else
			read_one(s);
	}
	struct trace_cta *c = NULL;
	if (s->ahead.n) {
		bool full = RING_FULL(&s->ahead) || s->bytes >= AHEAD_BYTES;
		c = RING_TAKE(&s->ahead);
		s->bytes -= c->data.n;
		// Half of the room at least, so that the threads do not wake each other for every CTA.
		if ((full && HEDDLE_LIMIT(true, false)) || (s->ahead.n <= AHEAD_CTAS / 2 && s->bytes <= AHEAD_BYTES / 2))
			pthread_cond_signal(&s->room);
	}
	pthread_mutex_unlock(&s->lock);
	return c;
}

void trace_stream_give_back(struct trace_stream *s, struct trace_cta *c)
{
	pthread_mutex_lock(&s->lock);
	put_spare(s, c);
	pthread_mutex_unlock(&s->lock);
}

const char *trace_stream_error(struct trace_stream *s)
{
	pthread_mutex_lock(&s->lock);
	const char *e = s->failed ? s->feed.ops->error(s->feed.reader) : NULL;
	pthread_mutex_unlock(&s->lock);
	return e;
}
