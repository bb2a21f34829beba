#include "libcuda/memory/advice.h"

#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/work/capture.h"
#include "libcuda/work/stream.h"

#include <string.h>

enum { ADVICE_PAGE = 4096, LOCATION_DEVICE = 1, LOCATION_HOST, LOCATION_HOST_NUMA, LOCATION_HOST_NUMA_CURRENT, NO_SUCH_PLACE = -3 };

int memory_location(struct cudaMemLocation l)
{
	return l.type == LOCATION_DEVICE ? l.id : l.type >= LOCATION_HOST && l.type <= LOCATION_HOST_NUMA_CURRENT ? PLACE_HOST : NO_SUCH_PLACE;
}

struct state {
	bool read_mostly, by_device, by_host;
	int preferred, prefetched; // places
};

// What was said about some pages. Those of one allocation, by its uid; sorted by address and apart.
struct advice {
	uint64_t lo, hi, uid;
	struct state state;
};

static VEC(struct advice) advices;
static const struct state nothing_said = {.preferred = PLACE_NONE, .prefetched = PLACE_NONE};

static void insert(size_t at, struct advice a)
{
	VEC_PUSH(&advices, a);
	memmove(&advices.at[at + 1], &advices.at[at], (advices.n - 1 - at) * sizeof a);
	advices.at[at] = a;
}

// What was said about memory that is freed is forgotten.
static void forget_freed(void)
{
	size_t n = 0;
	for (size_t i = 0; i < advices.n; i++) {
		const struct devmem_range *r = devmem_find(cu.mem, advices.at[i].lo);
		if (r && r->uid == advices.at[i].uid)
			advices.at[n++] = advices.at[i];
	}
	advices.n = n;
}

// An entry begins at `at` or none goes over it.
static void split(uint64_t at)
{
	for (size_t i = 0; i < advices.n; i++) {
		struct advice *a = &advices.at[i];
		if (a->lo < at && at < a->hi) {
			struct advice rest = *a;
			a->hi = rest.lo = at;
			insert(i + 1, rest);
			return;
		}
	}
}

// Entries for all of [lo, hi).
static void cover(uint64_t lo, uint64_t hi, uint64_t uid)
{
	size_t i = 0;
	split(lo);
	split(hi);
	while (i < advices.n && advices.at[i].hi <= lo)
		i++;
	for (; lo < hi; i++) {
		uint64_t next = i < advices.n && advices.at[i].lo < hi ? advices.at[i].lo : hi;
		if (lo < next)
			insert(i, (struct advice){lo, next, uid, nothing_said});
		lo = advices.at[i].hi;
	}
}

static void merge(void)
{
	size_t n = 0;
	for (size_t i = 0; i < advices.n; i++) {
		struct advice *a = &advices.at[i], *last = n ? &advices.at[n - 1] : NULL;
		if (last && last->hi == a->lo && last->uid == a->uid && last->state.read_mostly == a->state.read_mostly &&
		    last->state.by_device == a->state.by_device && last->state.by_host == a->state.by_host &&
		    last->state.preferred == a->state.preferred && last->state.prefetched == a->state.prefetched)
			last->hi = a->hi;
		else
			advices.at[n++] = *a;
	}
	advices.n = n;
}

// Pages begin with their allocation.
static void pages(const void *p, size_t count, uint64_t *lo, uint64_t *hi)
{
	uint64_t at = (uint64_t)(uintptr_t)p;
	const struct devmem_range *r = devmem_find(cu.mem, at);
	*lo = r->base + (at - r->base) / ADVICE_PAGE * ADVICE_PAGE;
	*hi = r->base + (at - r->base + count + ADVICE_PAGE - 1) / ADVICE_PAGE * ADVICE_PAGE;
	*hi = *hi > r->room ? r->room : *hi;
}

enum { SET_READ_MOSTLY = 1, UNSET_READ_MOSTLY, SET_PREFERRED, UNSET_PREFERRED, SET_ACCESSED_BY, UNSET_ACCESSED_BY, PREFETCH };

static void say(const void *p, size_t count, int what, int place)
{
	uint64_t lo, hi;
	forget_freed();
	pages(p, count, &lo, &hi);
	cover(lo, hi, devmem_find(cu.mem, (uint64_t)(uintptr_t)p)->uid);
	for (size_t i = 0; i < advices.n; i++) {
		struct state *s = &advices.at[i].state;
		if (advices.at[i].lo < lo || advices.at[i].hi > hi)
			continue;
		switch (what) {
		case SET_READ_MOSTLY: s->read_mostly = true; break;
		case UNSET_READ_MOSTLY: s->read_mostly = false; break;
		case SET_PREFERRED: s->preferred = place; break;
		case UNSET_PREFERRED: s->preferred = PLACE_NONE; break;
		case PREFETCH: s->prefetched = place; break;
		default: *(place == PLACE_HOST ? &s->by_host : &s->by_device) = what == SET_ACCESSED_BY; break;
		}
	}
	merge();
}

