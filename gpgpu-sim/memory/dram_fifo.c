// First in, first out: the oldest request of the channel waits until its bank is free.
#include "gpgpu-sim/memory/dram_sched.h"

static bool full(const struct dram *d, bool write) { return port_full(&d->entry); }

static bool ready(const struct dram *d)
{
	const struct dram_req *q = d->completed ? d->completed : port_first(&d->entry);
	return q && !(d->busy >> q->bank & 1);
}

static bool tick(struct dram *d, uint64_t now)
{
	if (!ready(d))
		return false;
	d->latency->mrq_position[0]++;
	dram_serve(d, d->completed ? dram_next_completed(d) : port_pop(&d->entry));
	return true;
}

static uint32_t waiting(const struct dram *d) { return d->entry.n; }
static uint32_t pending(const struct dram *d) { return d->entry.n; }

const struct dram_sched_ops dram_fifo = {
	.name = "fifo", .full = full, .tick = tick, .ready = ready, .waiting = waiting, .pending = pending,
};
