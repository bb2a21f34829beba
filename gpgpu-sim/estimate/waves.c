#include "gpgpu-sim/estimate/waves.h"

// The longest run of waves up to the last one whose mean is known well enough.
static bool find_steady(struct kernel_waves *w, double error)
{
	struct series s = {0};
	w->steady.n = 0;
	for (uint64_t k = w->done; k > 1 && w->done - k < WAVES_KEPT; k--) { // the first wave found an empty GPU
		series_add(&s, w->took[(k - 1) % WAVES_KEPT]);
		if (s.n >= WAVES_MIN && series_spread(&s) <= error)
			w->steady = s;
	}
	return w->steady.n > 0;
}

bool waves_take(struct kernel_waves *w, uint64_t ended, uint64_t left, uint64_t now, double error)
{
	const uint64_t done = ended / w->size;
	if (done == w->done)
		return false;
	const double each = (double)(now - w->last) / (double)(done - w->done); // several that end together share their cycles
	for (uint64_t k = w->done; k < done; k++)
		w->took[k % WAVES_KEPT] = each;
	w->done = done;
	w->last = now;
	return !w->beside && left >= w->size && find_steady(w, error);
}
