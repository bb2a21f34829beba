#include "tools/replay_kernel.h"

#include "cuda-sim/sass/text/text.h"

#include <string.h>

bool replay_is_sass(const char *path)
{
	size_t n = strlen(path);
	return n > 5 && !strcmp(path + n - 5, ".sass");
}

bool replay_kernel_open(struct replay_kernel *k, const struct list_command *c, const struct trace_set *set,
                        const struct trace_rules *rules, uint64_t first, uint64_t last, struct diag *d)
{
	*k = (struct replay_kernel){0};
	if (!c->kernel && replay_is_sass(c->text)) {
		k->sass = sass_text_open(c->text, rules->units, d);
		return k->sass;
	}
	char why[1200];
	k->trace = c->kernel ? trace_kernel_open_extended(set, c->kernel - 1, rules, first, last, why, sizeof why)
	                     : trace_kernel_open(c->text, rules, first, last, why, sizeof why);
	if (!k->trace)
		diag_add(d, DIAG_ERROR, "%s", why);
	return k->trace;
}

void replay_kernel_close(struct replay_kernel *k)
{
	trace_kernel_close(k->trace);
	sass_text_free(k->sass);
	*k = (struct replay_kernel){0};
}

const char *replay_kernel_name(const struct replay_kernel *k)
{
	return k->sass ? sass_text_name(k->sass) : trace_kernel_header(k->trace)->name;
}
uint32_t replay_kernel_id(const struct replay_kernel *k) { return k->sass ? 1 : trace_kernel_header(k->trace)->id; }
uint64_t replay_kernel_stream(const struct replay_kernel *k)
{
	return k->sass ? 0 : trace_kernel_header(k->trace)->stream;
}
uint64_t replay_kernel_ctas(const struct replay_kernel *k) { return k->sass ? 1 : trace_kernel_ctas(k->trace); }
bool replay_kernel_written(const struct replay_kernel *k) { return k->trace && trace_kernel_written(k->trace); }

void replay_kernel_launch(struct replay_kernel *k, struct kernel_launch *l, uint64_t code_base)
{
	if (k->sass)
		sass_text_launch(k->sass, l, code_base);
	else
		trace_kernel_launch(k->trace, l, code_base);
}

const char *replay_kernel_end(struct replay_kernel *k) { return k->sass ? NULL : trace_kernel_end(k->trace); }
