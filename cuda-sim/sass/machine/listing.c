#include "cuda-sim/sass/machine/listing.h"

#include "base/mem.h"
#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/machine/encoding.h"

#include <string.h>

enum { WORD = 16 };

static struct sass_word word_at(const struct sass_function *f, size_t i)
{
	struct sass_word w;
	memcpy(&w.lo, f->code + i * WORD, sizeof w.lo);
	memcpy(&w.hi, f->code + i * WORD + sizeof w.lo, sizeof w.hi);
	return w;
}

// Marks the instructions that some branch goes to.
static void find_targets(const struct sass_isa *isa, const struct sass_function *f, uint8_t *target)
{
	for (size_t i = 0; i < f->size / WORD; i++) {
		struct sass_decoded d;
		char why[200];
		uint64_t to;
		if (sass_decode(isa, word_at(f, i), i * WORD, &d, why, sizeof why) && sass_target(&d, &to) && to < f->size && to % WORD == 0)
			target[to / WORD] = 1;
	}
}

static const char *label(void *ctx, uint64_t pc, char *buf, size_t len)
{
	const struct sass_function *f = ctx;
	if (pc >= f->size || pc % WORD)
		return NULL;
	snprintf(buf, len, "L_%04llx", (unsigned long long)pc);
	return buf;
}

unsigned sass_list(const struct sass_isa *isa, const struct sass_function *f, FILE *out)
{
	size_t n = f->size / WORD;
	uint8_t *target = mem_alloc(n + 1);
	unsigned unknown = 0;
	find_targets(isa, f, target);
	fprintf(out, ".kernel %s\n.target sm_%u\n", f->name, f->arch);
	if (f->registers)
		fprintf(out, ".regs %u\n", f->registers);
	if (f->shared)
		fprintf(out, ".shared %u\n", f->shared);
	for (size_t i = 0; i < n; i++) {
		struct sass_word w = word_at(f, i);
		struct isa_control control = sass_control_from_encoding(w.lo, w.hi);
		struct sass_decoded d;
		char why[200], text[300], bits[40], name[24] = "";
		if (target[i])
			snprintf(name, sizeof name, "L_%04zx:", i * WORD);
		sass_control_print(&control, bits, sizeof bits);
		if (sass_decode(isa, w, i * WORD, &d, why, sizeof why)) {
			d.label = label;
			d.label_ctx = (void *)f;
			sass_print(&d, text, sizeof text);
			fprintf(out, "%-8s%s %s\n", name, bits, text);
		} else {
			fprintf(out, "%-8s// %04zx: %016llx%016llx %s\n", name, i * WORD, (unsigned long long)w.hi, (unsigned long long)w.lo, why);
			unknown++;
		}
	}
	mem_free(target);
	return unknown;
}
