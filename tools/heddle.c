// bin/heddle: runs programs on the simulator and looks into them.
#include "tools/tools.h"

#include <stdio.h>
#include <string.h>

#define HEDDLE_VERSION "0.1"

static int cmd_help(int argc, char **argv);

static int cmd_version(int argc, char **argv)
{
	puts("heddle " HEDDLE_VERSION);
	return 0;
}

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *args, *help;
} commands[] = {
        {"run", cmd_run, "[-c CONFIG] [--mode functional|timing] [--write-trace DIR] [--] PROGRAM [ARG...]",
         "run a CUDA program on the simulated GPU"},
        {"trace", cmd_trace, "-trace kernelslist.g -config gpgpusim.config -config trace.config [-option value ...]",
         "replay SASS traces; accel-sim.out does the same"},
        {"config", cmd_config, "...", "show, check and explain configuration files"},
        {"fatbin", cmd_fatbin, "FILE", "list the device code in a program, object or fat binary"},
        {"ptx", cmd_ptx, "[-a ARCH] FILE", "write the PTX in a program, object or fat binary to standard output"},
        {"ops", cmd_ops, "", "the PTX instructions, as a table in markdown"},
        {"stats", cmd_stats, "", "the statistics of a kernel, as tables in markdown"},
        {"help", cmd_help, "", "this list"},
        {"version", cmd_version, "", "the version"},
};

static int cmd_help(int argc, char **argv)
{
	puts("usage: heddle COMMAND [ARGUMENTS]\n");
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		const struct command *c = &commands[i];
		if (c->run)
			printf("  heddle %s%s%s\n        %s\n", c->name, *c->args ? " " : "", c->args, c->help);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *called = strrchr(argv[0], '/');
	if (!strcmp(called ? called + 1 : argv[0], "accel-sim.out"))
		return cmd_trace(argc, argv);
	if (argc < 2) {
		cmd_help(argc, argv);
		return 2;
	}
	const char *name = argv[1];
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	if (!strcmp(name, "--version"))
		name = "version";
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (commands[i].run && !strcmp(name, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "heddle: no command '%s'; 'heddle help' lists them, and a program is run by 'heddle run -- "
	                "%s'\n",
	        name, name);
	return 2;
}
