// Accesses that a GPU lets pass although they miss what they mean, by place: told once each, then counted.
#ifndef ISA_STRAYS_H
#define ISA_STRAYS_H

#include "base/diag.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum stray {
	STRAY_READ, // beside an allocation, by little
	STRAY_WRITE,
	STRAY_LATE // at the mbarrier of a block that has ended
};

struct stray_place {
	char *kernel, *place; // where in its code, in words
	enum stray kind;
	uint64_t count; // warp instructions
};

struct strays {
	VEC(struct stray_place) place;
};

// Counts an access. True the first time for its place: then it should be told.
bool strays_add(struct strays *s, const char *kernel, const char *place, enum stray kind);
// The same, and prints `text` as a warning the first time.
void strays_tell(struct strays *s, const char *kernel, const char *place, enum stray kind, const char *text);
// It was told of already. Changes nothing.
bool strays_known(const struct strays *s, const char *kernel, const char *place, enum stray kind);

// How often the places were met after they were told, as warnings; then forgets them all.
void strays_end(struct strays *s, struct diag *d);

#endif
