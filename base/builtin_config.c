// The built-in GPU is the text of configs/SM90_H100/gpgpusim.config, put into the library when it is built.
#include "base/options.h"

__asm__(".section .rodata\n"
        ".globl options_builtin_text\n"
        ".hidden options_builtin_text\n"
        "options_builtin_text:\n"
        ".incbin \"configs/SM90_H100/gpgpusim.config\"\n"
        ".globl options_builtin_end\n"
        ".hidden options_builtin_end\n"
        "options_builtin_end:\n"
        ".byte 0\n"
        ".previous\n");
