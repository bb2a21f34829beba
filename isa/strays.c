#include "isa/strays.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

static struct stray_place *find(const struct strays *s, const char *kernel, const char *place, bool write)
{
	for (size_t i = 0; i < s->place.n; i++) {
		struct stray_place *p = &s->place.at[i];
		if (p->write == write && !strcmp(p->place, place) && !strcmp(p->kernel, kernel))
			return p;
	}
	return NULL;
}

bool strays_known(const struct strays *s, const char *kernel, const char *place, bool write)
{
	return find(s, kernel, place, write) != NULL;
}

bool strays_add(struct strays *s, const char *kernel, const char *place, bool write)
{
	struct stray_place *known = find(s, kernel, place, write);
	if (known) {
		known->count++;
		return false;
	}
	struct stray_place p = {.kernel = mem_strdup(kernel), .place = mem_strdup(place), .write = write, .count = 1};
	VEC_PUSH(&s->place, p);
	return true;
}

void strays_tell(struct strays *s, const char *kernel, const char *place, bool write, const char *text)
{
	if (!strays_add(s, kernel, place, write))
		return;
	struct diag d = {0};
	diag_add(&d, DIAG_WARNING, "%s", text);
	diag_print(&d);
	diag_free(&d);
}

void strays_end(struct strays *s, struct diag *d)
{
	for (size_t i = 0; i < s->place.n; i++) {
		const struct stray_place *p = &s->place.at[i];
		if (p->count > 1)
			diag_add(d, DIAG_WARNING,
			         "kernel '%s', %s: %" PRIu64 " more warp instructions that %s beside an allocation",
			         p->kernel, p->place, p->count - 1, p->write ? "write" : "read");
		mem_free(p->kernel);
		mem_free(p->place);
	}
	VEC_FREE(&s->place);
}
