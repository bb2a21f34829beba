// heddle config: the configuration in force, with the meaning and the source of every value.
#include "base/options.h"
#include "gpgpu-sim/look/debug_streams.h"

#include <string.h>

int cmd_config(int argc, char **argv);

static const char usage[] =
	"usage: heddle config [-c FILE] [-option value ...]\n"
	"       heddle config --doc\n"
	"\n"
	"Prints every option with its value, where the value comes from and what it means. Without -c it reads what a\n"
	"CUDA program here would get: the file that GPGPUSIM_CONFIG names, ./gpgpusim.config, or the built-in GPU.\n"
	"What it prints is a configuration and can be read again.\n"
	"  -c FILE  read this configuration instead; may be repeated, the last setting wins\n"
	"  --doc    print the table of all options as Markdown\n";

static bool read_all(struct options *o, int argc, char **argv, struct diag *d)
{
	int i = 0;
	bool ok = true;
	options_defaults(o);
	if (argc < 2 || strcmp(argv[0], "-c"))
		ok = options_find_and_load(o, d);
	for (; i + 1 < argc && !strcmp(argv[i], "-c"); i += 2)
		ok &= options_load(o, argv[i + 1], d);
	if (i)
		ok &= options_apply_environment(o, d);
	struct dbg_streams t;
	return options_parse_args(o, argc - i, argv + i, d) && dbg_init(&t, o, NULL, d) && ok;
}

int cmd_config(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--doc")) {
		options_write_doc(stdout);
		return ferror(stdout) ? 1 : 0;
	}
	struct options o = {0};
	struct diag d = {0};
	bool ok = read_all(&o, argc - 1, argv + 1, &d);
	if (ok)
		options_write(&o, stdout, true);
	diag_print(&d);
	diag_free(&d);
	options_free(&o);
	return ok && !ferror(stdout) ? 0 : 1;
}
