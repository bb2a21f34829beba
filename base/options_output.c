#include "base/options.h"
#include "base/output.h"

#include <limits.h>
#include <unistd.h>

static bool check(const char *option, const char *path, struct diag *d)
{
	int error = *path ? output_check(path) : 0;
	if (error)
		diag_add(d, DIAG_ERROR, "option '%s': cannot write %s: %s", option, path, output_why(error));
	return !error;
}

bool options_check_outputs(const struct options *o, struct diag *d)
{
	bool timed = !o->gpgpu_ptx_sim_mode;
	bool lines = timed && o->enable_ptx_file_line_stats && o->origin[OPT_ptx_line_stats_filename].source != FROM_DEFAULT;
	const struct {
		const char *option, *path;
		bool used;
	} output[] = {
		{"-stats_file", o->stats_file, true},
		{"-stats_json", o->stats_json, true},
		{"-checkpoint_file", o->checkpoint_file, o->checkpoint_option},
		{"-trace_file", o->trace_file, o->trace_enabled},
		{"-ptx_line_stats_filename", o->ptx_line_stats_filename, lines},
		{"-visualizer_outputfile", o->visualizer_outputfile, timed && o->visualizer_enabled},
		{"-gpgpu_ptx_inst_debug_file", o->gpgpu_ptx_inst_debug_file, o->gpgpu_ptx_inst_debug_to_file},
	};
	bool ok = true;
	for (size_t i = 0; i < sizeof output / sizeof *output; i++)
		ok &= !output[i].used || check(output[i].option, output[i].path, d);
	return ok;
}

static void pin(struct options *o, const char **path, const char *folder)
{
	if (**path && **path != '/')
		*path = arena_printf(&o->strings, "%s/%s", folder, *path);
}

void options_pin_outputs(struct options *o)
{
	char folder[PATH_MAX];
	if (!getcwd(folder, sizeof folder))
		return;
	pin(o, &o->stats_file, folder);
	pin(o, &o->stats_json, folder);
	pin(o, &o->trace_file, folder);
	pin(o, &o->checkpoint_file, folder);
	pin(o, &o->ptx_line_stats_filename, folder);
	pin(o, &o->visualizer_outputfile, folder);
	pin(o, &o->gpgpu_ptx_inst_debug_file, folder);
}

void options_empty_outputs(const struct options *o)
{
	if (o->stats_file)
		output_empty(o->stats_file);
	if (o->stats_json)
		output_empty(o->stats_json);
}
