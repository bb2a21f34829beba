// The configuration: one typed field per row of base/options.def, each with the place its value came from.
//
//	struct options o = {0};
//	options_defaults(&o);
//	options_load(&o, "gpgpusim.config", &d);            // may be called again; the last setting wins
//	options_parse_args(&o, argc - 1, argv + 1, &d);
//	... o.gpgpu_n_clusters ...
//	options_free(&o);
//
// Readers return false when they added an error to the diag; every option that was in order is set nevertheless.
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum option_type { OPTION_BOOL, OPTION_INT, OPTION_UINT, OPTION_LONG, OPTION_TEXT };
enum option_status { OPTION_HONOURED, OPTION_ACCEPTED, OPTION_REFUSED };
enum option_form {
	FORM_ANY,
	FORM_CACHE,
	FORM_CLOCKS,
	FORM_COMMAS, // numbers with commas between them
	FORM_COLONS, // numbers with colons between them
	FORM_SAMPLING,
	FORM_DRAM_TIMING,
	FORM_ADDRESS_MAP,
	FORM_SCHEDULER,
	FORM_PREFETCH,
	FORM_UNIT,
	FORM_EXECUTE,
	FORM_NUMERICS,
	FORM_STATS,
	FORM_KERNELS,
};

// OPT_gpgpu_n_clusters and so on, in the order of the table.
enum option_id {
#define OPTION(field, name, type, def, min, max, form, unit, group, status, help) OPT_##field,
#include "base/options.def"
	OPTION_COUNT
};

struct option_info {
	const char *name; // with its '-'
	size_t name_len;
	enum option_type type;
	enum option_status status;
	enum option_form form;
	const char *def; // the default as a user would write it
	int64_t min, max;
	const char *unit, *group, *help;
	size_t offset; // of the field in struct options
};

enum option_source { FROM_DEFAULT, FROM_BUILTIN, FROM_FILE, FROM_ENVIRONMENT, FROM_COMMAND_LINE };
struct option_origin {
	enum option_source source;
	const char *file; // file, or name of the environment variable
	unsigned line;    // from 1; 0 where there is none
};

struct options {
#define OPTION_C_BOOL bool
#define OPTION_C_INT int32_t
#define OPTION_C_UINT uint32_t
#define OPTION_C_LONG int64_t
#define OPTION_C_TEXT const char *
#define OPTION(field, name, type, def, min, max, form, unit, group, status, help) OPTION_C_##type field;
#include "base/options.def"
	struct option_origin origin[OPTION_COUNT];
	struct arena strings; // owns every text
};

// Sets every option to its default and forgets what was set before.
void options_defaults(struct options *o);
// Do the options ask for the modern core?
bool options_modern_core(const struct options *o);
void options_free(struct options *o);

// Reads a gpgpusim.config or trace.config; `-config FILE` inside nests. Relative names in a file are looked for in the
// working directory first, as GPGPU-Sim does, then beside the file.
bool options_load(struct options *o, const char *path, struct diag *d);

// Reads configuration text that is not in a file; `name` stands for it in messages.
bool options_load_text(struct options *o, const char *name, const char *text, size_t len, enum option_source source,
                       struct diag *d);

// Reads arguments without the program's name; `-config FILE` is understood.
bool options_parse_args(struct options *o, int argc, char **argv, struct diag *d);

// The built-in GPU (configs/SM90_H100) on top of the defaults.
bool options_builtin(struct options *o, struct diag *d);
extern const char options_builtin_text[], options_builtin_end[];

// What libcudart does: defaults, then the file that GPGPUSIM_CONFIG names, or ./gpgpusim.config, or the built-in GPU
// with a note that says so. Ends with options_apply_environment().
bool options_find_and_load(struct options *o, struct diag *d);

// PTX_SIM_MODE_FUNC (0 or 1) sets -gpgpu_ptx_sim_mode; HEDDLE_OPTIONS holds options as a file would.
bool options_apply_environment(struct options *o, struct diag *d);

const struct option_info *option_info(enum option_id id);
// By name with its '-', old names too; -1 if there is none.
int option_find(const char *name);
// Whether a word is the name of an option, -config and names that are gone included, and so cannot be a value.
bool option_is_name(const char *word);

// The value as a user would write it, quoted where needed. `buf` of size n; cut if too small. Returns buf.
const char *options_value(const struct options *o, enum option_id id, char *buf, size_t n);
// "default", "built-in GPU", "FILE:LINE", "command line" or the environment variable.
const char *options_source(const struct options *o, enum option_id id, char *buf, size_t n);

// The file an option names: in the working directory, else beside the file that set the option. The string lives as
// long as `o`. It may not exist.
const char *options_file(struct options *o, enum option_id id);

// The files that a run writes: false, with errors that name the options, if one cannot be written. Nothing is opened.
bool options_check_outputs(const struct options *o, struct diag *d);
// Relative names of such files are of the working directory as it is now, wherever the program goes later.
void options_pin_outputs(struct options *o);
// Empties statistics that an earlier run has left, so that nobody takes them for this run's.
void options_empty_outputs(const struct options *o);

// The specialized units that are enabled: bit n-1 for unit n.
uint32_t options_units(const struct options *o);

// One number for everything in a configuration that can change results or cycles, wherever it came from: the same for two
// configurations that simulate the same GPU in the same way. Files count by what they hold, not by name.
uint64_t options_hash(const struct options *o);

// Writes a configuration that loads back to the same values. With `explain`, each line ends with source and meaning.
void options_write(const struct options *o, FILE *to, bool explain);
// docs/options.md.
void options_write_doc(FILE *to);

#endif
