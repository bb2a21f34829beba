// What the units of the GPU have counted, up to now, and for which stream.
#include "gpgpu-sim/gpu/timing_internal.h"

void timing_settle(struct timing *t)
{
	for (unsigned k = 0; k < timing_shares(t); k++)
		timing_take_counts(t, &t->share[k]);
	for (unsigned i = 0; i < t->core.n_sm; i++) {
		struct sm *m = &t->sm[i];
		sm_settle(m, t->cycle);
		icnt_count_refused(t->icnt, ICNT_REQUEST, m->refused);
		m->refused = 0;
	}
}

unsigned timing_stream(const struct timing *t, uint64_t id)
{
	for (unsigned i = 0; i < t->n_streams; i++)
		if (t->stream[i].id == id)
			return i;
	return t->n_streams;
}

static struct stream_past *past_of(const struct timing *t, uint64_t id)
{
	for (size_t i = 0; i < t->past.n; i++)
		if (t->past.at[i].id == id)
			return &t->past.at[i];
	return NULL;
}

const struct stream_past *timing_stream_past(const struct timing *t, uint64_t id) { return past_of(t, id); }

static bool stream_running(const struct timing *t, unsigned number)
{
	for (unsigned i = 0; i < t->n_places; i++)
		if (t->kernel[i] && t->kernel[i]->stream == number)
			return true;
	return false;
}

// The number of the stream that was used longest ago of those without a kernel; n_streams if all have one.
static unsigned stream_to_retire(const struct timing *t)
{
	unsigned oldest = t->n_streams;
	for (unsigned i = 0; i < t->n_streams; i++)
		if ((oldest == t->n_streams || t->stream[i].used < t->stream[oldest].used) && !stream_running(t, i))
			oldest = i;
	return oldest;
}

static void retire_stream(struct timing *t, unsigned number)
{
	struct stream_past *past = past_of(t, t->stream[number].id);
	if (!past) {
		VEC_PUSH(&t->past, (struct stream_past){.id = t->stream[number].id});
		past = &t->past.at[t->past.n - 1];
	}
	timing_settle(t);
	for (unsigned i = 0; i < t->core.n_sm; i++)
		sm_retire_stream(&t->sm[i], number, &past->core);
	memory_retire_stream(t->memory, number, &past->l2);
}

uint16_t timing_stream_number(struct timing *t, uint64_t id)
{
	unsigned number = timing_stream(t, id);
	if (number == t->n_streams) {
		if (t->n_streams >= TIMING_STREAMS)
			number = stream_to_retire(t);
		if (number < t->n_streams) {
			retire_stream(t, number);
		} else {
			HEDDLE_ASSERT(number < sizeof t->stream / sizeof *t->stream);
			t->n_streams++;
			for (unsigned i = 0; i < t->core.n_sm; i++)
				sm_reserve_streams(&t->sm[i], t->n_streams);
			memory_reserve_streams(t->memory, t->n_streams);
		}
		t->stream[number].id = id;
	}
	t->stream[number].used = ++t->n_stream_uses;
	return (uint16_t)number;
}
