// Any bytes as a fat binary container, and its payloads, or as a cubin.
#include "libcuda/image/cubin.h"
#include "libcuda/image/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fatbin f = {0};
	struct cubin cubin;
	struct diag d = {0};
	struct arena arena = {0};
	fatbin_read_section(&f, data, size, &d);
	for (size_t i = 0; i < f.entry.n; i++) {
		const struct fatbin_entry *e = &f.entry.at[i];
		const char *text;
		size_t len;
		// Large claims are slow to try and not what is sought here.
		if (e->raw_size <= 1 << 20 && fatbin_payload(e, &arena, &text, &len, &d) && e->kind == FATBIN_CUBIN) {
			cubin_read(&cubin, text, len, &arena, &d);
			cubin_free(&cubin);
		}
		fatbin_select_ptx(&f, e->container, e->arch, &d);
	}
	cubin_read(&cubin, data, size, &arena, &d);
	cubin_free(&cubin);
	fatbin_free(&f);
	arena_free(&arena);
	diag_free(&d);
	return 0;
}
