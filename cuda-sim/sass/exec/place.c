// Where in its function and in its source an instruction stands.
#include "cuda-sim/sass/exec/warp.h"

static const struct sass_part *part_at(const struct sass_image *m, uint64_t pc)
{
	const struct sass_part *p = NULL;
	for (size_t k = 0; k < m->n_part && m->part[k].pc <= pc; k++)
		p = &m->part[k];
	return p;
}

static const struct sass_line_at *line_at(const struct sass_image *m, uint64_t pc)
{
	size_t lo = 0, hi = m->n_line;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (m->line[mid].pc <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && m->line[lo - 1].file ? &m->line[lo - 1] : NULL;
}

void sx_place(const void *code, const struct isa_inst *inst, struct fe_place *out)
{
	const struct sass_kernel *k = code;
	const struct sass_part *p = part_at(k->image, inst->pc);
	const struct sass_line_at *l = line_at(k->image, inst->pc);
	*out = (struct fe_place){.function = p ? p->name : k->image->name, .file = k->image->file, .source = l ? l->file : NULL,
	                         .source_line = l ? l->line : 0, .function_pc = p ? p->pc : 0};
	sx_text(k, (uint32_t)(inst - k->isa), out->text, sizeof out->text);
}
