#include "gpgpu-sim/gpu/clock.h"

#include "base/divisor.h"

#include <string.h>

// Least common multiple of all, 0 if it passes the limit. A run of 2^40 cycles must fit into 64 bits of time.
static uint64_t common(const uint64_t hz[CLOCKS_N])
{
	unsigned __int128 l = 1;
	for (unsigned i = 0; i < CLOCKS_N; i++) {
		uint64_t f = hz[i] ? hz[i] : 1;
		l = l / common_divisor((uint64_t)l, f) * f;
		if (l > (unsigned __int128)1 << 62)
			return 0;
	}
	for (unsigned i = 0; i < CLOCKS_N; i++)
		if (l / (hz[i] ? hz[i] : 1) > 1 << 22)
			return 0;
	return (uint64_t)l;
}

void clock_init(struct clock *c, const uint64_t hz[CLOCKS_N])
{
	uint64_t f[CLOCKS_N], unit = 1, l = 0;
	for (unsigned try = 0; try < 3 && !l; try++, unit *= 1000) {
		for (unsigned i = 0; i < CLOCKS_N; i++) {
			f[i] = (hz[i] + unit / 2) / unit;
			f[i] = f[i] ? f[i] : 1;
		}
		l = common(f);
	}
	memset(c, 0, sizeof *c);
	for (unsigned i = 0; i < CLOCKS_N; i++)
		c->period[i] = l ? l / f[i] : 1;
	c->one = true;
	for (unsigned i = 1; i < CLOCKS_N; i++)
		c->one &= c->period[i] == c->period[0];
}

void clock_restart(struct clock *c) { memset(c->next, 0, sizeof c->next); }

unsigned clock_step(struct clock *c)
{
	uint64_t t = c->next[0];
	unsigned set = 0;
	for (unsigned i = 1; i < CLOCKS_N; i++)
		t = c->next[i] < t ? c->next[i] : t;
	for (unsigned i = 0; i < CLOCKS_N; i++)
		if (c->next[i] == t) {
			set |= 1u << i;
			c->next[i] += c->period[i];
		}
	return set;
}

void clock_skip(struct clock *c, uint64_t n, uint64_t ticks[CLOCKS_N])
{
	uint64_t last = c->next[CLOCK_CORE] + (n - 1) * c->period[CLOCK_CORE];
	for (unsigned i = 0; i < CLOCKS_N; i++) {
		ticks[i] = c->next[i] <= last ? (last - c->next[i]) / c->period[i] + 1 : 0;
		c->next[i] += ticks[i] * c->period[i];
	}
}