cudaError_t memory_hint(const void *p, size_t count)
{
	const struct devmem_range *r = p ? devmem_find(cu.mem, (uint64_t)p) : NULL;
	if (!r || !count || count > r->end - (uint64_t)p || r->kind != DEVMEM_MANAGED)
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static bool good_device(int device) { return device == 0 || device == PLACE_HOST; }

cudaError_t memory_advise(const void *p, size_t count, int advice, int device)
{
	if (advice < SET_READ_MOSTLY || advice > UNSET_ACCESSED_BY)
		return cudaErrorInvalidValue;
	if (!good_device(device) && advice != SET_READ_MOSTLY && advice != UNSET_READ_MOSTLY && advice != UNSET_PREFERRED)
		return cudaErrorInvalidDevice;
	cudaError_t e = memory_hint(p, count);
	if (!e)
		say(p, count, advice, device);
	return e;
}

cudaError_t memory_prefetch(const void *p, size_t count, int device, cudaStream_t stream)
{
	struct stream *s = stream_find(stream);
	if (!s)
		return cudaErrorInvalidResourceHandle;
	if (s->capture)
		return cu.capture->refuse(s);
	cudaError_t e = good_device(device) ? memory_hint(p, count) : cudaErrorInvalidDevice;
	if (!e)
		say(p, count, PREFETCH, device);
	return e;
}

// --- asked about

struct summary {
	bool read_mostly, by_device, by_host; // of all pages
	int preferred, prefetched;            // of all pages the same, or PLACE_NONE
};

static struct summary summarise(const void *p, size_t count)
{
	struct summary all = {true, true, true, PLACE_NONE, PLACE_NONE};
	uint64_t lo, hi, at;
	bool first = true;
	forget_freed();
	pages(p, count, &lo, &hi);
	at = lo;
	for (size_t i = 0; i <= advices.n && at < hi; i++) {
		const struct advice *a = i < advices.n ? &advices.at[i] : NULL;
		if (a && a->hi <= at)
			continue;
		bool gap = !a || a->lo > at;
		const struct state *s = gap ? &nothing_said : &a->state;
		all.read_mostly &= s->read_mostly;
		all.by_device &= s->by_device;
		all.by_host &= s->by_host;
		all.preferred = first || all.preferred == s->preferred ? s->preferred : PLACE_NONE;
		all.prefetched = first || all.prefetched == s->prefetched ? s->prefetched : PLACE_NONE;
		first = false;
		if (gap && !a)
			break;
		at = gap ? a->lo : a->hi;
		i -= gap;
	}
	return all;
}

static int type_of(int place) { return place == PLACE_NONE ? 0 : place == PLACE_HOST ? LOCATION_HOST : LOCATION_DEVICE; }

cudaError_t memory_range_attribute(void *data, size_t size, int attribute, const void *p, size_t count)
{
	enum {
		READ_MOSTLY = 1, PREFERRED, ACCESSED_BY, PREFETCHED, PREFERRED_TYPE, PREFERRED_ID, PREFETCHED_TYPE, PREFETCHED_ID
	};
	if (!data || size < sizeof(int) || size % sizeof(int) || attribute < READ_MOSTLY || attribute > PREFETCHED_ID ||
	    (attribute != ACCESSED_BY && size != sizeof(int)))
		return cudaErrorInvalidValue;
	cudaError_t e = memory_hint(p, count);
	if (e)
		return e;
	struct summary s = summarise(p, count);
	int by[] = {s.by_device ? 0 : PLACE_HOST, s.by_device ? PLACE_HOST : PLACE_NONE}, n_by = s.by_device + s.by_host;
	for (size_t i = 0; i < size / sizeof(int); i++) {
		int v = attribute == READ_MOSTLY                                  ? s.read_mostly
		        : attribute == PREFERRED || attribute == PREFERRED_ID     ? s.preferred
		        : attribute == PREFETCHED || attribute == PREFETCHED_ID   ? s.prefetched
		        : attribute == PREFERRED_TYPE                             ? type_of(s.preferred)
		        : attribute == PREFETCHED_TYPE                            ? type_of(s.prefetched)
		        : i < (size_t)n_by                                        ? by[i]
		                                                                  : PLACE_NONE;
		if (!guard_write((int *)data + i, &v, sizeof v))
			return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

cudaError_t memory_range_attributes(void **data, size_t *sizes, int *attributes, size_t n, const void *p, size_t count)
{
	void *at;
	size_t size;
	int attribute;
	if (!data || !sizes || !attributes || !n)
		return cudaErrorInvalidValue;
	cudaError_t e = cudaSuccess;
	for (size_t i = 0; i < n && !e; i++)
		e = guard_read(&at, &data[i], sizeof at) && guard_read(&size, &sizes[i], sizeof size) &&
		                    guard_read(&attribute, &attributes[i], sizeof attribute)
		            ? memory_range_attribute(at, size, attribute, p, count)
		            : cudaErrorInvalidValue;
	return e;
}
