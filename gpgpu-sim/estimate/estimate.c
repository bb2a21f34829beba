#include "gpgpu-sim/estimate/estimate.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "gpgpu-sim/estimate/series.h"

#include <string.h>

enum {
	TIMED_MIN = 3,    // launches of a group that are timed at least
	PROBE_EVERY = 16, // another one after so many without time, then after twice as many, and so on
};
static const double alike = 0.05; // numbers of instructions that differ by less are one

// What makes launches alike.
struct group_key {
	const struct kernel_info *info;
	uint32_t grid[3], block[3], cluster[3], shared;
};

// Launches of a group with about as many instructions.
struct band {
	double insts;             // warp instructions of the first of them
	struct series cycles;     // of a warp instruction
};

struct group {
	struct group_key key;
	VEC(struct band) band;    // by instructions, ascending
	uint64_t untimed, probe;  // launches without time since the last one with; so many make another one timed
	bool strange;             // the last one had more or fewer instructions than any that was timed
	double cycles, error;     // of all its launches without time, and of the waves that were left out
};

struct estimates {
	double error;
	struct map by_key;
	VEC(struct group *) group;
	struct estimate_sum sum;
};

struct estimates *estimates_new(double error)
{
	struct estimates *e = MEM_NEW(struct estimates);
	e->error = error;
	return e;
}

void estimates_free(struct estimates *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->group.n; i++) {
		VEC_FREE(&e->group.at[i]->band);
		mem_free(e->group.at[i]);
	}
	VEC_FREE(&e->group);
	map_free(&e->by_key);
	mem_free(e);
}

static struct group *group_of(struct estimates *e, const struct kernel_launch *l)
{
	struct group_key key;
	memset(&key, 0, sizeof key); // its bytes are what is looked for
	key.info = l->info;
	memcpy(key.grid, l->grid, sizeof key.grid);
	memcpy(key.block, l->block, sizeof key.block);
	memcpy(key.cluster, l->cluster, sizeof key.cluster);
	key.shared = l->dynamic_shared;
	struct group *g = map_get(&e->by_key, (const char *)&key, sizeof key);
	if (g)
		return g;
	g = MEM_NEW(struct group);
	g->key = key;
	g->probe = PROBE_EVERY;
	map_put(&e->by_key, (const char *)&g->key, sizeof g->key, g);
	VEC_PUSH(&e->group, g);
	return g;
}

static bool known(const struct estimates *e, const struct band *b)
{
	return b->cycles.n >= TIMED_MIN && series_spread(&b->cycles) <= e->error;
}

bool estimates_want(struct estimates *e, const struct kernel_launch *l)
{
	struct group *g = group_of(e, l);
	bool any = false;
	for (size_t i = 0; i < g->band.n; i++)
		any |= known(e, &g->band.at[i]);
	return !any || g->strange || g->untimed >= g->probe;
}

// The band for so many instructions, or NULL; *above is the first one with more.
static struct band *band_of(struct group *g, double insts, size_t *above)
{
	size_t i = 0;
	struct band *near = NULL;
	for (; i < g->band.n && g->band.at[i].insts <= insts * (1 + alike); i++)
		if (g->band.at[i].insts >= insts * (1 - alike))
			near = &g->band.at[i];
	*above = i;
	return near;
}

void estimates_timed(struct estimates *e, const struct kernel_launch *l, uint64_t warp_insts, struct estimate whole,
                     uint64_t simulated, bool alone)
{
	struct group *g = group_of(e, l);
	size_t above;
	e->sum.launches++;
	e->sum.timed++;
	e->sum.cut += whole.error > 0;
	e->sum.simulated += simulated;
	e->sum.whole.cycles += (double)simulated;
	g->cycles += whole.cycles - (double)simulated;
	g->error += whole.error;
	if (!alone || !warp_insts)
		return;
	if (g->untimed >= g->probe)
		g->probe *= 2;
	g->untimed = 0;
	g->strange = false;
	struct band *b = band_of(g, (double)warp_insts, &above);
	if (!b) {
		VEC_PUSH(&g->band, (struct band){0});
		memmove(g->band.at + above + 1, g->band.at + above, (g->band.n - 1 - above) * sizeof *b);
		b = &g->band.at[above];
		*b = (struct band){.insts = (double)warp_insts};
	}
	series_add(&b->cycles, whole.cycles / (double)warp_insts);
}

// Between two bands the cycles of an instruction go from the one's to the other's; beyond all, they are those of the
// nearest.
static struct estimate between(const struct group *g, double insts, size_t above)
{
	const struct band *up = above < g->band.n ? &g->band.at[above] : NULL;
	const struct band *down = above ? &g->band.at[above - 1] : NULL;
	if (!up && !down)
		return (struct estimate){0, INFINITY};
	if (!up || !down) {
		const struct band *b = up ? up : down;
		const double far = insts > b->insts ? insts / b->insts : b->insts / insts;
		return (struct estimate){insts * b->cycles.mean, insts * b->cycles.mean * fmin(far - 1, 1)};
	}
	const double part = (insts - down->insts) / (up->insts - down->insts);
	const double rate = down->cycles.mean + part * (up->cycles.mean - down->cycles.mean);
	return (struct estimate){insts * rate, insts * fabs(up->cycles.mean - down->cycles.mean) / 2};
}

struct estimate estimates_untimed(struct estimates *e, const struct kernel_launch *l)
{
	struct group *g = group_of(e, l);
	const double insts = (double)l->counts.warp_insts;
	size_t above;
	const struct band *b = band_of(g, insts, &above);
	struct estimate out;
	if (b) {
		out.cycles = insts * b->cycles.mean;
		out.error = b->cycles.n < 2 ? out.cycles * alike : insts * series_bound(&b->cycles);
	} else {
		out = between(g, insts, above);
	}
	g->strange |= !b;
	g->untimed++;
	g->cycles += out.cycles;
	g->error += out.error;
	e->sum.launches++;
	return out;
}

// Errors of alike launches have one cause and add up; those of different groups are independent.
struct estimate_sum estimates_sum(const struct estimates *e)
{
	struct estimate_sum s = e->sum;
	double squares = 0;
	for (size_t i = 0; i < e->group.n; i++) {
		s.whole.cycles += e->group.at[i]->cycles;
		squares += e->group.at[i]->error * e->group.at[i]->error;
	}
	s.whole.error = sqrt(squares);
	return s;
}
