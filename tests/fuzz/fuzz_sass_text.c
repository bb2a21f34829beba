// Any bytes as SASS text: nothing crashes, a refusal says why, and what is read runs as long as it likes.
#include "cuda-sim/sass/text/text.h"
#include "gpgpu-sim/gpu/functional.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct sass_program *p, const struct kernel_launch *l)
{
	for (size_t i = 0; i < sass_text_count(p); i++) {
		const struct isa_inst *t = sass_text_inst(p, i);
		struct fe_place at;
		l->fe->place(l->code, t, &at);
		if (t->pc != i * SASS_INST_BYTES || t->n_src > ISA_MAX_SRC || t->n_dst > ISA_MAX_DST ||
		    t->sass->unit >= ISA_N_UNITS)
			abort();
		for (unsigned k = 0; k < t->n_src; k++)
			if (!t->src[k] || t->src[k] >= l->fe->register_count(l->code))
				abort();
		for (unsigned k = 0; k < t->n_dst; k++)
			if (!t->dst[k] || t->dst[k] >= l->fe->register_count(l->code))
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct sass_program *p = sass_text_parse("fuzz", (const char *)data, size, 5, &d);
	if (!p != (d.errors > 0))
		abort();
	diag_free(&d);
	if (!p)
		return 0;
	struct kernel_launch l;
	uint64_t used;
	sass_text_launch(p, &l, 0);
	look(p, &l);
	struct functional_run *f = functional_new(&l, 2, NULL);
	for (unsigned n = 0; n < STEPS && !functional_step(f, 500, &used); n++)
		;
	functional_free(f);
	sass_text_free(p);
	return 0;
}
