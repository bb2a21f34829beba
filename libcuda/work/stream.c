#include "libcuda/work/stream.h"

#include "libcuda/context/context.h"
#include "libcuda/work/capture.h"

static pthread_key_t thread_end;
static pthread_once_t thread_end_once = PTHREAD_ONCE_INIT;

int stream_clamp_priority(int priority)
{
	return priority > STREAM_PRIORITY_LEAST      ? STREAM_PRIORITY_LEAST
	       : priority < STREAM_PRIORITY_GREATEST ? STREAM_PRIORITY_GREATEST
	                                             : priority;
}

struct stream *stream_new(unsigned flags, int priority)
{
	struct stream *s = handle_new(&cu.streams);
	s->id = cu.next_stream_id++;
	s->owner = cu_thread.owner;
	s->flags = flags;
	s->blocking = !(flags & STREAM_NON_BLOCKING);
	s->priority = stream_clamp_priority(priority);
	s->last = &s->first;
	s->attributes.sync_policy = SYNC_POLICY_AUTO;
	s->attributes.domain_map[1] = 1; // each domain is itself
	VEC_PUSH(&cu.all_streams, s);
	return s;
}

struct stream *stream_for_part(const struct stream *launched)
{
	struct stream *s = NULL;
	for (size_t i = 0; i < cu.all_streams.n && !s; i++)
		if (cu.all_streams.at[i]->parts && stream_idle(cu.all_streams.at[i]))
			s = cu.all_streams.at[i];
	if (!s) {
		s = stream_new(STREAM_NON_BLOCKING, 0);
		s->parts = true;
		cu.next_stream_id--;
	}
	s->id = launched->id;
	s->owner = launched->owner;
	s->priority = launched->priority;
	return s;
}

bool stream_idle(const struct stream *s) { return !s->first; }

static void remove_stream(struct stream *s)
{
	if (s->capture)
		cu.capture->forget(s);
	size_t n = 0;
	for (size_t i = 0; i < cu.all_streams.n; i++)
		if (cu.all_streams.at[i] != s)
			cu.all_streams.at[n++] = cu.all_streams.at[i];
	cu.all_streams.n = n;
	handle_free(&cu.streams, s);
}

void streams_collect(void)
{
	for (size_t i = cu.all_streams.n; i-- > 0;) {
		struct stream *s = cu.all_streams.at[i];
		if (s->orphan && stream_idle(s))
			remove_stream(s);
	}
}

void stream_destroy(struct stream *s)
{
	if (s->capture)
		cu.capture->forget(s);
	s->orphan = true;
	streams_collect();
}

static void end_of_thread(void *stream)
{
	pthread_mutex_lock(&cu.lock);
	if (cu_thread.stream == stream && handle_valid(&cu.streams, stream))
		((struct stream *)stream)->orphan = true;
	pthread_mutex_unlock(&cu.lock);
}

static void make_thread_end(void) { pthread_key_create(&thread_end, end_of_thread); }

void streams_start(void)
{
	cu.streams.size = sizeof(struct stream);
	cu.legacy = stream_new(0, 0);
}

void streams_reset(void)
{
	for (size_t i = cu.all_streams.n; i-- > 0;) {
		struct stream *s = cu.all_streams.at[i];
		if (s != cu.legacy && !s->per_thread)
			remove_stream(s);
	}
}

void streams_release(uint32_t owner)
{
	for (size_t i = cu.all_streams.n; i-- > 0;) {
		struct stream *s = cu.all_streams.at[i];
		if (s != cu.legacy && !s->per_thread && s->owner == owner)
			remove_stream(s);
	}
}

struct stream *stream_find(cudaStream_t handle)
{
	if (!handle || handle == STREAM_LEGACY)
		return cu.legacy;
	if (handle == STREAM_PER_THREAD) {
		if (!cu_thread.stream) {
			pthread_once(&thread_end_once, make_thread_end);
			cu_thread.stream = stream_new(0, 0);
			cu_thread.stream->per_thread = true;
			pthread_setspecific(thread_end, cu_thread.stream);
		}
		return cu_thread.stream;
	}
	return handle_valid(&cu.streams, handle) && !handle->orphan && !handle->parts ? handle : NULL;
}
