// Which code of a program is executed on a GPU: -gpgpu_execute.
#ifndef LIBCUDA_IMAGE_CHOICE_H
#define LIBCUDA_IMAGE_CHOICE_H

#include "base/option_forms.h"
#include "libcuda/image/fatbin.h"

struct options;

// What -gpgpu_execute asks for; never EXECUTE_DEFAULT.
enum execute choice_of(const struct options *o);

// What is executed of a fat binary on a GPU of that capability, where nothing else is asked for: as choice_of says. But machine code goes
// first (EXECUTE_AUTO) where all its PTX is for later GPUs and there is machine code for this one, as a GPU's driver has no other choice
// then: such a program asks the GPU's capability, and expects of its kernels what was compiled for that.
enum execute choice_for(const struct options *o, const struct fatbin *f, unsigned capability);

// Whether a GPU of that capability (86 for 8.6) runs machine code for `arch`: that of its own major number and not above its minor
// number; `exact` code (sm_90a, sm_100f) on its own capability only.
bool choice_suits(unsigned arch, bool exact, unsigned capability);

// The machine code in a container that a GPU runs best: the highest that suits it, sm_90a before sm_90. NULL: none does.
const struct fatbin_entry *choice_cubin(const struct fatbin *f, unsigned container, unsigned capability);

// What machine code there is in a container, in words: "sm_75 and sm_80". NULL if there is none.
const char *choice_list(const struct fatbin *f, unsigned container, char *buf, size_t size);

#endif
