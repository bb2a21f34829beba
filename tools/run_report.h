// heddle run --report.
#ifndef TOOLS_RUN_REPORT_H
#define TOOLS_RUN_REPORT_H

#include <stdbool.h>

// Options of the environment ask for a recording for this page. False if that cannot be, which may have been told.
bool report_ask(const char *page);

// Returns in a child, REPORT_IS_CHILD, which is to start the program; and in the parent, when that has ended and the page was
// written, with the exit status.
enum { REPORT_IS_CHILD = -1 };
int report_run(const char *page);

#endif
