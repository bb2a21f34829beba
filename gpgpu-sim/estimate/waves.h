// A long kernel in waves of CTAs. A wave is as many CTAs as the GPU holds at once. When waves take equally long, those
// that have not begun are left out: they are executed without time, and take as long, instruction by instruction, as
// those that were timed.
#ifndef GPGPU_SIM_ESTIMATE_WAVES_H
#define GPGPU_SIM_ESTIMATE_WAVES_H

#include "gpgpu-sim/estimate/series.h"

#include <stdbool.h>

enum {
	WAVES_KEPT = 64, // the last ones, from which a steady course is told
	WAVES_MIN = 4,   // whose scatter says something
};

struct kernel_waves {
	uint64_t size;        // CTAs of a wave
	uint64_t done;        // waves that have ended
	uint64_t last;        // the cycle in which the last one of them did
	double took[WAVES_KEPT]; // cycles; wave k stands at k modulo WAVES_KEPT
	struct series steady; // cycles of the waves that go on as the rest will; of use when waves_take has said yes
	bool beside;          // other kernels ran at the same time, so that its cycles are not its own
	uint64_t cut;         // the first CTA that is left out; 0: none is
};

// `ended` CTAs have ended by cycle `now`, and `left` have not begun. Whether these can be left out: the latest waves,
// as many as possible, tell the mean of a wave to `error` of it. The first waves of a kernel often go faster, until
// queues have filled; so the latest count. Never if less than a wave is left, since that would save nothing.
bool waves_take(struct kernel_waves *w, uint64_t ended, uint64_t left, uint64_t now, double error);

#endif
