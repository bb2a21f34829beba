// The configuration on a command line, read alike by heddle run, trace, config and version:
//
//	-c CONFIG            a file, a folder with a gpgpusim.config, or a name from configs/; may be repeated
//	-option value        any option of a configuration file
//
// What counts, from the weakest to the strongest: the files of -c in their order, or without -c what a CUDA program here
// would get; the environment (PTX_SIM_MODE_FUNC, HEDDLE_OPTIONS); the options on the command line.
#ifndef TOOLS_CONFIG_ARGS_H
#define TOOLS_CONFIG_ARGS_H

#include "base/options.h"
#include "base/vec.h"

struct config_args {
	VEC(char *) file;   // of -c, absolute
	VEC(char *) option; // words: names and values
};

// Takes what is meant for the configuration at argv[i], and its value. How many words that was: 0 if the word there is no
// option of a configuration, -1 with an error.
int config_args_take(struct config_args *a, int argc, char **argv, int i, struct diag *d);
// Takes all of argv[1..].
bool config_args_take_all(struct config_args *a, int argc, char **argv, struct diag *d);
void config_args_free(struct config_args *a);

// Reads it. False with errors.
bool config_args_read(const struct config_args *a, struct options *o, struct diag *d);


#endif
