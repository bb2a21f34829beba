// Kernels written by hand in SASS, docs/sass-text.md: for tests of cores and for studies. Nothing is executed:
// annotations say where memory instructions go and which way branches take.
// Behind isa/frontend.h it is one more front end.
#ifndef CUDA_SIM_SASS_TEXT_TEXT_H
#define CUDA_SIM_SASS_TEXT_TEXT_H

#include "base/diag.h"
#include "isa/frontend.h"

enum { SASS_INST_BYTES = 16 };

extern const struct frontend_ops sass_text_frontend;

struct sass_program;

// Reads a kernel. `units`: specialized units of the GPU, as in struct trace_rules. NULL with errors that name file,
// line and column in `d`. The text need not outlive the call.
struct sass_program *sass_text_open(const char *path, uint32_t units, struct diag *d);
struct sass_program *sass_text_parse(const char *name, const char *text, size_t len, uint32_t units, struct diag *d);
void sass_text_free(struct sass_program *p);

// Fills a launch, all of it but uid. The program must outlive it and may be launched again.
void sass_text_launch(struct sass_program *p, struct kernel_launch *l, uint64_t code_base);

const char *sass_text_file(const struct sass_program *p);
const char *sass_text_name(const struct sass_program *p); // of the kernel
size_t sass_text_count(const struct sass_program *p);
const struct isa_inst *sass_text_inst(const struct sass_program *p, size_t i); // at pc i * SASS_INST_BYTES
// Number of the instruction behind a label; SIZE_MAX if there is no such label.
size_t sass_text_label(const struct sass_program *p, const char *label);

#endif
