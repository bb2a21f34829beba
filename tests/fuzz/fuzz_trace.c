// Any bytes as a kernel trace, as text and as a .tracez file, and as a kernel list: nothing crashes, nothing hangs, and a trace that is read without an
// error can be walked from its first instruction to its last.
#include "cuda-sim/trace/kernelslist.h"
#include "cuda-sim/trace/reader.h"
#include "gpgpu-sim/gpu/functional.h"
#include "cuda-sim/trace/kernel.h"
#include "tests/fuzz/walk_trace.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_all(struct trace_source *source, bool accelsim)
{
	char why[1200];
	if (!source)
		return false;
	struct trace_code *code = mem_alloc(sizeof *code);
	code->rules = (struct trace_rules){.accelsim = accelsim, .units = 5};
	struct trace_reader *r = trace_reader_new(source, "fuzz", code, 0, 1000, why, sizeof why);
	enum trace_read got = TRACE_ERROR;
	if (r) {
		struct trace_cta *c = mem_alloc(sizeof *c);
		while ((got = trace_reader_next(r, c)) == TRACE_CTA)
			walk_trace(code, c, false);
		if (got == TRACE_ERROR && !trace_reader_error(r))
			abort();
		trace_cta_free(c);
		trace_reader_free(r);
	}
	trace_code_free(code);
	mem_free(code);
	return got == TRACE_END;
}

static void run(const char *name, const char *text, size_t size)
{
	char why[1200];
	struct kernel_launch l;
	struct trace_kernel *k = trace_kernel_open_text(name, text, size, &(struct trace_rules){0}, 0, 1000, why,
	                                                sizeof why);
	if (!k)
		abort();
	if (trace_kernel_ctas(k)) {
		uint64_t used;
		trace_kernel_launch(k, &l, 0);
		struct functional_run *f = functional_new(&l, 2, NULL);
		while (!functional_step(f, 1 << 16, &used))
			;
		functional_free(f);
		if (l.fault.kind)
			abort();
	}
	trace_kernel_close(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernelslist list = {0};
	struct diag d = {0};
	kernelslist_parse(&list, "fuzz", (const char *)data, size, &d);
	kernelslist_free(&list);
	diag_free(&d);
	const char *text = (const char *)data;
	read_all(trace_source_text(text, size), true);
	if (read_all(trace_source_text(text, size), false))
		run("fuzz", text, size);
	char why[300];
	read_all(trace_source_tracez(data, size, why, sizeof why), true);
	if (read_all(trace_source_tracez(data, size, why, sizeof why), false))
		run("fuzz.tracez", text, size);
	return 0;
}
