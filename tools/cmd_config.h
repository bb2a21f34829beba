// The forms of heddle config that have a file of their own.
#ifndef TOOLS_CMD_CONFIG_H
#define TOOLS_CMD_CONFIG_H

// argv[0] is the form's name.
int config_new(int argc, char **argv);
int config_diff(int argc, char **argv);

#endif
