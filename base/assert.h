// Checks of the hostile build (make hostile): invariants that headers state, looked at after every change, and limits
// made so small that what is rare elsewhere happens all the time. In other builds both cost nothing.
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H

#ifdef HEDDLE_HOSTILE

#include <stdio.h>
#include <stdlib.h>

// A false condition is a bug of ours, never of the input; it ends the process.
#define HEDDLE_ASSERT(cond)                                                                       \
	do {                                                                                      \
		if (!(cond)) {                                                                    \
			fprintf(stderr, "heddle: %s:%d: broken: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                                                  \
		}                                                                                 \
	} while (0)

// A limit: tiny in the hostile build.
#define HEDDLE_LIMIT(hostile, normal) (hostile)

#else

#define HEDDLE_ASSERT(cond) ((void)0)
#define HEDDLE_LIMIT(hostile, normal) (normal)

#endif

#endif
