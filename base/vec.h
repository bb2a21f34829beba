// Growable arrays. VEC(int) v = {0}; VEC_PUSH(&v, 3); v.at[0]; v.n; VEC_FREE(&v).
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/assert.h"
#include "base/mem.h"

// The hostile build grows by the least there is, so that every push may move the elements.
#define VEC_GROW(cap, want) HEDDLE_LIMIT((want), (cap) ? (cap) * 2 : 4)

#define VEC(type)         \
	struct {          \
		type *at; \
		size_t n; \
		size_t cap; \
	}

#define VEC_RESERVE(v, want)                                                        \
	do {                                                                        \
		size_t want_ = (want);                                              \
		if (want_ > (v)->cap) {                                             \
			size_t cap_ = VEC_GROW((v)->cap, want_);                     \
			while (cap_ < want_)                                        \
				cap_ *= 2;                                          \
			(v)->at = mem_realloc((v)->at, cap_ * sizeof *(v)->at);     \
			(v)->cap = cap_;                                            \
		}                                                                   \
	} while (0)

#define VEC_PUSH(v, item)                      \
	do {                                   \
		VEC_RESERVE((v), (v)->n + 1);  \
		(v)->at[(v)->n++] = (item);    \
	} while (0)

#define VEC_FREE(v)                 \
	do {                        \
		mem_free((v)->at);  \
		(v)->at = NULL;     \
		(v)->n = (v)->cap = 0; \
	} while (0)

#endif
