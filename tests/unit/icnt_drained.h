// The promise of icnt_drained(): a source that had no room has some only once its bit is set.
#ifndef TESTS_ICNT_DRAINED_H
#define TESTS_ICNT_DRAINED_H

#include "intersim/icnt.h"

#include <check.h>

// icnt_tick(), looked at. Peers have pushed all that they want to in this cycle.
static inline bool tick_and_look(struct icnt *n, unsigned n_cluster, unsigned n_mem, unsigned bytes)
{
	static bool room[2][512];
	const unsigned sources[] = {n_cluster, n_mem};
	for (int net = 0; net < 2; net++) {
		ck_assert_uint_le(sources[net], 512);
		for (unsigned i = 0; i < sources[net]; i++)
			room[net][i] = icnt_has_room(n, net, i, bytes);
		for (unsigned w = 0; w < (sources[net] + 63) / 64; w++)
			icnt_drained(n, net)[w] = 0;
	}
	bool moved = icnt_tick(n);
	for (int net = 0; net < 2; net++)
		for (unsigned i = 0; i < sources[net]; i++)
			if (!room[net][i] && icnt_has_room(n, net, i, bytes))
				ck_assert_msg(icnt_drained(n, net)[i / 64] >> i % 64 & 1, "source %u of network %d has room that nobody hears of", i, net);
	return moved;
}

#endif
