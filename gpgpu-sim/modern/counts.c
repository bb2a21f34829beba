#include "gpgpu-sim/modern/counts.h"

#include "gpgpu-sim/modern/modern.h"

// All fields are counters.
static void add(void *to, const void *from, size_t bytes)
{
	uint64_t *sum = to;
	const uint64_t *n = from;
	for (size_t i = 0; i < bytes / sizeof *n; i++)
		sum[i] += n[i];
}

void modern_add_counts(struct modern_counts *sum, const struct sm *m)
{
	if (!m->modern)
		return;
	add(&sum->core, &m->modern->stats, sizeof sum->core);
	add(&sum->front, front_counts(m->modern->front), sizeof sum->front);
}
