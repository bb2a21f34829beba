// Any text: parse it, parse its bodies, link it, print it.
#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/runtime/builtin.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct devmem *mem;
	struct diag d = {0};
	if (!mem)
		mem = devmem_create((uint64_t)1 << 32, DEVMEM_OWN, &d);
	struct ptx_module *m = ptx_module_parse("fuzz", (const char *)data, size, &d);
	if (m) {
		struct ptx_program p = {0};
		VEC_PUSH(&p.modules, m);
		bool linked = ptx_program_link(&p, mem, builtin_find, &d);
		for (size_t i = 0; i < m->funcs.n; i++) {
			struct ptx_func *f = m->funcs.slot[i].value;
			if (!f->body || !linked || !ptx_func_parse(f, &d))
				continue;
			for (uint32_t k = 0; k < f->n_inst; k++) {
				char line[300];
				ptx_inst_print(f, &f->inst[k], line, sizeof line);
			}
		}
		ptx_program_free(&p);
	}
	diag_free(&d);
	return 0;
}
