// The instruction table as a page for people.
#ifndef CUDA_SIM_PTX_DOC_H
#define CUDA_SIM_PTX_DOC_H

#include <stdio.h>

// Writes docs/ptx.md: one line per row of ops.def.
void ptx_doc_print(FILE *out);

#endif
