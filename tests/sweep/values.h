// The arguments of the sweep: good ones of every kind, and what is wrong with the others.
#ifndef TESTS_SWEEP_VALUES_H
#define TESTS_SWEEP_VALUES_H

#include <stdbool.h>
#include <stdint.h>

// How an argument is handed over: in general registers, two for a dim3, in one for floating point, or by copy on the stack.
enum passing { PASS_WORD, PASS_PAIR, PASS_FLOAT, PASS_COPY };

struct value {
	enum passing passing;
	unsigned n; // words of `word`
	uint64_t word[8];
	float f;
};

struct kind {
	const char *name;
	const char *const *cases; // ends with NULL: what can be wrong with it
	const char *null;         // codes for NULL, "1|400"; of a list "400 1|201" the first with a documented code counts
	const char *bad;          // codes for anything else
};

// What may have happened before the call: a stream of this thread captures, a kernel has failed.
void values_capture(void);
void values_fault(void);

// The kind of a parameter such as "stream", "out?" or "size=64".
const struct kind *kind_of(const char *name);

// Loads what the program has registered and makes the primary context current. `context` is false for a call without one,
// `initialised` for one before cuInit.
void values_start(void *library, bool runtime, bool initialised, bool context);

// A value of the parameter, good if `wrong` is NULL, else with that of its kind's cases. `arg` is the text behind '='.
struct value value_make(const struct kind *k, const char *arg, const char *wrong);

// Calls a function of the library with words only; those that are not used are 0.
int api(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);

#endif
