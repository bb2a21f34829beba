// Channels ticked by several threads: each thread ticks whole channels, which touch nothing of each other; bit sets, the least wakes and
// what else stands for all channels are made right afterwards. Of an L2 in halves a thread ticks a channel of the first half and the
// partner in the second.
#include "gpgpu-sim/memory/partition_state.h"

static bool slices_due(const struct memory *m, uint32_t channel, uint64_t now)
{
	const uint64_t *wake = &m->slice_wake[channel * m->n_inner];
	bool due = false;
	for (uint32_t i = 0; i < m->n_inner; i++)
		due |= wake[i] <= now;
	return due;
}

uint32_t memory_beside(const struct memory *m, uint32_t channel)
{
	const uint32_t half = m->n_channels / 2;
	return m->halves && channel < half ? channel + half : UINT32_MAX;
}

unsigned memory_due(struct memory *m, const struct memory_edges *e, uint32_t *channel)
{
	unsigned n = 0;
	m->now = e->now;
	for (uint32_t i = 0; m->all && i < m->n_channels; i++) {
		if (e->dram)
			wake_channel(&m->channel[i]);
		for (uint32_t k = 0; e->l2 && k < m->n_inner; k++)
			wake_slice(&m->channel[i].slice[k], 0);
	}
	for (uint32_t w = 0; e->answers && w < words(m->n_slices); w++)
		for (uint64_t s = m->answers[w]; s; s &= s - 1)
			call_channel(m, (w * 64 + (uint32_t)__builtin_ctzll(s)) >> m->log2_inner);
	m->together = true;
	const uint64_t last = m->dram_ticks + e->dram - 1; // tick of the DRAM
	const bool dram = e->dram && (m->dram_wake_tick <= last || m->dram_wake_core <= e->now);
	const bool l2 = e->l2 && m->l2_wake <= e->now;
	for (uint32_t i = 0; (dram || l2) && i < m->n_channels; i++)
		if ((dram && channel_due(m, i, last, e->now)) || (l2 && slices_due(m, i, e->now)))
			call_channel(m, i);
	for (uint32_t w = 0; w < words(m->n_channels); w++) {
		for (uint64_t s = m->channels_called[w]; s; s &= s - 1)
			channel[n++] = w * 64 + (uint32_t)__builtin_ctzll(s);
		m->channels_called[w] = 0;
	}
	return n;
}

static void push_handed(struct memory *m, uint32_t slice, uint64_t now)
{
	if (!m->handed[slice])
		return;
	memory_push(m, slice, m->handed[slice], now);
	m->handed[slice] = NULL;
}

void memory_tick_channel(struct memory *m, const struct memory_edges *e, uint32_t channel)
{
	channel_tick(&m->channel[channel], e->dram, e->now);
	for (uint32_t i = channel * m->n_inner; e->l2 && i < (channel + 1) * m->n_inner; i++) {
		push_handed(m, i, e->now);
		if (m->slice_wake[i] <= e->now)
			slice_tick(&m->slice[i], e->now);
	}
}

// The least of n, or one of those up to `enough`.
static uint64_t least_of(const uint64_t *of, uint32_t n, uint64_t enough)
{
	uint64_t least = NEVER;
	for (uint32_t i = 0; i < n && least > enough; i++)
		least = of[i] < least ? of[i] : least;
	return least;
}

static void take_channel(struct memory *m, struct channel *ch)
{
	for (const struct slice *s = ch->slice; s < ch->slice + m->n_inner; s++)
		put_bit(m->answers, s->id, !port_empty(&s->to_icnt));
	m->n_full += (uint32_t)ch->more_full;
	ch->more_full = 0;
}

void memory_ticked(struct memory *m, const struct memory_edges *e, const uint32_t *channel, unsigned n)
{
	m->together = false;
	m->dram_ticks += e->dram;
	m->l2_ticks += e->l2;
	for (unsigned k = 0; k < n; k++)
		for (uint32_t c = channel[k]; c != UINT32_MAX; c = memory_beside(m, c))
			take_channel(m, &m->channel[c]);
	if (!n)
		return;
	m->awake_unknown = true;
	m->l2_wake = least_of(m->slice_wake, m->n_slices, e->now);
	m->dram_wake_tick = least_of(m->channel_wake_tick, m->n_channels, m->dram_ticks);
	m->dram_wake_core = least_of(m->channel_wake_core, m->n_channels, e->now);
}
