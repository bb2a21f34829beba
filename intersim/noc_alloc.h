// Allocators: match requesting inputs with outputs, each with at most one partner. One instance serves one router, for
// virtual channels or for the switch. Requests hold for one noc_alloc_run().
//
// Names as in BookSim: islip, islip(ITERATIONS), separable_input_first, separable_output_first, both also with
// (round_robin) or (matrix), wavefront and rr_wavefront.
#ifndef INTERSIM_NOC_ALLOC_H
#define INTERSIM_NOC_ALLOC_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct noc_request {
	int32_t label; // -1: none
	int32_t in_pri, out_pri; // higher goes first; islip does not look at them
};

struct noc_alloc_ops;

struct noc_alloc {
	const struct noc_alloc_ops *ops;
	unsigned n_in, n_out;
	unsigned in_words, out_words; // 64-bit words of a mask over inputs, over outputs
	unsigned iterations;
	bool matrix;                  // arbiters of the separable allocators
	struct noc_request *request;  // [n_in][n_out]
	uint64_t *of_in;              // per input: outputs it requests
	uint64_t *of_out;             // per output: inputs that request it
	uint64_t *some_in, *some_out; // inputs and outputs with requests
	int32_t *in_match, *out_match; // partner or -1, of the last run
	int32_t *grant;               // scratch, per output
	uint64_t *scratch;            // a mask over inputs per output, and one over outputs
	uint32_t *in_next, *out_next; // rotating positions
	uint64_t *in_matrix, *out_matrix; // per arbiter and port: ports that it goes before
	unsigned diagonal;            // wavefront: the one that goes first
	bool skip_diagonals;
	struct wave {
		int32_t in_pri, out_pri;
		uint32_t in, out, order;
	} *wave; // scratch of the wavefront
	unsigned n_requests;
};

// What `name` and the keys alloc_iters and arb_type ask for; false if there is no such allocator.
bool noc_alloc_known(const char *name);

struct noc_alloc *noc_alloc_new(const char *name, const char *arb_type, unsigned iterations, unsigned n_in,
                                unsigned n_out, struct arena *arena);
void noc_alloc_add(struct noc_alloc *a, unsigned in, unsigned out, int label, int in_pri, int out_pri); // replaces
// The label of a request of the current round, or -1.
static inline const struct noc_request *noc_alloc_request(const struct noc_alloc *a, unsigned in, unsigned out)
{
	return &a->request[(size_t)in * a->n_out + out];
}
void noc_alloc_run(struct noc_alloc *a);
// Forgets requests and matches; labels of requests can be read until then.
void noc_alloc_clear(struct noc_alloc *a);

#endif
