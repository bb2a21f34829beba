#include "isa/strays.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

static struct stray_place *find(const struct strays *s, const char *kernel, const char *place, enum stray kind)
{
	for (size_t i = 0; i < s->place.n; i++) {
		struct stray_place *p = &s->place.at[i];
		if (p->kind == kind && !strcmp(p->place, place) && !strcmp(p->kernel, kernel))
			return p;
	}
	return NULL;
}

bool strays_known(const struct strays *s, const char *kernel, const char *place, enum stray kind)
{
	return find(s, kernel, place, kind) != NULL;
}

bool strays_add(struct strays *s, const char *kernel, const char *place, enum stray kind)
{
	struct stray_place *known = find(s, kernel, place, kind);
	if (known) {
		known->count++;
		return false;
	}
	struct stray_place p = {.kernel = mem_strdup(kernel), .place = mem_strdup(place), .kind = kind, .count = 1};
	VEC_PUSH(&s->place, p);
	return true;
}

void strays_tell(struct strays *s, const char *kernel, const char *place, enum stray kind, const char *text)
{
	if (!strays_add(s, kernel, place, kind))
		return;
	struct diag d = {0};
	diag_add(&d, DIAG_WARNING, "%s", text);
	diag_print(&d);
	diag_free(&d);
}

void strays_end(struct strays *s, struct diag *d)
{
	static const char *const does[] = {
		[STRAY_READ] = "read beside an allocation",
		[STRAY_WRITE] = "write beside an allocation",
		[STRAY_LATE] = "arrive at an mbarrier of a block that has ended",
	};
	for (size_t i = 0; i < s->place.n; i++) {
		const struct stray_place *p = &s->place.at[i];
		if (p->count > 1)
			diag_add(d, DIAG_WARNING,
			         "kernel '%s', %s: %" PRIu64 " more warp instructions that %s", p->kernel, p->place, p->count - 1,
			         does[p->kind]);
		mem_free(p->kernel);
		mem_free(p->place);
	}
	VEC_FREE(&s->place);
}
