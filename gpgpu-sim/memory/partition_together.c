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

static bool is_due(const struct memory *m, const struct memory_edges *e, uint32_t channel)
{
	return (e->dram && channel_due(m, channel, e->now)) || (e->l2 && slices_due(m, channel, e->now));
}

// Channels that are ticked alone, or with a partner.
static uint32_t n_apart(const struct memory *m) { return m->halves ? m->n_channels / 2 : m->n_channels; }

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
	m->together = true;
	if ((e->dram && (m->dram_wake_tick <= m->dram_ticks || m->dram_wake_core <= e->now)) || (e->l2 && m->l2_wake <= e->now))
		for (uint32_t i = 0; i < n_apart(m); i++)
			if (is_due(m, e, i) || (m->halves && is_due(m, e, i + n_apart(m))))
				channel[n++] = i;
	return n;
}

static void tick_one(struct memory *m, const struct memory_edges *e, uint32_t channel)
{
	if (e->dram && channel_due(m, channel, e->now))
		channel_tick(&m->channel[channel], e->now);
	for (uint32_t i = channel * m->n_inner; e->l2 && i < (channel + 1) * m->n_inner; i++)
		if (m->slice_wake[i] <= e->now)
			slice_tick(&m->slice[i], e->now);
}

void memory_tick_channel(struct memory *m, const struct memory_edges *e, uint32_t channel)
{
	tick_one(m, e, channel);
	if (m->halves)
		tick_one(m, e, channel + n_apart(m));
}

static void mark(uint64_t *set, uint32_t i, bool on)
{
	if (on)
		set_bit(set, i);
	else
		clear_bit(set, i);
}

static uint64_t least_of(const uint64_t *of, uint32_t n)
{
	uint64_t least = NEVER;
	for (uint32_t i = 0; i < n; i++)
		least = of[i] < least ? of[i] : least;
	return least;
}

static void take_channel(struct memory *m, uint32_t c)
{
	struct channel *ch = &m->channel[c];
	mark(m->channels_awake, c, m->channel_wake_tick[c] != NEVER || m->channel_wake_core[c] != NEVER);
	for (uint32_t i = 0; i < m->n_inner; i++) {
		const struct slice *s = &ch->slice[i];
		mark(m->slices_awake, s->id, m->slice_wake[s->id] != NEVER);
		mark(m->answers, s->id, !port_empty(&s->to_icnt));
	}
	m->n_full += (uint32_t)ch->more_full;
	ch->more_full = 0;
}

void memory_ticked(struct memory *m, const struct memory_edges *e, const uint32_t *channel, unsigned n)
{
	m->together = false;
	m->dram_ticks += e->dram;
	m->l2_ticks += e->l2;
	for (unsigned k = 0; k < n; k++) {
		take_channel(m, channel[k]);
		if (m->halves)
			take_channel(m, channel[k] + n_apart(m));
	}
	if (!n)
		return;
	m->l2_wake = least_of(m->slice_wake, m->n_slices);
	m->dram_wake_tick = least_of(m->channel_wake_tick, m->n_channels);
	m->dram_wake_core = least_of(m->channel_wake_core, m->n_channels);
}
