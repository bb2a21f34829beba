// Figures that were measured one after another: their mean, and how sure it is.
#ifndef GPGPU_SIM_ESTIMATE_SERIES_H
#define GPGPU_SIM_ESTIMATE_SERIES_H

#include <math.h>
#include <stdint.h>

struct series {
	uint64_t n;
	double mean, squares; // of distances to the mean (Welford's method)
};

static inline void series_add(struct series *s, double x)
{
	const double d = x - s->mean;
	s->mean += d / (double)++s->n;
	s->squares += d * (x - s->mean);
}

// How far the mean may be from the true one, in 95 of 100 cases if the figures scatter normally and each by itself:
// Student's t times the standard error. Infinite for less than two.
static inline double series_bound(const struct series *s)
{
	// Student's t, 97.5 %, for 1, 2, ... degrees of freedom; beyond the table its limit.
	static const double t[] = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	                           2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
	enum { N = sizeof t / sizeof *t };
	if (s->n < 2)
		return INFINITY;
	const uint64_t freedom = s->n - 1;
	return (freedom <= N ? t[freedom - 1] : 2.0) * sqrt(s->squares / (double)freedom / (double)s->n);
}

// The same as a part of the mean.
static inline double series_spread(const struct series *s) { return s->mean > 0 ? series_bound(s) / s->mean : INFINITY; }

#endif
