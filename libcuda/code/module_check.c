#include "libcuda/code/module_parts.h"

#include "cuda-sim/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

unsigned module_ptx_version(const char *text)
{
	unsigned major = 0, minor = 0;
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (sscanf(line, " .version %2u.%1u", &major, &minor) == 2)
			return major * 10 + minor;
	return 0;
}

cudaError_t module_check(struct module *m, struct diag *d)
{
	bool ok = true;
	for (size_t i = 0; i < m->program->modules.n; i++) {
		const struct map *funcs = &m->program->modules.at[i]->funcs;
		for (size_t k = 0; k < funcs->n; k++) {
			struct ptx_func *f = funcs->slot[k].value;
			ok &= !f->body || ptx_func_parse(f, d);
		}
	}
	return ok ? cudaSuccess : cudaErrorInvalidPtx;
}
