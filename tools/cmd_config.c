// heddle config: the configuration in force, with the meaning and the source of every value; another one made from it; what
// differs between two. heddle version: which Heddle this is, and the hash of that configuration.
#include "tools/cmd_config.h"
#include "tools/config_args.h"
#include "tools/tools.h"

#include "base/version.h"
#include "gpgpu-sim/gpu.h"
#include "gpgpu-sim/look/debug_streams.h"

#include <string.h>

static const char usage[] =
	"usage: heddle config [-c CONFIG]... [-option value]...\n"
	"       heddle config --check [-c CONFIG]... [-option value]...\n"
	"       heddle config new NAME --from CONFIG [--sms N] [--clock MHZ] ...\n"
	"       heddle config diff A B\n"
	"       heddle config --doc\n"
	"\n"
	"Prints every option with its value, where the value comes from and what it means. Without -c it reads what a\n"
	"CUDA program here would get: the file that GPGPUSIM_CONFIG names, ./gpgpusim.config, or the built-in GPU.\n"
	"What it prints is a configuration and can be read again.\n"
	"  -c CONFIG       a file, its folder, or a name from configs/; may be repeated, the last setting wins\n"
	"  -option value   any option of configuration files; wins over files and HEDDLE_OPTIONS\n"
	"  --check         only tell whether they make a GPU: its name, and what heddle version prints\n"
	"  --doc           print the table of all options as Markdown\n"
	"'heddle config new --help' and 'heddle config diff --help' tell of these two.\n";

static bool read_all(struct options *o, int argc, char **argv, struct diag *d)
{
	struct config_args a = {0};
	struct dbg_streams t;
	bool ok = config_args_take_all(&a, argc, argv, d) && config_args_read(&a, o, d) && dbg_init(&t, o, NULL, d);
	config_args_free(&a);
	return ok;
}

static int print_version(int argc, char **argv, bool check)
{
	struct options o = {0};
	struct gpu_desc desc;
	struct diag d = {0};
	printf("heddle %s\ncommit %s\n", heddle_version, heddle_commit);
	bool ok = read_all(&o, argc, argv, &d);
	if (ok && check)
		ok = gpu_desc_from_options(&desc, &o, &d) && gpu_possible(&o, &desc, !o.gpgpu_ptx_sim_mode, &d);
	if (ok)
		printf("options %016llx\n", (unsigned long long)options_hash(&o));
	if (ok && check)
		printf("gpu %s\n", desc.name);
	if (!ok || check)
		diag_print(&d);
	diag_free(&d);
	options_free(&o);
	return ok ? 0 : 2;
}

int cmd_config(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "new"))
		return config_new(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "diff"))
		return config_diff(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "--check"))
		return print_version(argc - 1, argv + 1, true);
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--doc")) {
		options_write_doc(stdout);
		return 0;
	}
	struct options o = {0};
	struct diag d = {0};
	bool ok = read_all(&o, argc, argv, &d);
	if (ok)
		options_write(&o, stdout, true);
	diag_print(&d);
	diag_free(&d);
	options_free(&o);
	return ok ? 0 : 2;
}

int cmd_version(int argc, char **argv)
{
	return print_version(argc, argv, false);
}
