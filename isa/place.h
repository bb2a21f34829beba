// Where an instruction stands, in words and as statistics count it.
#ifndef ISA_PLACE_H
#define ISA_PLACE_H

#include "isa/frontend.h"

// A function's name as reports show it: of names longer than PLACE_NAME_SHOWN bytes (C++ makes names of kilobytes) the beginning and dots.
enum { PLACE_NAME_SHOWN = 100 };
const char *place_name(const char *name, char buf[PLACE_NAME_SHOWN + 4]);

// "app.ptx:37 in k: ret", of code without lines of its own "pc 0x40 in k of app: EXIT"; behind it " (k.cu:7)" if the source is known.
void place_print(const struct fe_place *p, uint64_t pc, char *buf, size_t len);

// File and line that an instruction's counters go to: its own line, that of its source, or if there is neither its function and its
// number in the kernel's code, from 1.
void place_line(const struct fe_place *p, uint32_t number, char *file, size_t len, uint32_t *line);

#endif
