// bin/heddle: runs programs on the simulator and looks into them.
#include "tools/tools.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int cmd_help(int argc, char **argv);

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *args, *help;
} commands[] = {
        {"run", cmd_run, "[-c CONFIG]... [-option value]... [--mode functional|timing] [--write-trace DIR] [--] PROGRAM [ARG...]",
         "run a CUDA program on the simulated GPU"},
        {"check", cmd_check, "[--tool TOOL] [--leak-check full] [--error-exitcode N] [OPTION...] [--] PROGRAM [ARG...]",
         "run a CUDA program and report its errors: bounds, races, uninitialised memory, barriers, as compute-sanitizer does"},
        {"trace", cmd_trace, "-trace kernelslist.g [-c CONFIG]... [-option value]...",
         "replay SASS traces; accel-sim.out does the same"},
        {"config", cmd_config, "[-c CONFIG]... [-option value]... | new NAME --from CONFIG ... | diff A B",
         "show, check, explain, make and compare configuration files"},
        {"fatbin", cmd_fatbin, "[-c CONFIG]... FILE", "list the device code in a program, object or fat binary, and what of it runs"},
        {"ptx", cmd_ptx, "[-a ARCH] FILE", "write the PTX in a program, object or fat binary to standard output"},
        {"sass", cmd_sass, "[-a ARCH] FILE [KERNEL] | --assemble FILE.sass -o FILE.cubin",
         "write the machine code in a program, object, cubin or fat binary as text, or make a cubin of such text"},
        {"latencies", cmd_latencies, "[--opcodes] FILE...",
         "the distances that NVIDIA's compiler leaves between dependent instructions, as tables in markdown"},
        {"ops", cmd_ops, "", "the PTX instructions, as a table in markdown"},
        {"stats", cmd_stats, "", "the statistics of a kernel, as tables in markdown"},
        {"report", cmd_python, "RUN.json [OTHER.json...] [-o OUT.html]", "a page with tables and charts, from the file of -stats_json"},
        {"sweep", cmd_python, "FILE.toml [--jobs N] [--slurm] [--print-jobs] [--db FILE.db]",
         "run programs x inputs x configurations, and keep every result in one database"},
        {"results", cmd_python, "FILE.db [--show STATISTIC...] [--rows AXES --columns AXES] [--speedup] [--plot FILE.svg]",
         "tables, speed-ups and plots of a sweep"},
        {"smi", cmd_smi, "[-L | --query-gpu=FIELDS --format=csv[,noheader][,nounits]]", "the simulated GPU as nvidia-smi shows one; bin/nvidia-smi does the same"},
        {"help", cmd_help, "", "this list"},
        {"version", cmd_version, "[-c CONFIG]... [-option value]...", "version, commit, and a hash of the options that change results or cycles"},
};

static int cmd_help(int argc, char **argv)
{
	puts("usage: heddle COMMAND [ARGUMENTS]\n");
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		const struct command *c = &commands[i];
		printf("  heddle %s%s%s\n        %s\n", c->name, *c->args ? " " : "", c->args, c->help);
	}
	return 0;
}

// What was printed is out, or the command has failed.
static int finish(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "heddle: error: cannot write standard output: %s\n", strerror(errno));
	return status ? status : 1;
}

int main(int argc, char **argv)
{
	const char *called = strrchr(argv[0], '/');
	if (!strcmp(called ? called + 1 : argv[0], "accel-sim.out"))
		return finish(cmd_trace(argc, argv));
	if (!strcmp(called ? called + 1 : argv[0], "nvidia-smi"))
		return finish(cmd_smi(argc, argv));
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
		if (!strcmp(name, commands[i].name))
			return finish(commands[i].run(argc - 1, argv + 1));
	fprintf(stderr, "heddle: no command '%s'; 'heddle help' lists them, and a program is run by 'heddle run -- "
	                "%s'\n",
	        name, name);
	return 2;
}
